//! As many elements as there are lanes, as a kernel sees them: their rest numbers, and their vertices in the arrays of
//! a sweep.

use super::batch::{Batch, Block};
use crate::lanes::{BLOCK, Lanes, Real, Scalar, Shared, V3, Vertex};

/// A lot of elements: as many as there are lanes.
///
/// Only a [`Sweep`](super::Sweep) makes one, of blocks that are its worker's own until all meet, and only for as long
/// as a kernel looks at it. That, the batch's colouring and the lengths that the sweep has checked are why its methods
/// are safe.
pub struct Lot<'a, T: Scalar, L: Lanes<T>, const V: usize, const P: usize, const R: usize, const A: usize> {
    pub(super) token: L::Token,
    pub(super) block: &'a Block<T, V, P, R>,
    pub(super) number: usize,
    pub(super) lane: usize,
    /// Bit k is set if vertex k may be written.
    pub(super) moves: u32,
    /// At least as long as the batch's span.
    pub(super) arrays: [Shared<'a, Vertex<T>>; A],
}

impl<T, L, const V: usize, const P: usize, const R: usize, const A: usize> Lot<'_, T, L, V, P, R, A>
where
    T: Scalar,
    L: Lanes<T>,
{
    /// The number of the elements' block in the batch, and of the first element in the block.
    #[inline(always)]
    pub fn place(&self) -> (usize, usize) {
        (self.number, self.lane)
    }

    /// Lends its instruction set.
    #[inline(always)]
    pub fn zero(&self) -> L {
        L::load(self.token, &[T::of(0.0); BLOCK])
    }

    /// The elements' rest numbers.
    #[inline(always)]
    pub fn rest(&self) -> [L; P] {
        load_rows::<T, L, P>(self.token, &self.block.rest, self.lane)
    }

    /// The stiffness of each row, 0 to 1.
    #[inline(always)]
    pub fn stiffness(&self) -> [L; R] {
        load_rows::<T, L, R>(self.token, &self.block.stiffness, self.lane)
    }

    /// The elements' part of `rows`, which belong to their block.
    #[inline(always)]
    pub fn load<const N: usize>(&self, rows: &[[T; BLOCK]; N]) -> [L; N] {
        load_rows::<T, L, N>(self.token, rows, self.lane)
    }

    /// The elements' vertices in array `a`.
    #[inline(always)]
    pub fn gather(&self, a: usize) -> [[L; 4]; V] {
        let (from, places) = (self.arrays[a], &self.block.places);
        // SAFETY: the batch's places are below its span and the array is at least that long; no other worker writes
        // there now.
        unsafe {
            let mut out = [L::gather(self.token, from, &places[0][self.lane..]); V];
            for k in 1..V {
                out[k] = L::gather(self.token, from, &places[k][self.lane..]);
            }
            out
        }
    }

    /// Puts the elements' vertices back into array `a`.
    #[inline(always)]
    pub fn scatter(&self, a: usize, value: [[L; 4]; V]) {
        assert!(self.moves == (1 << V) - 1, "elements that move only some of their vertices, or none");
        for k in 0..V {
            // SAFETY: as in `gather`; what elements of a colour move no other element of it touches.
            unsafe { L::scatter(value[k], self.arrays[a], &self.block.places[k][self.lane..]) };
        }
    }

    /// Puts the elements' vertex `k` back into array `a`.
    #[inline(always)]
    pub fn scatter_one(&self, a: usize, k: usize, value: [L; 4]) {
        assert!(self.moves & (1 << k) != 0, "a vertex that elements do not move");
        // SAFETY: as in `scatter`.
        unsafe { L::scatter(value, self.arrays[a], &self.block.places[k][self.lane..]) };
    }

    /// The elements' part of rows that belong to their blocks.
    #[inline(always)]
    pub fn load_own<const N: usize>(&mut self, list: PerBlock<'_, [T; BLOCK], N>) -> [L; N] {
        let (token, lane) = (self.token, self.lane);
        load_rows::<T, L, N>(token, self.of_block(list), lane)
    }

    /// Puts the elements' part of rows back to their blocks.
    #[inline(always)]
    pub fn store_own<const N: usize>(&mut self, list: PerBlock<'_, [T; BLOCK], N>, value: [L; N]) {
        let lane = self.lane;
        let rows = self.of_block(list);
        for r in 0..N {
            value[r].store(&mut rows[r][lane..]);
        }
    }

    /// What the elements' block has of `list`.
    #[inline(always)]
    pub fn of_block<'s, X: Copy, const N: usize>(&'s mut self, list: PerBlock<'s, X, N>) -> &'s mut [X; N] {
        assert!(self.number < list.blocks, "a block beyond the list");
        let start = list.first + self.number * N;
        // SAFETY: in range by `PerBlock::new`. A block is one worker's until all meet, and this borrow of the lot ends
        // before the next.
        let (own, _) = unsafe { list.values.slice(start..start + N) }.as_chunks_mut::<N>();
        &mut own[0]
    }
}

