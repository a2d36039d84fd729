//! The verilated gateway on a bench: its host, its ports, one frame at a time or beat by beat.
//!
//! Its promises are watched from the first cycle: [`Watching`] sees the ports, learns from the host's writes what flows
//! there are, and panics in the cycle in which one is broken. A test need not do anything for it.

use crate::harness::{Random, Stall};
use matchrdma::flow_table::{Place, RowWrite};
use matchrdma_model::gateway::FlowState;
use matchrdma_model::record::{Cfg, Event, State};
use matchrdma_sim::configure::{Host, Tables};
use matchrdma_sim::engine::{beats, Beat, Gateway};
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_sim::watching::Watching;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{BEAT_BYTES, FLOWS, SLOT_K_MIN};
use matchrdma_spec::regs::counters::{Counter, COUNTERS};
use matchrdma_spec::regs::entry::FlowSetting;
use matchrdma_spec::regs::flow::{self, FlowRow};
use matchrdma_spec::regs::{event, pacer};
use std::collections::BTreeMap;

/// Cycles without a beat after which nothing more can come: longer than the way in, out and through `pseudo_ack`.
pub const QUIET: u32 = 160;

/// A gateway and what its host knows of it.
pub struct Bench {
    pub gates: Watching<RtlGateway>,
    places: BTreeMap<(u32, FlowKey), Place>,
}

/// A gateway whose promises are watched.
pub fn watched() -> Watching<RtlGateway> {
    Watching::strict(RtlGateway::new())
}

/// Beats of a frame. Lanes beyond its end carry noise, which must not matter.
pub fn noisy(frame: &[u8], mac_error: bool, random: &mut Random) -> Vec<Beat> {
    let mut all: Vec<Beat> = beats(frame).collect();
    if let Some(last) = all.last_mut() {
        let end = usize::from(last.bytes);
        last.data[end..].copy_from_slice(&random.bytes(BEAT_BYTES - end));
    }
    if mac_error {
        let at = random.below(all.len() as u64) as usize;
        all[at].err = true;
    }
    all
}

impl Bench {
    /// Out of reset, and `pseudo_ack` has swept.
    pub fn new() -> Self {
        let mut bench = Bench { gates: watched(), places: BTreeMap::new() };
        // A commit waits for the end of a slot.
        bench.write(&pacer::SLOT_K, SLOT_K_MIN);
        bench.settle();
        bench
    }

    /// Lets the gateway run until it is idle; nothing may come out.
    pub fn settle(&mut self) {
        for _ in 0..100 {
            for _ in 0..QUIET {
                let t = self.gates.tick(None, None, true, true);
                assert_eq!((t.client_tx, t.line_tx), (None, None), "nothing waits");
            }
            if Host::new(&mut self.gates).idle().expect("STATUS reads") {
                return;
            }
        }
        panic!("the gateway does not become idle");
    }

    /// Lets the stages look after every flow; nothing may come out. A read of the watch goes before a look.
    pub fn sweep(&mut self) {
        for _ in 0..FLOWS + FLOWS / 8 {
            let t = self.gates.tick(None, None, true, true);
            assert_eq!((t.client_tx, t.line_tx), (None, None), "nothing waits");
        }
    }

    /// Writes a register.
    pub fn write(&mut self, register: &matchrdma_spec::regs::Reg, value: u32) {
        self.gates.write(register.offset, value).expect("the register takes a write");
    }

    fn read(&mut self, register: &matchrdma_spec::regs::Reg) -> u32 {
        self.gates.read(register.offset).expect("the register can be read")
    }

    /// Puts a key into a table, into a random one of the rows it may have that are free.
    pub fn add_key(&mut self, direction: u32, key: FlowKey, index: u16, random: &mut Random) {
        let places: Vec<_> = (0..).zip(key.rows()).map(|(bank, row)| Place { bank, row: row.into() }).collect();
        let taken = |place: &Place| self.places.iter().any(|((d, _), p)| *d == direction && p == place);
        let free: Vec<_> = places.into_iter().filter(|p| !taken(p)).collect();
        let place = random.pick(&free);
        self.places.insert((direction, key), place);
        let content = FlowRow { key, index, valid: true };
        Host::new(&mut self.gates).row(direction, &RowWrite { place, content }).expect("a row is written");
    }

    /// Takes a key out.
    pub fn remove_key(&mut self, direction: u32, key: FlowKey) {
        let place = self.places.remove(&(direction, key)).expect("the key is there");
        let content = FlowRow::default();
        Host::new(&mut self.gates).row(direction, &RowWrite { place, content }).expect("a row is written");
    }

    /// A flow's setting, in force after the next commit.
    pub fn stage_cfg(&mut self, index: u16, cfg: Cfg) {
        let Cfg { enable, ack_ops_write, mtu, serial } = cfg;
        self.gates.mirror().set_flow(index, FlowSetting { enable, ack_ops_write, mtu, serial });
    }

    /// A flow's setting, in force when this returns.
    pub fn set_cfg(&mut self, index: u16, cfg: Cfg) {
        self.stage_cfg(index, cfg);
        Host::new(&mut self.gates).commit().expect("the gateway takes it");
    }

    /// Installs many flows as the simulator's host does.
    pub fn install(&mut self, flows: impl IntoIterator<Item = (FlowKey, FlowKey)>, serial: u8) {
        let mut tables = Tables::new();
        let setting = matchrdma_sim::configure::FlowSetting { serial, ..Default::default() };
        for (out, back) in flows {
            tables.install(&mut Host::new(&mut self.gates), out, back, setting).expect("the tables have room");
        }
        Host::new(&mut self.gates).commit().expect("the gateway takes them");
    }

