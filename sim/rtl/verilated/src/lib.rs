//! The Verilator runtime, compiled once.
#![forbid(unsafe_code)]
