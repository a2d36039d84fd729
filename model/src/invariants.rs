//! What must hold whatever happens, watched from outside the gateway.
//!
//! A [`Watch`] sees the frames on the ports, and what the host can read: a flow's state, and which frames were dropped.
//! It keeps each flow as an ideal responder behind the line would, and as the sender would, and shares no state and no
//! code with the stages. Every simulation runs one. The last two promises are judged at once where states and drops are
//! known to the step ([`Watch::active`], [`Watch::dropped_from_client`]: the model), and from what the host reads beside
//! the traffic where they are not ([`Watch::read`], [`Watch::kept_back`]: gates); [`Read`] tells how.
//!
//! * A built frame is well formed: lengths, IPv4 checksum, ICRC, opcode and syndrome.
//! * It acknowledges only what left on the line in order with the right ICRC.
//! * It never passes a request that only the far side may answer, before that has been answered.
//! * What the sender is told never steps backwards.
//! * Its message count is the one the real responder gives for the same PSN.
//! * It is for a flow that is Active, as the host reads it.
//! * A request that only the far side may answer, sent again, is never taken away.
//!
//! Some of this holds only with a responder behind the line that says what is so: [`Watch::distrusting`].

mod lies;
mod reads;

pub use reads::{Due, Read, UNDER_WAY};

use lies::Departed;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame, Meta};
use reads::Reads;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The promise.
    pub rule: Rule,
    /// Of which flow, if it is known.
    pub flow: Option<u16>,
    /// What was expected and what was found.
    pub what: String,
}

/// The promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A built frame is not what a responder would send.
    Form,
    /// Acknowledged before it left in order.
    NotForwarded,
    /// Acknowledged past an unanswered request of the far side's.
    Barrier,
    /// Told less than before.
    Backwards,
    /// Another message count than the real responder's.
    MessageCount,
    /// Acknowledged on a flow that is not Active.
    NotActive,
    /// A repeated request of the far side's was dropped.
    Swallowed,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flow = self.flow.map_or("?".into(), |i| i.to_string());
        write!(f, "flow {flow}: {:?}: {}", self.rule, self.what)
    }
}

impl std::error::Error for Violation {}

/// How a flow is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Key of its requests.
    pub key_out: FlowKey,
    /// Key of its responses.
    pub key_in: FlowKey,
    /// Path MTU, bytes; `None`: learnt from what passes, and a READ whose length in packets is unknown ends the watch.
    pub mtu: Option<u32>,
    /// SEND and WRITE with immediate are the far side's to answer.
    pub ack_ops_write: bool,
}

/// The watcher.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    flows: HashMap<u16, Flow>,
    outward: HashMap<FlowKey, u16>,
    inward: HashMap<FlowKey, u16>,
    built: u64,
    /// Of what waits for a read.
    clock: u64,
    /// Flows that may wait for one.
    suspects: BTreeSet<u16>,
    /// The far side may lie.
    distrusts: bool,
}

impl Watch {
    /// Nothing is watched.
    pub fn new() -> Self {
        Self::default()
    }

    /// Watches a flow from now on; one already watched begins anew, as for a new pair of queue pairs.
    pub fn flow(&mut self, index: u16, watched: Watched) {
        self.forget(index);
        let departed = self.distrusts.then(Departed::default);
        self.flows.insert(index, Flow { mtu: watched.mtu, watched, departed, ..Flow::default() });
        self.outward.insert(watched.key_out, index);
        self.inward.insert(watched.key_in, index);
    }

    /// A flow is not watched any longer.
    pub fn forget(&mut self, index: u16) {
        let Some(old) = self.flows.remove(&index) else { return };
        for (keys, key) in [(&mut self.outward, old.watched.key_out), (&mut self.inward, old.watched.key_in)] {
            if keys.get(&key) == Some(&index) {
                keys.remove(&key);
            }
        }
    }

