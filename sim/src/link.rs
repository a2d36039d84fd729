//! Ports and fibres around a gateway: bytes at a rate, frames after a delay.

use crate::engine::{beats, Beat};
use crate::net::rng::Stream;
use matchrdma_spec::params::OVERHEAD_BYTES;
use matchrdma_spec::wire::budget;
use std::collections::VecDeque;

/// Wire time of a port: a beat may pass when the wire has carried all before it, preamble and gap included.
#[derive(Clone, Debug)]
pub struct Wire {
    rate_bps: i64,
    bit_cost: i64,
    credit: i64,
}

impl Wire {
    /// A wire of `rate_bps` beside a clock of `clock_hz`.
    pub fn new(rate_bps: u64, clock_hz: u64) -> Self {
        Self { rate_bps: rate_bps as i64, bit_cost: clock_hz as i64, credit: 0 }
    }

    /// It has another rate from now on.
    pub fn set_rate(&mut self, rate_bps: u64) {
        self.rate_bps = rate_bps as i64;
    }

    /// The wire is free: a beat may pass.
    pub fn free(&self) -> bool {
        self.credit >= 0
    }

    /// A whole frame is put on the wire at once, by a NIC that has no beats.
    pub fn carry(&mut self, frame_bytes: usize) {
        self.credit -= (frame_bytes as i64 + i64::from(OVERHEAD_BYTES)) * 8 * self.bit_cost;
    }

    /// One clock cycle goes by, in which `beat` passed.
    pub fn cycle(&mut self, beat: Option<&Beat>) {
        if let Some(b) = beat {
            let bytes = i64::from(b.bytes) + if b.last { i64::from(OVERHEAD_BYTES) } else { 0 };
            self.credit -= bytes * 8 * self.bit_cost;
        }
        // An idle wire saves up one cycle's worth, which is what a busy one has left over at most.
        self.credit = (self.credit + self.rate_bps).min(self.rate_bps);
    }
}

/// Frames that wait for a wire into a receive port.
#[derive(Clone, Debug)]
pub struct Sender {
    wire: Wire,
    beats: VecDeque<Beat>,
}

impl Sender {
    /// Sends on `wire`.
    pub fn new(wire: Wire) -> Self {
        Self { wire, beats: VecDeque::new() }
    }

    /// Nothing waits: a frame given now starts as soon as the wire is free.
    pub fn idle(&self) -> bool {
        self.beats.is_empty()
    }

    /// Puts a frame behind those that wait.
    pub fn send(&mut self, frame: &[u8]) {
        self.beats.extend(beats(frame));
    }

    /// The beat of this cycle.
    pub fn cycle(&mut self) -> Option<Beat> {
        let beat = if self.wire.free() { self.beats.pop_front() } else { None };
        self.wire.cycle(beat.as_ref());
        beat
    }
}

/// A transmit port's other end: makes frames of beats.
#[derive(Clone, Debug)]
pub struct Receiver {
    wire: Wire,
    frame: Vec<u8>,
}

impl Receiver {
    /// Receives from `wire`.
    pub fn new(wire: Wire) -> Self {
        Self { wire, frame: Vec::new() }
    }

    /// Whether a beat is taken in this cycle.
    pub fn ready(&self) -> bool {
        self.wire.free()
    }

    /// A frame has begun and is not over.
    pub fn within(&self) -> bool {
        !self.frame.is_empty()
    }

    /// The wire has another rate from now on.
    pub fn set_rate(&mut self, rate_bps: u64) {
        self.wire.set_rate(rate_bps);
    }

    /// This cycle's beat; a frame when it was the last.
    pub fn cycle(&mut self, beat: Option<&Beat>) -> Option<Vec<u8>> {
        self.wire.cycle(beat);
        let b = beat?;
        self.frame.extend_from_slice(&b.data[..usize::from(b.bytes)]);
        b.last.then(|| std::mem::take(&mut self.frame))
    }
}

