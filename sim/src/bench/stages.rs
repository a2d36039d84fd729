//! Where the cycles of a pseudo-ACK go: each stage verilated by itself, and measured.

use serde::Serialize;

/// A part of the way from a request to its pseudo-ACK.
#[derive(Clone, Serialize)]
pub struct Stage {
    /// What it is.
    pub stage: &'static str,
    /// From what goes in to what comes out.
    pub cycles: u64,
}

/// Each stage that can be measured by itself, and what is left of the whole for the builder of the frame.
pub fn stages(whole: u64) -> Vec<Stage> {
    const FAR: u64 = 1000;
    /// An ACK that was asked for, as the record's bits lie: kind 1, req.
    const INTENT: [u32; 3] = [0b1001, 0, 0];
    let until = |mut done: Box<dyn FnMut() -> bool>| (0..FAR).find(|_| done()).unwrap_or(FAR);
    let front = {
        let mut dut = matchrdma_rtl::front::Dut::new();
        dut.set_rst(1);
        (0..20).for_each(|_| dut.tick());
        dut.set_rst(0);
        (0..40).for_each(|_| dut.tick());
        dut.set_s_axis_tvalid(1);
        dut.set_s_axis_tlast(1);
        dut.set_s_axis_tkeep(u64::MAX);
        until(Box::new(move || {
            dut.settle();
            let valid = dut.check_valid() == 1;
            dut.rise();
            dut.set_s_axis_tvalid(0);
            valid
        }))
    };
    let verdict = {
        let mut dut = matchrdma_rtl::track::Dut::new();
        dut.set_op_valid(1);
        until(Box::new(move || {
            dut.settle();
            let valid = dut.verdict_valid() == 1;
            dut.rise();
            dut.set_op_valid(0);
            valid
        }))
    };
    let departure = {
        let mut dut = matchrdma_rtl::departure::Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        dut.set_ack_on_arrival(1);
        dut.tick();
        dut.set_commit_valid(1);
        dut.set_commit_intent(INTENT);
        until(Box::new(move || {
            dut.settle();
            let valid = dut.line_intent_valid() == 1;
            dut.rise();
            dut.set_commit_valid(0);
            valid
        }))
    };
    let arbiter = {
        let mut dut = matchrdma_rtl::arbiter::Dut::new();
        dut.set_rst(1);
        dut.tick();
        dut.set_rst(0);
        dut.set_m_axis_client_tready(1);
        dut.set_ack_share_log2(4);
        dut.set_ack_valid(1);
        dut.set_ack_last(1);
        dut.set_ack_bytes(62);
        until(Box::new(move || {
            dut.settle();
            let valid = dut.m_axis_client_tvalid() == 1;
            dut.rise();
            valid
        }))
    };
    let known = front + verdict + departure + arbiter;
    vec![
        Stage { stage: "front: parse, ICRC, flow and route, to the op", cycles: front },
        Stage { stage: "track: the verdict", cycles: verdict },
        Stage { stage: "departure: the intent in its queue", cycles: departure },
        Stage {
            stage: "pseudo_ack: context, ready queue, frame, ICRC (what is left of the whole)",
            cycles: whole.saturating_sub(known),
        },
        Stage { stage: "arbiter: on the client port", cycles: arbiter },
    ]
}
