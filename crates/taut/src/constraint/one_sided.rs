//! Rows that act only beyond a bound: links (two points no further apart than L) and cells (three points not stretched
//! along two directions). Coarse nodes and vertices are treated alike.

use super::lot::{Lot, floored, point};
use super::sweep::{Compiled, Hot, LotKernel};
use crate::lanes::{BLOCK, Lanes, Real, Scalar, V3};
use core::marker::PhantomData;

/// Longer than anything whose square can be computed with.
pub(crate) const LOOSE: f64 = 1e15;
/// Squared lengths from here are of points that are about to be lost; moving others after them would lose those too.
const LOST: f64 = 1e30;
/// Cells that are held every way may be stretched this much, between weft and warp, before they are. With no slack a
/// load along the grain, which weft and warp carry better, took a third more rounds of the limit; with a percent, a
/// load across it three times as many.
const BETWEEN: f64 = 1.002;
/// Keeps divisors from zero where all points are held.
const LEAST: f64 = 1e-30;

/// A step along an element's gradients, of each point by its inverse mass; and which lanes have something to move, a
/// bit for each.
pub(crate) struct Displacement<L, const V: usize> {
    pub by: [V3<L>; V],
    pub lanes: u32,
}

impl<L: Real, const V: usize> Displacement<L, V> {
    /// Vertices `v` moved by so `much` of it.
    #[inline(always)]
    pub fn moved(&self, mut v: [[L; 4]; V], much: Option<L>) -> [[L; 4]; V] {
        for k in 0..V {
            let by = if let Some(much) = much { self.by[k] * much } else { self.by[k] };
            let p = point(v[k]) + by;
            (v[k][0], v[k][1], v[k][2]) = (p.x, p.y, p.z);
        }
        v
    }
}

/// A kind of element with a bound.
pub(crate) trait OneSided<const V: usize, const P: usize>: Copy {
    /// How far its points must move. Nothing if no lane is beyond the bound.
    fn push<L: Real>(v: &[[L; 4]; V], rest: [L; P]) -> Option<Displacement<L, V>>;
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
    fn push<L: Real>(v: &[[L; 4]; 2], rest: [L; 2]) -> Option<Displacement<L, 2>> {
        draw_in(v, rest[0], rest[1])
    }
}

/// Two points whose squared distance is beyond `top2` come together to the distance `goal`.
#[inline(always)]
pub(super) fn draw_in<L: Real>(v: &[[L; 4]; 2], top2: L, goal: L) -> Option<Displacement<L, 2>> {
    let d = point(v[1]) - point(v[0]);
    let length2 = d.norm2();
    bring_to(v, (d, length2), top2.lt(length2), goal)
}

/// Two points, d from one to the other and |d|², come to the distance `goal` where they are `beyond` a bound.
#[inline(always)]
pub(super) fn bring_to<L: Real>(
    v: &[[L; 4]; 2],
    (d, length2): (V3<L>, L),
    beyond: L::Mask,
    goal: L,
) -> Option<Displacement<L, 2>> {
    if !L::any(beyond) {
        return None;
    }
    let length = length2.sqrt();
    let w = v[0][3] + v[1][3];
    let by = (length - goal) / L::max(length * w, w.lit(LEAST));
    let by = masked(beyond, length2, by);
    Some(Displacement { by: [d * (by * v[0][3]), -(d * (by * v[1][3]))], lanes: L::bits(beyond) })
}

/// `by` where an element is too long, and not lost; else 0.
#[inline(always)]
pub(super) fn masked<L: Real>(long: L::Mask, length2: L, by: L) -> L {
    let zero = by.lit(0.0);
    L::select(long, L::select(length2.lt(zero.lit(LOST)), by, zero), zero)
}

/// Three points that must not be stretched along two directions u; or, with `ALL`, along these and then along that of
/// the largest stretch, whichever it is. Rest numbers: for both, the coefficients (a, b) of F u = a (x1 − x0) + b (x2 −
/// x0), 1/m; then how long F u may be, [`LOOSE`] for any length.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MaxStretch<const ALL: bool> {}

impl<const ALL: bool> OneSided<3, 6> for MaxStretch<ALL> {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], rest: [L; 6]) -> Option<Displacement<L, 3>> {
        let [p, q, r, s, weft, warp] = rest;
        let mut cell = Cell::new(v);
        cell.shorten([p, q], weft, weft);
        cell.shorten([r, s], warp, warp);
        if ALL {
            cell.shorten(cell.most_stretched([p, q, r, s]), weft * weft.lit(BETWEEN), weft);
        }
        cell.displacement()
    }
}

/// Three points on their way to where their rows want them.
pub(super) struct Cell<L> {
    start: [V3<L>; 3],
    pub p: [V3<L>; 3],
    /// Inverse masses, to move by; and to find multipliers with.
    pub w: [L; 3],
    pub give: [L; 3],
    /// Lanes with something to move, a bit for each.
    pub lanes: u32,
}

