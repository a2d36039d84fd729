//! Part of [icrc](super): every bit of a frame that the ICRC does not cover becomes a zero, every masked one too.
//!
//! In: the rail and `meta` at cycle 0. Out: `data4` and `step4`, exactly 4 cycles later.
//! That masked bits count as ones is told by [`constant`], the same for all frames of a shape: a CRC is linear.

use crate::prim::{Clear, Lit, Pipe, Rom, XorNet};
use crate::record::Meta;
use matchrdma_spec::hash::crc32_update;
use matchrdma_spec::params::BEAT_BYTES;
use matchrdma_spec::wire::icrc::{MASKED_V4, MASKED_V6, SEED};
use matchrdma_spec::wire::{bth, eth, ipv4, ipv6, udp, vlan};
use rust_hdl::prelude::*;

/// What travels with a beat, beside its data.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Step {
    /// A beat is here.
    pub valid: Bit,
    /// First beat of its frame.
    pub first: Bit,
    /// Second beat of its frame (known from cycle 3 on).
    pub second: Bit,
    /// Last beat of its frame.
    pub last: Bit,
    /// The rail's `err`.
    pub err: Bit,
    /// The rail's `cut`.
    pub cut: Bit,
    /// `meta.hdr_roce`, and the IP packet ends within the frame (known in the last beat).
    pub roce: Bit,
    /// `meta.ip_ok`.
    pub ip_ok: Bit,
    /// `meta.v6`.
    pub v6: Bit,
    /// `meta.vlans`.
    pub vlans: Bits<2>,
    /// Beats of the frame up to and with this one.
    pub beats: Bits<8>,
    /// Bytes of the frame up to and with this beat.
    pub bytes: Bits<14>,
    /// The ICRC's last byte is in this beat.
    pub ends: Bit,
    /// If so, bytes behind it in this beat.
    pub zeros: Bits<6>,
}

/// First byte of the IP header.
const fn l3(vlans: usize) -> usize {
    eth::BYTES + vlans * vlan::BYTES
}

/// What a shape means that `parse` never reports.
fn shape(at: usize) -> (bool, usize) {
    (at >> 2 == 1, (at & 3).min(2))
}

/// The masked bits of beat `beat`, by shape: bit 2 IPv6, bits 1:0 tags.
fn masked(at: usize, beat: usize) -> [u8; BEAT_BYTES] {
    let (v6, vlans) = shape(at);
    let mut bytes = [0u8; 2 * BEAT_BYTES];
    let (header, in_ip) = if v6 { (ipv6::BYTES, MASKED_V6) } else { (ipv4::BYTES, MASKED_V4) };
    in_ip.iter().for_each(|at| bytes[l3(vlans) + at] = 0xff);
    if v6 {
        bytes[l3(vlans)] = 0x0f;
    }
    let transport = [udp::CHECKSUM.first_byte(), udp::CHECKSUM.first_byte() + 1, udp::BYTES + bth::MASKED_BYTE];
    transport.iter().for_each(|at| bytes[l3(vlans) + header + at] = 0xff);
    std::array::from_fn(|at| bytes[beat * BEAT_BYTES + at])
}

/// The half bytes with masked bits.
fn halves(at: usize, beat: usize) -> Bits<128> {
    let set = |half: usize| masked(at, beat)[half / 2] >> (4 * (half % 2)) & 15 != 0;
    (0..2 * BEAT_BYTES).fold(Bits::default(), |b, half| b.replace_bit(half, set(half)))
}

/// What the CRC of a beat lacks when its masked bits are zeros, by shape. In a first one also the state after the eight
/// leading bytes of ones: it is added where the IP header begins.
pub fn constant(at: usize, beat: usize) -> u32 {
    let mut bytes = masked(at, beat);
    if beat == 0 {
        let l3 = l3(shape(at).1);
        bytes[l3..l3 + 4].iter_mut().zip(SEED.to_le_bytes()).for_each(|(byte, seed)| *byte ^= seed);
    }
    crc32_update(0, &bytes)
}

/// Registers are numbered by the cycle they are seen in.
#[derive(LogicBlock)]
pub struct Mask {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub rail_valid: Signal<In, Bit>,
    pub rail_data: Signal<In, Bits<512>>,
    pub rail_bytes: Signal<In, Bits<7>>,
    pub rail_first: Signal<In, Bit>,
    pub rail_last: Signal<In, Bit>,
    pub rail_err: Signal<In, Bit>,
    pub rail_cut: Signal<In, Bit>,
    pub meta: Signal<In, Meta>,
    pub data4: Signal<Out, Bits<512>>,
    pub step4: Signal<Out, Step>,
    front: Rom<64, 3>,
    first: Rom<128, 3>,
    second: Rom<128, 3>,
    halves: XorNet<64, 128>,
    full: Lit<64, { u64::MAX }>,
    eth_bytes: Lit<17, { eth::BYTES as u64 }>,
    data3: Pipe<512, 3>,
    data: Clear<512, 128>,
    step1: DFF<Step>,
    step2: DFF<Step>,
    step3: DFF<Step>,
    step: DFF<Step>,
    beat_before: DFF<Bits<8>>,
    beat: Signal<Local, Bits<8>>,
    bytes_before: Signal<Local, Bits<14>>,
    tags: Signal<Local, Bits<17>>,
    end1: DFF<Bits<17>>,
    beat1: DFF<Bits<8>>,
    final_byte: Signal<Local, Bits<17>>,
    this_beat: Signal<Local, Bits<11>>,
    bytes1: Signal<Local, Bits<17>>,
    over2: DFF<Bit>,
    second2: DFF<Bit>,
    shape: Signal<Local, Bits<3>>,
    keep: Signal<Local, Bits<64>>,
    beyond: Signal<Local, Bits<128>>,
    clear3: DFF<Bits<128>>,
}

