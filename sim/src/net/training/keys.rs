//! The keys of a training scenario.

use crate::net::claims::Compare;
use crate::net::experiment::{Each, LineKeys, Plot};
use crate::net::scheme::Scheme;
use serde::{Deserialize, Serialize};

/// An experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingScenario {
    /// What tables call it.
    pub name: String,
    /// `training`.
    pub engine: TrainingEngine,
    /// What it is to show.
    pub claim: String,
    /// Who is compared.
    pub schemes: Vec<Scheme>,
    /// Seeds, each a run of its own.
    pub seeds: Vec<u64>,
    /// Iterations that are counted, behind one that is not.
    pub iterations: usize,
    /// A run that is not done by then is given up.
    pub horizon_ms: f64,
    /// The line.
    pub line: LineKeys,
    /// Both data centres.
    pub client: ClientKeys,
    /// Every queue pair: one for each way of each pipeline.
    pub sender: SenderKeys,
    /// The model and its machines.
    pub model: ModelKeys,
    /// Claims of the report.
    #[serde(default)]
    pub compare: Vec<Compare>,
    /// Figures of the report.
    #[serde(default)]
    pub plot: Vec<Plot>,
}

/// Which kind a file is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingEngine {
    /// Schedules over packets.
    Training,
}

/// `[client]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClientKeys {
    /// One way between a host and its gateway.
    pub one_way_delay_us: f64,
    /// How the port of each data centre drains.
    pub drain: Each<String>,
    /// Buffer, in round trips of the line at its rate; unlimited when absent.
    pub buffer_round_trips: Option<f64>,
}

/// `[sender]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SenderKeys {
    /// Unacknowledged bytes that a queue pair may have.
    pub window_kib: u64,
    /// Payload of a full packet.
    pub mtu_bytes: u32,
    /// Retransmission timer.
    pub ack_timeout_ms: f64,
    /// Every so many packets ask for an acknowledgement.
    pub ack_every_packets: u64,
    /// DCQCN at the sender.
    pub dcqcn: bool,
}

/// `[model]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ModelKeys {
    /// Parameters, in thousands of millions.
    pub parameters_billion: f64,
    /// Width of an activation.
    pub hidden: u64,
    /// Tokens of a sequence.
    pub sequence: u64,
    /// Sequences of a micro-batch.
    pub micro_batch: u64,
    /// Micro-batches of an iteration; of the trace when there is one.
    pub micro_batches: Option<usize>,
    /// Stages in the first data centre and in the second.
    pub stages: [usize; 2],
    /// Pipelines alike.
    pub pipelines: usize,
    /// What a stage really does, in 10^12 operations per second.
    pub stage_tflops: f64,
    /// What a forward or a backward takes beside its operations.
    pub overhead_ms: f64,
    /// Micro-batches that a stage may have in flight.
    pub in_flight_most: usize,
    /// `coupled`: 1F1B whose sends block; `decoupled`: with the extra forwards that hide the line.
    pub schedule: Each<Schedule>,
    /// What each pipeline sends each way at the end of an iteration; nothing when absent.
    #[serde(default)]
    pub data_parallel_kib: u64,
    /// An activation; two bytes for each of its values when absent.
    pub message_bytes: Option<u64>,
    /// Trace of AICB, beside this file: message, micro-batches and burst are taken from it.
    pub trace: Option<String>,
}

/// How stages send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// A stage waits for what it sent.
    Coupled,
    /// It goes on.
    Decoupled,
}
