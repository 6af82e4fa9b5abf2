//! Soft constraints: rows with a physical compliance, solved with total multipliers (soft constraints Eq. 9, 13, 17, 20
//! after ERRATA).
//!
//! The equations of a step (see [`scheme`](super::scheme)) are `x = x̃ + s M⁻¹ Jᵀ λ` and `c + γ ċ + E⁻¹ λ = 0`. One
//! element at a time, with the others held: `(s (1 + γ rate) A + E⁻¹) δλ = −(c + γ ċ + E⁻¹ λ)`, A = J M⁻¹ Jᵀ, and its
//! vertices move by `s M⁻¹ Jᵀ δλ`. λ is the sum of all δλ since the step began: that is what makes the stiffness
//! independent of the iterations.

use super::warm::WarmStart;
use crate::constraint::{
    Batch, Elastic, Lean, Lot, LotKernel, PerBlock, SLACK, Sweep, Visit, edges, floored, move_vertices, weights,
};
use crate::element::{Element, Row, Rows};
use crate::lanes::{BLOCK, Lanes, Real, Scalar, Shared, V3, Vertex};
use core::marker::PhantomData;

/// How one sweep treats every element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoftLaw {
    /// s, s².
    pub reach: f64,
    /// 1/s.
    pub rate: f64,
    /// 1, or up to 2 for over-relaxation.
    pub relaxation: f64,
    /// Solves up to three rows of an element together, not only those with a coupled compliance.
    pub whole: bool,
    /// Whether to look at the residual.
    pub measure: bool,
}

/// What the elastic elements of one kind have beside rest numbers.
#[derive(Clone, Copy, Debug)]
struct ElasticRows<'a, T, const R: usize> {
    elastic: &'a [Elastic<T, R>],
    viscous: &'a [bool],
    rows: u32,
    multipliers: PerBlock<'a, [T; BLOCK], R>,
}

impl<'a, T: Scalar, const R: usize> ElasticRows<'a, T, R> {
    /// Of an elastic `batch`, with the multipliers of all of its model's.
    pub fn new<const V: usize, const P: usize>(
        batch: &'a Batch<T, V, P, R>,
        multipliers: Shared<'a, [T; BLOCK]>,
    ) -> Self {
        ElasticRows {
            elastic: &batch.elastic,
            viscous: &batch.viscous,
            rows: batch.elastic_rows,
            multipliers: PerBlock::new(batch, multipliers, batch.multipliers),
        }
    }
}

/// One sweep over all rows with physical stiffness.
pub(crate) struct RelaxAll<'a, T> {
    pub sweep: Sweep<'a>,
    /// x with inverse masses, x̃, ṽ.
    pub arrays: [Shared<'a, Vertex<T>>; 3],
    pub multipliers: Shared<'a, [T; BLOCK]>,
    pub law: SoftLaw,
    /// The largest residual this worker met.
    pub worst: f64,
}

impl<T: Scalar> Visit<T> for RelaxAll<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        let elements = ElasticRows::new(batch, self.multipliers);
        let mut kernel = Relax::<E, T, D, R> { elements, law: self.law, worst: self.worst, kind: PhantomData };
        self.sweep.run(batch, self.arrays, &mut kernel);
        self.worst = kernel.worst;
    }
}

/// Adds `scale · M⁻¹ Jᵀ λ` to velocities or positions: what all multipliers do.
pub(crate) struct ApplyMultipliers<'a, T> {
    pub sweep: Sweep<'a>,
    /// Positions with inverse masses, and what is added to.
    pub arrays: [Shared<'a, Vertex<T>>; 2],
    pub multipliers: Shared<'a, [T; BLOCK]>,
    pub scale: f64,
    /// If only some of the multipliers are to be kept: nothing else is left of them.
    pub keep: Option<WarmStart>,
}

