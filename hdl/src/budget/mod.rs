//! Budgets of paths: what each may send in a slot.

mod path_scan;
mod rate_estimator;
mod rate_table;

pub use path_scan::PathScan;
pub use rate_estimator::RateEstimator;
pub use rate_table::RateTable;
