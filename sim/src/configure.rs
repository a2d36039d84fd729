//! What a host does to a gateway through its registers: identify, configure, read back.

use crate::engine::{BusError, Gateway};
use matchrdma::flow_table::{FlowTable, RowWrite};
use matchrdma::rail;
use matchrdma::route_table::{self, flatten, RouteError};
use matchrdma::tables::{of_mask, Mirror};
use matchrdma_spec::event::EVENTS;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{BURST_DEFAULT_BYTES, SLOT_K_DEFAULT, SLOT_K_MIN};
use matchrdma_spec::regs::counters::{Counter, COUNTERS};
use matchrdma_spec::regs::entry::{self, Path, Route};
use matchrdma_spec::regs::flow;
use matchrdma_spec::regs::{control, id, law, meter, pacer, pfc, table, Reg, RegField};

/// Reads of `FLOW_READ_STATUS` and of `STATUS` before the host gives up.
const POLLS: usize = 10_000;
/// Reads of `TABLE_STATUS`: a commit waits for the end of its slot, which may have 2^20 cycles.
const COMMIT_POLLS: usize = 2_000_000;

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

/// A flow as the gateway has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowState {
    /// `Off`, `Sync`, `Active`, `Drain` or `Fault`.
    pub state: &'static str,
    /// Next PSN of the requester.
    pub expected_psn: u32,
    /// Newest PSN that left on the line.
    pub departed_psn: u32,
    /// Newest PSN given to the sender.
    pub acknowledged_psn: u32,
    /// Newest PSN that the far side acknowledged.
    pub confirmed_psn: u32,
    /// Messages completed.
    pub msn: u32,
    /// Name of the event by which it last drained, failed or was left alone.
    pub cause: Option<&'static str>,
    /// Ticks for which it has been in its state.
    pub state_ticks: u32,
    /// PSNs acknowledged and not confirmed.
    pub debt: u32,
    /// Ticks for which the oldest of them that is watched has been open.
    pub debt_age_ticks: u32,
    /// Ticks for which a barrier has held it; `None`: none holds.
    pub held_ticks: Option<u32>,
}

/// Every counter, in address order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters(Vec<u64>);

impl Counters {
    /// What one stands at.
    pub fn get(&self, counter: &Counter) -> u64 {
        self.0[counter.index]
    }
}

/// The host of a gateway.
pub struct Host<'a> {
    gateway: &'a mut dyn Gateway,
}

impl<'a> Host<'a> {
    /// The host of a gateway out of reset, or of one that an earlier `Host` has configured.
    pub fn new(gateway: &'a mut dyn Gateway) -> Self {
        Host { gateway }
    }

    fn write(&mut self, reg: &Reg, value: u32) -> Result<(), BusError> {
        self.gateway.write(reg.offset, value)
    }

    fn read(&mut self, reg: &Reg) -> Result<u32, BusError> {
        self.gateway.read(reg.offset)
    }

    /// Checks that this is a core that these registers belong to, and gives its clock, Hz.
    pub fn identify(&mut self) -> Result<u64, String> {
        let said = |e: BusError| e.to_string();
        let magic = self.read(&id::MAGIC).map_err(said)?;
        let version = self.read(&id::MAP_VERSION).map_err(said)?;
        if (magic, version) != (id::MAGIC_VALUE, id::VERSION_VALUE) {
            let (m, v) = (id::MAGIC_VALUE, id::VERSION_VALUE);
            return Err(format!(
                "identifying the core: expected {m:#x} version {v}, found {magic:#x} version {version}"
            ));
        }
        Ok(self.read(&id::CAPS_CLOCK_HZ).map_err(said)?.into())
    }

    /// Switches the gateway on, with all that was set so far in force.
    pub fn enable(&mut self, ack_on_arrival: bool) -> Result<(), BusError> {
        self.set_up()?;
        let word = control::ENABLE.with(0, 1);
        self.write(&control::CONTROL, control::ACK_ON_ARRIVAL.with(word, ack_on_arrival.into()))
    }

