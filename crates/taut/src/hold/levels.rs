//! The hierarchy at work: restrict, relax from the coarsest level down, prolong.

use super::bytes_of;
use super::kernels::{Cells, FullCells, Links, OneSided, Relax};
use super::star::{Starry, Stars};
use super::transfer::Transfer;
use crate::lanes::{Place, Scalar, Shared, Vertex, Width};
use crate::pack::Batch;
use crate::team::Worker;
use core::ops::Range;
use core::sync::atomic::AtomicBool;
use fearless_simd::Level as Cpu;

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
    pub stars: Stars,
    /// Nodes that move.
    pub nodes: usize,
    /// Nodes with inverse masses, then held ones and a spare.
    pub x: Vec<Vertex<T>>,
    /// Where nodes were before the level moved them; then, how far it did.
    pub base: Vec<Vertex<T>>,
}

/// All levels, finest first.
#[derive(Debug)]
pub(crate) struct Levels<T, const N: usize> {
    pub(super) list: Vec<Level<T, N>>,
    pub(super) sweeps: u32,
}

impl<T, const N: usize> Default for Levels<T, N> {
    fn default() -> Self {
        Levels { list: Vec::new(), sweeps: 0 }
    }
}

impl<T: Scalar, const N: usize> Levels<T, N> {
    pub(super) fn nodes(&self) -> usize {
        self.list.iter().map(|l| l.nodes).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        let of = |l: &Level<T, N>| {
            let cells = bytes_of(&l.links.blocks) + bytes_of(&l.cells.blocks) + bytes_of(&l.full.blocks);
            l.transfer.bytes() + bytes_of(&l.x) + bytes_of(&l.base) + cells + l.stars.bytes()
        };
        self.list.iter().map(of).sum()
    }

    /// `tangled` says which bodies are to be left alone.
    pub(super) fn desk<'a>(&'a mut self, tangled: &'a [AtomicBool]) -> Desk<'a, T, N> {
        let sweeps = self.sweeps;
        let levels = self
            .list
            .iter_mut()
            .map(|level| {
                let Level { transfer, held, links, cells, full, stars, nodes, x, base } = level;
                View {
                    transfer,
                    held,
                    links,
                    cells,
                    full,
                    stars: stars.desk(tangled),
                    nodes: *nodes,
                    x: Shared::new(x),
                    base: Shared::new(base),
                }
            })
            .collect();
        Desk { levels, sweeps }
    }
}

/// A level during a step.
struct View<'a, T, const N: usize> {
    transfer: &'a Transfer<T, N>,
    held: &'a [Vec<u32>],
    links: &'a Batch<T, 2, 2, 0>,
    cells: &'a Batch<T, 3, 6, 0>,
    full: &'a Batch<T, 3, 6, 0>,
    stars: Starry<'a>,
    nodes: usize,
    x: Shared<'a, Vertex<T>>,
    base: Shared<'a, Vertex<T>>,
}

/// All levels during a step.
pub(crate) struct Desk<'a, T, const N: usize> {
    levels: Vec<View<'a, T, N>>,
    sweeps: u32,
}

/// Levels with fewer nodes than this are not worth sharing: one worker does them, while the others wait once.
const WORTH_SHARING: usize = 1024;

/// How to relax: who, and with what lanes.
#[derive(Clone, Copy)]
struct Means<'a> {
    /// All workers together, or just this one.
    together: Option<Worker<'a>>,
    width: Width,
    cpu: Cpu,
}

