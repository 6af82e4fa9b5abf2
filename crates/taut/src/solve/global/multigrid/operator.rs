//! Symmetric sparse operators over nodes, in blocks of 3×3 and single precision, ordered so that each colour of nodes
//! is one stretch: no two nodes of a colour have a block in common, and workers may treat them side by side.

use crate::constraint::Sweep;
use crate::lanes::{Four, FourKernel, Place, Shared, SharedVec, run_fours};
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
    pub fn before(&self, i: usize) -> Range<usize> {
        self.starts[i] as usize..self.diagonal[i] as usize
    }

    /// Its blocks with nodes after it.
    #[inline(always)]
    pub fn after(&self, i: usize) -> Range<usize> {
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
    /// Besides: pairs of nodes with nothing but a number between them, times the identity.
    pub light: Option<Light>,
}

/// Pairs of nodes with one number each.
#[derive(Debug, Default)]
pub(super) struct Light {
    /// The nodes' own places are there too; their numbers are zero.
    pub pattern: Pattern,
    pub values: SharedVec<f32>,
}

impl Light {
    pub fn new(pattern: Pattern) -> Self {
        Light { values: SharedVec::new(vec![0.0; pattern.blocks()]), pattern }
    }
}

/// Σ of blocks times vectors, a sum for each column of the blocks: three short chains of additions instead of one long
/// one. On four numbers at a time: the fourth is of no use, and nobody looks at it.
#[derive(Clone, Copy)]
struct Sum<F: Four> {
    token: F::Token,
    columns: [F; 3],
}

impl<F: Four> Sum<F> {
    #[inline(always)]
    fn zero(token: F::Token) -> Self {
        Sum { token, columns: [F::splat(token, 0.0); 3] }
    }

    /// Adds block `n` times x.
    #[inline(always)]
    fn add(&mut self, blocks: &[f32], n: usize, x: &Vector) {
        let b = &blocks[9 * n..9 * n + 10];
        for c in 0..3 {
            let column = F::load(self.token, &b[3 * c..]);
            self.columns[c] = self.columns[c].plus(column.times(F::splat(self.token, x[c])));
        }
    }

    /// Adds x times a number; k is the number of the pair.
    #[inline(always)]
    fn add_light(&mut self, by: f32, x: &Vector, k: usize) {
        let added = F::load(self.token, x).times(F::splat(self.token, by));
        // Two chains of additions are enough.
        self.columns[k & 1] = self.columns[k & 1].plus(added);
    }

    #[inline(always)]
    fn total(&self) -> F {
        self.columns[0].plus(self.columns[1]).plus(self.columns[2])
    }
}

/// Block `n` times x.
#[inline(always)]
fn times<F: Four>(token: F::Token, blocks: &[f32], n: usize, x: &Vector) -> Vector {
    let mut sum = Sum::<F>::zero(token);
    sum.add(blocks, n, x);
    vector(sum.total())
}

/// Without the fourth number.
#[inline(always)]
fn vector<F: Four>(of: F) -> Vector {
    let [x, y, z, _] = of.numbers();
    [x, y, z, 0.0]
}

/// An operator's numbers, to read.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    pattern: &'a Pattern,
    values: &'a [f32],
    inverse: &'a [f32],
    light: Option<(&'a Pattern, &'a [f32])>,
}

impl Numbers<'_> {
    /// Adds what row i has with nodes before it, of which `x` are the values.
    #[inline(always)]
    fn before<F: Four>(&self, i: usize, x: &[Vector], sum: &mut Sum<F>) {
        for n in self.pattern.before(i) {
            sum.add(self.values, n, &x[self.pattern.columns[n] as usize]);
        }
        if let Some((pattern, values)) = self.light {
            for n in pattern.before(i) {
                sum.add_light(values[n], &x[pattern.columns[n] as usize], n);
            }
        }
    }

    /// The same of nodes after it, of which `x` are the values from node `first` on.
    #[inline(always)]
    fn after<F: Four>(&self, i: usize, x: &[Vector], first: usize, sum: &mut Sum<F>) {
        for n in self.pattern.after(i) {
            sum.add(self.values, n, &x[self.pattern.columns[n] as usize - first]);
        }
        if let Some((pattern, values)) = self.light {
            for n in pattern.after(i) {
                sum.add_light(values[n], &x[pattern.columns[n] as usize - first], n);
            }
        }
    }
}

