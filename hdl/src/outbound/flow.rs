//! Outbound 3 of 5: **flow**. From [parse](super::parse), to `track`; the inbound direction has its own table.
//!
//! In: a frame's key, in the cycle of its last beat. Out: whether the host has placed it, and its flow index.
//! One lookup per cycle. Latency: exactly 10 cycles.
//! Model: `model/src/flow.rs`. Tests: `tests/outbound/flow.rs`. Registers: `FLOW_ROW_*`.
//!
//! Four hashes name one row in each of four banks; the row that is in use and has the key gives the index. Which of
//! its four rows a key takes is the host's business (cuckoo placement), so a lookup is four reads and four comparisons
//! however full the table is. While the host moves a key it stands in two rows with the same index; what the banks say
//! is ORed, so that does no harm.

pub mod bank;

use crate::prim::{CrcData, Pipe, Swap};
use bank::Bank;
use matchrdma_spec::hash::{POLY_CASTAGNOLI, POLY_IEEE};
use rust_hdl::prelude::*;

/// A key, packed as in `spec::hash::FlowKey::pack`.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Key {
    /// Destination queue pair.
    pub qpn: Bits<24>,
    /// Destination address.
    pub dst: Bits<128>,
    /// Source address.
    pub src: Bits<128>,
    /// Both VIDs.
    pub vlan: Bits<24>,
    /// IPv6.
    pub v6: Bit,
}

/// The lookup. Registers are numbered by the cycle they are seen in, the input being cycle 0.
#[derive(LogicBlock, Default)]
pub struct Flow {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub look_valid: Signal<In, Bit>,
    pub key_v6: Signal<In, Bit>,
    pub key_vlan: Signal<In, Bits<24>>,
    pub key_src: Signal<In, Bits<128>>,
    pub key_dst: Signal<In, Bits<128>>,
    pub key_qpn: Signal<In, Bits<24>>,
    pub hit: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<12>>,
    pub row_we: Signal<In, Bit>,
    pub row_bank: Signal<In, Bits<2>>,
    pub row_addr: Signal<In, Bits<11>>,
    pub row_data: Signal<In, Bits<318>>,
    key: Signal<Local, Key>,
    key1: DFF<Bits<305>>,
    key5: Pipe<305, 4>,
    valid1: DFF<Bit>,
    valid2: DFF<Bit>,
    valid3: DFF<Bit>,
    valid4: DFF<Bit>,
    valid5: DFF<Bit>,
    valid6: DFF<Bit>,
    valid7: DFF<Bit>,
    bytes1: Swap<312>,
    castagnoli: CrcData<312, POLY_CASTAGNOLI, 2>,
    ieee: CrcData<312, POLY_IEEE, 2>,
    bank0: Bank,
    bank1: Bank,
    bank2: Bank,
    bank3: Bank,
    hit8: DFF<Bit>,
    index8: DFF<Bits<12>>,
    hit9: DFF<Bit>,
    index9: DFF<Bits<12>>,
    hit10: DFF<Bit>,
    index10: DFF<Bits<12>>,
    write: DFF<Bit>,
    write_bank: DFF<Bits<2>>,
    write_addr: DFF<Bits<11>>,
    write_data: DFF<Bits<318>>,
}

