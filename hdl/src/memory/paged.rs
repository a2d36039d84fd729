//! Beside **path_memory**: a store of many queues in pages of one memory.
//!
//! In: words, one per cycle, each run of them for one queue and ended by `commit` or `rewind`. Out: committed words of
//! any queue, one per cycle, in the order in which that queue got them.
//! Latency: a word committed in one cycle may be read in the next, and is there two cycles after that.
//! Model: `model::path_memory`. Tests: `tests/memory/path_memory.rs`. Registers: none.
//!
//! A queue is a list of pages, filled back to back. It always owns the page that its next word goes to: when a word
//! fills a page, the next one is taken and linked in the same cycle, so a reader that leaves a page finds its link.
//! Free pages wait in a ring. A run takes them from a pointer of its own, which `rewind` takes back. The pages that are
//! free out of reset were never written to the ring: as long as it goes round for the first time, they are counted.
//!
//! A place is `{count, page, offset}`, where `count` is how many pages the queue has gone through: so the difference of
//! two places of a queue tells pages and words between them, and two equal places mean that nothing is.

use crate::prim::{Decoder, LutRam, RamStyle, Sdp};
use matchrdma_spec::params::{PAGES, QUEUES};
use rust_hdl::prelude::*;

/// 256 pages of `2^O` words of `W` bits, `A` = `O` + 8, `T` = `A` + 8. Seventeen queues.
///
/// The user must see to it that pages never run out ([`Share`](super::Share)). `clearing` is up for 17 cycles after `rst`,
/// in which the queue `clear` is made empty: words may be written, but none committed before it is over.
/// `unread` has a bit for each queue that holds committed words.
#[derive(LogicBlock)]
pub struct Paged<const W: usize, const O: usize, const A: usize, const T: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub clearing: Signal<Out, Bit>,
    pub clear: Signal<Out, Bits<5>>,
    /// Up while a commit two cycles later might come too early.
    pub hold: Signal<Out, Bit>,
    pub we: Signal<In, Bit>,
    pub wqueue: Signal<In, Bits<5>>,
    pub data: Signal<In, Bits<W>>,
    /// With the last word's `we`, and covers it.
    pub commit: Signal<In, Bit>,
    /// With the last word's `we`, and forgets it and all before it that no commit covers.
    pub rewind: Signal<In, Bit>,
    pub unread: Signal<Out, Bits<17>>,
    /// Reads the next word of a queue that has one.
    pub re: Signal<In, Bit>,
    pub rqueue: Signal<In, Bits<5>>,
    /// What was read two cycles ago.
    pub word: Signal<Out, Bits<W>>,
    /// Pages of the queue `look` and committed words in it that are not read, in this cycle.
    pub look: Signal<In, Bits<5>>,
    pub pages: Signal<Out, Bits<8>>,
    pub words: Signal<Out, Bits<16>>,
    ram: Sdp<W, A>,
    /// The RAM's output register: UltraRAM wants it.
    was_read: DFF<Bits<W>>,
    /// Where the next word goes; one copy for each reader.
    tails: LutRam<T, 5>,
    tails_of_reader: LutRam<T, 5>,
    tails_of_look: LutRam<T, 5>,
    /// Where the next word comes from.
    heads: LutRam<T, 5>,
    heads_of_look: LutRam<T, 5>,
    /// The page behind each page.
    links: LutRam<8, 8>,
    ring: LutRam<8, 8>,
    given_back: DFF<Bits<8>>,
    taken: DFF<Bits<8>>,
    working: DFF<Bits<8>>,
    /// The ring has gone round: no page is counted any more.
    round: DFF<Bit>,
    age: DFF<Bits<5>>,
    fresh: Signal<Local, Bits<8>>,
    // Write.
    in_run: DFF<Bit>,
    reached: DFF<Bits<T>>,
    origin: Signal<Local, Bits<T>>,
    place: Signal<Local, Bits<T>>,
    offset: Signal<Local, Bits<O>>,
    turns: Signal<Local, Bit>,
    count: Signal<Local, Bits<8>>,
    after: Signal<Local, Bits<T>>,
    working_after: Signal<Local, Bits<8>>,
    clears: Signal<Local, Bit>,
    empty: Signal<Local, Bits<T>>,
    // Read.
    rplace: Signal<Local, Bits<T>>,
    rpage: Signal<Local, Bits<8>>,
    roffset: Signal<Local, Bits<O>>,
    rturns: Signal<Local, Bit>,
    rcount: Signal<Local, Bits<8>>,
    rafter: Signal<Local, Bits<T>>,
    waiting: DFF<Bits<17>>,
    comes: Decoder<17, 5>,
    ends: Decoder<17, 5>,
    drained: Signal<Local, Bit>,
    // Look.
    look_tail: Signal<Local, Bits<T>>,
    look_head: Signal<Local, Bits<T>>,
    written: Signal<Local, Bits<16>>,
    read: Signal<Local, Bits<16>>,
    apart: Signal<Local, Bits<16>>,
    space: Constant<Bits<16>>,
    queues: Constant<Bits<8>>,
    all_queues: Constant<Bits<5>>,
    counted: Constant<Bits<8>>,
    at_page: Constant<Bits<8>>,
    at_count: Constant<Bits<8>>,
}

