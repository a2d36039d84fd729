//! Completions and the manual page, made from the commands themselves.

use super::Cli;
use crate::error::{file, Result};
use clap::CommandFactory;
use std::io::{stdout, Write};
use std::path::Path;

/// `completions`.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "matchrdma", &mut text);
    said(&text)
}

/// `man`.
pub(super) fn man() -> Result<()> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text).map_err(failed)?;
    said(&text)
}

fn failed(error: std::io::Error) -> crate::error::Error {
    file("writing", Path::new("stdout"), &error)
}

fn said(text: &[u8]) -> Result<()> {
    stdout().write_all(text).map_err(failed)
}
