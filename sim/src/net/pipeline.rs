//! Pipeline-parallel training across data centres: a schedule of forwards and backwards, and how long it takes.
//!
//! Stages stand in a row; the boundary between two may cross a line. Two schedules:
//!
//! * **1F1B**, coupled: a stage that sends over a line waits until what it sent is there, as blocking point-to-point
//!   calls do. Warm-up: one forward for each stage behind it.
//! * **decoupled** (GeoPipe, arXiv 2510.12064): sends go beside the computing, and each stage does extra forwards
//!   before its first backward, so that it has work while activations and gradients are under way.
//!
//! An activation lives from its forward to its backward, so extra forwards cost memory: `in_flight_most` is the cap.

use super::packet::Ps;

/// What is trained, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// For each boundary between neighbouring stages: it crosses a line.
    pub crosses: Vec<bool>,
    /// Micro-batches of an iteration.
    pub micro_batches: usize,
    /// Forward of one micro-batch on one stage.
    pub forward: Ps,
    /// Backward of one.
    pub backward: Ps,
    /// An activation or a gradient on a line, without the delay.
    pub transfer: Ps,
    /// One way over a line.
    pub delay: Ps,
    /// The sender waits for each transfer.
    pub coupled: bool,
    /// Forwards before the first backward beyond those of 1F1B, for each line behind the stage.
    pub extra: usize,
    /// Micro-batches that a stage may have in flight.
    pub in_flight_most: usize,
}

/// A transfer over a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Boundary.
    pub boundary: usize,
    /// An activation, to the next stage; else a gradient, to the one before.
    pub forward: bool,
    /// When it was handed over.
    pub at: Ps,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// From the first forward to the last backward.
    pub time: Ps,
    /// Part of that in which a stage does nothing, on average.
    pub bubble: f64,
    /// Most micro-batches in flight on a stage.
    pub in_flight: usize,
    /// What went over lines, in order of time.
    pub transfers: Vec<Transfer>,
}

/// What a stage does next, and for which micro-batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Its forward.
    Forward(usize),
    /// Its backward.
    Backward(usize),
}

impl Pipeline {
    /// Stages.
    pub fn stages(&self) -> usize {
        self.crosses.len() + 1
    }

    /// Forwards before the first backward.
    fn warm_up(&self, stage: usize) -> usize {
        let lines = self.crosses[stage..].iter().filter(|c| **c).count();
        let extra = if self.coupled { 0 } else { self.extra * lines };
        (self.stages() - 1 - stage + extra).min(self.in_flight_most.saturating_sub(1)).min(self.micro_batches)
    }

    /// What a stage does in an iteration, in order.
    pub fn order(&self, stage: usize) -> Vec<Op> {
        let (n, warm) = (self.micro_batches, self.warm_up(stage));
        let mut ops: Vec<Op> = (0..warm).map(Op::Forward).collect();
        for i in 0..n {
            if warm + i < n {
                ops.push(Op::Forward(warm + i));
            }
            ops.push(Op::Backward(i));
        }
        ops
    }

    /// Extra forwards that hide the lines, by the rule `2c / (tF + tB)`, c being one way and a transfer.
    pub fn extra_that_hides(&self) -> usize {
        let c = self.delay + self.transfer;
        (2 * c).div_ceil(self.forward + self.backward) as usize
    }

