//! Slots and banked tables of a [`ModelGateway`](crate::model_gateway::ModelGateway): the registers of `TABLE` and
//! `RATE`, the windows, and a count of cycles.

use matchrdma_model::budget_rx::Peer;
use matchrdma_model::rate_table::{Phase, RateTable};
use matchrdma_model::route::{Prefix, RouteTable};
use matchrdma_model::tables::Tables;
use matchrdma_spec::params::{SLOT_K_DEFAULT, SLOT_K_MAX, SLOT_K_MIN};
use matchrdma_spec::regs::entry::Route;
use matchrdma_spec::regs::table::{self, word_at, TABLES};
use matchrdma_spec::regs::{pacer, rate};

/// Cycles that a slot goes on for when another length was written; the gates take as many.
const CUT: u32 = 142;

/// Tables, budgets and the slot that runs.
pub struct ModelTables {
    /// Banked tables.
    pub tables: Tables,
    /// Budgets in force.
    pub rates: RateTable,
    left: u32,
    k: u32,
    set_k: u32,
    ask: u32,
    crc: [u32; TABLES],
}

impl Default for ModelTables {
    fn default() -> Self {
        ModelTables {
            tables: Tables::new(),
            rates: RateTable::new(),
            left: (1 << SLOT_K_DEFAULT) - 1,
            k: SLOT_K_DEFAULT,
            set_k: SLOT_K_DEFAULT,
            ask: 0,
            crc: [0; TABLES],
        }
    }
}

impl ModelTables {
    /// One cycle; when it ends the slot, the tables that take effect.
    pub fn cycle(&mut self) -> Option<u32> {
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        let mask = self.tables.waiting();
        self.tables.boundary();
        self.rates.boundary(&self.tables);
        self.k = self.set_k;
        self.left = (1 << self.k) - 1;
        Some(mask)
    }

    /// Length of the slot that runs, log2 of cycles.
    pub fn slot_k(&self) -> u32 {
        self.k
    }

    /// Writes one of its words; `None`: it is not one of them; `Some(false)`: refused.
    pub fn write(&mut self, addr: u16, value: u32) -> Option<bool> {
        if let Some((table, word)) = word_at(addr) {
            return Some(self.tables.write(table, word, value));
        }
        if let Some(table) = table::CRC.iter().position(|reg| reg.offset == addr) {
            self.crc[table] = value;
            self.tables.set_crc(table, value);
        } else if addr == table::COMMIT.offset {
            self.tables.commit(table::MASK.get(value));
            self.tables.scanned();
        } else if addr == rate::PATH.offset {
            self.ask = rate::PATH_FIELD.get(value);
        } else if addr == pacer::SLOT_K.offset {
            if !(SLOT_K_MIN..=SLOT_K_MAX).contains(&value) {
                return Some(false);
            }
            self.set_k = value;
            if self.set_k != self.k {
                self.left = self.left.min(CUT);
            }
        } else {
            return None;
        }
        Some(true)
    }

    /// Reads one of its words; `None`: it is not one of them.
    pub fn read(&self, addr: u16) -> Option<u32> {
        if let Some((table, word)) = word_at(addr) {
            return Some(self.tables.read(table, word));
        }
        if let Some(table) = table::CRC.iter().position(|reg| reg.offset == addr) {
            return Some(self.crc[table]);
        }
        let (path, status) = (self.ask as usize, self.tables.status());
        let budget = self.rates.budget(path);
        let known = [
            (table::STATUS, {
                let word = table::REFUSED.with(status.busy.into(), status.refused.into());
                table::TABLE.with(table::CODE.with(word, status.code), status.table)
            }),
            (table::ERROR_WORD, status.word),
            (table::GENERATION, self.tables.generation()),
            (table::BANKS, self.tables.banks()),
            (pacer::SLOT_K, self.set_k),
            (rate::SLOT, self.rates.slot()),
            (rate::SLOT_K, self.k),
            (rate::PATH, self.ask),
            (rate::RATE, budget.rate),
            (rate::BURST, budget.burst),
            (rate::GENERATION, self.tables.generation()),
            (rate::MODE, {
                let phase = match self.rates.phase(path) {
                    Phase::Before => 0,
                    Phase::Running(..) => 1,
                    Phase::Over => 2,
                };
                let word = rate::PHASE_FIELD.with(self.rates.mode(path).into(), phase);
                rate::LIMITED_FIELD.with(rate::OPEN_FIELD.with(word, budget.open.into()), budget.limited.into())
            }),
        ];
        known.into_iter().find(|(reg, _)| reg.offset == addr).map(|(_, value)| value)
    }

    /// The far gateway of a path, with the path's weight, and whether the mode in force needs one.
    pub fn peer(&self, path: usize) -> (Peer, u8, bool) {
        let set = self.tables.path(path);
        (Peer { on: set.peer_on, site: set.peer_site, key: set.peer_key }, set.weight, set.granted())
    }

    /// The routes in force, as the model looks them up.
    pub fn routes(&self) -> RouteTable {
        let starts = self.tables.routes();
        let mut prefixes = Vec::new();
        for (n, Route { address, v6, queue }) in starts.iter().enumerate() {
            // To the next start of the same family, or to the family's last address.
            let last = if *v6 { u128::MAX } else { u32::MAX.into() };
            let end = starts.get(n + 1).filter(|next| next.v6 == *v6).map_or(last, |next| next.address - 1).min(last);
            if *address <= end {
                prefixes.extend(cover(*v6, *address, end).map(|prefix| (prefix, *queue)));
            }
        }
        RouteTable::new(prefixes)
    }
}

/// The fewest prefixes that hold the addresses from `first` to `last` and no others.
fn cover(v6: bool, first: u128, last: u128) -> impl Iterator<Item = Prefix> {
    let width: u32 = if v6 { 128 } else { 32 };
    let mut next = Some(first);
    core::iter::from_fn(move || {
        let addr = next.filter(|a| *a <= last)?;
        let fits = |free: &u32| {
            let rest = 1u128.checked_shl(*free).map_or(u128::MAX, |size| size - 1);
            addr & rest == 0 && addr.checked_add(rest).is_some_and(|end| end <= last)
        };
        let free = (0..=width).rev().find(fits)?;
        next = 1u128.checked_shl(free).and_then(|size| addr.checked_add(size));
        Some(Prefix { v6, addr, len: (width - free) as u8 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_cover_a_range_and_nothing_else() {
        let all: Vec<_> = cover(false, 5, 16).map(|p| (p.addr, 32 - p.len)).collect();
        assert_eq!(all, [(5, 0), (6, 1), (8, 3), (16, 0)]);
        let whole = |v6, last| cover(v6, 0, last).map(|p| (p.addr, p.len)).collect::<Vec<_>>();
        assert_eq!((whole(false, u32::MAX.into()), whole(true, u128::MAX)), (vec![(0, 0)], vec![(0, 0)]));
        assert_eq!(cover(true, u128::MAX, u128::MAX).count(), 1);
    }
}
