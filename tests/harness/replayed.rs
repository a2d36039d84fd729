//! One replay, with the files it wrote read back and judged by the second opinion of [`super::roce`].

use super::pcap::{self, Captured};
use super::roce::{self, Roce};
use matchrdma_sim::cli::Cli;
use matchrdma_sim::replay::{replay, Outcome};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ACK: u8 = 0x11;

/// A capture of `tests/vectors`.
pub fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name)
}

/// Every capture of `tests/vectors`, by name.
pub fn vectors() -> Vec<String> {
    let folder = std::fs::read_dir(vector("")).expect("tests/vectors is there");
    let mut names: Vec<String> = folder.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".pcap"));
    names.sort();
    assert!(names.len() >= 24, "{names:?}");
    names
}

/// What `matchrdma-sim replay` takes, as typed.
pub fn args(capture: &Path, out: &Path, more: &[&str]) -> matchrdma_sim::replay::Args {
    use clap::Parser;
    let shown = |p: &Path| p.to_str().expect("a plain path").to_string();
    let line = ["matchrdma-sim", "replay", "--out"].map(String::from).into_iter();
    let typed = line.chain([shown(out), shown(capture)]).chain(more.iter().map(|s| s.to_string()));
    match Cli::try_parse_from(typed).unwrap_or_else(|e| panic!("{e}")).into_command() {
        matchrdma_sim::cli::Command::Replay(args) => args,
        other => panic!("{other:?}"),
    }
}

/// A direction of a connection, as the report names it.
#[derive(Clone, Debug)]
struct Flow {
    requester: std::net::IpAddr,
    responder: std::net::IpAddr,
    requester_qpn: u32,
    responder_qpn: u32,
    active_at_end: bool,
}

impl Flow {
    fn asks(&self, roce: &Roce) -> bool {
        (roce.src, roce.dst, roce.qpn) == (self.requester, self.responder, self.responder_qpn)
    }

    fn answers(&self, roce: &Roce) -> bool {
        (roce.src, roce.dst, roce.qpn) == (self.responder, self.requester, self.requester_qpn)
    }
}

/// A capture and what became of it.
pub struct Replayed {
    pub name: String,
    pub captured: Vec<Captured>,
    /// What left the client port.
    pub client: Vec<Captured>,
    /// What left the line port.
    pub line: Vec<Captured>,
    pub outcome: Outcome,
    pub warnings: Vec<String>,
    /// It was acknowledged on arrival: an ACK may leave before what it acknowledges.
    on_arrival: bool,
    /// `client.pcap` and `line.pcap` as written.
    pub files: [Vec<u8>; 2],
}

/// `a` comes after `b`, or is it.
fn reaches(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) & 0xff_ffff < 1 << 23
}

impl Replayed {
    /// Replays a capture with more of the command line.
    pub fn new(capture: &Path, more: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let mut warnings = Vec::new();
        let name = capture.file_name().unwrap().to_str().unwrap().to_string();
        let outcome = replay(&args(capture, &out, more), &mut |w| warnings.push(w));
        let outcome = outcome.unwrap_or_else(|e| panic!("{name}: {e}"));
        let captured = if name.ends_with(".pcap") { pcap::read(capture) } else { vec![] };
        let (client, line) = (pcap::read(&out.join("client.pcap")), pcap::read(&out.join("line.pcap")));
        let files = ["client.pcap", "line.pcap"].map(|f| std::fs::read(out.join(f)).unwrap());
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
        assert_eq!(report, serde_json::to_value(&outcome.report).unwrap());
        let on_arrival = more.contains(&"arrival");
        Replayed { name, captured, client, line, outcome, warnings, on_arrival, files }
    }

    fn flows(&self) -> Vec<Flow> {
        let flow = |f: &matchrdma_sim::replay::report::Flow| Flow {
            requester: f.requester.parse().unwrap(),
            responder: f.responder.parse().unwrap(),
            requester_qpn: f.requester_qpn,
            responder_qpn: f.responder_qpn,
            active_at_end: f.state == "Active",
        };
        self.outcome.report.flows.iter().map(flow).collect()
    }

    /// Frames of the capture that enter the client port (or, with `false`, the line port).
    pub fn entering(&self, client: bool) -> impl Iterator<Item = &[u8]> {
        let near = self.outcome.survey.near.map(|mac| mac.0);
        let of_near = move |f: &[u8]| near.is_some_and(|near| f.get(6..12) == Some(&near[..]));
        self.captured.iter().map(|c| &c.frame[..]).filter(move |f| of_near(f) == client)
    }

