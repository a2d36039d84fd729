//! The core behind the function: register accesses one after another, beside the traffic of both ports.
//!
//! Time is cycles. While somebody accesses a register or sends a frame, and a little longer, they go by as fast as the
//! machine can; otherwise a processor is at work one part in `IDLE_ONE_IN`, so that slots still end and timers run.

use super::vector::Vector;
use super::wire::End;
use crate::engine::{Access, Beat, BusError, Gateway};
use crate::link::{Receiver, Sender, Wire};
use matchrdma_spec::params::{CLOCK_HZ, LINE_BPS};
use matchrdma_spec::pci::NOBODY;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// For so long after the last access or beat, cycles go by at full speed.
const LINGER: Duration = Duration::from_millis(50);
/// Of an idle core's time, the part in which cycles go by.
const IDLE_ONE_IN: u32 = 10;
/// Shortest pause of an idle core.
const PAUSE: Duration = Duration::from_millis(1);
/// Cycles between two looks at the clock.
const BATCH: u32 = 64;
/// Accesses that wait at most: more, and who sends them waits.
const ACCESSES: usize = 4096;

/// What the function asks of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read a register; its word, or ones, is answered.
    Read(u16),
    /// Write a register; nothing is answered.
    Write(u16, u32),
    /// Reset; 0 is answered when it is over.
    Reset,
}

/// The function's end of the register bus.
pub struct Bus {
    requests: mpsc::SyncSender<Request>,
    answers: mpsc::Receiver<u32>,
    core: Thread,
}

impl Bus {
    /// Sends a request behind those on their way.
    pub fn send(&self, request: Request) {
        // A core that is gone answers nothing.
        let _ = self.requests.send(request);
        self.core.unpark();
    }

    /// Reads registers, after all writes sent before.
    pub fn read(&self, addresses: &[u16]) -> Vec<u32> {
        // As many at a time as may wait, or nobody would take the answers.
        let (first, rest) = addresses.split_at(addresses.len().min(ACCESSES));
        first.iter().for_each(|address| self.send(Request::Read(*address)));
        let mut words: Vec<u32> = first.iter().map(|_| self.answers.recv().unwrap_or(NOBODY)).collect();
        if !rest.is_empty() {
            words.extend(self.read(rest));
        }
        words
    }

    /// Resets the core, and comes back when it is out of reset.
    pub fn reset(&self) {
        self.send(Request::Reset);
        let _ = self.answers.recv();
    }
}

/// What happened in the life of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Clock cycles, all lives between resets together.
    pub cycles: u64,
    /// Register reads.
    pub reads: u64,
    /// Register writes.
    pub writes: u64,
    /// Of both, those that the core answered with an error.
    pub refused: u64,
    /// Resets.
    pub resets: u64,
    /// MSI-X messages.
    pub interrupts: u64,
    /// Frames that came to the client port.
    pub client_in: u64,
    /// Frames that left the client port.
    pub client_out: u64,
    /// Frames that came to the line port.
    pub line_in: u64,
    /// Frames that left the line port.
    pub line_out: u64,
}

/// A port: its MAC at line rate, and the socket behind it.
struct Port {
    sender: Sender,
    receiver: Receiver,
    end: End,
    /// The socket did not take it: the port waits.
    stuck: Option<Vec<u8>>,
    received: u64,
    sent: u64,
}

fn mac() -> (Sender, Receiver) {
    let wire = Wire::new(LINE_BPS, CLOCK_HZ);
    (Sender::new(wire.clone()), Receiver::new(wire))
}

impl Port {
    fn new(end: End) -> Self {
        let (sender, receiver) = mac();
        Port { sender, receiver, end, stuck: None, received: 0, sent: 0 }
    }

    /// The beat that arrives in this cycle.
    fn give(&mut self) -> Option<Beat> {
        if self.sender.idle() {
            if let Ok(frame) = self.end.arrived.try_recv() {
                self.received += 1;
                self.sender.send(&frame);
            }
        }
        self.sender.cycle()
    }

    /// Whether a beat may leave in this cycle.
    fn ready(&mut self) -> bool {
        self.stuck = self.stuck.take().and_then(|frame| self.end.leave(frame));
        self.stuck.is_none() && self.receiver.ready()
    }

