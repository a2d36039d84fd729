//! What the host sets of back-pressure and PFC, on its way to the model.

use super::ModelGateway;
use matchrdma_model::back_pressure::{Threshold, Thresholds};
use matchrdma_model::pfc::Settings;
use matchrdma_model::pseudo_ack::CnpClass;
use matchrdma_spec::params::PATHS;
use matchrdma_spec::regs::pfc;

impl ModelGateway {
    /// What the host set of block `PFC`.
    pub(super) fn pressure(&mut self) {
        let high = pfc::SOURCE_HIGH_FIELD.get(self.register(&pfc::SOURCE_HIGH));
        self.model.set_pfc(Settings {
            enable: pfc::ENABLE_FIELD.get(self.register(&pfc::CONTROL)) == 1,
            class: pfc::CLASS_FIELD.get(self.register(&pfc::CONTROL)) as u8,
            step: self.register(&pfc::STEP) as u16,
            quanta: self.register(&pfc::QUANTA) as u16,
            source: u64::from(high) << 32 | u64::from(self.register(&pfc::SOURCE_LOW)),
        });
        let class = self.register(&pfc::CNP_CLASS);
        let class = CnpClass { dscp: pfc::CNP_DSCP_FIELD.get(class) as u8, pcp: pfc::CNP_PCP_FIELD.get(class) as u8 };
        let gap = pfc::GAP_FIELD.get(self.register(&pfc::ACK_GAP));
        let spacing = pfc::SPACING_FIELD.get(self.register(&pfc::CNP_SPACING));
        self.model.set_pace(gap.into(), spacing.into(), class);
    }

    /// Path settings came into force.
    pub(super) fn thresholds(&mut self) {
        for path in 0..PATHS {
            let set = self.banked.tables.path(path);
            let cnp = Threshold { on: set.cnp_on, off: set.cnp_off };
            let pfc = Threshold { on: set.pfc_on, off: set.pfc_off };
            self.model.set_thresholds(path, Thresholds { cnp, pfc, ecn_clear: set.ecn_clear });
        }
    }
}