impl<T: Scalar> Visit<T> for ApplyMultipliers<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        let elements = ElasticRows::new(batch, self.multipliers);
        let (scale, keep) = (self.scale, self.keep);
        let mut kernel = MultiplierPush::<E, T, D, R> { elements, scale, keep, kind: PhantomData };
        self.sweep.run(batch, self.arrays, &mut kernel);
    }
}

/// Moves vertices and multipliers to meet the elements' equations. Arrays: x with inverse masses, x̃, ṽ.
#[derive(Clone, Copy, Debug)]
struct Relax<'a, E, T, const D: usize, const R: usize> {
    elements: ElasticRows<'a, T, R>,
    law: SoftLaw,
    /// The largest residual met, if the law asks for it.
    worst: f64,
    kind: PhantomData<E>,
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<T, V, P, R, 3>
    for Relax<'_, E, T, D, R>
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, R, 3>) {
        let (number, _) = lot.place();
        let (elastic, viscous) = (&self.elements.elastic[number], self.elements.viscous[number]);
        let rest = lot.rest();
        let mut x = lot.gather(0);
        let like = x[0][0];
        let none = V3::lit(like, [0.0; 3]);
        let mut relaxer = Relaxer::<L, D, R> {
            rows: self.elements.rows,
            coupled: E::COUPLED,
            law: self.law,
            viscous,
            compliance: lot.load(&elastic.compliance),
            coupling: lot.load(&elastic.coupling),
            gamma: lot.load(&elastic.gamma),
            lambda: lot.load_own(self.elements.multipliers),
            metric: metric::<E, L, V, D, P, R>(&rest, &weights(&x)),
            speed: [none; D],
            total: [none; D],
            waiting: [Waiting { error: like.lit(0.0), gradient: [none; D], ease: like.lit(1.0) }; 3],
            worst: like.lit(0.0),
        };
        if viscous {
            let speeds = speeds(&x, &lot.gather(1), &lot.gather(2), self.law.rate);
            relaxer.speed = E::columns(&rest, &edges::<L, V, D>(&speeds));
        }
        let mut columns = E::columns(&rest, &edges::<L, V, D>(&x));
        E::rows(&rest, &mut columns, &mut relaxer);
        lot.store_own(self.elements.multipliers, relaxer.lambda);
        if self.law.measure {
            self.worst = self.worst.max(greatest::<T, L>(relaxer.worst));
        }
        let back = like.lit(-self.law.reach);
        move_vertices(&mut x, &E::spread(&rest, &relaxer.total.map(|t| t * back)));
        lot.scatter(0, x);
    }
}

/// The metric of an element's columns that its multipliers are found with. One direction cannot be hardly touched by
/// the free end: an edge needs no floor.
#[inline(always)]
fn metric<E, L, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: &[L; P],
    w: &[L; V],
) -> [[L; D]; D]
where
    L: Real,
    E: Element<V, D, P, R>,
{
    E::metric(rest, &if V == 2 { *w } else { floored(w) })
}

/// aᵀ metric b of two gradients on the columns: A between their rows.
#[inline(always)]
fn across<L: Real, const D: usize>(metric: &[[L; D]; D], a: &[V3<L>; D], b: &[V3<L>; D]) -> L {
    let mut sum = metric[0][0] * a[0].dot(b[0]);
    for l in 1..D {
        sum = sum + metric[l][l] * a[l].dot(b[l]);
        for m in 0..l {
            sum = sum + metric[l][m] * (a[l].dot(b[m]) + a[m].dot(b[l]));
        }
    }
    sum
}

/// Velocities as they would be if the step ended now: ṽ + (x − x̃) rate.
#[inline(always)]
fn speeds<L: Real, const V: usize>(x: &[[L; 4]; V], free: &[[L; 4]; V], v: &[[L; 4]; V], rate: f64) -> [[L; 4]; V] {
    let mut out = *v;
    for k in 0..V {
        for c in 0..3 {
            out[k][c] = v[k][c] + (x[k][c] - free[k][c]) * x[k][c].lit(rate);
        }
    }
    out
}

