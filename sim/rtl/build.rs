//! Every registered top, and every plugin in its shell's box: gates -> Verilog -> Verilator -> C++ -> one static library and one typed `Dut`.
//!
//! Libraries are kept in `<target>/rtl-cache` (or `MATCHRDMA_RTL_CACHE`), named by what they are built from: Verilog,
//! shim, tool, flags. So a module is rebuilt only when one of these changed, and profiles share the rest.
//! Modules are built side by side, as many as cargo allows.
//!
//! `WAVES=1`, or `WAVES=<top>,<top>` for some, makes their `Dut`s write waveforms to `<target>/waves`, at a fraction of the
//! speed. Traced libraries lie beside the others, so one without is never rebuilt for it.

#[path = "build/generate.rs"]
mod generate;
#[path = "build/shells.rs"]
mod shells;

use matchrdma_hdl::Emitted;
use std::hash::{DefaultHasher, Hash, Hasher};
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
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=shells");
    println!("cargo::rerun-if-env-changed=MATCHRDMA_RTL_CACHE");
    println!("cargo::rerun-if-env-changed=WAVES");
    if let Err(why) = run() {
        for line in why.lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let out = PathBuf::from(var("OUT_DIR")?);
    // OUT_DIR is <target>/<profile>/build/<package>/out
    let target = out.ancestors().nth(4).ok_or("OUT_DIR is not inside a target folder")?;
    let cache = env::var_os("MATCHRDMA_RTL_CACHE").map_or_else(|| target.join("rtl-cache"), PathBuf::from);
    let waves = Waves { folder: target.join("waves"), of: env::var("WAVES").unwrap_or_default() };
    let cxx = cc::Build::new().cpp(true).cargo_metadata(false).get_compiler().path().display().to_string();
    let tool = Tool {
        bin: var("DEP_MATCHRDMA_VERILATED_BIN")?,
        root: var("DEP_MATCHRDMA_VERILATED_ROOT")?,
        include: var("DEP_MATCHRDMA_VERILATED_INCLUDE")?.into(),
        version: var("DEP_MATCHRDMA_VERILATED_VERSION")?,
    };
    let mut tops = matchrdma_hdl::tops();
    tops.extend(shells::BOXES);
    if waves.is_on() {
        waves.check(&tops.iter().map(|t| t.0).collect::<Vec<_>>())?;
    }
    let next = AtomicUsize::new(0);
    let built = Mutex::new(vec![]);
    let workers = var("NUM_JOBS")?.parse::<usize>().unwrap_or(1).clamp(1, tops.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((name, emit)) = tops.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let waves = waves.folder_for(name);
                    let result = emit()
                        .and_then(|module| module_library(&tool, &cxx, &cache, &module, waves).map(|dir| (module, dir)))
                        .map_err(|why| format!("hdl top `{name}`: {why}"));
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
    modules.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    for (module, dir) in &modules {
        println!("cargo::rustc-link-search=native={}", dir.display());
        println!("cargo::rustc-link-lib=static=dut_{}", module.name);
    }
    let rust: String = modules.iter().map(|(module, _)| generate::dut(module)).collect();
    fs::write(out.join("duts.rs"), rust).map_err(|e| format!("duts.rs: {e}"))
}

fn var(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: build through cargo"))
}

/// Which tops leave waveforms, and where.
struct Waves {
    folder: PathBuf,
    of: String,
}

impl Waves {
    fn is_on(&self) -> bool {
        !matches!(self.of.as_str(), "" | "0")
    }

    /// A name that is no top is refused: it would leave no waveform, and not say why.
    fn check(&self, tops: &[&str]) -> Result<(), String> {
        if self.of != "1" {
            if let Some(other) = self.of.split(',').find(|name| !tops.contains(name)) {
                return Err(format!("WAVES: `{other}` is no top; 1, or names from: {}", tops.join(" ")));
            }
        }
        fs::create_dir_all(&self.folder).map_err(|e| format!("{}: {e}", self.folder.display()))
    }

    fn folder_for(&self, top: &str) -> Option<&Path> {
        let wanted = self.is_on() && (self.of == "1" || self.of.split(',').any(|name| name == top));
        wanted.then_some(self.folder.as_path())
    }
}

/// The Verilator that the `verilated` crate found.
struct Tool {
    bin: String,
    root: String,
    include: PathBuf,
    version: String,
}

/// The folder of `libdut_<name>.a`, made now unless it was made before from the same.
fn module_library(
    tool: &Tool,
    cxx: &str,
    cache: &Path,
    module: &Emitted,
    waves: Option<&Path>,
) -> Result<PathBuf, String> {
    let name = &module.name;
    let shim = generate::shim(module, waves);
    let stamp = [&tool.version, cxx, &VERILATOR_FLAGS.join(" "), CXX_FLAGS, &shim, &module.verilog].join("\n");
    let mut hasher = DefaultHasher::new();
    stamp.hash(&mut hasher);
    let dir = cache.join(format!("{name}-{:016x}", hasher.finish()));
    let is_made = || fs::read_to_string(dir.join("stamp")).is_ok_and(|old| old == stamp);
    if is_made() {
        return Ok(dir);
    }
    // built elsewhere and moved into place whole: another cargo may be at the same module
    let work = cache.join(format!("{name}-{}", std::process::id()));
    let made = build_library(tool, &work, module, &shim, waves.is_some()).and_then(|()| {
        fs::write(work.join("stamp"), &stamp).map_err(|e| format!("{}: {e}", work.display()))?;
        match fs::rename(&work, &dir) {
            Err(_) if is_made() => Ok(()),
            other => other.map_err(|e| format!("{}: {e}", dir.display())),
        }
    });
    if work.exists() && made.is_ok() {
        let _ = fs::remove_dir_all(&work); // the other cargo was faster
    }
    made.map(|()| dir)
}

fn build_library(tool: &Tool, work: &Path, module: &Emitted, shim: &str, traced: bool) -> Result<(), String> {
    let io = |e: std::io::Error| format!("{}: {e}", work.display());
    let cpp = work.join("cpp");
    if work.exists() {
        fs::remove_dir_all(work).map_err(io)?;
    }
    fs::create_dir_all(&cpp).map_err(io)?;
    let source = work.join(format!("{}.v", module.name));
    fs::write(&source, &module.verilog).map_err(io)?;
    verilate(tool, &cpp, &source, &module.name, traced)?;
    fs::write(cpp.join("shim.cc"), shim).map_err(io)?;
    compile(tool, work, &module.name, traced)?;
    // the library and its Verilog are all that is wanted from here on
    let leftovers = fs::read_dir(work).map_err(io)?.flatten().map(|e| e.path());
    for path in leftovers.filter(|p| p.extension().is_some_and(|e| e == "o" || e == "d")) {
        fs::remove_file(path).map_err(io)?;
    }
    fs::remove_dir_all(cpp).map_err(io)
}

fn verilate(tool: &Tool, cpp: &Path, source: &Path, name: &str, traced: bool) -> Result<(), String> {
    let mut command = Command::new(&tool.bin);
    command.env_remove("VERILATOR_ROOT");
    if !tool.root.is_empty() {
        command.env("VERILATOR_ROOT", &tool.root);
    }
    if traced {
        command.args(["--trace", "--trace-structs"]);
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

fn compile(tool: &Tool, dir: &Path, name: &str, traced: bool) -> Result<(), String> {
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
    for define in ["VM_COVERAGE", "VM_SC", "VM_TIMING"] {
        build.define(define, "0");
    }
    build.define("VM_TRACE", if traced { "1" } else { "0" });
    build.try_compile(&format!("dut_{name}")).map_err(|e| format!("the C++ of {} does not compile: {e}", cpp.display()))
}
