//! Outbound, beside 5: **pseudo_ack**. From packet memory of both directions, to [arbiter](crate::inbound).
//!
//! In: intents of frames that left the line port (`line_intent`) or the client port (`client_intent`), each with a
//! handshake: `ready` comes from a register, and once up stays up until an intent is taken. Buses `cfg_*`, `rx_*`,
//! `back_*` (its own copies), `tpl_*`.
//! `cnp_*`: a flow whose sender is to slow down; may be lost when too many come at once.
//! Out: ACK and NAK frames and congestion notifications as beats, whole frames without a gap; the bus `said_*`; `busy`.
//!
//! ```text
//! line_intent ─▶ queue ─┐                          ┌─ wants ─▶ ready ─┐
//! client_intent ▶ queue ┼─▶ one op per cycle ─▶ contexts              │ (a build)
//!             ▲         └──────────────────────────┼─ say ─▶ template, frame ─▶ ack
//!             └─ builds go first                   └─ said_*
//! ```
//!
//! A build goes first while no other is in the contexts' stages and no frame waits; a notification first, unless the
//! last build was one and a flow is ready. Then the two kinds of intents take turns. Intents that wait hold their queue's
//! head, so nothing is lost.
//!
//! Latency: 8 cycles from an accepted intent to the ready queue, 17 more to the first beat of the shortest frame, when nothing is in the way.
//! After `rst` intents wait for 4096 cycles: see `ready`.
//! Model: `model/src/pseudo_ack.rs`. Tests: `tests/outbound/pseudo_ack.rs`. Registers: `PSEUDO_ACK_*`.

mod alive;
mod beats;
mod context;
mod frame;
mod lane;
mod plan;
mod ready;
mod rest;
mod resum;
mod spacing;

use crate::prim::{Fifo, Lit, Ultra, Unpack};
use crate::record::{Back, Cfg, Intent, Rx, Said};
use alive::Alive;
use context::Contexts;
use frame::{AckFrame, HEADER_BITS, TEMPLATE_BITS};
use ready::Ready;
use rust_hdl::prelude::*;
use spacing::Spacing;

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
    pub cnp_valid: Signal<In, Bit>,
    pub cnp_flow: Signal<In, Bits<12>>,
    pub cnp_run: Signal<In, Bits<8>>,
    pub ack_gap: Signal<In, Bits<16>>,
    pub cnp_spacing: Signal<In, Bits<20>>,
    pub cnp_dscp: Signal<In, Bits<6>>,
    pub cnp_pcp: Signal<In, Bits<3>>,
    /// A frame is built: kind (0 ACK, 1 NAK, 2 notification), flow and PSN.
    pub built_valid: Signal<Out, Bit>,
    pub built_kind: Signal<Out, Bits<2>>,
    pub built_flow: Signal<Out, Bits<12>>,
    pub built_psn: Signal<Out, Bits<24>>,
    pub ack_valid: Signal<Out, Bit>,
    pub ack_data: Signal<Out, Bits<512>>,
    pub ack_bytes: Signal<Out, Bits<7>>,
    pub ack_first: Signal<Out, Bit>,
    pub ack_last: Signal<Out, Bit>,
    pub ack_nak: Signal<Out, Bit>,
    pub ack_cnp: Signal<Out, Bit>,
    pub ack_ready: Signal<In, Bit>,
    pub said_we: Signal<Out, Bit>,
    pub said_addr: Signal<Out, Bits<12>>,
    pub said_data: Signal<Out, Said>,
    pub busy: Signal<Out, Bit>,

    line: Fifo<INTENT_BITS, 2>,
    client: Fifo<INTENT_BITS, 2>,
    line_says: Unpack<INTENT_BITS, Intent>,
    client_says: Unpack<INTENT_BITS, Intent>,
    cnps: Fifo<20, 4>,
    spacing: Spacing,
    ready: Ready,
    alive: Alive,
    contexts: Contexts,
    tpl_shape: Signal<Local, Bits<3>>,
    shape_at: Lit<10, 720>,
    kept_at: Lit<10, { HEADER_BITS as u64 }>,
    templates: Ultra<TEMPLATE_BITS, 12>,
    frame: AckFrame,

    /// A build is between its choice and what the contexts say to it.
    in_contexts: DFF<Bit>,
    /// The last build was a notification.
    notified: DFF<Bit>,
    /// The line's intents are next when both wait.
    line_next: DFF<Bit>,
    build: Signal<Local, Bit>,
    notify: Signal<Local, Bit>,
    may_build: Signal<Local, Bit>,
    from_line: Signal<Local, Bit>,
    intent_goes: Signal<Local, Bit>,
    op: Signal<Local, Intent>,
    // the op on its way into the contexts
    op_valid: DFF<Bit>,
    op_build: DFF<Bit>,
    op_cnp: DFF<Bit>,
    op0: DFF<Intent>,
    // what is said, while its template is read
    say: DFF<Bit>,
    nak: DFF<Bit>,
    cnp: DFF<Bit>,
    syndrome: DFF<Bits<8>>,
    said_flow: DFF<Bits<12>>,
    // what the ready queue hears of an op, a cycle after the contexts know it
    done: DFF<Bit>,
    done_build: DFF<Bit>,
    spoke: DFF<Bit>,
    wants: DFF<Bit>,
    psn: DFF<Bits<24>>,
    msn: DFF<Bits<24>>,
}

