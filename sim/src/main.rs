//! `matchrdma-sim`: see [`matchrdma_sim::cli`].
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    matchrdma_sim::cli::main()
}