    /// Frames that the gateway built, and the frames it forwarded to the client.
    pub fn built_and_forwarded(&self) -> (Vec<&Captured>, Vec<&[u8]>) {
        let built = &self.outcome.played.built_at;
        let is_built = |i: usize| built.binary_search(&(i as u64)).is_ok();
        let (built, forwarded): (Vec<_>, Vec<_>) = self.client.iter().enumerate().partition(|(i, _)| is_built(*i));
        (built.into_iter().map(|(_, c)| c).collect(), forwarded.into_iter().map(|(_, c)| &c.frame[..]).collect())
    }

    /// Replays frames that were made up.
    pub fn of_frames(name: &str, frames: &[Captured], more: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(name);
        std::fs::write(&path, pcap::bytes(frames)).unwrap();
        Self::new(&path, more)
    }

    /// Every promise that can be seen from outside.
    pub fn judge(&self) {
        self.frames_are_untouched_and_in_order();
        self.acks_are_those_of_the_responder();
        self.what_asks_is_answered();
    }

    /// Frames that leave are frames that came in, bit for bit and in order; those kept back belong to flows.
    fn frames_are_untouched_and_in_order(&self) {
        let name = &self.name;
        let line: Vec<&[u8]> = self.line.iter().map(|c| &c.frame[..]).collect();
        let (built, forwarded) = self.built_and_forwarded();
        let report = &self.outcome.report;
        assert_eq!(built.len() as u64, report.pseudo_acks + report.naks, "{name}");
        let kept_back = [
            kept_back(name, self.entering(true).collect(), &line),
            kept_back(name, self.entering(false).collect(), &forwarded),
        ];
        let flows = self.flows();
        // MAC control belongs to its link.
        let mac_control = |frame: &&[u8]| frame.get(12..14) == Some(&[0x88, 0x08]);
        let of_link = kept_back[0].iter().filter(|f| mac_control(f)).count() as u64;
        for frame in kept_back.concat().into_iter().filter(|f| !mac_control(f)) {
            let roce = roce::parse(frame).unwrap_or_else(|| panic!("{name}: not RoCE and kept back: {frame:02x?}"));
            let known = flows.iter().any(|f| f.asks(&roce) || f.answers(&roce));
            assert!(known, "{name}: kept back, and of no flow: {roce:?}");
        }
        let absorbed = kept_back[1].len() as u64;
        let explained = report.dropped.total() + self.outcome.absorbed() + of_link;
        assert_eq!(kept_back[0].len() as u64 + absorbed, explained, "{name}");
        let near: u64 = self.entering(true).count() as u64;
        assert_eq!(report.frames_in, self.captured.len() as u64, "{name}");
        assert_eq!(report.frames_out_line, line.len() as u64, "{name}");
        assert_eq!(report.frames_out_client, self.client.len() as u64, "{name}");
        assert!(near >= report.frames_out_line, "{name}");
    }

    /// Form, addressing, PSN and MSN of every frame that the gateway built.
    fn acks_are_those_of_the_responder(&self) {
        let name = &self.name;
        let flows = self.flows();
        let answers: Vec<Roce> = self.entering(false).filter_map(roce::parse).filter(|r| r.icrc_ok).collect();
        let requests: Vec<Roce> = self.entering(true).filter_map(roce::parse).filter(|r| r.icrc_ok).collect();
        let mut compared = 0;
        let (built, _) = self.built_and_forwarded();
        for Captured { frame, .. } in &built {
            let ack = roce::parse(frame).unwrap_or_else(|| panic!("{name}: built, and not RoCE: {frame:02x?}"));
            assert!(ack.icrc_ok && ack.checksum_ok && ack.padding == 0, "{name}: {ack:?}");
            let nak = ack.syndrome == 0x60;
            assert!((nak || ack.syndrome == 0x1f) && ack.opcode == ACK && !ack.ack_req, "{name}: {ack:?}");
            let flow = flows.iter().find(|f| f.answers(&ack)).unwrap_or_else(|| panic!("{name}: no flow's: {ack:?}"));
            let real: Vec<&Roce> =
                answers.iter().filter(|r| flow.answers(r) && r.opcode == ACK && r.syndrome >> 5 == 0).collect();
            let same_frame = |r: &&Roce| {
                (&r.ethernet, r.ttl, r.tos, r.src_port, r.pkey)
                    == (&ack.ethernet, ack.ttl, ack.tos, ack.src_port, ack.pkey)
            };
            assert!(real.iter().any(same_frame), "{name}: addressed unlike any real ACK: {ack:?}");
            if let Some(r) = real.iter().find(|r| r.psn == ack.psn && !nak) {
                assert_eq!(ack.msn, r.msn, "{name}: MSN at PSN {:#x}", ack.psn);
                compared += 1;
            }
            let asked = requests.iter().any(|r| flow.asks(r) && r.psn == ack.psn && (r.ack_req || nak));
            assert!(asked || nak, "{name}: nobody asked for PSN {:#x}", ack.psn);
        }
        assert!(built.is_empty() || compared > 0, "{name}: no pseudo-ACK has a real one beside it");
    }