    /// The host has changed how a flow is treated; its queue pairs and its run stay.
    pub fn setting(&mut self, index: u16, mtu: Option<u32>, ack_ops_write: bool) {
        if let Some(flow) = self.flows.get_mut(&index) {
            (flow.watched.mtu, flow.watched.ack_ops_write) = (mtu, ack_ops_write);
            flow.mtu = mtu.or(flow.mtu);
        }
    }

    /// Next PSN that an ideal responder behind the line expects of a flow.
    pub fn expected(&self, index: u16) -> Option<u32> {
        self.flows.get(&index)?.expected
    }

    /// A flow was Active and is not any longer (Drain, Fault, or started afresh by the host), with its queue pairs
    /// still in use: real ACKs that are on their way pass again, older than what the sender has been told.
    pub fn lapsed(&mut self, index: u16) {
        if let Some(flow) = self.flows.get_mut(&index) {
            (flow.newest, flow.newest_built) = (None, None);
            flow.reads = Reads::default();
        }
    }

    /// Tells whether a flow is Active from now on, as the host reads its state. Until it is told, it may be.
    pub fn active(&mut self, index: u16, active: bool) {
        if let Some(flow) = self.flows.get_mut(&index) {
            flow.silent = !active;
        }
    }

    /// A frame from the client was dropped, though there was room for it and the gateway was not behind it in sequence
    /// (after a restart it may be, where the watch is not).
    pub fn dropped_from_client(&mut self, frame: &[u8]) -> Result<(), Violation> {
        let Some((meta, index, flow)) = find(frame, &self.outward, &mut self.flows) else { return Ok(()) };
        let repeated = flow.expected.is_some_and(|e| !reaches(meta.psn, e)) && reaches(meta.psn, flow.base);
        if flow.silent || !repeated || !opcode::is_barrier(meta.opcode, flow.watched.ack_ops_write) {
            return Ok(());
        }
        Err(violation(Rule::Swallowed, index, format!("opcode {:#x} at PSN {:#x} again", meta.opcode, meta.psn)))
    }

    /// When a read is asked for: what [`Watch::read`] is to be told with its answer.
    pub fn asks(&self) -> u64 {
        self.clock
    }

    /// The host has read a flow; it had asked for it at `asked`.
    pub fn read(&mut self, index: u16, read: Read, asked: u64) -> Result<(), Violation> {
        let Some(flow) = self.flows.get_mut(&index).filter(|f| !f.blind) else { return Ok(()) };
        let wrong = flow.reads.read(read, asked, self.built);
        if !flow.reads.doubtful() {
            self.suspects.remove(&index);
        }
        wrong.map_or(Ok(()), |(rule, what)| Err(violation(rule, index, what)))
    }

    /// A flow of which the next read decides something.
    pub fn doubtful(&self) -> Option<u16> {
        let waits = |index: &&u16| self.flows.get(index).is_some_and(|f| !f.blind && f.reads.doubtful());
        self.suspects.iter().find(waits).copied()
    }

    /// A frame comes in from the client, and no fault of its own keeps it from leaving: whether, as the host has read its
    /// flow, it must leave.
    pub fn from_client(&mut self, frame: &[u8]) -> Option<Due> {
        let (meta, index, flow) = look_up(frame, &self.outward, &mut self.flows)?;
        // Of what goes on in sequence there is nothing to say.
        let behind = flow.reads.expected().is_some_and(|expected| !reaches(meta.psn, expected));
        if !behind || !icrc_ok(frame, &meta) {
            return None;
        }
        flow.reads.turn();
        let due = opcode::is_barrier(meta.opcode, flow.watched.ack_ops_write);
        flow.reads.due(index, meta.psn).filter(|_| due)
    }

    /// A frame that was due did not leave.
    pub fn kept_back(&mut self, due: Due, frame: &[u8]) {
        self.clock += 1;
        if let Some((meta, index, flow)) = find(frame, &self.outward, &mut self.flows) {
            if index == due.index {
                let what = format!("opcode {:#x} at PSN {:#x} again", meta.opcode, meta.psn);
                flow.reads.dropped(due, self.clock, what);
                self.suspects.insert(index);
            }
        }
    }

