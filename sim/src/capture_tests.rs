use super::*;

/// A pcap file by hand: magic, snap length and link type, then packets (seconds, fraction, captured, original, data).
fn pcap(magic: u32, link: u32, packets: &[(u32, u32, u32, u32, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [magic, 4 << 16 | 2, 0, 0, 65535, link] {
        bytes.extend(word.to_le_bytes());
    }
    for (seconds, fraction, captured, original, data) in packets {
        for word in [seconds, fraction, captured, original] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(*data);
    }
    bytes
}

/// A pcapng block.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() + 12) as u32;
    [&kind.to_le_bytes(), &length.to_le_bytes(), body, &length.to_le_bytes()].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn section() -> Vec<u8> {
    block(0x0a0d_0d0a, &words(&[0x1a2b_3c4d, 1, !0, !0]))
}

/// An interface of a link type and perhaps a time resolution.
fn interface(link: u32, resolution: Option<u8>) -> Vec<u8> {
    let options = resolution.map_or(vec![], |r| words(&[1 << 16 | 9, r.into(), 0]));
    block(1, &[words(&[link, 0]), options].concat())
}

fn enhanced(time: u64, original: u32, data: &[u8]) -> Vec<u8> {
    let mut body = words(&[0, (time >> 32) as u32, time as u32, data.len() as u32, original]);
    body.extend(data);
    body.resize(body.len().next_multiple_of(4), 0);
    block(6, &body)
}

fn read(bytes: &[u8]) -> Result<Vec<Packet>, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pcap");
    std::fs::write(&path, bytes).unwrap();
    Capture::open(&path)?.collect()
}

fn fails(bytes: &[u8], with: &str) {
    let why = read(bytes).unwrap_err();
    assert!(why.contains(with), "{why}");
    assert!(why.contains("x.pcap") && why.lines().count() == 1, "{why}");
}

#[test]
fn both_units_of_pcap_are_read() {
    for (magic, ns) in [(0xa1b2_c3d4, 3_000_005_000), (0xa1b2_3c4d, 3_000_000_005)] {
        let packets = read(&pcap(magic, 1, &[(3, 5, 2, 2, &[7, 8]), (4, 0, 1, 1, &[9])])).unwrap();
        assert_eq!(packets[0], Packet { number: 1, time_ns: ns, frame: vec![7, 8] });
        assert_eq!((packets[1].number, &packets[1].frame[..]), (2, &[9][..]));
    }
}

#[test]
fn every_time_unit_of_pcapng_is_read() {
    for (resolution, time, ns) in
        [(None, 5, 5000), (Some(9), 5, 5), (Some(6), 5, 5000), (Some(12), 5000, 5), (Some(0x81), 3, 1_500_000_000)]
    {
        let file = [section(), interface(1, resolution), enhanced(time, 3, &[1, 2, 3])].concat();
        assert_eq!(read(&file).unwrap(), [Packet { number: 1, time_ns: ns, frame: vec![1, 2, 3] }]);
    }
    let simple = block(3, &[words(&[5]), vec![1, 2, 3, 4, 5, 0, 0, 0]].concat());
    assert_eq!(read(&[section(), interface(1, None), simple].concat()).unwrap()[0].frame, [1, 2, 3, 4, 5]);
}

#[test]
fn what_is_no_capture_is_said_in_one_line() {
    fails(b"", "fewer than 4 bytes");
    fails(b"hello, world, hello", "expected a pcap or pcapng file");
    fails(&pcap(0xa1b2_c3d4, 1, &[])[..20], "truncated");
    fails(&section()[..10], "truncated");
    fails(&pcap(0xa1b2_c3d4, 113, &[]), "expected link type Ethernet");
    fails(&[section(), interface(113, None), enhanced(0, 1, &[1])].concat(), "expected link type Ethernet");
}

#[test]
fn a_truncated_file_and_cut_packets_are_refused() {
    let whole = pcap(0xa1b2_c3d4, 1, &[(0, 0, 2, 2, &[7, 8]), (0, 0, 4, 4, &[1, 2, 3, 4])]);
    for cut in 1..20 {
        fails(&whole[..whole.len() - cut], "packet 2: the file ends in the middle of it");
    }
    fails(&pcap(0xa1b2_c3d4, 1, &[(0, 0, 2, 60, &[7, 8])]), "found 2 of its 60 bytes");
    let ng = [section(), interface(1, None), enhanced(0, 3, &[1, 2, 3])].concat();
    fails(&ng[..ng.len() - 5], "packet 1: the file ends in the middle of it");
    fails(&[section(), interface(1, None), enhanced(0, 60, &[1, 2, 3])].concat(), "found 3 of its 60 bytes");
    fails(&[section(), enhanced(0, 3, &[1, 2, 3])].concat(), "packet 1: No corresponding interface");
}
