//! The shell's side of a box: two MACs, the registers' master, the resets, on as many clocks. Every rule is checked at every
//! edge.

use super::rules::{Answers, Check, Resets, Rules, Tag, Tags, Transmit};
use crate::harness::clocks::Clocks;
use crate::harness::Random;
use matchrdma::tables::Mirror;
use matchrdma_rtl::axis;
use matchrdma_sim::engine::{Access, Beat, BusError, Gateway, Tick};
use matchrdma_spec::params::BEAT_BYTES;
use std::collections::VecDeque;

/// The registers' clock, and the one whose cycles are counted.
pub const AXIL: usize = 0;
const CLIENT: usize = 1;

/// The registers' bus before an edge.
pub struct Bus {
    pub valid: [bool; 3],
    /// Of the write's address, the write's data, the read's address.
    pub ready: [bool; 3],
    /// Data and response of a write's answer and a read's.
    pub answers: [Option<(u32, u32)>; 2],
}

/// A box by its pins.
pub trait Pins: Default {
    /// The shell's words.
    const RULES: &'static Rules;
    /// The MACs that send on each clock, and those that receive.
    const SENDS: &'static [&'static [usize]];
    const RECEIVES: &'static [&'static [usize]] = Self::SENDS;
    /// Where the box's window is.
    const WINDOW: u32;
    /// Inputs that nothing may depend on, and those that stand still.
    fn begin(&mut self);
    fn eval(&mut self);
    fn raise(&mut self, clock: usize, up: bool);
    fn reset(&mut self, low: bool);
    /// `mod_rstn` of the plugin, all of `mod_rst_done`, and what it is with all bits up.
    fn resets(&self) -> (u32, u32, u32);
    fn offered(&self, lane: usize) -> Option<axis::Beat>;
    /// What goes with a beat besides.
    fn tag(&self, lane: usize) -> Option<Tag>;
    /// What else the shell wants to see at each edge of a MAC that sends; `sent`: the beat that it takes there.
    fn rest(&mut self, lane: usize, sent: Option<&axis::Beat>) -> Check;
    fn ready(&mut self, lane: usize, ready: bool);
    fn receive(&mut self, lane: usize, beat: Option<&axis::Beat>);
    fn bus(&self) -> Bus;
    fn drive(&mut self, address: Option<u32>, data: Option<u32>, read: Option<u32>);
}

/// A box as a gateway: a tick is a cycle of CMAC 0's clock.
pub struct Shell<D: Pins, const N: usize> {
    dut: D,
    pub clocks: Clocks<N>,
    cycles: u64,
    mirror: Mirror,
    tx: [Transmit; 2],
    tags: [Tags; 2],
    resets: Resets,
    writes: Answers,
    reads: Answers,
    /// What each MAC has received and not yet given, `None` for a cycle without a beat.
    given: [VecDeque<Beat>; 2],
    left: [VecDeque<Beat>; 2],
    ready: [bool; 2],
    /// MACs in reset: they take nothing, and no rule is about them.
    held: [bool; 2],
    /// On the bus: the access, whether its address and its data were taken.
    under_way: Option<(Access, bool, bool)>,
    answer: Option<Result<u32, BusError>>,
}

impl<D: Pins, const N: usize> Shell<D, N> {
    /// Out of the reset at power-up.
    pub fn new(periods: [u64; N]) -> Self {
        let mut new = Shell {
            dut: D::default(),
            clocks: Clocks::new(periods, &mut Random::new()),
            cycles: 0,
            mirror: Mirror::powered_up(),
            tx: [0, 1].map(|_| Transmit::of(D::RULES)),
            tags: [Tags::of(0), Tags::of(1)],
            resets: Resets::default(),
            writes: Answers::of(D::RULES),
            reads: Answers::of(D::RULES),
            given: Default::default(),
            left: Default::default(),
            ready: [true; 2],
            held: [false; 2],
            under_way: None,
            answer: None,
        };
        new.dut.begin();
        new.dut.eval();
        new.wait_for_reset();
        new
    }