    /// Built frames seen so far.
    pub fn built_frames(&self) -> u64 {
        self.built
    }

    /// A frame left on the line (with acknowledgement on arrival: it was admitted).
    pub fn to_line(&mut self, frame: &[u8]) {
        if let Some((meta, _, flow)) = find(frame, &self.outward, &mut self.flows) {
            flow.request(&meta);
        }
    }

    /// A frame came in from the line.
    pub fn from_line(&mut self, frame: &[u8]) -> Result<(), Violation> {
        match find(frame, &self.inward, &mut self.flows) {
            Some((meta, index, flow)) => flow.arrives(&meta).map_err(|(rule, what)| violation(rule, index, what)),
            None => Ok(()),
        }
    }

    /// A frame that came from the line was dropped, not forwarded.
    pub fn dropped_from_line(&mut self, frame: &[u8]) {
        if let Some((meta, _, flow)) = find(frame, &self.inward, &mut self.flows) {
            flow.undelivered.retain(|&psn| psn != meta.psn);
        }
    }

    /// A frame that came from the line left to the client.
    pub fn to_client(&mut self, frame: &[u8]) {
        self.clock += 1;
        if let Some((meta, index, flow)) = find(frame, &self.inward, &mut self.flows) {
            if positive_ack(&meta) {
                flow.reads.passed(meta.psn, self.clock);
                if flow.reads.doubtful() {
                    self.suspects.insert(index);
                }
            }
            flow.delivered(&meta);
        }
    }

    /// To be asked before [`Watch::to_client`] of a frame whose flow has not [lapsed](Watch::lapsed): is it a real ACK
    /// that a newer built one has overtaken?
    pub fn overtaken(&mut self, frame: &[u8]) -> Result<(), Violation> {
        let Some((meta, index, flow)) = find(frame, &self.inward, &mut self.flows) else { return Ok(()) };
        match flow.newest_built {
            Some(built) if positive_ack(&meta) && !reaches(meta.psn, built) => {
                let what = format!("the real ACK of {:#x} left after the built one of {built:#x}", meta.psn);
                Err(violation(Rule::Backwards, index, what))
            }
            _ => Ok(()),
        }
    }

    /// A frame that the gateway built left to the client.
    pub fn built(&mut self, frame: &[u8]) -> Result<(), Violation> {
        self.built += 1;
        self.clock += 1;
        let form = |what: String| Violation { rule: Rule::Form, flow: None, what };
        let meta = parse_frame(frame);
        if !icrc_ok(frame, &meta) || !meta.ip_ok {
            return Err(form(format!("neither RoCE nor whole: {meta:?}")));
        }
        let nak = match (meta.opcode, meta.syndrome, meta.ack_req) {
            (opcode::ACKNOWLEDGE, 0x1f, false) => false,
            (opcode::ACKNOWLEDGE, 0x60, false) => true,
            // A request of a flow in Fault is refused at its own PSN: the end of the queue pair, and no promise.
            (opcode::ACKNOWLEDGE, 0x61..=0x63, false) => {
                let known = find(frame, &self.inward, &mut self.flows).is_some();
                return if known { Ok(()) } else { Err(form(format!("for no flow: {:?}", meta.flow_key()))) };
            }
            other => return Err(form(format!("opcode, syndrome, AckReq are {other:x?}"))),
        };
        let l3 = usize::from(meta.l3_offset);
        if frame.len() != l3 + usize::from(meta.ip_len) {
            return Err(form(format!("{} bytes with an IP packet of {} at {l3}", frame.len(), meta.ip_len)));
        }
        match find(frame, &self.inward, &mut self.flows) {
            Some((_, index, flow)) if flow.silent => {
                Err(violation(Rule::NotActive, index, format!("PSN {:#x}, syndrome {:#x}", meta.psn, meta.syndrome)))
            }
            Some((_, index, flow)) => {
                let told = if nak { sub(meta.psn, 1) } else { meta.psn };
                let what = format!("PSN {:#x}, syndrome {:#x}", meta.psn, meta.syndrome);
                flow.reads.built(told, self.built, self.clock, what);
                if flow.reads.doubtful() {
                    self.suspects.insert(index);
                }
                flow.told(told, meta.msn).map_err(|(rule, what)| violation(rule, index, what))
            }
            None => Err(form(format!("for no flow: {:?}", meta.flow_key()))),
        }
    }
}