impl<L: Real> Cell<L> {
    #[inline(always)]
    pub fn new(v: &[[L; 4]; 3]) -> Self {
        let start = [point(v[0]), point(v[1]), point(v[2])];
        let w = [v[0][3], v[1][3], v[2][3]];
        Cell { start, p: start, w, give: w, lanes: 0 }
    }

    /// The same, with held corners a little movable for multipliers: a row that free corners hardly touch would throw
    /// them far.
    #[inline(always)]
    pub fn beside_held(v: &[[L; 4]; 3]) -> Self {
        let cell = Cell::new(v);
        Cell { give: floored(&cell.w), ..cell }
    }

    #[inline(always)]
    pub fn displacement(self) -> Option<Displacement<L, 3>> {
        let Cell { start, p, lanes, .. } = self;
        (lanes != 0).then_some(Displacement { by: [p[0] - start[0], p[1] - start[1], p[2] - start[2]], lanes })
    }

    /// a (x1 − x0) + b (x2 − x0).
    #[inline(always)]
    pub fn along(&self, [a, b]: [L; 2]) -> V3<L> {
        (self.p[1] - self.p[0]) * a + (self.p[2] - self.p[0]) * b
    }

    /// n = F u; where |n| is beyond `top`, corners move to where it is `goal`.
    #[inline(always)]
    pub fn shorten(&mut self, along: [L; 2], top: L, goal: L) {
        let n = self.along(along);
        let length2 = n.norm2();
        self.bring(along, (n, length2), (top * top).lt(length2), goal);
    }

    /// Where |n| is less than `bottom`, corners move to where it is `goal`.
    #[inline(always)]
    pub fn lengthen(&mut self, along: [L; 2], bottom: L, goal: L) {
        let n = self.along(along);
        let length2 = n.norm2();
        self.bring(along, (n, length2), length2.lt(bottom * bottom), goal);
    }

    /// Where n, with |n|², is `beyond` a bound, corners move along the gradient of |n| to `goal`, by
    /// g = (|n| − goal) / (|n| Σ w_k c_k²), c = (−a−b, a, b).
    #[inline(always)]
    fn bring(&mut self, [a, b]: [L; 2], (n, length2): (V3<L>, L), beyond: L::Mask, goal: L) {
        if !L::any(beyond) {
            return;
        }
        let length = length2.sqrt();
        let (c, w, m) = (a + b, self.w, self.give);
        let give = L::max(length * (m[0] * c * c + m[1] * a * a + m[2] * b * b), c.lit(LEAST));
        let g = masked(beyond, length2, (length - goal) / give);
        self.p[0] = self.p[0] + n * (g * w[0] * c);
        self.p[1] = self.p[1] - n * (g * w[1] * a);
        self.p[2] = self.p[2] - n * (g * w[2] * b);
        self.lanes |= L::bits(beyond);
    }

    /// The coefficients (a, b) of the direction of the largest stretch, from those of weft and warp: C = Fᵀ F; its
    /// larger eigenvalue m + r belongs to the direction (r + d, c) or (c, r − d), d half the difference of the
    /// diagonal.
    #[inline(always)]
    pub fn most_stretched(&self, [p, q, r, s]: [L; 4]) -> [L; 2] {
        let (f, g) = (self.along([p, q]), self.along([r, s]));
        let half = p.lit(0.5);
        let (d, c) = ((f.norm2() - g.norm2()) * half, f.dot(g));
        let size = (d * d + c * c).sqrt();
        let along = d.lt(d.lit(0.0));
        let (x, y) = (L::select(along, c, size + d), L::select(along, size - d, c));
        let length = (x * x + y * y).sqrt();
        // Stretched alike every way: any direction will do.
        let alike = length.lt((f.norm2() + g.norm2()) * d.lit(1e-6));
        let over = d.lit(1.0) / L::max(length, d.lit(LEAST));
        let x = L::select(alike, d.lit(1.0), x * over);
        let y = L::select(alike, d.lit(0.0), y * over);
        [p * x + r * y, q * x + s * y]
    }
}

/// The volume of tetrahedra, counted negative, over that at rest: positive if one is inverted, and 0 in spare lanes.
/// Rest number: one over six times the volume, 1/m³.
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
    /// Of this kind.
    pub fn new() -> Self {
        Tighten { kind: PhantomData }
    }
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> LotKernel<T, V, P, 0, 1> for Tighten<E> {
    type Compiled = Hot;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, 1>) {
        let (rest, v) = (lot.rest(), lot.gather(0));
        if let Some(push) = E::push(&v, rest) {
            lot.scatter(0, push.moved(v, None));
        }
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

/// Long-range attachments (tethers): vertex 1 of each link comes back to within L of vertex 0, which stays. Array 0:
/// positions.
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
