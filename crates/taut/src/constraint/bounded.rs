//! Bounds on stretch, as the end of a step keeps them: rows that act beyond a bound of their own, and know how much of
//! it is used.
//!
//! A bound ε lets a length be 1 + ε of that at rest, and one c on how much shorter it may be 1 − c. Rows act a
//! [`MARGIN`] before it, and go [`BACK`] a little further. What is used of bounds is told of tension and shear: for c
//! no motion is given up.

use super::lot::{Lot, PerBlock, floored, point};
use super::one_sided::{Cell, OneSided, bring_to, masked};
use super::sweep::{Hot, Lean, LotKernel};
use crate::constraint::one_sided::Displacement;
use crate::lanes::{BLOCK, Lanes, Real, Scalar, V3};
use core::marker::PhantomData;

/// How much of a bound, and how much strain at most, rows begin to act before it: rounding must not push what has just
/// been brought to a bound over it.
const MARGIN: [f64; 2] = [0.05, 5e-4];
/// The same for where they go: short of the bound, so that a row need not act again at once, but not far from it.
/// Shapes within all of these must be easy to find: with 0.7, cloth that hangs by two corners had hardly any, and
/// over-relaxed rounds did not come to an end.
const BACK: [f64; 2] = [0.2, 2e-3];
/// The same of a bound on shear, which is large: going back far would be seen.
const SHEAR_TOP: f64 = 0.98;
const SHEAR_AIM: f64 = 0.95;
/// Where |f| |g| is less, in triangles squeezed to half their size, their angle says little: shear counts as if it were
/// this.
const SQUEEZED: f64 = 0.25;
/// The least bound that single precision can keep: what rounding does to edges of some millimetres, metres from the
/// origin.
pub(crate) const LEAST_BOUND: f64 = 2e-5;
/// Keeps divisors from zero where all points are held.
const LEAST: f64 = 1e-30;
/// Triangles of less area than this, over that at rest, have no normal worth the name.
const COLLAPSED: f64 = 1e-3;

/// A kind of element with bounds of its own.
pub(crate) trait Bounded<const V: usize, const P: usize>: OneSided<V, P> {
    /// How much of its bounds is used, 1 for all of it; and the largest strain of a length that has a bound.
    fn used<L: Real>(v: &[[L; 4]; V], rest: [L; P]) -> [L; 2];
}

/// Where a row with bound `e` begins to act, and where it goes.
#[inline(always)]
fn reach<L: Real>(e: L) -> [L; 2] {
    let most = e.lit(1.0) + e;
    [most - L::min(e * e.lit(MARGIN[0]), e.lit(MARGIN[1])), most - L::min(e * e.lit(BACK[0]), e.lit(BACK[1]))]
}

/// The same of a row that may be shorter by `c`: nothing is as short as that if c is no bound.
#[inline(always)]
fn reach_down<L: Real>(c: L) -> [L; 2] {
    let (least, zero) = (c.lit(1.0) - c, c.lit(0.0));
    let up = |[part, most]: [f64; 2]| L::max(least + L::min(c * c.lit(part), c.lit(most)), zero);
    [L::select(zero.lt(least), up(MARGIN), zero), up(BACK)]
}

/// What of its bound `e` a length of `n` times that at rest uses, and its strain; 0 for a bound that is no bound.
#[inline(always)]
fn part<L: Real>(n: L, e: L) -> [L; 2] {
    let (strain, zero) = (n - n.lit(1.0), n.lit(0.0));
    [strain / e, L::select(e.lt(e.lit(1e12)), strain, zero)]
}

#[inline(always)]
fn larger<L: Real>(a: [L; 2], b: [L; 2]) -> [L; 2] {
    [L::max(a[0], b[0]), L::max(a[1], b[1])]
}

/// Two points. Rest numbers: their distance (m), ε, c.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EdgeBound {}

impl OneSided<2, 3> for EdgeBound {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 2], [length, e, c]: [L; 3]) -> Option<Displacement<L, 2>> {
        let ([top, goal], [bottom, goal_up]) = (reach(e), reach_down(c));
        let (top, bottom) = (top * length, bottom * length);
        let d = point(v[1]) - point(v[0]);
        let length2 = d.norm2();
        let long = (top * top).lt(length2);
        let beyond = length2.lit(0.0).lt(L::max(length2 - top * top, bottom * bottom - length2));
        bring_to(v, (d, length2), beyond, L::select(long, goal, goal_up) * length)
    }
}

impl Bounded<2, 3> for EdgeBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 2], [length, e, _]: [L; 3]) -> [L; 2] {
        part((point(v[1]) - point(v[0])).norm2().sqrt() / length, e)
    }
}

