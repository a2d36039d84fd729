//! What a kernel can name: the atoms of its module, their widths, and the ports of its children.

use rust_hdl::core::ast::{Verilog, VerilogLiteral, VerilogStatement};
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Words that rust-hdl lets through as field names and SystemVerilog, which is how tools read Verilog, keeps for itself:
/// the whole of IEEE 1800-2017 Table B.1.
const KEYWORDS: &str = include_str!("keywords.txt");

/// One module: its kernel and the names the kernel may use.
#[derive(Default)]
pub struct Scope {
    /// Instance path from the top.
    pub path: String,
    /// The kernel, empty for a Custom leaf.
    pub kernel: Vec<VerilogStatement>,
    widths: BTreeMap<String, usize>,
    labels: BTreeSet<String>,
    driven_here: BTreeSet<String>,
    signed: BTreeSet<String>,
}

impl Scope {
    /// Width of the atom `key`, or of an enum label.
    pub fn width(&self, key: &str) -> Option<usize> {
        self.widths.get(key).copied()
    }
    /// True for a local or an output of this module and an input of its children: only its kernel drives them.
    pub fn is_driven_here(&self, key: &str) -> bool {
        self.driven_here.contains(key)
    }
    /// True for what may stand as a match arm: an enum label, `_`, a decimal number.
    pub fn is_label(&self, condition: &str) -> bool {
        condition == "default" || condition.bytes().all(|b| b.is_ascii_digit()) || self.labels.contains(&key(condition))
    }
    /// Fields that are words of Verilog, or the name of a class that every SystemVerilog scope has.
    pub fn keywords(&self) -> Vec<String> {
        let keywords: BTreeSet<&str> = KEYWORDS.split_whitespace().chain(["process", "mailbox", "semaphore"]).collect();
        // the module's own name is that of a field of its parent
        let own = self.path.rsplit('.').next().into_iter();
        let names = self.widths.keys().map(String::as_str).chain(own.filter(|_| self.path.contains('.')));
        names.filter(|k| keywords.contains(k)).map(String::from).collect()
    }
    /// Fields of a Signed type.
    pub fn signed(&self) -> Vec<String> {
        self.signed.iter().cloned().collect()
    }
}

/// The name of a signal as declared: any index becomes the first, since the items of an array are alike.
pub fn key(name: &str) -> String {
    let name = name.replace("::", "$").replace('.', "$");
    let name = name.trim_start_matches('$').trim_end_matches("$next");
    match (name.find('['), name.find(']')) {
        (Some(open), Some(close)) => format!("{}$0{}", &name[..open], &name[close + 1..]),
        _ => name.to_string(),
    }
}

/// Names inside the brackets of an index.
pub fn index_names(name: &str) -> Vec<String> {
    let Some((_, index)) = name.split_once('[') else { return vec![] };
    let index = index.split_once(']').map_or(index, |i| i.0);
    let words = index.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).map(String::from).collect()
}

/// Bits a literal needs, from its print: `32'h1ff`.
pub fn bits_of(literal: &VerilogLiteral) -> usize {
    let text = format!("{literal:x}");
    let digits = text.split_once("'h").map_or("", |t| t.1).trim_start_matches('0');
    let first = digits.chars().next().and_then(|c| c.to_digit(16)).unwrap_or(0);
    4 * digits.len() - if digits.is_empty() { 0 } else { first.leading_zeros() as usize - 28 }
}

/// Every module below `uut`, children before parents.
pub fn scopes<B: Block>(uut: &B, top: &str) -> Vec<Scope> {
    let mut walk = Walk::default();
    uut.accept(top, &mut walk);
    walk.done
}

#[derive(Default)]
struct Walk {
    open: Vec<(String, Scope)>,
    namespace: Vec<String>,
    done: Vec<Scope>,
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let path = self.open.iter().map(|s| s.0.as_str()).chain([name]).collect::<Vec<_>>().join(".");
        let kernel = match node.hdl() {
            Verilog::Combinatorial(kernel) => kernel,
            _ => vec![],
        };
        self.open.push((name.into(), Scope { path, kernel, ..Scope::default() }));
        self.namespace.clear();
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.done.extend(self.open.pop().map(|s| s.1));
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let name = self.namespace.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("$");
        let Some((child, scope)) = self.open.last_mut() else { return };
        let seen_by_parent = format!("{child}${name}");
        scope.widths.insert(name.clone(), atom.bits());
        if matches!(atom.kind(), AtomKind::LocalSignal | AtomKind::OutputParameter) {
            scope.driven_here.insert(name.clone());
        }
        let kind = atom.descriptor().kind;
        if matches!(kind, TypeKind::Signed(_)) {
            scope.signed.insert(name);
        }
        let depth = self.open.len();
        if depth > 1 {
            let parent = &mut self.open[depth - 2].1;
            if atom.kind() == AtomKind::InputParameter {
                parent.driven_here.insert(seen_by_parent.clone());
            }
            parent.widths.insert(seen_by_parent, atom.bits());
        }
        // rust-hdl declares an enum's labels in the module that uses it and in that module's parent
        for label in labels(&kind) {
            for up in 1..=depth.min(2) {
                let scope = &mut self.open[depth - up].1;
                scope.widths.insert(label.clone(), atom.bits());
                scope.labels.insert(label.clone());
            }
        }
    }
}

fn labels(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Enum(labels) => labels.iter().map(|l| key(l)).collect(),
        TypeKind::Composite(fields) => fields.iter().flat_map(|f| labels(&f.kind.kind)).collect(),
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_of_words_is_whole() {
        let words: Vec<&str> = super::KEYWORDS.split_whitespace().collect();
        assert!(words.is_sorted() && words.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(words.len(), 248, "IEEE 1800-2017 Table B.1");
    }
}
