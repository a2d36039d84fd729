//! Figures of a sweep, as SVG.

use super::experiment::{Plot, Trace};
use super::results::{label, values, Row};
use super::scheme::Scheme;
use plotters::coord::Shift;
use plotters::prelude::*;

/// Colours that people with any kind of sight can tell apart (Okabe and Ito), by place in [`Scheme::ALL`].
const COLOURS: [RGBColor; 7] = [
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x99, 0x99, 0x99),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0x56, 0xb4, 0xe9),
];

/// A line of no more points has a mark at each.
const MARKED: usize = 100;

/// Width of a figure, and where in it the names of the lines begin.
const WIDTH: u32 = 860;
const LEGEND_AT: i32 = 712;

/// Of a scheme its own; of anything else by its place.
fn colour(line: &str, place: usize) -> RGBColor {
    COLOURS[Scheme::ALL.iter().position(|s| s.name() == line).unwrap_or((5 + 4 * place) % 7)]
}

/// Points of one line: mean over the rows (seeds, other axes) that share an x.
fn line(rows: &[&Row], plot: &Plot, places: &[String], by: &str, name: &str) -> Vec<(f64, f64)> {
    let mut points = vec![];
    for (i, place) in places.iter().enumerate() {
        let here: Vec<f64> = rows
            .iter()
            .filter(|r| r.text(by) == name && r.text(&plot.x) == place)
            .filter_map(|r| r.number(&plot.y))
            .collect();
        if !here.is_empty() {
            let mean = here.iter().sum::<f64>() / here.len() as f64;
            points.push((place.parse().unwrap_or(i as f64), mean));
        }
    }
    points
}

/// A number beside an axis: a few digits, whatever its size.
fn short(y: f64) -> String {
    if y != 0.0 && !(1e-3..1e5).contains(&y.abs()) {
        format!("{y:.0e}")
    } else {
        format!("{}", (y * 1e4).round() / 1e4)
    }
}

type Lines = Vec<(String, Vec<(f64, f64)>)>;

/// The figures of one plot: (part of a file name, SVG).
pub fn draw(plot: &Plot, rows: &[Row]) -> Result<Vec<(String, String)>, String> {
    let figures = plot.each.as_ref().map_or(vec![String::new()], |each| values(rows, each));
    let mut out = vec![];
    for value in figures {
        let here: Vec<&Row> =
            rows.iter().filter(|r| plot.each.as_ref().is_none_or(|each| r.text(each) == value)).collect();
        let title = match &plot.each {
            Some(each) => format!("{} ({} {value})", plot.title, label(each)),
            None => plot.title.clone(),
        };
        let places = values(rows, &plot.x);
        let by = plot.by.as_deref().unwrap_or("scheme");
        let lines: Lines = values(rows, by)
            .into_iter()
            .map(|s| (s.clone(), line(&here, plot, &places, by, &s)))
            .filter(|l| !l.1.is_empty())
            .collect();
        out.push((value, drawn(plot, &title, &places, &lines)?));
    }
    Ok(out)
}

/// The figure of a trace: a line for each run.
pub fn over_time(trace: &Trace, of: usize, rows: &[Row]) -> Result<String, String> {
    let (x, y) = ("round_trips".into(), "occupancy_bdp".into());
    let plot =
        Plot { title: trace.title.clone(), x, y, by: None, each: None, log_x: false, log_y: false, tight_y: false };
    let lines: Lines = rows
        .iter()
        .filter_map(|row| row.traces.get(of).filter(|t| !t.is_empty()).map(|t| (row.text("scheme").into(), t.clone())))
        .collect();
    drawn(&plot, &plot.title, &[], &lines)
}

/// A figure as SVG.
fn drawn(plot: &Plot, title: &str, places: &[String], lines: &Lines) -> Result<String, String> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, 380)).into_drawing_area();
        figure(&root, plot, title, places, lines).map_err(|e| format!("plot {title:?}: {e}"))?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The ends of the vertical axis, for values from `lowest` to `highest`.
