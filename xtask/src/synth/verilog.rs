//! The Verilog of a top, made ready for synthesis: equal modules once, no loops that only say "memory starts at zero".

use std::collections::{BTreeMap, BTreeSet};

/// Instances whose children are blocks of their own: the itineraries and what they share.
const CONTAINERS: &[&str] = &["outbound", "inbound", "front", "host"];
/// A child with less Verilog than this is counted with its parent.
const BLOCK_BYTES: usize = 4000;

/// A top, ready.
pub struct Prepared {
    /// The text for the synthesiser.
    pub verilog: String,
    /// Instance path of each block, the top's name not in it.
    pub blocks: Vec<String>,
    /// Modules that are synthesised by themselves: those of the blocks and of the containers.
    pub kept: BTreeSet<String>,
}

/// Finds blocks, merges equal modules, and drops what says nothing in hardware.
pub fn prepare(verilog: &str, top: &str) -> Result<Prepared, String> {
    let modules = merge(&modules(verilog));
    let mut prepared = Prepared {
        verilog: modules.values().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n"),
        blocks: vec![],
        kept: BTreeSet::new(),
    };
    let top = modules.get(top).ok_or_else(|| format!("no module `{top}` in its own Verilog"))?;
    prepared.descend(&modules, "", top);
    Ok(prepared)
}

impl Prepared {
    fn descend(&mut self, modules: &BTreeMap<String, Module>, path: &str, module: &Module) {
        for (child, instance) in &module.instances {
            if size(modules, child) < BLOCK_BYTES {
                continue;
            }
            let path = format!("{path}{instance}");
            self.kept.insert(child.clone());
            if CONTAINERS.contains(&instance.as_str()) {
                self.descend(modules, &format!("{path}."), &modules[child]);
            }
            self.blocks.push(path);
        }
    }
}

/// A design for Tcl: `ports`, a dict of the top's ports and their direction, `cells`, the paths of all instances and
/// registers (`NAME_reg`), and `modules`, their names.
pub fn hierarchy(verilog: &str, top: &str) -> Result<String, String> {
    let modules = modules(verilog);
    let module = modules.get(top).ok_or_else(|| format!("no module `{top}` in it"))?;
    let port = |line: &str| {
        let (way, rest) = line.trim().strip_suffix(';')?.split_once(' ')?;
        let name = rest.split_whitespace().last()?;
        let way = [("input", "IN"), ("output", "OUT")].into_iter().find(|(word, _)| *word == way)?.1;
        Some(format!("{name} {way}"))
    };
    let ports: Vec<String> = module.text.lines().filter_map(port).collect();
    let (mut cells, mut waiting) = (vec![], vec![(String::new(), module)]);
    while let Some((path, module)) = waiting.pop() {
        cells.extend(module.registers().map(|name| format!("{path}{name}_reg")));
        for (child, instance) in &module.instances {
            cells.push(format!("{path}{instance}"));
            waiting.push((format!("{path}{instance}/"), &modules[child]));
        }
    }
    let names: Vec<&str> = modules.keys().map(String::as_str).collect();
    let words = [("ports", ports.join(" ")), ("cells", cells.join(" ")), ("modules", names.join(" "))];
    Ok(words.into_iter().map(|(name, all)| format!("set {name} {{{all}}}\n")).collect())
}

#[derive(Debug, Clone)]
struct Module {
    text: String,
    /// Module and name of each instance.
    instances: Vec<(String, String)>,
}

impl Module {
    /// What is declared with `reg` and assigned with `<=`.
    fn registers(&self) -> impl Iterator<Item = &str> + '_ {
        let declared = self.text.lines().filter_map(|line| {
            let rest = line.split_once("reg ")?.1.split(['=', ';']).next()?;
            rest.split('[').next().filter(|name| !name.trim().is_empty()).or_else(|| rest.split([']', '[']).nth(2))
        });
        declared.map(str::trim).filter(|name| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            self.text.match_indices(name).any(|(at, _)| {
                let rest = self.text[at + name.len()..].trim_start();
                let rest =
                    if rest.starts_with('[') { rest.split_once(']').map_or("", |r| r.1).trim_start() } else { rest };
                rest.starts_with("<=") && !self.text[..at].ends_with(word)
            })
        })
    }
}

fn size(modules: &BTreeMap<String, Module>, name: &str) -> usize {
    let module = &modules[name];
    module.text.len() + module.instances.iter().map(|(child, _)| size(modules, child)).sum::<usize>()
}