/// What is done to the nodes of a level, compiled for the CPU's instructions.
#[derive(Clone, Copy)]
struct Pass<'a> {
    numbers: Numbers<'a>,
    worker: Worker<'a>,
    kind: PassKind<'a>,
}

#[derive(Clone, Copy)]
enum PassKind<'a> {
    Forward { b: Shared<'a, Vector>, x: Shared<'a, Vector> },
    Backward { b: Shared<'a, Vector>, x: Shared<'a, Vector> },
    Left { x: Shared<'a, Vector>, r: Shared<'a, Vector> },
    Multiply { x: Shared<'a, Vector>, y: Shared<'a, Vector> },
    After { b: Shared<'a, Vector>, of: [Shared<'a, Vector>; 2], y: Shared<'a, Vector> },
}

impl FourKernel for Pass<'_> {
    #[inline(always)]
    fn run<F: Four>(self, token: F::Token) {
        match self.kind {
            PassKind::Forward { b, x } => self.forward::<F>(token, b, x),
            PassKind::Backward { b, x } => self.backward::<F>(token, b, x),
            PassKind::Left { x, r } => self.left::<F>(token, x, r),
            PassKind::Multiply { x, y } => self.multiply::<F>(token, x, y),
            PassKind::After { b, of, y } => self.after::<F>(token, b, of, y),
        }
    }
}

impl Pass<'_> {
    #[inline(always)]
    fn forward<F: Four>(self, token: F::Token, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        let Pass { numbers, worker, .. } = self;
        let b = worker.read(b);
        for colour in &numbers.pattern.colours {
            let done = worker.read(x.part(0..colour.start));
            let mine = worker.chunk_of(x, colour.clone());
            for (i, to) in worker.chunk(colour.clone()).zip(mine) {
                let mut sum = Sum::<F>::zero(token);
                numbers.before(i, done, &mut sum);
                let left = F::load(token, &b[i]).minus(sum.total());
                *to = times::<F>(token, numbers.inverse, i, &left.numbers());
            }
            worker.sync();
        }
    }

    #[inline(always)]
    fn backward<F: Four>(self, token: F::Token, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        let Pass { numbers, worker, .. } = self;
        let b = worker.read(b);
        for colour in numbers.pattern.colours.iter().rev() {
            let (before, after) = (worker.read(x.part(0..colour.start)), worker.read(x.part(colour.end..x.len())));
            let mine = worker.chunk_of(x, colour.clone());
            for (i, to) in worker.chunk(colour.clone()).zip(mine) {
                let mut sum = Sum::<F>::zero(token);
                numbers.before(i, before, &mut sum);
                numbers.after(i, after, colour.end, &mut sum);
                let left = F::load(token, &b[i]).minus(sum.total());
                *to = times::<F>(token, numbers.inverse, i, &left.numbers());
            }
            worker.sync();
        }
    }

    #[inline(always)]
    fn left<F: Four>(self, token: F::Token, x: Shared<'_, Vector>, r: Shared<'_, Vector>) {
        let Pass { numbers, worker, .. } = self;
        let x = worker.read(x);
        let rows = worker.chunk(0..numbers.pattern.nodes());
        for (i, to) in rows.zip(worker.chunk_mut(r)) {
            let mut sum = Sum::<F>::zero(token);
            numbers.after(i, x, 0, &mut sum);
            *to = vector(F::splat(token, 0.0).minus(sum.total()));
        }
        worker.sync();
    }

    #[inline(always)]
    fn multiply<F: Four>(self, token: F::Token, x: Shared<'_, Vector>, y: Shared<'_, Vector>) {
        let Pass { numbers, worker, .. } = self;
        let x = worker.read(x);
        let rows = worker.chunk(0..numbers.pattern.nodes());
        for (i, to) in rows.zip(worker.chunk_mut(y)) {
            let mut sum = Sum::<F>::zero(token);
            sum.add(numbers.values, numbers.pattern.diagonal[i] as usize, &x[i]);
            numbers.before(i, x, &mut sum);
            numbers.after(i, x, 0, &mut sum);
            *to = vector(sum.total());
        }
        worker.sync();
    }
}

