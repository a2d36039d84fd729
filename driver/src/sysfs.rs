//! What the kernel says of a PCI device: whether VFIO lets us at it, and if not, why not and what to type.

use crate::error::{file, Error, Kind, Result};
use matchrdma_spec::pci::IDS;
use std::path::{Path, PathBuf};

/// The driver that hands devices to programs.
const DRIVER: &str = "vfio-pci";

/// The file that says how the kernel resets a device; Linux 5.15 or later.
const RESETS: &str = "reset_method";

/// A device that no driver has.
const NOBODY_DRIVES: &str = "no driver";

/// Where the kernel tells of devices.
pub struct Sysfs {
    sys: PathBuf,
    dev: PathBuf,
    /// Tries to read and write a node.
    open: fn(&Path) -> std::io::Result<()>,
}

fn open(node: &Path) -> std::io::Result<()> {
    std::fs::OpenOptions::new().read(true).write(true).open(node).map(drop)
}

impl Default for Sysfs {
    fn default() -> Self {
        Sysfs { sys: "/sys".into(), dev: "/dev".into(), open }
    }
}

/// The PCI address of the only device bound to `vfio-pci` that may hold a core.
pub fn the_only_one() -> Result<String> {
    Sysfs::default().only()
}

impl Sysfs {
    fn only(&self) -> Result<String> {
        let bound = self.sys.join("bus/pci/drivers").join(DRIVER);
        let entries = std::fs::read_dir(&bound).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| name.contains(':') && self.known(name));
        names.sort();
        match names.as_slice() {
            [one] => Ok(one.clone()),
            _ => {
                let error = Error::new(Kind::Device, "looking for the gateway").at(bound.display().to_string());
                let unbound = if names.is_empty() { self.unbound() } else { vec![] };
                let found = match (names.is_empty(), unbound.is_empty()) {
                    (true, true) => "none".into(),
                    (true, false) => {
                        unbound.iter().map(|(name, has)| format!("{name} has {has}")).collect::<Vec<_>>().join(", ")
                    }
                    _ => names.join(", "),
                };
                let ids: Vec<String> = IDS.iter().map(|id| format!("{:04x}:{:04x}", id.vendor, id.device)).collect();
                let error = error.but(format!("one device of {} that is bound to {DRIVER}", ids.join(", ")), found);
                Err(error.so(match unbound.as_slice() {
                    [(one, has)] => bind(one, has != NOBODY_DRIVES),
                    _ => "name it: --device 0000:bb:dd.f".into(),
                }))
            }
        }
    }

    /// Devices that may hold a core and are not ours to have, with who has them.
    fn unbound(&self) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(self.sys.join("bus/pci/devices")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| self.known(name));
        let mut unbound: Vec<_> = names.map(|name| (self.has(&name), name)).map(|(has, name)| (name, has)).collect();
        unbound.sort();
        unbound
    }

    fn has(&self, name: &str) -> String {
        self.driver(name).map_or(NOBODY_DRIVES.into(), |driver| format!("driver {driver}"))
    }

    fn known(&self, name: &str) -> bool {
        let id = |file: &str| {
            let text = std::fs::read_to_string(self.device(name).join(file)).ok()?;
            u16::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
        };
        IDS.iter().any(|known| id("vendor") == Some(known.vendor) && id("device") == Some(known.device))
    }

    fn device(&self, name: &str) -> PathBuf {
        self.sys.join("bus/pci/devices").join(name)
    }

    fn driver(&self, name: &str) -> Option<String> {
        let link = std::fs::read_link(self.device(name).join("driver")).ok()?;
        Some(link.file_name()?.to_str()?.to_owned())
    }

    /// Whether VFIO lets us at a device; its folder.
    pub fn ready(&self, name: &str) -> Result<PathBuf> {
        let refuse = |expected: &str, found: String, remedy: String| {
            Err(Error::new(Kind::Device, "opening the device").at(name).but(expected, found).so(remedy))
        };
        let folder = self.device(name);
        if !folder.exists() {
            return refuse("a PCI device", "none of that address".into(), "look at lspci -D".into());
        }
        let Some(group) = self.group(&folder) else {
            let remedy = "switch the IOMMU on in the firmware, and boot with intel_iommu=on, or amd_iommu=on";
            return refuse("an IOMMU", "no IOMMU group".into(), remedy.into());
        };
        let driver = self.driver(name);
        if driver.as_deref() != Some(DRIVER) {
            return refuse("driver vfio-pci", self.has(name), bind(name, driver.is_some()));
        }
        let others = self.in_the_way(&folder, name);
        if !others.is_empty() {
            let list: Vec<String> = others.iter().map(|(other, driver)| format!("{other} has {driver}")).collect();
            let found = format!("group {group} is not viable: {}", list.join(", "));
            let remedy = others.iter().map(|(other, _)| bind(other, true)).collect::<Vec<_>>().join("; ");
            return refuse("a group whose every device is bound to vfio-pci, or to nothing", found, remedy);
        }
        // A status that resets the gateway would be no status.
        let resets = std::fs::read_to_string(folder.join(RESETS)).unwrap_or_default();
        if !resets.trim().is_empty() {
            let expected =
                format!("an empty {RESETS}: the kernel resets a device when it is opened or closed, if it can");
            return refuse(&expected, resets.trim().into(), keep(name));
        }
        let node = self.dev.join("vfio").join(&group);
        // The container first: without it no group is of use.
        for node in [self.dev.join("vfio/vfio"), node] {
            (self.open)(&node).or_else(|error| no_way(name, &node, &error))?;
        }
        Ok(folder)
    }

    fn group(&self, folder: &Path) -> Option<String> {
        let link = std::fs::read_link(folder.join("iommu_group")).ok()?;
        Some(link.file_name()?.to_str()?.to_owned())
    }

    /// Devices of the same group that keep it from being viable, with their drivers.
    fn in_the_way(&self, folder: &Path, name: &str) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(folder.join("iommu_group/devices")).into_iter().flatten().flatten();
        let others = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|other| other != name);
        let mut others: Vec<_> = others.filter_map(|other| Some((self.driver(&other)?, other))).collect();
        // Bridges keep their own driver, and that does no harm.
        others.retain(|(driver, _)| driver != DRIVER && driver != "pcieport");
        others.sort();
        others.into_iter().map(|(driver, other)| (other, driver)).collect()
    }
}