/// Every module by its name. The emitter begins a module at the start of a line, and an instance as `module name(`.
fn modules(verilog: &str) -> BTreeMap<String, Module> {
    let mut texts = BTreeMap::new();
    for text in verilog.split("\nendmodule").map(str::trim_start) {
        let Some(at) = text.find("module ") else { continue };
        // behind `endmodule` stands a comment with the name
        let text =
            format!("{}\nendmodule\n", text[at..].lines().filter(|l| !is_zeroing(l)).collect::<Vec<_>>().join("\n"));
        let name: String = text[7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        texts.insert(name, text);
    }
    let names: BTreeSet<String> = texts.keys().cloned().collect();
    let instances = |text: &str| {
        let lines = text.lines().filter_map(|l| l.trim_start().strip_suffix('(')?.split_once(' '));
        lines.filter(|(m, _)| names.contains(*m)).map(|(m, i)| (m.to_string(), i.to_string())).collect()
    };
    texts.into_iter().map(|(name, text)| (name, Module { instances: instances(&text), text })).collect()
}

/// `for (...) mem[i] = 0;`: RAMs start at zero anyway, and the loop is unrolled word by word.
fn is_zeroing(line: &str) -> bool {
    let line = line.trim();
    let value = line.strip_prefix("for (i = 0;").and_then(|rest| rest.split_once(") mem[i] = ")).map(|parts| parts.1);
    value.is_some_and(|v| v == "0;" || v.ends_with("'h0;"))
}

/// Children before parents, each text once: the first of its kind stands for all.
fn merge(modules: &BTreeMap<String, Module>) -> BTreeMap<String, Module> {
    let mut merge = Merge { modules, stands_for: BTreeMap::new(), by_text: BTreeMap::new(), kept: BTreeMap::new() };
    modules.keys().for_each(|name| merge.visit(name));
    merge.kept
}

struct Merge<'a> {
    modules: &'a BTreeMap<String, Module>,
    stands_for: BTreeMap<String, String>,
    by_text: BTreeMap<String, String>,
    kept: BTreeMap<String, Module>,
}

impl Merge<'_> {
    fn visit(&mut self, name: &str) {
        if self.stands_for.contains_key(name) {
            return;
        }
        let mut module = self.modules[name].clone();
        for (child, instance) in &mut module.instances {
            self.visit(child);
            let stands = self.stands_for[child].clone();
            if stands != *child {
                module.text = module.text.replace(&format!("{child} {instance}("), &format!("{stands} {instance}("));
                *child = stands;
            }
        }
        let nameless = module.text.replacen(&format!("module {name}("), "module (", 1);
        let stands = self.by_text.entry(nameless).or_insert_with(|| name.to_string()).clone();
        if stands == name {
            self.kept.insert(name.to_string(), module);
        }
        self.stands_for.insert(name.to_string(), stands);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(name: &str, body: &str) -> String {
        format!("\n\nmodule {name}(a,b);\n  input a;\n  {body}\nendmodule // {name}\n")
    }

    #[test]
    fn equal_modules_become_one_and_blocks_are_found() {
        let long = format!("// {}", "x".repeat(BLOCK_BYTES));
        let text = [
            "module t(a);\n    t_outbound outbound(\n.a(a));\n    t_small small(\n.a(a));\nendmodule // t\n".to_string(),
            "module t_outbound(a);\n    t_outbound_x x(\n.a(a));\n    t_outbound_y y(\n.a(a));\nendmodule // t_outbound".into(),
            leaf("t_outbound_x", &long),
            leaf("t_outbound_y", &long),
            leaf("t_small", "assign b = a;"),
        ]
        .concat();
        let prepared = prepare(&text, "t").unwrap();
        assert_eq!(prepared.blocks, ["outbound.x", "outbound.y", "outbound"]);
        assert_eq!(prepared.kept.iter().collect::<Vec<_>>(), ["t_outbound", "t_outbound_x"]);
        assert!(prepared.verilog.contains("t_outbound_x y(") && !prepared.verilog.contains("t_outbound_y"));
        assert_eq!(prepared.verilog.matches("endmodule").count(), 4);
        assert!(prepare(&text, "other").is_err());
    }

    #[test]
    fn a_register_is_what_a_clock_assigns() {
        let body = "output reg [2:0] q;\n  output reg x;\n  reg [7:0] mem [0:3];\n  (* A = \"B\" *) reg [1:0] first;\n  \
                    always @(posedge clk) q <= d;\n  always @(posedge clk) if (we) mem[waddr] <= d;\n  always @(*) x = q;\n  \
                    always @(posedge clk) first <= q;";
        let text = format!("module t(a);\n    leaf of_it(\n.a(a));\nendmodule // t\n{}", leaf("leaf", body));
        let design = hierarchy(&text, "t").unwrap();
        assert!(design.contains("set cells {of_it of_it/q_reg of_it/mem_reg of_it/first_reg}"), "{design}");
    }

    #[test]
    fn only_zeros_are_dropped() {
        assert!(is_zeroing("      for (i = 0; i <= 4095; i = i + 1) mem[i] = 0;"));
        assert!(is_zeroing("for (i = 0; i <= 255; i = i + 1) mem[i] = 72'h0;"));
        assert!(!is_zeroing("for (i = 0; i <= 255; i = i + 1) mem[i] = 72'h1;"));
        assert!(!is_zeroing("mem[waddr] <= wdata;"));
    }
}
