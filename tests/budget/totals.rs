//! `totals`: what was sent counts from the session's beginning, and limits are those of the session.

use crate::harness::Random;
use matchrdma_rtl::totals::Dut;

#[test]
fn a_session_begins_at_nought() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    (0..16).for_each(|_| dut.tick());
    let (mut all, mut base) = ([0u64; 16], [0u64; 16]);
    let mut limits: [Option<(usize, u64)>; 2] = [None; 2];
    let (mut begun, mut together) = (0, 0);
    for cycle in 0..50_000 {
        let sent = random.below(16) as usize;
        all[sent] += random.below(10_000);
        let (opens, path) = (random.chance(1, 40), random.below(16) as usize);
        let asks = random.below(16) as usize;
        let live = random.chance(1, 5).then(|| (random.pick(&[path, sent]), random.bits(63)));
        dut.set_opened_valid(opens.into());
        dut.set_opened_path(path as u32);
        dut.set_asks(asks as u32);
        dut.set_live_we(live.is_some().into());
        dut.set_live_path(live.map_or(0, |l| l.0) as u32);
        dut.set_live_limit(live.map_or(0, |l| l.1));
        dut.settle();
        let at = if opens { path } else { asks };
        assert_eq!((dut.holds() == 1, dut.sent_path() as usize), (opens, at), "cycle {cycle}");
        dut.set_sent_in_all(all[at]);
        dut.settle();
        if !opens {
            assert_eq!(dut.sent(), all[asks] - base[asks], "cycle {cycle}, path {asks}");
        }
        let (_, due) = (limits[0], limits[1]);
        assert_eq!(dut.limit_we() == 1, due.is_some(), "cycle {cycle}");
        if let Some((path, limit)) = due {
            assert_eq!((dut.limit_path() as usize, dut.limit()), (path, limit), "cycle {cycle}");
        }
        dut.rise();
        // A limit counts from the beginning of the session that the same cycle brings.
        limits[1] = limits[0];
        if opens {
            base[path] = all[path];
            begun += 1;
            together += u32::from(live.is_some_and(|l| l.0 == path));
        }
        limits[0] = live.map(|(path, limit)| (path, limit.wrapping_add(base[path])));
    }
    assert!(begun > 1000 && together > 50, "{begun} {together}");
}
