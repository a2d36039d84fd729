//! Outbound, beside 5: **pseudo_ack**. From packet memory of both directions, to [arbiter](crate::inbound).
//!
//! In: intents of frames that left the line port (`line_intent`) or the client port (`client_intent`), each with a
//! handshake: `ready` comes from a register, and once up stays up until an intent is taken. Buses `cfg_*`, `rx_*`,
//! `back_*` (its own copies), `tpl_*`.
//! Out: ACK and NAK frames as beats, whole frames without a gap; the bus `said_*`; `busy`.
//!
//! ```text
//! line_intent ─▶ queue ─┐                          ┌─ wants ─▶ ready ─┐
//! client_intent ▶ queue ┼─▶ one op per cycle ─▶ contexts              │ (a build)
//!             ▲         └──────────────────────────┼─ say ─▶ template, frame ─▶ ack
//!             └─ builds go first                   └─ said_*
//! ```
//!
//! Builds go first while a frame may be under way (at most in every second cycle, so that intents always move),
//! then the two kinds of intents in turn. Intents that wait hold their queue's head, so nothing is lost.
//!
//! Latency: 7 cycles from an accepted intent to the ready queue, 13 more to the first beat, when nothing is in the way.
//! After `rst` intents wait for 4096 cycles: see `ready`.
//! Model: `model/src/pseudo_ack.rs`. Tests: `tests/outbound/pseudo_ack.rs`. Registers: `PSEUDO_ACK_*`.

mod alive;
mod context;
mod frame;
mod ready;
mod seal;

use crate::prim::{Fifo, Ultra, Unpack};
use crate::record::{Back, Cfg, Intent, Rx, Said};
use alive::Alive;
use context::Contexts;
use frame::{AckFrame, FRAMES_LOG2};
use ready::Ready;
use rust_hdl::prelude::*;

/// Width of [`Intent`].
const INTENT_BITS: usize = 72;

/// What the senders are told.
#[derive(LogicBlock, Default)]
pub struct PseudoAck {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub line_intent_valid: Signal<In, Bit>,
    pub line_intent: Signal<In, Intent>,
    pub line_intent_ready: Signal<Out, Bit>,
    pub client_intent_valid: Signal<In, Bit>,
    pub client_intent: Signal<In, Intent>,
    pub client_intent_ready: Signal<Out, Bit>,
    pub cfg_we: Signal<In, Bit>,
    pub cfg_addr: Signal<In, Bits<13>>,
    pub cfg_data: Signal<In, Cfg>,
    pub cfg_bank: Signal<In, Bit>,
    pub rx_we: Signal<In, Bit>,
    pub rx_addr: Signal<In, Bits<12>>,
    pub rx_data: Signal<In, Rx>,
    pub back_we: Signal<In, Bit>,
    pub back_addr: Signal<In, Bits<12>>,
    pub back_data: Signal<In, Back>,
    pub tpl_we: Signal<In, Bit>,
    pub tpl_addr: Signal<In, Bits<12>>,
    pub tpl_data: Signal<In, Bits<723>>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack_data: Signal<Out, Bits<512>>,
    pub ack_bytes: Signal<Out, Bits<7>>,
    pub ack_first: Signal<Out, Bit>,
    pub ack_last: Signal<Out, Bit>,
    pub ack_nak: Signal<Out, Bit>,
    pub ack_ready: Signal<In, Bit>,
    pub said_we: Signal<Out, Bit>,
    pub said_addr: Signal<Out, Bits<12>>,
    pub said_data: Signal<Out, Said>,
    pub busy: Signal<Out, Bit>,

    line: Fifo<INTENT_BITS, 2>,
    client: Fifo<INTENT_BITS, 2>,
    line_says: Unpack<INTENT_BITS, Intent>,
    client_says: Unpack<INTENT_BITS, Intent>,
    ready: Ready,
    alive: Alive,
    contexts: Contexts,
    templates: Ultra<723, 12>,
    frame: AckFrame,

    /// Frames between the build that may make them and their last beat.
    under_way: DFF<Bits<{ FRAMES_LOG2 + 1 }>>,
    just_built: DFF<Bit>,
    /// The line's intents are next when both wait.
    line_next: DFF<Bit>,
    build: Signal<Local, Bit>,
    from_line: Signal<Local, Bit>,
    intent_goes: Signal<Local, Bit>,
    op: Signal<Local, Intent>,
    // the op on its way into the contexts
    op_valid: DFF<Bit>,
    op_build: DFF<Bit>,
    op0: DFF<Intent>,
    // what is said, while its template is read
    say: DFF<Bit>,
    nak: DFF<Bit>,
    psn: DFF<Bits<24>>,
    msn: DFF<Bits<24>>,
    more: Signal<Local, Bits<{ FRAMES_LOG2 + 1 }>>,
    less: Signal<Local, Bits<{ FRAMES_LOG2 + 1 }>>,
}

