//! What the host of the differential test does to keys, settings and switches; and time.

use super::{Flow, Run};
use matchrdma_model::record::{Cfg, State};
use matchrdma_sim::configure::Host;
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::regs::flow::{mtu_code, DIR_INBOUND, DIR_OUTBOUND};

impl Run {
    fn keys_of(&self, i: usize) -> [(u32, FlowKey); 2] {
        let f = &self.flows[i];
        [(DIR_OUTBOUND, f.out.key(f.responder)), (DIR_INBOUND, f.back.key(f.requester))]
    }

    pub(super) fn add_keys(&mut self, i: usize) {
        let [out, back] = self.keys_of(i);
        let index = self.flows[i].index;
        self.model.add_flow(out.1, back.1, index);
        for (direction, key) in [out, back] {
            self.bench.add_key(direction, key, index, &mut self.random);
            self.keys.insert((direction, key), index);
        }
    }

    fn remove_keys(&mut self, i: usize) {
        let [out, back] = self.keys_of(i);
        self.model.remove_flow(&out.1, &back.1);
        for (direction, key) in [out, back] {
            self.bench.remove_key(direction, key);
            self.keys.remove(&(direction, key));
        }
    }

    /// The host starts a flow afresh.
    pub(super) fn restart(&mut self, i: usize) {
        let f = &mut self.flows[i];
        let code = mtu_code(f.mtu) as u8;
        f.cfg = Cfg {
            enable: true,
            ack_ops_write: self.random.chance(1, 4),
            mtu: self.random.pick(&[code, code, 0]),
            serial: f.cfg.serial.wrapping_add(1 + self.random.below(3) as u8),
        };
        f.owed.clear();
        f.wild = self.random.chance(1, 3);
        self.tally.count("case", "flow started afresh");
        self.set_cfg(i);
    }

    /// In force after the next commit.
    fn set_cfg(&mut self, i: usize) {
        let f = &self.flows[i];
        self.model.set_cfg(f.index, f.cfg);
        self.bench.stage_cfg(f.index, f.cfg);
    }

    pub(super) fn commit(&mut self) {
        Host::new(&mut self.bench.gates).commit().expect("the gateway takes it");
    }

    /// The host does something to a flow.
    fn host(&mut self) {
        let i = self.random.below(self.flows.len() as u64) as usize;
        // A flow that has failed is the likelier one.
        let failed = |f: &Flow| matches!(self.model.flow(f.index).state, State::Fault | State::Off);
        let from = self.random.below(self.flows.len() as u64) as usize;
        let all = (from..self.flows.len()).chain(0..from);
        let i = all.into_iter().find(|j| failed(&self.flows[*j])).filter(|_| self.random.chance(3, 4)).unwrap_or(i);
        match self.random.below(20) {
            0 => {
                self.flows[i].cfg.enable ^= true;
                self.set_cfg(i);
            }
            1 => {
                self.remove_keys(i);
                self.add_keys(i);
            }
            2 => {
                // The same serial: only how the flow is treated changes.
                self.flows[i].cfg.ack_ops_write ^= true;
                self.flows[i].cfg.enable = true;
                self.set_cfg(i);
            }
            3..=4 => {
                // Requester and responder exchange their queue pairs for others.
                self.remove_keys(i);
                self.flows[i].responder = self.random.bits(24) as u32;
                self.add_keys(i);
                self.restart(i);
                self.tally.count("case", "queue pair created anew, the host knows");
            }
            5 => {
                // A queue pair with the same number and other PSNs: nobody tells the host.
                self.flows[i].sent.clear();
                self.flows[i].owed.clear();
                self.flows[i].far_msn = self.random.bits(24) as u32;
                let expected = self.random.bits(24) as u32;
                self.ident += 1;
                self.commit();
                let made = self.request_at(i, expected);
                self.send(i, made, true, false);
                self.flush();
                self.tally.count("case", "queue pair created anew, the host does not know");
            }
            _ => self.restart(i),
        }
    }

    /// The host, or time, does something: as often to each flow whatever their number.
    pub(super) fn meddle(&mut self) {
        let flows = self.flows.len() as u64;
        let at_once = (flows / 8).max(1);
        if self.random.chance(1, 45 * at_once) {
            self.flush();
            (0..at_once).for_each(|_| self.host());
            self.commit();
            if self.random.chance(1, if self.enable { 20 } else { 2 }) {
                self.switch(!self.enable);
            }
        }
        if self.random.chance(1, 9 * flows) {
            self.flush();
            // The shorter timers run out before the longer ones, so that the order of the sweeps does not matter.
            let longest = self.random.below(20);
            let steps = [3, 11, 101, 1001, 1001].into_iter().zip([18, 10, 5, 3, 3]);
            steps.filter(|(_, odds)| longest < *odds).for_each(|(ticks, _)| self.pass(ticks));
        }
    }
}
