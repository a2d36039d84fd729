//! What the rules look at: the files git knows, and the dependency graph of the workspace.

use super::code::Code;
use crate::run::{cargo, output, root, Done, Failure};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The text files of the tree by path, with `/` between folders. Files that are not UTF-8 have empty text.
#[derive(Debug, Default, Clone)]
pub struct Tree {
    files: BTreeMap<String, String>,
    graph: Graph,
}

/// Workspace members and which members each one names, of any kind (normal, build, dev).
pub type Graph = BTreeMap<String, BTreeSet<String>>;

impl Tree {
    /// The working tree: tracked files and new ones that are not ignored.
    pub fn load() -> Done<Self> {
        let root = root();
        let mut git = Command::new("git");
        git.current_dir(&root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut files = BTreeMap::new();
        for name in output(&mut git)?.split('\0').filter(|n| !n.is_empty()) {
            // A file deleted but not yet staged is still listed.
            if let Ok(bytes) = std::fs::read(root.join(name)) {
                files.insert(name.to_string(), String::from_utf8(bytes).unwrap_or_default());
            }
        }
        let metadata = output(&mut cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
        Ok(Self { files, graph: graph(&metadata)? })
    }

    /// A tree made of the given files, for the tests of the rules.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(p, t)| (p.to_string(), t.to_string())).collect();
        Self { files, graph: Graph::new() }
    }

    /// The same tree with a dependency graph.
    pub fn with_graph(mut self, edges: &[(&str, &[&str])]) -> Self {
        self.graph = edges.iter().map(|(k, v)| (k.to_string(), v.iter().map(|s| s.to_string()).collect())).collect();
        self
    }

    /// Every path.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether a file exists.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Whether a folder exists.
    pub fn has_folder(&self, path: &str) -> bool {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        self.files.keys().any(|p| p.starts_with(&prefix))
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Files with an extension, under a folder (`""` is the root).
    pub fn under<'a>(&'a self, folder: &'a str, extension: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .filter(move |(p, _)| p.starts_with(folder) && p.rsplit_once('.').is_some_and(|(_, e)| e == extension))
            .map(|(p, t)| (p.as_str(), t.as_str()))
    }

    /// Rust files under a folder, as code without comments and strings.
    pub fn rust<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, Code)> {
        self.under(folder, "rs").map(|(p, t)| (p, Code::at(p, t)))
    }

    /// Every member that a member reaches.
    pub fn reach(&self, from: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_string()];
        while let Some(name) = open.pop() {
            for next in self.graph.get(&name).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    }

    /// The dependency graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}

/// Reads `cargo metadata --no-deps`.
fn graph(metadata: &str) -> Done<Graph> {
    let bad = |why: &str| Failure::new("cargo metadata", why, "");
    let json: serde_json::Value = serde_json::from_str(metadata).map_err(|e| bad(&e.to_string()))?;
    let packages = json["packages"].as_array().ok_or_else(|| bad("no packages"))?;
    let name = |v: &serde_json::Value| v["name"].as_str().unwrap_or_default().to_string();
    let members: BTreeSet<String> = packages.iter().map(name).collect();
    Ok(packages
        .iter()
        .map(|p| {
            let named = p["dependencies"].as_array().into_iter().flatten().map(name);
            (name(p), named.filter(|n| members.contains(n)).collect())
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reach_follows_every_edge_once() {
        let tree = Tree::default().with_graph(&[("a", &["b"]), ("b", &["c", "a"]), ("c", &[])]);
        assert_eq!(tree.reach("a").into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(tree.reach("c").is_empty());
    }

    #[test]
    fn metadata_keeps_members_only() {
        let json = r#"{"packages":[{"name":"x","dependencies":[{"name":"y"},{"name":"clap"}]},{"name":"y","dependencies":[]}]}"#;
        let g = graph(json).unwrap();
        assert_eq!(g["x"].iter().collect::<Vec<_>>(), ["y"]);
    }
}
