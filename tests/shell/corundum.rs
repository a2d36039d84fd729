//! The gateway as Corundum's application block.

use super::corundum_app::app;
use super::whole::{in_box, overflow, plain};
use crate::harness::Random;
use matchrdma_sim::configure::Host;
use matchrdma_sim::engine::{beats, Gateway};
use matchrdma_spec::regs::counters::DROP_MAC_ERROR;
use std::collections::VecDeque;

in_box!(application, crate::shell::corundum_app::app, true);

#[test]
fn what_the_queue_from_the_line_cannot_hold_is_lost_whole_and_counted() {
    overflow(app());
}

/// A port's link goes and comes again, in the middle of frames either way: a frame that was brought counts as one with a MAC
/// error, what follows is whole, and the host is told of each of its frames all the while.
#[test]
fn a_mac_that_is_reset_cuts_frames_and_no_other() {
    let mut shell = app();
    let mut random = Random::new();
    let (mut cut, mut came) = (0, 0);
    for round in 0..60 {
        // frames go from one port to the other, and the link of either may go
        let (from, lane) = (round & 1, round >> 1 & 1);
        let mut frames = vec![];
        let mut coming = VecDeque::new();
        for _ in 0..4 {
            let frame = [random.bytes(12), vec![0x88, 0xb6], random.bytes(6000)].concat();
            coming.extend(beats(&frame));
            frames.push(frame);
        }
        let at = 60 + random.below(280);
        let mut part = vec![];
        for tick in 0..2000 {
            if tick == at || tick == at + 20 {
                shell.pins().mac_reset(lane, tick == at);
                shell.hold_mac(lane, tick == at);
            }
            if tick == at + 20 {
                // the rest of a frame that the reset has cut does not come
                coming.truncate(if lane == from { 0 } else { coming.len() });
                let frame = plain(&mut random);
                coming.extend(beats(&frame));
                frames.push(frame);
            }
            let beat = (!(at..at + 40).contains(&tick)).then(|| coming.pop_front()).flatten();
            let given = [0, 1].map(|port| beat.as_ref().filter(|_| port == from));
            let t = shell.tick(given[0], given[1], true, true);
            let Some(beat) = [t.line_tx, t.client_tx][from].take() else { continue };
            part.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
            if !beat.last {
                continue;
            }
            let part = std::mem::take(&mut part);
            if beat.err {
                cut += 1;
                continue;
            }
            let found = frames.iter().position(|f| *f == part);
            frames.drain(..=found.unwrap_or_else(|| panic!("round {round}: {} bytes that nobody sent", part.len())));
            came += 1;
        }
        assert!(frames.is_empty() && part.is_empty(), "round {round}: what came last is whole");
    }
    let (errors, told) = (Host::new(&mut shell).counter(&DROP_MAC_ERROR).unwrap(), shell.pins().told());
    println!("{errors} frames cut on their way in, {cut} on their way out; {came} came, and {told:?} of the host's");
    assert!(errors > 20 && cut > 10 && came > 100 && told.iter().all(|t| *t > 1000), "{errors} {cut} {came} {told:?}");
}
