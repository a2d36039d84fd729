//! The first reading of a capture: what is in it, which side is near, which queue pairs belong together.

use super::Mac;
use crate::capture::Capture;
use matchrdma::learn::{acks, surest, LearnedFlow, Learner};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::FLOWS;
use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::{icrc_ok, parse_frame};
use std::collections::BTreeMap;
use std::path::Path;

/// What the first reading found.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Frames in the file.
    pub frames: u64,
    /// Frames that are RoCEv2.
    pub roce: u64,
    /// Of these, with a wrong ICRC or IPv4 checksum.
    pub bad_icrc: u64,
    /// Source MAC of the near side; `None` in a file without frames.
    pub near: Option<Mac>,
    /// Frames of the near side.
    pub from_near: u64,
    /// Flows whose requests come from the near side, in order of their keys, at most as many as a gateway holds.
    pub flows: Vec<LearnedFlow>,
    /// Flows that a gateway has no room for.
    pub left_out: usize,
    /// Keys of RC requests from the near side that belong to no known flow.
    pub unpaired: Vec<FlowKey>,
}

/// Reads the whole file. Flows that the hosts named come first.
pub fn survey(path: &Path, near: Option<Mac>, told: &[LearnedFlow]) -> Result<Survey, String> {
    let mut found = Survey::default();
    let mut learner = Learner::new(acks::WHOLE_FILE);
    // Of keys of requests: who sent them.
    let mut requests: BTreeMap<FlowKey, Mac> = BTreeMap::new();
    let mut frames_of: BTreeMap<[u8; 6], u64> = BTreeMap::new();
    let (mut first_request, mut first_roce, mut first) = (None, None, None);
    for packet in Capture::open(path)? {
        let frame = packet?.frame;
        found.frames += 1;
        let source = source(&frame);
        *frames_of.entry(source.map_or([0; 6], |m| m.0)).or_default() += 1;
        first = first.or(source);
        let meta = parse_frame(&frame);
        if !meta.roce {
            continue;
        }
        found.roce += 1;
        found.bad_icrc += u64::from(!meta.ip_ok || !icrc_ok(&frame, &meta));
        first_roce = first_roce.or(source);
        if let (true, Some(source)) = (opcode::is_request(meta.opcode), source) {
            first_request = first_request.or(Some(source));
            requests.entry(meta.flow_key()).or_insert(source);
        }
        learner.frame(&frame);
    }
    found.near = near.or(first_request).or(first_roce).or(first);
    found.from_near = found.near.and_then(|near| frames_of.get(&near.0).copied()).unwrap_or(0);
    let mut known = surest(told.iter().copied().chain(learner.flows()));
    known.retain(|flow| requests.get(&flow.key_out()).is_some_and(|sender| Some(*sender) == found.near));
    requests.retain(|key, sender| Some(*sender) == found.near && known.iter().all(|flow| flow.key_out() != *key));
    found.unpaired = requests.into_keys().collect();
    found.left_out = known.len().saturating_sub(FLOWS);
    known.truncate(FLOWS);
    found.flows = known;
    Ok(found)
}

/// The source MAC; `None` of a frame too short to have one.
pub fn source(frame: &[u8]) -> Option<Mac> {
    Some(Mac(frame.get(6..12)?.try_into().ok()?))
}

impl Survey {
    /// What the user should know before reading the result.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.roce == 0 {
            warnings.push(format!("no RoCEv2 in the capture: its {} frames pass untouched", self.frames));
        } else if self.from_near == 0 {
            warnings.push("no frame of the capture comes from the near side: all enter the line port".to_string());
        }
        if !self.unpaired.is_empty() {
            let (n, s) = (self.unpaired.len(), if self.unpaired.len() == 1 { "" } else { "s" });
            warnings.push(format!(
                "{n} queue pair{s} of the far side could not be paired from ACKs and pass{} untouched; name the pairs \
                 with --from-rdma (docs/learn.md)",
                if n == 1 { "es" } else { "" }
            ));
        }
        if self.left_out > 0 {
            warnings.push(format!("a gateway holds {FLOWS} flows: {} more pass untouched", self.left_out));
        }
        warnings
    }
}
