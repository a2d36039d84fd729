//! What has to be done so that a gateway does what is wanted: worked out whole, before anything is written.

use super::check_paths::forecasting;
use super::describe::{self, Change};
use super::flows::{live, moves, Moves};
use super::host::Host;
use super::learnt::beside;
use super::record::{DirectedRow, Learnt, Store};
use super::wanted::{Flow, Wanted};
use crate::core::Core;
use crate::error::{Error, Kind, Result};
use crate::flow_table::{Place, RowWrite};
use crate::rail;
use crate::route_table::flatten;
use crate::tables::Mirror;
use crate::transport::Transport;
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, CALENDAR_ENTRIES, FLOW_BANKS, FLOW_ROWS};
use matchrdma_spec::regs::entry::*;
use matchrdma_spec::regs::flow::{DIR_INBOUND, DIR_OUTBOUND};
use matchrdma_spec::regs::table::{CALENDAR, CALENDAR_WORDS};
use matchrdma_spec::regs::{control, law, pacer, Reg};
use serde::Serialize;

/// What is to be done.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// What will be otherwise than it is.
    pub changes: Vec<Change>,
    /// What an operator may want to know.
    pub advice: Vec<String>,
    /// What an operator should look at.
    pub warnings: Vec<String>,
    /// The gateway is off meanwhile: every flow passes through.
    pub off_meanwhile: bool,
    /// Flows that stay as they are.
    pub flows_kept: usize,
    /// Tables that are committed, as a mask.
    pub tables: u32,
    /// Key rows that are written.
    pub key_rows: usize,
    #[serde(skip)]
    pub(super) settings: Vec<(Reg, u32)>,
    #[serde(skip)]
    pub(super) law: Vec<(Reg, u32)>,
    #[serde(skip)]
    pub(super) control: Option<u32>,
    #[serde(skip)]
    pub(super) mirror: Mirror,
    #[serde(skip)]
    pub(super) moves: Moves,
    /// Learnt flows once it is carried out.
    #[serde(skip)]
    pub(super) learnt: Learnt,
}

impl Plan {
    /// Nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.tables == 0 && self.key_rows == 0 && self.control.is_none()
    }
}

/// Works it out. With `stop` the gateway may be off meanwhile.
pub(super) fn plan<T: Transport, S: Store>(host: &mut Host<T, S>, wanted: &Wanted, stop: bool) -> Result<Plan> {
    let mut changes = Vec::new();
    let (on, _) = host.core.switches()?;
    let old_control = host.core.read(&control::CONTROL)?;
    let control = control::ACK_ON_ARRIVAL.with(0, wanted.ack_on_arrival.into());
    let control = if wanted.enable { control::ENABLE.with(control, 1) } else { 0 };
    let settings = differing(&mut host.core, &wanted.settings)?;
    let law = law_writes(&mut host.core, wanted.law.as_ref())?;
    changes.extend(settings.iter().map(|(reg, old, new)| describe::register(reg, *old, *new)));
    changes.extend(law.iter().map(|(reg, old, new)| describe::register(reg, *old, *new)));
    let free = !on || stop || !wanted.enable;
    if !free {
        may_run_on(host, &changes, control, old_control)?;
    }
    let off_meanwhile = on && (!changes.is_empty() || stop || !wanted.enable || !host.known());
    let flows = host.core.caps().flows as usize;
    let record = host.record();
    let setting = |index: u16| match host.known() {
        true => record.mirror.flow(index),
        // Nothing is known to be enabled; a serial other than any before starts a flow afresh.
        false => FlowSetting { enable: false, ..record.mirror.flow(index) },
    };
    let mut mirror = record.mirror.clone();
    let routes = flatten(&wanted.routes).map_err(|error| {
        Error::new(Kind::Config, "sorting the routes").but("routes that were checked", error.to_string())
    })?;
    let routes: Vec<Route> = routes.into_iter().map(Route::from).collect();
    mirror.set_routes(&routes);
    for (n, (path, calendar)) in wanted.paths.iter().zip(&wanted.calendars).enumerate() {
        mirror.set_path(n, path);
        mirror.set_calendar(n, calendar);
    }
    let (beside, learnt) = beside(record, &wanted.flows, &mirror, flows);
    let all: Vec<Flow> = wanted.flows.iter().cloned().chain(beside).collect();
    let mut moves = moves(&record.keys, setting, &all, flows, !on || off_meanwhile)?;
    if !host.known() {
        moves.before = unused(&moves);
    }
    moves.settings.iter().for_each(|(index, setting)| mirror.set_flow(*index, *setting));
    changes.extend(describe::tables(&record.mirror, &mirror, host.core.caps(), &wanted.settings));
    changes.extend(describe::flows(&moves));
    if control != old_control {
        changes.push(describe::register(&control::CONTROL, old_control, control));
    }
    let tables = mirror.changed() | record.strange;
    Ok(Plan {
        changes,
        advice: wanted.advice.iter().cloned().chain(beside_them(learnt.len())).collect(),
        warnings: wanted.warnings.clone(),
        off_meanwhile,
        flows_kept: moves.kept,
        tables,
        key_rows: moves.rows_in_all() + record.under_way.len(),
        settings: settings.into_iter().map(|(reg, _, new)| (reg, new)).collect(),
        law: law.into_iter().map(|(reg, _, new)| (reg, new)).collect(),
        control: (control != old_control || off_meanwhile).then_some(control),
        mirror,
        moves,
        learnt,
    })
}

