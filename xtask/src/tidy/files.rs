//! Size, presence and leftovers of files.

use super::code::word_at;
use super::tree::Tree;
use super::Finding;

/// The longest Rust file.
pub const MOST_LINES: usize = 400;

/// Files that may be longer, with the reason.
const LONG: &[(&str, &str)] = &[
    ("hdl/src/outbound/pseudo_ack/context.rs", "one read-modify-write, whose rules are read side by side"),
    ("model/src/conversation_tests.rs", "one random conversation with all it may meet"),
    ("tests/gateway/hostile.rs", "one rig, and the many ways to be hostile to it"),
    ("tests/gateway/overlap.rs", "one watch over everything at once"),
    ("hdl/src/gateway.rs", "one join per arrow, and there are many arrows"),
    ("hdl/src/host/reg_file.rs", "the bus to every block of registers, a paragraph each"),
    ("hdl/src/inbound/ack_filter.rs", "one read-modify-write: what is read, what holds, what is written"),
    ("hdl/src/outbound/track.rs", "one read-modify-write: what is read, what holds, what is written"),
    ("model/src/gateway.rs", "every stage joined to every other, and what the host may set"),
    ("model/src/invariants.rs", "one watch over every promise"),
    ("model/src/record.rs", "the records of flows and what they say together"),
    ("model/src/track.rs", "one stage, whose rules are read side by side"),
    ("model/src/track_tests.rs", "a story for each rule of one stage"),
    ("sim/src/model_gateway.rs", "the registers of the map before the model"),
    ("tests/inbound/ack_filter.rs", "one random conversation with all it may meet"),
    ("tests/outbound/track.rs", "one random conversation with all it may meet"),
    ("tests/outbound/track_rules.rs", "a story for each rule of one stage"),
];

/// Rust files are short enough to be read in one sitting.
pub fn length(tree: &Tree) -> Vec<Finding> {
    let long = |p: &str| LONG.iter().any(|(l, _)| *l == p);
    tree.under("", "rs")
        .filter(|(p, t)| t.lines().count() > MOST_LINES && !long(p))
        .map(|(p, t)| {
            let message = format!(
                "{} lines; at most {MOST_LINES}, so split it or name it in LONG with a reason",
                t.lines().count()
            );
            Finding::new("length", p, 0, message)
        })
        .collect()
}

/// A Rust file that no module names is never compiled, and its tests can never fail.
pub fn orphans(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, _) in tree.under("", "rs") {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.trim_end_matches(".rs");
        let is_root = matches!(file, "build.rs" | "lib.rs" | "main.rs")
            || folder.ends_with("src/bin")
            || folder.ends_with("/tests")
            || folder.ends_with("/examples")
            || folder.ends_with("/benches");
        if is_root {
            continue;
        }
        let (inside, name) =
            if stem == "mod" { folder.rsplit_once('/').unwrap_or(("", folder)) } else { (folder, stem) };
        let beside = format!("{inside}.rs");
        let parents = ["mod.rs", "lib.rs", "main.rs"].map(|f| format!("{inside}/{f}")).into_iter().chain([beside]);
        let named = parents.filter_map(|p| tree.text(&p)).any(|t| t.lines().any(|l| declares(l, name)));
        let by_path = format!("#[path = \"{file}\"]");
        let siblings = tree.under(folder, "rs").filter(|(p, _)| p.rsplit_once('/').is_some_and(|(f, _)| f == folder));
        let named = named || siblings.map(|(_, t)| t).any(|t| t.contains(&by_path));
        if !named {
            found.push(Finding::new("orphans", path, 0, format!("no `mod {name};` names it, so it is never compiled")));
        }
    }
    found
}

/// `mod name;`, with whatever visibility.
fn declares(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default().trim_end();
    word_at(code, "mod").is_some() && word_at(code, name).is_some() && code.ends_with(';')
}

/// Verilog by hand: what a shell wants to find by name, and its side on the bench.
const BY_HAND: [&str; 2] = ["constraints/shells/", "sim/rtl/shells/"];

/// Nothing generated is committed.
pub fn generated(tree: &Tree) -> Vec<Finding> {
    let made = ["v", "sv", "vcd", "fst", "o", "a", "so", "pyc"];
    tree.paths()
        .filter(|p| p.rsplit_once('.').is_some_and(|(_, e)| made.contains(&e)) || p.starts_with("target/"))
        .filter(|p| !(p.ends_with(".v") && BY_HAND.iter().any(|folder| p.starts_with(folder))))
        .map(|p| Finding::new("generated", p, 0, "generated files are not committed"))
        .collect()
}

/// Nothing half-done is committed.
pub fn leftovers(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, code) in tree.rust("") {
        for (n, line) in code.lines() {
            for name in ["todo", "unimplemented", "dbg"] {
                if word_at(line, name).is_some_and(|i| line[i + name.len()..].starts_with('!')) {
                    found.push(Finding::new("leftovers", path, n, format!("`{name}!` must not be committed")));
                }
            }
        }
        for (n, raw) in code.raw.iter().enumerate() {
            if raw.starts_with("<<<<<<< ") || raw.starts_with(">>>>>>> ") {
                found.push(Finding::new("leftovers", path, n + 1, "a merge conflict is not resolved"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_over_the_limit_is_refused() {
        let lines = |n| "\n".repeat(n);
        assert_eq!(length(&Tree::of(&[("a.rs", &lines(MOST_LINES))])), []);
        assert_eq!(length(&Tree::of(&[("a.rs", &lines(MOST_LINES + 1))])).len(), 1);
    }

    #[test]
    fn a_test_file_that_no_module_names_is_refused() {
        let good = [
            ("tests/main.rs", "mod outbound;\n"),
            ("tests/outbound/mod.rs", "pub(crate) mod pacer;\n"),
            ("tests/outbound/pacer.rs", ""),
        ];
        assert_eq!(orphans(&Tree::of(&good)), []);
        let beside = [
            ("model/src/lib.rs", "mod a;"),
            ("model/src/a.rs", "#[path = \"a_tests.rs\"]\nmod tests;"),
            ("model/src/a_tests.rs", ""),
        ];
        assert_eq!(orphans(&Tree::of(&beside)), []);
        let bad = [
            ("tests/main.rs", "mod outbound;\n"),
            ("tests/outbound/mod.rs", "// mod pacer\n"),
            ("tests/outbound/pacer.rs", ""),
        ];
        assert_eq!(orphans(&Tree::of(&bad))[0].path, "tests/outbound/pacer.rs");
    }

    #[test]
    fn verilog_is_never_committed() {
        assert_eq!(generated(&Tree::of(&[("hdl/out/gateway.v", ""), ("README.md", "")])).len(), 1);
        let shells = [("constraints/shells/x/y.v", ""), ("constraints/shells/y.so", ""), ("constraints/y.v", "")];
        assert_eq!(generated(&Tree::of(&shells)).len(), 2);
    }

    #[test]
    fn half_done_code_is_refused() {
        assert_eq!(leftovers(&Tree::of(&[("a.rs", "fn f() { todo!() }\n// todo!()\n")])).len(), 1);
        assert_eq!(leftovers(&Tree::of(&[("a.rs", "<<<<<<< ours\n")])).len(), 1);
    }
}
