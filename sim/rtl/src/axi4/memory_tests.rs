//! The memory under a master of plain code: what it holds, how late it is, and each breach it must notice.

use super::*;
use crate::axi4::Stalls;

/// Offers what a test queued, one after another on each channel, and keeps what comes.
#[derive(Default)]
struct Plain {
    aw: VecDeque<Address>,
    w: VecDeque<WriteData>,
    ar: VecDeque<Address>,
    drives: Drives,
    responses: Vec<Response>,
    read: Vec<ReadData>,
}

impl Master for Plain {
    fn offers(&self) -> Offers {
        let (aw, w, ar) = (self.aw.front().copied(), self.w.front().copied(), self.ar.front().copied());
        Offers { aw, w, ar, b_ready: true, r_ready: true }
    }
    fn set_memory(&mut self, drives: &Drives) {
        self.drives = *drives;
    }
}

impl Plain {
    fn cycle(&mut self, memory: &mut Memory) {
        memory.drive(self);
        memory.settle(self.offers());
        let Drives { aw_ready, w_ready, ar_ready, b, r } = self.drives;
        let _ = self.aw.pop_front_if(|_| aw_ready);
        let _ = self.w.pop_front_if(|_| w_ready);
        let _ = self.ar.pop_front_if(|_| ar_ready);
        self.responses.extend(b);
        self.read.extend(r);
    }

    fn write(&mut self, address: u64, beats: u32) {
        self.aw.push_back(Address { id: 0, address, beats });
        let data = |beat| [address as u32 ^ beat; 16];
        self.w.extend((0..beats).map(|b| WriteData { data: data(b), last: b + 1 == beats }));
    }

    fn settle(&mut self, memory: &mut Memory) {
        self.cycle(memory);
        for _ in 0..300_000 {
            if memory.is_idle() && self.aw.is_empty() && self.w.is_empty() && self.ar.is_empty() {
                return;
            }
            self.cycle(memory);
        }
        panic!("the memory ends");
    }
}

/// 64 bursts written, then read under eight IDs.
fn there_and_back(settings: Settings) -> (Memory, Plain) {
    let (mut memory, mut master) = (Memory::new(settings, 3), Plain::default());
    let burst = |i: u64| (0x40_0000_0000 + i * 1024, 16 - (i % 5) as u32);
    (0..64).map(burst).for_each(|(address, beats)| master.write(address, beats));
    master.settle(&mut memory);
    for i in 0..64 {
        let (address, beats) = burst(i);
        master.ar.push_back(Address { id: (i % 8) as u32, address, beats });
    }
    master.settle(&mut memory);
    (memory, master)
}

#[test]
fn what_was_written_is_read_in_order_within_an_id_and_in_any_order_across() {
    for settings in [Settings::hbm(), Settings::ddr4(), Settings::ideal()] {
        let (memory, master) = there_and_back(settings);
        assert_eq!(master.responses.len(), 64);
        for id in 0..8u64 {
            let mut of_id = master.read.iter().filter(|r| u64::from(r.id) == id);
            for i in (id..64).step_by(8) {
                let beats = 16 - (i % 5) as u32;
                for beat in 0..beats {
                    let r = of_id.next().expect("a beat");
                    assert_eq!((r.data[0], r.resp, r.last), ((i * 1024) as u32 ^ beat, 0, beat + 1 == beats));
                }
            }
            assert!(of_id.next().is_none());
        }
        let ends: Vec<u32> = master.read.iter().filter(|r| r.last).map(|r| r.id).collect();
        let in_order = ends.iter().enumerate().all(|(i, id)| i as u32 % 8 == *id);
        assert_eq!(in_order, !settings.reorder, "{ends:?}");
        assert!(memory.statistics().latency[1].max >= settings.read_latency[0]);
        assert!(memory.touched() <= 64 * 1024, "sparse");
        println!("{}", memory.statistics());
    }
}

#[test]
fn reads_and_writes_share_what_the_channels_move_and_refresh_takes_its_part() {
    for (settings, least) in
        [(Settings::hbm(), 0.9), (Settings::ddr4(), 0.9), (Settings { channels: 1, ..Settings::ddr4() }, 0.9)]
    {
        let settings = Settings { stalls: Stalls::default(), ..settings };
        let (mut memory, mut master) = (Memory::new(settings, 1), Plain::default());
        (0..64).for_each(|i| master.write(i * 1024, 16));
        master.settle(&mut memory);
        let begun = *memory.statistics();
        for i in 0..4000u64 {
            master.write((64 + i) * 1024, 16);
            master.ar.push_back(Address { id: (i % 16) as u32, address: i % 64 * 1024, beats: 16 });
        }
        master.settle(&mut memory);
        let s = memory.statistics();
        let cycles = (s.cycles - begun.cycles) as f64;
        let bytes = (2 * 4000 * 1024) as f64;
        let share = bytes / cycles / settings.peak();
        // both ports full, or the memory: whichever is less, less refresh and turns
        let bound = (128.0f64 / settings.peak()).min(1.0);
        let refresh = 1.0 - settings.refresh[1] as f64 / settings.refresh[0] as f64;
        println!("{share:.3} of {bound:.3} and {refresh:.3}");
        assert!(share <= bound.min(refresh), "more than there is: {share}");
        assert!(share >= least * bound.min(refresh), "{share} of {bound}");
    }
}

