//! A bar on stderr for work that takes long: only on a terminal, and only once a second has passed.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How far something has come.
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: Cell<bool>,
}

impl Progress {
    /// Nothing of `total` is done.
    pub fn new(total: u64, unit: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{bar:40}} {{pos}} of {{len}} {unit}, {{eta}} to go");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Progress { bar, begun: Instant::now(), shown: Cell::new(false) }
    }

    /// One more is done.
    pub fn advance(&self) {
        self.bar.inc(1);
        if !self.shown.get() && self.begun.elapsed() > Duration::from_secs(1) {
            // Hidden by the library itself when stderr is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown.set(true);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
