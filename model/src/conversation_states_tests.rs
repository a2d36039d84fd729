//! Conversations that take a flow through its states: what disturbs it, what ends it, and queue pairs made anew.

use super::*;
use matchrdma_spec::event;

/// Short, so that each runs out within a conversation.
const SHORT: Timers = Timers { gap_timeout: 20, flow_idle: 200, debt_timeout: 400 };

impl Conversation {
    fn happened(&self, code: u8) -> u64 {
        self.events.get(&code).copied().unwrap_or(0)
    }

    /// Everything that is under way arrives, or is thrown away.
    fn quiesce(&mut self, deliver: bool) {
        while deliver
            && !(self.near_up.is_empty()
                && self.near_down.is_empty()
                && self.line_up.is_empty()
                && self.line_down.is_empty()
                && self.gateway.outbound().is_empty()
                && self.gateway.inbound().is_empty()
                && !self.gateway.ack_waits()
                && !self.responder.owes)
        {
            self.step();
        }
        loop {
            let more = self.gateway.depart_line().is_some() || self.gateway.depart_client().is_some();
            if !more && self.gateway.next_ack().is_none() {
                break;
            }
        }
        let queues = [&mut self.near_up, &mut self.near_down, &mut self.line_up, &mut self.line_down];
        queues.into_iter().for_each(VecDeque::clear);
    }

    /// Both ends give their queue pairs up and make new ones with the same numbers, which begin anywhere.
    fn make_anew(&mut self, packets: usize, host_knows: bool) {
        let old = self.sender.packets[0].psn;
        let expected = self.gateway.flow(I).expected_psn;
        let weather = self.weather;
        let first = match self.random.below(4) {
            0 => old,
            1 => psn::sub(expected, self.random.below(2000) as u32),
            2 => psn::add(expected, self.random.below(2000) as u32),
            _ => self.random.below(1 << 24) as u32,
        };
        let packets = requests(packets, first, &weather, &mut self.random);
        let first_msn = self.random.below(1 << 24) as u32;
        self.responder = Responder { expected: packets[0].psn, msn: first_msn, naked: false, owes: false };
        self.sender = Sender::new(packets, first_msn);
        let ack_ops_write = weather.ack_ops_write;
        self.watch.flow(I, Watched { key_out: key_out(), key_in: key_in(), mtu: Some(MTU), ack_ops_write });
        if host_knows {
            self.restart();
        }
    }

    /// So many ticks without a frame.
    fn rest(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.steps += TICK;
            self.tick(self.steps / TICK);
        }
    }

    /// Until everything has arrived; a queue pair that failed is made anew, and the host told.
    fn run_to_the_end(&mut self, what: &str) -> u64 {
        let mut failures = 0;
        for _ in 0..4_000_000 {
            self.step();
            if self.sender.failed {
                failures += 1;
                self.quiesce(false);
                self.make_anew(200, true);
            }
            if self.sender.done() {
                return failures;
            }
        }
        let (una, flow) = (&self.sender.packets[self.sender.una], self.gateway.flow(I));
        let (near, far) = (una.psn, self.responder.expected);
        panic!("{what}: stuck at {near:#x} (op {:#x}), far {far:#x}: {flow:?} {:?}", una.op, self.events);
    }
}

fn seeds() -> std::ops::Range<u64> {
    let first = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1u64);
    first..first + 8
}

#[test]
fn a_flow_that_was_disturbed_in_sync_comes_to_active() {
    let (mut back, mut acks) = (0, 0);
    for seed in seeds() {
        let weather = Weather {
            reads: 15,
            near_loss: 6,
            near_damage: 3,
            asks: 10,
            restarts: 4,
            stalls: 2,
            stall_steps: 1500,
            calm_from: 400,
            ..Weather::default()
        };
        let mut c = Conversation::new(weather, 800, seed);
        assert_eq!(c.run_to_the_end(&format!("SEED={seed}")), 0);
        assert_eq!(c.gateway.flow(I).state, State::Active, "SEED={seed}");
        assert_eq!((c.happened(event::FAULT_REFUSED), c.happened(event::FAULT_DEBT)), (0, 0), "SEED={seed}");
        back += c.sender.implied_naks + c.serial as u32;
        acks += c.count(&PSEUDO_ACKS);
    }
    assert!(back > 100 && acks > 500, "{back} {acks}");
}

