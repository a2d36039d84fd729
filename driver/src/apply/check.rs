//! A configuration held against a core: words, or the first thing that is wrong with it. Nothing is read or written here.

use super::config::{AckOn, AckOps, Client, Config, Flow, Gateway, Source, Timers};
use super::wanted::{self, Wanted};
use super::{check_law, check_paths};
use crate::core::Caps;
use crate::error::{Error, Result};
use crate::route_table::{self, flatten, Prefix};
use crate::timetable::{Rate, Slot};
use matchrdma_spec::hash::FlowKey;
use matchrdma_spec::params::{PSN_BITS, SLOT_K_MAX, SLOT_K_MIN};
use matchrdma_spec::regs::entry::MODE_OFF;
use matchrdma_spec::regs::{flow, pacer, pfc, timer, Reg, RegField};
use matchrdma_spec::wire::vlan;
use std::collections::HashMap;
use std::fmt::Display;
use std::net::IpAddr;
use std::ops::Range;
use toml::Spanned;

/// A configuration on its way to words.
pub(super) struct Check<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) config: &'a Config,
    pub(super) caps: &'a Caps,
    pub(super) slot: Slot,
    /// Bytes of a slot at the rate of the ports.
    pub(super) line: u32,
}

/// What a configuration wants of a core of these sizes. Files that it names lie in `folder`.
pub fn check(source: &Source, config: &Config, caps: &Caps, folder: &std::path::Path) -> Result<Wanted> {
    let Gateway { enable, ack_on, slot_log2_cycles, port_gbps, .. } = &config.gateway;
    let slot = Slot { log2_cycles: *slot_log2_cycles.as_ref(), clock_hz: caps.clock_hz.into() };
    let mut check = Check { source, config, caps, slot, line: 0 };
    check.within("gateway.slot_log2_cycles", slot_log2_cycles, SLOT_K_MIN, SLOT_K_MAX)?;
    let line = slot.bytes(Rate::gbps(*port_gbps.as_ref())).filter(|bytes| *bytes > 0);
    check.line = line.ok_or_else(|| {
        check.wrong("gateway.port_gbps", &port_gbps.span(), "a rate of at least a byte a slot", port_gbps.as_ref())
    })?;
    let mut wanted = Wanted { enable: *enable, ack_on_arrival: *ack_on == AckOn::Arrival, ..Wanted::default() };
    if wanted.ack_on_arrival {
        wanted.warnings.push("gateway.ack_on = \"arrival\" acknowledges data that a reset would lose".into());
    }
    wanted.settings = check.settings()?;
    check_paths::paths(&check, &mut wanted, folder)?;
    check_law::law(&check, &mut wanted)?;
    wanted.routes = check.routes(&wanted)?;
    wanted.flows = check.flows()?;
    check_law::advise(&check, &mut wanted);
    Ok(wanted)
}

