//! What cannot be replayed is said in one line, and nothing is left behind.

use crate::harness::pcap::{bytes, read};
use crate::harness::replayed::{args, vector};
use matchrdma_sim::replay::replay;
use std::path::Path;

/// Replays what must be refused: the reason, with the result's folder and its parents gone.
fn refused(capture: &Path, more: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let why = replay(&args(capture, &home.path().join("a/b/out"), more), &mut |_| {}).unwrap_err();
    assert_eq!(why.lines().count(), 1, "{why}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "{why}: left something behind");
    why
}

fn file(name: &str, contents: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    std::fs::write(&path, contents).unwrap();
    (home, path)
}

#[test]
fn no_capture() {
    let (home, path) = file("x.pcap", b"this is no capture at all");
    let why = refused(&path, &[]);
    assert!(why.contains("expected a pcap or pcapng file") && why.contains("x.pcap"), "{why}");
    let why = refused(&home.path().join("none.pcap"), &[]);
    assert!(why.contains("none.pcap") && why.contains("No such file"), "{why}");
    assert!(refused(home.path(), &[]).contains("reading the capture"));
}

#[test]
fn a_truncated_capture() {
    let whole = std::fs::read(vector("write-16k-mtu1024.pcap")).unwrap();
    for cut in [whole.len() - 1, whole.len() - 1000, 24 + 7, 10] {
        let (_home, path) = file("cut.pcap", &whole[..cut]);
        let why = refused(&path, &[]);
        assert!(why.contains("truncated") && why.contains("cut.pcap"), "{why}");
    }
}

#[test]
fn packets_cut_by_a_snap_length() {
    let frames = read(&vector("write-16k-mtu1024.pcap"));
    let mut whole = bytes(&frames);
    // The original length of the first packet becomes one more than what is there.
    let length = u32::from_le_bytes(whole[36..40].try_into().unwrap()) + 1;
    whole[36..40].copy_from_slice(&length.to_le_bytes());
    let (_home, path) = file("snap.pcap", &whole);
    let why = refused(&path, &[]);
    assert!(why.contains("packet 1") && why.contains("snap length"), "{why}");
}

#[test]
fn a_folder_that_cannot_be_written() {
    let capture = vector("psn-wrap-write.pcap");
    let (_home, path) = file("in-the-way", b"");
    let why = replay(&args(&capture, &path, &[]), &mut |_| {}).unwrap_err();
    assert!(why.contains("found a file"), "{why}");
    let why = replay(&args(&capture, &path.join("out"), &[]), &mut |_| {}).unwrap_err();
    assert!(why.contains("in-the-way") && why.lines().count() == 1, "{why}");
    let why = replay(&args(&capture, Path::new("/proc/no/out"), &[]), &mut |_| {}).unwrap_err();
    assert!(why.contains("/proc/no") && why.lines().count() == 1, "{why}");
}

#[test]
fn a_folder_with_other_files_in_it_is_left_alone() {
    let (home, path) = file("thesis.tex", b"years of work");
    let why = replay(&args(&vector("psn-wrap-write.pcap"), home.path(), &[]), &mut |_| {}).unwrap_err();
    assert!(why.contains("thesis.tex"), "{why}");
    assert_eq!(std::fs::read(path).unwrap(), b"years of work");
}

#[test]
fn a_bad_list_of_the_hosts() {
    let (home, path) = file("pairs.json", b"{}");
    let capture = vector("psn-wrap-write.pcap");
    let why = refused(&capture, &["--from-rdma", path.to_str().unwrap()]);
    assert!(why.contains("pairs.json") && why.contains("docs/learn.md"), "{why}");
    let why = refused(&capture, &["--from-rdma", home.path().join("no.json").to_str().unwrap()]);
    assert!(why.contains("no.json"), "{why}");
}
