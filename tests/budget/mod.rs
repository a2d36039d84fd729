//! Budgets of paths, gates against model.

mod path_scan;
mod rate_estimator;
mod rate_table;