impl<const W: usize, const O: usize, const A: usize, const T: usize> Default for Paged<W, O, A, T> {
    fn default() -> Self {
        assert!(A == O + 8 && T == A + 8 && A <= 16, "a place of {O} + 8 + 8 bits");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            clearing: Default::default(),
            clear: Default::default(),
            hold: Default::default(),
            we: Default::default(),
            wqueue: Default::default(),
            data: Default::default(),
            commit: Default::default(),
            rewind: Default::default(),
            unread: Default::default(),
            re: Default::default(),
            rqueue: Default::default(),
            word: Default::default(),
            look: Default::default(),
            pages: Default::default(),
            words: Default::default(),
            ram: Sdp::new(if A >= 12 { RamStyle::Ultra } else { RamStyle::Block }),
            was_read: Default::default(),
            tails: Default::default(),
            tails_of_reader: Default::default(),
            tails_of_look: Default::default(),
            heads: Default::default(),
            heads_of_look: Default::default(),
            links: Default::default(),
            ring: Default::default(),
            given_back: Default::default(),
            taken: Default::default(),
            working: Default::default(),
            round: Default::default(),
            age: Default::default(),
            fresh: Default::default(),
            in_run: Default::default(),
            reached: Default::default(),
            origin: Default::default(),
            place: Default::default(),
            offset: Default::default(),
            turns: Default::default(),
            count: Default::default(),
            after: Default::default(),
            working_after: Default::default(),
            clears: Default::default(),
            empty: Default::default(),
            rplace: Default::default(),
            rpage: Default::default(),
            roffset: Default::default(),
            rturns: Default::default(),
            rcount: Default::default(),
            rafter: Default::default(),
            waiting: Default::default(),
            comes: Default::default(),
            ends: Default::default(),
            drained: Default::default(),
            look_tail: Default::default(),
            look_head: Default::default(),
            written: Default::default(),
            read: Default::default(),
            apart: Default::default(),
            space: Constant::new(bits((1 << A) - 1)),
            queues: Constant::new(bits(QUEUES as u64)),
            all_queues: Constant::new(bits(QUEUES as u64)),
            counted: Constant::new(bits((PAGES - QUEUES) as u64)),
            at_page: Constant::new(bits(O as u64)),
            at_count: Constant::new(bits(A as u64)),
        }
    }
}

