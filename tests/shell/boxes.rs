//! The boxes by their pins: OpenNIC's 322 MHz box, and its 250 MHz box.

use super::bench::{Bus, Pins, Shell};
use super::rules::{host, receives, Check, Rules, Tag, OPENNIC};
use matchrdma_rtl::axis;
use matchrdma_rtl::{opennic_250_box, opennic_322_box};

/// Words of a port of one lane.
pub const WORDS: usize = 16;

/// The 322 MHz box. The MACs' oscillators are 150 ppm apart.
pub type Box322 = Shell<opennic_322_box::Dut, 3>;
/// The 250 MHz box.
pub type Box250 = Shell<opennic_250_box::Dut, 2>;

/// Out of the reset at power-up; periods in fs: the registers, CMAC 0, CMAC 1.
pub fn box_322() -> Box322 {
    Shell::new([8_000_000, 3_103_030, 3_102_565])
}

/// Out of the reset at power-up; periods in fs: the registers, the streams.
pub fn box_250() -> Box250 {
    Shell::new([8_000_000, 4_000_000])
}

pub fn put(word: u32, lane: usize, bit: bool) -> u32 {
    word & !(1 << lane) | u32::from(bit) << lane
}

/// The registers' bus has the same names in every box.
macro_rules! bus {
    () => {
        fn bus(&self) -> Bus {
            let b = (self.s_axil_bvalid() == 1).then(|| (0, self.s_axil_bresp()));
            let r = (self.s_axil_rvalid() == 1).then(|| (self.s_axil_rdata(), self.s_axil_rresp()));
            Bus {
                valid: [self.s_axil_awvalid(), self.s_axil_wvalid(), self.s_axil_arvalid()].map(|v| v == 1),
                ready: [self.s_axil_awready(), self.s_axil_wready(), self.s_axil_arready()].map(|r| r == 1),
                answers: [b, r],
            }
        }
        fn drive(&mut self, address: Option<u32>, data: Option<u32>, read: Option<u32>) {
            self.set_s_axil_awvalid(address.is_some().into());
            self.set_s_axil_awaddr(address.unwrap_or(u32::MAX));
            self.set_s_axil_wvalid(data.is_some().into());
            self.set_s_axil_wdata(data.unwrap_or(u32::MAX));
            self.set_s_axil_arvalid(read.is_some().into());
            self.set_s_axil_araddr(read.unwrap_or(u32::MAX));
            self.set_s_axil_bready(1);
            self.set_s_axil_rready(1);
        }
    };
}

impl Pins for opennic_322_box::Dut {
    const RULES: &'static Rules = &OPENNIC;
    const SENDS: &'static [&'static [usize]] = &[&[], &[0], &[1]];
    const WINDOW: u32 = 0x0020_0000;
    fn begin(&mut self) {
        self.set_mod_rstn(0xff);
        self.set_box_rstn(1);
        self.set_s_axis_adap_tx_322mhz_tvalid(3);
        self.set_s_axis_adap_tx_322mhz_tlast(1);
    }
    fn eval(&mut self) {
        self.eval();
    }
    fn raise(&mut self, clock: usize, up: bool) {
        match clock {
            0 => self.set_axil_aclk(up.into()),
            mac => self.set_cmac_clk(u32::from(up) << (mac - 1)),
        }
    }
    fn reset(&mut self, low: bool) {
        self.set_mod_rstn(0xff ^ u32::from(low));
    }
    fn resets(&self) -> (u32, u32, u32) {
        (self.mod_rstn(), self.mod_rst_done(), 0xff)
    }
    fn offered(&self, lane: usize) -> Option<axis::Beat> {
        let (data, keep) = (self.m_axis_cmac_tx_tdata(), self.m_axis_cmac_tx_tkeep());
        (self.m_axis_cmac_tx_tvalid() >> lane & 1 == 1).then(|| axis::Beat {
            data: std::array::from_fn(|w| data[WORDS * lane + w]),
            keep: u64::from(keep[2 * lane]) | u64::from(keep[2 * lane + 1]) << 32,
            last: self.m_axis_cmac_tx_tlast() >> lane & 1 == 1,
            user: self.m_axis_cmac_tx_tuser_err() >> lane & 1,
        })
    }
    fn tag(&self, _: usize) -> Option<Tag> {
        None
    }
    fn rest(&mut self, _: usize, _: Option<&axis::Beat>) -> Check {
        host(self.s_axis_adap_tx_322mhz_tready(), self.m_axis_adap_rx_322mhz_tvalid())
    }
    fn ready(&mut self, lane: usize, ready: bool) {
        self.set_m_axis_cmac_tx_tready(put(self.m_axis_cmac_tx_tready(), lane, ready));
    }
    fn receive(&mut self, lane: usize, beat: Option<&axis::Beat>) {
        self.set_s_axis_cmac_rx_tvalid(put(self.s_axis_cmac_rx_tvalid(), lane, beat.is_some()));
        let Some(beat) = beat else { return };
        let (mut data, mut keep) = (self.s_axis_cmac_rx_tdata(), self.s_axis_cmac_rx_tkeep());
        data[WORDS * lane..][..WORDS].copy_from_slice(&beat.data);
        (keep[2 * lane], keep[2 * lane + 1]) = (beat.keep as u32, (beat.keep >> 32) as u32);
        self.set_s_axis_cmac_rx_tdata(data);
        self.set_s_axis_cmac_rx_tkeep(keep);
        self.set_s_axis_cmac_rx_tlast(put(self.s_axis_cmac_rx_tlast(), lane, beat.last));
        let err = put(self.s_axis_cmac_rx_tuser_err(), lane, beat.user == 1);
        self.set_s_axis_cmac_rx_tuser_err(err);
    }
    bus!();
}