/// The greatest of all lanes.
#[inline(always)]
fn greatest<T: Scalar, L: Lanes<T>>(value: L) -> f64 {
    let mut lanes = [T::of(0.0); BLOCK];
    value.store(&mut lanes);
    let solved = |v: &T| if v.finite() { v.f64() } else { f64::INFINITY };
    lanes[..L::N].iter().fold(0.0, |most, v| f64::max(most, solved(v)))
}

/// A row that is solved together with those that follow.
#[derive(Clone, Copy)]
struct Waiting<L, const D: usize> {
    /// c + γ ċ.
    error: L,
    gradient: [V3<L>; D],
    /// How much of a straight step is safe, 0 to 1: it has no influence on where the iteration ends.
    ease: L,
}

struct Relaxer<L, const D: usize, const R: usize> {
    rows: u32,
    coupled: usize,
    law: SoftLaw,
    viscous: bool,
    compliance: [L; R],
    coupling: [L; 3],
    gamma: [L; R],
    lambda: [L; R],
    metric: [[L; D]; D],
    /// Rates of the columns, 1/s.
    speed: [V3<L>; D],
    /// Σ δλ ∇C on the columns.
    total: [V3<L>; D],
    /// Row r waits at r % 3: a place that is known when this is compiled, however rows are grouped. Numbers of rows in
    /// a group are constants for the same reason; both keep numbers in registers, and code small.
    waiting: [Waiting<L, D>; 3],
    worst: L,
}

impl<L: Real, const D: usize, const R: usize> Relaxer<L, D, R> {
    /// The first row of the group that `index` belongs to, and how many rows it has.
    #[inline(always)]
    fn group(&self, index: usize) -> (usize, usize) {
        match self.law.whole {
            true if index < R / 3 * 3 => (index / 3 * 3, 3),
            false if index < self.coupled => (0, self.coupled),
            _ => (index, 1),
        }
    }

    /// E⁻¹ between rows `i` and `j`.
    #[inline(always)]
    fn compliance(&self, i: usize, j: usize) -> L {
        if i == j {
            self.compliance[i]
        } else if i < 3 && j < 3 {
            self.coupling[i + j - 1]
        } else {
            self.compliance[i].lit(0.0)
        }
    }

    /// How many rows are solved together now that `index` is there; 0 if others of its group follow.
    #[inline(always)]
    fn complete(&self, index: usize) -> usize {
        let (first, n) = self.group(index);
        if index + 1 == first + n { n } else { 0 }
    }

    /// Row `index`, of a group that is complete.
    #[inline(always)]
    fn waiting(&self, index: usize) -> &Waiting<L, D> {
        &self.waiting[index % 3]
    }

    /// The residual −(c + γ ċ + E⁻¹ λ) of row `first + i` in a group of N.
    #[inline(always)]
    fn residual<const N: usize>(&mut self, first: usize, i: usize) -> L {
        let mut r = self.waiting(first + i).error;
        for j in 0..N {
            r = r + self.compliance(first + i, first + j) * self.lambda[first + j];
        }
        if self.law.measure {
            let holds = self.compliance[first + i].lt(r.lit(SLACK * 0.5));
            // A NaN stays: it must not look solved.
            let size = L::select(holds, r.abs(), r.lit(0.0));
            self.worst = L::select(size.lt(self.worst), self.worst, size);
        }
        -r
    }

    /// The largest damping time of a group: with a smaller one, steps of the row that has it would be too long.
    #[inline(always)]
    fn slowest<const N: usize>(&self, first: usize) -> L {
        let mut most = self.gamma[first];
        for i in 1..N {
            most = L::max(most, self.gamma[first + i]);
        }
        most
    }

    /// s (1 + γ rate) A + E⁻¹ between rows `first + i` and `first + j`.
    #[inline(always)]
    fn system<const N: usize>(&self, first: usize, i: usize, j: usize) -> L {
        let sum = across(&self.metric, &self.waiting(first + i).gradient, &self.waiting(first + j).gradient);
        let mut scale = sum.lit(self.law.reach);
        if self.viscous {
            scale = scale * (sum.lit(1.0) + self.slowest::<N>(first) * sum.lit(self.law.rate));
        }
        sum * scale + self.compliance(first + i, first + j)
    }

