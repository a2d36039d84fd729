//! Parts that know nothing of packets: streams, memories, queues, XOR networks.

mod axis;
mod delay;
mod field_tap;
mod fifo;
mod keep;
mod lit;
mod ram;
mod unpack;

pub use axis::{AxisM, AxisS, AxisSlice};
pub use delay::Delay;
pub use field_tap::Swap;
pub use fifo::Fifo;
pub use keep::Keep;
pub use lit::Lit;
pub use ram::{RamStyle, Sdp};
pub use unpack::Unpack;
