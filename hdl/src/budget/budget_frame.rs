//! Inside [budget_tx](super::BudgetTx): **budget_frame**. Everything at its place.
//!
//! In: levels from the host, what is `told` of a path, `tag` and `crc` as numbers. Out: the frame as it leaves, and the
//! same without tag and CRC (`bare`), byte 0 in the lowest bits. Combinational: wires and nothing else, but for `kind`.
//! Model: `spec::wire::budget`, which has the places. Tests: `tests/budget/budget_tx.rs`. Registers: none.

use super::known::at;
use crate::prim::{Lit, Swap};
use matchrdma_spec::wire::budget::*;
use matchrdma_spec::wire::eth;
use rust_hdl::prelude::*;

/// Bits of a frame.
pub const FRAME_BITS: usize = 8 * BYTES;

/// What a frame says of a path.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Told {
    pub dst_site: Bits<16>,
    pub session: Bits<32>,
    pub peer_session: Bits<32>,
    pub number: Bits<64>,
    /// A budget, not a hello.
    pub grants: Bit,
    pub slot: Bits<48>,
    pub echo: Bits<64>,
    pub rate: Bits<48>,
    pub limit: Bits<64>,
    pub sent: Bits<64>,
    pub waiting: Bits<48>,
    pub occupancy: Bits<48>,
}

/// The places.
#[derive(LogicBlock, Default)]
pub struct BudgetFrame {
    pub site: Signal<In, Bits<16>>,
    pub slot_ps: Signal<In, Bits<64>>,
    pub clock_hz: Signal<In, Bits<32>>,
    pub capabilities: Signal<In, Bits<32>>,
    pub lease: Signal<In, Bits<16>>,
    pub dst: Signal<In, Bits<48>>,
    pub src: Signal<In, Bits<48>>,
    pub told: Signal<In, Told>,
    pub tag: Signal<In, Bits<64>>,
    pub crc: Signal<In, Bits<32>>,
    pub bare: Signal<Out, Bits<FRAME_BITS>>,
    pub frame: Signal<Out, Bits<FRAME_BITS>>,
    kind: Signal<Local, Bits<8>>,
    body: Signal<Local, Bits<FRAME_BITS>>,
    whole: Signal<Local, Bits<FRAME_BITS>>,
    body_bytes: Swap<FRAME_BITS>,
    whole_bytes: Swap<FRAME_BITS>,
    type_word: Lit<FRAME_BITS, { eth::TYPE_LOCAL_EXPERIMENTAL as u64 }>,
    magic_word: Lit<FRAME_BITS, { MAGIC_VALUE as u64 }>,
    version_word: Lit<FRAME_BITS, { VERSION_VALUE as u64 }>,
    k_hello: Lit<8, { KIND_HELLO as u64 }>,
    k_budget: Lit<8, { KIND_BUDGET as u64 }>,
    dst_at: Lit<11, { at(DST) }>,
    src_at: Lit<11, { at(SRC) }>,
    type_at: Lit<11, { at(ETHERTYPE) }>,
    magic_at: Lit<11, { at(MAGIC) }>,
    version_at: Lit<11, { at(VERSION) }>,
    kind_at: Lit<11, { at(KIND) }>,
    lease_at: Lit<11, { at(LEASE) }>,
    src_site_at: Lit<11, { at(SRC_SITE) }>,
    dst_site_at: Lit<11, { at(DST_SITE) }>,
    session_at: Lit<11, { at(SESSION) }>,
    peer_at: Lit<11, { at(PEER_SESSION) }>,
    clock_at: Lit<11, { at(CLOCK_HZ) }>,
    capabilities_at: Lit<11, { at(CAPABILITIES) }>,
    number_at: Lit<11, { at(SEQUENCE) }>,
    slot_ps_at: Lit<11, { at(SLOT_PS) }>,
    slot_at: Lit<11, { at(SLOT) }>,
    echo_at: Lit<11, { at(ECHO) }>,
    rate_at: Lit<11, { at(RATE) }>,
    limit_at: Lit<11, { at(LIMIT) }>,
    sent_at: Lit<11, { at(SENT) }>,
    waiting_at: Lit<11, { at(WAITING) }>,
    occupancy_at: Lit<11, { at(OCCUPANCY) }>,
    tag_at: Lit<11, { at(TAG) }>,
    crc_at: Lit<11, { at(CRC) }>,
}

impl Logic for BudgetFrame {
    #[hdl_gen]
    fn update(&mut self) {
        self.kind.next = self.k_hello.val();
        if self.told.val().grants {
            self.kind.next = self.k_budget.val();
        }
        self.body.next = (bit_cast::<FRAME_BITS, 48>(self.dst.val()) << self.dst_at.val())
            | (bit_cast::<FRAME_BITS, 48>(self.src.val()) << self.src_at.val())
            | (self.type_word.val() << self.type_at.val())
            | (self.magic_word.val() << self.magic_at.val())
            | (self.version_word.val() << self.version_at.val())
            | (bit_cast::<FRAME_BITS, 8>(self.kind.val()) << self.kind_at.val())
            | (bit_cast::<FRAME_BITS, 16>(self.lease.val()) << self.lease_at.val())
            | (bit_cast::<FRAME_BITS, 16>(self.site.val()) << self.src_site_at.val())
            | (bit_cast::<FRAME_BITS, 16>(self.told.val().dst_site) << self.dst_site_at.val())
            | (bit_cast::<FRAME_BITS, 32>(self.told.val().session) << self.session_at.val())
            | (bit_cast::<FRAME_BITS, 32>(self.told.val().peer_session) << self.peer_at.val())
            | (bit_cast::<FRAME_BITS, 32>(self.clock_hz.val()) << self.clock_at.val())
            | (bit_cast::<FRAME_BITS, 32>(self.capabilities.val()) << self.capabilities_at.val())
            | (bit_cast::<FRAME_BITS, 64>(self.told.val().number) << self.number_at.val())
            | (bit_cast::<FRAME_BITS, 64>(self.slot_ps.val()) << self.slot_ps_at.val())
            | (bit_cast::<FRAME_BITS, 48>(self.told.val().slot) << self.slot_at.val())
            | (bit_cast::<FRAME_BITS, 64>(self.told.val().echo) << self.echo_at.val())
            | (bit_cast::<FRAME_BITS, 48>(self.told.val().rate) << self.rate_at.val())
            | (bit_cast::<FRAME_BITS, 64>(self.told.val().limit) << self.limit_at.val())
            | (bit_cast::<FRAME_BITS, 64>(self.told.val().sent) << self.sent_at.val())
            | (bit_cast::<FRAME_BITS, 48>(self.told.val().waiting) << self.waiting_at.val())
            | (bit_cast::<FRAME_BITS, 48>(self.told.val().occupancy) << self.occupancy_at.val());
        self.whole.next = self.body.val()
            | (bit_cast::<FRAME_BITS, 64>(self.tag.val()) << self.tag_at.val())
            | (bit_cast::<FRAME_BITS, 32>(self.crc.val()) << self.crc_at.val());
        self.body_bytes.din.next = self.body.val();
        self.whole_bytes.din.next = self.whole.val();
        self.bare.next = self.body_bytes.dout.val();
        self.frame.next = self.whole_bytes.dout.val();
    }
}
