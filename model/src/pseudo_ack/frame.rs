//! Frames to the sender: the flow's template saying something else.

use crate::ack_filter::Template;
use crate::icrc;
use matchrdma_spec::wire::{aeth, bth, cnp, eth, icrc as icrc_format, ipv4, ipv6, opcode, udp, vlan};

/// Where the IP header begins, how long it is, and where the BTH begins.
fn places(template: &Template) -> (usize, usize, usize) {
    let l3 = eth::BYTES + usize::from(template.vlans) * vlan::BYTES;
    let ip_header_bytes = if template.v6 { ipv6::BYTES } else { ipv4::BYTES };
    (l3, ip_header_bytes, l3 + ip_header_bytes + udp::BYTES)
}

/// An ACK or NAK.
pub fn acknowledgement(template: &Template, psn: u32, syndrome: u8, msn: u32) -> Vec<u8> {
    let (l3, ip_header_bytes, bth_at) = places(template);
    let aeth_at = bth_at + bth::BYTES;
    let end = aeth_at + aeth::BYTES + icrc_format::BYTES;
    let mut frame = template.header[..end].to_vec();
    frame[bth_at + 8] = 0;
    frame[bth_at + 9..aeth_at].copy_from_slice(&psn.to_be_bytes()[1..]);
    frame[aeth_at] = syndrome;
    frame[aeth_at + 1..aeth_at + 4].copy_from_slice(&msn.to_be_bytes()[1..]);
    icrc::seal(&mut frame, l3, ip_header_bytes);
    frame
}

/// How a congestion notification goes through the data centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CnpClass {
    /// Its DSCP.
    pub dscp: u8,
    /// The priority in each of its tags.
    pub pcp: u8,
}

/// A congestion notification: the ACK's way with its own class, BECN set, PSN 0, and sixteen zero bytes for the AETH.
pub fn notification(template: &Template, class: CnpClass) -> Vec<u8> {
    let (l3, ip_header_bytes, bth_at) = places(template);
    let mut frame = template.header[..bth_at + bth::BYTES].to_vec();
    frame.resize(frame.len() + cnp::BYTES + icrc_format::BYTES, 0);
    let (header, packet) = frame.split_at_mut(l3);
    for tag in 0..usize::from(template.vlans) {
        vlan::PCP.set(&mut header[eth::BYTES - 2 + tag * vlan::BYTES + 2..], class.pcp.into());
    }
    let udp_bytes = packet.len() - ip_header_bytes;
    if template.v6 {
        let ecn = ipv6::TRAFFIC_CLASS.get(packet) & 3;
        ipv6::TRAFFIC_CLASS.set(packet, u128::from(class.dscp) << 2 | ecn);
        ipv6::PAYLOAD_LENGTH.set(packet, udp_bytes as u128);
    } else {
        ipv4::DSCP.set(packet, class.dscp.into());
        ipv4::TOTAL_LENGTH.set(packet, (ip_header_bytes + udp_bytes) as u128);
        let sum = ipv4::checksum(packet);
        ipv4::CHECKSUM.set(packet, sum.into());
    }
    udp::LENGTH.set(&mut packet[ip_header_bytes..], udp_bytes as u128);
    let transport = &mut packet[ip_header_bytes + udp::BYTES..];
    bth::OPCODE.set(transport, opcode::CNP.into());
    transport[bth::MASKED_BYTE] = 0;
    bth::BECN.set(transport, 1);
    transport[bth::ACK_REQ.first_byte()..].fill(0);
    icrc::seal(&mut frame, l3, ip_header_bytes);
    frame
}
