//! What no good MAC or NIC sends: it passes whole or is dropped whole and counted; nothing hangs, nothing of it is
//! acknowledged, and good traffic goes on behind it.

use super::bench::{noisy, Bench};
use super::packets::{aeth, frame, plain, reth, Packet, Way};
use crate::harness::Random;
use matchrdma_model::record::{Cfg, State};
use matchrdma_sim::engine::{beats, Beat, Gateway};
use matchrdma_spec::params::{MAX_FRAME_BEATS, MAX_FRAME_BYTES};
use matchrdma_spec::regs::control;
use matchrdma_spec::regs::counters::*;
use matchrdma_spec::regs::flow::{DIR_INBOUND, DIR_OUTBOUND};
use matchrdma_spec::wire::icrc;
use matchrdma_spec::wire::opcode::*;
use matchrdma_spec::wire::packet::parse_frame;

const INDEX: u16 = 5;
const RESPONDER: u32 = 0x1234;
const REQUESTER: u32 = 0x4321;

struct Rig {
    bench: Bench,
    random: Random,
    way: Way,
    psn: u32,
    serial: u8,
}

impl Rig {
    /// In bypass.
    fn new() -> Self {
        let way = Way { v6: false, vids: vec![], src: 0x0a00_0001, dst: 0x0a00_0002, src_mac: 1, dst_mac: 2 };
        Rig { bench: Bench::new(), random: Random::new(), way, psn: 0xff_fffe, serial: 0 }
    }

    /// With one flow, Active.
    fn active() -> Self {
        let mut rig = Rig::new();
        rig.install();
        rig.activate();
        rig
    }

    fn install(&mut self) {
        let (out, back) = (self.way.key(RESPONDER), self.way.back().key(REQUESTER));
        self.bench.add_key(DIR_OUTBOUND, out, INDEX, &mut self.random);
        self.bench.add_key(DIR_INBOUND, back, INDEX, &mut self.random);
    }

    fn activate(&mut self) {
        self.serial += 1;
        self.bench.set_cfg(INDEX, Cfg { enable: true, serial: self.serial, mtu: 3, ..Cfg::default() });
        self.bench.write(&control::CONTROL, 1);
        for _ in 0..2 {
            let write = self.write(self.psn);
            assert_eq!(self.client(&write), [vec![], vec![write]]);
            self.psn = (self.psn + 1) & 0xff_ffff;
        }
        let p = self.psn.wrapping_sub(1) & 0xff_ffff;
        let ack = frame(
            &self.way.back(),
            &Packet { opcode: ACKNOWLEDGE, qpn: REQUESTER, psn: p, body: aeth(0x1f, 7), ..Packet::default() },
        );
        assert_eq!(self.line(&ack), [vec![ack], vec![]]);
        assert_eq!(self.bench.flow(INDEX).state, State::Active);
        self.works();
    }

    /// A good request is acknowledged at once.
    fn works(&mut self) {
        let write = self.write(self.psn);
        let [client, line] = self.client(&write);
        assert_eq!(line, [write]);
        let said: Vec<_> = client.iter().map(|f| parse_frame(f)).map(|m| (m.roce, m.opcode, m.psn)).collect();
        assert_eq!(said, [(true, ACKNOWLEDGE, self.psn)]);
        self.psn = (self.psn + 1) & 0xff_ffff;
    }

    /// Good traffic of no flow passes both ways.
    fn passes(&mut self) {
        for size in [60, 64, 65, 1500] {
            let f = plain(size, self.random.u64());
            assert_eq!(self.client(&f), [vec![], vec![f.clone()]]);
            assert_eq!(self.line(&f), [vec![f], vec![]]);
        }
    }

    fn write(&self, psn: u32) -> Vec<u8> {
        let body = [reth(100), vec![7; 100]].concat();
        frame(&self.way, &Packet { opcode: WRITE_ONLY, qpn: RESPONDER, psn, ack_req: true, body, ident: psn })
    }

