//! How a data centre drains over time: what a scenario writes in a word, and the rates it stands for.

use super::packet::{Ps, SECOND};
use super::rng::Stream;
use std::fmt;
use std::iter::Peekable;
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
    /// Rates of a link of `bps`; what the pattern does, it does from `from` to `until`.
    pub fn rates(self, bps: u64, from: Ps, until: Ps, rtt: Ps, slot: Ps, random: Stream) -> Rates {
        Rates { drain: self, bps, from, until, rtt, slot, random, at: from, given: 0 }
    }
}

/// Rates of a link over time, made one by one: when each begins, and bits per second. The first begins at 0.
#[derive(Clone, Debug)]
pub struct Rates {
    drain: Drain,
    bps: u64,
    from: Ps,
    until: Ps,
    rtt: Ps,
    slot: Ps,
    random: Stream,
    at: Ps,
    given: u64,
}

impl Iterator for Rates {
    type Item = (Ps, u64);

    fn next(&mut self) -> Option<(Ps, u64)> {
        let (bps, begins) = (self.bps, self.at);
        let part = |p: f64| (bps as f64 * p) as u64;
        self.given += 1;
        if self.given == 1 {
            return Some((0, bps));
        }
        let odd = self.given.is_multiple_of(2);
        match self.drain {
            Drain::Full => None,
            Drain::Step(to) => (self.given == 2).then(|| (self.from + (self.until - self.from) / 5, part(to))),
            _ if begins >= self.until => None,
            Drain::Swing(to, period) => {
                self.at += ((period * self.rtt as f64 / 2.0) as Ps).max(1);
                Some((self.at, if odd { part(to) } else { bps }))
            }
            Drain::Markov(dwell) => {
                let rate = part([1.0, 0.75, 0.5, 0.25][self.random.below(4) as usize]);
                self.at += 1 + self.random.exponential(dwell * self.rtt as f64) as Ps;
                Some((begins, rate))
            }
            Drain::Noise(mean, deviation) => {
                self.at += self.slot;
                Some((begins, part((mean + deviation * self.random.gaussian()).clamp(0.0, 1.0))))
            }
            Drain::Flap(us) => {
                self.at += 1 + self.random.exponential(us * 1e6) as Ps;
                Some((begins, if odd { 0 } else { bps }))
            }
        }
    }
}

/// What rates let through in one stretch of time after another, bytes; for ever.
#[derive(Clone, Debug)]
pub struct Through<R: Iterator<Item = (Ps, u64)>> {
    rates: Peekable<R>,
    bps: u64,
    at: Ps,
    stretch: Ps,
}

impl<R: Iterator<Item = (Ps, u64)>> Through<R> {
    /// The first stretch begins at `from`.
    pub fn new(rates: R, from: Ps, stretch: Ps) -> Self {
        Through { rates: rates.peekable(), bps: 0, at: from, stretch }
    }
}

impl<R: Iterator<Item = (Ps, u64)>> Iterator for Through<R> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let end = self.at + self.stretch;
        let mut bytes = 0.0;
        while self.at < end {
            while let Some((_, bps)) = self.rates.next_if(|r| r.0 <= self.at) {
                self.bps = bps;
            }
            let until = self.rates.peek().map_or(end, |r| r.0.min(end));
            bytes += (until - self.at) as f64 * self.bps as f64 / 8.0 / SECOND as f64;
            self.at = until;
        }
        Some(bytes)
    }
}

/// Bytes that rates let through between two times.
pub fn bytes_between(rates: impl Iterator<Item = (Ps, u64)>, from: Ps, until: Ps) -> f64 {
    Through::new(rates, from, until - from).next().unwrap_or(0.0)
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
    fn rates_let_through_what_they_say() {
        let ms = SECOND / 1000;
        let mean = |word: &str| {
            let drain = word.parse::<Drain>().unwrap();
            let rates = drain.rates(8_000, 0, 10_000 * ms, 10 * ms, ms, Stream::new(1, 0));
            assert!(rates.clone().map(|r| r.0).is_sorted(), "{word}");
            let whole = bytes_between(rates.clone(), 0, 10_000 * ms);
            let parts: f64 = Through::new(rates, 0, 7 * ms).take(1429).sum();
            assert!((parts - whole).abs() <= 3.0, "{word}: {parts} {whole}");
            whole / 10_000.0
        };
        let first = |word: &str| {
            let drain = word.parse::<Drain>().unwrap();
            let rates = drain.rates(8_000, 0, 10_000 * ms, 10 * ms, ms, Stream::new(1, 0));
            rates.take(4).map(|r| r.1).collect::<Vec<_>>()
        };
        assert_eq!(first("swing:0.5:20"), [8_000, 4_000, 8_000, 4_000]);
        assert_eq!(first("flap:1000"), [8_000, 0, 8_000, 0]);
        assert!((mean("full") - 1.0).abs() < 1e-9);
        assert!((mean("step:0.5") - 0.6).abs() < 1e-9);
        assert!((mean("swing:0.5:20") - 0.75).abs() < 1e-9);
        assert!((mean("markov:2") - 0.625).abs() < 0.05);
        assert!((mean("noise:0.5:0.1") - 0.5).abs() < 0.01);
        assert!((mean("flap:1000") - 0.5).abs() < 0.05);
    }
}