impl Default for Mask {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            rail_valid: Default::default(),
            rail_data: Default::default(),
            rail_bytes: Default::default(),
            rail_first: Default::default(),
            rail_last: Default::default(),
            rail_err: Default::default(),
            rail_cut: Default::default(),
            meta: Default::default(),
            data4: Default::default(),
            step4: Default::default(),
            front: Rom::new(|at| bits((1 << l3(shape(at).1)) - 1)),
            first: Rom::new(|at| halves(at, 0)),
            second: Rom::new(|at| halves(at, 1)),
            halves: XorNet::new(|byte| vec![2 * byte, 2 * byte + 1]),
            full: Default::default(),
            eth_bytes: Default::default(),
            data3: Default::default(),
            data: Default::default(),
            step1: Default::default(),
            step2: Default::default(),
            step3: Default::default(),
            step: Default::default(),
            beat_before: Default::default(),
            beat: Default::default(),
            bytes_before: Default::default(),
            tags: Default::default(),
            end1: Default::default(),
            beat1: Default::default(),
            final_byte: Default::default(),
            this_beat: Default::default(),
            bytes1: Default::default(),
            over2: Default::default(),
            second2: Default::default(),
            shape: Default::default(),
            keep: Default::default(),
            beyond: Default::default(),
            clear3: Default::default(),
        }
    }
}

impl Logic for Mask {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, step1, step2, step3, step, beat_before, end1, beat1, over2, second2, clear3);
        self.data3.clk.next = self.clk.val();
        self.data3.rst.next = self.rst.val();
        self.data.clk.next = self.clk.val();

        // Cycle 0: where does the packet end, and how far has the frame come?
        self.data3.din.next = self.rail_data.val();
        self.beat.next = self.beat_before.q.val() + 1;
        if self.rail_first.val() {
            self.beat.next = 0.into();
        }
        if self.rail_valid.val() {
            self.beat_before.d.next = self.beat.val();
        }
        self.beat1.d.next = self.beat.val();
        self.tags.next = bit_cast::<17, 2>(self.meta.val().vlans) << 2;
        self.end1.d.next = self.eth_bytes.val() + self.tags.val() + bit_cast::<17, 16>(self.meta.val().ip_len);
        self.bytes_before.next = bit_cast::<14, 8>(self.beat.val()) << 6;
        self.step1.d.next.valid = self.rail_valid.val();
        self.step1.d.next.first = self.rail_first.val();
        self.step1.d.next.second = false;
        self.step1.d.next.last = self.rail_last.val();
        self.step1.d.next.err = self.rail_err.val();
        self.step1.d.next.cut = self.rail_cut.val();
        self.step1.d.next.roce = self.meta.val().hdr_roce;
        self.step1.d.next.ip_ok = self.meta.val().ip_ok;
        self.step1.d.next.v6 = self.meta.val().v6;
        self.step1.d.next.vlans = self.meta.val().vlans;
        self.step1.d.next.beats = self.beat.val() + 1;
        self.step1.d.next.bytes = self.bytes_before.val() + bit_cast::<14, 7>(self.rail_bytes.val());

        // Cycle 1: does it end in this beat, or has it ended before; and does it end within the frame?
        self.final_byte.next = self.end1.q.val() - 1;
        self.this_beat.next = bit_cast::<11, 8>(self.beat1.q.val());
        self.bytes1.next = bit_cast::<17, 14>(self.step1.q.val().bytes);
        self.over2.d.next = self.final_byte.val().get_bits::<11>(6) < self.this_beat.val();
        self.second2.d.next = self.beat1.q.val() == 1;
        self.step2.d.next = self.step1.q.val();
        self.step2.d.next.roce = self.step1.q.val().roce & (self.end1.q.val() <= self.bytes1.val());
        self.step2.d.next.ends = self.final_byte.val().get_bits::<11>(6) == self.this_beat.val();
        self.step2.d.next.zeros = !self.final_byte.val().get_bits::<6>(0);

        // Cycle 2: what becomes of each byte and bit of the beat?
        self.step3.d.next = self.step2.q.val();
        self.step3.d.next.second = self.second2.q.val();
        self.shape.next = bit_cast::<3, 2>(self.step2.q.val().vlans);
        if self.step2.q.val().v6 {
            self.shape.next = bit_cast::<3, 2>(self.step2.q.val().vlans) | 4;
        }
        self.front.addr.next = self.shape.val();
        self.first.addr.next = self.shape.val();
        self.second.addr.next = self.shape.val();
        self.keep.next = self.full.val();
        if self.step2.q.val().ends {
            self.keep.next = self.full.val() >> self.step2.q.val().zeros;
        }
        if self.over2.q.val() {
            self.keep.next = 0.into();
        }
        if self.step2.q.val().first {
            self.keep.next = self.keep.val() & !self.front.dout.val();
        }
        self.halves.din.next = !self.keep.val();
        self.beyond.next = self.halves.dout.val();
        self.clear3.d.next = self.beyond.val();
        if self.step2.q.val().first {
            self.clear3.d.next = self.beyond.val() | self.first.dout.val();
        } else if self.second2.q.val() {
            self.clear3.d.next = self.beyond.val() | self.second.dout.val();
        }

        // Cycle 3: do it.
        self.data.din.next = self.data3.dout.val();
        self.data.clear.next = self.clear3.q.val();
        self.step.d.next = self.step3.q.val();
        self.data4.next = self.data.dout.val();
        self.step4.next = self.step.q.val();

        if self.rst.val() {
            self.step1.d.next.valid = false;
            self.step2.d.next.valid = false;
            self.step3.d.next.valid = false;
            self.step.d.next.valid = false;
        }
    }
}
