//! Typed, verilated devices under test and their bus drivers.
#![deny(unsafe_code)]
