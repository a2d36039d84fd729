//! A gateway under full load: a beat in every cycle on both receive sides.

use crate::closed_loop::ends;
use crate::engine::{beats, Beat, Gateway};
use crate::frame::{self, Write};
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::wire::packet::parse_frame;
use matchrdma_spec::wire::{aeth, opcode};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// What came of a load. Index 0: client to line, 1: line to client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Cycles in which both sides received a beat.
    pub cycles: u64,
    /// Frames that went in.
    pub frames_in: [u64; 2],
    /// Frames that came out, the same and in order.
    pub frames_out: [u64; 2],
    /// Beats that came out other than they went in.
    pub wrong_beats: [u64; 2],
    /// Cycles without a beat inside a frame at an output.
    pub gaps: [u64; 2],
    /// Cycles without a beat between frames at an output. A frame leaves when all of it is there, so the first frame of
    /// a larger size makes its own length of these, once.
    pub pauses: [u64; 2],
}

/// A frame that is no RoCE: bytes by number, with an EtherType for experiments and no budget magic.
fn plain(size: usize, number: u64) -> Vec<u8> {
    let mut f: Vec<u8> = (0..size).map(|i| (i as u64 * 7 + number * 13) as u8).collect();
    let len = f.len();
    f[12..14].copy_from_slice(&[0x88, 0xb6]);
    f[len - 8..].copy_from_slice(&number.to_le_bytes());
    f
}

/// Frames of the given sizes, one after another without a pause, on both receive sides for `cycles`; every beat that
/// comes out must be the next one that went in. The gateway is in bypass.
pub fn bypass(g: &mut dyn Gateway, sizes: &[usize], cycles: u64) -> Loaded {
    let mut r = Loaded::default();
    let mut source: [VecDeque<Beat>; 2] = Default::default();
    let mut inside: [VecDeque<Beat>; 2] = Default::default();
    let mut idle_since_last = [0u64; 2];
    let mut inside_frame = [None; 2];
    let mut quiet = 0;
    let mut now = 0;
    while quiet < 2000 {
        let feeding = now < cycles;
        for side in 0..2 {
            if source[side].is_empty() && feeding {
                let size = sizes[(r.frames_in[side] as usize + side) % sizes.len()];
                source[side].extend(beats(&plain(size, r.frames_in[side] * 2 + side as u64)));
                r.frames_in[side] += 1;
            }
        }
        let give = [source[0].pop_front(), source[1].pop_front()];
        for side in 0..2 {
            inside[side].extend(give[side]);
        }
        r.cycles += u64::from(give.iter().all(Option::is_some));
        let t = g.tick(give[0].as_ref(), give[1].as_ref(), true, true);
        for (side, beat) in [t.line_tx, t.client_tx].into_iter().enumerate() {
            match beat {
                Some(b) => {
                    let same = inside[side].pop_front() == Some(b);
                    r.wrong_beats[side] += u64::from(!same);
                    r.frames_out[side] += u64::from(same && b.last);
                    let idle = idle_since_last[side];
                    match inside_frame[side] {
                        Some(true) => r.gaps[side] += idle,
                        Some(false) => r.pauses[side] += idle,
                        None => {}
                    }
                    inside_frame[side] = Some(!b.last);
                    idle_since_last[side] = 0;
                }
                None => idle_since_last[side] += 1,
            }
        }
        quiet = if t.line_tx.is_some() || t.client_tx.is_some() || feeding { 0 } else { quiet + 1 };
        now += 1;
    }
    r
}

/// What came of a load on Active flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// Cycles in which the client side received a beat.
    pub busy: u64,
    /// Requests that went in, each with AckReq, after every flow was Active.
    pub requests: u64,
    /// Of these, frames that left the line port.
    pub forwarded: u64,
    /// Requests that an ACK covered.
    pub covered: u64,
    /// ACK frames that left the client port.
    pub acks: u64,
    /// Frames that went into the line side, and came out of the client port.
    pub others: [u64; 2],
}

