//! Part of [icrc](super): the CRC state after every beat, and whether it is the residue where the packet ends.
//!
//! In: the beat at cycle 4, its flags at the cycle in their names. Out: `right8` at cycle 8.

use super::mask::constant;
use crate::prim::{CrcAdvance, CrcData, Rom};
use matchrdma_spec::hash::{crc32, crc32_update, POLY_IEEE};
use rust_hdl::prelude::*;

/// The state after a message, its CRC and `zeros` zero bytes.
pub fn residue(zeros: usize) -> u32 {
    let whole = crc32_update(!0, &crc32(&[]).to_le_bytes());
    crc32_update(whole, &vec![0; zeros])
}

/// Registers are numbered by the cycle they are seen in.
#[derive(LogicBlock)]
pub struct Remainder {
    pub clk: Signal<In, Clock>,
    pub data4: Signal<In, Bits<512>>,
    /// IPv6, and tags, of the beat at cycle 5; which beat it is.
    pub shape5: Signal<In, Bits<3>>,
    pub first5: Signal<In, Bit>,
    pub second5: Signal<In, Bit>,
    pub valid6: Signal<In, Bit>,
    pub first6: Signal<In, Bit>,
    pub zeros6: Signal<In, Bits<6>>,
    pub ends7: Signal<In, Bit>,
    pub right8: Signal<Out, Bit>,
    beat6: CrcData<512, POLY_IEEE, 2>,
    advance: CrcAdvance<POLY_IEEE, 512>,
    constants: Rom<32, 5>,
    constant6: DFF<Bits<32>>,
    state7: DFF<Bits<32>>,
    residues: Rom<32, 6>,
    residue7: DFF<Bits<32>>,
    right: DFF<Bit>,
}

impl Default for Remainder {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            data4: Default::default(),
            shape5: Default::default(),
            first5: Default::default(),
            second5: Default::default(),
            valid6: Default::default(),
            first6: Default::default(),
            zeros6: Default::default(),
            ends7: Default::default(),
            right8: Default::default(),
            beat6: Default::default(),
            advance: Default::default(),
            constants: Rom::new(|at| match at >> 3 {
                1 => bits(constant(at & 7, 0).into()),
                2 => bits(constant(at & 7, 1).into()),
                _ => Bits::default(),
            }),
            constant6: Default::default(),
            state7: Default::default(),
            residues: Rom::new(|zeros| bits(residue(zeros).into())),
            residue7: Default::default(),
            right: Default::default(),
        }
    }
}

impl Logic for Remainder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, constant6, state7, residue7, right);
        // Cycles 4 and 5: the CRC of this beat alone, from a zero state; what its masked bits add, and the seed.
        self.beat6.clk.next = self.clk.val();
        self.beat6.din.next = self.data4.val();
        self.constants.addr.next = bit_cast::<5, 3>(self.shape5.val())
            | (bit_cast::<5, 1>(self.first5.val().into()) << 3)
            | (bit_cast::<5, 1>(self.second5.val().into()) << 4);
        self.constant6.d.next = self.constants.dout.val();
        // Cycle 6: the state before it, moved on by a beat, is added.
        self.advance.din.next = self.state7.q.val();
        if self.valid6.val() {
            self.state7.d.next = self.beat6.dout.val() ^ self.constant6.q.val() ^ self.advance.dout.val();
            if self.first6.val() {
                self.state7.d.next = self.beat6.dout.val() ^ self.constant6.q.val();
            }
        }
        self.residues.addr.next = self.zeros6.val();
        self.residue7.d.next = self.residues.dout.val();
        // Cycle 7.
        self.right.d.next = self.ends7.val() & (self.state7.q.val() == self.residue7.q.val());
        self.right8.next = self.right.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::params::BEAT_BYTES;

    #[test]
    fn the_residue_is_that_of_any_message() {
        for zeros in 0..BEAT_BYTES {
            let mut message: Vec<u8> = (0..200 + zeros).map(|i| (i * 89 + 3) as u8).collect();
            message.extend(crc32(&message).to_le_bytes());
            message.resize(message.len() + zeros, 0);
            assert_eq!(crc32_update(!0, &message), residue(zeros), "{zeros}");
        }
    }
}
