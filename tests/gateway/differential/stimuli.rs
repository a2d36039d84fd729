//! What the hosts of the differential test send: requests, answers, other frames, damage.

use super::Run;
use crate::gateway::packets::{aeth, budget, frame, mac_control, migrated, plain, reth, Packet};
use matchrdma_model::record::State;
use matchrdma_spec::params::{MAX_FRAME_BYTES, PSN_MASK};
use matchrdma_spec::wire::opcode::*;

/// Requests by how often they come.
const REQUESTS: [(u8, u64); 19] = [
    (WRITE_ONLY, 24),
    (SEND_ONLY, 10),
    (WRITE_FIRST, 6),
    (WRITE_MIDDLE, 8),
    (WRITE_LAST, 6),
    (SEND_FIRST, 4),
    (SEND_MIDDLE, 4),
    (SEND_LAST, 4),
    (SEND_LAST_IMM, 2),
    (SEND_ONLY_IMM, 3),
    (WRITE_LAST_IMM, 2),
    (WRITE_ONLY_IMM, 3),
    (SEND_LAST_INV, 2),
    (SEND_ONLY_INV, 2),
    (READ_REQUEST, 8),
    (CMP_SWAP, 3),
    (FETCH_ADD, 3),
    (FLUSH, 2),
    (ATOMIC_WRITE, 2),
];

impl Run {
    fn near(&mut self, psn: u32) -> u32 {
        let by = match self.random.below(20) {
            0..=9 => 1 + self.random.below(4) as i64,
            10..=15 => -1 - self.random.below(12) as i64,
            16 => 65_535 + self.random.below(3) as i64,
            17 => -65_535 - self.random.below(3) as i64,
            18 => 0x7f_fffe + self.random.below(4) as i64,
            _ => self.random.bits(24) as i64,
        };
        (i64::from(psn) + by) as u32 & PSN_MASK
    }

    /// A request, in order or not.
    pub(super) fn request(&mut self, i: usize) -> Vec<u8> {
        let wrong = self.goes_wrong(i);
        if wrong && self.random.chance(1, 16) && !self.flows[i].sent.is_empty() {
            let n = self.random.below(self.flows[i].sent.len() as u64) as usize;
            self.tally.count("case", "repeated byte by byte");
            return self.flows[i].sent[n].clone();
        }
        let flow = self.model.flow(self.flows[i].index);
        let active = flow.state == State::Active;
        let jumps = self.flows[i].erratic && self.random.chance(1, 2);
        let psn = if jumps {
            self.near(flow.expected_psn)
        } else if !wrong || self.random.chance(if active { 9 } else { 28 }, if active { 10 } else { 30 }) {
            flow.expected_psn
        } else if !active && self.random.chance(1, 2) {
            // Begin just before the wrap.
            PSN_MASK - self.random.below(6) as u32
        } else {
            self.near(flow.expected_psn)
        };
        let all: u64 = REQUESTS.iter().map(|r| r.1).sum();
        let mut draw = self.random.below(all);
        let mut opcode = REQUESTS
            .iter()
            .find(|r| {
                if draw < r.1 {
                    true
                } else {
                    draw -= r.1;
                    false
                }
            })
            .expect("a request")
            .0;
        if wrong && self.random.chance(1, 40) {
            let any = self.random.bits(8) as u8;
            opcode = self.random.pick(&[0x15, 0x18, 0x1f, CNP, UD_SEND_ONLY, 0x2a, 0xaa, ACKNOWLEDGE, any]);
        }
        let mtu = self.flows[i].mtu;
        let mut body = vec![0x33; ext_header_bytes(opcode)];
        if has_reth(opcode) {
            let len = match self.random.below(6) {
                0 => 0,
                1 => mtu * self.random.below(5) as u32,
                2 => 1 + self.random.below(256) as u32,
                3 => self.random.u32() >> self.random.below(32),
                _ => self.random.below(u64::from(mtu) * 4) as u32,
            };
            body.splice(..16, reth(len));
        }
        let most = self.random.pick(&[1, 16, 300u64]);
        let payload = match opcode {
            _ if wrong && self.random.chance(1, 120) => self.random.pick(&[mtu - 4, 8, mtu + 4]),
            o if is_first(o) || is_middle(o) => mtu,
            READ_REQUEST | CMP_SWAP | FETCH_ADD | FLUSH => 0,
            ATOMIC_WRITE => 8,
            _ => self.random.below(most) as u32,
        };
        body.extend(self.random.bytes(payload as usize));
        self.ident += 1;
        let f = &self.flows[i];
        let p = Packet { opcode, qpn: f.responder, psn, ack_req: self.random.chance(1, 2), body, ident: self.ident };
        let made = frame(&f.out, &p);
        let made = if wrong && self.random.chance(1, 120) { migrated(&self.flows[i].out, made) } else { made };
        let sent = &mut self.flows[i].sent;
        sent.push_back(made.clone());
        if sent.len() > 24 {
            sent.pop_front();
        }
        made
    }

