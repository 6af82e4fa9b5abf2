//! The one driver: colour by colour, all workers side by side.

use super::active::Active;
use super::batch::{Batch, Block};
use super::lot::Lot;
use crate::lanes::Level;
use crate::lanes::{BLOCK, Kernel, Lanes, Scalar, Shared, Vertex, Width};
use crate::team::Worker;
use core::ops::Range;

/// In how many ways a kernel is compiled: each lane width and instruction set costs seconds.
pub trait Compiled {
    /// Runs the kernel.
    fn run<T: Scalar, K: Kernel<T>>(lanes: LaneChoice, kernel: K);
}

/// For the kernels that a step spends its time in: every lane width, with the widest instruction set that suits it.
#[derive(Clone, Copy, Debug)]
pub enum Hot {}
/// For kernels that seldom matter, and for large ones: one by one, or in one vector's width, which is compiled in half
/// the time. What solves rows together is a third to a half faster so than in two vectors at once, whose numbers do not
/// fit into registers.
#[derive(Clone, Copy, Debug)]
pub enum Lean {}

impl Compiled for Hot {
    fn run<T: Scalar, K: Kernel<T>>(lanes: LaneChoice, kernel: K) {
        T::run(lanes.width, lanes.level, kernel);
    }
}

impl Compiled for Lean {
    fn run<T: Scalar, K: Kernel<T>>(lanes: LaneChoice, kernel: K) {
        T::run_lean(lanes.width, lanes.level, kernel);
    }
}

/// The lanes to run kernels in. The results do not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct LaneChoice {
    /// How many elements at once.
    pub width: Width,
    /// The instruction sets that there are.
    pub level: Level,
}

/// What is done to one lot of elements with V vertices, P rest numbers and R rows, on A arrays of vertices.
///
/// `#[inline(always)]`, as all it calls, and without closures: or it is not compiled for the instruction set. A kernel
/// is copied into registers before a colour and back after it; what it has summed up it still has when the sweep is
/// done.
pub trait LotKernel<T: Scalar, const V: usize, const P: usize, const R: usize, const A: usize>: Copy {
    /// In how many ways it is compiled.
    type Compiled: Compiled;

    /// Treats one lot.
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, R, A>);
}

/// A way over batches: one worker's part. Every worker of a team does the same.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// Who sweeps, with whom.
    pub worker: Worker<'a>,
    /// In which lanes.
    pub lanes: LaneChoice,
}

impl Sweep<'_> {
    /// Treats all elements, one colour after another.
    ///
    /// Panics if an array is shorter than the batch's [span](Batch::span).
    pub fn run<K, T, const V: usize, const P: usize, const R: usize, const A: usize>(
        self,
        batch: &Batch<T, V, P, R>,
        arrays: [Shared<'_, Vertex<T>>; A],
        kernel: &mut K,
    ) where
        T: Scalar,
        K: LotKernel<T, V, P, R, A>,
    {
        self.run_in(0..batch.colours().len(), batch, arrays, kernel);
    }

    /// The same, with the colours in another order, or only some of them.
    pub fn run_in<K, T, const V: usize, const P: usize, const R: usize, const A: usize>(
        self,
        colours: impl Iterator<Item = usize>,
        batch: &Batch<T, V, P, R>,
        arrays: [Shared<'_, Vertex<T>>; A],
        kernel: &mut K,
    ) where
        T: Scalar,
        K: LotKernel<T, V, P, R, A>,
    {
        for colour in colours {
            let blocks = InOrder(self.worker.chunk(batch.colours()[colour].clone()));
            self.pass(batch, blocks, batch.moves(), arrays, kernel);
            self.worker.sync();
        }
    }

    /// The same for some of a batch's blocks.
    pub fn run_active<K, T, const V: usize, const P: usize, const R: usize, const A: usize>(
        self,
        active: Active<'_>,
        batch: &Batch<T, V, P, R>,
        arrays: [Shared<'_, Vertex<T>>; A],
        kernel: &mut K,
    ) where
        T: Scalar,
        K: LotKernel<T, V, P, R, A>,
    {
        for colour in batch.colours() {
            self.pass(batch, active.chunk(self.worker, colour.clone()), batch.moves(), arrays, kernel);
            self.worker.sync();
        }
    }

    /// Looks at all elements, without colours and meetings: workers meet before anything is moved again. Nothing can be
    /// moved here.
    pub fn look<K, T, const V: usize, const P: usize, const R: usize, const A: usize>(
        self,
        batch: &Batch<T, V, P, R>,
        arrays: [Shared<'_, Vertex<T>>; A],
        kernel: &mut K,
    ) where
        T: Scalar,
        K: LotKernel<T, V, P, R, A>,
    {
        let blocks = InOrder(self.worker.chunk(0..batch.blocks().len()));
        self.pass(batch, blocks, 0, arrays, kernel);
    }

    /// One worker's blocks of one colour.
    fn pass<K, B, T, const V: usize, const P: usize, const R: usize, const A: usize>(
        self,
        batch: &Batch<T, V, P, R>,
        numbers: B,
        moves: u32,
        arrays: [Shared<'_, Vertex<T>>; A],
        kernel: &mut K,
    ) where
        T: Scalar,
        B: Numbers,
        K: LotKernel<T, V, P, R, A>,
    {
        assert!(arrays.iter().all(|array| array.len() >= batch.span()), "an array shorter than its batch");
        K::Compiled::run(self.lanes, Pass { blocks: batch.blocks(), numbers, moves, arrays, kernel });
    }
}

#[cfg(test)]
impl Sweep<'_> {
    /// Has one worker do `program`.
    pub(crate) fn alone(width: Width, program: impl Fn(Sweep<'_>) + Sync) {
        let lanes = LaneChoice { width, level: Level::new() };
        // SAFETY: one worker.
        unsafe { crate::team::Team::new(1).run(1, |worker| program(Sweep { worker, lanes })) };
    }
}

/// Numbers of blocks, each once.
pub(super) trait Numbers {
    fn len(&self) -> usize;
    fn get(&self, i: usize) -> usize;
}

/// One after another.
struct InOrder(Range<usize>);

impl Numbers for InOrder {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn get(&self, i: usize) -> usize {
        self.0.start + i
    }
}

struct Pass<'a, 'k, K, B, T, const V: usize, const P: usize, const R: usize, const A: usize> {
    blocks: &'a [Block<T, V, P, R>],
    numbers: B,
    moves: u32,
    arrays: [Shared<'a, Vertex<T>>; A],
    kernel: &'k mut K,
}

impl<K, B, T, const V: usize, const P: usize, const R: usize, const A: usize> Kernel<T>
    for Pass<'_, '_, K, B, T, V, P, R, A>
where
    T: Scalar,
    B: Numbers,
    K: LotKernel<T, V, P, R, A>,
{
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        let Pass { blocks, numbers, moves, arrays, kernel } = self;
        let mut local = *kernel;
        for i in 0..numbers.len() {
            let number = numbers.get(i);
            let block = &blocks[number];
            let mut lane = 0;
            while lane < BLOCK {
                local.lot(&mut Lot::<T, L, V, P, R, A> { token, block, number, lane, moves, arrays });
                lane += L::N;
            }
        }
        *kernel = local;
    }
}