/// What keeps the kernel from resetting a device.
fn keep(name: &str) -> String {
    format!("echo > /sys/bus/pci/devices/{name}/{RESETS}")
}

/// What binds a device to `vfio-pci`, which another driver may have.
fn bind(name: &str, taken: bool) -> String {
    let device = format!("/sys/bus/pci/devices/{name}");
    let leave = if taken { format!("echo {name} > {device}/driver/unbind; ") } else { String::new() };
    format!(
        "modprobe {DRIVER}; echo {DRIVER} > {device}/driver_override; {leave}echo {name} > /sys/bus/pci/drivers_probe; {}",
        keep(name)
    )
}

/// What an error of a node means.
fn no_way(name: &str, node: &Path, error: &std::io::Error) -> Result<()> {
    let found = format!("{}: {error}", node.display());
    let failed = Error::new(Kind::Device, "opening the device").at(name);
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            let remedy = format!("chown $USER {}; or run as root", node.display());
            Err(failed.but("permission to read and write it", found).so(remedy))
        }
        std::io::ErrorKind::NotFound => {
            Err(file("opening the device", node, error).so(format!("load the module: modprobe {DRIVER}")))
        }
        // In use is told by VFIO itself, in its own words.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    const OURS: &str = "0000:3b:00.0";

    /// A tree with devices: name, driver, group, vendor and device.
    fn tree(devices: &[(&str, &str, &str, [u16; 2])]) -> (tempfile::TempDir, Sysfs) {
        let folder = tempfile::tempdir().unwrap();
        let (sys, dev) = (folder.path().join("sys"), folder.path().join("dev"));
        fs::create_dir_all(dev.join("vfio")).unwrap();
        for (name, driver, group, [vendor, device]) in devices {
            let own = sys.join("bus/pci/devices").join(name);
            fs::create_dir_all(&own).unwrap();
            fs::write(own.join("vendor"), format!("{vendor:#06x}\n")).unwrap();
            fs::write(own.join("device"), format!("{device:#06x}\n")).unwrap();
            if !driver.is_empty() {
                let drivers = sys.join("bus/pci/drivers").join(driver);
                fs::create_dir_all(&drivers).unwrap();
                symlink(&drivers, own.join("driver")).unwrap();
                symlink(&own, drivers.join(name)).unwrap();
            }
            if !group.is_empty() {
                let members = sys.join("kernel/iommu_groups").join(group).join("devices");
                fs::create_dir_all(&members).unwrap();
                symlink(&own, members.join(name)).unwrap();
                symlink(sys.join("kernel/iommu_groups").join(group), own.join("iommu_group")).unwrap();
                fs::write(dev.join("vfio").join(group), "").unwrap();
            }
        }
        fs::write(dev.join("vfio/vfio"), "").unwrap();
        (folder, Sysfs { sys, dev, open })
    }

    const ID: [u16; 2] = [IDS[1].vendor, IDS[1].device];

    #[test]
    fn the_only_device_is_found_and_two_are_not_chosen_from() {
        let (_keep, one) = tree(&[(OURS, DRIVER, "7", ID), ("0000:01:00.0", DRIVER, "8", [1, 2])]);
        assert_eq!(one.only().unwrap(), OURS);
        let (_keep, two) = tree(&[(OURS, DRIVER, "7", ID), ("0000:01:00.0", DRIVER, "8", ID)]);
        assert!(two.only().unwrap_err().found.contains("0000:01:00.0, 0000:3b:00.0"));
        let (_keep, none) = tree(&[]);
        assert_eq!(none.only().unwrap_err().found, "none");
        // One that another driver has is named, with what binds it.
        let (_keep, other) = tree(&[(OURS, "onic", "7", ID), ("0000:01:00.0", "ahci", "8", [1, 2])]);
        let error = other.only().unwrap_err();
        assert_eq!(error.found, format!("{OURS} has driver onic"));
        assert!(error.remedy.contains(&format!("{OURS}/driver/unbind")), "{error}");
    }

    #[test]
    fn what_keeps_vfio_from_a_device_is_told_with_what_to_type() {
        let error = |devices: &[(&str, &str, &str, [u16; 2])]| {
            let (_keep, sysfs) = tree(devices);
            let error = sysfs.ready(OURS).unwrap_err();
            assert!(error.what == "opening the device" && error.place == OURS, "{error}");
            assert!([&error.expected, &error.found, &error.remedy].iter().all(|part| !part.is_empty()), "{error:?}");
            error
        };
        assert!(error(&[]).found.contains("none of that address"));
        let no_iommu = error(&[(OURS, DRIVER, "", ID)]);
        assert!(no_iommu.expected == "an IOMMU" && no_iommu.remedy.contains("iommu=on"), "{no_iommu}");
        let other = error(&[(OURS, "onic", "7", ID)]);
        assert!(other.found == "driver onic" && other.remedy.contains("driver_override"), "{other}");
        let none = error(&[(OURS, "", "7", ID)]);
        assert!(none.found == "no driver" && none.remedy.contains("drivers_probe"), "{none}");
        assert!(!none.remedy.contains("unbind"), "what has no driver cannot be unbound: {none}");
        let group = error(&[
            (OURS, DRIVER, "7", ID),
            ("0000:3b:00.1", "onic", "7", ID),
            ("0000:3a:00.0", "pcieport", "7", [1, 2]),
        ]);
        assert!(group.found.contains("0000:3b:00.1 has onic") && !group.found.contains("pcieport"), "{group}");
        assert!(group.remedy.contains("0000:3b:00.1/driver_override"), "{group}");
        let (_keep, ready) = tree(&[(OURS, DRIVER, "7", ID)]);
        assert!(ready.ready(OURS).is_ok());
        let resets = ready.device(OURS).join(RESETS);
        fs::write(&resets, "flr bus\n").unwrap();
        let reset = ready.ready(OURS).unwrap_err();
        assert!(reset.found == "flr bus" && reset.remedy.contains("0000:3b:00.0/reset_method"), "{reset}");
        fs::write(&resets, "\n").unwrap();
        assert!(ready.ready(OURS).is_ok());
        for node in ["vfio/7", "vfio/vfio"] {
            fs::remove_file(ready.dev.join(node)).unwrap();
            let error = ready.ready(OURS).unwrap_err();
            assert!(error.kind == Kind::File && error.place.ends_with(node), "{error}");
            assert!(error.remedy.contains("modprobe"), "{error}");
        }
    }

    #[test]
    fn who_may_not_is_told_what_to_ask_for() {
        let (_keep, mut sysfs) = tree(&[(OURS, DRIVER, "7", ID)]);
        for (open, node) in [
            (
                (|node| if node.ends_with("7") { Err(std::io::ErrorKind::PermissionDenied.into()) } else { Ok(()) })
                    as fn(&Path) -> _,
                "vfio/7",
            ),
            (|_| Err(std::io::ErrorKind::PermissionDenied.into()), "vfio/vfio"),
        ] {
            sysfs.open = open;
            let error = sysfs.ready(OURS).unwrap_err();
            assert!(error.kind == Kind::Device && error.found.contains(node), "{error}");
            assert!(error.remedy.contains("chown") && error.remedy.contains(node), "{error}");
        }
        // One that is in use is for VFIO to tell of.
        sysfs.open = |_| Err(std::io::ErrorKind::ResourceBusy.into());
        assert!(sysfs.ready(OURS).is_ok());
    }
}
