//! What a master owes: it panics on the first breach.

use super::{Address, Offers, WriteData, BEAT_BYTES, BURST_BEATS};
use std::collections::{HashMap, VecDeque};

/// Bytes that no burst may cross the boundary of (AXI4, A3.4.1).
const BOUNDARY: u64 = 4096;

/// What happens at a beat's address.
#[derive(Clone, Copy, Default)]
struct Place {
    written: bool,
    writing: u32,
    reading: u32,
}

/// Follows the channels.
#[derive(Default)]
pub struct Rules {
    before: Offers,
    taken: [bool; 3],
    /// Beats of bursts whose address was taken and whose data were not, and of data that came before their address.
    owed: VecDeque<u32>,
    early: VecDeque<u32>,
    beats: u32,
    places: HashMap<u64, Place>,
}

/// The addresses of a burst's beats.
pub fn span(burst: &Address) -> impl Iterator<Item = u64> + use<> {
    let first = burst.address;
    (0..u64::from(burst.beats)).map(move |beat| first + beat * BEAT_BYTES)
}

impl Rules {
    /// What is offered must stay until it is taken.
    pub fn hold(&mut self, offers: &Offers, taken: [bool; 3]) {
        let before = std::mem::replace(&mut self.before, *offers);
        let [aw, w, ar] = std::mem::replace(&mut self.taken, taken);
        assert!(
            aw || before.aw.is_none() || before.aw == offers.aw,
            "AW changed while it waited: {before:?} {offers:?}"
        );
        assert!(w || before.w.is_none() || before.w == offers.w, "W changed while it waited: {before:?} {offers:?}");
        assert!(
            ar || before.ar.is_none() || before.ar == offers.ar,
            "AR changed while it waited: {before:?} {offers:?}"
        );
    }

    /// Nothing was offered before a reset.
    pub fn reset(&mut self) {
        *self = Rules { places: std::mem::take(&mut self.places), ..Rules::default() };
        self.places.retain(|_, place| {
            (place.writing, place.reading) = (0, 0);
            place.written
        });
    }

    fn shape(burst: &Address) {
        let Address { address, beats, .. } = *burst;
        assert!((1..=BURST_BEATS).contains(&beats), "a burst of {beats} beats: {burst:x?}");
        assert_eq!(address % BEAT_BYTES, 0, "not at a beat: {burst:x?}");
        let last = address + u64::from(beats) * BEAT_BYTES - 1;
        assert_eq!(address / BOUNDARY, last / BOUNDARY, "crosses 4 KiB: {burst:x?}");
    }

    /// A write's address was taken.
    pub fn write(&mut self, burst: &Address) {
        Self::shape(burst);
        for address in span(burst) {
            let place = self.places.entry(address).or_default();
            assert_eq!(place.reading, 0, "written while it is read: {address:#x} of {burst:x?}");
            place.writing += 1;
            place.written = false;
        }
        match self.early.pop_front() {
            Some(beats) => assert_eq!(beats, burst.beats, "WLAST came elsewhere: {burst:x?}"),
            None => self.owed.push_back(burst.beats),
        }
    }

    /// A beat of data was taken; true with the last.
    pub fn data(&mut self, beat: &WriteData) -> bool {
        self.beats += 1;
        let due = self.owed.front().copied();
        if let Some(due) = due {
            assert_eq!(beat.last, self.beats == due, "WLAST at beat {} of {due}", self.beats);
        }
        assert!(self.beats <= BURST_BEATS, "data without end");
        if beat.last {
            match due {
                Some(_) => drop(self.owed.pop_front()),
                None => self.early.push_back(self.beats),
            }
            self.beats = 0;
        }
        beat.last
    }

    /// The master has heard that a write is done.
    pub fn written(&mut self, burst: &Address) {
        for address in span(burst) {
            let place = self.places.get_mut(&address).expect("its address was taken");
            place.writing -= 1;
            place.written = true;
        }
    }

    /// A read's address was taken.
    pub fn read(&mut self, burst: &Address) {
        Self::shape(burst);
        for address in span(burst) {
            let place = self.places.entry(address).or_default();
            assert!(
                place.written && place.writing == 0,
                "read before its write was answered: {address:#x} of {burst:x?}"
            );
            place.reading += 1;
        }
    }

    /// A beat of a read was taken.
    pub fn was_read(&mut self, address: u64) {
        self.places.get_mut(&address).expect("its address was taken").reading -= 1;
    }

    /// Nothing is half done.
    pub fn is_idle(&self) -> bool {
        self.owed.is_empty() && self.early.is_empty() && self.beats == 0
    }
}
