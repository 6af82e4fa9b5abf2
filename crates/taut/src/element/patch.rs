//! Bending of a triangle against its three neighbours.

use super::hinge::Fold;
use super::{Element, Quantity, Row, RowKind, Rows, gram};
use crate::lanes::{Real, V3};

/// The three signed angles between a triangle and its neighbours equal their rest values (as [`Hinge`](super::Hinge),
/// with the same sign).
///
/// ```text
///   x5 ——— x2 ——— x4      row 0: x3 about the edge x0 x1
///     \    /  \    /       row 1: x4 about the edge x1 x2
///      \  /    \  /        row 2: x5 about the edge x2 x0
///      x0 ————— x1
///        \    /
///         \  /
///          x3
/// ```
/// Rest numbers: the rest angles, rad. Three angles are as many as a curvature has components (along weft, along warp,
/// and the twist), and a stiffness that couples them can be that of a plate: single hinges are three springs in fixed
/// directions, which no plate is. How the builder chooses it: `builder/patches.rs`.
#[derive(Clone, Copy, Debug)]
pub enum Patch {}

impl Patch {
    /// In place of the third rest angle: there is no neighbour at that side, and the row is nothing. x5 may be any
    /// other vertex.
    pub const OPEN: f64 = 100.0;
}

impl Element<6, 5, 3, 3> for Patch {
    const NAME: &'static str = "patch";
    const ROWS: [RowKind; 3] = [
        RowKind::new("angle 01", Quantity::Bending),
        RowKind::new("angle 12", Quantity::Bending),
        RowKind::new("angle 20", Quantity::Bending),
    ];
    const IDENTITY: bool = true;
    const COUPLED: usize = 3;
    const PROJECTED: bool = false;

    #[inline(always)]
    fn map<T: Real>(rest: &[T; 3]) -> [[T; 5]; 5] {
        let (one, zero) = (rest[0].lit(1.0), rest[0].lit(0.0));
        let mut b = [[zero; 5]; 5];
        for i in 0..5 {
            b[i][i] = one;
        }
        b
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 5>>(rest: &[T; 3], f: &mut [V3<T>; 5], consumer: &mut S) {
        // Each row's edge, the triangle's own apex and the other one as seen from the edge's start, and the columns
        // they come from.
        if consumer.wants(0) {
            let fold = Fold::between(rest[0], f[0], f[1], f[2]);
            let [e, a, b] = fold.at;
            give(0, [(0, e), (1, a), (2, b)], fold, f, consumer);
        }
        if consumer.wants(1) {
            let fold = Fold::between(rest[1], f[1] - f[0], -f[0], f[3] - f[0]);
            let [e, a, b] = fold.at;
            give(1, [(0, -(e + a + b)), (1, e), (3, b)], fold, f, consumer);
        }
        if consumer.wants(2) {
            let mut fold = Fold::between(rest[2], -f[1], f[0] - f[1], f[4] - f[1]);
            let (closed, zero) = (rest[2].lt(rest[2].lit(0.5 * Patch::OPEN)), rest[2].lit(0.0));
            fold.value = T::select(closed, fold.value, zero);
            fold.push = T::select(closed, fold.push, zero);
            let share = T::select(closed, zero.lit(1.0), zero);
            let [e, a, b] = fold.at.map(|g| g * share);
            give(2, [(0, a), (1, -(e + a + b)), (4, b)], fold, f, consumer);
        }
    }
}

#[inline(always)]
fn give<T: Real, S: Rows<T, 5>>(
    index: usize,
    along: [(usize, V3<T>); 3],
    fold: Fold<T>,
    f: &mut [V3<T>; 5],
    consumer: &mut S,
) {
    let (value, push) = (fold.value, fold.push);
    consumer.row(index, f, Row { value, along, gram: gram(&along), over: value.lit(1.0), push });
}
