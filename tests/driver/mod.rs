//! The host's driver on a device: a list for whatever is a `Transport`, run on the model, on the gates, and on the gates
//! behind a vfio-user socket here, and in a guest by `driver/tests/kernel.rs`.

mod bad_input;
mod behind;
mod binary;
mod configs;
mod kill;
mod killed;
mod learning;
mod learning_gates;
mod learning_lists;
mod learnt;
#[macro_use]
mod list;
mod output;
mod process;
mod tap;
mod traffic;
mod visit;

use behind::Behind;
use matchrdma_sim::bus::Bus;
use matchrdma_sim::model_gateway::ModelGateway;
use matchrdma_sim::rtl_gateway::RtlGateway;

/// The model's device.
fn model() -> Bus<ModelGateway> {
    Bus(ModelGateway::new())
}

/// The gates', reached at once.
fn gates() -> Bus<RtlGateway> {
    Bus(RtlGateway::new())
}

/// The gates as the simulated device, reached through its socket.
fn vfio_user() -> Behind {
    Behind::new(Box::new(RtlGateway::new()))
}

on!(model);
on!(gates);
on!(vfio_user);
