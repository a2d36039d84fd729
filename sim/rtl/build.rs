//! Every registered top: gates -> Verilog -> Verilator -> C++ -> one static library and one typed `Dut`.
//!
//! A module is rebuilt only when its Verilog, its shim, the tool or the flags changed: what it was built from stands
//! in a stamp beside it and is compared whole. Modules are built side by side, as many as cargo allows.

#[path = "build/generate.rs"]
mod generate;

use matchrdma_hdl::Emitted;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::{env, fs};

/// Everything not listed as `-Wno-` is fatal: LATCH, UNOPTFLAT, MULTIDRIVEN, BLKSEQ and the rest.
const VERILATOR_FLAGS: [&str; 11] = [
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--no-timing",
    "-Wno-WIDTH",
    "-Wno-DECLFILENAME",
    "-Wno-UNUSEDSIGNAL",
    "-Wno-UNUSEDPARAM",
];
/// Changes of the C++ flags below must change this, so that cached libraries are rebuilt.
const CXX_FLAGS: &str = "c++17 -O2 -fcf-protection=none -faligned-new";
/// Above this much C++, files are compiled side by side rather than as one.
const ONE_UNIT_BYTES: u64 = 1 << 20;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    if let Err(why) = run() {
        for line in why.lines() {
            println!("cargo:error={line}");
        }
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let out = PathBuf::from(var("OUT_DIR")?);
    let tool = Tool {
        bin: var("DEP_MATCHRDMA_VERILATED_BIN")?,
        root: var("DEP_MATCHRDMA_VERILATED_ROOT")?,
        include: var("DEP_MATCHRDMA_VERILATED_INCLUDE")?.into(),
        version: var("DEP_MATCHRDMA_VERILATED_VERSION")?,
    };
    let tops = matchrdma_hdl::tops();
    let next = AtomicUsize::new(0);
    let built = Mutex::new(vec![]);
    let workers = var("NUM_JOBS")?.parse::<usize>().unwrap_or(1).clamp(1, tops.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((name, emit)) = tops.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = emit().and_then(|module| module_library(&tool, &out, &module).map(|()| module));
                    let result = result.map_err(|why| format!("hdl top `{name}`: {why}"));
                    built.lock().expect("no worker panics with the lock").push(result);
                }
            });
        }
    });
    let built = built.into_inner().expect("no worker panics with the lock");
    let (mut modules, mut failures) = (vec![], vec![]);
    for result in built {
        match result {
            Ok(module) => modules.push(module),
            Err(why) => failures.push(why),
        }
    }
    if !failures.is_empty() {
        failures.sort();
        return Err(failures.join("\n"));
    }
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    for module in &modules {
        println!("cargo:rustc-link-search=native={}", out.join(&module.name).display());
        println!("cargo:rustc-link-lib=static=dut_{}", module.name);
    }
    let rust: String = modules.iter().map(generate::dut).collect();
    fs::write(out.join("duts.rs"), rust).map_err(|e| format!("duts.rs: {e}"))
}

fn var(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: build through cargo"))
}

/// The Verilator that the `verilated` crate found.
struct Tool {
    bin: String,
    root: String,
    include: PathBuf,
    version: String,
}

/// Makes `OUT_DIR/<name>/libdut_<name>.a`, unless it is already there and made from the same.
fn module_library(tool: &Tool, out: &Path, module: &Emitted) -> Result<(), String> {
    let name = &module.name;
    let (dir, shim) = (out.join(name), generate::shim(module));
    let stamp = [&tool.version, &VERILATOR_FLAGS.join(" "), CXX_FLAGS, &shim, &module.verilog].join("\n");
    let stamp_file = dir.join("stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) && dir.join(format!("libdut_{name}.a")).is_file() {
        return Ok(());
    }
    let io = |what: &str, e: std::io::Error| format!("{what}: {e}");
    // C++ of an earlier run, or of another Verilator, must not be compiled in
    if dir.exists() {
        fs::remove_dir_all(&dir).map_err(|e| io("cannot clear the cache", e))?;
    }
    fs::create_dir_all(&dir).map_err(|e| io("cannot make the cache", e))?;
    let source = dir.join(format!("{name}.v"));
    fs::write(&source, &module.verilog).map_err(|e| io("cannot write Verilog", e))?;
    verilate(tool, &dir.join("cpp"), &source, name)?;
    fs::write(dir.join("cpp/shim.cc"), shim).map_err(|e| io("cannot write the shim", e))?;
    compile(tool, &dir, name)?;
    fs::write(stamp_file, stamp).map_err(|e| io("cannot write the stamp", e))
}

fn verilate(tool: &Tool, cpp: &Path, source: &Path, name: &str) -> Result<(), String> {
    let mut command = Command::new(&tool.bin);
    command.env_remove("VERILATOR_ROOT");
    if !tool.root.is_empty() {
        command.env("VERILATOR_ROOT", &tool.root);
    }
    command
        .args(VERILATOR_FLAGS)
        .args(["--top-module", name, "--prefix", &format!("V{name}"), "--Mdir"])
        .arg(cpp)
        .arg(source);
    let run = command.output().map_err(|e| format!("{} does not start: {e}", tool.bin))?;
    if run.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&run.stderr);
    Err(format!("Verilator refuses {} ({}):\n{}", source.display(), run.status, said.trim_end()))
}

fn compile(tool: &Tool, dir: &Path, name: &str) -> Result<(), String> {
    let cpp = dir.join("cpp");
    let entries = fs::read_dir(&cpp).map_err(|e| format!("{}: {e}", cpp.display()))?;
    let is_source = |p: &PathBuf| p.extension().is_some_and(|e| e == "cpp" || e == "cc");
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(is_source).collect();
    files.sort();
    let bytes: u64 = files.iter().filter_map(|f| fs::metadata(f).ok()).map(|m| m.len()).sum();
    if bytes < ONE_UNIT_BYTES {
        // one unit per small module: the headers cost more than the code
        let all: String = files.iter().map(|f| format!("#include {f:?}\n")).collect();
        let unit = cpp.join("all.cc");
        fs::write(&unit, all).map_err(|e| format!("{}: {e}", unit.display()))?;
        files = vec![unit];
    }
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .debug(false)
        .warnings(false)
        .cargo_metadata(false)
        .out_dir(dir)
        .include(&cpp)
        .include(&tool.include)
        .include(tool.include.join("vltstd"))
        .flag_if_supported("-faligned-new")
        .flag_if_supported("-fcf-protection=none")
        .files(files);
    for define in ["VM_COVERAGE", "VM_SC", "VM_TRACE", "VM_TIMING"] {
        build.define(define, "0");
    }
    build.try_compile(&format!("dut_{name}")).map_err(|e| format!("the C++ of {} does not compile: {e}", cpp.display()))
}
