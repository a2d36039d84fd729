//! What the memory holds: gigabytes of addresses, of which those take space that were written.

use super::{Word, BEAT_BYTES};
use std::collections::HashMap;

/// Beats of a page.
const PAGE_BEATS: u64 = 64;

/// Beats by address.
#[derive(Default)]
pub struct Store {
    pages: HashMap<u64, Box<[Option<Word>; PAGE_BEATS as usize]>>,
}

impl Store {
    fn place(address: u64) -> (u64, usize) {
        let beat = address / BEAT_BYTES;
        (beat / PAGE_BEATS, (beat % PAGE_BEATS) as usize)
    }

    /// Keeps a beat.
    pub fn write(&mut self, address: u64, data: Word) {
        let (page, index) = Self::place(address);
        self.pages.entry(page).or_insert_with(|| Box::new([None; PAGE_BEATS as usize]))[index] = Some(data);
    }

    /// What was kept there last, if anything was.
    pub fn read(&self, address: u64) -> Option<Word> {
        let (page, index) = Self::place(address);
        self.pages.get(&page)?[index]
    }

    /// Bytes of simulated memory that were ever touched, whole pages.
    pub fn touched(&self) -> u64 {
        self.pages.len() as u64 * PAGE_BEATS * BEAT_BYTES
    }
}
