//! Position-based dynamics: rows are projected one after another (SBD Eq. 1, 2), velocities damped along them.

use crate::constraint::{Batch, Hot, Lean, Lot, LotKernel, Sweep, Visit, edges, floored, move_vertices, weights};
use crate::element::{Element, Row, Rows};
use crate::lanes::{BLOCK, Lanes, Real, Scalar, Shared, V3, Vertex};
use core::marker::PhantomData;

/// One sweep of projections over all elements.
pub(crate) struct ProjectAll<'a, T> {
    pub sweep: Sweep<'a>,
    /// Positions with inverse masses.
    pub x: Shared<'a, Vertex<T>>,
}

impl<T: Scalar> Visit<T> for ProjectAll<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if E::PROJECTED && batch.stiff_rows != 0 {
            self.sweep.run(batch, [self.x], &mut Project::<E, D>::new(batch.stiff_rows));
        }
    }
}

/// One sweep of damping over all elements.
pub(crate) struct DampAll<'a, T> {
    pub sweep: Sweep<'a>,
    /// Positions with inverse masses, and velocities.
    pub arrays: [Shared<'a, Vertex<T>>; 2],
    /// For how long, s.
    pub h: f64,
}

impl<T: Scalar> Visit<T> for DampAll<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if E::PROJECTED && batch.damped_rows != 0 {
            self.sweep.run(batch, self.arrays, &mut Damp::<E, T, D, R>::new(batch, self.h));
        }
    }
}

/// Moves vertices (array 0: positions with inverse masses) to meet their elements' rows.
#[derive(Clone, Copy, Debug)]
pub struct Project<E, const D: usize> {
    rows: u32,
    kind: PhantomData<E>,
}

impl<E, const D: usize> Project<E, D> {
    /// Projects rows by the bits of `rows`.
    pub fn new(rows: u32) -> Self {
        Project { rows, kind: PhantomData }
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<T, V, P, R, 1> for Project<E, D>
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    type Compiled = Hot;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, R, 1>) {
        let (rest, stiffness) = (lot.rest(), lot.stiffness());
        let mut v = lot.gather(0);
        let mut columns = E::columns(&rest, &edges::<L, V, D>(&v));
        let mut projector = Projector {
            rows: self.rows,
            stiffness,
            metric: E::metric(&rest, &floored(&weights(&v))),
            total: [V3::lit(v[0][0], [0.0; 3]); D],
        };
        E::rows(&rest, &mut columns, &mut projector);
        move_vertices(&mut v, &E::spread(&rest, &projector.total));
        lot.scatter(0, v);
    }
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

/// Damps velocities (array 1) along the rows at positions (array 0, with inverse masses).
#[derive(Clone, Copy, Debug)]
pub struct Damp<'a, E, T, const D: usize, const R: usize> {
    damping: &'a [[[T; BLOCK]; R]],
    rows: u32,
    h: f64,
    kind: PhantomData<E>,
}

impl<'a, E, T: Scalar, const D: usize, const R: usize> Damp<'a, E, T, D, R> {
    /// Damps for a time `h` (s) what is damped in `batch`.
    pub fn new<const V: usize, const P: usize>(batch: &'a Batch<T, V, P, R>, h: f64) -> Self {
        // The time as the kernel knows it.
        Damp { damping: &batch.damping, rows: batch.damped_rows, h: T::of(h).f64(), kind: PhantomData }
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<T, V, P, R, 2>
    for Damp<'_, E, T, D, R>
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, R, 2>) {
        let rest = lot.rest();
        let mut share = lot.load(&self.damping[lot.place().0]);
        // A rate c over a time h, implicitly: 1 − 1/(1 + c h) of the velocity goes. Never more than all.
        let h = share[0].lit(self.h);
        for s in &mut share {
            *s = h.lit(1.0) - h.lit(1.0) / (*s * h + h.lit(1.0));
        }
        let (x, mut v) = (lot.gather(0), lot.gather(1));
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
        lot.scatter(1, v);
    }
}