fn beside_them(learnt: usize) -> Option<String> {
    (learnt > 0).then(|| format!("{learnt} flows that were learnt stay beside those of the configuration"))
}

/// A path gets these budgets, and nothing else changes.
pub(super) fn calendar<T: Transport, S: Store>(
    host: &mut Host<T, S>,
    path: u32,
    entries: &[CalendarEntry],
    repeat: bool,
    start_slot: u32,
) -> Result<Plan> {
    let what = "loading a calendar";
    let place = host.core.bus().name();
    if !host.known() || host.record().strange != 0 {
        let error =
            Error::new(Kind::Unreachable, what).at(place).but("a record of what was applied", "none of this device");
        return Err(error.so("apply a configuration from this host first"));
    }
    if path >= host.core.caps().paths {
        let error = Error::new(Kind::Config, what).at("--path");
        let expected = format!("0 to {}", host.core.caps().paths - 1);
        return Err(error.but(expected, path.to_string()).so("name one of the paths"));
    }
    let record = host.record();
    let (n, mut mirror) = (path as usize, record.mirror.clone());
    let mut settings = mirror.path(n);
    let timed = match settings.mode {
        MODE_OPEN | MODE_FIXED | MODE_CALENDAR => MODE_CALENDAR,
        MODE_LIVE | MODE_LESSER => MODE_LESSER,
        _ => {
            let error =
                Error::new(Kind::Config, what).at(format!("path {n}")).but("a path that is not off", "mode off");
            return Err(error.so("give it another mode"));
        }
    };
    settings.mode = timed;
    settings.burst = if settings.burst == 0 { BURST_DEFAULT_BYTES } else { settings.burst };
    (settings.length, settings.loops, settings.start) = (entries.len() as u16, repeat, start_slot);
    // Its forecast stays, behind the new entries.
    let forecast = mirror.wanted(CALENDAR)[CalendarEntry::word(n, settings.forecast_first.into())..]
        .chunks(CALENDAR_WORDS)
        .take(settings.forecast_length.into());
    let all: Vec<CalendarEntry> = entries.iter().copied().chain(forecast.map(CalendarEntry::unpack)).collect();
    if all.len() > CALENDAR_ENTRIES {
        let error = Error::new(Kind::Config, what).at(format!("path {n}"));
        let expected = format!("at most {CALENDAR_ENTRIES} entries with those of its forecast");
        return Err(error.but(expected, all.len().to_string()).so("join entries of the file"));
    }
    let (length, loops, start) = (settings.forecast_length, settings.forecast_loops, settings.forecast_start);
    settings = forecasting(settings, entries.len(), length.into(), loops, start);
    mirror.set_path(n, &settings);
    mirror.set_calendar(n, &all);
    let slot_k = host.core.read(&pacer::SLOT_K)?;
    let changes = describe::tables(&host.record().mirror, &mirror, host.core.caps(), &[(pacer::SLOT_K, slot_k)]);
    let record = host.record();
    Ok(Plan {
        changes,
        advice: vec![],
        warnings: vec![],
        off_meanwhile: false,
        flows_kept: live(&record.keys, |index| record.mirror.flow(index).enable).len(),
        tables: mirror.changed(),
        key_rows: record.under_way.len(),
        settings: vec![],
        law: vec![],
        control: None,
        moves: Moves { keys: record.keys.clone(), ..Moves::default() },
        learnt: record.learnt.clone(),
        mirror,
    })
}

