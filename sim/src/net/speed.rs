//! How fast this simulator is: packet-hops per second, beside a bare heap of events that does the same hops.

use super::ecn::Ecn;
use super::host::{Host, SenderCfg};
use super::link::Link;
use super::packet::{Ps, SECOND};
use super::rng::Stream;
use super::switch::{Switch, SwitchCfg};
use super::world::{Flow, Node, World};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

const US: Ps = 1_000_000;
const BPS: u64 = 100_000_000_000;

const SENDER: SenderCfg = SenderCfg {
    window_bytes: 64 << 20,
    message_bytes: 64 << 10,
    mtu_bytes: 4096,
    messages_in_flight: 1 << 20,
    ack_timeout: SECOND,
    ack_every: 1,
};

fn switch_cfg() -> SwitchCfg {
    SwitchCfg { ecn: Ecn::scaled(BPS as f64), xoff: 4 << 20, xon: 2 << 20, buffer: 32 << 20 }
}

/// Adds a cable: two links; gives the one out of `a`.
pub fn cable(world: &mut World, a: (u32, u16), b: (u32, u16), bps: u64, delay: Ps) -> u32 {
    world.net.links.push(Link::new(a, b, bps, delay));
    world.net.links.push(Link::new(b, a, bps, delay));
    world.net.links.len() as u32 - 2
}

/// One flow over four links of 100 Gb/s, one of them 1 ms long; an ACK for each packet.
pub fn four_links() -> World {
    let mut w = World::default();
    let delays = [US, US, 1000 * US, US];
    let links: Vec<u32> =
        (0..4).map(|i| cable(&mut w, (i, u16::from(i > 0)), (i + 1, 0), BPS, delays[i as usize])).collect();
    w.net.links[links[0] as usize].pulls = true;
    w.net.flows.push(Flow { from: 0, to: 4 });
    let mut a = Host::new(0, links[0]);
    a.add_requester(0, SENDER, None, None);
    let mut b = Host::new(4, links[3] + 1);
    b.add_responder(0);
    w.nodes.push(Node::Host(a));
    for i in 0..3usize {
        let mut s = Switch::new(switch_cfg(), Stream::new(1, i as u64));
        s.add_input(links[i]);
        s.add_input(links[i + 1] + 1);
        s.route = vec![links[i] + 1, 0, 0, 0, links[i + 1]];
        for out in [links[i] + 1, links[i + 1]] {
            w.net.links[out as usize].tells = true;
        }
        w.nodes.push(Node::Switch(Box::new(s)));
    }
    w.nodes.push(Node::Host(b));
    w.start();
    w
}

/// 1024 hosts under 32 leaves, each leaf at 32 spines; every host sends to one in another leaf.
pub fn thousand_hosts() -> World {
    const SIDE: u32 = 32;
    let hosts = SIDE * SIDE;
    let (leaf, spine) = (|i: u32| hosts + i, |i: u32| hosts + SIDE + i);
    let mut w = World::default();
    let mut switches: Vec<Switch> =
        (0..2 * SIDE).map(|i| Switch::new(switch_cfg(), Stream::new(1, i.into()))).collect();
    switches.iter_mut().for_each(|s| s.route = vec![0; hosts as usize]);
    let mut nodes: Vec<Host> = vec![];
    for h in 0..hosts {
        let l = h / SIDE;
        let port = switches[l as usize].inputs.len() as u16;
        let link = cable(&mut w, (h, 0), (leaf(l), port), BPS, US);
        w.net.links[link as usize].pulls = true;
        w.net.links[link as usize + 1].tells = true;
        switches[l as usize].add_input(link);
        switches[l as usize].route[h as usize] = link + 1;
        nodes.push(Host::new(h, link));
    }
    for l in 0..SIDE {
        for s in 0..SIDE {
            let (a, b) = (switches[l as usize].inputs.len(), switches[(SIDE + s) as usize].inputs.len());
            let link = cable(&mut w, (leaf(l), a as u16), (spine(s), b as u16), BPS, US);
            w.net.links[link as usize].tells = true;
            w.net.links[link as usize + 1].tells = true;
            switches[(SIDE + s) as usize].add_input(link);
            switches[l as usize].add_input(link + 1);
            for h in 0..hosts {
                if h / SIDE == l {
                    switches[(SIDE + s) as usize].route[h as usize] = link + 1;
                } else if h % SIDE == s {
                    switches[l as usize].route[h as usize] = link;
                }
            }
        }
    }
    for h in 0..hosts {
        let to = (h + 5 * SIDE + 7) % hosts;
        w.net.flows.push(Flow { from: h, to });
        let sender = SenderCfg { window_bytes: 1 << 20, ..SENDER };
        nodes[h as usize].add_requester(h, sender, None, None);
        nodes[to as usize].add_responder(h);
    }
    w.nodes.extend(nodes.into_iter().map(Node::Host));
    w.nodes.extend(switches.into_iter().map(|s| Node::Switch(Box::new(s))));
    w.start();
    w
}

/// Packet-hops per second of the machine for so much simulated time.
pub fn hops_per_second(mut world: World, simulated: Ps) -> f64 {
    let begun = Instant::now();
    world.run(simulated);
    world.net.hops as f64 / begun.elapsed().as_secs_f64()
}

/// A heap of packets in flight and nothing else: every packet of four links, an event when its sending ends and one when
/// it arrives. What any simulator with a heap at least pays.
pub fn bare_heap_hops_per_second(hops: u64) -> f64 {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct Event {
        at: u64,
        order: u64,
        hop: u32,
        arrives: bool,
    }
    let (serial, delay) = (335_520u64, 50 * US);
    let mut heap = BinaryHeap::new();
    let (mut done, mut order) = (0u64, 0u64);
    (0..600).for_each(|i| heap.push(Reverse(Event { at: i * serial, order: i, hop: 0, arrives: false })));
    let begun = Instant::now();
    while done < hops {
        let Some(Reverse(e)) = heap.pop() else { break };
        order += 1;
        let next = if e.arrives {
            done += 1;
            Event { at: e.at + serial, order, hop: (e.hop + 1) % 4, arrives: false }
        } else {
            Event { at: e.at + delay, order, hop: e.hop, arrives: true }
        };
        heap.push(Reverse(next));
    }
    done as f64 / begun.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(w: &World) -> Vec<u64> {
        let hosts = w.nodes.iter().filter_map(|n| if let Node::Host(h) = n { Some(h) } else { None });
        hosts.flat_map(|h| h.responders().iter().map(|r| r.placed_bytes)).collect()
    }

    #[test]
    fn four_links_are_full_and_the_same_again() {
        let mut w = four_links();
        w.run(5000 * US);
        let before = placed(&w)[0];
        w.run(15_000 * US);
        let got = (placed(&w)[0] - before) as f64 * 8.0 / 10e-3;
        assert!((got / (100e9 * 4096.0 / 4194.0) - 1.0).abs() < 0.01, "{got:.3e}");
        let mut again = four_links();
        again.run(15_000 * US);
        assert_eq!((again.net.hops, again.net.events()), (w.net.hops, w.net.events()));
    }

    #[test]
    fn a_thousand_hosts_all_get_through() {
        let mut w = thousand_hosts();
        w.run(100 * US);
        let all = placed(&w);
        assert_eq!(all.len(), 1024);
        assert!(all.iter().all(|b| *b > 100_000), "{:?}", all.iter().min());
    }
}
