//! `vm-test`: the real driver binary in a guest, through the kernel's own VFIO and an emulated IOMMU, against the gates.
//!
//! [`archive`] brings QEMU and a kernel, [`initramfs`] makes the guest's file system, [`guest`] says what happens in it,
//! [`steps`] what must come of it; [`boot`] runs it beside the simulated device, both of which [`ends`] when we do, and [`traffic`] is what passes meanwhile.

pub mod archive;
pub mod boot;
pub mod ends;
pub mod guest;
pub mod initramfs;
pub mod steps;
pub mod traffic;

use crate::run::{cargo, output, root, run, Done, Failure};
use crate::setup::setup;
use archive::Files;
use initramfs::Initramfs;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The guest is of this machine's own kind.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The driver's test that runs in the guest.
const LIST: &str = "kernel";

/// Runs it. `fresh`: what was downloaded earlier is downloaded again.
pub fn vm_test(fresh: bool) -> Done {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return Err(Failure::new("vm-test", "it needs Linux on x86_64: the guest runs this machine's programs", ""));
    }
    let folder = root().join("target/vm");
    if fresh {
        let _ = fs::remove_dir_all(&folder);
    }
    make(&folder)?;
    let files = archive::files(&folder)?;
    setup()?;
    let programs = programs()?;
    let start = Instant::now();
    let steps = steps::STEPS;
    let (kernel, image) = image(&files, &programs, steps)?;
    let run_folder = folder.join("run");
    let _ = fs::remove_dir_all(&run_folder);
    make(&run_folder)?;
    let path = run_folder.join("guest.img");
    fs::write(&path, image).map_err(|e| Failure::new(format!("writing {}", path.display()), e.to_string(), ""))?;
    println!("vm-test: booting a guest under QEMU (no KVM), with the gates behind its PCI bus ...");
    let outcomes = boot::run(&files, &kernel, &programs.simulator, &run_folder)?;
    let mut failures = 0;
    for (n, step) in steps.iter().enumerate() {
        let outcome = outcomes.get(n);
        let Some(why) = guest::wrong(step, outcome) else {
            println!("vm-test: ok      {}", step.name);
            outcome.iter().flat_map(|outcome| guest::shown(step, outcome)).for_each(|line| println!("  | {line}"));
            continue;
        };
        failures += 1;
        println!("vm-test: FAILED  {}: {why}\n  $ {}", step.name, step.run);
        outcome.iter().flat_map(|outcome| outcome.text.lines()).for_each(|line| println!("  | {line}"));
    }
    let seconds = start.elapsed().as_secs_f64();
    if failures > 0 {
        let why = format!("{failures} of {} steps failed, listed above", steps.len());
        return Err(Failure::new("vm-test", why, format!("less {0}/guest.log {0}/device.log", run_folder.display())));
    }
    println!("vm-test: {} steps passed in {seconds:.0} s", steps.len());
    Ok(())
}

fn make(folder: &Path) -> Done {
    fs::create_dir_all(folder).map_err(|e| Failure::new(format!("making {}", folder.display()), e.to_string(), ""))
}

/// What is run: one beside the guest, two in it.
struct Programs {
    simulator: PathBuf,
    driver: PathBuf,
    list: PathBuf,
}

/// Builds the simulator, and what runs in the guest without any library of this machine: the driver, and the list of checks.
fn programs() -> Done<Programs> {
    eprintln!("vm-test: building the simulated device and the driver ...");
    run(&mut cargo(["build", "--quiet", "--release", "-p", "matchrdma-sim", "--bin", "matchrdma-sim"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    // The binary of a package is built with its tests.
    let list = ["test", "--quiet", "--release", "-p", "matchrdma", "--test", LIST, "--no-run", "--target", TARGET];
    let mut list = cargo(list.into_iter().chain(["--message-format", "json-render-diagnostics"]));
    let messages = output(list.env("RUSTFLAGS", "-C target-feature=+crt-static"))?;
    let built = |name: &str| {
        executable(&messages, name).ok_or_else(|| Failure::new("vm-test", format!("cargo built no {name}"), ""))
    };
    Ok(Programs { simulator: target.join("release/matchrdma-sim"), driver: built("matchrdma")?, list: built(LIST)? })
}

/// The executable of a target, as cargo's messages tell it.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let all = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut of_target = all.filter(|message| message["target"]["name"] == name);
    of_target.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// The kernel, and the file system that it begins with.
fn image(files: &Files, programs: &Programs, steps: &[guest::Step]) -> Done<(PathBuf, Vec<u8>)> {
    let content = |path: &Path| {
        let failed = |e: std::io::Error| Failure::new(format!("reading {}", path.display()), e.to_string(), "");
        fs::read(path).map_err(failed)
    };
    let boot = files.kernel.join("boot");
    let kernels = fs::read_dir(&boot).into_iter().flatten().flatten().map(|entry| entry.path());
    let kernel = kernels.filter(|path| path.is_file()).max().ok_or_else(|| {
        Failure::new("the guest's kernel", format!("{} holds none", boot.display()), "cargo xtask vm-test --fresh")
    })?;
    let modules = initramfs::modules(&files.kernel, &files.busybox(), &guest::MODULES)?;
    let mut image = Initramfs::default();
    ["bin", "lib", "dev", "proc", "sys", "tmp", "etc", "var", "var/lib"].iter().for_each(|name| image.folder(name));
    image.program("bin/busybox", &content(&files.busybox())?);
    image.program(guest::DRIVER, &content(&programs.driver)?);
    image.program(guest::LIST, &content(&programs.list)?);
    for module in &modules {
        image.program(&format!("lib/{}.ko", module.name), &module.content);
    }
    for (name, text) in steps::FILES {
        image.program(name, text.as_bytes());
    }
    let names: Vec<String> = modules.into_iter().map(|module| module.name).collect();
    image.program("init", guest::init(&names, steps).as_bytes());
    Ok((kernel, image.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_built_is_found_by_its_name() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"matchrdma","kind":["lib"]},"executable":null}"#,
            "\nnoise\n",
            r#"{"reason":"compiler-artifact","target":{"name":"matchrdma","kind":["bin"]},"executable":"/x/matchrdma"}"#,
        );
        assert_eq!(executable(messages, "matchrdma"), Some("/x/matchrdma".into()));
        assert_eq!(executable(messages, "kernel"), None);
    }
}
