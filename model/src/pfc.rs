//! Inbound, beside 4: **pfc**. From the client port and `back_pressure`, to the `arbiter`.
//!
//! In: frames as they come from the client; whether the gateway holds too much; time, in cycles. Out: which classes the
//! client has paused; PFC frames to it. Gates: `hdl/src/inbound/pfc.rs`. Registers: `PFC_*`.

use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::pfc;

/// What the host sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Obey and send.
    pub enable: bool,
    /// The lossless class.
    pub class: u8,
    /// Quanta that pass in a cycle, in 1/256.
    pub step: u16,
    /// Quanta that an XOFF of ours asks for.
    pub quanta: u16,
    /// Our address.
    pub source: u64,
}

/// PFC on the client port.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pfc {
    settings: Settings,
    /// What is left of each class's pause, quanta in 1/256.
    left: [u32; pfc::CLASSES],
    /// The client was told to stop, and not yet to go on.
    off: bool,
    /// Until XOFF is to be said again, quanta in 1/256.
    again: u32,
}

impl Pfc {
    /// Nothing paused.
    pub fn new(settings: Settings) -> Self {
        Pfc { settings, ..Pfc::default() }
    }

    /// The host set it up.
    pub fn set(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// So many cycles pass.
    pub fn pass(&mut self, cycles: u64) {
        let quanta = u32::try_from(cycles.saturating_mul(self.settings.step.into())).unwrap_or(u32::MAX);
        for left in self.left.iter_mut().chain([&mut self.again]) {
            *left = left.saturating_sub(quanta);
        }
    }

    /// A frame came from the client. For the lossless class: whether it says XOFF (or XON).
    pub fn receive(&mut self, frame: &[u8], mac_error: bool) -> Option<bool> {
        if !self.settings.enable || mac_error || frame.len() > BEAT_BYTES || !pfc::is_pfc(frame) {
            return None;
        }
        let mut whole = [0; pfc::BYTES];
        let length = frame.len().min(pfc::BYTES);
        whole[..length].copy_from_slice(&frame[..length]);
        let (said, enable) = (pfc::Pfc::parse(&whole)?, pfc::ENABLE.get(frame) as u8);
        for (class, time) in said.times().into_iter().enumerate().filter(|(class, _)| enable >> class & 1 == 1) {
            self.left[class] = u32::from(time) << 8;
        }
        let ours = usize::from(self.settings.class);
        Some(said.times()[ours] > 0).filter(|_| enable >> ours & 1 == 1)
    }

    /// The classes that the client has paused, bit n for class n.
    pub fn paused(&self) -> u8 {
        (0..pfc::CLASSES).map(|class| u8::from(self.left[class] > 0) << class).sum()
    }

    /// The lossless class is.
    pub fn held(&self) -> bool {
        self.paused() >> self.settings.class & 1 == 1
    }

    /// What is to be said now, with the gateway holding too much or not: XOFF, XON, or nothing.
    pub fn says(&self, over: bool) -> Option<bool> {
        let over = over && self.settings.enable;
        match (over, self.off) {
            (true, off) => Some(true).filter(|_| !off || self.again == 0),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    /// XOFF (or XON) was sent; the frame.
    pub fn sent(&mut self, stops: bool) -> Vec<u8> {
        let Settings { class, quanta, source, .. } = self.settings;
        self.off = stops;
        let mut times = [0; pfc::CLASSES];
        if stops {
            self.again = u32::from(quanta >> 1) << 8;
            times[usize::from(class)] = quanta;
        }
        emitted(&pfc::Pfc::new(source, 1 << class, times))
    }
}

fn emitted(frame: &pfc::Pfc) -> Vec<u8> {
    let mut bytes = vec![0; pfc::BYTES];
    frame.emit(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings { enable: true, class: 3, step: 256, quanta: 1000, source: 0x0200_0000_0001 };

    fn frame(enable: u8, times: [u16; 8]) -> Vec<u8> {
        emitted(&pfc::Pfc::new(7, enable, times))
    }

    #[test]
    fn each_class_is_paused_for_as_long_as_it_was_said() {
        let mut p = Pfc::new(SETTINGS);
        assert_eq!(p.receive(&frame(0b1010, [9, 5, 9, 7, 9, 9, 9, 9]), false), Some(true));
        assert_eq!((p.paused(), p.held()), (0b1010, true));
        p.pass(4);
        assert_eq!(p.paused(), 0b1010);
        p.pass(1);
        assert_eq!(p.paused(), 0b1000);
        assert_eq!(p.receive(&frame(0b1000, [0; 8]), false), Some(false));
        assert_eq!((p.paused(), p.held()), (0, false));
        assert_eq!(p.receive(&frame(0b0001, [3; 8]), false), None, "another class");
        assert_eq!(p.paused(), 1);
    }

    #[test]
    fn quanta_pass_at_the_step() {
        let mut p = Pfc::new(Settings { step: 200, ..SETTINGS });
        p.receive(&frame(8, [100; 8]), false);
        p.pass(127);
        assert!(p.held());
        p.pass(1);
        assert!(!p.held(), "1.28 cycles each");
    }

    #[test]
    fn only_whole_pfc_frames_without_error_are_obeyed() {
        let mut p = Pfc::new(SETTINGS);
        let said = frame(8, [100; 8]);
        p.receive(&said, true);
        p.receive(&said[..33], false);
        p.receive(&[&said[..], &[0; 5]].concat(), false);
        Pfc::new(Settings { enable: false, ..SETTINGS }).receive(&said, false);
        let mut pause = said.clone();
        pause[15] = 0;
        p.receive(&pause, false);
        assert_eq!(p.paused(), 0);
        p.receive(&said[..34], false);
        assert_eq!(p.paused(), 8);
    }

    #[test]
    fn xoff_is_said_again_before_half_of_it_is_over_and_then_xon() {
        let mut p = Pfc::new(SETTINGS);
        assert_eq!(p.says(false), None);
        assert_eq!(p.says(true), Some(true));
        let off = p.sent(true);
        assert_eq!(off, emitted(&pfc::Pfc::new(SETTINGS.source, 8, [0, 0, 0, 1000, 0, 0, 0, 0])));
        p.pass(499);
        assert_eq!(p.says(true), None);
        p.pass(1);
        assert_eq!(p.says(true), Some(true));
        p.sent(true);
        p.pass(3);
        assert_eq!(p.says(false), Some(false));
        assert_eq!(pfc::Pfc::parse(&p.sent(false)).unwrap().times(), [0; 8]);
        assert_eq!(p.says(false), None);
        assert_eq!(p.says(true), Some(true), "at once, though the last XOFF is not old");
    }
}