/// `flows` queue pairs ([`crate::closed_loop::ends`]) that the gateway knows and acknowledges: makes each Active, then
/// sends one-packet WRITEs of `payload` bytes back to back for `cycles`, round robin, while the line side receives
/// plain frames in all but `1/reserve` of its cycles.
pub fn active(g: &mut dyn Gateway, flows: u32, payload: usize, cycles: u64, reserve: u64) -> Acknowledged {
    let mut r = Acknowledged::default();
    let write = |i: u32, psn: u32| request(i, psn, payload);
    activate(g, flows, payload);
    let mut next: Vec<u32> = vec![2; flows as usize];
    let mut said: Vec<u32> = vec![1; flows as usize];
    let (mut up, mut down): (VecDeque<Beat>, VecDeque<Beat>) = Default::default();
    let (mut turn, mut quiet, mut now) = (0usize, 0, 0u64);
    let mut ack: Vec<u8> = Vec::new();
    while quiet < 20_000 {
        let feeding = now < cycles;
        if up.is_empty() && feeding {
            up.extend(beats(&write(turn as u32, next[turn])));
            next[turn] = (next[turn] + 1) & PSN_MASK;
            turn = (turn + 1) % flows as usize;
            r.requests += 1;
        }
        if down.is_empty() && feeding && now % reserve != 0 {
            down.extend(beats(&plain(64, now)));
            r.others[0] += 1;
        }
        let (a, b) = (up.pop_front(), down.pop_front());
        r.busy += u64::from(a.is_some());
        let t = g.tick(a.as_ref(), b.as_ref(), true, true);
        r.forwarded += u64::from(t.line_tx.is_some_and(|x| x.last));
        if let Some(x) = t.client_tx {
            ack.extend_from_slice(&x.data[..usize::from(x.bytes)]);
            if x.last {
                let m = parse_frame(&ack);
                if m.roce && m.opcode == opcode::ACKNOWLEDGE {
                    r.acks += 1;
                    if let Some(newest) = said.get_mut(m.dest_qpn.wrapping_sub(ends(0).0.qpn) as usize) {
                        let news = m.psn.wrapping_sub(*newest) & PSN_MASK;
                        if news <= PSN_MASK / 2 {
                            r.covered += u64::from(news);
                            *newest = m.psn;
                        }
                    }
                } else {
                    r.others[1] += 1;
                }
                ack.clear();
            }
        }
        quiet = if t.line_tx.is_some() || t.client_tx.is_some() || feeding { 0 } else { quiet + 1 };
        now += 1;
    }
    r
}

/// A WRITE of one packet that asks for an ACK.
pub fn request(i: u32, psn: u32, payload: usize) -> Vec<u8> {
    let w = Write { first: true, last: true, message_bytes: payload as u32, payload };
    frame::write(ends(i).0, ends(i).1, psn, true, w)
}

/// Makes flows 0 and on Active with two answered requests each: twice, so that a sample stands when the second answer
/// comes. The next PSN is 2.
fn activate(g: &mut dyn Gateway, flows: u32, payload: usize) {
    for round in 0..2 {
        let requests = (0..flows).flat_map(|i| beats(&request(i, round, payload)).collect::<Vec<_>>());
        play_beats(g, requests.collect(), true);
        let answers = (0..flows)
            .flat_map(|i| beats(&frame::ack(ends(i).1, ends(i).0, round, aeth::ACK, round + 1)).collect::<Vec<_>>());
        play_beats(g, answers.collect(), false);
    }
}

/// What came of a crowd. Index 0: client to line, 1: line to client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    /// Cycles in which the side received a beat.
    pub busy: [u64; 2],
    /// Frames that went in, activation included.
    pub frames_in: [u64; 2],
    /// Bytes that went in.
    pub bytes_in: [u64; 2],
    /// Frames that came out where they must, pseudo-ACKs not counted.
    pub frames_out: [u64; 2],
    /// Bytes that came out, pseudo-ACKs not counted.
    pub bytes_out: [u64; 2],
    /// Requests, activation included, and those that an ACK covered.
    pub requests: u64,
    /// See `requests`.
    pub covered: u64,
    /// ACK frames that left the client port after activation.
    pub acks: u64,
    /// By flow: requests and their bytes.
    pub by_flow: Vec<[u64; 2]>,
}

