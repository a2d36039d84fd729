//! Packet memory.
