//! What keeps cloth from stretching, in a step.

use super::Precision;
use super::Stage;
use super::run::{Log, Run, Substep};
use crate::contact::FrictionBudget;
use crate::levels::EndPositions;
use crate::team::Worker;

impl<T: Precision> Run<'_, T> {
    /// Moves vertices by what the coarse levels find, before the sweeps over the elements.
    pub(super) fn correct_coarsely(&self, worker: Worker<'_>) {
        if let Some(part) = &self.parts.inextensibility {
            part.correct(self.over(worker), self.arrays.x);
        }
    }

    /// Pulls vertices back to their tethers, after the sweeps; and at the end of a step brings elements within the
    /// limit. Colliders have the last word.
    pub(super) fn keep_from_stretching(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) {
        let Substep { scheme, colliders, .. } = substep;
        // An explicit scheme makes no velocity of displacements.
        let Some(part) = self.parts.inextensibility.as_ref().filter(|_| scheme.reach > 0.0) else { return };
        part.attach(self.over(worker), self.arrays.x);
        self.lap(log, Stage::Solve);
        if substep.last {
            let at = EndPositions {
                x: self.arrays.x,
                x_predicted: self.arrays.x_predicted,
                gain: scheme.rate * self.time.h,
                part: 1.0 / f64::from(self.time.substeps),
            };
            let (rounds, met) = part.limit().pass(self.over(worker), at, self.params.inextensibility.rounds.max(1));
            log.tally.rounds += u64::from(rounds);
            log.tally.unmet += u64::from(!met);
            self.lap(log, Stage::Limit);
        }
        if !colliders.is_empty() || self.parts.contact.is_some() {
            log.tally.contacts = self.collide(worker, colliders, FrictionBudget::Substep);
            self.lap(log, Stage::Contact);
        }
    }

    /// The largest stretch of what is kept from stretching, of the state that is returned.
    pub(super) fn measure_stretch(&self, worker: Worker<'_>, log: &mut Log) {
        if let Some(part) = &self.parts.inextensibility {
            let most = part.limit().stretch(self.over(worker), self.arrays.x);
            log.tally.stretch = self.reduce_max(worker, log, most);
        }
    }
}
