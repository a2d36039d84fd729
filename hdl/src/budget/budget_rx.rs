//! Budget 3 of 4: **budget_rx**. From the line port's judgement, to [rate_table](super::RateTable), the pacer, the law and
//! `budget_tx`.
//!
//! In: budget frames whole (`frame`, `bad`: not their length, or damaged), at most one in two cycles; `came`, bytes that a
//! path has brought, at the latest in the cycle before a frame that comes after them; `boundary`, the end of a slot.
//! Out: `heard` per frame, what became of it; `live` and `limit` of a path when they change; `lapse`, a lease ran out;
//! `free`, the paths whose byte limit does not hold; what is known of `ask_path`, in the same cycle. After a reset `live`
//! tells each path that it has nothing. `hold`: no frame is begun, until it is down.
//! Latency: 39 cycles per frame, one after the other; sixteen wait, more are `lost`. A slot's end takes 34.
//! Model: `model::budget_rx`. Tests: `tests/budget/budget_rx.rs`. Registers: `LAW`.
//!
//! ```text
//! frame ─▶ whose path, what has come ─▶ queue ─▶ held ─▶ seal, rate ─▶ judge ─▶ known
//! boundary ─────────────────────────────────────────────── each path ──────────▶
//! ```
//!
//! What arrived is `came + offset`: a frame sets the offset by what had come when it came, though it is judged later.

use super::known::{Judge, Known, KNOWN_BITS};
use super::scale::Scale;
use super::seal::Seal;
use crate::prim::{Encoder, Lit, LutFifo, LutRam, Swap, Unpack};
use matchrdma_spec::wire::budget::{BYTES, RATE, SRC_SITE};
use rust_hdl::prelude::*;

const FRAME_BITS: usize = 8 * BYTES;
/// A frame with what is noted of it as it comes.
const ENTRY_BITS: usize = FRAME_BITS + 70;
/// Frames that wait, as log2.
const WAIT_LOG2: usize = 4;

/// A frame as it came.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Entry {
    pub frame: Bits<FRAME_BITS>,
    pub bad: Bit,
    /// Its sender is the peer of `path`.
    pub hit: Bit,
    pub path: Bits<4>,
    /// What had come of the path.
    pub came: Bits<64>,
}

/// All paths.
#[derive(LogicBlock, Default)]
pub struct BudgetRx {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    // Levels from the host.
    pub site: Signal<In, Bits<16>>,
    pub session: Signal<In, Bits<32>>,
    pub line: Signal<In, Bits<32>>,
    pub floor: Signal<In, Bits<32>>,
    pub from_wire: Signal<In, Bits<36>>,
    pub peer_we: Signal<In, Bit>,
    pub peer_path: Signal<In, Bits<4>>,
    pub peer_on: Signal<In, Bit>,
    pub peer_site: Signal<In, Bits<16>>,
    pub peer_key: Signal<In, Bits<128>>,
    // From the line.
    pub came_valid: Signal<In, Bit>,
    pub came_path: Signal<In, Bits<4>>,
    pub came_bytes: Signal<In, Bits<14>>,
    pub frame_valid: Signal<In, Bit>,
    pub frame: Signal<In, Bits<FRAME_BITS>>,
    pub bad: Signal<In, Bit>,
    pub boundary: Signal<In, Bit>,
    /// No frame is begun.
    pub hold: Signal<In, Bit>,
    // What became of a frame.
    pub heard_valid: Signal<Out, Bit>,
    pub heard: Signal<Out, Bits<4>>,
    pub heard_path: Signal<Out, Bits<4>>,
    pub heard_high: Signal<Out, Bit>,
    pub lost: Signal<Out, Bit>,
    // What a path may do.
    pub live_we: Signal<Out, Bit>,
    pub live_path: Signal<Out, Bits<4>>,
    pub live_rate: Signal<Out, Bits<32>>,
    pub limit: Signal<Out, Bits<64>>,
    pub free: Signal<Out, Bits<16>>,
    pub lapse_valid: Signal<Out, Bit>,
    // What is known of a path.
    pub ask_path: Signal<In, Bits<4>>,
    pub said: Signal<Out, Known>,
    pub arrived: Signal<Out, Bits<64>>,
    pub busy: Signal<Out, Bit>,
    /// A slot's end is at work, or what a reset does.
    pub ends: Signal<Out, Bit>,

