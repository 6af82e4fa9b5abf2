//! What a step did, put together in one place.

use super::Params;
use super::scratch::StepMemory;
use crate::contact::ContactReport;
use crate::lanes::Scalar;
use crate::levels::{InextensibilityReport, MissedBound};
use crate::limit::LimitReport;
use crate::state::State;
use std::sync::PoisonError;

/// The stages of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Forces, pins, candidate positions.
    Predict,
    /// Which surfaces are near each other.
    Detect,
    /// Sweeps over the elements.
    Solve,
    /// Strain limiters; bounds on stretch, with what contact does between their rounds.
    Limit,
    /// Pushing surfaces apart, and out of colliders.
    Contact,
    /// Taking back motion that would make surfaces intersect, and giving it up where bounds could not be met otherwise.
    Safety,
    /// Velocities, damping, containment.
    Finish,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 7] =
        [Stage::Predict, Stage::Detect, Stage::Solve, Stage::Limit, Stage::Contact, Stage::Safety, Stage::Finish];

    /// In lower case, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Predict => "predict",
            Stage::Detect => "detect",
            Stage::Solve => "solve",
            Stage::Limit => "limit",
            Stage::Contact => "contact",
            Stage::Safety => "safety",
            Stage::Finish => "finish",
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Seconds in each [`Stage`]; zeros without a clock.
    pub seconds: [f64; Stage::ALL.len()],
    /// How often a vertex was no longer finite and was put back where it was, at rest.
    pub contained: u64,
    /// Touches of a vertex and a collider in the last sweep.
    pub contacts: u64,
    /// The threads that worked: small models stay on one.
    pub threads: usize,
    /// Iterations of the solver, in all substeps together.
    pub iterations: u64,
    /// What the last substep's solve left, of rows with a physical stiffness; 0 without any.
    ///
    /// | solver | what | unit |
    /// | --- | --- | --- |
    /// | Gauss–Seidel | the largest \|c + γ ċ + E⁻¹ λ\| that the last sweep met, each row just before it was mended | strain, or rad |
    /// | the same with a tolerance | that, or the largest distance of a vertex from x̃ + s M⁻¹ Jᵀ λ if its number is greater | strain or rad, or m |
    /// | Jacobi, Minimum Residual, Conjugate Residuals | the largest \|c + γ ċ + E⁻¹ λ\| and what such distances could add to it | strain, or rad |
    /// | nonlinear CG, Newton's | the largest velocity that a vertex lacks | m/s |
    pub residual: f64,
    /// Substeps made: as many as asked for, or more, so that no collider outruns contact between surfaces, and where
    /// bounds on stretch and contact cannot both be met in fewer. Those of attempts that came to nothing do not count.
    pub substeps: u32,
    /// What contact between surfaces did.
    pub contact: ContactReport,
    /// What the model's strain limiters did, all of them in all substeps together: what they found and left in their
    /// turns. Contact comes after them, and then the bounds that they are at the end of an interval: how far cloth is
    /// stretched in the end is in [`inextensibility`](Self::inextensibility).
    pub limit: LimitReport,
    /// What kept cloth from stretching, how far it is stretched in the state that is returned, and what is beyond its
    /// bounds there.
    pub inextensibility: InextensibilityReport,
    /// Why nothing was done, if nothing was.
    pub problem: Option<Problem>,
    /// What of the colliders could not be computed with.
    pub left_out: LeftOut,
}

/// Why a step did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The time step is not positive and finite, or its substeps would be too short to compute with.
    TimeStep,
    /// The state was made for another model.
    OtherModel,
    /// The solver treats all elements together, and the engine was built without its feature `global`.
    Solver,
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Problem::TimeStep => "its time step cannot be computed with",
            Problem::OtherModel => "its state was made for another model",
            Problem::Solver => "its solver needs the engine's feature `global`",
        })
    }
}

