//! The only door to Verilog: gate, connect, check, print, rename.
//!
//! The text is the same at every run: modules in path order, no time, no address.
//! rust-hdl joins hierarchy with `$`; here `$` becomes `_`, so that an interface field `s_axis` gives port
//! `s_axis_tdata`. Two names that would become one are an error.

use rust_hdl::core::check_error::{CheckError, PathedName};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Elaboration keeps wide registers on the stack; the gateway needs far more than a thread's usual share.
const STACK_BYTES: usize = 1 << 30;

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in Verilog.
    pub name: String,
    /// Width.
    pub bits: usize,
    /// Direction: true into the module.
    pub input: bool,
}

/// One block as Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Name of the top module.
    pub name: String,
    /// The whole text: the top module and every module below it.
    pub verilog: String,
    /// Ports of the top module, in order of declaration.
    pub ports: Vec<Port>,
}

/// Builds a block and emits it under the name `top`, or says why not.
pub fn emit<B: Block>(top: &str, build: impl FnOnce() -> B + Send) -> Result<Emitted, String> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name(top.into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || emit_here(top, build()))
            .map_err(|e| format!("{top}: no thread to elaborate in: {e}"))?
            .join()
            .unwrap_or_else(|_| Err(format!("{top}: elaboration panicked; the message is above")))
    })
}

fn emit_here<B: Block>(top: &str, mut uut: B) -> Result<Emitted, String> {
    let complaints = crate::lint::lint(&uut, top);
    if !complaints.is_empty() {
        return Err(complaints.join("\n"));
    }
    uut.connect_all();
    check_all(&uut).map_err(|e| format!("{top}: {}", explain(&e)))?;
    let mut modules = ModuleDefines::default();
    uut.accept(top, &mut modules);
    let mut ports = Ports::default();
    uut.accept(top, &mut ports);
    let verilog = rename(&modules.defines()).map_err(|e| format!("{top}: {e}"))?;
    Ok(Emitted { name: top.into(), verilog, ports: ports.ports })
}

fn explain(error: &CheckError) -> String {
    let list = |names: &[PathedName]| {
        let mut names: Vec<_> = names.iter().map(|n| format!("{}.{}", n.path, n.name)).collect();
        names.sort();
        names.join(", ")
    };
    match error {
        CheckError::OpenSignal(open) => format!("not driven: {}", list(&open.values().cloned().collect::<Vec<_>>())),
        CheckError::LogicLoops(names) => format!("read before written, or a loop: {}", list(names)),
        CheckError::WritesToInputs(names) => format!("inputs written from inside: {}", list(names)),
    }
}

/// Collects the ports of the outermost module.
#[derive(Default)]
struct Ports {
    depth: usize,
    namespace: Vec<String>,
    ports: Vec<Port>,
}

impl Probe for Ports {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let input = match atom.kind() {
            AtomKind::InputParameter => true,
            AtomKind::OutputParameter => false,
            _ => return,
        };
        if self.depth == 1 {
            let name = self.namespace.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("_");
            // an item of an array is `name$index`; the text says `name_index` too
            let name = name.replace('$', "_");
            self.ports.push(Port { name, bits: atom.bits(), input });
        }
    }
}

/// Turns `$` to `_` in every identifier.
pub fn rename(verilog: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut out = String::with_capacity(verilog.len());
    for line in verilog.lines() {
        let mut rest = line.trim_end();
        let heads_module = rest.starts_with("module ");
        if heads_module {
            names.clear(); // a module is a scope of its own
        }
        let mut words = 0;
        while let Some(start) = rest.find(is_word) {
            out.push_str(&rest[..start]);
            let tail = &rest[start..];
            let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
            let word = &tail[..end];
            if word.starts_with('$') || word.starts_with(|c: char| c.is_ascii_digit()) {
                out.push_str(word); // a system function, a number
            } else {
                let renamed = word.replace('$', "_");
                // `.pin(net)`: the pin is a name of the child; the second word of a heading is a module's
                let is_pin = rest[..start].ends_with('.');
                let seen = if heads_module && words == 1 { &mut modules } else { &mut names };
                match seen.insert(renamed.clone(), word.into()) {
                    Some(other) if other != word && !is_pin => {
                        return Err(format!("names clash: {other} and {word} both become {renamed}"));
                    }
                    Some(other) if is_pin => {
                        seen.insert(renamed.clone(), other);
                    }
                    None if is_pin => {
                        seen.remove(&renamed);
                    }
                    _ => {}
                }
                out.push_str(&renamed);
            }
            words += 1;
            rest = &tail[end..];
        }
        out.push_str(rest);
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicBlock, Default)]
    struct Inner {
        pub x: Signal<In, Bit>,
        pub y: Signal<Out, Bit>,
    }
    impl Logic for Inner {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.x.val();
        }
    }

    /// The child's port `a$x` and the local `a_x` would become one.
    #[derive(LogicBlock, Default)]
    struct Clashing {
        pub i: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
        a: Inner,
        a_x: Signal<Local, Bit>,
    }
    impl Logic for Clashing {
        #[hdl_gen]
        fn update(&mut self) {
            self.a_x.next = !self.i.val();
            self.a.x.next = self.i.val();
            self.o.next = self.a.y.val() & self.a_x.val();
        }
    }

    #[derive(LogicBlock, Default)]
    struct Open {
        pub o: Signal<Out, Bit>,
        a: Inner,
    }
    impl Logic for Open {
        #[hdl_gen]
        fn update(&mut self) {
            self.o.next = self.a.y.val();
        }
    }

    #[test]
    fn names_that_would_become_one_are_an_error() {
        let refusal = emit("top", Clashing::default).unwrap_err();
        assert!(refusal.contains("names clash") && refusal.contains("a_x") && refusal.contains("a$x"), "{refusal}");
    }

    #[test]
    fn modules_that_would_become_one_are_an_error() {
        let refusal = rename("module a$b(x);\nendmodule\nmodule a_b(x);\nendmodule\n").unwrap_err();
        assert!(refusal.contains("names clash"), "{refusal}");
    }

    #[test]
    fn a_pin_is_a_name_of_the_child() {
        let text = "module top(a_x);\n  kid kid(.a$x(b));\nendmodule\n";
        assert_eq!(rename(text).unwrap(), text.replace('$', "_"));
    }

    #[test]
    fn an_input_that_nobody_drives_is_named() {
        let refusal = emit("top", Open::default).unwrap_err();
        assert!(refusal.contains("not driven") && refusal.contains(".x"), "{refusal}");
    }

    #[test]
    fn a_panic_inside_is_an_error_too() {
        let refusal = emit("top", || -> Inner { panic!("on purpose") }).unwrap_err();
        assert!(refusal.contains("panicked"), "{refusal}");
    }
}
