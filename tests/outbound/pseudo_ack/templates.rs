//! Templates: real ACKs of Linux's RoCE stack, and what else an ACK may look like.

use crate::harness::{frames, Random};
use matchrdma_model::ack_filter::Template;

/// Number of tags, and where the BTH of a frame is when it is UDP over IPv4 or IPv6.
fn bth_at(frame: &[u8]) -> Option<(u8, bool, usize)> {
    let tags = if frame[12..14] == [0x81, 0] { 1 } else { 0 };
    let l3 = 14 + 4 * tags;
    match (frame[l3 - 2], frame[l3 - 1], frame[l3]) {
        (8, 0, 0x45) => Some((tags as u8, false, l3 + 28)),
        (0x86, 0xdd, _) => Some((tags as u8, true, l3 + 48)),
        _ => None,
    }
}

/// The template that the gateway keeps of an ACK frame.
pub fn template_of(frame: &[u8], vlans: u8, v6: bool) -> Template {
    let mut header = [0; 90];
    let length = frame.len().min(90);
    header[..length].copy_from_slice(&frame[..length]);
    Template { header, vlans, v6 }
}

/// Every RC ACK with the syndrome that a gateway says, of a capture: the frame and its template.
pub fn real_acks(name: &str) -> Vec<(Vec<u8>, Template)> {
    let acks = frames::capture(&format!("{name}.pcap")).into_iter().filter_map(|frame| {
        let (vlans, v6, bth) = bth_at(&frame)?;
        let is_ack = frame.len() == bth + 20 && frame[bth] == 0x11 && frame[bth + 12] == 0x1f;
        is_ack.then(|| (frame.clone(), template_of(&frame, vlans, v6)))
    });
    acks.collect()
}

/// A real ACK changed in everything that may differ: tags, DSCP, TTL, addresses, UDP port, P_Key, flags; its destination
/// queue pair is `qp`, so that a frame made from it names its flow. Behind the frame there is rubbish.
pub fn any_template(random: &mut Random, qp: u32) -> Template {
    let v6 = random.chance(1, 2);
    let vlans = random.below(3) as u8;
    let plain = real_acks(if v6 { "ipv6-write" } else { "write-16k-mtu1024" })[0].0.clone();
    let mut ip = plain[14..].to_vec();
    let udp = if v6 { 40 } else { 20 };
    if v6 {
        ip[0] = 0x60 | random.bits(4) as u8;
        ip[1..4].copy_from_slice(&random.bytes(3));
        ip[7] = random.bits(8) as u8;
        ip[8..40].copy_from_slice(&random.bytes(32));
    } else {
        ip[1] = random.bits(8) as u8;
        ip[4..6].copy_from_slice(&random.bytes(2));
        ip[8] = random.bits(8) as u8;
        ip[12..20].copy_from_slice(&random.bytes(8));
        ip[10..12].fill(0);
        let sum: u32 = (0..10).map(|i| u32::from(u16::from_be_bytes([ip[2 * i], ip[2 * i + 1]]))).sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        ip[10..12].copy_from_slice(&(!(((sum & 0xffff) + (sum >> 16)) as u16)).to_be_bytes());
    }
    ip[udp..udp + 2].copy_from_slice(&random.bytes(2));
    ip[udp + 6..udp + 8].copy_from_slice(&random.bytes(2));
    let bth = udp + 8;
    ip[bth + 1] = random.bits(8) as u8;
    ip[bth + 2..bth + 5].copy_from_slice(&random.bytes(3));
    ip[bth + 5..bth + 8].copy_from_slice(&qp.to_be_bytes()[1..]);
    ip[bth + 8..].copy_from_slice(&random.bytes(12));
    let mut frame = random.bytes(12);
    for tag in 0..vlans {
        frame.extend(if vlans == 2 && tag == 0 { [0x88, 0xa8] } else { [0x81, 0] });
        frame.extend(random.bytes(2));
    }
    frame.extend(&plain[12..14]);
    frame.extend(ip);
    frame.extend(random.bytes(90));
    template_of(&frame, vlans, v6)
}
