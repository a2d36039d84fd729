//! Far gateways that say anything, nearly always something that counts.

use crate::harness::Random;
use matchrdma_model::budget_rail::RailCfg;
use matchrdma_model::budget_rx::{Peer, Said};
use matchrdma_spec::wire::budget::{self, Budget, BYTES, CRC, SENT};
use matchrdma_spec::wire::eth;

/// One of them: that of a path.
#[derive(Clone, Copy, Default)]
pub struct Far {
    session: u32,
    number: u64,
    /// What it has sent in this session, lost or not.
    pub sent: u64,
    /// How many slots its echo is behind.
    lag: u64,
    /// It never begins anew.
    steady: bool,
    pub waits: bool,
}

impl Far {
    /// It comes to life.
    pub fn new(random: &mut Random) -> Far {
        let reach = random.pick(&[2, 30, 160]);
        let steady = random.chance(1, 6);
        // of those some are farther than the ledger looks back, or than loops are counted
        let lag = if steady && random.chance(1, 2) { 4150 } else { random.below(reach) };
        Far { session: 1 + random.bits(10) as u32, lag, steady, ..Far::default() }
    }

    /// It begins anew.
    fn restart(&mut self, random: &mut Random) {
        let session = self.session + 1 + random.below(2) as u32;
        *self = Far { session, steady: false, ..Far::new(random) };
    }

    /// The frame that it sends now. `said` is what is known of it, `slot` the one that is granted next.
    pub fn frame(&mut self, random: &mut Random, cfg: &RailCfg, peer: &Peer, said: &Said, slot: u64) -> Vec<u8> {
        if !self.steady && random.chance(1, 60) {
            self.restart(random);
        }
        let hello = random.chance(1, if said.session == self.session { 16 } else { 2 });
        self.number += 1 + random.below(8) / 7;
        let behind = self.lag + random.below(3);
        let echo = match random.below(300) {
            0 => 1 << (40 + random.below(20)),
            1 => slot.saturating_sub(random.below(6000)),
            2..=5 => slot + random.below(3),
            _ => slot.saturating_sub(behind),
        };
        let rate_bits = random.pick(&[10, 17, 20, 31, 40]);
        let mut b = Budget {
            dst: random.bits(48),
            src: random.bits(48),
            ethertype: eth::TYPE_LOCAL_EXPERIMENTAL,
            magic: budget::MAGIC_VALUE,
            version: budget::VERSION_VALUE,
            kind: if hello { budget::KIND_HELLO } else { budget::KIND_BUDGET },
            lease: random.pick(&[0, 1, 3, 32]),
            src_site: peer.site,
            dst_site: cfg.budget.site,
            session: self.session,
            peer_session: if hello && random.chance(1, 3) { 0 } else { cfg.budget.session },
            sequence: self.number,
            slot: random.bits(48),
            echo,
            rate: random.bits(rate_bits),
            limit: random.bits(40),
            sent: self.sent,
            waiting: if self.waits { random.bits(30) } else { 0 },
            occupancy: random.bits(40),
            ..Budget::default()
        };
        match random.below(150) {
            0 => b.version = random.bits(8) as u8,
            1 => b.kind = random.bits(8) as u8,
            2 => b.dst_site ^= 1 << random.below(16),
            3 => b.src_site ^= 1 << random.below(16),
            4 => b.peer_session ^= 1 << random.below(32),
            5 => b.session -= random.below(2) as u32,
            _ => {}
        }
        let mut frame = vec![0; BYTES];
        b.emit(&mut frame);
        budget::seal(&mut frame, &peer.key);
        // A total of 2^62 or more is beyond what the law can count with: where nothing is tagged, nobody writes one.
        let at = random.below(BYTES as u64) as usize;
        if random.chance(1, 40) && !(SENT.first_byte()..SENT.end_byte()).contains(&at) {
            frame[at] ^= 1 << random.below(8);
            if random.chance(1, 2) {
                let crc = budget::crc(&frame);
                CRC.set(&mut frame, crc.into());
            }
        }
        frame
    }
}
