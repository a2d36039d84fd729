//! What OpenNIC's shell wants of a plugin, as checks that see every edge. Each names where the shell says so: file and line of
//! Xilinx/open-nic-shell at 940907f.

use matchrdma_rtl::axis::{Beat, BEAT_BYTES};

/// A rule that was broken, and how.
pub type Check<T = ()> = Result<T, String>;

/// A shell's words for what every shell wants.
pub struct Rules {
    /// A pause inside a frame starves the MAC.
    pub no_pause: &'static str,
    /// A beat waits as it is.
    pub steady: &'static str,
    /// Null bytes stand at the end only.
    pub keep: &'static str,
    /// A frame that the MAC is to spoil.
    pub no_error: &'static str,
    /// The register bus.
    pub axil: &'static str,
}

/// OpenNIC's.
pub const OPENNIC: Rules = Rules {
    no_pause: "tvalid stays up from the first beat of a frame to tlast (README.md:420-422)",
    steady: "a beat that is offered stays until tready (README.md:379, 392, 427)",
    keep: "null bytes only in the last beat, and nothing behind them (README.md:381-384, 424)",
    no_error: "tuser_err marks a frame with an error, and no such frame is sent (README.md:426)",
    axil: "each access is answered once, and stands until it is taken (README.md:369-370, src/box_322mhz/box_322mhz.sv:24-39)",
};
/// The handshake of a reset.
pub const RESET: &str =
    "mod_rst_done falls with a reset and rises when it is over (src/utility/generic_reset.sv:112-130)";
/// Pairs of resets that nobody uses.
pub const UNUSED: &str = "done bits of unused resets are 1, or a system reset never ends \
                          (src/system_config/system_config_register.v:183, plugin/p2p/box_322mhz/user_plugin_322mhz_inst.vh:20-22)";
/// The host's queue must be taken from.
pub const HOST_TX: &str = "what the host sends is taken, or the adapter's queue fills for good (src/packet_adapter/packet_adapter_tx.sv:160-170)";
/// What the adapter is given is a frame.
pub const HOST_RX: &str = "the adapter is given frames only (src/packet_adapter/packet_adapter_rx.sv:25-29)";
/// The receive side of a 250 MHz box may wait, but what is behind it may not for long.
pub const RX: &str =
    "what the adapter has is taken, or it drops frames (src/packet_adapter/packet_adapter_rx.sv:124-125)";
/// The length of a frame beside it.
pub const SIZE: &str =
    "tuser_size is the frame's bytes at every beat: of it the last tkeep is made (README.md:386-388, \
                        src/packet_adapter/packet_adapter_tx.sv:101-102)";
/// Where a frame goes.
pub const TO: &str = "tuser_dst has bit 6+k on the first beat to CMAC k, or the frame is dropped \
                      (src/packet_adapter/packet_adapter_tx.sv:113-114)";
/// An error.
pub fn broken<T>(rule: &str, how: &str) -> Check<T> {
    Err(format!("{how}; the shell's rule: {rule}"))
}

/// A transmit port of a MAC.
pub struct Transmit {
    rules: &'static Rules,
    waiting: Option<Beat>,
    inside: bool,
}

impl Transmit {
    /// By a shell's rules.
    pub fn of(rules: &'static Rules) -> Self {
        Transmit { rules, waiting: None, inside: false }
    }

    /// A rising edge: what is offered, and whether the MAC takes it. Gives the beat that was taken.
    pub fn edge(&mut self, offered: Option<Beat>, ready: bool) -> Check<Option<Beat>> {
        if let Some(waiting) = self.waiting.take() {
            if offered != Some(waiting) {
                let how = if offered.is_none() && self.inside { self.rules.no_pause } else { self.rules.steady };
                return broken(how, "a beat went away or changed while it waited");
            }
        }
        let Some(beat) = offered else {
            return if self.inside { broken(self.rules.no_pause, "a pause inside a frame") } else { Ok(None) };
        };
        let bytes = beat.keep.trailing_ones() as usize;
        if bytes != beat.keep.count_ones() as usize || bytes == 0 || (bytes < BEAT_BYTES && !beat.last) {
            return broken(self.rules.keep, &format!("tkeep {:#x}, tlast {}", beat.keep, beat.last));
        }
        if beat.last && beat.user != 0 {
            return broken(self.rules.no_error, "tuser_err");
        }
        // once tvalid was up the frame has begun
        self.inside = !(beat.last && ready);
        if !ready {
            self.waiting = Some(beat);
            return Ok(None);
        }
        Ok(Some(beat))
    }

    /// Between frames, and nothing waits.
    pub fn rests(&self) -> bool {
        !self.inside && self.waiting.is_none()
    }
}

/// What goes with a beat in the 250 MHz box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// `tuser_size`.
    pub size: u32,
    /// `tuser_dst`.
    pub to: u32,
}

/// The tags of the frames to a MAC.
pub struct Tags {
    lane: usize,
    bytes: u32,
    size: Option<u32>,
}

