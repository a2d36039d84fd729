//! Configuration space of the simulated device: who it is, its BARs, and two capabilities, MSI-X and PCI Express.

use matchrdma_spec::pci::{
    BAR0_BYTES, COMMAND_MASTER, COMMAND_MEMORY, COMMAND_OFFSET, MSIX_BAR, MSIX_BAR_BYTES, MSIX_PENDING_OFFSET,
    MSIX_VECTORS, SIMULATED,
};

/// Size of configuration space, bytes.
pub const BYTES: usize = 4096;

/// Network controller, of no class that a generic driver would take.
const CLASS: u32 = 0x02_80_00;
const STATUS_AT: usize = 0x06;
const STATUS_CAPABILITIES: u16 = 1 << 4;
const COMMAND_INTX_OFF: u16 = 1 << 10;
const COMMAND_PARITY: u16 = 1 << 6;
const COMMAND_SERR: u16 = 1 << 8;
const CLASS_AT: usize = 0x08;
const BARS_AT: usize = 0x10;
const SUBSYSTEM_AT: usize = 0x2c;
const CAPABILITIES_AT: usize = 0x34;
const LINE_AT: usize = 0x3c;

const MSIX_AT: usize = 0x40;
const MSIX_ID: u8 = 0x11;
/// Of its message control: the function may send, and all vectors are masked.
const MSIX_CONTROL_WRITABLE: u16 = 0xc000;

const EXPRESS_AT: usize = 0x50;
const EXPRESS_ID: u8 = 0x10;
/// Version 2 of the capability, of an endpoint.
const EXPRESS_FLAGS: u16 = 2;
/// Extended tags, payloads of 256 bytes, role-based errors, function-level reset.
const EXPRESS_CAPS: u32 = 1 << 28 | 1 << 15 | 1 << 5 | 1;
const DEVICE_CONTROL_AT: usize = EXPRESS_AT + 0x08;
/// Device control: writing it resets the function; it reads 0.
const DEVICE_CONTROL_RESET: u16 = 1 << 15;
/// After reset: relaxed order, no snoop, requests of 512 bytes.
const DEVICE_CONTROL_DEFAULT: u16 = 0x2810;
/// Sixteen lanes of 8 GT/s.
const LINK: u32 = 16 << 4 | 3;
const LINK_CAPS_AT: usize = EXPRESS_AT + 0x0c;
const LINK_STATUS_AT: usize = EXPRESS_AT + 0x12;

/// What a write asked for, beside new content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// A function-level reset. Configuration space has been through it.
    Reset,
}

/// Configuration space.
pub struct Config {
    bytes: [u8; BYTES],
    writable: [u8; BYTES],
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// Out of reset.
    pub fn new() -> Self {
        let mut c = Config { bytes: [0; BYTES], writable: [0; BYTES] };
        c.put16(0, SIMULATED.vendor);
        c.put16(2, SIMULATED.device);
        let command = COMMAND_MEMORY | COMMAND_MASTER | COMMAND_PARITY | COMMAND_SERR | COMMAND_INTX_OFF;
        c.may_write(COMMAND_OFFSET as usize, &command.to_le_bytes());
        c.put16(STATUS_AT, STATUS_CAPABILITIES);
        c.put32(CLASS_AT, CLASS << 8);
        // The address bits below a BAR's size read 0: that is how its size is found. 32 bits, not prefetchable.
        for (bar, bytes) in [(0, BAR0_BYTES), (MSIX_BAR, MSIX_BAR_BYTES)] {
            c.may_write(BARS_AT + 4 * usize::from(bar), &(!(bytes as u32 - 1)).to_le_bytes());
        }
        c.put16(SUBSYSTEM_AT, SIMULATED.vendor);
        c.put16(SUBSYSTEM_AT + 2, SIMULATED.device);
        c.bytes[CAPABILITIES_AT] = MSIX_AT as u8;
        c.may_write(LINE_AT, &[0xff]);

        c.bytes[MSIX_AT..MSIX_AT + 2].copy_from_slice(&[MSIX_ID, EXPRESS_AT as u8]);
        c.put16(MSIX_AT + 2, MSIX_VECTORS - 1);
        c.may_write(MSIX_AT + 2, &MSIX_CONTROL_WRITABLE.to_le_bytes());
        c.put32(MSIX_AT + 4, MSIX_BAR.into());
        c.put32(MSIX_AT + 8, MSIX_PENDING_OFFSET as u32 | u32::from(MSIX_BAR));

        c.bytes[EXPRESS_AT..EXPRESS_AT + 2].copy_from_slice(&[EXPRESS_ID, 0]);
        c.put16(EXPRESS_AT + 2, EXPRESS_FLAGS);
        c.put32(EXPRESS_AT + 4, EXPRESS_CAPS);
        c.put16(DEVICE_CONTROL_AT, DEVICE_CONTROL_DEFAULT);
        c.may_write(DEVICE_CONTROL_AT, &(!DEVICE_CONTROL_RESET).to_le_bytes());
        c.put32(LINK_CAPS_AT, LINK);
        c.put16(LINK_STATUS_AT, LINK as u16);
        c
    }