    /// Switches it off: every flow passes through.
    pub fn disable(&mut self) -> Result<(), BusError> {
        self.write(&control::CONTROL, 0)
    }

    /// Nothing is inside.
    pub fn idle(&mut self) -> Result<bool, BusError> {
        Ok(control::IDLE.get(self.read(&control::STATUS)?) == 1)
    }

    /// Sends all addresses to path 0 and paces it to a fixed budget, bytes per slot of `2^k` cycles, overhead counted.
    /// In force when it returns.
    pub fn fixed_budget(&mut self, bytes_per_slot: u32, slot_k: u32) -> Result<(), BusError> {
        let path =
            Path { mode: entry::MODE_FIXED, rate: bytes_per_slot, burst: BURST_DEFAULT_BYTES, ..Path::default() };
        self.one_path(path)?;
        self.write(&pacer::SLOT_K, slot_k)
    }

    /// Lets all go at line rate.
    pub fn open_budget(&mut self) -> Result<(), BusError> {
        self.one_path(Path::default())
    }

    fn one_path(&mut self, path: Path) -> Result<(), BusError> {
        let mirror = self.gateway.mirror();
        mirror.set_routes(&[false, true].map(|v6| Route { address: 0, v6, queue: 0 }));
        mirror.set_path(0, &path);
        self.set_up().map(|_| ())
    }

    /// Which prefix leads to which path; in force after [`Host::commit`] or [`Host::enable`].
    pub fn routes(&mut self, routes: &[route_table::Route]) -> Result<(), RouteError> {
        let starts: Vec<Route> = flatten(routes)?.into_iter().map(Route::from).collect();
        self.gateway.mirror().set_routes(&starts);
        Ok(())
    }

    /// A slot is `2^k` cycles, from the next one on.
    pub fn slot(&mut self, slot_k: u32) -> Result<(), BusError> {
        self.write(&pacer::SLOT_K, slot_k)
    }

    /// Obeys and sends PFC on the client port, for this class.
    pub fn pfc(&mut self, class: u32) -> Result<(), BusError> {
        self.write(&pfc::CONTROL, pfc::CLASS_FIELD.with(pfc::ENABLE_FIELD.with(0, 1), class))
    }

    /// Pauses pass as on a client port of this rate; after reset: 100 Gb/s.
    pub fn pfc_rate(&mut self, bps: u64, clock_hz: u64) -> Result<(), BusError> {
        let bits_per_quantum = u128::from(matchrdma_spec::wire::pfc::QUANTUM_BITS);
        let step = u128::from(bps) * u128::from(pfc::STEP_ONE) / bits_per_quantum / u128::from(clock_hz);
        self.write(&pfc::STEP, pfc::STEP_FIELD.with(0, step as u32))
    }

    /// The far gateway of a path, and the path's weight; in force after [`Host::commit`].
    pub fn peer(&mut self, path: usize, peer: Option<&rail::Peer>) {
        let mirror = self.gateway.mirror();
        let settings = rail::Peer::on(peer, &mirror.path(path));
        mirror.set_path(path, &settings);
    }

    /// What the budget rail is told; at once in force, in a session of its own.
    pub fn rail(&mut self, settings: &rail::Settings) -> Result<(), BusError> {
        settings.writes().iter().try_for_each(|(reg, word)| self.write(reg, *word))
    }

    /// No budget frame is sent, and none counts.
    pub fn rail_off(&mut self) -> Result<(), BusError> {
        self.write(&law::SESSION, 0)
    }

    /// What the budget rail knows of a path, as of one moment. `None`: the rail does not answer, as when it is off.
    pub fn look(&mut self, path: usize) -> Result<Option<rail::Look>, BusError> {
        self.write(&law::PATH, law::PATH_FIELD.with(0, path as u32))?;
        for _ in 0..POLLS {
            if law::BUSY_FIELD.get(self.read(&law::STATUS)?) == 0 {
                return rail::Look::read(|reg| self.read(reg)).map(Some);
            }
        }
        Ok(None)
    }

