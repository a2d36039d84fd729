//! Widths, counts, fixed-point formats and defaults, each with its unit.
//!
//! Source: `docs/decisions.md` and the design's tables of numbers; nothing here is from a standard unless it says so.

/// Width of the datapath, bits.
pub const DATA_BITS: usize = 512;
/// Width of the datapath, bytes: byte `i` of a frame is `tdata[8*i+7:8*i]` of its beat.
pub const BEAT_BYTES: usize = DATA_BITS / 8;

/// Flows (queue pair directions) with state of their own.
pub const FLOWS: usize = 1 << FLOW_BITS;
/// Width of a flow index, bits.
pub const FLOW_BITS: usize = 12;
/// Banks of the flow key table, read at once; a key may lie in one row of each.
pub const FLOW_BANKS: usize = 4;
/// Rows of one bank of the flow key table.
pub const FLOW_ROWS: usize = 1 << FLOW_ROW_BITS;
/// Width of a row number, bits.
pub const FLOW_ROW_BITS: usize = 11;
/// Paths: one queue and one budget each.
pub const PATHS: usize = 16;
/// Width of a path number, bits.
pub const PATH_BITS: usize = 4;
/// Queues towards the line: one per path, and the last for what no route leads to a path.
pub const QUEUES: usize = PATHS + 1;
/// Width of a queue number, bits.
pub const QUEUE_BITS: usize = 5;
/// The queue of what no route leads to a path.
pub const QUEUE_BYPASS: usize = PATHS;
/// Prefixes of the route table.
pub const PREFIXES: usize = 64;
/// Range starts that the prefixes are flattened into: two for each.
pub const ROUTE_STARTS: usize = 2 * PREFIXES;
/// Entries of a path's calendar.
pub const CALENDAR_ENTRIES: usize = 256;

/// Packet memory of one direction, beats (1 MiB).
pub const RING_BEATS: usize = 16384;
/// Packet memory of one direction, bytes.
pub const RING_BYTES: usize = RING_BEATS * BEAT_BYTES;
/// Frames that one direction's packet memory can describe at once.
pub const DESCRIPTORS: usize = 4096;
/// Packet memory towards the client for what is not RoCE, beats (64 KiB).
pub const REST_BEATS: usize = 1 << REST_BEATS_LOG2;
/// The same, as log2.
pub const REST_BEATS_LOG2: usize = 10;
/// Frames that it can describe at once.
pub const REST_DESCRIPTORS: usize = 1 << REST_DESCRIPTORS_LOG2;
/// The same, as log2.
pub const REST_DESCRIPTORS_LOG2: usize = 9;
/// Beats that wait on chip, of each class, for their verdict and for the port of external memory (64 KiB).
pub const STAGE_BEATS: usize = 1 << STAGE_BEATS_LOG2;
/// The same, as log2.
pub const STAGE_BEATS_LOG2: usize = 10;
/// Smallest ring of external memory, KiB as log2: three frames of maximum size.
pub const MEMORY_RING_KIB_LOG2_MIN: u64 = 5;
/// Largest ring of external memory, KiB as log2: 4 GiB.
pub const MEMORY_RING_KIB_LOG2_MAX: u64 = 22;
/// Status of external memory: it is not enabled.
pub const MEMORY_OFF: u64 = 0;
/// It is used.
pub const MEMORY_ON: u64 = 1;
/// Refused: a ring does not begin at a multiple of 1 KiB.
pub const MEMORY_MISALIGNED: u64 = 2;
/// Refused: a ring ends behind the memory.
pub const MEMORY_SMALL: u64 = 3;
/// Refused, or over: the memory is not calibrated.
pub const MEMORY_NOT_READY: u64 = 4;
/// Refused: frames are still held where the rings were.
pub const MEMORY_HOLDS: u64 = 5;
/// Refused: a ring is smaller or larger than rings may be.
pub const MEMORY_SIZE: u64 = 6;
/// Refused: the rings overlap.
pub const MEMORY_OVERLAP: u64 = 7;
/// Pages of the packet memory towards the line: of beats, and as many of descriptors.
pub const PAGES: usize = 256;
/// Page of packet memory, beats (4 KiB).
pub const PAGE_BEATS: usize = RING_BEATS / PAGES;
/// Page of packet memory, descriptors.
pub const PAGE_DESCRIPTORS: usize = DESCRIPTORS / PAGES;
/// Pages that each queue towards the line is guaranteed.
pub const QUEUE_PAGES: usize = 6;
/// Pages beyond their guarantees that all queues may hold together and still be given more.
pub const SHARED_PAGES: usize = 132;
/// A queue that may go on leaves the line to others after so many beats, whole frames.
pub const QUANTUM_BEATS: usize = 8;
/// Longest frame carried, bytes, without FCS; a longer one is dropped whole and counted.
pub const MAX_FRAME_BYTES: usize = 9600;
/// Longest frame carried, beats.
pub const MAX_FRAME_BEATS: usize = MAX_FRAME_BYTES.div_ceil(BEAT_BYTES);
/// Shortest frame a MAC delivers, bytes, without FCS (IEEE 802.3 clause 3 less the FCS).
pub const MIN_FRAME_BYTES: usize = 60;

