//! The stages of the rails: each says where it stands, and has the same name everywhere.

use super::tree::Tree;
use super::Finding;
use std::collections::BTreeMap;

/// The folders of the rails, with the word their stage files open with.
const RAILS: &[(&str, &str)] = &[("hdl/src/outbound/", "Outbound"), ("hdl/src/inbound/", "Inbound")];

/// The files of a rail: `<noun>.rs` or `<noun>/mod.rs`, not the itinerary.
fn stage_files<'a>(tree: &'a Tree, folder: &str) -> Vec<(&'a str, &'a str)> {
    let noun = |path: &'a str| {
        let rest = path.strip_prefix(folder)?.strip_suffix(".rs")?;
        let noun = rest.strip_suffix("/mod").unwrap_or(rest);
        (noun != "mod" && !noun.contains('/')).then_some((noun, path))
    };
    tree.paths().filter_map(noun).collect()
}

/// Every noun of the rails; a part beside the rail is no stage.
fn all_nouns(tree: &Tree) -> BTreeMap<&str, &str> {
    let stages = RAILS.iter().flat_map(|(folder, _)| stage_files(tree, folder));
    stages.filter(|(noun, path)| !is_part(first_line(tree, path), noun)).collect()
}

fn first_line<'a>(tree: &'a Tree, path: &str) -> &'a str {
    tree.text(path).and_then(|t| t.lines().next()).unwrap_or_default()
}

/// `//! Beside the rail: **flow_state**.` or `//! Both directions, beside the rail: **icrc**.`: a part of several stages.
fn is_part(line: &str, noun: &str) -> bool {
    let place = line.split_once(&format!(": **{noun}**")).map_or("", |(place, _)| place);
    place.starts_with("//! ") && place.to_lowercase().contains("beside the rail")
}

fn model_file(tree: &Tree, noun: &str) -> Option<String> {
    [format!("model/src/{noun}.rs"), format!("model/src/{noun}/mod.rs")].into_iter().find(|p| tree.has(p))
}

/// Each stage file opens with its place: `//! Outbound 4 of 5: **track**.`, or `//! Outbound, beside 5: **pseudo_ack**.`
/// A part that is no stage says so: `//! Beside the rail: **flow_state**.`
pub fn rail(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut lengths: BTreeMap<&str, (String, String)> = BTreeMap::new();
    let any: Vec<&str> = RAILS.iter().map(|(_, word)| *word).collect();
    let mut look = |path: &str, noun: &str, words: &[&str]| {
        let first = first_line(tree, path);
        let Some(place) = words.iter().find_map(|w| place(first, w, noun)) else {
            let place = words.join(" or ");
            let shape = format!("`//! {place} N of M: **{noun}**.`, or `//! {place}, beside N: **{noun}**.`");
            let message = format!("the first line must be {shape}, or `//! Beside the rail: **{noun}**.` for a part");
            found.push(Finding::new("rail", path, 1, message));
            return;
        };
        if let Place { rail, of: Some(of) } = place {
            let word = any.iter().find(|w| **w == rail).copied().unwrap_or_default();
            let (length, other) = lengths.entry(word).or_insert_with(|| (of.clone(), path.to_string()));
            if *length != of {
                found.push(Finding::new(
                    "rail",
                    path,
                    1,
                    format!("says the rail has {of} stages; {other} says {length}"),
                ));
            }
        }
    };
    for (folder, word) in RAILS {
        let is_stage = |(noun, path): &(&str, &str)| !is_part(first_line(tree, path), noun);
        for (noun, path) in stage_files(tree, folder).into_iter().filter(is_stage) {
            look(path, noun, &[word]);
        }
    }
    for noun in all_nouns(tree).keys() {
        if let Some(path) = model_file(tree, noun) {
            look(&path, noun, &any);
        }
    }
    found
}

struct Place {
    rail: String,
    of: Option<String>,
}

