//! Budget, inside 2: **sharing**. What each path gets of a rate, by weight and by what it asks for.
//!
//! The level is found by bisection, so that gates need no divider for it.

/// Who asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Weight, 0..=255; a path of weight 0 gets nothing.
    pub weight: i64,
    /// What it can use, bytes per slot.
    pub demand: i64,
}

/// The largest level v in 0..=`line` at which `sum min(demand, weight * v)` is at most `rate`.
fn level(claims: &[Claim], rate: i64, line: i64) -> i64 {
    let taken = |v: i64| claims.iter().map(|c| c.demand.min(c.weight * v)).sum::<i64>();
    let (mut low, mut step) = (0, 1i64 << 32);
    while step > 0 {
        if low + step <= line && taken(low + step) <= rate {
            low += step;
        }
        step >>= 1;
    }
    low
}

/// The shares of `rate`: what one path leaves goes to the others. With `spread`, what nobody asks for is given too, by
/// weight, so that each share is at most `line`.
pub fn shares<const N: usize>(claims: &[Claim; N], rate: i64, line: i64, spread: bool) -> [i64; N] {
    let v = level(claims, rate, line);
    let asked = claims.map(|c| c.demand.min(c.weight * v));
    if !spread {
        return asked;
    }
    let over = (rate - asked.iter().sum::<i64>()).max(0);
    let open = claims.map(|c| Claim { demand: i64::MAX >> 8, ..c });
    let more = level(&open, over, line);
    core::array::from_fn(|i| (asked[i] + claims[i].weight * more).min(line))
}

/// `amount` by weight among the paths marked; rounded down per unit of weight.
pub fn by_weight<const N: usize>(weights: [i64; N], marked: [bool; N], amount: i64) -> [i64; N] {
    let sum: i64 = (0..N).filter(|&i| marked[i]).map(|i| weights[i]).sum();
    let unit = if sum > 0 { amount / sum } else { 0 };
    core::array::from_fn(|i| if marked[i] { weights[i] * unit } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: i64 = 1_000_000;

    fn claims<const N: usize>(of: [(i64, i64); N]) -> [Claim; N] {
        of.map(|(weight, demand)| Claim { weight, demand })
    }

    #[test]
    fn weights_share_and_what_one_leaves_goes_to_the_others() {
        let all = LINE;
        assert_eq!(shares(&claims([(1, all), (3, all)]), LINE, LINE, false), [250_000, 750_000]);
        assert_eq!(shares(&claims([(1, all), (3, 90_000)]), LINE, LINE, false), [910_000, 90_000]);
        assert_eq!(shares(&claims([(0, all), (2, all)]), LINE, LINE, false), [0, LINE]);
    }

    #[test]
    fn never_more_than_there_is() {
        let mut seed = 7u64;
        let mut draw = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % n) as i64
        };
        for _ in 0..2000 {
            let c: [Claim; 16] = core::array::from_fn(|_| Claim { weight: draw(256), demand: draw(LINE as u64 + 1) });
            let rate = draw(LINE as u64 + 1);
            let got = shares(&c, rate, LINE, false);
            assert!(got.iter().sum::<i64>() <= rate);
            assert!((0..16).all(|i| got[i] <= c[i].demand));
            let weights: i64 = c.iter().map(|x| x.weight).sum();
            let asked: i64 = c.iter().filter(|x| x.weight > 0).map(|x| x.demand).sum();
            assert!(got.iter().sum::<i64>() >= rate.min(asked) - weights, "but for rounding all is given");
            assert!(shares(&c, rate, LINE, true).iter().all(|s| *s <= LINE));
        }
    }

    #[test]
    fn what_nobody_asks_for_is_spread() {
        let idle = claims([(1, 0), (1, 0), (2, 0)]);
        assert_eq!(shares(&idle, LINE, LINE, true), [250_000, 250_000, 500_000]);
        assert_eq!(by_weight([1, 3, 4], [true, true, false], 1001), [250, 750, 0]);
        assert_eq!(by_weight([1, 3], [false, false], 1001), [0, 0]);
    }
}
