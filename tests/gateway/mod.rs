//! The whole gateway, verilated.

mod bench;
mod budgets;
mod commits;
mod differential;
mod goodput;
mod hostile;
mod line_rate;
mod live;
mod network;
mod overlap;
mod packets;
mod paths;
mod peers;
mod pressure;
mod shadow;
mod upcall;
