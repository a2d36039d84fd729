use super::*;
use matchrdma_spec::wire::cm::ATTRIBUTE_RTU;
use matchrdma_spec::wire::packet::parse_frame;
use matchrdma_spec::wire::{eth, icrc, ipv4, opcode, udp};

/// A frame from `from` to `to` with a management datagram in it.
fn frame(from: u32, to: u32, attribute: u16, message: &[u8]) -> Vec<u8> {
    let ip_at = eth::BYTES;
    let mad_at = ip_at + ipv4::BYTES + udp::BYTES + bth::BYTES + deth::BYTES;
    let mut frame = vec![0; mad_at + mad::MAD_BYTES + icrc::BYTES];
    let ip_len = frame.len() - ip_at;
    eth::Eth { ethertype: eth::TYPE_IPV4, ..eth::Eth::default() }.emit(&mut frame);
    let ip = &mut frame[ip_at..];
    ipv4::VERSION.set(ip, ipv4::VERSION_4.into());
    ipv4::IHL.set(ip, ipv4::IHL_NO_OPTIONS.into());
    ipv4::TOTAL_LENGTH.set(ip, ip_len as u128);
    ipv4::PROTOCOL.set(ip, ipv4::PROTO_UDP.into());
    ipv4::SRC.set(ip, from.into());
    ipv4::DST.set(ip, to.into());
    let udp = &mut ip[ipv4::BYTES..];
    udp::DST_PORT.set(udp, udp::PORT_ROCE.into());
    udp::LENGTH.set(udp, (ip_len - ipv4::BYTES) as u128);
    let bth = &mut udp[udp::BYTES..];
    bth::OPCODE.set(bth, opcode::UD_SEND_ONLY.into());
    bth::DEST_QP.set(bth, mad::QP_GSI.into());
    let class = mad::Mad { class: mad::CLASS_CM, method: mad::METHOD_SEND, attribute, ..mad::Mad::default() };
    class.emit(&mut frame[mad_at..]);
    frame[mad_at + mad::BYTES..][..message.len()].copy_from_slice(message);
    frame
}

fn give(cm: &mut Cm, frame: &[u8]) {
    let meta = parse_frame(frame);
    assert!(meta.roce);
    cm.datagram(frame, &meta);
}

fn req(id: u32, qpn: u32) -> Vec<u8> {
    let mut bytes = vec![0; 52];
    CmReq { local_comm_id: id, local_qpn: qpn, path_mtu: 3, ..CmReq::default() }.emit(&mut bytes);
    bytes
}

fn rep(id: u32, to: u32, qpn: u32) -> Vec<u8> {
    let mut bytes = vec![0; 36];
    CmRep { local_comm_id: id, remote_comm_id: to, local_qpn: qpn, ..CmRep::default() }.emit(&mut bytes);
    bytes
}

fn ids(id: u32, to: u32) -> Vec<u8> {
    let mut bytes = vec![0; 8];
    CmRtu { local_comm_id: id, remote_comm_id: to }.emit(&mut bytes);
    bytes
}

#[test]
fn a_request_and_its_reply_make_a_pair_in_both_directions() {
    let mut cm = Cm::default();
    give(&mut cm, &frame(1, 2, ATTRIBUTE_REQ, &req(70, 17)));
    assert_eq!(cm.flows(), []);
    give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, 70, 18)));
    give(&mut cm, &frame(1, 2, ATTRIBUTE_RTU, &ids(70, 80)));
    let flows = cm.flows();
    let there = LearnedFlow {
        route: Route { requester: 1, responder: 2, ..Route::default() },
        requester_qpn: 17,
        responder_qpn: 18,
        mtu: Some(1024),
        source: Source::Cm,
    };
    assert_eq!(flows, [there, there.reversed()]);
}

#[test]
fn a_reply_to_another_request_or_from_elsewhere_makes_none() {
    let mut cm = Cm::default();
    give(&mut cm, &frame(1, 2, ATTRIBUTE_REQ, &req(70, 17)));
    give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, 71, 18)));
    give(&mut cm, &frame(3, 1, ATTRIBUTE_REP, &rep(80, 70, 18)));
    assert_eq!(cm.flows(), []);
}

#[test]
fn a_rejected_connection_is_none() {
    for reject in [frame(1, 2, ATTRIBUTE_REJ, &ids(70, 80)), frame(2, 1, ATTRIBUTE_REJ, &ids(80, 70))] {
        let mut cm = Cm::default();
        give(&mut cm, &frame(1, 2, ATTRIBUTE_REQ, &req(70, 17)));
        give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, 70, 18)));
        give(&mut cm, &reject);
        assert_eq!(cm.flows(), []);
    }
}

#[test]
fn a_number_in_use_again_belongs_to_the_newest_connection() {
    let mut cm = Cm::default();
    for (id, requester_qpn) in [(70, 17), (71, 19)] {
        give(&mut cm, &frame(1, 2, ATTRIBUTE_REQ, &req(id, requester_qpn)));
        give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, id, 18)));
    }
    assert_eq!(cm.flows().iter().map(|f| (f.requester_qpn, f.responder_qpn)).collect::<Vec<_>>(), [(19, 18), (18, 19)]);
}

#[test]
fn a_connection_that_ends_is_told_once_and_known_until_it_is_forgotten() {
    let mut cm = Cm::default();
    give(&mut cm, &frame(1, 2, ATTRIBUTE_REQ, &req(70, 17)));
    give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, 70, 18)));
    let mut dreq = vec![0; 12];
    CmDreq { local_comm_id: 80, remote_comm_id: 70, remote_qpn: 17, ..CmDreq::default() }.emit(&mut dreq);
    // It is repeated when its answer is lost.
    (0..3).for_each(|_| give(&mut cm, &frame(2, 1, ATTRIBUTE_DREQ, &dreq)));
    let key = cm.flows()[0].key_in();
    assert_eq!((cm.ended(), cm.ended(), cm.flows().len()), (vec![key], vec![], 2));
    cm.forget(&FlowKey { qpn: 18, ..key });
    assert_eq!(cm.flows().len(), 2, "another queue pair's");
    cm.forget(&key);
    assert_eq!(cm.flows(), []);
    // A REP that comes again late does not bring it back.
    give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, 70, 18)));
    assert_eq!(cm.flows(), []);
}

#[test]
fn other_services_and_short_messages_are_ignored() {
    let mut cm = Cm::default();
    let mut unreliable = req(70, 17);
    unreliable[43] |= 2; // service type UC
    give(&mut cm, &frame(1, 2, ATTRIBUTE_REQ, &unreliable));
    give(&mut cm, &frame(2, 1, ATTRIBUTE_REP, &rep(80, 70, 18)));
    assert_eq!(cm.flows(), []);
    let whole = frame(1, 2, ATTRIBUTE_REQ, &req(70, 17));
    let meta = parse_frame(&whole);
    for cut in 0..whole.len() {
        cm.datagram(&whole[..cut], &meta);
    }
}
