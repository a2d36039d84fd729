//! Where the crates meet: everything is in the test binary.
#![forbid(unsafe_code)]
