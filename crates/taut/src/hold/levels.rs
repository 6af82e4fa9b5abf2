//! The hierarchy at work: restrict, relax from the coarsest level down, prolong.

use super::bytes_of;
use super::kernels::{Cells, FullCells, Links, Relax};
use crate::lanes::{Place, Scalar, Shared, Vertex, Width};
use crate::pack::Batch;
use crate::team::Worker;
use core::ops::Range;
use fearless_simd::Level as Cpu;

/// A finer point's part in a node: P_iI m_i / M_I.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub from: u32,
    pub weight: T,
}

/// The nodes that a finer point hangs on: P_iI.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parents<T> {
    pub point: u32,
    pub to: [u32; 3],
    pub weight: [T; 3],
}

/// One lattice. Points are the vertices, or the nodes of the level below.
#[derive(Debug)]
pub(super) struct Level<T> {
    /// Where each node's entries begin.
    pub start: Vec<u32>,
    pub entries: Vec<Entry<T>>,
    /// Of points that hang on the level, ascending.
    pub parents: Vec<Parents<T>>,
    /// Held nodes, which come after the others: each the mean of these vertices.
    pub held: Vec<Vec<u32>>,
    /// From held nodes to the nodes near them.
    pub links: Batch<T, 2, 2, 0>,
    pub cells: Batch<T, 3, 6, 0>,
    /// Cells that are held every way.
    pub full: Batch<T, 3, 6, 0>,
    /// Nodes that move.
    pub nodes: usize,
    /// Nodes with inverse masses, then held ones and a spare.
    pub x: Vec<Vertex<T>>,
    /// Where nodes were before the level moved them; then, how far it did.
    pub base: Vec<Vertex<T>>,
}

/// All levels, finest first.
#[derive(Debug)]
pub(crate) struct Levels<T> {
    pub(super) list: Vec<Level<T>>,
    pub(super) sweeps: u32,
}

impl<T> Default for Levels<T> {
    fn default() -> Self {
        Levels { list: Vec::new(), sweeps: 0 }
    }
}

impl<T: Scalar> Levels<T> {
    pub(super) fn nodes(&self) -> usize {
        self.list.iter().map(|l| l.nodes).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        let of = |l: &Level<T>| {
            let plan =
                bytes_of(&l.start) + bytes_of(&l.entries) + bytes_of(&l.parents) + bytes_of(&l.x) + bytes_of(&l.base);
            plan + bytes_of(&l.links.blocks) + bytes_of(&l.cells.blocks) + bytes_of(&l.full.blocks)
        };
        self.list.iter().map(of).sum()
    }

    pub(super) fn desk(&mut self) -> Desk<'_, T> {
        let sweeps = self.sweeps;
        let levels = self
            .list
            .iter_mut()
            .map(|level| {
                let Level { start, entries, parents, held, links, cells, full, nodes, x, base } = level;
                View {
                    start,
                    entries,
                    parents,
                    held,
                    links,
                    cells,
                    full,
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
struct View<'a, T> {
    start: &'a [u32],
    entries: &'a [Entry<T>],
    parents: &'a [Parents<T>],
    held: &'a [Vec<u32>],
    links: &'a Batch<T, 2, 2, 0>,
    cells: &'a Batch<T, 3, 6, 0>,
    full: &'a Batch<T, 3, 6, 0>,
    nodes: usize,
    x: Shared<'a, Vertex<T>>,
    base: Shared<'a, Vertex<T>>,
}

/// All levels during a step.
pub(crate) struct Desk<'a, T> {
    levels: Vec<View<'a, T>>,
    sweeps: u32,
}

/// Levels with fewer nodes than this are not worth sharing: one worker does them, while the others wait once.
const WORTH_SHARING: usize = 1024;

impl<T: Scalar> Desk<'_, T> {
    /// Moves the vertices `x` by what the levels find.
    pub fn correct(&self, worker: Worker<'_>, width: Width, cpu: Cpu, x: Shared<'_, Vertex<T>>) {
        let Some(finest) = self.levels.first() else { return };
        let large = self.levels.iter().take_while(|l| l.nodes >= WORTH_SHARING).count();
        let below = |l: usize| if l == 0 { x } else { self.levels[l - 1].x };
        for l in 0..large {
            let level = &self.levels[l];
            level.restrict(worker.share(0..level.nodes), below(l));
            if worker.id == 0 {
                level.place_held(x);
            }
            worker.sync();
        }
        if worker.id == 0 {
            for l in large..self.levels.len() {
                self.levels[l].restrict(0..self.levels[l].nodes, below(l));
                self.levels[l].place_held(x);
            }
            for l in (large..self.levels.len()).rev() {
                let level = &self.levels[l];
                if let Some(above) = self.levels.get(l + 1) {
                    above.prolong(0..above.parents.len(), level.x);
                }
                level.relax(self.sweeps, width, cpu);
                level.settle(0..level.nodes);
            }
        }
        worker.sync();
        for l in (0..large).rev() {
            let level = &self.levels[l];
            if let Some(above) = self.levels.get(l + 1) {
                above.prolong(worker.share(0..above.parents.len()), level.x);
                worker.sync();
            }
            level.relax_together(self.sweeps, worker, width, cpu);
            level.settle(worker.share(0..level.nodes));
            worker.sync();
        }
        finest.prolong(worker.share(0..finest.parents.len()), x);
        worker.sync();
    }
}

impl<T: Scalar> View<'_, T> {
    /// Nodes are the means of their points.
    fn restrict(&self, nodes: Range<usize>, from: Shared<'_, Vertex<T>>) {
        for n in nodes {
            let mut sum = [T::of(0.0); 4];
            for e in &self.entries[self.start[n] as usize..self.start[n + 1] as usize] {
                // SAFETY: the builder's entries are points of the level below, whom nobody writes now.
                let p = unsafe { from.read(Place::new::<Vertex<T>>(e.from)) };
                for k in 0..4 {
                    sum[k] = sum[k] + p[k] * e.weight;
                }
            }
            let place = Place::new::<Vertex<T>>(n as u32);
            // SAFETY: nodes in range, of this worker only.
            unsafe {
                sum[3] = self.x.read(place)[3];
                self.x.write(place, sum);
                self.base.write(place, sum);
            }
        }
    }

