//! What kernels of limiters share: loads, and what is seen on the way.

use super::job::Sight;
use crate::lanes::{BLOCK, Lanes, Place, Real, Scalar, Shared, V3, Vertex};

/// N rows of a block's numbers.
#[inline(always)]
pub(super) fn load<T: Scalar, L: Lanes<T>, const N: usize>(
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
pub(super) unsafe fn gather<T: Scalar, L: Lanes<T>, const V: usize>(
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

/// x_k − x_0.
#[inline(always)]
pub(super) fn edges<L: Real, const V: usize, const D: usize>(x: &[[L; 4]; V]) -> [V3<L>; D] {
    let base = V3::new(x[0][0], x[0][1], x[0][2]);
    let mut out = [base; D];
    for k in 0..D {
        out[k] = V3::new(x[k + 1][0], x[k + 1][1], x[k + 1][2]) - base;
    }
    out
}

/// Above this squared length (rest is 1) columns are beyond what can be computed with.
const HUGE: f64 = 1e16;

/// 1 where columns can be computed with, else 0.
#[inline(always)]
pub(super) fn sound<L: Real, const D: usize>(columns: &[V3<L>; D]) -> L {
    let mut size = columns[0].norm2();
    for i in 1..D {
        size = size + columns[i].norm2();
    }
    L::select(size.lt(size.lit(HUGE)), size.lit(1.0), size.lit(0.0))
}

/// What lanes see; folded into a [`Sight`] at the end.
pub(super) struct LaneSight<L, const R: usize> {
    pub worst: [L; R],
    pub counts: [L; 3],
}

impl<L: Real, const R: usize> LaneSight<L, R> {
    #[inline(always)]
    pub fn new(zero: L) -> Self {
        LaneSight { worst: [zero; R], counts: [zero; 3] }
    }

    #[inline(always)]
    pub fn fold<T: Scalar>(&self, into: &mut Sight)
    where
        L: Lanes<T>,
    {
        let mut lanes = [T::of(0.0); BLOCK];
        for r in 0..R {
            self.worst[r].store(&mut lanes);
            for lane in &lanes[..L::N] {
                into.worst[r] = into.worst[r].max(lane.f64());
            }
        }
        for c in 0..3 {
            self.counts[c].store(&mut lanes);
            for lane in &lanes[..L::N] {
                into.counts[c] += lane.f64() as u64;
            }
        }
    }
}
