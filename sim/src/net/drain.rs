//! How a data centre drains over time: what a scenario writes in a word, and the rates it stands for.

use super::packet::{Ps, SECOND};
use super::rng::Stream;
use std::fmt;
use std::str::FromStr;

/// A pattern, in parts of the port's rate and in round trips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drain {
    /// `full`: the whole rate.
    Full,
    /// `step:0.5`: the whole rate, and this part of it from a fifth of the run on.
    Step(f64),
    /// `swing:0.5:20`: the whole rate and this part of it in turn, with a period of so many round trips.
    Swing(f64, f64),
    /// `markov:10`: 1, 3/4, 1/2, 1/4, for so many round trips on average.
    Markov(f64),
    /// `noise:0.8:0.2`: Gaussian, mean and deviation, another every slot.
    Noise(f64, f64),
    /// `flap:100`: on and off for so many microseconds on average.
    Flap(f64),
}

impl FromStr for Drain {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, numbers) = text.split_once(':').unwrap_or((text, ""));
        let n: Vec<f64> = numbers
            .split(':')
            .filter(|s| !s.is_empty())
            .map(|s| s.parse().map_err(|_| format!("drain {text:?}: {s:?} is no number")))
            .collect::<Result<_, _>>()?;
        let part = |x: f64| (0.0..=1.0).contains(&x);
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match (word, n.as_slice()) {
            ("full", []) => Ok(Drain::Full),
            ("step", &[to]) if part(to) => Ok(Drain::Step(to)),
            ("swing", &[to, period]) if part(to) && positive(period) => Ok(Drain::Swing(to, period)),
            ("markov", &[dwell]) if positive(dwell) => Ok(Drain::Markov(dwell)),
            ("noise", &[mean, deviation]) if part(mean) && part(deviation) => Ok(Drain::Noise(mean, deviation)),
            ("flap", &[microseconds]) if positive(microseconds) => Ok(Drain::Flap(microseconds)),
            _ => Err(format!(
                "drain {text:?}: expected full, step:PART, swing:PART:ROUND_TRIPS, markov:ROUND_TRIPS, \
                 noise:MEAN:DEVIATION or flap:MICROSECONDS, parts being 0 to 1"
            )),
        }
    }
}

impl fmt::Display for Drain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Drain::Full => write!(f, "full"),
            Drain::Step(to) => write!(f, "step:{to}"),
            Drain::Swing(to, period) => write!(f, "swing:{to}:{period}"),
            Drain::Markov(dwell) => write!(f, "markov:{dwell}"),
            Drain::Noise(mean, deviation) => write!(f, "noise:{mean}:{deviation}"),
            Drain::Flap(us) => write!(f, "flap:{us}"),
        }
    }
}

impl Drain {
    /// The schedule of a link of `bps`, from `from` to `until`: (time, bits per second).
    pub fn schedule(&self, bps: u64, from: Ps, until: Ps, rtt: Ps, slot: Ps, random: &mut Stream) -> Vec<(Ps, u64)> {
        let part = |p: f64| (bps as f64 * p) as u64;
        let mut out = vec![(0, bps)];
        let mut at = from;
        match *self {
            Drain::Full => {}
            Drain::Step(to) => out.push((from + (until - from) / 5, part(to))),
            Drain::Swing(to, period) => {
                let half = (period * rtt as f64 / 2.0) as Ps;
                let mut low = false;
                while at < until {
                    at += half.max(1);
                    low = !low;
                    out.push((at, if low { part(to) } else { bps }));
                }
            }
            Drain::Markov(dwell) => {
                while at < until {
                    out.push((at, part([1.0, 0.75, 0.5, 0.25][random.below(4) as usize])));
                    at += 1 + random.exponential(dwell * rtt as f64) as Ps;
                }
            }
            Drain::Noise(mean, deviation) => {
                while at < until {
                    out.push((at, part((mean + deviation * random.gaussian()).clamp(0.0, 1.0))));
                    at += slot;
                }
            }
            Drain::Flap(us) => {
                let mut on = false;
                while at < until {
                    out.push((at, if on { bps } else { 0 }));
                    on = !on;
                    at += 1 + random.exponential(us * 1e6) as Ps;
                }
            }
        }
        out
    }
}

/// Bytes that a schedule lets through between two times.
pub fn bytes_between(schedule: &[(Ps, u64)], from: Ps, until: Ps) -> f64 {
    let ends = schedule.iter().skip(1).map(|s| s.0).chain([Ps::MAX]);
    schedule
        .iter()
        .zip(ends)
        .map(|(&(begin, bps), end)| {
            let (a, b) = (begin.max(from), end.min(until));
            if b > a {
                (b - a) as f64 * bps as f64 / 8.0 / SECOND as f64
            } else {
                0.0
            }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        for word in ["full", "step:0.5", "swing:0.5:20", "markov:10", "noise:0.8:0.2", "flap:100"] {
            assert_eq!(word.parse::<Drain>().unwrap().to_string(), word);
        }
        for wrong in ["", "step", "step:2", "swing:0.5", "swing:0.5:0", "markov:x", "full:1"] {
            assert!(wrong.parse::<Drain>().unwrap_err().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn schedules_let_through_what_they_say() {
        let mut random = Stream::new(1, 0);
        let ms = SECOND / 1000;
        let mut mean = |word: &str| {
            let s = word.parse::<Drain>().unwrap().schedule(8_000, 0, 10_000 * ms, 10 * ms, ms, &mut random);
            bytes_between(&s, 0, 10_000 * ms) / 10_000.0
        };
        assert!((mean("full") - 1.0).abs() < 1e-9);
        assert!((mean("step:0.5") - 0.6).abs() < 1e-9);
        assert!((mean("swing:0.5:20") - 0.75).abs() < 1e-9);
        assert!((mean("markov:2") - 0.625).abs() < 0.05);
        assert!((mean("noise:0.5:0.1") - 0.5).abs() < 0.01);
        assert!((mean("flap:1000") - 0.5).abs() < 0.05);
    }
}
