//! The records that pass between stages (`docs/blocks.md`): first field at bit 0.
#![allow(missing_docs)]
use rust_hdl::prelude::*;

/// What `parse` read in a frame's headers.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Meta {
    pub hdr_roce: Bit,
    pub v6: Bit,
    pub vlans: Bits<2>,
    pub budget: Bit,
    pub ip_ok: Bit,
    pub ack_req: Bit,
    pub mig_req: Bit,
    pub becn: Bit,
    pub opcode: Bits<8>,
    pub ip_len: Bits<16>,
    pub payload: Bits<16>,
    pub vlan: Bits<24>,
    pub dest_qpn: Bits<24>,
    pub psn: Bits<24>,
    pub msn: Bits<24>,
    pub syndrome: Bits<8>,
    pub reth_len: Bits<32>,
    pub src_ip: Bits<128>,
    pub dst_ip: Bits<128>,
    pub ip: Bit,
    pub mac_control: Bit,
}

/// A beat of the rail that waits for its verdict.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Beat {
    pub data: Bits<512>,
    pub bytes: Bits<7>,
    pub first: Bit,
    pub last: Bit,
    pub valid: Bit,
}

/// What an acknowledgement may be asked to say.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Intent {
    pub kind: Bits<3>,
    pub req: Bit,
    pub flow: Bits<12>,
    pub run: Bits<8>,
    pub psn: Bits<24>,
    pub msn: Bits<24>,
}

/// A flow as the host set it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Cfg {
    pub enable: Bit,
    pub ack_ops_write: Bit,
    pub zero: Bits<2>,
    pub mtu: Bits<3>,
    pub zero1: Bit,
    pub serial: Bits<8>,
}

/// A flow as `track` knows it: the responder's view.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Rx {
    pub serial: Bits<8>,
    pub run: Bits<8>,
    pub synced: Bit,
    pub drain: Bit,
    pub gap: Bit,
    pub sample_valid: Bit,
    pub mtu: Bits<3>,
    pub expected: Bits<24>,
    pub count: Bits<24>,
    pub sample_psn: Bits<24>,
    pub sample_count: Bits<24>,
    pub off: Bit,
    pub rewound: Bit,
    pub mig: Bit,
    pub cause: Bits<4>,
    pub mould: Bit,
}

/// A flow as `ack_filter` knows it: the far side's answers.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Back {
    pub run: Bits<8>,
    pub active: Bit,
    pub fault: Bit,
    pub resync: Bit,
    pub seen: Bit,
    pub mtu: Bits<3>,
    pub offset: Bits<24>,
    pub seen_psn: Bits<24>,
    pub off: Bit,
    pub drain: Bit,
    pub cause: Bits<4>,
    pub refusal: Bits<2>,
}

/// A flow as `pseudo_ack` knows it: what the sender was told.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Said {
    pub run: Bits<8>,
    pub valid: Bit,
    pub acked_psn: Bits<24>,
    pub acked_msn: Bits<24>,
    pub departed_psn: Bits<24>,
    pub confirmed_psn: Bits<24>,
    pub barrier: Bit,
}

/// The present, in ticks, and what is longer ago than each timer.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Times {
    /// The present's low bits, which stamps are of.
    pub now: Bits<16>,
    pub above: Bits<8>,
    pub gap: Bits<16>,
    pub idle: Bits<16>,
    pub debt: Bits<16>,
}

/// The real ACK of a flow, as a mould for ours.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Template {
    pub header: Bits<720>,
    pub vlans: Bits<2>,
    pub v6: Bit,
}

/// Values of [`Intent`]'s `kind`.
pub mod kind {
    pub const NONE: u64 = 0;
    pub const ACK: u64 = 1;
    pub const NAK: u64 = 2;
    pub const REACK: u64 = 3;
    pub const BARRIER: u64 = 4;
    pub const CONFIRM: u64 = 5;
    pub const REFUSE: u64 = 6;
    pub const ANSWER: u64 = 7;
}

/// Why a frame was dropped.
pub mod reason {
    pub const NONE: u64 = 0;
    pub const MAC_ERROR: u64 = 1;
    pub const MALFORMED: u64 = 2;
    pub const BUDGET_FROM_CLIENT: u64 = 3;
    pub const OVERFLOW: u64 = 4;
    pub const BAD_ICRC: u64 = 5;
    pub const OUT_OF_ORDER: u64 = 6;
    pub const DUPLICATE: u64 = 7;
    pub const FAULT: u64 = 8;
    pub const PFC: u64 = 9;
}