impl Logic for PseudoAck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, under_way, just_built, line_next, op_valid, op_build, op0, say, nak, psn, msn);
        self.line.clk.next = self.clk.val();
        self.line.rst.next = self.rst.val();
        self.line.wr.next = self.line_intent_valid.val();
        self.line.din.next = self.line_intent.val().into();
        self.line_intent_ready.next = !self.line.full.val();
        self.line_says.din.next = self.line.dout.val();
        self.client.clk.next = self.clk.val();
        self.client.rst.next = self.rst.val();
        self.client.wr.next = self.client_intent_valid.val();
        self.client.din.next = self.client_intent.val().into();
        self.client_intent_ready.next = !self.client.full.val();
        self.client_says.din.next = self.client.dout.val();

        // which op goes
        self.build.next = self.ready.open.val()
            & self.ready.head_valid.val()
            & !self.just_built.q.val()
            & !self.under_way.q.val().get_bit(4);
        self.just_built.d.next = self.build.val();
        self.ready.take.next = self.build.val();
        self.from_line.next = !self.line.empty.val() & (self.client.empty.val() | self.line_next.q.val());
        self.intent_goes.next = self.ready.open.val() & !self.build.val();
        self.line.rd.next = self.intent_goes.val() & self.from_line.val();
        self.client.rd.next = self.intent_goes.val() & !self.from_line.val();
        if self.intent_goes.val() {
            self.line_next.d.next = !self.from_line.val();
        }
        self.op.next = self.client_says.dout.val();
        if self.from_line.val() {
            self.op.next = self.line_says.dout.val();
        }
        if self.build.val() {
            self.op.next.flow = self.ready.head_flow.val();
        }
        self.op_valid.d.next =
            self.build.val() | (self.intent_goes.val() & (!self.line.empty.val() | !self.client.empty.val()));
        self.op_build.d.next = self.build.val();
        self.op0.d.next = self.op.val();

        self.contexts.clk.next = self.clk.val();
        self.contexts.rst.next = self.rst.val();
        self.contexts.op_valid.next = self.op_valid.q.val();
        self.contexts.op_build.next = self.op_build.q.val();
        self.contexts.op.next = self.op0.q.val();
        self.alive.clk.next = self.clk.val();
        self.alive.enable.next = self.enable.val();
        self.alive.cfg_we.next = self.cfg_we.val();
        self.alive.cfg_addr.next = self.cfg_addr.val();
        self.alive.cfg_data.next = self.cfg_data.val();
        self.alive.cfg_bank.next = self.cfg_bank.val();
        self.alive.rx_we.next = self.rx_we.val();
        self.alive.rx_addr.next = self.rx_addr.val();
        self.alive.rx_data.next = self.rx_data.val();
        self.alive.back_we.next = self.back_we.val();
        self.alive.back_addr.next = self.back_addr.val();
        self.alive.back_data.next = self.back_data.val();
        self.alive.flow.next = self.op0.q.val().flow;
        self.alive.run.next = self.contexts.run2.val();
        self.alive.build.next = self.contexts.build2.val();
        self.contexts.alive.next = self.alive.alive.val();
        self.contexts.live.next = self.alive.live.val();
        self.contexts.run_now.next = self.alive.run_now.val();

        self.ready.clk.next = self.clk.val();
        self.ready.rst.next = self.rst.val();
        self.ready.flow.next = self.contexts.flow3.val();
        self.ready.op.next = self.contexts.done.val();
        self.ready.build.next = self.contexts.done_build.val();
        self.ready.wants.next = self.contexts.wants.val();

        // what is said
        self.templates.clk.next = self.clk.val();
        self.templates.we.next = self.tpl_we.val();
        self.templates.waddr.next = self.tpl_addr.val();
        self.templates.wdata.next = self.tpl_data.val();
        self.templates.raddr.next = self.contexts.said_addr.val();
        self.say.d.next = self.contexts.say.val();
        self.nak.d.next = self.contexts.say_nak.val();
        self.psn.d.next = self.contexts.say_psn.val();
        self.msn.d.next = self.contexts.say_msn.val();
        self.frame.clk.next = self.clk.val();
        self.frame.rst.next = self.rst.val();
        self.frame.fire.next = self.say.q.val();
        self.frame.template.next = self.templates.rdata.val();
        self.frame.nak.next = self.nak.q.val();
        self.frame.psn.next = self.psn.q.val();
        self.frame.msn.next = self.msn.q.val();
        self.ack_valid.next = self.frame.ack_valid.val();
        self.ack_data.next = self.frame.ack.val().data;
        self.ack_bytes.next = self.frame.ack.val().bytes;
        self.ack_first.next = self.frame.ack.val().first;
        self.ack_last.next = self.frame.ack.val().last;
        self.ack_nak.next = self.frame.ack.val().nak;
        self.frame.ack_ready.next = self.ack_ready.val();
        self.more.next = 0.into();
        if self.build.val() {
            self.more.next = 1.into();
        }
        self.less.next = 0.into();
        if self.frame.left.val() & self.contexts.quiet.val() {
            self.less.next = 2.into();
        } else if self.frame.left.val() | self.contexts.quiet.val() {
            self.less.next = 1.into();
        }
        self.under_way.d.next = self.under_way.q.val() + self.more.val() - self.less.val();

        self.said_we.next = self.contexts.said_we.val();
        self.said_addr.next = self.contexts.said_addr.val();
        self.said_data.next = self.contexts.said_data.val();
        self.busy.next = !self.line.empty.val()
            | !self.client.empty.val()
            | self.op_valid.q.val()
            | self.contexts.busy.val()
            | self.ready.busy.val()
            | self.under_way.q.val().any();
        if self.rst.val() {
            self.under_way.d.next = 0.into();
            self.just_built.d.next = false;
            self.op_valid.d.next = false;
            self.say.d.next = false;
        }
    }
}
