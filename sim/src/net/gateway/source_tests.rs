//! One path by itself, on a net of three links and a clock that the test sets.

use super::*;
use crate::net::link::Link;

const SLOT: Ps = 1_000_000;
/// Bytes per slot of this rate: 1 per nanosecond.
const RATE: u64 = 1_000;

fn net() -> Net {
    let mut net = Net::default();
    (0..3).for_each(|_| net.links.push(Link::new((0, 0), (1, 0), 100_000_000_000, 0)));
    net
}

fn path() -> Path {
    let cfg = SourceCfg {
        acks: Acks::Departure,
        paced: true,
        burst: 16_384,
        lease: 3,
        floor: 10,
        cnp_on: 0,
        cnp_spacing: 0,
        pfc_on: 0,
        pfc_off: 0,
    };
    Path::new(cfg, SLOT, 2)
}

fn budget(slot: u64, grant: u64, limit: u64) -> Mail {
    Mail::Budget { slot, grant, limit }
}

/// Packets that leave by `until`, asked for every nanosecond.
fn released(path: &mut Path, net: &mut Net, until: Ps) -> u64 {
    let mut n = 0;
    while net.now < until {
        net.now += 1_000;
        path.timer_set = false;
        n += u64::from(matches!(path.release(net, (0, 1)), Ok(Some(_))));
    }
    n
}

fn filled(path: &mut Path, net: &mut Net, packets: u64) {
    (0..packets).for_each(|n| path.offer(net, Packet::data(0, n, 902, true), 0, 1));
}

#[test]
fn the_newest_slot_wins_whatever_comes_later() {
    let (mut p, mut n) = (path(), net());
    p.told(&mut n, budget(5, 100, 1_000));
    p.told(&mut n, budget(4, 900, 9_000));
    assert_eq!((p.rate(), p.limit, p.newest), (100, 1_000, 5));
    p.told(&mut n, budget(6, 900, 9_000));
    assert_eq!((p.rate(), p.limit), (900, 9_000));
}

#[test]
fn bytes_leave_at_the_rate_and_never_beyond_the_limit() {
    let (mut p, mut n) = (path(), net());
    filled(&mut p, &mut n, 200);
    p.told(&mut n, budget(1, RATE, u64::MAX));
    // Packets of 1,000 bytes, a slot for each, and the one that drives tokens below zero.
    let sent = released(&mut p, &mut n, 50 * SLOT);
    assert!((50..=51).contains(&sent), "{sent}");
    p.told(&mut n, budget(2, 100 * RATE, p.sent + 3_500));
    assert_eq!(released(&mut p, &mut n, 60 * SLOT), 3, "three whole packets fit under the limit");
    p.told(&mut n, budget(3, 100 * RATE, p.sent + 1_000));
    assert_eq!(released(&mut p, &mut n, 70 * SLOT), 1);
}

#[test]
fn without_budgets_the_rate_halves_each_slot_down_to_the_floor() {
    let (mut p, mut n) = (path(), net());
    (0..20).for_each(|_| p.slot(&mut n));
    assert_eq!(p.rate(), 0, "no lease begins before the first budget");
    p.told(&mut n, budget(1, 100, u64::MAX));
    let rates: Vec<u64> = (0..8)
        .map(|_| {
            p.slot(&mut n);
            p.rate()
        })
        .collect();
    assert_eq!(rates, [100, 100, 100, 50, 25, 12, 10, 10]);
    p.told(&mut n, budget(2, 70, u64::MAX));
    assert_eq!(p.rate(), 70);
}

#[test]
fn what_is_not_the_next_is_not_kept() {
    let (mut p, mut n) = (path(), net());
    let offer = |p: &mut Path, n: &mut Net, number| p.offer(n, Packet::data(0, number, 902, true), 0, 1);
    offer(&mut p, &mut n, 0);
    offer(&mut p, &mut n, 2);
    offer(&mut p, &mut n, 3);
    assert_eq!(p.held, 1_000, "what is ahead is not kept");
    offer(&mut p, &mut n, 1);
    offer(&mut p, &mut n, 0);
    assert_eq!(p.held, 2_000, "nor what is behind");
}
