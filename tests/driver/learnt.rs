//! Flows that were learnt live beside those of a configuration, in the same tables and the same record.

use super::bad_input::caps;
use super::model;
use super::tap::{Fuse, Fused, Tap};
use super::visit::{apply_text, running, wanted};
use crate::harness::Random;
use matchrdma::apply::host::Host;
use matchrdma::apply::record::{InMemory, Store};
use matchrdma::apply::wanted::Flow;
use matchrdma::core::Core;
use matchrdma::learn::Source;
use matchrdma::transport::Transport;
use matchrdma::{Kind, Result};
use matchrdma_spec::hash::FlowKey;
use std::collections::{BTreeMap, BTreeSet, HashSet};

const KILLS: usize = 150;
/// Two paths; what is behind neither is near.
const ROUTES: &str = "[gateway]\nenable = true\nslot_log2_cycles = 10\n[[route]]\nprefix = \"10.9.0.0/16\"\npath = 0\n[[route]]\nprefix = \"10.8.0.0/16\"\npath = 1\n";

type Keys = (FlowKey, FlowKey);

/// The n-th flow that can be learnt; every third one is behind the second route.
fn nth(n: u32) -> Flow {
    let (near, far) = (0x0a01_0001 + u128::from(n % 50), if n.is_multiple_of(3) { 0x0a08_0001 } else { 0x0a09_0001 });
    let key = |src, dst, qpn| FlowKey { src, dst, qpn, ..FlowKey::default() };
    let (key_out, key_in) = (key(near, far, 1000 + n), key(far, near, 2000 + n));
    Flow { key_out, key_in, ack_ops_write: false, mtu: 0, place: format!("flow {n} of the test") }
}

/// The same as a configuration has it.
fn text(n: u32) -> String {
    let (near, far) = (1 + n % 50, if n.is_multiple_of(3) { 8 } else { 9 });
    let (out, back) = (1000 + n, 2000 + n);
    format!("[[flow]]\nrequester = \"10.1.0.{near}\"\nrequester_qpn = {back}\nresponder = \"10.{far}.0.1\"\nresponder_qpn = {out}\n")
}

fn keys(flow: &Flow) -> Keys {
    (flow.key_out, flow.key_in)
}

/// A host comes, installs some and takes some out, and goes.
fn learn<T: Transport, S: Store>(device: T, store: S, come: &[Flow], go: &[Flow]) -> Result<()> {
    let mut host = Host::attach(Core::find(device)?, store)?;
    let come: Vec<(Flow, Source)> = come.iter().map(|flow| (flow.clone(), Source::Cm)).collect();
    let plan = host.plan_learnt(&come, &go.iter().map(keys).collect::<HashSet<_>>())?;
    host.apply(&plan).map(drop)
}

/// Flows that act, and what the host believes of each.
fn seen<T: Transport>(tap: &mut Tap<T>, store: &InMemory) -> (BTreeSet<Keys>, BTreeMap<Keys, Option<Source>>) {
    let runs = tap.runs();
    assert!(runs.torn.is_empty(), "{:?}", runs.torn);
    let host = Host::attach(Core::find(&mut *tap).unwrap(), store.clone()).unwrap();
    let believed = host.standing().into_iter().map(|flow| (flow.keys, flow.source)).collect();
    (runs.flows.iter().map(|flow| (flow.0, flow.1)).collect(), believed)
}

#[test]
fn they_stay_when_a_configuration_is_applied() {
    let (mut tap, store) = running(model(), &format!("{ROUTES}{}", text(1)));
    learn(&mut tap, store.clone(), &[nth(2), nth(3), nth(4)], &[]).unwrap();
    let before = tap.writes;
    apply_text(&mut tap, store.clone(), &format!("{ROUTES}{}", text(1)), false).unwrap();
    assert_eq!(tap.writes, before, "the same again is no work");
    // A flow more, and another path.
    let more = format!("{ROUTES}[[path]]\nindex = 1\nmode = \"fixed\"\nrate_gbps = 5\n{}{}", text(1), text(5));
    apply_text(&mut tap, store.clone(), &more, false).unwrap();
    let (acts, believed) = seen(&mut tap, &store);
    assert_eq!(acts, [1, 2, 3, 4, 5].map(|n| keys(&nth(n))).into());
    let learnt: Vec<u32> = (1..6).filter(|n| believed[&keys(&nth(*n))] == Some(Source::Cm)).collect();
    assert_eq!(learnt, [2, 3, 4]);
}

#[test]
fn one_that_a_configuration_names_is_learnt_no_more() {
    let (mut tap, store) = running(model(), ROUTES);
    learn(&mut tap, store.clone(), &[nth(1), nth(2)], &[]).unwrap();
    let before = tap.writes;
    apply_text(&mut tap, store.clone(), &format!("{ROUTES}{}", text(2)), false).unwrap();
    assert_eq!(tap.writes, before, "it goes on as it is");
    // So it does not go when learnt ones do, and goes with the configuration.
    learn(&mut tap, store.clone(), &[], &[nth(1), nth(2)]).unwrap();
    assert_eq!(seen(&mut tap, &store).0, [keys(&nth(2))].into());
    apply_text(&mut tap, store.clone(), ROUTES, false).unwrap();
    assert_eq!(seen(&mut tap, &store).0, BTreeSet::new());
}