/// Three points, along weft and warp: |F u| ≤ 1 + ε for each. Rest numbers: the coefficients (a, b) of
/// F u = a (x1 − x0) + b (x2 − x0) for both, 1/m; then both ε.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ThreadBound {}

impl OneSided<3, 6> for ThreadBound {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, weft, warp]: [L; 6]) -> Option<Displacement<L, 3>> {
        let mut cell = Cell::beside_held(v);
        shorten_threads(&mut cell, [p, q, r, s], [weft, warp]);
        cell.displacement()
    }
}

impl Bounded<3, 6> for ThreadBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, weft, warp]: [L; 6]) -> [L; 2] {
        threads_used(&Cell::new(v), [p, q, r, s], [weft, warp])
    }
}

#[inline(always)]
fn shorten_threads<L: Real>(cell: &mut Cell<L>, [p, q, r, s]: [L; 4], [weft, warp]: [L; 2]) {
    let ([top, goal], [top_warp, goal_warp]) = (reach(weft), reach(warp));
    cell.shorten([p, q], top, goal);
    cell.shorten([r, s], top_warp, goal_warp);
}

#[inline(always)]
fn threads_used<L: Real>(cell: &Cell<L>, [p, q, r, s]: [L; 4], [weft, warp]: [L; 2]) -> [L; 2] {
    let (f, g) = (cell.along([p, q]).norm2().sqrt(), cell.along([r, s]).norm2().sqrt());
    larger(part(f, weft), part(g, warp))
}

/// The same, and the cosine of the angle between weft and warp, to both sides: |f·g| ≤ s |f| |g|, f and g being F u of
/// each. One more rest number: s.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WovenBound {}

impl OneSided<3, 7> for WovenBound {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, weft, warp, shear]: [L; 7]) -> Option<Displacement<L, 3>> {
        let mut cell = Cell::beside_held(v);
        shorten_threads(&mut cell, [p, q, r, s], [weft, warp]);
        square(&mut cell, [p, q, r, s], shear);
        cell.displacement()
    }
}

impl Bounded<3, 7> for WovenBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, weft, warp, shear]: [L; 7]) -> [L; 2] {
        let cell = Cell::new(v);
        let [used, strain] = threads_used(&cell, [p, q, r, s], [weft, warp]);
        let (f, g) = (cell.along([p, q]), cell.along([r, s]));
        let (dot, size) = (f.dot(g), (f.norm2() * g.norm2()).sqrt());
        let cosine = L::max(dot, -dot) / L::max(size, size.lit(SQUEEZED));
        [L::max(used, cosine / shear), strain]
    }
}

/// One Newton step of C = |f·g| − s max(|f| |g|, ¼) to 0, where it is positive:
/// ∂C/∂f = ±g − s (|g|/|f|) f, and likewise for g.
#[inline(always)]
fn square<L: Real>(cell: &mut Cell<L>, [p, q, r, s]: [L; 4], shear: L) {
    let (f, g) = (cell.along([p, q]), cell.along([r, s]));
    let (f2, g2, dot) = (f.norm2(), g.norm2(), f.dot(g));
    let (size, zero) = ((f2 * g2).sqrt(), dot.lit(0.0));
    let counted = L::max(size, size.lit(SQUEEZED));
    let over = L::max(dot, -dot);
    let beyond = (counted * shear * shear.lit(SHEAR_TOP)).lt(over);
    if !L::any(beyond) {
        return;
    }
    let goal = shear * shear.lit(SHEAR_AIM);
    let sign = L::select(dot.lt(zero), zero - dot.lit(1.0), dot.lit(1.0));
    // Where the size does not count, it does not change what counts either.
    let turn = L::select(size.lt(counted), zero, goal);
    let (along_f, along_g) = (turn * size / L::max(f2, f2.lit(LEAST)), turn * size / L::max(g2, g2.lit(LEAST)));
    let (df, dg) = (g * sign - f * along_f, f * sign - g * along_g);
    let (d1, d2): (V3<L>, V3<L>) = (df * p + dg * r, df * q + dg * s);
    let d0 = d1 + d2;
    let (w, m) = (cell.w, cell.give);
    let give = L::max(m[0] * d0.norm2() + m[1] * d1.norm2() + m[2] * d2.norm2(), dot.lit(LEAST));
    let by = masked(beyond, f2 + g2, (over - counted * goal) / give);
    cell.p[0] = cell.p[0] + d0 * (by * w[0]);
    cell.p[1] = cell.p[1] - d1 * (by * w[1]);
    cell.p[2] = cell.p[2] - d2 * (by * w[2]);
    cell.lanes |= L::bits(beyond);
}

