//! The gateway in a shell's box, with the shell's rules checked at every edge: what holds in every shell.

use super::bench::{Pins, Shell};
use crate::harness::Random;
use matchrdma_sim::configure::{FlowSetting, Host, Tables};
use matchrdma_sim::engine::{beats, Access, Beat, Gateway};
use matchrdma_sim::load;
use matchrdma_sim::run::keys;
use matchrdma_spec::params::SLOT_K_MIN;
use matchrdma_spec::regs::counters::{COUNTERS, DROP_MAC_ERROR};
use matchrdma_spec::regs::{control, id, pacer};
use std::collections::VecDeque;

/// Frames on each port: `FRAMES`, or 2000.
fn frames() -> u64 {
    std::env::var("FRAMES").map_or(2_000, |n| n.parse().expect("FRAMES is a number"))
}

/// A frame that is no RoCE, mostly small.
pub fn plain(random: &mut Random) -> Vec<u8> {
    let size = match random.below(64) {
        0 => 1 + random.below(9600),
        1..=7 => 1 + random.below(1600),
        _ => 14 + random.below(200),
    };
    let mut frame = random.bytes(size as usize);
    if frame.len() >= 14 {
        frame[12..14].copy_from_slice(&[0x88, 0xb6]);
    }
    frame
}

/// What a port receives: frames, pauses, errors; and what must come out.
#[derive(Default)]
struct Side {
    beats: VecDeque<Beat>,
    expected: VecDeque<Vec<u8>>,
    part: Vec<u8>,
    sent: u64,
    errors: u64,
    came: u64,
}

impl Side {
    fn feed(&mut self, errors: bool, random: &mut Random) -> Option<Beat> {
        if self.beats.is_empty() {
            let frame = plain(random);
            self.beats.extend(beats(&frame));
            self.sent += 1;
            if errors && random.chance(1, 50) {
                let at = random.below(self.beats.len() as u64) as usize;
                self.beats[at].err = true;
                self.errors += 1;
            } else {
                self.expected.push_back(frame);
            }
        }
        self.beats.pop_front()
    }

    fn take(&mut self, beat: Option<Beat>, from: &str) {
        let Some(beat) = beat else { return };
        self.part.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
        if beat.last {
            assert_eq!(Some(std::mem::take(&mut self.part)), self.expected.pop_front(), "{from}, frame {}", self.came);
            self.came += 1;
        }
    }
}

/// Random frames on both ports, in bypass. A MAC brings at most seven beats of eight cycles; it pauses what it is sent now and
/// then, as a MAC does. Registers are read all the while.
pub fn bypass<D: Pins, const N: usize>(mut shell: Shell<D, N>, errors: bool) {
    let frames = frames();
    let mut random = Random::new();
    let mut sides: [Side; 2] = Default::default();
    let (mut quiet, mut reads) = (0, 0);
    shell.begin(Access::Read(id::MAGIC.offset));
    while quiet < 2000 {
        let feeding = [0, 1].map(|s| sides[s].sent < frames || !sides[s].beats.is_empty());
        let [client, line] = [0, 1].map(|s| {
            let goes = feeding[s] && random.chance(3, 4);
            goes.then(|| sides[s].feed(errors, &mut random)).flatten()
        });
        let ready = [random.chance(31, 32), random.chance(31, 32)];
        let t = shell.tick(client.as_ref(), line.as_ref(), ready[0], ready[1]);
        sides[0].take(t.line_tx, "client to line");
        sides[1].take(t.client_tx, "line to client");
        let busy = feeding[0] || feeding[1] || t.line_tx.is_some() || t.client_tx.is_some();
        quiet = if busy { 0 } else { quiet + 1 };
        if let Some(answer) = shell.answer() {
            assert_eq!(answer, Ok(id::MAGIC_VALUE));
            reads += 1;
            shell.begin(Access::Read(id::MAGIC.offset));
        }
    }
    for side in &sides {
        assert!(side.expected.is_empty() && side.part.is_empty(), "{} frames never came", side.expected.len());
        assert_eq!(side.came + side.errors, frames);
    }
    assert!(shell.rests() && reads > frames / 100, "{reads} reads");
    let errors = Host::new(&mut shell).counter(&DROP_MAC_ERROR).unwrap();
    assert_eq!(errors, sides[0].errors + sides[1].errors, "tuser_err of each port is a MAC's error");
    println!("{frames} frames on each port, {errors} with a MAC error, {reads} registers read");
}

/// Flows that are active: every request goes to the line and is acknowledged to the client, and what the line brings comes.
pub fn active<D: Pins, const N: usize>(mut shell: Shell<D, N>) {
    let frames = frames();
    shell.write(pacer::SLOT_K.offset, SLOT_K_MIN).unwrap();
    let mut tables = Tables::new();
    for (out, back) in (0..16).map(keys) {
        let setting = FlowSetting { serial: 1, ..Default::default() };
        tables.install(&mut Host::new(&mut shell), out, back, setting).unwrap();
    }
    Host::new(&mut shell).commit().unwrap();
    shell.write(control::CONTROL.offset, 1).unwrap();
    // two beats a request; a MAC brings seven beats in eight cycles, the line leaves the ACKs their share
    let r = load::active(&mut shell, 16, 8, 2 * frames, 8);
    println!("{r:?}");
    assert!(r.requests >= frames && r.others[0] >= frames, "{r:?}");
    assert_eq!((r.forwarded, r.covered, r.others[1]), (r.requests, r.requests, r.others[0]), "{r:?}");
    assert!(shell.rests());
    let counters = Host::new(&mut shell).counters().unwrap();
    for counter in COUNTERS.iter().filter(|c| c.name.starts_with("DROP_")) {
        assert_eq!(counters.get(counter), 0, "{}", counter.name);
    }
}

