//! Symmetric sparse operators over nodes, in blocks of 3×3 and single precision, ordered so that each colour of nodes is
//! one stretch: no two nodes of a colour have a block in common, and workers may treat them side by side.

use crate::lanes::{Place, Shared, SharedVec};
use crate::team::Worker;
use core::ops::Range;

/// A vector at a node; its fourth number is zero.
pub(super) type Vector = [f32; 4];
/// Column by column.
pub(super) type Block = [f32; 9];

/// Which nodes have blocks in common.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    /// For each node its part of `columns`.
    pub starts: Vec<u32>,
    /// Ascending, with the node itself.
    pub columns: Vec<u32>,
    /// For each node where its own block is.
    pub diagonal: Vec<u32>,
    /// For each block where its transpose is.
    pub mirror: Vec<u32>,
    /// The nodes of each colour.
    pub colours: Vec<Range<usize>>,
}

/// New numbers for nodes: colour by colour, in their old order.
pub(super) struct Numbering {
    /// The new number of each.
    pub to: Vec<u32>,
    pub colours: Vec<Range<usize>>,
}

impl Numbering {
    /// First-fit colours of a graph; `of(i)` are the neighbours of node i.
    pub fn new(graph: &[Vec<u32>]) -> Self {
        let mut colour = vec![u32::MAX; graph.len()];
        let mut counts: Vec<usize> = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        for (i, neighbours) in graph.iter().enumerate() {
            for &j in neighbours {
                if colour[j as usize] != u32::MAX {
                    seen[colour[j as usize] as usize] = i as u32 + 1;
                }
            }
            let free = seen.iter().position(|&s| s != i as u32 + 1).unwrap_or(seen.len());
            if free == seen.len() {
                seen.push(0);
                counts.push(0);
            }
            colour[i] = free as u32;
            counts[free] += 1;
        }
        let mut colours: Vec<Range<usize>> = Vec::new();
        for count in counts {
            let start = colours.last().map_or(0, |c| c.end);
            colours.push(start..start + count);
        }
        let mut next: Vec<usize> = colours.iter().map(|c| c.start).collect();
        let number = |c: u32| {
            next[c as usize] += 1;
            next[c as usize] as u32 - 1
        };
        Numbering { to: colour.into_iter().map(number).collect(), colours }
    }
}

impl Pattern {
    /// Of a graph whose nodes get new numbers.
    pub fn new(graph: &[Vec<u32>], numbering: &Numbering) -> Self {
        let mut from = vec![0; graph.len()];
        numbering.to.iter().enumerate().for_each(|(old, &new)| from[new as usize] = old);
        let mut out = Pattern { starts: vec![0], colours: numbering.colours.clone(), ..Pattern::default() };
        for (i, &old) in from.iter().enumerate() {
            let start = out.columns.len();
            out.columns.push(i as u32);
            out.columns.extend(graph[old].iter().map(|&j| numbering.to[j as usize]));
            out.columns[start..].sort_unstable();
            let before = out.columns[start..].partition_point(|&j| (j as usize) < i);
            out.diagonal.push((start + before) as u32);
            out.starts.push(out.columns.len() as u32);
        }
        out.mirror = vec![0; out.columns.len()];
        for i in 0..out.nodes() {
            for n in out.row(i) {
                out.mirror[n] = out.place(out.columns[n] as usize, i as u32).unwrap_or(0) as u32;
            }
        }
        out
    }

    pub fn nodes(&self) -> usize {
        self.diagonal.len()
    }

    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// The blocks of a node's row.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    /// Its blocks with nodes before it.
    #[inline(always)]
    fn before(&self, i: usize) -> Range<usize> {
        self.starts[i] as usize..self.diagonal[i] as usize
    }

    /// Its blocks with nodes after it.
    #[inline(always)]
    fn after(&self, i: usize) -> Range<usize> {
        self.diagonal[i] as usize + 1..self.starts[i + 1] as usize
    }

    /// Where block (i, j) is.
    pub fn place(&self, i: usize, j: u32) -> Option<usize> {
        let row = self.row(i);
        self.columns[row.clone()].binary_search(&j).ok().map(|n| row.start + n)
    }
}

/// A pattern with numbers.
#[derive(Debug, Default)]
pub(super) struct Operator {
    pub pattern: Pattern,
    pub values: SharedVec<Block>,
    /// Inverses of the nodes' own blocks; zero for nodes that nothing moves.
    pub inverse: SharedVec<Block>,
}

/// to − block `n` · x. On four numbers at a time: the fourth is of no use, and nobody looks at it.
#[inline(always)]
fn minus(to: Vector, blocks: &[f32], n: usize, x: &Vector) -> Vector {
    let b = &blocks[9 * n..9 * n + 10];
    let columns = [[b[0], b[1], b[2], b[3]], [b[3], b[4], b[5], b[6]], [b[6], b[7], b[8], b[9]]];
    let mut out = to;
    for c in 0..3 {
        for d in 0..4 {
            out[d] -= columns[c][d] * x[c];
        }
    }
    out
}

#[inline(always)]
fn times(blocks: &[f32], n: usize, x: &Vector) -> Vector {
    let [x, y, z, _] = minus([0.0; 4], blocks, n, x);
    [-x, -y, -z, 0.0]
}

impl Operator {
    pub fn new(pattern: Pattern) -> Self {
        let (blocks, nodes) = (pattern.blocks(), pattern.nodes());
        Operator {
            pattern,
            // One more, which `minus` may look into.
            values: SharedVec::new(vec![[0.0; 9]; blocks + 1]),
            inverse: SharedVec::new(vec![[0.0; 9]; nodes + 1]),
        }
    }

