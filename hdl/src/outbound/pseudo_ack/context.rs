//! What each flow's sender was told, and what may be said next: one read-modify-write per cycle.
//!
//! In: `op` (stage 1), an intent, a *build* (the flow left the ready queue) or a *cnp* (its sender is to slow down);
//! `alive`, `live`, `moulded`, `run_now` of it, and `far` of a cnp (stage 3).
//! Out at stage 4: `done` of every intent and build, with `wants` (the flow has something to say); `say` with what the
//! frame says, or `quiet` for a build or cnp that makes no frame; the bus `said_*`.
//!
//! A NAK and a refusal share their place: in Fault nothing else is said, and it ends with the run.
//!
//! | stage | what |
//! | --- | --- |
//! | 1 | the address |
//! | 2 | the context read; the newest is chosen |
//! | 3 | it is modified, and handed to the next op |
//! | 4 | it is written |
//!
//! A context takes three cycles from its choice to the table, so an op of the same flow one, two or three cycles later
//! takes it from the pipeline instead. Every op writes, so the choice hangs on addresses alone.
//!
//! The comparisons of stage 3 are all made side by side, on what registers hold; only then do the rules choose.

use crate::prim::{Lit, Ultra, Unpack};
use crate::record::{Intent, Said};
use matchrdma_spec::wire::aeth;
use rust_hdl::prelude::*;

/// Kinds of intents.
const ACK: u64 = 1;
const NAK: u64 = 2;
const REACK: u64 = 3;
const BARRIER: u64 = 4;
const CONFIRM: u64 = 5;
const REFUSE: u64 = 6;
const ANSWER: u64 = 7;

/// Width of [`Context`].
const CONTEXT_BITS: usize = 353;

/// What is kept per flow.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Context {
    /// The run all this belongs to.
    pub run: Bits<8>,
    /// A real answer of this run has left the client port: `acked` is set.
    pub valid: Bit,
    /// `acked` is to be said.
    pub pend: Bit,
    /// A NAK is to be said.
    pub nak: Bit,
    /// Something that only the far side may answer is outstanding.
    pub barrier: Bit,
    /// An ACK waits for the barrier, or for the first real answer.
    pub held: Bit,
    pub acked_psn: Bits<24>,
    pub acked_msn: Bits<24>,
    /// Where the gap is, or the earliest request that was refused; then `nak_msn` holds the syndrome.
    pub nak_psn: Bits<24>,
    /// `nak_psn - 1`: what the NAK acknowledges.
    pub nak_last: Bits<24>,
    pub nak_msn: Bits<24>,
    pub bar_first: Bits<24>,
    pub bar_last: Bits<24>,
    pub held_psn: Bits<24>,
    pub held_msn: Bits<24>,
    pub departed_psn: Bits<24>,
    pub confirmed_psn: Bits<24>,
    /// Data of this run has left: `new_psn` is the newest.
    pub new: Bit,
    pub new_psn: Bits<24>,
    pub new_msn: Bits<24>,
    /// Of the requests behind the barrier some were sent before: the last PSN of those.
    pub rep: Bit,
    pub rep_last: Bits<24>,
    /// A request was refused; that is to be said.
    pub refused: Bit,
    pub refuse: Bit,
}

/// The contexts of all flows.
#[derive(LogicBlock, Default)]
pub struct Contexts {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub op_valid: Signal<In, Bit>,
    /// The op is a build: only its `flow` counts.
    pub op_build: Signal<In, Bit>,
    /// The op is a cnp: `flow` and `run` count, and `kind` is NONE.
    pub op_cnp: Signal<In, Bit>,
    pub op: Signal<In, Intent>,
    /// Run and build of the op at stage 2, for `alive`.
    pub run2: Signal<Out, Bits<8>>,
    pub build2: Signal<Out, Bit>,
    pub alive: Signal<In, Bit>,
    pub live: Signal<In, Bit>,
    pub moulded: Signal<In, Bit>,
    pub run_now: Signal<In, Bits<8>>,
    pub far: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    pub done_build: Signal<Out, Bit>,
    pub wants: Signal<Out, Bit>,
    pub quiet: Signal<Out, Bit>,
    pub say: Signal<Out, Bit>,
    pub say_nak: Signal<Out, Bit>,
    pub say_cnp: Signal<Out, Bit>,
    pub say_syndrome: Signal<Out, Bits<8>>,
    pub say_psn: Signal<Out, Bits<24>>,
    pub say_msn: Signal<Out, Bits<24>>,
    pub said_we: Signal<Out, Bit>,
    pub said_addr: Signal<Out, Bits<12>>,
    pub said_data: Signal<Out, Said>,
    pub busy: Signal<Out, Bit>,

