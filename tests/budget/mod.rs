//! Budgets of paths, gates against model.

mod budget_rx;
mod path_scan;
mod rate_estimator;
mod rate_table;
mod reservoir;
mod seal;
