//! The verilated `pseudo_ack` with its queues of intents, its buses and its sink, one cycle at a time.

use crate::harness::records::{pack_back, pack_cfg, pack_intent, pack_rx, unpack_said};
use crate::harness::{Random, Stall};
use matchrdma_model::ack_filter::Template;
use matchrdma_model::pseudo_ack::AckFrame;
use matchrdma_model::record::{Back, Cfg, Intent, Rx, Said};
use matchrdma_rtl::pseudo_ack::Dut;
use std::collections::{BTreeMap, VecDeque};

/// A frame that came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub frame: Vec<u8>,
    pub nak: bool,
    pub cnp: bool,
}

impl Seen {
    /// What the model built.
    pub fn of(built: &AckFrame) -> Seen {
        Seen { frame: built.frame.clone(), nak: built.nak, cnp: false }
    }
}

/// One port of intents: what waits to be offered, and whether its head is on offer.
#[derive(Default)]
struct Source {
    waiting: VecDeque<Intent>,
    offered: bool,
    was_ready: bool,
}

/// The block and everything around it.
pub struct Bench {
    dut: Dut,
    line: Source,
    client: Source,
    /// How intents are offered and frames taken.
    pub source: Stall,
    pub sink: Stall,
    /// The sink takes nothing at all.
    pub shut: bool,
    pub cycle: u64,
    /// Frames that came out since last taken away.
    pub seen: Vec<Seen>,
    /// Intents taken by the block since last taken away, in order; the line's first within a cycle.
    pub taken: Vec<(bool, Intent)>,
    /// What `built_*` told of the frames to come: cycle, flow, kind and PSN.
    pub built: VecDeque<(u64, u16, u32, u32)>,
    said: BTreeMap<u16, Said>,
    partial: Vec<u8>,
    in_frame: bool,
    held: Option<([u32; 16], u32)>,
}

impl Bench {
    /// Out of reset and swept.
    pub fn new() -> Self {
        let mut bench = Bench {
            dut: Dut::new(),
            line: Source::default(),
            client: Source::default(),
            source: Stall::Never,
            sink: Stall::Never,
            shut: false,
            cycle: 0,
            seen: Vec::new(),
            taken: Vec::new(),
            built: VecDeque::new(),
            said: BTreeMap::new(),
            partial: Vec::new(),
            in_frame: false,
            held: None,
        };
        bench.reset();
        bench
    }

    /// A reset in the middle of anything, and the sweep after it.
    pub fn reset(&mut self) {
        self.dut.set_line_intent_valid(0);
        self.dut.set_client_intent_valid(0);
        self.dut.set_ack_ready(0);
        self.dut.set_rst(1);
        self.dut.tick();
        self.dut.tick();
        self.dut.set_rst(0);
        self.dut.tick();
        let mut cycles = 0;
        while self.busy() {
            self.dut.tick();
            cycles += 1;
            assert!(cycles < 5000, "busy for ever after reset");
        }
        self.line = Source::default();
        self.client = Source::default();
        self.built.clear();
        self.partial.clear();
        self.in_frame = false;
        self.held = None;
    }

    /// Something is pending, or some flow rests.
    pub fn waits(&mut self) -> bool {
        self.busy()
    }

    fn busy(&mut self) -> bool {
        self.dut.settle();
        self.dut.busy() == 1
    }

    pub fn set_enable(&mut self, enable: bool) {
        self.dut.set_enable(enable.into());
    }

    /// Queues an intent for a port.
    pub fn offer(&mut self, line: bool, intent: Intent) {
        if line { &mut self.line } else { &mut self.client }.waiting.push_back(intent);
    }

    /// Intents not yet taken: of the line, of the client port.
    pub fn waiting(&self) -> (usize, usize) {
        (self.line.waiting.len(), self.client.waiting.len())
    }

    /// The host's settings: gap, and spacing, DSCP and PCP of notifications.
    pub fn set_pace(&mut self, gap: u32, spacing: u32, dscp: u8, pcp: u8) {
        self.dut.set_ack_gap(gap);
        self.dut.set_cnp_spacing(spacing);
        self.dut.set_cnp_dscp(dscp.into());
        self.dut.set_cnp_pcp(pcp.into());
    }

    // Each of these drives a bus in the next step.

    pub fn notify(&mut self, flow: u16, run: u8) {
        self.dut.set_cnp_valid(1);
        self.dut.set_cnp_flow(flow.into());
        self.dut.set_cnp_run(run.into());
    }

    pub fn write_cfg(&mut self, flow: u16, cfg: Cfg) {
        self.dut.set_cfg_we(1);
        // Bank 1, so that a reader of bank 0 finds no flow switched on.
        self.dut.set_cfg_addr(0x1000 | u32::from(flow));
        self.dut.set_cfg_bank(1);
        self.dut.set_cfg_data(pack_cfg(cfg));
    }

