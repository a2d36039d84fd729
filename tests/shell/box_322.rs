//! The shell's side of its 322 MHz box: two MACs on clocks of their own, the registers' master on a third, the resets. Every
//! rule is checked at every edge.

use super::rules::{host, Answers, Check, Resets, Transmit};
use crate::harness::clocks::Clocks;
use crate::harness::Random;
use matchrdma::tables::Mirror;
use matchrdma_rtl::axis;
use matchrdma_rtl::opennic_322_box::Dut;
use matchrdma_sim::engine::{Access, Beat, BusError, Gateway, Tick};
use matchrdma_spec::params::BEAT_BYTES;
use std::collections::VecDeque;

/// Periods in fs: the registers, CMAC 0, CMAC 1. The MACs' oscillators are 150 ppm apart.
pub const PERIODS: [u64; 3] = [8_000_000, 3_103_030, 3_102_565];
const AXIL: usize = 0;
const CLIENT: usize = 1;

/// Words of a port of one lane.
const WORDS: usize = BEAT_BYTES / 4;

/// The box as a gateway: a tick is a cycle of CMAC 0's clock.
pub struct Box322 {
    pub dut: Dut,
    pub clocks: Clocks<3>,
    cycles: u64,
    mirror: Mirror,
    tx: [Transmit; 2],
    resets: Resets,
    writes: Answers,
    reads: Answers,
    /// What each MAC has received and not yet given, `None` for a cycle without a beat.
    given: [VecDeque<Beat>; 2],
    left: [VecDeque<Beat>; 2],
    ready: [bool; 2],
    /// On the bus: the access, whether its address and its data were taken.
    under_way: Option<(Access, bool, bool)>,
    answer: Option<Result<u32, BusError>>,
}

impl Box322 {
    /// Out of the reset at power-up.
    pub fn new() -> Self {
        let mut new = Box322 {
            dut: Dut::new(),
            clocks: Clocks::new(PERIODS, &mut Random::new()),
            cycles: 0,
            mirror: Mirror::powered_up(),
            tx: Default::default(),
            resets: Resets::default(),
            writes: Answers::default(),
            reads: Answers::default(),
            given: Default::default(),
            left: Default::default(),
            ready: [true; 2],
            under_way: None,
            answer: None,
        };
        new.dut.set_mod_rstn(0xff);
        new.dut.set_box_rstn(1);
        // the host's port is noise: nothing of it may matter
        new.dut.set_s_axis_adap_tx_322mhz_tvalid(3);
        new.dut.set_s_axis_adap_tx_322mhz_tlast(1);
        new.dut.eval();
        new.wait_for_reset();
        new
    }

    /// Runs until `mod_rst_done`.
    pub fn wait_for_reset(&mut self) {
        for _ in 0..4000 {
            self.step([true; 2]);
            if self.dut.mod_rst_done() & 1 == 1 && self.resets.rests() {
                // each clock leaves reset by itself
                for _ in 0..40 {
                    self.step([true; 2]);
                }
                return;
            }
        }
        panic!("the plugin stays in reset");
    }

    /// A reset as the shell gives it: low for one cycle of the registers' clock.
    pub fn pulse_reset(&mut self) {
        self.dut.set_mod_rstn(0xfe);
        while self.step([true; 2]) != AXIL {}
        self.dut.set_mod_rstn(0xff);
        self.dut.eval();
    }

    /// The next rising edge: everything is looked at as it stands before it. Gives the clock.
    fn edge(&mut self) -> usize {
        let which = self.clocks.next();
        self.dut.eval();
        let seen = if which == AXIL { self.registers() } else { self.mac(which - CLIENT) };
        seen.unwrap_or_else(|why| panic!("cycle {}: {why}", self.cycles));
        self.raise(which, true);
        self.raise(which, false);
        which
    }