#[test]
fn a_sender_that_times_out_in_sync_never_ends_in_fault_or_off() {
    let mut resyncs = 0;
    for seed in seeds() {
        // The far side is silent for longer than the sender waits, again and again, and the host starts the flow once.
        let weather = Weather { asks: 20, stalls: 3, stall_steps: 3000, calm_from: 500, ..Weather::default() };
        let mut c = Conversation::new(weather, 800, seed);
        assert_eq!(c.run_to_the_end(&format!("SEED={seed}")), 0);
        assert_eq!(c.gateway.flow(I).state, State::Active, "SEED={seed}");
        let ended = [event::MISPAIRED, event::FAULT_REFUSED, event::FAULT_DEBT].map(|code| c.happened(code));
        assert_eq!(ended, [0; 3], "SEED={seed}");
        resyncs += c.happened(event::RESYNC);
    }
    println!("{resyncs} resyncs");
}

#[test]
fn what_the_far_side_refuses_after_all_ends_the_queue_pair() {
    let (mut refused, mut failures) = (0, 0);
    for seed in seeds() {
        let weather = Weather { reads: 10, asks: 10, not_ready: 1, calm_from: 500, ..Weather::default() };
        let mut c = Conversation::new(weather, 600, seed);
        failures += c.run_to_the_end(&format!("SEED={seed}"));
        refused += c.happened(event::FAULT_REFUSED);
    }
    assert!(refused >= 3 && failures >= 3, "{refused} {failures}");
}

#[test]
fn what_the_line_loses_is_told_the_sender_in_the_end() {
    let (mut lost, mut failures) = (0, 0);
    for seed in seeds() {
        let weather =
            Weather { reads: 10, asks: 10, far_loss: 4, calm_from: 500, timers: Some(SHORT), ..Weather::default() };
        let mut c = Conversation::new(weather, 600, seed);
        failures += c.run_to_the_end(&format!("SEED={seed}"));
        lost += c.happened(event::FAULT_REFUSED) + c.happened(event::FAULT_DEBT);
    }
    assert!(lost > 3 && failures > 3, "{lost} {failures}");
}

#[test]
fn a_far_side_that_stays_silent_is_a_fault_in_time() {
    let (mut old, mut failures) = (0, 0);
    for seed in seeds() {
        let weather = Weather {
            asks: 20,
            stalls: 1,
            stall_steps: 10_000,
            calm_from: 900,
            timers: Some(Timers { debt_timeout: 40, ..SHORT }),
            ..Weather::default()
        };
        let mut c = Conversation::new(weather, 1000, seed);
        failures += c.run_to_the_end(&format!("SEED={seed}"));
        old += c.happened(event::FAULT_DEBT);
    }
    assert!(old > 3 && failures > 3, "{old} {failures}");
}

#[test]
fn queue_pairs_made_anew_are_new_to_the_gateway() {
    for host_knows in [true, false] {
        let mut rests = 0;
        for seed in seeds() {
            let weather = Weather { reads: 15, near_loss: 1, asks: 10, timers: Some(SHORT), ..Weather::default() };
            let mut c = Conversation::new(weather, 200, seed);
            for _ in 0..4 {
                assert_eq!(c.run_to_the_end(&format!("SEED={seed}")), 0);
                c.quiesce(true);
                if !host_knows {
                    // Without debt a rest is enough.
                    c.rest(u64::from(SHORT.flow_idle) + 3);
                    assert_eq!(c.gateway.flow(I).state, State::Sync);
                }
                rests += c.happened(event::IDLE);
                c.make_anew(200, host_knows);
            }
            assert_eq!(c.run_to_the_end(&format!("SEED={seed}")), 0);
            let ended = [event::MISPAIRED, event::FAULT_REFUSED, event::FAULT_DEBT].map(|code| c.happened(code));
            assert_eq!(ended, [0; 3], "SEED={seed} {host_knows}");
        }
        assert!(host_knows || rests > 20, "{rests}");
    }
}
