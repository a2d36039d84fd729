//! Outbound 5 of 5: **pacer**. From `packet_memory`, to the line.
//!
//! In: cycles, and the frames that start. Out: whether the next one may. A backlogged queue sends its budget exactly,
//! give or take one frame. Gates: `hdl/src/outbound/pacer.rs`. Registers: `PACER_*`.

use matchrdma_spec::params::{BURST_DEFAULT_BYTES, OVERHEAD_BYTES, SLOT_K_DEFAULT};

/// How fast frames may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacerCfg {
    /// Mode: fixed budget, not open.
    pub fixed: bool,
    /// Budget, bytes per slot.
    pub rate: u32,
    /// Slot length, log2 of cycles.
    pub slot_k: u8,
    /// Depth of the bucket, bytes.
    pub burst: u32,
    /// Bytes that count beside each frame's own.
    pub overhead: u8,
}

impl Default for PacerCfg {
    fn default() -> Self {
        PacerCfg {
            fixed: false,
            rate: 0,
            slot_k: SLOT_K_DEFAULT as u8,
            burst: BURST_DEFAULT_BYTES,
            overhead: OVERHEAD_BYTES as u8,
        }
    }
}

/// A token bucket. Tokens are bytes with `slot_k` fraction bits, so that nothing is ever rounded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    cfg: PacerCfg,
    tokens: i64,
}

impl Pacer {
    /// Open, as after reset.
    pub fn new() -> Self {
        Self::default()
    }

    /// The host wrote the registers.
    pub fn set_cfg(&mut self, cfg: PacerCfg) {
        self.cfg = cfg;
    }

    /// The next frame may start.
    pub fn go(&self) -> bool {
        !self.cfg.fixed || self.tokens >= 0
    }

    /// One cycle, in which a frame of so many bytes started, or none (a descriptor without a frame takes nothing).
    pub fn cycle(&mut self, started: Option<u16>) {
        if !self.cfg.fixed {
            self.tokens = 0;
            return;
        }
        let k = self.cfg.slot_k;
        let full = i64::from(self.cfg.burst) << k;
        let taken = started.map_or(0, |bytes| (i64::from(bytes) + i64::from(self.cfg.overhead)) << k);
        self.tokens = (self.tokens + i64::from(self.cfg.rate)).min(full) - taken;
    }

    /// Tokens, bytes with `slot_k` fraction bits.
    pub fn tokens(&self) -> i64 {
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(rate: u32) -> Pacer {
        let mut p = Pacer::new();
        p.set_cfg(PacerCfg { fixed: true, rate, slot_k: 10, burst: 4096, overhead: 24 });
        p
    }

    /// Bytes sent in so many cycles by a queue that never empties.
    fn send(p: &mut Pacer, cycles: u32, frame: u16) -> u64 {
        (0..cycles).fold(0, |sent, _| {
            let go = p.go();
            p.cycle(Some(frame).filter(|_| go));
            sent + u64::from(go) * (u64::from(frame) + 24)
        })
    }

    #[test]
    fn open_never_waits_and_saves_nothing() {
        let mut p = Pacer::new();
        (0..100).for_each(|_| p.cycle(Some(9600)));
        assert!(p.go() && p.tokens() == 0);
    }

    #[test]
    fn a_backlogged_queue_sends_its_budget_to_the_byte() {
        for (rate, frame) in [(1, 60), (999, 60), (12_345, 1500), (65_536, 9600)] {
            let mut p = fixed(rate);
            let cycles = 1024 * 1000;
            let sent = send(&mut p, cycles, frame) as i64;
            let budget = i64::from(rate) * 1000;
            assert!((sent - budget).abs() <= i64::from(frame) + 24, "{rate} {frame}: {sent} of {budget}");
            assert_eq!((budget - sent) << 10, p.tokens(), "what is missing is in the bucket");
        }
    }

    #[test]
    fn an_idle_queue_saves_at_most_a_burst() {
        let mut p = fixed(1 << 20);
        (0..1000).for_each(|_| p.cycle(None));
        assert_eq!(p.tokens(), 4096 << 10);
    }

    #[test]
    fn no_budget_sends_one_frame_and_stops() {
        let mut p = fixed(0);
        assert_eq!(send(&mut p, 1000, 100), 124);
        assert!(!p.go());
    }
}
