//! The strain limiters in a substep: after the solve, in turn with contact. Bounds at the end of an interval come after
//! them (`end_solve.rs`).

use super::run::{Log, Run};
use super::{Precision, Stage};
use crate::constraint::LaneChoice;
use crate::contact::{FrictionBudget, PlacedCollider};
use crate::lanes::Scalar;
use crate::limit::{LimitMemory, LimitReport, Limiter, Stack, Target, Workspace};
use crate::solve::scheme::Scheme;
use crate::team::Worker;
use std::sync::Mutex;

/// What limiters keep between steps.
#[derive(Debug, Default)]
pub(super) struct StepLimits<T: Scalar> {
    memory: LimitMemory<T>,
    reports: Mutex<Vec<LimitReport>>,
}

impl<T: Scalar> StepLimits<T> {
    /// What each limiter did in the last step.
    pub fn reports(&mut self) -> &[LimitReport] {
        self.reports.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A step begins.
    pub fn forget(&mut self) {
        self.reports.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }

    /// What all limiters did in the last step.
    pub fn report(&mut self) -> LimitReport {
        self.reports().iter().fold(LimitReport::none(), |all, one| all.join(one))
    }
}

impl<T: Precision> StepLimits<T> {
    /// Lays out the memory for a step of a model with limiters; nothing if it has none.
    pub fn begin<'a>(&'a mut self, stack: &'a Stack<T>, lanes: LaneChoice) -> Option<Limits<'a, T>> {
        let reports = self.reports.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        reports.resize(stack.limiters.len(), LimitReport::none());
        let memory = self.memory.lay_out(&stack.limiters, lanes);
        (!stack.limiters.is_empty()).then_some(Limits { stack, memory, reports: &self.reports })
    }
}

/// The limiters of a step under way.
pub(super) struct Limits<'a, T> {
    stack: &'a Stack<T>,
    memory: Workspace<'a, T>,
    /// By limiter, over all substeps.
    reports: &'a Mutex<Vec<LimitReport>>,
}

impl<T: Precision> Run<'_, T> {
    /// Brings strain within its limits, in turn with contact, which has the last word here: nothing ends up inside a
    /// collider.
    ///
    /// Vertices that touch something move like others, and contact puts them back on its surface, which may stretch
    /// what the limiters had brought within limits; so they look again. Friction may use what presses in each turn only
    /// ([`FrictionBudget::Push`]). If all that had pressed in the substep held them each time, a limiter would pull at
    /// the same vertex in vain in every turn and every substep: a disc on a ball, limited to 4 %, crept to 7 % by that,
    /// and stayed there.
    ///
    /// Tried and rejected: holding vertices that touch, which leaves cloth that lies on something without limits (a
    /// sheet over a bar, limited to 5 %, was stretched by 37 %); and the same in every other turn, which left the disc
    /// at 4.5 %.
    ///
    /// In every substep, not once a step: a hundred sweeps once a step left a hanging sheet 21 % beyond its limits,
    /// five in each of 20 substeps 3 %.
    ///
    /// What a limiter moves counts as velocity over the substep, 1/h, whatever the integrator makes of the solve's
    /// own displacements: a midpoint rule's 2/h would have cloth bounce off its limits.
    pub(super) fn limit(&self, worker: Worker<'_>, scheme: &Scheme, colliders: &[PlacedCollider<T>], log: &mut Log) {
        let Some(limits) = self.parts.limits.as_ref().filter(|l| l.stack.limiters.iter().any(|l| !l.limits_rate()))
        else {
            return;
        };
        let more = T::of(1.0 / self.time.h - scheme.rate);
        let follow = (more != T::of(0.0)).then_some((self.arrays.v, more));
        let target = Target::Candidates { p: self.arrays.x, follow };
        let meets = !colliders.is_empty() || self.parts.contact.is_some();
        let mut spent = 0;
        for _ in 0..MOST_TURNS {
            let turn = self.filter(worker, limits, false, spent, target, &[]);
            self.lap(log, Stage::Limit);
            if turn.sweeps == 0 || !meets {
                break;
            }
            log.tally.contacts = self.collide(worker, colliders, FrictionBudget::Push);
            self.lap(log, Stage::Contact);
            if !turn.held {
                break;
            }
            spent += turn.sweeps;
        }
    }

    /// Brings the rates of strain within their limits, by velocities only. What contact has stopped stays so.
    pub(super) fn limit_rates(&self, worker: Worker<'_>, log: &mut Log) {
        let Some(limits) = self.parts.limits.as_ref().filter(|l| l.stack.limiters.iter().any(Limiter::limits_rate))
        else {
            return;
        };
        let target = Target::Rates { x: self.arrays.x, v: self.arrays.v };
        self.filter(worker, limits, true, 0, target, worker.read(self.arrays.touched));
        // The next substep writes what was touched.
        worker.sync();
        self.lap(log, Stage::Limit);
    }

    /// One turn of all limiters of strain, or of its rates, of whose sweeps so many are `spent`.
    fn filter(
        &self,
        worker: Worker<'_>,
        limits: &Limits<'_, T>,
        rates: bool,
        spent: u32,
        target: Target<'_, T>,
        fixed: &[bool],
    ) -> Turn {
        let mut turn = Turn { sweeps: 0, held: true };
        for (number, limiter) in limits.stack.limiters.iter().enumerate().filter(|(_, l)| l.limits_rate() == rates) {
            let report = limiter.filter(worker, limits.memory, target, fixed, spent);
            turn = Turn { sweeps: turn.sweeps.max(report.iterations), held: turn.held && report.converged };
            if worker.id() == 0
                && let Ok(mut reports) = limits.reports.lock()
                && let Some(all) = reports.get_mut(number)
            {
                *all = all.join(&report);
            }
        }
        turn
    }
}

/// Most turns of limiters and contact in a substep. A disc of 4,000 triangles on a ball took five in a few of 500
/// substeps, and less than two on average.
const MOST_TURNS: u32 = 8;

/// What came of one turn of all limiters.
struct Turn {
    /// The most sweeps that one of them took.
    sweeps: u32,
    /// Whether all limits held then.
    held: bool,
}
