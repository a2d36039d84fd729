//! What the daemon decides, a line each.

use crate::apply::describe;
use crate::learn::Source;
use matchrdma_spec::hash::FlowKey;
use serde::Serialize;
use std::fmt;

/// A flow by the key of its requests and that of its responses.
pub type Keys = (FlowKey, FlowKey);

/// A decision, or what one should know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Digests are asked for between two addresses from now on.
    Listening {
        /// Client side.
        near: String,
        /// Line side.
        far: String,
    },
    /// A flow was installed.
    Learnt {
        /// Its index.
        flow: u16,
        /// Its queue pairs.
        pair: String,
        /// What it is known from.
        source: Source,
        /// The path to its responder.
        path: u8,
    },
    /// A pair is known and was not installed. Told once.
    Refused {
        /// Its queue pairs.
        pair: String,
        /// What it is known from.
        source: Source,
        /// Why.
        why: String,
    },
    /// A flow was taken out: it passes through again.
    Gone {
        /// Its index.
        flow: u16,
        /// Its queue pairs.
        pair: String,
        /// Why.
        why: String,
    },
    /// What ACKs seemed to show is forgotten.
    Void {
        /// Why.
        why: String,
    },
    /// A list of the hosts was read.
    List {
        /// The file.
        file: String,
        /// Connected pairs in it, each direction.
        flows: usize,
        /// Queue pairs whose other end could not be told.
        unpaired: Vec<String>,
    },
    /// A list of the hosts could not be read; what it said before holds.
    BadList {
        /// Why.
        why: String,
    },
    /// The device has no interrupt for us: it is looked at again and again.
    Polling {
        /// Why.
        why: String,
    },
}

/// The queue pairs of a flow, as people write them.
pub fn pair((out, back): &Keys) -> String {
    describe::flow(out, back)
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Listening { near, far } => write!(f, "listening  between {near} and {far}"),
            Decision::Learnt { flow, pair, source, path } => {
                write!(f, "learnt     flow {flow}: {pair}, from {source}, path {path}")
            }
            Decision::Refused { pair, source, why } => write!(f, "refused    {pair}, from {source}: {why}"),
            Decision::Gone { flow, pair, why } => write!(f, "gone       flow {flow}: {pair}: {why}"),
            Decision::Void { why } => write!(f, "void       what ACKs seemed to show: {why}"),
            Decision::List { file, flows, unpaired } => {
                write!(f, "list       {file}: {} pairs", flows / 2)?;
                unpaired.iter().try_for_each(|line| write!(f, "\nlist       {file}: {line}"))
            }
            Decision::BadList { why } => write!(f, "list       {why}"),
            Decision::Polling { why } => write!(f, "polling    {why}"),
        }
    }
}