    pub fn write_rx(&mut self, flow: u16, rx: Rx) {
        self.dut.set_rx_we(1);
        self.dut.set_rx_addr(flow.into());
        self.dut.set_rx_data(pack_rx(rx));
    }

    pub fn write_back(&mut self, flow: u16, back: Back) {
        self.dut.set_back_we(1);
        self.dut.set_back_addr(flow.into());
        self.dut.set_back_data(pack_back(back));
    }

    pub fn write_template(&mut self, flow: u16, template: &Template) {
        let mut bytes = template.header.to_vec();
        bytes.extend([template.vlans | u8::from(template.v6) << 2, 0]);
        let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
        self.dut.set_tpl_we(1);
        self.dut.set_tpl_addr(flow.into());
        self.dut.set_tpl_data(std::array::from_fn(word));
    }

    /// One cycle.
    pub fn step(&mut self, random: &mut Random) {
        let goes = self.source.goes(self.cycle, random);
        for source in [&mut self.line, &mut self.client] {
            source.offered = !source.waiting.is_empty() && (source.offered || goes);
        }
        let dut = &mut self.dut;
        dut.set_line_intent_valid(self.line.offered.into());
        dut.set_line_intent(self.line.waiting.front().map_or([0; 3], |i| pack_intent(*i)));
        dut.set_client_intent_valid(self.client.offered.into());
        dut.set_client_intent(self.client.waiting.front().map_or([0; 3], |i| pack_intent(*i)));
        let takes = self.sink.goes(self.cycle + 5, random) && !self.shut;
        dut.set_ack_ready(takes.into());
        dut.settle();
        let ready = [dut.line_intent_ready() == 1, dut.client_intent_ready() == 1];
        for (i, source) in [&mut self.line, &mut self.client].into_iter().enumerate() {
            assert!(ready[i] || !source.was_ready, "ready went away with nothing taken, cycle {}", self.cycle);
            source.was_ready = ready[i] && !source.offered;
            if ready[i] && source.offered {
                source.offered = false;
                self.taken.push((i == 0, source.waiting.pop_front().unwrap()));
            }
        }
        if dut.built_valid() == 1 {
            self.built.push_back((self.cycle, dut.built_flow() as u16, dut.built_kind(), dut.built_psn()));
        }
        if dut.said_we() == 1 {
            self.said.insert(dut.said_addr() as u16, unpack_said(dut.said_data()));
        }
        self.take_beat(takes);
        self.dut.rise();
        self.dut.set_cnp_valid(0);
        self.dut.set_cfg_we(0);
        self.dut.set_rx_we(0);
        self.dut.set_back_we(0);
        self.dut.set_tpl_we(0);
        self.cycle += 1;
    }

    /// The beat at the output, and what the stream promises.
    fn take_beat(&mut self, takes: bool) {
        let dut = &mut self.dut;
        let valid = dut.ack_valid() == 1;
        assert!(valid || !self.in_frame, "a gap inside a frame, cycle {}", self.cycle);
        let rest =
            dut.ack_bytes() | dut.ack_first() << 8 | dut.ack_last() << 9 | dut.ack_nak() << 10 | dut.ack_cnp() << 11;
        let now = valid.then(|| (dut.ack_data(), rest));
        if self.held.is_some() {
            assert_eq!(now, self.held, "an untaken beat changed, cycle {}", self.cycle);
        }
        self.held = now.filter(|_| !takes);
        let Some((data, _)) = now.filter(|_| takes) else { return };
        let (first, last) = (dut.ack_first() == 1, dut.ack_last() == 1);
        assert_eq!(first, self.partial.is_empty(), "first, cycle {}", self.cycle);
        let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
        let count = dut.ack_bytes() as usize;
        assert!((1..=64).contains(&count) && (last || count == 64), "{count} bytes in a beat");
        assert!(bytes[count..].iter().all(|b| *b == 0), "bytes beyond the end");
        self.partial.extend(&bytes[..count]);
        self.in_frame = !last;
        if last {
            let frame = std::mem::take(&mut self.partial);
            self.seen.push(Seen { frame, nak: dut.ack_nak() == 1, cnp: dut.ack_cnp() == 1 });
        }
    }

    /// Steps until nothing is pending anywhere.
    pub fn idle(&mut self, random: &mut Random) {
        let start = self.cycle;
        while self.waiting() != (0, 0) || self.busy() {
            self.step(random);
            assert!(self.cycle - start < 2_000_000, "busy for ever");
        }
    }

    /// What the block wrote last of a flow.
    pub fn said(&self, flow: u16) -> Said {
        self.said.get(&flow).copied().unwrap_or_default()
    }
}
