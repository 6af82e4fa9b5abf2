//! From one level to the next coarser one: P, and Pᵀ A P.

use super::operator::{Numbering, Operator, Pattern, Vector};
use crate::constraint::Sweep;
use crate::lanes::{Four, FourKernel, Shared, SharedVec, run_fours};
use crate::team::Worker;

/// The nodes that a node follows, with weights.
pub(crate) type Follows = Vec<(u32, f32)>;

/// A list of lists.
#[derive(Debug, Default)]
struct Lists<T> {
    starts: Vec<u32>,
    all: Vec<T>,
}

impl<T> Lists<T> {
    fn new(lists: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut out = Lists { starts: vec![0], all: Vec::new() };
        for list in lists {
            out.all.extend(list);
            out.starts.push(out.all.len() as u32);
        }
        out
    }

    #[inline(always)]
    fn of(&self, i: usize) -> &[T] {
        &self.all[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// What leads from a fine level to the one above.
#[derive(Debug, Default)]
pub(super) struct Coarsening {
    /// P by fine node, Pᵀ by coarse node.
    follows: Lists<(u32, f32)>,
    carries: Lists<(u32, f32)>,
    /// For each coarse block on or above the diagonal the fine blocks that it is made of, with weights.
    sources: Lists<(u32, f32)>,
    /// What a coarse block has of fine blocks that are the same in every step; times the identity.
    constant: Vec<f32>,
}

impl Coarsening {
    /// Of nodes with this `fine` pattern of blocks, that follow `follows` of `coarse` others, in the fine pattern's
    /// numbers. Returns the coarse operator, and the coarse nodes' new numbers.
    pub fn new(fine: &Pattern, follows: &[Follows], coarse: usize) -> (Self, Operator, Numbering) {
        let mut carried: Vec<Vec<u32>> = vec![Vec::new(); coarse];
        for (i, list) in follows.iter().enumerate() {
            list.iter().for_each(|&(a, _)| carried[a as usize].push(i as u32));
        }
        // Coarse nodes are neighbours if what follows them is.
        let mut mark = vec![u32::MAX; coarse];
        let mut graph: Vec<Vec<u32>> = Vec::with_capacity(coarse);
        for a in 0..coarse {
            let mut near = Vec::new();
            for &i in &carried[a] {
                for &j in &fine.columns[fine.row(i as usize)] {
                    for &(b, _) in &follows[j as usize] {
                        if mark[b as usize] != a as u32 && b as usize != a {
                            mark[b as usize] = a as u32;
                            near.push(b);
                        }
                    }
                }
            }
            graph.push(near);
        }
        let numbering = Numbering::new(&graph);
        let pattern = Pattern::new(&graph, &numbering);
        let renumbered: Vec<Follows> =
            follows.iter().map(|list| list.iter().map(|&(a, w)| (numbering.to[a as usize], w)).collect()).collect();
        let mut carries: Vec<Vec<(u32, f32)>> = vec![Vec::new(); coarse];
        let mut sources: Vec<Vec<(u32, f32)>> = vec![Vec::new(); pattern.blocks()];
        for (i, list) in renumbered.iter().enumerate() {
            for &(a, w) in list {
                carries[a as usize].push((i as u32, w));
                for n in fine.row(i) {
                    for &(b, v) in renumbered[fine.columns[n] as usize].iter().filter(|f| f.0 >= a) {
                        if let Some(m) = pattern.place(a as usize, b) {
                            sources[m].push((n as u32, w * v));
                        }
                    }
                }
            }
        }
        let constant = vec![0.0; pattern.blocks()];
        let out = Coarsening {
            follows: Lists::new(renumbered),
            carries: Lists::new(carries),
            sources: Lists::new(sources),
            constant,
        };
        (out, Operator::new(pattern, None), numbering)
    }

    /// Sets what coarse blocks have of the fine pairs that are single numbers: Pᵀ `values` P, times the identity. Pairs
    /// of coarse nodes that have nothing else in common give it to both nodes' own blocks: bending reaches farther than
    /// all else, and is little on coarse levels; blocks for it were a third of all.
    pub fn set_constant(&mut self, fine: &Pattern, values: &[f32], coarse: &Pattern) {
        self.constant.fill(0.0);
        for i in 0..fine.nodes() {
            for n in fine.row(i) {
                let value = values[n];
                if value == 0.0 {
                    continue;
                }
                for &(a, w) in self.follows.of(i) {
                    for &(b, v) in self.follows.of(fine.columns[n] as usize).iter().filter(|f| f.0 >= a) {
                        let own = [a, b].map(|c| coarse.diagonal[c as usize] as usize);
                        match coarse.place(a as usize, b) {
                            Some(m) => self.constant[m] += w * v * value,
                            None => own.into_iter().for_each(|m| self.constant[m] += w * v * value),
                        }
                    }
                }
            }
        }
    }

    /// Pᵀ A P.
    pub fn project(&self, sweep: Sweep<'_>, fine: &Operator, coarse: &Operator) {
        let Sweep { worker, lanes } = sweep;
        run_fours(lanes.width, lanes.level, Project { from: self, worker, fine, coarse });
        coarse.mirror(worker, |_, _| None);
        coarse.invert(worker);
    }

    /// b = Pᵀ r.
    pub fn restrict(&self, worker: Worker<'_>, r: Shared<'_, Vector>, b: Shared<'_, Vector>) {
        let r = worker.read(r);
        let rows = worker.chunk(0..b.len());
        for (a, to) in rows.zip(worker.chunk_mut(b)) {
            let mut sum = [0.0; 4];
            for &(i, w) in self.carries.of(a) {
                (0..4).for_each(|d| sum[d] += w * r[i as usize][d]);
            }
            *to = sum;
        }
        worker.sync();
    }

    /// x += P y, and a copy of it.
    pub fn prolong(&self, worker: Worker<'_>, y: Shared<'_, Vector>, x: Shared<'_, Vector>, copy: Shared<'_, Vector>) {
        let y = worker.read(y);
        let rows = worker.chunk(0..x.len());
        for ((i, to), copy) in rows.zip(worker.chunk_mut(x)).zip(worker.chunk_mut(copy)) {
            for &(a, w) in self.follows.of(i) {
                (0..4).for_each(|d| to[d] += w * y[a as usize][d]);
            }
            *copy = *to;
        }
        worker.sync();
    }
}

/// The coarse blocks on and above the diagonal.
struct Project<'a> {
    from: &'a Coarsening,
    worker: Worker<'a>,
    fine: &'a Operator,
    coarse: &'a Operator,
}

impl FourKernel for Project<'_> {
    #[inline(always)]
    fn run<F: Four>(self, token: F::Token) {
        let Project { from, worker, fine, coarse } = self;
        let (values, pattern) = (worker.read(fine.values.shared()).as_flattened(), &coarse.pattern);
        let rows = worker.chunk(0..pattern.nodes());
        let own = worker.chunk_of_rows(coarse.values.shared(), pattern.nodes(), |i| pattern.starts[i] as usize);
        let start = pattern.starts[rows.start] as usize;
        for i in rows {
            for m in pattern.diagonal[i] as usize..pattern.row(i).end {
                // Three numbers of each column, and one of no use.
                let mut sum = [F::splat(token, 0.0); 3];
                for &(n, w) in from.sources.of(m) {
                    let (block, w) = (&values[9 * n as usize..9 * n as usize + 10], F::splat(token, w));
                    for c in 0..3 {
                        sum[c] = sum[c].plus(F::load(token, &block[3 * c..]).times(w));
                    }
                }
                let to = &mut own[m - start];
                for c in 0..3 {
                    let column = sum[c].numbers();
                    for r in 0..3 {
                        to[3 * c + r] = column[r];
                    }
                    to[4 * c] += from.constant[m];
                }
            }
        }
        worker.sync();
    }
}

/// Lets nodes that follow nothing yet follow groups of their own: a node with neighbours that nobody else has, and the
/// rest with what is beside them. `from` is the number of nodes that others follow already. Returns how many there are
/// then.
pub(super) fn group(pattern: &Pattern, follows: &mut [Follows], from: usize) -> usize {
    let (nodes, mut count) = (pattern.nodes(), from);
    let mut of = vec![u32::MAX; nodes];
    let open = |of: &[u32], follows: &[Follows], i: usize| of[i] == u32::MAX && follows[i].is_empty();
    let around = |i: usize| pattern.row(i).map(|n| pattern.columns[n] as usize);
    for i in 0..nodes {
        if open(&of, follows, i) && around(i).all(|j| of[j] == u32::MAX) {
            around(i).filter(|&j| follows[j].is_empty()).for_each(|j| of[j] = count as u32);
            count += 1;
        }
    }
    for i in 0..nodes {
        if open(&of, follows, i) {
            let beside = around(i).map(|j| of[j]).find(|&g| g != u32::MAX);
            of[i] = beside.unwrap_or_else(|| {
                count += 1;
                count as u32 - 1
            });
        }
    }
    for i in 0..nodes {
        if of[i] != u32::MAX {
            follows[i] = vec![(of[i], 1.0)];
        }
    }
    count
}

/// The last level, solved at once.
#[derive(Debug, Default)]
pub(super) struct Dense {
    size: usize,
    /// The Cholesky factor, row by row; its diagonal inverted, zero where there is nothing to solve.
    factor: SharedVec<f64>,
}

impl Dense {
    pub fn new(nodes: usize) -> Self {
        Dense { size: 3 * nodes, factor: SharedVec::new(vec![0.0; 9 * nodes * nodes]) }
    }

