//! The hierarchy at work: restrict, relax from the coarsest level down, prolong.

use super::bytes_of;
use super::cluster::Clusters;
use super::transfer::Transfer;
use crate::constraint::one_sided::{MaxLength, MaxStretch, OneSided, Tighten};
use crate::constraint::{Batch, Sweep};
use crate::lanes::{Scalar, Shared, SharedVec, Vertex};
use crate::team::Worker;
use core::sync::atomic::AtomicBool;

/// Levels with fewer nodes than this are not worth sharing: one worker does them, while the others wait once.
const WORTH_SHARING: usize = 1024;

/// One lattice. Points are the vertices, or the nodes of the level below; each hangs on up to N nodes.
#[derive(Debug)]
pub(super) struct Level<T, const N: usize> {
    pub transfer: Transfer<T, N>,
    /// Held nodes, which come after the others: each the mean of these vertices.
    pub held: Vec<Vec<u32>>,
    /// From held nodes to the nodes near them.
    pub links: Batch<T, 2, 2, 0>,
    pub cells: Batch<T, 3, 6, 0>,
    /// Cells that are held every way.
    pub full: Batch<T, 3, 6, 0>,
    /// What keeps the nodes of solids in shape.
    pub clusters: Clusters,
    /// Nodes that move.
    pub nodes: usize,
    /// Nodes with inverse masses, then held ones and a spare.
    pub x: SharedVec<Vertex<T>>,
    /// Where nodes were before the level moved them; then, how far it did.
    pub base: SharedVec<Vertex<T>>,
}

/// All levels, finest first.
#[derive(Debug)]
pub(crate) struct Hierarchy<T, const N: usize> {
    pub(super) list: Vec<Level<T, N>>,
    pub(super) sweeps: u32,
}

impl<T, const N: usize> Default for Hierarchy<T, N> {
    fn default() -> Self {
        Hierarchy { list: Vec::new(), sweeps: 0 }
    }
}

impl<T: Scalar, const N: usize> Hierarchy<T, N> {
    pub(super) fn nodes(&self) -> usize {
        self.list.iter().map(|l| l.nodes).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        let of = |l: &Level<T, N>| {
            let cells = bytes_of(l.links.blocks()) + bytes_of(l.cells.blocks()) + bytes_of(l.full.blocks());
            l.transfer.bytes() + l.x.bytes() + l.base.bytes() + cells + l.clusters.bytes()
        };
        self.list.iter().map(of).sum()
    }

    /// Moves the vertices `x` by what the levels find. `tangled` says which bodies are to be left alone.
    pub fn correct<S: Scalar>(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<S>>, tangled: &[AtomicBool]) {
        let Some(finest) = self.list.first() else { return };
        let worker = sweep.worker;
        let large = self.list.iter().take_while(|l| l.nodes + l.clusters.size() >= WORTH_SHARING).count();
        for l in 0..large {
            self.restrict(l, worker, x);
            worker.sync();
        }
        if let Some(worker) = worker.alone() {
            for l in large..self.list.len() {
                self.restrict(l, worker, x);
            }
            for l in (large..self.list.len()).rev() {
                self.relax(l, Sweep { worker, ..sweep }, tangled);
            }
        }
        worker.sync();
        for l in (0..large).rev() {
            self.relax(l, sweep, tangled);
        }
        finest.transfer.prolong(worker, finest.base.shared(), x);
        worker.sync();
    }

    /// Nodes of level `l` are the means of their points.
    fn restrict<S: Scalar>(&self, l: usize, worker: Worker<'_>, x: Shared<'_, Vertex<S>>) {
        match l {
            0 => self.list[0].restrict(worker, x),
            _ => self.list[l].restrict(worker, self.list[l - 1].x.shared()),
        }
        if let Some(worker) = worker.alone() {
            self.list[l].place_held(worker, x);
        }
    }

    /// Nodes of level `l` follow those of the level above, and are then kept in shape.
    fn relax(&self, l: usize, sweep: Sweep<'_>, tangled: &[AtomicBool]) {
        let (level, above, worker) = (&self.list[l], self.list.get(l + 1), sweep.worker);
        if let Some(above) = above {
            above.transfer.prolong(worker, above.base.shared(), level.x.shared());
            worker.sync();
        }
        level.clusters.turn(worker, level.x.shared(), above.map(|above| &above.clusters), tangled);
        for _ in 0..self.sweeps {
            level.tighten::<MaxLength, 2, 2>(sweep, &level.links);
            level.tighten::<MaxStretch<false>, 3, 6>(sweep, &level.cells);
            level.tighten::<MaxStretch<true>, 3, 6>(sweep, &level.full);
            level.clusters.relax(worker, level.x.shared(), tangled);
        }
        level.settle(worker);
        worker.sync();
    }
}

impl<T: Scalar, const N: usize> Level<T, N> {
    fn restrict<S: Scalar>(&self, worker: Worker<'_>, from: Shared<'_, Vertex<S>>) {
        let from = worker.read(from);
        let (x, base) =
            (worker.chunk_of(self.x.shared(), 0..self.nodes), worker.chunk_of(self.base.shared(), 0..self.nodes));
        for (n, (x, base)) in worker.chunk(0..self.nodes).zip(x.iter_mut().zip(base)) {
            let mut mean = self.transfer.mean(n, from);
            mean[3] = x[3];
            (*x, *base) = (mean, mean);
        }
    }

    /// Held nodes are where their vertices are.
    fn place_held<S: Scalar>(&self, alone: Worker<'_>, x: Shared<'_, Vertex<S>>) {
        let x = alone.read(x);
        let nodes = alone.chunk_of(self.x.shared(), self.nodes..self.nodes + self.held.len());
        for (node, vertices) in nodes.iter_mut().zip(&self.held) {
            let share = T::of(1.0 / vertices.len().max(1) as f64);
            let mut sum = [T::of(0.0); 4];
            for &v in vertices {
                let p = x[v as usize];
                for k in 0..3 {
                    sum[k] = sum[k] + T::of(p[k].f64()) * share;
                }
            }
            *node = sum;
        }
        self.clusters.place_held(alone, &self.held, x);
    }

    fn tighten<E: OneSided<V, P>, const V: usize, const P: usize>(&self, sweep: Sweep<'_>, batch: &Batch<T, V, P, 0>) {
        sweep.run(batch, [self.x.shared()], &mut Tighten::<E>::new());
    }

    /// What the level and those above it moved its nodes by, into `base`. A node that is lost has moved nothing.
    fn settle(&self, worker: Worker<'_>) {
        let zero = T::of(0.0);
        let (x, base) =
            (worker.chunk_of(self.x.shared(), 0..self.nodes), worker.chunk_of(self.base.shared(), 0..self.nodes));
        for (x, base) in x.iter().zip(base) {
            let by = [x[0] - base[0], x[1] - base[1], x[2] - base[2], zero];
            *base = if by.iter().all(|c| c.finite()) { by } else { [zero; 4] };
        }
    }
}