fn violation(rule: Rule, flow: u16, what: String) -> Violation {
    Violation { rule, flow: Some(flow), what }
}

type Found<'a> = (Meta, u16, &'a mut Flow);

/// The flow of a good RoCE frame.
fn find<'a>(frame: &[u8], keys: &HashMap<FlowKey, u16>, flows: &'a mut HashMap<u16, Flow>) -> Option<Found<'a>> {
    look_up(frame, keys, flows).filter(|(meta, ..)| icrc_ok(frame, meta))
}

/// The flow of a RoCE frame whose ICRC is another matter.
fn look_up<'a>(frame: &[u8], keys: &HashMap<FlowKey, u16>, flows: &'a mut HashMap<u16, Flow>) -> Option<Found<'a>> {
    let meta = parse_frame(frame);
    if !meta.roce || !meta.ip_ok {
        return None;
    }
    let index = *keys.get(&meta.flow_key())?;
    let flow = flows.get_mut(&index).filter(|f| !f.blind)?;
    Some((meta, index, flow))
}

fn sub(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & PSN_MASK
}

/// `a` is `b` or comes after it.
fn reaches(a: u32, b: u32) -> bool {
    sub(a, b) < 1 << 23
}

type Broken = (Rule, String);

#[derive(Clone, Debug, Default)]
struct Flow {
    watched: Watched,
    mtu: Option<u32>,
    /// Not watched any longer.
    blind: bool,
    /// Not Active, as the host reads it.
    silent: bool,
    /// What an ideal responder expects next.
    expected: Option<u32>,
    /// PSN where the watch began.
    base: u32,
    /// PSNs that completed a message, each with the count there, oldest first.
    messages: VecDeque<(u32, u32)>,
    count: u32,
    /// MSN of the real responder less our count.
    offset: Option<u32>,
    /// Requests left to the far side and unanswered: first and last PSN.
    open: Vec<(u32, u32)>,
    /// Newest PSN that the far side acknowledged.
    far_acked: Option<u32>,
    /// Last packets of responses that came from the line and have not left yet.
    undelivered: VecDeque<u32>,
    /// Newest such packets, delivered or not, each with the count that it names.
    counts: VecDeque<(u32, u32)>,
    /// Newest PSN that the sender was told of, by anyone.
    newest: Option<u32>,
    /// Newest that the gateway told it.
    newest_built: Option<u32>,
    /// What the host reads of it.
    reads: Reads,
    /// What has left, where the far side's word counts for nothing.
    departed: Option<Departed>,
}