/// Three points, along whichever direction is stretched most. Rest numbers: as for weft and warp, then ε.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyBound {}

impl OneSided<3, 5> for AnyBound {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, e]: [L; 5]) -> Option<Displacement<L, 3>> {
        let [top, goal] = reach(e);
        let mut cell = Cell::beside_held(v);
        cell.shorten(cell.most_stretched([p, q, r, s]), top, goal);
        cell.displacement()
    }
}

impl Bounded<3, 5> for AnyBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, e]: [L; 5]) -> [L; 2] {
        let cell = Cell::new(v);
        part(cell.along(cell.most_stretched([p, q, r, s])).norm2().sqrt(), e)
    }
}

/// Three points, along one direction. Rest numbers: its coefficients (a, b), 1/m, then ε and c.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineBound {}

impl OneSided<3, 4> for LineBound {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], [a, b, e, c]: [L; 4]) -> Option<Displacement<L, 3>> {
        let ([top, goal], [bottom, goal_up]) = (reach(e), reach_down(c));
        let mut cell = Cell::beside_held(v);
        cell.lengthen([a, b], bottom, goal_up);
        cell.shorten([a, b], top, goal);
        cell.displacement()
    }
}

impl Bounded<3, 4> for LineBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 3], [a, b, e, _]: [L; 4]) -> [L; 2] {
        part(Cell::new(v).along([a, b]).norm2().sqrt(), e)
    }
}

/// Any points, which may be anywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unbound {}

impl<const V: usize, const P: usize> OneSided<V, P> for Unbound {
    #[inline(always)]
    fn push<L: Real>(_: &[[L; 4]; V], _: [L; P]) -> Option<Displacement<L, V>> {
        None
    }
}

/// Three points, the area of their triangle over that at rest: 1 − c ≤ |f × g| ≤ 1 + ε, f and g being F u along weft
/// and warp. Rest numbers: as for weft and warp, then ε and c.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AreaBound {}

impl OneSided<3, 6> for AreaBound {
    /// One Newton step of |f × g| to its goal: ∂|f × g|/∂f = g × n, ∂|f × g|/∂g = n × f, n the unit normal.
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, e, c]: [L; 6]) -> Option<Displacement<L, 3>> {
        let mut cell = Cell::beside_held(v);
        let (f, g) = (cell.along([p, q]), cell.along([r, s]));
        let normal = f.cross(g);
        let size = normal.norm2().sqrt();
        let (beyond, goal) = too_large_or_small(size, e, c);
        // Of what has next to no area no direction is known.
        let beyond = size.lit(COLLAPSED).lt(L::select(beyond, size, size.lit(0.0)));
        if !L::any(beyond) {
            return None;
        }
        let n = normal * (size.lit(1.0) / L::max(size, size.lit(COLLAPSED)));
        let (df, dg) = (g.cross(n), n.cross(f));
        let (d1, d2): (V3<L>, V3<L>) = (df * p + dg * r, df * q + dg * s);
        let d0 = d1 + d2;
        let (w, m) = (cell.w, cell.give);
        let give = L::max(m[0] * d0.norm2() + m[1] * d1.norm2() + m[2] * d2.norm2(), size.lit(LEAST));
        let by = masked(beyond, f.norm2() + g.norm2(), (size - goal) / give);
        cell.p[0] = cell.p[0] + d0 * (by * w[0]);
        cell.p[1] = cell.p[1] - d1 * (by * w[1]);
        cell.p[2] = cell.p[2] - d2 * (by * w[2]);
        cell.lanes |= L::bits(beyond);
        cell.displacement()
    }
}

impl Bounded<3, 6> for AreaBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 3], [p, q, r, s, e, _]: [L; 6]) -> [L; 2] {
        let cell = Cell::new(v);
        let size = cell.along([p, q]).cross(cell.along([r, s])).norm2().sqrt();
        [part(size, e)[0], size.lit(0.0)]
    }
}

/// Four points, the volume of their tetrahedron over that at rest: 1 − c ≤ V/V₀ ≤ 1 + ε. Rest numbers: 1/(6 V₀) (1/m³),
/// ε, c.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VolumeBound {}

/// V/V₀ of four points.
#[inline(always)]
fn volume<L: Real>(v: &[[L; 4]; 4], over: L) -> L {
    let [a, b, c] = [1, 2, 3].map(|k| point(v[k]) - point(v[0]));
    a.dot(b.cross(c)) * over
}

