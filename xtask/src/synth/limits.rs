//! What the core may cost, and how deep it may be: held against every measurement of the core, and against the table that
//! docs/hardware.md keeps.

use super::netlist::Block;
use super::report::is_packet_memory;

/// Lookup tables, packet memory left out.
const LUT: u64 = 60_000;
/// Block RAMs of 36 Kib, the same.
const BRAM36: f64 = 450.0;
/// UltraRAMs for tables and state.
const URAM: u64 = 64;
/// Lookup tables on a way.
const LEVELS: u32 = 8;

/// Blocks that are deeper, and how deep each may be. docs/hardware.md has the reasons. The list may only grow shorter.
const DEEPER: &[(&str, u32)] = &[
    ("(between the blocks)", 14),
    ("budgets", 12),
    ("inbound.ack_filter", 9),
    ("inbound.arbiter", 13),
    ("inbound.drain", 12),
    ("inbound.egress", 13),
    ("outbound.departure", 15),
    ("outbound.memory", 13),
    ("outbound.track", 11),
    ("outbound.waits", 10),
    ("pseudo_ack", 12),
    ("reg_file", 18),
    ("watch", 15),
];

/// What breaks a limit, of the core's blocks by name.
pub fn faults<'a>(blocks: impl Iterator<Item = (&'a str, &'a Block)> + Clone) -> Vec<String> {
    let (mut lut, mut bram, mut uram) = (0, 0.0, 0);
    for (_, b) in blocks.clone().filter(|(name, _)| !is_packet_memory(name)) {
        (lut, bram, uram) = (lut + b.lut, bram + b.bram36, uram + b.uram);
    }
    let mut faults = vec![];
    if lut >= LUT {
        faults.push(format!("{lut} LUT, fewer than {LUT} are allowed"));
    }
    if bram >= BRAM36 {
        faults.push(format!("{bram} BRAM36, fewer than {BRAM36} are allowed"));
    }
    if uram > URAM {
        faults.push(format!("{uram} URAM for tables and state, {URAM} are allowed"));
    }
    for (name, block) in blocks.clone() {
        let name = if name.is_empty() { "(between the blocks)" } else { name };
        let allowed = DEEPER.iter().find(|d| d.0 == name).map_or(LEVELS, |d| d.1);
        if block.levels > allowed {
            faults.push(format!("{name} is {} levels deep, {allowed} are allowed", block.levels));
        }
    }
    for (name, levels) in DEEPER {
        let found = blocks.clone().find(|(b, _)| b == name || (b.is_empty() && name.starts_with('(')));
        if found.is_none_or(|(_, b)| b.levels < *levels) {
            faults.push(format!("{name} is not {levels} levels deep any longer: say so in the list of exceptions"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{read, root};

    /// The table of docs/hardware.md.
    fn table() -> Vec<(String, Block)> {
        let text = read(&root().join("docs/hardware.md")).unwrap();
        let rows = text.lines().skip_while(|l| !l.starts_with("| block |")).skip(2).take_while(|l| l.starts_with('|'));
        let row = |line: &str| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let number = |i: usize| cells[i].parse::<f64>().unwrap_or_else(|_| panic!("{line}"));
            let whole = |i: usize| number(i) as u64;
            let block = Block {
                lut: whole(1),
                lut_ram: whole(2),
                ff: whole(3),
                bram36: number(4),
                uram: whole(5),
                dsp: whole(6),
                levels: whole(7) as u32,
                deepest: String::new(),
            };
            (cells[0].to_string(), block)
        };
        rows.map(row).collect()
    }

    fn named(blocks: &[(String, Block)]) -> impl Iterator<Item = (&str, &Block)> + Clone {
        blocks.iter().map(|(name, b)| (name.as_str(), b))
    }

    #[test]
    fn the_table_of_the_docs_adds_up_and_keeps_the_limits() {
        let mut rows = table();
        let (rest, all) = (rows.pop().unwrap(), rows.pop().unwrap());
        assert_eq!((all.0.as_str(), rest.0.as_str()), ("**all**", "**all but packet memory**"));
        for (sum, packet_memory) in [(all.1, true), (rest.1, false)] {
            let of = || rows.iter().filter(|(name, _)| packet_memory || !is_packet_memory(name)).map(|r| &r.1);
            assert_eq!(
                (sum.lut, sum.lut_ram, sum.ff),
                (of().map(|b| b.lut).sum(), of().map(|b| b.lut_ram).sum(), of().map(|b| b.ff).sum())
            );
            assert_eq!(
                (sum.bram36, sum.uram, sum.dsp),
                (of().map(|b| b.bram36).sum(), of().map(|b| b.uram).sum(), of().map(|b| b.dsp).sum())
            );
            assert_eq!(Some(sum.levels), of().map(|b| b.levels).max());
        }
        assert_eq!(faults(named(&rows)), Vec::<String>::new());
    }

    #[test]
    fn more_than_is_allowed_is_a_fault_and_so_is_an_exception_that_nothing_needs() {
        let rows: Vec<_> = table().into_iter().filter(|r| !r.0.starts_with("**")).collect();
        let with = |name: &str, change: &dyn Fn(&mut Block)| {
            let mut rows = rows.clone();
            change(&mut rows.iter_mut().find(|r| r.0 == name).unwrap().1);
            faults(named(&rows)).join(" · ")
        };
        assert_eq!(with("pfc", &|_| {}), "");
        for (name, change, says) in [
            ("pfc", (|b| b.lut += LUT) as fn(&mut Block), "LUT, fewer than 60000"),
            ("pfc", |b| b.bram36 += BRAM36, "BRAM36, fewer than 450"),
            ("pfc", |b| b.uram += URAM, "URAM for tables and state, 64"),
            ("pfc", |b| b.levels = 9, "pfc is 9 levels deep, 8 are allowed"),
            ("watch", |b| b.levels += 1, "levels deep, 15 are allowed"),
            ("watch", |b| b.levels -= 1, "watch is not 15 levels deep any longer"),
        ] {
            assert!(with(name, &change).contains(says), "{name}: {says}: {}", with(name, &change));
        }
        // packet memory is a choice
        assert_eq!(with("outbound.memory", &|b| b.uram += URAM), "");
    }
}
