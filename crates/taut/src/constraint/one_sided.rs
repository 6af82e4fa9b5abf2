//! Rows that act only beyond a bound: links (two points no further apart than L) and cells (three points not stretched along two
//! directions). Coarse nodes and vertices are treated alike.

use super::lot::{Lot, PerBlock, point};
use super::sweep::{Compiled, Hot, LotKernel};
use crate::lanes::{BLOCK, Lanes, Real, Scalar, V3};
use core::marker::PhantomData;

/// Longer than anything whose square can be computed with.
pub(crate) const LOOSE: f64 = 1e15;
/// Squared lengths from here are of points that are about to be lost; moving others after them would lose those too.
const LOST: f64 = 1e30;
/// Cells that are held every way may be stretched this much, between weft and warp, before they are. With no slack a load along the
/// grain, which weft and warp carry better, took a third more rounds of the limit; with a percent, a load across it three times as many.
const BETWEEN: f64 = 1.002;
/// Keeps divisors from zero where all points are held.
const LEAST: f64 = 1e-30;

/// The bound of one-sided rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// Elements stretched beyond this are moved (1 plus the limit).
    pub top: f64,
    /// To this.
    pub goal: f64,
    /// How much of it x̃ does too, so that only the rest counts as velocity.
    pub still: f64,
}

impl Bound {
    /// No stretch at all.
    pub const RIGID: Bound = Bound { top: 1.0, goal: 1.0, still: 0.0 };
}

/// A step along an element's gradients, of each point by its inverse mass; and which lanes have something to move, a bit for each.
pub(crate) struct Displacement<L, const V: usize> {
    by: [V3<L>; V],
    lanes: u32,
}

impl<L: Real, const V: usize> Displacement<L, V> {
    /// Vertices `v` moved by so `much` of it.
    #[inline(always)]
    fn moved(&self, mut v: [[L; 4]; V], much: Option<f64>) -> [[L; 4]; V] {
        for k in 0..V {
            let by = if let Some(much) = much { self.by[k] * v[k][0].lit(much) } else { self.by[k] };
            let p = point(v[k]) + by;
            (v[k][0], v[k][1], v[k][2]) = (p.x, p.y, p.z);
        }
        v
    }
}

/// A kind of element with a bound.
pub(crate) trait OneSided<const V: usize, const P: usize>: Copy {
    /// How far its points must move. Nothing if no lane is beyond the bound.
    fn push<L: Real>(v: &[[L; 4]; V], rest: [L; P], bound: &Bound) -> Option<Displacement<L, V>>;
}

/// A kind of element of which the largest value of something counts.
pub(crate) trait Measured<const V: usize, const P: usize>: Copy {
    /// The value.
    fn value<L: Real>(v: &[[L; 4]; V], rest: [L; P]) -> L;
}

/// Two points no further apart than L. Rest numbers: L², L (m², m).
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaxLength {}

impl OneSided<2, 2> for MaxLength {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 2], rest: [L; 2], bound: &Bound) -> Option<Displacement<L, 2>> {
        let d = point(v[1]) - point(v[0]);
        let length2 = d.norm2();
        let long = (rest[0] * length2.lit(bound.top * bound.top)).lt(length2);
        if !L::any(long) {
            return None;
        }
        let length = length2.sqrt();
        let w = v[0][3] + v[1][3];
        let by = (length - rest[1] * w.lit(bound.goal)) / L::max(length * w, w.lit(LEAST));
        let by = masked(long, length2, by);
        Some(Displacement { by: [d * (by * v[0][3]), -(d * (by * v[1][3]))], lanes: L::bits(long) })
    }
}

/// Length over that at rest.
impl Measured<2, 2> for MaxLength {
    #[inline(always)]
    fn value<L: Real>(v: &[[L; 4]; 2], rest: [L; 2]) -> L {
        (point(v[1]) - point(v[0])).norm2().sqrt() / rest[1]
    }
}

/// `by` where an element is too long, and not lost; else 0.
#[inline(always)]
fn masked<L: Real>(long: L::Mask, length2: L, by: L) -> L {
    let zero = by.lit(0.0);
    L::select(long, L::select(length2.lt(zero.lit(LOST)), by, zero), zero)
}

