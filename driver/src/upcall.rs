//! Taking upcalls out of a gateway, and learning from them.
//!
//! The gateway tells of frames that belong to no flow ([`spec::upcall`](matchrdma_spec::upcall)): digests of requests and ACKs
//! between two addresses, and datagrams for queue pair 1 whole. [`Upcalls::poll`] takes them out in the order in which the
//! frames passed and hands them to a [`Learner`]. When the gateway lost some, what ACKs seemed to show is forgotten.
//!
//! While traffic runs nobody has seen the requests that passed before one began to look, or while some were lost. Their
//! ACKs would seem to answer another queue pair's request of the same PSN. So ACKs count only once a *settling time* is
//! over, which is longer than any of them takes ([`Upcalls::settling`]).

use crate::learn::Learner;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::{event, upcall, Reg};
use matchrdma_spec::upcall::{Digest, BYTES};
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::parse_frame;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Where registers are read and written: a device, or a simulated one.
pub trait Registers {
    /// Why an access failed.
    type Error;
    /// Reads a register.
    fn read(&mut self, reg: &Reg) -> Result<u32, Self::Error>;
    /// Writes a register.
    fn write(&mut self, reg: &Reg, word: u32) -> Result<(), Self::Error>;
}

/// What the gateway is asked to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Digests of frames between these two: client side, line side. Of one family.
    pub between: Option<(IpAddr, IpAddr)>,
    /// Datagrams for queue pair 1.
    pub datagrams: bool,
}

/// An address as a key has it.
pub fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u32::from(v4).into(),
        IpAddr::V6(v6) => v6.into(),
    }
}

/// Asks for it. Entries of an earlier wish stay in the queues.
pub fn want<R: Registers>(registers: &mut R, wanted: &Wanted) -> Result<(), R::Error> {
    registers.write(&upcall::CONTROL, 0)?;
    let mut word = upcall::CONTROL_FRAMES.with(0, wanted.datagrams.into());
    if let Some((near, far)) = wanted.between {
        for (regs, address) in [(&upcall::NEAR, near), (&upcall::FAR, far)] {
            for (i, reg) in regs.iter().enumerate() {
                registers.write(reg, (number(address) >> (32 * i)) as u32)?;
            }
        }
        word = upcall::CONTROL_V6.with(upcall::CONTROL_DIGESTS.with(word, 1), near.is_ipv6().into());
    }
    registers.write(&upcall::CONTROL, word)
}

/// A datagram of which some pieces are here.
#[derive(Clone, Debug, Default)]
struct Datagram(Option<Vec<u8>>);

impl Datagram {
    /// Takes a piece; gives the datagram with its last one.
    fn piece(&mut self, bytes: &[u8], first: bool, last: bool) -> Option<Vec<u8>> {
        if first {
            self.0 = Some(vec![]);
        }
        self.0.as_mut()?.extend(bytes);
        if last {
            self.0.take()
        } else {
            None
        }
    }
}

/// The host's side of the two queues.
#[derive(Clone, Debug)]
pub struct Upcalls {
    /// What was learnt.
    pub learner: Learner,
    datagrams: [Datagram; 2],
    lost: Option<u32>,
    /// Cycles for which ACKs do not count once something may have been missed, and until when they do not.
    settling: u64,
    deaf_until: u64,
    /// Addresses that frames came from, by port.
    sources: [BTreeSet<(bool, u128)>; 2],
}

/// Addresses that are remembered of a port; when there are more they are forgotten.
const MAX_SOURCES: usize = 65_536;
/// Entries that one call of [`Upcalls::poll`] takes out at most: who polls has other things to do.
pub const POLL_MAX: usize = 4096;
/// `EVENT_NOW` counts this many cycles.
const NOW_LOG2_CYCLES: u32 = event::TIME_BITS as u32 - u32::BITS;