    /// Factorises. One worker does.
    pub fn factorise(&self, alone: Worker<'_>, of: &Operator) {
        let (n, pattern, values) = (self.size, &of.pattern, alone.read(of.values.shared()));
        let l = alone.chunk_mut(self.factor.shared());
        l.fill(0.0);
        for i in 0..pattern.nodes() {
            for m in pattern.row(i) {
                let j = pattern.columns[m] as usize;
                for (k, &value) in values[m].iter().enumerate() {
                    l[(3 * i + k % 3) * n + 3 * j + k / 3] = f64::from(value);
                }
            }
        }
        for j in 0..n {
            let own = l[j * n + j];
            let (above, below) = l.split_at_mut((j + 1) * n);
            let row = &above[j * n..];
            let pivot = own - row[..j].iter().map(|c| c * c).sum::<f64>();
            let inverse = if pivot > 1e-9 * own && pivot.is_finite() { 1.0 / pivot.sqrt() } else { 0.0 };
            for other in below.chunks_exact_mut(n) {
                let dot: f64 = row[..j].iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
                other[j] = (other[j] - dot) * inverse;
            }
            l[j * n + j] = inverse;
        }
    }

    /// Solves. One worker does.
    pub fn solve(&self, alone: Worker<'_>, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        let (n, l, b) = (self.size, alone.read(self.factor.shared()), alone.read(b));
        let mut y: Vec<f64> = b.iter().flat_map(|v| [v[0], v[1], v[2]]).map(f64::from).collect();
        for i in 0..n {
            let row = &l[i * n..];
            let dot: f64 = row[..i].iter().zip(&y).map(|(a, b)| a * b).sum();
            y[i] = (y[i] - dot) * row[i];
        }
        for i in (0..n).rev() {
            y[i] *= l[i * n + i];
            let (own, row) = (y[i], &l[i * n..]);
            y[..i].iter_mut().zip(row).for_each(|(y, l)| *y -= l * own);
        }
        for (to, y) in alone.chunk_mut(x).iter_mut().zip(y.chunks_exact(3)) {
            *to = [y[0] as f32, y[1] as f32, y[2] as f32, 0.0];
        }
    }
}
