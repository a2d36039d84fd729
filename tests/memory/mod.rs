//! Packet memory.

mod packet_memory;
