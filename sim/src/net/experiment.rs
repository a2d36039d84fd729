//! What `sweep` runs: a grid of runs, each giving a row. The key `engine` of a scenario file says which kind it is.

use super::claims::Compare;
use super::geopipe::GeoPipe;
use super::results::Row;
use super::scenario::NetScenario;
use super::training::TrainingScenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One value, or several.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Each<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T: Clone> Each<T> {
    /// All of them.
    pub fn all(&self) -> Vec<T> {
        match self {
            Each::One(x) => vec![x.clone()],
            Each::Many(all) => all.clone(),
        }
    }
}

/// `[[plot]]`: a value over another.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Over the figure.
    pub title: String,
    /// Column of the results along the bottom.
    pub x: String,
    /// Column of the results upwards.
    pub y: String,
    /// A line for each value of this column; of `scheme` when absent.
    pub by: Option<String>,
    /// A figure for each value of this column.
    pub each: Option<String>,
    /// The bottom axis is logarithmic.
    #[serde(default)]
    pub log_x: bool,
    /// The upward axis is logarithmic.
    #[serde(default)]
    pub log_y: bool,
    /// The upward axis begins at the least value, and not at zero.
    #[serde(default)]
    pub tight_y: bool,
}

impl Plot {
    /// Whether its columns are among those.
    pub fn check(&self, columns: &[&str]) -> Result<(), String> {
        let used = [Some(&self.x), Some(&self.y), self.by.as_ref(), self.each.as_ref()];
        match used.into_iter().flatten().find(|c| !columns.contains(&c.as_str())) {
            None => Ok(()),
            Some(c) => {
                let all = columns.join(", ");
                Err(format!("plot {:?}: {c:?} is no column; expected one of {all}", self.title))
            }
        }
    }
}

/// `[[trace]]`: what waits at the destination over time, in the runs whose axes have these values.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Over the figure.
    pub title: String,
    /// Values by column.
    pub of: BTreeMap<String, String>,
    /// When it begins, round trips of the longest line since the run did.
    pub from_round_trips: f64,
    /// How long it is, round trips.
    pub round_trips: f64,
}

impl Trace {
    /// Whether it is of a run with these axes.
    pub fn is_of(&self, axes: &[(&'static str, String)]) -> bool {
        self.of.iter().all(|(column, value)| axes.iter().any(|(name, is)| name == column && is == value))
    }

    /// Whether there is a run that it is of.
    pub fn check<'a>(&self, mut runs: impl Iterator<Item = &'a [(&'static str, String)]>) -> Result<(), String> {
        let sound = |x: f64| x.is_finite() && x >= 0.0;
        if !sound(self.from_round_trips) || !sound(self.round_trips) || self.round_trips == 0.0 {
            return Err(format!("trace {:?}: expected a beginning from 0 on and a length of more than 0", self.title));
        }
        runs.any(|axes| self.is_of(axes)).then_some(()).ok_or_else(|| {
            format!("trace {:?}: no run has {:?}; expected columns and values of the grid", self.title, self.of)
        })
    }
}

/// `[line]` of an experiment with one line.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LineKeys {
    /// Rate of the line and of every port; of schedules without packets, what one pipeline has of it.
    pub rate_gbps: Each<f64>,
    /// One way.
    pub one_way_delay_ms: Each<f64>,
}

/// What stands over the results of an experiment, and what its report has beside them.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What tables call it.
    pub name: &'a str,
    /// What it is to show, in a sentence.
    pub claim: &'a str,
    /// Claims of its report.
    pub compares: &'a [Compare],
    /// Figures of its report.
    pub plots: &'a [Plot],
    /// Figures over time.
    pub traces: &'a [Trace],
}

/// A grid of runs.
pub trait Experiment: Sync + std::fmt::Debug {
    /// What stands over its results.
    fn about(&self) -> About<'_>;
    /// Columns that name a run.
    fn axes(&self) -> &[&'static str];
    /// Measured columns that a table for people shows.
    fn shown(&self) -> &[&'static str];
    /// How many runs there are.
    fn runs(&self) -> usize;
    /// Does one of them.
    fn run(&self, index: usize) -> Row;
    /// The scenario as it was read.
    fn parameters(&self) -> serde_json::Value;
}

/// Reads and checks a file. Errors name the file, the line and the column.
pub fn read(path: &Path) -> Result<Box<dyn Experiment>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let table: toml::Table = toml::from_str(&text).map_err(|e| format!("{}{}", path.display(), place_of(&text, &e)))?;
    let parsed = match table.get("engine").and_then(|e| e.as_str()) {
        Some("network") => NetScenario::parse(&text).map(boxed),
        Some("pipeline") => GeoPipe::parse(&text).map(boxed),
        Some("training") => TrainingScenario::parse(&text, path.parent().unwrap_or(Path::new("."))).map(boxed),
        other => {
            let found = other.map_or("none".into(), |o| format!("{o:?}"));
            Err(format!(": engine: expected \"network\", \"pipeline\" or \"training\", found {found}"))
        }
    };
    parsed.map_err(|e| format!("{}{e}", path.display()))
}

/// The experiment of stored parameters.
pub fn stored(parameters: &serde_json::Value) -> Result<Box<dyn Experiment>, String> {
    let said = |e: serde_json::Error| e.to_string();
    match parameters.get("engine").and_then(|e| e.as_str()) {
        Some("pipeline") => serde_json::from_value::<GeoPipe>(parameters.clone()).map(boxed).map_err(said),
        Some("training") => serde_json::from_value::<TrainingScenario>(parameters.clone()).map(boxed).map_err(said),
        _ => serde_json::from_value::<NetScenario>(parameters.clone()).map(boxed).map_err(said),
    }
}

fn boxed<E: Experiment + 'static>(e: E) -> Box<dyn Experiment> {
    Box::new(e)
}

/// `:line:column: message` of an error in a text.
pub fn place_of(text: &str, e: &toml::de::Error) -> String {
    match e.span() {
        Some(at) => {
            let before = &text[..at.start.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.len() - before.rfind('\n').map_or(0, |i| i + 1) + 1;
            format!(":{line}:{column}: {}", e.message())
        }
        None => format!(": {}", e.message()),
    }
}
