//! Intervals that are begun again with fewer substeps, because safety could only be had by taking motion back.
//!
//! Contacts are found once in an interval. Where things have moved on since, they push the wrong way, and the safety
//! pass has to stop what they let through. So the interval is gone through again in halves, from a snapshot of where it
//! began, a few times at most.

use super::Precision;
use super::arrays::Chunk;
use super::run::{Log, Run};
use crate::lanes::{BLOCK, Scalar, Vertex};
use crate::team::Worker;
use std::sync::PoisonError;

/// What an interval begins with. The first worker's.
#[derive(Debug, Default)]
pub(super) struct Snapshot<T> {
    x: Vec<Vertex<T>>,
    v: Vec<Vertex<T>>,
    before: Vec<[Vertex<T>; 2]>,
    last_accelerations: Vec<Vertex<T>>,
    multipliers: Vec<[T; BLOCK]>,
    user_multipliers: Vec<T>,
}

impl<T: Scalar> Snapshot<T> {
    fn take(&mut self, chunk: &Chunk<'_, T>, multipliers: &[[T; BLOCK]], user: &[T]) {
        keep(&mut self.x, chunk.x);
        keep(&mut self.v, chunk.v);
        keep(&mut self.before, chunk.before);
        keep(&mut self.last_accelerations, chunk.last_accelerations);
        keep(&mut self.multipliers, multipliers);
        keep(&mut self.user_multipliers, user);
    }

    fn restore(&self, chunk: Chunk<'_, T>, multipliers: &mut [[T; BLOCK]], user: &mut [T]) {
        chunk.x.copy_from_slice(&self.x);
        chunk.v.copy_from_slice(&self.v);
        chunk.before.copy_from_slice(&self.before);
        chunk.last_accelerations.copy_from_slice(&self.last_accelerations);
        multipliers.copy_from_slice(&self.multipliers);
        user.copy_from_slice(&self.user_multipliers);
    }
}

fn keep<A: Copy>(list: &mut Vec<A>, of: &[A]) {
    list.clear();
    list.extend_from_slice(of);
}

/// What becomes of an interval after a substep.
pub(super) enum Outcome {
    /// It goes on.
    Within,
    /// It has ended, and so has what it did.
    Ended,
    /// It begins again with this substep.
    Again(u32),
}

impl<T: Precision> Run<'_, T> {
    /// Keeps in mind where an interval begins.
    pub(super) fn take_snapshot(&self, worker: Worker<'_>) {
        if self.parts.contact.is_none() {
            return;
        }
        self.arrays.alone(worker, |chunk| {
            let user = self.multipliers.user.lock().unwrap_or_else(PoisonError::into_inner);
            let mut snapshot = self.parts.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
            snapshot.take(&chunk, worker.read(self.multipliers.list), &user.multipliers);
        });
    }

    /// What becomes of the interval after a substep, by number. If it begins again, all is as it was then.
    pub(super) fn outcome(&self, worker: Worker<'_>, number: u32, log: &mut Log) -> Outcome {
        let Some(contact) = self.parts.contact else { return Outcome::Within };
        let mut code = 0;
        self.arrays.alone(worker, |chunk| {
            let mut contact = contact.lock().unwrap_or_else(PoisonError::into_inner);
            match contact.begin_again() {
                Some(first) => {
                    code = 2 + first;
                    self.restore(worker, chunk);
                }
                None => code = u32::from(contact.interval_ends(number).is_some()),
            }
        });
        match self.reduce_max(worker, log, f64::from(code)) as u32 {
            0 => Outcome::Within,
            1 => Outcome::Ended,
            again => Outcome::Again(again - 2),
        }
    }

    /// The first worker puts everything back to where the interval began.
    fn restore(&self, worker: Worker<'_>, chunk: Chunk<'_, T>) {
        let Some(first) = worker.alone() else { return };
        let mut user = self.multipliers.user.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.parts.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        self.end_memory(|memory| memory.good.copy_from_slice(&snapshot.x));
        snapshot.restore(chunk, first.chunk_mut(self.multipliers.list), &mut user.multipliers);
    }
}