impl Check<'_> {
    /// What is wrong with a key.
    pub(super) fn wrong(&self, key: &str, span: &Range<usize>, expected: impl Display, found: impl Display) -> Error {
        self.source.wrong(format!("checking {key}"), span).but(expected.to_string(), found.to_string())
    }

    /// A number within bounds.
    pub(super) fn within(&self, key: &str, value: &Spanned<u32>, least: u32, most: u32) -> Result<u32> {
        let found = *value.as_ref();
        match (least..=most).contains(&found) {
            true => Ok(found),
            false => Err(self.wrong(key, &value.span(), format!("{least} to {most}"), found)),
        }
    }

    fn field(&self, key: &str, value: &Spanned<u32>, field: &RegField) -> Result<u32> {
        self.within(key, value, 0, field.max())
    }

    /// A time in cycles, rounded up.
    fn cycles(&self, key: &str, us: &Spanned<f64>, field: &RegField) -> Result<u32> {
        let (most, cycle_us) = (field.max(), 1e6 / f64::from(self.caps.clock_hz));
        let cycles = (us.as_ref() / cycle_us - 1e-6).ceil().max(0.0);
        match *us.as_ref() >= 0.0 && cycles <= f64::from(most) {
            true => Ok(cycles as u32),
            false => {
                let expected = format!("0 to {:.3} us", f64::from(most) * cycle_us);
                Err(self.wrong(key, &us.span(), expected, us.as_ref()))
            }
        }
    }

    /// A time in ticks, rounded up; infinite: never.
    fn ticks(&self, key: &str, us: &Spanned<f64>, tick_log2: u32) -> Result<u32> {
        if us.as_ref().is_infinite() && *us.as_ref() > 0.0 {
            return Ok(timer::NEVER);
        }
        let tick_us = 2f64.powi(tick_log2 as i32) * 1e6 / f64::from(self.caps.clock_hz);
        let (ticks, most) = ((us.as_ref() / tick_us - 1e-6).ceil(), timer::NEVER - 1);
        match ticks >= 1.0 && ticks <= f64::from(most) {
            true => Ok(ticks as u32),
            false => {
                let expected = format!("over 0 and up to {:.3} us, or inf", f64::from(most) * tick_us);
                Err(self.wrong(key, &us.span(), expected, us.as_ref()))
            }
        }
    }

    /// Words of a MAC address: bits 31:0, bits 47:32.
    pub(super) fn mac(&self, key: &str, text: &Spanned<String>) -> Result<u64> {
        let parts: Vec<_> = text.as_ref().split(':').map(|part| u8::from_str_radix(part, 16)).collect();
        let expected = "six bytes, as 02:00:00:00:00:01";
        let wrong = || self.wrong(key, &text.span(), expected, text.as_ref());
        let bytes: Vec<u8> = parts.into_iter().collect::<std::result::Result<_, _>>().map_err(|_| wrong())?;
        let bytes: [u8; 6] = bytes.try_into().map_err(|_| wrong())?;
        let mut eight = [0; 8];
        eight[2..].copy_from_slice(&bytes);
        Ok(u64::from_be_bytes(eight))
    }

    /// Registers that are no table.
    fn settings(&self) -> Result<Vec<(Reg, u32)>> {
        let Gateway { slot_log2_cycles, overhead_bytes, ack_share_log2, port_gbps, .. } = &self.config.gateway;
        let Timers { tick_log2_cycles, gap_timeout_us, flow_idle_us, debt_timeout_us } = &self.config.timers;
        let Client { pfc, pfc_class, pfc_quanta, pfc_source_mac, .. } = &self.config.client;
        let Client { ack_gap_us, cnp_spacing_us, cnp_dscp, cnp_pcp, .. } = &self.config.client;
        let tick = self.field("timers.tick_log2_cycles", tick_log2_cycles, &timer::TICK_FIELD)?;
        let class = self.field("client.pfc_class", pfc_class, &pfc::CLASS_FIELD)?;
        let source = self.mac("client.pfc_source_mac", pfc_source_mac)?;
        let [source_low, source_high] = matchrdma_spec::regs::law::words(source);
        // Quanta of 512 bit times that pass in a cycle, in parts of STEP_ONE.
        let bits_per_cycle = port_gbps.as_ref() * 1e9 / f64::from(self.caps.clock_hz);
        let step = (bits_per_cycle / 512.0 * f64::from(pfc::STEP_ONE)) as u32;
        let pcp = self.field("client.cnp_pcp", cnp_pcp, &pfc::CNP_PCP_FIELD)?;
        let dscp = self.field("client.cnp_dscp", cnp_dscp, &pfc::CNP_DSCP_FIELD)?;
        Ok(vec![
            (pacer::SLOT_K, *slot_log2_cycles.as_ref()),
            (pacer::OVERHEAD, self.field("gateway.overhead_bytes", overhead_bytes, &pacer::OVERHEAD_FIELD)?),
            (
                pacer::ACK_SHARE_LOG2,
                self.field("gateway.ack_share_log2", ack_share_log2, &pacer::ACK_SHARE_LOG2_FIELD)?,
            ),
            (timer::TICK_LOG2, tick),
            (timer::GAP_TIMEOUT, self.ticks("timers.gap_timeout_us", gap_timeout_us, tick)?),
            (timer::FLOW_IDLE, self.ticks("timers.flow_idle_us", flow_idle_us, tick)?),
            (timer::DEBT_TIMEOUT, self.ticks("timers.debt_timeout_us", debt_timeout_us, tick)?),
            (pfc::CONTROL, pfc::CLASS_FIELD.with(pfc::ENABLE_FIELD.with(0, (*pfc).into()), class)),
            (pfc::STEP, step.min(pfc::STEP_FIELD.max())),
            (pfc::QUANTA, self.within("client.pfc_quanta", pfc_quanta, 4, pfc::QUANTA_FIELD.max())?),
            (pfc::SOURCE_LOW, source_low),
            (pfc::SOURCE_HIGH, source_high),
            (pfc::ACK_GAP, self.cycles("client.ack_gap_us", ack_gap_us, &pfc::GAP_FIELD)?),
            (pfc::CNP_SPACING, self.cycles("client.cnp_spacing_us", cnp_spacing_us, &pfc::SPACING_FIELD)?),
            (pfc::CNP_CLASS, pfc::CNP_PCP_FIELD.with(pfc::CNP_DSCP_FIELD.with(0, dscp), pcp)),
        ])
    }

    /// Prefixes, each of one path that is not off.
    fn routes(&self, wanted: &Wanted) -> Result<Vec<route_table::Route>> {
        let mut routes = Vec::new();
        for route in &self.config.route {
            let (prefix, path) = (&route.as_ref().prefix, &route.as_ref().path);
            let path_number = self.within("route.path", path, 0, self.caps.paths - 1)?;
            if wanted.paths[path_number as usize].mode == MODE_OFF {
                return Err(self.wrong("route.path", &path.span(), "a path that is not off", path_number));
            }
            let read: Prefix = prefix.as_ref().parse().map_err(|_| {
                self.wrong("route.prefix", &prefix.span(), "ADDRESS/LENGTH, as 10.9.0.0/16", prefix.as_ref())
            })?;
            routes.push(route_table::Route { prefix: read, path: path_number as u8 });
            // The newest route is what makes the table wrong, if it is.
            flatten(&routes).map_err(|error| {
                let text = error.to_string();
                let (expected, found) = text.split_once(", found ").unwrap_or((&text, prefix.as_ref()));
                let expected = expected.split_once("expected ").map_or(expected, |(_, rest)| rest);
                self.wrong("route.prefix", &prefix.span(), expected, found)
            })?;
            let different: std::collections::HashSet<_> = routes.iter().map(|r| r.prefix).collect();
            if different.len() > self.caps.prefixes as usize {
                let expected = format!("at most {} prefixes, which the core holds", self.caps.prefixes);
                return Err(self.wrong("route", &route.span(), expected, different.len()));
            }
        }
        Ok(routes)
    }

    fn qpn(&self, key: &str, qpn: &Spanned<u32>) -> Result<u32> {
        // Queue pair numbers are as wide as sequence numbers; 0 and 1 are the management's.
        self.within(key, qpn, 2, RegField::new("qpn", 0, PSN_BITS as u32, "").max())
    }

    /// Flows, no two of which have a key in common.
    fn flows(&self) -> Result<Vec<wanted::Flow>> {
        let most = self.caps.flows as usize;
        let (mut flows, mut seen) = (Vec::new(), HashMap::new());
        for spanned in &self.config.flow {
            let (Flow { requester, responder, .. }, span) = (spanned.as_ref(), spanned.span());
            if requester.is_ipv6() != responder.is_ipv6() {
                let found = format!("{requester} and {responder}");
                return Err(self.wrong("flow", &span, "two addresses of one family", found));
            }
            let flow = self.flow(spanned)?;
            for (key, what) in [(flow.key_out, "responder_qpn"), (flow.key_in, "requester_qpn")] {
                if let Some(other) = seen.insert((what, key), flow.place.clone()) {
                    let expected = format!("flows of which no two have the same addresses, VLAN and {what}");
                    return Err(self.wrong("flow", &span, expected, format!("the same as of the flow at {other}")));
                }
            }
            flows.push(flow);
            if flows.len() > most {
                let expected = format!("at most {most} flows, which the core holds");
                return Err(self.wrong("flow", &span, expected, self.config.flow.len()));
            }
        }
        Ok(flows)
    }

    fn flow(&self, spanned: &Spanned<Flow>) -> Result<wanted::Flow> {
        let flow = spanned.as_ref();
        let id = |key: &str, id: &Option<Spanned<u32>>| match id {
            Some(id) => self.within(key, id, 1, vlan::VID.max() as u32 - 1),
            None => Ok(0),
        };
        let (outer, inner) = (id("flow.outer_vlan", &flow.outer_vlan)?, id("flow.vlan", &flow.vlan)?);
        if let Some(outer) = flow.outer_vlan.as_ref().filter(|_| flow.vlan.is_none()) {
            return Err(self.wrong("flow.outer_vlan", &outer.span(), "a vlan beside it", "none"));
        }
        let mtu = match &flow.mtu_bytes {
            None => 0,
            Some(bytes) => match flow::mtu_code(*bytes.as_ref()) {
                0 => {
                    let expected = "256, 512, 1024, 2048 or 4096";
                    return Err(self.wrong("flow.mtu_bytes", &bytes.span(), expected, bytes.as_ref()));
                }
                code => code,
            },
        };
        let v6 = u8::from(flow.requester.is_ipv6());
        let vlan = outer * (vlan::VID.max() as u32 + 1) + inner;
        let key = |src: IpAddr, dst: IpAddr, qpn| FlowKey { v6, vlan, src: bits(src), dst: bits(dst), qpn };
        let out = self.qpn("flow.responder_qpn", &flow.responder_qpn)?;
        let back = self.qpn("flow.requester_qpn", &flow.requester_qpn)?;
        Ok(wanted::Flow {
            key_out: key(flow.requester, flow.responder, out),
            key_in: key(flow.responder, flow.requester, back),
            ack_ops_write: flow.ack_ops == AckOps::Write,
            mtu: mtu as u8,
            place: self.source.place(&spanned.span()),
        })
    }
}

/// An address as a key has it.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u32::from(v4).into(),
        IpAddr::V6(v6) => v6.into(),
    }
}
