//! Offsets, masks and widths come from `spec`. These are heuristics: they refuse the shapes such a number takes.

use super::tree::Tree;
use super::Finding;

/// Lines that look like an offset but are not: path, text of the line, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// `driver` holds no register offset, mask or width: no hex from 0x100, no mask or shift by a number.
pub fn driver(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, code) in tree.rust("driver/src/") {
        for (n, line) in code.shipped().filter(|(n, _)| !excepted(path, &code.raw[n - 1])) {
            if let Some(hex) = big_hex(line, 0x100) {
                found.push(Finding::new(
                    "driver-literals",
                    path,
                    n,
                    format!("{hex} looks like an offset; take it from spec"),
                ));
            } else if let Some(shape) = mask_or_shift(line) {
                found.push(Finding::new(
                    "driver-literals",
                    path,
                    n,
                    format!("`{shape}` looks like a mask or a shift; take it from spec"),
                ));
            }
        }
    }
    found
}

/// `hdl` stages hold no packet offset: no hex from 0x100, no slice of more than a beat's worth at a literal byte offset.
pub fn hdl(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let stages = ["hdl/src/outbound/", "hdl/src/inbound/", "hdl/src/budget/", "hdl/src/gateway"];
    for folder in stages {
        for (path, code) in tree.rust(folder) {
            for (n, line) in code.shipped().filter(|(n, _)| !excepted(path, &code.raw[n - 1])) {
                if let Some(hex) = big_hex(line, 0x100) {
                    found.push(Finding::new(
                        "hdl-literals",
                        path,
                        n,
                        format!("{hex} looks like a wire constant; take it from spec"),
                    ));
                } else if line.contains("4791") {
                    found.push(Finding::new("hdl-literals", path, n, "the RoCEv2 port comes from spec"));
                } else if let Some(at) = header_slice(line) {
                    found.push(Finding::new(
                        "hdl-literals",
                        path,
                        n,
                        format!("a header slice at {at}; take the offset from spec"),
                    ));
                }
            }
        }
    }
    found
}

fn excepted(path: &str, raw: &str) -> bool {
    EXCEPTIONS.iter().any(|(p, text, _)| *p == path && raw.trim() == *text)
}

/// A hexadecimal literal of at least `least`.
fn big_hex(line: &str, least: u128) -> Option<&str> {
    line.match_indices("0x").find_map(|(i, _)| {
        let in_word = line[..i].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let digits: String = line[i + 2..].chars().take_while(|c| c.is_ascii_hexdigit() || *c == '_').collect();
        let value = u128::from_str_radix(&digits.replace('_', ""), 16).unwrap_or(u128::MAX);
        (!in_word && !digits.is_empty() && value >= least).then(|| &line[i..i + 2 + digits.len()])
    })
}

/// `<< 8`, `>> 16`, `& 0x1f`: field access by hand.
fn mask_or_shift(line: &str) -> Option<&str> {
    ["<< ", ">> ", "& 0x", "& 0b"].iter().find_map(|op| {
        line.match_indices(op).find_map(|(i, _)| {
            let rest = &line[i + op.len()..];
            let number = op.ends_with(['x', 'b']) || rest.starts_with(|c: char| c.is_ascii_digit());
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            number.then(|| &line[i..i + op.len() + end])
        })
    })
}

/// The literal index of a slice out of a header window or of `tdata`.
fn header_slice(line: &str) -> Option<&str> {
    let wide = ["window", "data", "header", "bth", "reth", "aeth"].iter().any(|w| line.contains(w));
    let slice = line.find("get_bits::<").filter(|_| wide)?;
    let open = slice + line[slice..].find(">(")? + 2;
    let index = &line[open..open + line[open..].find(')')?];
    let number = index.chars().all(|c| c.is_ascii_digit() || matches!(c, '_' | ' ' | '*' | '+' | '-'));
    (!index.is_empty() && number && index != "0").then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver_on(text: &str) -> usize {
        driver(&Tree::of(&[("driver/src/table.rs", text)])).len()
    }

    #[test]
    fn a_register_offset_in_the_driver_is_refused() {
        assert_eq!(driver_on("bar.write(0x1040, v);\n"), 1);
        assert_eq!(driver_on("bar.write(regs::CONTROL.offset, v);\n"), 0);
        assert_eq!(driver_on("#[cfg(test)]\nmod tests {\n  const X: u32 = 0x1040;\n}\n"), 0);
        assert_eq!(driver(&Tree::of(&[("driver/src/learn_tests.rs", "f(0x1040);\n")])), []);
        assert_eq!(driver_on("// at 0x1040\nlet s = \"0x1040\";\n"), 0);
    }

    #[test]
    fn a_mask_or_a_shift_in_the_driver_is_refused() {
        assert_eq!(driver_on("let qpn = word >> 8;\n"), 1);
        assert_eq!(driver_on("let low = word & 0x1f;\n"), 1);
        assert_eq!(driver_on("let v: Vec<Vec<u8>> = a; let s = x << SHIFT;\n"), 0);
    }

    #[test]
    fn a_packet_offset_in_a_stage_is_refused() {
        let on = |t: &str| hdl(&Tree::of(&[("hdl/src/outbound/parse.rs", t)])).len();
        assert_eq!(on("self.qpn.next = self.window.val().get_bits::<24>(376);\n"), 1);
        assert_eq!(on("self.etype.next = self.tdata.val().get_bits::<8>(8 * 12);\n"), 1);
        assert_eq!(on("self.is_v6.next = self.ethertype.val() == 0x86dd;\n"), 1);
        assert_eq!(on("self.roce.next = self.port.val() == 4791;\n"), 1);
        assert_eq!(on("self.low.next = self.word.val().get_bits::<8>(0);\n"), 0);
    }
}