impl Pass<'_> {
    #[inline(always)]
    fn after<F: Four>(
        self,
        token: F::Token,
        b: Shared<'_, Vector>,
        of: [Shared<'_, Vector>; 2],
        y: Shared<'_, Vector>,
    ) {
        let Pass { numbers, worker, .. } = self;
        // What moved since, in place of what it moved from.
        let (to, moved) = (worker.read(of[1]), worker.chunk_mut(of[0]));
        for (i, moved) in worker.chunk(0..to.len()).zip(moved) {
            *moved = F::load(token, &to[i]).minus(F::load(token, moved)).numbers();
        }
        worker.sync();
        let (b, moved) = (worker.read(b), worker.read(of[0]));
        let rows = worker.chunk(0..numbers.pattern.nodes());
        for (i, to) in rows.zip(worker.chunk_mut(y)) {
            let mut sum = Sum::<F>::zero(token);
            numbers.before(i, moved, &mut sum);
            *to = vector(F::load(token, &b[i]).plus(sum.total()));
        }
        worker.sync();
    }
}

impl Operator {
    pub fn new(pattern: Pattern, light: Option<Light>) -> Self {
        let (blocks, nodes) = (pattern.blocks(), pattern.nodes());
        Operator {
            pattern,
            // One more, which `Sum::add` may look into.
            values: SharedVec::new(vec![[0.0; 9]; blocks + 1]),
            inverse: SharedVec::new(vec![[0.0; 9]; nodes + 1]),
            light,
        }
    }

    /// Fills in the blocks below the diagonal from those above; and those on it by `own`, of a node and the sum of its
    /// other blocks, if it has any to give.
    pub fn mirror(&self, worker: Worker<'_>, own: impl Fn(usize, Block) -> Option<Block>) {
        let (pattern, values) = (&self.pattern, self.values.shared());
        for i in worker.chunk(0..pattern.nodes()) {
            let mut sum = [0.0; 9];
            for n in pattern.before(i) {
                // SAFETY: blocks of the pattern. Those above the diagonal are only read here; those below it, and on it, are
                // written by the one worker that has their row, and nobody reads them.
                let block = unsafe {
                    let block = transposed(&values.read(Place::new::<Block>(pattern.mirror[n])));
                    values.write(Place::new::<Block>(n as u32), block);
                    block
                };
                for k in 0..9 {
                    sum[k] += block[k];
                }
            }
            for n in pattern.after(i) {
                // SAFETY: as above.
                let block = unsafe { values.read(Place::new::<Block>(n as u32)) };
                for k in 0..9 {
                    sum[k] += block[k];
                }
            }
            if let Some(own) = own(i, sum) {
                // SAFETY: as above.
                unsafe { values.write(Place::new::<Block>(pattern.diagonal[i]), own) };
            }
        }
        worker.sync();
    }

    /// Inverts the blocks on the diagonal.
    pub fn invert(&self, worker: Worker<'_>) {
        let (pattern, values) = (&self.pattern, worker.read(self.values.shared()));
        let rows = worker.chunk(0..pattern.nodes());
        let inverse = worker.chunk_of(self.inverse.shared(), 0..pattern.nodes());
        for (i, to) in rows.zip(inverse) {
            *to = inverted(&values[pattern.diagonal[i] as usize]);
        }
        worker.sync();
    }

    fn pass(&self, sweep: Sweep<'_>, kind: PassKind<'_>) {
        let Sweep { worker, lanes } = sweep;
        let light = self.light.as_ref().map(|l| (&l.pattern, worker.read(l.values.shared())));
        let (values, inverse) = (flat(worker, &self.values), flat(worker, &self.inverse));
        let numbers = Numbers { pattern: &self.pattern, values, inverse, light };
        run_fours(lanes.width, lanes.level, Pass { numbers, worker, kind });
    }

    /// One way over the nodes from x = 0: (L + D) x = b.
    pub fn forward(&self, sweep: Sweep<'_>, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        self.pass(sweep, PassKind::Forward { b, x });
    }

    /// One way back: (U + D) x' = b − L x.
    pub fn backward(&self, sweep: Sweep<'_>, b: Shared<'_, Vector>, x: Shared<'_, Vector>) {
        self.pass(sweep, PassKind::Backward { b, x });
    }

    /// What is left of b after [`forward`](Self::forward): −U x.
    pub fn left(&self, sweep: Sweep<'_>, x: Shared<'_, Vector>, r: Shared<'_, Vector>) {
        self.pass(sweep, PassKind::Left { x, r });
    }

