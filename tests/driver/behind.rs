//! A gateway behind the sockets of the simulated device, in threads of this process.

use matchrdma::transport::{At, Transport};
use matchrdma::vfio_user::VfioUser;
use matchrdma::Result;
use matchrdma_sim::device::served::Served;
use matchrdma_sim::engine::Gateway;
use std::time::{Duration, Instant};

/// The device and its only client.
pub struct Behind {
    client: VfioUser,
    _served: Served,
}

impl Behind {
    pub fn new(gateway: Box<dyn Gateway + Send>) -> Self {
        let served = Served::new(gateway).expect("sockets");
        Behind { client: VfioUser::connect(&served.path("socket")).expect("it listens"), _served: served }
    }
}

impl Transport for Behind {
    fn name(&self) -> String {
        self.client.name()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        self.client.bar_bytes(bar)
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        self.client.read32(at)
    }

    fn write32(&mut self, at: At, word: u32) -> Result<()> {
        self.client.write32(at, word)
    }

    fn read_block(&mut self, at: At, words: &mut [u32]) -> Result<()> {
        self.client.read_block(at, words)
    }

    fn write_block(&mut self, at: At, words: &[u32]) -> Result<()> {
        self.client.write_block(at, words)
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        self.client.interrupt(deadline)
    }

    fn patience(&self) -> Duration {
        self.client.patience()
    }
}
