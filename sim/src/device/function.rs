//! The PCI function behind the socket: what a client of vfio-user reads and writes. Register accesses go to the core in
//! the order in which they came; a write is posted, so that its error is told here and to nobody else.

use super::config::{Asked, Config, BYTES as CONFIG_BYTES};
use super::core::{Bus, Request};
use super::vector::Vector;
use matchrdma_spec::pci::{BAR0_BYTES, MSIX_BAR, MSIX_BAR_BYTES, MSIX_PENDING_OFFSET, MSIX_VECTORS, NOBODY};
use std::fs::File;
use std::io::Error;
use vfio_bindings::bindings::vfio::*;
use vfio_user::{DmaMapFlags, DmaUnmapFlags, IrqInfo, ServerBackend, ServerRegion};

/// Bytes of a word of the register bus.
const WORD: usize = 4;
/// Bytes of the MSI-X table: 16 for each vector.
const TABLE_BYTES: usize = 16 * MSIX_VECTORS as usize;

/// The function.
pub struct Function {
    config: Config,
    table: [u8; TABLE_BYTES],
    vector: Vector,
    bus: Bus,
}

/// The regions of the device. None may be mapped: each access to a register does something, and the client must ask.
pub fn regions() -> Vec<ServerRegion> {
    let size = |index| match index {
        VFIO_PCI_BAR0_REGION_INDEX => BAR0_BYTES,
        VFIO_PCI_CONFIG_REGION_INDEX => CONFIG_BYTES as u64,
        i if i == VFIO_PCI_BAR0_REGION_INDEX + u32::from(MSIX_BAR) => MSIX_BAR_BYTES,
        _ => 0,
    };
    let region = |index| {
        let size = size(index);
        let flags = if size > 0 { VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE } else { 0 };
        let argsz = size_of::<vfio_region_info>() as u32;
        let region_info = vfio_region_info { argsz, index, size, flags, ..Default::default() };
        ServerRegion { region_info, sparse_areas: vec![], mmap_fd: None }
    };
    (0..VFIO_PCI_NUM_REGIONS).map(region).collect()
}

/// Its interrupts: MSI-X and no other.
pub fn interrupts() -> Vec<IrqInfo> {
    let info = |index| match index {
        VFIO_PCI_MSIX_IRQ_INDEX => {
            IrqInfo { index, count: MSIX_VECTORS.into(), flags: VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE }
        }
        _ => IrqInfo { index, count: 0, flags: 0 },
    };
    (0..VFIO_PCI_NUM_IRQS).map(info).collect()
}

impl Function {
    /// A function out of reset before a core.
    pub fn new(bus: Bus, vector: Vector) -> Self {
        Function { config: Config::new(), table: [0; TABLE_BYTES], vector, bus }
    }

    /// The client is gone, and with it its eventfd and its right to the bus. The core goes on, with what it holds.
    pub fn deserted(&mut self) {
        self.config = Config::new();
        self.vector.connect(None);
        self.vector.master(false);
    }

    /// Reads of the register window. What the core refuses reads as ones: so do bridges from PCI Express.
    fn read_core(&mut self, offset: u64, data: &mut [u8]) {
        data.fill(NOBODY as u8);
        let within = (BAR0_BYTES.saturating_sub(offset) as usize).min(data.len());
        let first = offset - offset % WORD as u64;
        let words = (offset + within as u64 - first).div_ceil(WORD as u64);
        if within == 0 {
            return;
        }
        let addresses: Vec<u16> = (0..words).map(|n| (first + n * WORD as u64) as u16).collect();
        let bytes: Vec<u8> = self.bus.read(&addresses).into_iter().flat_map(u32::to_le_bytes).collect();
        data[..within].copy_from_slice(&bytes[(offset - first) as usize..][..within]);
    }

    /// Writes of the register window: whole words, since the bus of some shells has no byte strobes.
    fn write_core(&mut self, offset: u64, data: &[u8]) {
        let whole = offset.is_multiple_of(WORD as u64) && data.len().is_multiple_of(WORD);
        if !whole || offset + data.len() as u64 > BAR0_BYTES {
            eprintln!("device: a write of {} bytes at {offset:#x} is no whole words of BAR0: dropped", data.len());
            return;
        }
        for (n, word) in data.chunks_exact(WORD).enumerate() {
            let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            self.bus.send(Request::Write((offset as usize + n * WORD) as u16, value));
        }
    }

    fn read_msix(&mut self, offset: u64, data: &mut [u8]) {
        for (at, byte) in (offset..).zip(data) {
            *byte = match at {
                at if at < TABLE_BYTES as u64 => self.table[at as usize],
                MSIX_PENDING_OFFSET => self.vector.pending().into(),
                _ => 0,
            };
        }
    }

    fn reset_core(&mut self) {
        self.table = [0; TABLE_BYTES];
        self.bus.reset();
        self.vector.reset();
    }
}

impl ServerBackend for Function {
    fn region_read(&mut self, region: u32, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        match region {
            VFIO_PCI_CONFIG_REGION_INDEX => self.config.read(offset, data),
            VFIO_PCI_BAR0_REGION_INDEX => self.read_core(offset, data),
            i if i == VFIO_PCI_BAR0_REGION_INDEX + u32::from(MSIX_BAR) => self.read_msix(offset, data),
            _ => data.fill(NOBODY as u8),
        }
        Ok(())
    }

    fn region_write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), Error> {
        match region {
            VFIO_PCI_CONFIG_REGION_INDEX => {
                if self.config.write(offset, data) == Asked::Reset {
                    self.reset_core();
                }
                self.vector.master(self.config.master());
            }
            VFIO_PCI_BAR0_REGION_INDEX => self.write_core(offset, data),
            i if i == VFIO_PCI_BAR0_REGION_INDEX + u32::from(MSIX_BAR) => {
                for (at, byte) in (offset as usize..TABLE_BYTES).zip(data) {
                    self.table[at] = *byte;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The core reads and writes no memory of the host.
    fn dma_map(&mut self, _: DmaMapFlags, _: u64, _: u64, _: u64, _: Option<File>) -> Result<(), Error> {
        Ok(())
    }

    fn dma_unmap(&mut self, _: DmaUnmapFlags, _: u64, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.config = Config::new();
        self.reset_core();
        Ok(())
    }

    /// Descriptors: one goes with the vector; none, that it is off.
    fn set_irqs(&mut self, index: u32, flags: u32, start: u32, count: u32, fds: Vec<File>) -> Result<(), Error> {
        if index != VFIO_PCI_MSIX_IRQ_INDEX || flags & VFIO_IRQ_SET_ACTION_TRIGGER == 0 {
            return Ok(());
        }
        let of_ours = start == 0 && count > 0;
        if count == 0 {
            self.vector.connect(None);
        } else if flags & VFIO_IRQ_SET_DATA_NONE != 0 && of_ours {
            self.vector.trigger();
        } else if flags & VFIO_IRQ_SET_DATA_EVENTFD != 0 && of_ours {
            self.vector.connect(fds.into_iter().next());
        }
        Ok(())
    }
}
