//! `[[compare]]` of a scenario: what a paper says, beside what came of the runs.

use super::experiment::Experiment;
use super::results::{label, values, Row};
use serde::{Deserialize, Serialize};

/// A claim, and how its figure is made of a column.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Compare {
    /// What is claimed, in words.
    pub what: String,
    /// What the paper says, with its name; `not given` when absent.
    pub paper: Option<String>,
    /// Column of the results.
    pub column: String,
    /// Scheme whose value it is; without one, the column of every run.
    pub of: Option<String>,
    /// Scheme that it is compared with, all else being the same.
    pub against: Option<String>,
    /// `less`: percent less than the other; `times`: so many times the other; `value`: itself.
    pub how: How,
}

/// How a figure is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Percent less.
    Less,
    /// So many times.
    Times,
    /// Itself.
    Value,
}

impl Compare {
    /// Whether its columns are there, and its schemes fit what it does.
    pub fn check(&self, columns: &[&str]) -> Result<(), String> {
        if !columns.contains(&self.column.as_str()) {
            let all = columns.join(", ");
            return Err(format!("compare {:?}: {:?} is no column; expected one of {all}", self.what, self.column));
        }
        let pair = self.how != How::Value;
        if self.against.is_some() != pair || (pair && self.of.is_none()) {
            return Err(format!(
                "compare {:?}: less and times need `of` and `against`, value has no `against`",
                self.what
            ));
        }
        Ok(())
    }

    /// The figure of every run, or of every pair of runs that differ in nothing but the scheme.
    fn figures(&self, axes: &[&str], rows: &[Row]) -> Vec<f64> {
        let same = |a: &Row, b: &Row| axes.iter().all(|x| *x == "scheme" || a.text(x) == b.text(x));
        let is = |r: &Row, scheme: &Option<String>| scheme.as_ref().is_none_or(|s| r.text("scheme") == s);
        rows.iter()
            .filter(|r| is(r, &self.of))
            .filter_map(|r| {
                let ours = r.number(&self.column)?;
                if self.how == How::Value {
                    return Some(ours);
                }
                let other = rows.iter().find(|o| is(o, &self.against) && same(o, r))?.number(&self.column)?;
                (other != 0.0).then_some(match self.how {
                    How::Less => 100.0 * (1.0 - ours / other),
                    _ => ours / other,
                })
            })
            .collect()
    }

    /// What is measured, in words.
    pub fn measured(&self, axes: &[&str], rows: &[Row]) -> String {
        let all = self.figures(axes, rows);
        if all.is_empty() {
            return "no run of it is here".into();
        }
        let (low, high) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |a, x| (a.0.min(*x), a.1.max(*x)));
        // No minus before a zero.
        let (low, high) = ((low * 10.0).round() / 10.0 + 0.0, (high * 10.0).round() / 10.0 + 0.0);
        let range = if all.len() == 1 { format!("{low:.1}") } else { format!("{low:.1} to {high:.1}") };
        let (unit, of) = match (self.how, &self.of, &self.against) {
            (How::Less, Some(a), Some(b)) => (" % less", format!("{a} against {b}, {} pairs", all.len())),
            (How::Times, Some(a), Some(b)) => (" times", format!("{a} against {b}, {} pairs", all.len())),
            (_, Some(a), _) => ("", format!("{a}, {} runs", all.len())),
            _ => ("", format!("{} runs", all.len())),
        };
        format!("{range}{unit} ({of})")
    }
}

/// What the runs have in common and where they differ: `one way delay, ms: 0.5, 2.5`.
pub fn conditions(axes: &[&str], rows: &[Row]) -> String {
    let words =
        axes.iter().filter(|a| **a != "scheme").map(|a| format!("{}: {}", label(a), values(rows, a).join(", ")));
    words.collect::<Vec<_>>().join("; ")
}

/// The table of a page; nothing where a scenario compares nothing.
pub fn table(scenario: &dyn Experiment, rows: &[Row], escape: impl Fn(&str) -> String) -> String {
    if scenario.about().compares.is_empty() {
        return String::new();
    }
    let axes = scenario.axes();
    let command =
        format!("matchrdma-sim sweep sim/scenarios/{0}/scenario.toml --out target/{0}", scenario.about().name);
    let (conditions, command) = (escape(&conditions(axes, rows)), escape(&command));
    let cells: String = scenario
        .about()
        .compares
        .iter()
        .map(|c| {
            let paper = escape(c.paper.as_deref().unwrap_or("not given"));
            let measured = escape(&c.measured(axes, rows));
            format!("<tr><th scope=\"row\">{}</th><td>{paper}</td><td>{measured}</td></tr>\n", escape(&c.what))
        })
        .collect();
    format!(
        "<table id=\"claims\">\n<thead><tr><th>claim</th><th>paper</th><th>measured here</th></tr></thead>\n<tbody>\n{cells}</tbody>\n\
         </table>\n<p><b>Conditions.</b> {conditions}</p>\n<p><b>Command.</b> <code>{command}</code></p>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(delay: &str, scheme: &str, y: &str) -> Row {
        let values = [("delay_ms", delay), ("scheme", scheme), ("y", y)];
        Row { index: 0, values: values.map(|(a, b)| (a.to_string(), b.to_string())).to_vec(), traces: vec![] }
    }

    fn compare(how: How, of: Option<&str>, against: Option<&str>) -> Compare {
        let [of, against] = [of, against].map(|s| s.map(str::to_string));
        Compare { what: "w".into(), paper: None, column: "y".into(), of, against, how }
    }

    #[test]
    fn a_figure_is_made_of_runs_that_differ_in_the_scheme_alone() {
        let rows =
            [row("1", "a", "10"), row("1", "b", "4"), row("2", "a", "20"), row("2", "b", "2"), row("3", "b", "1")];
        let axes = ["delay_ms", "scheme"];
        let said = |how, of, against| compare(how, of, against).measured(&axes, &rows);
        assert_eq!(said(How::Less, Some("b"), Some("a")), "60.0 to 90.0 % less (b against a, 2 pairs)");
        assert_eq!(said(How::Times, Some("a"), Some("b")), "2.5 to 10.0 times (a against b, 2 pairs)");
        assert_eq!(said(How::Value, Some("b"), None), "1.0 to 4.0 (b, 3 runs)");
        assert_eq!(said(How::Less, Some("c"), Some("a")), "no run of it is here");
        assert_eq!(conditions(&axes, &rows), "delay, ms: 1, 2, 3");
        assert!(compare(How::Less, Some("b"), None).check(&["y"]).unwrap_err().contains("need `of`"));
        assert!(compare(How::Value, None, None).check(&["x"]).unwrap_err().contains("is no column"));
    }
}
