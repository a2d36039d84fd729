//! `tidy`: the rules that keep the tree in its layout. Each rule is a function from the tree to its findings,
//! and each has a test that shows it failing on a planted violation.

pub mod code;
pub mod crates;
pub mod files;
pub mod links;
pub mod literals;
pub mod stages;
pub mod tree;
pub mod unsafe_code;

use crate::run::Done;
use std::fmt;
use tree::Tree;

/// One violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// The file.
    pub path: String,
    /// The line from 1, or 0 for the whole file.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl Finding {
    /// A finding at a line (0: the whole file).
    pub fn new(rule: &'static str, path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { rule, path: path.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, path, line, message } = self;
        match line {
            0 => write!(f, "{path}: [{rule}] {message}"),
            n => write!(f, "{path}:{n}: [{rule}] {message}"),
        }
    }
}

/// A rule.
pub type Rule = fn(&Tree) -> Vec<Finding>;

/// Every rule, by name.
pub const RULES: &[(&str, Rule)] = &[
    ("apart", crates::apart),
    ("dependencies", crates::dependencies),
    ("unsafe", unsafe_code::only_where_allowed),
    ("forbid-unsafe", unsafe_code::forbidden_elsewhere),
    ("driver-literals", literals::driver),
    ("hdl-literals", literals::hdl),
    ("rail", stages::rail),
    ("nouns", stages::nouns),
    ("length", files::length),
    ("orphans", files::orphans),
    ("generated", files::generated),
    ("leftovers", files::leftovers),
    ("links", links::resolve),
];

/// Every finding in a tree.
pub fn check(tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|(_, rule)| rule(tree)).collect()
}

/// Every finding in the working tree.
pub fn check_workspace() -> Done<Vec<Finding>> {
    Ok(check(&Tree::load()?))
}
