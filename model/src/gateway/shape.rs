//! What a gateway is made with, and what comes out of it.

use crate::record::State;
use matchrdma_spec::params::{DESCRIPTORS, PAGE_BEATS, PAGE_DESCRIPTORS, RING_BEATS, SHARED_PAGES};
use matchrdma_spec::regs::timer;

/// Sizes of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Packet memory towards the line: beats of a page, descriptors of a page, pages that the queues share.
    pub outbound: [usize; 3],
    /// Packet memory towards the client, beats.
    pub inbound_beats: usize,
    /// Descriptors of that.
    pub descriptors: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            outbound: [PAGE_BEATS, PAGE_DESCRIPTORS, SHARED_PAGES],
            inbound_beats: RING_BEATS,
            descriptors: DESCRIPTORS,
        }
    }
}

/// How long is too long, ticks; as out of reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers {
    /// A gap open for longer drains its flow.
    pub gap_timeout: u16,
    /// A flow without debt on which nothing came for longer returns to Sync.
    pub flow_idle: u16,
    /// Debt for longer is a fault.
    pub debt_timeout: u16,
}

impl Default for Timers {
    fn default() -> Self {
        let [gap_timeout, flow_idle, debt_timeout] = timer::DEFAULTS.map(|ticks| ticks as u16);
        Timers { gap_timeout, flow_idle, debt_timeout }
    }
}

/// A port of the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Port {
    /// To the data centre.
    Client,
    /// To the optical transport network.
    Line,
}

/// A frame that left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// Where.
    pub port: Port,
    /// What.
    pub frame: Vec<u8>,
    /// The gateway built it: a pseudo-ACK or NAK.
    pub built: bool,
}

/// A flow as the host reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowState {
    /// Where it stands.
    pub state: State,
    /// The run that the rest is of.
    pub run: u8,
    /// Next PSN of the requester.
    pub expected_psn: u32,
    /// Newest PSN that left on the line.
    pub departed_psn: u32,
    /// Newest PSN given to the sender.
    pub acknowledged_psn: u32,
    /// Newest PSN that the far side acknowledged.
    pub confirmed_psn: u32,
    /// Messages completed, as the far side counts them once the flow is Active.
    pub msn: u32,
    /// Code of the event by which it last drained, failed or was left alone; 0: none.
    pub cause: u8,
    /// Ticks since a look found the state.
    pub state_ticks: u32,
    /// PSNs acknowledged and not confirmed.
    pub debt: u32,
    /// Ticks for which the debt that is watched had been open at the newest look.
    pub debt_age: u16,
    /// It is Active and a barrier holds.
    pub held: bool,
    /// Ticks for which every look has found it held.
    pub held_ticks: u16,
}
