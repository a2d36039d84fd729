//! `matchrdma-hdl`: lists the gates' top modules and writes their Verilog.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use matchrdma_hdl::release::release;
use matchrdma_hdl::shell::{boards, plugin};
use matchrdma_hdl::{tops, Emitted};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The gateway's gates as Verilog
#[derive(Debug, Parser)]
#[command(name = "matchrdma-hdl", version, after_help = "Example: matchrdma-hdl emit --out target/verilog")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print the result as JSON on stdout
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List every top module with its ports
    #[command(after_help = "Example: matchrdma-hdl list --json")]
    List,
    /// Write the Verilog of every top module, or of those named
    #[command(after_help = "Example: matchrdma-hdl emit --top track --out target/verilog")]
    Emit {
        /// Only this top module; may be given more than once
        #[arg(long, value_name = "NAME")]
        top: Vec<String>,
        /// Not tops, but a folder to give to this shell: opennic, corundum
        #[arg(long, value_name = "SHELL", conflicts_with = "top")]
        shell: Option<String>,
        /// With a script that builds the shell with it for this board: u200, u250, u280, u55c
        #[arg(long, value_name = "BOARD", requires = "shell")]
        board: Option<String>,
        /// Folder for the files, made when missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// Why a command ends with 1 or 2.
#[derive(Debug, PartialEq)]
enum Stop {
    Failed(String),
    Usage(String),
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(text) => {
            println!("{}", text.trim_end());
            ExitCode::SUCCESS
        }
        Err(Stop::Failed(why)) => {
            eprintln!("error: {why}");
            ExitCode::from(1)
        }
        Err(Stop::Usage(why)) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

/// What goes to stdout.
fn run(cli: &Cli) -> Result<String, Stop> {
    match &cli.command {
        Command::List => {
            let modules = emit_all(&[])?;
            Ok(if cli.json { json(&modules, None) } else { modules.iter().map(describe).collect() })
        }
        Command::Emit { shell: Some(shell), board, out, .. } => folders(shell, board.as_deref(), out, cli.json),
        Command::Emit { top, out, .. } => {
            let modules = emit_all(top)?;
            std::fs::create_dir_all(out).map_err(|e| file_error("make the folder", out, &e))?;
            for module in &modules {
                let path = file(out, module);
                std::fs::write(&path, release(&module.name, &module.verilog))
                    .map_err(|e| file_error("write", &path, &e))?;
            }
            let lines = modules.iter().map(|m| format!("{}\n", file(out, m).display()));
            Ok(if cli.json { json(&modules, Some(out)) } else { lines.collect() })
        }
    }
}

/// Writes the folders of a shell's plugins, one for each of its boxes. Nothing is written before every name is known.
fn folders(shell: &str, board: Option<&str>, out: &Path, as_json: bool) -> Result<String, Stop> {
    let shell = plugin::shell(shell).map_err(Stop::Usage)?;
    let board = board.map(|board| boards::board(board, shell.boards)).transpose().map_err(Stop::Usage)?;
    let mut written = vec![];
    for place in shell.places {
        for (name, text) in place.files(board).map_err(Stop::Failed)? {
            let path = out.join(place.folder).join(name);
            let parent = path.parent().unwrap_or(out);
            std::fs::create_dir_all(parent).map_err(|e| file_error("make the folder", parent, &e))?;
            std::fs::write(&path, text).map_err(|e| file_error("write", &path, &e))?;
            written.push(path);
        }
    }
    let lines = written.iter().map(|path| format!("{}\n", path.display()));
    Ok(if as_json { serde_json::json!(written).to_string() } else { lines.collect() })
}

fn file(out: &Path, module: &Emitted) -> PathBuf {
    out.join(format!("{}.v", module.name))
}

fn file_error(what: &str, path: &Path, error: &std::io::Error) -> Stop {
    Stop::Failed(format!("cannot {what} {}: {error}", path.display()))
}

/// Emits the tops with these names, all of them when there is none.
fn emit_all(names: &[String]) -> Result<Vec<Emitted>, Stop> {
    let all = tops();
    if let Some(unknown) = names.iter().find(|n| all.iter().all(|top| top.0 != n.as_str())) {
        let known: Vec<_> = all.iter().map(|top| top.0).collect();
        return Err(Stop::Usage(format!("no top is called `{unknown}`; there are: {}", known.join(", "))));
    }
    let wanted = all.iter().filter(|top| names.is_empty() || names.iter().any(|n| n == top.0));
    wanted.map(|(_, emit)| emit().map_err(Stop::Failed)).collect()
}

/// `name`, then one port a line: direction, width, name.
fn describe(module: &Emitted) -> String {
    let ports = module
        .ports
        .iter()
        .map(|port| format!("  {} {:>5}  {}\n", if port.input { "in " } else { "out" }, port.bits, port.name));
    format!("{}\n{}", module.name, ports.collect::<String>())
}

fn json(modules: &[Emitted], out: Option<&Path>) -> String {
    let module = |m: &Emitted| {
        let port = |p: &matchrdma_hdl::Port| serde_json::json!({"name": p.name, "bits": p.bits, "input": p.input});
        serde_json::json!({
            "name": m.name,
            "ports": m.ports.iter().map(port).collect::<Vec<_>>(),
            "lines": m.verilog.lines().count(),
            "file": out.map(|out| file(out, m)),
        })
    };
    serde_json::json!(modules.iter().map(module).collect::<Vec<_>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_line(line: &str) -> Result<String, Stop> {
        run(&Cli::try_parse_from(line.split_whitespace()).unwrap())
    }

    #[test]
    fn list_names_every_top_and_its_ports() {
        let text = run_line("matchrdma-hdl list").unwrap();
        assert!(text.contains("fifo_lut\n") && text.contains("  in     36  din\n"), "{text}");
        let list: serde_json::Value = serde_json::from_str(&run_line("matchrdma-hdl list --json").unwrap()).unwrap();
        let names: Vec<_> = list.as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
        assert_eq!(names, tops().iter().map(|t| t.0).collect::<Vec<_>>());
    }

    #[test]
    fn emit_writes_one_file_per_top() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("deep/verilog");
        let line = format!("matchrdma-hdl emit --top fifo_lut --top ram_lut --json --out {}", out.display());
        run_line(&line).unwrap();
        let mut files: Vec<_> = std::fs::read_dir(&out).unwrap().map(|f| f.unwrap().file_name()).collect();
        files.sort();
        assert_eq!(files, ["fifo_lut.v", "ram_lut.v"]);
        assert!(std::fs::read_to_string(out.join("ram_lut.v")).unwrap().contains("module ram_lut("));
    }

    #[test]
    fn a_name_that_is_none_is_a_usage_error() {
        let Err(Stop::Usage(why)) = run_line("matchrdma-hdl emit --top fifo --out x") else { panic!("not refused") };
        assert!(why.contains("`fifo`") && why.contains("fifo_lut"), "{why}");
    }

    #[test]
    fn emit_writes_a_folder_for_a_shell_and_refuses_one_it_does_not_know() {
        let dir = tempfile::tempdir().unwrap();
        let line = |shell: &str| format!("matchrdma-hdl emit --shell {shell} --out {}", dir.path().join("x").display());
        let Err(Stop::Usage(why)) = run_line(&line("opnic")) else { panic!("not refused") };
        assert!(why.contains("`opnic`") && why.contains("opennic"), "{why}");
        assert!(!dir.path().join("x").exists(), "nothing is written");
        let said = run_line(&line("opennic")).unwrap();
        // what the shell's script/build.tcl asks of a plugin for each box that it has
        for file in [
            "build_box_322mhz.tcl",
            "box_322mhz/box_322mhz_axi_crossbar.tcl",
            "box_322mhz/box_322mhz_address_map.v",
            "box_322mhz/box_322mhz_address_map_inst.vh",
            "box_322mhz/user_plugin_322mhz_inst.vh",
        ] {
            let path = dir.path().join("x/opennic_322mhz").join(file);
            assert!(path.is_file() && said.contains(&path.display().to_string()), "{file}");
        }
        // and what that file itself reads
        let build = std::fs::read_to_string(dir.path().join("x/opennic_322mhz/build_box_322mhz.tcl")).unwrap();
        let read = |l: &str| (l.starts_with("read_")).then(|| l.rsplit(' ').next().unwrap().to_string());
        let read: Vec<_> = build.lines().filter_map(read).collect();
        assert_eq!(read.len(), 4, "{read:?}");
        assert!(read.iter().all(|f| dir.path().join("x/opennic_322mhz").join(f).is_file()), "{read:?}");
    }

    #[test]
    fn a_board_gets_its_script_and_one_that_cannot_be_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("x");
        let line = |board: &str| format!("matchrdma-hdl emit --shell opennic --board {board} --out {}", out.display());
        for (board, says) in [("u51", "`u51`"), ("u50", "one port")] {
            let Err(Stop::Usage(why)) = run_line(&line(board)) else { panic!("{board} is not refused") };
            assert!(why.contains(says) && why.ends_with("u55c, u200, u250, u280"), "{why}");
            assert!(!out.exists(), "nothing is written");
        }
        assert!(Cli::try_parse_from("matchrdma-hdl emit --board u200 --out x".split(' ')).is_err(), "of which shell?");
        run_line(&line("u250")).unwrap();
        for (folder, function) in [("opennic_322mhz", "-num_phys_func 2"), ("opennic_250mhz", "-use_phys_func 1")] {
            let script = std::fs::read_to_string(out.join(folder).join("build.sh")).unwrap();
            for word in ["-board au250 ", "-num_cmac_port 2 ", "-max_pkt_len 9600 ", function, "-user_plugin"] {
                assert!(script.contains(word), "{folder}: {word}: {script}");
            }
        }
    }

    /// On a folder like Corundum's, with `make` as the last thing that the script does.
    #[test]
    fn corundums_script_switches_the_application_on_in_a_copy_of_the_boards_folder() {
        let dir = tempfile::tempdir().unwrap();
        let [app, tree, bin] = ["app", "tree", "bin"].map(|name| dir.path().join(name));
        run_line(&format!("matchrdma-hdl emit --shell corundum --board u200 --out {}", app.display())).unwrap();
        let folder = tree.join("fpga/mqnic/Alveo/fpga_100g");
        std::fs::create_dir_all(folder.join("fpga_AU200")).unwrap();
        std::fs::create_dir_all(&bin).unwrap();
        let config = "dict set params PFC_ENABLE \"1\"\ndict set params APP_ID \"32'h00000000\"\n\
                      dict set params APP_ENABLE \"0\"\ndict set params APP_CTRL_ENABLE \"0\"\n";
        std::fs::write(folder.join("fpga_AU200/config.tcl"), config).unwrap();
        std::fs::write(folder.join("fpga_AU200/Makefile"), "SYN_FILES = rtl/x.v\n\ninclude ../common/vivado.mk\n")
            .unwrap();
        std::fs::write(bin.join("make"), "#!/bin/sh\npwd > made\n").unwrap();
        std::process::Command::new("chmod").arg("+x").arg(bin.join("make")).status().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let script = app.join("corundum/build.sh");
        // twice: a folder that is there is made anew
        for _ in 0..2 {
            let done = std::process::Command::new("sh").arg(&script).arg(&tree).env("PATH", &path).status().unwrap();
            assert!(done.success());
        }
        let new = folder.join("fpga_AU200_app_matchrdma");
        let read = |name: &str| std::fs::read_to_string(new.join(name)).unwrap();
        let set = "dict set params PFC_ENABLE \"0\"\ndict set params APP_ID \"32'h4d524731\"\n\
                   dict set params APP_ENABLE \"1\"\ndict set params APP_CTRL_ENABLE \"0\"\n";
        assert_eq!(read("config.tcl"), set);
        assert!(read("made").trim().ends_with("fpga_AU200_app_matchrdma"));
        let files: Vec<_> =
            read("Makefile").lines().filter_map(|l| Some(PathBuf::from(l.split_once("+= ")?.1))).collect();
        assert_eq!(files.len(), 4);
        assert!(files.iter().all(|file| file.is_file()), "{files:?}");
        assert!(read("Makefile").trim().ends_with("include ../common/vivado.mk"));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_a_failure() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = format!("matchrdma-hdl emit --top ram_lut --out {}", file.path().display());
        assert!(matches!(run_line(&line), Err(Stop::Failed(why)) if why.contains("cannot make the folder")));
    }
}
