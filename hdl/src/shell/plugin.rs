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

const CORUNDUM: Parts = Parts {
    files: &[file!("corundum", "rtl/mqnic_app_block.v")],
    crossings: ("matchrdma_crossings.tcl", include_str!("../../../constraints/shells/corundum/crossings.tcl")),
    gates: ["gateway", "corundum"],
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

/// A shell.
pub struct Shell {
    name: &'static str,
    /// Its boards with two ports, as `constraints/boards.tcl` calls them.
    pub boards: &'static [&'static str],
    /// The places in it.
    pub places: &'static [Place],
}

/// All of them.
const SHELLS: &[Shell] = &[
    Shell {
        name: "opennic",
        boards: &["u55c", "u200", "u250", "u280"],
        places: &[
            Place { folder: "opennic_322mhz", parts: &OPENNIC_322, build: |board| open_nic(board, "-num_phys_func 2") },
            Place {
                folder: "opennic_250mhz",
                parts: &OPENNIC_250,
                build: |board| open_nic(board, "-use_phys_func 1 -num_phys_func 1"),
            },
        ],
    },
    Shell {
        name: "corundum",
        boards: &["u200", "u250", "u280"],
        places: &[Place { folder: "corundum", parts: &CORUNDUM, build: corundum_build }],
    },
];

/// The shell of this name, or which there are.
pub fn shell(name: &str) -> Result<&'static Shell, String> {
    let known = || SHELLS.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
    SHELLS.iter().find(|s| s.name == name).ok_or_else(|| format!("no shell is called `{name}`; there are: {}", known()))
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

/// A copy of the board's folder in Corundum, with this application switched on, and made. Pause and PFC are the gateway's.
fn corundum_build(board: &str) -> String {
    let board = board.to_uppercase();
    format!(
        "#!/bin/sh\n# Builds Corundum with this application: sh build.sh CORUNDUM_FOLDER\nset -e\n\
         app=$(cd \"$(dirname \"$0\")\" && pwd)\ncd \"${{1:?the folder of corundum}}/fpga/mqnic/Alveo/fpga_100g\"\n\
         rm -rf fpga_A{board}_app_matchrdma\ncp -r fpga_A{board} fpga_A{board}_app_matchrdma\n\
         cd fpga_A{board}_app_matchrdma\n\
         sed -i -e 's/^\\(dict set params APP_ID\\) .*/\\1 \"32'\\''h4d524731\"/' \\\n\
         \x20   -e 's/^\\(dict set params APP_ENABLE\\) .*/\\1 \"1\"/' \\\n\
         \x20   -e 's/^\\(dict set params PFC_ENABLE\\) .*/\\1 \"0\"/' config.tcl\n\
         for file in rtl/mqnic_app_block.v corundum.v gateway.v; do\n\
         \x20   sed -i \"s|^include .*vivado.mk|SYN_FILES += $app/$file\\n&|\" Makefile\ndone\n\
         sed -i \"s|^include .*vivado.mk|XDC_FILES += $app/matchrdma_crossings.tcl\\n&|\" Makefile\nexec make\n"
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

/// The folder of Corundum's application block.
pub fn corundum() -> Result<Vec<File>, String> {
    CORUNDUM.folder()
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
