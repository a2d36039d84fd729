//! Placeholder until the runtime is built here.
fn main() {}
