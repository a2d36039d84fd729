//! The guest's file system: an archive in memory that the kernel unpacks, and the kernel modules it needs.

use crate::run::{Done, Failure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

/// An archive being made, in the format that the kernel calls newc.
#[derive(Default)]
pub struct Initramfs {
    bytes: Vec<u8>,
    entries: u32,
}

impl Initramfs {
    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let links = 1 + u32::from(mode == FOLDER);
        // Magic, then inode, mode, owner, group, links, time, size, four device numbers, length of the name, no checksum.
        let fields = [self.entries, mode, 0, 0, links, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.bytes.extend_from_slice(b"070701");
        fields.iter().for_each(|field| self.bytes.extend_from_slice(format!("{field:08x}").as_bytes()));
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// A folder; those above it come first.
    pub fn folder(&mut self, name: &str) {
        self.entry(name, FOLDER, &[]);
    }

    /// A file that may be run.
    pub fn program(&mut self, name: &str, content: &[u8]) {
        self.entry(name, PROGRAM, content);
    }

    /// The whole archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }
}

/// A kernel module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// As the kernel calls it.
    pub name: String,
    /// What is loaded.
    pub content: Vec<u8>,
}

/// The modules of these names with all that they need, in the order in which they are loaded. One that is not there is
/// built into the kernel.
pub fn modules(kernel: &Path, busybox: &Path, wanted: &[&str]) -> Done<Vec<Module>> {
    let mut files = Vec::new();
    walk(kernel, &mut files)?;
    let mut all = Loaded { files, busybox, seen: BTreeSet::new(), modules: Vec::new() };
    wanted.iter().try_for_each(|name| all.load(name))?;
    Ok(all.modules)
}

struct Loaded<'a> {
    files: Vec<PathBuf>,
    busybox: &'a Path,
    seen: BTreeSet<String>,
    modules: Vec<Module>,
}

impl Loaded<'_> {
    fn load(&mut self, name: &str) -> Done {
        let name = name.replace('-', "_");
        if !self.seen.insert(name.clone()) {
            return Ok(());
        }
        let Some(file) = self.files.iter().find(|file| called(file) == name) else { return Ok(()) };
        let content = unpacked(file, self.busybox)?;
        needs(&content).iter().try_for_each(|needed| self.load(needed))?;
        self.modules.push(Module { name, content });
        Ok(())
    }
}

/// `vfio-pci-core.ko.xz` is called `vfio_pci_core`.
fn called(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().replace('-', "_")
}

/// What a module says it depends on.
fn needs(content: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = content.windows(KEY.len()).position(|w| w == KEY) else { return Vec::new() };
    let text: Vec<u8> = content[at + KEY.len()..].iter().take_while(|b| **b != 0).copied().collect();
    String::from_utf8_lossy(&text).split(',').filter(|name| !name.is_empty()).map(String::from).collect()
}

fn unpacked(file: &Path, busybox: &Path) -> Done<Vec<u8>> {
    let failed = |why: String| Failure::new(format!("reading {}", file.display()), why, "cargo xtask vm-test --fresh");
    if file.extension().is_some_and(|e| e == "ko") {
        return fs::read(file).map_err(|e| failed(e.to_string()));
    }
    let out = Command::new(busybox).args(["xz", "-dc"]).arg(file).output().map_err(|e| failed(e.to_string()))?;
    if out.status.success() {
        return Ok(out.stdout);
    }
    Err(failed(format!("busybox xz: {}", String::from_utf8_lossy(&out.stderr).trim())))
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) -> Done {
    let entries = fs::read_dir(folder).map_err(|e| {
        Failure::new(format!("reading {}", folder.display()), e.to_string(), "cargo xtask vm-test --fresh")
    })?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, into)?;
        } else if path.to_string_lossy().contains(".ko") {
            into.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_headers_of_110_bytes_and_an_end() {
        let mut archive = Initramfs::default();
        archive.folder("bin");
        archive.program("bin/x", b"12345");
        let bytes = archive.finish();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[14..22], b"000041ed", "a folder");
        // 110 + "bin\0" is 114, padded to 116; then 110 + "bin/x\0" is 116, and 5 bytes padded to 8.
        assert_eq!(&bytes[116..122], b"070701");
        assert_eq!(&bytes[116 + 14 + 4 * 8 + 8..][..8], b"00000005", "its size");
        assert_eq!(&bytes[232..240], b"12345\0\0\0");
        assert_eq!(&bytes[240 + 110..][..10], b"TRAILER!!!");
        assert_eq!(bytes.len() % 4, 0);
    }

    #[test]
    fn what_a_module_needs_is_loaded_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, needs: &str| {
            fs::write(folder.path().join(name), format!("ELF\0license=GPL\0depends={needs}\0x")).unwrap();
        };
        put("a-b.ko", "c,d_e");
        put("c.ko", "");
        put("d-e.ko", "c");
        let names = |wanted: &[&str]| -> Vec<String> {
            modules(folder.path(), Path::new("none"), wanted).unwrap().into_iter().map(|m| m.name).collect()
        };
        assert_eq!(names(&["a-b"]), ["c", "d_e", "a_b"]);
        assert_eq!(names(&["built-in", "c", "a_b"]), ["c", "d_e", "a_b"]);
    }
}
