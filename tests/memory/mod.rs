//! Packet memory.

mod packet_memory;
mod path_memory;