    /// A WRITE of one packet.
    pub(super) fn request_at(&mut self, i: usize, psn: u32) -> Vec<u8> {
        let f = &self.flows[i];
        let body = [reth(9), vec![0x5a; 9]].concat();
        frame(&f.out, &Packet { opcode: WRITE_ONLY, qpn: f.responder, psn, ack_req: true, body, ident: self.ident })
    }

    /// An answer of the far side, true or not.
    pub(super) fn response(&mut self, i: usize) -> Vec<u8> {
        let flow = self.model.flow(self.flows[i].index);
        let mut opcode = ACKNOWLEDGE;
        let mut syndrome = self.random.bits(5) as u8;
        let newest = flow.expected_psn.wrapping_sub(1) & PSN_MASK;
        let (mut psn, mut msn) = (newest, self.flows[i].far_msn);
        // Until a flow is Active the far side does little else than acknowledge.
        let draw = self.random.below(if flow.state == State::Sync { 300 } else { 100 });
        // Most flows have a far side that keeps to what it owes.
        let draw = if matches!(draw, 55..=61 | 93..=99) && !self.goes_wrong(i) { draw % 32 } else { draw };
        match draw {
            0..=54 | 100.. => {
                // What it owes, one or several at once.
                for _ in 0..self.random.pick(&[1, 1, 1, 3]) {
                    (psn, msn) = self.flows[i].owed.pop_front().unwrap_or((psn, msn));
                }
            }
            55..=59 => psn = self.near(flow.expected_psn),
            60..=61 => psn = flow.expected_psn,
            62..=63 => {
                syndrome = self.random.pick(&[0x60, 0x61, 0x62, 0x63, 0x64, 0x20, 0x3f, 0x40, 0xff]);
                psn = self.random.pick(&[newest, flow.expected_psn, flow.acknowledged_psn]);
                psn = if self.random.chance(1, 3) { self.near(psn) } else { psn };
            }
            64..=92 => {
                opcode = self.random.pick(&[
                    READ_RESPONSE_FIRST,
                    READ_RESPONSE_MIDDLE,
                    READ_RESPONSE_LAST,
                    READ_RESPONSE_ONLY,
                    ATOMIC_ACKNOWLEDGE,
                ]);
                psn = self.random.pick(&[newest, newest, flow.departed_psn, flow.confirmed_psn.wrapping_add(1)]);
                psn &= PSN_MASK;
            }
            93..=95 => opcode = self.random.bits(8) as u8,
            96..=97 => return self.request(i),
            _ => psn = flow.confirmed_psn,
        }
        let mut body = vec![0x44; ext_header_bytes(opcode)];
        if has_aeth(opcode) {
            body.splice(..4, aeth(syndrome, msn));
        }
        let mtu = self.flows[i].mtu;
        let payload = match opcode {
            READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE => self.random.pick(&[mtu, mtu, mtu, mtu - 1]),
            READ_RESPONSE_LAST | READ_RESPONSE_ONLY => self.random.below(u64::from(mtu) + 1) as u32,
            _ => 0,
        };
        body.extend(self.random.bytes(payload as usize));
        self.ident += 1;
        let f = &self.flows[i];
        frame(&f.back, &Packet { opcode, qpn: f.requester, psn, ack_req: false, body, ident: self.ident })
    }

    /// A frame that belongs to no flow.
    pub(super) fn other(&mut self) -> Vec<u8> {
        let number = self.random.u64();
        match self.random.below(8) {
            0 => plain(1 + self.random.below(60) as usize, number),
            1 => plain(MAX_FRAME_BYTES - 1 + self.random.below(3) as usize, number),
            2 => plain(MAX_FRAME_BYTES + 1 + self.random.below(3000) as usize, number),
            3 if self.random.chance(1, 2) => mac_control(&mut self.random),
            3 => budget(),
            4 => {
                let i = self.random.below(self.flows.len() as u64) as usize;
                let way = self.random.pick(&[self.flows[i].out.clone(), self.flows[i].back.clone()]);
                let body = [reth(5), vec![1; 5]].concat();
                let qpn = self.random.bits(24) as u32;
                frame(&way, &Packet { opcode: WRITE_ONLY, qpn, psn: 5, ack_req: true, body, ident: 0 })
            }
            _ => plain(60 + self.random.below(300) as usize, number),
        }
    }

    /// What may become of a frame on its way, or what a NIC never sends.
    pub(super) fn damage(&mut self, mut f: Vec<u8>) -> Vec<u8> {
        match self.random.below(40) {
            0..=1 => {
                let at = self.random.below(f.len() as u64) as usize;
                f[at] ^= 1 << self.random.below(8);
            }
            2 if f.len() > 20 => f.truncate(1 + self.random.below(f.len() as u64 - 1) as usize),
            3 if f.len() > 60 => {
                // A length field or a version that is a little off.
                let at = 14 + self.random.below(40) as usize;
                f[at] = f[at].wrapping_add(self.random.pick(&[1, 4, 0xfc, 0xff]));
            }
            4 => {
                let more = 1 + self.random.below(90) as usize;
                f.extend(self.random.bytes(more));
            }
            _ => {}
        }
        f
    }
}
