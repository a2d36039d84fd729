//! What went wrong: what was tried, where, what was expected and found, and what to do about it.

use serde::Serialize;

/// What kind of failure it is: for programs, which do not read sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The machine does not let us at the device.
    Device,
    /// The device does not answer any more.
    Gone,
    /// A register access was answered with an error.
    Access,
    /// There is no core behind the device.
    NoCore,
    /// The core has another register map.
    Map,
    /// A wait ended at its deadline.
    Deadline,
    /// The gateway refused a commit.
    Refused,
    /// The configuration is wrong.
    Config,
    /// The configuration is right, and cannot be reached from what runs.
    Unreachable,
    /// The host's record of the device cannot be used.
    Record,
    /// A file cannot be read or written.
    File,
}

/// What there is to say of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{what}: at {place}: expected {expected}, found {found}; {remedy}")]
pub struct Report {
    /// What kind.
    pub kind: Kind,
    /// What was tried.
    pub what: String,
    /// Where: a device, a register, a line and column of a file.
    pub place: String,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// What to do.
    pub remedy: String,
}

/// A failure, told in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(transparent)]
#[error(transparent)]
pub struct Error(Box<Report>);

/// What may fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure to do `what`.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        let none = String::new;
        let what = what.into();
        Error(Box::new(Report { kind, what, place: none(), expected: none(), found: none(), remedy: none() }))
    }

    /// Where.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.0.place = place.into();
        self
    }

    /// What was expected, and what was found.
    pub fn but(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        (self.0.expected, self.0.found) = (expected.into(), found.into());
        self
    }

    /// What to do.
    pub fn so(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy = remedy.into();
        self
    }
}

impl std::ops::Deref for Error {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.to_string()
    }
}

/// A file that cannot be read or written.
pub fn file(what: &str, path: &std::path::Path, error: &std::io::Error) -> Error {
    let place = path.display().to_string();
    let remedy = match error.kind() {
        std::io::ErrorKind::NotFound => "check the name",
        std::io::ErrorKind::PermissionDenied => "check who may read and write it, or run as root",
        _ => "check the disk",
    };
    Error::new(Kind::File, what).at(place).but("a file", error.to_string()).so(remedy)
}
