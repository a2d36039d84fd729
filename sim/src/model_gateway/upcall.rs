//! What the model's gateway tells its host of frames that belong to no flow, as `docs/blocks.md` (Upcalls) says.

use super::ModelGateway;
use matchrdma_spec::regs::{event, upcall, Reg};
use matchrdma_spec::upcall::{Digest, BYTES};
use matchrdma_spec::wire::mad::QP_GSI;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame, Meta};
use std::collections::VecDeque;

/// An entry and what stands beside it.
struct Entry {
    bytes: [u8; BYTES],
    head: u32,
    time: u64,
}

/// The two queues: of frames from the client, and from the line.
#[derive(Default)]
pub(super) struct Upcalls {
    queues: [VecDeque<Entry>; 2],
    lost: u32,
}

impl Upcalls {
    pub(super) fn waits(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn put(&mut self, line: usize, pieces: Vec<Entry>) {
        // A digest, too, wants as many free places as a frame.
        if self.queues[line].len() + upcall::FRAME_ENTRIES > upcall::ENTRIES_MAX {
            self.lost = self.lost.wrapping_add(1);
        } else {
            self.queues[line].extend(pieces);
        }
    }

    /// Takes the oldest one out.
    pub(super) fn take(&mut self, line: u32) {
        self.queues[line as usize].pop_front();
    }

    /// What a register reads, with `line` selected.
    pub(super) fn read(&self, reg: &Reg, line: u32) -> u32 {
        let count = |line: usize| self.queues[line].len() as u32;
        let head = self.queues[line as usize].front();
        match *reg {
            upcall::STATUS => upcall::STATUS_LINE.with(upcall::STATUS_CLIENT.with(0, count(0)), count(1)),
            upcall::LOST => self.lost,
            upcall::HEAD => head.map_or(0, |entry| entry.head),
            upcall::TIME_LOW => head.map_or(0, |entry| entry.time as u32),
            upcall::TIME_HIGH => head.map_or(0, |entry| (entry.time >> u32::BITS) as u32),
            _ => {
                let word = upcall::WORD.iter().position(|word| word == reg);
                let entry = head.zip(word).map(|(entry, word)| entry.bytes.as_chunks().0[word]);
                entry.map_or(0, u32::from_le_bytes)
            }
        }
    }
}

impl ModelGateway {
    /// A frame has come from a port: tells of it, if it is wanted and belongs to no flow.
    pub(super) fn tell(&mut self, line: usize, frame: &[u8], err: bool) {
        let control = self.register(&upcall::CONTROL);
        if control == 0 {
            return;
        }
        let meta = parse_frame(frame);
        let (first, last) = (upcall::HEAD_FIRST.with(0, 1), upcall::HEAD_LAST.with(0, 1));
        let entry = |kind: u32, bytes: &[u8]| {
            let mut all = [0; BYTES];
            all[..bytes.len()].copy_from_slice(bytes);
            let head = upcall::HEAD_BYTES.with(upcall::HEAD_VALID.with(kind, 1), bytes.len() as u32);
            Entry { bytes: all, head, time: self.cycles }
        };
        let datagram = meta.roce && meta.opcode == opcode::UD_SEND_ONLY && meta.dest_qpn == QP_GSI;
        if datagram && upcall::CONTROL_FRAMES.get(control) == 1 {
            let pieces = frame.chunks(BYTES).take(upcall::FRAME_ENTRIES);
            let most = pieces.len();
            let pieces = pieces
                .enumerate()
                .map(|(n, bytes)| entry(if n == 0 { first } else { 0 } + if n + 1 == most { last } else { 0 }, bytes));
            let pieces = pieces.collect();
            self.upcalls.put(line, pieces);
        }
        let judged = !err && icrc_ok(frame, &meta) && meta.ip_ok && !self.belongs(line, &meta);
        let digest = Digest::of(&meta).filter(|digest| judged && self.between(control, line, digest));
        if let Some(digest) = digest.filter(|_| upcall::CONTROL_DIGESTS.get(control) == 1) {
            let told = entry(upcall::HEAD_DIGEST.with(first + last, 1), &digest.pack());
            self.upcalls.put(line, vec![told]);
        }
    }

    /// Whether it goes between the two addresses that the host chose.
    fn between(&self, control: u32, line: usize, digest: &Digest) -> bool {
        let address = |regs: &[Reg; 4]| {
            let words = if digest.v6 { regs } else { &regs[..1] };
            words.iter().rev().fold(0, |all, reg| all << u32::BITS | u128::from(self.register(reg)))
        };
        let (near, far) = (address(&upcall::NEAR), address(&upcall::FAR));
        let (src, dst) = if line == 0 { (near, far) } else { (far, near) };
        digest.v6 == (upcall::CONTROL_V6.get(control) == 1) && (digest.src_ip, digest.dst_ip) == (src, dst)
    }

    /// Whether a key table has its key.
    fn belongs(&self, line: usize, meta: &Meta) -> bool {
        let key = meta.flow_key();
        self.rows.iter().any(|((direction, _), row)| *direction == line as u32 && row.valid && row.key == key)
    }

    /// The interrupt line: the model tells no events.
    pub(super) fn line_is_up(&self) -> bool {
        event::CONTROL_IRQ_UPCALLS.get(self.register(&event::CONTROL)) == 1 && self.upcalls.waits()
    }
}
