//! `parse` and `icrc` in gates, one behind the other, as both directions have them.

use super::frames::Beat;
use super::{Random, Stall};
use matchrdma_spec::params::MAX_FRAME_BEATS;
use matchrdma_spec::wire::packet::{parse_frame, Meta};
use std::collections::VecDeque;

/// Cycles from a last beat in to `rail_last`, and from there to `check_valid`.
const PARSE_CYCLES: u64 = 8;
const JUDGE_CYCLES: u64 = 10;

/// A record, by field.
pub type Fields = Vec<(&'static str, u128)>;

/// A frame as it leaves `parse`, and what is said of it.
#[derive(Debug, Default, PartialEq)]
pub struct Frame {
    pub bytes: Vec<u8>,
    pub err: bool,
    pub cut: bool,
    pub meta: Fields,
    pub check: Check,
}

impl Frame {
    /// What is not as in `want`, in words.
    fn differences(&self, want: &Frame) -> Vec<String> {
        let mut out = vec![];
        let (got, wanted) = (&self.bytes, &want.bytes);
        if let Some(at) = (0..got.len().max(wanted.len())).find(|i| got.get(*i) != wanted.get(*i)) {
            out.push(format!("byte {at}: got {:x?}, want {:x?}", got.get(at), wanted.get(at)));
        }
        for ((name, got), (_, want)) in self.meta.iter().zip(&want.meta) {
            if got != want {
                out.push(format!("{name}: got {got:#x}, want {want:#x}"));
            }
        }
        if (self.err, self.cut) != (want.err, want.cut) {
            out.push(format!("(err, cut): got {:?}, want {:?}", (self.err, self.cut), (want.err, want.cut)));
        }
        if self.check != want.check {
            out.push(format!("got {:?}, want {:?}", self.check, want.check));
        }
        out
    }
}

/// What `icrc` says.
#[derive(Debug, Default, PartialEq)]
pub struct Check {
    pub roce: bool,
    /// Of use when `roce`.
    pub good: bool,
    pub bytes: usize,
    pub beats: usize,
    pub err: bool,
    pub cut: bool,
}

/// The frames that a stream of beats holds: `docs/blocks.md`, "parse".
pub fn frames_of(beats: &[Beat]) -> Vec<(Vec<u8>, bool, bool)> {
    let (mut frames, mut frame, mut count, mut err, mut swallow) = (vec![], vec![], 0, false, false);
    for beat in beats {
        if swallow {
            swallow = !beat.last;
            continue;
        }
        let bytes = beat.data.iter().flat_map(|w| w.to_le_bytes());
        frame.extend(bytes.take(if beat.last { beat.keep.count_ones() as usize } else { 64 }));
        count += 1;
        // a MAC always names a byte of a last beat
        err |= beat.err || (beat.last && beat.keep & 1 == 0);
        let cut = count == MAX_FRAME_BEATS && !beat.last;
        if beat.last || cut {
            frames.push((std::mem::take(&mut frame), err || cut, cut));
            (count, err, swallow) = (0, false, cut);
        }
    }
    frames
}

/// What `parse` must say of a frame: the spec's parse with zeros behind its end.
pub fn expected_meta(frame: &[u8], scratch: &mut Vec<u8>) -> Fields {
    // only the first two beats are ever read, but the frame must look long enough for any length field
    scratch.clear();
    scratch.extend(&frame[..frame.len().min(128)]);
    scratch.resize(1 << 17, 0);
    let m = parse_frame(scratch);
    vec![
        ("hdr_roce", m.roce.into()),
        ("v6", m.v6.into()),
        ("vlans", m.vlans.into()),
        ("budget", m.budget.into()),
        ("ip_ok", m.ip_ok.into()),
        ("ack_req", m.ack_req.into()),
        ("mig_req", m.mig_req.into()),
        ("becn", m.becn.into()),
        ("opcode", m.opcode.into()),
        ("ip_len", m.ip_len.into()),
        ("payload", m.payload.into()),
        ("vlan", m.vlan.into()),
        ("dest_qpn", m.dest_qpn.into()),
        ("psn", m.psn.into()),
        ("msn", m.msn.into()),
        ("syndrome", m.syndrome.into()),
        ("reth_len", m.reth_len.into()),
        ("src_ip", m.src_ip),
        ("dst_ip", m.dst_ip),
        ("ip", m.ip.into()),
        ("mac_control", m.mac_control.into()),
    ]
}

/// What the two must say of a frame.
pub fn expected(bytes: Vec<u8>, err: bool, cut: bool, scratch: &mut Vec<u8>) -> (Frame, Meta) {
    let spec = parse_frame(&bytes);
    let check = Check {
        roce: spec.roce,
        good: matchrdma_model::icrc::good(&bytes, &spec),
        bytes: bytes.len(),
        beats: bytes.len().div_ceil(64).max(1),
        err,
        cut,
    };
    (Frame { meta: expected_meta(&bytes, scratch), check, err, cut, bytes }, spec)
}

/// The fields of the packed record `Meta`.
pub fn fields(words: &[u32]) -> Fields {
    let widths: [(&str, usize); 21] = [
        ("hdr_roce", 1),
        ("v6", 1),
        ("vlans", 2),
        ("budget", 1),
        ("ip_ok", 1),
        ("ack_req", 1),
        ("mig_req", 1),
        ("becn", 1),
        ("opcode", 8),
        ("ip_len", 16),
        ("payload", 16),
        ("vlan", 24),
        ("dest_qpn", 24),
        ("psn", 24),
        ("msn", 24),
        ("syndrome", 8),
        ("reth_len", 32),
        ("src_ip", 128),
        ("dst_ip", 128),
        ("ip", 1),
        ("mac_control", 1),
    ];
    let mut at = 0;
    let mut take = |width: usize| {
        let bit = |i: usize| u128::from(words[(at + i) / 32] >> ((at + i) % 32) & 1);
        let value = (0..width).fold(0, |v, i| v | bit(i) << i);
        at += width;
        value
    };
    widths.map(|(name, width)| (name, take(width))).to_vec()
}

/// The two devices.
pub struct Front {
    parse: matchrdma_rtl::parse::Dut,
    icrc: matchrdma_rtl::icrc::Dut,
}

impl Front {
    /// Out of reset.
    pub fn new() -> Self {
        let (mut parse, mut icrc) = (matchrdma_rtl::parse::Dut::new(), matchrdma_rtl::icrc::Dut::new());
        parse.set_rst(1);
        icrc.set_rst(1);
        for _ in 0..3 {
            parse.tick();
            icrc.tick();
        }
        parse.set_rst(0);
        icrc.set_rst(0);
        Front { parse, icrc }
    }

    /// Sends `beats` with pauses and returns what comes out, having checked what holds cycle by cycle: latencies,
    /// delimiters, zeros behind the end, and that `meta` stays.
    pub fn run(&mut self, beats: &[Beat], stall: Stall, random: &mut Random) -> Vec<Frame> {
        let mut waiting: VecDeque<&Beat> = beats.iter().collect();
        let (mut lasts, mut checks) = (VecDeque::new(), VecDeque::new());
        let (mut frames, mut frame): (VecDeque<Frame>, Option<Frame>) = Default::default();
        let mut done = vec![];
        let (mut count, mut swallow, mut quiet) = (0, false, 0);
        let mut kept: Option<[u32; 14]> = None;
        for cycle in 0u64.. {
            // in
            let beat = if stall.goes(cycle, random) { waiting.pop_front() } else { None };
            self.parse.set_s_axis_tvalid(beat.is_some().into());
            match beat {
                Some(beat) => {
                    quiet = 0;
                    self.parse.set_s_axis_tdata(beat.data);
                    self.parse.set_s_axis_tkeep(beat.keep);
                    self.parse.set_s_axis_tlast(beat.last.into());
                    self.parse.set_s_axis_tuser(beat.err.into());
                    if !swallow {
                        count += 1;
                        if beat.last || count == MAX_FRAME_BEATS {
                            lasts.push_back(cycle + PARSE_CYCLES);
                            (count, swallow) = (0, !beat.last);
                        }
                    } else {
                        swallow = !beat.last;
                    }
                }
                None => {
                    self.parse.set_s_axis_tlast(random.bits(1) as u32);
                    self.parse.set_s_axis_tuser(random.bits(1) as u32);
                    self.parse.set_s_axis_tkeep(random.u64());
                }
            }
            self.parse.settle();

            // between
            let (valid, first, last) =
                (self.parse.rail_valid() == 1, self.parse.rail_first() == 1, self.parse.rail_last() == 1);
            let (data, length) = (self.parse.rail_data(), self.parse.rail_bytes() as usize);
            let meta = self.parse.meta();
            let (err, cut) = (self.parse.rail_err() == 1, self.parse.rail_cut() == 1);
            self.icrc.set_rail_valid(valid.into());
            self.icrc.set_rail_first(first.into());
            self.icrc.set_rail_last(last.into());
            self.icrc.set_rail_data(data);
            self.icrc.set_rail_bytes(length as u32);
            self.icrc.set_rail_err(err.into());
            self.icrc.set_rail_cut(cut.into());
            self.icrc.set_meta(meta);
            self.icrc.settle();
            if valid {
                quiet = 0;
                assert_eq!(first, frame.is_none(), "cycle {cycle}: rail_first");
                let frame_now = frame.get_or_insert_with(|| Frame { meta: fields(&meta), ..Frame::default() });
                if first {
                    kept = Some(meta);
                }
                assert!(length == 64 || last, "cycle {cycle}: {length} bytes in the middle");
                let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
                assert!(bytes[length..].iter().all(|b| *b == 0), "cycle {cycle}: bytes behind the end");
                frame_now.bytes.extend(&bytes[..length]);
                if last {
                    assert_eq!(lasts.pop_front(), Some(cycle), "cycle {cycle}: rail_last comes at its time");
                    checks.push_back(cycle + JUDGE_CYCLES);
                    (frame_now.err, frame_now.cut) = (err, cut);
                    frames.push_back(frame.take().unwrap());
                }
            }
            if let Some(kept) = kept {
                assert!(kept == meta, "cycle {cycle}: meta stays until the next first beat");
            }

            // out
            assert_eq!(self.icrc.check_valid() == 1, checks.front() == Some(&cycle), "cycle {cycle}: check_valid");
            if checks.front() == Some(&cycle) {
                checks.pop_front();
                let mut judged = frames.pop_front().unwrap();
                let roce = self.icrc.roce() == 1;
                judged.check = Check {
                    roce,
                    good: roce && self.icrc.good() == 1,
                    bytes: self.icrc.bytes() as usize,
                    beats: self.icrc.beats() as usize,
                    err: self.icrc.err() == 1,
                    cut: self.icrc.cut() == 1,
                };
                done.push(judged);
            }
            self.parse.rise();
            self.icrc.rise();
            quiet += 1;
            if waiting.is_empty() && quiet > 2 * (PARSE_CYCLES + JUDGE_CYCLES) {
                break;
            }
        }
        assert!(frame.is_none() && lasts.is_empty() && checks.is_empty(), "everything has left");
        done
    }

    /// Sends `beats` and compares every frame with what the spec, the model and an independent CRC say.
    pub fn check(&mut self, beats: &[Beat], stall: Stall, random: &mut Random) -> usize {
        let seen = self.run(beats, stall, random);
        let frames = frames_of(beats);
        assert_eq!(seen.len(), frames.len(), "frames");
        let (mut scratch, mut good) = (vec![], 0);
        for (number, (seen, (bytes, err, cut))) in seen.into_iter().zip(frames).enumerate() {
            let (want, spec) = expected(bytes, err, cut, &mut scratch);
            if want.check.roce {
                let end = usize::from(spec.l3_offset) + usize::from(spec.ip_len);
                let stored = u32::from_le_bytes(want.bytes[end - 4..end].try_into().unwrap());
                let icrc = super::frames::icrc(&want.bytes, spec.l3_offset.into(), spec.ip_len.into());
                assert_eq!(want.check.good, icrc == stored && spec.ip_ok, "frame {number}: the two references");
                good += usize::from(want.check.good);
            }
            let differences = seen.differences(&want);
            assert!(differences.is_empty(), "frame {number} of {} bytes: {}", want.bytes.len(), differences.join("; "));
        }
        good
    }
}