impl Upcalls {
    /// Learns with this learner, from what comes from now on.
    pub fn new(learner: Learner) -> Self {
        let (datagrams, sources) = Default::default();
        Upcalls { learner, datagrams, lost: None, settling: 0, deaf_until: 0, sources }
    }

    /// The same, of traffic that runs: ACKs count once so many cycles are over after [`Upcalls::begin`], and after a loss.
    pub fn settling(self, cycles: u64) -> Self {
        Upcalls { settling: cycles, ..self }
    }

    /// Asks for it, and begins to learn from ACKs anew: what passed meanwhile nobody has seen.
    pub fn begin<R: Registers>(&mut self, registers: &mut R, wanted: &Wanted) -> Result<(), R::Error> {
        want(registers, wanted)?;
        self.lost = Some(registers.read(&upcall::LOST)?);
        self.missed(registers)
    }

    /// Something may have been missed from now on, or until now.
    pub fn missed<R: Registers>(&mut self, registers: &mut R) -> Result<(), R::Error> {
        self.learner.overflow();
        if self.settling > 0 {
            // Rounded up, or the settling time would be shorter.
            let now = (u64::from(registers.read(&event::NOW)?) + 1) << NOW_LOG2_CYCLES;
            self.deaf_until = now + self.settling;
        }
        Ok(())
    }

    /// What the gateway had lost since its reset, as of the last look.
    pub fn lost(&self) -> Option<u32> {
        self.lost
    }

    /// Forgets the connection one of whose ends has this key.
    pub fn forget(&mut self, key: &FlowKey) {
        self.learner.forget(key);
    }

    /// Whether an address was seen at the client port, and at the line port.
    pub fn seen(&self, v6: bool, address: u128) -> [bool; 2] {
        [0, 1].map(|line| self.sources[line].contains(&(v6, address)))
    }

    fn came(&mut self, line: usize, v6: bool, address: u128) {
        let sources = &mut self.sources[line];
        if sources.len() >= MAX_SOURCES {
            sources.clear();
        }
        sources.insert((v6, address));
    }

    /// Takes out what waits, [`POLL_MAX`] entries at most, the older of the two heads first, and returns how many it was.
    pub fn poll<R: Registers>(&mut self, registers: &mut R) -> Result<usize, R::Error> {
        if self.lost.is_none() {
            self.lost = Some(registers.read(&upcall::LOST)?);
        }
        let mut taken = 0;
        let mut heads = [None, None];
        while taken < POLL_MAX {
            for (line, head) in heads.iter_mut().enumerate() {
                if head.is_none() {
                    *head = stamp(registers, line as u32)?;
                }
            }
            // An empty queue may get an entry later, but none that is older than what waits now.
            let Some(line) = (0..2).filter(|i| heads[*i].is_some()).min_by_key(|i| heads[*i]) else { break };
            self.entry(registers, line, heads[line].unwrap_or(0))?;
            heads[line] = None;
            taken += 1;
        }
        let lost = registers.read(&upcall::LOST)?;
        if self.lost != Some(lost) {
            self.lost = Some(lost);
            self.missed(registers)?;
        }
        Ok(taken)
    }

    /// Reads the head of the queue that is selected, learns from it, and takes it out.
    fn entry<R: Registers>(&mut self, registers: &mut R, line: usize, time: u64) -> Result<(), R::Error> {
        registers.write(&upcall::SELECT, line as u32)?;
        let head = registers.read(&upcall::HEAD)?;
        let mut entry = [0; BYTES];
        for (reg, bytes) in upcall::WORD.iter().zip(entry.chunks_mut(4)) {
            bytes.copy_from_slice(&registers.read(reg)?.to_le_bytes());
        }
        registers.write(&upcall::TAKE, 0)?;
        if upcall::HEAD_DIGEST.get(head) == 1 {
            let digest = Digest::unpack(&entry);
            self.came(line, digest.v6, digest.src_ip);
            if digest.opcode != opcode::ACKNOWLEDGE || time >= self.deaf_until {
                self.learner.digest(&digest);
            }
            return Ok(());
        }
        let bytes = &entry[..BYTES.min(upcall::HEAD_BYTES.get(head) as usize)];
        let (first, last) = (upcall::HEAD_FIRST.get(head) == 1, upcall::HEAD_LAST.get(head) == 1);
        if let Some(frame) = self.datagrams[line].piece(bytes, first, last) {
            let meta = parse_frame(&frame);
            self.came(line, meta.v6, meta.src_ip);
            self.learner.frame(&frame);
        }
        Ok(())
    }
}