impl Tags {
    /// Of CMAC `lane`.
    pub fn of(lane: usize) -> Self {
        Tags { lane, bytes: 0, size: None }
    }

    /// A rising edge. A box without tags has none to check.
    pub fn edge(&mut self, offered: Option<&Beat>, tag: Option<Tag>, ready: bool) -> Check {
        let (Some(beat), Some(tag)) = (offered, tag) else { return Ok(()) };
        if self.bytes == 0 && tag.to >> (6 + self.lane) & 1 == 0 {
            return broken(TO, &format!("tuser_dst {:#06x} to CMAC {}", tag.to, self.lane));
        }
        if *self.size.get_or_insert(tag.size) != tag.size {
            return broken(SIZE, "tuser_size changes within a frame");
        }
        if ready {
            self.bytes += beat.keep.count_ones();
            if beat.last && self.bytes != tag.size {
                return broken(SIZE, &format!("tuser_size {} of {} bytes", tag.size, self.bytes));
            }
            if beat.last {
                (self.bytes, self.size) = (0, None);
            }
        }
        Ok(())
    }
}

/// Cycles of the registers' clock after which a reset should be over: the shell's own take 100 and a few.
const RESET_CYCLES: u32 = 200;

/// The reset handshake, on the registers' clock.
#[derive(Default)]
pub struct Resets {
    since: Option<u32>,
    fell: bool,
}

impl Resets {
    /// A rising edge.
    pub fn edge(&mut self, rstn: u32, done: u32, whole: u32) -> Check {
        if done | 1 != whole {
            return broken(UNUSED, &format!("mod_rst_done {done:#04x}"));
        }
        if rstn & 1 == 0 {
            (self.since, self.fell) = (Some(0), false);
            return Ok(());
        }
        let Some(since) = &mut self.since else { return Ok(()) };
        *since += 1;
        self.fell |= done & 1 == 0;
        match (done & 1, self.fell) {
            (1, true) => self.since = None,
            (1, false) if *since > 8 => return broken(RESET, "it never fell"),
            _ if *since > RESET_CYCLES => return broken(RESET, "it does not rise"),
            _ => {}
        }
        Ok(())
    }

    /// No reset is under way.
    pub fn rests(&self) -> bool {
        self.since.is_none()
    }
}

/// Lanes of the host's streams that the plugin leaves alone.
pub fn host(tx_ready: u32, rx_valid: u32) -> Check {
    if tx_ready != 3 {
        return broken(HOST_TX, &format!("tready {tx_ready:#b}"));
    }
    if rx_valid != 0 {
        return broken(HOST_RX, &format!("tvalid {rx_valid:#b}"));
    }
    Ok(())
}

/// Lanes that receive: what waits in front of the box is dropped there when a frame more does not fit.
pub fn receives(ready: u32) -> Check {
    if ready != 3 {
        return broken(RX, &format!("tready {ready:#b}"));
    }
    Ok(())
}

/// Cycles in which an access must be answered: what the core may take, and some.
pub const ANSWER_CYCLES: u32 = 4200;

/// One channel of answers.
pub struct Answers {
    rules: &'static Rules,
    asked: bool,
    cycles: u32,
    waiting: Option<(u32, u32)>,
}

impl Answers {
    /// By a shell's rules.
    pub fn of(rules: &'static Rules) -> Self {
        Answers { rules, asked: false, cycles: 0, waiting: None }
    }

