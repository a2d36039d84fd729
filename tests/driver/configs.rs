//! Random configurations, as an operator would write them.

use crate::harness::Random;
#[path = "../../sim/src/bench/driver/full.rs"]
mod full;
pub use full::full;
use std::fmt::Write;

/// A configuration of so many flows at most, out of a pool that all configurations share.
pub fn random(random: &mut Random, flows: u64, settings: &str) -> String {
    let mut text = String::from(settings);
    for path in 0..6 {
        let forecast = random.below(3) == 0;
        write!(text, "[[path]]\nindex = {path}\n").unwrap();
        match random.below(3) {
            0 => writeln!(text, "mode = \"open\"").unwrap(),
            1 => writeln!(text, "mode = \"fixed\"\nrate_gbps = {}.5", 1 + random.below(90)).unwrap(),
            _ => {
                writeln!(text, "mode = \"calendar\"\nrate_gbps = 1\n[path.calendar]\nrepeat = true").unwrap();
                for _ in 0..1 + random.below(9) {
                    let (gbps, us) = (random.below(100), 200 + random.below(1000));
                    write!(text, "[[path.calendar.entry]]\nbudget_gbps = {gbps}\nduration_us = {us}\n").unwrap();
                }
            }
        }
        if forecast {
            writeln!(text, "[path.forecast]\nstart_slot = 5").unwrap();
            for n in 0..1 + random.below(5) {
                write!(
                    text,
                    "[[path.forecast.entry]]\nbudget_gbps = {}\nduration_us = {}\n",
                    random.below(99),
                    300 + n
                )
                .unwrap();
            }
        }
    }
    for _ in 0..random.below(12) {
        let (a, b) = (random.below(6), random.below(200));
        writeln!(text, "[[route]]\nprefix = \"10.{b}.0.0/16\"\npath = {a}").unwrap();
        // The same prefix again would be another path.
        if text.matches(&format!("10.{b}.0.0/16")).count() > 1 {
            text.truncate(text.rfind("[[route]]").unwrap());
        }
    }
    for n in 0..flows {
        if random.below(2) == 1 {
            continue;
        }
        let ops = if random.below(8) == 0 { "write" } else { "all" };
        write!(
            text,
            "[[flow]]\nrequester = \"10.1.{}.1\"\nrequester_qpn = {}\nresponder = \"10.2.0.{}\"\nresponder_qpn = {}\nmtu_bytes = 4096\nack_ops = \"{ops}\"\n",
            n % 200, 1000 + n, n % 7, 5000 + n / 3,
        )
        .unwrap();
    }
    text
}
