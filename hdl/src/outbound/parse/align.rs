//! Part of [parse](super): the tags are counted and what follows them is moved to one place, in network order.
//!
//! In: a beat at cycle 2, with the start of the next at cycle 3. Out: `l3` and `shape4` at cycle 4. Meant for first beats.

use crate::prim::{Lit, Swap};
use matchrdma_spec::field::Field;
use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::{bth, budget, eth, ipv4, ipv6, reth, udp, vlan};
use rust_hdl::prelude::*;

/// Bytes behind the tags that are looked at: to the end of a RETH over IPv6.
pub const L3_BYTES: usize = ipv6::BYTES + udp::BYTES + bth::BYTES + reth::BYTES;
/// The same, and Ethernet with two tags.
pub const WINDOW_BYTES: usize = eth::BYTES + vlan::MAX_TAGS * vlan::BYTES + L3_BYTES;

/// Where a field lies in the window, in network order, its header beginning at byte `header` of the frame.
const fn at(header: usize, field: Field) -> u64 {
    (field.network_lsb(8 * (WINDOW_BYTES - header))) as u64
}

/// Where what follows `vlans` tags lies.
const fn l3_at(vlans: usize) -> u64 {
    (8 * (WINDOW_BYTES - L3_BYTES - eth::BYTES - vlans * vlan::BYTES)) as u64
}

/// What the link layer says.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Shape {
    /// EtherType and version say IPv4.
    pub v4: Bit,
    /// EtherType and version say IPv6.
    pub v6: Bit,
    /// A budget frame.
    pub budget: Bit,
    /// A frame of MAC control.
    pub mac_control: Bit,
    /// Tags.
    pub vlans: Bits<2>,
    /// Their VIDs.
    pub vlan: Bits<24>,
}

/// Registers are numbered by the cycle they are seen in.
#[derive(LogicBlock, Default)]
pub struct Align {
    pub clk: Signal<In, Clock>,
    pub data2: Signal<In, Bits<512>>,
    pub raw3: Signal<In, Bits<784>>,
    pub l3: Signal<Out, Bits<608>>,
    pub shape4: Signal<Out, Shape>,
    swap2: Swap<512>,
    swap3: Swap<784>,
    start2: Signal<Local, Bits<512>>,
    window3: Signal<Local, Bits<784>>,
    type0: Signal<Local, Bits<16>>,
    type1: Signal<Local, Bits<16>>,
    tag0: Signal<Local, Bit>,
    tag1: Signal<Local, Bit>,
    vlans3: DFF<Bits<2>>,
    vid0: Signal<Local, Bits<12>>,
    vid1: Signal<Local, Bits<12>>,
    etype: Signal<Local, Bits<16>>,
    behind: Signal<Local, Bits<608>>,
    version: Signal<Local, Bits<4>>,
    magic: Signal<Local, Bits<32>>,
    l3_4: DFF<Bits<608>>,
    shape: DFF<Shape>,
    start_type0_at: Lit<16, { eth::ETHERTYPE.network_lsb(8 * BEAT_BYTES) as u64 }>,
    start_type1_at: Lit<16, { vlan::ETHERTYPE.network_lsb(8 * (BEAT_BYTES - eth::BYTES)) as u64 }>,
    type0_at: Lit<16, { at(0, eth::ETHERTYPE) }>,
    type1_at: Lit<16, { at(eth::BYTES, vlan::ETHERTYPE) }>,
    type2_at: Lit<16, { at(eth::BYTES + vlan::BYTES, vlan::ETHERTYPE) }>,
    vid0_at: Lit<16, { at(eth::BYTES, vlan::VID) }>,
    vid1_at: Lit<16, { at(eth::BYTES + vlan::BYTES, vlan::VID) }>,
    l3_at0: Lit<16, { l3_at(0) }>,
    l3_at1: Lit<16, { l3_at(1) }>,
    l3_at2: Lit<16, { l3_at(2) }>,
    version_at: Lit<16, { ipv4::VERSION.network_lsb(8 * L3_BYTES) as u64 }>,
    magic_at: Lit<16, { at(0, budget::MAGIC) }>,
    customer: Lit<16, { vlan::TPID_CUSTOMER as u64 }>,
    service: Lit<16, { vlan::TPID_SERVICE as u64 }>,
    type_ipv4: Lit<16, { eth::TYPE_IPV4 as u64 }>,
    type_ipv6: Lit<16, { eth::TYPE_IPV6 as u64 }>,
    type_budget: Lit<16, { eth::TYPE_LOCAL_EXPERIMENTAL as u64 }>,
    type_mac_control: Lit<16, { eth::TYPE_MAC_CONTROL as u64 }>,
    version4: Lit<4, { ipv4::VERSION_4 as u64 }>,
    version6: Lit<4, { ipv6::VERSION_6 as u64 }>,
    budget_magic: Lit<32, { budget::MAGIC_VALUE as u64 }>,
}