    fn raise(&mut self, which: usize, up: bool) {
        match which {
            AXIL => self.dut.set_axil_aclk(up.into()),
            mac => self.dut.set_cmac_clk(u32::from(up) << (mac - CLIENT)),
        }
        if up {
            self.dut.eval();
        }
    }

    fn offered(&self, lane: usize) -> Option<axis::Beat> {
        let data = self.dut.m_axis_cmac_tx_tdata();
        let keep = self.dut.m_axis_cmac_tx_tkeep();
        (self.dut.m_axis_cmac_tx_tvalid() >> lane & 1 == 1).then(|| axis::Beat {
            data: std::array::from_fn(|w| data[WORDS * lane + w]),
            keep: u64::from(keep[2 * lane]) | u64::from(keep[2 * lane + 1]) << 32,
            last: self.dut.m_axis_cmac_tx_tlast() >> lane & 1 == 1,
            user: self.dut.m_axis_cmac_tx_tuser_err() >> lane & 1,
        })
    }

    /// An edge of a MAC's clock: what it sends, then what it has received next.
    fn mac(&mut self, lane: usize) -> Check {
        host(self.dut.s_axis_adap_tx_322mhz_tready(), self.dut.m_axis_adap_rx_322mhz_tvalid())?;
        if let Some(beat) = self.tx[lane].edge(self.offered(lane), self.ready[lane])? {
            self.left[lane].push_back(from_port(&beat));
        }
        Ok(())
    }