impl<const W: usize, const O: usize, const A: usize, const T: usize> Logic for Paged<W, O, A, T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, was_read, given_back, taken, working, round, age, in_run, reached, waiting);
        self.ram.clk.next = self.clk.val();
        self.tails.clk.next = self.clk.val();
        self.tails_of_reader.clk.next = self.clk.val();
        self.tails_of_look.clk.next = self.clk.val();
        self.heads.clk.next = self.clk.val();
        self.heads_of_look.clk.next = self.clk.val();
        self.links.clk.next = self.clk.val();
        self.ring.clk.next = self.clk.val();

        // Where a run begins. Until all are cleared nothing was committed, so every queue stands in its first page.
        self.clears.next = self.age.q.val() != self.all_queues.val();
        self.tails.raddr.next = self.wqueue.val();
        self.origin.next = self.tails.rdata.val();
        if self.clears.val() {
            self.origin.next = bit_cast::<T, 5>(self.wqueue.val()) << self.at_page.val();
        }
        self.place.next = self.origin.val();
        if self.in_run.q.val() {
            self.place.next = self.reached.q.val();
        }
        self.ram.we.next = self.we.val();
        self.ram.waddr.next = bit_cast::<A, T>(self.place.val());
        self.ram.wdata.next = self.data.val();

        // A word that fills its page takes the next one.
        self.ring.raddr.next = self.working.q.val();
        self.fresh.next = self.ring.rdata.val();
        if !self.round.q.val() & (self.working.q.val() < self.counted.val()) {
            self.fresh.next = self.working.q.val() + self.queues.val();
        }
        self.round.d.next = self.round.q.val() | (self.taken.q.val() >= self.counted.val());
        self.offset.next = bit_cast::<O, T>(self.place.val());
        self.turns.next = self.offset.val().all();
        self.count.next = self.place.val().get_bits::<8>(self.at_count.val().index()) + 1;
        self.after.next = self.place.val() + 1;
        self.working_after.next = self.working.q.val();
        if self.turns.val() {
            self.after.next = bit_cast::<T, 8>(self.count.val()) << self.at_count.val()
                | bit_cast::<T, 8>(self.fresh.val()) << self.at_page.val();
            self.working_after.next = self.working.q.val() + 1;
        }
        self.links.we.next = self.we.val() & self.turns.val();
        self.links.waddr.next = self.place.val().get_bits::<8>(self.at_page.val().index());
        self.links.wdata.next = self.fresh.val();
        if self.we.val() {
            self.in_run.d.next = true;
            self.reached.d.next = self.after.val();
            self.working.d.next = self.working_after.val();
        }
        if self.commit.val() {
            self.in_run.d.next = false;
            self.taken.d.next = self.working_after.val();
        }
        if self.rewind.val() {
            self.in_run.d.next = false;
            self.working.d.next = self.taken.q.val();
        }

        // The page that a reader leaves is free again: it may be written in the next cycle, when it has been read.
        self.heads.raddr.next = self.rqueue.val();
        self.rplace.next = self.heads.rdata.val();
        self.rpage.next = self.rplace.val().get_bits::<8>(self.at_page.val().index());
        self.roffset.next = bit_cast::<O, T>(self.rplace.val());
        self.rturns.next = self.roffset.val().all();
        self.rcount.next = self.rplace.val().get_bits::<8>(self.at_count.val().index()) + 1;
        // straight from the table: with a local between them Verilator would see a loop
        self.links.raddr.next = self.heads.rdata.val().get_bits::<8>(self.at_page.val().index());
        self.rafter.next = self.rplace.val() + 1;
        if self.rturns.val() {
            self.rafter.next = bit_cast::<T, 8>(self.rcount.val()) << self.at_count.val()
                | bit_cast::<T, 8>(self.links.rdata.val()) << self.at_page.val();
        }
        self.ram.raddr.next = bit_cast::<A, T>(self.rplace.val());
        self.was_read.d.next = self.ram.rdata.val();
        self.word.next = self.was_read.q.val();

        self.ring.we.next = self.re.val() & self.rturns.val();
        self.ring.waddr.next = self.given_back.q.val();
        self.ring.wdata.next = self.rpage.val();
        if self.re.val() & self.rturns.val() {
            self.given_back.d.next = self.given_back.q.val() + 1;
        }

        // After reset each queue stands in the page of its number.
        self.clearing.next = self.clears.val();
        self.clear.next = self.age.q.val();
        self.hold.next = self.age.q.val() < 15;
        if self.clears.val() {
            self.age.d.next = self.age.q.val() + 1;
        }
        self.empty.next = bit_cast::<T, 5>(self.age.q.val()) << self.at_page.val();
        self.tails.we.next = self.commit.val() | self.clears.val();
        self.tails.waddr.next = self.wqueue.val();
        self.tails.wdata.next = self.after.val();
        self.heads.we.next = self.re.val() | self.clears.val();
        self.heads.waddr.next = self.rqueue.val();
        self.heads.wdata.next = self.rafter.val();
        if self.clears.val() {
            self.tails.waddr.next = self.age.q.val();
            self.tails.wdata.next = self.empty.val();
            self.heads.waddr.next = self.age.q.val();
            self.heads.wdata.next = self.empty.val();
        }
        self.tails_of_reader.we.next = self.commit.val() | self.clears.val();
        self.tails_of_reader.waddr.next = self.tails.waddr.val();
        self.tails_of_reader.wdata.next = self.tails.wdata.val();
        self.tails_of_look.we.next = self.commit.val() | self.clears.val();
        self.tails_of_look.waddr.next = self.tails.waddr.val();
        self.tails_of_look.wdata.next = self.tails.wdata.val();
        self.heads_of_look.we.next = self.re.val() | self.clears.val();
        self.heads_of_look.waddr.next = self.heads.waddr.val();
        self.heads_of_look.wdata.next = self.heads.wdata.val();

        // Which queues have something to read.
        self.tails_of_reader.raddr.next = self.rqueue.val();
        self.drained.next = self.rafter.val() == self.tails_of_reader.rdata.val();
        self.comes.on.next = self.commit.val();
        self.comes.index.next = self.wqueue.val();
        self.ends.on.next = self.re.val() & self.drained.val();
        self.ends.index.next = self.rqueue.val();
        self.waiting.d.next = (self.waiting.q.val() & !self.ends.one_hot.val()) | self.comes.one_hot.val();
        self.unread.next = self.waiting.q.val();

        // How much a queue holds.
        self.tails_of_look.raddr.next = self.look.val();
        self.heads_of_look.raddr.next = self.look.val();
        self.look_tail.next = self.tails_of_look.rdata.val();
        self.look_head.next = self.heads_of_look.rdata.val();
        self.written.next = bit_cast::<16, 8>(self.look_tail.val().get_bits::<8>(self.at_count.val().index()))
            << self.at_page.val()
            | bit_cast::<16, O>(bit_cast::<O, T>(self.look_tail.val()));
        self.read.next = bit_cast::<16, 8>(self.look_head.val().get_bits::<8>(self.at_count.val().index()))
            << self.at_page.val()
            | bit_cast::<16, O>(bit_cast::<O, T>(self.look_head.val()));
        self.apart.next = self.written.val() - self.read.val();
        self.words.next = self.apart.val() & self.space.val();
        self.pages.next = self.look_tail.val().get_bits::<8>(self.at_count.val().index())
            - self.look_head.val().get_bits::<8>(self.at_count.val().index())
            + 1;

        if self.rst.val() {
            self.age.d.next = 0.into();
            self.round.d.next = false;
            self.given_back.d.next = self.counted.val();
            self.taken.d.next = 0.into();
            self.working.d.next = 0.into();
            self.in_run.d.next = false;
            self.waiting.d.next = 0.into();
        }
    }
}
