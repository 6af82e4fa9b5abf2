//! What kernels of limiters share beside the solvers' loads and stores: what is seen on the way.

use super::job::Sight;
use crate::lanes::{BLOCK, Lanes, Real, Scalar, V3};

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
