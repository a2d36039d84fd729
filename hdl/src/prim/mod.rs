//! Parts that know nothing of packets: streams, memories, queues, XOR networks.

mod axis;
mod chain;
mod crc32;
mod delay;
mod field_tap;
mod fifo;
mod keep;
mod lit;
mod lut_ram;
mod pick;
mod pipe;
mod ram;
mod rom;
mod round_robin;
mod table;
mod ultra;
mod unpack;
mod xor_net;

pub use axis::{AxisM, AxisS, AxisSlice};
pub use chain::{Reaches, Same};
pub use crc32::{CrcAdvance, CrcData, CrcWord};
pub use delay::Delay;
pub use field_tap::Swap;
pub use fifo::{Fifo, LutFifo};
pub use keep::Keep;
pub use lit::{Lit, Value, Wide};
pub use lut_ram::LutRam;
pub use pick::Pick;
pub use pipe::{Clear, Pipe};
pub use ram::{RamStyle, Sdp};
pub use rom::Rom;
pub use round_robin::{Decoder, Eights, Encoder, RoundRobin};
pub use table::Table;
pub use ultra::Ultra;
pub use unpack::Unpack;
pub use xor_net::{ones, XorNet};
