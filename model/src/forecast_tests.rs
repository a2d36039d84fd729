//! Against what a plain list of slots says, and the commits.

use super::*;
use matchrdma_spec::hash::crc32;
use matchrdma_spec::regs::entry::{CalendarEntry, Path};
use matchrdma_spec::regs::table::{CODE_OK, PATH, PATH_WORDS, TABLES};

const CFG: EstimatorCfg = EstimatorCfg { line: 1600, a: 2, p: 4, c: 3, h: 8 };

fn commit(t: &mut Tables, mask: u32) {
    for table in 0..TABLES {
        let words = matchrdma_spec::regs::table::WINDOWS[table].length();
        let bytes: Vec<u8> = (0..words).flat_map(|w| t.read(table, w).to_le_bytes()).collect();
        t.set_crc(table, crc32(&bytes));
    }
    t.commit(mask);
    t.scanned();
    assert_eq!(t.status().code, CODE_OK);
    t.boundary();
}

fn put(t: &mut Tables, path: usize, set: &Path) {
    for (i, word) in set.pack().into_iter().enumerate() {
        assert!(t.write(PATH, PATH_WORDS * path + i, word));
    }
}

fn put_calendar(t: &mut Tables, path: usize, first: usize, calendar: &[(u32, u32)]) {
    for (n, &(budget, slots)) in calendar.iter().enumerate() {
        for (i, word) in (CalendarEntry { budget, slots }).pack().into_iter().enumerate() {
            assert!(t.write(CALENDAR, CalendarEntry::word(path, first + n) + i, word));
        }
    }
}

const TOLD: Path = Path {
    forecast_first: 250,
    forecast_length: 3,
    forecast_loops: true,
    forecast_start: 4,
    mode: 0,
    rate: 0,
    burst: 0,
    length: 0,
    start: 0,
    ecn_clear: false,
    cnp_on: 0,
    cnp_off: 0,
    pfc_on: 0,
    pfc_off: 0,
    loops: false,
    peer_on: false,
    peer_site: 0,
    weight: 0,
    peer_key: [0; 16],
};
const CALENDAR_OF_THREE: [(u32, u32); 3] = [(100, 1), (200, 3), (300, 2)];

/// Tables with that forecast for path 5.
fn tables(path: &Path, calendar: &[(u32, u32)]) -> Tables {
    let mut t = Tables::new();
    put(&mut t, 5, path);
    put_calendar(&mut t, 5, path.forecast_first.into(), calendar);
    commit(&mut t, 1 << PATH | 1 << CALENDAR);
    t
}

/// What each slot of a forecast that loops says, `n` slots behind its start.
fn value(calendar: &[(u32, u32)], loops: bool, n: u64) -> i64 {
    let slots: Vec<u32> = calendar.iter().flat_map(|(budget, slots)| vec![*budget; *slots as usize]).collect();
    let at = if loops { n as usize % slots.len() } else { (n as usize).min(slots.len() - 1) };
    slots[at].into()
}

#[test]
fn the_outlook_is_what_a_list_of_slots_says() {
    for loops in [true, false] {
        let t = tables(&Path { forecast_loops: loops, ..TOLD }, &CALENDAR_OF_THREE);
        let mut forecast = Forecast::default();
        let mut distance = 0;
        // The loop grows, falls, and grows beyond the whole calendar.
        for (slot, loop_slots) in
            (1..60).zip([0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 2, 2, 2, 2, 2, 2, 40].into_iter().chain([40; 40]))
        {
            let mut ended = [Ended::default(); PATHS];
            ended[5].loops = loop_slots;
            forecast.boundary(&t, slot, &ended, &CFG);
            let outlook = forecast.outlook(5);
            assert_eq!((0..PATHS).filter(|p| forecast.outlook(*p).is_some()).count(), usize::from(outlook.is_some()));
            let Some(outlook) = outlook else {
                assert!(slot < 4 || !loops && slot >= 4 + 6, "slot {slot}");
                continue;
            };
            let behind = u64::from(slot - 4);
            assert!(loops || behind < 6);
            // One of the distance is used up, two may come.
            distance = (distance - i64::from(slot > 4)).max(0);
            distance = (distance + 2).min(loop_slots.max(distance));
            let of = |n: i64| value(&CALENDAR_OF_THREE, loops, behind + n as u64);
            let want = Outlook { ahead: of(distance), sum: (0..distance).map(of).sum(), distance, error: 0 };
            assert_eq!(outlook, want, "slot {slot}");
        }
        assert!(!loops || distance == 40, "it has gone as far as it may");
    }
}

