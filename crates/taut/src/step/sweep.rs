//! What is done to the elements of every kind, colour by colour, by all workers side by side.
//!
//! All of it rests on one promise: the builder packs indices in range and one vertex once in a colour; workers have
//! disjoint shares of a colour and meet before the next.

use super::run::Run;
use crate::element::Element;
use crate::lanes::{Scalar, Shared, Vertex};
use crate::model::Visit;
use crate::pack::Batch;
use crate::solve::pbd::{Damp, Project};
use crate::solve::soft::{Elements, Law, Push, Relax};
use crate::solve::warm::Memory;
use crate::team::Worker;

/// One sweep of projections.
pub(super) struct Sweep<'a, T: Scalar> {
    pub run: &'a Run<'a, T>,
    pub worker: Worker<'a>,
}

impl<T: Scalar> Visit<T> for Sweep<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if !E::SHARES || batch.stiff_rows == 0 {
            return;
        }
        for colour in &batch.colours {
            let blocks = &batch.blocks[self.worker.share(colour.clone())];
            // SAFETY: the promise above.
            let kernel = unsafe { Project::<E, T, V, D, P, R>::new(blocks, batch.stiff_rows, self.run.arrays.x) };
            T::run(self.run.lanes.width, self.run.lanes.level, kernel);
            self.worker.sync();
        }
    }
}

/// One sweep over the rows with physical stiffness.
pub(super) struct Soft<'a, T: Scalar> {
    pub run: &'a Run<'a, T>,
    pub worker: Worker<'a>,
    pub law: Law,
    /// The largest residual this worker met.
    pub worst: &'a mut f64,
}

impl<T: Scalar> Visit<T> for Soft<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if !E::ELASTIC || batch.elastic.is_empty() {
            return;
        }
        for colour in &batch.colours {
            // SAFETY: the promise above; multipliers of disjoint blocks are disjoint.
            let kernel = unsafe {
                let elements = Elements::new(batch, self.worker.share(colour.clone()), self.run.multipliers.list);
                Relax::<E, T, V, D, P, R>::new(elements, self.law, self.run.places(), self.worst)
            };
            T::run_warm(self.run.lanes.width, self.run.lanes.level, kernel);
            self.worker.sync();
        }
    }
}

/// What the multipliers do to velocities or positions.
pub(super) struct Press<'a, T: Scalar> {
    pub run: &'a Run<'a, T>,
    pub worker: Worker<'a>,
    pub to: Shared<'a, Vertex<T>>,
    pub scale: f64,
    /// If only some of the multipliers are to be kept.
    pub memory: Option<Memory>,
}

impl<T: Scalar> Visit<T> for Press<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if !E::ELASTIC || batch.elastic.is_empty() {
            return;
        }
        for colour in &batch.colours {
            // SAFETY: the promise above; multipliers of disjoint blocks are disjoint.
            let kernel = unsafe {
                let elements = Elements::new(batch, self.worker.share(colour.clone()), self.run.multipliers.list);
                Push::<E, T, V, D, P, R>::new(elements, self.scale, self.memory, self.run.arrays.x, self.to)
            };
            T::run_cold(self.run.lanes.width, self.run.lanes.level, kernel);
            self.worker.sync();
        }
    }
}

/// One sweep of damping.
pub(super) struct Calm<'a, T: Scalar> {
    pub run: &'a Run<'a, T>,
    pub worker: Worker<'a>,
}

impl<T: Scalar> Visit<T> for Calm<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if !E::SHARES || batch.damped_rows == 0 {
            return;
        }
        let (run, h) = (self.run, T::of(self.run.time.h));
        for colour in &batch.colours {
            let mine = self.worker.share(colour.clone());
            let (blocks, damping) = (&batch.blocks[mine.clone()], &batch.damping[mine]);
            // SAFETY: the promise above.
            let kernel = unsafe {
                Damp::<E, T, V, D, P, R>::new(blocks, damping, batch.damped_rows, h, run.arrays.x, run.arrays.v)
            };
            T::run_cold(run.lanes.width, run.lanes.level, kernel);
            self.worker.sync();
        }
    }
}
