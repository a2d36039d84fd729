//! QEMU and a kernel from a Debian archive, unpacked under `target/vm`: nothing is installed on the machine, and nothing
//! needs root. The archive is the one that this machine's apt uses.

use crate::run::{output, read, write, Done, Failure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The suite that the guest's kernel is from, and the libraries of QEMU.
const SUITE: &str = "trixie";
/// QEMU's vfio-user client came with 10.1; the suite's own QEMU is older.
const QEMU_FROM: &str = "trixie-backports";
/// What is unpacked, with all it depends on.
const PACKAGES: [&str; 4] = ["qemu-system-x86", "libc6", "libgcc-s1", "busybox-static"];
/// The package that depends on the kernel.
const KERNEL: &str = "linux-image-amd64";
/// Names an archive where apt knows none.
pub const ARCHIVE: &str = "MATCHRDMA_DEBIAN_ARCHIVE";
/// Raised when what is unpacked, or how, changes.
const LAYOUT: &str = "1";
/// Of the kernel package: the kernel, and the modules that the guest may need.
const KERNEL_FILES: [&str; 4] = [
    "./boot/vmlinuz-*",
    "./usr/lib/modules/*/kernel/drivers/vfio/*",
    "./usr/lib/modules/*/kernel/drivers/iommu/*",
    "./usr/lib/modules/*/kernel/virt/*",
];
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// What is unpacked.
pub struct Files {
    /// The packages' files.
    pub root: PathBuf,
    /// The kernel package's.
    pub kernel: PathBuf,
}

impl Files {
    fn in_folder(folder: &Path) -> Self {
        Files { root: folder.join("root"), kernel: folder.join("kernel") }
    }

    /// QEMU, started through its own loader, so that it needs no library of this machine.
    pub fn qemu(&self) -> Command {
        let root = |path: &str| self.root.join(path);
        let mut command = Command::new(root("usr/lib64/ld-linux-x86-64.so.2"));
        command.env("QEMU_MODULE_DIR", root("usr/lib/x86_64-linux-gnu/qemu"));
        let libraries = format!("{}:{}", root("usr/lib/x86_64-linux-gnu").display(), root("usr/lib").display());
        command.args(["--library-path", &libraries]).arg(root("usr/bin/qemu-system-x86_64"));
        command.arg("-L").arg(root("usr/share/qemu")).arg("-L").arg(root("usr/share/seabios"));
        command
    }

    /// The busybox that the guest runs, too.
    pub fn busybox(&self) -> PathBuf {
        self.root.join("usr/bin/busybox")
    }
}

/// Finds what was unpacked earlier, or downloads and unpacks it.
pub fn files(folder: &Path) -> Done<Files> {
    let files = Files::in_folder(folder);
    let stamp = folder.join("unpacked");
    let key = key();
    if fs::read_to_string(&stamp).is_ok_and(|text| text == key) {
        return Ok(files);
    }
    // What an interrupted run left behind is not worth repairing.
    for path in [&files.root, &files.kernel, &folder.join("apt")] {
        let _ = fs::remove_dir_all(path);
    }
    let start = Instant::now();
    let apt = Apt::new(folder)?;
    apt.fetch(&files)?;
    whole(&files)?;
    let _ = fs::remove_dir_all(&apt.folder);
    write(&stamp, &key)?;
    eprintln!("vm-test: downloaded and unpacked in {:.0} s", start.elapsed().as_secs_f64());
    Ok(files)
}

fn key() -> String {
    format!("{LAYOUT} {SUITE} {QEMU_FROM} {}\n", PACKAGES.join(" "))
}

/// The QEMU of the day can do what is needed, or says so now.
fn whole(files: &Files) -> Done {
    let devices = output(files.qemu().args(["-machine", "q35", "-device", "help"]))?;
    if devices.contains("\"vfio-user-pci\"") {
        return Ok(());
    }
    let version = output(files.qemu().arg("--version"))?;
    let why = format!("{} has no device vfio-user-pci", version.lines().next().unwrap_or("it"));
    Err(Failure::new("QEMU", why, "another archive in MATCHRDMA_DEBIAN_ARCHIVE, with QEMU 10.1 or later"))
}

/// An apt of our own: its lists, its cache, and a machine on which nothing is installed.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(folder: &Path) -> Done<Self> {
        for (tool, package) in [("apt-get", "apt"), ("dpkg-deb", "dpkg"), ("tar", "tar")] {
            output(Command::new(tool).arg("--version")).map_err(|e| {
                let why = format!("{tool} does not run ({}), and QEMU and the kernel are Debian packages", e.why);
                Failure::new("vm-test", why, format!("apt-get install {package}, or run it on Debian"))
            })?;
        }
        let apt = Apt { folder: folder.join("apt") };
        for part in ["state/lists/partial", "cache/archives/partial"] {
            let part = apt.folder.join(part);
            fs::create_dir_all(&part)
                .map_err(|e| Failure::new(format!("making {}", part.display()), e.to_string(), ""))?;
        }
        write(&apt.folder.join("state/status"), "")?;
        let from = archive()?;
        let signed = if Path::new(KEYRING).is_file() { format!("[signed-by={KEYRING}] ") } else { String::new() };
        let source = |suite| format!("deb {signed}{from} {suite} main\n");
        write(&apt.folder.join("sources.list"), &[SUITE, QEMU_FROM].map(source).concat())?;
        let pin = format!("Package: qemu-system-* seabios\nPin: release n={QEMU_FROM}\nPin-Priority: 600\n");
        write(&apt.folder.join("preferences"), &pin)?;
        Ok(apt)
    }

    fn command(&self, tool: &str) -> Command {
        let mut command = Command::new(tool);
        let at = |part: &str| self.folder.join(part).display().to_string();
        let options = [
            "APT::Architecture=amd64".to_string(),
            "APT::Architectures=amd64".into(),
            "APT::Install-Recommends=false".into(),
            // Its folders are below ours, where another user may not look.
            "APT::Sandbox::User=root".into(),
            "Acquire::Languages=none".into(),
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false".into(),
            "Acquire::Retries=3".into(),
            format!("Dir::Etc::SourceList={}", at("sources.list")),
            "Dir::Etc::SourceParts=/dev/null".into(),
            format!("Dir::Etc::Preferences={}", at("preferences")),
            "Dir::Etc::PreferencesParts=/dev/null".into(),
            format!("Dir::State={}", at("state")),
            format!("Dir::State::status={}", at("state/status")),
            format!("Dir::Cache={}", at("cache")),
        ];
        command.env("LC_ALL", "C").args(options.iter().flat_map(|option| ["-o", option]));
        command
    }

    fn fetch(&self, files: &Files) -> Done {
        eprintln!("vm-test: asking the Debian archive of this machine's apt for {SUITE} and {QEMU_FROM} ...");
        output(self.command("apt-get").args(["-qq", "update"])).map_err(|e| {
            let help = "apt-get install debian-archive-keyring, or check /etc/apt/sources.list and the network";
            Failure::new("the package lists of the Debian archive", e.why, help)
        })?;
        let kernel = depends(&output(self.command("apt-cache").args(["depends", KERNEL]))?)?;
        let install = || {
            let mut command = self.command("apt-get");
            command.args(["-qq", "-y", "--download-only", "install"]).args(PACKAGES);
            command
        };
        let download = || {
            let mut command = self.command("apt-get");
            command.args(["-qq", "download", &kernel]).current_dir(self.folder.join("cache"));
            command
        };
        let list = output(install().arg("--print-uris"))? + &output(download().arg("--print-uris"))?;
        let (packages, bytes) = size(&list);
        eprintln!(
            "vm-test: downloading {packages} packages, {} MB: QEMU with its libraries, busybox, {kernel} (once; kept in {})",
            bytes.div_ceil(1_000_000),
            self.folder.parent().unwrap_or(&self.folder).display()
        );
        output(&mut install())?;
        output(&mut download())?;
        for package in packages_in(&self.folder.join("cache/archives"))? {
            output(Command::new("dpkg-deb").arg("-x").arg(package).arg(&files.root))?;
        }
        for unread in ["usr/share/doc", "usr/share/man", "usr/share/locale"] {
            let _ = fs::remove_dir_all(files.root.join(unread));
        }
        packages_in(&self.folder.join("cache"))?.iter().try_for_each(|package| unpack_kernel(package, &files.kernel))
    }
}

