//! A mapped netlist, flat, as the synthesiser writes it: what it is made of, and how deep its logic is, block by block.
//!
//! A level is a lookup table, or a carry chain however long, on a way from a register, memory or input to the next one.
//! The multiplexers of a slice (MUXF7 and on) and inverters, which a register or a table takes in, are none.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What a block is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// Lookup tables, those used as memory included. A pair that would share one counts as two.
    pub lut: u64,
    /// Of these, memory and shift registers.
    pub lut_ram: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs of 36 Kib; a half one counts a half.
    pub bram36: f64,
    /// UltraRAMs.
    pub uram: u64,
    /// Multipliers.
    pub dsp: u64,
    /// The deepest way that ends in the block.
    pub levels: u32,
    /// Where that way begins and ends.
    pub deepest: String,
}

/// A netlist, measured.
#[derive(Debug, Default, PartialEq)]
pub struct Measured {
    /// By instance path; what is in no block under the empty name.
    pub blocks: BTreeMap<String, Block>,
    /// What must not be there: latches, loops, cells that nobody knows.
    pub faults: Vec<String>,
}

/// Measures the module `top`.
pub fn measure(netlist: &Value, top: &str, blocks: &[String]) -> Result<Measured, String> {
    let module = netlist["modules"].get(top).ok_or_else(|| format!("the netlist has no module `{top}`"))?;
    let cells = module["cells"].as_object().ok_or("the netlist has no cells")?;
    let mut measured = Measured::default();
    blocks.iter().map(String::as_str).chain([""]).for_each(|b| {
        measured.blocks.insert(b.into(), Block::default());
    });
    let cells: Vec<Cell> = cells.iter().map(|(name, cell)| Cell::new(name, cell, blocks)).collect();
    for cell in &cells {
        let block = measured.blocks.entry(cell.block.to_string()).or_default();
        if !count(block, cell.kind) {
            let what = if is_latch(cell.kind) { "a latch" } else { "a cell of no known kind" };
            measured.faults.push(format!("{what}: {} {}", cell.kind, cell.name));
        }
    }
    Depth::new(module, &cells, &mut measured).walk();
    measured.faults.sort();
    Ok(measured)
}

/// A port and the number of a bit of it.
type Pin<'a> = (&'a str, usize);

/// Name, whether it is an output, and the nets at those of its bits that are no constants.
type Port<'a> = (&'a str, bool, Vec<(usize, u64)>);

struct Cell<'a> {
    name: String,
    kind: &'a str,
    block: &'a str,
    ports: Vec<Port<'a>>,
}

impl<'a> Cell<'a> {
    fn new(name: &str, cell: &'a Value, blocks: &'a [String]) -> Self {
        let name = plain(name);
        let inside = |b: &&String| name.strip_prefix(b.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let block = blocks.iter().filter(inside).max_by_key(|b| b.len()).map_or("", |b| b.as_str());
        let is_output = |port: &str| cell["port_directions"][port] == "output";
        let ports = cell["connections"].as_object().into_iter().flatten();
        // constants are strings
        let bits = |v: &Value| {
            let nets = v.as_array().into_iter().flatten().map(Value::as_u64).enumerate();
            nets.filter_map(|(i, net)| Some((i, net?))).collect()
        };
        let ports = ports.map(|(port, v)| (port.as_str(), is_output(port), bits(v))).collect();
        Cell { name, kind: cell["type"].as_str().unwrap_or(""), block, ports }
    }

    /// Port and its bit, and the net there.
    fn pins(&self, output: bool) -> impl Iterator<Item = (Pin<'a>, u64)> + '_ {
        self.ports.iter().filter(move |p| p.1 == output).flat_map(|p| p.2.iter().map(|(i, net)| ((p.0, *i), *net)))
    }

    /// Whether some output follows this input without the clock.
    fn passes(&self, input: Pin) -> bool {
        self.pins(true).any(|(output, _)| through(self.kind, input, output).is_some())
    }

    /// Nets that follow some input without the clock.
    fn moving(&self) -> impl Iterator<Item = u64> + '_ {
        let moves = |output: Pin| self.pins(false).any(|(input, _)| through(self.kind, input, output).is_some());
        self.pins(true).filter(move |(output, _)| moves(*output)).map(|(_, net)| net)
    }
}

/// `$flatten\outbound.\track.$abc$1` is `outbound.track.$abc$1`.
fn plain(name: &str) -> String {
    name.replace("$flatten", "").replace('\\', "")
}

fn is_latch(kind: &str) -> bool {
    matches!(kind, "LDCE" | "LDPE" | "LDCPE") || kind.to_ascii_lowercase().contains("latch")
}

/// Adds a cell; false for one that must not be there.
fn count(block: &mut Block, kind: &str) -> bool {
    let as_memory = match kind {
        "SRL16E" | "SRLC16E" | "SRLC32E" | "RAM32X1S" | "RAM64X1S" => 1,
        "RAM32X1D" | "RAM64X1D" | "RAM128X1S" => 2,
        "RAM32M" | "RAM64M" | "RAM128X1D" | "RAM256X1S" => 4,
        "RAM32M16" | "RAM64M8" | "RAM256X1D" | "RAM512X1S" => 8,
        _ => 0,
    };
    block.lut_ram += as_memory;
    block.lut += as_memory;
    match kind {
        "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" => block.lut += 1,
        "FDRE" | "FDSE" | "FDCE" | "FDPE" => block.ff += 1,
        "RAMB36E2" => block.bram36 += 1.0,
        "RAMB18E2" => block.bram36 += 0.5,
        "URAM288" => block.uram += 1,
        "DSP48E2" => block.dsp += 1,
        "CARRY4" | "CARRY8" | "MUXF7" | "MUXF8" | "MUXF9" | "INV" | "BUFG" | "$scopeinfo" => {}
        _ => return as_memory != 0,
    }
    true
}

/// Levels that `input` of a cell adds on its way to `output`; `None` when the clock stands between them.
fn through(kind: &str, input: Pin, output: Pin) -> Option<u32> {
    let last = |port: &str| port.chars().last();
    match kind {
        _ if kind.starts_with("LUT") => Some(1),
        "MUXF7" | "MUXF8" | "MUXF9" | "INV" | "BUFG" => Some(0),
        // along a chain nothing is added: it was, where the chain was entered
        "CARRY4" | "CARRY8" => match input.0 {
            "CI" => Some(0),
            "DI" if input.1 == output.1 && output.0 == "O" => None,
            "S" | "DI" => (input.1 <= output.1).then_some(1),
            _ => Some(1),
        },
        // asynchronous read
        "SRL16E" | "SRLC16E" | "SRLC32E" => (output.0 == "Q" && input.0.starts_with('A')).then_some(1),
        "RAM32M" | "RAM64M" | "RAM32M16" | "RAM64M8" => {
            (input.0.starts_with("ADDR") && last(input.0) == last(output.0)).then_some(1)
        }
        _ if kind.starts_with("RAM") && kind.contains('X') => {
            let read = if output.0 == "DPO" { "DPRA" } else { "A" };
            input.0.starts_with(read).then_some(1)
        }
        _ => None,
    }
}

/// The longest ways, by a walk in topological order over (cell, output) pairs that some input reaches at once.
struct Depth<'a, 'm> {
    cells: &'a [Cell<'a>],
    names: BTreeMap<u64, String>,
    outputs: Vec<(String, u64)>,
    measured: &'m mut Measured,
}