    /// Fills in the blocks below the diagonal, and inverts those on it. All others are there.
    pub fn complete(&self, worker: Worker<'_>) {
        let (pattern, values) = (&self.pattern, self.values.shared());
        let rows = worker.chunk(0..pattern.nodes());
        let inverse = worker.chunk_of(self.inverse.shared(), 0..pattern.nodes());
        for (i, to) in rows.zip(inverse) {
            for n in pattern.before(i) {
                let [n, mirror] = [n as u32, pattern.mirror[n]].map(Place::new::<Block>);
                // SAFETY: both are blocks of the pattern. Those below the diagonal are written by the one worker that
                // has their row, and nobody reads them here; those above are only read.
                unsafe { values.write(n, transposed(&values.read(mirror))) };
            }
            // SAFETY: as above: it is on the diagonal.
            *to = inverted(&unsafe { values.read(Place::new::<Block>(pattern.diagonal[i])) });
        }
        worker.sync();
    }

    /// One way over the nodes from x = 0: (L + D) x = b.
    pub fn forward(&self, worker: Worker<'_>, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        let (pattern, values, inverse) = (&self.pattern, flat(worker, &self.values), flat(worker, &self.inverse));
        let b = worker.read(b);
        for colour in &pattern.colours {
            let done = worker.read(x.part(0..colour.start));
            let mine = worker.chunk_of(x, colour.clone());
            for (i, to) in worker.chunk(colour.clone()).zip(mine) {
                let mut left = b[i];
                for n in pattern.before(i) {
                    left = minus(left, values, n, &done[pattern.columns[n] as usize]);
                }
                *to = times(inverse, i, &left);
            }
            worker.sync();
        }
    }

    /// One way back: (U + D) x' = b − L x.
    pub fn backward(&self, worker: Worker<'_>, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        let (pattern, values, inverse) = (&self.pattern, flat(worker, &self.values), flat(worker, &self.inverse));
        let b = worker.read(b);
        for colour in pattern.colours.iter().rev() {
            let (before, after) = (worker.read(x.part(0..colour.start)), worker.read(x.part(colour.end..x.len())));
            let mine = worker.chunk_of(x, colour.clone());
            for (i, to) in worker.chunk(colour.clone()).zip(mine) {
                let mut left = b[i];
                for n in pattern.before(i) {
                    left = minus(left, values, n, &before[pattern.columns[n] as usize]);
                }
                for n in pattern.after(i) {
                    left = minus(left, values, n, &after[pattern.columns[n] as usize - colour.end]);
                }
                *to = times(inverse, i, &left);
            }
            worker.sync();
        }
    }

    /// What is left of b after [`forward`](Self::forward): −U x.
    pub fn left(&self, worker: Worker<'_>, x: Shared<'_, Vector>, r: Shared<'_, Vector>) {
        let (pattern, values, x) = (&self.pattern, flat(worker, &self.values), worker.read(x));
        let rows = worker.chunk(0..pattern.nodes());
        for (i, to) in rows.zip(worker.chunk_mut(r)) {
            let mut left = [0.0; 4];
            for n in pattern.after(i) {
                left = minus(left, values, n, &x[pattern.columns[n] as usize]);
            }
            *to = [left[0], left[1], left[2], 0.0];
        }
        worker.sync();
    }

    /// y = A x.
    pub fn multiply(&self, worker: Worker<'_>, x: Shared<'_, Vector>, y: Shared<'_, Vector>) {
        let (pattern, values, x) = (&self.pattern, flat(worker, &self.values), worker.read(x));
        let rows = worker.chunk(0..pattern.nodes());
        for (i, to) in rows.zip(worker.chunk_mut(y)) {
            let mut sum = [0.0; 4];
            for n in pattern.row(i) {
                sum = minus(sum, values, n, &x[pattern.columns[n] as usize]);
            }
            *to = [-sum[0], -sum[1], -sum[2], 0.0];
        }
        worker.sync();
    }
}

/// All numbers of a list of blocks, to read.
#[inline(always)]
fn flat<'a>(worker: Worker<'_>, blocks: &'a SharedVec<Block>) -> &'a [f32] {
    worker.read(blocks.shared()).as_flattened()
}

fn transposed(b: &Block) -> Block {
    [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
}

/// The inverse of a symmetric block, in double precision; zero if it is not positive definite.
fn inverted(b: &Block) -> Block {
    let m = b.map(f64::from);
    let minor = |a: usize, b: usize, c: usize, d: usize| m[a] * m[b] - m[c] * m[d];
    let (c0, c1, c2) = (minor(4, 8, 5, 7), minor(5, 6, 3, 8), minor(3, 7, 4, 6));
    let det = m[0] * c0 + m[1] * c1 + m[2] * c2;
    let sound = m[0] > 0.0 && m[4] > 0.0 && m[8] > 0.0 && det > 1e-12 * m[0] * m[4] * m[8];
    if !sound {
        // Rounding may have made it singular: its diagonal bounds it.
        let own = |d: f64| if d > 0.0 && d.is_finite() { (1.0 / (3.0 * d)) as f32 } else { 0.0 };
        return [own(m[0]), 0.0, 0.0, 0.0, own(m[4]), 0.0, 0.0, 0.0, own(m[8])];
    }
    let [a, b, c, d, e, f] =
        [c0, c1, c2, minor(0, 8, 2, 6), minor(1, 6, 0, 7), minor(0, 4, 1, 3)].map(|c| (c / det) as f32);
    [a, b, c, b, d, e, c, e, f]
}
