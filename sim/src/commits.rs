//! Commits of banked tables under traffic at line rate: whether a frame is lost, whether a slot has some of the old
//! tables and some of the new.

use crate::beside::{Beside, Seen, DESTINATION};
use crate::engine::Gateway;
use matchrdma::core::Core;
use matchrdma::Result;
use matchrdma_spec::params::{PATHS, QUEUES, SLOT_K_MIN};
use matchrdma_spec::regs::entry::{Path, Route, MODE_FIXED};
use matchrdma_spec::regs::pacer;
use matchrdma_spec::regs::table::{PATH, ROUTE};

/// What commit number `tag` puts into force, on every path the same: more than the line carries, so that no frame waits.
fn path(tag: u32) -> Path {
    Path { mode: MODE_FIXED, rate: (1 << 20) + tag, burst: (1 << 20) + tag, ..Path::default() }
}

/// So many commits at random moments of slots of 1024 cycles: of paths, of routes, of both.
pub fn run(gateway: &mut dyn Gateway, commits: u32, seed: u64) -> Result<Seen> {
    let mut core = Core::find(Beside::new(gateway, seed))?;
    core.write(&pacer::SLOT_K, SLOT_K_MIN)?;
    let mut tag = 0;
    for number in 1..=commits {
        let any = [1 << PATH, 1 << ROUTE, 1 << PATH | 1 << ROUTE, 1 << PATH][core.bus().any(4)];
        let mask = if number == 1 { 1 << PATH | 1 << ROUTE } else { any };
        // Without paths those of the commit before stay.
        tag = if mask >> PATH & 1 == 1 { number } else { tag };
        core.bus().expect(&[path(tag); PATHS]);
        let mut mirror = core.bus().gateway().mirror().clone();
        (0..PATHS).for_each(|p| mirror.set_path(p, &path(tag)));
        let address = u32::from_be_bytes(DESTINATION).into();
        mirror.set_routes(&[Route { address, v6: false, queue: (number % QUEUES as u32) as u8 }]);
        core.commit(&mut mirror, mask)?;
        *core.bus().gateway().mirror() = mirror;
        while !core.bus().look()? {}
    }
    Ok(core.into_bus().finish().0)
}
