//! The budget rail: what is written into block `LAW` and into a path's entry, and what a look says.
//!
//! Pure: it writes no register; whoever uses it takes [`Settings::writes`] to the bus, in that order.

use matchrdma_spec::params::{self, slot_ps};
use matchrdma_spec::regs::entry::Path;
use matchrdma_spec::regs::law::{self, number, words};
use matchrdma_spec::regs::Reg;

/// Shifts of the law: each rule takes one part in 2^shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shifts {
    /// How fast a surplus or lack is made good, 1..3: more for longer loops.
    pub tau: u32,
    /// Gain of the estimate: the mean is over half a loop.
    pub a: u32,
    /// How fast an estimate without a measurement rises.
    pub p: u32,
    /// What a CNP takes off.
    pub c: u32,
    /// How fast the highest estimate is forgotten: less for longer loops.
    pub h: u32,
}

impl Shifts {
    /// Those that suit loops of so many slots.
    pub fn of_loop(slots: u32) -> Self {
        let log2 = |n: u32| f64::from(n.max(1)).log2().round() as u32;
        let default = Self::default();
        Shifts {
            tau: log2(slots).saturating_sub(3).clamp(1, 3),
            a: log2(slots).saturating_sub(1).max(default.a),
            h: log2(slots.saturating_mul(13)).min(law::H.max()),
            ..default
        }
    }
}

impl Default for Shifts {
    /// What the registers hold after reset.
    fn default() -> Self {
        let word = reset(&law::SHIFTS);
        let [tau, a, p, c, h] = [law::TAU, law::A, law::P, law::C, law::H].map(|field| field.get(word));
        Shifts { tau, a, p, c, h }
    }
}

/// What the budget rail of a gateway is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Site of the gateway, which no other has.
    pub site: u16,
    /// Its session: higher than any before, and never 0. The clock in seconds will do.
    pub session: u32,
    /// Core clock, Hz.
    pub clock_hz: u64,
    /// A slot is `2^slot_k` cycles.
    pub slot_k: u32,
    /// Rate of the client port, bits per second.
    pub port_bps: u64,
    /// Bytes that may wait for the client port.
    pub capacity: u64,
    /// What an outage leaves is the line rate over this.
    pub floor_part: u32,
    /// How long a budget of ours holds, slots of the receiver.
    pub lease: u16,
    /// Shifts of the law.
    pub shifts: Shifts,
    /// What is told that the gateway is able to do.
    pub capabilities: u32,
    /// Destination MAC address of budget frames.
    pub dst: u64,
    /// Source MAC address of budget frames.
    pub src: u64,
}

impl Settings {
    /// With what the registers hold after reset, but for site and session.
    pub fn new(site: u16, session: u32) -> Self {
        let pair = |low: &Reg, high: &Reg| number(reset(low), reset(high));
        Settings {
            site,
            session,
            clock_hz: params::CLOCK_HZ,
            slot_k: params::SLOT_K_DEFAULT,
            port_bps: params::LINE_BPS,
            capacity: pair(&law::CAPACITY_LOW, &law::CAPACITY_HIGH),
            floor_part: reset(&law::LINE) / reset(&law::FLOOR),
            lease: reset(&law::LEASE) as u16,
            shifts: Shifts::default(),
            capabilities: reset(&law::CAPABILITIES),
            dst: pair(&law::DST_LOW, &law::DST_HIGH),
            src: pair(&law::SRC_LOW, &law::SRC_HIGH),
        }
    }

    /// Bytes of a slot at line rate.
    pub fn line(&self) -> u32 {
        let bit_ps = u128::from(slot_ps(self.slot_k, self.clock_hz)) * u128::from(self.port_bps);
        (bit_ps / 8_000_000_000_000) as u32
    }

    /// Registers and their words, in the order in which they are to be written: the rail is off meanwhile.
    pub fn writes(&self) -> Vec<(Reg, u32)> {
        let slot_ps = slot_ps(self.slot_k, self.clock_hz);
        let (from_wire, to_wire) = law::factors(slot_ps);
        let Shifts { tau, a, p, c, h } = self.shifts;
        let shifts = [(law::TAU, tau), (law::A, a), (law::P, p), (law::C, c), (law::H, h)];
        let mut writes = vec![
            (law::SESSION, 0),
            (law::LINE, self.line()),
            (law::FLOOR, self.line() / self.floor_part.max(1)),
            (law::SHIFTS, shifts.iter().fold(0, |word, (field, shift)| field.with(word, *shift))),
            (law::SITE, self.site.into()),
            (law::LEASE, self.lease.into()),
            (law::CLOCK_HZ, self.clock_hz as u32),
            (law::CAPABILITIES, self.capabilities),
        ];
        let pairs = [
            (law::CAPACITY_LOW, law::CAPACITY_HIGH, self.capacity),
            (law::FROM_WIRE_LOW, law::FROM_WIRE_HIGH, from_wire),
            (law::TO_WIRE_LOW, law::TO_WIRE_HIGH, to_wire),
            (law::SLOT_PS_LOW, law::SLOT_PS_HIGH, slot_ps),
            (law::DST_LOW, law::DST_HIGH, self.dst),
            (law::SRC_LOW, law::SRC_HIGH, self.src),
        ];
        for (low_reg, high_reg, value) in pairs {
            let [low, high] = words(value);
            writes.extend([(low_reg, low), (high_reg, high)]);
        }
        writes.push((law::SESSION, self.session));
        writes
    }
}

