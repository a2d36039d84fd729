//! Opening the device that a user names, with what this host knows of it.

use super::Common;
use crate::apply::host::Host;
use crate::apply::record::InFile;
use crate::core::Core;
use crate::error::{Error, Kind, Result};
use crate::transport::Transport;

/// A device, however it is reached.
pub(super) type Device = Box<dyn Transport>;

/// What stands before a socket.
const SOCKET: &str = "vfio-user:";

/// The core of the device that the user names.
pub(super) fn core(common: &Common) -> Result<Core<Device>> {
    Core::find(open(common)?)
}

/// The same with the record of it.
pub(super) fn host(common: &Common) -> Result<Host<Device, InFile>> {
    let core = core(common)?;
    let name: String = common.device.as_deref().unwrap_or("the-only-one").chars().map(plain).collect();
    Host::attach(core, InFile::open(&common.records.join(name).with_extension("json"))?)
}

/// A letter of a file name.
fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() {
        letter
    } else {
        '-'
    }
}

fn open(common: &Common) -> Result<Device> {
    let what = "opening the device";
    let Some(name) = &common.device else { return the_only_one() };
    if let Some(socket) = name.strip_prefix(SOCKET) {
        return user(socket);
    }
    let well_formed = |part: &str, length: usize| part.len() == length && part.chars().all(|c| c.is_ascii_hexdigit());
    let parts: Vec<&str> = name.split([':', '.']).collect();
    let lengths = [4, 2, 2, 1];
    if parts.len() == lengths.len() && parts.iter().zip(lengths).all(|(part, length)| well_formed(part, length)) {
        return kernel(name);
    }
    let error = Error::new(Kind::Device, what).at("--device").but("0000:bb:dd.f or vfio-user:SOCKET", name.as_str());
    Err(error.so("name the device as lspci -D does"))
}

#[cfg(feature = "vfio")]
fn kernel(name: &str) -> Result<Device> {
    Ok(Box::new(crate::vfio::Vfio::open(name)?))
}

#[cfg(feature = "vfio")]
fn the_only_one() -> Result<Device> {
    kernel(&crate::sysfs::the_only_one()?)
}

#[cfg(not(feature = "vfio"))]
fn kernel(name: &str) -> Result<Device> {
    Err(left_out("vfio", name))
}

#[cfg(not(feature = "vfio"))]
fn the_only_one() -> Result<Device> {
    Err(left_out("vfio", "--device"))
}

#[cfg(feature = "sim")]
fn user(socket: &str) -> Result<Device> {
    Ok(Box::new(crate::vfio_user::VfioUser::connect(std::path::Path::new(socket))?))
}

#[cfg(not(feature = "sim"))]
fn user(socket: &str) -> Result<Device> {
    Err(left_out("sim", &format!("{SOCKET}{socket}")))
}

#[cfg(not(all(feature = "vfio", feature = "sim")))]
fn left_out(feature: &str, place: &str) -> Error {
    let error = Error::new(Kind::Device, "opening the device").at(place);
    let found = "one that was built without it";
    error
        .but(format!("feature {feature}"), found)
        .so(format!("build it: cargo build -p matchrdma --features {feature}"))
}
