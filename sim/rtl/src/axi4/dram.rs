//! One channel of a memory: what moves in it, one burst after another.

use super::settings::Settings;
use super::BEAT_BYTES;
use std::collections::VecDeque;

/// A burst that waits for the channel: its number, its beats.
type Job = (u64, u32);

/// Reads and writes of one channel take turns in batches; it rests while it is refreshed, and when it turns round.
#[derive(Default)]
pub struct Channel {
    /// Index 0: writes, 1: reads.
    waiting: [VecDeque<Job>; 2],
    direction: usize,
    run: u32,
    /// In 1/256 bytes: what may still be moved.
    credit: u64,
    rests: u64,
}

impl Channel {
    /// A burst comes.
    pub fn push(&mut self, direction: usize, job: Job) {
        self.waiting[direction].push_back(job);
    }

    /// One cycle, `phase` cycles after the channel's refresh began: the burst that was moved, if its last bytes were.
    pub fn step(&mut self, settings: &Settings, phase: u64) -> Option<u64> {
        if settings.refresh[0] > 0 && phase < settings.refresh[1] {
            return None;
        }
        if self.rests > 0 {
            self.rests -= 1;
            return None;
        }
        let other = 1 - self.direction;
        let turns = self.waiting[self.direction].is_empty() || self.run >= settings.batch;
        if turns && !self.waiting[other].is_empty() {
            self.direction = other;
            self.run = 0;
            if settings.turnaround > 0 {
                self.rests = settings.turnaround - 1;
                return None;
            }
        }
        let Some(&(number, beats)) = self.waiting[self.direction].front() else {
            self.credit = 0;
            return None;
        };
        self.credit += settings.rate;
        let cost = u64::from(beats) * BEAT_BYTES * 256;
        if self.credit < cost {
            return None;
        }
        // a second burst that this cycle's rest would do too is done in the next
        self.credit -= cost;
        self.waiting[self.direction].pop_front();
        self.run += 1;
        Some(number)
    }
}
