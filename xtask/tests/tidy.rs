//! The tree this test stands in keeps its own rules.
#![forbid(unsafe_code)]

#[test]
fn the_tree_is_tidy() {
    let findings = xtask::tidy::check_workspace().unwrap();
    let list: String = findings.iter().map(|f| format!("\n{f}")).collect();
    assert!(findings.is_empty(), "{} finding(s):{list}", findings.len());
}

#[test]
fn the_tables_in_docs_are_those_of_spec() {
    assert_eq!(xtask::docs::stale_tables().unwrap(), [""; 0], "run `cargo xtask gen`");
}
