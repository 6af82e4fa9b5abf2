//! Strain of a tetrahedron.

use super::{Element, Form, Quantity, RestShape, Row, RowKind, Rows, Tension, strain};
use crate::lanes::{Real, V3};
use core::marker::PhantomData;

/// Three stretches, three shears and the signed volume of a tetrahedron, along a material frame of its own
/// (SBD §3.2, 3.6, 3.7).
///
/// F = [x1−x0, x2−x0, x3−x0] Q⁻¹, Q the rest positions in the frame, det Q > 0.
/// Rest numbers: Q⁻¹ column by column (1/m), rest stretches along the three axes.
#[derive(Clone, Copy, Debug)]
pub struct TetStrain<F>(PhantomData<F>);

impl<F: Form> Element<4, 3, 12, 7> for TetStrain<F> {
    const NAME: &'static str = F::TETRAHEDRON;
    const ROWS: [RowKind; 7] = [
        RowKind::stretch::<F>("stretch 1", 0),
        RowKind::stretch::<F>("stretch 2", 1),
        RowKind::stretch::<F>("stretch 3", 2),
        RowKind::new("shear 12", Quantity::Shear(0, 1)),
        RowKind::new("shear 13", Quantity::Shear(0, 2)),
        RowKind::new("shear 23", Quantity::Shear(1, 2)),
        RowKind::new("volume", Quantity::Volume),
    ];
    const COUPLED: usize = 3;
    const PROJECTED: bool = F::PROJECTED;
    const ELASTIC: bool = F::ELASTIC;

    fn shape(rest: &[f64; 12]) -> RestShape {
        let column = |k: usize| V3::new(rest[k], rest[k + 1], rest[k + 2]);
        // Of Q⁻¹.
        let determinant = column(0).dot(column(3).cross(column(6)));
        let as_built = rest[9..].iter().all(|s| (s - 1.0).abs() < 1e-6);
        RestShape::Tetrahedron { volume: 1.0 / (6.0 * determinant).abs(), as_built }
    }

    #[inline(always)]
    fn tension<T: Real>(_: &[T; 12], columns: &[V3<T>; 3], stress: &[T; 7]) -> Tension<T, 3> {
        let mut out = strain::stretch_tension::<F, T, 3>(columns, stress);
        strain::shear_tension(0, 1, stress[3], &mut out);
        strain::shear_tension(0, 2, stress[4], &mut out);
        strain::shear_tension(1, 2, stress[5], &mut out);
        out
    }

    #[inline(always)]
    fn map<T: Real>(r: &[T; 12]) -> [[T; 3]; 3] {
        [[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], r[8]]]
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 3>>(rest: &[T; 12], f: &mut [V3<T>; 3], consumer: &mut S) {
        let zero = rest[0].lit(0.0);
        let inverted = f[0].dot(f[1].cross(f[2])).lt(zero);
        let turning = zero.lt(consumer.strength(6, zero));
        let one = zero.lit(1.0);
        let ease = T::select(turning, T::select(inverted, zero.lit(INVERTED), one), one);
        let eased = &mut Eased(consumer, ease);
        strain::stretch::<F, _, _, 3>(0, 0, rest[9], f, eased);
        strain::stretch::<F, _, _, 3>(1, 1, rest[10], f, eased);
        strain::stretch::<F, _, _, 3>(2, 2, rest[11], f, eased);
        strain::shear::<F, _, _, 3>(3, 0, 1, f, eased);
        strain::shear::<F, _, _, 3>(4, 0, 2, f, eased);
        strain::shear::<F, _, _, 3>(5, 1, 2, f, eased);
        strain::volume(6, rest[9] * rest[10] * rest[11], f, consumer);
    }
}

/// How strongly the strain of an inverted tetrahedron is held. Strain does not know left from right: held fully, it
/// keeps a mirrored tetrahedron in its mirrored shape, against the volume that wants to turn it back.
const INVERTED: f64 = 0.02;

/// Passes rows on with a share of their push.
struct Eased<'a, S, T>(&'a mut S, T);

impl<T: Real, S: Rows<T, D>, const D: usize> Rows<T, D> for Eased<'_, S, T> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.0.wants(index)
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, columns: &mut [V3<T>; D], row: Row<T, N>) {
        self.0.row(index, columns, Row { push: row.push * self.1, ..row });
    }
}
