//! What a sweep leaves: a row per point, as CSV and for plots.

use super::point::Outcome;
use serde::{Deserialize, Serialize};

/// Columns that name a point.
pub const AXES: [&str; 11] = [
    "rate_gbps",
    "one_way_delay_ms",
    "drain",
    "sources",
    "message_kib",
    "window_kib",
    "queue_pairs",
    "budget_loss_percent",
    "budget_late_slots",
    "seed",
    "scheme",
];

/// Columns that were measured, with their digits behind the point.
pub const MEASURES: [(&str, usize); 15] = [
    ("goodput_gbps", 3),
    ("closed_form_gbps", 3),
    ("drain_utilisation", 4),
    ("occupancy_peak_bdp", 4),
    ("occupancy_mean_bdp", 4),
    ("occupancy_p99_bdp", 4),
    ("occupancy_peak_mib", 3),
    ("occupancy_mean_mib", 3),
    ("floor_bdp", 4),
    ("dropped_frames", 0),
    ("repeated_frames", 0),
    ("timeouts", 0),
    ("cnps", 0),
    ("near_peak_mib", 3),
    ("budget_overhead_percent", 4),
];

/// All columns.
pub fn columns() -> Vec<&'static str> {
    AXES.into_iter().chain(MEASURES.map(|m| m.0)).collect()
}

/// Whether a word is a column.
pub fn is_column(word: &str) -> bool {
    columns().contains(&word)
}

/// One point and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Place in the grid.
    pub index: usize,
    /// Values of [`AXES`].
    pub axes: Vec<String>,
    /// Values of [`MEASURES`].
    pub measures: Vec<f64>,
    /// Share of each source.
    pub shares: Vec<f64>,
}

impl Row {
    /// The row of an outcome.
    pub fn new(index: usize, axes: &[(&'static str, String)], o: &Outcome, closed_form_bps: f64) -> Self {
        let bdp = o.bdp_bytes as f64;
        let mib = f64::from(1 << 20);
        let occupancy = &o.occupancy_bytes;
        Row {
            index,
            axes: axes.iter().map(|a| a.1.clone()).collect(),
            measures: vec![
                o.goodput_bps / 1e9,
                closed_form_bps / 1e9,
                o.drain_utilisation,
                occupancy.peak as f64 / bdp,
                occupancy.mean / bdp,
                occupancy.p99 as f64 / bdp,
                occupancy.peak as f64 / mib,
                occupancy.mean / mib,
                o.floor_bytes as f64 / bdp,
                o.dropped_frames as f64,
                o.repeated_frames as f64,
                o.timeouts as f64,
                o.cnps as f64,
                o.near_peak_bytes as f64 / mib,
                o.budget_overhead * 100.0,
            ],
            shares: o.shares.clone(),
        }
    }

    /// Value of a column, as text.
    pub fn text(&self, column: &str) -> String {
        if let Some(i) = AXES.iter().position(|a| *a == column) {
            return self.axes[i].clone();
        }
        let i = MEASURES.iter().position(|m| m.0 == column).unwrap_or(0);
        format!("{:.*}", MEASURES[i].1, self.measures[i])
    }

    /// Value of a column, as a number, when it is one.
    pub fn number(&self, column: &str) -> Option<f64> {
        match MEASURES.iter().position(|m| m.0 == column) {
            Some(i) => Some(self.measures[i]),
            None => self.text(column).parse().ok(),
        }
    }
}

/// All rows as CSV, in the order of the grid.
pub fn csv(rows: &[Row]) -> String {
    let columns = columns();
    let mut text = columns.join(",") + "\n";
    for row in rows {
        text += &(columns.iter().map(|c| row.text(c)).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}
