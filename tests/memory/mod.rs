//! Packet memory.

mod external;
mod packet_memory;
mod path_memory;
