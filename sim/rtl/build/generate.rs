//! The two sides of the bridge to one verilated module: C functions, and the Rust type that calls them.

use matchrdma_hdl::{Emitted, Port};
use std::fmt::Write;

/// How a port's value crosses.
enum Shape {
    /// At most 32 bits.
    U32,
    /// 33 to 64 bits.
    U64,
    /// More: 32-bit words, least significant first.
    Words(usize),
}

fn shape(port: &Port) -> Shape {
    match port.bits {
        0..=32 => Shape::U32,
        33..=64 => Shape::U64,
        bits => Shape::Words(bits.div_ceil(32)),
    }
}

/// C++ with a flat C interface. Names start with `dut_<module>_`.
pub fn shim(module: &Emitted) -> String {
    let name = &module.name;
    let mut c = format!(
        "#include \"V{name}.h\"\n#include <cstdint>\nextern \"C\" {{\n\
         void* dut_{name}_new() {{ return new V{name}{{new VerilatedContext, \"{name}\"}}; }}\n\
         void dut_{name}_free(void* p) {{ auto* m = (V{name}*)p; auto* c = m->contextp(); m->final(); delete m; delete c; }}\n\
         void dut_{name}_eval(void* p) {{ ((V{name}*)p)->eval(); }}\n"
    );
    for port in &module.ports {
        let p = &port.name;
        let this = format!("((V{name}*)p)->{p}");
        let (get, set) = match shape(port) {
            Shape::U32 => (
                format!("uint32_t dut_{name}_get_{p}(void* p) {{ return {this}; }}"),
                format!("void dut_{name}_set_{p}(void* p, uint32_t v) {{ {this} = v; }}"),
            ),
            Shape::U64 => (
                format!("uint64_t dut_{name}_get_{p}(void* p) {{ return {this}; }}"),
                format!("void dut_{name}_set_{p}(void* p, uint64_t v) {{ {this} = v; }}"),
            ),
            Shape::Words(n) => (
                format!("void dut_{name}_get_{p}(void* p, uint32_t* v) {{ for (int i = 0; i < {n}; i++) v[i] = {this}[i]; }}"),
                format!("void dut_{name}_set_{p}(void* p, const uint32_t* v) {{ for (int i = 0; i < {n}; i++) {this}[i] = v[i]; }}"),
            ),
        };
        writeln!(c, "{get}").expect("a string takes any text");
        if port.input {
            writeln!(c, "{set}").expect("a string takes any text");
        }
    }
    c + "}\n"
}

/// One call of the macro in `src/ffi.rs`, which holds all the unsafe code.
pub fn dut(module: &Emitted) -> String {
    let name = &module.name;
    let mut r = format!("dut! {{ {name}, dut_{name}_new, dut_{name}_free, dut_{name}_eval;\n");
    for port in &module.ports {
        let p = &port.name;
        let direction = if port.input { "input" } else { "output" };
        let shape = match shape(port) {
            Shape::U32 => "u32".to_string(),
            Shape::U64 => "u64".to_string(),
            Shape::Words(n) => format!("[u32; {n}]"),
        };
        let bits = port.bits;
        // an input named `new` or `eval` would clash with the methods; Verilator keeps `new` for itself
        write!(r, "  {direction} {p}: {shape} = {bits}, dut_{name}_get_{p}").expect("a string takes any text");
        if port.input {
            write!(r, ", set_{p}, dut_{name}_set_{p}").expect("a string takes any text");
        }
        r += ";\n";
    }
    if module.ports.iter().any(|p| p.name == "clk" && p.input) {
        r += "  clock;\n";
    }
    r + "}\n"
}
