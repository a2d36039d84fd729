//! `egress` on external memory at the rate of the line, with each kind of memory.

use crate::external_memory::{self, Load, Outcome, UNPACED};
use matchrdma_rtl::axi4::Settings;
use serde::Serialize;
use std::collections::BTreeMap;

/// Cycles with frames coming in.
pub const CYCLES: u64 = 1_000_000;

/// 100 Gb/s in and out at once, frames of 64 to 9000 bytes, against the model.
#[derive(Serialize)]
pub struct External {
    /// That were to be kept and did not leave.
    pub frames_lost: u64,
    /// Beats that the port moved in a cycle, over the two that it could.
    pub efficiency: f64,
    /// The same with a beat in every cycle at both ends, or as much as finds room: what the port can do.
    pub efficiency_unpaced: f64,
    /// Bytes moved over what the memory could have moved.
    pub memory_used: f64,
    /// Beats in a cycle: written, read.
    pub beats_per_cycle: [f64; 2],
    /// Cycles from an address to the response, to the last beat: mean and most.
    pub latency_cycles: [(f64, u64); 2],
    /// Of both classes.
    pub frames: u64,
    /// Most bytes of one path that waited.
    pub peak_bytes: u64,
}

impl External {
    fn new(o: &Outcome, unpaced: &Outcome) -> Self {
        let s = &o.statistics;
        External {
            frames_lost: o.frames_lost(),
            efficiency: s.efficiency(),
            efficiency_unpaced: unpaced.statistics.efficiency(),
            memory_used: s.used(),
            beats_per_cycle: [0, 1].map(|d| s.per_cycle(d)),
            latency_cycles: [0, 1].map(|d| (s.latency[d].mean(), s.latency[d].max)),
            frames: o.frames_out.iter().sum(),
            peak_bytes: o.peak_bytes,
        }
    }
}

/// By the name of the memory.
pub fn measure() -> Result<BTreeMap<String, External>, String> {
    let of = |(name, memory): (&str, Settings)| {
        let run = |load| external_memory::run(&load).map_err(|why| format!("external memory, {name}: {why}"));
        let paced = Load::line_rate(memory, CYCLES, 1);
        let unpaced = Load { rates: [UNPACED; 2], cycles: CYCLES / 10, ..paced };
        Ok((name.into(), External::new(&run(paced)?, &run(unpaced)?)))
    };
    [("hbm", Settings::hbm()), ("ddr4", Settings::ddr4())].into_iter().map(of).collect()
}

/// For people.
pub fn text(memories: &BTreeMap<String, External>) -> String {
    let line = |(name, m): (&String, &External)| {
        format!(
            "  {name}: {} frames, lost {}; efficiency {:.3}, at most {:.3} ({:.3} and {:.3} beats per cycle written and read, {:.3} of the \
             memory); latency {:.0} and {:.0} cycles, at most {} and {}\n",
            m.frames,
            m.frames_lost,
            m.efficiency,
            m.efficiency_unpaced,
            m.beats_per_cycle[0],
            m.beats_per_cycle[1],
            m.memory_used,
            m.latency_cycles[0].0,
            m.latency_cycles[1].0,
            m.latency_cycles[0].1,
            m.latency_cycles[1].1
        )
    };
    let lines: String = memories.iter().map(line).collect();
    format!("external memory, 100 Gb/s in and out at once, {CYCLES} cycles:\n{lines}")
}