/// What a register that can be written holds after reset.
fn reset(reg: &Reg) -> u32 {
    law::MAP.iter().zip(law::RESET).find(|(at, _)| *at == reg).map_or(0, |(_, word)| word)
}

/// The far gateway of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its site.
    pub site: u16,
    /// Share of the path among those into our data centre, 1..255.
    pub weight: u8,
    /// Key of both directions; zero: no tag.
    pub key: [u8; 16],
}

impl Peer {
    /// A path's settings with this far gateway, or without one.
    pub fn on(peer: Option<&Peer>, path: &Path) -> Path {
        let none = Path { peer_on: false, peer_site: 0, weight: 0, peer_key: [0; 16], ..*path };
        peer.map_or(none, |peer| Path {
            peer_on: true,
            peer_site: peer.site,
            weight: peer.weight,
            peer_key: peer.key,
            ..none
        })
    }
}

/// What a look at a path says, as of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Estimate of the drain, bytes per slot.
    pub est: u32,
    /// How high it has lately been.
    pub hi: u32,
    /// Slot that is granted next.
    pub slot: u64,
    /// Session of the far gateway; 0: never heard.
    pub session: u32,
    /// It knows our session.
    pub knows_us: bool,
    /// A budget was heard in this session.
    pub live: bool,
    /// The lease ran out, and nothing was heard since.
    pub lapsed: bool,
    /// Slots for which its budget still holds.
    pub lease: u16,
    /// Number of its last frame.
    pub sequence: u64,
    /// Its slot whose budget holds here.
    pub peer_slot: u64,
    /// Newest of our slots whose budget it had applied.
    pub echo: u64,
    /// What we may send to it, bytes per slot.
    pub rate: u32,
    /// What we may ever have sent to it, bytes.
    pub limit: u64,
    /// Bytes that wait there for us.
    pub waiting: u64,
    /// Bytes that came from there or were lost on the line.
    pub arrived: u64,
    /// What it may send to us, bytes per slot of ours.
    pub grant: u32,
    /// What it may ever have sent to us, bytes.
    pub grant_limit: u64,
    /// Bytes that we have sent to it.
    pub sent: u64,
    /// Bytes from there that wait for the client port.
    pub occupancy: u64,
}

