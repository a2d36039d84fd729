//! Every module that is simulated, synthesised or listed by name: one line each, sorted.

use crate::emit::{emit, Emitted};
use crate::inbound::ack_filter::AckFilter;
use crate::outbound::opcode_class::OpcodeClass;
use crate::outbound::pseudo_ack::PseudoAck;
use crate::outbound::track::Track;
use crate::prim::*;
use matchrdma_spec::hash::{POLY_CASTAGNOLI, POLY_IEEE};

/// Name of a top and the function that emits it.
pub type Top = (&'static str, fn() -> Result<Emitted, String>);

macro_rules! tops {
    ($($name:ident => $build:expr,)*) => {
        /// The registry, by name.
        pub fn tops() -> Vec<Top> {
            let mut tops: Vec<Top> = vec![$((stringify!($name), || emit(stringify!($name), || $build)),)*];
            tops.sort_by_key(|top| top.0);
            tops
        }
    };
}

tops! {
    ack_filter => AckFilter::default(),
    arbiter => crate::inbound::Arbiter::default(),
    arrivals => crate::inbound::Arrivals::default(),
    async_fifo => AsyncFifo::<33, 2, 3>::default(),
    async_fifo_wide => AsyncFifo::<578, 5, 6>::default(),
    axis_slice => AxisSlice::<512, 64, 1>::default(),
    back_pressure => crate::outbound::back_pressure::BackPressure::default(),
    budget_loops => crate::budget::Loops::default(),
    budget_rail => crate::budget::BudgetRail::default(),
    budget_rx => crate::budget::BudgetRx::default(),
    budget_tx => crate::budget::BudgetTx::default(),
    corundum => crate::shell::Corundum::default(),
    crc_advance => CrcAdvance::<POLY_IEEE, 512>::default(),
    crc_castagnoli => CrcData::<312, POLY_CASTAGNOLI, 2>::default(),
    crc_ieee => CrcData::<512, POLY_IEEE, 2>::default(),
    crc_word => CrcData::<32, POLY_IEEE, 1>::default(),
    delay_block => Delay::<40, 8, 200>::default(),
    delay_longest => Delay::<8, 4, 17>::default(),
    delay_lut => Delay::<8, 4, 5>::default(),
    delay_shortest => Delay::<8, 4, 2>::default(),
    departure => crate::outbound::Departure::default(),
    drain => crate::inbound::Drain::default(),
    egress => crate::inbound::Egress::<9, 6, 9, 6>::default(),
    egress_external => crate::inbound::EgressExternal::<12, 9>::default(),
    event_regs => crate::host::EventRegs::default(),
    eights => Eights::<17>::default(),
    ecn => crate::outbound::ecn::Ecn::default(),
    external_memory => crate::memory::External::<8, 6>::default(),
    fifo_block => Fifo::<577, 9>::new(8),
    fifo_lut => Fifo::<36, 4>::new(2),
    forecast => crate::budget::Forecast::default(),
    flow => crate::outbound::flow::Flow::default(),
    front => crate::outbound::front::Front::default(),
    gateway => crate::gateway::Gateway::<14, 12>::default(),
    inbound => crate::inbound::Inbound::<9, 6>::default(),
    icrc => crate::outbound::icrc::Icrc::default(),
    kernel_shapes => crate::lint::shapes::Shapes::default(),
    latency => crate::host::Latency::default(),
    law_regs => crate::host::LawRegs::default(),
    mac_guard => crate::shell::MacGuard::default(),
    meter => crate::host::Meter::<5>::default(),
    meters => crate::host::Meters::default(),
    lut_ram => LutRam::<33, 5>::default(),
    opcode_class => OpcodeClass::default(),
    opennic_250 => crate::shell::OpenNic250::default(),
    opennic_322 => crate::shell::OpenNic322::default(),
    paced_memory => crate::outbound::PacedMemory::default(),
    pacer => crate::outbound::Pacer::default(),
    pacer_bucket => crate::outbound::pacer::Bucket::default(),
    pacer_gains => crate::outbound::pacer::Gains::default(),
    packet_fifo => crate::shell::PacketFifo::default(),
    packet_memory => crate::memory::PacketMemory::<14, 12>::default(),
    packet_memory_small => crate::memory::PacketMemory::<9, 6>::default(),
    parse => crate::outbound::parse::Parse::default(),
    path_memory => crate::memory::PathMemory::default(),
    path_scan => crate::budget::PathScan::default(),
    pfc => crate::inbound::pfc::Pfc::default(),
    pseudo_ack => PseudoAck::default(),
    ram_block => Sdp::<72, 8>::block(),
    ram_lut => Sdp::<33, 5>::distributed(),
    ram_ultra => Sdp::<72, 12>::ultra(),
    rate_estimator => crate::budget::RateEstimator::default(),
    rate_table => crate::budget::RateTable::default(),
    reg_file => crate::host::RegFile::default(),
    reservoir => crate::budget::Reservoir::default(),
    reservoir_divide => crate::budget::reservoir::Divide::default(),
    reservoir_ledger => crate::budget::reservoir::Ledger::default(),
    round_robin => RoundRobin::<17, 5>::default(),
    route => crate::outbound::route::Route::default(),
    seal => crate::budget::Seal::default(),
    swap_window => Swap::<1024>::default(),
    tables => crate::host::Tables::default(),
    timer_regs => crate::host::TimerRegs::default(),
    totals => crate::budget::Totals::default(),
    track => Track::default(),
    unpack => Unpack::<127, crate::record::Rx>::default(),
    upcall => crate::host::Upcall::default(),
    watch => crate::host::Watch::default(),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        assert!(tops().windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn every_top_emits_the_same_text_twice() {
        for (name, emit) in tops() {
            let first = emit().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(first, emit().unwrap(), "{name}");
        }
    }
}
