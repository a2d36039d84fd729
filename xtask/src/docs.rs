//! `gen`: the parts of docs/ that are made, between marks, from the crates.

use crate::help;
use crate::run::{read, root, write, Done, Failure};
use matchrdma_spec::docs::{registers_markdown, splice, wire_markdown, BEGIN, END};

/// A document with a generated part.
struct Document {
    path: &'static str,
    make: fn() -> Done<String>,
}

/// Made from `spec`: at once.
const TABLES: &[Document] = &[
    Document { path: "docs/registers.md", make: || Ok(registers_markdown()) },
    Document { path: "docs/wire.md", make: || Ok(wire_markdown()) },
];

/// Made by asking the binaries, which must be built for it.
const HELP: &[Document] = &[Document { path: "docs/cli.md", make: help::markdown }];

/// Writes every generated part, or with `check` fails when one is stale.
pub fn generate(check: bool) -> Done {
    let mut stale = Vec::new();
    for document in TABLES.iter().chain(HELP) {
        let Some(new) = renewed(document)? else { continue };
        stale.push(document.path);
        if !check {
            write(&root().join(document.path), &new)?;
            println!("gen: wrote {}", document.path);
        }
    }
    match (check, stale.is_empty()) {
        (true, false) => Err(Failure::new("gen --check", format!("stale: {}", stale.join(", ")), "cargo xtask gen")),
        (_, true) => {
            eprintln!("gen: {} documents are up to date", TABLES.len() + HELP.len());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The documents made from `spec` that are stale.
pub fn stale_tables() -> Done<Vec<&'static str>> {
    let mut stale = Vec::new();
    for document in TABLES {
        if renewed(document)?.is_some() {
            stale.push(document.path);
        }
    }
    Ok(stale)
}

/// What a document must become, if it is not that already.
fn renewed(document: &Document) -> Done<Option<String>> {
    let old = read(&root().join(document.path))?;
    let new = splice(&old, &(document.make)()?)
        .ok_or_else(|| Failure::new(document.path, format!("no line `{BEGIN}` with `{END}` after it"), ""))?;
    Ok((new != old).then_some(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_marks_is_an_error_and_a_stale_one_is_seen() {
        let unmarked = Document { path: "LICENSE-MIT", make: || Ok(String::new()) };
        assert!(renewed(&unmarked).unwrap_err().why.contains("generated:begin"));
        let stale = Document { path: "docs/wire.md", make: || Ok("other".into()) };
        assert!(renewed(&stale).unwrap().is_some());
    }
}
