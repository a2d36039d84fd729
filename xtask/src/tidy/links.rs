//! Relative links in Markdown lead somewhere: the file exists, and so does the heading.

use super::tree::Tree;
use super::Finding;

/// Every relative link in every Markdown file resolves.
pub fn resolve(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.under("", "md") {
        for (n, target) in links(text) {
            if let Some(why) = broken(tree, path, &target) {
                found.push(Finding::new("links", path, n, format!("({target}): {why}")));
            }
        }
    }
    found
}

/// `[text](target)` outside code, with line numbers.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (n, line) in prose(text) {
        let mut rest = line.as_str();
        while let Some(i) = rest.find("](") {
            rest = &rest[i + 2..];
            let end = rest.find(')').unwrap_or(rest.len());
            let target = rest[..end].split_whitespace().next().unwrap_or_default();
            found.push((n, target.to_string()));
        }
    }
    found
}

/// Lines outside fenced blocks, with inline code blanked.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut out = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let pieces: Vec<&str> = line.split('`').collect();
            let kept =
                pieces.iter().enumerate().map(|(i, p)| if i % 2 == 0 || i + 1 == pieces.len() { *p } else { "code" });
            out.push((n + 1, kept.collect()));
        }
    }
    out
}

fn broken(tree: &Tree, from: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { from.to_string() } else { join(from, file)? };
    if !tree.has(&path) && !tree.has_folder(&path) && !path.is_empty() {
        return Some(format!("{path} does not exist"));
    }
    let known = anchor.is_empty() || !path.ends_with(".md") || headings(tree.text(&path)?).any(|h| h == anchor);
    (!known).then(|| format!("{path} has no heading #{anchor}"))
}

/// A path relative to the folder of `from`, without `.` and `..`.
fn join(from: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/').filter(|p| !p.is_empty() && *p != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

/// Heading anchors as a forge makes them.
fn headings(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut fenced = false;
    text.lines().filter_map(move |line| {
        fenced ^= line.trim_start().starts_with("```");
        let title = (!fenced && line.starts_with('#')).then(|| line.trim_start_matches('#').trim())?;
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        Some(kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nothing_is_refused() {
        let tree = Tree::of(&[
            ("docs/a.md", "[b](b.md) [up](../README.md) [dir](../hdl/)\n"),
            ("docs/b.md", ""),
            ("README.md", ""),
            ("hdl/x.rs", ""),
        ]);
        assert_eq!(resolve(&tree), []);
        let found = resolve(&Tree::of(&[("docs/a.md", "text\n[gone](gone.md)\n")]));
        assert_eq!((found.len(), found[0].line), (1, 2));
    }

    #[test]
    fn a_link_to_a_missing_heading_is_refused() {
        let b = "# What the network must give\n";
        assert_eq!(resolve(&Tree::of(&[("a.md", "[b](b.md#what-the-network-must-give)"), ("b.md", b)])), []);
        assert_eq!(resolve(&Tree::of(&[("a.md", "[b](b.md#elsewhere)"), ("b.md", b)])).len(), 1);
    }

    #[test]
    fn code_and_the_web_are_not_looked_at() {
        let text = "`[x](y)` [site](https://example.org/)\n```\n[x](y)\n```\n";
        assert_eq!(resolve(&Tree::of(&[("a.md", text)])), []);
    }
}
