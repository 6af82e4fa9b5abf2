//! The end of an interval: bounds on stretch, contact and safety, met together.
//!
//! Friction has had its say before. Then, in turn: bounds and contacts, round by round, until all hold; the safety
//! pass, which proves that nothing intersects and stops what would; and again, with what was stopped heavier, while
//! that has stretched something beyond its bounds. If that does not end, motion is given up around what is beyond: the
//! interval's start was within bounds and free of intersections. What is reported is measured on what is returned.

use super::Precision;
use super::Stage;
use super::arrays::Chunk;
use super::arrest::Arrest;
use super::run::{Log, Run, Substep};
use crate::constraint::{Marks, vertices_of};
use crate::contact::PlacedCollider;
use crate::lanes::{Scalar, Vertex};
use crate::limit::{EndLimit, EndPositions, Passed, Patience};
use crate::solve::scheme::Scheme;
use crate::team::Worker;
use std::sync::PoisonError;

/// Safety passes at most after which bounds are met again.
const TURNS: u32 = 4;
/// How much of their inverse mass vertices keep that the safety pass has stopped. None of it contradicts bounds; all of
/// it has them stopped again in the next turn.
const STOPPED: f64 = 0.05;
/// How much of the distance that is kept may be missing after bounds have been met, in turns with contact: the last
/// digits take long.
pub(super) const SLACK: f64 = 0.02;
/// What counts as beyond a bound when motion is given up, over the bound.
pub(super) const BEYOND: f64 = 1.005;

/// What the end of an interval keeps in mind. The first worker's.
#[derive(Debug, Default)]
pub(super) struct EndMemory<T> {
    /// Positions when the last interval ended, m: free of intersections, and within bounds if they could be met.
    pub good: Vec<Vertex<T>>,
    /// Positions and x̃ before bounds were met, m.
    before: [Vec<Vertex<T>>; 2],
    /// Vertices that are heavier for a while, and their inverse masses, 1/kg.
    heavier: Vec<(u32, T)>,
}

impl<T: Scalar> EndMemory<T> {
    /// Begins a step at `x`, m.
    pub fn begin(&mut self, x: &[Vertex<T>]) {
        self.good.clear();
        self.good.extend_from_slice(x);
        self.heavier.clear();
    }

    /// Keeps positions and x̃ in mind, m.
    fn remember(&mut self, lists: [&[Vertex<T>]; 2]) {
        for (before, now) in self.before.iter_mut().zip(lists) {
            before.clear();
            before.extend_from_slice(now);
        }
    }

    /// Has x̃ go along with all of what was moved since, of `some` vertices.
    fn go_along(&self, x: &[Vertex<T>], x_predicted: &mut [Vertex<T>], some: impl Fn(usize) -> bool) {
        let [x_before, predicted_before] = &self.before;
        for (v, predicted) in x_predicted.iter_mut().enumerate().take(x.len() - 1) {
            if x[v] != x_before[v] && some(v) {
                (0..3).for_each(|k| predicted[k] = predicted_before[v][k] + (x[v][k] - x_before[v][k]));
            }
        }
    }

    /// Makes some vertices heavier, each once.
    fn weigh_down(&mut self, vertices: &[u32], x: &mut [Vertex<T>]) {
        let mut more = vertices.to_vec();
        more.sort_unstable();
        more.dedup();
        more.retain(|v| self.heavier.binary_search_by_key(v, |h| h.0).is_err() && x[*v as usize][3] > T::of(0.0));
        for v in more {
            let w = &mut x[v as usize][3];
            self.heavier.push((v, *w));
            *w = *w * T::of(STOPPED);
        }
        self.heavier.sort_unstable_by_key(|h| h.0);
    }

    fn restore(&mut self, x: &mut [Vertex<T>]) {
        self.heavier.drain(..).for_each(|(v, w)| x[v as usize][3] = w);
    }
}

