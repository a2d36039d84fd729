//! Classic pcap files, read and written by hand: nothing is shared with the simulator that is tested.

use std::path::Path;

/// A frame and its time, nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    pub time_ns: u64,
    pub frame: Vec<u8>,
}

/// Every frame of a little-endian pcap file, microseconds or nanoseconds.
pub fn read(path: &Path) -> Vec<Captured> {
    let file = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let unit_ns = match word(0) {
        0xa1b2_c3d4 => 1000,
        0xa1b2_3c4d => 1,
        other => panic!("{}: magic {other:#x}", path.display()),
    };
    assert_eq!(word(20), 1, "{}: link type Ethernet", path.display());
    let mut frames = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let (seconds, fraction, kept, length) = (word(at), word(at + 4), word(at + 8), word(at + 12));
        assert_eq!(kept, length, "{}: a whole packet", path.display());
        let time_ns = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * unit_ns;
        frames.push(Captured { time_ns, frame: file[at + 16..at + 16 + kept as usize].to_vec() });
        at += 16 + kept as usize;
    }
    frames
}

/// A pcap file of nanoseconds.
pub fn bytes(frames: &[Captured]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_3c4d, 4 << 16 | 2, 0, 0, 65535, 1u32] {
        file.extend(word.to_le_bytes());
    }
    for Captured { time_ns, frame } in frames {
        let words = [(time_ns / 1_000_000_000) as u32, (time_ns % 1_000_000_000) as u32];
        let lengths = [frame.len() as u32; 2];
        words.into_iter().chain(lengths).for_each(|w| file.extend(w.to_le_bytes()));
        file.extend(frame);
    }
    file
}

/// The same frames as a pcapng file of one section and one interface, microseconds.
pub fn bytes_ng(frames: &[Captured]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = (body.len() + 12) as u32;
        [&kind.to_le_bytes(), &length.to_le_bytes(), body, &length.to_le_bytes()].concat()
    };
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut file = block(0x0a0d_0d0a, &words(&[0x1a2b_3c4d, 1, !0, !0]));
    file.extend(block(1, &words(&[1, 0])));
    for Captured { time_ns, frame } in frames {
        let time = time_ns / 1000;
        let length = frame.len() as u32;
        let mut body = words(&[0, (time >> 32) as u32, time as u32, length, length]);
        body.extend(frame);
        body.resize(body.len().next_multiple_of(4), 0);
        file.extend(block(6, &body));
    }
    file
}
