//! Half of every word of a frame: four bytes of the template, edited, masked for the ICRC, and completed.
//!
//! In: `raw` and what is done with it (`lane`, packed). Out one cycle later: `seen`, the template's bytes; three cycles
//! later, in the same cycle: `covered`, what the ICRC takes, and `out`, with `icrc` and `sum` put where they belong.

use super::plan::{Lane as Plan, Says, CNP_UDP_BYTES, LANE, LANE_BITS, V4_LENGTH};
use crate::prim::{Lit, Unpack};
use matchrdma_spec::field::Field;
use matchrdma_spec::wire::{bth, icrc, ipv4, ipv6, opcode, vlan};
use rust_hdl::prelude::*;

/// The first byte of a lane is its lowest, so a length's low byte, its second, is bits 15:8.
const fn length(bytes: usize) -> u64 {
    assert!(bytes < 256);
    (bytes as u64) << 8
}

/// `count` ones from bit `low` up.
const fn ones(low: u64, count: u64) -> u64 {
    ((1 << count) - 1) << low
}

/// The ones of byte `at`.
const fn byte(at: u64) -> u64 {
    ones(8 * at, 8)
}

/// All but `bits`.
const fn but(bits: u64) -> u64 {
    ones(0, 32) ^ bits
}

/// The lowest bit, in its lane, of a field within one byte.
const fn low_bit(field: Field) -> u64 {
    (8 * (field.first_byte() % LANE) + 8 - field.offset % 8 - field.bits) as u64
}

/// The bits of such a field.
const fn bits_of(field: Field) -> u64 {
    ones(low_bit(field), field.bits as u64)
}

/// Of the DSCP in an IPv6 traffic class: its bits in the version's byte, and where the others begin in the next.
const CLASS_HIGH: usize = 8 - ipv6::TRAFFIC_CLASS.offset % 8;
const CLASS_LOW_AT: u64 = (8 * (ipv6::TRAFFIC_CLASS.first_byte() + 1) + 8 - CLASS_LOW) as u64;
const CLASS_LOW: usize = ipv4::DSCP.bits - CLASS_HIGH;

/// One lane of a word per cycle.
#[derive(LogicBlock, Default)]
pub struct Lane {
    pub clk: Signal<In, Clock>,
    pub raw: Signal<In, Bits<32>>,
    pub lane: Signal<In, Bits<LANE_BITS>>,
    pub psn: Signal<In, Bits<24>>,
    pub msn: Signal<In, Bits<24>>,
    pub syndrome: Signal<In, Bits<8>>,
    pub dscp: Signal<In, Bits<6>>,
    pub pcp: Signal<In, Bits<3>>,
    pub seen: Signal<Out, Bits<32>>,
    pub icrc: Signal<In, Bits<32>>,
    pub sum: Signal<In, Bits<16>>,
    pub covered: Signal<Out, Bits<32>>,
    pub out: Signal<Out, Bits<32>>,

    k_psn: Lit<4, { Says::Psn as u64 }>,
    k_aeth: Lit<4, { Says::Aeth as u64 }>,
    k_zero: Lit<4, { Says::Zero as u64 }>,
    k_tag: Lit<4, { Says::Tag as u64 }>,
    k_class4: Lit<4, { Says::Class4 as u64 }>,
    k_class6: Lit<4, { Says::Class6 as u64 }>,
    k_length: Lit<4, { Says::Length as u64 }>,
    k_opcode: Lit<4, { Says::Opcode as u64 }>,
    k_becn: Lit<4, { Says::Becn as u64 }>,
    // what stays of a lane: all but the priority, the class and length of IPv4, the class of IPv6, bytes
    not_pcp: Lit<32, { but(bits_of(vlan::PCP)) }>,
    not_class4: Lit<32, { but(bits_of(ipv4::DSCP) | byte(2) | byte(3)) }>,
    not_class6: Lit<32, { but(ones(0, CLASS_HIGH as u64) | ones(CLASS_LOW_AT, CLASS_LOW as u64)) }>,
    not_half: Lit<32, { but(byte(0) | byte(1)) }>,
    not_byte: Lit<32, { but(byte(0)) }>,
    total_length: Lit<32, { length(V4_LENGTH) << 16 }>,
    udp_length: Lit<32, { length(CNP_UDP_BYTES) }>,
    cnp_opcode: Lit<32, { opcode::CNP as u64 }>,
    becn: Lit<32, { bits_of(bth::BECN) }>,
    pcp_at: Lit<5, { low_bit(vlan::PCP) }>,
    dscp_at: Lit<5, { low_bit(ipv4::DSCP) }>,
    class_low: Lit<3, { CLASS_LOW as u64 }>,
    class_low_at: Lit<5, { CLASS_LOW_AT }>,
    seed: Lit<32, { icrc::SEED as u64 }>,