/// Reads a first line; none when it is not a stage's.
fn place(line: &str, rail: &str, noun: &str) -> Option<Place> {
    let rest = line.strip_prefix("//! ")?.strip_prefix(rail)?;
    let (position, name) = rest.split_once(": ")?;
    if !name.starts_with(&format!("**{noun}**")) {
        return None;
    }
    let number = |s: &str| s.parse::<u32>().ok();
    if let Some(beside) = position.strip_prefix(", beside ") {
        return number(beside).map(|_| Place { rail: rail.into(), of: None });
    }
    let (n, of) = position.trim().split_once(" of ")?;
    (number(n)? >= 1 && number(n)? <= number(of)?).then(|| Place { rail: rail.into(), of: Some(of.into()) })
}

/// One noun per stage: a stage in `hdl` has its file in `model` and in `tests`.
pub fn nouns(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (noun, path) in all_nouns(tree) {
        if model_file(tree, noun).is_none() {
            found.push(Finding::new("nouns", path, 0, format!("no model/src/{noun}.rs")));
        }
        let tested = tree
            .under("tests/", "rs")
            .any(|(p, _)| p.ends_with(&format!("/{noun}.rs")) || p.ends_with(&format!("/{noun}/mod.rs")));
        if !tested {
            found.push(Finding::new("nouns", path, 0, format!("no tests/**/{noun}.rs")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACK: &str = "//! Outbound 4 of 5: **track**. From [flow], to [pacer].\n";

    #[test]
    fn a_stage_that_does_not_say_its_place_is_refused() {
        let good = [
            ("hdl/src/outbound/track.rs", TRACK),
            ("hdl/src/outbound/mod.rs", ""),
            ("model/src/track.rs", TRACK),
            ("model/src/util.rs", ""),
        ];
        assert_eq!(rail(&Tree::of(&good)), []);
        for bad in [
            "//! The tracker.\n",
            "//! Outbound 6 of 5: **track**.\n",
            "//! Outbound 4 of 5: **flow**.\n",
            "//! Inbound 4 of 5: **track**.\n",
        ] {
            assert_eq!(rail(&Tree::of(&[("hdl/src/outbound/track.rs", bad)])).len(), 1, "{bad}");
        }
        assert_eq!(
            rail(&Tree::of(&[("hdl/src/outbound/track.rs", TRACK), ("model/src/track.rs", "//! Model.\n")])).len(),
            1
        );
    }

    #[test]
    fn a_block_beside_the_rail_says_beside_what() {
        assert_eq!(
            rail(&Tree::of(&[("hdl/src/outbound/pseudo_ack.rs", "//! Outbound, beside 5: **pseudo_ack**.\n")])),
            []
        );
    }

    #[test]
    fn a_part_beside_the_rail_needs_no_model_but_must_name_itself() {
        let path = "hdl/src/outbound/flow_state.rs";
        let good = Tree::of(&[(path, "//! Beside the rail, in both directions: **flow_state**. What it is.\n")]);
        assert_eq!((rail(&good), nouns(&good)), (vec![], vec![]));
        let both = [("hdl/src/outbound/icrc.rs", "//! Both directions, beside the rail: **icrc**.\n")];
        assert_eq!(rail(&Tree::of(&both)), []);
        let bad = Tree::of(&[(path, "//! Beside the rail: **other**.\n")]);
        assert_eq!((rail(&bad).len(), nouns(&bad).len()), (1, 2));
    }

    #[test]
    fn stages_must_agree_on_the_length_of_their_rail() {
        let tree =
            [("hdl/src/outbound/track.rs", TRACK), ("hdl/src/outbound/flow.rs", "//! Outbound 3 of 6: **flow**.\n")];
        assert_eq!(rail(&Tree::of(&tree)).len(), 1);
    }

    #[test]
    fn a_stage_without_its_model_or_its_tests_is_refused() {
        let good = [
            ("hdl/src/outbound/track/mod.rs", TRACK),
            ("hdl/src/outbound/track/window.rs", ""),
            ("model/src/track.rs", ""),
            ("tests/outbound/track.rs", ""),
        ];
        assert_eq!(nouns(&Tree::of(&good)), []);
        assert_eq!(nouns(&Tree::of(&[("hdl/src/inbound/egress.rs", "")])).len(), 2);
    }
}
