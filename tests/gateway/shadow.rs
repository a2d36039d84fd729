//! A gateway of gates in a closed loop, with all that its budget rail hears of the world through the ports noted; and the
//! rail of the model and the destination of the network simulator, given the same afterwards. So all have lived in one
//! world, and what they grant can be compared slot for slot.
//!
//! Two whole runs, one on gates and one in the model, cannot be compared so: the model's stages take no time, so a slot's end
//! cuts the stream of frames elsewhere, and from the first frame that falls into another slot on they are different loops.

use matchrdma::rail;
use matchrdma::tables::Mirror;
use matchrdma_model::budget_rail::{BudgetRail, PortSlot};
use matchrdma_model::budget_rx::{scaled, Heard, Peer};
use matchrdma_model::drain::Drain;
use matchrdma_sim::engine::{Access, Beat, BusError, Gateway, Tick};
use matchrdma_sim::model_law::ModelLaw;
use matchrdma_sim::net::gateway::Sink;
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_spec::params::{slot_ps, OVERHEAD_BYTES, PATHS};
use matchrdma_spec::regs::law::factors;
use matchrdma_spec::wire::budget::{self, Budget};
use std::collections::VecDeque;

/// Cycles from the end of a slot to where the law asks for path 0: leases, longest loop and estimator lie between.
const ASKS: u64 = 120;
/// From a frame's last beat at the line port to where it has come and is held.
const CAME: u64 = 25;
/// From a frame's last beat at the client port to where it is held no more.
const GONE: u64 = 4;
/// From a beat at the client port to where it has drained.
const DRAINED: u64 = 2;
/// From a budget frame's last beat to where it is judged; later in a slot it may be of the next.
const JUDGED: u64 = 60;

/// Weight of path 0.
pub const WEIGHT: u8 = 1;

/// Of each slot its number, the rate on the wire, and the limit.
pub type Granted = Vec<(u64, u64, u64)>;

/// What a port showed.
#[derive(Clone, Debug)]
enum Seen {
    /// The last beat of a frame, from the line.
    Came(Vec<u8>),
    /// A beat, to the client: its bytes, and the length of its frame if it is the last.
    Left(u8, Option<usize>),
}

/// Gates, and what was seen of them, with the cycle.
pub struct Shadowed {
    gates: RtlGateway,
    seen: Vec<(u64, Seen)>,
    /// Budgets that left for the line.
    pub told: Vec<(u64, Budget)>,
    line_in: Vec<u8>,
    line_out: Vec<u8>,
    client_out: usize,
}

/// A beat joins the frame that it is of; gives that with its last.
fn join(part: &mut Vec<u8>, beat: Option<&Beat>) -> Option<Vec<u8>> {
    let beat = beat?;
    part.extend(&beat.data[..beat.bytes.into()]);
    beat.last.then(|| std::mem::take(part))
}

impl Gateway for Shadowed {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        let now = self.gates.cycles();
        let tick = self.gates.tick(client_rx, line_rx, client_ready, line_ready);
        if let Some(frame) = join(&mut self.line_in, line_rx) {
            self.seen.push((now, Seen::Came(frame)));
        }
        if let Some(beat) = &tick.client_tx {
            self.client_out += usize::from(beat.bytes);
            let whole = beat.last.then(|| std::mem::take(&mut self.client_out));
            self.seen.push((now, Seen::Left(beat.bytes, whole)));
        }
        if let Some(frame) = join(&mut self.line_out, tick.line_tx.as_ref()).filter(|frame| budget::is_budget(frame)) {
            let told = Budget::parse(&frame).expect("it is whole");
            if told.kind == budget::KIND_BUDGET {
                self.told.push((now, told));
            }
        }
        tick
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.gates.write(addr, value)
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.gates.read(addr)
    }

    fn begin(&mut self, access: Access) {
        self.gates.begin(access);
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        self.gates.answer()
    }

    fn reset(&mut self) {
        self.gates.reset();
    }

    fn cycles(&self) -> u64 {
        self.gates.cycles()
    }

    fn mirror(&mut self) -> &mut Mirror {
        self.gates.mirror()
    }
}

/// Goes through what was seen at a pace of its own.
struct Cursor<'a> {
    seen: &'a [(u64, Seen)],
}

impl<'a> Cursor<'a> {
    /// What is next, up to a cycle.
    fn until(&mut self, cycle: u64) -> &'a [(u64, Seen)] {
        let (next, rest) = self.seen.split_at(self.seen.partition_point(|(at, _)| *at <= cycle));
        self.seen = rest;
        next
    }
}

impl Shadowed {
    /// Out of reset.
    pub fn new() -> Self {
        Shadowed {
            gates: RtlGateway::new(),
            seen: vec![],
            told: vec![],
            line_in: vec![],
            line_out: vec![],
            client_out: 0,
        }
    }