    /// What left in this cycle.
    fn take(&mut self, beat: Option<&Beat>) {
        if let Some(frame) = self.receiver.cycle(beat) {
            self.sent += 1;
            self.stuck = self.end.leave(frame);
        }
    }

    /// Frames under way are lost.
    fn reset(&mut self) {
        (self.sender, self.receiver) = mac();
        self.stuck = None;
    }
}

/// The core and what is around it.
pub struct Machine {
    gateway: Box<dyn Gateway>,
    requests: mpsc::Receiver<Request>,
    answers: mpsc::Sender<u32>,
    /// Taken from the queue, and not begun yet.
    next: Option<Request>,
    /// Begun, and not answered yet.
    under_way: VecDeque<Access>,
    client: Port,
    line: Port,
    vector: Vector,
    high: bool,
    tally: Tally,
}

impl Machine {
    /// A core to be run by the calling thread, and the function's end of its bus.
    pub fn new(gateway: Box<dyn Gateway>, client: End, line: End, vector: Vector) -> (Self, Bus) {
        let (send, requests) = mpsc::sync_channel(ACCESSES);
        let (answers, receive) = mpsc::channel();
        let (client, line, under_way) = (Port::new(client), Port::new(line), VecDeque::new());
        let (next, high, tally) = (None, false, Tally::default());
        let machine = Machine { gateway, requests, answers, next, under_way, client, line, vector, high, tally };
        (machine, Bus { requests: send, answers: receive, core: thread::current() })
    }

    /// Begins the next request, if the bus is free, or if it is a write behind a write; whether the bus is busy.
    fn bus(&mut self) -> bool {
        let free = self.under_way.is_empty();
        if free || self.gateway.takes_a_write() {
            self.next = self.next.or_else(|| self.requests.try_recv().ok());
            let access = match self.next {
                None => return !free,
                Some(Request::Write(address, value)) => Access::Write(address, value),
                Some(_) if !free => return true,
                Some(Request::Read(address)) => Access::Read(address),
                Some(Request::Reset) => {
                    self.next = None;
                    self.reset();
                    return true;
                }
            };
            self.next = None;
            self.gateway.begin(access);
            self.under_way.push_back(access);
        }
        true
    }

    fn reset(&mut self) {
        self.gateway.reset();
        self.client.reset();
        self.line.reset();
        self.interrupt();
        self.tally.resets += 1;
        let _ = self.answers.send(0);
    }

    fn answered(&mut self, answer: Result<u32, BusError>) {
        let access = self.under_way.pop_front();
        if let Err(e) = &answer {
            self.tally.refused += 1;
            eprintln!("device: {e}");
        }
        match access {
            Some(Access::Read(_)) => {
                self.tally.reads += 1;
                let _ = self.answers.send(answer.unwrap_or(NOBODY));
            }
            _ => self.tally.writes += 1,
        }
    }

    fn interrupt(&mut self) {
        let high = self.gateway.irq();
        if high != self.high {
            self.high = high;
            self.vector.line(high);
        }
    }

    /// One cycle; whether anything moved.
    fn cycle(&mut self) -> bool {
        let busy = self.bus();
        let (from_client, from_line) = (self.client.give(), self.line.give());
        let (client_ready, line_ready) = (self.client.ready(), self.line.ready());
        let tick = self.gateway.tick(from_client.as_ref(), from_line.as_ref(), client_ready, line_ready);
        self.client.take(tick.client_tx.as_ref());
        self.line.take(tick.line_tx.as_ref());
        if let Some(answer) = self.gateway.answer() {
            self.answered(answer);
        }
        self.interrupt();
        self.tally.cycles += 1;
        busy || [from_client, from_line, tick.client_tx, tick.line_tx].iter().any(Option::is_some)
    }

    /// Runs until `stop`.
    pub fn run(mut self, stop: &AtomicBool) -> Tally {
        let mut fast_until = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let moved = (0..BATCH).fold(false, |moved, _| self.cycle() || moved);
            if moved {
                fast_until = begun + LINGER;
            } else if begun > fast_until {
                thread::park_timeout((begun.elapsed() * (IDLE_ONE_IN - 1)).max(PAUSE));
            }
        }
        let (client, line) = (&self.client, &self.line);
        Tally {
            interrupts: self.vector.messages(),
            client_in: client.received,
            client_out: client.sent,
            line_in: line.received,
            line_out: line.sent,
            ..self.tally
        }
    }
}
