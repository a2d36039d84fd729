//! Outbound 3 of 5: **flow** (and inbound 2 of 4). From `icrc`, to `track` and `ack_filter`.
//!
//! In: a frame's key. Out: the index of its flow, if the host gave it one. Here a map; in gates four hashed banks
//! (`hdl/src/outbound/flow.rs`), which must answer the same wherever the host placed the row.
//! Registers: `FLOW_ROW_*`.

use matchrdma_spec::hash::FlowKey;
use std::collections::HashMap;

/// Where a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Client to line: requests, keyed by the responder's queue pair.
    Outbound,
    /// Line to client: responses, keyed by the requester's queue pair.
    Inbound,
}

/// The keys of both directions.
#[derive(Clone, Debug, Default)]
pub struct FlowTable {
    outbound: HashMap<FlowKey, u16>,
    inbound: HashMap<FlowKey, u16>,
}

impl FlowTable {
    /// No flows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a key its flow, whatever it had before.
    pub fn insert(&mut self, direction: Direction, key: FlowKey, index: u16) {
        self.side(direction).insert(key, index);
    }

    /// Takes a key out.
    pub fn remove(&mut self, direction: Direction, key: &FlowKey) {
        self.side(direction).remove(key);
    }

    /// The flow of a key.
    pub fn look(&self, direction: Direction, key: &FlowKey) -> Option<u16> {
        let side = match direction {
            Direction::Outbound => &self.outbound,
            Direction::Inbound => &self.inbound,
        };
        side.get(key).copied()
    }

    fn side(&mut self, direction: Direction) -> &mut HashMap<FlowKey, u16> {
        match direction {
            Direction::Outbound => &mut self.outbound,
            Direction::Inbound => &mut self.inbound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_key_counts_and_directions_are_apart() {
        let key = FlowKey { v6: 0, vlan: 1, src: 2, dst: 3, qpn: 4 };
        let mut t = FlowTable::new();
        t.insert(Direction::Outbound, key, 9);
        assert_eq!(t.look(Direction::Outbound, &key), Some(9));
        assert_eq!(t.look(Direction::Inbound, &key), None);
        for other in [
            FlowKey { v6: 1, ..key },
            FlowKey { vlan: 0, ..key },
            FlowKey { src: 3, ..key },
            FlowKey { dst: 2, ..key },
            FlowKey { qpn: 5, ..key },
        ] {
            assert_eq!(t.look(Direction::Outbound, &other), None);
        }
        t.insert(Direction::Outbound, key, 10);
        assert_eq!(t.look(Direction::Outbound, &key), Some(10));
        t.remove(Direction::Outbound, &key);
        assert_eq!(t.look(Direction::Outbound, &key), None);
    }
}
