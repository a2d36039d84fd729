//! Writes captures: pcap with nanoseconds, whole Ethernet frames.

use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, Endianness, PcapError, TsResolution};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Largest frame a reader must expect, bytes: what tcpdump writes for "whole".
const SNAP_LENGTH: u32 = 262_144;

/// A capture being written.
pub struct PcapOut {
    writer: PcapWriter<BufWriter<File>>,
    shown: PathBuf,
}

impl PcapOut {
    /// Writes the header to a new file. Errors call it `shown`.
    pub fn new(file: File, shown: PathBuf) -> Result<Self, String> {
        let header = PcapHeader {
            snaplen: SNAP_LENGTH,
            datalink: DataLink::ETHERNET,
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        match PcapWriter::with_header(BufWriter::new(file), header) {
            Ok(writer) => Ok(PcapOut { writer, shown }),
            Err(e) => Err(failed(&shown, e)),
        }
    }

    /// One frame.
    pub fn frame(&mut self, time_ns: u64, frame: &[u8]) -> Result<(), String> {
        let packet = PcapPacket::new(Duration::from_nanos(time_ns), frame.len() as u32, frame);
        self.writer.write_packet(&packet).map(|_| ()).map_err(|e| failed(&self.shown, e))
    }

    /// Everything is on its way to the disk.
    pub fn finish(self) -> Result<(), String> {
        self.writer.into_writer().flush().map_err(|e| failed(&self.shown, PcapError::IoError(e)))
    }
}

fn failed(shown: &std::path::Path, e: PcapError) -> String {
    match e {
        PcapError::IoError(e) => format!("writing {}: {e}", shown.display()),
        e => format!("writing {}: {e}", shown.display()),
    }
}
