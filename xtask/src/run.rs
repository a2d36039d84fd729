//! Running other programs, and failing in one line that says which, why and what to type.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What every chore returns.
pub type Done<T = ()> = Result<T, Failure>;

/// One failure: what was tried, why it failed, and the command that helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What was tried.
    pub what: String,
    /// Why it failed: what was found.
    pub why: String,
    /// What to type next; empty when there is nothing better than reading the output above.
    pub help: String,
}

impl Failure {
    /// A failure with all three parts.
    pub fn new(what: impl Into<String>, why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), why: why.into(), help: help.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)?;
        if !self.help.is_empty() {
            write!(f, "; try: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// The root of the workspace: the folder above `xtask/`.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// `cargo`, the same one that runs this program, started in the workspace root.
pub fn cargo<I, S>(args: I) -> Command
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    // These describe the build of xtask; a child that inherits them may rebuild what it need not.
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&key);
        }
    }
    command
}

/// The command as a user would type it.
pub fn typed(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program).chain(command.get_args()).map(|a| a.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs a command with its output going to the terminal.
pub fn run(command: &mut Command) -> Done {
    let shown = typed(command);
    let status = command.status().map_err(|e| Failure::new(&shown, e.to_string(), ""))?;
    if status.success() {
        return Ok(());
    }
    let why = match status.code() {
        Some(code) => format!("it failed with exit code {code} (its output is above)"),
        None => "it was stopped by a signal".to_string(),
    };
    Err(Failure::new(shown, why, ""))
}

/// Runs a command and returns what it wrote to stdout; its stderr becomes the reason when it fails.
pub fn output(command: &mut Command) -> Done<String> {
    let shown = typed(command);
    let out = command.stdin(Stdio::null()).output().map_err(|e| Failure::new(&shown, e.to_string(), ""))?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&out.stderr);
    let last = stderr.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message").trim().to_string();
    Err(Failure::new(shown, last, ""))
}

/// Reads a file of the tree.
pub fn read(path: &Path) -> Done<String> {
    std::fs::read_to_string(path).map_err(|e| Failure::new(format!("reading {}", path.display()), e.to_string(), ""))
}

/// Writes a file of the tree.
pub fn write(path: &Path, text: &str) -> Done {
    std::fs::write(path, text).map_err(|e| Failure::new(format!("writing {}", path.display()), e.to_string(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_with_which_why_and_what_to_type() {
        let e = Failure::new("g++", "not found on PATH", "apt-get install g++");
        assert_eq!(e.to_string(), "g++: not found on PATH; try: apt-get install g++");
    }

    #[test]
    fn a_missing_program_is_named() {
        let e = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert_eq!(e.what, "no-such-program-here");
    }

    #[test]
    fn an_exit_code_is_reported() {
        let e = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(e.why.contains("exit code 3"), "{e}");
    }

    #[test]
    fn the_last_line_of_stderr_is_the_reason() {
        let e = output(Command::new("sh").args(["-c", "echo first >&2; echo last >&2; exit 1"])).unwrap_err();
        assert_eq!(e.why, "last");
    }
}
