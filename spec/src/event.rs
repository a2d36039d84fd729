//! Events: what happens to a flow or a path that an operator wants to hear of, each with its code.
//!
//! An event tells the flow, its run, a PSN and a code; one of a path tells the path in place of the flow, and zeros. Codes 4..=10 say why a flow drains, 12..=14 why it failed or is
//! left alone; these also stand in the flow's records as its *cause*, four bits wide, until the host starts it afresh.

/// An event code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Name.
    pub name: &'static str,
    /// Code, 5 bits; 0 is no event.
    pub code: u8,
    /// What happened, and which PSN is told.
    pub doc: &'static str,
}

macro_rules! events {
    ($($name:ident = $code:literal, $doc:literal;)+) => {
        $(
            #[doc = concat!("Event: ", $doc, ".")]
            pub const $name: u8 = $code;
        )+
        /// Every event, by code.
        pub const EVENTS: &[Event] = &[$(Event { name: stringify!($name), code: $code, doc: $doc }),+];
    };
}

events! {
    ACTIVE = 1, "the flow became Active, by the real ACK of this PSN";
    RESYNC = 2, "the far side refused this PSN, which nobody had acknowledged, or answered from before a restart: the flow is in Sync again";
    IDLE = 3, "nothing came for flow_idle and no debt was left: the flow is in Sync again; the PSN that was expected";
    DRAIN_GAP = 4, "Drain, then Sync: a gap was open for gap_timeout; the PSN that is missing";
    DRAIN_ASTRAY = 5, "Drain, then Sync: this PSN is further than the window from the expected one";
    DRAIN_MSN = 6, "Drain, then Sync: the far side gave this PSN another message count than the sender was told";
    DRAIN_MIGRATED = 7, "Drain, then Sync: the packet of this PSN changed MigReq";
    DRAIN_OPCODE = 8, "Drain, then Off: the packet of this PSN has an RC opcode that no standard names";
    DRAIN_MALFORMED = 9, "Drain, then Off: the packet of this PSN has a payload that its opcode or the path MTU does not allow";
    DRAIN_READ = 10, "Drain, then Off: the READ of this PSN takes an unknown number of PSNs, for the path MTU is unknown";
    DRAINED = 11, "Drain ended without debt; the newest PSN that the sender was told";
    FAULT_REFUSED = 12, "Fault: the far side refused this PSN, which the sender was told had arrived";
    FAULT_DEBT = 13, "Fault: this PSN was acknowledged longer ago than debt_timeout, and the far side has not confirmed it";
    MISPAIRED = 14, "Off: a real ACK for this PSN, which was never sent: the two queue pairs are no pair";
    DRAIN_TIMEOUT = 15, "Drain ended by debt_timeout, with debt; the newest PSN that the sender was told";
    LEASE_LOST = 16, "the lease of a path ran out: its rate is halved in each slot, down to the floor, until its far gateway is heard";
    PEER_OPENED = 17, "the far gateway of a path began a new session: all that is known and counted of the path begins at nought";
}

/// Whether an event tells a path in place of a flow, and neither run nor PSN.
pub const fn is_of_path(code: u8) -> bool {
    code >= LEASE_LOST
}

/// Whether a flow that drains for this cause returns to Sync; else it goes Off.
pub const fn returns_to_sync(cause: u8) -> bool {
    cause & 0b1100 == 0b0100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_their_places() {
        assert!(EVENTS.iter().enumerate().all(|(i, e)| usize::from(e.code) == i + 1 && !e.doc.is_empty()));
        assert!(EVENTS.iter().all(|e| is_of_path(e.code) == e.doc.contains("of a path")));
        let back = EVENTS.iter().filter(|e| returns_to_sync(e.code));
        assert!(back.eq(EVENTS.iter().filter(|e| e.doc.starts_with("Drain, then Sync"))));
    }
}
