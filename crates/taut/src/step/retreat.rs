//! The last resort at the end of an interval: motion is given up where bounds on stretch and contact could not be met
//! otherwise.
//!
//! When the last interval ended, nothing intersected and what could be within its bounds was; and so it is if all of it
//! moves with what holds it, or with the collider that it hangs on. A part of the cloth around what is beyond its
//! bounds goes back there, and more around that, until everything holds: in the end all of it does. What is beyond its
//! bounds there as well is led or pushed where cloth cannot follow; it is left alone, and reported.

use super::Precision;
use super::arrays::Chunk;
use super::contact::{mean_part, take_back};
use super::end_solve::{BEYOND, SLACK};
use super::run::{Log, Run, Substep};
use crate::contact::PlacedCollider;
use crate::contact::pipeline::ContactPipeline;
use crate::lanes::{Scalar, V3, Vertex, xyz};
use crate::levels::rotation::{Mat3, NO_TURN, matrix, nearest};
use crate::limit::EndLimit;
use crate::sets::DisjointSets;
use crate::team::Worker;
use core::ops::Range;
use std::sync::PoisonError;

/// How often what goes back may grow: every time by twice as many rings of elements as before.
const MOST_GROWTHS: u32 = 12;

/// How much of its bounds what is beyond them in any case may use afterwards, over what it did before, for the sake of
/// the rest.
const WORSE: f64 = 1.02;

impl<T: Precision> Run<'_, T> {
    /// Gives up motion around what is beyond its bounds, where that helps. The first worker does it, while the others
    /// wait.
    pub(super) fn retreat(
        &self,
        worker: Worker<'_>,
        limit: &EndLimit<T>,
        substep: &Substep<T>,
        substeps: u32,
        log: &mut Log,
    ) {
        let mut given_up = 0;
        self.arrays.alone(worker, |Chunk { x, x_predicted, v, x_start, .. }| {
            let good = self.end_memory(|memory| memory.good.clone());
            let mut contact = self.parts.contact.map(|c| c.lock().unwrap_or_else(PoisonError::into_inner));
            let carried = self.carried(&good, substep.number + 1 - substeps..substep.number + 1, contact.as_deref());
            let base = self.base([&good, x, x_start], carried, &substep.colliders);
            let Some(hope) = Hope::of(limit, x, &base, self.pieces()) else { return };
            let before = (x.to_vec(), x_predicted.to_vec());
            let (rate, part) = (substep.scheme.rate, mean_part(&substep.scheme, self.time.h, substeps));
            let over = 1.0 / (self.time.h * f64::from(substeps));
            let back = vec![false; base.len()];
            let mut retreat = Retreat { limit, hope, good, base, back, rate, part, over, x, x_predicted, v };
            for rings in (0..MOST_GROWTHS).map(|growth| 1 << growth) {
                let grown = retreat.grow(rings);
                retreat.go_back(x_start, &substep.colliders);
                if let Some(contact) = contact.as_deref_mut() {
                    retreat.stop(contact);
                }
                if !grown || !retreat.any_beyond() {
                    break;
                }
            }
            if retreat.undo_what_did_not_help(&before) {
                // What was proved last must be what is there.
                if let Some(contact) = contact.as_deref_mut() {
                    retreat.stop(contact);
                }
            }
            given_up = retreat.size();
        });
        log.tally.given_up += given_up as u64;
    }

    /// How colliders would carry each piece in an interval of some substeps, by those of its vertices that touch one
    /// where they were `good`.
    fn carried(
        &self,
        good: &[Vertex<T>],
        substeps: Range<u32>,
        contact: Option<&ContactPipeline<T>>,
    ) -> Vec<RigidMotion> {
        let (pieces, count) = self.pieces();
        let mut motions = vec![RigidMotion::default(); count];
        let [from, to] = [substeps.start, substeps.end].map(|number| self.time.part(number));
        for collider in self.colliders.iter().map(|c| PlacedCollider::new(c, from, to)) {
            for (v, place) in good.iter().enumerate().take(pieces.len()) {
                if let Some(to) = collider.carried(place) {
                    motions[pieces[v] as usize].add(xyz(*place), [to.x.f64(), to.y.f64(), to.z.f64()]);
                }
            }
        }
        if let Some(contact) = contact {
            contact.for_each_carried(|v, way| {
                let place = xyz(good[v as usize]);
                motions[pieces[v as usize] as usize].add(place, (V3::from(place) + way).into());
            });
        }
        motions
    }

    /// Where all goes back to: positions that were `good`, with each piece moved as those of its vertices are that are
    /// held; these stay at `x`. What is not held and flies free of colliders goes on flying and turning; what touches
    /// some is `carried` by them.
    fn base(
        &self,
        [good, x, x_start]: [&[Vertex<T>]; 3],
        carried: Vec<RigidMotion>,
        colliders: &[PlacedCollider<T>],
    ) -> Vec<Vertex<T>> {
        let own = x.len() - 1;
        let (pieces, count) = self.pieces();
        let (mut motions, mut flights) = (vec![RigidMotion::default(); count], vec![RigidMotion::default(); count]);
        let held = |v: usize| x[v][3] <= T::of(0.0);
        for v in 0..own {
            let list = if held(v) { &mut motions } else { &mut flights };
            list[pieces[v] as usize].add(xyz(good[v]), xyz(x[v]));
        }
        let moved = |motions: &[RigidMotion]| {
            let motions: Vec<_> = motions.iter().map(RigidMotion::map).collect();
            let mut base = x.to_vec();
            for v in (0..own).filter(|&v| !held(v)) {
                let to = motions[pieces[v] as usize](xyz(good[v]));
                (0..3).for_each(|k| base[v][k] = T::of(to[k]));
            }
            base
        };
        let mut flies: Vec<bool> = motions.iter().map(|m| m.count == 0.0 && self.params.meshes.is_empty()).collect();
        for (v, place) in moved(&flights).iter().enumerate().take(own) {
            let mut place = *place;
            let touches = |_| flies[pieces[v] as usize] = false;
            PlacedCollider::leave_all(colliders, &mut place, &x_start[v], T::of(0.0), touches);
        }
        let goes = |(piece, held): (usize, &RigidMotion)| match () {
            _ if flies[piece] => flights[piece],
            _ if held.count == 0.0 => carried[piece],
            _ => *held,
        };
        moved(&motions.iter().enumerate().map(goes).collect::<Vec<_>>())
    }
}