/// Shortest slot, as log2 of core clock cycles.
pub const SLOT_K_MIN: u32 = 10;
/// Shortest slot with live budgets, as log2 of core clock cycles: the law for 16 paths is done within it.
pub const SLOT_K_LIVE_MIN: u32 = 11;
/// Longest slot, as log2 of core clock cycles.
pub const SLOT_K_MAX: u32 = 20;
/// Slot out of reset, as log2 of core clock cycles (131 us at 250 MHz).
pub const SLOT_K_DEFAULT: u32 = 15;

/// Core clock of the 250 MHz variant, Hz.
pub const CLOCK_HZ_250: u64 = 250_000_000;
/// Core clock of the 322 MHz variant, Hz (the CMAC's own clock).
pub const CLOCK_HZ_322: u64 = 322_265_625;
/// Core clock out of the box, Hz.
pub const CLOCK_HZ: u64 = CLOCK_HZ_250;
/// Rate of each port, bits per second.
pub const LINE_BPS: u64 = 100_000_000_000;

/// Bytes a frame costs on a port beside its own: FCS 4, preamble 8, gap 12 (IEEE 802.3).
pub const OVERHEAD_BYTES: u32 = 24;
/// Depth of a path's token bucket out of reset, bytes: at least the longest frame with its overhead.
pub const BURST_DEFAULT_BYTES: u32 = 16384;
/// Period of the rate unit on the wire, ns: rates in budget frames are bytes per 2^20 ns.
pub const WIRE_RATE_PERIOD_NS: u64 = 1 << 20;
/// Rate of one port, bytes per slot, at slot `k` and core clock `clock_hz`, rounded down.
pub const fn line_bytes_per_slot(k: u32, clock_hz: u64) -> u32 {
    (((LINE_BPS as u128 / 8) << k) / clock_hz as u128) as u32
}
/// Length of a slot of `2^k` cycles of `clock_hz`, ps, rounded down.
pub const fn slot_ps(k: u32, clock_hz: u64) -> u64 {
    ((1_000_000_000_000u128 << k) / clock_hz as u128) as u64
}

/// Pseudo-ACKs take at most one part in this many of the client output.
pub const ACK_SHARE: u32 = 1 << ACK_SHARE_LOG2_DEFAULT;
/// The same, as log2.
pub const ACK_SHARE_LOG2_DEFAULT: u32 = 4;

/// Width of a packet sequence number, bits (IBTA 1.6, 9.2); sequence arithmetic is modulo 2^24.
pub const PSN_BITS: usize = 24;
/// Largest packet sequence number.
pub const PSN_MASK: u32 = (1 << PSN_BITS) - 1;
/// A PSN further than this from the expected one drains the flow.
pub const PSN_WINDOW: u32 = 1 << 16;
/// While a flow's path MTU is unknown, a READ longer than this many bytes drains it
/// (the smallest path MTU of IBTA 1.6, 9.2: a shorter READ takes one PSN whatever the MTU).
pub const READ_UNKNOWN_MTU_MAX_BYTES: u32 = 256;

/// A gap in the PSNs open for longer drains the flow, ns.
pub const GAP_TIMEOUT_NS: u64 = 10_000_000;
/// A flow idle for longer with no debt returns to Sync, ns.
pub const FLOW_IDLE_NS: u64 = 100_000_000;
/// Debt older than this is a fault, ns.
pub const DEBT_TIMEOUT_NS: u64 = 1_000_000_000;
/// Least spacing of CNPs to one flow's sender, ns.
pub const CNP_SPACING_NS: u64 = 50_000;
/// Lease of a budget, slots.
pub const LEASE_SLOTS: u32 = 32;

const _: () = assert!(FLOW_BANKS * FLOW_ROWS >= 2 * FLOWS, "cuckoo placement wants half the rows free");
const _: () = assert!(PATHS == 1 << PATH_BITS);
const _: () = assert!(QUEUES == 17 && QUEUES <= 1 << QUEUE_BITS);
const _: () = assert!(MAX_FRAME_BEATS == 150);
const _: () = assert!(RING_BYTES == 1 << 20);
const _: () = assert!(BURST_DEFAULT_BYTES as usize >= MAX_FRAME_BYTES + OVERHEAD_BYTES as usize);
const _: () = assert!(line_bytes_per_slot(SLOT_K_DEFAULT, CLOCK_HZ_250) == 1_638_400);

/// Bins of a histogram: bin `b` counts values from 2^b to 2^(b+1) - 1, bin 0 the value 0 too, the last all above.
pub const HISTOGRAM_BINS: usize = 32;
/// An acknowledgement that is sampled for its latency is given up after this many cycles, and counted in the last bin.
pub const LATENCY_GIVE_UP_CYCLES: u64 = 1 << 24;

/// The bin of a value.
pub const fn histogram_bin(value: u64) -> usize {
    match value {
        0 => 0,
        _ => {
            let bin = value.ilog2() as usize;
            if bin < HISTOGRAM_BINS - 1 {
                bin
            } else {
                HISTOGRAM_BINS - 1
            }
        }
    }
}
