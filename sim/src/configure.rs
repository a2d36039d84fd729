//! What a host does to a gateway through its registers: identify, configure, read back.

use crate::engine::{BusError, Gateway};
use matchrdma::flow_table::{FlowTable, RowWrite};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::SLOT_K_DEFAULT;
use matchrdma_spec::regs::counters::{Counter, COUNTERS};
use matchrdma_spec::regs::flow;
use matchrdma_spec::regs::{control, id, pacer, Reg, RegField};

/// Reads of `FLOW_READ_STATUS` and of `STATUS` before the host gives up.
const POLLS: usize = 10_000;

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

    /// Switches the gateway on.
    pub fn enable(&mut self, ack_on_arrival: bool) -> Result<(), BusError> {
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

    /// Paces the path to a fixed budget, bytes per slot of `2^k` cycles, overhead counted.
    pub fn fixed_budget(&mut self, bytes_per_slot: u32, slot_k: u32) -> Result<(), BusError> {
        self.write(&pacer::SLOT_K, slot_k)?;
        self.write(&pacer::RATE, bytes_per_slot)?;
        self.write(&pacer::MODE, pacer::MODE_FIXED)
    }

    /// Lets the path go at line rate.
    pub fn open_budget(&mut self) -> Result<(), BusError> {
        self.write(&pacer::MODE, pacer::MODE_OPEN)
    }

    /// Depth of the token bucket, bytes.
    pub fn burst(&mut self, bytes: u32) -> Result<(), BusError> {
        self.write(&pacer::BURST, bytes)
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

    /// Switches a flow on, its keys being in the tables already.
    pub fn flow(&mut self, index: u16, setting: FlowSetting) -> Result<(), BusError> {
        self.write(&flow::CFG_INDEX, index.into())?;
        let put = |word: u32, field: &RegField, value: u32| field.with(word, value);
        let word = put(0, &flow::CFG_ENABLE, 1);
        let word = put(word, &flow::CFG_ACK_OPS_WRITE, setting.ack_ops_write.into());
        let word = put(word, &flow::CFG_MTU, setting.mtu.map_or(0, flow::mtu_code));
        self.write(&flow::CFG, put(word, &flow::CFG_SERIAL, setting.serial.into()))
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

    /// What every counter stands at.
    pub fn counters(&mut self) -> Result<Counters, BusError> {
        COUNTERS.iter().map(|c| self.counter(c)).collect::<Result<_, _>>().map(Counters)
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

    /// Gives a flow the next free index and writes its keys, then its setting.
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
        host.flow(index, setting).map_err(|e| e.to_string())?;
        self.flows += 1;
        Ok(index)
    }
}
