//! Corundum's application block by its pins, with a host that sends frames of its own all the while, and MACs that tell of each
//! frame that they have sent.

use super::bench::{Bus, Pins, Shell};
use super::boxes::{put, WORDS};
use super::completions::{levels, Completions, Host, CORUNDUM};
use super::rules::{Check, Rules, Tag};
use crate::harness::Random;
use matchrdma_rtl::{axis, corundum_app};

/// The application on five clocks: the shell's, then of each MAC its transmit and its receive clock.
pub type App = Shell<Application, 5>;

/// Out of the reset at power-up; periods in fs: the core of the shell, transmit clocks, receive clocks. Each is 100 ppm or more
/// from the others.
pub fn app() -> App {
    Shell::new([4_000_000, 3_103_030, 3_102_565, 3_103_412, 3_102_720])
}

/// Cycles of the shell's clock after which a reset should be over.
const RESET_CYCLES: u32 = 150;

/// What a MAC or the host does by itself on a port.
#[derive(Default)]
struct Port {
    completions: Completions,
    /// What is offered now: beats left of the host's frame, its tag.
    beats: u64,
    tag: u32,
    host_ready: bool,
}

/// The pins, and both sides of the ports that no test drives.
pub struct Application {
    dut: corundum_app::Dut,
    ports: [Port; 2],
    /// Whether each MAC has a completion to tell.
    mac_told: [bool; 2],
    random: Random,
    rst: bool,
    since: u32,
}

impl Default for Application {
    fn default() -> Self {
        Application {
            dut: corundum_app::Dut::new(),
            ports: Default::default(),
            mac_told: [false; 2],
            random: Random::new(),
            rst: false,
            since: 0,
        }
    }
}

impl Application {
    /// Frames of the host's on both ports that it was told of.
    pub fn told(&self) -> [u64; 2] {
        [0, 1].map(|lane| self.ports[lane].completions.told)
    }

    /// A MAC in reset, or out of it.
    pub fn mac_reset(&mut self, lane: usize, high: bool) {
        self.dut.set_direct_rx_rst(put(self.dut.direct_rx_rst(), lane, high));
        self.dut.set_direct_tx_rst(put(self.dut.direct_tx_rst(), lane, high));
    }

    /// The host's next beat on a port, and whether it takes what it is told.
    fn host(&mut self, lane: usize) {
        let port = &mut self.ports[lane];
        if port.beats == 0 && self.random.chance(1, 4) {
            (port.beats, port.tag) = (1 + self.random.below(4), self.random.bits(16) as u32);
        }
        let offers = port.beats > 0;
        port.host_ready = self.random.chance(1, 2);
        let (tag, last, ready) = (port.tag, port.beats == 1, port.host_ready);
        let d = &mut self.dut;
        d.set_s_axis_direct_tx_tvalid(put(d.s_axis_direct_tx_tvalid(), lane, offers));
        d.set_s_axis_direct_tx_tlast(put(d.s_axis_direct_tx_tlast(), lane, last));
        let others = d.s_axis_direct_tx_tuser() & !(0x1ffff << (17 * lane));
        d.set_s_axis_direct_tx_tuser(others | u64::from(tag) << (17 * lane + 1));
        d.set_m_axis_direct_tx_cpl_ready(put(d.m_axis_direct_tx_cpl_ready(), lane, ready));
        d.set_s_axis_direct_tx_cpl_valid(put(d.s_axis_direct_tx_cpl_valid(), lane, self.mac_told[lane]));
        let of_mac = d.s_axis_direct_tx_cpl_tag() & !(0xffff << (16 * lane));
        d.set_s_axis_direct_tx_cpl_tag(of_mac | (u32::from(self.mac_told[lane]) * 0xabc) << (16 * lane));
        self.mac_told[lane] = false;
    }
}

