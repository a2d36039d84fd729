//! `unsafe` only where the machine's memory is touched, each use with its argument.

use super::code::{word_at, Code};
use super::tree::Tree;
use super::Finding;

/// The files that may use `unsafe`, with the reason.
pub const ALLOWED: &[(&str, &str)] = &[
    ("driver/src/vfio.rs", "ioctls and DMA mappings"),
    ("driver/src/bar.rs", "volatile access to a mapped BAR"),
    ("sim/rtl/src/ffi.rs", "calls into the verilated C++"),
];

/// `unsafe` stands only in the allowed files, and a SAFETY comment stands above each use.
pub fn only_where_allowed(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, code) in tree.rust("") {
        let allowed = ALLOWED.iter().any(|(p, _)| *p == path);
        for (n, line) in code.lines() {
            if word_at(line, "unsafe").is_none() {
                continue;
            }
            if !allowed {
                found.push(Finding::new("unsafe", path, n, "unsafe is allowed only in the VFIO, BAR and FFI files"));
            } else if !argued(&code, n) {
                found.push(Finding::new("unsafe", path, n, "no `// SAFETY:` comment directly above"));
            }
        }
    }
    found
}

/// Whether the comment block directly above a line (attributes may stand between) says SAFETY.
fn argued(code: &Code, line: usize) -> bool {
    code.raw[..line - 1]
        .iter()
        .rev()
        .map(|l| l.trim())
        .take_while(|l| l.starts_with("//") || l.starts_with("#["))
        .any(|l| l.starts_with("// SAFETY:") || l.starts_with("/// # Safety"))
}

/// Every crate root forbids `unsafe`; in a crate with an allowed file the root denies it, so that only that file can ask.
pub fn forbidden_elsewhere(tree: &Tree) -> Vec<Finding> {
    let roots = tree.paths().filter(|p| is_root(tree, p));
    let mut found = Vec::new();
    for path in roots {
        let krate = path.rsplit_once("/src/").map_or("tests", |(k, _)| k);
        let excepted = ALLOWED.iter().any(|(p, _)| p.starts_with(&format!("{krate}/src/")));
        let text = tree.text(path).unwrap_or_default();
        let forbids = text.contains("#![forbid(unsafe_code)]");
        if excepted && !(forbids || text.contains("#![deny(unsafe_code)]")) {
            found.push(Finding::new("forbid-unsafe", path, 0, "this crate root must say #![deny(unsafe_code)]"));
        } else if !excepted && !forbids {
            found.push(Finding::new("forbid-unsafe", path, 0, "this crate root must say #![forbid(unsafe_code)]"));
        }
    }
    found
}

fn is_root(tree: &Tree, path: &str) -> bool {
    let Some((krate, file)) = path.rsplit_once("/src/") else {
        return matches!(path, "tests/lib.rs" | "tests/main.rs");
    };
    tree.has(&format!("{krate}/Cargo.toml"))
        && (matches!(file, "lib.rs" | "main.rs")
            || file.starts_with("bin/") && file.ends_with(".rs") && file.matches('/').count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_outside_the_allowed_files_is_refused() {
        let bad = Tree::of(&[("model/src/track.rs", "fn f() { unsafe { g() } }\n")]);
        assert_eq!(only_where_allowed(&bad).len(), 1);
        let good = Tree::of(&[("model/src/track.rs", "// nothing unsafe here\n#![forbid(unsafe_code)]\n")]);
        assert_eq!(only_where_allowed(&good), []);
    }

    #[test]
    fn unsafe_without_an_argument_is_refused() {
        let good = "fn f() {\n    // SAFETY: the pointer came from `new`\n    // and is freed once.\n    #[allow(x)]\n    unsafe { g() }\n}\n";
        assert_eq!(only_where_allowed(&Tree::of(&[("sim/rtl/src/ffi.rs", good)])), []);
        let bad = "// SAFETY: elsewhere\nfn f() {\n    unsafe { g() }\n}\n";
        assert_eq!(only_where_allowed(&Tree::of(&[("sim/rtl/src/ffi.rs", bad)]))[0].line, 3);
    }

    #[test]
    fn every_crate_root_forbids_it() {
        let forbid = "#![forbid(unsafe_code)]\n";
        let good =
            [("hdl/Cargo.toml", ""), ("hdl/src/lib.rs", forbid), ("hdl/src/main.rs", forbid), ("hdl/src/other.rs", "")];
        assert_eq!(forbidden_elsewhere(&Tree::of(&good)), []);
        let bad = [("hdl/Cargo.toml", ""), ("hdl/src/lib.rs", ""), ("tests/main.rs", "")];
        assert_eq!(forbidden_elsewhere(&Tree::of(&bad)).len(), 2);
        let deny = [("sim/rtl/Cargo.toml", ""), ("sim/rtl/src/lib.rs", "#![deny(unsafe_code)]")];
        assert_eq!(forbidden_elsewhere(&Tree::of(&deny)), []);
        let lax = [("sim/rtl/Cargo.toml", ""), ("sim/rtl/src/lib.rs", ""), ("sim/rtl/src/ffi.rs", "")];
        assert_eq!(forbidden_elsewhere(&Tree::of(&lax)).len(), 1);
    }
}
