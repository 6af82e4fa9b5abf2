//! Contact between surfaces in a step. The first worker does it, while the others wait.

use super::run::Run;
use crate::contact::Grip;
use crate::contact::meeting::Meeting;
use crate::lanes::{Scalar, Vertex};
use crate::solve::scheme::Scheme;
use crate::team::Worker;
use std::sync::PoisonError;

/// Positions at the end of a substep as they are, at its start, and x̃, whole.
struct Lists<'a, T> {
    x: &'a mut [Vertex<T>],
    old: &'a [Vertex<T>],
    free: &'a mut [Vertex<T>],
    /// Whether something has touched a vertex.
    touched: &'a mut [bool],
}

impl<T: Scalar> Run<'_, T> {
    /// Lets the first worker do something with contact, and all wait for it.
    fn alone(&self, worker: Worker<'_>, f: impl FnOnce(&mut Meeting<T>, Lists<'_, T>)) {
        let Some(meeting) = &self.parts.contact else { return };
        if worker.id == 0 {
            let mut meeting = meeting.lock().unwrap_or_else(PoisonError::into_inner);
            let all = 0..self.arrays.x.len();
            // SAFETY: the other workers wait at the meeting below, and have come from one, so nobody else reads or writes.
            let lists = unsafe {
                let (x, old) = (self.arrays.x.slice(all.clone()), self.arrays.x_start.slice(all.clone()));
                Lists {
                    x,
                    old,
                    free: self.arrays.x_predicted.slice(all.clone()),
                    touched: self.arrays.touched.slice(all),
                }
            };
            f(&mut meeting, lists);
        }
        worker.sync();
    }

    /// Finds what is near, if it is time to, and begins the substep's contacts.
    pub(super) fn detect(&self, worker: Worker<'_>, substep: u32) {
        let part = |s: u32| f64::from(s) / f64::from(self.time.substeps);
        let share = T::of(part(1));
        self.alone(worker, |meeting, lists| {
            for &(i, by) in meeting.pushes() {
                for k in 0..3 {
                    let by = T::of(by[k]) * share;
                    (lists.x[i as usize][k], lists.free[i as usize][k]) =
                        (lists.x[i as usize][k] + by, lists.free[i as usize][k] + by);
                }
            }
            if substep == meeting.next() || substep == 0 {
                let most = self.params.contact.every.clamp(1, self.time.substeps - substep);
                meeting.detect(lists.old, lists.x, substep, most, self.time.substeps, self.time.h);
            }
            meeting.begin(lists.old, part(substep), part(substep + 1));
        });
    }

    /// Pushes surfaces apart that are too near each other.
    pub(super) fn push_apart(&self, worker: Worker<'_>, grip: Grip) {
        self.alone(worker, |meeting, lists| meeting.sweep(lists.x, lists.old, lists.touched, grip));
    }

    /// How many contacts touch, of which the first worker knows.
    pub(super) fn touching(&self, worker: Worker<'_>) -> u64 {
        let mut touching = 0;
        self.alone(worker, |meeting, _| touching = meeting.touching());
        touching
    }

    /// Forgets what contacts have pushed: the solve begins again, with touched vertices where they are.
    pub(super) fn press_anew(&self, worker: Worker<'_>) {
        self.alone(worker, |meeting, _| meeting.forget_pushes());
    }

    /// Takes back motion that would make surfaces intersect, at the end of an interval.
    pub(super) fn guard(&self, worker: Worker<'_>, substep: u32, scheme: &Scheme) {
        self.alone(worker, |meeting, lists| {
            if substep + 1 != meeting.next() {
                return;
            }
            // What is taken back over the whole interval changes the velocity by its mean over the interval.
            let count = meeting.interval().count;
            let share = 1.0 / (scheme.rate * self.time.h * f64::from(count));
            let Lists { x, free, touched, .. } = lists;
            let candidates = x.to_vec();
            meeting.guard(&candidates, |i, to, by| {
                x[i][..3].copy_from_slice(&to);
                for k in 0..3 {
                    let moved = free[i][k] + T::of(by[k] * (1.0 - share));
                    free[i][k] = if moved.finite() { moved } else { to[k] };
                }
                // Stopped, for limiters of rates; but integrators that take such a vertex's velocity from its last substep must not
                // take that of the whole interval.
                if count == 1 || scheme.plain(self.time.h) {
                    touched[i] = true;
                }
            });
        });
    }
}