/// A fibre: every frame arrives a fixed number of cycles after it left, in order. Budget frames may fare worse.
#[derive(Clone, Debug)]
pub struct Fibre {
    delay_cycles: u64,
    frames: VecDeque<(u64, Vec<u8>)>,
    /// Of budget frames.
    fate: Option<Fate>,
    late: Vec<(u64, Vec<u8>)>,
}

/// What becomes of budget frames on a fibre.
#[derive(Clone, Debug)]
pub struct Fate {
    /// So many of 1000 are lost.
    pub lost_permille: u64,
    /// The others are late by at most so many cycles, and may overtake each other.
    pub late_cycles: u64,
    /// None gets through from one cycle to another.
    pub outage: (u64, u64),
    /// Decides.
    pub random: Stream,
}

impl Fibre {
    /// A fibre of `delay_cycles`.
    pub fn new(delay_cycles: u64) -> Self {
        Self { delay_cycles, frames: VecDeque::new(), fate: None, late: vec![] }
    }

    /// The same, on which budget frames have a fate of their own.
    pub fn with_fate(self, fate: Fate) -> Self {
        Self { fate: Some(fate), ..self }
    }

    /// A frame whose last beat left at cycle `now`.
    pub fn enter(&mut self, frame: Vec<u8>, now: u64) {
        let at = now + self.delay_cycles;
        if let Some(fate) = self.fate.as_mut().filter(|_| budget::is_budget(&frame)) {
            let late = fate.random.below(fate.late_cycles + 1);
            let out = (fate.outage.0..fate.outage.1).contains(&now);
            if fate.random.below(1000) >= fate.lost_permille && !out {
                self.late.push((at + late, frame));
            }
            return;
        }
        self.frames.push_back((at, frame));
    }

    /// The next frame that is there at cycle `now`.
    pub fn leave(&mut self, now: u64) -> Option<Vec<u8>> {
        if let Some((_, frame)) = self.frames.pop_front_if(|(at, _)| *at <= now) {
            return Some(frame);
        }
        // Behind all that left before it.
        let next = self.late.iter().position(|(at, _)| *at <= now)?;
        Some(self.late.remove(next).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_carries_its_rate_with_preamble_and_gap() {
        // 100 Gb/s at 250 MHz is 50 bytes a cycle: 1000 frames of 976 + 24 bytes take 20,000 cycles.
        let mut s = Sender::new(Wire::new(100_000_000_000, 250_000_000));
        for _ in 0..1000 {
            s.send(&[1; 976]);
        }
        let mut cycles = 0;
        while !s.idle() {
            s.cycle();
            cycles += 1;
        }
        assert!((19_970..=20_001).contains(&cycles), "{cycles}");
    }

    #[test]
    fn a_fibre_keeps_frames_for_its_delay() {
        let mut f = Fibre::new(10);
        f.enter(vec![1], 5);
        assert_eq!(f.leave(14), None);
        assert_eq!(f.leave(15), Some(vec![1]));
    }

    #[test]
    fn budget_frames_have_a_fate_of_their_own() {
        let mut frame = vec![0; budget::BYTES];
        budget::Budget { ethertype: 0x88b5, magic: budget::MAGIC_VALUE, ..Default::default() }.emit(&mut frame);
        let fate = Fate { lost_permille: 300, late_cycles: 50, outage: (2000, 4000), random: Stream::new(1, 1) };
        let mut f = Fibre::new(10).with_fate(fate);
        let (mut others, mut budgets) = (0, [0; 6]);
        for now in 0..6000 {
            if now < 5900 {
                f.enter(vec![1; 60], now);
                f.enter(frame.clone(), now);
            }
            while let Some(got) = f.leave(now) {
                if budget::is_budget(&got) {
                    budgets[now as usize / 1000] += 1;
                } else {
                    others += 1;
                }
            }
        }
        assert_eq!(others, 5900);
        assert!((650..700).contains(&budgets[0]) && (650..750).contains(&budgets[1]), "{budgets:?}");
        assert!(budgets[2] < 50 && budgets[3] == 0 && budgets[5] > 550, "{budgets:?}");
    }
}