    /// Runs until `mod_rst_done`.
    pub fn wait_for_reset(&mut self) {
        for _ in 0..4000 {
            self.step([true; 2]);
            if self.dut.resets().1 & 1 == 1 && self.resets.rests() {
                // each clock leaves reset by itself
                for _ in 0..40 {
                    self.step([true; 2]);
                }
                return;
            }
        }
        panic!("the plugin stays in reset");
    }

    /// A reset as the shell gives it: low for one cycle of the registers' clock.
    pub fn pulse_reset(&mut self) {
        self.dut.reset(true);
        while self.step([true; 2]) != AXIL {}
        self.dut.reset(false);
        self.dut.eval();
    }

    /// The next rising edge: everything is looked at as it stands before it. Gives the clock.
    fn edge(&mut self) -> usize {
        let which = self.clocks.next();
        self.dut.eval();
        let seen =
            if which == AXIL { self.registers() } else { D::SENDS[which].iter().try_for_each(|lane| self.mac(*lane)) };
        seen.unwrap_or_else(|why| panic!("cycle {}: {why}", self.cycles));
        self.dut.raise(which, true);
        self.dut.eval();
        self.dut.raise(which, false);
        which
    }

    /// An edge of a MAC's clock: what it sends, then what it has received next.
    fn mac(&mut self, lane: usize) -> Check {
        if self.held[lane] {
            return self.dut.rest(lane, None);
        }
        let offered = self.dut.offered(lane);
        self.tags[lane].edge(offered.as_ref(), self.dut.tag(lane), self.ready[lane])?;
        let taken = self.tx[lane].edge(offered, self.ready[lane])?;
        self.left[lane].extend(taken.as_ref().map(from_port));
        self.dut.rest(lane, taken.as_ref())
    }

    /// Behind an edge of a MAC's clock: drives what it sends for the next, and what it receives.
    fn sends(&mut self, lane: usize, ready: bool) {
        self.ready[lane] = ready;
        self.dut.ready(lane, ready);
    }

    fn receives(&mut self, lane: usize) {
        let beat = self.given[lane].pop_front();
        self.dut.receive(lane, beat.as_ref().map(to_port).as_ref());
    }

    /// An edge of the registers' clock.
    fn registers(&mut self) -> Check {
        let (rstn, done, whole) = self.dut.resets();
        self.resets.edge(rstn, done, whole)?;
        let bus = self.dut.bus();
        let taken: [bool; 3] = std::array::from_fn(|i| bus.valid[i] && bus.ready[i]);
        let mut wrote = false;
        if let Some((access, address, data)) = &mut self.under_way {
            let before = *address && *data;
            *address |= if matches!(access, Access::Write(..)) { taken[0] } else { taken[2] };
            *data |= taken[1];
            wrote = taken[..2] != [false, false] && *address && *data && !before;
        }
        // answers are taken at once: the master waits for nothing else
        let answer = [self.writes.edge(wrote, bus.answers[0], true)?, self.reads.edge(taken[2], bus.answers[1], true)?];
        if let Some((value, response)) = answer.into_iter().flatten().next() {
            let (access, ..) = self.under_way.take().expect("it was asked for");
            self.answer = Some(if response == 0 { Ok(value) } else { Err(failed(access, response)) });
        }
        Ok(())
    }

    /// Behind an edge of the registers' clock: drives the bus for the next.
    fn drive_bus(&mut self) {
        let at = |addr: u16| D::WINDOW | u32::from(addr);
        let (address, data, read) = match self.under_way {
            Some((Access::Write(addr, value), a, d)) => ((!a).then_some(at(addr)), (!d).then_some(value), None),
            Some((Access::Read(addr), a, _)) => (None, None, (!a).then_some(at(addr))),
            None => (None, None, None),
        };
        self.dut.drive(address, data, read);
    }

