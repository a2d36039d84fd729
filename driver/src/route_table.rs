//! Which prefix of addresses leads to which path, as the gates want it: ascending range starts.
//!
//! [`flatten`] turns at most 64 prefixes, nested as they like, into at most 128 starts. A start says the queue of the
//! addresses from there up to the next start. IPv4 addresses, in the low 32 bits, come before all IPv6 addresses;
//! before the first start, and between prefixes, is the bypass queue. So is the very last IPv6 address, always.

use matchrdma_spec::params::{PATHS, PREFIXES, QUEUE_BYPASS, ROUTE_STARTS};
use matchrdma_spec::regs::entry;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Addresses that begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prefix {
    /// IPv6, not IPv4.
    pub v6: bool,
    /// The address; IPv4 in the low 32 bits.
    pub addr: u128,
    /// Leading bits that count.
    pub len: u8,
}

/// A prefix and the path it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// The addresses.
    pub prefix: Prefix,
    /// The path.
    pub path: u8,
}

/// Where a range begins, and the queue of its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    /// IPv6, not IPv4.
    pub v6: bool,
    /// The first address; IPv4 in the low 32 bits.
    pub addr: u128,
    /// The queue: a path, or 16.
    pub queue: u8,
}

impl From<Start> for entry::Route {
    fn from(start: Start) -> Self {
        entry::Route { address: start.addr, v6: start.v6, queue: start.queue }
    }
}

impl Start {
    /// What an entry holds that is not in use: the last of all keys, and the bypass queue.
    pub const UNUSED: Start = Start { v6: true, addr: u128::MAX, queue: QUEUE_BYPASS as u8 };
}

/// Why routes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteError {
    /// More prefixes than the table has.
    TooMany {
        /// That many.
        found: usize,
    },
    /// One prefix, two paths.
    TwoPaths {
        /// The prefix.
        prefix: Prefix,
        /// Its first path.
        first: u8,
        /// Its second one.
        second: u8,
    },
    /// Bits behind the prefix length are set.
    HostBits {
        /// The prefix as given.
        prefix: Prefix,
        /// What was meant, perhaps.
        expected: Prefix,
    },
    /// Longer than an address.
    Length {
        /// The prefix.
        prefix: Prefix,
    },
    /// No such path.
    Path {
        /// The prefix.
        prefix: Prefix,
        /// Its path.
        found: u8,
    },
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RouteError::TooMany { found } => {
                write!(f, "routes: expected at most {PREFIXES} different prefixes, found {found}")
            }
            RouteError::TwoPaths { prefix, first, second } => {
                write!(f, "route {prefix}: expected one path, found two: {first} and {second}")
            }
            RouteError::HostBits { prefix, expected } => {
                write!(
                    f,
                    "route {prefix}: expected no bit set behind the first {}, as in {expected}, found {}",
                    prefix.len,
                    prefix.address()
                )
            }
            RouteError::Length { prefix } => {
                write!(f, "route {prefix}: expected a length of at most {}, found {}", prefix.width(), prefix.len)
            }
            RouteError::Path { prefix, found } => {
                write!(f, "route {prefix}: expected a path from 0 to {}, found {found}", PATHS - 1)
            }
        }
    }
}

impl std::error::Error for RouteError {}

impl Prefix {
    /// Bits of an address of its family.
    const fn width(&self) -> u8 {
        if self.v6 {
            128
        } else {
            32
        }
    }

    /// Ones where host bits are.
    const fn hosts(&self) -> u128 {
        match self.width() - self.len {
            128 => u128::MAX,
            free => (1 << free) - 1,
        }
    }

    /// The last address.
    const fn last(&self) -> u128 {
        self.addr | self.hosts()
    }

    /// Whether an address of the prefix's own family lies in it.
    pub const fn contains_address(&self, addr: u128) -> bool {
        self.addr <= addr && addr <= self.last()
    }

