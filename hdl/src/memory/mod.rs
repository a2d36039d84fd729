//! Packet memory and what stands at its two ends.

mod ahead;
mod external;
mod head;
mod intent_queue;
mod on_chip;
mod packet_memory;
mod paged;
mod path_memory;
mod share;

pub use ahead::Ahead;
pub use external::{External, Guard};
pub use head::Head;
pub use intent_queue::IntentQueue;
pub use on_chip::OnChip;
pub use packet_memory::{Descriptor, PacketMemory};
pub use paged::Paged;
pub use path_memory::PathMemory;
pub use share::Share;
