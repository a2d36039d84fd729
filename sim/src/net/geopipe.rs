//! Scenario files of pipeline schedules: 1F1B against decoupled sends with extra forwards, over delay and bandwidth.

use super::claims::Compare;
use super::experiment::{place_of, About, Each, Experiment, LineKeys, Plot};
use super::packet::Ps;
use super::pipeline::Model;
use super::results::Row;
use serde::{Deserialize, Serialize};

/// An experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GeoPipe {
    /// What tables call it.
    pub name: String,
    /// `pipeline`.
    pub engine: PipelineEngine,
    /// What it is to show.
    pub claim: String,
    /// Lines.
    pub line: LineKeys,
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
pub enum PipelineEngine {
    /// Schedules.
    Pipeline,
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
    /// Sequences of an iteration.
    pub batch: Each<u64>,
    /// Stages in each data centre, in order.
    pub stages: Vec<usize>,
    /// What a stage really does, in 10^12 operations per second.
    pub stage_tflops: f64,
    /// What a forward takes beside its operations.
    pub overhead_ms: f64,
    /// Memory of a stage for activations.
    pub activation_memory_gb: f64,
    /// Of one sequence, on one stage.
    pub activation_per_sequence_gb: f64,
}

const AXES: [&str; 3] = ["rate_gbps", "one_way_delay_ms", "batch"];

const MEASURES: [&str; 10] = [
    "coupled_micro_batch",
    "coupled_bubble",
    "coupled_iteration_ms",
    "decoupled_micro_batch",
    "decoupled_extra_forwards",
    "decoupled_bubble",
    "decoupled_iteration_ms",
    "bubble_cut_percent",
    "iteration_cut_percent",
    "message_mib",
];

impl GeoPipe {
    /// Reads and checks a text. Errors begin with `:line:column: ` or `: `.
    pub fn parse(text: &str) -> Result<Self, String> {
        let s: Self = toml::from_str(text).map_err(|e| place_of(text, &e))?;
        s.check().map_err(|e| format!(": {e}"))?;
        Ok(s)
    }

    fn check(&self) -> Result<(), String> {
        let positive = |what: &str, x: f64| {
            (x.is_finite() && x > 0.0).then_some(()).ok_or_else(|| format!("{what} = {x}: expected more than 0"))
        };
        let m = &self.model;
        for (what, x) in [
            ("model.parameters_billion", m.parameters_billion),
            ("model.hidden", m.hidden as f64),
            ("model.sequence", m.sequence as f64),
            ("model.stage_tflops", m.stage_tflops),
            ("model.activation_memory_gb", m.activation_memory_gb),
            ("model.activation_per_sequence_gb", m.activation_per_sequence_gb),
        ] {
            positive(what, x)?;
        }
        self.line.rate_gbps.all().iter().try_for_each(|r| positive("line.rate_gbps", *r))?;
        self.line.one_way_delay_ms.all().iter().try_for_each(|d| positive("line.one_way_delay_ms", *d))?;
        m.batch.all().iter().try_for_each(|b| positive("model.batch", *b as f64))?;
        if m.stages.len() < 2 || m.stages.contains(&0) {
            return Err(format!("model.stages = {:?}: expected two data centres or more, each with a stage", m.stages));
        }
        let columns: Vec<&str> = AXES.iter().copied().chain(MEASURES).collect();
        self.compare.iter().try_for_each(|c| c.check(&columns))?;
        self.plot.iter().try_for_each(|p| p.check(&columns))?;
        for i in 0..self.runs() {
            let (rate, delay, batch) = self.axes_of(i);
            if self.model(batch).best(&self.crosses(), rate * 1e9, ps(delay), true).is_none() {
                return Err(format!("model.batch = {batch}: the activations of one micro-batch per stage do not fit"));
            }
        }
        Ok(())
    }

    fn crosses(&self) -> Vec<bool> {
        let mut all: Vec<bool> = self.model.stages.iter().flat_map(|n| (1..*n).map(|_| false).chain([true])).collect();
        all.pop();
        all
    }

    fn model(&self, batch: u64) -> Model {
        let m = &self.model;
        Model {
            parameters: m.parameters_billion * 1e9,
            hidden: m.hidden,
            sequence: m.sequence,
            batch: batch as usize,
            stage_flops: m.stage_tflops * 1e12,
            overhead: ps(m.overhead_ms),
            activation_memory: m.activation_memory_gb * 1e9,
            activation_per_sequence: m.activation_per_sequence_gb * 1e9,
        }
    }

    fn axes_of(&self, index: usize) -> (f64, f64, u64) {
        let (rates, delays, batches) =
            (self.line.rate_gbps.all(), self.line.one_way_delay_ms.all(), self.model.batch.all());
        let (rest, batch) = (index / batches.len(), batches[index % batches.len()]);
        (rates[rest / delays.len()], delays[rest % delays.len()], batch)
    }
}

fn ps(milliseconds: f64) -> Ps {
    (milliseconds * 1e9) as Ps
}

impl Experiment for GeoPipe {
    fn about(&self) -> About<'_> {
        About { name: &self.name, claim: &self.claim, compares: &self.compare, plots: &self.plot, traces: &[] }
    }

    fn axes(&self) -> &[&'static str] {
        &AXES
    }

    fn shown(&self) -> &[&'static str] {
        &MEASURES
    }

    fn runs(&self) -> usize {
        self.line.rate_gbps.all().len() * self.line.one_way_delay_ms.all().len() * self.model.batch.all().len()
    }

    fn run(&self, index: usize) -> Row {
        let (rate, delay, batch) = self.axes_of(index);
        let (model, crosses) = (self.model(batch), self.crosses());
        let best = |coupled| model.best(&crosses, rate * 1e9, ps(delay), coupled).expect("it was checked");
        let ((size, _, slow), (fast_size, pipeline, fast)) = (best(true), best(false));
        let ms = |t: Ps| format!("{:.3}", t as f64 / 1e9);
        let cut = |a: f64, b: f64| format!("{:.2}", 100.0 * (1.0 - b / a));
        let values = [
            rate.to_string(),
            delay.to_string(),
            batch.to_string(),
            size.to_string(),
            format!("{:.4}", slow.bubble),
            ms(slow.time),
            fast_size.to_string(),
            pipeline.extra.to_string(),
            format!("{:.4}", fast.bubble),
            ms(fast.time),
            cut(slow.bubble, fast.bubble),
            cut(slow.time as f64, fast.time as f64),
            format!("{:.1}", model.message_bytes(fast_size) as f64 / f64::from(1 << 20)),
        ];
        let names = AXES.into_iter().chain(MEASURES).map(str::to_string);
        Row { index, values: names.zip(values).collect(), traces: vec![] }
    }

    fn parameters(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a scenario is data")
    }
}
