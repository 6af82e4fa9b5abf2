//! The solve of a substep by a solver that treats all elements together.

use super::Precision;
use super::arrays::on_chunk;
use super::run::{Log, Run, Substep};
use crate::lanes::{BLOCK, xyz};
use crate::solve::global::{Candidate, Global, Outcome, SolveSettings};
use crate::team::Worker;

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
        };
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

    /// Hands over positions and multipliers, solves, and takes them back. Vertices that have touched something are
    /// held.
    fn solve_once(&self, worker: Worker<'_>, global: &Global, settings: &SolveSettings) -> Outcome {
        let zero = T::of(0.0);
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                let w = if at.touched { 0.0 } else { at.x[3].f64() };
                let (target, drift) = (xyz(at.x_predicted), xyz(at.v));
                // What has been touched is held where it is.
                let start = if w > 0.0 { xyz(at.x_start) } else { xyz(at.x) };
                global.put(i, Candidate { x: xyz(at.x), start, w, target, drift });
            });
        });
        let mine = worker.chunk(0..self.multipliers.list.len()).start * BLOCK;
        on_chunk(worker, self.multipliers.list, |list| {
            list.iter().flatten().enumerate().for_each(|(k, m)| global.put_multiplier(mine + k, m.f64()));
        });
        self.with_user(worker, |desk, _, _| {
            desk.multipliers.iter().enumerate().for_each(|(k, m)| global.put_user_multiplier(k, m.f64()));
        });
        let outcome = global.solve(worker, settings);
        self.arrays.on_chunk(worker, |mut chunk| {
            let (first, last) = (chunk.first, core::mem::take(&mut chunk.last_accelerations));
            chunk.each(|i, at| {
                let mut by = [0.0; 3];
                if at.x[3] > zero && !at.touched {
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
        on_chunk(worker, self.multipliers.list, |list| {
            for (k, m) in list.iter_mut().flatten().enumerate() {
                *m = global.multiplier(mine + k).map_or(*m, T::of);
            }
        });
        self.with_user(worker, |desk, _, _| {
            for (k, m) in desk.multipliers.iter_mut().enumerate() {
                *m = global.user_multiplier(k).map_or(*m, T::of);
            }
        });
        outcome
    }
}
