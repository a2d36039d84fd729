//! Congestion notifications: what they are, by a builder that shares nothing with gates and model, and how often they come.

use super::bench::{Bench, Seen};
use super::templates::any_template;
use super::{activate, back, rx, say, Kind};
use crate::harness::{acknowledgement, pcap, roce, Random, Stall};
use matchrdma_model::ack_filter::Template;
use matchrdma_model::pseudo_ack::{notification, CnpClass};
use matchrdma_spec::wire::ipv4;
use std::collections::BTreeMap;

/// A notification put together by hand: headers of the ACK, lengths and class new, sixteen zeros.
fn by_hand(template: &Template, dscp: u8, pcp: u8) -> Vec<u8> {
    let l3 = 14 + 4 * usize::from(template.vlans);
    let mut ethernet = template.header[..l3].to_vec();
    for tag in 0..usize::from(template.vlans) {
        ethernet[14 + 4 * tag] = ethernet[14 + 4 * tag] & 0x1f | pcp << 5;
    }
    let old = &template.header[l3..];
    let udp_at = if template.v6 { 40 } else { 20 };
    let mut ip = old[..udp_at + 8 + 12].to_vec();
    ip.extend([0; 16]);
    if template.v6 {
        ip[0] = 0x60 | dscp >> 2;
        ip[1] = dscp << 6 | ip[1] & 0x3f;
        ip[4..6].copy_from_slice(&[0, 40]);
    } else {
        ip[1] = dscp << 2 | ip[1] & 3;
        ip[2..4].copy_from_slice(&[0, 60]);
        ip[10..12].fill(0);
        let mut sum: u32 = (0..10).map(|i| u32::from(ip[2 * i]) << 8 | u32::from(ip[2 * i + 1])).sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        ip[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    }
    ip[udp_at + 4..udp_at + 6].copy_from_slice(&[0, 40]);
    let bth = udp_at + 8;
    ip[bth] = 0x81;
    ip[bth + 4] = 0x40;
    ip[bth + 8..bth + 12].fill(0);
    let crc = roce::icrc(&ip, udp_at);
    ip.extend(crc.to_le_bytes());
    [ethernet, ip].concat()
}

/// The destination queue pair of a notification.
fn qp(frame: &[u8]) -> u16 {
    let said = roce::parse(frame).expect("RoCE");
    assert!(said.icrc_ok && said.checksum_ok, "{frame:02x?}");
    assert_eq!((said.opcode, said.ack_req, said.psn, said.padding), (0x81, false, 0, 0));
    said.qpn as u16
}

fn pass(bench: &mut Bench, cycles: u32, random: &mut Random) {
    (0..cycles).for_each(|_| bench.step(random));
}

/// Every shape of a template, every class: the frame is the one made by hand, and the model's.
#[test]
fn a_notification_is_the_one_made_by_hand() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 9);
    let mut shapes = BTreeMap::new();
    let mut captured = Vec::new();
    for round in 0..3000u64 {
        let template = any_template(&mut random, 9);
        let (dscp, pcp) = (random.bits(6) as u8, random.bits(3) as u8);
        bench.set_pace(0, 0, dscp, pcp);
        bench.write_template(9, &template);
        bench.step(&mut random);
        bench.notify(9, 1);
        bench.sink = random.pick(&[Stall::Never, Stall::Half, Stall::Bursts]);
        bench.step(&mut random);
        bench.idle(&mut random);
        let frame = by_hand(&template, dscp, pcp);
        let seen = std::mem::take(&mut bench.seen);
        assert_eq!(seen, [Seen { frame: frame.clone(), nak: false, cnp: true }], "round {round}");
        assert_eq!(notification(&template, CnpClass { dscp, pcp }), frame);
        assert_eq!(qp(&frame), 9);
        *shapes.entry((template.v6, template.vlans)).or_insert(0) += 1;
        captured.push(pcap::Captured { time_ns: round, frame });
    }
    assert_eq!(shapes.len(), 6, "{shapes:?}");
    // of the source ports that RoCE senders take: another may be the port of something else
    captured.retain(|one: &pcap::Captured| roce::parse(&one.frame).is_some_and(|said| said.src_port >= 0xc000));
    wireshark(&captured);
}

