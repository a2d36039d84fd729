//! Scenario files of training: a model over two data centres, its schedules and the schemes, over delay and rate.

use super::keys::{Schedule, TrainingScenario};
use super::{Outcome, Plan, Side};
use crate::net::aicb::Trace;
use crate::net::drain::Drain;
use crate::net::experiment::{place_of, About, Experiment};
use crate::net::host::SenderCfg;
use crate::net::packet::{Ps, DATA_OVERHEAD};
use crate::net::pipeline::Pipeline;
use crate::net::point::Point;
use crate::net::results::Row;
use std::path::Path;

const AXES: [&str; 6] = ["rate_gbps", "one_way_delay_ms", "drain", "schedule", "seed", "scheme"];

const MEASURES: [&str; 20] = [
    "case",
    "iterations",
    "iteration_ms",
    "predicted_ms",
    "bubble",
    "predicted_bubble",
    "extra_forwards",
    "goodput_gbps",
    "first_mean_bdp",
    "first_p99_bdp",
    "first_peak_bdp",
    "second_mean_bdp",
    "second_p99_bdp",
    "second_peak_bdp",
    "near_peak_mib",
    "dropped_frames",
    "repeated_frames",
    "timeouts",
    "cnps",
    "message_mib",
];

/// A run and its place in the grid.
struct Cell {
    axes: [String; AXES.len()],
    plan: Plan,
}