impl Pins for Application {
    const RULES: &'static Rules = &CORUNDUM;
    const SENDS: &'static [&'static [usize]] = &[&[], &[0], &[1], &[], &[]];
    const RECEIVES: &'static [&'static [usize]] = &[&[], &[], &[], &[0], &[1]];
    const WINDOW: u32 = 0;
    fn begin(&mut self) {
        self.dut.set_m_axis_direct_rx_tready(3);
    }
    fn eval(&mut self) {
        self.dut.eval();
    }
    fn raise(&mut self, clock: usize, up: bool) {
        match clock {
            0 => {
                self.dut.set_clk(up.into());
                self.since = if self.rst { 0 } else { self.since + u32::from(up) };
            }
            tx @ 1..=2 => self.dut.set_direct_tx_clk(put(self.dut.direct_tx_clk(), tx - 1, up)),
            rx => self.dut.set_direct_rx_clk(put(self.dut.direct_rx_clk(), rx - 3, up)),
        }
    }
    fn reset(&mut self, low: bool) {
        self.rst = low;
        self.dut.set_rst(low.into());
    }
    /// The shell asks no application whether a reset is over: the bench waits.
    fn resets(&self) -> (u32, u32, u32) {
        ((!self.rst).into(), (!self.rst && self.since > RESET_CYCLES).into(), 1)
    }
    fn offered(&self, lane: usize) -> Option<axis::Beat> {
        let d = &self.dut;
        let (data, keep) = (d.m_axis_direct_tx_tdata(), d.m_axis_direct_tx_tkeep());
        (d.m_axis_direct_tx_tvalid() >> lane & 1 == 1).then(|| axis::Beat {
            data: std::array::from_fn(|w| data[WORDS * lane + w]),
            keep: u64::from(keep[2 * lane]) | u64::from(keep[2 * lane + 1]) << 32,
            last: d.m_axis_direct_tx_tlast() >> lane & 1 == 1,
            user: (d.m_axis_direct_tx_tuser() >> (17 * lane)) as u32 & 1,
        })
    }
    fn tag(&self, _: usize) -> Option<Tag> {
        None
    }
    fn rest(&mut self, lane: usize, sent: Option<&axis::Beat>) -> Check {
        let d = &self.dut;
        levels(d.s_axis_direct_tx_cpl_ready(), d.s_axis_direct_rx_tready(), d.m_axis_direct_rx_tvalid())?;
        let bit = |word: u32| word >> lane & 1 == 1;
        let port = &mut self.ports[lane];
        let (offers, ready) = (port.beats > 0 && bit(d.s_axis_direct_tx_tvalid()), bit(d.s_axis_direct_tx_tready()));
        let tag = d.m_axis_direct_tx_cpl_tag() >> (16 * lane) & 0xffff;
        let told = bit(d.m_axis_direct_tx_cpl_valid()).then_some(tag);
        let (last, taken) = (port.beats == 1, offers && ready);
        port.completions.edge(Host { offers, taken, last, tag: port.tag, told, ready: port.host_ready })?;
        port.beats -= u64::from(taken);
        self.mac_told[lane] = sent.is_some_and(|beat| beat.last);
        Ok(())
    }
    fn ready(&mut self, lane: usize, ready: bool) {
        self.dut.set_m_axis_direct_tx_tready(put(self.dut.m_axis_direct_tx_tready(), lane, ready));
        self.host(lane);
    }
    fn receive(&mut self, lane: usize, beat: Option<&axis::Beat>) {
        let d = &mut self.dut;
        d.set_s_axis_direct_rx_tvalid(put(d.s_axis_direct_rx_tvalid(), lane, beat.is_some()));
        let Some(beat) = beat else { return };
        let (mut data, mut keep) = (d.s_axis_direct_rx_tdata(), d.s_axis_direct_rx_tkeep());
        data[WORDS * lane..][..WORDS].copy_from_slice(&beat.data);
        (keep[2 * lane], keep[2 * lane + 1]) = (beat.keep as u32, (beat.keep >> 32) as u32);
        d.set_s_axis_direct_rx_tdata(data);
        d.set_s_axis_direct_rx_tkeep(keep);
        d.set_s_axis_direct_rx_tlast(put(d.s_axis_direct_rx_tlast(), lane, beat.last));
        // bit 0 of each port's 97
        let mut user = d.s_axis_direct_rx_tuser();
        let (word, at) = (97 * lane / 32, 97 * lane % 32);
        user[word] = put(user[word], at, beat.user == 1);
        d.set_s_axis_direct_rx_tuser(user);
    }
    fn bus(&self) -> Bus {
        let d = &self.dut;
        let b = (d.s_axil_app_ctrl_bvalid() == 1).then(|| (0, d.s_axil_app_ctrl_bresp()));
        let r = (d.s_axil_app_ctrl_rvalid() == 1).then(|| (d.s_axil_app_ctrl_rdata(), d.s_axil_app_ctrl_rresp()));
        let valid = [d.s_axil_app_ctrl_awvalid(), d.s_axil_app_ctrl_wvalid(), d.s_axil_app_ctrl_arvalid()];
        let ready = [d.s_axil_app_ctrl_awready(), d.s_axil_app_ctrl_wready(), d.s_axil_app_ctrl_arready()];
        Bus { valid: valid.map(|v| v == 1), ready: ready.map(|r| r == 1), answers: [b, r] }
    }
    fn drive(&mut self, address: Option<u32>, data: Option<u32>, read: Option<u32>) {
        let d = &mut self.dut;
        d.set_s_axil_app_ctrl_awvalid(address.is_some().into());
        d.set_s_axil_app_ctrl_awaddr(address.unwrap_or(0xff_ffff));
        d.set_s_axil_app_ctrl_wvalid(data.is_some().into());
        d.set_s_axil_app_ctrl_wdata(data.unwrap_or(u32::MAX));
        d.set_s_axil_app_ctrl_wstrb(15);
        d.set_s_axil_app_ctrl_arvalid(read.is_some().into());
        d.set_s_axil_app_ctrl_araddr(read.unwrap_or(0xff_ffff));
        d.set_s_axil_app_ctrl_bready(1);
        d.set_s_axil_app_ctrl_rready(1);
    }
}
