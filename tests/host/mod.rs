//! The register window.

mod axil;
mod event_regs;
mod flow_ages;
mod law_regs;
mod meters;
mod reg_file;
mod tables;
mod timer_regs;
mod upcall;

use matchrdma_rtl::axil::{idle, Slave};
use matchrdma_rtl::reg_file::Dut;

/// The bus says all is well.
pub const OKAY: u8 = 0;
/// The bus refuses.
pub const SLVERR: u8 = 2;

/// Out of reset, the bus at rest.
pub fn fresh() -> Dut {
    let mut dut = Dut::new();
    reset(&mut dut);
    dut
}

/// Some cycles of reset.
pub fn reset(dut: &mut Dut) {
    idle(dut);
    dut.set_rst(1);
    (0..4).for_each(|_| dut.tick());
    dut.set_rst(0);
}

/// When a master does what, in cycles from the start of a write.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    pub address_at: u32,
    pub data_at: u32,
    pub response_at: u32,
}

/// A write at a pace of one's own; the response. Holds the slave to the protocol.
pub fn write(dut: &mut Dut, address: u32, data: u32, strobe: u8, pace: Pace) -> u8 {
    let (mut address_left, mut data_left) = (true, true);
    let mut waiting: Option<u8> = None;
    for cycle in 0..1000 {
        let (offer_address, offer_data) =
            (address_left && cycle >= pace.address_at, data_left && cycle >= pace.data_at);
        dut.set_write_address(offer_address.then_some(address));
        dut.set_write_data(offer_data.then_some((data, strobe)));
        let takes = cycle >= pace.response_at;
        dut.set_ready(takes, false);
        dut.settle();
        let ready = dut.ready();
        let response = dut.write_response();
        assert!(response.is_none() || !(address_left || data_left), "answered before the request was taken");
        assert!(waiting.is_none() || waiting == response, "a response changed or went away before it was taken");
        waiting = response;
        address_left &= !(offer_address && ready.write_address);
        data_left &= !(offer_data && ready.write_data);
        dut.rise();
        if let (Some(response), true) = (response, takes) {
            idle(dut);
            return response;
        }
    }
    panic!("a write to {address:#x} is not answered");
}

/// A read whose answer is taken after `response_at` cycles.
pub fn read(dut: &mut Dut, address: u32, response_at: u32) -> (u32, u8) {
    let mut left = true;
    let mut waiting = None;
    for cycle in 0..1000 {
        dut.set_read_address(left.then_some(address));
        let takes = cycle >= response_at;
        dut.set_ready(false, takes);
        dut.settle();
        let ready = dut.ready();
        let response = dut.read_response();
        assert!(response.is_none() || !left, "answered before the request was taken");
        assert!(waiting.is_none() || waiting == response, "a response changed or went away before it was taken");
        waiting = response;
        left &= !ready.read_address;
        dut.rise();
        if let (Some(response), true) = (response, takes) {
            idle(dut);
            return response;
        }
    }
    panic!("a read at {address:#x} is not answered");
}

/// A plain write.
pub fn put(dut: &mut Dut, address: u16, data: u32) -> u8 {
    write(dut, address.into(), data, 0xf, Pace::default())
}

/// A plain read that is allowed.
pub fn get(dut: &mut Dut, address: u16) -> u32 {
    let (data, response) = read(dut, address.into(), 0);
    assert_eq!(response, OKAY, "{address:#x}");
    data
}
