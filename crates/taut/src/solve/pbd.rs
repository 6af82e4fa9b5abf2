//! Position-based dynamics: rows are projected one after another (SBD Eq. 1, 2), velocities damped along them.

use super::lanewise::{edges, floored, gather, load_rows, move_vertices, scatter, weights};
use crate::element::{Element, Row, Rows};
use crate::lanes::{BLOCK, Kernel, Lanes, Real, Scalar, Shared, V3, Vertex};
use crate::pack::Block;
use core::marker::PhantomData;

/// One sweep over blocks of one colour that moves vertices to meet their rows.
pub struct Project<'a, E, T, const V: usize, const D: usize, const P: usize, const R: usize> {
    blocks: &'a [Block<T, V, P, R>],
    rows: u32,
    x: Shared<'a, Vertex<T>>,
    kind: PhantomData<E>,
}

impl<'a, E, T, const V: usize, const D: usize, const P: usize, const R: usize> Project<'a, E, T, V, D, P, R> {
    /// Projects `blocks`, rows by the bits of `rows`, on positions `x` with inverse masses.
    ///
    /// # Safety
    /// All indices of the blocks are below `x.len()`, no vertex but the spare one appears twice in `blocks`, and no
    /// other thread touches these vertices until the kernel has run.
    pub unsafe fn new(blocks: &'a [Block<T, V, P, R>], rows: u32, x: Shared<'a, Vertex<T>>) -> Self {
        Project { blocks, rows, x, kind: PhantomData }
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> Kernel<T> for Project<'_, E, T, V, D, P, R>
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        for block in self.blocks {
            let mut lane = 0;
            while lane < BLOCK {
                // SAFETY: `new`'s promise.
                unsafe { project::<E, T, L, V, D, P, R>(token, block, lane, self.rows, self.x) };
                lane += L::N;
            }
        }
    }
}

/// Projects the rows of `L::N` elements.
///
/// # Safety
/// As [`Project::new`].
#[inline(always)]
unsafe fn project<E, T, L, const V: usize, const D: usize, const P: usize, const R: usize>(
    token: L::Token,
    block: &Block<T, V, P, R>,
    lane: usize,
    rows: u32,
    x: Shared<'_, Vertex<T>>,
) where
    T: Scalar,
    L: Lanes<T>,
    E: Element<V, D, P, R>,
{
    let rest = load_rows::<T, L, P>(token, &block.rest, lane);
    let stiffness = load_rows::<T, L, R>(token, &block.stiffness, lane);
    // SAFETY: the caller's promise.
    let mut v = unsafe { gather::<T, L, V>(token, x, &block.places, lane) };
    let mut columns = E::columns(&rest, &edges::<L, V, D>(&v));
    let mut projector = Projector {
        rows,
        stiffness,
        metric: E::metric(&rest, &floored(&weights(&v))),
        total: [V3::lit(v[0][0], [0.0; 3]); D],
    };
    E::rows(&rest, &mut columns, &mut projector);
    move_vertices(&mut v, &E::spread(&rest, &projector.total));
    // SAFETY: the caller's promise.
    unsafe { scatter::<T, L, V>(v, x, &block.places, lane) };
}

/// Solves each row on the columns, one after another, and keeps the sum of multipliers times gradients.
struct Projector<L, const D: usize, const R: usize> {
    rows: u32,
    stiffness: [L; R],
    metric: [[L; D]; D],
    total: [V3<L>; D],
}

impl<L: Real, const D: usize, const R: usize> Rows<L, D> for Projector<L, D, R> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.rows & (1 << index) != 0
    }

    #[inline(always)]
    fn strength(&self, index: usize, _: L) -> L {
        self.stiffness[index]
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, columns: &mut [V3<L>; D], row: Row<L, N>) {
        // Divided before `push` is needed: the division then runs beside the row's square root.
        let lambda = self.stiffness[index] / give(&self.metric, &row) * row.push;
        step(&self.metric, &row, lambda, columns, &mut self.total);
    }
}

/// Takes a share of the velocity along each row out of the columns' velocities (SBD Eq. 23 after ERRATA).
struct Damper<L, const D: usize, const R: usize> {
    rows: u32,
    share: [L; R],
    metric: [[L; D]; D],
    rate: [V3<L>; D],
    total: [V3<L>; D],
}

impl<L: Real, const D: usize, const R: usize> Rows<L, D> for Damper<L, D, R> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.rows & (1 << index) != 0
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, _: &mut [V3<L>; D], row: Row<L, N>) {
        let mut speed = row.along[0].1.dot(self.rate[row.along[0].0]);
        for n in 1..N {
            speed = speed + row.along[n].1.dot(self.rate[row.along[n].0]);
        }
        let lambda = self.share[index] / give(&self.metric, &row) * speed;
        step(&self.metric, &row, lambda, &mut self.rate, &mut self.total);
    }
}

