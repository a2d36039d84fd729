use super::*;

fn commit(t: &mut Tables, mask: u32) -> u32 {
    for table in 0..TABLES {
        let bytes: Vec<u8> = t.shadow(table).iter().flat_map(|w| w.to_le_bytes()).collect();
        t.set_crc(table, crc32(&bytes));
    }
    t.commit(mask);
    t.scanned();
    t.status().code
}

fn put(t: &mut Tables, table: usize, at: usize, words: &[u32]) {
    for (i, word) in words.iter().enumerate() {
        assert!(t.write(table, at + i, *word));
    }
}

fn routes(t: &mut Tables, starts: &[(u128, u8)]) {
    for entry in 0..WINDOWS[ROUTE].entries {
        let route = starts.get(entry).map_or(Route::UNUSED, |(address, queue)| Route {
            address: *address,
            v6: false,
            queue: *queue,
        });
        put(t, ROUTE, ROUTE_WORDS * entry, &route.pack());
    }
}

#[test]
fn a_commit_takes_effect_at_the_end_of_the_slot_and_not_before() {
    let mut t = Tables::new();
    put(&mut t, FLOW, 7, &[0x501]);
    assert_eq!(commit(&mut t, 1 << FLOW), CODE_OK);
    assert_eq!((t.flow(7), t.generation(), t.status().busy), (FlowSetting::default(), 0, true));
    assert!(!t.write(FLOW, 7, 1) && t.write(PATH, 1, 1));
    t.commit(1 << PATH);
    assert!(t.status().refused);
    t.boundary();
    assert_eq!((t.flow(7).serial, t.generation(), t.status().busy), (5, 1, false));
    assert_eq!(t.banks(), 1 << FLOW | 0x100 << FLOW);
    // The shadow bank is the one of before.
    assert_eq!(t.read(FLOW, 7), 0);
    assert!(t.write(FLOW, 7, 1));
}

#[test]
fn a_wrong_crc_changes_nothing() {
    let mut t = Tables::new();
    put(&mut t, FLOW, 7, &[1]);
    t.commit(1 << FLOW);
    t.scanned();
    assert_eq!((t.status().code, t.status().busy, t.waiting()), (CODE_CRC, false, 0));
    t.boundary();
    assert_eq!((t.generation(), t.flow(7)), (0, FlowSetting::default()));
}

