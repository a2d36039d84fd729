//! What leaves the gateway through the eyes of Wireshark, where it is installed.

use super::vectors::all;
use crate::harness::roce;
use std::path::Path;
use std::process::Command;

/// Runs tshark over a capture; `None` when there is no tshark.
fn tshark(capture: &Path, args: &[&str]) -> Option<Vec<String>> {
    let run = Command::new("tshark").arg("-r").arg(capture).args(args).output();
    match run {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            println!("tshark is not installed: skipped; try: apt-get install tshark");
            None
        }
        Err(e) => panic!("tshark: {e}"),
        Ok(out) => {
            assert!(out.status.success(), "tshark: {}", String::from_utf8_lossy(&out.stderr));
            Some(String::from_utf8(out.stdout).unwrap().lines().map(String::from).collect())
        }
    }
}

#[test]
fn nothing_is_malformed_that_was_not() {
    let home = tempfile::tempdir().unwrap();
    let malformed = |bytes: &[u8]| {
        let path = home.path().join("x.pcap");
        std::fs::write(&path, bytes).unwrap();
        tshark(&path, &["-Y", "_ws.malformed || _ws.unreassembled", "-T", "fields", "-e", "frame.number"])
            .map(|l| l.len())
    };
    for replayed in all() {
        let before = malformed(&crate::harness::pcap::bytes(&replayed.captured));
        let after: Option<Vec<usize>> = replayed.files.iter().map(|f| malformed(f)).collect();
        let (Some(before), Some(after)) = (before, after) else { return };
        // Frames that were kept back take their marks with them; none may come anew.
        assert!(after.iter().sum::<usize>() <= before, "{}: {after:?}, {before} before", replayed.name);
    }
}

#[test]
fn wireshark_reads_the_pseudo_acks_as_we_do() {
    let home = tempfile::tempdir().unwrap();
    let fields = ["infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.aeth.msn", "ip.checksum.status"];
    for replayed in all() {
        let (built, _) = replayed.built_and_forwarded();
        let path = home.path().join("built.pcap");
        let built: Vec<_> = built.into_iter().cloned().collect();
        std::fs::write(&path, crate::harness::pcap::bytes(&built)).unwrap();
        let mut args = vec!["-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=,"];
        fields.iter().for_each(|f| args.extend(["-e", f]));
        let Some(lines) = tshark(&path, &args) else { return };
        assert_eq!(lines.len(), built.len(), "{}", replayed.name);
        for (line, captured) in lines.iter().zip(&built) {
            let ours = roce::parse(&captured.frame).unwrap();
            // Checksum status: 1 is good; IPv6 has none.
            let checksum = if ours.v6 { "" } else { "1" };
            let found: Vec<String> = line.split(',').map(number).collect();
            let expected = [ours.qpn.to_string(), ours.psn.to_string(), ours.msn.to_string(), checksum.to_string()];
            assert_eq!(found, expected, "{}", replayed.name);
        }
    }
}

/// A number as tshark prints it, in decimal.
fn number(text: &str) -> String {
    text.strip_prefix("0x").map_or(text.to_string(), |hex| u32::from_str_radix(hex, 16).unwrap().to_string())
}
