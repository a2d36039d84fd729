//! The longest loop of the paths that take part, gates against what it is.

use crate::harness::Random;
use matchrdma_rtl::budget_loops::Dut;

const PATHS: usize = 16;
/// Cycles from `go` to `done`.
const TAKES: u32 = 19;
/// A longer loop counts as this.
const LONGEST: u64 = 4095;

#[derive(Clone, Copy, Default)]
struct Path {
    live: bool,
    waiting: u64,
    echo: u64,
}

#[test]
fn the_longest_loop_and_who_waits_are_those_of_paths_that_take_part() {
    let mut random = Random::new();
    let mut dut = Dut::new();
    dut.set_rst(1);
    dut.tick();
    dut.set_rst(0);
    let (mut far, mut none, mut idle) = (0, 0, 0);
    for round in 0..4000 {
        let bits = random.pick(&[3, 13, 40, 48]);
        let slot = random.bits(bits);
        let (alive, waiting) = (random.below(9), random.below(9));
        let reach = random.pick(&[4, 200, 4100, 10_000, 1 << 40]);
        let paths: [Path; PATHS] = std::array::from_fn(|_| Path {
            live: random.chance(alive, 8),
            waiting: if random.chance(waiting, 64) { 1 << random.below(64) } else { 0 },
            // now and then a slot to come
            echo: match random.below(8) {
                0 => (slot + random.below(reach)) & ((1 << 48) - 1),
                _ => slot.saturating_sub(random.below(reach)),
            },
        });
        dut.set_slot(slot);
        dut.set_go(1);
        dut.tick();
        dut.set_go(0);
        for cycle in 1..=TAKES {
            dut.settle();
            let path = paths[dut.ask_path() as usize];
            dut.set_live(path.live.into());
            dut.set_waiting(path.waiting);
            dut.set_echo(path.echo);
            dut.settle();
            assert_eq!(dut.done() == 1, cycle == TAKES, "cycle {cycle}");
            if cycle < TAKES {
                dut.rise();
            }
        }
        let parts = || paths.iter().filter(|path| path.live);
        let longest = parts().map(|path| slot.saturating_sub(path.echo).min(LONGEST)).max().unwrap_or(0);
        let waits = parts().any(|path| path.waiting > 0);
        assert_eq!((u64::from(dut.longest()), dut.waits() == 1), (longest, waits), "round {round}");
        far += u32::from(longest == LONGEST);
        none += u32::from(longest == 0);
        idle += u32::from(!waits && paths.iter().any(|path| path.waiting > 0));
        dut.rise();
    }
    println!("as long as may be {far}, none {none}, one that takes no part waits {idle}");
    assert!(far > 100 && none > 100 && idle > 100);
}