    sites: [DFF<Bits<17>>; 16],
    keys: LutRam<128, 4>,
    own: Signal<Local, Bits<17>>,
    from: Signal<Local, Bits<17>>,
    from_bytes: Signal<Local, Bits<16>>,
    from_number: Swap<16>,
    src_at: Lit<11, { 8 * SRC_SITE.first_byte() as u64 }>,
    on: Lit<17, { 1 << 16 }>,
    hits: Signal<Local, Bits<16>>,
    not_hits: Signal<Local, Bits<16>>,
    minus_hits: Signal<Local, Bits<16>>,
    lowest: Encoder<16, 4>,
    hit_path: Signal<Local, Bits<4>>,
    came: LutRam<64, 4>,
    came_of_frame: LutRam<64, 4>,
    came_of_ask: LutRam<64, 4>,
    more: Signal<Local, Bits<64>>,
    entry: Signal<Local, Entry>,
    queue: LutFifo<ENTRY_BITS, WAIT_LOG2>,
    waiting: DFF<Bits<5>>,
    fits: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    head: Unpack<ENTRY_BITS, Entry>,
    held: DFF<Entry>,
    seal: Seal,
    rate_at: Lit<11, { 8 * RATE.first_byte() as u64 }>,
    rate_bytes: Signal<Local, Bits<64>>,
    rate: Swap<64>,
    scale: Scale,
    ripe: Signal<Local, Bit>,
    judge: Judge,
    known: LutRam<KNOWN_BITS, 4>,
    known_of_ask: LutRam<KNOWN_BITS, 4>,
    read: DFF<Bits<KNOWN_BITS>>,
    now: Unpack<KNOWN_BITS, Known>,
    asked: Unpack<KNOWN_BITS, Known>,
    nothing: Signal<Local, Bits<KNOWN_BITS>>,
    write: Signal<Local, Bit>,
    next: Signal<Local, Bits<KNOWN_BITS>>,
    // The sequencer: `works` on a frame, whose first cycle is `begins`; at a slot's end through the paths.
    works: DFF<Bit>,
    begins: DFF<Bit>,
    ended: DFF<Bit>,
    ticks: DFF<Bit>,
    clears: DFF<Bit>,
    path: DFF<Bits<4>>,
    second: DFF<Bit>,
    tends: Signal<Local, Bit>,
    at: Signal<Local, Bits<4>>,
    is_free: Signal<Local, Bit>,
    frees: DFF<Bits<16>>,
    tells: DFF<Bit>,
    told: DFF<Bits<4>>,
    told_path: DFF<Bits<4>>,
    told_high: DFF<Bit>,
    changes: DFF<Bit>,
    rate_now: DFF<Bits<32>>,
    limit_now: DFF<Bits<64>>,
    lapses: DFF<Bit>,
    is_lost: DFF<Bit>,
}

