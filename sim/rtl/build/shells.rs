//! The plugins in the shells' boxes, as tops: what a shell would build, but for the shell.

use matchrdma_hdl::shell::plugin::{corundum, in_box, opennic_250, opennic_322};
use matchrdma_hdl::tops::Top;
use matchrdma_hdl::{Emitted, Port};

/// Every box by its name.
pub const BOXES: &[Top] = &[
    ("corundum_app", || boxed("corundum_app", include_str!("../shells/corundum_app.v"), &corundum()?)),
    ("opennic_250_box", || boxed("opennic_250_box", include_str!("../shells/opennic_250_box.v"), &opennic_250()?)),
    ("opennic_322_box", || boxed("opennic_322_box", include_str!("../shells/opennic_322_box.v"), &opennic_322()?)),
];

fn boxed(name: &str, around: &str, files: &[(String, String)]) -> Result<Emitted, String> {
    Ok(Emitted { name: name.into(), verilog: in_box(around, files)?, ports: ports(around)? })
}

/// Ports as a box declares them, one a line: `input [7:0] name,`.
fn ports(around: &str) -> Result<Vec<Port>, String> {
    let port = |line: &str| {
        let words: Vec<&str> = line.trim().trim_end_matches(',').split_whitespace().collect();
        let input = *words.first()? == "input";
        let (name, bits) = match &words[1..] {
            [name] => (name, 1),
            [range, name] => (name, range.strip_prefix('[')?.strip_suffix(":0]")?.parse::<usize>().ok()? + 1),
            _ => return None,
        };
        Some(Port { name: name.to_string(), bits, input })
    };
    let is_port = |line: &&str| line.trim().starts_with("input ") || line.trim().starts_with("output ");
    around.lines().filter(is_port).map(|line| port(line).ok_or_else(|| format!("no port: {line}"))).collect()
}
