//! Small netlists with what must be counted, and what must be refused.

use super::*;
use serde_json::json;

fn cell(kind: &str, pins: &[(&str, &str, Value)]) -> Value {
    let directions: serde_json::Map<_, _> = pins.iter().map(|(p, d, _)| (p.to_string(), json!(d))).collect();
    let nets: serde_json::Map<_, _> = pins.iter().map(|(p, _, n)| (p.to_string(), n.clone())).collect();
    json!({ "type": kind, "port_directions": directions, "connections": nets })
}

fn lut(inputs: &[u64], out: u64) -> Value {
    let names = ["I0", "I1", "I2", "I3", "I4", "I5"];
    let mut pins: Vec<_> = names.iter().zip(inputs).map(|(p, n)| (*p, "input", json!([n]))).collect();
    pins.push(("O", "output", json!([out])));
    cell(&format!("LUT{}", inputs.len()), &pins)
}

fn ff(d: u64, q: u64) -> Value {
    cell("FDRE", &[("D", "input", json!([d])), ("Q", "output", json!([q])), ("CE", "input", json!(["1"]))])
}

fn module(cells: &[(&str, Value)], nets: &[(&str, u64)]) -> Value {
    let cells: serde_json::Map<_, _> = cells.iter().map(|(n, c)| (n.to_string(), c.clone())).collect();
    let nets = nets.iter().map(|(n, b)| (n.to_string(), json!({ "hide_name": 0, "bits": [b] })));
    let nets: serde_json::Map<_, _> = nets.collect();
    let ports = json!({ "o": { "direction": "output", "bits": [9] } });
    json!({ "modules": { "t": { "cells": cells, "netnames": nets, "ports": ports } } })
}

fn blocks() -> Vec<String> {
    vec!["a".into(), "a.b".into()]
}

#[test]
fn cells_are_counted_where_they_are() {
    let ram = cell("RAM64M8", &[("ADDRA", "input", json!([1])), ("DOA", "output", json!([30]))]);
    let half = cell("RAMB18E2", &[]);
    let all = module(
        &[
            ("$flatten\\a.$abc$1", lut(&[1, 2], 3)),
            ("a.b.x", ff(3, 4)),
            ("a.b.ram", ram),
            ("ab.half", half.clone()),
            ("half", half),
        ],
        &[],
    );
    let m = measure(&all, "t", &blocks()).unwrap();
    assert!(m.faults.is_empty(), "{m:?}");
    assert_eq!((m.blocks["a"].lut, m.blocks["a"].ff), (1, 0));
    assert_eq!((m.blocks["a.b"].lut, m.blocks["a.b"].lut_ram, m.blocks["a.b"].ff), (8, 8, 1));
    assert_eq!(m.blocks[""].bram36, 1.0, "`ab` is not in `a`");
}

#[test]
fn a_way_is_as_deep_as_its_tables_and_its_chains() {
    let carry = |ci: Value, s: Value, o: Value, co: Value| {
        cell("CARRY4", &[("CI", "input", ci), ("S", "input", s), ("O", "output", o), ("CO", "output", co)])
    };
    let all = module(
        &[
            ("a.q", ff(90, 1)),
            ("a.l", lut(&[1], 2)),
            // two links of a chain, entered at its bit 1 through a table; one level together
            ("a.c0", carry(json!(["0"]), json!(["0", 2, "0", "0"]), json!([10, 11, 12, 13]), json!([14, 15, 16, 17]))),
            ("a.c1", carry(json!([17]), json!(["0", "0", "0", "0"]), json!([20, 21, 22, 23]), json!([]))),
            ("a.b.end", ff(23, 40)),
            ("a.before", ff(10, 41)),
            ("m", cell("MUXF7", &[("I0", "input", json!([23])), ("O", "output", json!([8]))])),
            ("o", lut(&[8], 9)),
        ],
        &[("a.start", 1), ("a.b.stop", 40), ("$hidden", 1)],
    );
    let m = measure(&all, "t", &blocks()).unwrap();
    assert!(m.faults.is_empty(), "{m:?}");
    assert_eq!(m.blocks["a.b"].levels, 2);
    assert_eq!(m.blocks["a.b"].deepest, "a.start to D of a.b.stop");
    assert_eq!(m.blocks["a"].levels, 0, "bit 0 does not wait for bit 1");
    assert_eq!((m.blocks[""].levels, m.blocks[""].deepest.as_str()), (3, "a.start to output o"));
}

#[test]
fn a_register_and_a_written_memory_end_a_way() {
    let ram = cell(
        "RAM32M16",
        &[
            ("ADDRA", "input", json!([2])),
            ("ADDRH", "input", json!([3])),
            ("DIA", "input", json!([4])),
            ("DOA", "output", json!([5])),
        ],
    );
    let all = module(
        &[("l2", lut(&[1], 2)), ("l3", lut(&[2], 3)), ("l4", lut(&[3], 4)), ("ram", ram), ("o", lut(&[5], 9))],
        &[],
    );
    let m = measure(&all, "t", &[]).unwrap();
    // address 1, read 2, table 3 to the output; into the memory's data: 3
    assert_eq!(m.blocks[""].levels, 3);
    assert!(m.faults.is_empty());
}

#[test]
fn a_planted_latch_loop_or_unknown_cell_is_a_fault() {
    let latch = cell("LDCE", &[("D", "input", json!([1])), ("Q", "output", json!([2]))]);
    let m = measure(&module(&[("a.x", latch)], &[]), "t", &blocks()).unwrap();
    assert_eq!(m.faults, ["a latch: LDCE a.x"]);
    let m = measure(&module(&[("a.x", cell("$_DLATCH_P_", &[]))], &[]), "t", &blocks()).unwrap();
    assert_eq!(m.faults, ["a latch: $_DLATCH_P_ a.x"]);
    let m = measure(&module(&[("y", cell("$mul", &[]))], &[]), "t", &blocks()).unwrap();
    assert_eq!(m.faults, ["a cell of no known kind: $mul y"]);
    let m = measure(&module(&[("p", lut(&[1, 3], 2)), ("q", lut(&[2], 3))], &[]), "t", &blocks()).unwrap();
    assert_eq!(m.faults, ["a combinational loop through p"]);
}
