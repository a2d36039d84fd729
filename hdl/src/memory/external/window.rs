//! Beside **external memory**: what was asked of it comes back in any order, and is given in order.
//!
//! In: how far the memory is written; beats by their slot. Out: bursts to ask for; how many beats are there in a row, and
//! the beats.
//! Latency: a beat that came in one cycle counts in the next, and is at `word` four cycles after its frame was whole.
//! Model: `model::packet_memory`. Tests: `tests/memory/external.rs`. Registers: none.
//!
//! The window is the 32 blocks of the ring from the next beat to give: a block's slot is its number modulo 32, and
//! so is its ID. Within an ID beats come in order, so a slot's next beat goes behind its last one, and one count for each
//! slot, modulo two blocks, tells what has come.

use crate::prim::{Decoder, Lit, LutFifo, LutRam, Sdp};
use rust_hdl::prelude::*;

/// 512 beats. Places are counted in beats and run modulo 2^26.
///
/// Nothing may come for 32 cycles after `rst`.
#[derive(LogicBlock, Default)]
pub struct Window {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// What lies before this place may be read.
    pub durable: Signal<In, Bits<26>>,
    /// A burst of so many beats may be asked for, from this place.
    pub want: Signal<Out, Bit>,
    pub beats: Signal<Out, Bits<5>>,
    pub place: Signal<Out, Bits<26>>,
    /// It is asked for.
    pub take: Signal<In, Bit>,
    /// Then: its block is not what it should be.
    pub spoils: Signal<In, Bit>,
    pub came_valid: Signal<In, Bit>,
    pub came_slot: Signal<In, Bits<5>>,
    pub came_data: Signal<In, Bits<512>>,
    pub came_error: Signal<In, Bit>,
    /// Beats of the walker's block that have come and that it has not walked over; something of the block is wrong.
    pub have: Signal<Out, Bits<5>>,
    pub spoilt: Signal<Out, Bit>,
    /// It walks over so many, and they end a frame.
    pub step: Signal<In, Bits<5>>,
    pub ends: Signal<In, Bit>,
    /// The next beat of a frame that is there whole.
    pub valid: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<512>>,
    pub pop: Signal<In, Bit>,
    /// Behind the last beat popped.
    pub left: Signal<Out, Bits<26>>,
    ram: Sdp<512, 9>,
    ahead: LutFifo<512, 3>,
    /// Beats that came in each slot, modulo 32; one copy for each reader.
    counts: LutRam<5, 5>,
    counts_of_walk: LutRam<5, 5>,
    bad: DFF<Bits<32>>,
    age: DFF<Bits<6>>,
    clears: Signal<Local, Bit>,
    asked: DFF<Bits<26>>,
    walked: DFF<Bits<26>>,
    whole: DFF<Bits<26>>,
    walks: Signal<Local, Bits<26>>,
    fetched: DFF<Bits<26>>,
    gone: DFF<Bits<26>>,
    reading: DFF<Bit>,
    word_valid: DFF<Bit>,
    word_out: DFF<Bits<512>>,
    // Ask.
    pending: Signal<Local, Bits<26>>,
    offset: Signal<Local, Bits<4>>,
    block: Lit<5, 16>,
    gap: Signal<Local, Bits<5>>,
    full: Signal<Local, Bit>,
    size: Signal<Local, Bits<5>>,
    distance: Signal<Local, Bits<22>>,
    opens: Signal<Local, Bit>,
    opened: Decoder<32, 5>,
    spoiling: Decoder<32, 5>,
    // Come.
    count: Signal<Local, Bits<5>>,
    failing: Decoder<32, 5>,
    // Walk.
    seen: Signal<Local, Bits<5>>,
    stand: Signal<Local, Bits<5>>,
    walks_in: Decoder<32, 5>,
    // Give.
    out: Signal<Local, Bits<26>>,
    fetch: Signal<Local, Bit>,
    has_head: Signal<Local, Bit>,
}