impl<T: Precision> Run<'_, T> {
    /// Ends an interval, if the substep ends one: a step does, and so does every search for contacts that has served.
    pub(super) fn end_interval(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) {
        let Some(substeps) = self.interval_of(worker, substep, log) else { return };
        let limit = self.parts.inextensibility.as_ref().map(|p| p.limit()).filter(|l| l.count() > 0);
        // An explicit scheme makes no velocity of displacements.
        let Some(limit) = limit.filter(|_| substep.scheme.reach > 0.0) else {
            self.make_safe(worker, &substep.scheme, log);
            self.settle(worker);
            if let Some(limit) = limit {
                log.tally.unmet += u64::from(self.used(worker, limit, log) > BEYOND);
            }
            return self.lap(log, Stage::Safety);
        };
        let at = EndPositions {
            x: self.arrays.x,
            x_predicted: self.arrays.x_predicted,
            gain: substep.scheme.rate * self.time.h,
            part: 1.0 / f64::from(self.time.substeps),
        };
        let mut used = f64::INFINITY;
        for turn in 0..=TURNS {
            let Passed { met, still, .. } = self.keep_bounds(worker, limit, at, substep, log);
            if self.time.span.trial && !met && self.used(worker, limit, log) > BEYOND {
                log.tally.failed = substeps;
                return;
            }
            let stopped = self.make_safe(worker, &substep.scheme, log);
            self.lap(log, Stage::Safety);
            used = if still && !stopped { 1.0 } else { self.used(worker, limit, log) };
            if !stopped || turn == TURNS || used <= 1.0 {
                break;
            }
            self.weigh_down(worker);
        }
        self.restore_masses(worker);
        if used > BEYOND && self.time.span.trial {
            log.tally.failed = substeps;
            return;
        }
        if used > BEYOND {
            self.retreat(worker, limit, substep, substeps, log);
            log.tally.unmet += u64::from(self.used(worker, limit, log) > BEYOND);
        }
        self.settle(worker);
        self.lap(log, Stage::Safety);
    }

    /// How many substeps the interval has that this substep ends.
    fn interval_of(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) -> Option<u32> {
        if self.parts.contact.is_none() {
            return substep.last.then_some(self.time.substeps);
        }
        let mut substeps = 0;
        self.alone(worker, |contact, _| substeps = contact.interval_ends(substep.number).unwrap_or(0));
        let agreed = self.reduce_max(worker, log, f64::from(substeps)) as u32;
        (agreed > 0).then_some(agreed)
    }

    /// Meets bounds and contacts, round by round.
    fn keep_bounds(
        &self,
        worker: Worker<'_>,
        limit: &EndLimit<T>,
        at: EndPositions<'_, T>,
        substep: &Substep<T>,
        log: &mut Log,
    ) -> Passed {
        let mut beside = |tiles: &[u32], moved: &Marks, much: f64| {
            self.clear_tiles(worker, &substep.colliders, tiles, moved, T::of(much));
        };
        let meets = !substep.colliders.is_empty() || self.parts.contact.is_some();
        let most = self.params.inextensibility.rounds.max(1);
        let remember = |memory: &mut EndMemory<T>, chunk: Chunk<'_, T>| memory.remember([chunk.x, chunk.x_predicted]);
        self.arrays.alone(worker, |chunk| self.end_memory(|memory| remember(memory, chunk)));
        let patience = if self.time.span.trial { Patience::Little } else { Patience::Much };
        let passed = limit.pass(self.over(worker), at, (most, patience), if meets { Some(&mut beside) } else { None });
        log.tally.rounds += u64::from(passed.rounds);
        // Where bounds and contact do not come to an end, the way there is no motion: as velocity it would feed the
        // next step's.
        if !passed.met {
            self.arrays.alone(worker, |chunk| self.end_memory(|memory| self.go_along(memory, limit, chunk)));
        } else if passed.rounds > 1 {
            self.arrays.alone(worker, |chunk| self.end_memory(|memory| self.arrest(memory, at, substep, chunk)));
        }
        self.lap(log, Stage::Limit);
        passed
    }

    /// Has x̃ go along with what bounds moved, in pieces of which something is still beyond its bounds.
    fn go_along(&self, memory: &EndMemory<T>, limit: &EndLimit<T>, chunk: Chunk<'_, T>) {
        let (pieces, count) = self.pieces();
        let mut stuck = vec![false; count];
        limit.for_each_beyond(chunk.x, 1.0, |corners, _| stuck[pieces[corners[0] as usize] as usize] = true);
        memory.go_along(chunk.x, chunk.x_predicted, |v| stuck[pieces[v] as usize]);
    }

    /// Has more of what bounds moved count as velocity where that takes kinetic energy.
    fn arrest(&self, memory: &EndMemory<T>, at: EndPositions<'_, T>, substep: &Substep<T>, mut chunk: Chunk<'_, T>) {
        let before = memory.before.each_ref().map(Vec::as_slice);
        let (rate, h, most) = (substep.scheme.rate, self.time.h, 1.0 - at.kappa());
        Arrest { before, pieces: self.pieces(), rate, h, most }.apply(&mut chunk);
    }

    /// The piece that each vertex is part of, and how many there are.
    pub(super) fn pieces(&self) -> (&[u32], usize) {
        self.parts.inextensibility.map_or((&[], 0), |part| part.pieces())
    }

    /// Puts vertices of some tiles out of colliders and pushes their contacts apart, without friction; x̃ goes along by
    /// so `much` of it. The first worker does it, while the others wait.
    fn clear_tiles(&self, worker: Worker<'_>, colliders: &[PlacedCollider<T>], tiles: &[u32], moved: &Marks, much: T) {
        let Some(first) = worker.alone() else { return };
        let (x, x_predicted) = (first.chunk_mut(self.arrays.x), first.chunk_mut(self.arrays.x_predicted));
        let (x_start, touched) = (first.read(self.arrays.x_start), first.chunk_mut(self.arrays.touched));
        let slack = T::of(SLACK);
        let own = x.len() - 1;
        for v in tiles.iter().flat_map(|&tile| vertices_of(tile)).filter(|&v| v < own) {
            if x[v][3] > T::of(0.0) {
                PlacedCollider::leave_all(colliders, &mut x[v], &x_start[v], slack, |by| {
                    for (predicted, by) in x_predicted[v].iter_mut().zip([by.x, by.y, by.z]) {
                        *predicted = *predicted + by * much;
                    }
                    moved.add_vertex(v as u32);
                    touched[v] = true;
                });
            }
        }
        if let Some(contact) = self.parts.contact {
            let mut contact = contact.lock().unwrap_or_else(PoisonError::into_inner);
            for &tile in tiles {
                contact.part(tile, [&mut *x, &mut *x_predicted], [slack, much], |v| {
                    moved.add_vertex(v);
                    touched[v as usize] = true;
                });
            }
        }
    }

    /// How much of its bounds the worst element uses.
    fn used(&self, worker: Worker<'_>, limit: &EndLimit<T>, log: &mut Log) -> f64 {
        let [used, _] = limit.used(self.over(worker), self.arrays.x);
        self.reduce_max(worker, log, used)
    }

    /// Takes back motion that would make surfaces intersect. Returns whether it had to.
    fn make_safe(&self, worker: Worker<'_>, scheme: &Scheme, log: &mut Log) -> bool {
        if self.parts.contact.is_none() {
            return false;
        }
        let mut stopped = 0;
        self.alone(worker, |contact, lists| stopped = lists.correct(contact, scheme, self.time.h));
        self.reduce_max(worker, log, stopped as f64) > 0.0
    }

    /// The last safety pass has had its say.
    fn settle(&self, worker: Worker<'_>) {
        self.alone(worker, |contact, _| contact.settle());
        self.arrays.alone(worker, |chunk| self.end_memory(|memory| memory.good.copy_from_slice(chunk.x)));
    }

    fn weigh_down(&self, worker: Worker<'_>) {
        self.alone(worker, |contact, lists| self.end_memory(|memory| memory.weigh_down(contact.stopped(), lists.x)));
    }

    fn restore_masses(&self, worker: Worker<'_>) {
        self.arrays.alone(worker, |chunk| self.end_memory(|memory| memory.restore(chunk.x)));
    }

    pub(super) fn end_memory<A>(&self, f: impl FnOnce(&mut EndMemory<T>) -> A) -> A {
        f(&mut self.parts.end.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
