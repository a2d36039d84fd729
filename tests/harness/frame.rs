//! Frames as beats, and intents as bits.

use super::Random;
use matchrdma_model::record::{Intent, Kind};
use matchrdma_spec::params::BEAT_BYTES;

/// The data of one beat, as a 512-bit port takes it.
pub type Word = [u32; 16];

/// One beat of a frame. Bytes beyond its end are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    pub data: Word,
    pub bytes: u32,
    pub first: bool,
    pub last: bool,
}

/// Some bytes as a word, zero beyond their end.
pub fn word(bytes: &[u8]) -> Word {
    let mut padded = [0; BEAT_BYTES];
    padded[..bytes.len()].copy_from_slice(bytes);
    std::array::from_fn(|i| u32::from_le_bytes(padded[4 * i..4 * i + 4].try_into().expect("four bytes")))
}

/// The first bytes of a word.
pub fn bytes(data: Word, count: u32) -> Vec<u8> {
    data.iter().flat_map(|w| w.to_le_bytes()).take(count as usize).collect()
}

/// A frame cut into beats.
pub fn beats(frame: &[u8]) -> Vec<Beat> {
    let count = frame.len().div_ceil(BEAT_BYTES);
    let beat = |(i, chunk): (usize, &[u8])| Beat {
        data: word(chunk),
        bytes: chunk.len() as u32,
        first: i == 0,
        last: i + 1 == count,
    };
    frame.chunks(BEAT_BYTES).enumerate().map(beat).collect()
}

/// `tkeep` of so many bytes.
pub fn keep(bytes: u32) -> u64 {
    u64::MAX.checked_shr(64 - bytes).unwrap_or(0)
}

/// An intent as a 72-bit port takes it: first field at bit 0.
pub fn pack(intent: Intent) -> [u32; 3] {
    let Intent { kind, req, flow, run, psn, msn } = intent;
    let low = kind as u32 | u32::from(req) << 3 | u32::from(flow) << 4 | u32::from(run) << 16 | psn << 24;
    [low, psn >> 8 | msn << 16, msn >> 16]
}

/// Any intent, one in four of them NONE.
pub fn intent(random: &mut Random) -> Intent {
    let kind = if random.chance(1, 4) { Kind::None } else { Kind::of(1 + random.below(5)).expect("five kinds") };
    Intent {
        kind,
        req: random.chance(1, 2),
        flow: random.bits(12) as u16,
        run: random.bits(8) as u8,
        psn: random.bits(24) as u32,
        msn: random.bits(24) as u32,
    }
}

/// The sizes of the stall grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Frames of one beat.
    OneBeat,
    /// One to four beats.
    Few,
    /// A RoCE frame of 4096 bytes of payload.
    Mtu,
    /// Everything up to the longest.
    Any,
}

impl Sizes {
    pub const ALL: [Sizes; 4] = [Sizes::OneBeat, Sizes::Few, Sizes::Mtu, Sizes::Any];

    /// Length of the next frame.
    pub fn draw(self, random: &mut Random) -> usize {
        let between = |low: u64, high: u64, random: &mut Random| (low + random.below(high - low + 1)) as usize;
        match self {
            Sizes::OneBeat => between(60, 64, random),
            Sizes::Few => between(60, 256, random),
            Sizes::Mtu => 4154,
            Sizes::Any => {
                let any = between(60, 9600, random);
                random.pick(&[60, 64, 65, 128, 129, 256, 1500, 4154, 9537, 9600, any])
            }
        }
    }
}
