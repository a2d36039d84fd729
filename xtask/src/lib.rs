//! The chores of the project, as functions: what a contributor types and what continuous integration runs.
//!
//! Read [`cli`] for the commands, [`tidy`] for the rules that keep the tree in its layout.
#![forbid(unsafe_code)]

pub mod bench;
pub mod chores;
pub mod ci;
pub mod cli;
pub mod constraints;
pub mod docs;
pub mod expected;
pub mod help;
pub mod lint;
pub mod run;
pub mod setup;
pub mod shells;
pub mod synth;
pub mod tidy;
pub mod verilator;
pub mod vm;