    /// A flow as the host reads it.
    pub fn flow(&mut self, index: u16) -> FlowState {
        self.write(&flow::READ_INDEX, index.into());
        while self.read(&flow::READ_STATUS) == 1 {}
        let word = self.read(&flow::STATE);
        let held = self.read(&flow::HELD);
        let states = [State::Off, State::Sync, State::Active, State::Drain, State::Fault];
        FlowState {
            state: states[flow::STATE_FIELD.get(word) as usize],
            run: flow::STATE_RUN.get(word) as u8,
            expected_psn: self.read(&flow::EXPECTED_PSN),
            departed_psn: self.read(&flow::DEPARTED_PSN),
            acknowledged_psn: self.read(&flow::ACKNOWLEDGED_PSN),
            confirmed_psn: self.read(&flow::CONFIRMED_PSN),
            msn: self.read(&flow::MSN),
            cause: flow::STATE_CAUSE.get(word) as u8,
            state_ticks: self.read(&flow::STATE_TICKS),
            debt: self.read(&flow::DEBT),
            debt_age: self.read(&flow::DEBT_AGE) as u16,
            held: flow::HELD_NOW.get(held) == 1,
            held_ticks: flow::HELD_TICKS.get(held) as u16,
        }
    }

    /// Takes all events that wait, oldest first.
    pub fn events(&mut self) -> Vec<Event> {
        let mut all = vec![];
        for _ in 0..event::STATUS_WAITING.get(self.read(&event::STATUS)) {
            let head = self.read(&event::HEAD);
            all.push(Event {
                code: event::HEAD_CODE.get(head) as u8,
                flow: event::HEAD_FLOW.get(head) as u16,
                run: event::HEAD_RUN.get(head) as u8,
                psn: self.read(&event::PSN),
            });
            self.write(&event::TAKE, 0);
        }
        all
    }

    /// Every counter with its value.
    pub fn counters(&mut self) -> Vec<(&'static Counter, u64)> {
        let all = Host::new(&mut self.gates).counters().expect("counters can be read");
        COUNTERS.iter().map(|c| (c, all.get(c))).collect()
    }

    /// One counter.
    pub fn counter(&mut self, counter: &Counter) -> u64 {
        Host::new(&mut self.gates).counter(counter).expect("counters can be read")
    }

    /// The three values of an index of a table of `METER`.
    pub fn meter(&mut self, table: u32, index: u16) -> [u64; 3] {
        Host::new(&mut self.gates).meter(table, index).expect("meters can be read")
    }

    /// Beats into one port, then cycles until nothing comes any more: frames out of the client and of the line port.
    pub fn play(&mut self, beats: &[Beat], from_client: bool) -> [Vec<Vec<u8>>; 2] {
        let mut out: [Joiner; 2] = Default::default();
        let mut next = beats.iter();
        let mut quiet = 0;
        while quiet < QUIET {
            let beat = next.next();
            let (client, line) = if from_client { (beat, None) } else { (None, beat) };
            let t = self.gates.tick(client, line, true, true);
            let came = t.client_tx.is_some() || t.line_tx.is_some();
            quiet = if beat.is_some() || came { 0 } else { quiet + 1 };
            out[0].take(t.client_tx);
            out[1].take(t.line_tx);
        }
        out.map(Joiner::whole)
    }

    /// Beats into both ports at once, as steadily as the first two of `stalls` say, until nothing comes any more; what
    /// leaves by the client and the line port is taken as the last two say.
    pub fn play_both(&mut self, beats: [&[Beat]; 2], stalls: [Stall; 4], random: &mut Random) -> [Vec<Vec<u8>>; 2] {
        let mut out: [Joiner; 2] = Default::default();
        let mut next = beats.map(|b| b.iter().peekable());
        let (mut quiet, mut cycle) = (0, 0);
        while quiet < QUIET {
            let goes = stalls.map(|stall| stall.goes(cycle, random));
            let [client, line] = [0, 1].map(|side: usize| next[side].next_if(|_| goes[side]));
            let t = self.gates.tick(client, line, goes[2], goes[3]);
            let waits = next.iter_mut().any(|side| side.peek().is_some());
            let moved = waits || client.is_some() || line.is_some() || t.client_tx.is_some() || t.line_tx.is_some();
            quiet = if moved { 0 } else { quiet + 1 };
            cycle += 1;
            out[0].take(t.client_tx);
            out[1].take(t.line_tx);
        }
        out.map(Joiner::whole)
    }
}

/// Puts frames together.
#[derive(Default)]
pub struct Joiner {
    pub part: Vec<u8>,
    pub frames: Vec<Vec<u8>>,
}

impl Joiner {
    /// The frames; none is begun and not ended.
    fn whole(self) -> Vec<Vec<u8>> {
        assert!(self.part.is_empty(), "a frame without an end");
        self.frames
    }

    /// A beat left, or none; true when it ended a frame.
    pub fn take(&mut self, beat: Option<Beat>) -> bool {
        let Some(beat) = beat else { return false };
        assert!(!beat.err, "an error mark leaves the gateway");
        assert!(usize::from(beat.bytes) == BEAT_BYTES || beat.last, "a short beat inside a frame");
        self.part.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
        if beat.last {
            self.frames.push(std::mem::take(&mut self.part));
        }
        beat.last
    }
}
