//! The one MSI-X vector: a message with each rise of the core's interrupt line, as an eventfd that is written.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Default)]
struct State {
    /// Where messages go, while the client has enabled the vector.
    eventfd: Option<File>,
    /// The device may write to memory.
    master: bool,
    /// The line is high.
    high: bool,
    /// It rose, and nobody could be told.
    pending: bool,
    messages: u64,
}

impl State {
    fn send(&mut self) {
        let Some(eventfd) = self.eventfd.as_mut().filter(|_| self.master && self.pending) else { return };
        self.pending = false;
        match eventfd.write_all(&1u64.to_ne_bytes()) {
            Ok(()) => self.messages += 1,
            Err(e) => eprintln!("device: the client's eventfd takes no message: {e}"),
        }
    }
}

/// Shared by those who serve the client and those who run the core.
#[derive(Clone, Default)]
pub struct Vector(Arc<Mutex<State>>);

impl Vector {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Messages go here from now on; `None`: the vector is off.
    pub fn connect(&self, eventfd: Option<File>) {
        let mut state = self.state();
        state.eventfd = eventfd;
        state.send();
    }

    /// Bus master is on or off.
    pub fn master(&self, on: bool) {
        let mut state = self.state();
        state.master = on;
        state.send();
    }

    /// The level of the line in this cycle.
    pub fn line(&self, high: bool) {
        let mut state = self.state();
        state.pending |= high && !state.high;
        state.high = high;
        state.send();
    }

    /// A message, whatever the line says: the client asked for it.
    pub fn trigger(&self) {
        let mut state = self.state();
        state.pending = true;
        state.send();
    }

    /// Through reset: the line is low, nothing is pending, the bus is nobody's.
    pub fn reset(&self) {
        let mut state = self.state();
        (state.high, state.pending, state.master) = (false, false, false);
    }

    /// Its pending bit.
    pub fn pending(&self) -> bool {
        self.state().pending
    }

    /// Messages sent.
    pub fn messages(&self) -> u64 {
        self.state().messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek};

    fn told(file: &mut File) -> usize {
        let mut all = vec![];
        file.rewind().unwrap();
        file.read_to_end(&mut all).unwrap() / 8
    }

    #[test]
    fn a_rise_is_told_once_and_only_to_who_may_be_told() {
        let vector = Vector::default();
        let mut file = tempfile::tempfile().unwrap();
        vector.line(true);
        assert!(vector.pending());
        vector.connect(Some(file.try_clone().unwrap()));
        assert_eq!(told(&mut file), 0, "no bus master");
        vector.master(true);
        assert_eq!((told(&mut file), vector.pending()), (1, false));
        vector.line(true);
        vector.connect(Some(file.try_clone().unwrap()));
        assert_eq!(told(&mut file), 1, "it has not risen again");
        vector.line(false);
        vector.line(true);
        assert_eq!(told(&mut file), 2);
        vector.connect(None);
        vector.line(false);
        vector.line(true);
        vector.reset();
        vector.connect(Some(file.try_clone().unwrap()));
        vector.master(true);
        assert_eq!((told(&mut file), vector.messages()), (2, 2), "forgotten with the reset");
    }
}