#[test]
fn each_fault_has_its_code_and_its_word() {
    let fault = |table: usize, prepare: &dyn Fn(&mut Tables)| {
        let mut t = Tables::new();
        routes(&mut t, &[(10, 3), (20, 16)]);
        prepare(&mut t);
        let code = commit(&mut t, 1 << table);
        (code, t.status().table as usize, t.status().word)
    };
    let path = |at: usize, words: Path| move |t: &mut Tables| put(t, PATH, PATH_WORDS * at, &words.pack());
    let fixed = Path { mode: MODE_FIXED, burst: BURST_MIN, ..Path::default() };
    assert_eq!(fault(ROUTE, &|_| ()), (CODE_OK, 0, 0));
    assert_eq!(fault(ROUTE, &|t| routes(t, &[(10, 3), (10, 4)])), (CODE_ROUTE_ORDER, ROUTE, 12));
    assert_eq!(fault(ROUTE, &|t| routes(t, &[(10, 3), (20, 17)])), (CODE_ROUTE_QUEUE, ROUTE, 12));
    assert_eq!(fault(ROUTE, &|t| put(t, ROUTE, 1020, &[0x1003])), (CODE_RESERVED, ROUTE, 1020));
    assert_eq!(fault(ROUTE, &|t| put(t, ROUTE, 1021, &[1])), (CODE_RESERVED, ROUTE, 1021));
    assert_eq!(fault(ROUTE, &|t| put(t, ROUTE, 1020, &[0x0001])), (CODE_ROUTE_QUEUE, ROUTE, 1020));
    assert_eq!(fault(PATH, &path(15, Path { mode: 6, ..Path::default() })), (CODE_PATH_MODE, PATH, 240));
    assert_eq!(fault(PATH, &path(2, fixed)), (CODE_OK, 0, 0));
    assert_eq!(fault(PATH, &path(2, Path { burst: BURST_MIN - 1, ..fixed })), (CODE_PATH_BURST, PATH, 34));
    assert_eq!(fault(PATH, &path(2, Path { burst: BURST_MAX + 1, ..fixed })), (CODE_PATH_BURST, PATH, 34));
    assert_eq!(fault(PATH, &path(2, Path { mode: MODE_CALENDAR, ..fixed })), (CODE_CALENDAR_LENGTH, PATH, 40));
    assert_eq!(fault(PATH, &path(2, Path { length: 257, ..fixed })), (CODE_CALENDAR_LENGTH, PATH, 40));
    let forecast = |first: u8, length: u16| Path { forecast_first: first, forecast_length: length, ..Path::default() };
    for (first, length) in [(0, 256), (255, 1), (255, 0), (17, 239)] {
        assert_eq!(fault(PATH, &path(2, forecast(first, length))), (CODE_OK, 0, 0));
    }
    for (first, length) in [(0, 257), (1, 256), (255, 2), (255, 511), (17, 240)] {
        assert_eq!(fault(PATH, &path(2, forecast(first, length))), (CODE_FORECAST_LENGTH, PATH, 46));
    }
    for mode in [MODE_LIVE, MODE_LESSER] {
        let live = Path { mode, length: 1, peer_on: true, weight: 1, ..fixed };
        assert_eq!(fault(PATH, &path(2, live)), (CODE_OK, 0, 0));
        assert_eq!(fault(PATH, &path(2, Path { peer_on: false, ..live })), (CODE_PATH_PEER, PATH, 39));
        assert_eq!(fault(PATH, &path(2, Path { weight: 0, ..live })), (CODE_PATH_PEER, PATH, 39));
    }
    assert_eq!(fault(PATH, &|t| put(t, PATH, 7, &[1 << 25])), (CODE_RESERVED, PATH, 7));
    assert_eq!(fault(PATH, &|t| put(t, PATH, 13, &[!0])), (CODE_OK, 0, 0));
    assert_eq!(fault(PATH, &|t| put(t, PATH, 14, &[1 << 17])), (CODE_RESERVED, PATH, 14));
    assert_eq!(fault(PATH, &|t| put(t, PATH, 15, &[!0])), (CODE_OK, 0, 0));
    assert_eq!(fault(FLOW, &|t| put(t, FLOW, 4095, &[0x60])), (CODE_FLOW_MTU, FLOW, 4095));
    assert_eq!(fault(FLOW, &|t| put(t, FLOW, 9, &[0x1_0000])), (CODE_RESERVED, FLOW, 9));
    assert_eq!(fault(CALENDAR, &|t| put(t, CALENDAR, 8191, &[0x1_0000])), (CODE_RESERVED, CALENDAR, 8191));
    let mut t = Tables::new();
    assert_eq!(commit(&mut t, 0), CODE_EMPTY_MASK);
}

#[test]
fn no_route_leads_to_a_path_that_is_off_whichever_comes_first() {
    let off = Path { mode: MODE_OFF, ..Path::default() };
    let mut t = Tables::new();
    routes(&mut t, &[(10, 3)]);
    put(&mut t, PATH, PATH_WORDS * 3, &off.pack());
    assert_eq!((commit(&mut t, 3), t.status().word), (CODE_ROUTE_PATH_OFF, 4), "both at once");
    assert_eq!(commit(&mut t, 2), CODE_OK);
    t.boundary();
    assert_eq!((commit(&mut t, 1), t.status().word), (CODE_ROUTE_PATH_OFF, 4), "the path is off");
    routes(&mut t, &[(10, 4)]);
    assert_eq!(commit(&mut t, 1), CODE_OK);
    t.boundary();
    put(&mut t, PATH, PATH_WORDS * 4, &off.pack());
    assert_eq!((commit(&mut t, 2), t.status().word), (CODE_ROUTE_PATH_OFF, 64), "a route leads there");
    routes(&mut t, &[(10, 5)]);
    assert_eq!(commit(&mut t, 3), CODE_OK, "not with these");
}
