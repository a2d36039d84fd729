//! What a sweep leaves: a row per run, as CSV and for plots.

use serde::{Deserialize, Serialize};

/// One run and what came of it: columns with their values, as they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Place in the grid.
    pub index: usize,
    /// (column, value), in the order of the columns.
    pub values: Vec<(String, String)>,
    /// What waited over time, for each trace of the scenario: round trips since the run began, parts of the BDP.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<Vec<(f64, f64)>>,
}

impl Row {
    /// Value of a column; nothing when there is no such column.
    pub fn text(&self, column: &str) -> &str {
        self.values.iter().find(|v| v.0 == column).map_or("", |v| v.1.as_str())
    }

    /// Value of a column, when it is a number.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }
}

/// All rows as CSV, in the order of the grid.
pub fn csv(rows: &[Row]) -> String {
    let line = |words: Vec<&str>| words.join(",") + "\n";
    let mut text = rows.first().map_or(String::new(), |r| line(r.values.iter().map(|v| v.0.as_str()).collect()));
    for row in rows {
        text += &line(row.values.iter().map(|v| v.1.as_str()).collect());
    }
    text
}

/// A trace as CSV: a line for each point of each run that it is of, whose scheme is beside it.
pub fn trace_csv(rows: &[Row], trace: usize) -> String {
    let of = |row: &Row| row.traces.get(trace).cloned().unwrap_or_default();
    let lines = rows.iter().flat_map(|row| {
        let scheme = row.text("scheme").to_string();
        of(row).into_iter().map(move |(at, bdp)| format!("{},{scheme},{at:.3},{bdp:.5}\n", row.index))
    });
    ["run,scheme,round_trips,occupancy_bdp\n".to_string()].into_iter().chain(lines).collect()
}

/// The values of a column, each once, in order of first appearance.
pub fn values(rows: &[Row], column: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for row in rows {
        let value = row.text(column);
        if !all.iter().any(|v| v == value) {
            all.push(value.to_string());
        }
    }
    all
}

/// A name of a column for people: `one_way_delay_ms` is `one way delay, ms`.
pub fn label(column: &str) -> String {
    let mut words: Vec<&str> = column.split('_').collect();
    let unit = match words.last() {
        Some(&"gbps") => Some("Gb/s"),
        Some(&"kib") => Some("KiB"),
        Some(&"mib") => Some("MiB"),
        Some(&"bdp") => Some("BDP"),
        Some(&"ms") => Some("ms"),
        Some(&"percent") => Some("%"),
        _ => None,
    };
    if unit.is_some() {
        words.pop();
    }
    words.join(" ") + &unit.map(|u| format!(", {u}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_and_read() {
        let row = |index, a: &str| Row {
            index,
            values: vec![("a_ms".into(), a.into()), ("b".into(), "x".into())],
            traces: vec![],
        };
        let rows = [row(0, "1.50"), row(1, "2"), row(2, "2")];
        assert_eq!(csv(&rows), "a_ms,b\n1.50,x\n2,x\n2,x\n");
        assert_eq!((rows[0].number("a_ms"), rows[0].number("b"), rows[0].text("c")), (Some(1.5), None, ""));
        assert_eq!(values(&rows, "a_ms"), ["1.50", "2"]);
        assert_eq!((label("one_way_delay_ms").as_str(), label("seed").as_str()), ("one way delay, ms", "seed"));
    }
}
