//! The registers of a gateway under simulation as a device that the host's driver reaches: BAR 0 is the window.

use crate::engine::{BusError, Gateway};
use matchrdma::transport::{At, Transport};
use matchrdma::{Error, Kind, Result};
use matchrdma_spec::pci;
use std::time::{Duration, Instant};

/// A gateway, or a borrowed one.
pub struct Bus<G>(pub G);

/// A wait in simulation: a commit waits for the end of its slot, which may have 2^20 cycles.
const PATIENCE: Duration = Duration::from_secs(600);

impl<G: Gateway> Bus<G> {
    fn address(&self, at: At) -> Result<u16> {
        u16::try_from(at.offset).ok().filter(|_| at.bar == 0).ok_or_else(|| {
            let error = Error::new(Kind::Access, "an access").at(self.name()).but("an address in BAR0", at.to_string());
            error.so("this is a fault of the driver")
        })
    }
}

impl From<BusError> for Error {
    fn from(error: BusError) -> Error {
        let what = if error.write { "a register write" } else { "a register read" };
        let error = Error::new(Kind::Access, what).at(format!("{:#06x}", error.addr)).but("OKAY", error.found);
        error.so("this is a fault of the driver, or of the bitstream")
    }
}

impl<G: Gateway> Transport for Bus<G> {
    fn name(&self) -> String {
        "simulated gateway".into()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        if bar == 0 {
            pci::BAR0_BYTES
        } else {
            0
        }
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        let address = self.address(at)?;
        Ok(self.0.read(address)?)
    }

    fn write32(&mut self, at: At, word: u32) -> Result<()> {
        let address = self.address(at)?;
        Ok(self.0.write(address, word)?)
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        while !self.0.irq() {
            if Instant::now() > deadline {
                return Ok(false);
            }
            self.0.tick(None, None, true, true);
        }
        Ok(true)
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}
