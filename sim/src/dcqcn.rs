//! DCQCN at the sender: how fast a queue pair may send, by the CNPs that it gets.
//!
//! As published (Zhu et al., SIGCOMM 2015): a cut by alpha/2 at a CNP, five rounds of fast recovery halfway back to the
//! rate before the cut, then additive, then hyper increase, each driven by a timer and by a byte counter. There is no
//! window in it: what a queue pair may have outstanding is the sender's own limit.

/// Picoseconds.
type Ps = u64;

/// The constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcqcnCfg {
    /// Rate of the port, bits per second; the first rate.
    pub line_bps: f64,
    /// Least rate, bits per second.
    pub min_bps: f64,
    /// Gain of alpha.
    pub g: f64,
    /// Alpha decays so often while no CNP comes.
    pub alpha_timer: Ps,
    /// Cuts are at least so far apart.
    pub cut_spacing: Ps,
    /// A round of increase every so often ...
    pub increase_timer: Ps,
    /// ... and every so many bytes.
    pub increase_bytes: u64,
    /// Rounds of fast recovery.
    pub recovery_rounds: u32,
    /// Additive increase, bits per second and round.
    pub additive_bps: f64,
    /// Hyper increase, bits per second and round.
    pub hyper_bps: f64,
}

impl DcqcnCfg {
    /// The published constants, the increases scaled from 40 Gb/s to `line_bps`; the least rate is that of the HPCC
    /// simulator and of THEMIS.
    pub fn published(line_bps: f64) -> Self {
        let scale = line_bps / 40e9;
        DcqcnCfg {
            line_bps,
            min_bps: 100e6,
            g: 1.0 / 256.0,
            alpha_timer: 55_000_000,
            cut_spacing: 50_000_000,
            increase_timer: 55_000_000,
            increase_bytes: 10_000_000,
            recovery_rounds: 5,
            additive_bps: 40e6 * scale,
            hyper_bps: 200e6 * scale,
        }
    }
}

/// The state of one queue pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dcqcn {
    cfg: DcqcnCfg,
    rate: f64,
    target: f64,
    alpha: f64,
    alpha_at: Ps,
    cut_at: Option<Ps>,
    round_at: Ps,
    timer_rounds: u32,
    byte_rounds: u32,
    bytes: u64,
    /// Cuts so far.
    pub cuts: u64,
}

impl Dcqcn {
    /// At line rate.
    pub fn new(cfg: DcqcnCfg) -> Self {
        Dcqcn {
            cfg,
            rate: cfg.line_bps,
            target: cfg.line_bps,
            alpha: 1.0,
            alpha_at: 0,
            cut_at: None,
            round_at: 0,
            timer_rounds: 0,
            byte_rounds: 0,
            bytes: 0,
            cuts: 0,
        }
    }

    /// At line rate, and nothing to recover from.
    fn full(&self) -> bool {
        self.rate >= self.cfg.line_bps && self.target >= self.cfg.line_bps
    }

    fn round(&mut self) {
        let (most, least) = (self.timer_rounds.max(self.byte_rounds), self.timer_rounds.min(self.byte_rounds));
        if least > self.cfg.recovery_rounds {
            self.target += self.cfg.hyper_bps;
        } else if most > self.cfg.recovery_rounds {
            self.target += self.cfg.additive_bps;
        }
        self.target = self.target.min(self.cfg.line_bps);
        self.rate = ((self.target + self.rate) / 2.0).min(self.cfg.line_bps);
        if self.cfg.line_bps - self.rate < 1e3 {
            self.rate = self.target;
        }
    }

    /// Lets the timers run up to `now`.
    fn advance(&mut self, now: Ps) {
        let ticks = (now - self.alpha_at) / self.cfg.alpha_timer;
        // Alpha is 1 at the first CNP, whenever that comes.
        if self.cut_at.is_none() {
            self.alpha_at = now;
        } else if ticks > 0 {
            self.alpha *= (1.0 - self.cfg.g).powi(ticks.min(1 << 20) as i32);
            self.alpha_at += ticks * self.cfg.alpha_timer;
        }
        while !self.full() && now - self.round_at >= self.cfg.increase_timer {
            self.round_at += self.cfg.increase_timer;
            self.timer_rounds += 1;
            self.round();
        }
        if self.full() {
            self.round_at = now;
        }
    }

    /// The rate now, bits per second.
    pub fn rate(&mut self, now: Ps) -> f64 {
        self.advance(now);
        self.rate
    }

    /// So many bytes were sent.
    pub fn sent(&mut self, bytes: u32, now: Ps) {
        self.advance(now);
        if self.full() {
            return;
        }
        self.bytes += u64::from(bytes);
        while self.bytes >= self.cfg.increase_bytes {
            self.bytes -= self.cfg.increase_bytes;
            self.byte_rounds += 1;
            self.round();
        }
    }

    /// A CNP came.
    pub fn notified(&mut self, now: Ps) {
        self.advance(now);
        if self.cut_at.is_some_and(|t| now - t < self.cfg.cut_spacing) {
            return;
        }
        self.cut_at = Some(now);
        self.cuts += 1;
        self.target = self.rate;
        self.rate = (self.rate * (1.0 - self.alpha / 2.0)).max(self.cfg.min_bps);
        self.alpha = (1.0 - self.cfg.g) * self.alpha + self.cfg.g;
        (self.alpha_at, self.round_at) = (now, now);
        (self.timer_rounds, self.byte_rounds, self.bytes) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Ps = 1_000_000;

    #[test]
    fn the_first_cut_halves_and_five_rounds_come_back() {
        let mut d = Dcqcn::new(DcqcnCfg::published(100e9));
        d.notified(1000 * US);
        assert_eq!(d.rate(1000 * US), 50e9);
        assert_eq!(d.rate(1055 * US), 75e9);
        assert!((d.rate(1275 * US) - 98.4375e9).abs() < 1.0);
        assert!(d.rate(20_000 * US) > 99.9e9);
        assert_eq!(d.cuts, 1);
    }

    #[test]
    fn cuts_are_spaced_and_alpha_decays() {
        let mut d = Dcqcn::new(DcqcnCfg::published(100e9));
        d.notified(1000 * US);
        d.notified(1010 * US);
        assert_eq!(d.cuts, 1, "within the spacing nothing is cut");
        // 100 ms later alpha has decayed to (255/256)^1818, and a cut is slight.
        let mut e = d;
        e.notified(101_000 * US);
        assert!(e.rate(101_000 * US) > 0.99 * d.rate(101_000 * US));
    }

    #[test]
    fn notified_for_ever_it_goes_to_the_floor() {
        let mut d = Dcqcn::new(DcqcnCfg::published(100e9));
        (0..400).for_each(|i| d.notified((1000 + 51 * i) * US));
        assert_eq!(d.rate((1000 + 51 * 400) * US), 100e6);
    }

    #[test]
    fn bytes_count_rounds_too() {
        let mut d = Dcqcn::new(DcqcnCfg::published(100e9));
        d.notified(1000 * US);
        (0..10_000).for_each(|_| d.sent(1000, 1001 * US));
        assert_eq!(d.rate(1001 * US), 75e9);
    }
}
