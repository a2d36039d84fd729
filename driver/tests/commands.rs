//! The program as a user runs it, where no device is: what it prints, and how it ends.

use std::process::{Command, Output};

fn matchrdma(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_matchrdma")).args(args).output().expect("it runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Every command that needs a device.
const COMMANDS: &[&[&str]] = &[
    &["probe"],
    &["status"],
    &["status", "--prometheus"],
    &["apply", "gateway.toml"],
    &["show", "flows"],
    &["show", "paths"],
    &["calendar", "load", "/dev/null", "--path", "0"],
    &["watch", "--seconds", "0"],
    &["events", "--seconds", "0"],
    &["learn", "--seconds", "0"],
    &["enable"],
    &["disable"],
];

#[test]
fn a_failure_is_one_line_on_stderr_and_exit_status_1() {
    for command in COMMANDS {
        let ended = matchrdma(&[*command, &["--device", "0000:ff:1f.7"]].concat());
        let said = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{command:?}: {said}");
        assert!(
            said.lines().count() == 1 && said.starts_with("matchrdma: opening the device: at 0000:ff:1f.7"),
            "{said}"
        );
        assert!(said.contains("expected a PCI device, found none of that address; look at lspci"), "{said}");
        assert!(ended.stdout.is_empty(), "{command:?}: {}", text(&ended.stdout));
    }
}

#[test]
fn a_program_is_told_the_same_in_json() {
    for command in COMMANDS.iter().filter(|command| !command.contains(&"--prometheus")) {
        let ended = matchrdma(&[*command, &["--json", "--device", "0000:ff:1f.7"]].concat());
        let told: serde_json::Value = serde_json::from_slice(&ended.stderr).expect("JSON");
        assert_eq!((ended.status.code(), &told["kind"]), (Some(1), &"device".into()), "{told}");
        assert!(["what", "place", "expected", "found", "remedy"].iter().all(|key| told[key].is_string()), "{told}");
    }
}

#[test]
fn what_is_typed_wrong_ends_with_status_2() {
    for wrong in
        [&["aply"][..], &["show"], &["learn", "--between", "10.0.0.1"], &["status", "--json", "--prometheus"], &[]]
    {
        assert_eq!(matchrdma(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let commands = ["probe", "status", "apply", "show", "calendar", "watch", "events", "learn", "enable", "disable"];
    for shell in ["bash", "zsh", "fish"] {
        let ended = matchrdma(&["completions", shell]);
        assert!(ended.status.success() && commands.iter().all(|name| text(&ended.stdout).contains(name)), "{shell}");
    }
    let ended = matchrdma(&["man"]);
    let manual = text(&ended.stdout);
    assert!(ended.status.success() && manual.contains(".TH matchrdma"), "{manual}");
    assert!(commands.iter().all(|name| manual.contains(name)), "{manual}");
    let folder = tempfile::tempdir().unwrap();
    assert!(matchrdma(&["man", "--out", folder.path().to_str().unwrap()]).status.success());
    let page = std::fs::read_to_string(folder.path().join("matchrdma-learn.1")).unwrap();
    assert!(page.contains("from") && page.contains("rdma"), "{page}");
    assert!(folder.path().join("matchrdma-calendar-load.1").exists());
}
