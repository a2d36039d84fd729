//! Verilog as it is given away: a comment before each module says what it is and of which version. No date, so that the
//! same gates are the same bytes.

use matchrdma_spec::regs::id;
use matchrdma_spec::wire::budget;
use std::collections::BTreeMap;

/// The text of a top with its comments.
pub fn release(top: &str, verilog: &str) -> String {
    let paths = paths(top, verilog);
    let version = format!(
        "MatchRDMA {}, register map {}, budget frames {}; no parameters; do not edit",
        env!("CARGO_PKG_VERSION"),
        id::VERSION_VALUE,
        budget::VERSION_VALUE
    );
    let mut out = format!("// {top}.v: everything below {top}, in Verilog-2005. {version}.\n");
    for line in verilog.lines() {
        if let Some(name) = declared(line) {
            out += &match paths.get(name).map_or("", String::as_str) {
                "" => {
                    format!("// {name}: the top. `clk`; `rst`, synchronous, active high. Contract: docs/blocks.md.\n")
                }
                path => format!("// {name}: {path} of {top}.\n"),
            };
        }
        out += line;
        out += "\n";
    }
    out
}

/// Name of the module that a line begins.
fn declared(line: &str) -> Option<&str> {
    line.strip_prefix("module ")?.split('(').next()
}

/// Where in the top each module stands, instance by instance; each is used once.
fn paths(top: &str, verilog: &str) -> BTreeMap<String, String> {
    let mut children: BTreeMap<&str, Vec<(&str, &str)>> =
        verilog.lines().filter_map(declared).map(|m| (m, vec![])).collect();
    let names: Vec<&str> = children.keys().copied().collect();
    let mut within = "";
    for line in verilog.lines() {
        if let Some(name) = declared(line) {
            within = name;
        } else if let Some((module, instance)) = line.trim().strip_suffix('(').and_then(|l| l.split_once(' ')) {
            if names.binary_search(&module).is_ok() {
                children.get_mut(within).expect("it was declared").push((module, instance));
            }
        }
    }
    let mut paths = BTreeMap::from([(top.to_string(), String::new())]);
    let mut waiting = vec![top];
    while let Some(parent) = waiting.pop() {
        for (module, instance) in children.get(parent).into_iter().flatten() {
            let before = paths[parent].as_str();
            let path = if before.is_empty() { instance.to_string() } else { format!("{before}/{instance}") };
            paths.insert(module.to_string(), path);
            waiting.push(module);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_says_where_it_stands() {
        let verilog = "\n\nmodule a(clk);\n    a_b b(\n    );\nendmodule // a\nmodule a_b(clk);\n    a_b_c_d c_d(\n    );\nendmodule\nmodule a_b_c_d(clk);\nendmodule\n";
        let text = release("a", verilog);
        let said: Vec<&str> = text.lines().filter(|l| l.starts_with("//")).collect();
        assert!(
            said[0].starts_with("// a.v: everything below a, in Verilog-2005. MatchRDMA ")
                && !said[0].contains("module ")
        );
        assert_eq!(
            said[1..],
            [
                "// a: the top. `clk`; `rst`, synchronous, active high. Contract: docs/blocks.md.",
                "// a_b: b of a.",
                "// a_b_c_d: b/c_d of a.",
            ]
        );
        let bare: String = text.lines().filter(|l| !l.starts_with("//")).map(|l| format!("{l}\n")).collect();
        assert_eq!(bare, verilog, "nothing else is changed");
    }
}
