//! The gateway as OpenNIC's plugin, in both of its boxes.

use super::boxes::box_322;
use super::whole::{in_box, overflow};

in_box!(opennic_322, crate::shell::boxes::box_322, true);
// the shell's adapter drops frames with an error by itself
in_box!(opennic_250, crate::shell::boxes::box_250, false);

#[test]
fn what_the_queue_from_the_line_cannot_hold_is_lost_whole_and_counted() {
    overflow(box_322());
}
