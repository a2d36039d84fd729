//! Typed, verilated devices under test and their bus drivers.
//!
//! Each top that `matchrdma_hdl::tops` lists is a module here with one type, `Dut`.
#![deny(unsafe_code)]

pub mod axi4;
pub mod axil;
pub mod axis;
mod ffi;

pub use ffi::duts::*;
