//! The wire: one file per header, in frame order, and the reference parse of a whole frame.
//!
//! Every header file has the same order: constants; fields with the proof that they tile the header; a struct of
//! plain integers with `parse` and `emit`; pure functions of the format; tests with one golden byte string.

use crate::field::Field;

/// A header as a table, for documentation.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Name of its struct.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Standard and section.
    pub source: &'static str,
    /// Length in bytes.
    pub bytes: usize,
    /// Its fields in wire order.
    pub fields: &'static [Field],
}

/// Fields, proof, struct, `parse` and `emit` of one header: `CONST field: type = bit offset, bits;`.
macro_rules! header {
    (
        $(#[doc = $doc:literal])+
        $name:ident, $bytes:literal bytes, $source:literal;
        $( $(#[doc = $fdoc:literal])+ $konst:ident $field:ident: $ty:ty = $offset:literal, $bits:literal; )+
    ) => {
        /// Length of this header, bytes.
        pub const BYTES: usize = $bytes;
        $(
            $(#[doc = $fdoc])+
            pub const $konst: $crate::field::Field =
                $crate::field::Field::new(stringify!($field), $offset, $bits, concat!($($fdoc),+));
        )+
        /// The fields in wire order.
        pub const FIELDS: &[$crate::field::Field] = &[$($konst),+];
        const _: () = assert!($crate::field::tiles(FIELDS, 8 * BYTES), "the fields tile the header");
        $( const _: () = assert!($bits <= <$ty>::BITS, "the struct holds the field"); )+
        /// This header as a table.
        pub const HEADER: $crate::wire::Header = $crate::wire::Header {
            name: stringify!($name),
            doc: concat!($($doc),+),
            source: $source,
            bytes: BYTES,
            fields: FIELDS,
        };

        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name {
            $( $(#[doc = $fdoc])+ pub $field: $ty, )+
        }

        impl $name {
            /// The header at the start of `bytes`; `None` when they are too few. No field is judged.
            pub const fn parse(bytes: &[u8]) -> Option<Self> {
                if bytes.len() < BYTES {
                    return None;
                }
                Some($name { $( $field: $konst.get(bytes) as $ty ),+ })
            }

            /// Writes the header at the start of `bytes`, every bit of it. Panics when they are too few.
            pub const fn emit(&self, bytes: &mut [u8]) {
                $( $konst.set(bytes, self.$field as u128); )+
            }
        }
    };
}

/// A golden byte string: parsed it gives the struct; emitted over 0xa5 it comes back, and no byte more is touched.
#[cfg(test)]
macro_rules! golden {
    ($header:ident { $($init:tt)* }, $golden:expr) => {
        #[test]
        fn golden_bytes_parse_and_emit() {
            const GOLDEN: [u8; BYTES] = $golden;
            let header = $header { $($init)* };
            assert_eq!($header::parse(&GOLDEN), Some(header));
            assert_eq!($header::parse(&GOLDEN[1..]), None);
            let mut buffer = [0xa5; BYTES + 3];
            header.emit(&mut buffer);
            assert_eq!(buffer[..BYTES], GOLDEN);
            assert_eq!(buffer[BYTES..], [0xa5; 3]);
        }
    };
}

pub mod eth;
pub mod vlan;

pub mod ipv4;
pub mod ipv6;
pub mod udp;

pub mod aeth;
pub mod atomic;
pub mod atomic_ack;
pub mod bth;
pub mod cnp;
pub mod deth;
pub mod feth;
pub mod icrc;
pub mod ieth;
pub mod immediate;
pub mod reth;

pub mod budget;
pub mod cm;
pub mod mad;
pub mod pfc;

pub mod opcode;
pub mod packet;
#[cfg(test)]
mod packet_tests;

/// Every header, in frame order.
pub const HEADERS: &[Header] = &[
    eth::HEADER,
    vlan::HEADER,
    ipv4::HEADER,
    ipv6::HEADER,
    udp::HEADER,
    bth::HEADER,
    deth::HEADER,
    reth::HEADER,
    aeth::HEADER,
    atomic::HEADER,
    atomic_ack::HEADER,
    immediate::HEADER,
    ieth::HEADER,
    feth::HEADER,
    cnp::HEADER,
    budget::HEADER,
    mad::HEADER,
    cm::req::HEADER,
    cm::rep::HEADER,
    cm::rtu::HEADER,
    cm::dreq::HEADER,
    pfc::HEADER,
];