    /// Plays one iteration.
    pub fn run(&self) -> Iteration {
        let (stages, n) = (self.stages(), self.micro_batches);
        let orders: Vec<Vec<Op>> = (0..stages).map(|s| self.order(s)).collect();
        // When the input of a forward, or of a backward, is there.
        let mut activation = vec![vec![Ps::MAX; n]; stages];
        let mut gradient = vec![vec![Ps::MAX; n]; stages];
        activation[0] = vec![0; n];
        let mut next = vec![0; stages];
        let mut free = vec![0; stages];
        // A line one way: when it can take the next transfer.
        let mut line = vec![[0; 2]; stages - 1];
        let mut transfers = vec![];
        let (mut live, mut in_flight) = (vec![0usize; stages], 0);
        loop {
            let mut moved = false;
            for s in 0..stages {
                while let Some(op) = orders[s].get(next[s]) {
                    let (ready, work) = match *op {
                        Op::Forward(i) => (activation[s][i], self.forward),
                        // The last stage has its own loss: it goes back from where it is.
                        Op::Backward(_) if s + 1 == stages => (0, self.backward),
                        Op::Backward(i) => (gradient[s][i], self.backward),
                    };
                    if ready == Ps::MAX {
                        break;
                    }
                    let done = free[s].max(ready) + work;
                    free[s] = done;
                    let mut send = |boundary: usize, way: usize| {
                        if !self.crosses[boundary] {
                            return (done, done);
                        }
                        let gone = line[boundary][way].max(done) + self.transfer;
                        line[boundary][way] = gone;
                        transfers.push(Transfer { boundary, forward: way == 0, at: gone - self.transfer });
                        let there = gone + self.delay;
                        (there, if self.coupled { there } else { done })
                    };
                    match *op {
                        Op::Forward(i) => {
                            live[s] += 1;
                            in_flight = in_flight.max(live[s]);
                            if s + 1 < stages {
                                (activation[s + 1][i], free[s]) = send(s, 0);
                            }
                        }
                        Op::Backward(i) => {
                            live[s] -= 1;
                            if s > 0 {
                                (gradient[s - 1][i], free[s]) = send(s - 1, 1);
                            }
                        }
                    }
                    next[s] += 1;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        assert!((0..stages).all(|s| next[s] == orders[s].len()), "a schedule that does not end");
        transfers.sort_by_key(|t| (t.at, t.boundary, t.forward));
        let time = free.iter().copied().max().unwrap_or(0);
        let busy = n as u64 * (self.forward + self.backward);
        Iteration { time, bubble: 1.0 - busy as f64 / time as f64, in_flight, transfers }
    }
}

/// A model and the machines of one stage: what a micro-batch costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Parameters.
    pub parameters: f64,
    /// Width of an activation.
    pub hidden: u64,
    /// Tokens of a sequence.
    pub sequence: u64,
    /// Sequences of an iteration, of one pipeline.
    pub batch: usize,
    /// Floating-point operations per second that a stage really does.
    pub stage_flops: f64,
    /// What a forward takes beside its operations: launches, collectives within the stage.
    pub overhead: Ps,
    /// Memory of a stage for activations, bytes.
    pub activation_memory: f64,
    /// Bytes that one sequence's activations take on a stage.
    pub activation_per_sequence: f64,
}

impl Model {
    /// The pipeline with so many sequences in a micro-batch; `None` when not one fits.
    pub fn pipeline(&self, crosses: &[bool], size: usize, bps: f64, delay: Ps) -> Option<Pipeline> {
        if size == 0 || !self.batch.is_multiple_of(size) {
            return None;
        }
        let stages = crosses.len() as f64 + 1.0;
        let tokens = (size as u64 * self.sequence) as f64;
        let forward = 2.0 * self.parameters / stages * tokens / self.stage_flops * 1e12;
        // Two bytes for each value of an activation.
        let bytes = 2.0 * self.hidden as f64 * tokens;
        let most = (self.activation_memory / (self.activation_per_sequence * size as f64)) as usize;
        (most > crosses.len()).then(|| Pipeline {
            crosses: crosses.to_vec(),
            micro_batches: self.batch / size,
            forward: forward as Ps + self.overhead,
            backward: 2 * forward as Ps + self.overhead,
            transfer: (bytes * 8.0 / bps * 1e12) as Ps,
            delay,
            coupled: true,
            extra: 0,
            in_flight_most: most,
        })
    }

    /// Bytes of one activation.
    pub fn message_bytes(&self, size: usize) -> u64 {
        2 * self.hidden * self.sequence * size as u64
    }

    /// The best of each schedule over the sizes of a micro-batch and the extra forwards: (size, pipeline, iteration).
    pub fn best(&self, crosses: &[bool], bps: f64, delay: Ps, coupled: bool) -> Option<(usize, Pipeline, Iteration)> {
        let sizes = (0..8).map(|i| 1usize << i);
        let candidates = sizes.filter_map(|size| Some((size, self.pipeline(crosses, size, bps, delay)?)));
        let tried = candidates.flat_map(|(size, p)| {
            let most = if coupled { 0 } else { p.extra_that_hides() + 2 };
            (0..=most).map(move |extra| {
                let p = Pipeline { coupled, extra, ..p.clone() };
                let played = p.run();
                (size, p, played)
            })
        });
        tried.min_by_key(|(size, p, i)| (i.time, p.extra, *size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ps = 1_000_000_000;

    fn pipeline(delay: Ps, coupled: bool, extra: usize) -> Pipeline {
        Pipeline {
            crosses: vec![false, false, false, true, false, false, false],
            micro_batches: 64,
            forward: 10 * MS,
            backward: 20 * MS,
            transfer: 3 * MS,
            delay,
            coupled,
            extra,
            in_flight_most: 1000,
        }
    }

    #[test]
    fn without_lines_the_bubble_is_that_of_the_books() {
        let mut p = pipeline(0, true, 0);
        p.crosses = vec![false; 7];
        let i = p.run();
        assert!((i.bubble - 7.0 / 71.0).abs() < 1e-9, "{}", i.bubble);
        assert_eq!((i.in_flight, i.transfers.len()), (8, 0));
        p.coupled = false;
        assert_eq!(p.run(), i);
    }

    #[test]
    fn a_line_costs_a_coupled_schedule_much_and_extra_forwards_hide_it() {
        let coupled = pipeline(10 * MS, true, 0).run();
        let few = pipeline(10 * MS, false, 0).run();
        let p = pipeline(10 * MS, false, 0);
        assert_eq!(p.extra_that_hides(), 1);
        let hidden = pipeline(10 * MS, false, p.extra_that_hides()).run();
        assert!(coupled.bubble > few.bubble && few.bubble > hidden.bubble);
        assert_eq!(coupled.transfers.len(), 128);
        // The line is crossed twice, once each way; the rest is that of a pipeline without it.
        assert!(hidden.time <= 71 * 30 * MS + 4 * 13 * MS, "{}", hidden.time as f64 / MS as f64);
    }

    #[test]
    fn the_rule_for_extra_forwards_is_right_within_one_micro_batch() {
        for delay in [5, 10, 20, 40, 80] {
            let p = pipeline(delay * MS, false, 0);
            let rule = p.extra_that_hides();
            let time = |extra| Pipeline { extra, ..p.clone() }.run().time;
            let best = time(rule + 6);
            let enough = (0..rule + 6).find(|e| time(*e) <= best + 30 * MS).unwrap();
            assert!(enough.abs_diff(rule) <= 1, "delay {delay}: rule {rule}, enough {enough}");
        }
    }

    #[test]
    fn memory_caps_the_extra_forwards() {
        let mut p = pipeline(40 * MS, false, 10);
        p.in_flight_most = 9;
        assert_eq!(p.run().in_flight, 9);
    }

    #[test]
    fn the_search_finds_what_fits() {
        let model = Model {
            parameters: 13e9,
            hidden: 5120,
            sequence: 4096,
            batch: 64,
            stage_flops: 1.2e15,
            overhead: MS,
            activation_memory: 200e9,
            activation_per_sequence: 6e9,
        };
        let crosses = [false, false, true, false, false, true, false];
        let (_, _, slow) = model.best(&crosses, 100e9, 5 * MS, true).unwrap();
        let (size, p, fast) = model.best(&crosses, 100e9, 5 * MS, false).unwrap();
        assert!(fast.bubble < slow.bubble && fast.in_flight * size <= 33, "{size} {}", fast.in_flight);
        assert!(p.extra > 0);
        let none = Model { activation_memory: 1e9, ..model };
        assert!(none.best(&crosses, 100e9, 0, true).is_none());
    }
}