/// What going back can do for each element.
struct Hope {
    /// What it used of its bounds before.
    before: Vec<f64>,
    /// What it may use in the end.
    may: Vec<f64>,
    /// Whether it is beyond its bounds where all goes back to as well, or has a corner that must not go there: not for
    /// this to mend.
    lost: Vec<bool>,
    /// Vertices that must not go back, because something would be further beyond its bounds than is worth it.
    barred: Vec<bool>,
}

impl Hope {
    /// Nothing if there is nothing to mend. What hangs together is in one of the `pieces`.
    fn of<T: Scalar>(
        limit: &EndLimit<T>,
        x: &[Vertex<T>],
        base: &[Vertex<T>],
        (pieces, count): (&[u32], usize),
    ) -> Option<Self> {
        let (mut before, mut there, mut piece) = (Vec::new(), Vec::new(), Vec::new());
        limit.for_each_use(x, |_, used| before.push(used));
        limit.for_each_use(base, |corners, used| {
            there.push(used);
            piece.push(pieces[corners[0] as usize] as usize);
        });
        // The worst that can be mended in each piece: what is lost may be half as far beyond its bounds for that.
        let mut worst = vec![0.0f64; count];
        for e in (0..before.len()).filter(|&e| there[e] <= BEYOND) {
            worst[piece[e]] = worst[piece[e]].max(before[e]);
        }
        if worst.iter().all(|&used| used <= BEYOND) {
            return None;
        }
        let may_lost = |e: usize| BEYOND.max(WORSE * before[e]).max(0.5 * (1.0 + worst[piece[e]]));
        let (mut barred, mut number) = (vec![false; x.len()], 0);
        limit.for_each_element(|corners| {
            if there[number] > may_lost(number) {
                corners.iter().for_each(|&v| barred[v as usize] = true);
            }
            number += 1;
        });
        let mut lost = Vec::with_capacity(before.len());
        limit.for_each_element(|corners| {
            lost.push(there[lost.len()] > BEYOND || corners.iter().any(|&v| barred[v as usize]));
        });
        let may = (0..before.len()).map(|e| if lost[e] { may_lost(e) } else { BEYOND }).collect();
        Some(Hope { before, may, lost, barred })
    }
}

/// A part of the cloth that goes back to where all was well.
struct Retreat<'a, T> {
    limit: &'a EndLimit<T>,
    hope: Hope,
    /// Where vertices were when the last interval ended, m.
    good: Vec<Vertex<T>>,
    /// Where they go back to, m.
    base: Vec<Vertex<T>>,
    /// What goes back.
    back: Vec<bool>,
    /// How much velocity a displacement of x over x̃ means, 1/s; and of one over the interval, 1/s.
    rate: f64,
    over: f64,
    /// How much of what the safety pass takes back x̃ goes along with.
    part: f64,
    x: &'a mut [Vertex<T>],
    x_predicted: &'a mut [Vertex<T>],
    v: &'a [Vertex<T>],
}

