//! An edge of given length: the "edge based dynamics" that SBD is compared with.

use super::{Element, Improved, Quantity, RestShape, RowKind, Rows, Tension, strain};
use crate::lanes::{Real, V3};

/// Two vertices at rest distance L: `|x_1 − x_0|/L − s` (SBD Eq. 12, over the rest length).
///
/// Rest numbers: 1/L (1/m), rest stretch s.
#[derive(Clone, Copy, Debug)]
pub enum Edge {}

impl Element<2, 1, 2, 1> for Edge {
    const NAME: &'static str = "edge";
    const ROWS: [RowKind; 1] = [RowKind::new("stretch", Quantity::Length)];

    fn shape(rest: &[f64; 2]) -> RestShape {
        RestShape::Edge(rest[1] / rest[0])
    }

    #[inline(always)]
    fn tension<T: Real>(_: &[T; 2], columns: &[V3<T>; 1], stress: &[T; 1]) -> Tension<T, 1> {
        strain::stretch_tension::<Improved, T, 1>(columns, stress)
    }

    #[inline(always)]
    fn map<T: Real>(rest: &[T; 2]) -> [[T; 1]; 1] {
        [[rest[0]]]
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 1>>(rest: &[T; 2], f: &mut [V3<T>; 1], consumer: &mut S) {
        strain::stretch::<Improved, _, _, 1>(0, 0, rest[1], f, consumer);
    }
}
