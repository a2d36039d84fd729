//! Budgets of paths: what each may send in a slot.

mod budget_frame;
mod budget_rx;
mod budget_tx;
mod budgets;
mod forecast;
mod known;
mod path_scan;
mod rail;
mod rate_estimator;
mod rate_table;
pub mod reservoir;
mod scale;
mod seal;
mod sip_hash;
mod totals;

pub use budget_rx::BudgetRx;
pub use budget_tx::BudgetTx;
pub use budgets::Budgets;
pub use forecast::Forecast;
pub use known::Known;
pub use path_scan::PathScan;
pub use rail::{BudgetRail, Loops};
pub use rate_estimator::RateEstimator;
pub use rate_table::RateTable;
pub use reservoir::Reservoir;
pub use seal::Seal;
pub use totals::Totals;