impl TrainingScenario {
    /// Reads and checks a text; a trace is looked for in `folder`. Errors begin with `:line:column: ` or `: `.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let mut s: Self = toml::from_str(text).map_err(|e| place_of(text, &e))?;
        s.follow(folder).and_then(|()| s.check()).map_err(|e| format!(": {e}"))?;
        Ok(s)
    }

    /// Takes from the trace what it tells.
    fn follow(&mut self, folder: &Path) -> Result<(), String> {
        let m = &mut self.model;
        let Some(name) = &m.trace else { return Ok(()) };
        if m.message_bytes.is_some() || m.micro_batches.is_some() || m.data_parallel_kib > 0 {
            return Err(
                "model: message_bytes, micro_batches and data_parallel_kib come of the trace; expected none".into()
            );
        }
        let trace = Trace::read(&folder.join(name)).map_err(|e| format!("model.trace: {e}"))?;
        let stages: usize = m.stages.iter().sum();
        if trace.stages != stages {
            return Err(format!("model.stages = {:?}: the trace {name} has {} stages", m.stages, trace.stages));
        }
        let bytes = trace.send_bytes().filter(|b| *b > 0);
        m.message_bytes = Some(bytes.ok_or(format!("model.trace: {name} has no send of a pipeline"))?);
        m.micro_batches = Some(trace.sends(0) / trace.iterations());
        // Of a reduction by a ring between two, each sends what it has once.
        m.data_parallel_kib = trace.data_parallel().map_or(0, |(bytes, _)| bytes >> 10);
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let positive = |what: &str, x: f64, most: f64| {
            let sound = x.is_finite() && x > 0.0 && x <= most;
            sound.then_some(()).ok_or_else(|| format!("{what} = {x}: expected more than 0 and at most {most}"))
        };
        let some = |what: &str, n: usize| (n > 0).then_some(()).ok_or_else(|| format!("{what}: expected at least one"));
        let m = &self.model;
        for (what, x, most) in [
            ("horizon_ms", self.horizon_ms, 1e6),
            ("iterations", self.iterations as f64, 1e6),
            ("client.one_way_delay_us", self.client.one_way_delay_us, 1e6),
            ("client.buffer_round_trips", self.client.buffer_round_trips.unwrap_or(1.0), 1e6),
            ("sender.window_kib", self.sender.window_kib as f64, 1e9),
            ("sender.ack_timeout_ms", self.sender.ack_timeout_ms, 1e6),
            ("sender.ack_every_packets", self.sender.ack_every_packets as f64, 1e9),
            ("model.parameters_billion", m.parameters_billion, 1e6),
            ("model.hidden", m.hidden as f64, 1e6),
            ("model.sequence", m.sequence as f64, 1e7),
            ("model.micro_batch", m.micro_batch as f64, 1e6),
            ("model.micro_batches", m.micro_batches.unwrap_or(0) as f64, 1e6),
            ("model.stages", m.stages[0].min(m.stages[1]) as f64, 1000.0),
            ("model.pipelines", m.pipelines as f64, 1000.0),
            ("model.stage_tflops", m.stage_tflops, 1e9),
            ("model.in_flight_most", m.in_flight_most as f64, 1e6),
            ("model.message_bytes", m.message_bytes.unwrap_or(1) as f64, 1e12),
        ] {
            positive(what, x, most)?;
        }
        if !(0.0..=1e6).contains(&m.overhead_ms) {
            return Err(format!("model.overhead_ms = {}: expected 0 to 1000000", m.overhead_ms));
        }
        if m.in_flight_most < m.stages.iter().sum() {
            let needs: usize = m.stages.iter().sum();
            return Err(format!("model.in_flight_most = {}: 1F1B needs {needs}, one a stage", m.in_flight_most));
        }
        if ![256, 512, 1024, 2048, 4096].contains(&self.sender.mtu_bytes) {
            return Err(format!("sender.mtu_bytes = {}: expected 256, 512, 1024, 2048 or 4096", self.sender.mtu_bytes));
        }
        let (rates, delays, drains) =
            (self.line.rate_gbps.all(), self.line.one_way_delay_ms.all(), self.client.drain.all());
        for (what, n) in [
            ("schemes", self.schemes.len()),
            ("seeds", self.seeds.len()),
            ("line.rate_gbps", rates.len()),
            ("line.one_way_delay_ms", delays.len()),
            ("client.drain", drains.len()),
            ("model.schedule", m.schedule.all().len()),
        ] {
            some(what, n)?;
        }
        rates.iter().try_for_each(|r| positive("line.rate_gbps", *r, 10_000.0))?;
        delays.iter().try_for_each(|d| positive("line.one_way_delay_ms", *d, 1000.0))?;
        for word in &drains {
            if matches!(word.parse()?, Drain::Step(_)) {
                return Err(format!(
                    "client.drain {word:?}: training has no counted time that a step could be a fifth of"
                ));
            }
        }
        let columns: Vec<&str> = AXES.iter().copied().chain(MEASURES).collect();
        self.compare.iter().try_for_each(|c| c.check(&columns))?;
        self.plot.iter().try_for_each(|p| p.check(&columns))
    }

    fn pipeline(&self, rate: f64, delay: f64, schedule: Schedule) -> Pipeline {
        let m = &self.model;
        let stages: usize = m.stages.iter().sum();
        let tokens = (m.micro_batch * m.sequence) as f64;
        let operations = 2.0 * m.parameters_billion * 1e9 / stages as f64 * tokens;
        let forward = ps(1000.0 * operations / (m.stage_tflops * 1e12));
        let mut crosses = vec![false; stages - 1];
        crosses[m.stages[0] - 1] = true;
        let mtu = f64::from(self.sender.mtu_bytes);
        // What a pipeline has of the line when all of them send.
        let payload = rate * 1e9 * mtu / (mtu + f64::from(DATA_OVERHEAD)) / m.pipelines as f64;
        let mut pipeline = Pipeline {
            crosses,
            micro_batches: m.micro_batches.unwrap_or(1),
            forward: forward + ps(m.overhead_ms),
            backward: 2 * forward + ps(m.overhead_ms),
            transfer: (self.message_bytes() as f64 * 8e12 / payload) as Ps,
            delay: ps(delay),
            coupled: schedule == Schedule::Coupled,
            extra: 0,
            in_flight_most: m.in_flight_most,
        };
        if !pipeline.coupled {
            pipeline.extra = pipeline.extra_that_hides();
        }
        pipeline
    }

    fn message_bytes(&self) -> u64 {
        let m = &self.model;
        m.message_bytes.unwrap_or(2 * m.hidden * m.sequence * m.micro_batch)
    }

    fn cell(&self, index: usize) -> Cell {
        let mut rest = index;
        let mut place = |n: usize| {
            let at = rest % n;
            rest /= n;
            at
        };
        fn take<T: Clone>(all: &[T], place: &mut impl FnMut(usize) -> usize) -> T {
            all[place(all.len())].clone()
        }
        // The last axis varies fastest.
        let scheme = take(&self.schemes, &mut place);
        let seed = take(&self.seeds, &mut place);
        let schedule = take(&self.model.schedule.all(), &mut place);
        let drain = take(&self.client.drain.all(), &mut place);
        let delay = take(&self.line.one_way_delay_ms.all(), &mut place);
        let rate = take(&self.line.rate_gbps.all(), &mut place);
        let word = if schedule == Schedule::Coupled { "coupled" } else { "decoupled" };
        let bdp = rate * 1e9 / 8.0 * 2.0 * delay / 1e3;
        let plan = Plan {
            scheme,
            seed,
            bps: (rate * 1e9) as u64,
            delay: ps(delay),
            client_delay: ps(self.client.one_way_delay_us / 1000.0),
            slot: Point::slot_for(ps(delay)),
            drain: drain.parse().unwrap_or(Drain::Full),
            capacity: self.client.buffer_round_trips.map_or(1 << 44, |b| (b * bdp) as u64),
            sender: SenderCfg {
                window_bytes: self.sender.window_kib << 10,
                message_bytes: self.message_bytes(),
                mtu_bytes: self.sender.mtu_bytes,
                messages_in_flight: 1 << 40,
                ack_timeout: ps(self.sender.ack_timeout_ms),
                ack_every: self.sender.ack_every_packets,
            },
            dcqcn: self.sender.dcqcn,
            pipeline: self.pipeline(rate, delay, schedule),
            pipelines: self.model.pipelines,
            message_bytes: self.message_bytes(),
            burst_bytes: self.model.data_parallel_kib << 10,
            iterations: self.iterations,
            horizon: ps(self.horizon_ms),
        };
        let axes = [rate.to_string(), delay.to_string(), drain, word.into(), seed.to_string(), scheme.name().into()];
        Cell { axes, plan }
    }
}

