//! Cycle-accurate and long-haul simulation.
//!
//! * [`cli`]: the commands of `matchrdma-sim`, one module each: [`replay`], [`run`], [`report`], [`device`], [`mod@bench`].
//! * [`engine`]: what a gateway is to a simulator; [`rtl_gateway`] and [`model_gateway`] are two.
//! * [`bus`]: a gateway's registers as the host's driver reaches them. [`configure`]: what a host does to a gateway through its registers; [`reads`]: what it reads beside the traffic, for
//!   the watch on what must hold, and [`witness`]: that watch on a gateway; [`watching`]: a gateway that has it always.
//! * [`capture`], [`pcap_out`]: captures in and out.
//! * [`scenario`], [`host`], [`nic`], [`link`], [`closed_loop`], [`setup`]: gateways with senders, receivers and fibres; [`load`]:
//!   ports as full as they can be; [`beside`]: a device whose host works meanwhile; [`commits`]: banked tables that change
//!   meanwhile.
//! * [`device`]: a gateway as a PCI device behind sockets.
//! * [`outdir`]: a result folder that appears whole or not at all. [`progress`]: a bar for long work.
#![forbid(unsafe_code)]

pub mod bench;
pub mod beside;
pub mod bus;
pub mod capture;
pub mod cli;
pub mod closed_loop;
pub mod commits;
pub mod configure;
pub mod dcqcn;
pub mod device;
pub mod engine;
pub mod external_memory;
pub mod frame;
pub mod host;
#[cfg(test)]
mod liar;
pub mod link;
pub mod load;
pub mod model_gateway;
pub mod model_law;
pub mod model_tables;
pub mod net;
pub mod nic;
pub mod outdir;
pub mod pcap_out;
pub mod progress;
pub mod reads;
pub mod replay;
pub mod report;
pub mod rtl_gateway;
pub mod run;
pub mod scenario;
pub mod setup;
pub mod sweep;
pub mod waiting;
pub mod watching;
pub mod witness;
