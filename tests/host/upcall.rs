//! What a direction tells the host of frames of no flow: digests, datagrams for queue pair 1, and what is lost.

use crate::harness::Random;
use matchrdma_rtl::upcall::Dut;
use matchrdma_spec::regs::upcall::{ENTRIES_MAX, FRAME_ENTRIES};
use matchrdma_spec::upcall::Digest;
use matchrdma_spec::wire::packet::Meta;
use std::collections::VecDeque;

/// An entry as the host would read it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Digest(Digest),
    /// Bytes, first, last.
    Piece(Vec<u8>, bool, bool),
}

/// A frame on the rail: what its op says, and its beats.
#[derive(Clone)]
struct Frame {
    meta: Meta,
    good: bool,
    hit: bool,
    err: bool,
    qp1: bool,
    bytes: Vec<u8>,
}

/// Bits, lowest first, into words.
#[derive(Default)]
struct Packed(Vec<bool>);

impl Packed {
    fn put(&mut self, value: u128, bits: usize) -> &mut Self {
        self.0.extend((0..bits).map(|i| value >> i & 1 == 1));
        self
    }
    fn words<const N: usize>(&self) -> [u32; N] {
        std::array::from_fn(|w| (0..32).fold(0, |word, i| word | u32::from(self.0.get(32 * w + i) == Some(&true)) << i))
    }
}

/// The record `Meta` of `hdl`, as docs/blocks.md lists it.
fn meta_words<const N: usize>(m: &Meta) -> [u32; N] {
    let mut p = Packed::default();
    p.put(m.roce.into(), 1).put(m.v6.into(), 1).put(m.vlans.into(), 2).put(m.budget.into(), 1);
    p.put(m.ip_ok.into(), 1).put(m.ack_req.into(), 1).put(m.mig_req.into(), 1).put(m.becn.into(), 1);
    p.put(m.opcode.into(), 8).put(m.ip_len.into(), 16).put(m.payload.into(), 16).put(m.vlan.into(), 24);
    p.put(m.dest_qpn.into(), 24).put(m.psn.into(), 24).put(m.msn.into(), 24).put(m.syndrome.into(), 8);
    p.put(m.reth_len.into(), 32).put(m.src_ip, 128).put(m.dst_ip, 128);
    p.words()
}

fn beat_words(bytes: &[u8], first: bool, last: bool) -> [u32; 17] {
    let mut p = Packed::default();
    (0..64).for_each(|i| {
        p.put(bytes.get(i).copied().unwrap_or(0).into(), 8);
    });
    p.put(bytes.len() as u128, 7).put(first.into(), 1).put(last.into(), 1).put(1, 1);
    p.words()
}

struct Rig {
    dut: Dut,
    /// Cycles of beats to come: the op that begins two cycles before its last beat is laid beside them.
    rail: VecDeque<(Option<[u32; 17]>, bool, Option<Frame>)>,
    seen: Vec<Entry>,
    lost: usize,
    newest: u64,
    now: u64,
}

const NEAR: u128 = 0x0a00_0001;
const FAR: u128 = 0x0a00_0002;

impl Rig {
    fn new() -> Self {
        let mut dut = Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        dut.set_digests(1);
        dut.set_frames(1);
        dut.set_src(words4(NEAR));
        dut.set_dst(words4(FAR));
        Rig { dut, rail: VecDeque::new(), seen: vec![], lost: 0, newest: 0, now: 1000 }
    }

    fn push(&mut self, frame: &Frame, gap: usize) {
        self.rail.extend((0..gap).map(|_| (None, false, None)));
        let n = frame.bytes.chunks(64).count();
        for (i, bytes) in frame.bytes.chunks(64).enumerate() {
            self.rail.push_back((Some(beat_words(bytes, i == 0, i + 1 == n)), frame.qp1, None));
        }
        self.rail.back_mut().expect("a beat").2 = Some(frame.clone());
    }

    /// Plays what is on the rail; the host takes an entry with this chance per cycle.
    fn play(&mut self, random: &mut Random, taking: (u64, u64)) {
        // an op is two cycles before its last beat
        (0..2).for_each(|_| self.rail.push_front((None, false, None)));
        self.rail.extend((0..6).map(|_| (None, false, None)));
        for at in 0..self.rail.len() {
            let dut = &mut self.dut;
            let op = self.rail.get(at + 2).and_then(|c| c.2.clone());
            dut.set_op_valid(op.is_some().into());
            if let Some(op) = op {
                dut.set_roce(op.meta.roce.into());
                dut.set_good(op.good.into());
                dut.set_err(op.err.into());
                dut.set_hit(op.hit.into());
                dut.set_judged(meta_words(&op.meta));
            }
            let (beat, qp1, _) = &self.rail[at];
            dut.set_waited(beat.unwrap_or([0; 17]));
            dut.set_qp1((*qp1).into());
            dut.set_now(self.now);
            self.now += 1;
            let take = random.chance(taking.0, taking.1);
            dut.set_take(take.into());
            dut.settle();
            if take && dut.valid() == 1 {
                self.seen.push(entry(dut));
                assert!(dut.stamp() >= self.newest && dut.stamp() < self.now, "times do not go back");
                self.newest = dut.stamp();
            }
            self.lost += dut.lost() as usize;
            dut.rise();
        }
        self.rail.clear();
    }
}

fn words4(address: u128) -> [u32; 4] {
    std::array::from_fn(|i| (address >> (32 * i)) as u32)
}

