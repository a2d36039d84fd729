//! The tree this test stands in keeps its own rules.
#![forbid(unsafe_code)]

#[test]
fn the_tree_is_tidy() {
    let findings = xtask::tidy::check_workspace().unwrap();
    let list: String = findings.iter().map(|f| format!("\n{f}")).collect();
    assert!(findings.is_empty(), "{} finding(s):{list}", findings.len());
}
