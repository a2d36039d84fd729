//! The gates as a [`Gateway`]: `hdl`'s top, verilated.

use crate::engine::{Access, Beat, BusError, Gateway, Tick};
use matchrdma::tables::Mirror;
use matchrdma_rtl::axil;
use matchrdma_rtl::axis;
use matchrdma_rtl::gateway::Dut;
use matchrdma_spec::params::BEAT_BYTES;
use std::collections::VecDeque;

/// A register access takes a few cycles; one that is not answered by then never will be.
const ACCESS_CYCLES: u32 = 64;
/// Writes that may be under way at once: one in a cycle is answered in its third.
const WRITES: usize = 4;

/// A verilated gateway, out of reset and in bypass.
pub struct RtlGateway {
    dut: Dut,
    cycles: u64,
    mirror: Mirror,
    /// One access, or a write that is taken and the write behind it.
    under_way: VecDeque<(Access, axil::Access)>,
    answers: VecDeque<Result<u32, BusError>>,
}

impl Default for RtlGateway {
    fn default() -> Self {
        Self::new()
    }
}

impl RtlGateway {
    /// Holds reset for a few cycles, then lets go.
    pub fn new() -> Self {
        let (under_way, answers) = Default::default();
        let mut gateway = Self { dut: Dut::new(), cycles: 0, mirror: Mirror::powered_up(), under_way, answers };
        gateway.reset();
        gateway
    }

    /// Does an access, after the one under way.
    fn access(&mut self, access: Access) -> Result<u32, BusError> {
        while let Some((first, on_bus)) = self.under_way.pop_front() {
            let answer = self.complete(first, on_bus);
            self.answers.push_back(answer);
        }
        self.complete(access, on_bus(access))
    }

    fn complete(&mut self, whole: Access, mut access: axil::Access) -> Result<u32, BusError> {
        self.dut.set_s_axis_client(None);
        self.dut.set_s_axis_line(None);
        self.dut.set_m_axis_client_tready(0);
        self.dut.set_m_axis_line_tready(0);
        for _ in 0..ACCESS_CYCLES {
            access.drive(&mut self.dut);
            self.dut.settle();
            let answer = access.look(&self.dut);
            self.dut.rise();
            self.cycles += 1;
            if let Some(answer) = answer {
                axil::idle(&mut self.dut);
                return answer.map_err(|e| failed(whole, e.to_string()));
            }
        }
        Err(failed(whole, format!("no answer in {ACCESS_CYCLES} cycles")))
    }
}

fn on_bus(access: Access) -> axil::Access {
    match access {
        Access::Read(addr) => axil::Access::read(addr.into()),
        Access::Write(addr, value) => axil::Access::write(addr.into(), value),
    }
}

fn failed(access: Access, found: String) -> BusError {
    match access {
        Access::Read(addr) => BusError { addr, write: false, found },
        Access::Write(addr, _) => BusError { addr, write: true, found },
    }
}

