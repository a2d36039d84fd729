//! What waits inside a gateway, as seen from outside: requests that went in and have not come out.

use matchrdma_spec::wire::opcode;
use matchrdma_spec::wire::packet::parse_frame;
use std::collections::VecDeque;

/// The requests of one path. They leave in the order they came in; what one overtakes was refused.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    requests: VecDeque<(u32, u32, u64)>,
    bytes: u64,
}

impl Waiting {
    fn key(frame: &[u8]) -> Option<(u32, u32)> {
        let m = parse_frame(frame);
        (m.roce && opcode::is_request(m.opcode)).then_some((m.dest_qpn, m.psn))
    }

    /// A frame went in.
    pub fn enter(&mut self, frame: &[u8]) {
        if let Some((qpn, psn)) = Self::key(frame) {
            self.requests.push_back((qpn, psn, frame.len() as u64));
            self.bytes += frame.len() as u64;
        }
    }

    /// A frame came out.
    pub fn leave(&mut self, frame: &[u8]) {
        let Some((qpn, psn)) = Self::key(frame) else { return };
        let Some(at) = self.requests.iter().position(|r| (r.0, r.1) == (qpn, psn)) else { return };
        self.bytes -= self.requests.drain(..=at).map(|r| r.2).sum::<u64>();
    }

    /// Frame bytes that wait, those of refused frames included until a later one leaves.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{write, End, Write};

    #[test]
    fn what_is_overtaken_was_refused() {
        let (near, far) = (End { mac: 1, ip: 1, qpn: 1 }, End { mac: 2, ip: 2, qpn: 2 });
        let request =
            |psn| write(near, far, psn, true, Write { first: true, last: true, message_bytes: 4, payload: 4 });
        let mut waiting = Waiting::default();
        (0..4).for_each(|psn| waiting.enter(&request(psn)));
        let each = request(0).len() as u64;
        waiting.leave(&request(0));
        assert_eq!(waiting.bytes(), 3 * each);
        waiting.leave(&request(2));
        assert_eq!(waiting.bytes(), each);
        waiting.leave(&request(9));
        assert_eq!(waiting.bytes(), each);
    }
}
