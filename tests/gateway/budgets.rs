//! Budget frames against a whole gateway, on gates and in the model: good ones set rate and limit, all others are counted
//! under their name and change nothing, and the host sees it.

use super::bench::Bench;
use matchrdma::rail::{Look, Peer, Settings};
use matchrdma_model::budget_rx::scaled;
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::{beats, Gateway};
use matchrdma_sim::model_gateway::ModelGateway;
use matchrdma_spec::event;
use matchrdma_spec::regs::counters::DROP_BUDGET_FROM_CLIENT;
use matchrdma_spec::regs::entry::{CalendarEntry, Path, MODE_LIVE};
use matchrdma_spec::regs::law;
use matchrdma_spec::wire::budget::{self, Budget};

const KEY: [u8; 16] = *b"0123456789abcdef";
const PATH: usize = 3;
const SLOT_K: u32 = 11;
const LEASE: u16 = 6;

/// A frame of site 2 to site 1 in sessions 9 and 7, changed before it is sealed.
fn frame(change: impl Fn(&mut Budget)) -> Vec<u8> {
    let mut b = Budget {
        ethertype: 0x88b5,
        magic: budget::MAGIC_VALUE,
        version: budget::VERSION_VALUE,
        kind: budget::KIND_BUDGET,
        src_site: 2,
        dst_site: 1,
        session: 9,
        peer_session: 7,
        sequence: 2,
        slot: 5,
        rate: 1_000_000,
        limit: 5_000_000,
        waiting: 77,
        sent: 10,
        lease: LEASE,
        ..Budget::default()
    };
    change(&mut b);
    let mut frame = vec![0; budget::BYTES];
    b.emit(&mut frame);
    budget::seal(&mut frame, &KEY);
    frame
}

/// Runs for some cycles; gives the frames that left on the line. Nothing may leave to the client.
fn run(gateway: &mut dyn Gateway, cycles: u64) -> Vec<Vec<u8>> {
    let (mut frames, mut part) = (vec![], vec![]);
    for _ in 0..cycles {
        let t = gateway.tick(None, None, true, true);
        assert_eq!(t.client_tx, None, "budget frames are none of the client's");
        if let Some(beat) = t.line_tx {
            part.extend(&beat.data[..beat.bytes.into()]);
            if beat.last {
                frames.push(std::mem::take(&mut part));
            }
        }
    }
    frames
}

/// A frame comes in, from the line or from the client.
fn give(gateway: &mut dyn Gateway, from_line: bool, frame: &[u8]) {
    for beat in beats(frame) {
        let (client, line) = if from_line { (None, Some(&beat)) } else { (Some(&beat), None) };
        assert_eq!(gateway.tick(client, line, true, true).client_tx, None);
    }
    run(gateway, 100);
}

fn story(gateway: &mut dyn Gateway) -> [Look; 3] {
    let slot = 1u64 << SLOT_K;
    let mut host = Host::new(gateway);
    host.tables().set_path(PATH, &Path { mode: MODE_LIVE, burst: 16384, ..Path::default() });
    host.peer(PATH, Some(&Peer { site: 2, weight: 1, key: KEY }));
    host.set_up().expect("the tables are taken");
    host.slot(SLOT_K).expect("a slot");
    host.rail(&Settings { slot_k: SLOT_K, ..Settings::new(1, 7) }).expect("the rail is set");

    let hellos: Vec<_> = run(gateway, 4 * slot).iter().map(|f| Budget::parse(f).expect("whole")).collect();
    assert!(hellos.len() >= 2, "{hellos:?}");
    for pair in hellos.windows(2) {
        assert_eq!((pair[0].kind, pair[0].session, pair[0].peer_session), (budget::KIND_HELLO, 7, 0));
        assert_eq!((pair[0].src_site, pair[0].dst_site, pair[1].sequence), (1, 2, pair[0].sequence + 1));
    }

    let hello = frame(|b| (b.kind, b.sequence, b.rate, b.limit) = (budget::KIND_HELLO, 1, 0, 0));
    give(gateway, false, &hello);
    let mut corrupt = frame(|_| ());
    corrupt[60] ^= 1;
    let mut untagged = frame(|_| ());
    budget::TAG.set(&mut untagged, 1);
    let crc = budget::crc(&untagged);
    budget::CRC.set(&mut untagged, crc.into());
    // Before the hello, its budget is of no session that is known.
    give(gateway, true, &frame(|_| ()));
    give(gateway, true, &hello);
    let wrong = [
        frame(|_| ())[..127].to_vec(),
        corrupt,
        frame(|b| b.version += 1),
        frame(|b| b.dst_site = 8),
        frame(|b| b.src_site = 8),
        untagged,
    ];
    for frame in &wrong {
        give(gateway, true, frame);
    }
    let look = |gateway: &mut dyn Gateway| Host::new(gateway).look(PATH).expect("it reads").expect("the rail answers");
    let opened = look(gateway);
    assert_eq!((opened.session, opened.knows_us, opened.live, opened.rate, opened.limit), (9, true, false, 0, 0));

    let good = frame(|_| ());
    give(gateway, true, &good);
    give(gateway, true, &good);
    give(gateway, true, &frame(|b| (b.sequence, b.rate) = (3, u64::MAX)));
    give(gateway, true, &frame(|b| b.sequence = 4));
    for far in
        [|b: &mut Budget| b.limit = 1 << 62, |b: &mut Budget| b.sent = u64::MAX, |b: &mut Budget| b.echo = 1 << 48]
    {
        give(gateway, true, &frame(|b| (b.sequence, ()) = (5, far(b))));
    }
    let live = look(gateway);
    let rate = scaled(1_000_000, law::factors(8_192_000).0) as u32;
    assert_eq!((live.live, live.lapsed, live.rate, live.limit), (true, false, rate, 5_000_000));
    assert_eq!((live.sequence, live.peer_slot, live.waiting, live.arrived), (4, 5, 77, 10));
    let told = run(gateway, 2 * slot);
    let told = Budget::parse(told.last().expect("budgets go out")).expect("whole");
    assert_eq!((told.kind, told.peer_session, told.echo), (budget::KIND_BUDGET, 9, 5));

    run(gateway, u64::from(LEASE + 8) * slot);
    let lapsed = look(gateway);
    assert!(lapsed.lapsed && lapsed.rate < live.rate, "{lapsed:?}");

    let counted = law::HEARD.map(|reg| gateway.read(reg.offset).expect("a counter"));
    assert_eq!(counted, [3, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3], "each under its own name");
    let [clamped, lapses] = [law::CLAMPED, law::LAPSES].map(|reg| gateway.read(reg.offset).expect("a counter"));
    assert_eq!((clamped, lapses), (1, 1));
    let counters = Host::new(gateway).counters().expect("counters");
    assert_eq!(counters.get(&DROP_BUDGET_FROM_CLIENT), 1);
    [opened, live, lapsed]
}