/// Only what the guest needs of half a gigabyte.
fn unpack_kernel(package: &Path, to: &Path) -> Done {
    let failed = |e: std::io::Error| Failure::new(format!("unpacking {}", package.display()), e.to_string(), "");
    fs::create_dir_all(to).map_err(failed)?;
    let mut files =
        Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut tar = Command::new("tar");
    tar.arg("x").arg("-C").arg(to).arg("--wildcards").args(KERNEL_FILES);
    tar.stdin(files.stdout.take().map_or(Stdio::null(), Stdio::from)).stderr(Stdio::piped());
    let tar = tar.output().map_err(failed)?;
    let _ = files.wait();
    if tar.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&tar.stderr).lines().next().unwrap_or("tar failed").to_string();
    Err(Failure::new(format!("unpacking {}", package.display()), why, "cargo xtask vm-test --fresh"))
}

fn packages_in(folder: &Path) -> Done<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).map_err(|e| Failure::new(format!("reading {}", folder.display()), e.to_string(), ""))?;
    Ok(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "deb")).collect())
}

/// The kernel that `apt-cache depends` names.
fn depends(text: &str) -> Done<String> {
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let kernel = names.filter(|name| name.starts_with("linux-image-")).map(String::from).next();
    kernel.ok_or_else(|| Failure::new("the kernel of the Debian archive", format!("{KERNEL} depends on none"), ""))
}

