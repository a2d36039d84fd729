//! Beside the rail, in both directions: **opcode_class**. What the BTH opcode means to `track` and `ack_filter`.
//!
//! In: `opcode`. Out, in the same cycle: one bit per class. Every class is one lookup table over the low five bits,
//! filled from `spec::wire::opcode`, and holds for RC only (`rc`: transport bits 7:5 are 000).
//! Model: `spec::wire::opcode`. Tests: all 256 opcodes, `tests/outbound/opcode_class.rs`.

use matchrdma_spec::wire::opcode;
use rust_hdl::prelude::*;

/// The decoder.
#[derive(LogicBlock)]
pub struct OpcodeClass {
    pub opcode: Signal<In, Bits<8>>,
    /// Reliable connection, whatever the operation.
    pub rc: Signal<Out, Bit>,
    /// An operation that the gateway knows.
    pub known: Signal<Out, Bit>,
    /// A responder sends it: READ responses, ACK, ATOMIC ACK.
    pub response: Signal<Out, Bit>,
    /// The last packet of its message: the responder's MSN grows.
    pub completes: Signal<Out, Bit>,
    /// Only the far side can answer it: READ, ATOMIC, FLUSH, ATOMIC WRITE.
    pub barrier: Signal<Out, Bit>,
    /// Only the far side can answer it when the flow acknowledges plain WRITEs alone: SEND, WRITE with immediate.
    pub receives: Signal<Out, Bit>,
    pub read: Signal<Out, Bit>,
    /// It carries eight bytes; READ, ATOMIC and FLUSH carry none.
    pub atomic_write: Signal<Out, Bit>,
    /// LAST or ONLY of SEND or WRITE.
    pub ends: Signal<Out, Bit>,
    /// FIRST or MIDDLE of SEND or WRITE: as long as the path MTU.
    pub fills: Signal<Out, Bit>,
    /// ACK: positive or negative, as its syndrome says.
    pub ack: Signal<Out, Bit>,
    /// FIRST or MIDDLE of a READ response: as long as the path MTU.
    pub response_fills: Signal<Out, Bit>,
    low: Signal<Local, Bits<5>>,
    is_rc: Signal<Local, Bit>,
    known_set: Constant<Bits<32>>,
    response_set: Constant<Bits<32>>,
    completes_set: Constant<Bits<32>>,
    barrier_set: Constant<Bits<32>>,
    receives_set: Constant<Bits<32>>,
    read_set: Constant<Bits<32>>,
    atomic_write_set: Constant<Bits<32>>,
    ends_set: Constant<Bits<32>>,
    fills_set: Constant<Bits<32>>,
    ack_set: Constant<Bits<32>>,
    response_fills_set: Constant<Bits<32>>,
}

/// The set of RC operations that `class` holds.
fn set(class: impl Fn(u8) -> bool) -> Constant<Bits<32>> {
    Constant::new(bits((0..32u8).filter(|op| class(*op)).map(|op| 1u64 << op).sum()))
}

impl Default for OpcodeClass {
    fn default() -> Self {
        use opcode::*;
        Self {
            opcode: Default::default(),
            rc: Default::default(),
            known: Default::default(),
            response: Default::default(),
            completes: Default::default(),
            barrier: Default::default(),
            receives: Default::default(),
            read: Default::default(),
            atomic_write: Default::default(),
            ends: Default::default(),
            fills: Default::default(),
            ack: Default::default(),
            response_fills: Default::default(),
            low: Default::default(),
            is_rc: Default::default(),
            known_set: set(known_rc),
            response_set: set(is_response),
            completes_set: set(completes_message),
            barrier_set: set(|op| is_barrier(op, false)),
            receives_set: set(|op| is_barrier(op, true) && !is_barrier(op, false)),
            read_set: set(|op| op == READ_REQUEST),
            atomic_write_set: set(|op| op == ATOMIC_WRITE),
            ends_set: set(|op| is_request(op) && (is_last(op) || is_only(op))),
            fills_set: set(|op| is_request(op) && (is_first(op) || is_middle(op))),
            ack_set: set(|op| op == ACKNOWLEDGE),
            response_fills_set: set(|op| is_response(op) && (is_first(op) || is_middle(op))),
        }
    }
}

impl Logic for OpcodeClass {
    #[hdl_gen]
    fn update(&mut self) {
        self.low.next = self.opcode.val().get_bits::<5>(0);
        self.is_rc.next = self.opcode.val().get_bits::<3>(5) == 0;
        self.rc.next = self.is_rc.val();
        self.known.next = self.is_rc.val() & self.known_set.val().get_bit(self.low.val().index());
        self.response.next = self.is_rc.val() & self.response_set.val().get_bit(self.low.val().index());
        self.completes.next = self.is_rc.val() & self.completes_set.val().get_bit(self.low.val().index());
        self.barrier.next = self.is_rc.val() & self.barrier_set.val().get_bit(self.low.val().index());
        self.receives.next = self.is_rc.val() & self.receives_set.val().get_bit(self.low.val().index());
        self.read.next = self.is_rc.val() & self.read_set.val().get_bit(self.low.val().index());
        self.atomic_write.next = self.is_rc.val() & self.atomic_write_set.val().get_bit(self.low.val().index());
        self.ends.next = self.is_rc.val() & self.ends_set.val().get_bit(self.low.val().index());
        self.fills.next = self.is_rc.val() & self.fills_set.val().get_bit(self.low.val().index());
        self.ack.next = self.is_rc.val() & self.ack_set.val().get_bit(self.low.val().index());
        self.response_fills.next = self.is_rc.val() & self.response_fills_set.val().get_bit(self.low.val().index());
    }
}
