//! Randomness: one stream per element, so that adding an element does not shift the others.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of element `of` in a run of this seed.
    pub fn new(seed: u64, of: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(of);
        Stream(rng)
    }

    /// 0..`n`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Exponential with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// Gaussian, mean 0 and deviation 1.
    pub fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let take = |seed, of| (0..4).map(|_| Stream::new(seed, of).below(1000)).collect::<Vec<_>>();
        assert_eq!(take(1, 2), take(1, 2));
        assert_ne!(Stream::new(1, 2).0.next_u64(), Stream::new(1, 3).0.next_u64());
        let mut s = Stream::new(7, 7);
        let mean: f64 = (0..20_000).map(|_| s.exponential(3.0)).sum::<f64>() / 20_000.0;
        assert!((mean - 3.0).abs() < 0.1, "{mean}");
        let mean: f64 = (0..20_000).map(|_| s.gaussian()).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03, "{mean}");
    }
}
