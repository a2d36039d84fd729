//! From a configuration to a gateway that does what it says, all of it or nothing.
//!
//! [`config`] reads it, [`check`](check::check) makes words of it, [`plan`] finds what differs from the gateway, and
//! [`host`] carries that out; [`record`] is what the host knows of a gateway. [`learnt`] is about flows that no configuration
//! names.

pub mod check;
mod check_law;
mod check_paths;
pub mod config;
pub mod describe;
pub mod flows;
pub mod host;
pub mod learnt;
pub mod plan;
pub mod record;
pub mod wanted;

use crate::core::Caps;
use crate::error::{file, Result};
use std::path::Path;

/// What a file wants of a core.
pub fn read(path: &Path, caps: &Caps) -> Result<wanted::Wanted> {
    let text = std::fs::read_to_string(path).map_err(|error| file("reading the configuration", path, &error))?;
    let name = path.display().to_string();
    let source = config::Source::new(&name, &text);
    check::check(&source, &source.parse()?, caps, path.parent().unwrap_or(Path::new(".")))
}