impl Logic for Window {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, bad, age, asked, walked, whole, fetched, gone, reading, word_valid, word_out);
        self.ram.clk.next = self.clk.val();
        self.ahead.clk.next = self.clk.val();
        self.ahead.rst.next = self.rst.val();
        self.counts.clk.next = self.clk.val();
        self.counts_of_walk.clk.next = self.clk.val();
        self.clears.next = !self.age.q.val().get_bit(5);
        if self.clears.val() {
            self.age.d.next = self.age.q.val() + 1;
        }

        // Ask: to the end of a block, as far as it is written, while its slot is free.
        self.pending.next = self.durable.val() - self.asked.q.val();
        self.offset.next = bit_cast::<4, 26>(self.asked.q.val());
        self.gap.next = self.block.val() - bit_cast::<5, 4>(self.offset.val());
        self.full.next = self.pending.val() >= bit_cast::<26, 5>(self.gap.val());
        self.size.next = bit_cast::<5, 26>(self.pending.val());
        if self.full.val() {
            self.size.next = self.gap.val();
        }
        self.distance.next = self.asked.q.val().get_bits::<22>(4) - self.fetched.q.val().get_bits::<22>(4);
        self.want.next = self.pending.val().any() & (self.distance.val() < 32) & !self.clears.val();
        self.beats.next = self.size.val();
        self.place.next = self.asked.q.val();
        if self.take.val() {
            self.asked.d.next = self.asked.q.val() + bit_cast::<26, 5>(self.size.val());
        }
        self.opens.next = self.take.val() & !self.offset.val().any();
        self.opened.on.next = self.opens.val();
        self.opened.index.next = self.asked.q.val().get_bits::<5>(4);
        self.spoiling.on.next = self.take.val() & self.spoils.val();
        self.spoiling.index.next = self.asked.q.val().get_bits::<5>(4);

        // Come: behind the last one of its slot.
        self.counts.raddr.next = self.came_slot.val();
        self.count.next = self.counts.rdata.val();
        self.ram.we.next = self.came_valid.val();
        self.ram.waddr.next =
            bit_cast::<9, 5>(self.came_slot.val()) << 4 | bit_cast::<9, 4>(self.count.val().get_bits::<4>(0));
        self.ram.wdata.next = self.came_data.val();
        self.counts.we.next = self.came_valid.val() | self.clears.val();
        self.counts.waddr.next = self.came_slot.val();
        self.counts.wdata.next = self.count.val() + 1;
        if self.clears.val() {
            self.counts.waddr.next = bit_cast::<5, 6>(self.age.q.val());
            self.counts.wdata.next = 0.into();
        }
        self.counts_of_walk.we.next = self.counts.we.val();
        self.counts_of_walk.waddr.next = self.counts.waddr.val();
        self.counts_of_walk.wdata.next = self.counts.wdata.val();
        self.failing.on.next = self.came_valid.val() & self.came_error.val();
        self.failing.index.next = self.came_slot.val();
        self.bad.d.next =
            (self.bad.q.val() & !self.opened.one_hot.val()) | self.spoiling.one_hot.val() | self.failing.one_hot.val();

        // Walk: what has come of the block beyond where the walker stands.
        self.counts_of_walk.raddr.next = self.walked.q.val().get_bits::<5>(4);
        self.seen.next = self.counts_of_walk.rdata.val();
        self.stand.next = bit_cast::<5, 1>(self.walked.q.val().get_bits::<1>(9)) << 4
            | bit_cast::<5, 4>(self.walked.q.val().get_bits::<4>(0));
        self.have.next = self.seen.val() - self.stand.val();
        self.walks_in.on.next = true;
        self.walks_in.index.next = self.walked.q.val().get_bits::<5>(4);
        self.spoilt.next = (self.walks_in.one_hot.val() & self.bad.q.val()).any();
        self.walks.next = self.walked.q.val() + bit_cast::<26, 5>(self.step.val());
        self.walked.d.next = self.walks.val();
        if self.ends.val() {
            self.whole.d.next = self.walks.val();
        }

        // Give: read ahead, as far as frames are whole and there is a place for it to land.
        self.out.next = self.fetched.q.val() - self.gone.q.val();
        self.fetch.next = (self.fetched.q.val() != self.whole.q.val()) & (self.out.val() < 8);
        if self.fetch.val() {
            self.fetched.d.next = self.fetched.q.val() + 1;
        }
        self.ram.raddr.next = bit_cast::<9, 26>(self.fetched.q.val());
        self.reading.d.next = self.fetch.val();
        self.word_valid.d.next = self.reading.q.val();
        self.word_out.d.next = self.ram.rdata.val();
        self.ahead.wr.next = self.word_valid.q.val();
        self.ahead.din.next = self.word_out.q.val();
        self.has_head.next = !self.ahead.empty.val();
        self.valid.next = self.has_head.val();
        self.word.next = self.ahead.dout.val();
        self.ahead.rd.next = self.pop.val();
        if self.pop.val() & self.has_head.val() {
            self.gone.d.next = self.gone.q.val() + 1;
        }
        self.left.next = self.gone.q.val();
        if self.rst.val() {
            self.bad.d.next = 0.into();
            self.age.d.next = 0.into();
            self.asked.d.next = 0.into();
            self.walked.d.next = 0.into();
            self.whole.d.next = 0.into();
            self.fetched.d.next = 0.into();
            self.gone.d.next = 0.into();
            self.reading.d.next = false;
            self.word_valid.d.next = false;
        }
    }
}