impl Logic for PseudoAck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, in_contexts, notified, line_next, op_valid, op_build, op_cnp, op0, say, nak);
        dff_setup!(self, clk, cnp, syndrome, psn, msn);
        dff_setup!(self, clk, said_flow, done, done_build, spoke, wants);
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
        self.cnps.clk.next = self.clk.val();
        self.cnps.rst.next = self.rst.val();
        self.cnps.wr.next = self.cnp_valid.val();
        self.cnps.din.next = (bit_cast::<20, 8>(self.cnp_run.val()) << 12) | bit_cast::<20, 12>(self.cnp_flow.val());
        self.may_build.next = self.ready.open.val() & !self.in_contexts.q.val() & self.frame.open.val();
        self.notify.next =
            self.may_build.val() & !self.cnps.empty.val() & !(self.notified.q.val() & self.ready.head_valid.val());
        self.cnps.rd.next = self.notify.val();
        self.build.next = self.may_build.val() & self.ready.head_valid.val() & !self.notify.val();
        if self.build.val() | self.notify.val() {
            self.in_contexts.d.next = true;
            self.notified.d.next = self.notify.val();
        } else if self.say.q.val() | self.contexts.quiet.val() {
            self.in_contexts.d.next = false;
        }
        self.ready.take.next = self.build.val();
        self.from_line.next = !self.line.empty.val() & (self.client.empty.val() | self.line_next.q.val());
        self.intent_goes.next = self.ready.open.val() & !self.build.val() & !self.notify.val();
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
        if self.notify.val() {
            self.op.next.kind = 0.into();
            self.op.next.flow = self.cnps.dout.val().get_bits::<12>(0);
            self.op.next.run = self.cnps.dout.val().get_bits::<8>(12);
        }
        self.op_cnp.d.next = self.notify.val();
        self.op_valid.d.next = self.notify.val()
            | self.build.val()
            | (self.intent_goes.val() & (!self.line.empty.val() | !self.client.empty.val()));
        self.op_build.d.next = self.build.val();
        self.op0.d.next = self.op.val();

        self.contexts.clk.next = self.clk.val();
        self.contexts.rst.next = self.rst.val();
        self.contexts.op_valid.next = self.op_valid.q.val();
        self.contexts.op_build.next = self.op_build.q.val();
        self.contexts.op_cnp.next = self.op_cnp.q.val();
        self.contexts.op.next = self.op0.q.val();
        self.spacing.clk.next = self.clk.val();
        self.spacing.spacing.next = self.cnp_spacing.val();
        self.spacing.flow.next = self.op0.q.val().flow;
        self.spacing.stamp.next = self.contexts.say_cnp.val();
        self.spacing.stamp_flow.next = self.contexts.said_addr.val();
        self.contexts.far.next = self.spacing.far.val();
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
        self.contexts.moulded.next = self.alive.moulded.val();
        self.contexts.run_now.next = self.alive.run_now.val();

        self.ready.clk.next = self.clk.val();
        self.ready.rst.next = self.rst.val();
        self.done.d.next = self.contexts.done.val();
        self.done_build.d.next = self.contexts.done_build.val();
        self.spoke.d.next = self.contexts.say.val();
        self.wants.d.next = self.contexts.wants.val();
        self.ready.flow.next = self.contexts.said_addr.val();
        self.ready.op.next = self.done.q.val();
        self.ready.build.next = self.done_build.q.val();
        self.ready.spoke.next = self.spoke.q.val();
        self.ready.wants.next = self.wants.q.val();
        self.ready.gap.next = self.ack_gap.val();

        // what is said
        self.templates.clk.next = self.clk.val();
        self.templates.we.next = self.tpl_we.val();
        self.templates.waddr.next = self.tpl_addr.val();
        self.tpl_shape.next = bit_cast::<3, 723>(self.tpl_data.val() >> self.shape_at.val());
        self.templates.wdata.next =
            bit_cast::<TEMPLATE_BITS, HEADER_BITS>(self.tpl_data.val().get_bits::<HEADER_BITS>(0))
                | (bit_cast::<TEMPLATE_BITS, 3>(self.tpl_shape.val()) << self.kept_at.val());
        self.templates.raddr.next = self.contexts.said_addr.val();
        self.say.d.next = self.contexts.say.val();
        self.nak.d.next = self.contexts.say_nak.val();
        self.cnp.d.next = self.contexts.say_cnp.val();
        self.syndrome.d.next = self.contexts.say_syndrome.val();
        self.said_flow.d.next = self.contexts.said_addr.val();
        self.built_valid.next = self.say.q.val();
        self.built_kind.next = 0.into();
        if self.nak.q.val() {
            self.built_kind.next = 1.into();
        } else if self.cnp.q.val() {
            self.built_kind.next = 2.into();
        }
        self.built_flow.next = self.said_flow.q.val();
        self.built_psn.next = self.psn.q.val();
        self.psn.d.next = self.contexts.say_psn.val();
        self.msn.d.next = self.contexts.say_msn.val();
        self.frame.clk.next = self.clk.val();
        self.frame.rst.next = self.rst.val();
        self.frame.fire.next = self.say.q.val();
        self.frame.template.next = self.templates.rdata.val();
        self.frame.news.next.psn = self.psn.q.val();
        self.frame.news.next.msn = self.msn.q.val();
        self.frame.news.next.syndrome = self.syndrome.q.val();
        self.frame.news.next.nak = self.nak.q.val();
        self.frame.news.next.cnp = self.cnp.q.val();
        self.frame.dscp.next = self.cnp_dscp.val();
        self.frame.pcp.next = self.cnp_pcp.val();
        self.ack_valid.next = self.frame.ack_valid.val();
        self.ack_data.next = self.frame.ack.val().data;
        self.ack_bytes.next = self.frame.ack.val().bytes;
        self.ack_first.next = self.frame.ack.val().first;
        self.ack_last.next = self.frame.ack.val().last;
        self.ack_nak.next = self.frame.ack.val().nak;
        self.ack_cnp.next = self.frame.ack.val().cnp;
        self.frame.ack_ready.next = self.ack_ready.val();
        self.said_we.next = self.contexts.said_we.val();
        self.said_addr.next = self.contexts.said_addr.val();
        self.said_data.next = self.contexts.said_data.val();
        self.busy.next = !self.line.empty.val()
            | !self.client.empty.val()
            | !self.cnps.empty.val()
            | self.op_valid.q.val()
            | self.contexts.busy.val()
            | self.done.q.val()
            | self.ready.busy.val()
            | self.in_contexts.q.val()
            | self.frame.busy.val();
        if self.rst.val() {
            self.in_contexts.d.next = false;
            self.op_valid.d.next = false;
            self.say.d.next = false;
            self.done.d.next = false;
        }
    }
}