fn heights(plot: &Plot, lowest: f64, highest: f64) -> (f64, f64) {
    let margin = 0.08 * if highest > lowest { highest - lowest } else { highest.abs().max(1.0) };
    let high = if plot.tight_y { highest + margin } else { highest * 1.08 }.max(1e-6);
    let low = match (plot.log_y, plot.tight_y) {
        (true, _) => (lowest / 1.5).max(high / 1e6),
        (false, true) => lowest - margin,
        (false, false) => 0.0,
    };
    (low, high)
}

fn figure(root: &Area, plot: &Plot, title: &str, places: &[String], lines: &Lines) -> Drawn {
    root.fill(&WHITE)?;
    let all = || lines.iter().flat_map(|l| l.1.iter());
    let least = |f: fn(&(f64, f64)) -> f64| all().map(f).fold(f64::INFINITY, f64::min);
    let most = |f: fn(&(f64, f64)) -> f64| all().map(f).fold(f64::NEG_INFINITY, f64::max);
    let numbers = places.iter().all(|p| p.parse::<f64>().is_ok());
    let (left, right) = if numbers { (least(|p| p.0), most(|p| p.0)) } else { (-0.5, places.len() as f64 - 0.5) };
    let right = if right > left { right } else { left + 1.0 };
    let (lowest, highest) = (least(|p| p.1), most(|p| p.1));
    let (low, high) = heights(plot, lowest, highest);
    // What the lines are stands beside them, where it covers none.
    let (left_part, right_part) = root.split_horizontally(LEGEND_AT);
    for (i, (name, _)) in lines.iter().enumerate() {
        let y = 52 + 18 * i as i32;
        right_part.draw(&PathElement::new([(4, y), (22, y)], colour(name, i).stroke_width(2)))?;
        right_part.draw(&Text::new(name.replace('_', " "), (28, y - 6), ("sans-serif", 13)))?;
    }
    let mut builder = ChartBuilder::on(&left_part);
    builder.margin(12).caption(title, ("sans-serif", 17)).x_label_area_size(44).y_label_area_size(68);
    macro_rules! chart {
        ($x:expr, $y:expr) => {{
            let mut chart = builder.build_cartesian_2d($x, $y)?;
            let name = |x: &f64| {
                if numbers {
                    format!("{}", (x * 1000.0).round() / 1000.0)
                } else if (x - x.round()).abs() < 0.01 {
                    places.get(x.round() as usize).cloned().unwrap_or_default()
                } else {
                    String::new()
                }
            };
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_labels(if numbers { 10 } else { 2 * places.len() + 1 })
                .x_label_formatter(&name)
                .y_label_formatter(&|y: &f64| short(*y))
                .x_desc(label(&plot.x))
                .y_desc(label(&plot.y))
                .label_style(("sans-serif", 13))
                .axis_desc_style(("sans-serif", 14))
                .draw()?;
            for (i, (scheme, points)) in lines.iter().enumerate() {
                let colour = colour(scheme, i);
                let style = colour.stroke_width(2);
                chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
                if points.len() <= MARKED {
                    chart.draw_series(points.iter().map(|p| Circle::new(*p, 3, colour.filled())))?;
                }
            }
        }};
    }
    match (plot.log_x && numbers && left > 0.0, plot.log_y) {
        (false, false) => chart!(left..right, low..high),
        (true, false) => chart!((left..right).log_scale(), low..high),
        (false, true) => chart!(left..right, (low..high).log_scale()),
        (true, true) => chart!((left..right).log_scale(), (low..high).log_scale()),
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tight_axis_begins_at_the_least_value_and_another_at_zero() {
        let plot = |tight_y, log_y| {
            let (title, x, y) = Default::default();
            Plot { title, x, y, by: None, each: None, log_x: false, log_y, tight_y }
        };
        let (low, high) = heights(&plot(true, false), 0.9, 1.0);
        assert!((0.88..0.9).contains(&low) && (1.0..1.02).contains(&high), "{low} {high}");
        let (low, high) = heights(&plot(false, false), 0.9, 1.0);
        assert!(low == 0.0 && high > 1.0);
        // Of one value only, or of none but zeros, there is an axis, too.
        for value in [0.7, 0.0] {
            for tight in [true, false] {
                let (low, high) = heights(&plot(tight, false), value, value);
                assert!(low <= value && high > value && high > low, "{low} {high}");
            }
        }
    }
}
