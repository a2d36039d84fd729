//! The generated tables of `docs/registers.md` and `docs/wire.md`, from the same constants the code uses.

use crate::event;
use crate::regs::{table, Access, BLOCKS};
use crate::wire::HEADERS;

/// Line before the generated part of a document.
pub const BEGIN: &str = "<!-- generated:begin -->";
/// Line after the generated part of a document.
pub const END: &str = "<!-- generated:end -->";

/// Tables of all registers, one section per block.
pub fn registers_markdown() -> String {
    let mut out = String::new();
    for block in BLOCKS {
        out += &format!("## {} (0x{:04x})\n\n{}\n\n", block.name, block.base, block.doc);
        out += "| address | register | access | bits | meaning |\n| --- | --- | --- | --- | --- |\n";
        for reg in block.map {
            let access = match reg.access {
                Access::RO => "RO",
                Access::RW => "RW",
                Access::WO => "WO",
            };
            let bits = if reg.fields.is_empty() { "31:0" } else { "" };
            out += &format!("| 0x{:04x} | `{}` | {access} | {bits} | {} |\n", reg.offset, reg.name, reg.doc);
            for field in reg.fields {
                let bits = match field.bits {
                    1 => format!("{}", field.lsb),
                    _ => format!("{}:{}", field.lsb + field.bits - 1, field.lsb),
                };
                out += &format!("| | | | {bits} | `{}`: {} |\n", field.name, field.doc);
            }
        }
        out += "\n";
    }
    out +=
        "## Windows\n\nBanked tables: each address is a word of the table's shadow bank, read and written whole.\n\n";
    out += "| address | table | entries | words of one | meaning of the words |\n| --- | --- | --- | --- | --- |\n";
    for w in table::WINDOWS {
        out += &format!("| 0x{:04x} | `{}` | {} | {} | {} |\n", w.base, w.name, w.entries, w.words, w.doc);
    }
    out += "\n## Events\n\nWhat the oldest event of `EVENT_HEAD` tells, and the `cause` of a flow's last drain or failure.\n\n";
    out += "| code | event | of | meaning |\n| --- | --- | --- | --- |\n";
    for e in event::EVENTS {
        let of = if event::is_of_path(e.code) { "path" } else { "flow" };
        out += &format!("| {} | `{}` | {of} | {} |\n", e.code, e.name, e.doc);
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// Tables of all headers, in frame order.
pub fn wire_markdown() -> String {
    let mut out = String::new();
    for header in HEADERS {
        let doc = header.doc.trim();
        out += &format!("## {}\n\n{doc} {} bytes. Source: {}.\n\n", header.name, header.bytes, header.source);
        out += "| byte | bit | bits | field | meaning |\n| --- | --- | --- | --- | --- |\n";
        for f in header.fields {
            let (byte, bit) = (f.offset / 8, f.offset % 8);
            out += &format!("| {byte} | {bit} | {} | `{}` | {} |\n", f.bits, f.name, f.doc.trim());
        }
        out += "\n";
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// `document` with what stands between the two marks replaced by `generated`; `None` when a mark is missing.
pub fn splice(document: &str, generated: &str) -> Option<String> {
    let begin = document.find(BEGIN)? + BEGIN.len();
    let end = begin + document[begin..].find(END)?;
    Some(format!("{}\n\n{}\n\n{}", &document[..begin], generated.trim_end(), &document[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_and_field_has_a_row() {
        let text = registers_markdown();
        let rows = text.lines().filter(|l| l.starts_with("| 0x")).count();
        assert_eq!(rows, crate::regs::all().count() + table::WINDOWS.len());
        assert!(text.contains("| 0x0000 | `ID_MAGIC` | RO | 31:0 | 0x4d524431, \"MRD1\" |"));
        assert!(text.contains("| | | | 3:0 | `mask`: bit 0 routes"));
        let (registers, events) = text.split_once("## Events").unwrap();
        let columns =
            |text: &str, n: usize| text.lines().all(|l| !l.starts_with('|') || l.matches('|').count() == n + 1);
        assert!(text.ends_with("|\n") && columns(registers, 5) && columns(events, 4));
        assert_eq!(events.lines().filter(|l| l.starts_with('|')).count(), event::EVENTS.len() + 2);
        assert!(text.contains("| 16 | `LEASE_LOST` | path |"));
    }

    #[test]
    fn every_header_field_has_a_row() {
        let text = wire_markdown();
        assert!(text.contains("## Bth\n\nBase transport header. 12 bytes. Source: IBTA 1.6, 9.2.\n"));
        assert!(text.contains("| 9 | 0 | 24 | `psn` | Packet sequence number. |"));
        assert!(text.lines().all(|l| !l.starts_with('|') || l.matches('|').count() == 6));
    }

    #[test]
    fn a_document_keeps_what_is_outside_the_marks() {
        let document = format!("head\n{BEGIN}\nold\n{END}\ntail\n");
        let once = splice(&document, "new\n").unwrap();
        assert_eq!(once, format!("head\n{BEGIN}\n\nnew\n\n{END}\ntail\n"));
        assert_eq!(splice(&once, "new\n").unwrap(), once);
        assert_eq!(splice("head", "new"), None);
        assert_eq!(splice(&format!("{END} {BEGIN}"), "new"), None);
    }
}
