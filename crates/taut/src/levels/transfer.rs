//! From points to coarse nodes and back: a node is the mean of its points, and points follow their nodes.

use super::bytes_of;
use crate::lanes::{Scalar, Shared, Vertex};
use crate::team::Worker;

/// A finer point's part in a node: P_iI m_i / M_I.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub from: u32,
    pub weight: T,
}

/// The nodes that a finer point hangs on: P_iI.
#[derive(Clone, Copy, Debug)]
struct Parents<T, const N: usize> {
    point: u32,
    to: [u32; N],
    weight: [T; N],
}

/// Who hangs on whom. Points are vertices, or the nodes of a finer level; each hangs on up to N nodes.
#[derive(Debug)]
pub(super) struct Transfer<T, const N: usize> {
    /// Where each node's entries begin.
    start: Vec<u32>,
    entries: Vec<Entry<T>>,
    /// Of points that follow nodes, ascending; of those that follow more than N, several.
    parents: Vec<Parents<T, N>>,
}

impl<T: Scalar, const N: usize> Transfer<T, N> {
    /// `parents` are the nodes of each point with weights, 0 for those that it does not hang on; masses in kg.
    pub fn new(points: &[f64], nodes: &[f64], parents: &[[(u32, f64); N]]) -> Self {
        let mut start = vec![0u32; nodes.len() + 1];
        for (n, _) in parents.iter().flatten().filter(|p| p.1 > 0.0) {
            start[*n as usize + 1] += 1;
        }
        for n in 0..nodes.len() {
            start[n + 1] += start[n];
        }
        let mut next = start.clone();
        let mut entries = vec![Entry { from: 0, weight: T::of(0.0) }; start[nodes.len()] as usize];
        for (i, parents) in parents.iter().enumerate() {
            for &(n, w) in parents.iter().filter(|p| p.1 > 0.0) {
                let weight = T::of(w * points[i] / nodes[n as usize].max(1e-300));
                entries[next[n as usize] as usize] = Entry { from: i as u32, weight };
                next[n as usize] += 1;
            }
        }
        let hanging = parents.iter().enumerate().filter(|(_, p)| p.iter().any(|p| p.1 > 0.0));
        let of = |(i, p): (usize, &[(u32, f64); N])| Parents {
            point: i as u32,
            to: p.map(|p| p.0),
            weight: p.map(|p| T::of(p.1)),
        };
        Transfer { start, entries, parents: hanging.map(of).collect() }
    }

    /// Has points follow other nodes than those that they are part of; `rows` by point.
    pub fn follow(&mut self, rows: &[Vec<(u32, f64)>]) {
        self.parents.clear();
        for (i, row) in rows.iter().enumerate() {
            for part in row.chunks(N) {
                let (mut to, mut weight) = ([0; N], [T::of(0.0); N]);
                for (k, &(n, w)) in part.iter().enumerate() {
                    (to[k], weight[k]) = (n, T::of(w));
                }
                self.parents.push(Parents { point: i as u32, to, weight });
            }
        }
    }

    pub fn bytes(&self) -> usize {
        bytes_of(&self.start) + bytes_of(&self.entries) + bytes_of(&self.parents)
    }

    /// The points that node `n` is the mean of.
    pub fn entries(&self, n: usize) -> &[Entry<T>] {
        &self.entries[self.start[n] as usize..self.start[n + 1] as usize]
    }

    /// The mean of node `n`'s points.
    #[inline]
    pub fn mean<S: Scalar>(&self, n: usize, from: &[Vertex<S>]) -> Vertex<T> {
        let mut sum = [T::of(0.0); 4];
        for e in self.entries(n) {
            let p = from[e.from as usize];
            for k in 0..4 {
                sum[k] = sum[k] + T::of(p[k].f64()) * e.weight;
            }
        }
        sum
    }

    /// Moves points by what their nodes moved: a worker's chunk of all that hang on nodes.
    pub fn prolong<S: Scalar>(&self, worker: Worker<'_>, by: Shared<'_, Vertex<T>>, to: Shared<'_, Vertex<S>>) {
        let first = worker.chunk(0..to.len()).start;
        let (by, to) = (worker.read(by), worker.chunk_mut(to));
        let before = |end: usize| self.parents.partition_point(|p| (p.point as usize) < end);
        for p in &self.parents[before(first)..before(first + to.len())] {
            let point = &mut to[p.point as usize - first];
            let mut x = point.map(|c| T::of(c.f64()));
            for j in 0..N {
                let by = by[p.to[j] as usize];
                for k in 0..4 {
                    x[k] = x[k] + by[k] * p.weight[j];
                }
            }
            *point = x.map(|c| S::of(c.f64()));
        }
    }
}