impl OneSided<4, 3> for VolumeBound {
    /// One Newton step of a·(b × c)/(6 V₀) to its goal; its gradients are b × c, c × a and a × b, over 6 V₀.
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 4], [over, e, c]: [L; 3]) -> Option<Displacement<L, 4>> {
        let size = volume(v, over);
        let (beyond, goal) = too_large_or_small(size, e, c);
        if !L::any(beyond) {
            return None;
        }
        let [p, q, r] = [1, 2, 3].map(|k| point(v[k]) - point(v[0]));
        let (d1, d2, d3) = (q.cross(r) * over, r.cross(p) * over, p.cross(q) * over);
        let d0 = -(d1 + d2 + d3);
        let (w, d) = ([v[0][3], v[1][3], v[2][3], v[3][3]], [d0, d1, d2, d3]);
        let m = floored(&w);
        let mut give = size.lit(LEAST);
        for k in 0..4 {
            give = give + m[k] * d[k].norm2();
        }
        let by = masked(beyond, p.norm2() + q.norm2() + r.norm2(), (goal - size) / give);
        Some(Displacement { by: [0, 1, 2, 3].map(|k| d[k] * (by * w[k])), lanes: L::bits(beyond) })
    }
}

impl Bounded<4, 3> for VolumeBound {
    #[inline(always)]
    fn used<L: Real>(v: &[[L; 4]; 4], [over, e, _]: [L; 3]) -> [L; 2] {
        let size = volume(v, over);
        // Spare elements have no volume to be had.
        [L::max(part(size, e)[0], size.lit(0.0)), size.lit(0.0)]
    }
}

/// Whether a size, over that at rest, is beyond `e` above or `c` below, and where it goes then.
#[inline(always)]
fn too_large_or_small<L: Real>(size: L, e: L, c: L) -> (L::Mask, L) {
    let ([top, goal], [bottom, goal_up]) = (reach(e), reach_down(c));
    let large = top.lt(size);
    // Nothing is below a bound that is none, inside out or not.
    let small = L::select(size.lit(0.0).lt(bottom), bottom - size, size.lit(0.0));
    (size.lit(0.0).lt(L::max(size - top, small)), L::select(large, goal, goal_up))
}

/// Brings elements within their bounds, on array 0 (positions with inverse masses), has array 1 (x̃) follow, and marks
/// which elements of a block had something to move, a bit for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Restrain<'a, E, T> {
    /// How much of it x̃ does too, so that only the rest counts as velocity.
    pub still: f64,
    /// How far rows go whose points are all free, over the way to their goal: 1, or up to 2 to be over-relaxed.
    pub over: f64,
    pub moved: PerBlock<'a, u16, 1>,
    /// The largest squared displacement so far, m², by lane.
    pub farthest: [T; BLOCK],
    pub kind: PhantomData<E>,
}

impl<E, T> Restrain<'_, E, T> {
    /// How far elements go, over the way to their goal. Beside held points no farther than that: what these pull at
    /// without end would be thrown farther every round.
    #[inline(always)]
    fn how_far<L: Real, const V: usize>(&self, v: &[[L; 4]; V]) -> L {
        let least = v[1..].iter().fold(v[0][3], |least, p| L::min(least, p[3]));
        L::select(least.lit(0.0).lt(least), least.lit(self.over), least.lit(1.0))
    }
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> LotKernel<T, V, P, 0, 2> for Restrain<'_, E, T> {
    type Compiled = Hot;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, 2>) {
        let (rest, v) = (lot.rest(), lot.gather(0));
        let (_, lane) = lot.place();
        let mut lanes = 0;
        if let Some(mut push) = E::push(&v, rest) {
            lanes = push.lanes as u16;
            let over: L = self.how_far(&v);
            push.by = push.by.map(|by| by * over);
            let [mut most] = lot.load(&[self.farthest]);
            for k in 0..V {
                most = L::max(most, push.by[k].norm2());
            }
            most.store(&mut self.farthest[lane..]);
            lot.scatter(0, push.moved(v, None));
            // What rows go beyond their goal is no motion: as velocity it would feed the next step's.
            let still = over.lit(1.0) - over.lit(1.0 - self.still) / over;
            lot.scatter(1, push.moved(lot.gather(1), Some(still)));
        }
        let [moved] = lot.of_block(self.moved);
        *moved = if lane == 0 { lanes } else { *moved | lanes << lane };
    }
}

/// Finds how much of its bounds the worst element uses, and the largest strain, at array 0: positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MostUsed<E, T> {
    most: [[T; BLOCK]; 2],
    kind: PhantomData<E>,
}