#[test]
fn one_that_no_route_leads_to_goes_with_the_route() {
    let (mut tap, store) = running(model(), ROUTES);
    learn(&mut tap, store.clone(), &[nth(2), nth(3)], &[]).unwrap();
    let less = ROUTES[..ROUTES.rfind("[[route]]").unwrap()].to_owned();
    apply_text(&mut tap, store.clone(), &less, false).unwrap();
    let (acts, believed) = seen(&mut tap, &store);
    assert_eq!(acts, [keys(&nth(2))].into());
    assert_eq!(believed, [(keys(&nth(2)), Some(Source::Cm))].into());
}

#[test]
fn one_that_collides_with_a_configured_flow_needs_a_stop_and_goes() {
    let (mut tap, store) = running(model(), ROUTES);
    learn(&mut tap, store.clone(), &[nth(1), nth(2)], &[]).unwrap();
    let other = format!("{ROUTES}{}", text(1).replace("requester_qpn = 2001", "requester_qpn = 77"));
    let refused = apply_text(&mut tap, store.clone(), &other, false).unwrap_err();
    assert!(refused.kind == Kind::Unreachable && refused.found.contains("flow 0"), "{refused}");
    apply_text(&mut tap, store.clone(), &other, true).unwrap();
    let (acts, believed) = seen(&mut tap, &store);
    assert!(acts.len() == 2 && !acts.contains(&keys(&nth(1))) && acts.contains(&keys(&nth(2))), "{acts:?}");
    assert_eq!(believed.values().filter(|source| source.is_none()).count(), 1);
}

#[test]
fn a_gateway_of_which_nothing_is_known_learns_nothing() {
    let (mut tap, _) = running(model(), ROUTES);
    let before = tap.writes;
    let refused = learn(&mut tap, InMemory::default(), &[nth(1)], &[]).unwrap_err();
    assert_eq!((refused.kind, tap.writes), (Kind::Unreachable, before), "{refused}");
    assert!(refused.remedy.contains("apply"), "{refused}");
}

/// Whoever is killed while flows come and go leaves all of the old ones or all of the new ones, each still known for what
/// it is: a configured one never for a learnt one, or it would age, and a learnt one never for a configured one.
#[test]
fn a_kill_leaves_the_old_flows_or_the_new_ones_each_known_for_what_it_is() {
    let mut random = Random::new();
    let configured: Vec<u32> = (0..20).collect();
    let config = configured.iter().fold(ROUTES.to_owned(), |all, n| all + &text(*n));
    let mut device = running(model(), &config);
    let (tap, store) = (&mut device.0, device.1.clone());
    let mut learnt: BTreeSet<u32> = BTreeSet::new();
    let mut ended = [0, 0, 0];
    for kill in 0..KILLS {
        let come: Vec<u32> = (20..120).filter(|n| !learnt.contains(n) && random.below(6) == 0).collect();
        let go: Vec<u32> = learnt.iter().copied().filter(|_| random.below(4) == 0).collect();
        let after: BTreeSet<u32> = learnt.iter().chain(&come).copied().filter(|n| !go.contains(n)).collect();
        // Half of them once the commit was asked for. It writes the whole table of flows first.
        let late = (random.below(2) == 0).then(|| random.below(120) as usize);
        let fuse = Fuse::of(if late.is_some() { usize::MAX } else { random.below(5500) as usize });
        (tap.fuse, tap.after_commit) = (fuse.clone(), late);
        let flows = |all: &[u32]| all.iter().map(|n| nth(*n)).collect::<Vec<_>>();
        let killed = learn(&mut *tap, Fused(store.clone(), fuse), &flows(&come), &flows(&go));
        (tap.fuse, tap.after_commit) = (Fuse::of(usize::MAX), None);
        let (acts, believed) = seen(tap, &store);
        let all =
            |some: &BTreeSet<u32>| some.iter().chain(&configured).map(|n| keys(&nth(*n))).collect::<BTreeSet<_>>();
        let now = if acts == all(&after) { &after } else { &learnt };
        assert_eq!(acts, all(now), "kill {kill}: neither the old flows nor the new ones");
        ended[if killed.is_ok() { 2 } else { usize::from(*now == after) }] += 1;
        assert_eq!(believed.keys().copied().collect::<BTreeSet<_>>(), acts, "kill {kill}");
        for n in now.iter().chain(&configured) {
            let source = believed[&keys(&nth(*n))];
            assert_eq!(source.is_some(), now.contains(n), "kill {kill}: flow {n} is known as {source:?}");
        }
        learnt = now.clone();
        // Now and then a configuration comes between, and is killed too: learnt flows stay through it.
        if random.below(4) == 0 {
            let fuse = Fuse::of(random.below(60) as usize);
            tap.fuse = fuse.clone();
            let extra =
                format!("{config}[[path]]\nindex = 2\nmode = \"fixed\"\nrate_gbps = {}\n", 1 + random.below(50));
            let _ = apply_text(&mut *tap, Fused(store.clone(), fuse), &extra, false);
            tap.fuse = Fuse::of(usize::MAX);
            assert_eq!(seen(tap, &store).0, all(&learnt), "kill {kill}: an apply was cut short");
        }
    }
    let [before, after, whole] = ended;
    println!("{KILLS} kills: the old flows after {before}, the new ones after {after}; {whole} came too late");
    assert!(before > KILLS / 5 && after > KILLS / 20 && whole > KILLS / 20, "the kills are spread: {ended:?}");
    // All is whole again with the next apply.
    apply_text(&mut *tap, store.clone(), &config, false).unwrap();
    assert_eq!(wanted(&config, &caps()).unwrap().flows.len() + learnt.len(), seen(tap, &store).0.len());
}