    /// What is wanted of the banked tables; in force after [`Host::commit`].
    pub fn tables(&mut self) -> &mut Mirror {
        self.gateway.mirror()
    }

    /// Writes the tables that differ from what is in force and commits them, all together; gives their mask. Waits for
    /// the end of the slot in which that takes effect. An error says why the gateway refused; then nothing has changed.
    pub fn commit(&mut self) -> Result<u32, BusError> {
        let mask = self.gateway.mirror().changed();
        if mask == 0 {
            return Ok(0);
        }
        for (address, value) in self.gateway.mirror().writes(mask) {
            self.gateway.write(address, value)?;
            self.gateway.mirror().wrote(address, value);
        }
        for table in of_mask(mask) {
            let crc = self.gateway.mirror().crc(table);
            self.write(&table::CRC[table], crc)?;
        }
        self.write(&table::COMMIT, mask)?;
        let failed = |found: String| BusError { addr: table::COMMIT.offset, write: true, found };
        for _ in 0..COMMIT_POLLS {
            let status = self.read(&table::STATUS)?;
            if table::BUSY.get(status) == 0 {
                let code = table::CODE.get(status);
                if code == table::CODE_OK {
                    self.gateway.mirror().committed(mask);
                    return Ok(mask);
                }
                let (in_table, word) = (table::TABLE.get(status) as usize, self.read(&table::ERROR_WORD)?);
                let name = table::WINDOWS.get(in_table).map_or("?", |w| w.name);
                let why = table::CODES.get(code as usize).unwrap_or(&"?");
                return Err(failed(format!("a commit refused: {why} in table {name}, word {word}")));
            }
        }
        Err(failed(format!("a commit still busy after {COMMIT_POLLS} reads")))
    }

    /// [`Host::commit`] at once, before there is traffic: the slot is made as short as can be meanwhile.
    pub fn set_up(&mut self) -> Result<u32, BusError> {
        let slot_k = self.read(&pacer::SLOT_K)?;
        if slot_k == SLOT_K_MIN || self.gateway.mirror().changed() == 0 {
            return self.commit();
        }
        self.write(&pacer::SLOT_K, SLOT_K_MIN)?;
        let mask = self.commit()?;
        self.write(&pacer::SLOT_K, slot_k)?;
        Ok(mask)
    }

    /// Pseudo-ACKs take at most one part in `2^log2` of a busy client port.
    pub fn ack_share(&mut self, log2: u32) -> Result<(), BusError> {
        self.write(&pacer::ACK_SHARE_LOG2, log2)
    }

    /// Writes one row of a key table; its last word makes it whole.
    pub fn row(&mut self, direction: u32, row: &RowWrite) -> Result<(), BusError> {
        let select = flow::ROW_SELECT_ROW.with(0, row.place.row as u32);
        self.write(&flow::ROW_SELECT, flow::ROW_SELECT_BANK.with(select, row.place.bank as u32))?;
        self.write(&flow::ROW_DIR, direction)?;
        flow::ROW_WORD.iter().zip(row.content.pack()).try_for_each(|(reg, word)| self.write(reg, word))
    }

    /// A flow is to be on, its keys being in the tables already; in force after [`Host::commit`] or [`Host::enable`].
    pub fn flow(&mut self, index: u16, setting: FlowSetting) {
        let FlowSetting { ack_ops_write, mtu, serial } = setting;
        let mtu = mtu.map_or(0, flow::mtu_code) as u8;
        self.gateway.mirror().set_flow(index, entry::FlowSetting { enable: true, ack_ops_write, mtu, serial });
    }

