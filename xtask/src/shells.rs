//! The shells' plugins, as `matchrdma-hdl emit --shell` writes them: linted in a box of the shell, their Tcl run with the
//! vendor's commands stubbed.

use crate::constraints::{tcl, STUB};
use crate::run::{cargo, read, root, run, Done, Failure};
use crate::synth::verilog::hierarchy;
use std::path::{Path, PathBuf};

/// A place for the gateway in a shell.
pub struct Place {
    /// Folder of the plugin in `target/shells`.
    pub folder: &'static str,
    /// Folders of its Verilog in that, and the one with what the shell includes.
    pub folders: &'static [&'static str],
    /// How it is built.
    build: Build,
    /// The shell's module around it, for the bench: in `sim/rtl/shells`.
    pub around: &'static str,
    /// Top module of the plugin, and where the shell has it.
    module: &'static str,
    path: &'static str,
}

/// How the shell builds it.
enum Build {
    /// By the box's script, which takes two ports only.
    Script(&'static str),
    /// By a file of constraints.
    Constraints(&'static str),
}

/// All of them.
pub const PLACES: &[Place] = &[
    Place {
        folder: "opennic_322mhz",
        folders: &["", "box_322mhz"],
        build: Build::Script("build_box_322mhz.tcl"),
        around: "opennic_322_box",
        module: "matchrdma_322mhz",
        path: "box_322mhz_inst/matchrdma_322mhz_inst/",
    },
    Place {
        folder: "opennic_250mhz",
        folders: &["", "box_250mhz"],
        build: Build::Script("build_box_250mhz.tcl"),
        around: "opennic_250_box",
        module: "matchrdma_250mhz",
        path: "box_250mhz_inst/matchrdma_250mhz_inst/",
    },
    Place {
        folder: "corundum",
        folders: &["", "rtl"],
        build: Build::Constraints("matchrdma_crossings.tcl"),
        around: "corundum_app",
        module: "mqnic_app_block",
        path: "core_inst/app.app_block_inst/",
    },
];

/// Writes every plugin anew; gives the folder.
pub fn emit() -> Done<PathBuf> {
    emit_to(root().join("target/shells"))
}

/// Writes every plugin anew to a folder of its own; gives it.
pub fn emit_to(out: PathBuf) -> Done<PathBuf> {
    let _ = std::fs::remove_dir_all(&out);
    for shell in ["opennic", "corundum"] {
        let mut emit = cargo(["run", "--quiet", "-p", "matchrdma-hdl", "--", "emit", "--shell", shell, "--out"]);
        run(emit.arg(&out).stdout(std::process::Stdio::null()))?;
    }
    Ok(out)
}

impl Place {
    /// Its Verilog files.
    pub fn verilog(&self, out: &Path) -> Done<Vec<PathBuf>> {
        let mut files = vec![];
        for folder in self.folders.iter().map(|f| out.join(self.folder).join(f)) {
            let entries = std::fs::read_dir(&folder).map_err(|e| failed(&folder, e.to_string()))?;
            files.extend(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "v")));
        }
        files.sort();
        Ok(files)
    }

    /// Runs its build script as the shell does, against the design that it builds. What was named.
    fn build(&self, out: &Path, ports: u32) -> Done<Vec<String>> {
        let mut text = String::new();
        for file in self.verilog(out)? {
            text += &read(&file)?;
        }
        let design = hierarchy(&text, self.module).map_err(|why| failed(out, why))?;
        let script = match self.build {
            Build::Script(name) | Build::Constraints(name) => name,
        };
        let script = format!(
            "{design}{STUB}\nset placed {{}}\nforeach cell $cells {{ lappend placed {}$cell }}\nset cells $placed\n\
             set num_cmac_port {ports}\nset use_phys_func 1\ncd {{{}}}\nsource {script}\n\
             foreach thing [lsort [dict keys $named]] {{ puts \"named $thing\" }}\n",
            self.path,
            out.join(self.folder).display(),
        );
        let said = tcl(self.folder, &script, &[]).map_err(|e| failed(&out.join(self.folder), e.why))?;
        Ok(said.lines().filter_map(|line| line.strip_prefix("named ")).map(String::from).collect())
    }

    /// Every flip-flop that another clock reaches: both ends of its way are named, so it is bounded.
    fn crossings(&self, out: &Path) -> Done<usize> {
        let named = self.build(out, 2)?;
        let design = out.join(self.folder).join("*.v");
        let mut text = String::new();
        for file in self.verilog(out)? {
            text += &read(&file)?;
        }
        let all = hierarchy(&text, self.module).map_err(|why| failed(&design, why))?;
        let cells = all.lines().find_map(|l| l.strip_prefix("set cells {")).unwrap_or_default().trim_end_matches('}');
        let reached = |cell: &&str| ["/first_reg", "/stages_reg"].iter().any(|end| cell.ends_with(end));
        let crossings: Vec<&str> = cells.split(' ').filter(reached).collect();
        for cell in &crossings {
            let bound = format!("bound {}{cell}", self.path);
            if !named.contains(&bound) {
                return Err(failed(
                    &design,
                    format!("{cell} is reached from another clock, and nothing bounds the way"),
                ));
            }
        }
        Ok(crossings.len())
    }
}

fn failed(path: &Path, why: String) -> Failure {
    Failure::new(path.display().to_string(), why, "cargo xtask constraints")
}

/// The Tcl of every plugin.
pub fn check() -> Done {
    let out = emit()?;
    for place in PLACES {
        let crossings = place.crossings(&out)?;
        match (&place.build, place.build(&out, 1)) {
            (Build::Constraints(_), _) => {}
            (Build::Script(_), Err(e)) if e.why.contains("-num_cmac_port 2") => {}
            _ => return Err(failed(&out, "one port only is not refused".into())),
        }
        println!("shells: {}: built by its script, {crossings} crossings, each bounded", place.folder);
    }
    Ok(())
}
