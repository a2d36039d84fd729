//! The device on PCI: who it is, where its window lies, which vector interrupts. Read by the driver and by the simulated
//! device, and by nobody else.

use crate::regs::WINDOW_BYTES;

/// A PCI vendor and device that may hold a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id {
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// What it is.
    pub name: &'static str,
}

/// The simulated device. Vendor 0x1234 belongs to nobody; emulators use it.
pub const SIMULATED: Id = Id { vendor: 0x1234, device: 0x6d72, name: "simulated gateway" };
/// Every device that is known to hold a core.
pub const IDS: [Id; 3] = [
    SIMULATED,
    Id { vendor: 0x10ee, device: 0x903f, name: "OpenNIC shell, first port" },
    Id { vendor: 0x10ee, device: 0x913f, name: "OpenNIC shell, second port" },
];

/// Where a window may begin: BAR and byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// BAR.
    pub bar: u8,
    /// First byte.
    pub offset: u64,
    /// Whose layout it is.
    pub name: &'static str,
}

/// Where the window may begin, in the order in which it is looked for: a core of its own, the two boxes of OpenNIC, and
/// Corundum's application.
pub const WINDOWS: [Window; 4] = [
    Window { bar: 0, offset: 0, name: "the core itself" },
    Window { bar: 2, offset: 0x10_0000, name: "OpenNIC box at 250 MHz" },
    Window { bar: 2, offset: 0x20_0000, name: "OpenNIC box at 322 MHz" },
    Window { bar: 2, offset: 0, name: "Corundum application" },
];
/// Size of BAR 0 of a core of its own, bytes: the register window.
pub const BAR0_BYTES: u64 = WINDOW_BYTES as u64;

/// BAR of the MSI-X table and its pending bits; nothing else lies in it.
pub const MSIX_BAR: u8 = 4;
/// Its size, bytes.
pub const MSIX_BAR_BYTES: u64 = 0x1000;
/// First byte of the pending bits in it; the table begins at 0.
pub const MSIX_PENDING_OFFSET: u64 = 0x800;
/// Vectors.
pub const MSIX_VECTORS: u16 = 1;
/// The vector of the core's interrupt line (block `EVENT`): one message with each rise.
pub const MSIX_CORE: u16 = 0;

/// Configuration space: the command register.
pub const COMMAND_OFFSET: u64 = 4;
/// Command register: the device answers in its BARs.
pub const COMMAND_MEMORY: u16 = 1 << 1;
/// Command register: the device may write to memory, which is what MSI-X does.
pub const COMMAND_MASTER: u16 = 1 << 2;

/// What a read gives when nobody answers.
pub const NOBODY: u32 = u32::MAX;
