//! Tests of the reference parse.

use super::packet::samples::{ACK_V4, ACK_V6, CNP_V4, READ_VLAN};
use super::packet::*;

fn changed(frame: &[u8], changes: &[(usize, u8)]) -> Vec<u8> {
    let mut out = frame.to_vec();
    changes.iter().for_each(|(at, byte)| out[*at] = *byte);
    out
}

#[test]
fn a_captured_ack() {
    let want = Meta {
        roce: true,
        ip: true,
        l3_offset: 14,
        src_ip: 0x0a09_0002,
        dst_ip: 0x0a09_0001,
        ip_len: 48,
        ip_ok: true,
        opcode: 0x11,
        dest_qpn: 0x13,
        psn: 0x64_c04d,
        pkey: 0xffff,
        syndrome: 0x1f,
        msn: 1,
        ..Meta::default()
    };
    assert_eq!(parse_frame(&ACK_V4), want);
    assert!(icrc_ok(&ACK_V4, &want));
    assert_eq!((want.udp_offset(), want.bth_offset()), (34, 42));
}

#[test]
fn a_captured_read_request_with_a_tag() {
    let want = Meta {
        roce: true,
        ip: true,
        vlans: 1,
        vlan: 100,
        l3_offset: 18,
        src_ip: 0x0a09_6401,
        dst_ip: 0x0a09_6402,
        ip_len: 60,
        ip_ok: true,
        opcode: 0x0c,
        dest_qpn: 0x15,
        psn: 0x73_b0c6,
        ack_req: true,
        pkey: 0xffff,
        reth_len: 8192,
        ..Meta::default()
    };
    assert_eq!(parse_frame(&READ_VLAN), want);
    let mut two = READ_VLAN.to_vec();
    two.splice(12..12, [0x88, 0xa8, 0xa1, 0x23]);
    assert_eq!(parse_frame(&two), Meta { vlans: 2, vlan: 0x12_3064, l3_offset: 22, ..want });
    two.splice(12..12, [0x81, 0x00, 0, 1]);
    let three = Meta { vlans: 2, vlan: 0x1123, l3_offset: 22, ..Meta::default() };
    assert_eq!(parse_frame(&two), three);
    assert_eq!(parse_frame(&changed(&READ_VLAN, &[(12, 0x91)])), Meta { l3_offset: 14, ..Meta::default() });
}

#[test]
fn a_captured_ipv6_ack_and_a_cnp() {
    let ack = parse_frame(&ACK_V6);
    assert!(ack.roce && ack.v6 && ack.ip_ok && icrc_ok(&ACK_V6, &ack));
    assert_eq!((ack.src_ip & 0xff, ack.dst_ip & 0xff, ack.ip_len, ack.msn), (2, 1, 68, 1));
    let key = ack.flow_key();
    assert_eq!((key.v6, key.vlan, key.src, key.dst, key.qpn), (1, 0, ack.src_ip, ack.dst_ip, 0x12));
    let cnp = parse_frame(&CNP_V4);
    assert!(cnp.roce && cnp.becn && cnp.mig_req && icrc_ok(&CNP_V4, &cnp));
    assert_eq!((cnp.opcode, cnp.dest_qpn, cnp.psn, cnp.payload), (0x81, 0x0a11, 0, 0));
}

#[test]
fn a_cut_frame_is_not_roce_and_padding_does_not_matter() {
    for (frame, l3, header) in [(&ACK_V4[..], 14, 20), (&READ_VLAN[..], 18, 20), (&ACK_V6[..], 14, 40)] {
        for len in 0..frame.len() {
            let meta = parse_frame(&frame[..len]);
            let ip = len >= l3 + header;
            assert_eq!((meta.roce, meta.ip), (false, ip), "{len}");
            let tags = u8::from(l3 == 18 && len >= 18);
            assert_eq!(
                (meta.vlans, usize::from(meta.l3_offset)),
                (tags, if len < 14 { 0 } else { 14 + 4 * usize::from(tags) })
            );
        }
        let mut padded = frame.to_vec();
        padded.extend([0xff; 9]);
        assert_eq!(parse_frame(&padded), parse_frame(frame));
        assert!(icrc_ok(&padded, &parse_frame(&padded)));
    }
}

