//! Pairs from the hosts' own lists: `rdma -j res show qp` (iproute2) of each.
//!
//! The lists hold both queue pair numbers but no addresses, so a file says whose each list is (`docs/learn.md`):
//!
//! ```json
//! [
//!   { "host": "a1", "addr": "10.9.0.1", "qps": [ ...output of `rdma -j res show qp` on a1... ] },
//!   { "host": "b1", "addr": "10.9.0.2", "qps": [ ...output of `rdma -j res show qp` on b1... ] }
//! ]
//! ```
//!
//! Two queue pairs belong together when each names the other and nobody else could be meant.

use super::{LearnedFlow, Route, Source};
use matchrdma_spec::params::PSN_MASK;
use matchrdma_spec::regs::flow::mtu_code;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;

/// One list and whose it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Name of the host: entries of one host share it.
    host: String,
    /// Address that the queue pairs use.
    addr: IpAddr,
    /// VLAN id of that address: a number, or outer and inner one.
    #[serde(default)]
    vlan: Vlan,
    /// Device whose queue pairs have that address; needed when the list holds more than one.
    ifname: Option<String>,
    /// Path MTU, bytes.
    mtu: Option<u32>,
    /// What `rdma -j res show qp` printed.
    qps: Vec<QueuePair>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Vlan {
    One(u16),
    Two([u16; 2]),
}

impl Default for Vlan {
    fn default() -> Self {
        Vlan::One(0)
    }
}

/// The fields that matter of one queue pair; `rdma` prints more, and newer ones may print others.
#[derive(Clone, Debug, Deserialize)]
struct QueuePair {
    ifname: String,
    lqpn: u32,
    rqpn: Option<u32>,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    state: String,
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Both directions of each pair.
    pub flows: Vec<LearnedFlow>,
    /// Connected queue pairs whose other end could not be told, one line each.
    pub unpaired: Vec<String>,
}

/// Why a file says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// A queue pair that is connected, with whose it is.
struct Connected<'a> {
    entry: &'a Entry,
    ifname: &'a str,
    local: u32,
    remote: u32,
}

impl Connected<'_> {
    /// Host and device: queue pair numbers are unique within.
    fn device(&self) -> (&str, &str) {
        (&self.entry.host, self.ifname)
    }

    /// Each names the other, and packets can go between them.
    fn may_pair(&self, other: &Connected) -> bool {
        self.device() != other.device()
            && (self.local, self.remote) == (other.remote, other.local)
            && self.entry.addr.is_ipv6() == other.entry.addr.is_ipv6()
            && self.entry.vlan() == other.entry.vlan()
    }
}

impl Entry {
    /// As in a flow key.
    fn vlan(&self) -> u32 {
        const VIDS: u32 = matchrdma_spec::wire::vlan::VID.max() as u32 + 1;
        match self.vlan {
            Vlan::One(vid) => vid.into(),
            Vlan::Two([outer, inner]) => u32::from(outer) * VIDS + u32::from(inner),
        }
    }

    fn check(&self) -> Result<(), Refused> {
        let Entry { host, addr, .. } = self;
        let refuse = |why: String| Err(Refused(format!("host {host}, {addr}: {why}")));
        let vids = match self.vlan {
            Vlan::One(vid) => vec![vid],
            Vlan::Two(both) => both.to_vec(),
        };
        if let Some(vid) = vids.iter().find(|&&vid| u128::from(vid) > matchrdma_spec::wire::vlan::VID.max()) {
            return refuse(format!("VLAN id {vid} is none"));
        }
        if let Some(mtu) = self.mtu.filter(|&m| mtu_code(m) == 0) {
            return refuse(format!("path MTU {mtu} is none of 256, 512, 1024, 2048, 4096"));
        }
        let devices: BTreeSet<&str> = self.connected_here().map(|qp| qp.ifname.as_str()).collect();
        match &self.ifname {
            Some(name) if !devices.contains(name.as_str()) && !devices.is_empty() => {
                refuse(format!("no connected queue pair is on {name}; the list has {devices:?}"))
            }
            None if devices.len() > 1 => {
                refuse(format!("queue pairs of {devices:?}: say with \"ifname\" which has this address"))
            }
            _ => Ok(()),
        }
    }

    /// RC queue pairs that have been given their other end.
    fn connected_here(&self) -> impl Iterator<Item = &QueuePair> {
        self.qps.iter().filter(|qp| {
            qp.kind == "RC" && qp.rqpn.is_some() && matches!(qp.state.as_str(), "RTR" | "RTS" | "SQD" | "SQE")
        })
    }

    fn connected(&self) -> impl Iterator<Item = Connected<'_>> {
        let wanted = |qp: &&QueuePair| self.ifname.as_ref().is_none_or(|name| *name == qp.ifname);
        self.connected_here()
            .filter(wanted)
            .filter_map(|qp| Some(Connected { entry: self, ifname: &qp.ifname, local: qp.lqpn, remote: qp.rqpn? }))
    }
}

/// The pairs that a file names; an error says what in it is wrong.
pub fn parse(text: &str) -> Result<Lists, Refused> {
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|e| {
        Refused(format!("expected a list of {{\"host\", \"addr\", \"qps\"}} as docs/learn.md shows, found: {e}"))
    })?;
    entries.iter().try_for_each(Entry::check)?;
    let all: Vec<Connected> = entries.iter().flat_map(Entry::connected).collect();
    if let Some(qp) = all.iter().find(|qp| qp.local.max(qp.remote) > PSN_MASK) {
        return Err(Refused(format!("host {}: queue pair number {} is over 24 bits", qp.entry.host, qp.local)));
    }
    let mut lists = Lists::default();
    for (n, qp) in all.iter().enumerate() {
        let others: Vec<(usize, &Connected)> = all.iter().enumerate().filter(|(_, other)| qp.may_pair(other)).collect();
        let devices: BTreeSet<_> = others.iter().map(|(_, other)| other.device()).collect();
        if devices.len() != 1 {
            let why = match devices.len() {
                0 => "nobody in the file names it back".to_string(),
                _ => format!("it may belong to any of {devices:?}"),
            };
            let (host, device) = qp.device();
            lists.unpaired.push(format!("{host} {device} queue pair {} to {}: {why}", qp.local, qp.remote));
            continue;
        }
        // Each pair once, from its first end; that the other end sees no third is known by symmetry only if it agrees.
        for (m, other) in others.into_iter().filter(|(m, _)| *m > n) {
            let back: BTreeSet<_> = all.iter().filter(|o| all[m].may_pair(o)).map(Connected::device).collect();
            if back.len() == 1 {
                let flow = pair(qp, other);
                lists.flows.extend([flow, flow.reversed()]);
            }
        }
    }
    Ok(lists)
}

fn pair(a: &Connected, b: &Connected) -> LearnedFlow {
    let number = |addr: IpAddr| match addr {
        IpAddr::V4(v4) => u32::from(v4).into(),
        IpAddr::V6(v6) => u128::from(v6),
    };
    LearnedFlow {
        route: Route {
            v6: a.entry.addr.is_ipv6(),
            vlan: a.entry.vlan(),
            requester: number(a.entry.addr),
            responder: number(b.entry.addr),
        },
        requester_qpn: a.local,
        responder_qpn: b.local,
        mtu: a.entry.mtu.or(b.entry.mtu),
        source: Source::Rdma,
    }
}

#[cfg(test)]
#[path = "rdma_tests.rs"]
mod tests;
