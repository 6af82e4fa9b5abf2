//! The solve of a substep, element after element.

use super::Precision;
use super::Stage;
use super::arrays::on_chunk;
use super::run::{Log, Run, Substep};
use crate::contact::{FrictionBudget, PlacedCollider};
use crate::lanes::BLOCK;
use crate::solve::Solver;
use crate::solve::pbd::ProjectAll;
use crate::solve::scheme::Scheme;
use crate::solve::soft::{ApplyMultipliers, RelaxAll, SoftLaw};
use crate::solve::warm::WarmStart;
use crate::team::Worker;

/// Which list multipliers act on.
#[derive(Clone, Copy)]
pub(super) enum PushTo {
    Positions,
    Velocities,
    Elastic,
}

impl<T: Precision> Run<'_, T> {
    /// An explicit scheme: positions are where they will be, once limiters have seen them, and forces follow from them.
    pub(super) fn explicit_step(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) {
        let Substep { scheme, colliders, .. } = substep;
        self.limit(worker, scheme, colliders, log);
        self.follow(worker, scheme.rate);
        if scheme.late > 0.0 {
            self.apply_multipliers(worker, PushTo::Velocities, scheme.late, None);
        }
        self.sweep(worker, colliders, log);
    }

    /// Iterations over elements and contacts, one after another.
    pub(super) fn solve(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) {
        let Substep { scheme, colliders, .. } = substep;
        let elastic = self.multipliers.any;
        if elastic {
            self.warm_start(worker, scheme);
        }
        self.correct_coarsely(worker);
        let (most, wanted) = (self.iterations(), self.params.tolerance);
        let mut part = 1.0;
        for iteration in 0..most {
            let measure = elastic && (wanted > 0.0 || iteration + 1 == most);
            let worst = if elastic { self.relax(worker, self.law(scheme, measure)) } else { 0.0 };
            self.sweep(worker, colliders, log);
            log.tally.iterations += 1;
            if measure {
                log.tally.residual = self.reduce_max(worker, log, worst);
            }
            if measure && wanted > 0.0 {
                // Projections without multipliers have their say in where vertices are.
                if !self.model.projects() {
                    let strayed = self.gather_in(worker, scheme, &mut part, log);
                    log.tally.residual = log.tally.residual.max(strayed);
                }
                if log.tally.residual < wanted {
                    break;
                }
            }
        }
    }

    /// Projects what has a stiffness of projections, then contacts.
    pub(super) fn sweep(&self, worker: Worker<'_>, colliders: &[PlacedCollider<T>], log: &mut Log) {
        self.model.elements.for_each(&mut ProjectAll { sweep: self.over(worker), x: self.arrays.x });
        self.project_user(worker);
        self.lap(log, Stage::Solve);
        log.tally.contacts = self.collide(worker, colliders, FrictionBudget::Substep);
        self.lap(log, Stage::Contact);
    }

    /// Brings positions closer to x̃ + s M⁻¹ Jᵀ λ; returns the largest distance from there, m.
    ///
    /// Sweeps move vertices along the gradients of the moment, which turn while they do: in the end positions are not
    /// quite where gradients and multipliers of the end say. That is of second order in a step's turn, and pictures
    /// cannot tell; but who asks for a tolerance means it. Going all the way at once may overshoot where tension is
    /// high (it is a step without the geometric stiffness), so the part of the way shrinks while the distance grows.
    fn gather_in(&self, worker: Worker<'_>, scheme: &Scheme, part: &mut f64, log: &mut Log) -> f64 {
        self.recall_multipliers(worker, scheme.reach);
        let mut furthest = 0.0;
        let by = T::of(*part);
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|_, at| {
                // What a collider holds is where the collider says.
                if at.x[3] > T::of(0.0) && !at.touched {
                    for k in 0..3 {
                        let off = at.x_predicted[k] + at.elastic[k] - at.x[k];
                        at.x[k] = at.x[k] + off * by;
                        furthest = f64::max(furthest, off.f64().abs());
                    }
                }
            });
        });
        let furthest = self.reduce_max(worker, log, furthest);
        let grows = furthest > log.strayed;
        log.strayed = furthest;
        *part = if grows { (*part * 0.5).max(1e-4) } else { (*part * 1.1).min(1.0) };
        furthest
    }

    /// Multipliers at the start of a substep: zero, or those of the substep before with what they do to the positions.
    pub(super) fn warm_start(&self, worker: Worker<'_>, scheme: &Scheme) {
        if self.multipliers.warm_start {
            self.apply_multipliers(worker, PushTo::Positions, scheme.reach, Some(self.kept(scheme)));
        } else {
            on_chunk(worker, self.multipliers.list, |list| list.fill([T::of(0.0); BLOCK]));
            self.with_user(worker, |desk, _, _| desk.multipliers.fill(T::of(0.0)));
        }
    }

    /// What a warm start keeps. Sweeps of a known number, without relaxation, pass a row's neighbours twice, there and
    /// back again; of the other solvers on rows it is not known how much they leave, and those on positions choose
    /// where to begin.
    fn kept(&self, scheme: &Scheme) -> WarmStart {
        let (solver, relaxation) = (self.params.solver, self.law(scheme, false).relaxation);
        // With a tolerance there may be fewer sweeps.
        let plain = matches!(solver, Solver::GaussSeidel { .. }) && relaxation == 1.0 && self.params.tolerance <= 0.0;
        let passes = if plain { 2 * self.iterations() } else { 0 };
        let relaxation = relaxation.max(1.0);
        let Scheme { reach, rate, lead, .. } = *scheme;
        WarmStart { reach, rate, lead, h: self.time.h, passes, relaxation, all: solver.on_positions() }
    }

    fn law(&self, scheme: &Scheme, measure: bool) -> SoftLaw {
        let (relaxation, whole) = match self.params.solver {
            Solver::GaussSeidel { relaxation, block } => (relaxation, block),
            _ => (1.0, false),
        };
        let relaxation = if relaxation > 0.0 { relaxation.min(2.0) } else { 1.0 };
        SoftLaw { reach: scheme.reach, rate: scheme.rate, relaxation, whole, measure }
    }

    /// Multipliers follow from positions as they are: λ = −E (c + γ ċ).
    pub(super) fn follow(&self, worker: Worker<'_>, rate: f64) {
        let law = SoftLaw { reach: 0.0, rate, relaxation: 1.0, whole: true, measure: false };
        self.relax(worker, law);
    }

    /// One sweep over the rows with physical stiffness. Returns the largest residual that this worker met.
    fn relax(&self, worker: Worker<'_>, law: SoftLaw) -> f64 {
        let arrays = [self.arrays.x, self.arrays.x_predicted, self.arrays.v];
        let (sweep, multipliers) = (self.over(worker), self.multipliers.list);
        let mut relax = RelaxAll { sweep, arrays, multipliers, law, worst: 0.0 };
        self.model.elements.for_each_elastic(&mut relax);
        relax.worst.max(self.relax_user(worker, &law))
    }

    /// Sets the list of elastic accelerations to `scale` · M⁻¹ Jᵀ λ.
    pub(super) fn recall_multipliers(&self, worker: Worker<'_>, scale: f64) {
        on_chunk(worker, self.arrays.elastic, |list| list.fill([T::of(0.0); 4]));
        self.apply_multipliers(worker, PushTo::Elastic, scale, None);
    }

    /// Adds `scale` · M⁻¹ Jᵀ λ to a list. If there is something to `keep`, λ becomes that first.
    fn apply_multipliers(&self, worker: Worker<'_>, to: PushTo, scale: f64, keep: Option<WarmStart>) {
        let list = match to {
            PushTo::Positions => self.arrays.x,
            PushTo::Velocities => self.arrays.v,
            PushTo::Elastic => self.arrays.elastic,
        };
        let (sweep, multipliers) = (self.over(worker), self.multipliers.list);
        let arrays = [self.arrays.x, list];
        self.model.elements.for_each_elastic(&mut ApplyMultipliers { sweep, arrays, multipliers, scale, keep });
        self.apply_user(worker, to, scale, keep);
    }
}
