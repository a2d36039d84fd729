//! What the hosts of a scenario's gateways set: paths, routes and flows at the sources; for live budgets also units from
//! the clock that each is meant to have, and the law's constants from the line and the slot.

use crate::closed_loop::pair_keys;
use crate::configure::{bytes_per_slot, FlowSetting, Host, Tables};
use crate::nic::LOSSLESS_CLASS;
use crate::scenario::{Mode, Scenario, Scheme, DESTINATION_SITE};
use matchrdma::rail::{Peer, Settings, Shifts};
use matchrdma_spec::params::{slot_ps, RING_BYTES};
use matchrdma_spec::regs::entry;

/// Key between all sites of a run.
const KEY: [u8; 16] = *b"a key for a run.";
/// The life that every gateway begins with.
const SESSION: u32 = 1;

/// Site of source `n`.
pub fn source_site(n: usize) -> u16 {
    DESTINATION_SITE + 1 + n as u16
}

/// The gateway of source `n`.
pub fn source(s: &Scenario, n: usize) -> Settings {
    settings(s, source_site(n), s.source(n).clock_hz)
}

/// The gateway of the destination.
pub fn destination(s: &Scenario) -> Settings {
    let capacity = match s.destination.capacity_kib {
        0 => RING_BYTES as u64,
        kib => kib << 10,
    };
    Settings { capacity, ..settings(s, DESTINATION_SITE, s.destination.clock_hz) }
}

fn settings(s: &Scenario, site: u16, clock_hz: u64) -> Settings {
    let clock_hz = if clock_hz == 0 { s.clock_hz } else { clock_hz };
    let slot_k = s.slot_log2_cycles;
    let round_trip_ps = u128::from(s.round_trip_cycles()) * 1_000_000_000_000 / u128::from(s.clock_hz);
    let slots = round_trip_ps.div_ceil(slot_ps(slot_k, clock_hz).into());
    let port_bps = (s.client.rate_gbps.min(s.line.rate_gbps) * 1e9) as u64;
    Settings { clock_hz, slot_k, port_bps, shifts: Shifts::of_loop(slots as u32), ..Settings::new(site, SESSION) }
}

/// The far gateway at a site.
pub fn peer(site: u16, weight: u8) -> Peer {
    Peer { site, weight, key: KEY }
}

/// Sets the gateway of a source up as its host does: paths, routes, flows, then on.
pub fn configure(host: &mut Host, s: &Scenario, kind: Scheme, n: usize) -> Result<(), String> {
    host.identify()?;
    host.routes(&s.routes()?).map_err(|e| e.to_string())?;
    for (i, path) in s.paths.iter().enumerate() {
        let rate = bytes_per_slot((path.budget_gbps * 1e9) as u64, s.slot_log2_cycles, s.clock_hz)
            .ok_or(format!("path[{i}].budget_gbps: under a byte a slot"))?;
        let pfc = u32::from(kind.has_pfc());
        let settings = entry::Path {
            mode: if path.mode == Mode::Open { entry::MODE_OPEN } else { entry::MODE_FIXED },
            rate,
            burst: path.burst_kib << 10,
            cnp_on: path.cnp_on_kib << 10,
            cnp_off: path.cnp_off_kib << 10,
            pfc_on: pfc * (path.pfc_on_kib << 10),
            pfc_off: pfc * (path.pfc_off_kib << 10),
            ..entry::Path::default()
        };
        let live = entry::Path { mode: entry::MODE_LIVE, ..settings };
        host.tables().set_path(i, if kind.has_budgets() { &live } else { &settings });
        if kind.has_budgets() {
            host.peer(i, Some(&peer(DESTINATION_SITE, 1)));
        }
    }
    host.slot(s.slot_log2_cycles).map_err(|e| e.to_string())?;
    if kind.has_pfc() {
        host.pfc(LOSSLESS_CLASS as u32).map_err(|e| e.to_string())?;
    }
    if kind.has_budgets() {
        host.rail(&source(s, n)).map_err(|e| e.to_string())?;
    }
    let mut tables = Tables::new();
    let setting = FlowSetting { serial: 1, ..Default::default() };
    for pair in s.pairs().iter().filter(|pair| pair.source == n) {
        let (out, back) = pair_keys(pair);
        tables.install(host, out, back, setting)?;
    }
    host.enable(false).map_err(|e| e.to_string())
}

/// Sets the gateway of the destination up: it passes everything on, and tells its sources what they may send.
pub fn configure_destination(host: &mut Host, s: &Scenario) -> Result<(), String> {
    host.identify()?;
    host.routes(&s.routes_back()).map_err(|e| e.to_string())?;
    for n in 0..s.source_count() {
        host.peer(n, Some(&peer(source_site(n), s.source(n).weight)));
    }
    host.set_up().map_err(|e| e.to_string())?;
    host.slot(s.slot_log2_cycles).map_err(|e| e.to_string())?;
    host.rail(&destination(s)).map_err(|e| e.to_string())
}
