//! What stands between the core and a shell, and the whole in a box that plays the shell.

mod bench;
mod boxes;
mod completions;
mod corundum;
mod corundum_app;
mod mac_guard;
mod opennic;
mod packet_fifo;
mod rules;
mod whole;
