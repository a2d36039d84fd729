//! What a host does with a device: it comes, applies a text, and goes.

use super::tap::Tap;
use matchrdma::apply;
use matchrdma::apply::config::Source;
use matchrdma::apply::host::{Done, Host};
use matchrdma::apply::record::{InMemory, Store};
use matchrdma::apply::wanted::Wanted;
use matchrdma::core::{Caps, Core};
use matchrdma::transport::Transport;
use matchrdma::Result;
use std::path::Path;

/// What a text wants.
pub fn wanted(text: &str, caps: &Caps) -> Result<Wanted> {
    let source = Source::new("test.toml", text);
    apply::check::check(&source, &source.parse()?, caps, Path::new("."))
}

/// A host comes, applies a text, and goes.
pub fn apply_text<T: Transport, S: Store>(device: T, store: S, text: &str, stop: bool) -> Result<Done> {
    let mut host = Host::attach(Core::find(device)?, store)?;
    let wanted = wanted(text, &host.core().caps().clone())?;
    let plan = host.plan(&wanted, stop)?;
    host.apply(&plan)
}

/// A device that runs a text, and the store of its host.
pub fn running<T: Transport>(device: T, text: &str) -> (Tap<T>, InMemory) {
    let (mut tap, store) = (Tap::new(device), InMemory::default());
    apply_text(&mut tap, store.clone(), text, false).unwrap_or_else(|error| panic!("{error}"));
    (tap, store)
}