    raw1: DFF<Bits<32>>,
    lane1: DFF<Bits<LANE_BITS>>,
    plan1: Unpack<LANE_BITS, Plan>,
    says: Signal<Local, Bits<4>>,
    psn_lane: Signal<Local, Bits<32>>,
    aeth_lane: Signal<Local, Bits<32>>,
    dscp_high: Signal<Local, Bits<6>>,
    dscp_low: Signal<Local, Bits<2>>,
    edited: Signal<Local, Bits<32>>,
    word2: DFF<Bits<32>>,
    lane2: DFF<Bits<LANE_BITS>>,
    plan2: Unpack<LANE_BITS, Plan>,
    ones: Signal<Local, Bits<32>>,
    masked: Signal<Local, Bits<32>>,
    covered3: DFF<Bits<32>>,
    word3: DFF<Bits<32>>,
    lane3: DFF<Bits<LANE_BITS>>,
    plan3: Unpack<LANE_BITS, Plan>,
    low: Lit<32, { ones(0, 4) }>,
    byte0: Lit<32, { byte(0) }>,
    byte1: Lit<32, { byte(1) }>,
    byte2: Lit<32, { byte(2) }>,
    byte3: Lit<32, { byte(3) }>,
    ones0: Signal<Local, Bits<32>>,
    ones1: Signal<Local, Bits<32>>,
    ones2: Signal<Local, Bits<32>>,
    ones3: Signal<Local, Bits<32>>,
}

impl Logic for Lane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw1, lane1, word2, lane2, covered3, word3, lane3);
        self.raw1.d.next = self.raw.val();
        self.lane1.d.next = self.lane.val();
        self.seen.next = self.raw1.q.val();

        // what it says; network order: the most significant byte comes first
        self.plan1.din.next = self.lane1.q.val();
        self.says.next = self.plan1.dout.val().says;
        self.psn_lane.next = (bit_cast::<32, 8>(self.psn.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.psn.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.psn.val().get_bits::<8>(0)) << 24);
        self.aeth_lane.next = bit_cast::<32, 8>(self.syndrome.val())
            | (bit_cast::<32, 8>(self.msn.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.msn.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.msn.val().get_bits::<8>(0)) << 24);
        self.dscp_high.next = self.dscp.val() >> self.class_low.val();
        self.dscp_low.next = self.dscp.val().get_bits::<CLASS_LOW>(0);
        self.edited.next = self.raw1.q.val();
        if self.says.val() == self.k_psn.val() {
            self.edited.next = self.psn_lane.val();
        } else if self.says.val() == self.k_aeth.val() {
            self.edited.next = self.aeth_lane.val();
        } else if self.says.val() == self.k_zero.val() {
            self.edited.next = 0.into();
        } else if self.says.val() == self.k_tag.val() {
            self.edited.next =
                (self.raw1.q.val() & self.not_pcp.val()) | (bit_cast::<32, 3>(self.pcp.val()) << self.pcp_at.val());
        } else if self.says.val() == self.k_class4.val() {
            self.edited.next = (self.raw1.q.val() & self.not_class4.val())
                | (bit_cast::<32, 6>(self.dscp.val()) << self.dscp_at.val())
                | self.total_length.val();
        } else if self.says.val() == self.k_class6.val() {
            self.edited.next = (self.raw1.q.val() & self.not_class6.val())
                | bit_cast::<32, 6>(self.dscp_high.val())
                | (bit_cast::<32, 2>(self.dscp_low.val()) << self.class_low_at.val());
        } else if self.says.val() == self.k_length.val() {
            self.edited.next = (self.raw1.q.val() & self.not_half.val()) | self.udp_length.val();
        } else if self.says.val() == self.k_opcode.val() {
            self.edited.next = (self.raw1.q.val() & self.not_byte.val()) | self.cnp_opcode.val();
        } else if self.says.val() == self.k_becn.val() {
            self.edited.next = (self.raw1.q.val() & self.not_byte.val()) | self.becn.val();
        }
        self.word2.d.next = self.edited.val();
        self.lane2.d.next = self.lane1.q.val();

        // what the ICRC takes
        self.plan2.din.next = self.lane2.q.val();
        self.ones0.next = 0.into();
        if self.plan2.dout.val().ones0 {
            self.ones0.next = self.byte0.val();
        } else if self.plan2.dout.val().low {
            self.ones0.next = self.low.val();
        }
        self.ones1.next = 0.into();
        if self.plan2.dout.val().ones1 {
            self.ones1.next = self.byte1.val();
        }
        self.ones2.next = 0.into();
        if self.plan2.dout.val().ones2 {
            self.ones2.next = self.byte2.val();
        }
        self.ones3.next = 0.into();
        if self.plan2.dout.val().ones3 {
            self.ones3.next = self.byte3.val();
        }
        self.ones.next = self.ones0.val() | self.ones1.val() | self.ones2.val() | self.ones3.val();
        self.masked.next = self.word2.q.val() | self.ones.val();
        self.covered3.d.next = 0.into();
        if self.plan2.dout.val().inside {
            self.covered3.d.next = self.masked.val();
            if self.plan2.dout.val().first {
                self.covered3.d.next = self.masked.val() ^ self.seed.val();
            }
        }
        self.word3.d.next = self.word2.q.val();
        self.lane3.d.next = self.lane2.q.val();
        self.covered.next = self.covered3.q.val();

        // what is known only now
        self.plan3.din.next = self.lane3.q.val();
        self.out.next = self.word3.q.val();
        if self.plan3.dout.val().icrc {
            self.out.next = self.icrc.val();
        } else if self.plan3.dout.val().sum {
            self.out.next =
                bit_cast::<32, 16>(self.word3.q.val().get_bits::<16>(0)) | (bit_cast::<32, 16>(self.sum.val()) << 16);
        }
    }
}
