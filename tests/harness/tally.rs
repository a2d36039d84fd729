//! How often a random test came by each case: printed, and never zero.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// Counts of named cases.
#[derive(Default)]
pub struct Tally(BTreeMap<&'static str, BTreeMap<String, u64>>);

impl Tally {
    /// Counts one `what` under `heading`.
    pub fn count(&mut self, heading: &'static str, what: impl Debug) {
        *self.0.entry(heading).or_default().entry(format!("{what:?}")).or_default() += 1;
    }

    /// How often each case came, by heading.
    pub fn json(&self) -> serde_json::Value {
        let plain = |case: &String| case.replace(['\\', '"'], "");
        let cases = |c: &BTreeMap<String, u64>| c.iter().map(|(k, n)| (plain(k), (*n).into())).collect();
        self.0.iter().map(|(heading, c)| (heading.to_string(), serde_json::Value::Object(cases(c)))).collect()
    }

    /// Prints the share of each case.
    pub fn print(&self) {
        for (heading, cases) in &self.0 {
            let all: u64 = cases.values().sum();
            for (case, n) in cases {
                println!("{heading:12} {case:20} {n:9}  {:8.4} %", *n as f64 * 100.0 / all as f64);
            }
        }
    }

    /// Fails unless each of `cases` under `heading` came at least `least` times.
    pub fn reached<T: Debug>(&self, heading: &'static str, cases: &[T], least: u64) {
        for case in cases {
            let n = self.0.get(heading).and_then(|c| c.get(&format!("{case:?}"))).copied().unwrap_or(0);
            assert!(n >= least, "{heading} {case:?} came {n} times, want {least}");
        }
    }
}
