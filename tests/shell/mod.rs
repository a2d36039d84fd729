//! What stands between the core and a shell, and the whole in a box that plays the shell.

mod box_322;
mod mac_guard;
mod opennic_322;
mod packet_fifo;
mod rules;
