//! The last resort at the end of an interval: motion is given up where bounds on stretch and contact could not be met otherwise.
//!
//! When bounds were last met, everything was within them and nothing intersected; and so it is if all of it moves with what holds it. A part
//! of the cloth around what is beyond its bounds goes back there, and more around that, until everything holds: in the end all of it does.
//! Only what is led or pushed where cloth cannot follow is left; it is reported.

use super::Precision;
use super::contact::{mean_part, take_back};
use super::end_solve::{BEYOND, SLACK};
use super::run::{Log, Run, Substep};
use crate::contact::PlacedCollider;
use crate::contact::pipeline::ContactPipeline;
use crate::lanes::{Scalar, Vertex, xyz};
use crate::levels::rotation::{Mat3, NO_TURN, matrix, nearest};
use crate::limit::EndLimit;
use crate::team::Worker;
use std::sync::PoisonError;

/// How often what goes back may grow: every time by twice as many rings of elements as before.
const MOST_GROWTHS: u32 = 12;

impl<T: Precision> Run<'_, T> {
    /// Gives up motion around what is beyond its bounds, if that helps. The first worker does it, while the others wait.
    pub(super) fn retreat(
        &self,
        worker: Worker<'_>,
        limit: &EndLimit<T>,
        substep: &Substep<T>,
        substeps: u32,
        log: &mut Log,
    ) {
        let mut given_up = 0;
        self.arrays.alone(worker, |chunk| {
            let base = self.end_memory(|memory| self.base(&memory.good, chunk.x));
            let before = (worst(limit, chunk.x), chunk.x.to_vec(), chunk.x_predicted.to_vec());
            // What is beyond its bounds there as well is not for this to mend.
            let hopeless = worst(limit, &base);
            if hopeless > before.0 {
                return;
            }
            let enough = BEYOND.max(hopeless);
            let part = mean_part(&substep.scheme, self.time.h, substeps);
            let mut contact = self.parts.contact.map(|c| c.lock().unwrap_or_else(PoisonError::into_inner));
            let back = vec![false; base.len()];
            let mut retreat = Retreat { limit, base, back, part, x: chunk.x, x_predicted: chunk.x_predicted };
            for rings in (0..MOST_GROWTHS).map(|growth| 1 << growth) {
                let grown = retreat.grow(rings);
                retreat.go_back(chunk.x_start, &substep.colliders);
                if let Some(contact) = contact.as_deref_mut() {
                    retreat.stop(contact);
                }
                if !grown || worst(limit, retreat.x) <= enough {
                    break;
                }
            }
            given_up = retreat.size();
            // Motion is not given up for little.
            if worst(limit, retreat.x) > enough.max(0.5 * (1.0 + before.0)) {
                given_up = 0;
                retreat.x.copy_from_slice(&before.1);
                retreat.x_predicted.copy_from_slice(&before.2);
                // What was proved last must be what is there.
                if let Some(contact) = contact.as_deref_mut() {
                    retreat.stop(contact);
                }
            }
        });
        log.tally.given_up += given_up as u64;
    }

    /// Where all goes back to: positions that were `good`, with each body moved as those of its vertices are that are held; these stay at `x`.
    fn base(&self, good: &[Vertex<T>], x: &[Vertex<T>]) -> Vec<Vertex<T>> {
        let body = |v: usize| self.body_of(v);
        let own = x.len() - 1;
        let mut motions = vec![HeldMotion::default(); self.model.bodies.len() + 1];
        let held = |v: &usize| x[*v][3] <= T::of(0.0);
        (0..own).filter(held).for_each(|v| motions[body(v)].add(xyz(good[v]), xyz(x[v])));
        let motions: Vec<_> = motions.iter().map(HeldMotion::rigid).collect();
        let mut base = x.to_vec();
        for v in (0..own).filter(|v| !held(v)) {
            let to = motions[body(v)](xyz(good[v]));
            (0..3).for_each(|k| base[v][k] = T::of(to[k]));
        }
        base
    }
}

/// What the worst element uses of its bounds.
fn worst<T: Scalar>(limit: &EndLimit<T>, x: &[Vertex<T>]) -> f64 {
    let mut worst = 0.0;
    limit.for_each_beyond(x, 0.0, |_, used| worst = f64::max(worst, used));
    worst
}