impl<T: Scalar, const N: usize> Desk<'_, T, N> {
    /// Moves the vertices `x` by what the levels find.
    pub fn correct<S: Scalar>(&self, worker: Worker<'_>, width: Width, cpu: Cpu, x: Shared<'_, Vertex<S>>) {
        let Some(finest) = self.levels.first() else { return };
        let large = self.levels.iter().take_while(|l| l.nodes + l.stars.size() >= WORTH_SHARING).count();
        for l in 0..large {
            self.restrict(l, worker.share(0..self.levels[l].nodes), x);
            if worker.id == 0 {
                self.levels[l].place_held(x);
            }
            worker.sync();
        }
        if worker.id == 0 {
            for l in large..self.levels.len() {
                self.restrict(l, 0..self.levels[l].nodes, x);
                self.levels[l].place_held(x);
            }
            for l in (large..self.levels.len()).rev() {
                let (level, above) = (&self.levels[l], self.levels.get(l + 1));
                if let Some(above) = above {
                    above.transfer.prolong(0..above.transfer.hanging(), above.base, level.x);
                }
                level.relax(self.sweeps, above, Means { together: None, width, cpu });
                level.settle(0..level.nodes);
            }
        }
        worker.sync();
        for l in (0..large).rev() {
            let (level, above) = (&self.levels[l], self.levels.get(l + 1));
            if let Some(above) = above {
                above.transfer.prolong(worker.share(0..above.transfer.hanging()), above.base, level.x);
                worker.sync();
            }
            level.relax(self.sweeps, above, Means { together: Some(worker), width, cpu });
            level.settle(worker.share(0..level.nodes));
            worker.sync();
        }
        finest.transfer.prolong(worker.share(0..finest.transfer.hanging()), finest.base, x);
        worker.sync();
    }

    /// Nodes of level `l` are the means of their points.
    fn restrict<S: Scalar>(&self, l: usize, nodes: Range<usize>, x: Shared<'_, Vertex<S>>) {
        match l {
            0 => self.levels[0].restrict(nodes, x),
            _ => self.levels[l].restrict(nodes, self.levels[l - 1].x),
        }
    }
}

impl<T: Scalar, const N: usize> View<'_, T, N> {
    fn restrict<S: Scalar>(&self, nodes: Range<usize>, from: Shared<'_, Vertex<S>>) {
        for n in nodes {
            let mut mean = self.transfer.mean(n, from);
            let place = Place::new::<Vertex<T>>(n as u32);
            // SAFETY: nodes in range, of this worker only.
            unsafe {
                mean[3] = self.x.read(place)[3];
                self.x.write(place, mean);
                self.base.write(place, mean);
            }
        }
    }

    /// Held nodes are where their vertices are.
    fn place_held<S: Scalar>(&self, x: Shared<'_, Vertex<S>>) {
        for (h, vertices) in self.held.iter().enumerate() {
            let share = T::of(1.0 / vertices.len().max(1) as f64);
            let mut sum = [T::of(0.0); 4];
            for &v in vertices {
                // SAFETY: the builder's vertices are in range, and nobody writes them now.
                let p = unsafe { x.read(Place::new::<Vertex<S>>(v)) };
                for k in 0..3 {
                    sum[k] = sum[k] + T::of(p[k].f64()) * share;
                }
            }
            // SAFETY: held nodes come after the others, and one worker places them.
            unsafe { self.x.write(Place::new::<Vertex<T>>((self.nodes + h) as u32), sum) };
        }
        self.stars.place_held(self.held, x);
    }

    /// All sweeps.
    fn relax(&self, sweeps: u32, above: Option<&Self>, means: Means<'_>) {
        self.stars.turn(self.x, above.map(|above| &above.stars), means.together);
        for _ in 0..sweeps {
            self.sweep::<Links, 2, 2>(self.links, means);
            self.sweep::<Cells, 3, 6>(self.cells, means);
            self.sweep::<FullCells, 3, 6>(self.full, means);
            self.stars.relax(self.x, means.together);
        }
    }

    fn sweep<E: OneSided<V, P>, const V: usize, const P: usize>(&self, batch: &Batch<T, V, P, 0>, means: Means<'_>) {
        for colour in &batch.colours {
            let mine = means.together.map_or(colour.clone(), |worker| worker.share(colour.clone()));
            // SAFETY: the builder packs nodes in range, each once in a colour; nobody else is at work on the level, or workers have
            // disjoint shares of a colour and meet after it.
            T::run(means.width, means.cpu, unsafe { Relax::<E, T, V, P>::new(&batch.blocks[mine], self.x) });
            if let Some(worker) = means.together {
                worker.sync();
            }
        }
    }

    /// What the level and those above it moved its nodes by, into `base`. A node that is lost has moved nothing.
    fn settle(&self, nodes: Range<usize>) {
        let zero = T::of(0.0);
        for n in nodes {
            let place = Place::new::<Vertex<T>>(n as u32);
            // SAFETY: nodes in range, of this worker only.
            unsafe {
                let (x, base) = (self.x.read(place), self.base.read(place));
                let mut by = [x[0] - base[0], x[1] - base[1], x[2] - base[2], zero];
                if !by.iter().all(|c| c.finite()) {
                    by = [zero; 4];
                }
                self.base.write(place, by);
            }
        }
    }
}
