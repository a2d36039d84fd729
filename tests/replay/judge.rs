//! The judge of the other tests can fail: each thing it looks for is planted in a good result.

use crate::harness::replayed::{vector, Replayed};
use crate::harness::roce;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Replays a capture, spoils what came out, and judges it.
fn refuses(what: &str, spoil: impl Fn(&mut Replayed)) {
    let mut replayed = Replayed::new(&vector("write-16k-mtu1024.pcap"), &["--engine", "model"]);
    replayed.judge();
    spoil(&mut replayed);
    let judged = catch_unwind(AssertUnwindSafe(|| replayed.judge()));
    assert!(judged.is_err(), "{what} went unseen");
}

/// Where the first pseudo-ACK stands in what left the client port.
fn built(replayed: &Replayed) -> usize {
    replayed.outcome.played.built_at[0] as usize
}

/// Changes a byte of the first pseudo-ACK, with or without a right ICRC behind it.
fn byte(replayed: &mut Replayed, at: usize, seal: bool) {
    let n = built(replayed);
    let frame = &mut replayed.client[n].frame;
    frame[at] ^= 1;
    if seal {
        roce::seal(frame);
    }
}

#[test]
fn it_sees_every_field_of_a_pseudo_ack() {
    let fields = [
        ("the destination MAC", 5, true),
        ("the source MAC", 11, true),
        ("the TTL", 22, true),
        ("the IPv4 checksum", 24, true),
        ("the source address", 29, true),
        ("the destination address", 33, true),
        ("the UDP source port", 35, true),
        ("the opcode", 42, true),
        ("the P_Key", 45, true),
        ("the queue pair", 49, true),
        ("AckReq", 50, false),
        ("the PSN", 53, true),
        ("the syndrome", 54, true),
        ("the MSN", 57, true),
        ("the ICRC", 60, false),
    ];
    for (what, at, seal) in fields {
        refuses(what, |r| byte(r, at, seal));
    }
}

#[test]
fn it_sees_frames_that_are_changed_lost_swapped_or_made_up() {
    refuses("a changed frame on the line", |r| r.line[20].frame[70] ^= 1);
    refuses("a lost frame on the line", |r| drop(r.line.remove(20)));
    refuses("two swapped frames on the line", |r| r.line.swap(20, 21));
    refuses("a frame twice on the line", |r| {
        let again = r.line[20].clone();
        r.line.insert(21, again);
    });
    refuses("a changed frame to the client", |r| r.client[0].frame[70 - 14] ^= 1);
    refuses("a pseudo-ACK that is not there", |r| {
        let n = built(r);
        r.client.remove(n);
        r.outcome.played.built_at.pop();
    });
    refuses("a pseudo-ACK said twice", |r| {
        let n = built(r);
        let again = r.client[n].clone();
        r.client.insert(n, again);
        let last = r.outcome.played.built_at.last().unwrap() + 1;
        r.outcome.played.built_at.push(last);
        r.outcome.report.pseudo_acks += 1;
        r.outcome.report.frames_out_client += 1;
    });
    refuses("ACKs that go backwards", |r| {
        let n = built(r);
        let (a, b) = (r.client[n].frame.clone(), r.client[n + 1].frame.clone());
        (r.client[n].frame, r.client[n + 1].frame) = (b, a);
    });
    refuses("an ACK that leaves before its request", |r| {
        let n = *r.outcome.played.built_at.last().unwrap() as usize;
        r.client[n].time_ns = 0;
    });
}
