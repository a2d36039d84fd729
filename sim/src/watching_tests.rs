//! What is watched without anybody's doing: flows that come, go and begin anew, and a bus that two hosts use.

use super::*;
use crate::closed_loop::ends;
use crate::configure::{FlowSetting, Host, Tables};
use crate::engine::beats;
use crate::frame;
use crate::liar::Liar;
use crate::load;
use crate::model_gateway::ModelGateway;
use crate::run::keys;
use matchrdma::flow_table::{Place, RowWrite};
use matchrdma_spec::regs::id;
use matchrdma_spec::wire::aeth;

const FLOWS: u32 = 3;

/// The model; what it says at `lies_at` instead of what it would: that flow 1 has all up to `psn`.
fn gateway(lies_at: u64, psn: u32) -> Liar {
    let (near, far) = ends(1);
    let lie = beats(&frame::ack(far, near, psn, aeth::ACK, psn + 1)).collect();
    Liar { honest: ModelGateway::new(), lies_at, lie, drains_at: u64::MAX, asked: None }
}

fn install(g: &mut Watching<Liar>, flows: u32) {
    let (mut tables, mut host) = (Tables::new(), Host::new(g));
    for i in 0..flows {
        let (out, back) = keys(i);
        tables.install(&mut host, out, back, FlowSetting { serial: 1, ..Default::default() }).expect("it has room");
    }
    host.enable(false).expect("the gateway takes it");
}

fn idle(g: &mut Watching<Liar>) {
    for _ in 0..20 {
        g.tick(None, None, true, true);
    }
}

fn loaded(mut g: Watching<Liar>) -> (load::Acknowledged, Watching<Liar>) {
    install(&mut g, FLOWS);
    (load::active(&mut g, FLOWS, 64, 4000, 16), g)
}

#[test]
fn a_load_is_watched_whole_and_what_it_breaks_is_told_at_its_end() {
    let (r, mut g) = loaded(Watching::new(gateway(u64::MAX, 0)));
    assert_eq!((g.finish(), g.built_frames()), (Ok(()), r.acks));
    assert!(r.acks > 100, "{r:?}");
    for (psn, what) in [(0x40_0000, "flow 1: NotForwarded"), (0, "flow 1: Backwards")] {
        let (_, mut g) = loaded(Watching::new(gateway(4000, psn)));
        let found = g.finish().expect_err("a promise was broken");
        assert!(found.contains(what), "{found}");
        // The bus is the host's alone.
        g.begin(Access::Read(id::MAGIC.offset));
        g.tick(None, None, true, true);
        assert_eq!(g.answer(), Some(Ok(id::MAGIC_VALUE)));
    }
}

#[test]
#[should_panic(expected = "flow 1: NotForwarded")]
fn a_test_ends_where_a_promise_is_broken() {
    loaded(Watching::strict(gateway(4000, 0x40_0000)));
}

#[test]
fn nothing_is_built_for_no_flow() {
    let mut g = Watching::new(gateway(10, 5));
    let (near, far) = ends(1);
    let real = frame::ack(far, near, 5, aeth::ACK, 6);
    idle(&mut g);
    assert!(g.finish().expect_err("there is none").contains("built for no flow"));
    let mut g = Watching::new(gateway(u64::MAX, 5));
    (0..2).for_each(|_| assert_eq!(load::play(&mut g, &real, false).0, real));
    assert_eq!(g.finish(), Ok(()), "it came from the line");
}

/// A commit with another setting of flow 1.
fn set(g: &mut Watching<Liar>, serial: u8) {
    let mut host = Host::new(g);
    host.flow(1, FlowSetting { serial, ..Default::default() });
    host.commit().expect("the gateway takes it");
}

/// What is found when the gateway says once more what it said last.
fn says_again(mut g: Watching<Liar>) -> Result<(), String> {
    g.gateway.lies_at = g.cycles();
    idle(&mut g);
    assert!(g.gateway.lie.is_empty(), "it was said");
    g.finish()
}

fn at_rest(more: u32) -> Watching<Liar> {
    let (_, mut g) = loaded(Watching::new(gateway(u64::MAX, 0)));
    let state = Host::new(&mut g).flow_state(1).expect("it can be read");
    let (near, far) = ends(1);
    let (psn, msn) = (state.acknowledged_psn, state.msn);
    g.gateway.lie = beats(&frame::ack(far, near, psn, aeth::ACK, msn + more)).collect();
    g
}

#[test]
fn a_flow_that_the_host_starts_afresh_is_not_answered_from_the_old() {
    assert_eq!(says_again(at_rest(0)), Ok(()));
    assert!(says_again(at_rest(1)).expect_err("a message more").contains("flow 1: MessageCount"));
    let mut g = at_rest(0);
    set(&mut g, 2);
    assert!(says_again(g).expect_err("of the queue pairs before").contains("nothing was ever forwarded"));
    let mut g = at_rest(0);
    set(&mut g, 1);
    assert_eq!(says_again(g), Ok(()), "it goes on");
}

#[test]
fn a_flow_that_was_taken_out_is_none_until_it_is_started_afresh() {
    let mut g = at_rest(0);
    let (place, row) = g.told.rows.iter().find(|(_, row)| row.key == keys(1).1).map(|(p, r)| (*p, *r)).expect("a row");
    let at = Place { bank: (place.1 >> 16) as usize, row: (place.1 & 0xffff) as usize };
    let put = |g: &mut Watching<Liar>, content| {
        Host::new(g).row(place.0, &RowWrite { place: at, content }).expect("a row is written");
        g.tick(None, None, true, true);
    };
    put(&mut g, FlowRow::default());
    assert!(!g.seen.contains_key(&1) && g.seen.contains_key(&2));
    put(&mut g, row);
    assert!(!g.seen.contains_key(&1), "nobody knows what passed meanwhile");
    set(&mut g, 7);
    g.tick(None, None, true, true);
    assert!(g.seen.contains_key(&1));
}

#[test]
fn the_host_and_the_witness_use_the_bus_in_turn() {
    let (_, mut g) = loaded(Watching::new(gateway(u64::MAX, 0)));
    for _ in 0..200 {
        g.begin(Access::Read(id::MAGIC.offset));
        let answer = (0..10).find_map(|_| {
            g.tick(None, None, true, true);
            g.answer()
        });
        assert_eq!(answer, Some(Ok(id::MAGIC_VALUE)));
        // Another flow than the one that the witness is reading.
        assert_eq!(Host::new(&mut g).flow_state(2).expect("it can be read").state, "Active");
        g.tick(None, None, true, true);
    }
    assert_eq!(g.finish(), Ok(()));
}
