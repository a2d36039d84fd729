//! pyosys, in a private Python environment.

use crate::run::{root, Done};
use crate::setup::install_wheel;
use std::path::{Path, PathBuf};

/// The version that is installed: figures of another one are not comparable.
pub const PINNED: &str = "0.70";

/// Where the environment is.
fn venv() -> PathBuf {
    root().join("target/tools/pyosys-venv")
}

/// Its Python, if the pinned version is there whole.
fn python_of(venv: &Path) -> Option<PathBuf> {
    let pythons = std::fs::read_dir(venv.join("lib")).ok()?;
    let record = format!("site-packages/pyosys-{PINNED}.dist-info/RECORD");
    pythons.flatten().any(|p| p.path().join(&record).is_file()).then(|| venv.join("bin/python"))
}

/// Whether a synthesis can run without the network.
pub fn is_installed() -> bool {
    python_of(&venv()).is_some()
}

/// A Python that can import pyosys; installed when it is not there.
pub fn python() -> Done<PathBuf> {
    match python_of(&venv()) {
        Some(python) => Ok(python),
        None => install_wheel("pyosys", "pyosys", PINNED, &venv(), python_of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_or_half_an_installation_is_not_taken() {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("lib/python3.11/site-packages");
        for info in ["pyosys", "pyosys-0.69.dist-info", &format!("pyosys-{PINNED}.dist-info")] {
            assert_eq!(python_of(dir.path()), None, "{info}");
            std::fs::create_dir_all(site.join(info)).unwrap();
        }
        assert_eq!(python_of(dir.path()), None, "no record of a finished install");
        std::fs::write(site.join(format!("pyosys-{PINNED}.dist-info/RECORD")), "").unwrap();
        assert_eq!(python_of(dir.path()), Some(dir.path().join("bin/python")));
    }
}
