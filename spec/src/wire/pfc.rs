//! Priority-based flow control frame (IEEE 802.1Q clause 36, IEEE 802.3 clause 31 and annex 31D), from the destination MAC
//! to the end of its padding: 60 bytes, untagged.

use super::eth;

/// Destination MAC of MAC control frames (IEEE 802.3 31B).
pub const MAC_CONTROL_DST: u64 = 0x0180_c200_0001;
/// Opcode of a PFC frame.
pub const OPCODE_PFC: u16 = 0x0101;
/// Opcode of a PAUSE frame of all classes (IEEE 802.3 annex 31B).
pub const OPCODE_PAUSE: u16 = 0x0001;
/// Classes.
pub const CLASSES: usize = 8;
/// One quantum of a timer, bit times of the port.
pub const QUANTUM_BITS: u32 = 512;

header! {
    /// PFC frame, Ethernet header included.
    Pfc, 60 bytes, "IEEE 802.1Q clause 36";
    /// Destination MAC: 01-80-C2-00-00-01.
    DST dst: u64 = 0, 48;
    /// Source MAC.
    SRC src: u64 = 48, 48;
    /// EtherType: 0x8808.
    ETHERTYPE ethertype: u16 = 96, 16;
    /// MAC control opcode: 0x0101.
    OPCODE opcode: u16 = 112, 16;
    /// Class enable vector, upper byte: zero.
    ENABLE_UPPER enable_upper: u8 = 128, 8;
    /// Class enable vector: bit n says that timer n counts.
    ENABLE enable: u8 = 136, 8;
    /// Timer of class 0, quanta of 512 bit times; 0 = go.
    TIME0 time0: u16 = 144, 16;
    /// Timer of class 1, quanta.
    TIME1 time1: u16 = 160, 16;
    /// Timer of class 2, quanta.
    TIME2 time2: u16 = 176, 16;
    /// Timer of class 3, quanta.
    TIME3 time3: u16 = 192, 16;
    /// Timer of class 4, quanta.
    TIME4 time4: u16 = 208, 16;
    /// Timer of class 5, quanta.
    TIME5 time5: u16 = 224, 16;
    /// Timer of class 6, quanta.
    TIME6 time6: u16 = 240, 16;
    /// Timer of class 7, quanta.
    TIME7 time7: u16 = 256, 16;
    /// Padding: zero.
    PAD_A pad_a: u128 = 272, 128;
    /// Padding: zero.
    PAD_B pad_b: u128 = 400, 80;
}

/// Whether a frame is a PFC frame: EtherType and opcode, with all eight timers there.
pub fn is_pfc(frame: &[u8]) -> bool {
    frame.len() >= TIME7.end_byte()
        && ETHERTYPE.get(frame) == eth::TYPE_MAC_CONTROL as u128
        && OPCODE.get(frame) == OPCODE_PFC as u128
}

impl Pfc {
    /// The eight timers, quanta, class 0 first.
    pub const fn times(&self) -> [u16; CLASSES] {
        [self.time0, self.time1, self.time2, self.time3, self.time4, self.time5, self.time6, self.time7]
    }

    /// A PFC frame from `src`: timer n counts where bit n of `enable` is set.
    pub const fn new(src: u64, enable: u8, times: [u16; CLASSES]) -> Self {
        let [time0, time1, time2, time3, time4, time5, time6, time7] = times;
        Pfc {
            dst: MAC_CONTROL_DST,
            src,
            ethertype: eth::TYPE_MAC_CONTROL,
            opcode: OPCODE_PFC,
            enable_upper: 0,
            enable,
            time0,
            time1,
            time2,
            time3,
            time4,
            time5,
            time6,
            time7,
            pad_a: 0,
            pad_b: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XOFF_CLASS_3: [u8; BYTES] = {
        let mut b = [0; BYTES];
        let head = [0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 0x08, 0x01, 0x01, 0, 0x08];
        let mut i = 0;
        while i < head.len() {
            b[i] = head[i];
            i += 1;
        }
        b[24] = 0xff;
        b[25] = 0xfe;
        b
    };
    golden!(Pfc { time3: 0xfffe, ..Pfc::new(0x0200_0000_0001, 0x08, [0; 8]) }, XOFF_CLASS_3);

    #[test]
    fn only_pfc_frames_are_pfc() {
        assert!(is_pfc(&XOFF_CLASS_3));
        assert!(!is_pfc(&XOFF_CLASS_3[..33]));
        let mut pause = XOFF_CLASS_3;
        OPCODE.set(&mut pause, u128::from(OPCODE_PAUSE));
        assert!(!is_pfc(&pause));
        let times = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(Pfc::new(0, 0xff, times).times(), times);
    }
}