#[test]
fn what_is_heard_is_what_counts_and_the_host_sees_it() {
    let model = story(&mut ModelGateway::new());
    let mut bench = Bench::new();
    let gates = story(&mut bench.gates);
    for (g, m) in gates.iter().zip(&model) {
        // Registers are read in other cycles: the slots at hand differ.
        let told = |l: &Look| (l.session, l.sequence, l.limit, l.waiting, l.arrived, l.sent, l.est, l.hi);
        assert_eq!(told(g), told(m));
    }
    let events: Vec<_> = bench.events().iter().map(|e| (e.code, e.flow)).collect();
    assert_eq!(events, [(event::PEER_OPENED, PATH as u16), (event::LEASE_LOST, PATH as u16)]);
}

/// A path whose drain the host foretells: grants of the last slots, from what the far gateway is told.
fn foretold(gateway: &mut dyn Gateway, entries: &[CalendarEntry]) -> Vec<u64> {
    let slot = 1u64 << SLOT_K;
    let mut host = Host::new(gateway);
    let path = Path { mode: MODE_LIVE, burst: 16384, ..Path::default() };
    // Two entries of something else lie before it.
    let path = Path { forecast_first: 2, forecast_length: entries.len() as u16, forecast_loops: true, ..path };
    let other = CalendarEntry { budget: 1, slots: 1 };
    host.tables().set_path(PATH, &path);
    host.tables().set_calendar(PATH, &[&[other; 2], entries].concat());
    host.peer(PATH, Some(&Peer { site: 2, weight: 1, key: KEY }));
    host.set_up().expect("the tables are taken");
    host.slot(SLOT_K).expect("a slot");
    host.rail(&Settings { slot_k: SLOT_K, ..Settings::new(1, 7) }).expect("the rail is set");
    run(gateway, 2 * slot);
    give(gateway, true, &frame(|b| (b.kind, b.sequence, b.rate, b.limit) = (budget::KIND_HELLO, 1, 0, 0)));
    // It has nothing to say, but which slot it has applied.
    let (mut told, mut sequence, mut newest) = (vec![], 2, 0);
    for _ in 0..60 {
        for f in run(gateway, slot) {
            let b = Budget::parse(&f).expect("whole");
            if b.kind == budget::KIND_BUDGET {
                newest = b.slot;
                told.push(b.rate);
            }
        }
        give(gateway, true, &frame(|b| (b.sequence, b.echo) = (sequence, newest)));
        sequence += 1;
    }
    told.split_off(told.len() - 16)
}

#[test]
fn what_the_host_foretells_of_a_path_is_what_it_is_granted() {
    let entry = |budget, slots| CalendarEntry { budget, slots };
    let steady = |budget: u32| scaled(budget, law::factors(8_192_000).1);
    let tolerance = steady(64);
    for entries in [&[entry(40_000, 7)][..], &[entry(20_000, 3), entry(60_000, 3)]] {
        let model = foretold(&mut ModelGateway::new(), entries);
        let gates = foretold(&mut Bench::new().gates, entries);
        for (of, told) in [("gates", &gates), ("model", &model)] {
            let (low, high) = (told.iter().min().expect("some"), told.iter().max().expect("some"));
            println!("{of}: {low} to {high} of {} to {}", steady(20_000), steady(60_000));
            if let [one] = entries {
                // Nothing comes, so the quarter of a slot that may wait is missing: an eighth of that is made good in each
                // slot, less what was granted for it within a loop of two slots at most.
                let aim = Settings { slot_k: SLOT_K, ..Settings::new(1, 7) }.line() / 4;
                let (least, most) = (steady(one.budget + aim / 10), steady(one.budget + aim / 8));
                assert!(*low + tolerance >= least && *high <= most + tolerance, "{of}: {told:?}, {least} {most}");
            } else {
                assert!(*low < steady(30_000) && *high > steady(50_000), "{of}: {told:?}");
            }
        }
    }
}