/// Packages and bytes of `apt-get --print-uris`: each line is a quoted address, a name, a size, a checksum.
fn size(list: &str) -> (usize, u64) {
    let lines = list.lines().filter(|line| line.starts_with('\''));
    let bytes = lines.filter_map(|line| line.split(' ').nth(2)?.parse::<u64>().ok());
    bytes.fold((0, 0), |(packages, sum), bytes| (packages + 1, sum + bytes))
}

/// The archive that this machine's apt uses, whatever suite it takes from it.
fn archive() -> Done<String> {
    if let Some(given) = std::env::var(ARCHIVE).ok().filter(|given| !given.is_empty()) {
        return Ok(given);
    }
    let ask = |filter: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(["indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"]).args(filter);
        output(&mut command).unwrap_or_default()
    };
    let release = read(Path::new("/etc/os-release")).unwrap_or_default();
    let known = ask(&["Origin: Debian", "Label: Debian"]);
    // Before its first `apt-get update` apt does not know whose an archive is.
    let listed = || ask(&["--no-release-info"]);
    chosen(&known, None).or_else(|| chosen(&listed(), Some(codename(&release)?))).ok_or_else(|| {
        let why = "this machine's apt knows no Debian archive";
        let help = format!("{ARCHIVE}=URL cargo xtask vm-test, with debian-archive-keyring installed");
        Failure::new("vm-test", why, help)
    })
}

/// The first archive of `suite URL` lines, of a suite if one is asked for.
fn chosen(listed: &str, suite: Option<&str>) -> Option<String> {
    let pairs = listed.lines().filter_map(|line| line.split_once(' '));
    pairs.filter(|(of, _)| suite.is_none_or(|suite| *of == suite)).map(|(_, url)| url.to_string()).next()
}

/// The code name of a Debian.
fn codename(release: &str) -> Option<&str> {
    let field = |name: &str| release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    field("VERSION_CODENAME").filter(|_| field("ID") == Some("debian"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_apt_would_download_is_counted() {
        let list = "Reading...\n'http://x/a.deb' a.deb 100 SHA256:0\n'http://x/b_1%3a2.deb' b_1%3a2.deb 23 SHA256:1\n";
        assert_eq!(size(list), (2, 123));
    }

    #[test]
    fn the_kernel_is_the_one_depended_on() {
        let text = "linux-image-amd64\n  Depends: linux-image-6.12.1-amd64\n  Recommends: apparmor\n";
        assert_eq!(depends(text).unwrap(), "linux-image-6.12.1-amd64");
        assert!(depends("linux-image-amd64\n").is_err());
    }

    #[test]
    fn a_fresh_debian_is_known_by_its_code_name() {
        let release = "ID=debian\nVERSION_CODENAME=bookworm\n";
        let listed = "noble http://u/\nbookworm http://d/debian/\nbookworm http://e/\n";
        assert_eq!(chosen(listed, codename(release)), Some("http://d/debian/".into()));
        assert_eq!(codename("ID=ubuntu\nVERSION_CODENAME=noble\n"), None);
        assert_eq!(chosen("", None), None);
    }
}
