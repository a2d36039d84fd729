//! Flattening against the plain reading of the prefixes.

use super::*;

/// A xorshift generator: the driver has no others.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.below(u64::MAX)) << 64 | u128::from(self.below(u64::MAX))
    }
}

fn prefix(v6: bool, addr: u128, len: u8) -> Prefix {
    let whole = Prefix { v6, addr: 0, len };
    Prefix { addr: addr & !whole.hosts() & if v6 { u128::MAX } else { u32::MAX.into() }, ..whole }
}

/// The longest prefix that contains an address, looked for in all.
fn longest(routes: &[Route], v6: bool, addr: u128) -> u8 {
    let host = Prefix { v6, addr, len: if v6 { 128 } else { 32 } };
    let inside = routes.iter().filter(|r| r.prefix.contains(&host) && !(v6 && addr == u128::MAX));
    inside.max_by_key(|r| r.prefix.len).map_or(QUEUE_BYPASS as u8, |r| r.path)
}

/// The last start at or before an address.
fn by_starts(starts: &[Start], v6: bool, addr: u128) -> u8 {
    let reached = starts.iter().rev().find(|s| (s.v6, s.addr) <= (v6, addr));
    reached.map_or(QUEUE_BYPASS as u8, |s| s.queue)
}

#[test]
fn starts_say_what_the_longest_prefix_says() {
    let mut random = Random(0x9e37_79b9);
    let mut most = 0;
    for round in 0..400 {
        let mut routes: Vec<Route> = vec![];
        let count = if round % 8 == 0 { PREFIXES as u64 } else { random.below(PREFIXES as u64 + 1) };
        // few addresses, so that prefixes nest and touch; the ends of both families
        let near = [0, random.wide(), random.wide(), u128::MAX, 0x0a09_0000];
        while routes.len() < count as usize {
            let v6 = random.below(2) == 0;
            let width = if v6 { 128u8 } else { 32 };
            let len = if random.below(3) == 0 {
                width - random.below(4) as u8
            } else {
                random.below(u64::from(width) + 1) as u8
            };
            let base = near[random.below(5) as usize] ^ u128::from(random.below(8)) << (width - len).min(124);
            let prefix = prefix(v6, base, len);
            if routes.iter().all(|r| r.prefix != prefix) {
                routes.push(Route { prefix, path: random.below(PATHS as u64) as u8 });
            }
        }
        let starts = flatten(&routes).unwrap();
        assert!(starts.len() <= ROUTE_STARTS);
        assert!(starts.windows(2).all(|w| (w[0].v6, w[0].addr) < (w[1].v6, w[1].addr)), "ascending");
        most = most.max(starts.len());
        let ask = |v6: bool, addr: u128| {
            let addr = if v6 { addr } else { addr & u128::from(u32::MAX) };
            let (got, want) = (by_starts(&starts, v6, addr), longest(&routes, v6, addr));
            assert_eq!(got, want, "round {round}: {}", Prefix { v6, addr, len: 0 });
        };
        for Route { prefix, .. } in &routes {
            for addr in [prefix.addr, prefix.last()] {
                ask(prefix.v6, addr.wrapping_sub(1));
                ask(prefix.v6, addr);
                ask(prefix.v6, addr.wrapping_add(1));
            }
        }
        for addr in [0, u128::MAX, u32::MAX.into(), random.wide(), random.wide()] {
            ask(false, addr);
            ask(true, addr);
        }
    }
    assert!(most > 100, "{most} starts at most are too few to show much");
}

#[test]
fn sixty_four_prefixes_apart_take_all_the_starts() {
    let routes: Vec<Route> = (0..64).map(|i| Route { prefix: prefix(false, i << 9, 24), path: i as u8 % 16 }).collect();
    let starts = flatten(&routes).unwrap();
    assert_eq!(starts.len(), ROUTE_STARTS);
    assert_eq!(starts[0], Start { v6: false, addr: 0, queue: 0 });
    assert_eq!(starts[127], Start { v6: false, addr: (63 << 9) + 256, queue: 16 });
    assert_eq!(flatten(&[]), Ok(vec![]));
}

#[test]
fn prefixes_that_touch_and_lead_the_same_way_are_one_range() {
    let to = |addr, len, path| Route { prefix: prefix(false, addr, len), path };
    let starts = flatten(&[to(0x0a01_0000, 16, 2), to(0x0a00_0000, 16, 2), to(0x0a00_0000, 16, 2)]).unwrap();
    let want = [Start { v6: false, addr: 0x0a00_0000, queue: 2 }, Start { v6: false, addr: 0x0a02_0000, queue: 16 }];
    assert_eq!(starts, want);
    assert_eq!(flatten(&[to(0, 0, 3)]).unwrap()[1].addr, 1 << 32, "all of IPv4, and nothing of IPv6");
}

#[test]
fn what_is_wrong_is_said_with_what_was_found_and_expected() {
    let said = |routes: &[Route]| flatten(routes).unwrap_err().to_string();
    let to = |addr, len, path| Route { prefix: Prefix { v6: false, addr, len }, path };
    let many: Vec<Route> = (0..65).map(|i| to(i << 8, 24, 1)).collect();
    assert_eq!(said(&many), "routes: expected at most 64 different prefixes, found 65");
    assert_eq!(
        said(&[to(0x0a09_0000, 16, 1), to(0x0a09_0000, 16, 2)]),
        "route 10.9.0.0/16: expected one path, found two: 1 and 2"
    );
    assert_eq!(
        said(&[to(0x0a09_0001, 16, 1)]),
        "route 10.9.0.1/16: expected no bit set behind the first 16, as in 10.9.0.0/16, found 10.9.0.1"
    );
    assert_eq!(said(&[to(0, 8, 16)]), "route 0.0.0.0/8: expected a path from 0 to 15, found 16");
    assert_eq!(said(&[to(0, 33, 0)]), "route 0.0.0.0/33: expected a length of at most 32, found 33");
    assert_eq!(flatten(&many[..64]).unwrap().len(), 2);
}

#[test]
fn prefixes_are_written_as_everywhere() {
    for text in ["10.9.0.0/16", "0.0.0.0/0", "2001:db8::/32", "::/0", "192.0.2.1/32"] {
        assert_eq!(text.parse::<Prefix>().unwrap().to_string(), text);
    }
    assert_eq!("192.0.2.1".parse::<Prefix>().unwrap().len, 32);
    assert_eq!("::1".parse::<Prefix>().unwrap().len, 128);
    for bad in ["", "10.9/16", "10.9.0.0/", "10.9.0.0/x", "10.9.0.0/-1", "host/16"] {
        let said = bad.parse::<Prefix>().unwrap_err();
        assert!(said.contains("expected ADDRESS/LENGTH"), "{said}");
    }
}
