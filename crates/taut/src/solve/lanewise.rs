//! Loading and storing what a block of elements needs, lane-wide.

use crate::lanes::{BLOCK, Lanes, Place, Real, Scalar, Shared, V3, Vertex};

/// N rows of numbers.
#[inline(always)]
pub(crate) fn load_rows<T: Scalar, L: Lanes<T>, const N: usize>(
    token: L::Token,
    from: &[[T; BLOCK]; N],
    lane: usize,
) -> [L; N] {
    let mut out = [L::load(token, &from[0][lane..]); N];
    for i in 1..N {
        out[i] = L::load(token, &from[i][lane..]);
    }
    out
}

/// The vertices of the elements.
///
/// # Safety
/// As [`Lanes::gather`].
#[inline(always)]
pub(crate) unsafe fn gather<T: Scalar, L: Lanes<T>, const V: usize>(
    token: L::Token,
    from: Shared<'_, Vertex<T>>,
    places: &[[Place; BLOCK]; V],
    lane: usize,
) -> [[L; 4]; V] {
    // SAFETY: the caller's promise.
    let mut out = [unsafe { L::gather(token, from, &places[0][lane..]) }; V];
    for k in 1..V {
        // SAFETY: the caller's promise.
        out[k] = unsafe { L::gather(token, from, &places[k][lane..]) };
    }
    out
}

/// Stores the vertices of the elements.
///
/// # Safety
/// As [`Lanes::scatter`].
#[inline(always)]
pub(crate) unsafe fn scatter<T: Scalar, L: Lanes<T>, const V: usize>(
    value: [[L; 4]; V],
    to: Shared<'_, Vertex<T>>,
    places: &[[Place; BLOCK]; V],
    lane: usize,
) {
    for k in 0..V {
        // SAFETY: the caller's promise.
        unsafe { L::scatter(value[k], to, &places[k][lane..]) };
    }
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
