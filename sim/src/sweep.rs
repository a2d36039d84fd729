//! `matchrdma-sim sweep`: a grid of runs of the network simulator, on all cores or as one shard of many.
//!
//! Every point is a file of its own, written when it is done, so that a sweep which was stopped goes on where it was,
//! and shards that ran elsewhere are merged by copying their files into one folder.

use crate::cli::Done;
use crate::net::claims;
use crate::net::experiment::{self, Experiment};
use crate::net::plots;
use crate::net::results::{csv, label, trace_csv, values, Row};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Runs a scenario of the network simulator over its whole grid
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: matchrdma-sim sweep sim/scenarios/fig3-buffer/scenario.toml --jobs 2 --out target/fig3-buffer"
)]
pub struct Args {
    /// Scenario file with `engine = "network"`
    scenario: PathBuf,
    /// One part of the grid: the I-th of N, from 0
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "0/1")]
    shard: (usize, usize),
    /// Runs at once; as many as there are cores when 0
    #[arg(long, default_value_t = 0)]
    jobs: usize,
    /// Result folder; what is there already of the same scenario is kept
    #[arg(long)]
    out: PathBuf,
    /// Fail unless results.csv is the same as this file
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Print no table
    #[arg(long)]
    quiet: bool,
    /// Print the rows as JSON instead of the table
    #[arg(long)]
    json: bool,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let wrong = || format!("{text:?}: expected I/N with I from 0 to N - 1, such as 2/8");
    let (i, n) = text.split_once('/').ok_or_else(wrong)?;
    let (i, n): (usize, usize) = (i.parse().map_err(|_| wrong())?, n.parse().map_err(|_| wrong())?);
    (i < n).then_some((i, n)).ok_or_else(wrong)
}

/// `points/NNNNN.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    version: String,
    /// The scenario that it is a point of, as read.
    scenario: serde_json::Value,
    row: Row,
}

/// Does it.
pub fn run(args: &Args) -> Done {
    sweep(&args.scenario, args.shard, args.jobs, &args.out)?;
    let (scenario, rows) = collect(&args.out)?;
    publish(&args.out, scenario.as_ref(), &rows)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows).expect("numbers and strings"));
    } else if !args.quiet {
        print!("{}", table(scenario.as_ref(), &rows));
        println!("\nplots: {}", args.out.join("report.html").display());
    }
    args.expect.as_ref().map_or(Ok(()), |wanted| compare(wanted, &rows))
}

/// The rows against a file of earlier ones: the first line that differs.
fn compare(wanted: &Path, rows: &[Row]) -> Done {
    let text = fs::read_to_string(wanted).map_err(|e| format!("{}: {e}", wanted.display()))?;
    let found = csv(rows);
    let (mut a, mut b) = (text.lines(), found.lines());
    for n in 1.. {
        match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) if x == y => {}
            (x, y) => {
                let (x, y) = (x.unwrap_or("nothing"), y.unwrap_or("nothing"));
                return Err(format!("{}:{n}: expected {x}, found {y}", wanted.display()));
            }
        }
    }
    eprintln!("{} rows, all as in {}", rows.len(), wanted.display());
    Ok(())
}

/// Runs what is missing.
pub fn sweep(file: &Path, shard: (usize, usize), jobs: usize, out: &Path) -> Done {
    let scenario = experiment::read(file)?;
    let read = scenario.parameters();
    let points = out.join("points");
    fs::create_dir_all(&points).map_err(|e| format!("making {}: {e}", points.display()))?;
    let mut waiting: Vec<usize> = vec![];
    for i in (0..scenario.runs()).filter(|i| i % shard.1 == shard.0) {
        let path = point_file(out, i);
        if path.exists() {
            let stored = load(&path)?;
            if stored.scenario != read {
                return Err(format!(
                    "{}: of another scenario than {}; give another folder",
                    path.display(),
                    file.display()
                ));
            }
        } else {
            waiting.push(i);
        }
    }
    let bar = ProgressBar::with_draw_target(Some(waiting.len() as u64), ProgressDrawTarget::stderr());
    bar.set_style(
        ProgressStyle::with_template("{msg} [{wide_bar}] {pos} of {len} runs, {eta} left").expect("a template"),
    );
    bar.set_message(scenario.about().name.to_string());
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = if jobs == 0 { cores } else { jobs }.min(waiting.len().max(1));
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    std::thread::scope(|s| {
        for _ in 0..jobs {
            s.spawn(|| loop {
                let Some(i) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let row = scenario.run(*i);
                let stored = Stored { version: env!("CARGO_PKG_VERSION").into(), scenario: read.clone(), row };
                if let Err(why) = store(&point_file(out, *i), &stored) {
                    *failed.lock().unwrap_or_else(|e| e.into_inner()) = Some(why);
                    return;
                }
                bar.inc(1);
            });
        }
    });
    bar.finish_and_clear();
    failed.into_inner().unwrap_or_else(|e| e.into_inner()).map_or(Ok(()), Err)
}