    fn client(&mut self, f: &[u8]) -> [Vec<Vec<u8>>; 2] {
        let beats = noisy(f, false, &mut self.random);
        self.bench.play(&beats, true)
    }

    fn line(&mut self, f: &[u8]) -> [Vec<Vec<u8>>; 2] {
        let beats = noisy(f, false, &mut self.random);
        self.bench.play(&beats, false)
    }

    /// The frame passes to the line as it is; nothing is said of it and the flow stays where it was.
    fn passes_unseen(&mut self, f: &[u8], why: &str) {
        let before = self.bench.flow(INDEX);
        assert_eq!(self.client(f), [vec![], vec![f.to_vec()]], "{why}");
        assert_eq!(self.bench.flow(INDEX), before, "{why}");
    }

    fn count(&mut self, counter: &Counter) -> u64 {
        self.bench.counter(counter)
    }
}

fn endless(count: usize) -> Vec<Beat> {
    (0..count).map(|i| Beat { data: [i as u8; 64], bytes: 64, last: false, err: false }).collect()
}

#[test]
fn a_frame_that_never_ends_is_dropped_once_and_holds_up_nobody_else() {
    let mut rig = Rig::active();
    for from_client in [true, false] {
        let before = rig.count(&DROP_MALFORMED);
        let f = plain(900, 1);
        // Far longer than packet memory; the other direction goes on meanwhile.
        let beats_of_it: Vec<Beat> = beats(&f).collect();
        let mut other = beats_of_it.iter().cycle();
        let mut came = 0;
        let per = f.len().div_ceil(64);
        for (i, beat) in endless(40_000).iter().enumerate() {
            let more = if i < 300 * per { other.next() } else { None };
            let (client, line) = if from_client { (Some(beat), more) } else { (more, Some(beat)) };
            let t = rig.bench.gates.tick(client, line, true, true);
            let (same, across) = if from_client { (t.line_tx, t.client_tx) } else { (t.client_tx, t.line_tx) };
            assert_eq!(same, None, "nothing of it leaves");
            came += u32::from(across.is_some_and(|b| b.last));
        }
        assert_eq!(came, 300);
        assert_eq!(rig.count(&DROP_MALFORMED), before + 1, "once, as soon as it is too long");
        // It ends at last; what follows is another frame.
        let end = [Beat { data: [9; 64], bytes: 3, last: true, err: false }];
        assert_eq!(rig.bench.play(&end, from_client), [vec![], vec![]] as [Vec<Vec<u8>>; 2]);
        rig.passes();
        rig.works();
        assert_eq!(rig.count(&DROP_MALFORMED), before + 1);
    }
    rig.bench.settle();
}

#[test]
fn giants_are_dropped_whole() {
    let mut rig = Rig::active();
    let longest = plain(MAX_FRAME_BYTES, 3);
    assert_eq!(rig.client(&longest), [vec![], vec![longest.clone()]]);
    for (n, size) in [MAX_FRAME_BYTES + 1, 2 * MAX_FRAME_BYTES, 64 * (MAX_FRAME_BEATS + 1), 60_000].iter().enumerate() {
        let f = plain(*size, 4);
        assert_eq!(rig.client(&f), [vec![], vec![]] as [Vec<Vec<u8>>; 2], "{size}");
        assert_eq!(rig.line(&f), [vec![], vec![]] as [Vec<Vec<u8>>; 2], "{size}");
        assert_eq!(rig.count(&DROP_MALFORMED), 2 * (n as u64 + 1), "{size}");
        rig.works();
    }
    // A request that is too long is no request: the flow waits for it still.
    let body = [reth(9600), vec![7; 9600]].concat();
    let p = Packet { opcode: WRITE_ONLY, qpn: RESPONDER, psn: rig.psn, ack_req: true, body, ident: 1 };
    let f = frame(&rig.way, &p);
    assert_eq!(rig.client(&f), [vec![], vec![]] as [Vec<Vec<u8>>; 2]);
    rig.works();
    rig.passes();
}