/// A reset in the middle of frames, twenty times.
pub fn resets<D: Pins, const N: usize>(mut shell: Shell<D, N>) {
    let mut random = Random::new();
    for round in 0..20 {
        shell.write(id::SCRATCH.offset, round).unwrap();
        assert_eq!(shell.read(id::SCRATCH.offset), Ok(round));
        // a reset in the middle of frames that the MACs bring
        let frames = [0, 1].map(|_| random.bytes(9600));
        let mut both = frames.map(|f| beats(&f).collect::<VecDeque<_>>());
        let cut = random.below(150);
        for _ in 0..cut {
            let (client, line) = (both[0].pop_front(), both[1].pop_front());
            shell.tick(client.as_ref(), line.as_ref(), true, true);
        }
        shell.reset();
        assert!(shell.read(id::SCRATCH.offset) != Ok(round) || round == 0, "the core was reset");
        let mut frame = random.bytes(200);
        frame[12..14].copy_from_slice(&[0x88, 0xb6]);
        let mut came = [vec![], vec![]];
        both.iter_mut().for_each(|q| q.extend(beats(&frame)));
        for _ in 0..1500 {
            let (client, line) = (both[0].pop_front(), both[1].pop_front());
            let t = shell.tick(client.as_ref(), line.as_ref(), true, true);
            for (out, beat) in came.iter_mut().zip([t.line_tx, t.client_tx]) {
                out.extend(beat.into_iter().flat_map(|b| b.data[..usize::from(b.bytes)].to_vec()));
            }
        }
        // the rest of a frame that reset cut is none
        assert!(came.iter().all(|c| if cut > 0 { *c == frame } else { c.ends_with(&frame) }), "round {round}, {cut}");
    }
}

/// Registers answer though the core's clock stands.
pub fn answers<D: Pins, const N: usize>(mut shell: Shell<D, N>) {
    assert_eq!(shell.read(id::MAGIC.offset), Ok(id::MAGIC_VALUE));
    shell.clocks.stand(1, true);
    for _ in 0..3 {
        assert!(shell.read(id::MAGIC.offset).is_err());
        assert!(shell.write(id::SCRATCH.offset, 1).is_err());
    }
    shell.clocks.stand(1, false);
    // the late answer of the first read is not that of the next
    let mut answers = (0..3).map(|_| shell.read(id::SCRATCH.offset));
    assert!(answers.all(|a| a == Ok(0) || a.is_err()));
    assert_eq!(shell.read(id::MAGIC.offset), Ok(id::MAGIC_VALUE));
    assert!(shell.read(0x0ffc).is_err(), "nothing there");
    // a reset while the clock stands is seen when it goes on
    shell.write(id::SCRATCH.offset, 7).unwrap();
    shell.clocks.stand(1, true);
    shell.pulse_reset();
    shell.wait_for_reset();
    shell.clocks.stand(1, false);
    assert_eq!(shell.read(id::SCRATCH.offset), Ok(0));
}

/// The line brings more than the queue between the clocks holds, while the core's clock stands: frames are gone, the one that
/// was cut counts as one with a MAC error, and those that come are whole.
pub fn overflow<D: Pins, const N: usize>(mut shell: Shell<D, N>) {
    let mut random = Random::new();
    let mut lost = 0;
    for _ in 0..40 {
        let mut frames: VecDeque<Vec<u8>> = (0..10 + random.below(40)).map(|_| plain(&mut random)).collect();
        shell.receives_alone(1, frames.iter().flat_map(|f| beats(f).collect::<Vec<_>>()));
        // behind what was lost all is as before
        let after: Vec<Vec<u8>> = (0..3).map(|_| plain(&mut random)).collect();
        let mut coming: VecDeque<Beat> = after.iter().flat_map(|f| beats(f).collect::<Vec<_>>()).collect();
        frames.extend(after);
        let mut part = vec![];
        for tick in 0..2500 {
            let beat = (tick > 700).then(|| coming.pop_front()).flatten();
            let Some(beat) = shell.tick(None, beat.as_ref(), true, true).client_tx else { continue };
            part.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
            if beat.last {
                let frame = std::mem::take(&mut part);
                let at = frames.iter().position(|f| *f == frame).expect("a frame as it was sent, in its order");
                frames.drain(..=at);
                lost += at;
            }
        }
        assert!(frames.is_empty() && part.is_empty(), "{} frames behind it never came", frames.len());
    }
    let cut = Host::new(&mut shell).counter(&DROP_MAC_ERROR).unwrap();
    println!("{lost} frames lost, {cut} of them cut");
    assert!(lost > 200 && cut > 10 && cut <= 40, "{lost} {cut}");
}

/// Every test in a box.
macro_rules! in_box {
    ($name:ident, $box:expr, $errors:literal) => {
        mod $name {
            use crate::shell::whole;

            #[test]
            fn random_frames_pass_bit_exact_in_bypass() {
                whole::bypass($box(), $errors);
            }

            #[test]
            fn requests_of_active_flows_are_acknowledged() {
                whole::active($box());
            }

            #[test]
            fn a_reset_is_told_and_over_whatever_is_under_way() {
                whole::resets($box());
            }

            #[test]
            fn registers_answer_though_the_clock_of_the_core_stands() {
                whole::answers($box());
            }
        }
    };
}
pub(crate) use in_box;
