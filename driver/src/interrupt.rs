//! An event descriptor that a device's interrupt writes to, waited for with a deadline.

use crate::error::{Error, Kind, Result};
use std::os::fd::{AsRawFd, RawFd};
use std::time::Instant;
use vmm_sys_util::epoll::{ControlOperation, Epoll, EpollEvent, EventSet};
use vmm_sys_util::eventfd::{EventFd, EFD_NONBLOCK};

/// The descriptor, and who waits for it.
pub(crate) struct Line {
    event: EventFd,
    epoll: Epoll,
}

fn failed(error: &std::io::Error) -> Error {
    let error =
        Error::new(Kind::Device, "waiting for an interrupt").at("an event descriptor").but("one", error.to_string());
    error.so("raise the limit of open files")
}

impl Line {
    pub(crate) fn new() -> Result<Self> {
        let event = EventFd::new(EFD_NONBLOCK).map_err(|error| failed(&error))?;
        let epoll = Epoll::new().map_err(|error| failed(&error))?;
        let wanted = EpollEvent::new(EventSet::IN, 0);
        epoll.ctl(ControlOperation::Add, event.as_raw_fd(), wanted).map_err(|error| failed(&error))?;
        Ok(Line { event, epoll })
    }

    /// What the device is given.
    #[cfg(feature = "vfio")]
    pub(crate) fn event(&self) -> &EventFd {
        &self.event
    }

    /// The same as a number.
    #[allow(dead_code)]
    pub(crate) fn descriptor(&self) -> RawFd {
        self.event.as_raw_fd()
    }

    /// Waits; false at the deadline.
    pub(crate) fn wait(&self, deadline: Instant) -> Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Rounded up: who waits for the rest of a millisecond does not turn in circles.
            let ms = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
            match self.epoll.wait(ms, &mut [EpollEvent::default()]) {
                Ok(0) if Instant::now() >= deadline => return Ok(false),
                Ok(0) => {}
                Ok(_) => {
                    // Messages that came meanwhile are one.
                    return self.event.read().map(|_| true).map_err(|error| failed(&error));
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_waits_for_a_message_and_no_longer_than_the_deadline() {
        let line = Line::new().unwrap();
        let soon = || Instant::now() + Duration::from_millis(20);
        let start = Instant::now();
        assert_eq!((line.wait(soon()), start.elapsed() >= Duration::from_millis(20)), (Ok(false), true));
        line.event().write(1).unwrap();
        line.event().write(1).unwrap();
        assert_eq!((line.wait(soon()), line.wait(soon())), (Ok(true), Ok(false)));
    }
}