/// A part of the cloth that goes back to where all was well.
struct Retreat<'a, T> {
    limit: &'a EndLimit<T>,
    /// Where that is, m.
    base: Vec<Vertex<T>>,
    /// What goes back.
    back: Vec<bool>,
    /// How much of what is taken back x̃ goes along with.
    part: f64,
    x: &'a mut [Vertex<T>],
    x_predicted: &'a mut [Vertex<T>],
}

impl<T: Precision> Retreat<'_, T> {
    /// How many vertices go back that could go elsewhere.
    fn size(&self) -> usize {
        self.back.iter().zip(&*self.x).filter(|(back, x)| **back && x[3] > T::of(0.0)).count()
    }

    /// Adds what is beyond its bounds and so many rings of elements around all. Returns whether that is more than before.
    fn grow(&mut self, rings: u32) -> bool {
        let before = self.size();
        let Retreat { limit, back, x, .. } = self;
        limit.for_each_beyond(x, BEYOND, |corners, _| corners.iter().for_each(|&v| back[v as usize] = true));
        for _ in 0..rings {
            let mut more = Vec::new();
            limit.for_each_element(|corners| {
                if corners.iter().any(|&v| back[v as usize]) {
                    more.extend_from_slice(corners);
                }
            });
            more.retain(|&v| !back[v as usize]);
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|v| back[v as usize] = true);
        }
        self.size() > before
    }

    /// Colliders have a word in it.
    fn go_back(&mut self, x_start: &[Vertex<T>], colliders: &[PlacedCollider<T>]) {
        for v in 0..self.x.len() - 1 {
            if self.back[v] && self.x[v][3] > T::of(0.0) {
                let mut to = self.base[v];
                for collider in colliders {
                    if let Some(by) = collider.way_out(&to, &x_start[v], T::of(SLACK)) {
                        to = [to[0] + by.x, to[1] + by.y, to[2] + by.z, to[3]];
                    }
                }
                self.put(v, [to[0], to[1], to[2]]);
            }
        }
    }

    fn put(&mut self, v: usize, to: [T; 3]) {
        let by = core::array::from_fn(|k| to[k].f64() - self.x[v][k].f64());
        take_back((&mut self.x[v], &mut self.x_predicted[v]), to, by, self.part);
    }

    /// What the safety pass stops then goes back too, next time.
    fn stop(&mut self, contact: &mut ContactPipeline<T>) {
        let (_, corrections) = contact.end_interval(self.x);
        for c in corrections {
            self.put(c.vertex as usize, c.to);
            self.back[c.vertex as usize] = true;
        }
    }
}

/// How held vertices have moved.
#[derive(Clone, Copy, Default)]
struct HeldMotion {
    count: f64,
    /// Σ X and Σ x, m; Σ x Xᵀ, m².
    from: [f64; 3],
    to: [f64; 3],
    products: Mat3,
}

impl HeldMotion {
    fn add(&mut self, from: [f64; 3], to: [f64; 3]) {
        self.count += 1.0;
        for i in 0..3 {
            (self.from[i], self.to[i]) = (self.from[i] + from[i], self.to[i] + to[i]);
            (0..3).for_each(|j| self.products[i][j] += to[i] * from[j]);
        }
    }

    /// The rigid motion nearest to it; none if nothing is held.
    fn rigid(&self) -> impl Fn([f64; 3]) -> [f64; 3] + use<> {
        let HeldMotion { count, .. } = *self;
        let n = count.max(1.0);
        let (from, to) = (self.from.map(|c| c / n), self.to.map(|c| c / n));
        let mut spread: Mat3 =
            core::array::from_fn(|i| core::array::from_fn(|j| self.products[i][j] - n * to[i] * from[j]));
        let size = spread.iter().flatten().map(|s| s.abs()).fold(0.0, f64::max);
        // Too few to tell a turn about some axis: then there is none about it.
        (0..3).for_each(|i| spread[i][i] += 1e-6 * size);
        let turn = if size > 0.0 && count > 1.0 { nearest(&spread, Some(NO_TURN)) } else { NO_TURN };
        let turn = matrix(turn);
        move |p| {
            core::array::from_fn(|i| match count > 0.0 {
                true => to[i] + (0..3).map(|j| turn[i][j] * (p[j] - from[j])).sum::<f64>(),
                false => p[i],
            })
        }
    }
}