    /// Behind an edge of a MAC's clock: drives its lane for the next.
    fn drive(&mut self, lane: usize, ready: bool) {
        let put = |word: u32, bit: bool| word & !(1 << lane) | u32::from(bit) << lane;
        self.ready[lane] = ready;
        self.dut.set_m_axis_cmac_tx_tready(put(self.dut.m_axis_cmac_tx_tready(), ready));
        let beat = self.given[lane].pop_front();
        self.dut.set_s_axis_cmac_rx_tvalid(put(self.dut.s_axis_cmac_rx_tvalid(), beat.is_some()));
        let Some(beat) = beat else { return };
        let mut data = self.dut.s_axis_cmac_rx_tdata();
        for (word, bytes) in data[WORDS * lane..].iter_mut().zip(beat.data.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let mut keep = self.dut.s_axis_cmac_rx_tkeep();
        let mask = axis::keep(beat.bytes.into());
        (keep[2 * lane], keep[2 * lane + 1]) = (mask as u32, (mask >> 32) as u32);
        self.dut.set_s_axis_cmac_rx_tdata(data);
        self.dut.set_s_axis_cmac_rx_tkeep(keep);
        self.dut.set_s_axis_cmac_rx_tlast(put(self.dut.s_axis_cmac_rx_tlast(), beat.last));
        self.dut.set_s_axis_cmac_rx_tuser_err(put(self.dut.s_axis_cmac_rx_tuser_err(), beat.err));
    }

    /// An edge of the registers' clock.
    fn registers(&mut self) -> Check {
        let d = &self.dut;
        self.resets.edge(d.mod_rstn(), d.mod_rst_done())?;
        let (mut wrote, mut read) = (false, false);
        if let Some((access, address, data)) = &mut self.under_way {
            match access {
                Access::Write(..) => {
                    let before = *address && *data;
                    *address |= d.s_axil_awvalid() == 1 && d.s_axil_awready() == 1;
                    *data |= d.s_axil_wvalid() == 1 && d.s_axil_wready() == 1;
                    wrote = *address && *data && !before;
                }
                Access::Read(_) => {
                    read = d.s_axil_arvalid() == 1 && d.s_axil_arready() == 1;
                    *address |= read;
                }
            }
        }
        let b = (d.s_axil_bvalid() == 1).then(|| (0, d.s_axil_bresp()));
        let r = (d.s_axil_rvalid() == 1).then(|| (d.s_axil_rdata(), d.s_axil_rresp()));
        // taken at once: the master waits for nothing else
        let answer =
            [self.writes.edge(wrote, b, d.s_axil_bready() == 1)?, self.reads.edge(read, r, d.s_axil_rready() == 1)?];
        if let Some((value, response)) = answer.into_iter().flatten().next() {
            let (access, ..) = self.under_way.take().expect("it was asked for");
            self.answer = Some(if response == 0 { Ok(value) } else { Err(failed(access, response)) });
        }
        Ok(())
    }

    /// Behind an edge of the registers' clock: drives the bus for the next.
    fn drive_bus(&mut self) {
        let d = &mut self.dut;
        let (mut aw, mut w, mut ar) = (None, None, None);
        match self.under_way {
            Some((Access::Write(at, value), address, data)) => {
                aw = (!address).then_some(at);
                w = (!data).then_some(value);
            }
            Some((Access::Read(at), address, _)) => ar = (!address).then_some(at),
            None => {}
        }
        // the window's own address stands above the offset
        let window = 0x0020_0000;
        d.set_s_axil_awvalid(aw.is_some().into());
        d.set_s_axil_awaddr(window | u32::from(aw.unwrap_or(0xffff)));
        d.set_s_axil_wvalid(w.is_some().into());
        d.set_s_axil_wdata(w.unwrap_or(0xdead_beef));
        d.set_s_axil_arvalid(ar.is_some().into());
        d.set_s_axil_araddr(window | u32::from(ar.unwrap_or(0xffff)));
        d.set_s_axil_bready(1);
        d.set_s_axil_rready(1);
    }

    /// An edge, and what its clock sees next.
    fn step(&mut self, ready: [bool; 2]) -> usize {
        let which = self.edge();
        match which {
            AXIL => self.drive_bus(),
            mac => self.drive(mac - CLIENT, ready[mac - CLIENT]),
        }
        self.cycles += u64::from(which == CLIENT);
        which
    }

    /// Edges up to and with one of CMAC 0's clock.
    fn cycle(&mut self, ready: [bool; 2]) {
        while self.step(ready) != CLIENT {}
    }

    /// One access while the ports rest.
    pub fn access(&mut self, access: Access) -> Result<u32, BusError> {
        while self.under_way.is_some() {
            self.cycle([true; 2]);
        }
        let kept = self.answer.take();
        self.begin(access);
        for _ in 0..40_000 {
            self.step([true; 2]);
            if let Some(answer) = self.answer.take() {
                self.answer = kept;
                return answer;
            }
        }
        panic!("{access:?} is not answered");
    }

    /// No frame is begun and not ended on a port that sends.
    pub fn rests(&self) -> bool {
        self.tx.iter().all(Transmit::rests)
    }
}

fn failed(access: Access, response: u32) -> BusError {
    let found = format!("response {response}");
    match access {
        Access::Read(addr) => BusError { addr, write: false, found },
        Access::Write(addr, _) => BusError { addr, write: true, found },
    }
}

fn from_port(beat: &axis::Beat) -> Beat {
    let bytes = beat.bytes();
    let mut data = [0; BEAT_BYTES];
    data.chunks_exact_mut(4).zip(beat.data).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    data[bytes..].fill(0);
    Beat { data, bytes: bytes as u8, last: beat.last, err: beat.user & 1 == 1 }
}

impl Gateway for Box322 {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        self.given[0].extend(client_rx);
        self.given[1].extend(line_rx);
        self.cycle([client_ready, line_ready]);
        Tick { client_tx: self.left[0].pop_front(), line_tx: self.left[1].pop_front() }
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.access(Access::Write(addr, value)).map(|_| ())
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.access(Access::Read(addr))
    }

    fn begin(&mut self, access: Access) {
        assert!(self.under_way.is_none(), "one access at a time");
        self.under_way = Some((access, false, false));
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        self.answer.take()
    }

    fn reset(&mut self) {
        self.pulse_reset();
        self.wait_for_reset();
        self.mirror.reset();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn mirror(&mut self) -> &mut Mirror {
        &mut self.mirror
    }
}