impl Logic for BudgetRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, waiting, held, works, begins, ended, ticks, clears, path, frees, read, second);
        dff_setup!(self, clk, tells, told, told_path, told_high, changes, rate_now, limit_now, lapses, is_lost);

        // The peers.
        self.own.next = bit_cast::<17, 16>(self.peer_site.val());
        if self.peer_on.val() {
            self.own.next = bit_cast::<17, 16>(self.peer_site.val()) | self.on.val();
        }
        for i in 0..16 {
            self.sites[i].clock.next = self.clk.val();
            self.sites[i].d.next = self.sites[i].q.val();
            if self.peer_we.val() & (self.peer_path.val().index() == i) {
                self.sites[i].d.next = self.own.val();
            }
            if self.rst.val() {
                self.sites[i].d.next = 0.into();
            }
        }
        self.keys.clk.next = self.clk.val();
        self.keys.we.next = self.peer_we.val();
        self.keys.waddr.next = self.peer_path.val();
        self.keys.wdata.next = self.peer_key.val();

        // A frame comes: whose is it, and what came before it?
        self.from_bytes.next = bit_cast::<16, FRAME_BITS>(self.frame.val() >> self.src_at.val());
        self.from_number.din.next = self.from_bytes.val();
        self.from.next = bit_cast::<17, 16>(self.from_number.dout.val()) | self.on.val();
        self.hits.next = 0.into();
        for i in 0..16 {
            self.hits.next = self.hits.val().replace_bit(i, self.sites[i].q.val() == self.from.val());
        }
        // the lowest of them
        self.not_hits.next = !self.hits.val();
        self.minus_hits.next = self.not_hits.val() + 1;
        self.lowest.one_hot.next = self.hits.val() & self.minus_hits.val();
        self.hit_path.next = self.lowest.index.val();
        self.came.clk.next = self.clk.val();
        self.came_of_frame.clk.next = self.clk.val();
        self.came_of_ask.clk.next = self.clk.val();
        self.came.raddr.next = self.came_path.val();
        self.came_of_frame.raddr.next = self.hit_path.val();
        self.came_of_ask.raddr.next = self.ask_path.val();
        self.more.next = self.came.rdata.val() + bit_cast::<64, 14>(self.came_bytes.val());
        self.came.we.next = self.came_valid.val();
        self.came.waddr.next = self.came_path.val();
        self.came.wdata.next = self.more.val();
        if self.clears.q.val() {
            self.came.we.next = true;
            self.came.waddr.next = self.path.q.val();
            self.came.wdata.next = 0.into();
        }
        self.came_of_frame.we.next = self.came.we.val();
        self.came_of_frame.waddr.next = self.came.waddr.val();
        self.came_of_frame.wdata.next = self.came.wdata.val();
        self.came_of_ask.we.next = self.came.we.val();
        self.came_of_ask.waddr.next = self.came.waddr.val();
        self.came_of_ask.wdata.next = self.came.wdata.val();
        self.entry.next.frame = self.frame.val();
        self.entry.next.bad = self.bad.val();
        self.entry.next.hit = self.hits.val().any();
        self.entry.next.path = self.hit_path.val();
        self.entry.next.came = self.came_of_frame.rdata.val();
        self.fits.next = !self.waiting.q.val().get_bit(4);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queue.wr.next = self.frame_valid.val() & self.fits.val();
        self.queue.din.next = self.entry.val().into();
        self.is_lost.d.next = self.frame_valid.val() & !self.fits.val();
        self.lost.next = self.is_lost.q.val();

        // One after the other: a slot's end first.
        self.pops.next = !self.works.q.val()
            & !self.ticks.q.val()
            & !self.ended.q.val()
            & !self.hold.val()
            & !self.queue.empty.val();
        self.queue.rd.next = self.pops.val();
        if (self.frame_valid.val() & self.fits.val()) & !self.pops.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        } else if self.pops.val() & !(self.frame_valid.val() & self.fits.val()) {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.head.din.next = self.queue.dout.val();
        self.begins.d.next = self.pops.val();
        if self.pops.val() {
            self.held.d.next = self.head.dout.val();
            self.works.d.next = true;
        }
        if self.boundary.val() {
            self.ended.d.next = true;
        }
        if self.ended.q.val() & !self.works.q.val() & !self.ticks.q.val() {
            self.ended.d.next = self.boundary.val();
            self.ticks.d.next = true;
            self.path.d.next = 0.into();
        }
        // a path takes two cycles: it is read, and written
        self.second.d.next = self.ticks.q.val() & !self.second.q.val();
        self.tends.next = self.ticks.q.val() & self.second.q.val();
        if self.tends.val() {
            self.path.d.next = self.path.q.val() + 1;
            if self.path.q.val() == 15 {
                self.ticks.d.next = false;
                self.clears.d.next = false;
            }
        }

        // The frame: tag, CRC, and its rate in our slots.
        self.seal.clk.next = self.clk.val();
        self.seal.rst.next = self.rst.val();
        self.seal.go.next = self.begins.q.val();
        self.seal.frame.next = self.held.q.val().frame;
        self.seal.check.next = true;
        self.keys.raddr.next = self.held.q.val().path;
        self.seal.key.next = self.keys.rdata.val();
        self.rate_bytes.next = bit_cast::<64, FRAME_BITS>(self.held.q.val().frame >> self.rate_at.val());
        self.rate.din.next = self.rate_bytes.val();
        self.scale.clk.next = self.clk.val();
        self.scale.rst.next = self.rst.val();
        self.scale.go.next = self.begins.q.val();
        self.scale.rate.next = self.rate.dout.val();
        self.scale.factor.next = bit_cast::<48, 36>(self.from_wire.val());
        self.scale.most.next = self.line.val();

        // the rate is there before the seal is
        self.ripe.next = self.seal.done.val();

        // What it makes of what is known.
        self.at.next = self.held.q.val().path;
        if self.ticks.q.val() {
            self.at.next = self.path.q.val();
        }
        self.known.clk.next = self.clk.val();
        self.known_of_ask.clk.next = self.clk.val();
        self.known.raddr.next = self.at.val();
        self.read.d.next = self.known.rdata.val();
        self.now.din.next = self.read.q.val();
        self.judge.site.next = self.site.val();
        self.judge.session.next = self.session.val();
        self.judge.floor.next = self.floor.val();
        self.judge.tick.next = self.ticks.q.val();
        self.judge.frame.next = self.held.q.val().frame;
        self.judge.bad.next = self.held.q.val().bad;
        self.judge.hit.next = self.held.q.val().hit;
        self.judge.came.next = self.held.q.val().came;
        self.judge.tag_ok.next = self.seal.tag_ok.val();
        self.judge.crc_ok.next = self.seal.crc_ok.val();
        self.judge.rate.next = self.scale.scaled.val();
        self.judge.now.next = self.now.dout.val();
        self.nothing.next = 0.into();
        self.write.next = (self.ripe.val() & self.judge.counts.val()) | self.tends.val();
        self.next.next = self.judge.becomes.val().into();
        if self.clears.q.val() {
            self.next.next = self.nothing.val();
        }
        if self.ripe.val() {
            self.works.d.next = false;
        }
        self.known.we.next = self.write.val();
        self.known.waddr.next = self.at.val();
        self.known.wdata.next = self.next.val();
        self.known_of_ask.we.next = self.write.val();
        self.known_of_ask.waddr.next = self.at.val();
        self.known_of_ask.wdata.next = self.next.val();
        self.is_free.next = self.judge.free.val() & !self.clears.q.val();
        for i in 0..16 {
            if self.write.val() & (self.at.val().index() == i) {
                self.frees.d.next = self.frees.d.val().replace_bit(i, self.is_free.val());
            }
        }

        // It is told from registers.
        self.tells.d.next = self.ripe.val();
        self.told.d.next = self.judge.heard.val();
        self.told_path.d.next = self.at.val();
        self.told_high.d.next = self.judge.counts.val() & self.judge.budget.val() & self.scale.high.val();
        self.changes.d.next = (self.ripe.val() & self.judge.sets.val())
            | (self.tends.val() & (self.judge.slows.val() | self.clears.q.val()));
        self.rate_now.d.next = self.judge.becomes.val().rate;
        self.limit_now.d.next = self.judge.becomes.val().limit;
        if self.clears.q.val() {
            self.rate_now.d.next = 0.into();
            self.limit_now.d.next = 0.into();
        }
        self.lapses.d.next = self.tends.val() & self.judge.lapse.val() & !self.clears.q.val();
        self.heard_valid.next = self.tells.q.val();
        self.heard.next = self.told.q.val();
        self.heard_path.next = self.told_path.q.val();
        self.heard_high.next = self.told_high.q.val();
        self.live_we.next = self.changes.q.val();
        self.live_path.next = self.told_path.q.val();
        self.live_rate.next = self.rate_now.q.val();
        self.limit.next = self.limit_now.q.val();
        self.lapse_valid.next = self.lapses.q.val();
        self.free.next = self.frees.q.val();

        self.known_of_ask.raddr.next = self.ask_path.val();
        self.asked.din.next = self.known_of_ask.rdata.val();
        self.said.next = self.asked.dout.val();
        self.arrived.next = self.came_of_ask.rdata.val() + self.asked.dout.val().offset;
        self.ends.next = self.ticks.q.val() | self.ended.q.val();
        self.busy.next = self.works.q.val() | self.ticks.q.val() | self.ended.q.val() | !self.queue.empty.val();
        if self.rst.val() {
            self.waiting.d.next = 0.into();
            self.works.d.next = false;
            self.begins.d.next = false;
            self.ended.d.next = false;
            self.ticks.d.next = true;
            self.clears.d.next = true;
            self.second.d.next = false;
            self.path.d.next = 0.into();
            self.frees.d.next = 0.into();
            self.tells.d.next = false;
            self.changes.d.next = false;
            self.lapses.d.next = false;
            self.is_lost.d.next = false;
        }
    }
}
