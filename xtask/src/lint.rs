//! `lint`: the released Verilog in Verilator (`-Wall`) and Icarus, in which only what is written here may be complained of.

use crate::run::{root, Done, Failure};
use crate::setup::setup;
use crate::shells;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A complaint that is left alone.
struct Waiver {
    tool: &'static str,
    /// Part of its line.
    says: &'static str,
    why: &'static str,
}

/// All of them. One that nothing needs is an error.
const WAIVERS: [Waiver; 8] = [
    Waiver {
        tool: "verilator",
        says: "-WIDTHEXPAND:",
        why: "rust-hdl checks widths as types and writes a narrower operand as it is; Verilog extends it by zeros, as meant",
    },
    Waiver {
        tool: "verilator",
        says: "-WIDTHTRUNC:",
        why: "the same: fields are taken by a shift, a mask and an assignment that drops the rest; an index is a 32-bit literal",
    },
    Waiver { tool: "verilator", says: "-UNUSEDSIGNAL:", why: "a stage takes a whole record and reads some of its fields" },
    Waiver { tool: "verilator", says: "-VARHIDDEN:", why: "a signal has the name of the instance around it" },
    Waiver { tool: "verilator", says: "-DECLFILENAME:", why: "one file holds a top with all that is below it" },
    Waiver { tool: "verilator", says: "-UNUSEDPARAM:", why: "Corundum's core gives every parameter by its name" },
    Waiver {
        tool: "verilator",
        says: "-PINCONNECTEMPTY:",
        why: "the bench's box leaves alone what the application lets rest or pass",
    },
    Waiver {
        tool: "iverilog",
        says: "@* is sensitive to all",
        why: "an asynchronous read of a LUT RAM depends on every word of it",
    },
];

/// Lints `gateway.v` with both, every other file of the folder with Icarus, and every shell's plugin in its box with both.
pub fn check(folder: &Path) -> Done {
    let mut seen = BTreeMap::new();
    let files = files(folder)?;
    let gateway = folder.join("gateway.v");
    let verilator = setup()?.command();
    complaints("verilator", verilator, &["--lint-only", "-Wall", "--top-module", "gateway"], &gateway, &mut seen)?;
    for file in &files {
        complaints("iverilog", Command::new("iverilog"), &["-g2005", "-Wall", "-t", "null"], file, &mut seen)?;
    }
    let shells = shells::emit()?;
    for place in shells::PLACES {
        let around = root().join("sim/rtl/shells").join(format!("{}.v", place.around));
        let of_shell = place.folders.last().unwrap_or(&"");
        let includes = format!("-I{}", shells.join(place.folder).join(of_shell).display());
        let plugin: Vec<String> = place.verilog(&shells)?.iter().map(|f| f.display().to_string()).collect();
        let with = |options: &[&str]| -> Vec<String> {
            options.iter().map(|o| o.to_string()).chain([includes.clone()]).chain(plugin.clone()).collect()
        };
        let options = with(&["--lint-only", "-Wall", "--top-module", place.around]);
        complaints("verilator", setup()?.command(), &options, &around, &mut seen)?;
        complaints(
            "iverilog",
            Command::new("iverilog"),
            &with(&["-g2005", "-Wall", "-t", "null"]),
            &around,
            &mut seen,
        )?;
    }
    for Waiver { tool, says, why } in &WAIVERS {
        let count = seen.get(says).copied().unwrap_or(0);
        if count == 0 {
            return Err(Failure::new(
                "lint",
                format!("{tool}: nothing says {says:?} any longer"),
                "take the waiver out",
            ));
        }
        println!("lint: {tool} {says:?}, {count} times: {why}");
    }
    println!("lint: {} files and {} plugins clean but for that", files.len(), shells::PLACES.len());
    Ok(())
}

fn files(folder: &Path) -> Done<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| Failure::new(format!("reading {}", folder.display()), e.to_string(), "cargo xtask verilog"))?;
    let mut files: Vec<_> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|x| x == "v")).collect();
    files.sort();
    Ok(files)
}

/// What a tool says of a file, counted by waiver; an error is the first that has none.
fn complaints(
    tool: &str,
    mut command: Command,
    options: &[impl AsRef<std::ffi::OsStr>],
    file: &Path,
    seen: &mut BTreeMap<&'static str, usize>,
) -> Done {
    let out = command.args(options).arg(file).stdin(Stdio::null()).output();
    let out = out.map_err(|e| Failure::new(tool, e.to_string(), format!("apt-get install {tool}")))?;
    let text = [out.stdout, out.stderr].concat();
    judge(tool, &String::from_utf8_lossy(&text), seen).map_err(|why| {
        Failure::new(format!("lint of {}", file.display()), why, "mend the gates, or waive it with a reason")
    })
}

fn judge(tool: &str, text: &str, seen: &mut BTreeMap<&'static str, usize>) -> Result<(), String> {
    let lines = text.lines().filter(|line| {
        let begins = line.starts_with("%Warning-") || line.starts_with("%Error:") || line.starts_with("%Error-");
        // Verilator says at the end how many there were; Icarus has lines of a file and a number only.
        begins || (tool == "iverilog" && line.contains(": "))
    });
    for line in lines.filter(|line| !line.starts_with("%Error: Exiting due to")) {
        match WAIVERS.iter().find(|w| w.tool == tool && line.contains(w.says)) {
            Some(waiver) => *seen.entry(waiver.says).or_default() += 1,
            None => return Err(format!("{tool}: {line}")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waived_is_counted_and_all_else_is_an_error() {
        let mut seen = BTreeMap::new();
        let waived = "%Warning-WIDTHTRUNC: a.v:1:2: x\n  1 | y\n%Warning-WIDTHTRUNC: a.v:3:2: x\n%Error: Exiting due to 2 warning(s)\n";
        assert_eq!(judge("verilator", waived, &mut seen), Ok(()));
        assert_eq!(seen["-WIDTHTRUNC:"], 2);
        for line in ["%Warning-LATCH: a.v:1:2: x", "%Error: a.v:1:2: syntax error", "%Error-NOTIMING: x"] {
            assert!(judge("verilator", line, &mut seen).is_err_and(|why| why.contains(line)), "{line}");
        }
        assert_eq!(
            judge("iverilog", "a.v:1: warning: @* is sensitive to all 16 words in array 'mem'.\n", &mut seen),
            Ok(())
        );
        for line in ["a.v:1: syntax error", "a.v:3: warning: Port 2 (x) of y expects 3 bits, got 2."] {
            assert!(judge("iverilog", line, &mut seen).is_err(), "{line}");
        }
    }
}