    /// An edge, and what its clock sees next.
    fn step(&mut self, ready: [bool; 2]) -> usize {
        let which = self.edge();
        match which {
            AXIL => self.drive_bus(),
            mac => {
                D::SENDS[mac].iter().for_each(|lane| self.sends(*lane, ready[*lane]));
                D::RECEIVES[mac].iter().for_each(|lane| self.receives(*lane));
            }
        }
        self.cycles += u64::from(which == CLIENT);
        which
    }

    /// Edges up to and with one of CMAC 0's clock.
    fn cycle(&mut self, ready: [bool; 2]) {
        while self.step(ready) != CLIENT {}
    }

    /// A MAC receives all of this while the core's clock stands, and a little more.
    pub fn receives_alone(&mut self, lane: usize, beats: impl Iterator<Item = Beat>) {
        self.given[lane].extend(beats);
        self.clocks.stand(CLIENT, true);
        while !self.given[lane].is_empty() {
            self.step([true; 2]);
        }
        self.clocks.stand(CLIENT, false);
    }

    /// Its pins, for what only one shell has.
    pub fn pins(&mut self) -> &mut D {
        &mut self.dut
    }

    /// A MAC goes into reset, or comes out of it: what it was bringing has no end, what it was taking ends with a mark here.
    pub fn hold_mac(&mut self, lane: usize, held: bool) {
        self.held[lane] = held;
        self.given[lane].clear();
        if held && !self.tx[lane].rests() {
            self.left[lane].push_back(Beat { data: [0; BEAT_BYTES], bytes: 0, last: true, err: true });
        }
        self.tx[lane] = Transmit::of(D::RULES);
    }

    /// One access while the ports rest.
    pub fn access(&mut self, access: Access) -> Result<u32, BusError> {
        while self.under_way.is_some() {
            self.cycle([true; 2]);
        }
        let kept = self.answer.take();
        self.begin(access);
        for _ in 0..40_000 {
            self.step([true; 2]);
            if let Some(answer) = self.answer.take() {
                self.answer = kept;
                return answer;
            }
        }
        panic!("{access:?} is not answered");
    }

    /// No frame is begun and not ended on a port that sends.
    pub fn rests(&self) -> bool {
        self.tx.iter().all(Transmit::rests)
    }
}

fn failed(access: Access, response: u32) -> BusError {
    let found = format!("response {response}");
    match access {
        Access::Read(addr) => BusError { addr, write: false, found },
        Access::Write(addr, _) => BusError { addr, write: true, found },
    }
}

fn from_port(beat: &axis::Beat) -> Beat {
    let bytes = beat.bytes();
    let mut data = [0; BEAT_BYTES];
    data.chunks_exact_mut(4).zip(beat.data).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    data[bytes..].fill(0);
    Beat { data, bytes: bytes as u8, last: beat.last, err: beat.user & 1 == 1 }
}

fn to_port(beat: &Beat) -> axis::Beat {
    let word = |w: usize| u32::from_le_bytes(std::array::from_fn(|b| beat.data[4 * w + b]));
    axis::Beat {
        data: std::array::from_fn(word),
        keep: axis::keep(beat.bytes.into()),
        last: beat.last,
        user: beat.err.into(),
    }
}

impl<D: Pins, const N: usize> Gateway for Shell<D, N> {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        self.given[0].extend(client_rx);
        self.given[1].extend(line_rx);
        self.cycle([client_ready, line_ready]);
        Tick { client_tx: self.left[0].pop_front(), line_tx: self.left[1].pop_front() }
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.access(Access::Write(addr, value)).map(|_| ())
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.access(Access::Read(addr))
    }

    fn begin(&mut self, access: Access) {
        assert!(self.under_way.is_none(), "one access at a time");
        self.under_way = Some((access, false, false));
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        self.answer.take()
    }

    fn reset(&mut self) {
        self.pulse_reset();
        self.wait_for_reset();
        self.mirror.reset();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn mirror(&mut self) -> &mut Mirror {
        &mut self.mirror
    }
}