    /// Held nodes are where their vertices are.
    fn place_held(&self, x: Shared<'_, Vertex<T>>) {
        for (h, vertices) in self.held.iter().enumerate() {
            let share = T::of(1.0 / vertices.len().max(1) as f64);
            let mut sum = [T::of(0.0); 4];
            for &v in vertices {
                // SAFETY: the builder's vertices are in range, and nobody writes them now.
                let p = unsafe { x.read(Place::new::<Vertex<T>>(v)) };
                for k in 0..3 {
                    sum[k] = sum[k] + p[k] * share;
                }
            }
            // SAFETY: held nodes come after the others, and one worker places them.
            unsafe { self.x.write(Place::new::<Vertex<T>>((self.nodes + h) as u32), sum) };
        }
    }

    /// All sweeps, by one worker.
    fn relax(&self, sweeps: u32, width: Width, cpu: Cpu) {
        for _ in 0..sweeps {
            for colour in &self.links.colours {
                // SAFETY: the builder packs nodes in range, each once in a colour; nobody else is at work on the level.
                T::run(width, cpu, unsafe { Relax::<Links, T, 2, 2>::new(&self.links.blocks[colour.clone()], self.x) });
            }
            for colour in &self.cells.colours {
                // SAFETY: as above.
                T::run(width, cpu, unsafe { Relax::<Cells, T, 3, 6>::new(&self.cells.blocks[colour.clone()], self.x) });
            }
            for colour in &self.full.colours {
                let blocks = &self.full.blocks[colour.clone()];
                // SAFETY: as above.
                T::run(width, cpu, unsafe { Relax::<FullCells, T, 3, 6>::new(blocks, self.x) });
            }
        }
    }

    /// The same, shared.
    fn relax_together(&self, sweeps: u32, worker: Worker<'_>, width: Width, cpu: Cpu) {
        for _ in 0..sweeps {
            for colour in &self.links.colours {
                let blocks = &self.links.blocks[worker.share(colour.clone())];
                // SAFETY: the builder packs nodes in range, each once in a colour; workers have disjoint shares and meet after it.
                T::run(width, cpu, unsafe { Relax::<Links, T, 2, 2>::new(blocks, self.x) });
                worker.sync();
            }
            for colour in &self.cells.colours {
                let blocks = &self.cells.blocks[worker.share(colour.clone())];
                // SAFETY: as above.
                T::run(width, cpu, unsafe { Relax::<Cells, T, 3, 6>::new(blocks, self.x) });
                worker.sync();
            }
            for colour in &self.full.colours {
                let blocks = &self.full.blocks[worker.share(colour.clone())];
                // SAFETY: as above.
                T::run(width, cpu, unsafe { Relax::<FullCells, T, 3, 6>::new(blocks, self.x) });
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

    /// Moves points by what their nodes moved.
    fn prolong(&self, range: Range<usize>, to: Shared<'_, Vertex<T>>) {
        for p in &self.parents[range] {
            let place = Place::new::<Vertex<T>>(p.point);
            // SAFETY: the builder's points and nodes are in range; each point is listed once, nobody else writes it, and nobody
            // writes nodes now.
            unsafe {
                let mut x = to.read(place);
                for j in 0..3 {
                    let by = self.base.read(Place::new::<Vertex<T>>(p.to[j]));
                    for k in 0..4 {
                        x[k] = x[k] + by[k] * p.weight[j];
                    }
                }
                to.write(place, x);
            }
        }
    }
}
