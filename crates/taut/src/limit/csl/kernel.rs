//! CSL in lanes: how a lot of triangles is to move for its strain, or the rate of it, to be within limits.

use super::super::policy::{Policy, Wanted, sound};
use super::element::{CslForm, CslIdle, CslMotion, correction, polar, room, shape_gradients, wanted};
use crate::constraint::{Hot, Lean, edges, weights};
use crate::lanes::{Lanes, Real, Scalar, V3};

/// Rest numbers of a triangle: its two edges in the material frame (m), 1/det, and (least, most) of U's three entries.
pub(super) const REST: usize = 11;

/// A triangle at rest.
struct RestFrame<L> {
    /// Edges in the material frame.
    q: [[L; 2]; 2],
    /// Q⁻¹.
    inverse: [[L; 2]; 2],
    /// (Least, most) of U's entries.
    bounds: [[L; 2]; 3],
}

#[inline(always)]
fn shape<L: Real>(rest: &[L; REST]) -> RestFrame<L> {
    let [a, b, c, d, per, w0, w1, p0, p1, s0, s1] = *rest;
    let inverse = [[d * per, -(b * per)], [-(c * per), a * per]];
    RestFrame { q: [[a, b], [c, d]], inverse, bounds: [[w0, w1], [p0, p1], [s0, s1]] }
}

#[inline(always)]
fn columns<L: Real>(e: &[V3<L>; 2], inverse: &[[L; 2]; 2]) -> [V3<L>; 2] {
    [e[0] * inverse[0][0] + e[1] * inverse[0][1], e[0] * inverse[1][0] + e[1] * inverse[1][1]]
}

/// What is wanted of a lot that is to change its strain by b: nothing yet where it cannot be computed with or moved.
#[inline(always)]
fn sift<L: Real>(b: &mut [L; 3], f: &[V3<L>; 2], w: &[L; 3], collapsed: L) -> Wanted<L, 3> {
    let (zero, one) = (b[0].lit(0.0), b[0].lit(1.0));
    let sound = sound(f);
    let movable = L::select(zero.lt(w[0] + w[1] + w[2]), one, zero);
    let usable = zero.lt(sound * movable);
    let mut beyond = [zero; 4];
    for i in 0..3 {
        b[i] = L::select(usable, b[i], zero);
        beyond[i] = b[i].abs();
    }
    let none = V3::new(zero, zero, zero);
    Wanted { by: [none; 3], moves: false, beyond, sound, movable, collapsed: L::select(usable, collapsed, zero) }
}

/// Where a lot is beyond any limit.
#[inline(always)]
fn any<L: Real>(wanted: &Wanted<L, 3>) -> L::Mask {
    let [a, b, c, zero] = wanted.beyond;
    zero.lt(zero + a + b + c)
}

/// Limits strain.
#[derive(Clone, Copy)]
pub(super) struct CslStrain {
    pub motion: CslMotion,
    /// Elements move by so many times what would bring them to their limits.
    pub further: f64,
}

impl<T: Scalar> Policy<T, 3, REST, 1> for CslStrain {
    type Compiled = Hot;
    const ROWS: usize = 3;

    #[inline(always)]
    fn displace<L: Lanes<T>>(&self, rest: &[L; REST], [p]: &[[[L; 4]; 3]; 1], moving: bool) -> Wanted<L, 3> {
        let zero = rest[0].lit(0.0);
        let RestFrame { q, inverse, bounds } = shape(rest);
        let f = columns(&edges(p), &inverse);
        let w = weights(p);
        let polar = polar(&f);
        let mut b = wanted(&polar.u, &bounds);
        let mut wanted = sift(&mut b, &f, &w, polar.collapsed);
        let any = any(&wanted);
        wanted.moves = moving && L::any(any);
        if !wanted.moves {
            return wanted;
        }
        let room = room(&polar.u, &bounds);
        let motion = correction(self.motion, &polar, &q, &shape_gradients(&inverse), &w, &b, &room);
        // A lone free vertex goes where its rows, which it cannot all meet, are the least exceeded: no further.
        let pair = zero.lt(w[0] * w[1] + w[0] * w[2] + w[1] * w[2]);
        let further = L::select(pair, zero.lit(self.further), zero.lit(1.0));
        for k in 0..3 {
            wanted.by[k] = V3::select(any, motion[k], wanted.by[k]) * further;
        }
        wanted
    }
}

/// Limits the rate of strain, ε̇ = sym(RᵀḞ) (CSL §4.1).
#[derive(Clone, Copy)]
pub(super) struct CslRate(pub CslIdle);

impl<T: Scalar> Policy<T, 3, REST, 2> for CslRate {
    type Compiled = Lean;
    const ROWS: usize = 3;

    #[inline(always)]
    fn displace<L: Lanes<T>>(&self, rest: &[L; REST], [v, x]: &[[[L; 4]; 3]; 2], moving: bool) -> Wanted<L, 3> {
        let zero = rest[0].lit(0.0);
        let one = zero.lit(1.0);
        let RestFrame { q, inverse, bounds: mut limits } = shape(rest);
        let f = columns(&edges(x), &inverse);
        let rate = columns(&edges(v), &inverse);
        let w = weights(v);
        let mut polar = polar(&f);
        let shear = (polar.r[0].dot(rate[1]) + polar.r[1].dot(rate[0])) * zero.lit(0.5);
        let strain = [polar.r[0].dot(rate[0]), polar.r[1].dot(rate[1]), shear];
        // The bounds of stretch are of U, 1 more than those of strain.
        for i in 0..2 {
            limits[i] = [limits[i][0] - one, limits[i][1] - one];
        }
        let mut b = wanted(&strain, &limits);
        let together = [f[0] + rate[0] * zero, f[1] + rate[1] * zero];
        let mut wanted = sift(&mut b, &together, &w, polar.collapsed);
        let any = any(&wanted);
        wanted.moves = moving && L::any(any);
        if !wanted.moves {
            return wanted;
        }
        let free = zero.lt(w[0] * w[1] + w[0] * w[2] + w[1] * w[2]);
        // The rows of a lone free vertex are those of sym(RᵀḞ): the derivatives of U at U = 1.
        for i in 0..3 {
            polar.u[i] = L::select(free, polar.u[i], if i < 2 { one } else { zero });
        }
        let room = room(&strain, &limits);
        let how = CslMotion { form: CslForm::Linear, idle: self.0 };
        let kick = correction(how, &polar, &q, &shape_gradients(&inverse), &w, &b, &room);
        for k in 0..3 {
            wanted.by[k] = V3::select(any, kick[k], wanted.by[k]);
        }
        wanted
    }
}