/// When the head of a queue passed; `None`: it is empty.
fn stamp<R: Registers>(registers: &mut R, line: u32) -> Result<Option<u64>, R::Error> {
    registers.write(&upcall::SELECT, line)?;
    if upcall::HEAD_VALID.get(registers.read(&upcall::HEAD)?) == 0 {
        return Ok(None);
    }
    let (low, high) = (registers.read(&upcall::TIME_LOW)?, registers.read(&upcall::TIME_HIGH)?);
    Ok(Some(upcall::time(low, high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::acks;
    use matchrdma_spec::wire::opcode;
    use std::collections::VecDeque;

    /// Two queues and the registers that show them.
    #[derive(Default)]
    struct Fake {
        queues: [VecDeque<(u64, Digest)>; 2],
        selected: usize,
        lost: u32,
        now: u32,
    }

    impl Registers for Fake {
        type Error = ();
        fn read(&mut self, reg: &Reg) -> Result<u32, ()> {
            let head = self.queues[self.selected].front();
            let word = upcall::WORD.iter().position(|r| r == reg);
            Ok(match (reg, head) {
                (&upcall::LOST, _) => self.lost,
                (&event::NOW, _) => self.now,
                (_, None) => 0,
                (&upcall::HEAD, _) => 0b1111 | 64 << 8,
                (&upcall::TIME_LOW, Some((time, _))) => *time as u32,
                (&upcall::TIME_HIGH, Some((time, _))) => (time >> 32) as u32,
                (_, Some((_, digest))) => {
                    let at = 4 * word.expect("a word of the entry");
                    u32::from_le_bytes(digest.pack()[at..at + 4].try_into().unwrap())
                }
            })
        }
        fn write(&mut self, reg: &Reg, word: u32) -> Result<(), ()> {
            match *reg {
                upcall::SELECT => self.selected = word as usize,
                upcall::TAKE => drop(self.queues[self.selected].pop_front()),
                _ => {}
            }
            Ok(())
        }
    }

    /// A request on its way there, and its ACK on the way back.
    fn exchange(fake: &mut Fake, psn: u32, at: u64) {
        let there = Digest { src_ip: 1, dst_ip: 2, opcode: opcode::WRITE_ONLY, dest_qpn: 7, psn, ..Digest::default() };
        let back =
            Digest { src_ip: 2, dst_ip: 1, opcode: opcode::ACKNOWLEDGE, dest_qpn: 9, psn, syndrome: 0x1f, ..there };
        fake.queues[0].push_back((at, there));
        fake.queues[1].push_back((at + 5, back));
        // Another queue pair comes to this PSN when it is answered already: no candidate, if the order is kept.
        fake.queues[0].push_back((at + 7, Digest { dest_qpn: 8, ..there }));
    }

    #[test]
    fn the_older_head_comes_first_so_each_ack_finds_its_request() {
        let mut upcalls = Upcalls::new(Learner::new(acks::LIVE));
        let mut fake = Fake::default();
        let over_32_bits = (1 << 32) - 20;
        (0..8).for_each(|i| exchange(&mut fake, 100 + i, over_32_bits + 10 * u64::from(i)));
        assert_eq!(upcalls.poll(&mut fake), Ok(24));
        let flows = upcalls.learner.flows();
        assert_eq!(flows.len(), 2, "both directions");
        assert_eq!((flows[0].requester_qpn, flows[0].responder_qpn), (9, 7));
    }

    #[test]
    fn what_was_lost_voids_what_acks_showed() {
        let mut upcalls = Upcalls::new(Learner::new(acks::LIVE));
        let mut fake = Fake { lost: 3, ..Fake::default() };
        upcalls.poll(&mut fake).unwrap();
        (0..7).for_each(|i| exchange(&mut fake, i, 10 * u64::from(i)));
        upcalls.poll(&mut fake).unwrap();
        fake.lost += 1;
        exchange(&mut fake, 7, 70);
        upcalls.poll(&mut fake).unwrap();
        assert!(upcalls.learner.flows().is_empty(), "seven and one, with a loss between, are not eight");
        (8..16).for_each(|i| exchange(&mut fake, i, 10 * u64::from(i)));
        upcalls.poll(&mut fake).unwrap();
        assert_eq!(upcalls.learner.flows().len(), 2);
    }

    /// Two queue pairs in lockstep, one of which had a request under way when one began to look: its ACK has only the other
    /// one's request to answer, and from then on every ACK of it has the other one among its candidates.
    #[test]
    fn an_ack_of_a_request_that_nobody_saw_pairs_nobody() {
        for settling in [0, 1000] {
            let mut upcalls = Upcalls::new(Learner::new(acks::LIVE)).settling(settling);
            let mut fake = Fake { now: 3, ..Fake::default() };
            upcalls.begin(&mut fake, &Wanted::default()).unwrap();
            let begun = 4 << NOW_LOG2_CYCLES;
            for i in 0..40 {
                let (psn, at) = (100 + i as u32, begun + 100 * i);
                let there = |dest_qpn| Digest {
                    src_ip: 1,
                    dst_ip: 2,
                    opcode: opcode::WRITE_ONLY,
                    dest_qpn,
                    psn,
                    ..Digest::default()
                };
                let back = |dest_qpn, psn| Digest {
                    src_ip: 2,
                    dst_ip: 1,
                    opcode: opcode::ACKNOWLEDGE,
                    dest_qpn,
                    psn,
                    ..Digest::default()
                };
                // The first request to 7 has passed already.
                fake.queues[0].extend((i > 0).then(|| (at, there(7))));
                fake.queues[0].push_back((at + 1, there(8)));
                fake.queues[1].push_back((at + 50, back(17, psn)));
                fake.queues[1].push_back((at + 51, back(18, psn)));
            }
            upcalls.poll(&mut fake).unwrap();
            let wrong = upcalls.learner.flows().iter().any(|f| (f.requester_qpn, f.responder_qpn) == (17, 8));
            assert_eq!(wrong, settling == 0, "{:?}", upcalls.learner.flows());
        }
    }

    #[test]
    fn who_polls_gets_away_from_a_queue_that_is_never_empty() {
        let mut upcalls = Upcalls::new(Learner::new(acks::LIVE));
        let mut fake = Fake::default();
        (0..POLL_MAX as u32).for_each(|i| exchange(&mut fake, i, 10 * u64::from(i)));
        assert_eq!(upcalls.poll(&mut fake), Ok(POLL_MAX));
        assert_eq!(upcalls.seen(false, 1), [true, false]);
        assert_eq!(upcalls.seen(false, 2), [false, true]);
    }

    #[test]
    fn pieces_make_a_datagram_and_a_half_one_is_forgotten() {
        let mut d = Datagram::default();
        assert_eq!(d.piece(b"lost its begin", false, true), None);
        assert_eq!(d.piece(b"ab", true, false), None);
        assert_eq!(d.piece(b"cd", true, false), None, "the first one never ended");
        assert_eq!(d.piece(b"ef", false, true), Some(b"cdef".to_vec()));
        assert_eq!(d.piece(b"x", true, true), Some(b"x".to_vec()));
    }
}
