//! The frame: the flow's template with PSN, AETH and ICRC replaced, or made a congestion notification.
//!
//! In: `fire` with the template (a real ACK before its AckReq, its number of tags, IPv6) and what to say: an ACK or NAK, or a congestion notification with `dscp` and `pcp`; only while `open` has been up since the last one.
//! Out: one or two beats, without a gap.
//!
//! A frame is made by eight bytes per cycle, 8 to 13 of them: a sender needs its ACKs at the rate of its frames, not of
//! its beats, and a word costs an eighth of a beat. One frame waits, one is made or leaves.
//!
//! | cycle | what |
//! | --- | --- |
//! | 1 | it waits for the one before |
//! | 2 | its words begin: [plan](super::plan) says what becomes of each |
//! | 3 to 5 | PSN and AETH go in; the masked copy; the CRC, the ICRC and a notification's IPv4 checksum |
//! | 6 to 13 (or 18) | the words are there; the next cycle it is on the port |

use super::beats::{Beat, Beats};
use super::lane::Lane;
use super::plan::{is_last, lane, KEPT_BYTES, LANE_BITS, PAD, WORDS};
use super::resum::Resum;
use crate::prim::{CrcWord, Lit, Pick, Rom};
use matchrdma_spec::hash::POLY_IEEE;
use rust_hdl::prelude::*;

/// What is said, beside the template.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct News {
    pub psn: Bits<24>,
    pub msn: Bits<24>,
    pub syndrome: Bits<8>,
    pub nak: Bit,
    pub cnp: Bit,
}

/// What is kept of a template: its bytes before any AckReq, and its shape.
pub const HEADER_BITS: usize = 8 * KEPT_BYTES;
pub const TEMPLATE_BITS: usize = HEADER_BITS + 3;
const FRAME_BITS: usize = 64 * WORDS;

/// Template in, beats out.
#[derive(LogicBlock)]
pub struct AckFrame {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub fire: Signal<In, Bit>,
    pub template: Signal<In, Bits<TEMPLATE_BITS>>,
    pub news: Signal<In, News>,
    pub dscp: Signal<In, Bits<6>>,
    pub pcp: Signal<In, Bits<3>>,
    /// No frame waits.
    pub open: Signal<Out, Bit>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack: Signal<Out, Beat>,
    pub ack_ready: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,

    pad: Lit<10, { 8 * PAD as u64 }>,
    shape_at: Lit<10, { HEADER_BITS as u64 }>,

    waits: DFF<Bit>,
    waiting: DFF<Bits<TEMPLATE_BITS>>,
    waiting_news: DFF<News>,
    /// A frame is made or leaves: it has `here` and `says`.
    taken: DFF<Bit>,
    here: DFF<Bits<TEMPLATE_BITS>>,
    says: DFF<News>,
    start: Signal<Local, Bit>,
    shape: Signal<Local, Bits<4>>,
    // the words, one per cycle
    runs: DFF<Bit>,
    word: DFF<Bits<4>>,
    raw: Signal<Local, Bits<{ 64 * WORDS }>>,
    pick: Pick<64, 4, { 64 * WORDS }>,
    plan_at: Signal<Local, Bits<8>>,
    plan_low: Rom<LANE_BITS, 8>,
    plan_high: Rom<LANE_BITS, 8>,
    plan_last: Rom<1, 8>,
    low: Lane,
    high: Lane,
    tags: Signal<Local, Bits<2>>,
    resum: Resum,
    crc: CrcWord<POLY_IEEE>,
    state: DFF<Bits<32>>,
    valid1: DFF<Bit>,
    valid2: DFF<Bit>,
    valid3: DFF<Bit>,
    last1: DFF<Bit>,
    last2: DFF<Bit>,
    last3: DFF<Bit>,
    word1: DFF<Bits<4>>,
    word2: DFF<Bits<4>>,
    word3: DFF<Bits<4>>,
    beats: Beats,
}

impl Default for AckFrame {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            fire: Default::default(),
            template: Default::default(),
            news: Default::default(),
            dscp: Default::default(),
            pcp: Default::default(),
            open: Default::default(),
            ack_valid: Default::default(),
            ack: Default::default(),
            ack_ready: Default::default(),
            busy: Default::default(),
            pad: Default::default(),
            shape_at: Default::default(),
            waits: Default::default(),
            waiting: Default::default(),
            waiting_news: Default::default(),
            taken: Default::default(),
            here: Default::default(),
            says: Default::default(),
            start: Default::default(),
            shape: Default::default(),
            runs: Default::default(),
            word: Default::default(),
            raw: Default::default(),
            pick: Default::default(),
            plan_at: Default::default(),
            plan_low: Rom::new(|at| bits(lane(at >> 4, 2 * (at & 15)))),
            plan_high: Rom::new(|at| bits(lane(at >> 4, 2 * (at & 15) + 1))),
            plan_last: Rom::new(|at| bits(is_last(at >> 4, at & 15).into())),
            low: Default::default(),
            high: Default::default(),
            tags: Default::default(),
            resum: Default::default(),
            crc: Default::default(),
            state: Default::default(),
            valid1: Default::default(),
            valid2: Default::default(),
            valid3: Default::default(),
            last1: Default::default(),
            last2: Default::default(),
            last3: Default::default(),
            word1: Default::default(),
            word2: Default::default(),
            word3: Default::default(),
            beats: Default::default(),
        }
    }
}

