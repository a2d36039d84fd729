//! ECN: which packets a queue marks, by its length.

use super::rng::Stream;

/// Thresholds of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ecn {
    /// Below this many bytes nothing is marked.
    pub kmin: u64,
    /// Above this many everything is.
    pub kmax: u64,
    /// Probability at `kmax`.
    pub pmax: f64,
}

impl Ecn {
    /// Thresholds that scale with the rate of the port: 400 and 1600 kB at 100 Gb/s, 0.2 (the published DCQCN settings of
    /// the HPCC simulator, which THEMIS and SimAI took over).
    pub fn scaled(bps: f64) -> Self {
        let scale = bps / 100e9;
        Ecn { kmin: (400e3 * scale) as u64, kmax: (1600e3 * scale) as u64, pmax: 0.2 }
    }

    /// Whether a packet that finds so many bytes waiting is marked.
    pub fn marks(&self, queued: u64, random: &mut Stream) -> bool {
        if queued <= self.kmin {
            return false;
        }
        let part = (queued - self.kmin) as f64 / (self.kmax - self.kmin).max(1) as f64;
        queued > self.kmax || random.unit() < self.pmax * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probability_rises_between_the_thresholds() {
        let ecn = Ecn::scaled(100e9);
        let mut random = Stream::new(1, 1);
        let mut of_10_000 = |queued| (0..10_000).filter(|_| ecn.marks(queued, &mut random)).count();
        assert_eq!((of_10_000(400_000), of_10_000(1_600_001)), (0, 10_000));
        assert!((900..1100).contains(&of_10_000(1_000_000)));
    }
}