fn ps(milliseconds: f64) -> Ps {
    (milliseconds * 1e9) as Ps
}

/// The measures of a run, as they are written.
fn measures(cell: &Cell, o: &Outcome) -> [String; MEASURES.len()] {
    let plan = &cell.plan;
    let predicted = plan.pipeline.run();
    let ms = |t: f64| format!("{:.3}", t / 1e9);
    let of_bdp = |bytes: f64| format!("{:.4}", bytes / o.bdp as f64);
    let mib = |bytes: u64| format!("{:.3}", bytes as f64 / f64::from(1 << 20));
    // An unfinished run has no time.
    let done = |text: String| if o.iterations.is_empty() { String::new() } else { text };
    let mean = o.iterations.iter().map(|i| (i.ended - i.begun) as f64).sum::<f64>() / o.iterations.len().max(1) as f64;
    // All pipelines send their bursts at once; the schedule knows of none.
    let mtu = f64::from(plan.sender.mtu_bytes);
    let payload = plan.bps as f64 * mtu / (mtu + f64::from(DATA_OVERHEAD));
    let burst = match plan.burst_bytes {
        0 => 0.0,
        bytes => (bytes * plan.pipelines as u64) as f64 * 8e12 / payload + plan.delay as f64,
    };
    let side = |s: &Side| [of_bdp(s.occupancy.mean), of_bdp(s.occupancy.p99 as f64), of_bdp(s.occupancy.peak as f64)];
    let [[first_mean, first_p99, first_peak], [second_mean, second_p99, second_peak]] =
        [side(&o.sides[0]), side(&o.sides[1])];
    [
        format!("{} {}", cell.axes[3], cell.axes[2]),
        o.iterations.len().to_string(),
        done(ms(mean)),
        ms(predicted.time as f64 + burst),
        done(format!("{:.4}", o.bubble)),
        format!("{:.4}", predicted.bubble),
        plan.pipeline.extra.to_string(),
        format!("{:.3}", o.goodput_bps / 1e9),
        first_mean,
        first_p99,
        first_peak,
        second_mean,
        second_p99,
        second_peak,
        mib(o.sides[0].near_peak.max(o.sides[1].near_peak)),
        (o.sides[0].dropped + o.sides[1].dropped).to_string(),
        o.repeated.to_string(),
        o.timeouts.to_string(),
        o.cnps.to_string(),
        mib(plan.message_bytes),
    ]
}

impl Experiment for TrainingScenario {
    fn about(&self) -> About<'_> {
        About { name: &self.name, claim: &self.claim, compares: &self.compare, plots: &self.plot, traces: &[] }
    }

    fn axes(&self) -> &[&'static str] {
        &AXES
    }

    fn shown(&self) -> &[&'static str] {
        const SHOWN: &[&str] = &[
            "iteration_ms",
            "predicted_ms",
            "bubble",
            "goodput_gbps",
            "first_mean_bdp",
            "second_mean_bdp",
            "second_peak_bdp",
        ];
        SHOWN
    }

    fn runs(&self) -> usize {
        let axes = [
            self.line.rate_gbps.all().len(),
            self.line.one_way_delay_ms.all().len(),
            self.client.drain.all().len(),
            self.model.schedule.all().len(),
            self.seeds.len(),
            self.schemes.len(),
        ];
        axes.iter().product()
    }

    fn run(&self, index: usize) -> Row {
        let cell = self.cell(index);
        let outcome = cell.plan.run();
        let axes = AXES.iter().map(|a| a.to_string()).zip(cell.axes.clone());
        let measured = MEASURES.iter().map(|m| m.to_string()).zip(measures(&cell, &outcome));
        Row { index, values: axes.chain(measured).collect(), traces: vec![] }
    }

    fn parameters(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a scenario is data")
    }
}
