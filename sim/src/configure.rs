//! What a host does to a gateway through its registers: identify, configure, read back.

use crate::bus::Bus;
use crate::engine::Gateway;
use matchrdma::core::{Caps, Core};
use matchrdma::flow_table::FlowTable;
use matchrdma::rail;
use matchrdma::route_table::{self, flatten, RouteError};
use matchrdma::tables::Mirror;
use matchrdma::transport::At;
use matchrdma::Result;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, CLOCK_HZ, SLOT_K_DEFAULT, SLOT_K_MIN};
use matchrdma_spec::regs::entry::{self, Path, Route};
use matchrdma_spec::regs::flow;
use matchrdma_spec::regs::{id, law, pacer, pfc};
use std::ops::{Deref, DerefMut};

/// How a flow is to be treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowSetting {
    /// Leave SEND and WRITE with immediate to the far side.
    pub ack_ops_write: bool,
    /// Path MTU, bytes, if known.
    pub mtu: Option<u32>,
    /// Another value than before starts the flow afresh; 0 is what it has after reset.
    pub serial: u8,
}

/// The host of a gateway: the driver's [`Core`], and what is wanted of the banked tables, which stays with the gateway.
pub struct Host<'a> {
    core: Core<Bus<&'a mut dyn Gateway>>,
}

impl<'a> Deref for Host<'a> {
    type Target = Core<Bus<&'a mut dyn Gateway>>;

    fn deref(&self) -> &Self::Target {
        &self.core
    }
}

impl DerefMut for Host<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.core
    }
}

impl<'a> Host<'a> {
    /// The host of a gateway out of reset, or of one that an earlier `Host` has configured.
    pub fn new(gateway: &'a mut dyn Gateway) -> Self {
        let caps = Caps::of(&id::values(CLOCK_HZ as u32));
        Host { core: Core::again(Bus(gateway), At { bar: 0, offset: 0 }, caps) }
    }

    /// Checks that this is a core that these registers belong to, and gives its clock, Hz.
    pub fn identify(&mut self) -> Result<u64> {
        Ok(Core::find(self.core.bus())?.caps().clock_hz.into())
    }

    /// What is wanted of the banked tables; in force after [`Host::commit`].
    pub fn tables(&mut self) -> &mut Mirror {
        self.core.bus().0.mirror()
    }

    /// Switches the gateway on, with all that was set so far in force.
    pub fn enable(&mut self, ack_on_arrival: bool) -> Result<()> {
        self.set_up()?;
        self.core.enable(ack_on_arrival)
    }

    /// Sends all addresses to path 0 and paces it to a fixed budget, bytes per slot of `2^k` cycles, overhead counted.
    /// In force when it returns.
    pub fn fixed_budget(&mut self, bytes_per_slot: u32, slot_k: u32) -> Result<()> {
        let path =
            Path { mode: entry::MODE_FIXED, rate: bytes_per_slot, burst: BURST_DEFAULT_BYTES, ..Path::default() };
        self.one_path(path)?;
        self.core.write(&pacer::SLOT_K, slot_k)
    }

    /// Lets all go at line rate.
    pub fn open_budget(&mut self) -> Result<()> {
        self.one_path(Path::default())
    }

    fn one_path(&mut self, path: Path) -> Result<()> {
        let mirror = self.tables();
        mirror.set_routes(&[false, true].map(|v6| Route { address: 0, v6, queue: 0 }));
        mirror.set_path(0, &path);
        self.set_up().map(|_| ())
    }

    /// Which prefix leads to which path; in force after [`Host::commit`] or [`Host::enable`].
    pub fn routes(&mut self, routes: &[route_table::Route]) -> std::result::Result<(), RouteError> {
        let starts: Vec<Route> = flatten(routes)?.into_iter().map(Route::from).collect();
        self.tables().set_routes(&starts);
        Ok(())
    }

    /// A slot is `2^k` cycles, from the next one on.
    pub fn slot(&mut self, slot_k: u32) -> Result<()> {
        self.core.write(&pacer::SLOT_K, slot_k)
    }

    /// Obeys and sends PFC on the client port, for this class.
    pub fn pfc(&mut self, class: u32) -> Result<()> {
        self.core.write(&pfc::CONTROL, pfc::CLASS_FIELD.with(pfc::ENABLE_FIELD.with(0, 1), class))
    }

