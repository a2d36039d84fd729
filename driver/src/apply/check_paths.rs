//! Paths of a configuration, with their budgets and far gateways.

use super::check::Check;
use super::config::{Calendar, Mode, Path, Peer};
use super::wanted::Wanted;
use crate::error::{file, Result};
use crate::rail;
use crate::timetable::{entries, read, us_to_ps, Period, Rate};
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, CALENDAR_ENTRIES};
use matchrdma_spec::regs::entry::{self, CalendarEntry};
use std::collections::HashMap;
use toml::Spanned;

/// Every path's settings and calendar.
pub(super) fn paths(check: &Check, wanted: &mut Wanted, folder: &std::path::Path) -> Result<()> {
    let count = check.caps.paths as usize;
    wanted.paths = vec![entry::Path::default(); count];
    wanted.calendars = vec![vec![]; count];
    let (mut seen, mut sites) = (HashMap::new(), HashMap::new());
    for spanned in &check.config.path {
        let path = spanned.as_ref();
        let index = check.within("path.index", &path.index, 0, check.caps.paths - 1)? as usize;
        let place = check.source.place(&path.index.span());
        if let Some(other) = seen.insert(index, place) {
            let expected = "each path once";
            return Err(check.wrong("path.index", &path.index.span(), expected, format!("{index}, as at {other}")));
        }
        let (mut settings, calendar) = one(check, path, folder, &spanned.span())?;
        if let Some(peer) = &path.peer {
            let place = check.source.place(&peer.span());
            if let Some(other) = sites.insert(peer.as_ref().site, place) {
                let found = format!("site {}, as at {other}", peer.as_ref().site);
                return Err(check.wrong("path.peer.site", &peer.span(), "each far gateway behind one path", found));
            }
            settings = rail::Peer::on(Some(&far(check, peer)?), &settings);
        }
        if settings.granted() && path.peer.is_none() {
            let expected = "a peer, which grants its budgets";
            return Err(check.wrong(
                "path.mode",
                &spanned.span(),
                expected,
                format!("mode {:?} without one", path.mode),
            ));
        }
        (wanted.paths[index], wanted.calendars[index]) = (settings, calendar);
    }
    Ok(())
}

fn far(check: &Check, peer: &Spanned<Peer>) -> Result<rail::Peer> {
    let Peer { site, weight, key_hex } = peer.as_ref();
    let weight = match weight {
        Some(weight) => check.within("path.peer.weight", weight, 1, entry::PATH_WEIGHT.max())?,
        None => 1,
    };
    let mut key = [0; 16];
    if let Some(hex) = key_hex {
        let text = hex.as_ref();
        let wrong = || check.wrong("path.peer.key_hex", &hex.span(), "32 hexadecimal digits", format!("{text:?}"));
        if text.len() != 2 * key.len() {
            return Err(wrong());
        }
        for (byte, at) in key.iter_mut().zip((0..).step_by(2)) {
            *byte = text.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).ok_or_else(wrong)?;
        }
    }
    Ok(rail::Peer { site: *site, weight: weight as u8, key })
}

