//! Part of [parse](super): what an opcode says of the headers behind the BTH, as a table. No latency.

use crate::prim::Rom;
use matchrdma_spec::wire::{bth, icrc, opcode, udp};
use rust_hdl::prelude::*;

/// The opcode's row, from `spec::wire::opcode`.
fn row(op: usize) -> Bits<9> {
    let op = op as u8;
    let least = udp::BYTES + bth::BYTES + opcode::ext_header_bytes(op) + icrc::BYTES;
    assert!(least < 1 << 6, "the row has six bits for it");
    let rc = opcode::transport(op) == opcode::TRANSPORT_RC;
    let flags = [rc, opcode::has_reth(op), opcode::has_aeth(op)];
    bits(flags.iter().rev().fold(0, |word, flag| word << 1 | u64::from(*flag)) << 6 | least as u64)
}

/// The table.
#[derive(LogicBlock)]
pub struct Operation {
    pub opcode: Signal<In, Bits<8>>,
    /// Least UDP length: UDP, BTH, extension headers and ICRC.
    pub least: Signal<Out, Bits<16>>,
    /// Reliable connection.
    pub rc: Signal<Out, Bit>,
    /// The length of the operation follows.
    pub has_reth: Signal<Out, Bit>,
    /// Syndrome and MSN follow.
    pub has_aeth: Signal<Out, Bit>,
    rows: Rom<9, 8>,
    row: Signal<Local, Bits<9>>,
}

impl Default for Operation {
    fn default() -> Self {
        Self {
            opcode: Default::default(),
            least: Default::default(),
            rc: Default::default(),
            has_reth: Default::default(),
            has_aeth: Default::default(),
            rows: Rom::new(row),
            row: Default::default(),
        }
    }
}

impl Logic for Operation {
    #[hdl_gen]
    fn update(&mut self) {
        self.rows.addr.next = self.opcode.val();
        self.row.next = self.rows.dout.val();
        self.least.next = bit_cast::<16, 6>(self.row.val().get_bits::<6>(0));
        self.rc.next = self.row.val().get_bit(6);
        self.has_reth.next = self.row.val().get_bit(7);
        self.has_aeth.next = self.row.val().get_bit(8);
    }
}
