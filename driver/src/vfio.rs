//! A device of this machine, through the kernel's VFIO: group and container.
//!
//! Of a BAR only the windows in which a core may lie are mapped, and of these only what the kernel allows: all of it, or the
//! areas that the region's sparse-mmap capability names. The page of an MSI-X table is in no window. What is not mapped goes
//! through the kernel's own reads and writes. A word is 32 bits.
#![allow(unsafe_code)]

use crate::error::{Error, Kind, Result};
use crate::interrupt::Line;
use crate::sysfs::Sysfs;
use crate::transport::{At, Transport, WORD_BYTES};
use matchrdma_spec::pci::{self, COMMAND_MASTER, COMMAND_MEMORY, COMMAND_OFFSET, WINDOWS};
use matchrdma_spec::regs::WINDOW_BYTES;
use memmap2::{MmapOptions, MmapRaw};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Instant;
use vfio_bindings::bindings::vfio::{VFIO_PCI_CONFIG_REGION_INDEX, VFIO_REGION_INFO_FLAG_MMAP};
use vfio_ioctls::{VfioContainer, VfioDevice, VfioError, VfioRegionInfoCap};

/// Part of a BAR that is mapped.
struct Mapped {
    bar: u8,
    offset: u64,
    memory: MmapRaw,
}

/// A device.
pub struct Vfio {
    name: String,
    // Unmapped before the device is closed: fields are dropped in this order.
    mapped: Vec<Mapped>,
    device: VfioDevice,
    line: Option<Line>,
}

impl Vfio {
    /// Opens a device by its PCI address, and lets it interrupt.
    pub fn open(name: &str) -> Result<Self> {
        let folder = Sysfs::default().ready(name)?;
        let failed = |error: VfioError| {
            let error = Error::new(Kind::Device, "opening the device").at(name).but("a device", error.to_string());
            error.so("see dmesg; another program may have it open: fuser /dev/vfio/*")
        };
        let container = Arc::new(VfioContainer::new(None).map_err(failed)?);
        let device = VfioDevice::new(&folder, container, false).map_err(failed)?;
        let mut vfio = Vfio { name: name.into(), mapped: Vec::new(), device, line: None };
        for bar in 0..=WINDOWS.map(|window| window.bar).into_iter().max().unwrap_or(0) {
            vfio.map(bar)?;
        }
        vfio.command();
        Ok(vfio)
    }

    /// Maps what may be mapped of a BAR.
    fn map(&mut self, bar: u8) -> Result<()> {
        let index = u32::from(bar);
        let size = self.device.get_region_size(index);
        if size == 0 || self.device.get_region_flags(index) & VFIO_REGION_INFO_FLAG_MMAP == 0 {
            return Ok(());
        }
        let sparse = self.device.get_region_caps(index).into_iter().find_map(|cap| match cap {
            VfioRegionInfoCap::SparseMmap(sparse) => Some(sparse.areas),
            _ => None,
        });
        let areas = match sparse {
            Some(areas) => areas.iter().map(|area| (area.offset, area.size)).collect(),
            None => vec![(0, size)],
        };
        for (offset, bytes) in windows(bar, &areas) {
            let at = self.device.get_region_offset(index) + offset;
            let memory = MmapOptions::new().offset(at).len(bytes as usize).map_raw(self.device.as_raw_fd());
            let memory = memory.map_err(|error| {
                let failed = Error::new(Kind::Device, format!("mapping BAR{bar}")).at(self.name.clone());
                failed.but(format!("{bytes} bytes at {offset:#x}"), error.to_string()).so("see dmesg")
            })?;
            self.mapped.push(Mapped { bar, offset, memory });
        }
        Ok(())
    }

    /// Lets the device answer, and send messages: an interrupt is a write of its own.
    fn command(&self) {
        let mut bytes = [0; 2];
        self.device.region_read(VFIO_PCI_CONFIG_REGION_INDEX, &mut bytes, COMMAND_OFFSET);
        let word = u16::from_le_bytes(bytes) | COMMAND_MASTER | COMMAND_MEMORY;
        self.device.region_write(VFIO_PCI_CONFIG_REGION_INDEX, &word.to_le_bytes(), COMMAND_OFFSET);
    }

