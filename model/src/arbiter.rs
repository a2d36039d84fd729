//! Inbound 5 of 5: **arbiter**. From `egress`, `pseudo_ack` and `pfc`, to the client.
//!
//! In: what waits on both sides. Out: which goes. Pseudo-ACKs do not wait behind the buffer, but take at most their
//! share of a busy port. Gates: `hdl/src/inbound/arbiter.rs`. Register: `ACK_SHARE_LOG2`.

/// Which side sends a frame next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing waits.
    Nobody,
    /// The frame at the head of egress.
    Egress,
    /// The pseudo-ACK.
    Ack,
    /// The PFC frame.
    Pfc,
}

/// Beats of pseudo-ACKs that credit may be saved for.
pub const CREDIT_BEATS: u32 = 64;

/// The share of pseudo-ACKs in the client port.
#[derive(Clone, Copy, Debug)]
pub struct Arbiter {
    share_log2: u8,
    credit: u32,
}

impl Arbiter {
    /// No credit, at most one part in `2^share_log2` for pseudo-ACKs.
    pub fn new(share_log2: u8) -> Self {
        Arbiter { share_log2, credit: 0 }
    }

    /// Whose turn it is, with an egress frame waiting or not and a pseudo-ACK of so many beats waiting or not.
    /// A pseudo-ACK that goes in front of egress is charged at once.
    pub fn turn(&mut self, egress: bool, ack_beats: Option<u32>) -> Turn {
        match (egress, ack_beats) {
            (false, None) => Turn::Nobody,
            (true, None) => Turn::Egress,
            (false, Some(_)) => Turn::Ack,
            (true, Some(beats)) => match self.credit.checked_sub(beats << self.share_log2) {
                Some(left) => {
                    self.credit = left;
                    Turn::Ack
                }
                None => Turn::Egress,
            },
        }
    }

    /// The same with PFC: a frame of it goes first of all. While the client has paused the lossless class no ACK starts;
    /// `egress` then tells of the rest only.
    pub fn turn_with_pfc(&mut self, pfc: bool, paused: bool, egress: bool, ack_beats: Option<u32>) -> Turn {
        match pfc {
            true => Turn::Pfc,
            false => self.turn(egress, ack_beats.filter(|_| !paused)),
        }
    }

    /// So many beats of egress were sent.
    pub fn sent(&mut self, beats: u32) {
        self.credit = (self.credit + beats).min(CREDIT_BEATS << self.share_log2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_port_sends_whatever_waits() {
        let mut a = Arbiter::new(4);
        assert_eq!(a.turn(false, None), Turn::Nobody);
        assert_eq!(a.turn(false, Some(1)), Turn::Ack);
        assert_eq!(a.turn(true, None), Turn::Egress);
    }

    #[test]
    fn acks_take_their_share_of_a_busy_port_and_no_more() {
        for share_log2 in [0, 1, 4, 8] {
            let mut a = Arbiter::new(share_log2);
            let (mut egress, mut ack) = (0u32, 0u32);
            while egress < 100_000 {
                match a.turn(true, Some(2)) {
                    Turn::Ack => ack += 2,
                    _ => {
                        a.sent(3);
                        egress += 3;
                    }
                }
            }
            let share = egress >> share_log2;
            assert!(ack <= share && ack + 2 + 3 >= share, "{share_log2}: {ack} of {share}");
        }
    }

    #[test]
    fn credit_is_saved_for_64_beats_only() {
        let mut a = Arbiter::new(4);
        a.sent(1_000_000);
        let burst = (0..).take_while(|_| a.turn(true, Some(1)) == Turn::Ack).count();
        assert_eq!(burst, 64);
    }
}
