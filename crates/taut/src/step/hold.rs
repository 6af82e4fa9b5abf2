//! What keeps cloth from stretching, in a step.

use super::run::{Log, Run};
use super::{HoldReport, Stage};
use crate::contact::{Grip, Placed};
use crate::hold::limit::Places;
use crate::lanes::Scalar;
use crate::solve::scheme::Scheme;
use crate::team::Worker;

impl<T: Scalar> Run<'_, T> {
    /// Moves vertices by what the coarse levels find, before the sweeps over the elements.
    pub(super) fn hold_coarsely(&self, worker: Worker<'_>) {
        if let Some(hold) = &self.hold {
            hold.levels.correct(worker, self.width, self.level, self.x);
            hold.rim.correct(worker, self.width, self.level, self.x);
            hold.solid.correct(worker, self.width, self.level, self.x);
        }
    }

    /// Pulls vertices back to their tethers, after the sweeps; and at the end of a step brings elements within the limit.
    /// Colliders have the last word.
    pub(super) fn hold(
        &self,
        worker: Worker<'_>,
        substep: u32,
        scheme: &Scheme,
        colliders: &[Placed<T>],
        log: &mut Log,
    ) {
        // An explicit scheme makes no velocity of displacements.
        let Some(hold) = self.hold.as_ref().filter(|_| scheme.reach > 0.0) else { return };
        hold.tethers.pull(worker, self.width, self.level, self.x);
        self.lap(log, Stage::Solve);
        if substep + 1 == self.substeps {
            let (gain, part) = (scheme.rate * self.h, 1.0 / f64::from(self.substeps));
            let places = Places { x: self.x, free: self.free, width: self.width, cpu: self.level, gain, part };
            let (rounds, met) = hold.bounds.pass(worker, places, self.params.hold.rounds.max(1));
            log.report.hold.rounds += u64::from(rounds);
            log.report.hold.unmet += u64::from(!met);
            let most = hold.bounds.stretch(worker, places);
            log.report.hold.stretch = self.agree(worker, log, most);
            self.lap(log, Stage::Limit);
        }
        if !colliders.is_empty() || self.meeting.is_some() {
            log.report.contacts = self.collide(worker, colliders, Grip::Substep);
            self.lap(log, Stage::Contact);
        }
    }
}

impl HoldReport {
    /// What was done in a step, with what was built for it.
    pub(super) fn with(self, built: HoldReport, substeps: u32) -> HoldReport {
        let substeps = if built == HoldReport::default() { 0 } else { substeps };
        HoldReport { substeps, rounds: self.rounds, unmet: self.unmet, stretch: self.stretch, ..built }
    }
}