    k_ack: Lit<3, ACK>,
    k_nak: Lit<3, NAK>,
    k_reack: Lit<3, REACK>,
    k_barrier: Lit<3, BARRIER>,
    k_confirm: Lit<3, CONFIRM>,
    k_refuse: Lit<3, REFUSE>,
    k_answer: Lit<3, ANSWER>,
    syndrome_ack: Lit<8, { aeth::ACK as u64 }>,
    syndrome_nak: Lit<8, { aeth::NAK_PSN_SEQUENCE as u64 }>,
    ram: Ultra<CONTEXT_BITS, 12>,
    read: Unpack<CONTEXT_BITS, Context>,

    // stage 2
    v2: DFF<Bit>,
    b2: DFF<Bit>,
    n2: DFF<Bit>,
    op2: DFF<Intent>,
    /// The newest context of the flow: 0 the table's, 1, 2, 3 that of the op as many stages on.
    from: DFF<Bits<2>>,
    newest: Signal<Local, Context>,
    upto: Signal<Local, Bits<24>>,
    // stage 3
    v3: DFF<Bit>,
    b3: DFF<Bit>,
    n3: DFF<Bit>,
    /// The op is an intent of a known kind.
    known3: DFF<Bit>,
    /// It is an answer of the far side; a response, not an ACK; an ACK that is news if it is the first.
    answers3: DFF<Bit>,
    response3: DFF<Bit>,
    asks3: DFF<Bit>,
    op3: DFF<Intent>,
    /// What departs with the op: the last PSN of a barrier, else the PSN.
    upto3: DFF<Bits<24>>,
    psn_next3: DFF<Bits<24>>,
    psn_last3: DFF<Bits<24>>,
    c: DFF<Context>,
    other: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    nak: Signal<Local, Bit>,
    barrier: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    d_news: Signal<Local, Bits<24>>,
    d_nak: Signal<Local, Bits<24>>,
    d_first: Signal<Local, Bits<24>>,
    d_last: Signal<Local, Bits<24>>,
    d_stays: Signal<Local, Bits<24>>,
    d_held: Signal<Local, Bits<24>>,
    d_held_acked: Signal<Local, Bits<24>>,
    d_new: Signal<Local, Bits<24>>,
    d_rep: Signal<Local, Bits<24>>,
    d_confirmed: Signal<Local, Bits<24>>,
    d_clear: Signal<Local, Bits<24>>,
    d_beyond: Signal<Local, Bits<24>>,
    news: Signal<Local, Bit>,
    nak_stays: Signal<Local, Bit>,
    first_after: Signal<Local, Bit>,
    last_after: Signal<Local, Bit>,
    last_stays: Signal<Local, Bit>,
    held_news: Signal<Local, Bit>,
    new_news: Signal<Local, Bit>,
    rep: Signal<Local, Bit>,
    rep_stays: Signal<Local, Bit>,
    rep_ends: Signal<Local, Bit>,
    d_open: Signal<Local, Bits<24>>,
    open: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    refuse: Signal<Local, Bit>,
    confirms: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    barrier_left: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    builds: Signal<Local, Bit>,
    says: Signal<Local, Bit>,
    says_nak: Signal<Local, Bit>,
    says_refusal: Signal<Local, Bit>,
    says_cnp: Signal<Local, Bit>,
    nak_msn: Signal<Local, Bits<24>>,
    n: Signal<Local, Context>,
    // stage 4
    v4: DFF<Bit>,
    b4: DFF<Bit>,
    n4: DFF<Bit>,
    alive4: DFF<Bit>,
    flow4: DFF<Bits<12>>,
    c4: DFF<Context>,
    /// An intent that acted on a live flow.
    live4: DFF<Bit>,
    said4: DFF<Bit>,
    say4: DFF<Bit>,
    quiet4: DFF<Bit>,
    nak4: DFF<Bit>,
    cnp4: DFF<Bit>,
    syndrome4: DFF<Bits<8>>,
    psn4: DFF<Bits<24>>,
    msn4: DFF<Bits<24>>,
    d_clear4: Signal<Local, Bits<24>>,
    clear4: Signal<Local, Bit>,
    d_beyond4: Signal<Local, Bits<24>>,
    beyond4: Signal<Local, Bit>,
    // stage 5
    c5: DFF<Context>,
}

