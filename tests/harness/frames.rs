//! Frames: built at random with everything that can be wrong with one, read from captures, cut into beats.

use super::Random;
use matchrdma_spec::wire::{bth, budget, eth, ipv4, ipv6, opcode, udp, vlan};

/// A beat of a receive port.
#[derive(Clone, Debug)]
pub struct Beat {
    pub data: [u32; 16],
    pub keep: u64,
    pub last: bool,
    pub err: bool,
}

/// A frame as beats, with a MAC error in beat `err` if any. The bytes behind its end are whatever was on the bus.
pub fn beats(frame: &[u8], err: Option<usize>, random: &mut Random) -> Vec<Beat> {
    let count = frame.len().div_ceil(64).max(1);
    let beat = |i: usize| {
        let bytes = &frame[64 * i..frame.len().min(64 * i + 64)];
        let mut all: [u8; 64] = random.bytes(64).try_into().unwrap();
        all[..bytes.len()].copy_from_slice(bytes);
        Beat {
            data: std::array::from_fn(|w| u32::from_le_bytes(all[4 * w..4 * w + 4].try_into().unwrap())),
            keep: if bytes.len() == 64 { u64::MAX } else { (1 << bytes.len()) - 1 },
            last: i + 1 == count,
            err: err == Some(i),
        }
    };
    (0..count).map(beat).collect()
}

