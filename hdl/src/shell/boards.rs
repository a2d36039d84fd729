//! Boards that a plugin can be built for: those of `constraints/boards.tcl` with a port for the client and one for the line, as
//! far as the shell is there for them.

const BOARDS: &str = include_str!("../../../constraints/boards.tcl");
/// Boards with one QSFP cage.
const ONE_PORT: &[&str] = &["u50"];

/// Every board with constraints, in the file's order.
fn all() -> impl Iterator<Item = &'static str> {
    let dict = BOARDS.split_once("set boards [dict create").map_or("", |(_, rest)| rest);
    let lines = dict.lines().skip(1).take_while(|line| line.trim() != "]");
    lines.filter_map(|line| line.split_whitespace().next())
}

/// The board of this name, or why not, and which `fit` the shell.
pub fn board(name: &str, fit: &[&str]) -> Result<&'static str, String> {
    let there = || format!("there are: {}", fit.join(", "));
    if ONE_PORT.contains(&name) {
        return Err(format!("board `{name}` has one port, and a gateway stands between two; {}", there()));
    }
    let known = all().find(|b| *b == name).ok_or_else(|| format!("no board is called `{name}`; {}", there()))?;
    let fits = fit.contains(&known).then_some(known);
    fits.ok_or_else(|| format!("the shell is not there for board `{name}`; {}", there()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::plugin::shell;

    #[test]
    fn every_board_of_the_constraints_is_known() {
        assert_eq!(all().collect::<Vec<_>>(), ["u50", "u55c", "u200", "u250", "u280"]);
        let [opennic, corundum] = ["opennic", "corundum"].map(|name| shell(name).unwrap().boards);
        for board in [opennic, corundum].concat() {
            assert!(all().any(|b| b == board) && !ONE_PORT.contains(&board), "{board}");
        }
        assert_eq!(board("u280", opennic), Ok("u280"));
        assert!(board("", opennic).unwrap_err().contains("there are: u55c, u200"));
        assert!(board("u55c", corundum).unwrap_err().contains("not there for board `u55c`"));
        assert!(ONE_PORT.iter().all(|one| all().any(|b| b == *one)));
    }
}
