//! The host's window: AXI4-Lite, registers, counters.

mod axil;
mod control_regs;
mod counter_regs;
mod counters;
mod flow_regs;
mod flow_state_regs;
mod id_regs;
mod known;
mod pacer_regs;
mod rate_regs;
mod reg_file;
mod table_regs;
mod tables;
mod tally;

pub use axil::Axil;
pub use control_regs::ControlRegs;
pub use counter_regs::CounterRegs;
pub use counters::Counters;
pub use flow_regs::FlowRegs;
pub use flow_state_regs::FlowStateRegs;
pub use id_regs::IdRegs;
pub use known::Known;
pub use pacer_regs::PacerRegs;
pub use rate_regs::RateRegs;
pub use reg_file::RegFile;
pub use table_regs::TableRegs;
pub use tables::Tables;
pub use tally::Tally;
