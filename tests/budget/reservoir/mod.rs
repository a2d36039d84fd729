//! The law in gates, part by part and whole.

mod divide;
mod law;
mod ledger;
