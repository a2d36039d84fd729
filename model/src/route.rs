//! Both directions, beside the rail: **route**. From `parse`, to the queues of packet memory.
//!
//! In: an address. Out: the path whose prefix contains it, the longest such prefix; or the bypass queue.
//! Here a list of prefixes; in gates a search over range starts (`hdl/src/outbound/route.rs`), which must say the same
//! however the host flattened the list. Tests: `tests/outbound/route.rs`. Registers: window `ROUTE`.

use matchrdma_spec::params::QUEUE_BYPASS;

/// Addresses that begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix {
    /// IPv6, not IPv4.
    pub v6: bool,
    /// The address; IPv4 in the low 32 bits.
    pub addr: u128,
    /// Leading bits that count: up to 32, or 128.
    pub len: u8,
}

impl Prefix {
    /// Whether an address lies in it.
    pub fn contains(&self, v6: bool, addr: u128) -> bool {
        let width = if self.v6 { 128 } else { 32 };
        let free = width - u32::from(self.len);
        self.v6 == v6 && (free == 128 || self.addr >> free == addr >> free)
    }
}

/// Prefixes and where they lead.
#[derive(Clone, Debug, Default)]
pub struct RouteTable {
    routes: Vec<(Prefix, u8)>,
}

impl RouteTable {
    /// Of these routes, each a prefix and a path.
    pub fn new(routes: Vec<(Prefix, u8)>) -> Self {
        RouteTable { routes }
    }

    /// The queue of an address: that of the longest prefix which contains it. `ip`: there is an address. The last IPv6
    /// address counts as none.
    pub fn queue(&self, ip: bool, v6: bool, addr: u128) -> u8 {
        let inside = self.routes.iter().filter(|(prefix, _)| ip && addr != u128::MAX && prefix.contains(v6, addr));
        inside.max_by_key(|(prefix, _)| prefix.len).map_or(QUEUE_BYPASS as u8, |(_, path)| *path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_wins_in_its_own_family() {
        let v4 = |addr, len| Prefix { v6: false, addr, len };
        let table = RouteTable::new(vec![
            (v4(0x0a00_0000, 8), 1),
            (v4(0x0a09_0000, 16), 2),
            (v4(0x0a09_0007, 32), 3),
            (Prefix { v6: true, addr: 0, len: 0 }, 4),
        ]);
        let queue = |addr| table.queue(true, false, addr);
        assert_eq!([queue(0x0a01_0000), queue(0x0a09_0001), queue(0x0a09_0007), queue(0x0b00_0000)], [1, 2, 3, 16]);
        assert_eq!(table.queue(true, true, 0x0a09_0007), 4);
        assert_eq!(table.queue(true, true, u128::MAX), 16);
        assert_eq!(table.queue(false, false, 0x0a09_0007), 16);
    }

    #[test]
    fn no_route_leads_nowhere() {
        assert_eq!(RouteTable::default().queue(true, false, 0), 16);
    }
}