/// Every IPv4 identification there is, so that every carry of the checksum's sum comes about.
#[test]
fn every_checksum_comes_right() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 9);
    let mut template = any_template(&mut random, 9);
    while template.v6 {
        template = any_template(&mut random, 9);
    }
    let (dscp, pcp) = (random.bits(6) as u8, random.bits(3) as u8);
    bench.set_pace(0, 0, dscp, pcp);
    let l3 = 14 + 4 * usize::from(template.vlans);
    for id in 0..=u16::MAX {
        template.header[l3 + 4..l3 + 6].copy_from_slice(&id.to_be_bytes());
        let sum = ipv4::checksum(&template.header[l3..l3 + 20]);
        template.header[l3 + 10..l3 + 12].copy_from_slice(&sum.to_be_bytes());
        bench.write_template(9, &template);
        bench.step(&mut random);
        bench.notify(9, 1);
        bench.step(&mut random);
        bench.idle(&mut random);
        let seen = std::mem::take(&mut bench.seen);
        assert_eq!(seen, [Seen { frame: by_hand(&template, dscp, pcp), nak: false, cnp: true }], "{id:#x}");
    }
}

/// What Wireshark reads in them, where it is installed.
fn wireshark(captured: &[pcap::Captured]) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("cnp.pcap");
    std::fs::write(&path, pcap::bytes(captured)).unwrap();
    let fields = ["infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.a", "infiniband.bth.psn"];
    let more = ["ip.checksum.status", "_ws.malformed"];
    let mut args = vec!["-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=,", "-E", "occurrence=f"];
    fields.iter().chain(&more).for_each(|f| args.extend(["-e", f]));
    let run = match std::process::Command::new("tshark").arg("-r").arg(&path).args(&args).output() {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            println!("tshark is not installed: skipped; try: apt-get install tshark");
            return;
        }
        run => run.expect("tshark starts"),
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(text.lines().count(), captured.len());
    for (line, one) in text.lines().zip(captured) {
        let v6 = roce::parse(&one.frame).unwrap().v6;
        let checksum = if v6 { "" } else { "1" };
        let found: Vec<&str> = line.split(',').collect();
        assert!(["0", "False"].contains(&found[2]), "{line}");
        assert_eq!(
            [found[0], found[1], found[3], found[4], found[5]],
            ["129", "0x000009", "0", checksum, ""],
            "{line}"
        );
    }
}

/// Whatever is asked, two notifications to one sender keep their distance, and no sender is forgotten.
#[test]
fn notifications_keep_their_distance_flow_by_flow() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    let flows: Vec<u16> = (0..24).map(|i| i * 170).collect();
    for &flow in &flows {
        activate(&mut bench, &mut random, flow);
    }
    for spacing in [1u32, 700, 5000] {
        bench.set_pace(0, spacing, 48, 6);
        pass(&mut bench, spacing + 10, &mut random);
        let mut last = BTreeMap::new();
        let mut counts = BTreeMap::new();
        let cycles = 12 * spacing.max(1000);
        for _ in 0..cycles {
            bench.notify(random.pick(&flows), 1);
            bench.step(&mut random);
            for seen in bench.seen.drain(..) {
                let (flow, now) = (qp(&seen.frame), bench.cycle);
                if let Some(before) = last.insert(flow, now) {
                    // the frame before may have waited behind others
                    assert!(now - before + 64 >= u64::from(spacing), "flow {flow}: {before}, {now}");
                }
                *counts.entry(flow).or_insert(0u32) += 1;
            }
        }
        println!("spacing {spacing}: {counts:?}");
        assert_eq!(counts.len(), flows.len());
        let most = 1 + cycles / spacing;
        assert!(counts.values().all(|&n| n <= most && (spacing < 1000 || n >= most / 2)), "{most}: {counts:?}");
        bench.idle(&mut random);
        bench.seen.clear();
    }
}

