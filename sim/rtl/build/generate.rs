//! The two sides of the bridge to one verilated module: C functions, and the Rust type that calls them.

use matchrdma_hdl::{Emitted, Port};
use std::fmt::Write;
use std::path::Path;

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

/// C++ with a flat C interface. Names start with `dut_<module>_`. `waves`: the folder for waveforms, if they are wanted.
pub fn shim(module: &Emitted, waves: Option<&Path>) -> String {
    let name = &module.name;
    let mut c = waves.map_or_else(
        || {
            format!(
                "#include \"V{name}.h\"\n#include <cstdint>\nextern \"C\" {{\n\
                 void* dut_{name}_new() {{ return new V{name}{{new VerilatedContext, \"{name}\"}}; }}\n\
                 void dut_{name}_free(void* p) {{ auto* m = (V{name}*)p; auto* c = m->contextp(); m->final(); delete m; delete c; }}\n\
                 void dut_{name}_eval(void* p) {{ ((V{name}*)p)->eval(); }}\n"
            )
        },
        |folder| traced(name, folder),
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

/// The same with a model that writes what every `eval` leaves to `<folder>/<name>-<process>-<instance>.vcd`; two of its
/// time units are a cycle.
fn traced(name: &str, folder: &Path) -> String {
    let folder = format!("{:?}", folder.display().to_string());
    format!(
        r#"#include "V{name}.h"
#include "verilated_vcd_c.h"
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unistd.h>
namespace {{
struct Traced : V{name} {{
    VerilatedVcdC vcd;
    uint64_t evals = 0;
    explicit Traced(VerilatedContext* context) : V{name}(context, "{name}") {{
        static std::atomic<int> instances{{0}};
        std::string path = std::string({folder}) + "/{name}-" + std::to_string(getpid()) + "-" + std::to_string(instances++) + ".vcd";
        context->traceEverOn(true);
        trace(&vcd, 99);
        vcd.open(path.c_str());
        std::fprintf(stderr, "waveform of {name}: %s\n", path.c_str());
    }}
    ~Traced() {{ vcd.close(); }}
    void step() {{ eval(); vcd.dump(evals++); }}
}};
}}
extern "C" {{
void* dut_{name}_new() {{ return static_cast<V{name}*>(new Traced{{new VerilatedContext}}); }}
void dut_{name}_free(void* p) {{ auto* m = static_cast<Traced*>((V{name}*)p); auto* c = m->contextp(); m->final(); delete m; delete c; }}
void dut_{name}_eval(void* p) {{ static_cast<Traced*>((V{name}*)p)->step(); }}
"#
    )
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
    r += "}\n";
    let streams: String = streams(module);
    if !streams.is_empty() {
        write!(r, "impl {name}::Dut {{\n{streams}}}\n").expect("a string takes any text");
    }
    let has = |name: &str| module.ports.iter().any(|port| port.name == name);
    // what has several clocks is driven by its pins
    if has("clk") && AXI_LITE.iter().all(|p| has(&format!("s_axil_{p}"))) {
        writeln!(r, "axi_lite! {{ {name} }}").expect("a string takes any text");
    }
    if ["awaddr", "wdata", "bresp", "araddr", "rdata"].iter().all(|p| has(&format!("m_axi_{p}"))) {
        writeln!(r, "axi4! {{ {name} }}").expect("a string takes any text");
    }
    r
}

/// Ports without which a module has no AXI4-Lite slave.
const AXI_LITE: [&str; 17] = [
    "awaddr", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid", "bready", "araddr",
    "arvalid", "arready", "rdata", "rresp", "rvalid", "rready",
];

/// For each AXI4-Stream of 512 bits: `set_<stream>` where it enters the module, `<stream>` where it leaves.
fn streams(module: &Emitted) -> String {
    let mut r = String::new();
    for data in module.ports.iter().filter(|p| p.bits == 512) {
        let Some(stream) = data.name.strip_suffix("_tdata") else { continue };
        let has = |signal: &str| module.ports.iter().any(|p| p.name == format!("{stream}_{signal}"));
        if !["tkeep", "tlast", "tvalid"].into_iter().all(has) {
            continue;
        }
        r += &if data.input {
            let user = if has("tuser") { format!("self.set_{stream}_tuser(beat.user); ") } else { String::new() };
            format!(
                "  /// Offers a beat on `{stream}`, or nothing.\n  \
                   pub fn set_{stream}(&mut self, beat: Option<&crate::axis::Beat>) {{\n    \
                     self.set_{stream}_tvalid(beat.is_some().into());\n    \
                     if let Some(beat) = beat {{ {user}self.set_{stream}_tdata(beat.data); \
                     self.set_{stream}_tkeep(beat.keep); self.set_{stream}_tlast(beat.last.into()); }}\n  }}\n"
            )
        } else {
            let user = if has("tuser") { format!("self.{stream}_tuser()") } else { "0".into() };
            format!(
                "  /// The beat offered on `{stream}`, if any.\n  \
                   pub fn {stream}(&self) -> Option<crate::axis::Beat> {{\n    \
                     (self.{stream}_tvalid() == 1).then(|| crate::axis::Beat {{ data: self.{stream}_tdata(), \
                     keep: self.{stream}_tkeep(), last: self.{stream}_tlast() == 1, user: {user} }})\n  }}\n"
            )
        };
    }
    r
}
