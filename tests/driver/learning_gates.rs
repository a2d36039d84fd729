//! The daemon that learns, on the verilated gates behind a vfio-user socket: frames come to the device's ports, and its
//! interrupt wakes the daemon.

use super::learning::{settings, NEAR, ROUTES};
use super::visit::wanted;
use crate::harness::frames;
use matchrdma::apply::host::Host;
use matchrdma::apply::record::InMemory;
use matchrdma::core::Core;
use matchrdma::daemon::decision::Decision;
use matchrdma::daemon::{Daemon, Settings};
use matchrdma::learn::Source;
use matchrdma::vfio_user::VfioUser;
use matchrdma_sim::device::served::Served;
use matchrdma_sim::device::wire::{read_frame, write_frame};
use matchrdma_sim::rtl_gateway::RtlGateway;
use matchrdma_spec::wire::packet::parse_frame;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Steps, woken by the interrupt alone, until there is something to tell.
fn woken(daemon: &mut Daemon<VfioUser, InMemory>) -> Vec<Decision> {
    let end = Instant::now() + PATIENCE;
    loop {
        assert_eq!(daemon.wait(end), Ok(true), "an interrupt");
        let said = daemon.step(Instant::now()).unwrap_or_else(|error| panic!("{error}"));
        let said: Vec<_> = said.into_iter().filter(|d| !matches!(d, Decision::Listening { .. })).collect();
        if !said.is_empty() {
            return said;
        }
    }
}

#[test]
fn a_connection_is_learnt_and_forgotten_on_the_gates() {
    let device = Served::new(Box::new(RtlGateway::new())).unwrap();
    let [socket, client, line] = ["socket", "client", "line"].map(|name| device.path(name));
    let mut host = Host::attach(Core::find(VfioUser::connect(&socket).unwrap()).unwrap(), InMemory::default()).unwrap();
    let caps = *host.core().caps();
    let plan = host.plan(&wanted(ROUTES, &caps).unwrap(), false).unwrap();
    host.apply(&plan).unwrap();
    let mut ports = [&client, &line].map(|port| {
        let port = UnixStream::connect(port).unwrap();
        port.set_read_timeout(Some(PATIENCE)).unwrap();
        port
    });
    let mut daemon = Daemon::begin(host, Settings { between: vec![], ..settings() }, Instant::now()).unwrap();
    let capture = frames::capture("rping-cm.pcap");
    // Each frame comes out of the other port before the next one goes in, so that they pass in order.
    let mut pass = |frame: &Vec<u8>| {
        let from = usize::from(parse_frame(frame).src_ip != u128::from(u32::from(NEAR)));
        write_frame(&mut ports[from], frame).unwrap();
        assert_eq!(
            read_frame(&mut ports[1 - from]).unwrap().as_ref(),
            Some(frame),
            "it is a bypass of what is no flow"
        );
    };
    // CM REQ and REP are the first two frames.
    capture[..2].iter().for_each(&mut pass);
    let said = woken(&mut daemon);
    let [Decision::Learnt { flow: 0, pair, source: Source::Cm, path: 3 }] = &said[..] else { panic!("{said:?}") };
    assert_eq!(pair, "10.9.0.1 qp 0x17 -> 10.9.0.2 qp 0x17");
    assert_eq!(daemon.host().core().flow_state(0).unwrap().state, "Sync");
    let dreq = capture.iter().find(|f| f.len() == 322 && f[78..80] == [0, 0x15]).expect("a DREQ");
    pass(dreq);
    let said = woken(&mut daemon);
    assert!(matches!(&said[..], [Decision::Gone { flow: 0, why, .. }] if why.contains("ended")), "{said:?}");
    assert_eq!(daemon.host().core().flow_state(0).unwrap().state, "Off");
    drop(daemon.end().unwrap());
    let tally = device.end();
    assert!(tally.interrupts >= 2 && tally.refused == 0, "{tally:?}");
}