/// What cannot change while the gateway is on: nothing but tables takes effect in one step.
fn may_run_on<T: Transport, S: Store>(
    host: &mut Host<T, S>,
    changes: &[Change],
    control: u32,
    old_control: u32,
) -> Result<()> {
    let remedy = "add --stop: every flow passes through meanwhile; or run matchrdma disable first";
    let refuse = |what: &str, expected: &str, found: String, place: String| {
        Err(Error::new(Kind::Unreachable, what).at(place).but(expected, found).so(remedy))
    };
    let place = host.core.bus().name();
    if !host.known() && host.record().strange != 0 {
        let found = "a gateway that is on, and tables in force that this host has no record of".into();
        return refuse("changing a gateway of which nothing is known", "one that is off", found, place);
    }
    let what = "changing what is no table while the gateway is on";
    let expected = "changes of tables only, which take effect together";
    if let Some(change) = changes.first() {
        return refuse(what, expected, change.to_string(), place);
    }
    if control != old_control {
        let change = describe::register(&control::CONTROL, old_control, control);
        return refuse(what, expected, change.to_string(), place);
    }
    Ok(())
}

/// Registers that hold something else than is wanted: what, and what is wanted.
fn differing<T: Transport>(core: &mut Core<T>, wanted: &[(Reg, u32)]) -> Result<Vec<(Reg, u32, u32)>> {
    let mut differing = Vec::new();
    for (reg, word) in wanted {
        let old = core.read(reg)?;
        if old != *word {
            differing.push((*reg, old, *word));
        }
    }
    Ok(differing)
}

/// Writes that bring the budget rail to its settings, with what each register holds now. None when it has them.
fn law_writes<T: Transport>(core: &mut Core<T>, wanted: Option<&rail::Settings>) -> Result<Vec<(Reg, u32, u32)>> {
    let session = core.read(&law::SESSION)?;
    let Some(settings) = wanted else {
        return Ok(if session == 0 { vec![] } else { vec![(law::SESSION, session, 0)] });
    };
    let others: Vec<(Reg, u32)> = settings.writes().into_iter().filter(|(reg, _)| *reg != law::SESSION).collect();
    let same_session = session != 0 && (settings.session == 0 || settings.session == session);
    if same_session && differing(core, &others)?.is_empty() {
        return Ok(vec![]);
    }
    let next = match settings.session {
        0 => now_seconds().max(session.saturating_add(1)),
        set => set,
    };
    if next <= session {
        let error = Error::new(Kind::Config, "beginning a session of the budget rail").at("law.session");
        let error = error.but(format!("over {session}, which the gateway has had"), next.to_string());
        return Err(error.so("raise it, or leave it out: the clock in seconds is taken"));
    }
    let settings = rail::Settings { session: next, ..*settings };
    settings.writes().into_iter().map(|(reg, word)| Ok((reg, core.read(&reg)?, word))).collect()
}

/// Seconds since 1970, as long as they fit.
fn now_seconds() -> u32 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
}

/// Every row that will hold no key: written too, when nobody knows what is in them.
fn unused(moves: &Moves) -> Vec<DirectedRow> {
    let mut rows = Vec::new();
    for direction in [DIR_OUTBOUND, DIR_INBOUND] {
        let used: std::collections::HashSet<Place> =
            moves.keys[direction as usize].rows().map(|row| row.place).collect();
        let places = (0..FLOW_BANKS).flat_map(|bank| (0..FLOW_ROWS).map(move |row| Place { bank, row }));
        let free = places.filter(|place| !used.contains(place));
        rows.extend(free.map(|place| (direction, RowWrite { place, content: Default::default() })));
    }
    rows
}
