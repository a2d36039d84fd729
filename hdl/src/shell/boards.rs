//! Boards that a plugin can be built for: those of `constraints/boards.tcl` with a port for the client and one for the line.

const BOARDS: &str = include_str!("../../../constraints/boards.tcl");
/// Boards with one QSFP cage.
const ONE_PORT: &[&str] = &["u50"];

/// Every board with constraints, in the file's order.
fn all() -> impl Iterator<Item = &'static str> {
    let dict = BOARDS.split_once("set boards [dict create").map_or("", |(_, rest)| rest);
    let lines = dict.lines().skip(1).take_while(|line| line.trim() != "]");
    lines.filter_map(|line| line.split_whitespace().next())
}

/// The board of this name, or why not and which there are.
pub fn board(name: &str) -> Result<&'static str, String> {
    let fit: Vec<_> = all().filter(|b| !ONE_PORT.contains(b)).collect();
    let there = || format!("there are: {}", fit.join(", "));
    if ONE_PORT.contains(&name) {
        return Err(format!("board `{name}` has one port, and a gateway stands between two; {}", there()));
    }
    fit.iter().copied().find(|b| *b == name).ok_or_else(|| format!("no board is called `{name}`; {}", there()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_of_the_constraints_is_known() {
        assert_eq!(all().collect::<Vec<_>>(), ["u50", "u55c", "u200", "u250", "u280"]);
        assert_eq!(board("u280"), Ok("u280"));
        assert!(board("").unwrap_err().contains("there are: u55c, u200"));
        assert!(ONE_PORT.iter().all(|one| all().any(|b| b == *one)));
    }
}
