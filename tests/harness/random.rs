//! Seeded stimuli. The seed is printed, so that a failure names the run that shows it again.

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A source of stimuli: the same everywhere for the same seed.
pub struct Random(ChaCha8Rng);

impl Random {
    /// Seeded from `SEED`.
    pub fn new() -> Self {
        Self::seeded(Self::seed())
    }

    /// `SEED`: a number, or `random` for the clock; 1 when unset.
    pub fn seed() -> u64 {
        match std::env::var("SEED") {
            Err(_) => 1,
            Ok(s) if s == "random" => std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_nanos() as u64),
            Ok(s) => s.parse().unwrap_or_else(|_| panic!("SEED={s} is no number and not `random`")),
        }
    }

    /// Seeded; says so.
    pub fn seeded(seed: u64) -> Self {
        println!("SEED={seed}");
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Any 64 bits.
    pub fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Any 32 bits.
    pub fn u32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// `bits` random bits, at most 64.
    pub fn bits(&mut self, bits: u32) -> u64 {
        if bits == 0 {
            0
        } else {
            self.u64() >> (64 - bits)
        }
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.u64()) * u128::from(limit)) >> 64) as u64
    }

    /// True in `times` of `out_of` calls.
    pub fn chance(&mut self, times: u64, out_of: u64) -> bool {
        self.below(out_of) < times
    }

    /// A port value of `bits` bits in 32-bit words.
    pub fn words<const N: usize>(&mut self, bits: u32) -> [u32; N] {
        std::array::from_fn(|i| self.bits(bits.saturating_sub(32 * i as u32).min(32)) as u32)
    }

    /// `length` random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// One of `choices`.
    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }
}