#[test]
fn a_forecast_begins_now_when_its_start_is_past_and_once_it_is_over_it_stays_so() {
    let once = Path { forecast_loops: false, forecast_start: 0xffff_fff0, ..TOLD };
    let t = tables(&once, &CALENDAR_OF_THREE);
    let mut forecast = Forecast::default();
    let seen: Vec<_> = (0..12u32)
        .map(|slot| {
            forecast.boundary(&t, 3 + slot, &[Ended::default(); PATHS], &CFG);
            forecast.outlook(5).map(|o| o.ahead)
        })
        .collect();
    let six = [100, 200, 200, 200, 300, 300].map(Some);
    assert_eq!((&seen[..6], &seen[6..]), (&six[..], &[None; 6][..]));
}

#[test]
fn a_commit_begins_anew_what_it_is_about() {
    let mut t = tables(&TOLD, &CALENDAR_OF_THREE);
    let mut forecast = Forecast::default();
    let mut slot = 3;
    let mut next = |t: &Tables| {
        slot += 1;
        forecast.boundary(t, slot, &[Ended { loops: 1, ..Ended::default() }; PATHS], &CFG);
        forecast.outlook(5).map(|o| (o.sum, o.ahead, o.distance))
    };
    assert_eq!([next(&t), next(&t)], [Some((100, 200, 1)), Some((200, 200, 1))]);
    // Another path, and of this one what the forecast is not in: it goes on.
    put(&mut t, 5, &Path { weight: 7, ..TOLD });
    put(&mut t, 6, &Path { forecast_start: 9, ..TOLD });
    commit(&mut t, 1 << PATH);
    assert_eq!([next(&t), next(&t)], [Some((200, 200, 1)), Some((200, 300, 1))]);
    // Its start, in the past: from its first entry now.
    put(&mut t, 5, &Path { forecast_start: 3, ..TOLD });
    commit(&mut t, 1 << PATH);
    assert_eq!([next(&t), next(&t)], [Some((100, 200, 1)), Some((200, 200, 1))]);
    // Calendars: any of them.
    put(&mut t, 5, &Path { forecast_start: 3, ..TOLD });
    put_calendar(&mut t, 5, 250, &[(101, 1), (201, 3), (301, 2)]);
    commit(&mut t, 1 << CALENDAR);
    assert_eq!([next(&t), next(&t)], [Some((101, 201, 1)), Some((201, 201, 1))]);
    // No longer one, and one again.
    put(&mut t, 5, &Path { forecast_length: 0, forecast_start: 3, ..TOLD });
    commit(&mut t, 1 << PATH);
    assert_eq!([next(&t), next(&t)], [None, None]);
    // A start to come.
    put(&mut t, 5, &Path { forecast_start: 15, ..TOLD });
    commit(&mut t, 1 << PATH);
    assert_eq!([next(&t), next(&t)], [None, Some((101, 201, 1))]);
}

#[test]
fn what_is_promised_too_much_is_learnt_and_forgotten() {
    let flat = [(1000, 1)];
    let t = tables(&Path { forecast_length: 1, forecast_start: 1, ..TOLD }, &flat);
    let mut forecast = Forecast::default();
    let mut error = |slot: u32, drained: u32, backlogged: bool| {
        let mut ended = [Ended::default(); PATHS];
        ended[5] = Ended { drained, backlogged, loops: 3 };
        forecast.boundary(&t, slot, &ended, &CFG);
        forecast.outlook(5).map(|outlook| outlook.error)
    };
    // Nothing was promised of the slot before the first.
    assert_eq!(error(1, 0, true), Some(0));
    // A quarter of what is missing, each slot.
    assert_eq!([error(2, 900, true), error(3, 900, true), error(4, 600, true)], [-25, -44, -133].map(Some));
    // The port was not backlogged: no less than what is missing, and a sixteenth of the line is forgotten.
    assert_eq!([error(5, 600, false), error(6, 980, false), error(7, 900, false)], [-33, 0, 0].map(Some));
    // More than was promised is no reason for more.
    assert_eq!([error(8, 1600, true), error(9, 999, true)], [0, -1].map(Some));
    assert_eq!([error(10, 1600, true)], [Some(0)]);
    // An eighth of the line too much may be; more is doubted, and for 2,047 slots more.
    assert_eq!([error(11, 200, true), error(12, 1000, false)], [Some(-200), Some(0)]);
    assert_eq!(error(13, 196, true), None);
    assert_eq!((14..14 + 2046).filter(|&slot| error(slot, 1000, true).is_some()).count(), 0);
    assert_eq!(error(14 + 2046, 1000, true), Some(-3));
}