/// Three points that must not be stretched along two directions u; or, with `ALL`, along these and then along that of the largest stretch,
/// whichever it is. Rest numbers: for both, the coefficients (a, b) of F u = a (x1 − x0) + b (x2 − x0), 1/m; then how long F u may be,
/// [`LOOSE`] for any length.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaxStretch<const ALL: bool> {}

impl<const ALL: bool> OneSided<3, 6> for MaxStretch<ALL> {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], rest: [L; 6], bound: &Bound) -> Option<Displacement<L, 3>> {
        let start = [point(v[0]), point(v[1]), point(v[2])];
        let w = [v[0][3], v[1][3], v[2][3]];
        let mut p = start;
        let mut lanes = shorten(&mut p, w, [rest[0], rest[1]], rest[4], bound);
        lanes |= shorten(&mut p, w, [rest[2], rest[3]], rest[5], bound);
        if ALL {
            let late = Bound { top: bound.top * BETWEEN, ..*bound };
            let row = most_stretched(&p, rest);
            lanes |= shorten(&mut p, w, row, rest[4], &late);
        }
        (lanes != 0).then_some(Displacement { by: [p[0] - start[0], p[1] - start[1], p[2] - start[2]], lanes })
    }
}

/// The longer of both, over what they may be.
impl<const ALL: bool> Measured<3, 6> for MaxStretch<ALL> {
    #[inline(always)]
    fn value<L: Real>(v: &[[L; 4]; 3], rest: [L; 6]) -> L {
        let (d, e) = (point(v[1]) - point(v[0]), point(v[2]) - point(v[0]));
        let weft = (d * rest[0] + e * rest[1]).norm2().sqrt() / rest[4];
        let warp = (d * rest[2] + e * rest[3]).norm2().sqrt() / rest[5];
        L::max(weft, warp)
    }
}

/// n = F u; where |n| is beyond s, corners move along the gradient by g = (|n| − s) / (|n| Σ w_k c_k²), c = (−a−b, a, b). Returns a
/// bit for each lane where it is.
#[inline(always)]
fn shorten<L: Real>(p: &mut [V3<L>; 3], w: [L; 3], [a, b]: [L; 2], most: L, bound: &Bound) -> u32 {
    let n = (p[1] - p[0]) * a + (p[2] - p[0]) * b;
    let length2 = n.norm2();
    let top = most * most.lit(bound.top);
    let long = (top * top).lt(length2);
    if !L::any(long) {
        return 0;
    }
    let length = length2.sqrt();
    let c = a + b;
    let give = L::max(length * (w[0] * c * c + w[1] * a * a + w[2] * b * b), c.lit(LEAST));
    let g = masked(long, length2, (length - most * c.lit(bound.goal)) / give);
    p[0] = p[0] + n * (g * w[0] * c);
    p[1] = p[1] - n * (g * w[1] * a);
    p[2] = p[2] - n * (g * w[2] * b);
    L::bits(long)
}

/// The coefficients (a, b) of the direction of the largest stretch: C = Fᵀ F; its larger eigenvalue m + r belongs to the direction
/// (r + d, c) or (c, r − d), d half the difference of the diagonal.
#[inline(always)]
fn most_stretched<L: Real>(p: &[V3<L>; 3], rest: [L; 6]) -> [L; 2] {
    let (r1, r2) = (p[1] - p[0], p[2] - p[0]);
    let (f, g) = (r1 * rest[0] + r2 * rest[1], r1 * rest[2] + r2 * rest[3]);
    let half = rest[0].lit(0.5);
    let (d, c) = ((f.norm2() - g.norm2()) * half, f.dot(g));
    let r = (d * d + c * c).sqrt();
    let along = d.lt(d.lit(0.0));
    let (x, y) = (L::select(along, c, r + d), L::select(along, r - d, c));
    let over = d.lit(1.0) / L::max((x * x + y * y).sqrt(), d.lit(LEAST));
    let (x, y) = (x * over, y * over);
    [rest[0] * x + rest[2] * y, rest[1] * x + rest[3] * y]
}

