//! The budget rail of a configuration, and what the memory at hand makes of it.

use super::check::Check;
use super::config::Law;
use super::wanted::Wanted;
use crate::error::Result;
use crate::{lossless, rail};
use matchrdma_spec::params::{OVERHEAD_BYTES, PAGES, QUEUE_PAGES, SHARED_PAGES, SLOT_K_LIVE_MIN};
use matchrdma_spec::regs::law::{self, CAPABLE_LIVE, CAPABLE_TAGS};
use matchrdma_spec::regs::RegField;
use matchrdma_spec::wire::budget;
use toml::Spanned;

/// Budget frames may take one part in so many of the line.
const FRAMES_PART: u64 = 50;

fn shift(check: &Check, key: &str, set: &Option<Spanned<u32>>, field: &RegField, default: u32) -> Result<u32> {
    match set {
        Some(value) => check.within(key, value, 0, field.max()),
        None => Ok(default),
    }
}

/// The law's settings.
pub(super) fn law(check: &Check, wanted: &mut Wanted) -> Result<()> {
    let peers = wanted.paths.iter().filter(|path| path.peer_on).count();
    let Some(spanned) = &check.config.law else {
        let with_peer = check.config.path.iter().find_map(|path| path.as_ref().peer.as_ref());
        return match with_peer {
            Some(peer) => Err(check.wrong("path.peer", &peer.span(), "a section [law], which says our site", "none")),
            None => Ok(()),
        };
    };
    let (law, span) = (spanned.as_ref(), spanned.span());
    let Law { site, round_trip_us, session, capacity_kib, floor_part, lease_slots, .. } = law;
    if let Some(path) = wanted.paths.iter().position(|path| path.peer_on && path.peer_site == *site) {
        return Err(check.wrong(
            "law.site",
            &span,
            "another site than any far gateway has",
            format!("{site}, as path {path}"),
        ));
    }
    if check.slot.log2_cycles < SLOT_K_LIVE_MIN {
        let slot = &check.config.gateway.slot_log2_cycles;
        let expected =
            format!("at least {SLOT_K_LIVE_MIN} with live budgets, whose law takes more than a shorter slot");
        return Err(check.wrong("gateway.slot_log2_cycles", &slot.span(), expected, slot.as_ref()));
    }
    let frames = peers as u64 * (budget::BYTES as u64 + u64::from(OVERHEAD_BYTES));
    if frames * FRAMES_PART > u64::from(check.line) {
        let expected = format!("budget frames of at most 1/{FRAMES_PART} of the line");
        let found = format!("{frames} bytes of a slot of {}; lengthen the slot", check.line);
        return Err(check.wrong("law", &span, expected, found));
    }
    let round_trip_ps = crate::timetable::us_to_ps(*round_trip_us.as_ref()).filter(|ps| *ps > 0);
    let round_trip_ps = round_trip_ps.ok_or_else(|| {
        check.wrong("law.round_trip_us", &round_trip_us.span(), "a time over 0", round_trip_us.as_ref())
    })?;
    let slots = round_trip_ps.div_ceil(check.slot.ps().max(1).into()) as u32;
    let auto = rail::Shifts::of_loop(slots);
    let memory = u64::from(check.caps.egress_bytes);
    let capacity = match capacity_kib {
        Some(kib) => {
            let bytes = kib.as_ref().saturating_mul(1024);
            if bytes == 0 || bytes > memory {
                let expected = format!("1 to {} KiB, which the core has", memory / 1024);
                return Err(check.wrong("law.capacity_kib", &kib.span(), expected, kib.as_ref()));
            }
            bytes
        }
        None => memory,
    };
    let mut settings = rail::Settings::new(*site, 0);
    settings.clock_hz = check.slot.clock_hz;
    settings.slot_k = check.slot.log2_cycles;
    settings.port_bps = crate::timetable::Rate::gbps(*check.config.gateway.port_gbps.as_ref()).bits as u64;
    settings.capacity = capacity;
    settings.shifts = rail::Shifts {
        tau: shift(check, "law.tau", &law.tau, &law::TAU, auto.tau)?,
        a: shift(check, "law.a", &law.a, &law::A, auto.a)?,
        p: shift(check, "law.p", &law.p, &law::P, auto.p)?,
        c: shift(check, "law.c", &law.c, &law::C, auto.c)?,
        h: shift(check, "law.h", &law.h, &law::H, auto.h)?,
    };
    if let Some(part) = floor_part {
        settings.floor_part = check.within("law.floor_part", part, 1, check.line)?;
    }
    if let Some(slots) = lease_slots {
        settings.lease = *slots;
    }
    if let Some(mac) = &law.destination_mac {
        settings.dst = check.mac("law.destination_mac", mac)?;
    }
    if let Some(mac) = &law.source_mac {
        settings.src = check.mac("law.source_mac", mac)?;
    }
    if let Some(session) = session {
        settings.session = check.within("law.session", session, 1, u32::MAX)?;
    }
    let tags = wanted.paths.iter().any(|path| path.peer_on && path.peer_key != [0; 16]);
    settings.capabilities = CAPABLE_LIVE + if tags { CAPABLE_TAGS } else { 0 };
    wanted.law = Some(settings);
    Ok(())
}

