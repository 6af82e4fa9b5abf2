//! What keeps cloth from stretching, in a step.

use super::Precision;
use super::Stage;
use super::run::{Log, Run, Substep};
use crate::contact::FrictionBudget;
use crate::lanes::{Vertex, xyz};
use crate::levels::MissedBound;
use crate::limit::EndLimit;
use crate::team::Worker;

/// What counts as missed, over a bound.
const MISSED: f64 = 1.01;

impl<T: Precision> Run<'_, T> {
    /// Moves vertices by what the coarse levels find, before the sweeps over the elements.
    pub(super) fn correct_coarsely(&self, worker: Worker<'_>) {
        if let Some(part) = &self.parts.inextensibility {
            part.correct(self.over(worker), self.arrays.x);
        }
    }

    /// Pulls vertices back to their tethers, after the sweeps. Colliders and friction have a word after it.
    pub(super) fn attach(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) {
        let Substep { scheme, colliders, .. } = substep;
        // An explicit scheme makes no velocity of displacements.
        let Some(part) = self.parts.inextensibility.as_ref().filter(|p| scheme.reach > 0.0 && p.tethered()) else {
            return;
        };
        part.attach(self.over(worker), self.arrays.x);
        self.lap(log, Stage::Solve);
        if !colliders.is_empty() || self.parts.contact.is_some() {
            log.tally.contacts = self.collide(worker, colliders, FrictionBudget::Substep);
            self.lap(log, Stage::Contact);
        }
    }

    /// The largest stretch of what has a bound, of the state that is returned, and how much of its bounds the worst
    /// element uses.
    pub(super) fn measure_stretch(&self, worker: Worker<'_>, log: &mut Log) {
        if let Some(part) = &self.parts.inextensibility {
            let [used, stretch] = part.limit().used(self.over(worker), self.arrays.x);
            log.tally.used = self.reduce_max(worker, log, used);
            log.tally.stretch = self.reduce_max(worker, log, stretch);
            if log.tally.used > MISSED {
                self.arrays.alone(worker, |chunk| log.tally.missed = self.missed(part.limit(), chunk.x, chunk.touched));
            }
        }
    }

    /// What is beyond its bounds at `x`, and what holds it there.
    fn missed(&self, limit: &EndLimit<T>, x: &[Vertex<T>], touched: &[bool]) -> Option<MissedBound> {
        let mut beyond: Vec<([u32; 3], f64)> = Vec::new();
        limit.for_each_beyond(x, MISSED, |corners, used| {
            beyond.push((core::array::from_fn(|k| corners[k.min(corners.len() - 1)]), used));
        });
        let &(corners, used) = beyond.iter().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let elements = beyond.len() as u64;
        // What hangs together with the worst.
        let mut reached = vec![false; x.len()];
        corners.iter().for_each(|&v| reached[v as usize] = true);
        loop {
            let before = beyond.len();
            beyond.retain(|(corners, _)| {
                let near = corners.iter().any(|&v| reached[v as usize]);
                corners.iter().filter(|_| near).for_each(|&v| reached[v as usize] = true);
                !near
            });
            if beyond.len() == before {
                break;
            }
        }
        let of = |v: u32| xyz(x[v as usize]);
        let pins: Vec<u32> =
            (0..x.len() as u32 - 1).filter(|&v| reached[v as usize] && x[v as usize][3] <= T::of(0.0)).collect();
        let far = |&&v: &&u32| (0..3).map(|k| (of(v)[k] - of(pins[0])[k]).powi(2)).sum::<f64>();
        let other = pins.iter().skip(1).max_by(|a, b| far(a).total_cmp(&far(b)));
        let user = |v: u32| self.model.user[v as usize];
        Some(MissedBound {
            elements,
            corners: corners.map(user),
            at: middle(&corners.map(of)),
            used,
            pins: [pins.first().map(|&v| user(v)), other.map(|&v| user(v))],
            touching: (0..x.len()).any(|v| reached[v] && touched[v]),
        })
    }
}

/// The middle of a triangle; or of an edge, whose second end is there twice.
fn middle(corners: &[[f64; 3]; 3]) -> [f64; 3] {
    let count = if corners[1] == corners[2] { 2 } else { 3 };
    core::array::from_fn(|k| corners[..count].iter().map(|p| p[k]).sum::<f64>() / count as f64)
}