impl Logic for AckFrame {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, waits, waiting, waiting_news, taken, here, says, runs, word, state);
        dff_setup!(self, clk, valid1, valid2, valid3, last1, last2, last3, word1, word2, word3);

        // one waits, one is made or leaves
        self.start.next = self.waits.q.val() & !self.taken.q.val();
        if self.start.val() {
            self.waits.d.next = false;
            self.taken.d.next = true;
            self.here.d.next = self.waiting.q.val();
            self.says.d.next = self.waiting_news.q.val();
        }
        if self.fire.val() {
            self.waits.d.next = true;
            self.waiting.d.next = self.template.val();
            self.waiting_news.d.next = self.news.val();
        }
        self.open.next = !self.waits.q.val();

        // its words, and what is done with each
        self.shape.next = bit_cast::<4, TEMPLATE_BITS>(self.here.q.val() >> self.shape_at.val());
        if self.says.q.val().cnp {
            self.shape.next = bit_cast::<4, TEMPLATE_BITS>(self.here.q.val() >> self.shape_at.val()) | 8;
        }
        self.raw.next =
            bit_cast::<FRAME_BITS, HEADER_BITS>(self.here.q.val().get_bits::<HEADER_BITS>(0)) << self.pad.val();
        self.pick.din.next = self.raw.val();
        self.pick.at.next = self.word.q.val();
        self.plan_at.next = (bit_cast::<8, 4>(self.shape.val()) << 4) | bit_cast::<8, 4>(self.word.q.val());
        self.plan_low.addr.next = self.plan_at.val();
        self.plan_high.addr.next = self.plan_at.val();
        self.plan_last.addr.next = self.plan_at.val();
        self.word.d.next = 0.into();
        if self.start.val() {
            self.runs.d.next = true;
        }
        if self.runs.q.val() {
            self.word.d.next = self.word.q.val() + 1;
            if self.plan_last.dout.val().any() {
                self.runs.d.next = false;
            }
        }
        self.valid1.d.next = self.runs.q.val();
        self.valid2.d.next = self.valid1.q.val();
        self.valid3.d.next = self.valid2.q.val();
        self.last1.d.next = self.plan_last.dout.val().any();
        self.last2.d.next = self.last1.q.val();
        self.last3.d.next = self.last2.q.val();
        self.word1.d.next = self.word.q.val();
        self.word2.d.next = self.word1.q.val();
        self.word3.d.next = self.word2.q.val();
        self.low.clk.next = self.clk.val();
        self.low.raw.next = self.pick.dout.val().get_bits::<32>(0);
        self.low.lane.next = self.plan_low.dout.val();
        self.low.psn.next = self.says.q.val().psn;
        self.low.msn.next = self.says.q.val().msn;
        self.low.syndrome.next = self.says.q.val().syndrome;
        self.low.dscp.next = self.dscp.val();
        self.low.pcp.next = self.pcp.val();
        self.high.clk.next = self.clk.val();
        self.high.raw.next = self.pick.dout.val().get_bits::<32>(32);
        self.high.lane.next = self.plan_high.dout.val();
        self.high.psn.next = self.says.q.val().psn;
        self.high.msn.next = self.says.q.val().msn;
        self.high.syndrome.next = self.says.q.val().syndrome;
        self.high.dscp.next = self.dscp.val();
        self.high.pcp.next = self.pcp.val();

        // with one tag IP begins in the high lane, else in the low
        self.tags.next = self.shape.val().get_bits::<2>(0);
        self.resum.clk.next = self.clk.val();
        self.resum.dscp.next = self.dscp.val();
        self.resum.lane.next = self.low.seen.val();
        if self.tags.val().get_bit(0) {
            self.resum.lane.next = self.high.seen.val();
        }

        // the CRC after the low lane, and after the word; the ICRC is little-endian: its lowest byte comes first
        self.crc.state.next = self.state.q.val();
        self.crc.din.next =
            (bit_cast::<64, 32>(self.high.covered.val()) << 32) | bit_cast::<64, 32>(self.low.covered.val());
        self.state.d.next = 0.into();
        if self.valid3.q.val() {
            self.state.d.next = self.crc.whole.val();
        }
        self.low.icrc.next = !self.state.q.val();
        self.high.icrc.next = !self.crc.half.val();
        self.low.sum.next = self.resum.sum.val();
        self.high.sum.next = self.resum.sum.val();

        self.beats.clk.next = self.clk.val();
        self.beats.rst.next = self.rst.val();
        self.beats.clear.next = self.start.val();
        self.beats.valid.next = self.valid3.q.val();
        self.beats.at.next = self.word3.q.val();
        self.beats.word.next = (bit_cast::<64, 32>(self.high.out.val()) << 32) | bit_cast::<64, 32>(self.low.out.val());
        self.beats.last.next = self.last3.q.val();
        self.beats.shape.next = self.shape.val();
        self.beats.nak.next = self.says.q.val().nak;
        self.beats.cnp.next = self.says.q.val().cnp;
        self.beats.ack_ready.next = self.ack_ready.val();
        self.ack_valid.next = self.beats.ack_valid.val();
        self.ack.next = self.beats.ack.val();
        if self.beats.left.val() {
            self.taken.d.next = false;
        }
        self.busy.next = self.waits.q.val() | self.taken.q.val();
        if self.rst.val() {
            self.waits.d.next = false;
            self.taken.d.next = false;
            self.runs.d.next = false;
            self.valid1.d.next = false;
            self.valid2.d.next = false;
            self.valid3.d.next = false;
        }
    }
}
