//! Where flow keys lie in a direction's key table: cuckoo placement over four banks.
//!
//! A key may lie in one row of each bank. When all four are taken, keys move on to their other rows until one finds an
//! empty one; the shortest such chain is searched for. At half load (4096 keys in 8192 rows) there is always one.
//!
//! The table is written row by row while frames are looked up, so the order matters: the last key of a chain is written
//! to its new row first, then the one before it over its old row, and so on. A key that moves stands in two rows for a
//! moment, with the same index, and never in none.

use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{FLOWS, FLOW_BANKS, FLOW_ROWS};
use matchrdma_spec::regs::flow::FlowRow;
use std::collections::VecDeque;

/// Rows looked at before a key is refused. A key that fits is placed within a few dozen.
const SEARCH_LIMIT: usize = 1024;

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Bank.
    pub bank: usize,
    /// Row of the bank.
    pub row: usize,
}

/// A row to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowWrite {
    /// Where.
    pub place: Place,
    /// What.
    pub content: FlowRow,
}

/// Why a key was not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The key is in the table with another index.
    Taken {
        /// That index.
        index: u16,
    },
    /// The index is no flow.
    NoSuchFlow,
    /// No chain of moves ends in an empty row.
    Full,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Taken { index } => write!(f, "the key belongs to flow {index} already"),
            Refused::NoSuchFlow => write!(f, "flow indices are below {FLOWS}"),
            Refused::Full => write!(f, "no row of the key table can be made free for the key"),
        }
    }
}

impl std::error::Error for Refused {}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: FlowKey,
    index: u16,
    rows: [u16; FLOW_BANKS],
}

impl Entry {
    fn places(&self) -> impl Iterator<Item = Place> {
        self.rows.into_iter().enumerate().map(|(bank, row)| Place { bank, row: row.into() })
    }

    fn write(&self, place: Place) -> RowWrite {
        RowWrite { place, content: FlowRow { key: self.key, index: self.index, valid: true } }
    }
}

/// The host's picture of a key table.
#[derive(Clone, Debug)]
pub struct FlowTable {
    rows: Vec<Option<Entry>>,
    keys: usize,
}

impl Default for FlowTable {
    fn default() -> Self {
        Self::new()
    }
}

fn at(place: Place) -> usize {
    place.bank * FLOW_ROWS + place.row
}

impl FlowTable {
    /// An empty table.
    pub fn new() -> Self {
        Self { rows: vec![None; FLOW_BANKS * FLOW_ROWS], keys: 0 }
    }

    /// Keys in the table.
    pub fn len(&self) -> usize {
        self.keys
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys == 0
    }

    /// Where a key lies, and its index.
    pub fn find(&self, key: &FlowKey) -> Option<(Place, u16)> {
        let entry = Entry { key: *key, index: 0, rows: key.rows() };
        entry.places().find_map(|p| Some((p, self.rows[at(p)].filter(|e| e.key == *key)?.index)))
    }

    /// Every row in use.
    pub fn rows(&self) -> impl Iterator<Item = RowWrite> + '_ {
        let used = self.rows.iter().enumerate();
        used.filter_map(|(i, entry)| Some(entry.as_ref()?.write(Place { bank: i / FLOW_ROWS, row: i % FLOW_ROWS })))
    }

    /// Takes a row as it stands in the gateway.
    pub fn put(&mut self, row: &RowWrite) {
        let FlowRow { key, index, valid } = row.content;
        let entry = valid.then(|| Entry { key, index, rows: key.rows() });
        let old = std::mem::replace(&mut self.rows[at(row.place)], entry);
        self.keys = self.keys + usize::from(entry.is_some()) - usize::from(old.is_some());
    }

    /// Places a key: the rows to write, in the order to write them. None when it is there already.
    pub fn insert(&mut self, key: FlowKey, index: u16) -> Result<Vec<RowWrite>, Refused> {
        if usize::from(index) >= FLOWS {
            return Err(Refused::NoSuchFlow);
        }
        match self.find(&key) {
            Some((_, same)) if same == index => return Ok(vec![]),
            Some((_, other)) => return Err(Refused::Taken { index: other }),
            None => {}
        }
        let new = Entry { key, index, rows: key.rows() };
        let chain = self.chain(&new).ok_or(Refused::Full)?;
        // from the empty row back to the one that the new key takes
        let mut writes = Vec::with_capacity(chain.len());
        for pair in chain.windows(2) {
            let moved = self.rows[at(pair[1])].expect("only the first row of a chain is empty");
            self.rows[at(pair[0])] = Some(moved);
            writes.push(moved.write(pair[0]));
        }
        let last = chain[chain.len() - 1];
        self.rows[at(last)] = Some(new);
        writes.push(new.write(last));
        self.keys += 1;
        Ok(writes)
    }

    /// The shortest chain of rows, an empty one first, a row of `new` last, each key of which may move to the one before.
    fn chain(&self, new: &Entry) -> Option<Vec<Place>> {
        // (row, what leads to it), in order of distance
        let mut seen: Vec<(Place, Option<usize>)> = new.places().map(|p| (p, None)).collect();
        let mut queue: VecDeque<usize> = (0..seen.len()).collect();
        while let Some(this) = queue.pop_front() {
            let Some(entry) = &self.rows[at(seen[this].0)] else {
                let back = std::iter::successors(Some(this), |i| seen[*i].1);
                return Some(back.map(|i| seen[i].0).collect());
            };
            if seen.len() >= SEARCH_LIMIT {
                continue;
            }
            for place in entry.places() {
                if !seen.iter().any(|(p, _)| *p == place) {
                    queue.push_back(seen.len());
                    seen.push((place, Some(this)));
                }
            }
        }
        None
    }

    /// Takes a key out: the row to write.
    pub fn remove(&mut self, key: &FlowKey) -> Option<RowWrite> {
        let (place, _) = self.find(key)?;
        self.rows[at(place)] = None;
        self.keys -= 1;
        Some(RowWrite { place, content: FlowRow::default() })
    }
}