/// One flow asked in every cycle is notified once per spacing, to the cycle.
#[test]
fn a_sender_that_is_always_asked_for_is_notified_at_its_spacing() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 4000);
    bench.set_pace(0, 1000, 48, 6);
    let mut times = Vec::new();
    for _ in 0..10_000 {
        bench.notify(4000, 1);
        bench.step(&mut random);
        times.extend(bench.seen.drain(..).map(|_| bench.cycle));
    }
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    println!("{gaps:?}");
    assert!(gaps.len() >= 8 && gaps.iter().all(|gap| (1000..1010).contains(gap)), "{gaps:?}");
}

/// A flow whose template may be another's, that has failed, or was another one when its frame was admitted, is not notified.
#[test]
fn only_a_flow_with_a_template_of_its_own_is_notified() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    activate(&mut bench, &mut random, 7);
    let asked = |bench: &mut Bench, random: &mut Random, run: u8| {
        pass(bench, 10, random);
        bench.notify(7, run);
        bench.step(random);
        bench.idle(random);
        std::mem::take(&mut bench.seen).len()
    };
    assert_eq!(asked(&mut bench, &mut random, 1), 1);
    assert_eq!(asked(&mut bench, &mut random, 2), 0);
    bench.write_back(7, matchrdma_model::record::Back { active: false, ..back(1) });
    assert_eq!(asked(&mut bench, &mut random, 1), 0);
    // It was Active once: its template is its own, in whatever state it is.
    let mould = matchrdma_model::record::Rx { mould: true, ..rx(1) };
    bench.write_rx(7, mould);
    assert_eq!(asked(&mut bench, &mut random, 1), 1, "Sync");
    bench.write_rx(7, matchrdma_model::record::Rx { drain: true, ..mould });
    assert_eq!(asked(&mut bench, &mut random, 1), 1, "Drain");
    bench.write_back(7, matchrdma_model::record::Back { fault: true, ..back(1) });
    assert_eq!(asked(&mut bench, &mut random, 1), 0, "Fault");
    bench.write_rx(7, matchrdma_model::record::Rx { serial: mould.serial + 1, ..mould });
    bench.write_back(7, back(1));
    assert_eq!(asked(&mut bench, &mut random, 1), 0, "another pair");
    bench.write_rx(7, rx(1));
    assert_eq!(asked(&mut bench, &mut random, 1), 1);
    bench.write_rx(7, rx(2));
    assert_eq!(asked(&mut bench, &mut random, 1), 0, "the flow started over");
    bench.set_enable(false);
    assert_eq!(asked(&mut bench, &mut random, 2), 0);
}

/// Asked in every cycle for flows that may be notified at once, notifications leave room for intents and for ACKs.
#[test]
fn a_flood_of_requests_starves_nobody() {
    let mut random = Random::new();
    let mut bench = Bench::new();
    bench.set_enable(true);
    for flow in 0..128 {
        activate(&mut bench, &mut random, flow);
    }
    bench.set_pace(0, 0, 48, 6);
    for i in 0..20_000u32 {
        bench.offer(true, say(Kind::Ack, (i % 64) as u16, 1, i / 64, i / 64));
    }
    for cycle in 0..8000u16 {
        bench.notify(64 + cycle % 64, 1);
        bench.step(&mut random);
    }
    let (notified, acked): (Vec<_>, Vec<_>) = bench.seen.iter().partition(|seen| seen.cnp);
    println!("8000 cycles: {} intents, {} notifications, {} ACKs", bench.taken.len(), notified.len(), acked.len());
    acked.iter().for_each(|seen| assert_eq!(acknowledgement(&seen.frame).opcode, 0x11));
    assert!(bench.taken.len() >= 4000 && notified.len() >= 220 && acked.len() >= 220);
}
