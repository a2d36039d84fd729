//! Which crate may see which, and where dependencies come from.

use super::tree::Tree;
use super::Finding;

/// `hdl` and `model` never see each other, by no path and by no file; `spec` sees nobody.
pub fn apart(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (from, to, folder) in
        [("matchrdma-hdl", "matchrdma-model", "hdl"), ("matchrdma-model", "matchrdma-hdl", "model")]
    {
        let other = to.trim_start_matches("matchrdma-");
        if tree.reach(from).contains(to) {
            let message =
                format!("{from} reaches {to}; their agreement is evidence only while they share nothing but spec");
            found.push(Finding::new("apart", format!("{folder}/Cargo.toml"), 0, message));
        }
        for (path, text) in tree.under(&format!("{folder}/"), "rs") {
            for (n, line) in text.lines().enumerate() {
                let included = line.contains("include!") || line.contains("#[path");
                if line.contains(&to.replace('-', "_")) || included && line.contains(&format!("{other}/")) {
                    found.push(Finding::new("apart", path, n + 1, format!("{folder} names {other}")));
                }
            }
        }
    }
    let facts = tree.graph().get("matchrdma-spec").into_iter().flatten();
    found.extend(
        facts.map(|d| Finding::new("apart", "spec/Cargo.toml", 0, format!("spec depends on {d}; it holds facts only"))),
    );
    found
}

/// Every dependency comes from the workspace table, where it has its reason.
pub fn dependencies(tree: &Tree) -> Vec<Finding> {
    let rule = "dependencies";
    let mut found = Vec::new();
    for (path, text) in tree.under("", "toml").filter(|(p, _)| p.rsplit('/').next() == Some("Cargo.toml")) {
        let manifest: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(e) => {
                found.push(Finding::new(rule, path, 0, format!("not TOML: {e}")));
                continue;
            }
        };
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, value) in manifest.get(kind).and_then(|v| v.as_table()).into_iter().flatten() {
                if value.get("workspace").and_then(|w| w.as_bool()) != Some(true) {
                    let message =
                        format!("{name} must be `{name}.workspace = true`, with its reason in the root Cargo.toml");
                    found.push(Finding::new(rule, path, 0, message));
                }
            }
        }
        if manifest.contains_key("workspace") {
            found.extend(reasons(path, text));
        }
    }
    found
}

/// In the workspace table, a comment stands above each entry or above the run of entries it belongs to.
fn reasons(path: &str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let (mut inside, mut explained) = (false, false);
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
            explained = false;
        } else if line.starts_with('#') {
            explained = true;
        } else if line.is_empty() {
            explained = false;
        } else if inside && !explained {
            let name = line.split(['=', ' ', '.']).next().unwrap_or(line);
            found.push(Finding::new(
                "dependencies",
                path,
                n + 1,
                format!("{name} has no reason in a comment above it"),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hdl_must_not_reach_model_even_through_another_crate() {
        let good = Tree::default()
            .with_graph(&[("matchrdma-hdl", &["matchrdma-spec"]), ("matchrdma-model", &["matchrdma-spec"])]);
        assert_eq!(apart(&good), []);
        let bad = Tree::default().with_graph(&[("matchrdma-hdl", &["helper"]), ("helper", &["matchrdma-model"])]);
        assert_eq!(apart(&bad)[0].path, "hdl/Cargo.toml");
    }

    #[test]
    fn model_must_not_take_a_file_of_hdl() {
        let bad = Tree::of(&[
            ("model/src/a.rs", "#[path = \"../../hdl/src/x.rs\"]\nmod x;\n"),
            ("hdl/src/b.rs", "use matchrdma_model::A;\n"),
        ]);
        assert_eq!(apart(&bad).len(), 2);
    }

    #[test]
    fn spec_depends_on_nobody() {
        let bad = Tree::default().with_graph(&[("matchrdma-spec", &["matchrdma-model"])]);
        assert_eq!(apart(&bad)[0].path, "spec/Cargo.toml");
    }

    #[test]
    fn a_dependency_with_its_own_version_is_refused() {
        let good =
            Tree::of(&[("sim/Cargo.toml", "[dependencies]\nserde.workspace = true\ntoml = { workspace = true }\n")]);
        assert_eq!(dependencies(&good), []);
        let bad = Tree::of(&[("sim/Cargo.toml", "[dev-dependencies]\nserde = \"1\"\n")]);
        assert!(dependencies(&bad)[0].message.contains("serde"));
    }

    #[test]
    fn a_dependency_without_a_reason_is_refused() {
        let text = "[workspace.dependencies]\n# Errors.\nthiserror = \"2\"\n\nclap = \"4\"\n";
        let found = dependencies(&Tree::of(&[("Cargo.toml", text)]));
        assert_eq!((found.len(), found[0].line), (1, 5));
    }
}
