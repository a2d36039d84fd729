//! The list of `tests/driver` on a device behind the kernel's VFIO. `cargo xtask vm-test` runs it in a guest, on the gates.
//!
//! `MATCHRDMA_DEVICE` names the device, which is bound to vfio-pci and reset before each check. A device has one user, so
//! `--test-threads=1`.
#![cfg(feature = "vfio")]
#![forbid(unsafe_code)]

/// Where the list finds what it needs of the package of all tests.
mod harness {
    pub use crate::random::Random;
}
#[path = "../../tests/driver/configs.rs"]
mod configs;
#[allow(dead_code)]
#[path = "../../tests/harness/random.rs"]
mod random;
#[macro_use]
#[path = "../../tests/driver/list.rs"]
mod list;
#[allow(dead_code)]
#[path = "../../tests/driver/tap.rs"]
mod tap;
#[path = "../../tests/driver/visit.rs"]
mod visit;

use matchrdma::vfio::Vfio;
use std::path::Path;

/// The device, out of reset.
fn kernel() -> Vfio {
    let name = std::env::var("MATCHRDMA_DEVICE").expect("MATCHRDMA_DEVICE names a device, as lspci -D does");
    let folder = Path::new("/sys/bus/pci/devices").join(&name);
    let write = |file: &str, text: &str| {
        let file = folder.join(file);
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    };
    write("reset_method", "flr");
    write("reset", "1");
    write("reset_method", "\n");
    Vfio::open(&name).unwrap_or_else(|error| panic!("{error}"))
}

on!(kernel, [ignore = "it needs a device: cargo xtask vm-test"]);
