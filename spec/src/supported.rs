//! Parameters that the gates are written for. Kernels write widths as numbers, so a build with others ends here, before there is
//! anything that could write Verilog.

use crate::params::{DATA_BITS, FLOWS, PATHS};

/// What is wrong with them, and what they may be.
pub const fn fault(flows: usize, data_bits: usize, paths: usize) -> Option<&'static str> {
    if !flows.is_power_of_two() || flows != 4096 {
        return Some("FLOWS: a power of two; the gates have indices of 12 bits: 4096");
    }
    if data_bits != 512 {
        return Some("DATA_BITS: the datapath supports 512");
    }
    if paths != 16 {
        return Some("PATHS: the gates have 16");
    }
    None
}

const _: () = {
    if let Some(why) = fault(FLOWS, DATA_BITS, PATHS) {
        panic!("{}", why);
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_gates_are_not_written_for_is_refused_with_what_they_are() {
        assert_eq!(fault(4096, 512, 16), None);
        for (flows, data_bits, paths, says) in [
            (3000, 512, 16, "power of two"),
            (8192, 512, 16, "12 bits: 4096"),
            (4096, 256, 16, "supports 512"),
            (4096, 1024, 16, "supports 512"),
            (4096, 512, 8, "have 16"),
        ] {
            assert!(
                fault(flows, data_bits, paths).is_some_and(|why| why.contains(says)),
                "{flows} {data_bits} {paths}"
            );
        }
    }
}