impl Logic for Contexts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, v2, b2, n2, op2, from, v3, b3, n3, known3, answers3, response3, asks3);
        dff_setup!(self, clk, op3, upto3, psn_next3, psn_last3, c, v4, b4, n4, flow4, c4, alive4, live4, said4);
        dff_setup!(self, clk, say4, quiet4, nak4, cnp4, syndrome4, psn4, msn4, c5);

        // stage 1
        self.ram.clk.next = self.clk.val();
        self.ram.raddr.next = self.op.val().flow;
        self.v2.d.next = self.op_valid.val();
        self.b2.d.next = self.op_build.val();
        self.n2.d.next = self.op_cnp.val();
        self.op2.d.next = self.op.val();
        self.from.d.next = 0.into();
        if self.v2.q.val() & (self.op.val().flow == self.op2.q.val().flow) {
            self.from.d.next = 1.into();
        } else if self.v3.q.val() & (self.op.val().flow == self.op3.q.val().flow) {
            self.from.d.next = 2.into();
        } else if self.v4.q.val() & (self.op.val().flow == self.flow4.q.val()) {
            self.from.d.next = 3.into();
        }

        // stage 2
        self.run2.next = self.op2.q.val().run;
        self.build2.next = self.b2.q.val();
        self.upto.next = self.op2.q.val().psn;
        if self.op2.q.val().kind == self.k_barrier.val() {
            self.upto.next = self.op2.q.val().msn;
        }
        self.v3.d.next = self.v2.q.val();
        self.b3.d.next = self.b2.q.val();
        self.n3.d.next = self.n2.q.val();
        self.known3.d.next = !self.b2.q.val() & self.op2.q.val().kind.any();
        self.response3.d.next = self.op2.q.val().kind == self.k_answer.val();
        self.answers3.d.next =
            (self.op2.q.val().kind == self.k_answer.val()) | (self.op2.q.val().kind == self.k_confirm.val());
        self.asks3.d.next = self.op2.q.val().req & (self.op2.q.val().kind != self.k_answer.val());
        self.op3.d.next = self.op2.q.val();
        self.upto3.d.next = self.upto.val();
        self.psn_next3.d.next = self.op2.q.val().psn + 1;
        self.psn_last3.d.next = self.op2.q.val().psn - 1;

        // stage 3: comparisons, all "is the first after the second"
        self.other.next = self.c.q.val().run != self.run_now.val();
        self.valid.next = self.c.q.val().valid & !self.other.val();
        self.nak.next = self.c.q.val().nak & !self.other.val();
        self.barrier.next = self.c.q.val().barrier & !self.other.val();
        self.held.next = self.c.q.val().held & !self.other.val();
        self.d_news.next = self.op3.q.val().psn - self.c.q.val().acked_psn;
        self.news.next =
            self.valid.val() & !self.d_news.val().get_bit(23) & (self.op3.q.val().psn != self.c.q.val().acked_psn);
        if !self.valid.val() {
            self.news.next = self.asks3.q.val();
        }
        self.d_nak.next = self.c.q.val().nak_psn - self.upto3.q.val();
        self.nak_stays.next = !self.d_nak.val().get_bit(23) & (self.c.q.val().nak_psn != self.upto3.q.val());
        self.d_first.next = self.c.q.val().bar_first - self.op3.q.val().psn;
        self.first_after.next = !self.d_first.val().get_bit(23) & (self.c.q.val().bar_first != self.op3.q.val().psn);
        self.d_last.next = self.c.q.val().bar_last - self.op3.q.val().psn;
        self.last_after.next = !self.d_last.val().get_bit(23) & (self.c.q.val().bar_last != self.op3.q.val().psn);
        self.d_stays.next = self.c.q.val().bar_last - self.upto3.q.val();
        self.last_stays.next = !self.d_stays.val().get_bit(23) & (self.c.q.val().bar_last != self.upto3.q.val());
        self.d_held.next = self.c.q.val().held_psn - self.op3.q.val().psn;
        self.d_held_acked.next = self.c.q.val().held_psn - self.c.q.val().acked_psn;
        self.held_news.next =
            !self.d_held_acked.val().get_bit(23) & (self.c.q.val().held_psn != self.c.q.val().acked_psn);
        if self.news.val() {
            self.held_news.next = !self.d_held.val().get_bit(23) & (self.c.q.val().held_psn != self.op3.q.val().psn);
        }
        self.d_new.next = self.c.q.val().new_psn - self.c.q.val().acked_psn;
        self.new_news.next =
            self.c.q.val().new & !self.d_new.val().get_bit(23) & (self.c.q.val().new_psn != self.c.q.val().acked_psn);
        self.rep.next = self.c.q.val().rep & !self.other.val();
        self.d_rep.next = self.c.q.val().rep_last - self.upto3.q.val();
        self.rep_stays.next = !self.d_rep.val().get_bit(23) & (self.c.q.val().rep_last != self.upto3.q.val());
        self.rep_ends.next = self.c.q.val().rep_last == self.upto3.q.val();
        self.d_open.next = self.c.q.val().bar_last - self.c.q.val().confirmed_psn;
        self.open.next = !self.d_open.val().get_bit(23) & (self.c.q.val().bar_last != self.c.q.val().confirmed_psn);
        self.refused.next = self.c.q.val().refused & !self.other.val();
        self.refuse.next = self.c.q.val().refuse & !self.other.val();
        self.d_confirmed.next = self.op3.q.val().psn - self.c.q.val().confirmed_psn;
        self.confirms.next = !self.valid.val()
            | (!self.d_confirmed.val().get_bit(23) & (self.op3.q.val().psn != self.c.q.val().confirmed_psn));
        self.d_clear.next = self.c.q.val().bar_first - self.c.q.val().acked_psn;
        self.clear.next = !self.barrier.val()
            | (!self.d_clear.val().get_bit(23) & (self.c.q.val().bar_first != self.c.q.val().acked_psn));
        self.d_beyond.next = self.c.q.val().acked_psn - self.c.q.val().nak_last;
        self.beyond.next = !self.d_beyond.val().get_bit(23) & (self.c.q.val().acked_psn != self.c.q.val().nak_last);

        // stage 3: the rules
        self.acts.next = self.v3.q.val() & self.known3.q.val() & self.alive.val();
        self.builds.next = self.v3.q.val() & self.b3.q.val() & self.alive.val() & !self.other.val();
        self.moves.next = !self.rep.val() | (self.response3.q.val() & (self.rep_stays.val() | self.rep_ends.val()));
        self.ends.next = self.rep.val() & self.response3.q.val() & self.rep_ends.val();
        self.barrier_left.next = self.barrier.val()
            & (self.last_after.val() | !self.moves.val())
            & (self.confirms.val() | self.open.val() | !self.ends.val());
        self.says.next = false;
        self.says_nak.next = false;
        self.says_refusal.next = false;
        self.says_cnp.next = self.v3.q.val() & self.n3.q.val() & self.moulded.val() & self.far.val();
        self.n.next = self.c.q.val();
        if self.acts.val() {
            if self.other.val() {
                self.n.next.run = self.run_now.val();
                self.n.next.valid = false;
                self.n.next.pend = false;
                self.n.next.nak = false;
                self.n.next.barrier = false;
                self.n.next.held = false;
                self.n.next.new = false;
                self.n.next.rep = false;
                self.n.next.refused = false;
                self.n.next.refuse = false;
                self.n.next.acked_psn = 0.into();
                self.n.next.acked_msn = 0.into();
                self.n.next.departed_psn = 0.into();
                self.n.next.confirmed_psn = 0.into();
            }
            if self.op3.q.val().kind == self.k_barrier.val() {
                if !self.op3.q.val().req {
                    self.n.next.departed_psn = self.upto3.q.val();
                }
                self.n.next.nak = self.nak.val() & self.nak_stays.val();
                self.n.next.barrier = true;
                if !self.barrier.val() | self.first_after.val() {
                    self.n.next.bar_first = self.op3.q.val().psn;
                }
                if !self.barrier.val() | !self.last_stays.val() {
                    self.n.next.bar_last = self.upto3.q.val();
                }
                if self.op3.q.val().req {
                    self.n.next.rep = true;
                    if !self.rep.val() | !self.rep_stays.val() {
                        self.n.next.rep_last = self.upto3.q.val();
                    }
                }
            } else if self.answers3.q.val() {
                if self.confirms.val() {
                    self.n.next.confirmed_psn = self.op3.q.val().psn;
                }
                self.n.next.rep = self.rep.val() & self.barrier_left.val() & !self.ends.val();
                if self.news.val() {
                    self.n.next.valid = true;
                    self.n.next.acked_psn = self.op3.q.val().psn;
                    self.n.next.acked_msn = self.op3.q.val().msn;
                    if self.asks3.q.val() & self.valid.val() {
                        self.n.next.pend = true;
                    }
                }
                self.n.next.barrier = self.barrier_left.val();
                if self.barrier_left.val() & self.moves.val() & !self.first_after.val() {
                    self.n.next.bar_first = self.psn_next3.q.val();
                }
                if self.held.val() & !self.barrier_left.val() & (self.valid.val() | self.asks3.q.val()) {
                    self.n.next.held = false;
                    if self.held_news.val() {
                        self.n.next.acked_psn = self.c.q.val().held_psn;
                        self.n.next.acked_msn = self.c.q.val().held_msn;
                        self.n.next.pend = true;
                    }
                }
            } else if self.op3.q.val().kind == self.k_refuse.val() {
                self.n.next.nak = false;
                self.n.next.refused = true;
                self.n.next.refuse = true;
                if !self.refused.val() | self.nak_stays.val() {
                    self.n.next.nak_psn = self.op3.q.val().psn;
                    self.n.next.nak_msn = self.op3.q.val().msn;
                }
            } else if self.live.val() {
                if self.op3.q.val().kind == self.k_ack.val() {
                    self.n.next.departed_psn = self.upto3.q.val();
                    self.n.next.nak = self.nak.val() & self.nak_stays.val();
                    self.n.next.new = true;
                    self.n.next.new_psn = self.op3.q.val().psn;
                    self.n.next.new_msn = self.op3.q.val().msn;
                    if self.op3.q.val().req {
                        if self.barrier.val() | !self.valid.val() {
                            self.n.next.held = true;
                            self.n.next.held_psn = self.op3.q.val().psn;
                            self.n.next.held_msn = self.op3.q.val().msn;
                        } else if self.news.val() {
                            self.n.next.pend = true;
                            self.n.next.acked_psn = self.op3.q.val().psn;
                            self.n.next.acked_msn = self.op3.q.val().msn;
                        }
                    }
                } else if self.op3.q.val().kind == self.k_nak.val() {
                    self.n.next.nak = true;
                    self.n.next.nak_psn = self.op3.q.val().psn;
                    self.n.next.nak_last = self.psn_last3.q.val();
                    self.n.next.nak_msn = self.op3.q.val().msn;
                    self.n.next.refused = false;
                    self.n.next.refuse = false;
                } else if (self.op3.q.val().kind == self.k_reack.val()) & self.valid.val() {
                    self.n.next.pend = true;
                    if self.new_news.val() & self.barrier.val() {
                        self.n.next.held = true;
                        self.n.next.held_psn = self.c.q.val().new_psn;
                        self.n.next.held_msn = self.c.q.val().new_msn;
                    } else if self.new_news.val() {
                        self.n.next.acked_psn = self.c.q.val().new_psn;
                        self.n.next.acked_msn = self.c.q.val().new_msn;
                    }
                }
            }
        }
        if self.builds.val() {
            if self.refuse.val() & self.valid.val() {
                self.says.next = true;
                self.says_refusal.next = true;
                self.n.next.refuse = false;
            } else if self.live.val() & self.nak.val() & self.valid.val() & !self.barrier.val() & !self.beyond.val() {
                self.says.next = true;
                self.says_nak.next = true;
                self.n.next.nak = false;
                self.n.next.pend = false;
                self.n.next.acked_psn = self.c.q.val().nak_last;
                self.n.next.acked_msn = self.c.q.val().nak_msn;
            } else if self.live.val() & self.c.q.val().pend & self.valid.val() & self.clear.val() {
                self.says.next = true;
                self.n.next.pend = false;
            }
        }

        // stage 2 again: it takes what stage 3 has just made
        self.read.din.next = self.ram.rdata.val();
        self.newest.next = self.read.dout.val();
        if self.from.q.val() == 1 {
            self.newest.next = self.n.val();
        } else if self.from.q.val() == 2 {
            self.newest.next = self.c4.q.val();
        } else if self.from.q.val() == 3 {
            self.newest.next = self.c5.q.val();
        }
        self.c.d.next = self.newest.val();

        // stage 4
        self.v4.d.next = self.v3.q.val();
        self.b4.d.next = self.b3.q.val();
        self.n4.d.next = self.n3.q.val();
        self.flow4.d.next = self.op3.q.val().flow;
        self.c4.d.next = self.n.val();
        self.alive4.d.next = self.acts.val();
        self.live4.d.next = self.acts.val() & self.live.val();
        self.said4.d.next = self.acts.val() | self.says.val();
        self.say4.d.next = self.says.val() | self.says_cnp.val();
        self.quiet4.d.next =
            self.v3.q.val() & ((self.b3.q.val() & !self.says.val()) | (self.n3.q.val() & !self.says_cnp.val()));
        self.nak4.d.next = self.says_nak.val() | self.says_refusal.val();
        self.cnp4.d.next = self.says_cnp.val();
        self.nak_msn.next = self.c.q.val().nak_msn;
        self.syndrome4.d.next = self.syndrome_ack.val();
        self.psn4.d.next = self.c.q.val().acked_psn;
        self.msn4.d.next = self.c.q.val().acked_msn;
        if self.says_nak.val() {
            self.psn4.d.next = self.c.q.val().nak_psn;
            self.msn4.d.next = self.c.q.val().nak_msn;
            self.syndrome4.d.next = self.syndrome_nak.val();
        } else if self.says_refusal.val() {
            self.psn4.d.next = self.c.q.val().nak_psn;
            self.syndrome4.d.next = self.nak_msn.val().get_bits::<8>(0);
        }
        self.ram.we.next = self.v4.q.val();
        self.ram.waddr.next = self.flow4.q.val();
        self.ram.wdata.next = self.c4.q.val().into();
        self.c5.d.next = self.c4.q.val();
        self.d_clear4.next = self.c4.q.val().bar_first - self.c4.q.val().acked_psn;
        self.clear4.next = !self.c4.q.val().barrier
            | (!self.d_clear4.val().get_bit(23) & (self.c4.q.val().bar_first != self.c4.q.val().acked_psn));
        self.d_beyond4.next = self.c4.q.val().acked_psn - self.c4.q.val().nak_last;
        self.beyond4.next = !self.d_beyond4.val().get_bit(23) & (self.c4.q.val().acked_psn != self.c4.q.val().nak_last);
        self.wants.next = self.c4.q.val().valid
            & ((self.alive4.q.val() & self.c4.q.val().refuse)
                | (self.live4.q.val()
                    & ((self.c4.q.val().pend & self.clear4.val())
                        | (self.c4.q.val().nak & !self.c4.q.val().barrier & !self.beyond4.val()))));
        self.done.next = self.v4.q.val() & !self.n4.q.val();
        self.done_build.next = self.b4.q.val();
        self.quiet.next = self.quiet4.q.val();
        self.say.next = self.say4.q.val();
        self.say_nak.next = self.nak4.q.val();
        self.say_cnp.next = self.cnp4.q.val();
        self.say_syndrome.next = self.syndrome4.q.val();
        self.say_psn.next = self.psn4.q.val();
        self.say_msn.next = self.msn4.q.val();
        self.said_we.next = self.said4.q.val();
        self.said_addr.next = self.flow4.q.val();
        self.said_data.next.run = self.c4.q.val().run;
        self.said_data.next.valid = self.c4.q.val().valid;
        self.said_data.next.acked_psn = self.c4.q.val().acked_psn;
        self.said_data.next.acked_msn = self.c4.q.val().acked_msn;
        self.said_data.next.departed_psn = self.c4.q.val().departed_psn;
        self.said_data.next.confirmed_psn = self.c4.q.val().confirmed_psn;
        self.said_data.next.barrier = self.c4.q.val().barrier;
        self.busy.next = self.v2.q.val() | self.v3.q.val() | self.v4.q.val();
        if self.rst.val() {
            self.v2.d.next = false;
            self.v3.d.next = false;
            self.v4.d.next = false;
            self.said4.d.next = false;
            self.say4.d.next = false;
            self.quiet4.d.next = false;
        }
    }
}
