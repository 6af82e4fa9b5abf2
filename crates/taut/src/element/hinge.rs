//! Bending about an edge shared by two triangles.

use super::{Element, Quantity, Row, RowKind, Rows, gram};
use crate::lanes::{Real, V3};

/// The signed dihedral angle φ of two triangles equals its rest value (SBD §3.8, Eq. 39–46 after ERRATA: a signed
/// angle by atan2, smooth through flat).
///
/// ```text
///         x2            normals n1 = e × a, n2 = b × e, with e = x1−x0, a = x2−x0, b = x3−x0
///       /    \          φ = 0 flat, > 0 when x2 and x3 rise towards the normals' side … < 0 away from it
///     x0 —e— x1
///       \    /
///         x3
/// ```
/// Rest number: the rest angle, rad. The value is φ − φ_rest in (−π, π].
#[derive(Clone, Copy, Debug)]
pub enum Hinge {}

impl Element<4, 3, 1, 1> for Hinge {
    const NAME: &'static str = "hinge";
    const ROWS: [RowKind; 1] = [RowKind::new("angle", Quantity::Bending)];
    const IDENTITY: bool = true;

    #[inline(always)]
    fn map<T: Real>(rest: &[T; 1]) -> [[T; 3]; 3] {
        let (one, zero) = (rest[0].lit(1.0), rest[0].lit(0.0));
        [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 3>>(rest: &[T; 1], f: &mut [V3<T>; 3], consumer: &mut S) {
        if !consumer.wants(0) {
            return;
        }
        let [e, a, b] = *f;
        let Fold { value, push, at } = Fold::between(rest[0], e, a, b);
        let along = [(0, at[0]), (1, at[1]), (2, at[2])];
        consumer.row(0, f, Row { value, along, gram: gram(&along), over: value.lit(1.0), push });
    }
}

/// The signed angle between two triangles on an edge, from its rest value, and what it changes with.
pub(super) struct Fold<T> {
    /// φ − φ_rest in (−π, π], rad.
    pub value: T,
    /// The same, held to a radian: moving straight along the normals by more overshoots.
    pub push: T,
    /// Its gradients along e, a and b.
    pub at: [V3<T>; 3],
}

impl<T: Real> Fold<T> {
    /// Of the edge `e` with apexes at `a` and `b` from its start, at `rest` (rad). Zero if a triangle has no area: with
    /// no normal it waits until it has one again.
    #[inline(always)]
    pub fn between(rest: T, e: V3<T>, a: V3<T>, b: V3<T>) -> Self {
        use core::f64::consts::PI;
        let (one, zero) = (rest.lit(1.0), rest.lit(0.0));
        let (n1, n2) = (e.cross(a), b.cross(e));
        let (n1_2, n2_2, e2) = (n1.norm2(), n2.norm2(), e.norm2());
        let sound = rest.lit(TINY).lt(T::min(T::min(n1_2, n2_2), e2));
        let e2 = T::select(sound, e2, one);
        let length = e2.sqrt();
        let phi = -(n1.cross(n2).dot(e) / length).atan2(n1.dot(n2));
        let turn = rest.lit(2.0 * PI);
        let c = phi - rest;
        let c = T::select(rest.lit(PI).lt(c), c - turn, c);
        let c = T::select(c.lt(rest.lit(-PI)), c + turn, c);
        let value = T::select(sound, c, zero);
        let ga = n1 * (length / T::select(sound, n1_2, one));
        let gb = n2 * (length / T::select(sound, n2_2, one));
        let ge = -(ga * (a.dot(e) / e2) + gb * (b.dot(e) / e2));
        Fold { value, push: T::max(T::min(value, one), -one), at: [ge, ga, gb] }
    }
}

/// Squared lengths and areas (m², m⁴) below which a hinge has no angle.
const TINY: f64 = 1e-30;
