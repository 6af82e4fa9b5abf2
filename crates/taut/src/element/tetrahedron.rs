//! Strain of a tetrahedron.

use super::{Element, Form, Rows, strain};
use crate::lanes::{Real, V3};
use core::marker::PhantomData;

/// Three stretches, three shears and the signed volume of a tetrahedron, along a material frame of its own
/// (SBD §3.2, 3.6, 3.7).
///
/// F = [x1−x0, x2−x0, x3−x0] Q⁻¹, Q the rest positions in the frame, det Q > 0.
/// Rest numbers: Q⁻¹ column by column (1/m), rest stretches along the three axes.
pub struct TetStrain<F>(PhantomData<F>);

impl<F: Form> Element<4, 3, 12, 7> for TetStrain<F> {
    const NAME: &'static str = if F::IMPROVED { "tetrahedron strain" } else { "plain tetrahedron strain" };
    const ROWS: [&'static str; 7] =
        ["stretch 1", "stretch 2", "stretch 3", "shear 12", "shear 13", "shear 23", "volume"];

    #[inline(always)]
    fn map<T: Real>(r: &[T; 12]) -> [[T; 3]; 3] {
        [[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], r[8]]]
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 3>>(rest: &[T; 12], f: &mut [V3<T>; 3], consumer: &mut S) {
        strain::stretch::<F, _, _, 3>(0, 0, rest[9], f, consumer);
        strain::stretch::<F, _, _, 3>(1, 1, rest[10], f, consumer);
        strain::stretch::<F, _, _, 3>(2, 2, rest[11], f, consumer);
        strain::shear::<F, _, _, 3>(3, 0, 1, f, consumer);
        strain::shear::<F, _, _, 3>(4, 0, 2, f, consumer);
        strain::shear::<F, _, _, 3>(5, 1, 2, f, consumer);
        strain::volume(6, rest[9] * rest[10] * rest[11], f, consumer);
    }
}