    /// Pauses pass as on a client port of this rate; after reset: 100 Gb/s.
    pub fn pfc_rate(&mut self, bps: u64, clock_hz: u64) -> Result<()> {
        let bits_per_quantum = u128::from(matchrdma_spec::wire::pfc::QUANTUM_BITS);
        let step = u128::from(bps) * u128::from(pfc::STEP_ONE) / bits_per_quantum / u128::from(clock_hz);
        self.core.write(&pfc::STEP, pfc::STEP_FIELD.with(0, step as u32))
    }

    /// The far gateway of a path, and the path's weight; in force after [`Host::commit`].
    pub fn peer(&mut self, path: usize, peer: Option<&rail::Peer>) {
        let mirror = self.tables();
        let settings = rail::Peer::on(peer, &mirror.path(path));
        mirror.set_path(path, &settings);
    }

    /// What the budget rail is told; at once in force, in a session of its own.
    pub fn rail(&mut self, settings: &rail::Settings) -> Result<()> {
        settings.writes().iter().try_for_each(|(reg, word)| self.core.write(reg, *word))
    }

    /// No budget frame is sent, and none counts.
    pub fn rail_off(&mut self) -> Result<()> {
        self.core.write(&law::SESSION, 0)
    }

    /// Writes the tables that differ from what is in force and commits them, all together; gives their mask. Waits for
    /// the end of the slot in which that takes effect. An error says why the gateway refused; then nothing has changed.
    pub fn commit(&mut self) -> Result<u32> {
        let mut mirror = self.tables().clone();
        let mask = mirror.changed();
        if mask == 0 {
            return Ok(0);
        }
        let committed = self.core.commit(&mut mirror, mask);
        *self.tables() = mirror;
        committed.map(|()| mask)
    }

    /// [`Host::commit`] at once, before there is traffic: the slot is made as short as can be meanwhile.
    pub fn set_up(&mut self) -> Result<u32> {
        let slot_k = self.core.read(&pacer::SLOT_K)?;
        if slot_k == SLOT_K_MIN || self.tables().changed() == 0 {
            return self.commit();
        }
        self.core.write(&pacer::SLOT_K, SLOT_K_MIN)?;
        let mask = self.commit()?;
        self.core.write(&pacer::SLOT_K, slot_k)?;
        Ok(mask)
    }

    /// Pseudo-ACKs take at most one part in `2^log2` of a busy client port.
    pub fn ack_share(&mut self, log2: u32) -> Result<()> {
        self.core.write(&pacer::ACK_SHARE_LOG2, log2)
    }

    /// A flow is to be on, its keys being in the tables already; in force after [`Host::commit`] or [`Host::enable`].
    pub fn flow(&mut self, index: u16, setting: FlowSetting) {
        let FlowSetting { ack_ops_write, mtu, serial } = setting;
        let mtu = mtu.map_or(0, flow::mtu_code) as u8;
        self.tables().set_flow(index, entry::FlowSetting { enable: true, ack_ops_write, mtu, serial });
    }
}

/// Budget of a rate, bytes per slot, rounded down; `None` when it is zero or more than the register holds.
pub fn bytes_per_slot(bps: u64, slot_k: u32, clock_hz: u64) -> Option<u32> {
    let bytes = (u128::from(bps) << slot_k) / (8 * u128::from(clock_hz));
    u32::try_from(bytes).ok().filter(|b| *b > 0)
}

/// Slot that [`Host::fixed_budget`] is used with here.
pub const SLOT_K: u32 = SLOT_K_DEFAULT;

/// The key tables of a gateway as its host has filled them.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    outbound: FlowTable,
    inbound: FlowTable,
    flows: u16,
}

impl Tables {
    /// Nothing is placed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a flow the next free index and writes its keys; its setting is in force after the next commit.
    pub fn install(
        &mut self,
        host: &mut Host,
        key_out: FlowKey,
        key_in: FlowKey,
        setting: FlowSetting,
    ) -> std::result::Result<u16, String> {
        let index = self.flows;
        let tables =
            [(flow::DIR_OUTBOUND, &mut self.outbound, key_out), (flow::DIR_INBOUND, &mut self.inbound, key_in)];
        for (direction, table, key) in tables {
            for write in table.insert(key, index).map_err(|e| format!("placing flow {index}: {e}"))? {
                host.row(direction, &write).map_err(|e| e.to_string())?;
            }
        }
        host.flow(index, setting);
        self.flows += 1;
        Ok(index)
    }
}