/// Colliders with numbers that cannot be computed with, or lists of the wrong length, which were left out of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many of [`Params::colliders`](crate::Params::colliders).
    pub colliders: u32,
    /// The first of those, by its number in the list.
    pub first_collider: Option<u32>,
    /// How many of [`Params::meshes`](crate::Params::meshes).
    pub meshes: u32,
    /// The first of those, by its number in the list.
    pub first_mesh: Option<u32>,
}

impl LeftOut {
    /// What cannot be computed with in precision `T`.
    pub(super) fn of<T: Scalar>(params: &Params) -> Self {
        let bad = |count: usize, sound: &dyn Fn(usize) -> bool| {
            let mut bad = (0..count).filter(|&i| !sound(i)).map(|i| i as u32);
            let first = bad.next();
            (u32::from(first.is_some()) + bad.count() as u32, first)
        };
        let (colliders, first_collider) = bad(params.colliders.len(), &|i| params.colliders[i].sound::<T>());
        let (meshes, first_mesh) = bad(params.meshes.len(), &|i| params.meshes[i].sound());
        LeftOut { colliders, first_collider, meshes, first_mesh }
    }
}

/// What a worker counts while it steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepTally {
    /// Seconds in each stage.
    pub seconds: [f64; Stage::ALL.len()],
    pub contained: u64,
    pub contacts: u64,
    pub iterations: u64,
    pub residual: f64,
    /// Rounds of bounds on stretch, and intervals that ended with something beyond them.
    pub rounds: u64,
    pub unmet: u64,
    /// The largest stretch of what has a bound, and how much of its bounds the worst element uses.
    pub stretch: f64,
    pub used: f64,
    /// Vertices that motion was given up of.
    pub given_up: u64,
    /// What is beyond its bounds. The first worker's.
    pub missed: Option<MissedBound>,
    pub workers: usize,
    /// If the span came to nothing: how many substeps the interval had that ended beyond its bounds.
    pub failed: u32,
}

impl StepTally {
    /// What all workers counted: what each counts of its own chunk is added up, the rest is the same for all, and times
    /// are the first's.
    pub fn join(&mut self, mine: StepTally, first: bool) {
        let (contained, contacts) = (self.contained + mine.contained, self.contacts + mine.contacts);
        if first {
            *self = mine;
        }
        (self.contained, self.contacts) = (contained, contacts);
    }

    /// Adds the next span of the step. One that came to nothing counts by what it cost.
    pub fn add(&mut self, span: &StepTally) {
        let before = *self;
        if span.failed == 0 {
            *self = *span;
            self.contained += before.contained;
            self.unmet += before.unmet;
            self.given_up += before.given_up;
        }
        for (sum, (a, b)) in self.seconds.iter_mut().zip(before.seconds.iter().zip(span.seconds)) {
            *sum = a + b;
        }
        self.iterations = before.iterations + span.iterations;
        self.rounds = before.rounds + span.rounds;
    }
}

impl StepReport {
    /// Of a step that could not be made.
    pub(super) fn nothing(problem: Problem) -> Self {
        StepReport { problem: Some(problem), ..StepReport::default() }
    }

    /// What a step of `substeps` did that ended in `state`.
    pub(super) fn of<T: Scalar>(
        tally: &StepTally,
        memory: &mut StepMemory<T>,
        state: &State<T>,
        params: &Params,
        substeps: u32,
    ) -> Self {
        let contact = memory.contact.get_mut().unwrap_or_else(PoisonError::into_inner);
        let built = memory.inextensibility.report();
        let held = built != InextensibilityReport::default();
        StepReport {
            seconds: tally.seconds,
            contained: tally.contained,
            contacts: tally.contacts,
            threads: tally.workers,
            iterations: tally.iterations,
            residual: tally.residual,
            substeps,
            contact: contact.close(state.version, tally.contained > 0),
            limit: memory.limit.report(),
            inextensibility: InextensibilityReport {
                substeps: if held { substeps } else { 0 },
                rounds: tally.rounds,
                unmet: tally.unmet,
                stretch: tally.stretch,
                used: tally.used,
                given_up: tally.given_up,
                missed: tally.missed,
                ..built
            },
            problem: None,
            left_out: LeftOut::of::<T>(params),
        }
    }
}