/// Settings of one path, still without its far gateway, and its calendar.
fn one(
    check: &Check,
    path: &Path,
    folder: &std::path::Path,
    span: &std::ops::Range<usize>,
) -> Result<(entry::Path, Vec<CalendarEntry>)> {
    let mode = match path.mode {
        Mode::Open => entry::MODE_OPEN,
        Mode::Fixed => entry::MODE_FIXED,
        Mode::Calendar => entry::MODE_CALENDAR,
        Mode::Live => entry::MODE_LIVE,
        Mode::Lesser => entry::MODE_LESSER,
        Mode::Off => entry::MODE_OFF,
    };
    let mut settings = entry::Path {
        mode,
        ecn_clear: path.clear_ecn,
        cnp_on: path.cnp_on_bytes,
        cnp_off: path.cnp_off_bytes,
        pfc_on: path.pfc_on_bytes,
        pfc_off: path.pfc_off_bytes,
        ..entry::Path::default()
    };
    for (key, on, off) in [
        ("path.cnp_off_bytes", settings.cnp_on, settings.cnp_off),
        ("path.pfc_off_bytes", settings.pfc_on, settings.pfc_off),
    ] {
        if off > on {
            return Err(check.wrong(
                key,
                span,
                format!("at most what it is on from, {on} bytes"),
                format!("{off} bytes"),
            ));
        }
    }
    match &path.rate_gbps {
        Some(gbps) => {
            let expected = || {
                let line = check.slot.rate(check.line).in_gbps();
                format!("a byte a slot up to {line:.3} Gb/s, the rate of the port")
            };
            let bytes = check.slot.bytes(Rate::gbps(*gbps.as_ref())).filter(|bytes| (1..=check.line).contains(bytes));
            let wrong = || check.wrong("path.rate_gbps", &gbps.span(), expected(), format!("{} Gb/s", gbps.as_ref()));
            settings.rate = bytes.ok_or_else(wrong)?;
        }
        None if mode == entry::MODE_FIXED => {
            return Err(check.wrong("path.rate_gbps", span, "a rate, for mode fixed", "none"));
        }
        None => {}
    }
    if settings.paced() {
        settings.burst = match &path.burst_bytes {
            Some(burst) => check.within("path.burst_bytes", burst, entry::BURST_MIN, entry::BURST_MAX)?,
            None => BURST_DEFAULT_BYTES,
        };
    }
    let mut all = Vec::new();
    match &path.calendar {
        Some(calendar) => {
            (all, settings.start) = timetable(check, calendar, folder)?;
            (settings.length, settings.loops) = (all.len() as u16, calendar.as_ref().repeat);
        }
        None if settings.timed() => {
            return Err(check.wrong("path.calendar", span, format!("a calendar, for mode {:?}", path.mode), "none"));
        }
        None => {}
    }
    if let Some(forecast) = &path.forecast {
        let (found, start) = timetable(check, forecast, folder)?;
        if all.len() + found.len() > CALENDAR_ENTRIES {
            let expected = format!("at most {CALENDAR_ENTRIES} entries, with those of the path's calendar");
            return Err(check.wrong("path.forecast", &forecast.span(), expected, all.len() + found.len()));
        }
        settings = forecasting(settings, all.len(), found.len(), forecast.as_ref().repeat, start);
        all.extend(found);
    }
    Ok((settings, all))
}

/// Settings of a path whose forecast has so many entries behind the first ones.
pub(super) fn forecasting(path: entry::Path, first: usize, length: usize, repeat: bool, start: u32) -> entry::Path {
    entry::Path {
        // A calendar of all entries leaves none for a forecast.
        forecast_first: if length == 0 { 0 } else { first as u8 },
        forecast_length: length as u16,
        forecast_loops: repeat && length > 0,
        forecast_start: if length == 0 { 0 } else { start },
        ..path
    }
}

/// Entries, and the slot that they begin with.
fn timetable(
    check: &Check,
    calendar: &Spanned<Calendar>,
    folder: &std::path::Path,
) -> Result<(Vec<CalendarEntry>, u32)> {
    let found = entries(&periods(check, calendar, folder)?, check.slot, check.line)?;
    let Calendar { start_slot, early_us, .. } = calendar.as_ref();
    let early = us_to_ps(*early_us).map(|ps| ps.div_ceil(check.slot.ps().max(1).into()) as u32);
    let early = early.ok_or_else(|| check.wrong("path.calendar.early_us", &calendar.span(), "a time", early_us))?;
    // A start before slot 0 is as good as one at slot 0: both are past.
    Ok((found, start_slot.saturating_sub(early)))
}

fn periods(check: &Check, calendar: &Spanned<Calendar>, folder: &std::path::Path) -> Result<Vec<Period>> {
    let Calendar { file: name, entry, .. } = calendar.as_ref();
    match (name, entry.is_empty()) {
        (Some(name), true) => {
            let path = folder.join(name.as_ref());
            let text = std::fs::read_to_string(&path).map_err(|error| file("reading a calendar", &path, &error))?;
            read(&path.display().to_string(), &text, check.slot)
        }
        (None, false) => {
            let mut periods = Vec::new();
            for spanned in entry {
                let place = check.source.place(&spanned.span());
                let super::config::Entry { budget_gbps, duration_us } = spanned.as_ref();
                let wrong = || check.wrong("path.calendar.entry", &spanned.span(), "a time", duration_us);
                let ps = us_to_ps(*duration_us).ok_or_else(wrong)?;
                if *budget_gbps < 0.0 || !budget_gbps.is_finite() {
                    return Err(check.wrong("path.calendar.entry", &spanned.span(), "a rate", budget_gbps));
                }
                periods.push(Period { rate: Rate::gbps(*budget_gbps), ps, places: [place.clone(), place] });
            }
            Ok(periods)
        }
        (both, _) => {
            let found = if both.is_some() { "both" } else { "neither" };
            Err(check.wrong("path.calendar", &calendar.span(), "a file, or entries", found))
        }
    }
}
