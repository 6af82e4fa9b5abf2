//! Contact between surfaces in a step. The first worker does it, while the others wait.

use super::Precision;
use super::arrays::Chunk;
use super::finish::stop;
use super::run::{Run, Time};
use crate::contact::FrictionBudget;
use crate::contact::pipeline::{ContactPipeline, ContactSubstep};
use crate::lanes::Vertex;
use crate::solve::scheme::Scheme;
use crate::team::Worker;
use std::sync::PoisonError;

/// Positions at the end of a substep as they are, at its start, and x̃, whole.
pub(super) struct Lists<'a, T> {
    pub x: &'a mut [Vertex<T>],
    pub x_start: &'a [Vertex<T>],
    pub x_predicted: &'a mut [Vertex<T>],
    pub v: &'a [Vertex<T>],
    /// Whether something has touched a vertex.
    pub touched: &'a mut [bool],
}

impl<T: Precision> Run<'_, T> {
    /// Lets the first worker do something with contact, and all wait for it.
    pub(super) fn alone(&self, worker: Worker<'_>, f: impl FnOnce(&mut ContactPipeline<T>, Lists<'_, T>)) {
        let Some(contact) = &self.parts.contact else { return };
        self.arrays.alone(worker, |Chunk { x, x_start, x_predicted, v, touched, .. }| {
            let mut contact = contact.lock().unwrap_or_else(PoisonError::into_inner);
            f(&mut contact, Lists { x, x_start, x_predicted, v, touched });
        });
    }

    /// Finds what is near, if it is time to, and begins the substep's contacts.
    pub(super) fn detect(&self, worker: Worker<'_>, number: u32) {
        let Time { h, substeps: of, span, .. } = self.time;
        let every = self.params.contact.every;
        let substep = ContactSubstep { number, of, h, every, within: [span.from, span.to] };
        let part = T::of(self.time.each());
        self.alone(worker, |contact, Lists { x, x_start, x_predicted, .. }| {
            for &(i, by) in contact.pushes() {
                let (x, predicted) = (&mut x[i as usize], &mut x_predicted[i as usize]);
                for k in 0..3 {
                    let by = T::of(by[k]) * part;
                    (x[k], predicted[k]) = (x[k] + by, predicted[k] + by);
                }
            }
            contact.begin_substep(&substep, x_start, x);
        });
    }

    /// Pushes surfaces apart that are too near each other.
    pub(super) fn push_apart(&self, worker: Worker<'_>, budget: FrictionBudget) {
        self.alone(worker, |contact, lists| contact.sweep(lists.x, lists.x_start, lists.touched, budget));
    }

    /// How many contacts touch, of which the first worker knows.
    pub(super) fn touching(&self, worker: Worker<'_>) -> u64 {
        let mut touching = 0;
        self.alone(worker, |contact, _| touching = contact.touching());
        touching
    }

    /// Forgets what contacts have pushed: the solve begins again, with touched vertices where they are.
    pub(super) fn press_anew(&self, worker: Worker<'_>) {
        self.alone(worker, |contact, _| contact.forget_pushes());
    }
}

impl<T: Precision> Lists<'_, T> {
    /// Takes back motion that would make surfaces intersect, at the end of an interval. Returns of how many vertices.
    pub fn correct(self, contact: &mut ContactPipeline<T>, scheme: &Scheme, h: f64) -> usize {
        let Lists { x, x_start, x_predicted, v, touched } = self;
        let (substeps, corrections) = contact.end_interval(x);
        // Stopped, for limiters of rates; but integrators that take such a vertex's velocity from its last substep
        // must not take that of the whole interval.
        let stops = substeps == 1 || scheme.plain(h);
        let part = mean_part(scheme, h, substeps);
        for c in corrections {
            let i = c.vertex as usize;
            take_back((&mut x[i], &mut x_predicted[i]), c.to, c.by, part);
            if stops && !core::mem::replace(&mut touched[i], true) && !scheme.plain(h) {
                stop(&x[i], &x_start[i], &v[i], &mut x_predicted[i], [h, scheme.rate]);
            }
        }
        corrections.len()
    }
}

/// How much of what is taken back x̃ goes along with: what is taken back over a whole interval changes the velocity by
/// its mean over the interval.
pub(super) fn mean_part(scheme: &Scheme, h: f64, substeps: u32) -> f64 {
    1.0 - 1.0 / (scheme.rate * h * f64::from(substeps))
}

/// Puts a vertex at `to`, which moves it by `by` (m); x̃ goes along by `part` of that.
pub(super) fn take_back<T: Precision>(
    (x, predicted): (&mut Vertex<T>, &mut Vertex<T>),
    to: [T; 3],
    by: [f64; 3],
    part: f64,
) {
    x[..3].copy_from_slice(&to);
    for k in 0..3 {
        let moved = predicted[k] + T::of(by[k] * part);
        predicted[k] = if moved.finite() { moved } else { to[k] };
    }
}