/// Places a whole set of keys in an empty table.
pub fn place(keys: &[(FlowKey, u16)]) -> Result<FlowTable, (FlowKey, Refused)> {
    let mut table = FlowTable::new();
    keys.iter().try_for_each(|&(key, index)| table.insert(key, index).map(drop).map_err(|why| (key, why)))?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn key(n: u32) -> FlowKey {
        FlowKey { v6: 0, vlan: 0, src: 0x0a00_0001, dst: 0x0a00_0002 + u128::from(n >> 12), qpn: n & 0xfff }
    }

    #[test]
    fn what_is_placed_is_found_until_it_is_removed() {
        let mut table = FlowTable::new();
        for n in 0..FLOWS as u32 {
            table.insert(key(n), n as u16).unwrap();
        }
        assert_eq!((table.len(), table.rows().count()), (FLOWS, FLOWS));
        for n in 0..FLOWS as u32 {
            let (place, index) = table.find(&key(n)).unwrap();
            assert_eq!((index, usize::from(key(n).rows()[place.bank])), (n as u16, place.row));
            assert_eq!(table.insert(key(n), n as u16), Ok(vec![]));
            assert_eq!(table.insert(key(n), n as u16 ^ 1), Err(Refused::Taken { index: n as u16 }));
        }
        assert_eq!(table.insert(key(1 << 20), FLOWS as u16), Err(Refused::NoSuchFlow));
        let write = table.remove(&key(77)).unwrap();
        assert!(!write.content.valid && table.find(&key(77)).is_none() && table.remove(&key(77)).is_none());
        assert_eq!(table.len(), FLOWS - 1);
    }

    /// Sets of random flows that are placed.
    const SETS: u64 = 1000;

    #[test]
    fn four_thousand_random_flows_always_fit() {
        let mut state = 0x6d61_7463_6872_646d_u64;
        let mut random = || {
            // splitmix64
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let (mut moves, mut most) = (0, 0);
        for set in 0..SETS {
            let mut table = FlowTable::new();
            for index in 0..FLOWS as u16 {
                let v6 = (set % 2) as u8;
                let mut address = || {
                    if v6 == 1 {
                        u128::from(random()) << 64 | u128::from(random())
                    } else {
                        random() as u32 as u128
                    }
                };
                let (src, dst) = (address(), address());
                let key = FlowKey { v6, vlan: random() as u32 & 0xfff, src, dst, qpn: random() as u32 & 0xff_ffff };
                let writes = table.insert(key, index).unwrap_or_else(|e| panic!("set {set}, flow {index}: {e}"));
                moves += writes.len() - 1;
                most = most.max(writes.len() - 1);
            }
            assert_eq!(table.len(), FLOWS);
        }
        println!("{SETS} sets of {FLOWS} random flows: all placed; {moves} keys moved, at most {most} for one flow");
    }

    /// A copy that does nothing but take the writes, one after another: no key is ever missing.
    #[test]
    fn keys_never_vanish_while_they_move() {
        let (mut table, mut copy, mut moves) = (FlowTable::new(), HashMap::new(), 0);
        for n in 0..7900u32 {
            let Ok(writes) = table.insert(key(n.wrapping_mul(2_654_435_761)), (n % 4096) as u16) else { break };
            let moved: Vec<FlowKey> = writes[..writes.len() - 1].iter().map(|w| w.content.key).collect();
            moves += moved.len();
            for write in writes {
                copy.insert(write.place, write.content);
                for k in &moved {
                    let here = |(b, r): (usize, &u16)| copy.get(&Place { bank: b, row: usize::from(*r) });
                    assert!(k.rows().iter().enumerate().filter_map(here).any(|c| c.valid && c.key == *k));
                }
            }
        }
        assert!(table.len() > 7000, "four banks take more than 7/8 load: {}", table.len());
        assert!(moves > 1000);
        assert!(table.rows().all(|w| copy[&w.place] == w.content));
    }

    #[test]
    fn a_full_table_says_so_and_stays_as_it_is() {
        let mut table = FlowTable::new();
        let full = (0u32..).find_map(|n| table.insert(key(n.wrapping_mul(2_654_435_761)), 5).err().map(|e| (n, e)));
        assert_eq!(full.unwrap().1, Refused::Full);
        assert_eq!(table.rows().count(), table.len());
    }
}