#[test]
fn errors_come_as_often_as_asked_and_are_told() {
    let (mut memory, _) = there_and_back(Settings { errors: [16384, 16384], ..Settings::hbm() });
    let failures = memory.take_failures();
    let s = memory.statistics();
    assert_eq!(failures.iter().filter(|f| f.write).count() as u64, s.failed[0]);
    assert_eq!(failures.iter().filter(|f| !f.write).count() as u64, s.failed[1]);
    assert!((5..30).contains(&s.failed[0]) && (5..30).contains(&s.failed[1]), "{s}");
    assert!(memory.take_failures().is_empty());
}

/// A master with a fault of its own.
fn with(prepare: impl FnOnce(&mut Plain)) {
    let (mut memory, mut master) = (Memory::new(Settings::ideal(), 1), Plain::default());
    master.write(0, 16);
    master.settle(&mut memory);
    prepare(&mut master);
    master.settle(&mut memory);
}

#[test]
#[should_panic(expected = "crosses 4 KiB")]
fn a_burst_over_a_boundary() {
    with(|m| m.write(4096 - 64, 2));
}

#[test]
#[should_panic(expected = "a burst of 17 beats")]
fn a_burst_too_long() {
    with(|m| m.write(0, 17));
}

#[test]
#[should_panic(expected = "not at a beat")]
fn a_burst_between_beats() {
    with(|m| m.write(32, 2));
}

#[test]
#[should_panic(expected = "WLAST at beat 2 of 3")]
fn a_last_beat_too_early() {
    with(|m| {
        m.write(0, 3);
        m.w[1].last = true;
    });
}

#[test]
#[should_panic(expected = "WLAST at beat 3 of 3")]
fn a_last_beat_that_is_none() {
    with(|m| {
        m.write(0, 3);
        m.w[2].last = false;
    });
}

#[test]
#[should_panic(expected = "WLAST came elsewhere")]
fn data_before_an_address_of_another_length() {
    let (mut memory, mut master) = (Memory::new(Settings::ideal(), 1), Plain::default());
    master.w.push_back(WriteData { last: true, ..WriteData::default() });
    (0..3).for_each(|_| master.cycle(&mut memory));
    master.aw.push_back(Address { id: 0, address: 0, beats: 2 });
    master.settle(&mut memory);
}

#[test]
#[should_panic(expected = "read before its write was answered")]
fn a_read_of_what_nobody_wrote() {
    with(|m| m.ar.push_back(Address { id: 0, address: 1024, beats: 1 }));
}

#[test]
#[should_panic(expected = "read before its write was answered")]
fn a_read_before_the_response() {
    with(|m| {
        m.write(0, 16);
        m.ar.push_back(Address { id: 0, address: 15 * 64, beats: 1 });
    });
}

#[test]
#[should_panic(expected = "written while it is read")]
fn a_write_over_a_read_under_way() {
    with(|m| {
        m.aw.push_back(Address { id: 0, address: 1 << 20, beats: 1 });
        m.w.push_back(WriteData { last: true, ..WriteData::default() });
        m.ar.push_back(Address { id: 0, address: 0, beats: 16 });
        m.write(0, 1);
    });
}

#[test]
fn an_offer_that_changes_or_goes_away_is_noticed() {
    let held = |change: fn(&mut Offers)| {
        let first = Address { id: 0, address: 0, beats: 1 };
        let w = WriteData { last: true, ..WriteData::default() };
        let mut offers = Offers { aw: Some(first), w: Some(w), ar: Some(first), b_ready: true, r_ready: true };
        let mut rules = Rules::default();
        rules.hold(&offers, [false; 3]);
        change(&mut offers);
        rules.hold(&offers, [false; 3]);
    };
    held(|_| ());
    let changes: [fn(&mut Offers); 4] =
        [|o| o.aw = None, |o| o.w = None, |o| o.ar = None, |o| o.w = Some(WriteData::default())];
    for change in changes {
        assert!(std::panic::catch_unwind(|| held(change)).is_err());
    }
}
