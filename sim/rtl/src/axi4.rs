//! AXI4, 512 bits: a memory for a master called `m_axi`, that holds the master to the protocol.
//!
//! One cycle, with `dut` a device that has the port:
//! ```ignore
//! memory.drive(&mut dut);
//! dut.settle();
//! memory.settle(dut.offers());
//! dut.rise();
//! ```

mod dram;
mod memory;
mod rules;
mod settings;
mod statistics;
mod store;

pub use memory::{Failure, Memory};
pub use settings::{Settings, Stalls};
pub use statistics::{Spread, Statistics};

/// Bytes of a beat.
pub const BEAT_BYTES: u64 = 64;
/// Longest burst that the master may ask for, beats.
pub const BURST_BEATS: u32 = 16;

/// A beat's data, least significant word first.
pub type Word = [u32; 16];

/// What is on an address channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// `awid` or `arid`.
    pub id: u32,
    /// First byte.
    pub address: u64,
    /// Beats: `len` + 1.
    pub beats: u32,
}

/// What is on the write data channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteData {
    /// `wdata`.
    pub data: Word,
    /// `wlast`.
    pub last: bool,
}

/// What the master drives in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// While `awvalid`.
    pub aw: Option<Address>,
    /// While `wvalid`.
    pub w: Option<WriteData>,
    /// While `arvalid`.
    pub ar: Option<Address>,
    /// `bready`.
    pub b_ready: bool,
    /// `rready`.
    pub r_ready: bool,
}

/// A write response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// `bid`.
    pub id: u32,
    /// `bresp`: 0 is OKAY, 2 is SLVERR.
    pub resp: u32,
}

/// A beat that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadData {
    /// `rid`.
    pub id: u32,
    /// `rdata`.
    pub data: Word,
    /// `rresp`.
    pub resp: u32,
    /// `rlast`.
    pub last: bool,
}

/// What the memory drives in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drives {
    /// `awready`.
    pub aw_ready: bool,
    /// `wready`.
    pub w_ready: bool,
    /// `arready`.
    pub ar_ready: bool,
    /// While `bvalid`.
    pub b: Option<Response>,
    /// While `rvalid`.
    pub r: Option<ReadData>,
}

/// A device with an AXI4 master called `m_axi`.
pub trait Master {
    /// What it drives, once its inputs have settled.
    fn offers(&self) -> Offers;
    /// Sets what the memory drives.
    fn set_memory(&mut self, drives: &Drives);
}
