//! Reads captures: pcap and pcapng, whole Ethernet frames in the order of the file.

use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError, TsResolution};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

/// First bytes of a pcapng file: the type of a section header, the same in either byte order.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// First bytes of a pcap file: four magic numbers.
const PCAP: [[u8; 4]; 4] =
    [[0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d], [0x4d, 0x3c, 0xb2, 0xa1]];

/// A frame and when it was captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since the epoch of the file.
    pub time_ns: u64,
    /// From the destination MAC to the end, without FCS.
    pub frame: Vec<u8>,
}

/// An open capture.
pub struct Capture {
    path: PathBuf,
    reader: Reader,
    number: u64,
}

enum Reader {
    Pcap(PcapReader<File>),
    PcapNg(PcapNgReader<File>),
}

impl Capture {
    /// Opens a file and checks that it is a capture of Ethernet frames.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let mut file = File::open(path).map_err(|e| format!("opening the capture {shown}: {e}"))?;
        let mut magic = [0; 4];
        match file.read_exact(&mut magic).and_then(|()| file.rewind()) {
            Err(e) if e.kind() != ErrorKind::UnexpectedEof => return Err(format!("reading the capture {shown}: {e}")),
            Err(_) => return Err(format!("reading {shown}: expected a pcap or pcapng file, found fewer than 4 bytes")),
            Ok(()) => {}
        }
        let truncated = || format!("reading {shown}: the file ends in its header: it is truncated");
        let reader = if magic == PCAPNG {
            Reader::PcapNg(PcapNgReader::new(file).map_err(|e| match e {
                PcapError::IoError(_) => truncated(),
                e => format!("reading {shown}: not a whole pcapng file: {e}"),
            })?)
        } else if PCAP.contains(&magic) {
            let reader = PcapReader::new(file).map_err(|_| truncated())?;
            ethernet(path, reader.header().datalink)?;
            Reader::Pcap(reader)
        } else {
            return Err(format!("reading {shown}: expected a pcap or pcapng file, found the first bytes {magic:02x?}"));
        };
        Ok(Capture { path: path.to_path_buf(), reader, number: 0 })
    }

    /// The next frame.
    pub fn next_packet(&mut self) -> Option<Result<Packet, String>> {
        let Capture { path, reader, number } = self;
        let next = match reader {
            Reader::Pcap(reader) => {
                let ns_per_unit = match reader.header().ts_resolution {
                    TsResolution::MicroSecond => 1000,
                    TsResolution::NanoSecond => 1,
                };
                reader.next_raw_packet()?.map(|p| {
                    let time_ns = u64::from(p.ts_sec) * 1_000_000_000 + u64::from(p.ts_frac) * ns_per_unit;
                    (time_ns, p.orig_len, p.data.into_owned())
                })
            }
            Reader::PcapNg(reader) => loop {
                match next_ng(path, reader)? {
                    Ok(Some(found)) => break Ok(found),
                    Ok(None) => {}
                    Err(Bad::File(e)) => break Err(e),
                    Err(Bad::Said(why)) => return Some(Err(why)),
                }
            },
        };
        *number += 1;
        let at = format!("reading {}: packet {number}", path.display());
        Some(match next {
            Err(PcapError::IoError(e)) if e.kind() == ErrorKind::UnexpectedEof => {
                Err(format!("{at}: the file ends in the middle of it: it is truncated"))
            }
            Err(PcapError::IoError(e)) => Err(format!("{at}: {e}")),
            Err(e) => Err(format!("{at}: {e}")),
            Ok((_, length, frame)) if frame.len() as u64 != u64::from(length) => Err(format!(
                "{at}: expected a whole packet, found {} of its {length} bytes: capture with a larger snap length",
                frame.len()
            )),
            Ok((_, _, frame)) if frame.is_empty() => Err(format!("{at}: it has no bytes")),
            Ok((time_ns, _, frame)) => Ok(Packet { number: *number, time_ns, frame }),
        })
    }
}

impl Iterator for Capture {
    type Item = Result<Packet, String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_packet()
    }
}

enum Bad {
    File(PcapError),
    Said(String),
}

type Found = (u64, u32, Vec<u8>);

/// The next block; `Ok(None)` when it holds no packet.
fn next_ng(path: &Path, reader: &mut PcapNgReader<File>) -> Option<Result<Option<Found>, Bad>> {
    let block = match reader.next_block()? {
        Ok(block) => block.into_owned(),
        Err(e) => return Some(Err(Bad::File(e))),
    };
    let interface = |id: u32| {
        reader.interfaces().get(id as usize).ok_or(Bad::File(PcapError::InvalidInterfaceId(id))).and_then(|i| {
            ethernet(path, i.linktype).map_err(Bad::Said)?;
            Ok(i)
        })
    };
    Some(match block {
        Block::EnhancedPacket(p) => interface(p.interface_id).map(|i| {
            // The reader takes the number of units for nanoseconds, whatever the unit.
            let time_ns = nanoseconds(p.timestamp.as_nanos(), i);
            Some((time_ns, p.original_len, p.data.into_owned()))
        }),
        Block::SimplePacket(p) => interface(0).map(|i| {
            // Its data is padded to whole words, and cut at the snap length of the interface.
            let limit = if i.snaplen == 0 { u32::MAX } else { i.snaplen };
            let mut data = p.data.into_owned();
            data.truncate(p.original_len.min(limit) as usize);
            Some((0, p.original_len, data))
        }),
        Block::Packet(p) => interface(p.interface_id.into())
            .map(|i| Some((nanoseconds(p.timestamp.into(), i), p.original_len, p.data.into_owned()))),
        _ => Ok(None),
    })
}

/// Nanoseconds of a time in units of the interface: microseconds unless it says otherwise.
fn nanoseconds(units: u128, interface: &InterfaceDescriptionBlock) -> u64 {
    let resolution = interface.options.iter().find_map(|o| match o {
        InterfaceDescriptionOption::IfTsResol(r) => Some(*r),
        _ => None,
    });
    let ns = match resolution.unwrap_or(6) {
        binary if binary >= 0x80 => (units * 1_000_000_000) >> (binary & 0x7f),
        decimal @ 0..=9 => units * 10u128.pow(9 - u32::from(decimal)),
        decimal => units / 10u128.pow((u32::from(decimal) - 9).min(38)),
    };
    ns as u64
}

fn ethernet(path: &Path, link: DataLink) -> Result<(), String> {
    match link {
        DataLink::ETHERNET => Ok(()),
        other => Err(format!("reading {}: expected link type Ethernet, found {other:?}", path.display())),
    }
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
