//! Training over the network simulator: stages of pipelines in two data centres, which compute when their input has
//! arrived in the simulator and send when they have computed.
//!
//! Activations go from the first data centre to the second, gradients back, a flow of each for each pipeline. At the end
//! of an iteration each pipeline may send a burst each way: the part of a data-parallel reduction that crosses the line.
//! The next iteration begins when all bursts of all pipelines are there. Coupled, a stage that sends over the line waits
//! for the acknowledgement of what it sent; decoupled, it goes on.

mod keys;
mod run;
mod scenario;

pub use keys::TrainingScenario;
pub use run::{Outcome, Plan, Side};

use super::host::{ACKNOWLEDGED, PLACED, POSTED};
use super::packet::Ps;
use super::pipeline::{Op, Pipeline};
use super::world::Net;

/// What a flow of a pipeline carries, by its place among them.
pub const ACTIVATION: u32 = 0;
/// To the stage before.
pub const GRADIENT: u32 = 1;
/// Flows of a pipeline with bursts; without them half as many.
const FLOWS: u32 = 4;

/// A stage of one pipeline.
#[derive(Clone, Debug, Default)]
struct Stage {
    /// Place in its order.
    next: usize,
    /// It computes, or waits for what it sent.
    busy: bool,
    activations: usize,
    gradients: usize,
}

/// One pipeline.
#[derive(Clone, Debug, Default)]
struct Lane {
    stages: Vec<Stage>,
    computed: Option<Ps>,
    bursts: usize,
}

/// One iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// Its first forward began.
    pub begun: Ps,
    /// Until the last stage of each pipeline was done, the sum over the pipelines.
    pub computing: Ps,
    /// Everything that it sent is there.
    pub ended: Ps,
}

/// The node.
#[derive(Clone, Debug)]
pub struct Training {
    me: u32,
    /// Hosts of the two data centres.
    hosts: [u32; 2],
    pipeline: Pipeline,
    orders: Vec<Vec<Op>>,
    /// Boundary that crosses the line.
    boundary: usize,
    bursts: bool,
    lanes: Vec<Lane>,
    begun: Ps,
    /// Those that are over.
    pub iterations: Vec<Iteration>,
}

impl Training {
    /// So many pipelines alike, with bursts or without.
    pub fn new(me: u32, hosts: [u32; 2], pipeline: Pipeline, pipelines: usize, bursts: bool) -> Self {
        let orders = (0..pipeline.stages()).map(|s| pipeline.order(s)).collect();
        let boundary = pipeline.crosses.iter().position(|c| *c).unwrap_or(0);
        let lanes = vec![Lane::default(); pipelines];
        Training { me, hosts, pipeline, orders, boundary, bursts, lanes, begun: 0, iterations: vec![] }
    }

    /// Flows of each pipeline.
    pub fn flows(bursts: bool) -> u32 {
        if bursts {
            FLOWS
        } else {
            FLOWS / 2
        }
    }

    /// The run begins.
    pub fn start(&mut self, net: &mut Net) {
        self.begin(net);
    }

    fn begin(&mut self, net: &mut Net) {
        self.begun = net.now;
        let micro_batches = self.pipeline.micro_batches;
        for i in 0..self.lanes.len() {
            let mut stages = vec![Stage::default(); self.orders.len()];
            stages[0].activations = micro_batches;
            if let Some(last) = stages.last_mut() {
                // It has its own loss.
                last.gradients = micro_batches;
            }
            self.lanes[i] = Lane { stages, ..Lane::default() };
            self.go(net, i);
        }
    }

    /// Posts a message of a pipeline's flow: even ones leave the first data centre, odd ones the second.
    fn post(&self, net: &mut Net, lane: usize, kind: u32) {
        let place = lane as u32 * Self::flows(self.bursts) / 2 + kind / 2;
        net.timer(self.hosts[kind as usize % 2], POSTED + place, 0);
    }

    /// Every stage of a pipeline that has something to do begins with it.
    fn go(&mut self, net: &mut Net, lane: usize) {
        for s in 0..self.orders.len() {
            let stage = &mut self.lanes[lane].stages[s];
            let (there, work) = match self.orders[s].get(stage.next) {
                Some(Op::Forward(i)) => (stage.activations > *i, self.pipeline.forward),
                Some(Op::Backward(i)) => (stage.gradients > *i, self.pipeline.backward),
                None => continue,
            };
            if there && !stage.busy {
                stage.busy = true;
                net.timer(self.me, (lane * self.orders.len() + s) as u32, work);
            }
        }
        let done = |(s, order): (&Stage, &Vec<Op>)| s.next == order.len() && !s.busy;
        let l = &mut self.lanes[lane];
        if l.computed.is_none() && l.stages.iter().zip(&self.orders).all(done) {
            l.computed = Some(net.now);
            if self.bursts {
                (2..FLOWS).for_each(|kind| self.post(net, lane, kind));
            }
        }
        let wanted = if self.bursts { 2 } else { 0 };
        if self.lanes.iter().all(|l| l.computed.is_some() && l.bursts == wanted) {
            let computing = self.lanes.iter().filter_map(|l| l.computed).map(|at| at - self.begun).sum();
            self.iterations.push(Iteration { begun: self.begun, computing, ended: net.now });
            self.begin(net);
        }
    }

    /// A stage has computed, or a message is whole somewhere.
    pub fn timer(&mut self, net: &mut Net, tag: u32) {
        let flows = Self::flows(self.bursts);
        let flow = tag & !(ACKNOWLEDGED | PLACED);
        let (lane, kind) = ((flow / flows) as usize, flow % flows);
        if tag & ACKNOWLEDGED != 0 {
            if self.pipeline.coupled && kind <= GRADIENT {
                // What left a stage by this flow is acknowledged; no other is on its way.
                self.lanes[lane].stages[self.boundary + kind as usize].busy = false;
                self.go(net, lane);
            }
        } else if tag & PLACED != 0 {
            let l = &mut self.lanes[lane];
            match kind {
                ACTIVATION => l.stages[self.boundary + 1].activations += 1,
                GRADIENT => l.stages[self.boundary].gradients += 1,
                _ => l.bursts += 1,
            }
            self.go(net, lane);
        } else {
            self.computed(net, tag as usize / self.orders.len(), tag as usize % self.orders.len());
        }
    }

    fn computed(&mut self, net: &mut Net, lane: usize, s: usize) {
        let l = &mut self.lanes[lane];
        let op = self.orders[s][l.stages[s].next];
        l.stages[s].next += 1;
        l.stages[s].busy = false;
        let to = match op {
            Op::Forward(_) => (s + 1 < self.orders.len()).then_some((s, ACTIVATION)),
            Op::Backward(_) => s.checked_sub(1).map(|before| (before, GRADIENT)),
        };
        match to {
            Some((boundary, kind)) if self.pipeline.crosses[boundary] => {
                l.stages[s].busy = self.pipeline.coupled;
                self.post(net, lane, kind);
            }
            Some((_, ACTIVATION)) => l.stages[s + 1].activations += 1,
            Some(_) => l.stages[s - 1].gradients += 1,
            None => {}
        }
        self.go(net, lane);
    }
}

#[cfg(test)]
mod tests;
