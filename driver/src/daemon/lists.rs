//! The hosts' own lists, read again when they change.

use super::decision::Decision;
use crate::error::{file, Error, Kind, Result};
use crate::learn::{rdma, LearnedFlow};
use std::path::PathBuf;
use std::time::SystemTime;

/// One file.
#[derive(Debug)]
pub(super) struct List {
    path: PathBuf,
    /// When it was written, and its length, as of the last look.
    seen: Option<(SystemTime, u64)>,
    flows: Vec<LearnedFlow>,
}

impl List {
    /// Of a file that must be sound now.
    pub(super) fn open(path: PathBuf) -> Result<(Self, Decision)> {
        let mut list = List { path, seen: None, flows: vec![] };
        list.seen = list.stamp();
        let decision = list.read()?;
        Ok((list, decision))
    }

    /// Both directions of each pair that it names.
    pub(super) fn flows(&self) -> &[LearnedFlow] {
        &self.flows
    }

    fn stamp(&self) -> Option<(SystemTime, u64)> {
        let about = std::fs::metadata(&self.path).ok()?;
        Some((about.modified().ok()?, about.len()))
    }

    /// Reads it again if it is another one than before. One that is not sound, or gone, leaves what it said before.
    pub(super) fn look(&mut self) -> Option<Decision> {
        let now = self.stamp();
        if now == self.seen {
            return None;
        }
        self.seen = now;
        Some(
            self.read()
                .unwrap_or_else(|error| Decision::BadList { why: format!("{error}; what it said before holds") }),
        )
    }

    fn read(&mut self) -> Result<Decision> {
        let what = "reading a list of the hosts";
        let text = std::fs::read_to_string(&self.path).map_err(|error| file(what, &self.path, &error))?;
        let name = self.path.display().to_string();
        let lists = rdma::parse(&text).map_err(|refused| {
            let error = Error::new(Kind::Config, what)
                .at(name.clone())
                .but("lists as docs/learn.md shows", refused.to_string());
            error.so("make the file again")
        })?;
        self.flows = lists.flows;
        Ok(Decision::List { file: name, flows: self.flows.len(), unpaired: lists.unpaired })
    }
}
