//! Part of [route](super): one step of the search. The range starts of one level, of both banks, and a comparison.
//!
//! In: `path` (the bank, then the decisions so far), `key` and the best queue yet, of one lookup per cycle.
//! Out, one cycle later: the same with this step's decision. `2^A` starts of 134 bits: in lookup tables up to 32, in block RAM above.
//!
//! Starts are kept inverted, their queue with its top bit inverted: a table out of reset is all zeros, and so holds
//! what an unused entry must be (the last of all keys, and queue 16).

use crate::prim::{Lit, Reaches, Sdp};
use matchrdma_spec::params::QUEUE_BYPASS;
use rust_hdl::prelude::*;

/// A lookup between two steps.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Look {
    /// What is looked for: the address, and IPv6 at the top.
    pub key: Bits<129>,
    /// There is something to look for.
    pub ip: Bit,
    /// The queue of the last start that was reached.
    pub best: Bits<5>,
}

/// Registers hold the lookup while its start is read.
#[derive(LogicBlock)]
pub struct Step<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// The low `A` bits are the address: the bank alone at the first level, then one more decision at each.
    pub path: Signal<In, Bits<8>>,
    pub look: Signal<In, Look>,
    pub path_out: Signal<Out, Bits<8>>,
    pub look_out: Signal<Out, Look>,
    pub we: Signal<In, Bit>,
    pub waddr: Signal<In, Bits<A>>,
    pub wdata: Signal<In, Bits<134>>,
    starts: Sdp<134, A>,
    reached: Reaches<129>,
    path1: DFF<Bits<8>>,
    look1: DFF<Look>,
    stored: Signal<Local, Bits<134>>,
    bypass: Lit<5, { QUEUE_BYPASS as u64 }>,
}

impl<const A: usize> Default for Step<A> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            path: Default::default(),
            look: Default::default(),
            path_out: Default::default(),
            look_out: Default::default(),
            we: Default::default(),
            waddr: Default::default(),
            wdata: Default::default(),
            starts: if A > 5 { Sdp::block() } else { Sdp::distributed() },
            reached: Default::default(),
            path1: Default::default(),
            look1: Default::default(),
            stored: Default::default(),
            bypass: Default::default(),
        }
    }
}

impl<const A: usize> Logic for Step<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, path1, look1);
        self.path1.d.next = self.path.val();
        self.look1.d.next = self.look.val();
        self.starts.clk.next = self.clk.val();
        self.starts.raddr.next = self.path.val().get_bits::<A>(0);
        self.starts.we.next = self.we.val();
        self.starts.waddr.next = self.waddr.val();
        self.starts.wdata.next = self.wdata.val();

        self.stored.next = self.starts.rdata.val();
        self.reached.b.next = !self.stored.val().get_bits::<129>(0);
        self.reached.a.next = self.look1.q.val().key;
        self.path_out.next = self.path1.q.val() << 1;
        self.look_out.next = self.look1.q.val();
        if self.reached.reaches.val() {
            self.path_out.next = (self.path1.q.val() << 1) | 1;
            self.look_out.next.best = self.stored.val().get_bits::<5>(129) ^ self.bypass.val();
        }
    }
}
