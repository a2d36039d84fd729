//! Traffic of the test: a capture of the Linux kernel's own RoCE stack, played through the gateway's two ports frame by
//! frame. The far side's last ACK never comes, so that a debt grows old and the gates raise a fault.

use crate::run::{root, Done, Failure};
use matchrdma_spec::wire::opcode::ACKNOWLEDGE;
use matchrdma_spec::wire::packet::parse_frame;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Six WRITEs of 16 KiB, acknowledged one by one. The configuration in [`super::steps`] knows its flow.
const CAPTURE: &str = "tests/vectors/write-16k-mtu1024.pcap";
/// A frame that is not through by then is lost.
const PATIENCE: Duration = Duration::from_secs(60);
/// The device's time is fast while frames come; so often a frame of nobody's comes, until the guest is done.
const FILLER_EVERY: Duration = Duration::from_millis(20);
const FILLER: [u8; 60] = [0xee; 60];

fn failed(what: &str, why: impl ToString) -> Failure {
    Failure::new(format!("the traffic of vm-test: {what}"), why.to_string(), "")
}

/// The frames of a capture in the classical format, little-endian.
fn frames(capture: &[u8]) -> Option<Vec<&[u8]>> {
    const MAGIC: [u8; 4] = [0xd4, 0xc3, 0xb2, 0xa1];
    let (head, mut rest) = capture.split_at_checked(24)?;
    let mut frames = Vec::new();
    while !rest.is_empty() {
        let (record, after) = rest.split_at_checked(16)?;
        let bytes = u32::from_le_bytes([record[8], record[9], record[10], record[11]]);
        let (frame, after) = after.split_at_checked(bytes as usize)?;
        frames.push(frame);
        rest = after;
    }
    (head[..4] == MAGIC).then_some(frames)
}

/// A port of the gateway, seen from its peer.
struct Port(UnixStream);

impl Port {
    fn open(socket: &Path) -> Done<Self> {
        let stream = UnixStream::connect(socket).map_err(|e| failed("a port", e))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|e| failed("a port", e))?;
        Ok(Port(stream))
    }

    fn send(&mut self, frame: &[u8]) -> Done {
        let mut bytes = (frame.len() as u32).to_be_bytes().to_vec();
        bytes.extend_from_slice(frame);
        self.0.write_all(&bytes).map_err(|e| failed("sending a frame", e))
    }

    fn receive(&mut self) -> Done<Vec<u8>> {
        let mut length = [0; 4];
        let lost = |e: std::io::Error| match e.kind() {
            ErrorKind::WouldBlock => failed("a frame is lost", format!("none in {} s", PATIENCE.as_secs())),
            _ => failed("receiving a frame", e),
        };
        self.0.read_exact(&mut length).map_err(lost)?;
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut frame).map_err(lost)?;
        Ok(frame)
    }
}

/// Plays the capture, and goes on with fillers until the device is gone. Says what it saw.
pub fn play(client: &Path, line: &Path) -> Done<String> {
    let path = root().join(CAPTURE);
    let capture = fs::read(&path).map_err(|e| failed(CAPTURE, e))?;
    let frames = frames(&capture).ok_or_else(|| failed(CAPTURE, "it is no capture that can be read"))?;
    let near = parse_frame(frames.first().ok_or_else(|| failed(CAPTURE, "it is empty"))?).src_ip;
    let (mut client, mut line) = (Port::open(client)?, Port::open(line)?);
    let from_near = |frame: &&&[u8]| parse_frame(frame).src_ip == near;
    let last = frames.iter().rev().find(from_near).map(|frame| parse_frame(frame).psn);
    let answers = frames.iter().filter(|frame| !from_near(frame)).count();
    let mut answered = 0;
    for frame in &frames {
        if from_near(&frame) {
            client.send(frame)?;
            let out = line.receive()?;
            if out != *frame {
                return Err(failed("a frame changed on its way", format!("PSN {}", parse_frame(frame).psn)));
            }
        } else if answered + 1 < answers {
            answered += 1;
            line.send(frame)?;
            thread::sleep(FILLER_EVERY);
        }
    }
    // The sender has had an ACK of its last packet, though the far side never sent one.
    let mut acks = 0;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let ack = parse_frame(&client.receive()?);
        acks += usize::from(ack.opcode == ACKNOWLEDGE);
        if ack.opcode == ACKNOWLEDGE && Some(ack.psn) == last {
            thread::spawn(move || {
                while client.send(&FILLER).is_ok() {
                    thread::sleep(FILLER_EVERY);
                }
            });
            let sent = frames.len() - answers;
            return Ok(format!(
                "{sent} packets passed unchanged, {acks} ACKs came back, {answered} of them had the far side's word"
            ));
        }
    }
    Err(failed("the last packet", "its sender had no ACK of it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capture_is_there_and_whole() {
        let capture = fs::read(root().join(CAPTURE)).unwrap();
        let all = frames(&capture).unwrap();
        assert_eq!(all.len(), 102);
        let acks = all.iter().filter(|frame| parse_frame(frame).opcode == ACKNOWLEDGE).count();
        assert_eq!(acks, 6);
        assert!(frames(&capture[..capture.len() - 1]).is_none());
    }
}
