//! Closest points of a vertex and a triangle, and of two edges.
//!
//! Written over [`Real`], so that the same lines run one by one and lane-wide. Both functions take the best of several
//! candidates, each of which is a pair of points *on* the two features whatever rounding did to its weights: the
//! distance returned is never less than the true one by more than the rounding of one subtraction, and a sliver, a
//! zero-length edge or parallel edges can only make a candidate useless, not the answer wrong.

use crate::lanes::{Real, V3};

/// The closest points of two features with four vertices between them.
#[derive(Clone, Copy, Debug)]
pub struct Closest<R> {
    /// Weights of the four vertices: those of the first feature add up to 1, those of the second to −1.
    pub weights: [R; 4],
    /// Σ wᵢ xᵢ: from the point on the second feature to the point on the first, m.
    pub delta: V3<R>,
    /// |delta|², m².
    pub distance2: R,
}

impl<R: Real> Closest<R> {
    #[inline(always)]
    fn new(weights: [R; 4], delta: V3<R>) -> Self {
        Closest { weights, delta, distance2: delta.norm2() }
    }

    /// The closer of two candidates, lane by lane.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let less = other.distance2.lt(self.distance2);
        let mut weights = self.weights;
        for i in 0..4 {
            weights[i] = R::select(less, other.weights[i], self.weights[i]);
        }
        Closest {
            weights,
            delta: V3::select(less, other.delta, self.delta),
            distance2: R::select(less, other.distance2, self.distance2),
        }
    }
}

/// `v` held to [0, 1]; 0 for NaN.
#[inline(always)]
fn unit<R: Real>(v: R) -> R {
    let (zero, one) = (v.lit(0.0), v.lit(1.0));
    R::select(zero.lt(v), v.min(one), zero)
}

/// Where on the segment from the origin along `u` (|u|² = `u2`) the point nearest to `r` is: 0 to 1.
#[inline(always)]
fn along<R: Real>(r: V3<R>, u: V3<R>, u2: R) -> R {
    unit(r.dot(u) / u2)
}

/// The point `p` and the triangle `t`. Weights: 1, then minus the barycentric coordinates.
#[inline(always)]
pub fn vertex_triangle<R: Real>(p: V3<R>, t: [V3<R>; 3]) -> Closest<R> {
    let zero = p.x.lit(0.0);
    let one = p.x.lit(1.0);
    let (ab, bc, ca) = (t[1] - t[0], t[2] - t[1], t[0] - t[2]);
    let (ap, bp, cp) = (p - t[0], p - t[1], p - t[2]);
    let s = along(ap, ab, ab.norm2());
    let mut best = Closest::new([one, s - one, -s, zero], ap - ab * s);
    let s = along(bp, bc, bc.norm2());
    best = best.or(Closest::new([one, zero, s - one, -s], bp - bc * s));
    let s = along(cp, ca, ca.norm2());
    best = best.or(Closest::new([one, -s, zero, s - one], cp - ca * s));
    // Inside: barycentric coordinates from areas. Each is held to [0, 1] on its own and the first makes up the sum,
    // so they always name a point of the triangle, if not always the nearest.
    let n = ab.cross(ca) * (-one);
    let n2 = n.norm2();
    let (u, v) = (unit(ca.cross(ap).dot(n) / n2), unit(ab.cross(ap).dot(n) / n2));
    let v = v.min(one - u);
    best.or(Closest::new([one, u + v - one, -u, -v], ap - ab * u + ca * v))
}

/// The edges `a` and `b`. Weights: 1 − s, s, t − 1, −t for the points at s along `a` and t along `b`.
#[inline(always)]
pub fn edge_edge<R: Real>(a: [V3<R>; 2], b: [V3<R>; 2]) -> Closest<R> {
    let zero = a[0].x.lit(0.0);
    let one = a[0].x.lit(1.0);
    let (u, v, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (u2, v2) = (u.norm2(), v.norm2());
    // Ends of one against the whole of the other: all there is to know of parallel edges.
    let t = along(r, v, v2);
    let mut best = Closest::new([one, zero, t - one, -t], r - v * t);
    let end = a[1] - b[0];
    let t = along(end, v, v2);
    best = best.or(Closest::new([zero, one, t - one, -t], end - v * t));
    let s = along(-r, u, u2);
    best = best.or(Closest::new([one - s, s, -one, zero], r + u * s));
    let end = b[1] - a[0];
    let s = along(end, u, u2);
    best = best.or(Closest::new([one - s, s, zero, -one], u * s - end));
    // Both inside. |u × v|² loses less to cancellation than u²v² − (u·v)²; the two steps from one edge to the other
    // and back take out what is lost when they are nearly parallel.
    let w = u.cross(v);
    let s = unit(v.cross(r).dot(w) / w.norm2());
    let t = along(r + u * s, v, v2);
    let s = along(v * t - r, u, u2);
    best.or(Closest::new([one - s, s, t - one, -t], r + u * s - v * t))
}

/// A fraction of the cost of a distance: the square of a lower bound of the distance between the first `split` points'
/// hull and that of the others, 0 if none was found. The bound is the gap along the line between the two centres.
#[inline(always)]
pub fn distance2_at_least<R: Real>(p: [V3<R>; 4], split: usize) -> R {
    let (zero, three) = (p[0].x.lit(0.0), p[0].x.lit(3.0));
    let (a, b, c) = (p[0] - p[3], p[1] - p[3], p[2] - p[3]);
    let (n, gap) = if split == 1 {
        let n = a * three - b - c;
        (n, n.dot(a) - n.dot(b).max(n.dot(c)).max(zero))
    } else {
        let n = a + b - c;
        (n, n.dot(a).min(n.dot(b)) - n.dot(c).max(zero))
    };
    let gap = gap.max(zero);
    // 0/0 where all points coincide: `max` replaces it.
    (gap * gap / n.norm2()).max(zero)
}