    /// The multipliers' change of a group of N rows: 1, 2 or 3. Its matrix is positive definite: the determinants are
    /// positive without pivoting.
    #[inline(always)]
    fn solve<const N: usize>(&mut self, first: usize) -> [L; 3] {
        let b0 = self.residual::<N>(first, 0);
        let zero = b0.lit(0.0);
        let a00 = self.system::<N>(first, 0, 0);
        let over0 = b0.lit(1.0) / L::max(a00, zero.lit(LEAST));
        if N == 1 {
            return [b0 * over0, zero, zero];
        }
        let b1 = self.residual::<N>(first, 1);
        let (a01, a11) = (self.system::<N>(first, 0, 1), self.system::<N>(first, 1, 1));
        // Elimination of the first row, then of the second. A pivot that rounding has eaten is kept above zero: a
        // shorter step does not change where the iteration ends.
        let pivot = |d: L, a: L| L::max(L::max(d, a * a.lit(1e-6)), a.lit(LEAST));
        let l1 = a01 * over0;
        let (d11, c1) = (a11 - l1 * a01, b1 - l1 * b0);
        if N == 2 {
            let y1 = c1 / pivot(d11, a11);
            return [(b0 - a01 * y1) * over0, y1, zero];
        }
        let b2 = self.residual::<N>(first, 2);
        let (a02, a12, a22) =
            (self.system::<N>(first, 0, 2), self.system::<N>(first, 1, 2), self.system::<N>(first, 2, 2));
        let l2 = a02 * over0;
        let (d12, c2) = (a12 - l2 * a01, b2 - l2 * b0);
        let over1 = b0.lit(1.0) / pivot(d11, a11);
        let m2 = d12 * over1;
        let y2 = (c2 - m2 * c1) / pivot(a22 - l2 * a02 - m2 * d12, a22);
        let y1 = (c1 - d12 * y2) * over1;
        [(b0 - a01 * y1 - a02 * y2) * over0, y1, y2]
    }

    /// Solves the group of N rows from `first` on, and moves the columns.
    #[inline(always)]
    fn relax<const N: usize>(&mut self, first: usize, columns: &mut [V3<L>; D]) {
        let mut delta = self.solve::<N>(first);
        if self.law.reach > 0.0 {
            let mut ease = self.waiting(first).ease;
            for i in 1..N {
                ease = L::min(ease, self.waiting(first + i).ease);
            }
            let share = ease * ease.lit(self.law.relaxation);
            for d in &mut delta {
                *d = *d * share;
            }
        }
        let mut sum = [V3::lit(delta[0], [0.0; 3]); D];
        for i in 0..N {
            self.lambda[first + i] = self.lambda[first + i] + delta[i];
            for l in 0..D {
                sum[l] = sum[l] + self.waiting(first + i).gradient[l] * delta[i];
            }
        }
        for l in 0..D {
            self.total[l] = self.total[l] + sum[l];
            let mut by = sum[0] * self.metric[l][0];
            for m in 1..D {
                by = by + sum[m] * self.metric[l][m];
            }
            let by = by * delta[0].lit(self.law.reach);
            columns[l] = columns[l] + by;
            if self.viscous {
                self.speed[l] = self.speed[l] + by * delta[0].lit(self.law.rate);
            }
        }
    }
}