    /// Once a flow is Active, every SEND and WRITE that asks for an ACK gets one, which never goes backwards.
    fn what_asks_is_answered(&self) {
        let name = &self.name;
        let (built, _) = self.built_and_forwarded();
        let repeated = self.outcome.report.dropped.duplicate;
        for flow in self.flows() {
            let told: Vec<(u64, u32)> = { self.client.iter() }
                .filter_map(|c| Some((c.time_ns, roce::parse(&c.frame)?)))
                .filter(|(_, r)| flow.answers(r) && r.opcode == ACK && r.syndrome >> 5 == 0 && r.icrc_ok)
                .map(|(t, r)| (t, r.psn))
                .collect();
            if !flow.active_at_end {
                continue;
            }
            let mut again = 0;
            for pair in told.windows(2) {
                assert!(reaches(pair[1].1, pair[0].1), "{name}: PSN {:#x} after {:#x}", pair[1].1, pair[0].1);
                again += u64::from(pair[1].1 == pair[0].1);
            }
            assert!(again <= repeated, "{name}: {again} ACKs say nothing new, and {repeated} requests were repeated");
            let Some(since) = built.iter().find(|c| roce::parse(&c.frame).is_some_and(|r| flow.answers(&r))) else {
                continue;
            };
            let asks = self.line.iter().filter(|c| c.time_ns >= since.time_ns).filter_map(|c| {
                let r = roce::parse(&c.frame).filter(|r| flow.asks(r) && r.ack_req && r.icrc_ok)?;
                matches!(r.opcode, 0x00..=0x0b | 0x16 | 0x17).then_some((c.time_ns, r.psn))
            });
            for (time, psn) in asks {
                let answered = told.iter().any(|(t, p)| (*t >= time || self.on_arrival) && reaches(*p, psn));
                assert!(answered, "{name}: PSN {psn:#x} asked and was never answered");
            }
        }
    }

    /// Flows that became Active, as `EXPECTED.csv` names them, and the number of pseudo-ACKs.
    pub fn expected_line(&self) -> String {
        let active = { self.outcome.report.flows.iter().zip(&self.outcome.played.flows) }
            .filter(|(_, played)| played.became_active)
            .map(|(f, _)| format!("{} {} > {} {}", f.requester, f.requester_qpn, f.responder, f.responder_qpn));
        let active: Vec<String> = active.collect();
        format!("{},{},{}", self.name, active.join("; "), self.outcome.report.pseudo_acks)
    }

    /// ACKs that left the client port, by destination queue pair: PSNs in order.
    pub fn acked(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut acked: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for r in self.client.iter().filter_map(|c| roce::parse(&c.frame)).filter(|r| r.opcode == ACK) {
            acked.entry(r.qpn).or_default().push(r.psn);
        }
        acked
    }
}

/// The frames of `came` that are not in `left`, which must be the rest of them in order.
fn kept_back<'a>(name: &str, came: Vec<&'a [u8]>, left: &[&[u8]]) -> Vec<&'a [u8]> {
    let mut kept = Vec::new();
    let mut at = 0;
    for frame in &came {
        if left.get(at) == Some(frame) {
            at += 1;
        } else {
            kept.push(*frame);
        }
    }
    assert_eq!(
        at,
        left.len(),
        "{name}: frame {} that left never came in, or out of order: {:02x?}",
        at + 1,
        left.get(at)
    );
    kept
}
