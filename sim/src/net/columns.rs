//! The columns of a sweep of the network simulator: what names a run, and what is measured of it.

use super::point::{Outcome, Point};

/// Columns that name a run.
pub const AXES: [&str; 14] = [
    "rate_gbps",
    "one_way_delay_ms",
    "drain",
    "load",
    "sources",
    "message_kib",
    "window_kib",
    "queue_pairs",
    "slot_log2",
    "leak_log2",
    "budget_loss_percent",
    "budget_late_slots",
    "seed",
    "scheme",
];

/// Columns that are measured.
pub const MEASURES: [&str; 17] = [
    "goodput_gbps",
    "closed_form_gbps",
    "drain_utilisation",
    "occupancy_peak_bdp",
    "occupancy_mean_bdp",
    "occupancy_p99_bdp",
    "occupancy_peak_mib",
    "occupancy_mean_mib",
    "floor_bdp",
    "ideal_mean_bdp",
    "dropped_frames",
    "repeated_frames",
    "timeouts",
    "cnps",
    "near_peak_mib",
    "budget_overhead_percent",
    "shares",
];

/// The measures of a run, as they are written.
pub fn measures(point: &Point, o: &Outcome) -> [String; MEASURES.len()] {
    let bdp = o.bdp_bytes as f64;
    let mib = f64::from(1 << 20);
    let occupancy = &o.occupancy_bytes;
    let shares: Vec<String> = o.shares.iter().map(|s| format!("{s:.4}")).collect();
    [
        format!("{:.3}", o.goodput_bps / 1e9),
        format!("{:.3}", point.closed_form_bps() / 1e9),
        format!("{:.4}", o.drain_utilisation),
        format!("{:.4}", occupancy.peak as f64 / bdp),
        format!("{:.4}", occupancy.mean / bdp),
        format!("{:.4}", occupancy.p99 as f64 / bdp),
        format!("{:.3}", occupancy.peak as f64 / mib),
        format!("{:.3}", occupancy.mean / mib),
        format!("{:.4}", o.floor_bytes as f64 / bdp),
        o.ideal_bytes.map_or(String::new(), |ideal| format!("{:.4}", ideal / bdp)),
        o.dropped_frames.to_string(),
        o.repeated_frames.to_string(),
        o.timeouts.to_string(),
        o.cnps.to_string(),
        format!("{:.3}", o.near_peak_bytes as f64 / mib),
        format!("{:.4}", o.budget_overhead * 100.0),
        shares.join("/"),
    ]
}