impl Logic for Flow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, key1);
        self.key5.clk.next = self.clk.val();
        self.key5.rst.next = self.rst.val();
        dff_setup!(self, clk, valid1, valid2, valid3, valid4, valid5, valid6, valid7);
        dff_setup!(self, clk, hit8, index8, hit9, index9, hit10, index10);
        dff_setup!(self, clk, write, write_bank, write_addr, write_data);
        self.bank0.clk.next = self.clk.val();
        self.bank1.clk.next = self.clk.val();
        self.bank2.clk.next = self.clk.val();
        self.bank3.clk.next = self.clk.val();

        // Cycle 0: the key; the valid bit walks beside it to the end.
        self.key.next.qpn = self.key_qpn.val();
        self.key.next.dst = self.key_dst.val();
        self.key.next.src = self.key_src.val();
        self.key.next.vlan = self.key_vlan.val();
        self.key.next.v6 = self.key_v6.val();
        self.key1.d.next = self.key.val().into();
        self.key5.din.next = self.key1.q.val();
        self.valid1.d.next = self.look_valid.val();
        self.valid2.d.next = self.valid1.q.val();
        self.valid3.d.next = self.valid2.q.val();
        self.valid4.d.next = self.valid3.q.val();
        self.valid5.d.next = self.valid4.q.val();
        self.valid6.d.next = self.valid5.q.val();
        self.valid7.d.next = self.valid6.q.val();

        // Cycles 1 and 2: the hashes of the key as bytes, most significant first.
        self.bytes1.din.next = bit_cast::<312, 305>(self.key1.q.val());
        self.castagnoli.clk.next = self.clk.val();
        self.castagnoli.din.next = self.bytes1.dout.val();
        self.ieee.clk.next = self.clk.val();
        self.ieee.din.next = self.bytes1.dout.val();

        // Cycles 3 to 6: read and compare.
        self.bank0.row3.next = self.castagnoli.dout.val().get_bits::<11>(0);
        self.bank1.row3.next = self.castagnoli.dout.val().get_bits::<11>(11);
        self.bank2.row3.next = self.ieee.dout.val().get_bits::<11>(0);
        self.bank3.row3.next = self.ieee.dout.val().get_bits::<11>(11);
        self.bank0.key5.next = self.key5.dout.val();
        self.bank1.key5.next = self.key5.dout.val();
        self.bank2.key5.next = self.key5.dout.val();
        self.bank3.key5.next = self.key5.dout.val();

        // Cycle 7: join the banks; cycles 8 and 9 fill up the time that the ICRC needs.
        self.hit8.d.next = self.valid7.q.val()
            & (self.bank0.hit7.val() | self.bank1.hit7.val() | self.bank2.hit7.val() | self.bank3.hit7.val());
        self.index8.d.next =
            self.bank0.index7.val() | self.bank1.index7.val() | self.bank2.index7.val() | self.bank3.index7.val();
        self.hit9.d.next = self.hit8.q.val();
        self.index9.d.next = self.index8.q.val();
        self.hit10.d.next = self.hit9.q.val();
        self.index10.d.next = self.index9.q.val();
        self.hit.next = self.hit10.q.val();
        self.index.next = self.index10.q.val();

        // The host's write, a cycle later for the wires' sake.
        self.write.d.next = self.row_we.val();
        self.write_bank.d.next = self.row_bank.val();
        self.write_addr.d.next = self.row_addr.val();
        self.write_data.d.next = self.row_data.val();
        self.bank0.we.next = self.write.q.val() & (self.write_bank.q.val() == 0);
        self.bank1.we.next = self.write.q.val() & (self.write_bank.q.val() == 1);
        self.bank2.we.next = self.write.q.val() & (self.write_bank.q.val() == 2);
        self.bank3.we.next = self.write.q.val() & (self.write_bank.q.val() == 3);
        self.bank0.waddr.next = self.write_addr.q.val();
        self.bank1.waddr.next = self.write_addr.q.val();
        self.bank2.waddr.next = self.write_addr.q.val();
        self.bank3.waddr.next = self.write_addr.q.val();
        self.bank0.wdata.next = self.write_data.q.val();
        self.bank1.wdata.next = self.write_data.q.val();
        self.bank2.wdata.next = self.write_data.q.val();
        self.bank3.wdata.next = self.write_data.q.val();

        if self.rst.val() {
            self.valid1.d.next = false;
            self.valid2.d.next = false;
            self.valid3.d.next = false;
            self.valid4.d.next = false;
            self.valid5.d.next = false;
            self.valid6.d.next = false;
            self.valid7.d.next = false;
            self.hit8.d.next = false;
            self.hit9.d.next = false;
            self.hit10.d.next = false;
            self.write.d.next = false;
        }
    }
}
