//! The Verilator runtime, compiled once.
//!
//! Nothing to call: linking this crate brings the C++ that every verilated module needs.
#![forbid(unsafe_code)]
