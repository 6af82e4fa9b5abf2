//! The lists of numbers that a step works on, one entry for each vertex, and how workers divide them.

use crate::lanes::{Scalar, Shared, Vertex};
use crate::team::Worker;
use core::ops::Range;

/// The lists, in the model's order.
#[derive(Clone, Copy)]
pub(super) struct Arrays<'a, T> {
    /// Positions with inverse masses.
    pub x: Shared<'a, Vertex<T>>,
    pub v: Shared<'a, Vertex<T>>,
    /// Positions at the substep's start.
    pub x_start: Shared<'a, Vertex<T>>,
    /// x̃.
    pub x_predicted: Shared<'a, Vertex<T>>,
    /// M⁻¹ Jᵀ λ of the substep before.
    pub elastic: Shared<'a, Vertex<T>>,
    /// Positions and velocities one substep ago, if the integrator looks so far back; else empty.
    pub before: Shared<'a, [Vertex<T>; 2]>,
    /// Accelerations (m/s²) by which the last substep's elastic forces moved vertices, if they are kept; else empty.
    pub last_accelerations: Shared<'a, Vertex<T>>,
    /// How far simple colliders have pressed each vertex since the substep began, m.
    pub pressed: Shared<'a, T>,
    /// Whether anything has touched it since, or the safety pass has stopped it.
    pub touched: Shared<'a, bool>,
}

/// A worker's own part of all lists.
pub(super) struct Chunk<'a, T> {
    pub x: &'a mut [Vertex<T>],
    pub v: &'a mut [Vertex<T>],
    pub x_start: &'a mut [Vertex<T>],
    pub x_predicted: &'a mut [Vertex<T>],
    pub elastic: &'a mut [Vertex<T>],
    pub before: &'a mut [[Vertex<T>; 2]],
    pub last_accelerations: &'a mut [Vertex<T>],
    pub pressed: &'a mut [T],
    pub touched: &'a mut [bool],
    /// The number of its first vertex.
    pub first: usize,
}

impl<T: Scalar> Arrays<'_, T> {
    /// Does `f` to this worker's chunk of the vertices, then meets the others. They have all come from a meeting.
    pub fn on_chunk<A>(&self, worker: Worker<'_>, f: impl FnOnce(Chunk<'_, T>) -> A) -> A {
        let out = f(self.chunk(worker, 0..self.x.len() - 1));
        worker.sync();
        out
    }

    /// Lets the first worker do `f` to all vertices, and all wait for it. They have all come from a meeting.
    pub fn alone(&self, worker: Worker<'_>, f: impl FnOnce(Chunk<'_, T>)) {
        if let Some(first) = worker.alone() {
            f(self.chunk(first, 0..self.x.len()));
        }
        worker.sync();
    }

    fn chunk(&self, worker: Worker<'_>, vertices: Range<usize>) -> Chunk<'_, T> {
        let some = |empty: bool| if empty { 0..0 } else { vertices.clone() };
        Chunk {
            x: worker.chunk_of(self.x, vertices.clone()),
            v: worker.chunk_of(self.v, vertices.clone()),
            x_start: worker.chunk_of(self.x_start, vertices.clone()),
            x_predicted: worker.chunk_of(self.x_predicted, vertices.clone()),
            elastic: worker.chunk_of(self.elastic, vertices.clone()),
            before: worker.chunk_of(self.before, some(self.before.is_empty())),
            last_accelerations: worker.chunk_of(self.last_accelerations, some(self.last_accelerations.is_empty())),
            pressed: worker.chunk_of(self.pressed, vertices.clone()),
            touched: worker.chunk_of(self.touched, vertices.clone()),
            first: worker.chunk(vertices).start,
        }
    }
}

/// Does `f` to this worker's chunk of a list, then meets the others. They have all come from a meeting.
pub(super) fn on_chunk<N: Copy>(worker: Worker<'_>, list: Shared<'_, N>, f: impl FnOnce(&mut [N])) {
    f(worker.chunk_mut(list));
    worker.sync();
}

impl<T: Scalar> Chunk<'_, T> {
    /// Does `f` to each vertex.
    pub fn each(&mut self, mut f: impl FnMut(usize, &mut At<T>)) {
        let first = self.first;
        for i in 0..self.x.len() {
            self.change(i, |at| f(first + i, at));
        }
    }

    /// Does `f` to vertex `i` of the chunk.
    pub fn change(&mut self, i: usize, f: impl FnOnce(&mut At<T>)) {
        let mut at = At {
            x: self.x[i],
            v: self.v[i],
            x_start: self.x_start[i],
            x_predicted: self.x_predicted[i],
            elastic: self.elastic[i],
            touched: self.touched[i],
            before: self.before.get(i).copied().unwrap_or([[T::of(0.0); 4]; 2]),
        };
        f(&mut at);
        (self.x[i], self.v[i], self.x_start[i], self.x_predicted[i]) = (at.x, at.v, at.x_start, at.x_predicted);
        if let Some(before) = self.before.get_mut(i) {
            *before = at.before;
        }
    }
}

/// One vertex in all the lists of a step.
pub(super) struct At<T> {
    pub x: Vertex<T>,
    pub v: Vertex<T>,
    pub x_start: Vertex<T>,
    pub x_predicted: Vertex<T>,
    pub elastic: Vertex<T>,
    pub touched: bool,
    pub before: [Vertex<T>; 2],
}
