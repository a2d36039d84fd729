//! `apply`, `calendar load`, `enable`, `disable`: what changes a gateway.

use super::{device, print, Common};
use crate::apply;
use crate::apply::plan::Plan;
use crate::error::{file, Result};
use crate::timetable::{entries, read, Slot};
use crate::transport::Transport;
use clap::Args;
use matchrdma_spec::regs::{control, law, pacer};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Applied<'a> {
    plan: &'a Plan,
    done: Option<apply::host::Done>,
}

fn tell(json: bool, plan: &Plan, done: Option<apply::host::Done>) {
    let mut text = String::new();
    for change in &plan.changes {
        text += &format!("{change}\n");
    }
    plan.advice.iter().for_each(|line| text += &format!("note: {line}\n"));
    plan.warnings.iter().for_each(|line| text += &format!("warning: {line}\n"));
    if plan.off_meanwhile {
        text += "the gateway is off meanwhile: every flow passes through\n";
    }
    let flows = plan.flows_kept;
    text += &match done {
        _ if plan.is_empty() => "nothing to do: the gateway does this already\n".into(),
        None => format!("dry run: {} key rows, {flows} flows stay, nothing was written\n", plan.key_rows),
        Some(done) => format!("done: generation {}, {} key rows, {flows} flows stay\n", done.generation, done.key_rows),
    };
    print(json, &Applied { plan, done }, &text);
}

/// `apply`.
pub(super) fn apply(common: &Common, config: &Path, dry_run: bool, stop: bool) -> Result<()> {
    let mut host = device::host(common)?;
    let caps = *host.core().caps();
    let wanted = apply::read(config, &caps)?;
    let plan = host.plan(&wanted, stop)?;
    let done = if dry_run { None } else { Some(host.apply(&plan)?) };
    tell(common.json, &plan, done);
    Ok(())
}

/// What `calendar load` takes.
#[derive(Debug, Args)]
pub struct CalendarArgs {
    /// A heading, budget_gbps,duration_us or budget_bytes_per_slot,slots, and a row for each entry
    file: PathBuf,
    /// The path
    #[arg(long)]
    path: u32,
    /// After the last entry comes the first
    #[arg(long)]
    repeat: bool,
    /// Slot of the first entry; one that is past is now
    #[arg(long, default_value_t = 0)]
    start_slot: u32,
    /// The slots of the file have 2^N cycles; without it those of this gateway
    #[arg(long, value_name = "N", requires = "clock_hz")]
    slot_log2_cycles: Option<u32>,
    /// of this clock
    #[arg(long, value_name = "HZ", requires = "slot_log2_cycles")]
    clock_hz: Option<u64>,
    /// Say what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// `calendar load`.
pub(super) fn calendar(common: &Common, args: &CalendarArgs) -> Result<()> {
    let text = std::fs::read_to_string(&args.file).map_err(|error| file("reading a calendar", &args.file, &error))?;
    let mut host = device::host(common)?;
    let core = host.core();
    let slot = Slot { log2_cycles: core.read(&pacer::SLOT_K)?, clock_hz: core.caps().clock_hz.into() };
    let theirs = match (args.slot_log2_cycles, args.clock_hz) {
        (Some(log2_cycles), Some(clock_hz)) => Slot { log2_cycles, clock_hz },
        _ => slot,
    };
    let line = core.read(&law::LINE)?;
    let found = entries(&read(&args.file.display().to_string(), &text, theirs)?, slot, line)?;
    let plan = host.plan_calendar(args.path, &found, args.repeat, args.start_slot)?;
    let done = if args.dry_run { None } else { Some(host.apply(&plan)?) };
    tell(common.json, &plan, done);
    Ok(())
}

#[derive(Serialize)]
struct Switched {
    enable: bool,
}

/// `enable` and `disable`.
pub(super) fn switch(common: &Common, on: bool) -> Result<()> {
    let mut host = device::host(common)?;
    let (_, arrival) = host.core().switches()?;
    host.switch(on, arrival)?;
    let enable = control::ENABLE.get(host.core().read(&control::CONTROL)?) == 1;
    let name = host.core().bus().name();
    print(common.json, &Switched { enable }, &format!("{name}: {}\n", if enable { "on" } else { "off" }));
    Ok(())
}