fn point_file(out: &Path, i: usize) -> PathBuf {
    out.join("points").join(format!("{i:05}.json"))
}

/// A file appears whole or not at all.
fn store(path: &Path, stored: &Stored) -> Done {
    let text = serde_json::to_string_pretty(stored).expect("numbers and strings") + "\n";
    let part = path.with_extension("part");
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|e| format!("writing {}: {e}", path.display()))
}

fn load(path: &Path) -> Result<Stored, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let stored: Stored =
        serde_json::from_str(&text).map_err(|e| format!("{}:{}:{}: {e}", path.display(), e.line(), e.column()))?;
    let here = env!("CARGO_PKG_VERSION");
    if stored.version != here {
        return Err(format!("{}: written by version {}, this is {here}", path.display(), stored.version));
    }
    Ok(stored)
}

/// Everything that a folder holds: the scenario and its rows, in the order of the grid.
pub fn collect(out: &Path) -> Result<(Box<dyn Experiment>, Vec<Row>), String> {
    let points = out.join("points");
    let entries = fs::read_dir(&points)
        .map_err(|e| format!("{}: {e}; expected a folder that `sweep` wrote", points.display()))?;
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|x| x == "json")).collect();
    files.sort();
    let mut scenario = None;
    let mut rows = vec![];
    for file in &files {
        let stored = load(file)?;
        if scenario.get_or_insert_with(|| stored.scenario.clone()) != &stored.scenario {
            return Err(format!("{}: of another scenario than {}", file.display(), files[0].display()));
        }
        rows.push(stored.row);
    }
    let scenario = scenario.ok_or_else(|| format!("{}: no run is in it", points.display()))?;
    let scenario = experiment::stored(&scenario).map_err(|e| format!("{}: {e}", files[0].display()))?;
    Ok((scenario, rows))
}

/// Writes results.csv, the figures and the page.
pub fn publish(out: &Path, scenario: &dyn Experiment, rows: &[Row]) -> Done {
    let write = |name: &str, text: &str| {
        let path = out.join(name);
        fs::write(&path, text).map_err(|e| format!("writing {}: {e}", path.display()))
    };
    write("results.csv", &csv(rows))?;
    let mut figures = String::new();
    for (i, plot) in scenario.about().plots.iter().enumerate() {
        for (value, svg) in plots::draw(plot, rows)? {
            let value: String = value.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            write(&format!("figure-{}{}{value}.svg", i + 1, if value.is_empty() { "" } else { "-" }), &svg)?;
            figures += &format!("<figure>{svg}</figure>\n");
        }
    }
    for (i, trace) in scenario.about().traces.iter().enumerate() {
        let svg = plots::over_time(trace, i, rows)?;
        write(&format!("trace-{}.csv", i + 1), &trace_csv(rows, i))?;
        write(&format!("trace-{}.svg", i + 1), &svg)?;
        figures += &format!("<figure>{svg}</figure>\n");
    }
    write("report.html", &page(scenario, rows, &figures))
}

/// The rows for people: what differs between them, and what was measured.
pub fn table(scenario: &dyn Experiment, rows: &[Row]) -> String {
    let differ = scenario.axes().iter().filter(|a| values(rows, a).len() > 1);
    let shown: Vec<&str> = differ.chain(scenario.shown()).copied().collect();
    let names: Vec<String> = shown.iter().map(|c| label(c)).collect();
    let cells: Vec<Vec<String>> = rows.iter().map(|r| shown.iter().map(|c| r.text(c).to_string()).collect()).collect();
    let width = |i: usize| cells.iter().map(|r| r[i].len()).chain([names[i].len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..shown.len()).map(width).collect();
    let line = |values: &[String]| {
        values.iter().zip(&widths).map(|(v, w)| format!("{v:>w$}")).collect::<Vec<_>>().join("  ") + "\n"
    };
    let mut text = format!(
        "{}: {}\n{} of {} runs\n\n",
        scenario.about().name,
        scenario.about().claim,
        rows.len(),
        scenario.runs()
    );
    text += &line(&names);
    cells.iter().for_each(|row| text += &line(row));
    text
}

fn page(scenario: &dyn Experiment, rows: &[Row], figures: &str) -> String {
    let escape = |t: &str| t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parameters = format!("{:#}", scenario.parameters());
    let claims = claims::table(scenario, rows, escape);
    crate::report::html(
        &escape(scenario.about().name),
        &format!(
            "<p>{}</p>\n{claims}{figures}<details open><summary>Every run</summary><pre>{}</pre></details>\n\
             <details><summary>Parameters</summary><pre>{}</pre></details>\n",
            escape(scenario.about().claim),
            escape(&table(scenario, rows)),
            escape(&parameters)
        ),
    )
}

#[cfg(test)]
#[path = "sweep_tests.rs"]
mod tests;
