//! `constraints`: every Tcl and XDC file of `constraints/`, run in a Tcl interpreter with the vendor's commands stubbed,
//! against the ports and cells of the emitted Verilog.

use crate::run::{cargo, output, read, root, write, Done, Failure};
use crate::synth::verilog::hierarchy;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The vendor's commands.
pub const STUB: &str = include_str!("stub.tcl");
/// What runs a file.
const OUTER: &str = "if {[catch {source {INNER}} why]} { puts stderr [lindex [split $why \\n] 0]; exit 1 }\n";
/// What is put around a run: the design before it, what it named behind it.
const LAST: &str = "\nforeach thing [lsort [dict keys $named]] { puts \"named $thing\" }\n";

/// The check, on a given Verilog or on one that is written for it.
pub fn run(verilog: Option<PathBuf>) -> Done {
    if let Some(verilog) = verilog {
        return check(&verilog);
    }
    let out = root().join("target/verilog");
    let mut emit = cargo(["run", "--quiet", "-p", "matchrdma-hdl", "--", "emit", "--top", "gateway", "--out"]);
    crate::run::run(emit.arg(&out))?;
    check(&out.join("gateway.v"))
}

/// Runs `constraints/ooc.tcl`, which reads all the others, for each board and variant.
pub fn check(verilog: &Path) -> Done {
    let folder = root().join("constraints");
    let (boards, variants) = (keys(&folder, "boards")?, keys(&folder, "variants")?);
    let design = hierarchy(&read(verilog)?, "gateway").map_err(|why| failed(verilog, why))?;
    let mut named = BTreeSet::new();
    for (board, variant) in boards.iter().flat_map(|b| variants.iter().map(move |v| (b, v))) {
        let out = root().join("target/constraints").join(format!("{board}-{variant}"));
        let arguments = [board.as_str(), variant, &verilog.display().to_string(), &out.display().to_string()];
        named.extend(ooc(&folder, &design, &arguments)?);
    }
    let count = |kind: &str| named.iter().filter(|thing| thing.starts_with(kind)).count();
    let is_xdc = |e: &std::fs::DirEntry| e.path().extension().is_some_and(|e| e == "xdc");
    let all = std::fs::read_dir(folder.join("blocks")).map(|d| d.flatten().filter(is_xdc).count()).unwrap_or(0);
    println!(
        "constraints: {} boards, {} variants, files of {all} blocks; {} ports and {} cells named, all in {}",
        boards.len(),
        variants.len(),
        count("port"),
        count("cell"),
        verilog.display()
    );
    // A board whose part never reached the synthesiser would not be seen otherwise.
    let parts = count("part");
    (parts == boards.len())
        .then_some(())
        .ok_or_else(|| failed(&folder, format!("{parts} parts of {} boards", boards.len())))?;
    crate::shells::check()
}

/// Keys of a dict of boards.tcl.
fn keys(folder: &Path, of: &str) -> Done<Vec<String>> {
    let text = format!("source {{{}}}\nputs [dict keys ${of}]\n", folder.join("boards.tcl").display());
    let out = tcl(&format!("keys-{of}"), &text, &[])?;
    Ok(out.split_whitespace().map(String::from).collect())
}

/// One run of ooc.tcl; what it named.
fn ooc(folder: &Path, design: &str, arguments: &[&str]) -> Done<Vec<String>> {
    let script = folder.join("ooc.tcl");
    let text = format!("{design}{STUB}\nsource {{{}}}{LAST}", script.display());
    let out = tcl(&arguments.join("-").replace('/', "-"), &text, arguments)
        .map_err(|e| failed(&script, format!("{}: {}", arguments.join(" "), e.why)))?;
    Ok(out.lines().filter_map(|line| line.strip_prefix("named ")).map(String::from).collect())
}

/// Runs a text; an error is one line, without where Tcl was.
pub fn tcl(name: &str, text: &str, arguments: &[&str]) -> Done<String> {
    let folder = root().join("target/constraints");
    std::fs::create_dir_all(&folder).map_err(|e| failed(&folder, e.to_string()))?;
    let file = |of: &str| folder.join(format!("{}-{name}-{of}.tcl", std::process::id()));
    let (inner, outer) = (file("inner"), file("outer"));
    write(&inner, text)?;
    write(&outer, &OUTER.replace("INNER", &inner.display().to_string()))?;
    let done = output(Command::new("tclsh").arg(&outer).args(arguments));
    [&inner, &outer].map(std::fs::remove_file).into_iter().for_each(drop);
    done.map_err(|e| Failure::new("Tcl", e.why, "apt-get install tcl, if tclsh is missing"))
}

fn failed(path: &Path, why: String) -> Failure {
    Failure::new(path.display().to_string(), why, "cargo xtask constraints")
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERILOG: &str = "module gateway(clk,rst,irq);
    input wire  clk;
    input wire  rst;
    output reg  irq;
    gateway_a a(
        .clk(clk)
    );
endmodule // gateway
module gateway_a(clk);
    input wire  clk;
    gateway_a_b b(
        .clk(clk)
    );
endmodule // gateway_a
module gateway_a_b(clk);
    input wire  clk;
endmodule // gateway_a_b
";

    fn says(text: &str) -> Result<String, String> {
        let design = hierarchy(VERILOG, "gateway").unwrap();
        tcl(
            &format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-"),
            &format!("{design}{STUB}\n{text}\n{LAST}"),
            &[],
        )
        .map_err(|e| e.why)
    }

    #[test]
    fn a_design_is_known_by_its_ports_and_paths() {
        let named = says("get_ports {clk ir*}; get_cells {a a/b}; get_ports * -filter {DIRECTION == IN}").unwrap();
        let named: Vec<&str> = named.lines().collect();
        assert_eq!(named, ["named cell a", "named cell a/b", "named port clk", "named port irq", "named port rst"]);
    }

    #[test]
    fn what_is_not_there_is_said() {
        for (text, says_so) in [
            ("get_cells {a/c}", "no cell matches \"a/c\""),
            ("get_ports {clk clock}", "no port matches \"clock\""),
            ("get_ports {irq} -filter {DIRECTION == IN}", "no port matches \"irq\""),
            ("set_property USER_SLR_ASIGNMENT x [get_cells a]", "property \"USER_SLR_ASIGNMENT\""),
            ("set_false_path -from [get_ports clk]", "invalid command name \"set_false_path\""),
            ("set_input_delay -clock clk -max 1.0 [get_ports rst]", "no clock clk"),
            ("create_clock -period fast -name clk [get_ports clk]", "period fast"),
            ("get_cells {a", "missing close-brace"),
            ("synth_design -top gatewy -part x", "no module gatewy"),
        ] {
            let why = says(text).unwrap_err();
            assert!(why.contains(says_so), "{text}: {why}");
        }
    }

    #[test]
    fn a_board_that_is_not_known_is_refused_with_those_that_are() {
        let folder = root().join("constraints");
        let design = hierarchy(VERILOG, "gateway").unwrap();
        for (arguments, says) in [
            (&["u51", "250", "x.v", "out"][..], "board \"u51\": expected one of u50, u55c, u200, u250, u280"),
            (&["u50", "251", "x.v", "out"], "variant \"251\": expected one of 250, 322"),
            (&["u50", "250", "x.v", "out"], "x.v: no such file"),
            (&["u50"], "expected BOARD VARIANT VERILOG OUT"),
        ] {
            let why = ooc(&folder, &design, arguments).unwrap_err().to_string();
            assert!(why.contains(says), "{why}");
        }
    }
}