/// How deep a net is, and the net where the deepest way to it began.
type Arrival = (u32, u64);

impl<'a, 'm> Depth<'a, 'm> {
    fn new(module: &Value, cells: &'a [Cell<'a>], measured: &'m mut Measured) -> Self {
        let mut names: BTreeMap<u64, String> = BTreeMap::new();
        for (name, net) in module["netnames"].as_object().into_iter().flatten() {
            if net["hide_name"] == 1 || name.contains('$') {
                continue;
            }
            for bit in net["bits"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
                let better = |old: &String| name.len() < old.len();
                if names.get(&bit).is_none_or(better) {
                    names.insert(bit, plain(name));
                }
            }
        }
        let mut outputs = vec![];
        for (name, port) in module["ports"].as_object().into_iter().flatten().filter(|p| p.1["direction"] == "output") {
            let bits = port["bits"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            outputs.extend(bits.map(|bit| (name.clone(), bit)));
        }
        Depth { cells, names, outputs, measured }
    }

    fn walk(self) {
        let mut reads: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut waits: Vec<usize> = vec![0; self.cells.len()];
        let moving: BTreeSet<u64> = self.cells.iter().flat_map(Cell::moving).collect();
        for (at, cell) in self.cells.iter().enumerate() {
            for (pin, net) in cell.pins(false) {
                if moving.contains(&net) && cell.passes(pin) {
                    reads.entry(net).or_default().push(at);
                    waits[at] += 1;
                }
            }
        }
        let mut arrival: BTreeMap<u64, Arrival> = BTreeMap::new();
        let mut ready: Vec<usize> = (0..self.cells.len()).filter(|at| waits[*at] == 0).collect();
        let mut walked = 0;
        while let Some(at) = ready.pop() {
            walked += 1;
            let cell = &self.cells[at];
            for (output, net) in cell.pins(true) {
                let ways = cell.pins(false).filter_map(|(input, from)| {
                    let added = through(cell.kind, input, output)?;
                    let (levels, begin) = arrival.get(&from).copied().unwrap_or((0, from));
                    Some((levels + added, begin))
                });
                if let Some(deepest) = ways.max() {
                    arrival.insert(net, deepest);
                }
                for reader in reads.get(&net).into_iter().flatten() {
                    waits[*reader] -= 1;
                    if waits[*reader] == 0 {
                        ready.push(*reader);
                    }
                }
            }
        }
        if walked < self.cells.len() {
            let looped = (0..self.cells.len()).find(|at| waits[*at] > 0).map(|at| self.cells[at].name.clone());
            self.measured.faults.push(format!("a combinational loop through {}", looped.unwrap_or_default()));
        }
        let name = |net: u64| self.names.get(&net).cloned().unwrap_or_else(|| format!("net {net}"));
        let mut end = |block: &str, net: u64, place: &dyn Fn() -> String| {
            let Some((levels, begin)) = arrival.get(&net) else { return };
            let block = self.measured.blocks.entry(block.to_string()).or_default();
            if *levels > block.levels {
                block.levels = *levels;
                block.deepest = format!("{} to {}", name(*begin), place());
            }
        };
        for cell in self.cells {
            for (pin, net) in cell.pins(false).filter(|(pin, _)| !cell.passes(*pin)) {
                let place = || match cell.pins(true).next() {
                    Some((_, q)) => format!("{} of {}", pin.0, name(q)),
                    None => format!("{} of {}", pin.0, cell.name),
                };
                end(cell.block, net, &place);
            }
        }
        for (port, net) in &self.outputs {
            end("", *net, &|| format!("output {port}"));
        }
    }
}

#[cfg(test)]
#[path = "netlist_tests.rs"]
mod tests;
