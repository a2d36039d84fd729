//! Tables of routes, as the host makes them and as the model looks them through.

use super::Random;
use matchrdma::route_table::{flatten, Prefix, Route, Start};
use matchrdma_model::route::{self, RouteTable};
use matchrdma_spec::params::{PATHS, ROUTE_STARTS};

/// Eighths of both families, so that any address has a path or none.
pub fn any_routes(random: &mut Random) -> Vec<Route> {
    let mut routes = vec![];
    for v6 in [false, true] {
        let top = if v6 { 125 } else { 29 };
        for part in 0..8u128 {
            if random.chance(1, 3) {
                continue;
            }
            let prefix = Prefix { v6, addr: part << top, len: 3 };
            routes.push(Route { prefix, path: random.below(PATHS as u64) as u8 });
        }
    }
    routes
}

/// The same for the model.
pub fn table(routes: &[Route]) -> RouteTable {
    let of = |r: &Route| (route::Prefix { v6: r.prefix.v6, addr: r.prefix.addr, len: r.prefix.len }, r.path);
    RouteTable::new(routes.iter().map(of).collect())
}

/// The same as the rows of a bank.
pub fn rows(routes: &[Route]) -> Vec<[u32; 5]> {
    let mut starts = flatten(routes).unwrap();
    starts.resize(ROUTE_STARTS, Start::UNUSED);
    let word = |start: &Start, i: usize| (start.addr >> (32 * i)) as u32;
    let row = |s: &Start| [word(s, 0), word(s, 1), word(s, 2), word(s, 3), u32::from(s.v6) | u32::from(s.queue) << 1];
    starts.iter().map(row).collect()
}