    /// A rising edge: whether an access is taken whole in this cycle, what is answered (data, response), whether that is
    /// taken. Gives the answer that was taken.
    pub fn edge(&mut self, taken: bool, answer: Option<(u32, u32)>, ready: bool) -> Check<Option<(u32, u32)>> {
        if self.waiting.is_some() && answer != self.waiting {
            return broken(self.rules.axil, "an answer went away or changed while it waited");
        }
        if answer.is_some() && !self.asked {
            return broken(self.rules.axil, "an answer that nobody asked for");
        }
        self.cycles += 1;
        if self.asked && answer.is_none() && self.cycles > ANSWER_CYCLES {
            return broken(self.rules.axil, &format!("no answer in {ANSWER_CYCLES} cycles"));
        }
        self.waiting = answer.filter(|_| !ready);
        let done = answer.filter(|_| ready);
        if done.is_some() {
            self.asked = false;
        }
        if taken {
            (self.asked, self.cycles) = (true, 0);
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(keep: u64, last: bool) -> Option<Beat> {
        Some(Beat { data: [keep as u32; 16], keep, last, user: 0 })
    }

    /// Every step but the last holds; the last breaks the rule.
    fn breaks(rule: &str, steps: &[(Option<Beat>, bool)]) {
        let mut port = Transmit::of(&OPENNIC);
        let (last, before) = steps.split_last().unwrap();
        for (offered, ready) in before {
            port.edge(*offered, *ready).unwrap();
        }
        let why = port.edge(last.0, last.1).unwrap_err();
        assert!(why.contains(rule), "{why}");
    }

    const FULL: u64 = u64::MAX;

    #[test]
    fn a_pause_inside_a_frame_is_seen() {
        breaks(OPENNIC.no_pause, &[(beat(FULL, false), true), (None, true)]);
        breaks(OPENNIC.no_pause, &[(beat(FULL, false), true), (None, false)]);
        breaks(OPENNIC.no_pause, &[(beat(FULL, true), false), (None, true)]);
    }

    #[test]
    fn a_beat_that_does_not_wait_is_seen() {
        breaks(OPENNIC.steady, &[(beat(FULL, true), false), (beat(1, true), true)]);
        breaks(OPENNIC.steady, &[(beat(FULL, false), true), (beat(FULL, true), false), (beat(FULL, false), true)]);
    }

    #[test]
    fn null_bytes_in_the_wrong_place_are_seen() {
        breaks(OPENNIC.keep, &[(beat(7, false), true)]);
        breaks(OPENNIC.keep, &[(beat(5, true), true)]);
        breaks(OPENNIC.keep, &[(beat(0, true), true)]);
        breaks(OPENNIC.keep, &[(beat(FULL << 1, true), true)]);
    }

    #[test]
    fn an_error_mark_is_seen() {
        breaks(OPENNIC.no_error, &[(Some(Beat { user: 1, ..beat(FULL, true).unwrap() }), true)]);
    }

    #[test]
    fn a_size_or_a_destination_that_is_wrong_is_seen() {
        let run = |steps: &[(Option<Beat>, u32, u32)]| {
            let mut tags = Tags::of(1);
            steps
                .iter()
                .try_for_each(|(beat, size, to)| tags.edge(beat.as_ref(), Some(Tag { size: *size, to: *to }), true))
        };
        let (full, short) = (beat(FULL, false), beat(7, true));
        assert_eq!(run(&[(full, 67, 0x80), (short, 67, 0), (short, 3, 0x80)]), Ok(()));
        assert!(run(&[(full, 67, 0x40)]).unwrap_err().contains(TO));
        assert!(run(&[(full, 67, 0x80), (short, 67, 0x80), (short, 3, 0)]).unwrap_err().contains(TO));
        assert!(run(&[(full, 128, 0x80), (short, 128, 0x80)]).unwrap_err().contains(SIZE));
        assert!(run(&[(full, 64, 0x80), (short, 67, 0x80)]).unwrap_err().contains(SIZE));
    }

    #[test]
    fn frames_as_they_should_be_pass() {
        let mut port = Transmit::of(&OPENNIC);
        for (offered, ready) in
            [(None, true), (beat(FULL, false), false), (beat(FULL, false), true), (beat(3, true), true), (None, false)]
        {
            port.edge(offered, ready).unwrap();
        }
        assert!(port.rests());
    }

    #[test]
    fn a_reset_that_is_not_told_of_is_seen() {
        let run = |done: &dyn Fn(u32) -> u32| {
            let mut resets = Resets::default();
            (0..1000).find_map(|cycle| resets.edge(u32::from(cycle != 5), done(cycle), 0xff).err())
        };
        assert!(run(&|_| 0xff).unwrap().contains("never fell"));
        assert!(run(&|_| 0xfe).unwrap().contains("does not rise"));
        assert!(run(&|cycle| 0x7e | u32::from(cycle != 7)).unwrap().contains(UNUSED));
        assert_eq!(run(&|cycle| 0xfe | u32::from(!(7..100).contains(&cycle))), None);
    }

    #[test]
    fn a_host_that_is_not_served_is_seen() {
        assert!(host(1, 0).unwrap_err().contains(HOST_TX) && host(3, 2).unwrap_err().contains(HOST_RX));
        assert_eq!(host(3, 0), Ok(()));
        assert!(receives(2).unwrap_err().contains(RX) && receives(3).is_ok());
    }

    #[test]
    fn an_answer_too_many_too_late_or_changed_is_seen() {
        let mut bus = Answers::of(&OPENNIC);
        assert!(bus.edge(false, Some((1, 0)), true).unwrap_err().contains("nobody asked"));
        let mut bus = Answers::of(&OPENNIC);
        bus.edge(true, None, true).unwrap();
        bus.edge(false, Some((1, 0)), false).unwrap();
        assert!(bus.edge(false, Some((2, 0)), true).unwrap_err().contains("changed"));
        let mut bus = Answers::of(&OPENNIC);
        bus.edge(true, None, true).unwrap();
        let late = (0..2 * ANSWER_CYCLES).find_map(|_| bus.edge(false, None, true).err());
        assert!(late.unwrap().contains("no answer"));
        let mut bus = Answers::of(&OPENNIC);
        bus.edge(true, None, true).unwrap();
        assert_eq!(bus.edge(false, Some((7, 0)), true), Ok(Some((7, 0))));
    }
}