/// The volume of tetrahedra, counted negative, over that at rest: positive if one is inverted, and 0 in spare lanes. Rest number: one over
/// six times the volume, 1/m³.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inversion {}

impl Measured<4, 1> for Inversion {
    #[inline(always)]
    fn value<L: Real>(v: &[[L; 4]; 4], rest: [L; 1]) -> L {
        let [a, b, c] = [1, 2, 3].map(|k| point(v[k]) - point(v[0]));
        -(a.dot(b.cross(c)) * rest[0])
    }
}

/// Brings elements within their bound, on array 0: positions with inverse masses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tighten<E> {
    kind: PhantomData<E>,
}

impl<E> Tighten<E> {
    /// To no stretch at all.
    pub fn rigid() -> Self {
        Tighten { kind: PhantomData }
    }
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> LotKernel<T, V, P, 0, 1> for Tighten<E> {
    type Compiled = Hot;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, 1>) {
        let (rest, v) = (lot.rest(), lot.gather(0));
        if let Some(push) = E::push(&v, rest, &Bound::RIGID) {
            lot.scatter(0, push.moved(v, None));
        }
    }
}

/// Brings elements within a bound, on array 0 (positions with inverse masses), has array 1 (x̃) follow as the bound says, and marks which
/// elements of a block had something to move, a bit for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Restrain<'a, E> {
    pub bound: Bound,
    pub moved: PerBlock<'a, u16, 1>,
    pub kind: PhantomData<E>,
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> LotKernel<T, V, P, 0, 2> for Restrain<'_, E> {
    type Compiled = Hot;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, 2>) {
        let (rest, v) = (lot.rest(), lot.gather(0));
        let mut lanes = 0;
        if let Some(push) = E::push(&v, rest, &self.bound) {
            lanes = push.lanes as u16;
            lot.scatter(0, push.moved(v, None));
            lot.scatter(1, push.moved(lot.gather(1), Some(self.bound.still)));
        }
        let (_, lane) = lot.place();
        let [moved] = lot.of_block(self.moved);
        *moved = if lane == 0 { lanes } else { *moved | lanes << lane };
    }
}

/// Finds the largest value, at array 0: positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Largest<E, T, C> {
    most: [T; BLOCK],
    kind: PhantomData<(E, C)>,
}

impl<E, T: Scalar, C> Largest<E, T, C> {
    pub fn new() -> Self {
        Largest { most: [T::of(0.0); BLOCK], kind: PhantomData }
    }

    /// Of all elements seen; 0 if there is none above.
    pub fn most(&self) -> f64 {
        self.most.iter().fold(0.0, |most, lane| f64::max(most, lane.f64()))
    }
}

impl<E, T, C, const V: usize, const P: usize> LotKernel<T, V, P, 0, 1> for Largest<E, T, C>
where
    E: Measured<V, P>,
    T: Scalar,
    C: Compiled + Copy,
{
    type Compiled = C;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, 1>) {
        let value = E::value(&lot.gather(0), lot.rest());
        let (_, lane) = lot.place();
        let [so_far] = lot.load(&[self.most]);
        L::max(value, so_far).store(&mut self.most[lane..]);
    }
}

/// Long-range attachments (tethers): vertex 1 of each link comes back to within L of vertex 0, which stays. Array 0: positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attach;

impl Attach {
    /// What of a link [`Attach`] moves.
    pub const MOVES: u32 = 0b10;
}

impl<T: Scalar> LotKernel<T, 2, 2, 0, 1> for Attach {
    type Compiled = Hot;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, 2, 2, 0, 1>) {
        let (rest, v) = (lot.rest(), lot.gather(0));
        let d = point(v[1]) - point(v[0]);
        let length2 = d.norm2();
        let long = rest[0].lt(length2);
        if L::any(long) {
            let length = length2.sqrt();
            let back = masked(long, length2, (length - rest[1]) / length);
            let p = point(v[1]) - d * back;
            lot.scatter_one(0, 1, [p.x, p.y, p.z, v[1][3]]);
        }
    }
}
