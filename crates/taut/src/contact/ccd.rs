//! Continuous collision detection: when two features that move straight may first touch.
//!
//! # Idea
//! Let A and B be the convex hulls of a few points, each moving at its own constant velocity for 0 ≤ t ≤ 1. For a fixed
//! direction n,
//!
//! gap(t) = min over i in A, j in B of n·(aᵢ(t) − bⱼ(t))
//!
//! is the least of a few *linear* functions of t: wherever all of them are positive, a plane across n separates A from
//! B. So every direction proves one interval of time free, whichever way the direction was found. The search covers [0,
//! 1] with such intervals: at the time reached so far it takes the direction between the closest points, and moves on
//! to the end of what that direction proves. Near an impact this is Newton's method from the safe side (the number of
//! right digits doubles), far from one a single interval often covers everything.
//!
//! # Safety
//! Interval ends are computed from lower bounds of the linear functions that hold in spite of rounding, so no answer
//! rests on a tolerance: a hit is never missed and never reported late. Closest points only steer. What cannot be
//! proved (a cap on the rounds, overflow, NaN) counts as a hit at the time reached.

use super::candidates::PairKind;
use super::distance::{edge_edge, vertex_triangle};
use crate::lanes::{Real, V3};

/// A point on its way: where it is at t = 0 and at t = 1, m.
pub type Path = [V3<f64>; 2];

/// Directions tried before a pair is called a hit. A clean pass or hit takes 1 to 10; at most about 0.1 ms.
pub const MAX_ROUNDS: usize = 200;

/// The first time (0 to 1) at which a vertex may come as near to a triangle as `clearance` ≥ 0 (m).
///
/// `None`: they stay farther apart than that throughout, for certain. `Some(t)`: they do before time t, for certain,
/// and may not afterwards. `Some(0.0)`: they may be that near from the start; a pair that already touches gets this
/// answer.
pub fn vertex_triangle_impact(p: Path, triangle: [Path; 3], clearance: f64) -> Option<f64> {
    search([p], triangle, clearance, |[p], t| (vertex_triangle(p, t).delta, (t[1] - t[0]).cross(t[2] - t[0])))
}

/// The first time (0 to 1) at which the features of a pair may come as near as `clearance` (m).
pub(crate) fn impact(kind: PairKind, [a, b, c, d]: [Path; 4], clearance: f64) -> Option<f64> {
    match kind {
        PairKind::VertexTriangle => vertex_triangle_impact(a, [b, c, d], clearance),
        PairKind::EdgeEdge => edge_edge_impact([a, b], [c, d], clearance),
    }
}

/// The first time (0 to 1) at which two edges may come as near as `clearance` (m); answers as for a vertex and a
/// triangle.
pub fn edge_edge_impact(a: [Path; 2], b: [Path; 2], clearance: f64) -> Option<f64> {
    search(a, b, clearance, |a, b| (edge_edge(a, b).delta, (a[1] - a[0]).cross(b[1] - b[0])))
}

/// Covers [0, 1] with intervals that directions prove free. `directions` proposes, for given positions, the way between
/// the closest points, and the one across both features, which stays accurate when they are about to touch.
fn search<const A: usize, const B: usize>(
    a: [Path; A],
    b: [Path; B],
    clearance: f64,
    directions: impl Fn([V3<f64>; A], [V3<f64>; B]) -> (V3<f64>, V3<f64>),
) -> Option<f64> {
    let drift = mean(&a) - mean(&b);
    let drift2 = drift.norm2();
    let mut reached = 0.0;
    for _ in 0..MAX_ROUNDS {
        let at = |p: Path| p[0] * (1.0 - reached) + p[1] * reached;
        let (between, across) = directions(a.map(at), b.map(at));
        let side = if across.dot(between) < 0.0 { -across } else { across };
        // What passes by fast is best separated across its motion; 0/0, where nothing drifts, proves nothing.
        let passing = between - drift * (drift.dot(between) / drift2);
        let mut best = reached;
        for n in [between, passing, side, -side] {
            let (from, to) = free_interval(n, &a, &b, clearance);
            if from <= reached && to > best {
                best = to;
            }
            if best >= 1.0 {
                return None;
            }
        }
        if best <= reached {
            return Some(reached);
        }
        reached = best;
    }
    Some(reached)
}

/// The mean displacement.
fn mean<const N: usize>(paths: &[Path; N]) -> V3<f64> {
    paths.iter().fold(V3::new(0.0, 0.0, 0.0), |sum, p| sum + (p[1] - p[0])) * (1.0 / N as f64)
}

/// A closed interval of times, within [0, 1], at which direction `n` separates the hulls by more than `clearance`;
/// empty intervals have their start after their end.
fn free_interval<const A: usize, const B: usize>(
    n: V3<f64>,
    a: &[Path; A],
    b: &[Path; B],
    clearance: f64,
) -> (f64, f64) {
    let need = along(n, clearance);
    let (mut from, mut to) = (0.0, 1.0);
    for p in a {
        for q in b {
            let (f, t) = positive_interval(at_least(n, p[0] - q[0], need), at_least(n, p[1] - q[1], need));
            from = if from < f { f } else { from };
            to = if t < to { t } else { to };
        }
    }
    (from, to)
}

/// What a distance amounts to along `n`: distance · |n|, a little too great, which is safe. 0 for NaN.
#[inline(always)]
pub(super) fn along<R: Real>(n: V3<R>, distance: R) -> R {
    let zero = n.x.lit(0.0);
    // `max` keeps what is not a number on its right, so the distance stands on its left.
    distance.max(zero) * Real::sqrt(n.norm2()) * n.x.lit(1.0 + 8.0 * f64::EPSILON)
}

/// A lower bound of n·d − need. `d` is a difference of given numbers, rounded once; each product is off by two
/// roundings and the sum by three more, 5 · 2⁻⁵³ of the sizes; the slack is over three times that, and holds for its
/// own rounding and for underflow too.
#[inline(always)]
pub(super) fn at_least<R: Real>(n: V3<R>, d: V3<R>, need: R) -> R {
    let (x, y, z) = (n.x * d.x, n.y * d.y, n.z * d.z);
    let size = x.abs() + y.abs() + z.abs() + need;
    let slack = size * need.lit(8.0 * f64::EPSILON) + need.lit(f64::MIN_POSITIVE);
    x + y + z - need - slack
}

/// Where in [0, 1] the linear function with lower bounds `g0` at 0 and `g1` at 1 is positive for certain; nowhere if
/// one is not a number.
#[inline(always)]
fn positive_interval(g0: f64, g1: f64) -> (f64, f64) {
    // Quotients are off by 1.5 roundings, and turned inwards by 4.
    const IN: f64 = 2.0 * f64::EPSILON;
    const NEVER: (f64, f64) = (1.0, 0.0);
    if g0 > 0.0 && g1 > 0.0 {
        (0.0, 1.0)
    } else if g0 > 0.0 {
        let to = g0 / (g0 - g1) * (1.0 - IN);
        if to >= 0.0 { (0.0, to) } else { NEVER }
    } else if g1 > 0.0 {
        let from = -g0 / (g1 - g0) * (1.0 + IN) + f64::MIN_POSITIVE;
        if from <= 1.0 { (from, 1.0) } else { NEVER }
    } else {
        NEVER
    }
}