/// Says what the memory at hand carries, and what may go wrong with what is wanted.
pub(super) fn advise(check: &Check, wanted: &mut Wanted) {
    for (n, path) in wanted.paths.iter().enumerate().filter(|(_, path)| path.peer_on && path.peer_key == [0; 16]) {
        let text =
            format!("path {n}: no key for site {}: whoever reaches the line can set its budgets", path.peer_site);
        wanted.warnings.push(text);
    }
    let (Some(settings), Some(law)) = (wanted.law, &check.config.law) else { return };
    let round_trip_us = *law.as_ref().round_trip_us.as_ref();
    let peers = wanted.paths.iter().filter(|path| path.peer_on).count();
    let round_trip_ps = crate::timetable::us_to_ps(round_trip_us).unwrap_or(0) as u64;
    let bps = lossless::rate_bps(settings.capacity, round_trip_ps, check.slot.ps(), peers);
    let (gbps, port) = (bps as f64 / 1e9, settings.port_bps as f64 / 1e9);
    let kib = settings.capacity / 1024;
    wanted.advice.push(format!(
        "towards this gateway the highest rate without loss or standstill is {:.3} Gb/s: {kib} KiB over {round_trip_us} us \
         and the law's own delay, {peers} far gateways",
        gbps.min(port)
    ));
    if gbps < port {
        wanted.warnings.push(format!(
            "the far gateways may send {port:.3} Gb/s, and the memory here carries {gbps:.3} Gb/s: above that they are held \
             back, not lost"
        ));
    }
    for (n, path) in wanted.paths.iter().enumerate().filter(|(_, path)| path.peer_on) {
        let ceiling = match path.timed() {
            true => wanted.calendars[n].iter().map(|entry| entry.budget).max().unwrap_or(path.rate),
            false => path.rate,
        };
        let ceiling = check.slot.rate(ceiling).in_gbps();
        if ceiling > gbps {
            let text = format!(
                "path {n}: its ceiling of {ceiling:.3} Gb/s is above what memory like ours carries, {gbps:.3} Gb/s"
            );
            wanted.warnings.push(text);
        }
    }
    let page = u64::from(check.caps.outbound_bytes) / PAGES as u64;
    let floor = check.slot.rate(settings.line() / settings.floor_part.max(1)).in_gbps();
    let timeout = check.config.gateway.sender_timeout_ms;
    for (n, path) in wanted.paths.iter().enumerate().filter(|(_, path)| path.granted()) {
        let all = page * (QUEUE_PAGES + SHARED_PAGES) as u64;
        let held = match check.config.client.pfc && path.pfc_on > 0 {
            true => all.min(path.pfc_on.into()),
            false => all,
        };
        let ms = lossless::drain_ms(held, floor * 1e9);
        if ms > timeout {
            wanted.warnings.push(format!(
                "path {n}: at its floor of {floor:.3} Gb/s a full queue of {} KiB takes {ms:.1} ms, and senders repeat after \
                 {timeout} ms: raise the floor (law.floor_part), or lower path.pfc_on_bytes",
                held / 1024
            ));
        }
    }
}