    /// What a flow does now.
    pub fn flow_state(&mut self, index: u16) -> Result<FlowState, String> {
        let said = |e: BusError| e.to_string();
        self.write(&flow::READ_INDEX, index.into()).map_err(said)?;
        for _ in 0..POLLS {
            if flow::READ_BUSY.get(self.read(&flow::READ_STATUS).map_err(said)?) == 0 {
                let mut field = |reg, field: &RegField| self.read(reg).map(|word| field.get(word)).map_err(said);
                return Ok(FlowState {
                    state: match field(&flow::STATE, &flow::STATE_FIELD)? {
                        flow::STATE_OFF => "Off",
                        flow::STATE_SYNC => "Sync",
                        flow::STATE_ACTIVE => "Active",
                        flow::STATE_DRAIN => "Drain",
                        flow::STATE_FAULT => "Fault",
                        other => return Err(format!("reading flow {index}: state {other} has no meaning")),
                    },
                    expected_psn: field(&flow::EXPECTED_PSN, &flow::PSN_FIELD)?,
                    departed_psn: field(&flow::DEPARTED_PSN, &flow::PSN_FIELD)?,
                    acknowledged_psn: field(&flow::ACKNOWLEDGED_PSN, &flow::PSN_FIELD)?,
                    confirmed_psn: field(&flow::CONFIRMED_PSN, &flow::PSN_FIELD)?,
                    msn: field(&flow::MSN, &flow::MSN_FIELD)?,
                    cause: match field(&flow::STATE, &flow::STATE_CAUSE)? {
                        0 => None,
                        code => EVENTS.get(code as usize - 1).map(|event| event.name),
                    },
                    state_ticks: field(&flow::STATE_TICKS, &flow::STATE_TICKS_FIELD)?,
                    debt: field(&flow::DEBT, &flow::DEBT_FIELD)?,
                    debt_age_ticks: field(&flow::DEBT_AGE, &flow::DEBT_AGE_FIELD)?,
                    held_ticks: match field(&flow::HELD, &flow::HELD_NOW)? {
                        0 => None,
                        _ => Some(field(&flow::HELD, &flow::HELD_TICKS)?),
                    },
                });
            }
        }
        Err(format!("reading flow {index}: still busy after {POLLS} reads"))
    }

    /// What one counter stands at.
    pub fn counter(&mut self, counter: &Counter) -> Result<u64, BusError> {
        let low = self.gateway.read(counter.low())?;
        let high = self.gateway.read(counter.high())?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// The three values of an index of a table of `METER`.
    pub fn meter(&mut self, table: u32, index: u16) -> Result<[u64; 3], String> {
        let said = |e: BusError| e.to_string();
        let select = meter::SELECT_TABLE.with(meter::SELECT_INDEX.with(0, index.into()), table);
        self.write(&meter::SELECT, select).map_err(said)?;
        for _ in 0..POLLS {
            if meter::STATUS_BUSY.get(self.read(&meter::STATUS).map_err(said)?) == 0 {
                let mut words = [0; 6];
                for (word, reg) in words.iter_mut().zip(&meter::VALUE) {
                    *word = u64::from(self.read(reg).map_err(said)?);
                }
                return Ok([0, 2, 4].map(|i| words[i + 1] << 32 | words[i]));
            }
        }
        Err(format!("reading meter {table} of {index}: still busy after {POLLS} reads"))
    }

    /// What every counter stands at.
    pub fn counters(&mut self) -> Result<Counters, BusError> {
        COUNTERS.iter().map(|c| self.counter(c)).collect::<Result<_, _>>().map(Counters)
    }
}

impl matchrdma::upcall::Registers for Host<'_> {
    type Error = BusError;

    fn read(&mut self, reg: &Reg) -> Result<u32, BusError> {
        self.gateway.read(reg.offset)
    }

    fn write(&mut self, reg: &Reg, word: u32) -> Result<(), BusError> {
        self.gateway.write(reg.offset, word)
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
    ) -> Result<u16, String> {
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
