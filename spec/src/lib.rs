//! Facts of the wire, the registers and the sizes: no behaviour, no dependencies.
#![forbid(unsafe_code)]