/// `flows` Active queue pairs in random order on the client side, a beat in every cycle: WRITEs of one packet of up to
/// 4096 bytes, and every eighth frame one that is no RoCE, of 64 to 9000 bytes. The line side receives the latter in all
/// but `1/reserve` of its cycles, which leaves the pseudo-ACKs their share.
pub fn crowd(g: &mut dyn Gateway, flows: u32, cycles: u64, reserve: u64, seed: u64) -> Crowd {
    const SMALLEST: usize = 8;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |limit: u64| random.next_u64() % limit;
    let mut r = Crowd { by_flow: vec![[0; 2]; flows as usize], ..Crowd::default() };
    let count = |r: &mut Crowd, i: Option<u32>, side: usize, bytes: usize| {
        r.frames_in[side] += 1;
        r.bytes_in[side] += bytes as u64;
        if let Some(i) = i {
            r.requests += 1;
            r.by_flow[i as usize][0] += 1;
            r.by_flow[i as usize][1] += bytes as u64;
        }
    };
    activate(g, flows, SMALLEST);
    for i in 0..flows {
        for psn in 0..2 {
            count(&mut r, Some(i), 0, request(i, psn, SMALLEST).len());
            count(&mut r, None, 1, frame::ack(ends(i).1, ends(i).0, psn, aeth::ACK, psn + 1).len());
        }
    }
    r.frames_out = [r.frames_in[0], r.frames_in[1]];
    r.bytes_out = [r.bytes_in[0], r.bytes_in[1]];
    r.covered = r.requests;
    let mut next: Vec<u32> = vec![2; flows as usize];
    let mut said: Vec<u32> = vec![1; flows as usize];
    let (mut up, mut down): (VecDeque<Beat>, VecDeque<Beat>) = Default::default();
    let (mut quiet, mut now, mut ack) = (0, 0u64, Vec::new());
    while quiet < 20_000 {
        let feeding = now < cycles;
        if up.is_empty() && feeding {
            let (frame, flow) = if below(8) == 0 {
                (plain(64 + below(8937) as usize, now), None)
            } else {
                let i = below(flows.into()) as u32;
                let psn = &mut next[i as usize];
                let frame = request(i, *psn, 1 + below(4096) as usize);
                *psn = (*psn + 1) & PSN_MASK;
                (frame, Some(i))
            };
            count(&mut r, flow, 0, frame.len());
            up.extend(beats(&frame));
        }
        if down.is_empty() && feeding {
            let frame = plain(64 + below(8937) as usize, now);
            count(&mut r, None, 1, frame.len());
            down.extend(beats(&frame));
        }
        let a = up.pop_front();
        let b = if now % reserve == 0 { None } else { down.pop_front() };
        r.busy[0] += u64::from(feeding && a.is_some());
        r.busy[1] += u64::from(feeding && b.is_some());
        let t = g.tick(a.as_ref(), b.as_ref(), true, true);
        if let Some(x) = t.line_tx {
            r.frames_out[0] += u64::from(x.last);
            r.bytes_out[0] += u64::from(x.bytes);
        }
        if let Some(x) = t.client_tx {
            ack.extend_from_slice(&x.data[..usize::from(x.bytes)]);
            if x.last {
                let m = if ack.len() < 128 { parse_frame(&ack) } else { Default::default() };
                if m.roce && m.opcode == opcode::ACKNOWLEDGE {
                    r.acks += 1;
                    if let Some(newest) = said.get_mut(m.dest_qpn.wrapping_sub(ends(0).0.qpn) as usize) {
                        let news = m.psn.wrapping_sub(*newest) & PSN_MASK;
                        if news <= PSN_MASK / 2 {
                            r.covered += u64::from(news);
                            *newest = m.psn;
                        }
                    }
                } else {
                    r.frames_out[1] += 1;
                    r.bytes_out[1] += ack.len() as u64;
                }
                ack.clear();
            }
        }
        quiet = if t.line_tx.is_some() || t.client_tx.is_some() || feeding { 0 } else { quiet + 1 };
        now += 1;
    }
    r
}

/// Plays one frame into the client (`up`) or the line port and lets the gateway come to rest. Returns what left the
/// client port and the line port, beats joined.
pub fn play(g: &mut dyn Gateway, frame: &[u8], up: bool) -> (Vec<u8>, Vec<u8>) {
    play_beats(g, beats(frame).collect(), up)
}

fn play_beats(g: &mut dyn Gateway, mut waiting: VecDeque<Beat>, up: bool) -> (Vec<u8>, Vec<u8>) {
    let mut out = (Vec::new(), Vec::new());
    let mut quiet = 0;
    while quiet < 300 {
        let beat = waiting.pop_front();
        let t = if up { g.tick(beat.as_ref(), None, true, true) } else { g.tick(None, beat.as_ref(), true, true) };
        for (sink, tx) in [(&mut out.0, t.client_tx), (&mut out.1, t.line_tx)] {
            if let Some(x) = tx {
                sink.extend_from_slice(&x.data[..usize::from(x.bytes)]);
                quiet = 0;
            }
        }
        quiet += 1;
    }
    out
}