impl Look {
    /// Reads one through `read`, once `LAW_STATUS` is not busy.
    pub fn read<E>(mut read: impl FnMut(&Reg) -> Result<u32, E>) -> Result<Self, E> {
        let peer = read(&law::PEER)?;
        let mut look = Look {
            est: read(&law::EST)?,
            hi: read(&law::HI)?,
            session: read(&law::PEER_SESSION)?,
            knows_us: law::KNOWS_US_FIELD.get(peer) == 1,
            live: law::LIVE_FIELD.get(peer) == 1,
            lapsed: law::LAPSED_FIELD.get(peer) == 1,
            lease: law::LEFT_FIELD.get(peer) as u16,
            rate: read(&law::RATE)?,
            grant: read(&law::GRANT)?,
            ..Look::default()
        };
        let pairs = [
            (&mut look.slot, law::SLOT_LOW, law::SLOT_HIGH),
            (&mut look.sequence, law::SEQUENCE_LOW, law::SEQUENCE_HIGH),
            (&mut look.peer_slot, law::PEER_SLOT_LOW, law::PEER_SLOT_HIGH),
            (&mut look.echo, law::ECHO_LOW, law::ECHO_HIGH),
            (&mut look.limit, law::LIMIT_LOW, law::LIMIT_HIGH),
            (&mut look.waiting, law::WAITING_LOW, law::WAITING_HIGH),
            (&mut look.arrived, law::ARRIVED_LOW, law::ARRIVED_HIGH),
            (&mut look.grant_limit, law::GRANT_LIMIT_LOW, law::GRANT_LIMIT_HIGH),
            (&mut look.sent, law::SENT_LOW, law::SENT_HIGH),
            (&mut look.occupancy, law::OCCUPANCY_LOW, law::OCCUPANCY_HIGH),
        ];
        for (value, low, high) in pairs {
            *value = number(read(&low)?, read(&high)?);
        }
        Ok(look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::regs::entry::{BURST_MIN, MODE_LIVE};
    use std::collections::BTreeMap;

    /// What the registers hold once all was written.
    fn held(settings: &Settings) -> BTreeMap<u16, u32> {
        settings.writes().iter().map(|(reg, word)| (reg.offset, *word)).collect()
    }

    #[test]
    fn the_settings_of_reset_are_the_words_of_reset() {
        let held = held(&Settings::new(0, 0));
        for (reg, word) in law::MAP.iter().zip(law::RESET).filter(|(reg, _)| **reg != law::PATH) {
            assert_eq!(held.get(&reg.offset), Some(&word), "{}", reg.name);
        }
    }

    #[test]
    fn the_rail_is_off_while_it_is_set_and_a_high_word_follows_its_low_one() {
        let settings = Settings { slot_k: 10, clock_hz: params::CLOCK_HZ_322, ..Settings::new(7, 9) };
        let writes = settings.writes();
        assert_eq!((writes[0], *writes.last().unwrap()), ((law::SESSION, 0), (law::SESSION, 9)));
        for pair in writes.windows(2).filter(|pair| pair[0].0.name.ends_with("_LOW")) {
            assert_eq!(pair[1].0.offset, pair[0].0.offset + 4);
        }
        let held = held(&settings);
        let pair = |low: Reg, high: Reg| number(held[&low.offset], held[&high.offset]);
        assert_eq!(pair(law::SLOT_PS_LOW, law::SLOT_PS_HIGH), 3_177_503);
        // A rate there and back loses less than a byte in a thousand.
        let to = u128::from(pair(law::TO_WIRE_LOW, law::TO_WIRE_HIGH));
        let from = u128::from(pair(law::FROM_WIRE_LOW, law::FROM_WIRE_HIGH));
        let line = u128::from(settings.line());
        let back = (((line * to) >> law::WIRE_FRACTION_BITS) * from) >> law::WIRE_FRACTION_BITS;
        assert!(line - back <= 1 + line / 1000, "{line} {back}");
    }

    #[test]
    fn shifts_are_those_of_the_design() {
        for (slots, h, tau, a) in
            [(25, 8, 2, 4), (31, 9, 2, 4), (62, 10, 3, 5), (39, 9, 2, 4), (77, 10, 3, 5), (153, 11, 3, 6)]
        {
            let found = Shifts::of_loop(slots);
            assert_eq!((found.h, found.tau, found.a), (h, tau, a), "{slots} slots");
            assert_eq!((found.p, found.c), (4, 3));
        }
        let (none, endless) = (Shifts::of_loop(0), Shifts::of_loop(u32::MAX));
        assert_eq!((none.tau, none.a, endless.h, endless.a), (1, 4, 31, 31));
    }

    #[test]
    fn a_path_gets_a_far_gateway_and_loses_it() {
        let path = Path { mode: MODE_LIVE, burst: BURST_MIN, start: 5, ..Path::default() };
        let peer = Peer { site: 9, weight: 3, key: [7; 16] };
        let with = Peer::on(Some(&peer), &path);
        assert_eq!((with.peer_on, with.peer_site, with.weight, with.peer_key), (true, 9, 3, [7; 16]));
        assert_eq!((Peer::on(None, &with), with.mode, with.start), (path, MODE_LIVE, 5));
    }

    #[test]
    fn a_look_reads_each_number_from_its_registers() {
        // Each register says its own place.
        let look = Look::read(|reg| Ok::<_, ()>(u32::from(reg.offset))).unwrap();
        let pair = |low: Reg| number(low.offset.into(), u32::from(low.offset) + 4);
        let singles = [law::EST, law::HI, law::PEER_SESSION, law::RATE, law::GRANT].map(|reg| u32::from(reg.offset));
        assert_eq!([look.est, look.hi, look.session, look.rate, look.grant], singles);
        let numbers = [look.slot, look.sequence, look.peer_slot, look.echo, look.limit, look.waiting];
        let lows =
            [law::SLOT_LOW, law::SEQUENCE_LOW, law::PEER_SLOT_LOW, law::ECHO_LOW, law::LIMIT_LOW, law::WAITING_LOW];
        assert_eq!(numbers, lows.map(pair));
        let numbers = [look.arrived, look.grant_limit, look.sent, look.occupancy];
        assert_eq!(numbers, [law::ARRIVED_LOW, law::GRANT_LIMIT_LOW, law::SENT_LOW, law::OCCUPANCY_LOW].map(pair));
    }
}