    /// The model's rail with what the host set; path 0 leads to `peer`.
    pub fn rail(settings: &rail::Settings, peer: &rail::Peer) -> BudgetRail {
        let mut law = ModelLaw::default();
        for (reg, word) in settings.writes() {
            law.write(reg.offset, word);
        }
        let mut rail = BudgetRail::new(law.cfg());
        rail.set_peer(0, Peer { on: true, site: peer.site, key: peer.key }, peer.weight);
        rail
    }

    /// What the model's rail and the network simulator's destination grant path 0, given what was seen: (slot, rate on the
    /// wire, limit). The slot that the gates told of first ended in cycle `end`. All but budget frames is of path 0.
    pub fn replay(&self, settings: &rail::Settings, mut rail: BudgetRail, mut net: Sink, mut end: u64) -> [Granted; 2] {
        let (slot_cycles, to_wire) = (1 << settings.slot_k, factors(slot_ps(settings.slot_k, settings.clock_hz)).1);
        let (first, last) = (self.told[0].1.slot, self.seen[self.seen.len() - 1].0);
        let before = (end - self.seen[0].0) / slot_cycles;
        end -= before * slot_cycles;
        // Slots in which there was nobody are counted and no more.
        for _ in before..first {
            rail.slot(&PortSlot::default());
            net.grant(0, false, [0; PATHS]);
        }
        let [mut comes, mut goes, mut drains, mut waits] = [(); 4].map(|()| Cursor { seen: &self.seen });
        let (mut drain, mut frames, mut since) = (Drain::default(), 0, 0);
        let (mut came, mut occupancy) = (0, [0; PATHS]);
        let mut to_judge = VecDeque::new();
        let mut given = [vec![], vec![]];
        while end + ASKS < last {
            for (_, seen) in drains.until(end - DRAINED) {
                if let Seen::Left(bytes, whole) = seen {
                    drain.left(true, u64::from(*bytes), whole.is_some());
                }
            }
            let mut busy = 0;
            since = since.max(end - slot_cycles);
            for (at, seen) in waits.until(end) {
                busy += if frames > 0 { at - since } else { 0 };
                since = *at;
                frames += match seen {
                    Seen::Came(frame) => i32::from(!budget::is_budget(frame)),
                    Seen::Left(_, whole) => -i32::from(whole.is_some()),
                };
            }
            busy += if frames > 0 { end - since } else { 0 };
            since = end;
            drain.cycles(busy, true, false);
            drain.cycles(slot_cycles - busy, false, false);
            for (at, seen) in comes.until(end + ASKS - CAME) {
                match seen {
                    Seen::Came(frame) if budget::is_budget(frame) => to_judge.push_back((*at, frame, came)),
                    Seen::Came(frame) => {
                        let bytes = frame.len() as u64 + u64::from(OVERHEAD_BYTES);
                        rail.came(0, bytes);
                        net.came(0, bytes);
                        (came, occupancy[0]) = (came + bytes, occupancy[0] + bytes);
                    }
                    Seen::Left(..) => {}
                }
            }
            for (_, seen) in goes.until(end + ASKS - GONE) {
                if let Seen::Left(_, Some(frame)) = seen {
                    occupancy[0] -= *frame as u64 + u64::from(OVERHEAD_BYTES);
                }
            }
            judge(&mut rail, &mut net, &mut to_judge, end - JUDGED, came);
            rail.boundary();
            let port = drain.slot();
            let drained = port.drained as u32;
            let port = PortSlot { drained, backlogged: port.backlogged, occupancy, ..PortSlot::default() };
            let slot = rail.slot_number();
            let of_net = net.grant(drained.into(), port.backlogged, occupancy).expect("budgets are its law");
            for (given, budget) in given.iter_mut().zip([rail.slot(&port)[0], of_net[0]]) {
                given.push((slot, scaled(budget.grant, to_wire), budget.limit));
            }
            judge(&mut rail, &mut net, &mut to_judge, u64::MAX, came);
            end += slot_cycles;
        }
        given
    }
}

/// Judges the frames that came until a cycle. What has come since each of them counts still.
fn judge(rail: &mut BudgetRail, net: &mut Sink, frames: &mut VecDeque<(u64, &Vec<u8>, u64)>, until: u64, came: u64) {
    while let Some((_, frame, then)) = frames.pop_front_if(|(at, ..)| *at <= until) {
        let knew = rail.said(0).knows_us;
        let heard = rail.frame(frame, false);
        if let Heard::Opened(_) | Heard::Budget(..) = heard {
            rail.came(0, came - then);
        }
        let said = rail.said(0);
        if said.knows_us && !knew {
            net.add_path(WEIGHT);
            net.came(0, said.arrived);
        }
        if let Heard::Budget(..) = heard {
            net.heard(0, said.echo, said.waiting);
        }
    }
}