impl Pins for opennic_250_box::Dut {
    const RULES: &'static Rules = &OPENNIC;
    const SENDS: &'static [&'static [usize]] = &[&[], &[0, 1]];
    const WINDOW: u32 = 0x0010_0000;
    fn begin(&mut self) {
        self.set_mod_rstn(0xffff);
        self.set_box_rstn(1);
        self.set_s_axis_qdma_h2c_tvalid(3);
        self.set_s_axis_qdma_h2c_tlast(1);
        self.set_s_axis_adap_rx_250mhz_tuser_src(0x0080_0040);
    }
    fn eval(&mut self) {
        self.eval();
    }
    fn raise(&mut self, clock: usize, up: bool) {
        match clock {
            0 => self.set_axil_aclk(up.into()),
            _ => self.set_axis_aclk(up.into()),
        }
    }
    fn reset(&mut self, low: bool) {
        self.set_mod_rstn(0xffff ^ u32::from(low));
    }
    fn resets(&self) -> (u32, u32, u32) {
        (self.mod_rstn(), self.mod_rst_done(), 0xffff)
    }
    fn offered(&self, lane: usize) -> Option<axis::Beat> {
        let (data, keep) = (self.m_axis_adap_tx_250mhz_tdata(), self.m_axis_adap_tx_250mhz_tkeep());
        (self.m_axis_adap_tx_250mhz_tvalid() >> lane & 1 == 1).then(|| axis::Beat {
            data: std::array::from_fn(|w| data[WORDS * lane + w]),
            keep: u64::from(keep[2 * lane]) | u64::from(keep[2 * lane + 1]) << 32,
            last: self.m_axis_adap_tx_250mhz_tlast() >> lane & 1 == 1,
            user: 0,
        })
    }
    fn tag(&self, lane: usize) -> Option<Tag> {
        let of = |word: u32| word >> (16 * lane) & 0xffff;
        Some(Tag { size: of(self.m_axis_adap_tx_250mhz_tuser_size()), to: of(self.m_axis_adap_tx_250mhz_tuser_dst()) })
    }
    fn rest(&mut self, _: usize, _: Option<&axis::Beat>) -> Check {
        host(self.s_axis_qdma_h2c_tready(), self.m_axis_qdma_c2h_tvalid())?;
        receives(self.s_axis_adap_rx_250mhz_tready())
    }
    fn ready(&mut self, lane: usize, ready: bool) {
        self.set_m_axis_adap_tx_250mhz_tready(put(self.m_axis_adap_tx_250mhz_tready(), lane, ready));
    }
    fn receive(&mut self, lane: usize, beat: Option<&axis::Beat>) {
        self.set_s_axis_adap_rx_250mhz_tvalid(put(self.s_axis_adap_rx_250mhz_tvalid(), lane, beat.is_some()));
        let Some(beat) = beat else { return };
        let (mut data, mut keep) = (self.s_axis_adap_rx_250mhz_tdata(), self.s_axis_adap_rx_250mhz_tkeep());
        data[WORDS * lane..][..WORDS].copy_from_slice(&beat.data);
        (keep[2 * lane], keep[2 * lane + 1]) = (beat.keep as u32, (beat.keep >> 32) as u32);
        self.set_s_axis_adap_rx_250mhz_tdata(data);
        self.set_s_axis_adap_rx_250mhz_tkeep(keep);
        self.set_s_axis_adap_rx_250mhz_tlast(put(self.s_axis_adap_rx_250mhz_tlast(), lane, beat.last));
    }
    bus!();
}
