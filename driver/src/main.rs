//! `matchrdma`: see [`matchrdma::cli`].
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    matchrdma::cli::main()
}