    /// y = A x right after [`backward`](Self::backward) to x: that left b − L x₀ − (D + U) x = 0, so that A x = b + L
    /// (x − x₀), of x₀ and x. Half the work of [`multiply`](Self::multiply). x₀ is overwritten.
    pub fn product_after(
        &self,
        sweep: Sweep<'_>,
        b: Shared<'_, Vector>,
        of: [Shared<'_, Vector>; 2],
        y: Shared<'_, Vector>,
    ) {
        self.pass(sweep, PassKind::After { b, of, y });
    }

    /// y = A x.
    pub fn multiply(&self, sweep: Sweep<'_>, x: Shared<'_, Vector>, y: Shared<'_, Vector>) {
        self.pass(sweep, PassKind::Multiply { x, y });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Width;

    /// A ring of nodes with blocks between neighbours and numbers between next neighbours; diagonally dominant.
    fn ring(nodes: u32) -> Operator {
        let graph = |reach: &[u32]| -> Vec<Vec<u32>> {
            let near = |i: u32| reach.iter().flat_map(move |&k| [(i + k) % nodes, (i + nodes - k) % nodes]);
            (0..nodes).map(|i| near(i).collect()).collect()
        };
        let numbering = Numbering::new(&graph(&[1, 2]));
        let light = Light::new(Pattern::new(&graph(&[2]), &numbering));
        Operator::new(Pattern::new(&graph(&[1]), &numbering), Some(light))
    }

    /// Fills blocks above the diagonal with numbers, and has the rest follow from them.
    fn fill(operator: &Operator, alone: Worker<'_>) {
        let pattern = &operator.pattern;
        let values = alone.chunk_mut(operator.values.shared());
        for n in (0..pattern.nodes()).flat_map(|i| pattern.after(i)) {
            values[n] = core::array::from_fn(|k| -0.1 * ((n * 7 + k * 3) % 11) as f32);
        }
        if let Some(light) = &operator.light {
            let values = alone.chunk_mut(light.values.shared());
            for (n, to) in values.iter_mut().enumerate() {
                let (i, j) = (n, light.pattern.mirror[n] as usize);
                *to = 0.05 * ((i + j) % 5) as f32;
            }
        }
        operator.mirror(alone, |_, others| {
            let mut own = others.map(|c| -c);
            (0..3).for_each(|d| own[4 * d] += 8.0);
            let mirrored = transposed(&own);
            Some(core::array::from_fn(|k| 0.5 * (own[k] + mirrored[k])))
        });
        operator.invert(alone);
    }

    /// A smoothing step there and back solves its halves, and A x is known from it for half the work; one by one and in
    /// fours alike.
    #[test]
    fn a_way_back_leaves_the_product_behind() {
        let nodes = 23;
        for width in [Width::W1, Width::W16] {
            let (operator, tried) = (ring(nodes), core::sync::atomic::AtomicBool::new(false));
            let [b, x, x0, y, direct] = core::array::from_fn(|_| SharedVec::new(vec![[0.0f32; 4]; nodes as usize]));
            Sweep::alone(width, |sweep| {
                let alone = sweep.worker;
                fill(&operator, alone);
                for (i, to) in alone.chunk_mut(b.shared()).iter_mut().enumerate() {
                    *to = [i as f32 * 0.3 - 2.0, 1.0, (i % 4) as f32, 0.0];
                }
                operator.forward(sweep, b.shared(), x.shared());
                operator.left(sweep, x.shared(), x0.shared());
                operator.multiply(sweep, x.shared(), direct.shared());
                for i in 0..nodes as usize {
                    for d in 0..3 {
                        let [b, ax, left] = [&b, &direct, &x0].map(|v| alone.read(v.shared())[i][d]);
                        assert!((b - ax - left).abs() < 1e-4, "node {i}: {b} − {ax} is left, not {left}");
                    }
                }
                alone.chunk_mut(x0.shared()).copy_from_slice(alone.read(x.shared()));
                operator.backward(sweep, b.shared(), x.shared());
                operator.multiply(sweep, x.shared(), direct.shared());
                operator.product_after(sweep, b.shared(), [x0.shared(), x.shared()], y.shared());
                for (i, (a, b)) in alone.read(direct.shared()).iter().zip(alone.read(y.shared())).enumerate() {
                    assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-4), "node {i}: {b:?} instead of {a:?}");
                }
                tried.store(true, core::sync::atomic::Ordering::Relaxed);
            });
            assert!(tried.into_inner());
        }
    }
}