    /// The mapped word at a place.
    fn word(&self, at: At) -> Option<*mut u32> {
        let of = |m: &&Mapped| {
            m.bar == at.bar && at.offset >= m.offset && at.offset - m.offset + WORD_BYTES <= m.memory.len() as u64
        };
        let mapped = self.mapped.iter().find(of)?;
        let byte = (at.offset - mapped.offset) as usize;
        debug_assert!(byte.is_multiple_of(WORD_BYTES as usize));
        // SAFETY: the word lies in the mapping, as `of` has checked, and the mapping lives as long as `self`.
        Some(unsafe { mapped.memory.as_mut_ptr().add(byte).cast() })
    }
}

/// Of areas that may be mapped, as first byte and length, what lies in the windows of a BAR.
fn windows(bar: u8, areas: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let of_bar = WINDOWS.iter().filter(|window| window.bar == bar);
    let both = of_bar.flat_map(|window| areas.iter().map(move |area| (window.offset, *area)));
    let common = both.map(|(window, (area, bytes))| {
        let first = window.max(area);
        let end = (window + WINDOW_BYTES as u64).min(area.saturating_add(bytes));
        (first, end.saturating_sub(first))
    });
    common.filter(|(_, bytes)| *bytes > 0).collect()
}

impl Transport for Vfio {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn bar_bytes(&self, bar: u8) -> u64 {
        self.device.get_region_size(bar.into())
    }

    fn read32(&mut self, at: At) -> Result<u32> {
        if let Some(word) = self.word(at) {
            // SAFETY: `word` is a mapped, aligned word of a BAR; nobody holds a reference to it.
            return Ok(u32::from_le(unsafe { word.read_volatile() }));
        }
        // What the kernel cannot read stays as it is: nobody.
        let mut bytes = pci::NOBODY.to_le_bytes();
        self.device.region_read(at.bar.into(), &mut bytes, at.offset);
        Ok(u32::from_le_bytes(bytes))
    }

    fn write32(&mut self, at: At, value: u32) -> Result<()> {
        match self.word(at) {
            // SAFETY: as in `read32`; a write to a register may do anything to the device, but nothing to our memory.
            Some(word) => unsafe { word.write_volatile(value.to_le()) },
            None => self.device.region_write(at.bar.into(), &value.to_le_bytes(), at.offset),
        }
        Ok(())
    }

    fn interrupt(&mut self, deadline: Instant) -> Result<bool> {
        if self.line.is_none() {
            let line = Line::new()?;
            self.device.enable_msix(vec![line.event()]).map_err(|error| {
                let failed = Error::new(Kind::Device, "asking for the interrupt").at(self.name.clone());
                failed.but("an MSI-X vector", error.to_string()).so("check that the device has MSI-X: lspci -vv")
            })?;
            self.line = Some(line);
        }
        self.line.as_ref().map_or(Ok(false), |line| line.wait(deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A BAR of 4 MiB with the MSI-X table in its second page, and another one in the window of the first box.
    #[test]
    fn only_windows_are_mapped_and_of_them_only_what_the_kernel_allows() {
        let bytes = WINDOW_BYTES as u64;
        let [own, first, second, zero] = WINDOWS.map(|window| window.offset);
        assert_eq!(windows(0, &[(0, 1 << 22)]), [(own, bytes)]);
        assert_eq!(windows(2, &[(0, 1 << 22)]), [(first, bytes), (second, bytes), (zero, bytes)]);
        let page = 1 << 12;
        assert_eq!(windows(0, &[(0, page), (2 * page, 1 << 20)]), [(0, page), (2 * page, bytes - 2 * page)]);
        let sparse = [(0, first + page), (first + 2 * page, second - first - 2 * page)];
        assert_eq!(windows(2, &sparse), [(first, page), (first + 2 * page, bytes - 2 * page), (zero, bytes)]);
        assert_eq!(windows(0, &[]), []);
        assert_eq!(windows(pci::MSIX_BAR, &[(0, pci::MSIX_BAR_BYTES)]), []);
    }
}
