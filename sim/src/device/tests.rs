//! The device as its clients see it: over vfio-user, and at its ports.

use super::wire::{read_frame, write_frame};
use super::*;
use crate::frame::{write, Write as Packet};
use matchrdma_spec::pci::{COMMAND_MASTER, COMMAND_OFFSET, MSIX_BAR, MSIX_PENDING_OFFSET, MSIX_VECTORS, NOBODY};
use matchrdma_spec::regs::{event, id, timer, upcall, Reg};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use vfio_bindings::bindings::vfio::*;
use vfio_user::Client;
use vmm_sys_util::eventfd::{EventFd, EFD_NONBLOCK};

const BAR0: u32 = VFIO_PCI_BAR0_REGION_INDEX;
const CONFIG: u32 = VFIO_PCI_CONFIG_REGION_INDEX;
/// Device control of the PCI Express capability, where [`super::config`] has it, and its bit that resets.
const DEVICE_CONTROL: u64 = 0x58;
const FUNCTION_LEVEL_RESET: u16 = 1 << 15;
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A device in a thread of its own.
struct Rig {
    folder: TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Tally>>,
}

impl Rig {
    fn new(engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let (path, flag) = (folder.path().to_path_buf(), stop.clone());
        let (ready, is_ready) = mpsc::channel();
        let thread = thread::spawn(move || {
            let [socket, client, line] = ["socket", "client", "line"].map(|name| path.join(name));
            let device = Device::new(engine, &socket, &client, &line).unwrap();
            ready.send(()).unwrap();
            device.run(&flag)
        });
        is_ready.recv().unwrap();
        Rig { folder, stop, thread: Some(thread) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn driver(&self) -> Driver {
        Driver(Client::new(&self.path("socket")).unwrap())
    }

    fn port(&self, name: &str) -> UnixStream {
        let stream = UnixStream::connect(self.path(name)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn end(mut self) -> Tally {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().unwrap();
        thread.thread().unpark();
        let tally = thread.join().unwrap();
        let left: Vec<_> = fs::read_dir(self.folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert!(left.is_empty(), "sockets left behind: {left:?}");
        tally
    }
}

struct Driver(Client);

impl Driver {
    fn read(&mut self, reg: &Reg) -> u32 {
        self.word(BAR0, reg.offset.into())
    }

    fn word(&mut self, region: u32, offset: u64) -> u32 {
        let mut word = [0; 4];
        self.0.region_read(region, offset, &mut word).unwrap();
        u32::from_le_bytes(word)
    }

    fn write(&mut self, reg: &Reg, value: u32) {
        self.0.region_write(BAR0, reg.offset.into(), &value.to_le_bytes()).unwrap();
    }

    fn config(&mut self, offset: u64) -> u16 {
        self.word(CONFIG, offset) as u16
    }

    fn set_config(&mut self, offset: u64, value: u16) {
        self.0.region_write(CONFIG, offset, &value.to_le_bytes()).unwrap();
    }

    /// Messages go to this from now on.
    fn vector(&mut self) -> EventFd {
        let eventfd = EventFd::new(EFD_NONBLOCK).unwrap();
        let flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
        self.0.set_irqs(VFIO_PCI_MSIX_IRQ_INDEX, flags, 0, 1, &[eventfd.as_raw_fd()]).unwrap();
        eventfd
    }
}

fn within_patience(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn its_registers_are_those_of_the_core_and_its_writes_never_fail() {
    let rig = Rig::new(Engine::Model);
    let mut driver = rig.driver();
    assert_eq!(driver.0.region(BAR0).unwrap().size, matchrdma_spec::pci::BAR0_BYTES);
    assert_eq!(driver.0.get_irq_info(VFIO_PCI_MSIX_IRQ_INDEX).unwrap().count, u32::from(MSIX_VECTORS));
    assert_eq!(driver.read(&id::MAGIC), id::MAGIC_VALUE);
    driver.write(&id::SCRATCH, 0x0123_4567);
    assert_eq!(driver.read(&id::SCRATCH), 0x0123_4567);
    // Reads of other widths, and of many words.
    let mut two = [0; 2];
    driver.0.region_read(BAR0, u64::from(id::SCRATCH.offset) + 1, &mut two).unwrap();
    assert_eq!(two, [0x45, 0x23]);
    let mut eight = [0; 8];
    driver.0.region_read(BAR0, 0, &mut eight).unwrap();
    assert_eq!(eight[..4], id::MAGIC_VALUE.to_le_bytes());
    assert_eq!(eight[4..], id::VERSION_VALUE.to_le_bytes());
    // What the core refuses is lost, reads as ones, and does no harm.
    driver.write(&id::MAGIC, 0);
    assert_eq!(driver.word(BAR0, 0x3400), NOBODY);
    driver.0.region_write(BAR0, u64::from(id::SCRATCH.offset) + 1, &[9]).unwrap();
    driver.0.region_write(BAR0, 0xffff, &[9, 9, 9, 9]).unwrap();
    let mut over_the_end = [0; 8];
    driver.0.region_read(BAR0, 0xfffc, &mut over_the_end).unwrap();
    assert_eq!(over_the_end[4..], [0xff; 4]);
    assert_eq!((driver.read(&id::MAGIC), driver.read(&id::SCRATCH)), (id::MAGIC_VALUE, 0x0123_4567));
    // A write of many words goes in address order.
    driver.0.region_write(BAR0, u64::from(id::SCRATCH.offset), &7u32.to_le_bytes()).unwrap();
    assert_eq!(driver.read(&id::SCRATCH), 7);
    drop(driver);
    let tally = rig.end();
    assert_eq!((tally.writes, tally.refused, tally.resets), (3, 2, 0), "{tally:?}");
}

#[test]
fn a_client_that_leaves_takes_nothing_with_it() {
    let rig = Rig::new(Engine::Model);
    let mut driver = rig.driver();
    driver.write(&id::SCRATCH, 5);
    driver.set_config(COMMAND_OFFSET, COMMAND_MASTER);
    drop(driver);
    let mut driver = rig.driver();
    assert_eq!(driver.read(&id::SCRATCH), 5);
    assert_eq!(driver.config(COMMAND_OFFSET) & COMMAND_MASTER, 0, "but for its right to the bus");
    drop(driver);
    rig.end();
}

#[test]
fn both_resets_reset_the_core() {
    let rig = Rig::new(Engine::Model);
    let mut driver = rig.driver();
    for way in 0..2 {
        driver.write(&id::SCRATCH, 5);
        driver.set_config(COMMAND_OFFSET, COMMAND_MASTER);
        match way {
            0 => driver.set_config(DEVICE_CONTROL, FUNCTION_LEVEL_RESET),
            _ => driver.0.reset().unwrap(),
        }
        assert_eq!((driver.read(&id::SCRATCH), driver.read(&id::MAGIC)), (0, id::MAGIC_VALUE));
        assert_eq!(driver.config(COMMAND_OFFSET) & COMMAND_MASTER, 0);
    }
    drop(driver);
    assert_eq!(rig.end().resets, 2);
}

#[test]
fn frames_pass_from_port_to_port_while_registers_are_accessed() {
    let rig = Rig::new(Engine::Model);
    let (mut client, mut line, mut driver) = (rig.port("client"), rig.port("line"), rig.driver());
    // More than waits anywhere: who sends must wait for who receives.
    let frames: Vec<Vec<u8>> = (0..600).map(|n| (0..14 + n * 7 % 1500).map(|i| (i * 31 + n) as u8).collect()).collect();
    let given = frames.clone();
    let mut back = line.try_clone().unwrap();
    let to_line = thread::spawn(move || {
        given.iter().for_each(|frame| write_frame(&mut client, frame).unwrap());
        given[..20].iter().all(|frame| read_frame(&mut client).unwrap().as_ref() == Some(frame))
    });
    for (n, frame) in frames.iter().enumerate() {
        assert_eq!(read_frame(&mut line).unwrap().as_ref(), Some(frame), "frame {n} towards the line");
        driver.write(&id::SCRATCH, n as u32);
        assert_eq!(driver.read(&id::SCRATCH), n as u32);
    }
    frames[..20].iter().for_each(|frame| write_frame(&mut back, frame).unwrap());
    assert!(to_line.join().unwrap(), "towards the client");
    drop(driver);
    let tally = rig.end();
    assert_eq!((tally.client_in, tally.line_out, tally.line_in, tally.client_out), (600, 600, 20, 20));
}

#[test]
fn a_peer_that_breaks_the_framing_is_disconnected_and_the_next_is_served() {
    let rig = Rig::new(Engine::Model);
    let mut bad = rig.port("client");
    bad.write_all(&[0xff; 4]).unwrap();
    assert!(matches!(read_frame(&mut bad), Ok(None)), "disconnected");
    let (mut client, mut line) = (rig.port("client"), rig.port("line"));
    within_patience("a frame from port to port", || {
        // The first may find nobody at the line port yet.
        write_frame(&mut client, &[3; 64]).unwrap();
        line.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        read_frame(&mut line).is_ok_and(|frame| frame == Some(vec![3; 64]))
    });
    rig.end();
}

#[test]
fn a_client_that_breaks_the_protocol_harms_only_itself() {
    let rig = Rig::new(Engine::Model);
    let mut bad = rig.port("socket");
    // A version whose text has no end, then nonsense.
    let mut message = vec![1, 0, 1, 0, 24, 0, 0, 0];
    message.extend([0; 8]);
    message.extend([0, 0, 1, 0, b'{', b'{', b'{', b'{']);
    bad.write_all(&message).unwrap();
    bad.write_all(&[0xff; 64]).unwrap();
    drop(bad);
    assert_eq!(rig.driver().read(&id::MAGIC), id::MAGIC_VALUE);
    rig.end();
}

#[test]
fn time_goes_on_when_nobody_asks() {
    let rig = Rig::new(Engine::Rtl);
    let mut driver = rig.driver();
    driver.write(&timer::TICK_LOG2, 8);
    let mut passes = |milliseconds| {
        let before = driver.read(&timer::NOW);
        thread::sleep(Duration::from_millis(milliseconds));
        driver.read(&timer::NOW).wrapping_sub(before)
    };
    // In both it goes by for a while at full speed; the rest is idle.
    assert!((0..3).any(|_| passes(2000) > 2 * passes(100)), "it stands still");
    drop(driver);
    rig.end();
}

#[test]
fn a_socket_left_behind_is_replaced_and_one_in_use_is_not() {
    let rig = Rig::new(Engine::Model);
    let error = listen(&rig.path("socket")).err().unwrap();
    assert!(error.contains("another process serves it"), "{error}");
    let left = rig.path("left");
    drop(UnixListener::bind(&left).unwrap());
    assert!(left.exists());
    let listening = listen(&left).unwrap();
    drop(listening);
    assert!(!left.exists());
    let file = rig.path("file");
    fs::write(&file, "x").unwrap();
    assert!(listen(&file).err().unwrap().contains("not a socket"));
    fs::remove_file(file).unwrap();
    rig.end();
}

/// Something that waits for the host raises the line; each rise is one message, to who has the bus.
#[test]
fn the_interrupt_line_of_the_gates_is_a_message() {
    let rig = Rig::new(Engine::Rtl);
    let (mut client, mut driver) = (rig.port("client"), rig.driver());
    let eventfd = driver.vector();
    let (near, far) = crate::closed_loop::ends(0);
    driver.write(&upcall::NEAR[0], near.ip);
    driver.write(&upcall::FAR[0], far.ip);
    driver.write(&upcall::CONTROL, upcall::CONTROL_DIGESTS.with(0, 1));
    driver.write(&event::CONTROL, event::CONTROL_IRQ_UPCALLS.with(0, 1));
    assert_eq!(driver.read(&upcall::STATUS), 0);
    let one = Packet { first: true, last: true, message_bytes: 64, payload: 64 };
    let mut send = |psn| write_frame(&mut client, &write(near, far, psn, true, one)).unwrap();
    send(0);
    let pending = |driver: &mut Driver| {
        driver.word(VFIO_PCI_BAR0_REGION_INDEX + u32::from(MSIX_BAR), MSIX_PENDING_OFFSET) & 1 == 1
    };
    within_patience("the line rises", || pending(&mut driver));
    assert!(eventfd.read().is_err(), "a message without bus master");
    driver.set_config(COMMAND_OFFSET, COMMAND_MASTER);
    within_patience("a message", || eventfd.read().is_ok());
    assert!(!pending(&mut driver));
    // Another one waits behind it: the line stays high.
    send(1);
    within_patience("two upcalls", || upcall::STATUS_CLIENT.get(driver.read(&upcall::STATUS)) == 2);
    assert!(eventfd.read().is_err(), "a message without a rise");
    driver.write(&upcall::TAKE, 1);
    driver.write(&upcall::TAKE, 1);
    within_patience("none waits", || driver.read(&upcall::STATUS) == 0);
    // Between two entries the line may have been low for a moment.
    let _ = eventfd.read();
    send(2);
    within_patience("the next message", || eventfd.read().is_ok());
    // A vector that is off is told nothing.
    driver.0.set_irqs(VFIO_PCI_MSIX_IRQ_INDEX, VFIO_IRQ_SET_ACTION_TRIGGER, 0, 0, &[]).unwrap();
    driver.write(&upcall::TAKE, 1);
    within_patience("none waits", || driver.read(&upcall::STATUS) == 0);
    send(3);
    within_patience("the line rises", || pending(&mut driver));
    driver.set_config(DEVICE_CONTROL, FUNCTION_LEVEL_RESET);
    assert!(!pending(&mut driver), "a reset ends it");
    assert_eq!(driver.read(&upcall::CONTROL), 0);
    drop(driver);
    let tally = rig.end();
    assert!((2..=3).contains(&tally.interrupts), "{tally:?}");
    assert_eq!((tally.resets, tally.refused), (1, 0), "{tally:?}");
}
