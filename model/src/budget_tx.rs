//! Budget 4 of 4: **budget_tx**. What the far gateways are told: one frame per path and slot.
//!
//! In: the budgets of [`reservoir`], what `budget_rx` heard, what the pacer has sent and holds. Out:
//! frames. Until the far gateway is known to know our session they are hellos, which grant nothing; then budgets.
//!
//! `echo` and `sent` are as of the moment the frame enters the order of departure, behind all that was released before:
//! an echo that overtook released data would let the far side forget bytes that are still under way.

use crate::budget_rx::{scaled, BudgetCfg, Peer, Said};
use crate::reservoir;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::wire::budget::{self, Budget};
use matchrdma_spec::wire::eth;

/// What a frame tells beside the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Telling {
    /// Our slot that the budget is of.
    pub slot: u64,
    /// What this path has sent in this session.
    pub sent: u64,
    /// What waits for it, bytes.
    pub waiting: u64,
    /// What is held here of what came from there, bytes.
    pub occupancy: u64,
}

/// All paths.
#[derive(Clone, Debug)]
pub struct BudgetTx {
    cfg: BudgetCfg,
    peers: [Peer; PATHS],
    /// Where frames go, and where from: a bridge may rewrite both.
    addresses: (u64, u64),
    sequence: [u64; PATHS],
}

impl BudgetTx {
    /// Nothing was said.
    pub fn new(cfg: BudgetCfg, peers: [Peer; PATHS], dst: u64, src: u64) -> Self {
        BudgetTx { cfg, peers, addresses: (dst, src), sequence: [0; PATHS] }
    }

    /// What the host says is another from now on.
    pub fn set(&mut self, cfg: BudgetCfg, addresses: (u64, u64)) {
        (self.cfg, self.addresses) = (cfg, addresses);
    }

    /// A path has another far gateway, or none.
    pub fn set_peer(&mut self, path: usize, peer: Peer) {
        self.peers[path] = peer;
    }

    /// The frame of a path in this slot; `None` without a peer.
    pub fn frame(&mut self, path: usize, said: &Said, granted: &reservoir::Budget, tell: &Telling) -> Option<Vec<u8>> {
        let peer = self.peers[path].on.then_some(self.peers[path])?;
        self.sequence[path] += 1;
        let hello = !said.knows_us;
        let cfg = &self.cfg;
        let only_budget = |value: u64| if hello { 0 } else { value };
        let mut frame = vec![0; budget::BYTES];
        Budget {
            dst: self.addresses.0,
            src: self.addresses.1,
            ethertype: eth::TYPE_LOCAL_EXPERIMENTAL,
            magic: budget::MAGIC_VALUE,
            version: budget::VERSION_VALUE,
            kind: if hello { budget::KIND_HELLO } else { budget::KIND_BUDGET },
            lease: cfg.lease,
            src_site: cfg.site,
            dst_site: peer.site,
            session: cfg.session,
            peer_session: said.session,
            clock_hz: cfg.clock_hz,
            capabilities: cfg.capabilities,
            sequence: self.sequence[path],
            slot_ps: cfg.slot_ps,
            slot: only_budget(tell.slot),
            echo: only_budget(said.slot),
            rate: only_budget(scaled(granted.grant, cfg.to_wire)),
            limit: only_budget(granted.limit),
            sent: only_budget(tell.sent),
            waiting: only_budget(tell.waiting),
            occupancy: only_budget(tell.occupancy),
            reserved: 0,
            tag: 0,
            crc: 0,
        }
        .emit(&mut frame);
        budget::seal(&mut frame, &peer.key);
        Some(frame)
    }
}
