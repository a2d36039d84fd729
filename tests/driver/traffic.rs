//! An apply while frames pass: all of it takes effect in one slot, and no frame is lost or changed.

use super::tap::Tap;
use super::visit::{apply_text, wanted};
use super::{configs, model};
use crate::harness::Random;
use matchrdma::apply::record::InMemory;
use matchrdma::core::Core;
use matchrdma_sim::beside::{Beside, DESTINATION};
use matchrdma_sim::engine::Gateway;
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_sim::watching::Watching;
use matchrdma_spec::params::PATHS;
use std::net::Ipv4Addr;

const ROUNDS: u32 = 6;

/// Every path at a rate that no other apply has, over what the ports carry, so that no frame waits.
fn config(random: &mut Random, round: u32) -> String {
    let settings = "[gateway]\nenable = true\nslot_log2_cycles = 10\nport_gbps = 4000\n";
    // Its flows only: the paths are ours.
    let other = configs::random(random, 40, settings);
    let flows = other.find("[[flow]]").map_or("", |at| &other[at..]);
    let mut text = String::from(settings);
    for path in 0..PATHS {
        let (rate, burst) = (2000 + round, (1 << 20) + round);
        text += &format!("[[path]]\nindex = {path}\nmode = \"fixed\"\nrate_gbps = {rate}\nburst_bytes = {burst}\n");
    }
    let [a, b, c, _] = Ipv4Addr::from(DESTINATION).octets();
    text += &format!("[[route]]\nprefix = \"{a}.{b}.{c}.0/24\"\npath = {}\n", round as usize % PATHS);
    text + flows
}

fn an_apply_under_load<G: Gateway>(gateway: G) -> G {
    let mut random = Random::new();
    let mut tap = Tap::new(Beside::new(gateway, random.u64()));
    let store = InMemory::default();
    for round in 1..=ROUNDS {
        let text = config(&mut random, round);
        let caps = *Core::find(&mut tap.inner).unwrap().caps();
        let want = wanted(&text, &caps).unwrap_or_else(|error| panic!("{error}"));
        tap.inner.expect(want.paths[..].try_into().unwrap());
        let done = apply_text(&mut tap, store.clone(), &text, false).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(done.generation, round);
        while !tap.inner.look().unwrap() {}
        let runs = tap.runs();
        assert!(runs.torn.is_empty() && runs.paths == want.paths, "{:?}", runs.torn);
        let flows = want.flows.iter().map(|f| (f.key_out, f.key_in, f.ack_ops_write, f.mtu));
        assert_eq!(runs.flows, flows.collect());
    }
    let (seen, gateway) = tap.inner.finish();
    println!("{seen:?}");
    assert!(seen.slots_read > ROUNDS && seen.first_slots == ROUNDS, "{seen:?}");
    assert_eq!((seen.mixtures, seen.frames_lost, seen.frames_wrong), (0, [0; 2], [0; 2]), "{seen:?}");
    assert!(seen.frames.iter().all(|frames| *frames > 1000), "{seen:?}");
    gateway
}

#[test]
fn an_apply_on_the_model_under_load_is_whole_and_loses_nothing() {
    an_apply_under_load(model().0);
}

#[test]
fn an_apply_on_gates_under_load_is_whole_and_loses_nothing() {
    an_apply_under_load(Watching::strict(RtlGateway::new())).finish().unwrap();
}
