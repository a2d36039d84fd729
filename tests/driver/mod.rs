//! The host's driver on a device: a list for whatever is a `Transport`, run on the model.

mod bad_input;
mod configs;
mod kill;
mod list;
mod tap;

use matchrdma::apply::config::Source;
use matchrdma::apply::host::{Done, Host};
use matchrdma::apply::record::{InMemory, Store};
use matchrdma::apply::wanted::Wanted;
use matchrdma::apply::{self};
use matchrdma::core::{Caps, Core};
use matchrdma::transport::Transport;
use matchrdma::Result;
use matchrdma_sim::bus::Bus;
use matchrdma_sim::model_gateway::ModelGateway;
use std::path::Path;
use tap::Tap;

/// The model's device.
fn model() -> Bus<ModelGateway> {
    Bus(ModelGateway::new())
}

/// What a text wants.
fn wanted(text: &str, caps: &Caps) -> Result<Wanted> {
    let source = Source { name: "test.toml", text };
    apply::check::check(&source, &source.parse()?, caps, Path::new("."))
}

/// A host comes, applies a text, and goes.
fn apply_text<T: Transport, S: Store>(device: T, store: S, text: &str, stop: bool) -> Result<Done> {
    let mut host = Host::attach(Core::find(device)?, store)?;
    let wanted = wanted(text, &host.core().caps().clone())?;
    let plan = host.plan(&wanted, stop)?;
    host.apply(&plan)
}

/// A device that runs a text, and the store of its host.
fn running<T: Transport>(device: T, text: &str) -> (Tap<T>, InMemory) {
    let (mut tap, store) = (Tap::new(device), InMemory::default());
    apply_text(&mut tap, store.clone(), text, false).unwrap_or_else(|error| panic!("{error}"));
    (tap, store)
}
