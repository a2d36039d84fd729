//! AXI4-Lite: a master that reads and writes registers, with a limit on its patience.

use std::fmt;

/// Which of a slave's channels takes what is offered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready {
    /// `awready`.
    pub write_address: bool,
    /// `wready`.
    pub write_data: bool,
    /// `arready`.
    pub read_address: bool,
}

/// A device with an AXI4-Lite slave called `s_axil`.
pub trait Slave {
    /// Drives `awaddr` and `awvalid`.
    fn set_write_address(&mut self, address: Option<u32>);
    /// Drives `wdata`, `wstrb` and `wvalid`.
    fn set_write_data(&mut self, data: Option<(u32, u8)>);
    /// Drives `araddr` and `arvalid`.
    fn set_read_address(&mut self, address: Option<u32>);
    /// Drives `bready` and `rready`.
    fn set_ready(&mut self, write: bool, read: bool);
    /// Reads the ready lines.
    fn ready(&self) -> Ready;
    /// `bresp` when `bvalid`.
    fn write_response(&self) -> Option<u8>;
    /// `rdata` and `rresp` when `rvalid`.
    fn read_response(&self) -> Option<(u32, u8)>;
    /// First half of a cycle.
    fn settle(&mut self);
    /// Second half of a cycle.
    fn rise(&mut self);
}

/// Why an access did not give what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The slave answered SLVERR (2) or DECERR (3).
    Response(u8),
    /// No answer within that many cycles: a slave that hangs the bus.
    Timeout(u32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Response(2) => write!(f, "the slave answered SLVERR"),
            Error::Response(code) => write!(f, "the slave answered {code}"),
            Error::Timeout(cycles) => write!(f, "no answer within {cycles} cycles"),
        }
    }
}

impl std::error::Error for Error {}

/// Cycles after which a slave counts as hung.
pub const PATIENCE: u32 = 10_000;

/// One access on its way: drive before `settle`, look after it. Lets other traffic share the cycles.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    address: Option<u32>,
    data: Option<(u32, u8)>,
    is_write: bool,
    cycles: u32,
}

impl Access {
    /// A read.
    pub fn read(address: u32) -> Self {
        Access { address: Some(address), data: None, is_write: false, cycles: 0 }
    }

    /// A write of all four bytes.
    pub fn write(address: u32, data: u32) -> Self {
        Access { address: Some(address), data: Some((data, 0xf)), is_write: true, cycles: 0 }
    }

    /// Drives the bus for this cycle.
    pub fn drive(&self, dut: &mut impl Slave) {
        let (write, read) = if self.is_write { (self.address, None) } else { (None, self.address) };
        dut.set_write_address(write);
        dut.set_write_data(self.data);
        dut.set_read_address(read);
        dut.set_ready(self.is_write, !self.is_write);
    }

    /// Whether the slave has all of the request.
    pub fn is_taken(&self) -> bool {
        self.address.is_none() && self.data.is_none()
    }

    /// After `settle`: gives what the slave takes. Alone for a write behind one that has no answer yet, else [`Access::look`].
    pub fn give(&mut self, dut: &impl Slave) {
        let ready = dut.ready();
        if if self.is_write { ready.write_address } else { ready.read_address } {
            self.address = None;
        }
        if ready.write_data {
            self.data = None;
        }
    }

    /// After `settle`: the outcome, once there is one (0 for a write).
    pub fn look(&mut self, dut: &impl Slave) -> Option<Result<u32, Error>> {
        let pending = !self.is_taken();
        self.give(dut);
        self.cycles += 1;
        let answer = if self.is_write { dut.write_response().map(|r| (0, r)) } else { dut.read_response() };
        match answer {
            Some(_) if pending => panic!("the slave answered before it had taken the request"),
            Some((data, 0)) => Some(Ok(data)),
            Some((_, response)) => Some(Err(Error::Response(response))),
            None if self.cycles >= PATIENCE => Some(Err(Error::Timeout(PATIENCE))),
            None => None,
        }
    }
}

/// Takes every line of the bus to rest.
pub fn idle(dut: &mut impl Slave) {
    dut.set_write_address(None);
    dut.set_write_data(None);
    dut.set_read_address(None);
    dut.set_ready(false, false);
}

/// Runs cycles until a read is answered.
pub fn read(dut: &mut impl Slave, address: u32) -> Result<u32, Error> {
    run(dut, Access::read(address))
}

/// Runs cycles until a write is answered.
pub fn write(dut: &mut impl Slave, address: u32, data: u32) -> Result<(), Error> {
    run(dut, Access::write(address, data)).map(|_| ())
}

fn run(dut: &mut impl Slave, mut access: Access) -> Result<u32, Error> {
    loop {
        access.drive(dut);
        dut.settle();
        let outcome = access.look(dut);
        dut.rise();
        if let Some(outcome) = outcome {
            idle(dut);
            return outcome;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One register at address 4; takes address and data in different cycles; address 8 hangs.
    #[derive(Default)]
    struct Plain {
        register: u32,
        offered: (Option<u32>, Option<(u32, u8)>, Option<u32>),
        taken: (Option<u32>, Option<(u32, u8)>, Option<u32>),
        cycle: u32,
    }

    impl Plain {
        fn response(address: u32) -> u8 {
            if address == 4 {
                0
            } else {
                2
            }
        }
    }

    impl Slave for Plain {
        fn set_write_address(&mut self, address: Option<u32>) {
            self.offered.0 = address;
        }
        fn set_write_data(&mut self, data: Option<(u32, u8)>) {
            self.offered.1 = data;
        }
        fn set_read_address(&mut self, address: Option<u32>) {
            self.offered.2 = address;
        }
        fn set_ready(&mut self, _: bool, _: bool) {}
        fn ready(&self) -> Ready {
            let turn = self.cycle % 3;
            let hangs = self.offered.0 == Some(8) || self.offered.2 == Some(8);
            Ready { write_address: turn == 0 && !hangs, write_data: turn == 2, read_address: turn == 1 && !hangs }
        }
        fn write_response(&self) -> Option<u8> {
            self.taken.0.filter(|_| self.taken.1.is_some()).map(Self::response)
        }
        fn read_response(&self) -> Option<(u32, u8)> {
            self.taken.2.map(|address| (self.register, Self::response(address)))
        }
        fn settle(&mut self) {}
        fn rise(&mut self) {
            let ready = self.ready();
            if self.write_response().is_some() {
                self.register = self.taken.1.map_or(0, |d| d.0);
                self.taken = (None, None, None);
            } else if self.read_response().is_some() {
                self.taken = (None, None, None);
            }
            self.taken.0 = self.taken.0.or(self.offered.0.filter(|_| ready.write_address));
            self.taken.1 = self.taken.1.or(self.offered.1.filter(|_| ready.write_data));
            self.taken.2 = self.taken.2.or(self.offered.2.filter(|_| ready.read_address));
            self.cycle += 1;
        }
    }

    #[test]
    fn a_register_keeps_what_is_written_and_errors_come_back() {
        let mut dut = Plain::default();
        assert_eq!(write(&mut dut, 4, 0x1234), Ok(()));
        assert_eq!(read(&mut dut, 4), Ok(0x1234));
        assert_eq!(read(&mut dut, 12), Err(Error::Response(2)));
        assert_eq!(read(&mut dut, 8), Err(Error::Timeout(PATIENCE)));
    }
}