impl Flow {
    /// A good request left on the line.
    fn request(&mut self, meta: &Meta) {
        let op = meta.opcode;
        if !opcode::is_request(op) {
            return;
        }
        let psns = match (op, self.mtu) {
            (opcode::READ_REQUEST, Some(mtu)) => meta.reth_len.div_ceil(mtu).max(1),
            (opcode::READ_REQUEST, None) if meta.reth_len > 256 && self.departed.is_none() => {
                self.blind = true;
                return;
            }
            _ => 1,
        };
        let expected = match self.expected {
            Some(expected) => expected,
            None => {
                self.base = meta.psn;
                meta.psn
            }
        };
        if meta.psn == expected {
            self.learns(meta);
            if opcode::completes_message(op) {
                self.count += 1;
                self.messages.push_back((meta.psn, self.count));
            }
            self.expected = Some(sub(meta.psn.wrapping_add(psns), 0));
        } else if self.departed.is_some() {
            self.out_of_order(meta, expected, psns);
        } else if reaches(meta.psn, expected) {
            return; // A gap: the responder waits for what is missing.
        }
        let mut last = sub(meta.psn.wrapping_add(psns), 1);
        if let Some(departed) = &mut self.departed {
            departed.add(meta.psn, last);
            // Its length in packets is the gateway's guess, or unknown to it: then the flow is not Active.
            if op == opcode::READ_REQUEST && self.watched.mtu.is_none() && meta.reth_len > 256 {
                self.open.clear();
                return;
            }
            if !reaches(meta.psn, expected) && reaches(last, expected) {
                last = sub(expected, 1);
            }
        }
        // Of a repeated one that the far side has acknowledged before, nobody outside can tell whether it is answered.
        let acknowledged = self.far_acked.is_some_and(|acked| reaches(acked, last));
        if opcode::is_barrier(op, self.watched.ack_ops_write) && !acknowledged {
            self.open.push((meta.psn, last));
        }
    }

    /// A request says how long full packets are.
    fn learns(&mut self, meta: &Meta) {
        if (opcode::is_first(meta.opcode) || opcode::is_middle(meta.opcode)) && self.watched.mtu.is_none() {
            self.mtu = path_mtu(meta).or(self.mtu);
        }
    }

    /// A good response came in from the line.
    fn arrives(&mut self, meta: &Meta) -> Result<(), Broken> {
        if ends_response(meta.opcode) {
            self.undelivered.push_back(meta.psn);
            // The answer to a repeated request names the count of now, not of then.
            self.counts.push_front((meta.psn, meta.msn));
            self.counts.truncate(256);
        }
        let beyond = self.reads.expected().is_some_and(|expected| reaches(meta.psn, expected));
        if meta.opcode == opcode::ACKNOWLEDGE && (beyond || !positive_ack(meta)) {
            self.reads.turn();
        }
        if !positive_ack(meta) {
            return Ok(());
        }
        self.far_acked = Some(self.far_acked.filter(|&acked| reaches(acked, meta.psn)).unwrap_or(meta.psn));
        // It answers what it covers, once the responses that came before it have left.
        let undelivered = &self.undelivered;
        self.open.retain(|&(first, last)| {
            let waits = undelivered.iter().any(|&psn| reaches(psn, first) && reaches(last, psn));
            !reaches(meta.psn, last) || waits
        });
        let covers = self.expected.is_some_and(|e| !reaches(meta.psn, e)) && reaches(meta.psn, self.base);
        if self.departed.is_some() {
            self.shrink(meta.psn);
            return Ok(());
        }
        let Some(count) = self.count_at(meta.psn).filter(|_| covers) else { return Ok(()) };
        let found = sub(meta.msn, count);
        match self.offset.replace(found) {
            Some(offset) if offset != found => {
                let ours = sub(count.wrapping_add(offset), 0);
                let what = format!("the far side says {} at PSN {:#x}, counted here {ours}", meta.msn, meta.psn);
                Err((Rule::MessageCount, what))
            }
            _ => Ok(()),
        }
    }

    /// A good response left to the client.
    fn delivered(&mut self, meta: &Meta) {
        let op = meta.opcode;
        if !opcode::is_response(op) {
            return;
        }
        if opcode::is_read_response(op) && !ends_response(op) && self.watched.mtu.is_none() {
            self.mtu = path_mtu(meta).or(self.mtu);
        }
        if ends_response(op) {
            while self.undelivered.pop_front().is_some_and(|psn| psn != meta.psn) {}
        }
        if ends_response(op) || positive_ack(meta) {
            self.open.retain(|&(_, last)| !reaches(meta.psn, last));
            if self.departed.is_some() {
                self.answered(meta.psn, ends_response(op));
            }
        }
        let refused = op == opcode::ACKNOWLEDGE && !positive_ack(meta);
        if ends_response(op) || op == opcode::ACKNOWLEDGE {
            self.tell(if refused { sub(meta.psn, 1) } else { meta.psn });
        }
    }