    fn may_write(&mut self, at: usize, bits: &[u8]) {
        self.writable[at..at + bits.len()].copy_from_slice(bits);
    }

    fn put16(&mut self, at: usize, value: u16) {
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    fn put32(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Reads; what lies behind its end is ones.
    pub fn read(&self, offset: u64, data: &mut [u8]) {
        for (n, byte) in data.iter_mut().enumerate() {
            *byte = self.bytes.get(offset as usize + n).copied().unwrap_or(0xff);
        }
    }

    /// Writes what may be written.
    pub fn write(&mut self, offset: u64, data: &[u8]) -> Asked {
        let mut asked = Asked::Nothing;
        for (at, byte) in (offset as usize..BYTES).zip(data) {
            let may = self.writable[at];
            self.bytes[at] = self.bytes[at] & !may | byte & may;
            let reset = (DEVICE_CONTROL_RESET >> 8) as u8;
            if at == DEVICE_CONTROL_AT + 1 && byte & reset != 0 {
                asked = Asked::Reset;
            }
        }
        if asked == Asked::Reset {
            *self = Self::new();
        }
        asked
    }

    /// The device may write to memory, which is how it interrupts.
    pub fn master(&self) -> bool {
        let at = COMMAND_OFFSET as usize;
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]) & COMMAND_MASTER != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read16(c: &Config, at: u64) -> u16 {
        let mut two = [0; 2];
        c.read(at, &mut two);
        u16::from_le_bytes(two)
    }

    /// As system software walks it.
    fn capabilities(c: &Config) -> Vec<(u8, u64)> {
        assert_ne!(read16(c, 6) & STATUS_CAPABILITIES, 0);
        let (mut list, mut at) = (vec![], u64::from(read16(c, 0x34) & 0xfc));
        while at != 0 {
            assert!(list.len() < 48, "the list has no end");
            list.push((read16(c, at) as u8, at));
            at = u64::from(read16(c, at) >> 8);
        }
        list
    }

    #[test]
    fn the_list_of_capabilities_is_msix_and_express_with_function_level_reset() {
        let c = Config::new();
        assert_eq!((read16(&c, 0), read16(&c, 2)), (SIMULATED.vendor, SIMULATED.device));
        let list = capabilities(&c);
        assert_eq!(list.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [MSIX_ID, EXPRESS_ID]);
        assert_eq!(read16(&c, list[0].1 + 2), MSIX_VECTORS - 1);
        assert_eq!(read16(&c, list[0].1 + 4), u16::from(MSIX_BAR));
        assert_eq!(read16(&c, list[0].1 + 8), MSIX_PENDING_OFFSET as u16 | u16::from(MSIX_BAR));
        assert_ne!(read16(&c, list[1].1 + 6) & 1 << 12, 0, "function-level reset");
    }

    #[test]
    fn bars_tell_their_size_and_the_others_are_none() {
        let mut c = Config::new();
        for bar in 0..6 {
            let at = (BARS_AT + 4 * bar) as u64;
            c.write(at, &[0xff; 4]);
            let mut word = [0; 4];
            c.read(at, &mut word);
            let size = u64::from((!u32::from_le_bytes(word)).wrapping_add(1));
            let expected = [BAR0_BYTES, 0, 0, 0, MSIX_BAR_BYTES, 0][bar];
            assert_eq!(size, expected, "BAR{bar}");
        }
    }

    #[test]
    fn what_is_read_only_stays_and_a_reset_takes_back_the_rest() {
        let mut c = Config::new();
        assert_eq!(c.write(0, &[0xff; 4]), Asked::Nothing);
        assert_eq!(read16(&c, 0), SIMULATED.vendor);
        assert!(!c.master());
        c.write(COMMAND_OFFSET, &COMMAND_MASTER.to_le_bytes());
        assert!(c.master());
        let at = DEVICE_CONTROL_AT as u64;
        assert_eq!(c.write(at, &(DEVICE_CONTROL_DEFAULT & !1).to_le_bytes()), Asked::Nothing);
        assert!(c.master());
        assert_eq!(c.write(at, &(DEVICE_CONTROL_DEFAULT | DEVICE_CONTROL_RESET).to_le_bytes()), Asked::Reset);
        assert!(!c.master());
        assert_eq!(read16(&c, at), DEVICE_CONTROL_DEFAULT, "the bit reads 0");
        assert_eq!(c.write(at + 1, &[0x80]), Asked::Reset, "a write of one byte");
    }

    #[test]
    fn behind_its_end_nothing_is_read_or_written() {
        let mut c = Config::new();
        let mut four = [0; 4];
        c.read(BYTES as u64 - 2, &mut four);
        assert_eq!(four, [0, 0, 0xff, 0xff]);
        c.write(u64::from(u32::MAX), &[1]);
        c.write(BYTES as u64 - 1, &[1, 1]);
    }
}
