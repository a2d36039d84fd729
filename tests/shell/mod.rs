//! What stands between the core and a shell, and the whole in a box that plays the shell.

mod bench;
mod boxes;
mod mac_guard;
mod opennic;
mod packet_fifo;
mod rules;
