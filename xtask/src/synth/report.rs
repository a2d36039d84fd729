//! The figures of one top, as people and machines read them.

use super::limits;
use super::netlist::{Block, Measured};
use serde_json::{json, Value};

/// The family that is mapped to.
pub const PART: &str = "xcup (UltraScale+), no part in particular";
/// Ways deeper than this are named.
pub const DEEP: u32 = 10;

/// One top.
#[derive(Debug)]
pub struct Report {
    top: String,
    /// Largest first; what is in no block under the empty name.
    blocks: Vec<(String, Block)>,
    /// What must not be there.
    pub faults: Vec<String>,
    seconds: f64,
}

impl Report {
    /// Of a measured netlist, and the written memories that no RAM took.
    pub fn new(top: &str, measured: Measured, left: Vec<String>, seconds: f64) -> Self {
        let mut faults = measured.faults;
        faults.extend(left.into_iter().map(|m| format!("a memory that fell into registers: {m}")));
        let mut blocks: Vec<_> = measured.blocks.into_iter().filter(|(_, b)| *b != Block::default()).collect();
        blocks.sort_by(|a, b| b.1.lut.cmp(&a.1.lut).then(a.0.cmp(&b.0)));
        if top == super::CORE {
            faults.extend(limits::faults(blocks.iter().map(|(name, b)| (name.as_str(), b))));
        }
        Self { top: top.into(), blocks, faults, seconds }
    }

    fn sum(&self, of: impl Fn(&str) -> bool) -> Block {
        let mut sum = Block::default();
        for (_, b) in self.blocks.iter().filter(|(name, _)| of(name)) {
            sum.lut += b.lut;
            sum.lut_ram += b.lut_ram;
            sum.ff += b.ff;
            sum.bram36 += b.bram36;
            sum.uram += b.uram;
            sum.dsp += b.dsp;
            sum.levels = sum.levels.max(b.levels);
        }
        sum
    }

    /// The table, with what is deep and what is wrong below it.
    pub fn table(&self) -> String {
        let mut t = format!("{}: {PART}, {:.0} s\n\n", self.top, self.seconds);
        t += "| block | LUT | of it RAM | FF | BRAM36 | URAM | DSP | levels |\n";
        t += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
        for (name, b) in &self.blocks {
            t += &row(self.title(name), b);
        }
        t += &row("**all**", &self.sum(|_| true));
        let memory = self.sum(is_packet_memory);
        if memory != Block::default() {
            t += &row("**all but packet memory**", &self.sum(|b| !is_packet_memory(b)));
        }
        for (name, b) in self.deep() {
            t += &format!("\ndeep: {}: {} levels, {}", self.title(name), b.levels, b.deepest);
        }
        for fault in &self.faults {
            t += &format!("\nfault: {fault}");
        }
        t
    }

    /// What is in no block has no name.
    fn title<'a>(&'a self, block: &'a str) -> &'a str {
        match (block, self.blocks.len()) {
            ("", 1) => &self.top,
            ("", _) => "(between the blocks)",
            _ => block,
        }
    }

    fn deep(&self) -> impl Iterator<Item = &(String, Block)> {
        self.blocks.iter().filter(|(_, b)| b.levels > DEEP)
    }

    /// For `--json`.
    pub fn json(&self) -> Value {
        let all = self.sum(|_| true);
        let blocks = self.blocks.iter().map(|(name, b)| {
            let mut v = figures(b);
            v["block"] = json!(name);
            v["deepest"] = json!(b.deepest);
            v
        });
        let mut v = figures(&all);
        v["top"] = json!(self.top);
        v["part"] = json!(PART);
        // no open tool times the part; a relative figure from another family is not measured yet
        v["ecp5_mhz"] = Value::Null;
        v["packet_memory"] = figures(&self.sum(is_packet_memory));
        v["deeper_than_10_levels"] = self.deep().map(|(name, _)| json!(name)).collect();
        v["per_block"] = blocks.collect();
        v
    }
}

/// Where frames wait; the pages and lists that lead to them included.
pub fn is_packet_memory(block: &str) -> bool {
    matches!(block.rsplit_once('.').map_or(block, |b| b.1), "memory" | "packet_memory" | "path_memory" | "egress")
}

fn row(name: &str, b: &Block) -> String {
    let half = if b.bram36.fract() == 0.0 { 0 } else { 1 };
    format!(
        "| {name} | {} | {} | {} | {:.half$} | {} | {} | {} |\n",
        b.lut, b.lut_ram, b.ff, b.bram36, b.uram, b.dsp, b.levels
    )
}

fn figures(b: &Block) -> Value {
    json!({ "lut": b.lut, "lut_ram": b.lut_ram, "ff": b.ff, "bram36": b.bram36, "uram": b.uram, "dsp": b.dsp, "levels": b.levels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn measured() -> Measured {
        let block = |lut, levels| Block { lut, levels, bram36: 0.5, deepest: "x to y".into(), ..Block::default() };
        let blocks = [("out.track", block(10, 11)), ("out.memory", block(20, 3)), ("", Block::default())];
        Measured { blocks: BTreeMap::from(blocks.map(|(n, b)| (n.to_string(), b))), faults: vec![] }
    }

    #[test]
    fn the_largest_block_is_first_and_a_deep_one_is_named() {
        let report = Report::new("t", measured(), vec![], 1.0);
        let table = report.table();
        assert!(table.find("out.memory").unwrap() < table.find("out.track").unwrap());
        assert!(table.contains("| **all** | 30 | 0 | 0 | 1 | 0 | 0 | 11 |"), "{table}");
        assert!(table.contains("| **all but packet memory** | 10 | 0 | 0 | 0.5 |"), "{table}");
        assert!(table.contains("deep: out.track: 11 levels, x to y") && !table.contains("deep: out.memory"));
        let json = report.json();
        assert_eq!((json["lut"].as_u64(), json["packet_memory"]["lut"].as_u64()), (Some(30), Some(20)));
        assert_eq!(json["deeper_than_10_levels"], json!(["out.track"]));
    }

    #[test]
    fn a_memory_in_registers_is_a_fault() {
        let report = Report::new("t", measured(), vec!["t/x.mem".into()], 1.0);
        assert_eq!(report.faults, ["a memory that fell into registers: t/x.mem"]);
        assert!(report.table().contains("fault: a memory"));
    }
}