/// Every frame of a capture in `tests/vectors`.
pub fn capture(name: &str) -> Vec<Vec<u8>> {
    let path = format!("{}/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    super::pcap::read(path.as_ref()).into_iter().map(|captured| captured.frame).collect()
}

/// The names of all captures.
pub fn captures() -> Vec<String> {
    let dir = format!("{}/vectors", env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{dir}: {e}"));
    let mut names: Vec<_> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|n| n.ends_with(".pcap"));
    names.sort();
    assert!(!names.is_empty(), "{dir} has captures");
    names
}

/// The ICRC of the IP packet at `l3`: that of the second opinion, which shares nothing with `spec`.
pub fn icrc(frame: &[u8], l3: usize, ip_len: usize) -> u32 {
    let header = if frame[l3] >> 4 == 6 { ipv6::BYTES } else { ipv4::BYTES };
    super::roce::icrc(&frame[l3..l3 + ip_len - 4], header)
}

/// A RoCEv2 frame without faults, to choose and to spoil.
#[derive(Clone, Debug)]
pub struct Roce {
    pub v6: bool,
    pub vlans: usize,
    pub opcode: u8,
    /// Bytes between extension headers and ICRC.
    pub payload: usize,
    /// Bytes behind the ICRC.
    pub padding: usize,
}

impl Roce {
    /// Any shape and opcode; most are small.
    pub fn any(random: &mut Random) -> Self {
        let opcode = if random.chance(4, 5) { random.bits(5) as u8 } else { random.bits(8) as u8 };
        let payload = match random.below(8) {
            0 => 0,
            1..=4 => random.below(200) as usize,
            5 => random.pick(&[256, 512, 1024, 2048, 4096]),
            _ => random.below(4200) as usize,
        };
        let padding = if random.chance(1, 4) { random.below(150) as usize } else { 0 };
        Roce { v6: random.chance(1, 2), vlans: random.below(3) as usize, opcode, payload, padding }
    }

    /// First byte of the IP header.
    pub fn l3(&self) -> usize {
        eth::BYTES + self.vlans * vlan::BYTES
    }

    /// Bytes of the IP packet.
    pub fn ip_len(&self) -> usize {
        let ip = if self.v6 { ipv6::BYTES } else { ipv4::BYTES };
        ip + udp::BYTES + bth::BYTES + opcode::ext_header_bytes(self.opcode) + self.payload + 4
    }

    /// The frame, with random contents.
    pub fn build(&self, random: &mut Random) -> Vec<u8> {
        let (l3, ip_len) = (self.l3(), self.ip_len());
        let mut frame = random.bytes(l3 + ip_len + self.padding);
        for tag in 0..self.vlans {
            let tpid = random.pick(&[vlan::TPID_CUSTOMER, vlan::TPID_SERVICE]);
            frame[12 + 4 * tag..14 + 4 * tag].copy_from_slice(&tpid.to_be_bytes());
        }
        let ethertype = if self.v6 { eth::TYPE_IPV6 } else { eth::TYPE_IPV4 };
        frame[l3 - 2..l3].copy_from_slice(&ethertype.to_be_bytes());
        let header = if self.v6 { ipv6::BYTES } else { ipv4::BYTES };
        if self.v6 {
            ipv6::VERSION.set(&mut frame[l3..], ipv6::VERSION_6.into());
            ipv6::PAYLOAD_LENGTH.set(&mut frame[l3..], (ip_len - header) as u128);
            ipv6::NEXT_HEADER.set(&mut frame[l3..], ipv6::NEXT_UDP.into());
        } else {
            ipv4::VERSION.set(&mut frame[l3..], ipv4::VERSION_4.into());
            ipv4::IHL.set(&mut frame[l3..], ipv4::IHL_NO_OPTIONS.into());
            ipv4::TOTAL_LENGTH.set(&mut frame[l3..], ip_len as u128);
            let fragment = if random.chance(1, 2) { ipv4::DONT_FRAGMENT } else { 0 };
            ipv4::FLAGS_FRAG.set(&mut frame[l3..], fragment.into());
            ipv4::PROTOCOL.set(&mut frame[l3..], ipv4::PROTO_UDP.into());
            set_checksum(&mut frame[l3..]);
        }
        let udp = &mut frame[l3 + header..];
        udp::DST_PORT.set(udp, udp::PORT_ROCE.into());
        udp::LENGTH.set(udp, (ip_len - header) as u128);
        bth::OPCODE.set(&mut udp[udp::BYTES..], self.opcode.into());
        seal(&mut frame, l3, ip_len);
        frame
    }
}

fn set_checksum(ip: &mut [u8]) {
    let sum = ipv4::checksum(ip);
    ipv4::CHECKSUM.set(ip, sum.into());
}

fn seal(frame: &mut [u8], l3: usize, ip_len: usize) {
    let icrc = icrc(frame, l3, ip_len);
    frame[l3 + ip_len - 4..l3 + ip_len].copy_from_slice(&icrc.to_le_bytes());
}

/// Any frame a port may bring: RoCE that is right, that is damaged, that only looks like it, and anything else.
pub fn any_frame(random: &mut Random) -> Vec<u8> {
    match random.below(20) {
        0..=8 => Roce::any(random).build(random),
        9..=16 => {
            let roce = Roce::any(random);
            let mut frame = roce.build(random);
            spoil(&mut frame, &roce, random);
            frame
        }
        17 => {
            let length = 1 + random.below(60) as usize;
            random.bytes(length)
        }
        18 => {
            let length = 18 + random.below(200) as usize;
            let mut frame = random.bytes(length);
            let ethertype = random.pick(&[0x88b5, 0x8808, 0x0806, 0x8100, 0x88a8, 0x0800, 0x86dd, 0x9100]);
            eth::ETHERTYPE.set(&mut frame, ethertype);
            if random.chance(2, 3) {
                budget::MAGIC.set(&mut frame, budget::MAGIC_VALUE.into());
            }
            if random.chance(1, 4) {
                // a tag before what counts only without
                frame.splice(12..12, [0x81, 0, random.bits(8) as u8, random.bits(8) as u8]);
            }
            frame
        }
        _ => {
            let length = 1 + random.below(9600) as usize;
            random.bytes(length)
        }
    }
}

/// One thing about a frame becomes wrong, or at least unusual.
fn spoil(frame: &mut Vec<u8>, roce: &Roce, random: &mut Random) {
    let (l3, ip_len) = (roce.l3(), roce.ip_len());
    let header = if roce.v6 { ipv6::BYTES } else { ipv4::BYTES };
    let near = |n: usize, random: &mut Random| (n as u64 + random.below(9)).saturating_sub(4) as u128;
    let length = if roce.v6 { ipv6::PAYLOAD_LENGTH } else { ipv4::TOTAL_LENGTH };
    let said = if roce.v6 { ip_len - header } else { ip_len };
    match random.below(14) {
        0 => {
            let bit = random.below(8 * frame.len() as u64) as usize;
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        1 => {
            // one of the first bytes: headers and what the ICRC masks
            let at = random.below(frame.len().min(110) as u64) as usize;
            frame[at] = random.bits(8) as u8;
        }
        2 => {
            let n = near(said, random);
            length.set(&mut frame[l3..], n);
        }
        3 => {
            let n = near(ip_len - header, random);
            udp::LENGTH.set(&mut frame[l3 + header..], n);
        }
        4 | 5 => {
            // both lengths agree and are not those of the frame; sealed when they fit, so only the length is unusual
            let lengths =
                [random.below(80) as usize, said + 4, said.saturating_sub(4), random.bits(16) as usize, 65535];
            let n = random.pick(&lengths);
            length.set(&mut frame[l3..], n as u128);
            let (ip_len, udp_len) = if roce.v6 { (n + header, n) } else { (n, n.wrapping_sub(header) & 0xffff) };
            udp::LENGTH.set(&mut frame[l3 + header..], udp_len as u128);
            if ip_len >= header + udp::BYTES + bth::BYTES + 4 && l3 + ip_len <= frame.len() {
                seal(frame, l3, ip_len);
            }
        }
        6 => {
            let length = 1 + random.below(frame.len() as u64) as usize;
            frame.truncate(length);
        }
        7 if !roce.v6 => ipv4::FLAGS_FRAG.set(&mut frame[l3..], random.bits(16).into()),
        8 if !roce.v6 => ipv4::IHL.set(&mut frame[l3..], random.bits(4).into()),
        9 => frame[l3] = random.bits(8) as u8,
        10 => udp::DST_PORT.set(&mut frame[l3 + header..], (4790 + random.below(3)).into()),
        11 => {
            let tag = random.pick(&[[0x81, 0x00], [0x88, 0xa8], [0x91, 0x00]]);
            frame.splice(12..12, [tag[0], tag[1], random.bits(8) as u8, random.bits(8) as u8]);
        }
        12 => frame.resize(frame.len() + random.below(9600) as usize, 0x5a),
        _ => {
            let at = if roce.v6 { ipv6::NEXT_HEADER } else { ipv4::PROTOCOL };
            at.set(&mut frame[l3..], random.pick(&[0, 6, 17, 43, 44]));
        }
    }
    if !roce.v6 && random.chance(1, 2) && frame.len() >= l3 + ipv4::BYTES {
        set_checksum(&mut frame[l3..]);
    }
}
