//! Taking upcalls out of a gateway, and learning from them.
//!
//! The gateway tells of frames that belong to no flow ([`spec::upcall`](matchrdma_spec::upcall)): digests of requests and ACKs
//! between two addresses, and datagrams for queue pair 1 whole. [`Upcalls::poll`] takes them out in the order in which the
//! frames passed and hands them to a [`Learner`]. When the gateway lost some, what ACKs seemed to show is forgotten.

use crate::learn::Learner;
use matchrdma_spec::regs::{upcall, Reg};
use matchrdma_spec::upcall::{Digest, BYTES};
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
fn number(address: IpAddr) -> u128 {
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
}

impl Upcalls {
    /// Learns with this learner, from what comes from now on.
    pub fn new(learner: Learner) -> Self {
        Upcalls { learner, datagrams: Default::default(), lost: None }
    }

    /// Takes out everything that waits, the older of the two heads first, and returns how many entries it was.
    pub fn poll<R: Registers>(&mut self, registers: &mut R) -> Result<usize, R::Error> {
        if self.lost.is_none() {
            self.lost = Some(registers.read(&upcall::LOST)?);
        }
        let mut taken = 0;
        let mut heads = [None, None];
        loop {
            for (line, head) in heads.iter_mut().enumerate() {
                if head.is_none() {
                    *head = stamp(registers, line as u32)?;
                }
            }
            // An empty queue may get an entry later, but none that is older than what waits now.
            let Some(line) = (0..2).filter(|i| heads[*i].is_some()).min_by_key(|i| heads[*i]) else { break };
            self.entry(registers, line)?;
            heads[line] = None;
            taken += 1;
        }
        let lost = registers.read(&upcall::LOST)?;
        if self.lost != Some(lost) {
            self.lost = Some(lost);
            self.learner.overflow();
        }
        Ok(taken)
    }

    /// Reads the head of the queue that is selected, learns from it, and takes it out.
    fn entry<R: Registers>(&mut self, registers: &mut R, line: usize) -> Result<(), R::Error> {
        registers.write(&upcall::SELECT, line as u32)?;
        let head = registers.read(&upcall::HEAD)?;
        let mut entry = [0; BYTES];
        for (reg, bytes) in upcall::WORD.iter().zip(entry.chunks_mut(4)) {
            bytes.copy_from_slice(&registers.read(reg)?.to_le_bytes());
        }
        registers.write(&upcall::TAKE, 0)?;
        if upcall::HEAD_DIGEST.get(head) == 1 {
            self.learner.digest(&Digest::unpack(&entry));
            return Ok(());
        }
        let bytes = &entry[..BYTES.min(upcall::HEAD_BYTES.get(head) as usize)];
        let (first, last) = (upcall::HEAD_FIRST.get(head) == 1, upcall::HEAD_LAST.get(head) == 1);
        if let Some(frame) = self.datagrams[line].piece(bytes, first, last) {
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
    }

    impl Registers for Fake {
        type Error = ();
        fn read(&mut self, reg: &Reg) -> Result<u32, ()> {
            let head = self.queues[self.selected].front();
            let word = upcall::WORD.iter().position(|r| r == reg);
            Ok(match (reg, head) {
                (&upcall::LOST, _) => self.lost,
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
