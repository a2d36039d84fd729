//! `icrc` in gates against the model's slow CRC and an independent one. Behind `parse`, as it always is.

use crate::harness::frames::{beats, capture, Beat, Roce};
use crate::harness::front::Front;
use crate::harness::{Random, Stall};
use matchrdma_spec::wire::packet::parse_frame;

/// The end of the packet in every place of a beat, and the end of the frame in the same beat or a later one.
#[test]
fn every_place_of_the_last_byte_is_judged_right() {
    let mut random = Random::new();
    let mut front = Front::new();
    for stall in [Stall::Never, Stall::Half] {
        let (mut all, mut frames) = (vec![], 0);
        for vlans in 0..3 {
            for v6 in [false, true] {
                for payload in 0..200 {
                    let padding = random.pick(&[0, 0, 1, 2, 40, 64, 128, 200]);
                    let mut frame = Roce { v6, vlans, opcode: 0x04, payload, padding }.build(&mut random);
                    all.extend(beats(&frame, None, &mut random));
                    // and the same with one bit changed somewhere under the ICRC
                    let meta = parse_frame(&frame);
                    let bit = 8 * (meta.bth_offset() + 5) as u64
                        + random.below(8 * (frame.len() - padding - meta.bth_offset() - 5) as u64);
                    frame[bit as usize / 8] ^= 1 << (bit % 8);
                    all.extend(beats(&frame, None, &mut random));
                    frames += 1;
                }
            }
        }
        assert_eq!(front.check(&all, stall, &mut random), frames, "good ones");
    }
}

/// Each bit of a frame's headers: those that may change on the way do not count, all others do.
#[test]
fn exactly_the_masked_bits_do_not_count() {
    let mut random = Random::new();
    let mut front = Front::new();
    for vlans in 0..3 {
        for v6 in [false, true] {
            let frame = Roce { v6, vlans, opcode: 0x0a, payload: 33, padding: 5 }.build(&mut random);
            let stream: Vec<Beat> = (0..8 * frame.len())
                .flat_map(|bit| {
                    let mut changed = frame.clone();
                    changed[bit / 8] ^= 1 << (bit % 8);
                    beats(&changed, None, &mut random)
                })
                .collect();
            let good = front.check(&stream, Stall::Never, &mut random);
            // MAC addresses, tags' priorities and VIDs, padding; masked: of IPv4 only the UDP checksum and the BTH's
            // byte, since the rest is under its own checksum; of IPv6 also class, label and hop limit
            let masked = if v6 { 4 + 24 + 8 } else { 0 };
            assert_eq!(
                good,
                8 * (12 + 5) + 16 * vlans + 24 + masked,
                "IPv{} with {vlans} tags",
                if v6 { 6 } else { 4 }
            );
        }
    }
}

/// What may change on the way in IPv4: with the checksum made right again, the frame stays good.
#[test]
fn a_router_may_change_tos_and_ttl() {
    let mut random = Random::new();
    let mut front = Front::new();
    let mut all = vec![];
    for vlans in 0..3 {
        for _ in 0..50 {
            let mut frame = Roce { v6: false, vlans, opcode: 0x08, payload: 100, padding: 0 }.build(&mut random);
            let l3 = 14 + 4 * vlans;
            frame[l3 + 1] = random.bits(8) as u8;
            frame[l3 + 8] = random.bits(8) as u8;
            let sum = matchrdma_spec::wire::ipv4::checksum(&frame[l3..]);
            frame[l3 + 10..l3 + 12].copy_from_slice(&sum.to_be_bytes());
            all.extend(beats(&frame, None, &mut random));
        }
    }
    assert_eq!(front.check(&all, Stall::Never, &mut random), 150);
}

/// The captures' own account of themselves (`tests/vectors/SOURCES.md`).
#[test]
fn captures_hold_as_many_right_ones_as_they_say() {
    let mut random = Random::new();
    let mut front = Front::new();
    // two of bad-icrc's right ones are outside: one has a wrong IPv4 checksum as well
    for (name, right) in [
        ("write-64k-mtu4096.pcap", 85),
        ("ipv6-write.pcap", 25),
        ("small-sizes.pcap", 38),
        ("eth-padding.pcap", 14),
        ("cnp.pcap", 12),
        ("vlan100-pcp3-read.pcap", 45),
        ("bad-icrc.pcap", 7),
    ] {
        let stream: Vec<Beat> = capture(name).iter().flat_map(|f| beats(f, None, &mut random)).collect();
        assert_eq!(front.check(&stream, Stall::Bursts, &mut random), right, "{name}");
    }
}
