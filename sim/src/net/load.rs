//! What senders have to send over time: what a scenario writes in a word, and when each message is posted.

use super::drain::Through;
use super::packet::{Ps, SECOND};
use super::rng::Stream;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

/// A pattern, in parts of the line's rate and in round trips; frames with all that they take on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// `full`: always something.
    Full,
    /// `poisson:0.6`: messages at random, so many that they fill this part of the line.
    Poisson(f64),
    /// `burst:0.6:10`: what fills this part of the line, all of it at the beginning of each so many round trips.
    Burst(f64, f64),
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split(':');
        let word = words.next().unwrap_or("");
        let numbers: Result<Vec<f64>, _> = words.map(str::parse).collect();
        let part = |x: f64| x > 0.0 && x < 1.0;
        match (word, numbers.as_deref()) {
            ("full", Ok([])) => Ok(Load::Full),
            ("poisson", Ok(&[of])) if part(of) => Ok(Load::Poisson(of)),
            ("burst", Ok(&[of, period])) if part(of) && period.is_finite() && period > 0.0 => Ok(Load::Burst(of, period)),
            _ => Err(format!(
                "load {text:?}: expected full, poisson:PART or burst:PART:ROUND_TRIPS, parts being more than 0 and less than 1"
            )),
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Load::Full => write!(f, "full"),
            Load::Poisson(of) => write!(f, "poisson:{of}"),
            Load::Burst(of, period) => write!(f, "burst:{of}:{period}"),
        }
    }
}

impl Load {
    /// When messages of `bytes` on the wire are posted at a source, until `until`; none for a load that is full.
    pub fn posts(self, line_bps: u64, bytes: u64, pairs: u32, until: Ps, rtt: Ps, random: Stream) -> Posts {
        let message = bytes as f64 * 8.0 * SECOND as f64 / line_bps as f64;
        Posts { load: self, message, pairs, until: until as f64, rtt: rtt as f64, random, at: 0.0, posted: 0 }
    }
}

/// Messages, made one by one: when each is posted, and to which of the queue pairs, which take turns.
#[derive(Clone, Debug)]
pub struct Posts {
    load: Load,
    /// Time of the line that a message takes.
    message: f64,
    pairs: u32,
    until: f64,
    rtt: f64,
    random: Stream,
    /// The last one, or the end of a burst's period.
    at: f64,
    posted: u64,
}

impl Iterator for Posts {
    type Item = (Ps, u32);

    fn next(&mut self) -> Option<(Ps, u32)> {
        let at = match self.load {
            Load::Full => return None,
            Load::Poisson(of) => {
                self.at += self.random.exponential(self.message / of);
                if self.at >= self.until {
                    return None;
                }
                self.at
            }
            Load::Burst(of, period) => {
                let period = period * self.rtt;
                // Whole messages, the rest in a later burst.
                while (self.posted + 1) as f64 * self.message > self.at * of {
                    if self.at >= self.until {
                        return None;
                    }
                    self.at += period;
                }
                self.at - period
            }
        };
        self.posted += 1;
        Some((at as Ps, (self.posted % u64::from(self.pairs)) as u32))
    }
}

/// Windows over which an ideal law takes the mean of the drain, round trips.
const WINDOWS: [f64; 6] = [0.0, 0.25, 1.0, 4.0, 16.0, 64.0];
/// Of what the senders have, the part that it must bring to count.
const BROUGHT: f64 = 0.975;

/// Steps of a round trip.
const STEPS: usize = 100;

/// A source, the line behind it and a destination, as fluids.
#[derive(Clone, Debug)]
pub struct Fluid<P, R> {
    /// What is posted: when, and bytes on the wire.
    pub posts: P,
    /// What the destination drains: when each rate begins, and bits per second.
    pub drain: R,
    /// Rate of the line.
    pub line_bps: u64,
    /// Both ways.
    pub rtt: Ps,
    /// What is counted.
    pub from: Ps,
    /// Until here.
    pub until: Ps,
}

impl<P: Iterator<Item = (Ps, u64)> + Clone, R: Iterator<Item = (Ps, u64)> + Clone> Fluid<P, R> {
    /// The least that waits at the destination on average, of laws that know what drains as soon as light brings it: each lets
    /// the source send the mean of the last so many round trips, and those count that bring what the senders have.
    pub fn ideal(&self) -> f64 {
        let results = WINDOWS.map(|w| self.law((w * self.rtt as f64) as Ps));
        let most = results.iter().map(|r| r.1).fold(0.0, f64::max);
        results.iter().filter(|r| r.1 >= BROUGHT * most).map(|r| r.0).fold(f64::INFINITY, f64::min)
    }

