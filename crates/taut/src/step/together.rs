//! The solve of a substep by a solver that treats all elements together.

use super::Precision;
use super::run::{Log, Run, Substep};
use crate::contact::FrictionBudget;
use crate::lanes::xyz;
use crate::solve::Solver;
use crate::solve::global::{Candidate, Global, Outcome, Plane, SolveSettings};
use crate::solve::scheme::Scheme;
use crate::team::Worker;

/// Newton steps between two looks at what coarse levels feel of the contacts.
const COARSE_EVERY: u32 = 3;

impl<T: Precision> Run<'_, T> {
    /// All elements with a physical stiffness together; then the others, and contacts. Where something touched, once
    /// more with those vertices held where the contact put them, so that their neighbours feel it.
    pub(super) fn solve_together(&self, worker: Worker<'_>, global: &Global, substep: &Substep<T>, log: &mut Log) {
        let Substep { scheme, colliders, .. } = substep;
        let settings = SolveSettings {
            solver: self.params.solver,
            reach: scheme.reach,
            rate: scheme.rate,
            iterations: self.iterations(),
            tolerance: self.params.tolerance,
            coarse: true,
        };
        if settings.solver == Solver::Multigrid {
            return self.solve_with_contacts(worker, global, substep, &settings, log);
        }
        self.warm_start(worker, scheme);
        for round in 0..2 {
            if round > 0 {
                self.press_anew(worker);
            }
            let outcome = self.solve_once(worker, global, &settings);
            log.tally.iterations += u64::from(outcome.iterations);
            log.tally.residual = outcome.residual;
            for _ in 0..if self.model.projects() { settings.iterations } else { 1 } {
                self.sweep(worker, colliders, log);
            }
            let touched = (log.tally.contacts + self.touching(worker)) as f64;
            if self.reduce_max(worker, log, touched) == 0.0 {
                break;
            }
        }
    }

    /// Newton steps, each with the contacts that the one before ran into: planes that push back what goes beyond them.
    fn solve_with_contacts(
        &self,
        worker: Worker<'_>,
        global: &Global,
        substep: &Substep<T>,
        settings: &SolveSettings,
        log: &mut Log,
    ) {
        let Substep { scheme, colliders, .. } = substep;
        let meets = self.parts.contact.is_some() || !colliders.is_empty();
        let apart = meets || self.model.projects();
        self.arrays.on_chunk(worker, |mut chunk| chunk.each(|i, _| global.put_plane(i, Plane::default())));
        if meets {
            // What would be run into if only outer forces acted.
            log.tally.contacts = self.collide(worker, colliders, FrictionBudget::Substep);
            self.planes(worker, global, true);
        }
        self.begin_where_motion_leads(worker, scheme);
        let mut one = SolveSettings { iterations: if apart { 1 } else { settings.iterations }, ..*settings };
        let mut done = 0;
        while done < settings.iterations {
            one.coarse = done % COARSE_EVERY == 0;
            let outcome = self.solve_once(worker, global, &one);
            done += outcome.iterations.max(1);
            log.tally.iterations += u64::from(outcome.iterations);
            log.tally.residual = outcome.residual;
            self.sweep(worker, colliders, log);
            let pushed = self.planes(worker, global, false);
            let pushed = self.reduce_max(worker, log, pushed) * scheme.rate;
            if !apart || f64::max(pushed, outcome.residual) <= settings.tolerance {
                break;
            }
        }
    }

    /// Free vertices go on as they went.
    fn begin_where_motion_leads(&self, worker: Worker<'_>, scheme: &Scheme) {
        let (h, g) = (self.time.h, self.params.gravity);
        let recalls = !self.arrays.before.is_empty();
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|_, at| {
                if at.x[3] > T::of(0.0) {
                    for k in 0..3 {
                        at.x[k] = match recalls {
                            true => at.x_start[k] + at.before[1][k] * T::of(h),
                            false => at.x_predicted[k] - T::of(g[k] * scheme.reach),
                        };
                    }
                }
            });
        });
    }

    /// The planes of what contacts have pushed away from where the solve had put it, or from x̃ if it has not begun.
    /// Returns the longest push that this worker met, m.
    fn planes(&self, worker: Worker<'_>, global: &Global, before: bool) -> f64 {
        let mut longest = 0.0;
        let rough = |friction: f64| friction > 0.0;
        let friction = self.colliders.iter().any(|c| rough(c.friction))
            || self.params.contact.materials.iter().any(|m| rough(m.friction));
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                let (to, from) = (xyz(at.x), if before { xyz(at.x_predicted) } else { global.position(i) });
                let by: [f64; 3] = core::array::from_fn(|k| to[k] - from[k]);
                let length = by.iter().map(|c| c * c).sum::<f64>().sqrt();
                let rounding = to.iter().fold(1.0, |most: f64, c| most.max(c.abs())) * T::EPSILON;
                if at.touched && at.x[3] > T::of(0.0) && length > 8.0 * rounding {
                    let normal = by.map(|c| c / length);
                    global.put_plane(i, Plane { normal, at: to, grips: friction && !before });
                    longest = f64::max(longest, length);
                } else {
                    global.leave_plane(i, to);
                }
            });
        });
        longest
    }

    /// Hands over positions and multipliers, solves, and takes them back. Vertices that have touched something are
    /// held, unless the solver knows planes.
    fn solve_once(&self, worker: Worker<'_>, global: &Global, settings: &SolveSettings) -> Outcome {
        let zero = T::of(0.0);
        let planes = settings.solver == Solver::Multigrid;
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                let w = if at.touched && !planes { 0.0 } else { at.x[3].f64() };
                let (target, drift) = (xyz(at.x_predicted), xyz(at.v));
                // What has been touched is held where it is.
                let start = if w > 0.0 { xyz(at.x_start) } else { xyz(at.x) };
                global.put(i, Candidate { x: xyz(at.x), start, w, target, drift });
            });
        });
        global.put_multipliers(worker, self.multipliers.list);
        self.with_user(worker, |desk, _, _| {
            desk.multipliers.iter().enumerate().for_each(|(k, m)| global.put_user_multiplier(k, m.f64()));
        });
        let outcome = global.solve(worker, settings);
        self.arrays.on_chunk(worker, |mut chunk| {
            let (first, last) = (chunk.first, core::mem::take(&mut chunk.last_accelerations));
            chunk.each(|i, at| {
                let mut by = [0.0; 3];
                if at.x[3] > zero && (planes || !at.touched) {
                    let [x, y, z] = global.position(i);
                    let from = xyz(at.x_predicted);
                    by = [x - from[0], y - from[1], z - from[2]].map(|moved| moved / settings.reach);
                    at.x = [T::of(x), T::of(y), T::of(z), at.x[3]];
                }
                if let Some(last) = last.get_mut(i - first) {
                    *last = [T::of(by[0]), T::of(by[1]), T::of(by[2]), zero];
                }
            });
        });
        global.take_multipliers(worker, self.multipliers.list);
        self.with_user(worker, |desk, _, _| {
            for (k, m) in desk.multipliers.iter_mut().enumerate() {
                *m = global.user_multiplier(k).map_or(*m, T::of);
            }
        });
        outcome
    }
}
