//! One scenario on verilated gateways and on the packets without bytes of the network simulator, whose gateways have no
//! stages and whose ports have no beats. A slot's end cuts a frame on the gates and none there, so what two such loops grant
//! differs by a part of a frame.

use matchrdma_sim::closed_loop::Outcome;
use matchrdma_sim::net::host::SenderCfg;
use matchrdma_sim::net::load::Load;
use matchrdma_sim::net::packet::Packet;
use matchrdma_sim::net::point::{Point, Source, US};
use matchrdma_sim::net::scheme;
use matchrdma_sim::scenario::Scenario;
use matchrdma_sim::setup;
use matchrdma_spec::params::slot_ps;
use matchrdma_spec::regs::law::{factors, WIRE_FRACTION_BITS};
use matchrdma_spec::wire::budget::Budget;

/// The scenario, one source of one group of senders, for the network simulator.
pub fn point(s: &Scenario) -> Point {
    let bps = (s.line.rate_gbps * 1e9) as u64;
    let us = |us: f64| (us * US as f64) as u64;
    let sender = &s.senders[0];
    Point {
        scheme: scheme::Scheme::Matchrdma,
        seed: 1,
        line_bps: bps,
        client_bps: bps,
        client_delay: us(s.client.one_way_delay_us),
        slot: Point::slot_of(s.slot_log2_cycles),
        leak: None,
        sources: vec![Source { weight: 1, delay: us(s.line.one_way_delay_us), queue_pairs: sender.queue_pairs }],
        sender: SenderCfg {
            window_bytes: sender.window_kib << 10,
            message_bytes: u64::from(sender.message_kib) << 10,
            mtu_bytes: sender.mtu_bytes,
            messages_in_flight: sender.messages_in_flight,
            ack_timeout: us(sender.ack_timeout_ms * 1e3),
            ack_every: 16,
        },
        dcqcn: false,
        load: Load::Full,
        budget_loss: 0.0,
        budget_late: 0,
        drain: s.destination.drain.parse().expect("a drain"),
        capacity: setup::destination(s).capacity,
        warm_round_trips: s.warm_up_round_trips,
        round_trips: s.round_trips,
    }
}

/// Bytes that a frame of the scenario counts.
pub fn frame(s: &Scenario) -> u32 {
    Packet::data(0, 0, s.senders[0].mtu_bytes, false).bytes
}

/// Slots with a budget that is compared at least.
const SLOTS: usize = 180;

/// What the gates did, beside what the network simulator does: budgets, from where each first falls, to a frame, goodput to 1 %,
/// the most that waited to a slot's worth.
pub fn beside(s: &Scenario, gates: &Outcome, told: &[(u64, Budget)]) {
    let (net, granted) = point(s).budgets();
    let (line, frame) = (net.slot_bytes, frame(s));
    // Bytes of a slot; on the wire they are of 2^20 ns.
    let per_slot = |rate: u64| {
        let (from_wire, _) = factors(slot_ps(s.slot_log2_cycles, s.clock_hz));
        ((u128::from(rate) * u128::from(from_wire)) >> WIRE_FRACTION_BITS) as u64
    };
    let told: Vec<u64> = told.iter().map(|(_, budget)| per_slot(budget.rate)).collect();
    let falls = |all: &[u64]| {
        let full = all.iter().position(|b| *b == line).expect("it begins at the line's rate");
        full + all[full..].iter().position(|b| *b < line - u64::from(frame)).expect("it falls")
    };
    let apart: Vec<u64> =
        told[falls(&told)..].iter().zip(&granted[falls(&granted)..]).map(|(a, b)| a.abs_diff(*b)).collect();
    let most = apart.iter().max().expect("it is compared");
    let mean = apart.iter().sum::<u64>() / apart.len() as u64;
    let goodput = gates.counted_bytes as f64 * 8.0 * s.clock_hz as f64 / gates.counted.1 as f64;
    let peak = gates.slots.iter().map(|slot| slot.iter().map(|class| class.far_bytes).sum::<u64>()).max();
    let (peak, there) = (peak.expect("it ran"), net.occupancy_bytes.peak);
    println!(
        "{} slots, budgets {most} bytes apart at most and {mean} on average, of {line}; goodput {goodput:.4e} and {:.4e}; peak \
         {peak} and {there}",
        apart.len(),
        net.goodput_bps
    );
    assert!(apart.len() >= SLOTS && *most <= frame.into());
    assert!((goodput / net.goodput_bps - 1.0).abs() <= 0.01);
    assert!(peak.abs_diff(there) <= line);
}
