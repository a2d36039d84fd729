//! Cycle-accurate and long-haul simulation.
//!
//! * [`cli`]: the commands of `matchrdma-sim`, one module each: [`replay`].
//! * [`engine`]: what a gateway is to a simulator, whether of gates or of the model.
//! * [`outdir`]: a result folder that appears whole or not at all.
#![forbid(unsafe_code)]

pub mod bench;
pub mod cli;
pub mod closed_loop;
pub mod configure;
pub mod engine;
pub mod frame;
pub mod host;
pub mod link;
pub mod load;
pub mod outdir;
pub mod replay;
pub mod report;
pub mod rtl_gateway;
pub mod run;
pub mod scenario;
