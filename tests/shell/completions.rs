//! What Corundum wants of an application besides, as checks that see every edge: what it tells the host of. Each names where the
//! shell says so: file and line of corundum/corundum at 1ca0151b.

use super::rules::{broken, Check, Rules};
use std::collections::VecDeque;

/// What every shell wants, in Corundum's words.
pub const CORUNDUM: Rules = Rules {
    no_pause: "what the application sends goes to the MAC as it comes; the queue before it gives whole frames \
               (fpga/common/rtl/mqnic_port_tx.v:447, 510-515, cmac_pad.v:73)",
    steady: "a beat that is offered stays until tready (AXI4-Stream; fpga/common/rtl/cmac_pad.v:73-76)",
    keep: "data begins at lane 0 and has no holes: the first 60 lanes are filled up (fpga/common/rtl/cmac_pad.v:68-72)",
    no_error:
        "tuser bit 0 marks an invalid frame, and no such frame is sent (docs/source/modules/mqnic_app_block.rst:697)",
    axil:
        "each access is answered once, and stands until it is taken (docs/source/modules/mqnic_app_block.rst:356-358)",
};
/// Completions.
pub const TOLD: &str = "each frame of the host's is completed once, with its tag, or its queue waits for good \
                        (docs/source/modules/mqnic_app_block.rst:43-52)";
/// And of no other frames.
pub const OURS: &str = "a completion of a frame that the host did not send is not the host's \
                        (docs/source/modules/mqnic_app_block.rst:43-52)";
/// The MAC's word cannot wait: its queue is the MAC's own.
pub const TAKEN: &str = "a completion of the MAC is taken (fpga/common/rtl/mqnic_port_tx.v:182-185)";
/// The host's frames must be taken.
pub const HOST_TX: &str = "what the host sends is taken (fpga/common/rtl/mqnic_port_tx.v:503-506)";
/// And it is brought none of ours in pieces.
pub const HOST_RX: &str = "the host is given whole frames only (fpga/common/rtl/mqnic_port_rx.v:214-219)";
/// A MAC has no way to wait.
pub const RX: &str = "tready of a receive side is not looked at (docs/source/modules/mqnic_app_block.rst:265-267)";

/// Cycles in which a frame of the host's must move on.
const PATIENCE: u32 = 1000;

/// One port's completions.
#[derive(Default)]
pub struct Completions {
    /// Tags of the host's frames that nobody has told it of.
    open: VecDeque<u32>,
    waiting: Option<u32>,
    since: u32,
    /// How many it was told of.
    pub told: u64,
}

/// A port of the host's at an edge.
#[derive(Clone, Copy, Default)]
pub struct Host {
    /// It offers a beat, whether that is taken, whether it is the last, its tag.
    pub offers: bool,
    pub taken: bool,
    pub last: bool,
    pub tag: u32,
    /// What it is told of, and whether it takes that.
    pub told: Option<u32>,
    pub ready: bool,
}

impl Completions {
    /// A rising edge.
    pub fn edge(&mut self, host: Host) -> Check {
        if self.waiting.is_some() && host.told != self.waiting {
            return broken(TOLD, "a completion went away or changed while it waited");
        }
        self.waiting = host.told.filter(|_| !host.ready);
        if let Some(tag) = host.told.filter(|_| host.ready) {
            match self.open.pop_front() {
                None => return broken(OURS, &format!("tag {tag:#x}")),
                Some(sent) if sent != tag => return broken(TOLD, &format!("tag {tag:#x} of {sent:#x}")),
                Some(_) => self.told += 1,
            }
        } else if host.told.is_some() && self.open.is_empty() {
            return broken(OURS, &format!("tag {:#x}", host.told.unwrap_or_default()));
        }
        let moved = host.offers && host.offers == host.taken || host.told.is_some() && host.ready;
        if host.offers && host.taken && host.last {
            self.open.push_back(host.tag);
        }
        let waits = host.offers || !self.open.is_empty();
        self.since = if moved || !waits || host.told.is_some() && !host.ready { 0 } else { self.since + 1 };
        if self.since > PATIENCE {
            return if host.offers { broken(HOST_TX, "nothing moves") } else { broken(TOLD, "nobody tells it") };
        }
        Ok(())
    }
}

/// Levels at an edge: a MAC's completion is taken, what is received is taken, and the host is brought nothing.
pub fn levels(cpl_ready: u32, rx_ready: u32, rx_valid: u32) -> Check {
    if cpl_ready != 3 {
        return broken(TAKEN, &format!("ready {cpl_ready:#b}"));
    }
    if rx_ready != 3 {
        return broken(RX, &format!("tready {rx_ready:#b}"));
    }
    if rx_valid != 0 {
        return broken(HOST_RX, &format!("tvalid {rx_valid:#b}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(tag: u32) -> Host {
        Host { offers: true, taken: true, last: true, tag, ..Host::default() }
    }

    fn told(tag: u32, ready: bool) -> Host {
        Host { told: Some(tag), ready, ..Host::default() }
    }

    fn run(steps: &[Host]) -> Check {
        let mut port = Completions::default();
        steps.iter().try_for_each(|host| port.edge(*host))
    }

    #[test]
    fn the_host_is_told_of_its_frames_once_each_in_order() {
        let quiet = Host::default();
        assert_eq!(
            run(&[sent(7), told(7, false), told(7, true), quiet, sent(7), sent(8), told(7, true), told(8, true)]),
            Ok(())
        );
        assert!(run(&[sent(7), told(8, true)]).unwrap_err().contains(TOLD));
        assert!(run(&[sent(7), told(7, false), quiet]).unwrap_err().contains("went away"));
        assert!(run(&[sent(7), told(7, true), told(7, true)]).unwrap_err().contains(OURS));
        assert!(run(&[told(0, false)]).unwrap_err().contains(OURS));
        assert!(run(&[told(0, true)]).unwrap_err().contains(OURS));
    }

    #[test]
    fn a_host_that_waits_for_good_is_seen() {
        let mut steps = vec![sent(3)];
        steps.extend(vec![Host::default(); 2 * PATIENCE as usize]);
        assert!(run(&steps).unwrap_err().contains("nobody tells it"));
        let stuck = Host { taken: false, ..sent(3) };
        assert!(run(&vec![stuck; 2 * PATIENCE as usize]).unwrap_err().contains(HOST_TX));
    }

    #[test]
    fn levels_that_are_wrong_are_seen() {
        assert_eq!(levels(3, 3, 0), Ok(()));
        assert!(levels(1, 3, 0).unwrap_err().contains(TAKEN));
        assert!(levels(3, 2, 0).unwrap_err().contains(RX));
        assert!(levels(3, 3, 1).unwrap_err().contains(HOST_RX));
    }
}