impl Logic for Align {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, vlans3, l3_4, shape);

        // Cycle 2: how many tags?
        self.swap2.din.next = self.data2.val();
        self.start2.next = self.swap2.dout.val();
        self.type0.next = self.start2.val().get_bits::<16>(self.start_type0_at.val().index());
        self.type1.next = self.start2.val().get_bits::<16>(self.start_type1_at.val().index());
        self.tag0.next = (self.type0.val() == self.customer.val()) | (self.type0.val() == self.service.val());
        self.tag1.next = (self.type1.val() == self.customer.val()) | (self.type1.val() == self.service.val());
        self.vlans3.d.next = 0.into();
        if self.tag0.val() {
            self.vlans3.d.next = 1.into();
            if self.tag1.val() {
                self.vlans3.d.next = 2.into();
            }
        }

        // Cycle 3: what is behind them?
        self.swap3.din.next = self.raw3.val();
        self.window3.next = self.swap3.dout.val();
        self.vid0.next = self.window3.val().get_bits::<12>(self.vid0_at.val().index());
        self.vid1.next = self.window3.val().get_bits::<12>(self.vid1_at.val().index());
        self.etype.next = self.window3.val().get_bits::<16>(self.type0_at.val().index());
        self.behind.next = self.window3.val().get_bits::<608>(self.l3_at0.val().index());
        self.shape.d.next.vlan = 0.into();
        if self.vlans3.q.val() == 1 {
            self.etype.next = self.window3.val().get_bits::<16>(self.type1_at.val().index());
            self.behind.next = self.window3.val().get_bits::<608>(self.l3_at1.val().index());
            self.shape.d.next.vlan = bit_cast::<24, 12>(self.vid0.val());
        }
        if self.vlans3.q.val() == 2 {
            self.etype.next = self.window3.val().get_bits::<16>(self.type2_at.val().index());
            self.behind.next = self.window3.val().get_bits::<608>(self.l3_at2.val().index());
            self.shape.d.next.vlan = (bit_cast::<24, 12>(self.vid0.val()) << 12) | bit_cast::<24, 12>(self.vid1.val());
        }
        self.l3_4.d.next = self.behind.val();
        self.version.next = self.behind.val().get_bits::<4>(self.version_at.val().index());
        self.magic.next = self.window3.val().get_bits::<32>(self.magic_at.val().index());
        self.shape.d.next.v4 = (self.etype.val() == self.type_ipv4.val()) & (self.version.val() == self.version4.val());
        self.shape.d.next.v6 = (self.etype.val() == self.type_ipv6.val()) & (self.version.val() == self.version6.val());
        self.shape.d.next.budget = (self.vlans3.q.val() == 0)
            & (self.etype.val() == self.type_budget.val())
            & (self.magic.val() == self.budget_magic.val());
        self.shape.d.next.mac_control = (self.vlans3.q.val() == 0) & (self.etype.val() == self.type_mac_control.val());
        self.shape.d.next.vlans = self.vlans3.q.val();

        self.l3.next = self.l3_4.q.val();
        self.shape4.next = self.shape.q.val();
    }
}
