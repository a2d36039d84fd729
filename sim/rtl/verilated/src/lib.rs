//! The Verilator runtime, compiled once.
