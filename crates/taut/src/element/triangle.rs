//! Strain of a triangle.

use super::{Element, Form, Quantity, RestShape, RowKind, Rows, Tension, strain};
use crate::lanes::{Real, V3};
use core::marker::PhantomData;

/// Stretch along weft and warp, shear, and area of a triangle (SBD §3.3–3.7).
///
/// ```text
///        x2          f_0 = F·weft, f_1 = F·warp: the images of the material's axes.
///       /  \         F = [x1−x0, x2−x0] Q⁻¹, Q the rest positions in the material frame.
///     x0 -- x1
/// ```
/// Rest numbers: Q⁻¹ column by column (1/m), rest stretches along weft and warp.
#[derive(Clone, Copy, Debug)]
pub struct TriStrain<F>(PhantomData<F>);

impl<F: Form> Element<3, 2, 6, 4> for TriStrain<F> {
    const NAME: &'static str = F::TRIANGLE;
    const ROWS: [RowKind; 4] = [
        RowKind::stretch::<F>("weft", 0),
        RowKind::stretch::<F>("warp", 1),
        RowKind::new("shear", Quantity::Shear(0, 1)),
        RowKind::new("area", Quantity::Area),
    ];
    const COUPLED: usize = 2;
    const PROJECTED: bool = F::PROJECTED;
    const ELASTIC: bool = F::ELASTIC;

    fn shape(rest: &[f64; 6]) -> RestShape {
        let [a, b, c, d, s, t] = *rest;
        // Rows of B are columns of Q⁻¹: the edges, columns of Q, are the rows of the inverse of B.
        let over = 1.0 / (a * d - b * c);
        let edges = [[d * over * s, -b * over * t], [-c * over * s, a * over * t]];
        let sound = edges.iter().flatten().all(|c| c.is_finite());
        if sound { RestShape::Triangle(edges) } else { RestShape::Other }
    }

    #[inline(always)]
    fn tension<T: Real>(_: &[T; 6], columns: &[V3<T>; 2], stress: &[T; 4]) -> Tension<T, 2> {
        let mut out = strain::stretch_tension::<F, T, 2>(columns, stress);
        strain::shear_tension(0, 1, stress[2], &mut out);
        out
    }

    #[inline(always)]
    fn map<T: Real>(rest: &[T; 6]) -> [[T; 2]; 2] {
        [[rest[0], rest[1]], [rest[2], rest[3]]]
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 2>>(rest: &[T; 6], f: &mut [V3<T>; 2], consumer: &mut S) {
        strain::stretch::<F, _, _, 2>(0, 0, rest[4], f, consumer);
        strain::stretch::<F, _, _, 2>(1, 1, rest[5], f, consumer);
        strain::shear::<F, _, _, 2>(2, 0, 1, f, consumer);
        strain::area(3, rest[4] * rest[5], f, consumer);
    }
}
