//! A gateway that breaks promises, for the tests of those who look on.

use crate::engine::{Access, Beat, BusError, Gateway, Tick};
use crate::model_gateway::ModelGateway;
use matchrdma::tables::Mirror;

/// The model, but for a frame that it puts between two others, or holds back.
pub(crate) struct Liar {
    pub honest: ModelGateway,
    /// In place of the first beat that leaves for the client at or after this cycle.
    pub lies_at: u64,
    pub lie: Vec<Beat>,
    /// Says that flows are in Drain from this cycle on.
    pub drains_at: u64,
    pub asked: Option<u16>,
}

impl Gateway for Liar {
    fn tick(&mut self, client_rx: Option<&Beat>, line_rx: Option<&Beat>, client: bool, line: bool) -> Tick {
        let lies = client && self.cycles() >= self.lies_at && !self.lie.is_empty();
        let mut t = self.honest.tick(client_rx, line_rx, client && !lies, line);
        if lies {
            t.client_tx = Some(self.lie.remove(0));
        }
        t
    }

    fn write(&mut self, addr: u16, value: u32) -> Result<(), BusError> {
        self.honest.write(addr, value)
    }

    fn read(&mut self, addr: u16) -> Result<u32, BusError> {
        self.honest.read(addr)
    }

    fn begin(&mut self, access: Access) {
        self.asked = if let Access::Read(addr) = access { Some(addr) } else { None };
        self.honest.begin(access);
    }

    fn answer(&mut self) -> Option<Result<u32, BusError>> {
        use matchrdma_spec::regs::flow::{STATE, STATE_DRAIN, STATE_FIELD};
        let drains = self.asked == Some(STATE.offset) && self.cycles() >= self.drains_at;
        let told = |word| if drains { STATE_FIELD.with(word & !STATE_FIELD.mask(), STATE_DRAIN) } else { word };
        self.honest.answer().map(|answer| answer.map(told))
    }

    fn irq(&self) -> bool {
        self.honest.irq()
    }

    fn reset(&mut self) {
        self.honest.reset();
    }

    fn cycles(&self) -> u64 {
        self.honest.cycles()
    }

    fn mirror(&mut self) -> &mut Mirror {
        self.honest.mirror()
    }
}