impl<T: Precision> Retreat<'_, T> {
    /// How many vertices go back that could go elsewhere.
    fn size(&self) -> usize {
        self.back.iter().zip(&*self.x).filter(|(back, x)| **back && x[3] > T::of(0.0)).count()
    }

    /// Calls `f` for the corners of elements that are beyond their bounds and need not be.
    fn for_each_beyond(&self, mut f: impl FnMut(&[u32])) {
        let mut number = 0;
        self.limit.for_each_use(self.x, |corners, used| {
            if used > BEYOND && !self.hope.lost[number] {
                f(corners);
            }
            number += 1;
        });
    }

    fn any_beyond(&self) -> bool {
        let mut any = false;
        self.for_each_beyond(|_| any = true);
        any
    }

    /// Adds what is beyond its bounds and so many rings of elements around all. Returns whether that is more than
    /// before.
    fn grow(&mut self, rings: u32) -> bool {
        let before = self.size();
        let mut more = Vec::new();
        self.for_each_beyond(|corners| more.extend_from_slice(corners));
        for _ in 0..rings {
            let barred = &self.hope.barred;
            more.drain(..).filter(|&v| !barred[v as usize]).for_each(|v| self.back[v as usize] = true);
            self.limit.for_each_element(|corners| {
                if corners.iter().any(|&v| self.back[v as usize]) {
                    more.extend_from_slice(corners);
                }
            });
            more.retain(|&v| !self.back[v as usize] && !barred[v as usize]);
            if more.is_empty() {
                break;
            }
        }
        more.into_iter().for_each(|v| self.back[v as usize] = true);
        self.size() > before
    }

    /// Colliders have a word in it.
    fn go_back(&mut self, x_start: &[Vertex<T>], colliders: &[PlacedCollider<T>]) {
        for v in 0..self.x.len() - 1 {
            if self.back[v] && self.x[v][3] > T::of(0.0) {
                let mut to = self.base[v];
                PlacedCollider::leave_all(colliders, &mut to, &x_start[v], T::of(SLACK), |_| ());
                self.x[v] = to;
                // As fast as it went in all of the interval: v + (x − x̃) rate = (x − good)/(substeps h).
                for k in 0..3 {
                    let speed = (to[k].f64() - self.good[v][k].f64()) * self.over;
                    self.x_predicted[v][k] = T::of(to[k].f64() - (speed - self.v[v][k].f64()) / self.rate);
                }
            }
        }
    }

    /// What the safety pass stops then goes back too, next time.
    fn stop(&mut self, contact: &mut ContactPipeline<T>) {
        let (_, corrections) = contact.end_interval(self.x);
        for c in corrections {
            let v = c.vertex as usize;
            take_back((&mut self.x[v], &mut self.x_predicted[v]), c.to, c.by, self.part);
            self.back[v] = true;
        }
    }

    /// Puts regions where they were `before`, positions and x̃, in which the worst is not less than half as far beyond
    /// its bounds, or something is worse that was beyond them in any case: motion is not given up for little. Returns
    /// whether there are any.
    fn undo_what_did_not_help(&mut self, before: &(Vec<Vertex<T>>, Vec<Vertex<T>>)) -> bool {
        let mut regions = DisjointSets::new(self.x.len());
        let back = |corners: &[u32]| corners.iter().copied().filter(|&v| self.back[v as usize]).collect::<Vec<u32>>();
        self.limit.for_each_element(|corners| back(corners).windows(2).for_each(|two| regions.join(two[0], two[1])));
        let regions = regions.names();
        // How far beyond what it may use the worst of a region was, and is.
        let mut worst = vec![[0.0f64; 2]; self.x.len()];
        let mut number = 0;
        self.limit.for_each_use(self.x, |corners, used| {
            let (before, may) = (self.hope.before[number], self.hope.may[number]);
            if let Some(&v) = back(corners).first() {
                let [was, is] = &mut worst[regions[v as usize] as usize];
                (*was, *is) = (was.max(before - may), is.max(used - may));
            }
            number += 1;
        });
        let mut undone = false;
        for v in 0..self.x.len() {
            let [was, is] = worst[regions[v] as usize];
            if self.back[v] && is > 0.5 * was {
                (self.x[v], self.x_predicted[v]) = (before.0[v], before.1[v]);
                (self.back[v], undone) = (false, true);
            }
        }
        undone
    }
}

/// How some vertices have moved.
#[derive(Clone, Copy, Default)]
struct RigidMotion {
    count: f64,
    /// Σ X and Σ x, m; Σ x Xᵀ, m².
    from: [f64; 3],
    to: [f64; 3],
    products: Mat3,
}

impl RigidMotion {
    fn add(&mut self, from: [f64; 3], to: [f64; 3]) {
        self.count += 1.0;
        for i in 0..3 {
            (self.from[i], self.to[i]) = (self.from[i] + from[i], self.to[i] + to[i]);
            (0..3).for_each(|j| self.products[i][j] += to[i] * from[j]);
        }
    }

    /// The rigid motion nearest to it; none if there were no vertices.
    fn map(&self) -> impl Fn([f64; 3]) -> [f64; 3] + use<> {
        let RigidMotion { count, .. } = *self;
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
