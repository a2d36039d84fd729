//! Routes and paths through the whole gateway: a path that waits holds up nobody else, and everything keeps its order.

use super::bench::Bench;
use crate::harness::Random;
use matchrdma::route_table::Route;
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::{beats, Beat, Gateway};
use matchrdma_sim::frame::{self, End, Write};
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, OVERHEAD_BYTES, PATHS, QUEUE_BYPASS, SLOT_K_MIN};
use matchrdma_spec::regs::entry::{Path, MODE_FIXED};
use std::collections::VecDeque;

const SLOT: u64 = 1 << SLOT_K_MIN;

/// A request to host 10.`queue`.0.1 that no flow has: it is forwarded. Its number is its PSN.
fn request(queue: usize, number: u32, payload: usize) -> Vec<u8> {
    let near = End { mac: 1, ip: 0x0a80_0001, qpn: 1 };
    let far = End { mac: 2, ip: 0x0a00_0001 | (queue as u32) << 16, qpn: 0x1000 + queue as u32 };
    frame::write(near, far, number, false, Write { first: true, last: true, message_bytes: payload as u32, payload })
}

/// What left, and when its last beat did.
struct Left {
    queue: usize,
    number: u32,
    bytes: u64,
    at: u64,
}

/// The gateway with routes to all paths, path `n` at `rate(n)` bytes a slot; none: open.
fn paths(rate: impl Fn(usize) -> Option<u32>) -> Bench {
    let mut bench = Bench::new();
    let mut host = Host::new(&mut bench.gates);
    let route = |path: usize| {
        // Most by a network, some by a network around others, some by the host alone.
        let prefix = match path {
            3 => "10.0.0.0/14".to_string(),
            4..=9 => format!("10.{path}.0.0/16"),
            _ => format!("10.{path}.0.1/32"),
        };
        Route { prefix: prefix.parse().expect("a prefix"), path: path as u8 }
    };
    host.routes(&(0..PATHS).map(route).collect::<Vec<_>>()).expect("sixteen routes fit");
    for path in 0..PATHS {
        let settings = rate(path).map_or(Path::default(), |rate| Path {
            mode: MODE_FIXED,
            rate,
            burst: BURST_DEFAULT_BYTES,
            ..Path::default()
        });
        host.tables().set_path(path, &settings);
    }
    host.slot(SLOT_K_MIN).expect("the registers take it");
    host.commit().expect("the gateway takes it");
    bench
}

/// Plays frames back to back for as long as there are any, and on until `cycles`.
fn play(bench: &mut Bench, frames: impl Iterator<Item = Vec<u8>>, cycles: u64) -> Vec<Left> {
    let (mut frames, mut waiting, mut out, mut left) = (frames, VecDeque::<Beat>::new(), vec![], vec![]);
    for now in 0..cycles {
        if waiting.is_empty() {
            waiting.extend(frames.next().iter().flat_map(|f| beats(f)));
        }
        let tick = bench.gates.tick(waiting.pop_front().as_ref(), None, true, true);
        if let Some(beat) = tick.line_tx {
            out.extend_from_slice(&beat.data[..beat.bytes.into()]);
            if beat.last {
                let m = matchrdma_spec::wire::packet::parse_frame(&out);
                let queue = (m.dest_qpn - 0x1000) as usize;
                left.push(Left { queue, number: m.psn, bytes: out.len() as u64, at: now });
                out.clear();
            }
        }
    }
    left
}

#[test]
fn a_path_that_waits_holds_up_nobody_and_all_keep_their_order() {
    let mut random = Random::new();
    // Path 0 may send a frame of 1,000 bytes every ten slots or so.
    let mut bench = paths(|path| (path == 0).then_some(100));
    let mut numbers = [0u32; PATHS + 1];
    let mut sent_at = std::collections::HashMap::new();
    let mut cycle = 0u64;
    let mut frames = vec![];
    for _ in 0..600 {
        let slow = numbers[0] < 60 && random.chance(1, 4);
        let queue = if slow { 0 } else { 1 + random.below(PATHS as u64) as usize };
        let payload = if slow { 900 } else { random.below(1000) as usize + 1 };
        frames.push(request(queue, numbers[queue], payload));
        cycle += frames[frames.len() - 1].len().div_ceil(64) as u64;
        sent_at.insert((queue, numbers[queue]), cycle);
        numbers[queue] += 1;
    }
    assert_eq!(numbers[0], 60, "the slow path has its backlog");
    let left = play(&mut bench, frames.into_iter(), cycle + 20_000);
    let mut next = [0u32; PATHS + 1];
    let mut longest = 0;
    for x in &left {
        assert_eq!(x.number, next[x.queue], "queue {}", x.queue);
        next[x.queue] += 1;
        if x.queue != 0 {
            longest = longest.max(x.at - sent_at[&(x.queue, x.number)]);
        }
    }
    assert_eq!(next[1..], numbers[1..], "everything but the slow path has left");
    let burst = u64::from(BURST_DEFAULT_BYTES) / 900;
    assert!(u64::from(next[0]) < burst + 8, "{} frames of the slow path", next[0]);
    println!("longest stay of a frame that nothing holds: {longest} cycles; {} of the slow path left", next[0]);
    assert!(longest < 2_000, "{longest} cycles");
    assert!(numbers[QUEUE_BYPASS] > 10, "some have no route");
}

#[test]
fn every_path_sends_its_own_budget() {
    let mut random = Random::new();
    // Together nine tenths of what the port carries, and as different as can be.
    let rate = |path: usize| 500 + 2_100 * (path as u32 % 4);
    let mut bench = paths(|path| Some(rate(path)));
    let slots = 60;
    let (mut numbers, mut fed) = ([0u32; PATHS], [0f64; PATHS]);
    // Each gets its share of a port that is full, so a tenth more than it may send.
    let frames = std::iter::from_fn(|| {
        let least = (0..PATHS).min_by(|a, b| fed[*a].total_cmp(&fed[*b])).expect("there are paths");
        let frame = request(least, numbers[least], 200 + random.below(800) as usize);
        numbers[least] += 1;
        fed[least] += (frame.len() as f64 + f64::from(OVERHEAD_BYTES)) / f64::from(rate(least));
        Some(frame)
    });
    let left = play(&mut bench, frames, (slots + 20) * SLOT);
    let mut sent = [0u64; PATHS];
    // Once every queue has something.
    for x in left.iter().filter(|x| (20 * SLOT..(slots + 20) * SLOT).contains(&x.at)) {
        sent[x.queue] += x.bytes + u64::from(OVERHEAD_BYTES);
    }
    for (path, sent) in sent.iter().enumerate() {
        let due = u64::from(rate(path)) * slots;
        // Its own largest frame, and one of every other path.
        let most = 17 * (1000 + 62 + u64::from(OVERHEAD_BYTES));
        assert!(sent.abs_diff(due) <= most, "path {path}: {sent} bytes, due {due}");
    }
}