#[test]
fn runts_pass_as_they_are() {
    let mut rig = Rig::active();
    let write = rig.write(rig.psn);
    for size in 1..=64 {
        rig.passes_unseen(&write[..size], "a request that ends early");
        let f = write[..size].to_vec();
        assert_eq!(rig.line(&f), [vec![f], vec![]], "{size}");
    }
    for size in (65..write.len()).step_by(7) {
        rig.passes_unseen(&write[..size], "a request that ends early");
    }
    rig.works();
}

#[test]
fn wrong_lengths_make_a_frame_no_request() {
    let mut rig = Rig::active();
    let right = rig.write(rig.psn);
    let length = |f: &[u8], at: usize| u16::from_be_bytes([f[at], f[at + 1]]);
    for (at, what) in [(16, "IP length"), (38, "UDP length")] {
        for by in [1i32, -1, 4, -4, 64, -64, 1000, -1000, 0x7fff] {
            let mut f = right.clone();
            let value = (i32::from(length(&f, at)) + by) as u16;
            f[at..at + 2].copy_from_slice(&value.to_be_bytes());
            rig.passes_unseen(&f, &format!("{what} {value}"));
            // Nor with the ICRC that a packet of this length would have.
            let ip_len = length(&f, 16).into();
            if icrc::seal(&mut f, 14, ip_len) {
                rig.passes_unseen(&f, &format!("{what} {value}, sealed"));
            }
        }
        for value in [0u16, 1, 19, 20, 27, 28, 43, 44, 59, 60, 0xffff] {
            let mut f = right.clone();
            f[at..at + 2].copy_from_slice(&value.to_be_bytes());
            rig.passes_unseen(&f, &format!("{what} {value}"));
        }
    }
    // Both say the same, and the IP packet reaches past the end of the frame.
    let mut f = right.clone();
    f.truncate(f.len() - 1);
    rig.passes_unseen(&f, "a byte is missing");
    rig.works();
    rig.passes();
    assert_eq!(rig.count(&PSEUDO_ACKS), 2);
}

#[test]
fn a_wrong_icrc_or_ip_checksum_is_dropped_and_not_acknowledged() {
    let mut rig = Rig::active();
    let right = rig.write(rig.psn);
    let before = rig.bench.flow(INDEX);
    // The keys, the PSN and the flags are left alone: then the frame would be another flow's, or no RoCE.
    let bytes = (18..20).chain(24..26).chain(34..36).chain(44..46).chain(54..right.len());
    let mut dropped = 0;
    for at in bytes {
        let mut f = right.clone();
        f[at] ^= 1 << (at % 8);
        assert_eq!(rig.client(&f), [vec![], vec![]] as [Vec<Vec<u8>>; 2], "byte {at}");
        assert_eq!(rig.bench.flow(INDEX), before, "byte {at}");
        dropped += 1;
        assert_eq!(rig.count(&DROP_BAD_ICRC), dropped);
    }
    rig.works();
}

#[test]
fn what_may_change_on_the_way_does_not_spoil_the_icrc() {
    let mut rig = Rig::active();
    // TOS (DSCP and ECN) and TTL with the checksum that belongs to them, the UDP checksum, the reserved byte of the BTH.
    for (at, value) in
        [(15, 0x00), (15, 0x03), (15, 0xb8), (15, 0xff), (22, 1), (22, 255), (40, 0x55), (41, 9), (46, 0xc0)]
    {
        let mut f = rig.write(rig.psn);
        f[at] = value;
        f[24..26].fill(0);
        let sum = f[14..34].chunks(2).fold(0u32, |s, w| s + u32::from(u16::from_be_bytes([w[0], w[1]])));
        let sum = (sum & 0xffff) + (sum >> 16);
        f[24..26].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        let [client, line] = rig.client(&f);
        assert_eq!(line, [f], "byte {at} = {value:#x}");
        assert_eq!(client.len(), 1, "byte {at} = {value:#x}");
        rig.psn = (rig.psn + 1) & 0xff_ffff;
    }
}