/// How much a unit multiplier moves the row along its own directions: Σ A_ij gram_ij, kept above zero.
#[inline(always)]
fn give<L: Real, const D: usize, const N: usize>(metric: &[[L; D]; D], row: &Row<L, N>) -> L {
    let mut give = metric[row.along[0].0][row.along[0].0] * row.gram[0][0];
    for n in 1..N {
        let (i, mut cross) = (row.along[n].0, metric[row.along[n].0][row.along[0].0] * row.gram[n][0]);
        for m in 1..n {
            cross = cross + metric[i][row.along[m].0] * row.gram[n][m];
        }
        give = give + metric[i][i] * row.gram[n][n] + cross * give.lit(2.0);
    }
    L::max(give, give.lit(LEAST))
}

/// An element that gives less than this is held on all sides or has no gradient: the multiplier stays finite, and
/// the zeros it meets afterwards (masses, gradients) make it harmless.
const LEAST: f64 = 1e-20;

/// Moves the columns by −λ A d and adds λ d to the total.
#[inline(always)]
fn step<L: Real, const D: usize, const N: usize>(
    metric: &[[L; D]; D],
    row: &Row<L, N>,
    lambda: L,
    columns: &mut [V3<L>; D],
    total: &mut [V3<L>; D],
) {
    for (i, direction) in row.along {
        for l in 0..D {
            columns[l] = columns[l] - direction * (metric[l][i] * lambda);
        }
        total[i] = total[i] + direction * lambda;
    }
}

/// One sweep over blocks of one colour that damps velocities along the rows.
pub struct Damp<'a, E, T, const V: usize, const D: usize, const P: usize, const R: usize> {
    blocks: &'a [Block<T, V, P, R>],
    damping: &'a [[[T; BLOCK]; R]],
    rows: u32,
    h: T,
    x: Shared<'a, Vertex<T>>,
    v: Shared<'a, Vertex<T>>,
    kind: PhantomData<E>,
}

impl<'a, E, T, const V: usize, const D: usize, const P: usize, const R: usize> Damp<'a, E, T, V, D, P, R> {
    /// Damps velocities `v` along the rows at positions `x` for a time `h` (s); `damping` is parallel to `blocks`.
    ///
    /// # Safety
    /// As [`Project::new`], for `x` and `v`.
    pub unsafe fn new(
        blocks: &'a [Block<T, V, P, R>],
        damping: &'a [[[T; BLOCK]; R]],
        rows: u32,
        h: T,
        x: Shared<'a, Vertex<T>>,
        v: Shared<'a, Vertex<T>>,
    ) -> Self {
        Damp { blocks, damping, rows, h, x, v, kind: PhantomData }
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> Kernel<T> for Damp<'_, E, T, V, D, P, R>
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        for (block, damping) in self.blocks.iter().zip(self.damping) {
            let mut lane = 0;
            while lane < BLOCK {
                let rest = load_rows::<T, L, P>(token, &block.rest, lane);
                let mut share = load_rows::<T, L, R>(token, damping, lane);
                // A rate c over a time h, implicitly: 1 − 1/(1 + c h) of the velocity goes. Never more than all.
                let h = share[0].lit(self.h.f64());
                for s in &mut share {
                    *s = h.lit(1.0) - h.lit(1.0) / (*s * h + h.lit(1.0));
                }
                // SAFETY: `new`'s promise.
                let x = unsafe { gather::<T, L, V>(token, self.x, &block.places, lane) };
                // SAFETY: `new`'s promise.
                let mut v = unsafe { gather::<T, L, V>(token, self.v, &block.places, lane) };
                let w = weights(&x);
                let mut columns = E::columns(&rest, &edges::<L, V, D>(&x));
                let mut damper = Damper {
                    rows: self.rows,
                    share,
                    metric: E::metric(&rest, &floored(&w)),
                    rate: E::columns(&rest, &edges::<L, V, D>(&v)),
                    total: [V3::lit(h, [0.0; 3]); D],
                };
                E::rows(&rest, &mut columns, &mut damper);
                let unused = v[0][3];
                for k in 0..V {
                    v[k][3] = w[k];
                }
                move_vertices(&mut v, &E::spread(&rest, &damper.total));
                for k in 0..V {
                    v[k][3] = unused;
                }
                // SAFETY: `new`'s promise.
                unsafe { scatter::<T, L, V>(v, self.v, &block.places, lane) };
                lane += L::N;
            }
        }
    }
}
