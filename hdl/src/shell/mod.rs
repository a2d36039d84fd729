//! Between the core and a shell: other clocks, MACs that must not be kept waiting, a reset handshake.

mod axil_cross;
pub mod boards;
mod box_reset;
mod corundum;
mod direct_port;
mod mac_guard;
mod opennic_250;
mod opennic_322;
mod packet_fifo;
pub mod plugin;

pub use axil_cross::AxilCross;
pub use box_reset::BoxReset;
pub use corundum::Corundum;
pub use direct_port::DirectPort;
pub use mac_guard::MacGuard;
pub use opennic_250::OpenNic250;
pub use opennic_322::OpenNic322;
pub use packet_fifo::PacketFifo;
