//! A shell's plugin as a folder of files: the gates, and the text that a shell wants to find around them.

use crate::release::release;
use crate::tops;

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
