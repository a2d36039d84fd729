//! Budgets of paths, gates against model.

mod budget_rx;
mod budget_tx;
mod forecast;
mod loops;
mod path_scan;
mod rail;
mod rate_estimator;
mod rate_table;
mod reservoir;
mod seal;
mod totals;
mod words;
