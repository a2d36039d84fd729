//! A run as people look at it: a table, plots, one self-contained page.

use crate::cli::Done;
use crate::run::{Engine, Summary};
use plotters::prelude::*;
use std::path::PathBuf;

/// Writes the page of a result folder anew
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: matchrdma-sim report target/demo")]
pub struct Args {
    /// Folder that `run` or `sweep` wrote
    dir: PathBuf,
}

/// Does it.
pub fn run(args: &Args) -> Done {
    if args.dir.join("points").is_dir() {
        let (scenario, rows) = crate::sweep::collect(&args.dir)?;
        crate::sweep::publish(&args.dir, scenario.as_ref(), &rows)?;
        println!("{}", args.dir.join("report.html").display());
        return Ok(());
    }
    let read = |name: &str| {
        let path = args.dir.join(name);
        std::fs::read_to_string(&path)
            .map_err(|e| format!("{}: {e}; expected a folder that `run` wrote", path.display()))
    };
    for (name, text) in pages(&read("summary.json")?, &read("series.csv")?)? {
        let path = args.dir.join(&name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    println!("{}", args.dir.join("report.html").display());
    Ok(())
}

/// Everything that a result folder holds.
pub const FILES: [&str; 7] = [
    "series.csv",
    "summary.json",
    "goodput.svg",
    "unacknowledged.svg",
    "near-queue.svg",
    "far-queue.svg",
    "report.html",
];

/// Schemes, as the table calls them, and their colours.
const NAMES: [(&str, &str, RGBColor); 10] = [
    ("bypass", "bypass (plain RoCE)", RGBColor(0xd5, 0x5e, 0)),
    ("pseudo_ack", "pseudo-ACK", RGBColor(0, 0x72, 0xb2)),
    ("pseudo_ack_pfc", "pseudo-ACK, PFC", RGBColor(0, 0x9e, 0x73)),
    ("pseudo_ack_far_pfc", "pseudo-ACK, far PFC", RGBColor(0xcc, 0x79, 0xa7)),
    ("pseudo_ack_far_pfc_half", "far PFC at BDP / 2", RGBColor(0xe6, 0x9f, 0)),
    ("pseudo_ack_far_pfc_quarter", "far PFC at BDP / 4", RGBColor(0xb0, 0x9a, 0x20)),
    ("bifrost", "Bifrost", RGBColor(0x56, 0xb4, 0xe9)),
    ("match_rdma", "MatchRDMA", RGBColor(0x33, 0x33, 0x33)),
    ("match_rdma_calendar", "MatchRDMA, calendar", RGBColor(0xe6, 0x9f, 0)),
    ("match_rdma_calendar_both", "calendars at both ends", RGBColor(0, 0x9e, 0x73)),
];

/// What the run says, in words and numbers.
pub fn table(s: &Summary) -> String {
    let p = &s.parameters;
    let g = |bps: f64| format!("{:8.2}", bps / 1e9);
    let mut t = format!("{}: line {} Gb/s and {} us one way\n", p.name, p.line.rate_gbps, p.line.one_way_delay_us);
    for (i, x) in p.sources.iter().enumerate() {
        t += &format!("  source {i}: {} us one way, weight {}\n", x.one_way_delay_us, x.weight);
    }
    if p.destination.drain != "full" {
        t += &format!("  drain {}\n", p.destination.drain);
    }
    for x in &p.senders {
        let dcqcn = if x.dcqcn { ", DCQCN" } else { "" };
        t += &format!("  {} queue pair(s) to {}, window {} KiB each{dcqcn}\n", x.queue_pairs, x.far, x.window_kib);
    }
    for (i, x) in p.paths.iter().enumerate() {
        t += &format!("  path {i} to {}: budget {} Gb/s\n", x.prefixes.join(", "), x.budget_gbps);
    }
    t += "\n";
    t += "                       goodput    against  drained   frames    frames    far buffer, KiB                    dead\n";
    t += "scheme                    Gb/s     bypass        %  dropped  repeated     mean      peak   NAKs    CNPs   flows\n";
    for (name, what, _) in NAMES {
        let Some(x) = s.schemes.get(name) else { continue };
        t += &format!(
            "{what:<20} {}  {:>9} {:8.2} {:8} {:9} {:8.1} {:9.1} {:6} {:7} {:7}\n",
            g(x.goodput_bps),
            x.goodput_ratio_to_bypass.map_or("-".into(), |r| format!("{r:.1}x")),
            x.drain_utilisation * 100.0,
            x.dropped_frames,
            x.repeated_frames,
            x.occupancy_bytes.mean as f64 / 1024.0,
            x.occupancy_bytes.peak as f64 / 1024.0,
            x.naks,
            x.cnps,
            x.dead_flows
        );
    }
    t += &format!(
        "limit: window / RTT  {}\nlimit: the budget    {}  (payload)\n",
        g(s.window_limit_bps),
        g(s.budget_limit_bps)
    );
    if s.schemes.contains_key("bypass") {
        t += "\nIn bypass the sender waits a round trip for each window. With the gateway acknowledging what leaves, it\n\
              waits microseconds, and the path's budget is the limit.\n";
    }
    let speed = s.schemes.values().map(|x| x.cycles_per_second).fold(f64::INFINITY, f64::min);
    let made = if s.engine == Engine::Rtl { "gates" } else { "the model" };
    t += &format!("The gateways are {made}: {speed:.0} cycles per second for all of them.\n");
    t
}

struct Row {
    scheme: String,
    ms: f64,
    gbps: f64,
    unacknowledged_kib: f64,
    near_kib: f64,
    far_kib: f64,
}

fn rows(series: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for (i, line) in series.lines().enumerate().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let number = |k: usize| {
            let text = f.get(k).ok_or(format!("series.csv:{}: expected 8 columns", i + 1))?;
            text.parse::<f64>().map_err(|_| format!("series.csv:{}: column {}: `{text}` is no number", i + 1, k + 1))
        };
        let row = Row {
            scheme: f[0].to_string(),
            ms: number(3)? / 1e3,
            gbps: number(4)? / 1e9,
            unacknowledged_kib: number(5)? / 1024.0,
            near_kib: number(6)? / 1024.0,
            far_kib: number(7)? / 1024.0,
        };
        // The paths of a slot stand together: a plot shows their sum.
        match rows.last_mut().filter(|last| last.scheme == row.scheme && last.ms == row.ms) {
            Some(last) => {
                last.gbps += row.gbps;
                last.unacknowledged_kib += row.unacknowledged_kib;
                last.near_kib += row.near_kib;
                last.far_kib += row.far_kib;
            }
            None => rows.push(row),
        }
    }
    Ok(rows)
}

/// One line per scheme.
fn plot(title: &str, unit: &str, rows: &[Row], y: impl Fn(&Row) -> f64) -> Result<String, String> {
    let mut svg = String::new();
    let far = rows.iter().map(|r| r.ms).fold(0.0, f64::max);
    let high = rows.iter().map(&y).fold(1e-9, f64::max) * 1.08;
    let drawn = (|| -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(&mut svg, (860, 340)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .caption(title, ("sans-serif", 17))
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..far, 0.0..high)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("time, ms")
            .y_desc(unit)
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .draw()?;
        for (scheme, _, colour) in NAMES {
            if rows.iter().all(|r| r.scheme != scheme) {
                continue;
            }
            let points = rows.iter().filter(|r| r.scheme == scheme).map(|r| (r.ms, y(r)));
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(scheme.replace('_', "-"))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::MiddleRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 13))
            .draw()?;
        root.present()?;
        Ok(())
    })();
    drawn.map_err(|e| format!("plot `{title}`: {e}"))?;
    Ok(svg)
}

