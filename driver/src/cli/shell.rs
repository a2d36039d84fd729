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

/// `man`: the page of the program, or all pages into a folder.
pub(super) fn man(folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else {
        let mut text = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut text).map_err(failed)?;
        return said(&text);
    };
    let what = "writing manual pages";
    std::fs::create_dir_all(folder).map_err(|error| file(what, folder, &error))?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(|error| file(what, folder, &error))
}

fn failed(error: std::io::Error) -> crate::error::Error {
    file("writing", Path::new("stdout"), &error)
}

fn said(text: &[u8]) -> Result<()> {
    stdout().write_all(text).map_err(failed)
}