    fn tell(&mut self, psn: u32) {
        self.newest = Some(self.newest.filter(|&n| reaches(n, psn)).unwrap_or(psn));
    }

    /// The gateway tells the sender that everything up to `psn` has arrived.
    fn told(&mut self, psn: u32, msn: u32) -> Result<(), Broken> {
        if self.departed.is_some() {
            return self.told_of_departed(psn);
        }
        match self.expected {
            None => return Err((Rule::NotForwarded, format!("PSN {psn:#x}, and nothing was ever forwarded"))),
            Some(expected) if reaches(psn, expected) => {
                return Err((
                    Rule::NotForwarded,
                    format!("PSN {psn:#x}, forwarded in order up to before {expected:#x}"),
                ));
            }
            Some(_) => {}
        }
        self.passes_none(psn)?;
        if let Some(newest) = self.newest.filter(|&n| !reaches(psn, n)) {
            return Err((Rule::Backwards, format!("PSN {psn:#x} after {newest:#x}")));
        }
        self.tell(psn);
        self.newest_built = Some(psn);
        let Some(offset) = self.offset else {
            if self.far_acked.is_some() {
                return Ok(()); // It acknowledged what had left before the watch began: its count is not comparable.
            }
            return Err((Rule::MessageCount, format!("{msn} at PSN {psn:#x} before the far side gave any")));
        };
        let right = self.count_at(psn).map(|count| sub(count.wrapping_add(offset), 0));
        if right.is_some_and(|right| right != msn) && !self.counts.contains(&(psn, msn)) {
            return Err((Rule::MessageCount, format!("{msn} at PSN {psn:#x}, where {right:?} is right")));
        }
        Ok(())
    }

    /// No request up to `psn` waits for the far side's answer.
    fn passes_none(&self, psn: u32) -> Result<(), Broken> {
        match self.open.iter().find(|&&(first, _)| reaches(psn, first)) {
            Some((first, last)) => {
                Err((Rule::Barrier, format!("PSN {psn:#x}, while {first:#x}..={last:#x} is unanswered")))
            }
            None => Ok(()),
        }
    }

    /// Messages completed up to a PSN; `None` when that is too long ago to know.
    fn count_at(&mut self, psn: u32) -> Option<u32> {
        const KEPT: usize = 1 << 16;
        while self.messages.len() > KEPT {
            self.messages.pop_front();
        }
        if !reaches(psn, self.base) {
            return None;
        }
        match self.messages.iter().rev().find(|&&(end, _)| reaches(psn, end)) {
            Some(&(_, count)) => Some(count),
            // Before the first message that is remembered: nothing, or forgotten.
            None => self.messages.front().map_or(Some(0), |&(_, count)| Some(0).filter(|_| count == 1)),
        }
    }
}

fn positive_ack(meta: &Meta) -> bool {
    meta.opcode == opcode::ACKNOWLEDGE && meta.syndrome >> 5 == 0
}

/// What a packet that is full says of the path MTU.
fn path_mtu(meta: &Meta) -> Option<u32> {
    Some(u32::from(meta.payload)).filter(|&m| m.is_power_of_two() && (256..=4096).contains(&m))
}

/// The last packet of a response other than an ACK.
fn ends_response(op: u8) -> bool {
    matches!(op, opcode::READ_RESPONSE_LAST | opcode::READ_RESPONSE_ONLY | opcode::ATOMIC_ACKNOWLEDGE)
}

#[cfg(test)]
#[path = "invariants_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "invariants_reads_tests.rs"]
mod reads_tests;
