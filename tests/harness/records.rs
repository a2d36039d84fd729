//! The records of `docs/blocks.md` as the values of ports: first field at bit 0.

use matchrdma_model::record::{Back, Cfg, Intent, Kind, Rx, Said, Times};

/// Lays fields one after the other, and takes them off again.
pub struct Packed(u128, u32);

impl Packed {
    /// Nothing yet.
    pub fn new() -> Self {
        Packed(0, 0)
    }
    /// A port value, to be taken apart.
    pub fn of(words: &[u32]) -> Self {
        Packed(words.iter().rev().fold(0, |v, w| v << 32 | u128::from(*w)), 0)
    }
    /// Puts a field of `bits` bits behind the others.
    pub fn put(self, bits: u32, value: impl Into<u64>) -> Self {
        let value: u64 = value.into();
        assert!(bits == 64 || value >> bits == 0, "{value:#x} in {bits} bits");
        Packed(self.0 | u128::from(value) << self.1, self.1 + bits)
    }
    /// The next field.
    pub fn take(&mut self, bits: u32) -> u32 {
        let value = (self.0 >> self.1) as u64 & ((1 << bits) - 1);
        self.1 += bits;
        value as u32
    }
    /// The next field of one bit.
    pub fn flag(&mut self) -> bool {
        self.take(1) == 1
    }
    /// As a port of up to 128 bits.
    pub fn words<const N: usize>(&self) -> [u32; N] {
        std::array::from_fn(|i| (self.0 >> (32 * i)) as u32)
    }
    /// As a port of 33 to 64 bits.
    pub fn long(&self) -> u64 {
        self.0 as u64
    }
}

/// `cfg_data`.
pub fn pack_cfg(c: Cfg) -> u32 {
    Packed::new().put(1, c.enable).put(1, c.ack_ops_write).put(2, 0u8).put(3, c.mtu).put(1, 0u8).put(8, c.serial).long()
        as u32
}

/// `rx_data`.
pub fn pack_rx(r: Rx) -> [u32; 4] {
    let p = Packed::new().put(8, r.serial).put(8, r.run).put(1, r.synced).put(1, r.drain).put(1, r.gap);
    let p = p.put(1, r.sample_valid).put(3, r.mtu).put(24, r.expected).put(24, r.count);
    let p = p.put(24, r.sample_psn).put(24, r.sample_count);
    p.put(1, r.off).put(1, r.rewound).put(1, r.mig).put(4, r.cause).put(1, r.mould).words()
}

/// `rx_data`, taken apart.
pub fn unpack_rx(words: [u32; 4]) -> Rx {
    let mut p = Packed::of(&words);
    Rx {
        serial: p.take(8) as u8,
        run: p.take(8) as u8,
        synced: p.flag(),
        drain: p.flag(),
        gap: p.flag(),
        sample_valid: p.flag(),
        mtu: p.take(3) as u8,
        expected: p.take(24),
        count: p.take(24),
        sample_psn: p.take(24),
        sample_count: p.take(24),
        off: p.flag(),
        rewound: p.flag(),
        mig: p.flag(),
        cause: p.take(4) as u8,
        mould: p.flag(),
    }
}

/// `back_data`.
pub fn pack_back(b: Back) -> [u32; 3] {
    let p = Packed::new().put(8, b.run).put(1, b.active).put(1, b.fault).put(1, b.resync).put(1, b.seen);
    let p = p.put(3, b.mtu).put(24, b.offset).put(24, b.seen_psn);
    p.put(1, b.off).put(1, b.drain).put(4, b.cause).put(2, b.refusal).words()
}

/// `back_data`, taken apart.
pub fn unpack_back(words: [u32; 3]) -> Back {
    let mut p = Packed::of(&words);
    Back {
        run: p.take(8) as u8,
        active: p.flag(),
        fault: p.flag(),
        resync: p.flag(),
        seen: p.flag(),
        mtu: p.take(3) as u8,
        offset: p.take(24),
        seen_psn: p.take(24),
        off: p.flag(),
        drain: p.flag(),
        cause: p.take(4) as u8,
        refusal: p.take(2) as u8,
    }
}

/// `said_data`.
pub fn pack_said(s: Said) -> [u32; 4] {
    let p = Packed::new().put(8, s.run).put(1, s.valid).put(24, s.acked_psn).put(24, s.acked_msn);
    p.put(24, s.departed_psn).put(24, s.confirmed_psn).put(1, s.barrier).words()
}

/// `said_data`, taken apart.
pub fn unpack_said(words: [u32; 4]) -> Said {
    let mut p = Packed::of(&words);
    Said {
        run: p.take(8) as u8,
        valid: p.flag(),
        acked_psn: p.take(24),
        acked_msn: p.take(24),
        departed_psn: p.take(24),
        confirmed_psn: p.take(24),
        barrier: p.flag(),
    }
}

/// `intent`.
pub fn pack_intent(i: Intent) -> [u32; 3] {
    let p = Packed::new().put(3, i.kind as u8).put(1, i.req).put(12, i.flow).put(8, i.run);
    p.put(24, i.psn).put(24, i.msn).words()
}

/// `intent`, taken apart.
pub fn unpack_intent(words: [u32; 3]) -> Intent {
    let mut p = Packed::of(&words);
    Intent {
        kind: Kind::of(p.take(3).into()).expect("a kind"),
        req: p.flag(),
        flow: p.take(12) as u16,
        run: p.take(8) as u8,
        psn: p.take(24),
        msn: p.take(24),
    }
}

/// `times`.
pub fn pack_times(t: Times) -> [u32; 3] {
    Packed::new().put(24, t.now).put(16, t.gap).put(16, t.idle).put(16, t.debt).words()
}

/// `times`, taken apart.
pub fn unpack_times(words: [u32; 3]) -> Times {
    let mut p = Packed::of(&words);
    Times { now: p.take(24), gap: p.take(16) as u16, idle: p.take(16) as u16, debt: p.take(16) as u16 }
}
