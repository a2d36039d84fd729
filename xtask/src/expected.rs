//! `expected.csv` of a scenario against the `summary.json` that a run of it wrote.
//!
//! One row per scheme; the other columns are keys of that scheme in the summary. A figure is compared as the file writes
//! it, with as many decimals.

use crate::run::{read, Done, Failure};
use serde_json::Value;
use std::path::Path;

/// Compares the figures of a run with those that stand in the scenario's folder, and returns how many there are;
/// `None` when the folder has none.
pub fn check(scenario: &Path, summary: &Path) -> Done<Option<usize>> {
    let csv = scenario.join("expected.csv");
    if !csv.is_file() {
        return Ok(None);
    }
    let json = serde_json::from_str(&read(summary)?)
        .map_err(|e| Failure::new(format!("reading {}", summary.display()), e.to_string(), ""))?;
    let what = || format!("{} against {}", summary.display(), csv.display());
    compare(&read(&csv)?, &json).map(Some).map_err(|why| {
        let help = "find what changed the figures; when they are right, write them into expected.csv and say why";
        Failure::new(what(), why, help)
    })
}

/// The number of figures that agree, or every one that does not.
fn compare(csv: &str, summary: &Value) -> Result<usize, String> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let columns = lines.next().unwrap_or_default();
    if columns.first() != Some(&"scheme") || columns.len() < 2 {
        return Err("the first line must be `scheme` and the keys to compare".into());
    }
    let schemes = summary["schemes"].as_object().ok_or("the summary has no `schemes`")?;
    let (mut agree, mut named, mut differ) = (0, Vec::new(), Vec::new());
    for row in lines {
        let scheme = row[0];
        named.push(scheme);
        if row.len() != columns.len() {
            return Err(format!("{scheme}: {} columns, expected {}", row.len(), columns.len()));
        }
        for (column, expected) in columns.iter().zip(&row).skip(1) {
            let found = schemes.get(scheme).and_then(|s| written(&s[column], expected));
            match found {
                Some(found) if found == *expected => agree += 1,
                found => {
                    let found = found.unwrap_or("nothing".into());
                    differ.push(format!("{scheme}.{column}: expected {expected}, found {found}"));
                }
            }
        }
    }
    differ.extend(schemes.keys().filter(|s| !named.contains(&s.as_str())).map(|s| format!("{s}: has no row")));
    if agree == 0 {
        differ.push("not one figure agrees".into());
    }
    if differ.is_empty() {
        Ok(agree)
    } else {
        Err(differ.join(" · "))
    }
}

/// A number with as many decimals as the expected one has.
fn written(value: &Value, like: &str) -> Option<String> {
    let decimals = like.split_once('.').map_or(0, |parts| parts.1.len());
    value.as_f64().map(|x| format!("{x:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::root;
    use serde_json::json;

    const CSV: &str = "scheme,goodput_bps,ratio,acks\nbypass,4177593625,1.000,80\npseudo_ack,88522556175,21.190,1786\n";

    fn summary() -> Value {
        json!({ "schemes": {
            "bypass": { "goodput_bps": 4_177_593_625.1, "ratio": 1.0, "acks": 80 },
            "pseudo_ack": { "goodput_bps": 88_522_556_174.9, "ratio": 21.18984, "acks": 1786, "more": 1 },
        }})
    }

    #[test]
    fn figures_are_compared_as_the_file_writes_them() {
        assert_eq!(compare(CSV, &summary()), Ok(6));
    }

    #[test]
    fn each_planted_difference_is_named() {
        for (key, planted, found) in [
            ("goodput_bps", json!(88_522_556_176.0), "88522556176"),
            ("ratio", json!(21.1894), "21.189"),
            ("acks", json!(1787), "1787"),
            ("acks", Value::Null, "nothing"),
        ] {
            let mut summary = summary();
            summary["schemes"]["pseudo_ack"][key] = planted;
            let why = compare(CSV, &summary).unwrap_err();
            assert!(why.starts_with(&format!("pseudo_ack.{key}: expected ")), "{why}");
            assert!(why.ends_with(&format!("found {found}")), "{why}");
        }
        let mut more = summary();
        more["schemes"]["other"] = json!({});
        assert_eq!(compare(CSV, &more).unwrap_err(), "other: has no row");
        assert!(compare("scheme,acks\n", &json!({ "schemes": {} })).is_err(), "nothing compared is not agreement");
    }

    #[test]
    fn a_run_that_differs_is_a_failure_that_names_both_files() {
        let dir = tempfile::tempdir().unwrap();
        let summary_file = dir.path().join("summary.json");
        std::fs::write(&summary_file, summary().to_string()).unwrap();
        assert_eq!(check(dir.path(), &summary_file), Ok(None));
        std::fs::write(dir.path().join("expected.csv"), CSV.replace("1786", "1785")).unwrap();
        let e = check(dir.path(), &summary_file).unwrap_err();
        assert!(e.what.contains("expected.csv") && e.why.contains("expected 1785, found 1786"), "{e}");
    }

    #[test]
    fn every_expected_file_of_the_tree_can_be_compared() {
        let scenarios = std::fs::read_dir(root().join("sim/scenarios")).unwrap().flatten();
        let files: Vec<_> = scenarios
            .map(|e| e.path())
            .filter(|p| !crate::chores::is_swept(p))
            .map(|p| p.join("expected.csv"))
            .filter(|p| p.is_file())
            .collect();
        assert!(!files.is_empty());
        for file in files {
            // against a summary that has its schemes and nothing in them: every figure is asked for, none is found
            let csv = read(&file).unwrap();
            let schemes = csv.lines().skip(1).map(|l| (l.split(',').next().unwrap().to_string(), json!({})));
            let why = compare(&csv, &json!({ "schemes": schemes.collect::<serde_json::Map<_, _>>() })).unwrap_err();
            assert!(why.contains("goodput_bps: expected ") && !why.contains("column"), "{}: {why}", file.display());
        }
    }
}