    const fn contains(&self, other: &Prefix) -> bool {
        self.v6 == other.v6 && self.addr <= other.addr && other.last() <= self.last()
    }

    fn address(&self) -> IpAddr {
        if self.v6 {
            Ipv6Addr::from(self.addr).into()
        } else {
            Ipv4Addr::from(self.addr as u32).into()
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address(), self.len)
    }
}

impl FromStr for Prefix {
    type Err = String;

    /// `10.9.0.0/16`, `2001:db8::/32`, or an address alone.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("prefix {text:?}: expected ADDRESS/LENGTH, as 10.9.0.0/16 or 2001:db8::/32");
        let (addr, len) = match text.split_once('/') {
            Some((addr, len)) => (addr, Some(len.parse().map_err(|_| expected())?)),
            None => (text, None),
        };
        let (v6, addr, width) = match addr.parse().map_err(|_| expected())? {
            IpAddr::V4(addr) => (false, u128::from(u32::from(addr)), 32),
            IpAddr::V6(addr) => (true, u128::from(addr), 128),
        };
        Ok(Prefix { v6, addr, len: len.unwrap_or(width) })
    }
}

/// The range starts of `routes`, ascending. A route given twice counts once.
pub fn flatten(routes: &[Route]) -> Result<Vec<Start>, RouteError> {
    let mut sorted: Vec<Route> = vec![];
    for route in routes {
        let Route { prefix, path } = *route;
        if prefix.len > prefix.width() {
            return Err(RouteError::Length { prefix });
        }
        if prefix.addr & prefix.hosts() != 0 {
            let expected = Prefix { addr: prefix.addr & !prefix.hosts(), ..prefix };
            return Err(RouteError::HostBits { prefix, expected });
        }
        if usize::from(path) >= PATHS {
            return Err(RouteError::Path { prefix, found: path });
        }
        match sorted.iter().find(|r| r.prefix == prefix) {
            Some(first) if first.path != path => {
                return Err(RouteError::TwoPaths { prefix, first: first.path, second: path });
            }
            Some(_) => {}
            None => sorted.push(*route),
        }
    }
    if sorted.len() > PREFIXES {
        return Err(RouteError::TooMany { found: sorted.len() });
    }
    // An outer prefix stands before the inner ones: the sort is by family, first address, length.
    sorted.sort_by_key(|r| r.prefix);
    let mut starts: Vec<Start> = vec![];
    let mut open: Vec<Route> = vec![];
    for route in &sorted {
        while let Some(inner) = open.pop_if(|outer| !outer.prefix.contains(&route.prefix)) {
            close(&mut starts, &open, &inner);
        }
        push(&mut starts, Start { v6: route.prefix.v6, addr: route.prefix.addr, queue: route.path });
        open.push(*route);
    }
    while let Some(inner) = open.pop() {
        close(&mut starts, &open, &inner);
    }
    debug_assert!(starts.len() <= ROUTE_STARTS);
    Ok(starts)
}

/// Behind a prefix is what it lies in, or nothing. The last address of all is in no prefix: entries that are not in use
/// begin there.
fn close(starts: &mut Vec<Start>, open: &[Route], inner: &Route) {
    let queue = open.last().map_or(QUEUE_BYPASS as u8, |outer| outer.path);
    let addr = inner.prefix.last().saturating_add(1);
    push(starts, Start { v6: inner.prefix.v6, addr, queue });
}

/// Of two starts at one address the later one counts, and one that changes nothing is none.
fn push(starts: &mut Vec<Start>, start: Start) {
    if starts.last().is_some_and(|last| (last.v6, last.addr) == (start.v6, start.addr)) {
        starts.pop();
    }
    if starts.last().map_or(QUEUE_BYPASS as u8, |last| last.queue) != start.queue {
        starts.push(start);
    }
}

#[cfg(test)]
#[path = "route_table_tests.rs"]
mod tests;