/// The plots and the page, by file name.
pub fn pages(summary: &str, series: &str) -> Result<Vec<(String, String)>, String> {
    let s: Summary = serde_json::from_str(summary).map_err(|e| format!("summary.json: {e}"))?;
    if s.version != env!("CARGO_PKG_VERSION") {
        return Err(format!("summary.json: written by version {}, this is {}", s.version, env!("CARGO_PKG_VERSION")));
    }
    let rows = rows(series)?;
    let plots = [
        ("goodput.svg", plot("Payload placed at the receiver", "Gb/s", &rows, |r| r.gbps)?),
        ("unacknowledged.svg", plot("Unacknowledged at the sender", "KiB", &rows, |r| r.unacknowledged_kib)?),
        ("near-queue.svg", plot("Waiting in the source gateways", "KiB", &rows, |r| r.near_kib)?),
        ("far-queue.svg", plot("Waiting in the destination gateway", "KiB", &rows, |r| r.far_kib)?),
    ];
    let escape = |t: &str| t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let figures: String = plots.iter().map(|(_, svg)| format!("<figure>{svg}</figure>\n")).collect();
    let html = html(
        &escape(&s.parameters.name),
        &format!(
            "<pre>{}</pre>\n{figures}<details><summary>Parameters and results</summary><pre>{}</pre></details>\n",
            escape(&table(&s)),
            escape(summary)
        ),
    );
    let mut all: Vec<_> = plots.into_iter().map(|(name, svg)| (name.to_string(), svg)).collect();
    all.push(("report.html".into(), html));
    Ok(all)
}

/// A page that needs nothing but itself, light or dark as its reader likes.
pub fn html(name: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{name}</title>\n<style>\nbody{{font:16px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em;\
         background:#fff;color:#111}}\npre{{overflow-x:auto;padding:1em;background:#f3f3f3}}\n\
         figure{{margin:1.5em 0}}\nsvg{{max-width:100%;height:auto}}\n\
         table{{border-collapse:collapse}}\nth,td{{text-align:left;padding:.3em .8em;border-bottom:1px solid #8888}}\n\
         code{{overflow-wrap:anywhere}}\n\
         @media(prefers-color-scheme:dark){{body{{background:#16181c;color:#e8e8e8}}pre{{background:#22262c}}\
         svg{{filter:invert(.9) hue-rotate(180deg)}}}}\n</style>\n\
         <h1>{name}</h1>\n{body}</html>\n"
    )
}

#[cfg(test)]
#[path = "report_tests.rs"]
pub(crate) mod tests;
