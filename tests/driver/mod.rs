//! The host's driver on a device: a list for whatever is a `Transport`, run on the model here, and in a guest by
//! `driver/tests/kernel.rs`.

mod bad_input;
mod configs;
mod kill;
#[macro_use]
mod list;
mod tap;
mod visit;

use matchrdma_sim::bus::Bus;
use matchrdma_sim::model_gateway::ModelGateway;

/// The model's device.
fn model() -> Bus<ModelGateway> {
    Bus(ModelGateway::new())
}

on!(model);
