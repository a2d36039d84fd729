//! A shell's plugin as a folder of files: the gates, and the text that a shell wants to find around them.

use crate::release::release;
use crate::tops;
use matchrdma_spec::params::MAX_FRAME_BYTES;

/// A file of a plugin: its path within the folder, and its text.
pub type File = (String, String);

macro_rules! file {
    ($folder:literal, $name:literal) => {
        ($name, include_str!(concat!("../../../constraints/shells/", $folder, "/", $name)))
    };
}

/// What is not gates: text as it is, and what the file of constraints is made of: where things are, then what holds of them.
struct Parts {
    files: &'static [(&'static str, &'static str)],
    crossings: (&'static str, &'static str),
    gates: [&'static str; 2],
}

const OPENNIC_322: Parts = Parts {
    files: &[
        file!("opennic/322", "build_box_322mhz.tcl"),
        file!("opennic/322", "matchrdma_322mhz.v"),
        file!("opennic/322", "box_322mhz/box_322mhz_address_map.v"),
        file!("opennic/322", "box_322mhz/box_322mhz_address_map_inst.vh"),
        file!("opennic/322", "box_322mhz/box_322mhz_axi_crossbar.tcl"),
        file!("opennic/322", "box_322mhz/user_plugin_322mhz_inst.vh"),
    ],
    crossings: (
        "matchrdma_322mhz_crossings.tcl",
        include_str!("../../../constraints/shells/opennic/322/crossings.tcl"),
    ),
    gates: ["gateway", "opennic_322"],
};

const OPENNIC_250: Parts = Parts {
    files: &[
        file!("opennic/250", "build_box_250mhz.tcl"),
        file!("opennic/250", "matchrdma_250mhz.v"),
        file!("opennic/250", "box_250mhz/box_250mhz_address_map.v"),
        file!("opennic/250", "box_250mhz/box_250mhz_address_map_inst.vh"),
        file!("opennic/250", "box_250mhz/box_250mhz_axi_crossbar.tcl"),
        file!("opennic/250", "box_250mhz/user_plugin_250mhz_inst.vh"),
    ],
    crossings: (
        "matchrdma_250mhz_crossings.tcl",
        include_str!("../../../constraints/shells/opennic/250/crossings.tcl"),
    ),
    gates: ["gateway", "opennic_250"],
};

/// What holds of every crossing.
const BOUNDS: [&str; 2] = [
    include_str!("../../../constraints/blocks/async_fifo.tcl"),
    include_str!("../../../constraints/blocks/reset_sync.tcl"),
];

/// A place that the gateway may have in a shell.
pub struct Place {
    /// Folder of its plugin.
    pub folder: &'static str,
    parts: &'static Parts,
    /// The shell's name of a board and what its build script is told, if it is built by one.
    build: fn(&str) -> String,
}

/// Every shell, and the places in it.
const SHELLS: &[(&str, &[Place])] = &[(
    "opennic",
    &[
        Place { folder: "opennic_322mhz", parts: &OPENNIC_322, build: |board| open_nic(board, "-num_phys_func 2") },
        Place {
            folder: "opennic_250mhz",
            parts: &OPENNIC_250,
            build: |board| open_nic(board, "-use_phys_func 1 -num_phys_func 1"),
        },
    ],
)];

/// The places of the shell of this name, or which shells there are.
pub fn shell(name: &str) -> Result<&'static [Place], String> {
    let known = || SHELLS.iter().map(|s| s.0).collect::<Vec<_>>().join(", ");
    let found = SHELLS.iter().find(|s| s.0 == name);
    found.map(|s| s.1).ok_or_else(|| format!("no shell is called `{name}`; there are: {}", known()))
}

/// Runs OpenNIC's build script, which takes a longest frame of up to 9600 bytes (its script/build.tcl).
fn open_nic(board: &str, functions: &str) -> String {
    format!(
        "#!/bin/sh\n# Builds open-nic-shell with this plugin: sh build.sh SHELL_FOLDER\nset -e\n\
         plugin=$(cd \"$(dirname \"$0\")\" && pwd)\ncd \"${{1:?the folder of open-nic-shell}}/script\"\n\
         exec vivado -mode batch -source build.tcl -tclargs -board a{board} -num_cmac_port 2 {functions} \
         -max_pkt_len {} -user_plugin \"$plugin\" -impl 1\n",
        MAX_FRAME_BYTES
    )
}

impl Place {
    /// Its files; with a script for the board, if one is named.
    pub fn files(&self, board: Option<&str>) -> Result<Vec<File>, String> {
        let mut files = self.parts.folder()?;
        files.extend(board.map(|board| ("build.sh".to_string(), (self.build)(board))));
        Ok(files)
    }
}

/// The folder for OpenNIC's `-user_plugin` with the gateway in the 322 MHz box.
pub fn opennic_322() -> Result<Vec<File>, String> {
    OPENNIC_322.folder()
}

/// The folder for OpenNIC's `-user_plugin` with the gateway in the 250 MHz box.
pub fn opennic_250() -> Result<Vec<File>, String> {
    OPENNIC_250.folder()
}

impl Parts {
    fn folder(&self) -> Result<Vec<File>, String> {
        let mut files: Vec<File> = self.files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        let (name, places) = self.crossings;
        files.push((name.into(), [places, BOUNDS[0], BOUNDS[1]].join("\n")));
        for top in self.gates {
            files.push((format!("{top}.v"), release(top, &verilog(top)?)));
        }
        Ok(files)
    }
}

fn verilog(top: &str) -> Result<String, String> {
    let (_, emit) = tops().into_iter().find(|t| t.0 == top).ok_or_else(|| format!("no top is called `{top}`"))?;
    Ok(emit()?.verilog)
}

/// Every Verilog file of a plugin as one text below a shell's module `around`, whose includes are filled in: what a bench
/// builds.
pub fn in_box(around: &str, files: &[File]) -> Result<String, String> {
    let mut text = String::new();
    for line in around.lines() {
        let Some(name) = line.trim().strip_prefix("`include \"").and_then(|l| l.strip_suffix('"')) else {
            text += &format!("{line}\n");
            continue;
        };
        let included = files.iter().find(|(path, _)| path.rsplit('/').next() == Some(name));
        text += &included.ok_or_else(|| format!("no file of the plugin is called {name}"))?.1;
    }
    text.extend(files.iter().filter(|(path, _)| path.ends_with(".v")).map(|(_, file)| file.as_str()));
    Ok(text)
}