impl<L: Real, const D: usize, const R: usize> Rows<L, D> for Relaxer<L, D, R> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        let (first, n) = self.group(index);
        self.rows & (((1 << n) - 1) << first) != 0
    }

    #[inline(always)]
    fn strength(&self, index: usize, like: L) -> L {
        let slack = like.lit(SLACK * 0.5);
        L::select(self.compliance[index].lt(slack), like.lit(1.0), like.lit(0.0))
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, columns: &mut [V3<L>; D], row: Row<L, N>) {
        let one = row.value.lit(1.0);
        let over = one / row.over;
        let mut waiting = Waiting { error: row.value, gradient: [V3::lit(one, [0.0; 3]); D], ease: one };
        let mut speed = one.lit(0.0);
        for (l, direction) in row.along {
            waiting.gradient[l] = direction * over;
            if self.viscous {
                speed = speed + waiting.gradient[l].dot(self.speed[l]);
            }
        }
        if self.viscous {
            waiting.error = waiting.error + self.gamma[index] * speed;
        }
        let straight = row.value * row.over;
        let far = row.push.abs().lt(straight.abs());
        if L::any(far) {
            waiting.ease = L::select(far, row.push / straight, one);
        }
        self.waiting[index % 3] = waiting;
        match self.complete(index) {
            1 => self.relax::<1>(index, columns),
            2 => self.relax::<2>(index - 1, columns),
            3 => self.relax::<3>(index - 2, columns),
            _ => {}
        }
    }
}

/// Below this a pivot is that of a row without gradient or stiffness: its multiplier stays finite, and moves nothing.
const LEAST: f64 = 1e-30;

/// Adds `scale · w · Jᵀ λ` to array 1, with gradients at array 0 (positions with inverse masses): what the multipliers
/// do to velocities or positions.
#[derive(Clone, Copy, Debug)]
struct MultiplierPush<'a, E, T, const D: usize, const R: usize> {
    elements: ElasticRows<'a, T, R>,
    scale: f64,
    keep: Option<WarmStart>,
    kind: PhantomData<E>,
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<T, V, P, R, 2>
    for MultiplierPush<'_, E, T, D, R>
where
    T: Scalar,
    E: Element<V, D, P, R>,
{
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, R, 2>) {
        let (number, _) = lot.place();
        let elastic = &self.elements.elastic[number];
        let rest = lot.rest();
        let (x, mut to) = (lot.gather(0), lot.gather(1));
        let like = x[0][0];
        let mut pusher = Pusher {
            rows: self.elements.rows,
            keep: self.keep,
            compliance: lot.load(&elastic.compliance),
            gamma: lot.load(&elastic.gamma),
            metric: metric::<E, L, V, D, P, R>(&rest, &weights(&x)),
            lambda: lot.load_own(self.elements.multipliers),
            total: [V3::lit(like, [0.0; 3]); D],
        };
        E::rows(&rest, &mut E::columns(&rest, &edges::<L, V, D>(&x)), &mut pusher);
        if self.keep.is_some() {
            lot.store_own(self.elements.multipliers, pusher.lambda);
        }
        let push = E::spread(&rest, &pusher.total.map(|t| t * like.lit(-self.scale)));
        let kept = weights(&to);
        for k in 0..V {
            to[k][3] = x[k][3];
        }
        move_vertices(&mut to, &push);
        for k in 0..V {
            to[k][3] = kept[k];
        }
        lot.scatter(1, to);
    }
}

/// Sums multipliers times gradients.
struct Pusher<L, const D: usize, const R: usize> {
    rows: u32,
    keep: Option<WarmStart>,
    compliance: [L; R],
    gamma: [L; R],
    metric: [[L; D]; D],
    lambda: [L; R],
    total: [V3<L>; D],
}

impl<L: Real, const D: usize, const R: usize> Rows<L, D> for Pusher<L, D, R> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.rows & (1 << index) != 0
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, _: &mut [V3<L>; D], row: Row<L, N>) {
        if let Some(keep) = self.keep {
            let mut gradient = [V3::lit(row.value, [0.0; 3]); D];
            for (l, direction) in row.along {
                gradient[l] = direction * (row.value.lit(1.0) / row.over);
            }
            let give = across(&self.metric, &gradient, &gradient);
            self.lambda[index] = keep.keep(self.lambda[index], give, self.compliance[index], self.gamma[index]);
        }
        let by = self.lambda[index] / row.over;
        for (l, direction) in row.along {
            self.total[l] = self.total[l] + direction * by;
        }
    }
}
