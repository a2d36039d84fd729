//! Budgets of paths, gates against model.

mod rate_table;
