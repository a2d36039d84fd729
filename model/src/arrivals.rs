//! Inbound, beside 3: **arrivals**. From the line port, to the budget rail.
//!
//! In: a frame, and where its source leads. Out: what the rail hears of it. Gates: `hdl/src/inbound/arrivals.rs`.
//! Register: `PACER_OVERHEAD`.

use crate::parse::Arrival;
use matchrdma_spec::params::{MAX_FRAME_BYTES, PATHS};
use matchrdma_spec::wire::budget;

/// What the budget rail hears of a frame from the line, whatever becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing: it is of no path, and no budget.
    Nothing,
    /// So many bytes of a path came, overhead included.
    Came(usize, u64),
    /// A budget frame, damaged or of a wrong length or not.
    Budget(bool),
}

/// What is told of a frame, whose source leads to a queue.
pub fn told(arrival: &Arrival, queue: usize, frame: &[u8], overhead: u8) -> Told {
    if arrival.meta.budget {
        Told::Budget(arrival.err || frame.len() != budget::BYTES)
    } else if queue < PATHS {
        Told::Came(queue, frame.len().min(MAX_FRAME_BYTES) as u64 + u64::from(overhead))
    } else {
        Told::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::params::QUEUE_BYPASS;

    #[test]
    fn a_refused_frame_has_come_too_and_a_budget_frame_is_of_no_path() {
        let mut frame = vec![0; 9600];
        let arrival = Arrival::new(&frame, true);
        assert_eq!(told(&arrival, 5, &frame, 24), Told::Came(5, 9624));
        assert_eq!(told(&arrival, QUEUE_BYPASS, &frame, 24), Told::Nothing);
        frame.push(0);
        assert_eq!(told(&Arrival::new(&frame, false), 5, &frame, 24), Told::Came(5, 9624), "cut");
        let mut frame = vec![0; budget::BYTES];
        frame[12..14].copy_from_slice(&[0x88, 0xb5]);
        frame[14..18].copy_from_slice(&budget::MAGIC_VALUE.to_be_bytes());
        assert_eq!(told(&Arrival::new(&frame, false), 16, &frame, 24), Told::Budget(false));
        assert_eq!(told(&Arrival::new(&frame, true), 16, &frame, 24), Told::Budget(true));
        frame.push(0);
        assert_eq!(told(&Arrival::new(&frame, false), 16, &frame, 24), Told::Budget(true));
    }
}