#[test]
fn opcodes_that_nobody_knows_end_the_flow_quietly() {
    let mut rig = Rig::active();
    for opcode in (0..=255u8).filter(|o| !known_rc(*o)) {
        if transport(opcode) != TRANSPORT_RC && opcode % 16 != 5 {
            continue; // other transports pass alike
        }
        let p = Packet { opcode, qpn: RESPONDER, psn: rig.psn, ack_req: true, body: vec![1; 40], ident: 2 };
        let f = frame(&rig.way, &p);
        let acks = rig.count(&PSEUDO_ACKS);
        assert_eq!(rig.client(&f), [vec![], vec![f.clone()]], "{opcode:#x}");
        let drains = transport(opcode) == TRANSPORT_RC;
        let state = if drains { State::Drain } else { State::Active };
        assert_eq!(rig.bench.flow(INDEX).state, state, "{opcode:#x}");
        if drains {
            // It passes, and nothing is said any more.
            let write = rig.write(rig.psn);
            assert_eq!(rig.client(&write), [vec![], vec![write]], "{opcode:#x}");
            assert_eq!(rig.count(&PSEUDO_ACKS), acks, "{opcode:#x}");
            rig.activate();
        }
        assert_eq!(rig.line(&f), [vec![f], vec![]], "{opcode:#x}");
    }
    rig.works();
}

#[test]
fn a_last_beat_without_a_byte_drops_its_frame() {
    let mut rig = Rig::active();
    let mut dropped = 0;
    let mut refused = |rig: &mut Rig, all: &[Beat], from_client: bool| {
        assert_eq!(rig.bench.play(all, from_client), [vec![], vec![]] as [Vec<Vec<u8>>; 2]);
        dropped += 1;
        assert_eq!(rig.count(&DROP_MAC_ERROR), dropped);
    };
    for from_client in [true, false] {
        for full in [0, 1, 2, 3, 149] {
            let mut all = endless(full);
            all.push(Beat { data: [0x77; 64], bytes: 0, last: true, err: false });
            refused(&mut rig, &all, from_client);
            rig.passes();
        }
        rig.works();
    }
    // A whole request with an empty beat behind it, and one whose last beat lost all its bytes.
    let body = [reth(50), vec![7; 50]].concat();
    let p = Packet { opcode: WRITE_ONLY, qpn: RESPONDER, psn: rig.psn, ack_req: true, body, ident: 1 };
    let mut whole = frame(&rig.way, &p);
    whole.resize(128, 0);
    let mut all: Vec<Beat> = beats(&whole).collect();
    all.last_mut().expect("a frame has beats").last = false;
    all.push(Beat { data: [0; 64], bytes: 0, last: true, err: false });
    refused(&mut rig, &all, true);
    all.truncate(1);
    all.push(Beat { data: [0; 64], bytes: 0, last: true, err: false });
    refused(&mut rig, &all, true);
    rig.works();
}

#[test]
fn bytes_beyond_the_end_count_for_nothing() {
    let mut rig = Rig::active();
    // Every length of the last beat, with a right ICRC and noise behind it; then one byte of it left out.
    for payload in 1..=128usize {
        let body = [reth(payload as u32), vec![3; payload]].concat();
        let p = Packet { opcode: WRITE_ONLY, qpn: RESPONDER, psn: rig.psn, ack_req: true, body, ident: 8 };
        let f = frame(&rig.way, &p);
        let mut short: Vec<Beat> = beats(&f).collect();
        let last = short.last_mut().expect("a frame has beats");
        last.bytes -= 1; // the byte itself stays on the lanes
        if last.bytes > 0 {
            let [client, line] = rig.bench.play(&short, true);
            assert_eq!((client.len(), line.concat()), (0, f[..f.len() - 1].to_vec()), "{payload}");
        }
        let [client, line] = rig.client(&f);
        assert_eq!((client.len(), line), (1, vec![f]), "{payload}");
        rig.psn = (rig.psn + 1) & 0xff_ffff;
    }
}