/// N values for each block of a batch, which a sweep over it may change: multipliers of rows, marks.
#[derive(Clone, Copy, Debug)]
pub struct PerBlock<'a, X, const N: usize> {
    values: Shared<'a, X>,
    first: usize,
    blocks: usize,
}

impl<'a, X: Copy, const N: usize> PerBlock<'a, X, N> {
    /// Of the blocks of `batch`, in `values` from number `first` on.
    pub fn new<T, const V: usize, const P: usize, const R: usize>(
        batch: &Batch<T, V, P, R>,
        values: Shared<'a, X>,
        first: usize,
    ) -> Self {
        let blocks = batch.blocks().len();
        assert!(first + blocks * N <= values.len(), "a list shorter than its batch");
        PerBlock { values, first, blocks }
    }
}

/// N rows of numbers.
#[inline(always)]
fn load_rows<T: Scalar, L: Lanes<T>, const N: usize>(token: L::Token, from: &[[T; BLOCK]; N], lane: usize) -> [L; N] {
    let mut out = [L::load(token, &from[0][lane..]); N];
    for i in 1..N {
        out[i] = L::load(token, &from[i][lane..]);
    }
    out
}

/// The place of a vertex.
#[inline(always)]
pub(crate) fn point<L: Real>(v: [L; 4]) -> V3<L> {
    V3::new(v[0], v[1], v[2])
}

/// x_k − x_0.
#[inline(always)]
pub(crate) fn edges<L: Real, const V: usize, const D: usize>(v: &[[L; 4]; V]) -> [V3<L>; D] {
    let base = point(v[0]);
    let mut out = [base; D];
    for k in 0..D {
        out[k] = point(v[k + 1]) - base;
    }
    out
}

/// Inverse masses.
#[inline(always)]
pub(crate) fn weights<L: Real, const V: usize>(v: &[[L; 4]; V]) -> [L; V] {
    let mut out = [v[0][3]; V];
    for k in 1..V {
        out[k] = v[k][3];
    }
    out
}

/// The inverse masses to find multipliers with: those of held vertices are a small part of the largest instead of 0.
///
/// An element with held vertices may have a row that its free ones hardly touch. Its exact multiplier would throw
/// them far away for the sake of an error that they cannot mend: a soft torus held at one side exploded. Counting
/// held vertices as a little movable bounds the throw to a few times the element's size, and takes a few percent
/// from a step elsewhere. Vertices still move by their true inverse masses.
#[inline(always)]
pub(crate) fn floored<L: Real, const V: usize>(w: &[L; V]) -> [L; V] {
    let mut most = w[0];
    for k in 1..V {
        most = L::max(most, w[k]);
    }
    let (floor, zero) = (most * most.lit(1.0 / 64.0), most.lit(0.0));
    let mut out = *w;
    for k in 0..V {
        out[k] = L::select(zero.lt(w[k]), w[k], floor);
    }
    out
}

/// x_k −= w_k g_k for vertices 1…D, and vertex 0 by minus the sum of g.
#[inline(always)]
pub(crate) fn move_vertices<L: Real, const V: usize, const D: usize>(v: &mut [[L; 4]; V], g: &[V3<L>; D]) {
    let mut sum = g[0];
    for k in 1..D {
        sum = sum + g[k];
    }
    let p = point(v[0]) + sum * v[0][3];
    (v[0][0], v[0][1], v[0][2]) = (p.x, p.y, p.z);
    for k in 0..D {
        let p = point(v[k + 1]) - g[k] * v[k + 1][3];
        (v[k + 1][0], v[k + 1][1], v[k + 1][2]) = (p.x, p.y, p.z);
    }
}
