//! What a configuration wants of a gateway: words, checked one by one before any of them is written.

use crate::rail;
use crate::route_table;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::entry;
use matchrdma_spec::regs::Reg;

/// A flow that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Key of its requests.
    pub key_out: FlowKey,
    /// Key of its responses.
    pub key_in: FlowKey,
    /// Only WRITE without immediate is acknowledged early.
    pub ack_ops_write: bool,
    /// Code of its path MTU; 0 unknown.
    pub mtu: u8,
    /// Where it stands, for messages.
    pub place: String,
}

/// What is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// On at the end.
    pub enable: bool,
    /// Acknowledges on arrival.
    pub ack_on_arrival: bool,
    /// Registers that are no table, but for the budget rail's.
    pub settings: Vec<(Reg, u32)>,
    /// The budget rail; `None`: off. Session 0: one has to be made up when one has to begin.
    pub law: Option<rail::Settings>,
    /// Every path.
    pub paths: Vec<entry::Path>,
    /// Calendar of every path; empty: none.
    pub calendars: Vec<Vec<entry::CalendarEntry>>,
    /// Prefixes.
    pub routes: Vec<route_table::Route>,
    /// Flows.
    pub flows: Vec<Flow>,
    /// What an operator may want to know.
    pub advice: Vec<String>,
    /// What an operator should look at.
    pub warnings: Vec<String>,
}
