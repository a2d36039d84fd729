//! What the gateway says to senders and to the client port when it holds too much, and what the client's pauses do.

use super::Gateway;
use crate::back_pressure::Thresholds;
use crate::ecn;
use crate::pfc::Settings;
use crate::pseudo_ack::CnpClass;
use matchrdma_spec::params::{BEAT_BYTES, PATHS};
use matchrdma_spec::regs::counters::{CLIENT_BYTES_OUT, CLIENT_FRAMES_OUT};

impl Gateway {
    /// Thresholds of a path.
    pub fn set_thresholds(&mut self, path: usize, thresholds: Thresholds) {
        self.back_pressure.set(path, thresholds);
        self.level();
    }

    /// `PFC_*`: flow control on the client port.
    pub fn set_pfc(&mut self, settings: Settings) {
        self.pfc.set(settings);
    }

    /// `PSEUDO_ACK_GAP` and `CNP_*`, times in cycles.
    pub fn set_pace(&mut self, ack_gap: u64, cnp_spacing: u64, class: CnpClass) {
        self.pseudo_ack.set_gap(ack_gap);
        self.pseudo_ack.set_cnp(class, cnp_spacing);
    }

    /// So many cycles pass.
    pub fn pass(&mut self, cycles: u64) {
        self.now += cycles;
        self.pseudo_ack.set_now(self.now);
        self.drain.cycles(cycles, self.inbound.backlog(), self.pfc.held());
        self.pfc.pass(cycles);
    }

    /// The next congestion notification leaves to the client.
    pub fn next_cnp(&mut self) -> Option<Vec<u8>> {
        let frame = self.cnps.pop_front()?;
        self.client_left(&frame);
        Some(frame)
    }

    /// A notification waits.
    pub fn cnp_waits(&self) -> bool {
        !self.cnps.is_empty()
    }

    /// A PFC frame is to go to the client: XOFF or XON.
    pub fn pfc_waits(&self) -> bool {
        self.pfc.says(self.back_pressure.over()).is_some()
    }

    /// The PFC frame that is to go leaves to the client.
    pub fn next_pfc(&mut self) -> Option<Vec<u8>> {
        let stops = self.pfc.says(self.back_pressure.over())?;
        let frame = self.pfc.sent(stops);
        self.client_left(&frame);
        Some(frame)
    }

    /// The client has paused the lossless class.
    pub fn client_paused(&self) -> bool {
        self.pfc.held()
    }

    fn client_left(&mut self, frame: &[u8]) {
        self.counters.add(&CLIENT_FRAMES_OUT, 1);
        self.counters.add(&CLIENT_BYTES_OUT, frame.len() as u64);
    }

    /// A frame to a queue, as it goes into memory.
    pub(super) fn marked(&self, frame: &[u8], queue: usize) -> Vec<u8> {
        let mut frame = frame.to_vec();
        if self.back_pressure.clears_ecn(queue) {
            ecn::clear(&mut frame);
        }
        frame
    }

    /// A frame of an Active flow was committed to a queue: its sender may have to know.
    pub(super) fn notify(&mut self, queue: usize, index: u16) {
        if self.back_pressure.notifies(queue) {
            let run = self.track.rx(index).run;
            self.cnps.extend(self.pseudo_ack.notify(index, run));
        }
    }

    /// Levels move with what memory holds.
    pub(super) fn level(&mut self) {
        for path in 0..PATHS {
            let bytes = self.outbound.held_beats(path) * BEAT_BYTES;
            self.back_pressure.look(path, bytes as u64);
        }
    }
}
