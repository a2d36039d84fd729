//! `gen`: the parts of docs/ that are made, between marks, from the crates.

use crate::run::{read, root, write, Done, Failure};

/// Where a generated part starts.
pub const BEGIN: &str = "<!-- generated:begin -->";
/// Where it ends.
pub const END: &str = "<!-- generated:end -->";

/// Files with a generated part, and what makes it.
type Maker = fn() -> Done<String>;
const PARTS: &[(&str, Maker)] = &[("docs/cli.md", crate::help::markdown)];

/// Writes every generated part, or with `check` fails when one is stale.
pub fn generate(check: bool) -> Done {
    let mut stale = Vec::new();
    for (file, make) in PARTS {
        let path = root().join(file);
        let old = read(&path)?;
        let new = replace(&old, &make()?).ok_or_else(|| Failure::new(*file, format!("no {BEGIN} ... {END}"), ""))?;
        if new == old {
            continue;
        }
        stale.push(*file);
        if !check {
            write(&path, &new)?;
            println!("gen: wrote {file}");
        }
    }
    if check && !stale.is_empty() {
        return Err(Failure::new("gen --check", format!("stale: {}", stale.join(", ")), "cargo xtask gen"));
    }
    Ok(())
}

/// Puts `made` between the marks.
fn replace(text: &str, made: &str) -> Option<String> {
    let begin = text.find(BEGIN)? + BEGIN.len();
    let end = begin + text[begin..].find(END)?;
    Some(format!("{}\n\n{}\n\n{}", &text[..begin], made.trim(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_changes() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let once = replace(&text, "new").unwrap();
        assert_eq!(once, format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"));
        assert_eq!(replace(&once, "new").unwrap(), once, "a second run changes nothing");
        assert_eq!(replace("no marks", "new"), None);
    }
}