#[test]
fn errors_of_the_mac_drop_a_frame_on_any_beat() {
    let mut rig = Rig::active();
    let write = rig.write(rig.psn);
    let count = write.len().div_ceil(64);
    for at in 0..count {
        let mut all: Vec<Beat> = beats(&write).collect();
        all[at].err = true;
        for from_client in [true, false] {
            assert_eq!(rig.bench.play(&all, from_client), [vec![], vec![]] as [Vec<Vec<u8>>; 2], "beat {at}");
        }
    }
    assert_eq!(rig.count(&DROP_MAC_ERROR), 2 * count as u64);
    rig.works();
}

#[test]
fn a_reset_in_the_middle_of_frames_loses_them_and_nothing_else() {
    let mut rig = Rig::new();
    rig.install();
    let long = plain(700, 1);
    let all: Vec<Beat> = beats(&long).collect();
    for at in 0..3 * all.len() + 40 {
        // Frames come in on both sides and leave, some held by a port that is not ready.
        let stream: Vec<Beat> = all.iter().cycle().take(8 * all.len()).copied().collect();
        for (i, beat) in stream.iter().take(at).enumerate() {
            rig.bench.gates.tick(Some(beat), Some(beat), i % 3 != 0, i % 2 == 0);
        }
        rig.bench.gates.reset();
        // The MACs know nothing of it: the rest of the frame comes, and passes as a frame.
        let rest = &stream[at..at + (all.len() - at % all.len()) % all.len()];
        let expected: Vec<u8> = rest.iter().flat_map(|b| b.data[..usize::from(b.bytes)].to_vec()).collect();
        assert_eq!(rig.bench.play(rest, true).map(|p| p.concat()), [vec![], expected.clone()], "{at}");
        assert_eq!(rig.bench.play(rest, false).map(|p| p.concat()), [expected, vec![]], "{at}");
        if at % 16 == 0 {
            rig.bench.settle();
            rig.passes();
            rig.activate();
            let acks = rig.count(&PSEUDO_ACKS);
            assert_eq!(acks, 1, "counters begin anew");
        }
    }
}

#[test]
fn what_memory_has_no_room_for_is_refused_and_not_acknowledged() {
    let mut rig = Rig::active();
    let [first, second] = [0, 1].map(|n| rig.write((rig.psn + n) & 0xff_ffff));
    // The line takes nothing, and frames of no flow fill the memory: long ones, then some as long as the request.
    let hold = |rig: &mut Rig, beats: &[Beat]| {
        for beat in beats.iter().map(Some).chain([None; 60]) {
            let t = rig.bench.gates.tick(beat, None, true, false);
            assert_eq!((t.client_tx, t.line_tx), (None, None));
        }
    };
    let mut given = 0;
    for (size, refused) in [(MAX_FRAME_BYTES, 1), (first.len(), 2)] {
        let stuffing: Vec<Beat> = beats(&plain(size, 1)).collect();
        while rig.count(&DROP_OVERFLOW) < refused {
            hold(&mut rig, &stuffing);
            given += 1;
        }
    }
    let before = rig.bench.flow(INDEX);
    let request: Vec<Beat> = beats(&first).collect();
    hold(&mut rig, &request);
    assert_eq!((rig.count(&DROP_OVERFLOW), rig.bench.flow(INDEX)), (3, before));
    // The line goes on: all that was kept leaves, and nothing else.
    let [client, line] = rig.bench.play(&[], true);
    assert_eq!((client.len(), line.len()), (0, given - 2));
    // The next request shows the gap; the first one closes it when it comes again.
    let [client, line] = rig.client(&second);
    let said: Vec<_> = client.iter().map(|f| parse_frame(f)).map(|m| (m.syndrome, m.psn)).collect();
    assert_eq!((said, line.len()), (vec![(0x60, rig.psn)], 0));
    rig.works();
    rig.works();
}