impl<E, T: Scalar> MostUsed<E, T> {
    pub fn new() -> Self {
        MostUsed { most: [[T::of(0.0); BLOCK]; 2], kind: PhantomData }
    }

    /// Of all elements seen; 0 if there is none above.
    pub fn most(&self) -> [f64; 2] {
        self.most.map(|lanes| lanes.iter().fold(0.0, |most, lane| f64::max(most, lane.f64())))
    }
}

impl<E: Bounded<V, P>, T: Scalar, const V: usize, const P: usize> LotKernel<T, V, P, 0, 1> for MostUsed<E, T> {
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, 1>) {
        let used = E::used(&lot.gather(0), lot.rest());
        let (_, lane) = lot.place();
        let so_far = lot.load(&self.most);
        for k in 0..2 {
            L::max(used[k], so_far[k]).store(&mut self.most[k][lane..]);
        }
    }
}

/// The same of one element in `f64`: what it uses of its bounds.
pub(crate) fn used_by<E: Bounded<V, P>, const V: usize, const P: usize>(v: &[[f64; 4]; V], rest: [f64; P]) -> f64 {
    E::used(v, rest)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points with inverse masses, scattered about a triangle and a tetrahedron at rest.
    fn points<const V: usize>(seed: u64) -> [[f64; 4]; V] {
        let rest = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        core::array::from_fn(|k| {
            let [x, y, z]: [f64; 3] = rest[k].map(|c| c + 0.6 * next());
            [x, y, z, 1.5 + next()]
        })
    }

    /// Whether displacements of `size` go along its gradient, by inverse masses, and bring it within `bounds`.
    fn goes_along_the_gradient<E: OneSided<V, P>, const V: usize, const P: usize>(
        rest: [f64; P],
        size: impl Fn(&[[f64; 4]; V]) -> f64,
        bounds: [f64; 2],
    ) {
        let (mut acted, d) = (0, 1e-6);
        for seed in 0..200 {
            let mut v = points::<V>(seed);
            let before = size(&v);
            let Some(push) = E::push(&v, rest) else {
                assert!((bounds[0]..=bounds[1]).contains(&before), "{seed}: {before} is left alone");
                continue;
            };
            acted += 1;
            let mut factor = None;
            for (k, by) in push.by.iter().enumerate() {
                for (axis, by) in <[f64; 3]>::from(*by).into_iter().enumerate() {
                    let at = |to: f64| {
                        let mut moved = v;
                        moved[k][axis] += to;
                        size(&moved)
                    };
                    let gradient = v[k][3] * (at(d) - at(-d)) / (2.0 * d);
                    if gradient.abs() > 0.1 {
                        let now = by / gradient;
                        let first: f64 = *factor.get_or_insert(now);
                        assert!((now - first).abs() < 1e-5 * first.abs().max(1e-3), "{seed}: {now} {first}");
                    } else {
                        let first: f64 = factor.unwrap_or(0.0);
                        assert!((by - first * gradient).abs() < 1e-6 || factor.is_none(), "{seed}");
                    }
                }
            }
            for _ in 0..60 {
                if let Some(push) = E::push(&v, rest) {
                    v = push.moved(v, None);
                }
            }
            let after = size(&v);
            assert!((bounds[0]..=bounds[1]).contains(&after), "{seed}: {before} goes to {after}");
        }
        assert!(acted > 50, "{acted}");
    }

    #[test]
    fn areas_come_within_their_bounds_along_their_gradient() {
        let size = |v: &[[f64; 4]; 3]| {
            let [a, b, c] = [0, 1, 2].map(|k| V3::new(v[k][0], v[k][1], v[k][2]));
            (b - a).cross(c - a).norm2().sqrt()
        };
        goes_along_the_gradient::<AreaBound, 3, 6>([1.0, 0.0, 0.0, 1.0, 0.1, 0.05], size, [0.95, 1.1]);
        // With other directions at rest: |F u × F v| is the area over that at rest whatever they are.
        let skewed = move |v: &[[f64; 4]; 3]| size(v) / (2.0 * 0.5);
        goes_along_the_gradient::<AreaBound, 3, 6>([2.0, 1.0, 0.0, 0.5, 0.1, 0.05], skewed, [0.95, 1.1]);
    }

    #[test]
    fn volumes_come_within_their_bounds_along_their_gradient() {
        let size = |v: &[[f64; 4]; 4]| volume(v, 1.0);
        goes_along_the_gradient::<VolumeBound, 4, 3>([1.0, 0.1, 0.05], size, [0.95, 1.1]);
    }
}
