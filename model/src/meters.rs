//! **meters**: what is counted per flow and per queue.
//!
//! Gates: `hdl/src/host/meters.rs`. Registers: `METER`.

use matchrdma_spec::params::{FLOWS, HISTOGRAM_BINS};

/// Queues towards the line: one per path, and the bypass.
pub const QUEUES: usize = matchrdma_spec::params::QUEUES;

/// What was built for a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// A pseudo-ACK.
    Ack,
    /// A NAK of any syndrome.
    Nak,
    /// A congestion notification.
    Cnp,
}

/// The counters, as `METER_SELECT` names them: a table, and three values of each index.
#[derive(Clone, Debug)]
pub struct Meters {
    /// Frames kept, their bytes, frames dropped.
    flow_out: Vec<[u64; 3]>,
    /// ACKs, NAKs, CNPs.
    flow_said: Vec<[u64; 3]>,
    /// Frames that left, their bytes, frames refused for want of room.
    queue: [[u64; 3]; QUEUES],
    /// Acknowledgements by latency.
    ack_latency: [u64; HISTOGRAM_BINS],
    /// Looks at a flow with debt, by its age.
    debt_age: [u64; HISTOGRAM_BINS],
}

impl Default for Meters {
    fn default() -> Self {
        Meters {
            flow_out: vec![[0; 3]; FLOWS],
            flow_said: vec![[0; 3]; FLOWS],
            queue: [[0; 3]; QUEUES],
            ack_latency: [0; HISTOGRAM_BINS],
            debt_age: [0; HISTOGRAM_BINS],
        }
    }
}

impl Meters {
    /// A frame of a flow, from the client, was judged.
    pub fn out(&mut self, flow: u16, kept: bool, bytes: u16) {
        let [frames, sum, drops] = &mut self.flow_out[usize::from(flow)];
        if kept {
            *frames += 1;
            *sum += u64::from(bytes);
        } else {
            *drops += 1;
        }
    }

    /// Something was built for a flow's sender.
    pub fn said(&mut self, flow: u16, what: Said) {
        self.flow_said[usize::from(flow)][what as usize] += 1;
    }

    /// A frame started towards the line.
    pub fn left(&mut self, queue: u8, bytes: u16) {
        let [frames, sum, _] = &mut self.queue[usize::from(queue)];
        *frames += 1;
        *sum += u64::from(bytes);
    }

    /// A frame found no room.
    pub fn refused(&mut self, queue: u8) {
        self.queue[usize::from(queue)][2] += 1;
    }

    /// An acknowledgement took so many cycles, as far as log2 tells.
    pub fn latency(&mut self, bin: u8) {
        self.ack_latency[usize::from(bin)] += 1;
    }

    /// A flow's debt was so old, as far as log2 tells.
    pub fn age(&mut self, bin: u8) {
        self.debt_age[usize::from(bin)] += 1;
    }

    /// The three values of an index of a table; zeros where there is none.
    pub fn read(&self, table: u32, index: u16) -> [u64; 3] {
        use matchrdma_spec::regs::meter;
        let i = usize::from(index);
        let one = |bins: &[u64]| bins.get(i).map_or([0; 3], |count| [*count, 0, 0]);
        match table {
            meter::FLOW_OUT => self.flow_out[i],
            meter::FLOW_SAID => self.flow_said[i],
            meter::QUEUE => self.queue.get(i).copied().unwrap_or([0; 3]),
            meter::ACK_LATENCY => one(&self.ack_latency),
            meter::DEBT_AGE => one(&self.debt_age),
            _ => [0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchrdma_spec::regs::meter;

    #[test]
    fn each_event_counts_where_the_register_map_says() {
        let mut m = Meters::default();
        m.out(7, true, 100);
        m.out(7, true, 60);
        m.out(7, false, 9000);
        m.said(7, Said::Ack);
        m.said(7, Said::Cnp);
        m.left(16, 64);
        m.refused(3);
        m.latency(31);
        assert_eq!(m.read(meter::FLOW_OUT, 7), [2, 160, 1]);
        assert_eq!(m.read(meter::FLOW_SAID, 7), [1, 0, 1]);
        assert_eq!(m.read(meter::QUEUE, 16), [1, 64, 0]);
        assert_eq!(m.read(meter::QUEUE, 3), [0, 0, 1]);
        assert_eq!(m.read(meter::QUEUE, 17), [0; 3]);
        assert_eq!(m.read(meter::ACK_LATENCY, 31), [1, 0, 0]);
        assert_eq!(m.read(meter::DEBT_AGE, 31), [0; 3]);
        assert_eq!(m.read(meter::FLOW_OUT, 8), [0; 3]);
    }
}