fn to_port(beat: &Beat) -> axis::Beat {
    let mut data = [0; BEAT_BYTES / 4];
    for (word, bytes) in data.iter_mut().zip(beat.data.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let keep = u64::MAX.checked_shr(64 - u32::from(beat.bytes)).unwrap_or(0);
    axis::Beat { data, keep, last: beat.last, user: beat.err.into() }
}

fn from_port(beat: &axis::Beat) -> Beat {
    let bytes = beat.bytes();
    let mut data = [0; BEAT_BYTES];
    for (bytes, word) in data.chunks_exact_mut(4).zip(beat.data) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    // Lanes without tkeep carry no meaning.
    data[bytes..].fill(0);
    Beat { data, bytes: bytes as u8, last: beat.last, err: beat.user & 1 == 1 }
}

impl Gateway for RtlGateway {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client_ready: bool, line_ready: bool) -> Tick {
        self.dut.set_s_axis_client(client_rx.map(to_port).as_ref());
        self.dut.set_s_axis_line(line_rx.map(to_port).as_ref());
        self.dut.set_m_axis_client_tready(client_ready.into());
        self.dut.set_m_axis_line_tready(line_ready.into());
        if let Some((_, newest)) = self.under_way.back() {
            newest.drive(&mut self.dut);
        }
        self.dut.settle();
        if let [_, .., (_, newest)] = self.under_way.make_contiguous() {
            newest.give(&self.dut);
        }
        let answer = self.under_way.front_mut().and_then(|(_, access)| access.look(&self.dut));
        let client_tx = if client_ready { self.dut.m_axis_client().map(|b| from_port(&b)) } else { None };
        let line_tx = if line_ready { self.dut.m_axis_line().map(|b| from_port(&b)) } else { None };
        self.dut.rise();
        if let Some(answer) = answer {
            let access = self.under_way.pop_front().map(|(access, _)| access);
            self.answers.extend(access.map(|access| answer.map_err(|e| failed(access, e.to_string()))));
            axil::idle(&mut self.dut);
        }
        self.cycles += 1;
        Tick { client_tx, line_tx }
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.access(Access::Write(addr, value)).map(|_| ())
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.access(Access::Read(addr))
    }

    fn begin(&mut self, access: Access) {
        let behind = matches!(access, Access::Write(..)) && self.takes_a_write();
        assert!(self.under_way.is_empty() || behind, "one access at a time");
        self.under_way.push_back((access, on_bus(access)));
    }

    fn takes_a_write(&self) -> bool {
        match self.under_way.back() {
            Some((Access::Write(..), newest)) => self.under_way.len() < WRITES && newest.is_taken(),
            _ => false,
        }
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        self.answers.pop_front()
    }

    fn irq(&self) -> bool {
        self.dut.irq() == 1
    }

    fn reset(&mut self) {
        axil::idle(&mut self.dut);
        self.dut.set_s_axis_client(None);
        self.dut.set_s_axis_line(None);
        self.dut.set_m_axis_client_tready(0);
        self.dut.set_m_axis_line_tready(0);
        self.dut.set_rst(1);
        for _ in 0..32 {
            self.dut.tick();
        }
        self.dut.set_rst(0);
        self.cycles = 0;
        self.mirror.reset();
        (self.under_way, self.answers) = Default::default();
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    fn mirror(&mut self) -> &mut Mirror {
        &mut self.mirror
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{bypass, play};
    use matchrdma_spec::regs::id;

    #[test]
    fn it_says_who_it_is_and_passes_a_frame_in_bypass() {
        let mut g = RtlGateway::new();
        assert_eq!(g.read(id::MAGIC.offset).unwrap(), id::MAGIC_VALUE);
        g.write(id::SCRATCH.offset, 0x1234_5678).unwrap();
        assert_eq!(g.read(id::SCRATCH.offset).unwrap(), 0x1234_5678);
        assert!(g.read(0x0ffc).is_err());
        for len in [1, 14, 60, 64, 65, 128, 129, 1500, 4154, 9000] {
            let frame: Vec<u8> = (0..len).map(|i| (i * 7 + 3) as u8).collect();
            assert_eq!(play(&mut g, &frame, true), (vec![], frame.clone()), "{len} out");
            assert_eq!(play(&mut g, &frame, false), (frame, vec![]), "{len} in");
        }
    }

    #[test]
    fn a_beat_in_every_cycle_passes_without_a_gap() {
        for sizes in [&[64usize][..], &[65], &[256], &[4154], &[64, 65, 256, 1500, 4154]] {
            let r = bypass(&mut RtlGateway::new(), sizes, 20_000);
            assert_eq!(r.frames_in, r.frames_out, "{sizes:?}: {r:?}");
            assert_eq!((r.gaps, r.wrong_beats), ([0, 0], [0, 0]), "{sizes:?}: {r:?}");
            assert!(r.pauses.iter().all(|p| *p <= 65), "{sizes:?}: {r:?}");
        }
    }
}