    /// What waits on average, and what is drained, bytes.
    fn law(&self, window: Ps) -> (f64, f64) {
        // Fine against a round trip and coarse against a packet.
        let step = (self.rtt / STEPS as Ps).max(1);
        let window = (window / step) as usize;
        let line = self.line_bps as f64 / 8.0 * step as f64 / SECOND as f64;
        let (mut posts, mut backlog, mut waits) = (self.posts.clone().peekable(), 0.0, 0.0);
        let (mut mean, mut drained, mut counted) = (0.0, 0.0, 0);
        // What drained up to the end of each of the last steps, a round trip and a window of them; before the first, nothing.
        let mut sums = VecDeque::from([0.0]);
        let steps = (self.until / step) as usize;
        // A step of the destination: what comes now left half a round trip ago, by what drained half a one before.
        for (n, drains) in Through::new(self.drain.clone(), 0, step).take(steps).enumerate() {
            sums.push_back(sums[sums.len() - 1] + drains);
            let at = n as Ps * step;
            while let Some((_, bytes)) = posts.next_if(|(t, _)| t + self.rtt / 2 <= at) {
                backlog += bytes as f64;
            }
            let known = sums.len() - 1 - n.min(STEPS);
            let first = known.saturating_sub(window + 1);
            let rate = (sums[known] - sums[first]) / (known - first) as f64;
            if sums.len() > STEPS + window + 2 {
                sums.pop_front();
            }
            let sent = f64::min(backlog, rate.min(line));
            backlog -= sent;
            waits += sent;
            let out = f64::min(waits, drains);
            waits -= out;
            if at >= self.from {
                mean += waits;
                drained += out;
                counted += 1;
            }
        }
        (mean / f64::from(counted.max(1u32)), drained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: u64 = 8_000_000_000;
    const MS: Ps = SECOND / 1000;

    #[test]
    fn words_are_read_and_written() {
        for word in ["full", "poisson:0.6", "burst:0.6:10"] {
            assert_eq!(word.parse::<Load>().unwrap().to_string(), word);
        }
        for wrong in ["", "poisson", "poisson:1", "poisson:0", "burst:0.5", "burst:0.5:0", "full:1", "burst:x:1"] {
            assert!(wrong.parse::<Load>().unwrap_err().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn posts_are_as_many_as_they_say_and_take_turns() {
        let posts = |word: &str| {
            let load = word.parse::<Load>().unwrap();
            load.posts(LINE, 100_000, 4, 1000 * MS, 10 * MS, Stream::new(1, 0)).collect::<Vec<_>>()
        };
        assert!(posts("full").is_empty());
        // A message takes 100 us of the line; 600 ms of it are 6000.
        let (poisson, burst) = (posts("poisson:0.6"), posts("burst:0.6:5"));
        assert!(poisson.len().abs_diff(6000) < 250, "{}", poisson.len());
        assert_eq!(burst.len(), 6000);
        assert!(burst[..300].iter().all(|p| p.0 == 0) && burst[300].0 == 50 * MS);
        for posts in [poisson, burst] {
            assert!(posts.is_sorted_by_key(|p| p.0) && posts[..5].iter().map(|p| p.1).eq([1, 2, 3, 0, 1]));
        }
    }

    #[test]
    fn an_ideal_law_keeps_what_was_on_its_way_when_the_drain_fell() {
        // Half the line for 100 ms, 1 MB each ms; from 50 ms on only a quarter drains: a round trip of 10 ms brings 2.5 MB too much.
        let posts = (0..100).map(|n| (n * MS, 500_000));
        let drain = [(0, LINE), (50 * MS, LINE / 4)].into_iter();
        let fluid = Fluid { posts, drain, line_bps: LINE, rtt: 10 * MS, from: 0, until: 100 * MS };
        let (mean, drained) = fluid.law(0);
        assert!((drained / (22_500_000.0 + 12_500_000.0) - 1.0).abs() < 0.02, "{drained}");
        // It rises for 10 ms and stays for 40.
        let wants = 2_500_000.0 * (40.0 + 5.0) / 100.0;
        assert!((mean / wants - 1.0).abs() < 0.03, "{mean} {wants}");
        // The mean of a longer window hears of it later.
        assert!(fluid.law(40 * MS).0 > 1.2 * mean && fluid.ideal() <= mean);
    }
}
