//! Packet memory and what stands at its two ends.

mod intent_queue;
mod on_chip;
mod packet_memory;

pub use intent_queue::IntentQueue;
pub use on_chip::OnChip;
pub use packet_memory::{Descriptor, PacketMemory};