#[test]
fn what_is_not_roce_is_only_routed() {
    let routed = Meta { ip: true, l3_offset: 14, src_ip: 0x0a09_0002, dst_ip: 0x0a09_0001, ..Meta::default() };
    let cases: [(&str, &[(usize, u8)]); 11] = [
        ("options", &[(14, 0x46)]),
        ("header length 4", &[(14, 0x44)]),
        ("more fragments", &[(20, 0x20)]),
        ("fragment offset", &[(21, 1)]),
        ("tcp", &[(23, 6)]),
        ("other port", &[(37, 0xb8)]),
        ("udp length", &[(39, 0x1b)]),
        ("longer than the frame", &[(17, 0x31), (39, 0x1d)]),
        ("no room for the AETH", &[(17, 0x2f), (39, 0x1b)]),
        ("no room for the BTH", &[(17, 0x2b), (39, 0x17), (42, 0)]),
        ("no room at all", &[(17, 0x13), (39, 0xff)]),
    ];
    for (name, changes) in cases {
        assert_eq!(parse_frame(&changed(&ACK_V4, changes)), routed, "{name}");
    }
    let bytes = [(14, 0x65)];
    assert_eq!(parse_frame(&changed(&ACK_V4, &bytes)), Meta { l3_offset: 14, ..Meta::default() });
    let hop_by_hop = parse_frame(&changed(&ACK_V6, &[(20, 0)]));
    assert!(!hop_by_hop.roce && hop_by_hop.v6 && hop_by_hop.dst_ip & 0xff == 1 && hop_by_hop.ip_len == 0);
    let huge = parse_frame(&changed(&ACK_V6, &[(18, 0xff), (19, 0xf4), (58, 0xff), (59, 0xf4)]));
    assert!(!huge.roce);
}

#[test]
fn lengths_of_payloads() {
    // The ACK as a SEND ONLY: four bytes of payload, of which pad_count are none.
    for pad in 0..4u8 {
        let meta = parse_frame(&changed(&ACK_V4, &[(42, 0x04), (43, pad << 4)]));
        assert_eq!((meta.payload, meta.pad_count, meta.syndrome, meta.msn), (4 - u16::from(pad), pad, 0, 0));
    }
    // As an ACK its payload is empty, and padding does not make it negative.
    assert_eq!(parse_frame(&changed(&ACK_V4, &[(43, 0x30)])).payload, 0);
    // Unknown RC opcodes have no extension headers; other transports no payload.
    assert_eq!(parse_frame(&changed(&ACK_V4, &[(42, 0x15)])).payload, 4);
    assert_eq!(parse_frame(&changed(&ACK_V4, &[(42, 0x24)])).payload, 0);
    // DMA length only where the RETH follows the BTH.
    for op in 0..=255u8 {
        let meta = parse_frame(&changed(&READ_VLAN, &[(46, op)]));
        let roce = !matches!(op, 0x0b | 0x13 | 0x14 | 0x1c);
        assert_eq!(meta.roce, roce, "{op:#x}");
        let has = roce && matches!(op, 0x06 | 0x0a | 0x0b | 0x0c);
        assert_eq!(meta.reth_len, if has { 8192 } else { 0 }, "{op:#x}");
    }
}

#[test]
fn a_wrong_header_checksum_shows_and_is_still_roce() {
    let meta = parse_frame(&changed(&ACK_V4, &[(25, 0)]));
    assert!(meta.roce && !meta.ip_ok);
}

#[test]
fn budget_frames_are_untagged() {
    let mut frame = vec![0u8; 64];
    frame[12..18].copy_from_slice(&[0x88, 0xb5, 0x4d, 0x52, 0x42, 0x47]);
    assert_eq!(parse_frame(&frame), Meta { budget: true, l3_offset: 14, ..Meta::default() });
    assert!(!parse_frame(&frame[..17]).budget);
    frame.splice(12..12, [0x81, 0x00, 0, 0]);
    assert!(!parse_frame(&frame).budget);
}

#[test]
fn mac_control_frames_are_untagged() {
    let mut frame = vec![0u8; 60];
    frame[12..14].copy_from_slice(&[0x88, 0x08]);
    assert_eq!(parse_frame(&frame), Meta { mac_control: true, l3_offset: 14, ..Meta::default() });
    frame.splice(12..12, [0x81, 0x00, 0, 0]);
    assert!(!parse_frame(&frame).mac_control);
}

#[test]
fn an_ipv6_packet_of_64_kib_or_more_is_not_roce() {
    let with_payload = |bytes: u16| {
        let mut frame = ACK_V6.to_vec();
        frame.resize(14 + 40 + usize::from(bytes), 0);
        frame[18..20].copy_from_slice(&bytes.to_be_bytes());
        frame[58..60].copy_from_slice(&bytes.to_be_bytes());
        parse_frame(&frame)
    };
    assert_eq!(with_payload(65495).ip_len, u16::MAX);
    assert!(!with_payload(65496).roce && with_payload(65496).ip);
}