fn entry(dut: &Dut) -> Entry {
    let bytes: Vec<u8> = dut.entry().iter().flat_map(|w| w.to_le_bytes()).collect();
    if dut.digest() == 1 {
        assert_eq!((dut.first(), dut.last(), dut.bytes()), (1, 1, 64));
        return Entry::Digest(Digest::unpack(&bytes.try_into().expect("64 bytes")));
    }
    Entry::Piece(bytes[..dut.bytes() as usize].to_vec(), dut.first() == 1, dut.last() == 1)
}

fn any_frame(random: &mut Random) -> Frame {
    let opcode = random.pick(&[0x00, 0x04, 0x0a, 0x0c, 0x11, 0x11, 0x11, 0x10, 0x13, 0x15, 0x64, 0x24, 0x1d]);
    let addresses = random.pick(&[(NEAR, FAR), (NEAR, FAR), (NEAR, FAR), (FAR, NEAR), (NEAR, NEAR)]);
    let meta = Meta {
        roce: random.chance(9, 10),
        v6: random.chance(1, 10),
        vlan: random.bits(24) as u32,
        opcode,
        ack_req: random.chance(2, 3),
        dest_qpn: random.bits(24) as u32,
        psn: random.bits(24) as u32,
        syndrome: if opcode == 0x11 { random.pick(&[0x1f, 0x00, 0x60, 0x2e]) } else { 0 },
        msn: if opcode == 0x11 { random.bits(24) as u32 } else { 0 },
        src_ip: addresses.0 | if random.chance(1, 20) { 1 << 127 } else { 0 },
        dst_ip: addresses.1,
        ..Meta::default()
    };
    let qp1 = opcode == 0x64 && random.chance(3, 4);
    let length = if random.chance(1, 3) { 1 + random.below(64) } else { 1 + random.below(12 * 64) };
    Frame {
        meta,
        good: random.chance(9, 10),
        hit: random.chance(1, 5),
        err: random.chance(1, 20),
        qp1,
        bytes: random.bytes(length as usize),
    }
}

/// What must be told of a frame, when there is room.
fn told(frame: &Frame) -> Vec<Entry> {
    let m = &frame.meta;
    if frame.qp1 {
        let pieces: Vec<_> = frame.bytes.chunks(64).take(FRAME_ENTRIES).collect();
        let n = pieces.len();
        return pieces.iter().enumerate().map(|(i, p)| Entry::Piece(p.to_vec(), i == 0, i + 1 == n)).collect();
    }
    let wanted = frame.good && !frame.err && !frame.hit && !m.v6 && (m.src_ip, m.dst_ip) == (NEAR, FAR);
    Digest::of(m).filter(|_| wanted).map(Entry::Digest).into_iter().collect()
}

#[test]
fn what_belongs_to_no_flow_is_told_in_order() {
    let mut random = Random::new();
    let mut rig = Rig::new();
    let mut expected = vec![];
    let (mut digests, mut datagrams) = (0, 0);
    for _ in 0..200 {
        for _ in 0..20 {
            let frame = any_frame(&mut random);
            let gap = if random.chance(1, 2) { 0 } else { random.below(4) as usize };
            let entries = told(&frame);
            digests += entries.iter().filter(|e| matches!(e, Entry::Digest(_))).count();
            datagrams += usize::from(frame.qp1);
            expected.extend(entries);
            rig.push(&frame, gap);
        }
        rig.play(&mut random, (9, 10));
    }
    rig.rail.extend((0..2 * ENTRIES_MAX + 20).map(|_| (None, false, None)));
    rig.play(&mut random, (1, 1));
    assert_eq!(rig.lost, 0);
    assert_eq!(rig.seen.len(), expected.len());
    for (i, (seen, expected)) in rig.seen.iter().zip(&expected).enumerate() {
        assert_eq!(seen, expected, "entry {i}");
    }
    assert!(digests > 300 && datagrams > 100, "{digests} digests, {datagrams} datagrams");
}

#[test]
fn a_datagram_is_taken_whole_or_not_at_all_and_what_is_lost_is_counted() {
    let mut random = Random::new();
    let mut rig = Rig::new();
    let mut offered: Vec<Vec<Entry>> = vec![];
    for _ in 0..4000 {
        let frame = any_frame(&mut random);
        rig.push(&frame, 0);
        offered.extend(Some(told(&frame)).filter(|e| !e.is_empty()));
    }
    rig.play(&mut random, (1, 50));
    rig.rail.extend((0..2 * ENTRIES_MAX + 20).map(|_| (None, false, None)));
    rig.play(&mut random, (1, 1));
    // what was told is some of what was offered, whole and in order
    let mut seen = rig.seen.as_slice();
    let mut missed = 0;
    for entries in &offered {
        match seen.strip_prefix(entries.as_slice()) {
            Some(rest) => seen = rest,
            None => missed += 1,
        }
    }
    assert!(seen.is_empty(), "{} entries are nobody's", seen.len());
    assert!(missed > 20, "{missed}");
    assert_eq!(rig.lost, missed);
}

#[test]
fn nothing_is_told_that_is_not_wanted() {
    let mut random = Random::new();
    let mut rig = Rig::new();
    rig.dut.set_digests(0);
    rig.dut.set_frames(0);
    for _ in 0..300 {
        let frame = any_frame(&mut random);
        rig.push(&frame, 0);
    }
    rig.play(&mut random, (1, 2));
    assert_eq!((rig.seen.len(), rig.lost, rig.dut.valid()), (0, 0, 0));
}
