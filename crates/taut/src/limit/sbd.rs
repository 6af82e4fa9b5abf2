//! The rows of Strain Based Dynamics as a limiter.

use super::kernels::Triangle;
use super::row_limit::{Limited, RowLimit};
use super::{Band, LimitError, RestTriangle, StrainLimits, SweepSettings, sweeps};
use crate::lanes::Scalar;

/// Keeps stretch along weft and warp, √S_ii − 1 (SBD Eq. 14), and shear, the cosine of the angle between the axes (SBD
/// Eq. 15), within bands: the same rows that the engine projects, active beyond their limits only.
pub type SbdLimit<T> = RowLimit<Triangle, T, 3, 2, 6, 4>;

impl<T: Scalar> SbdLimit<T> {
    /// A limiter for `triangles` on `vertices` vertices. `limits` has one entry for all triangles or one for each.
    pub fn new(
        vertices: usize,
        triangles: &[RestTriangle],
        limits: &[StrainLimits],
        settings: SweepSettings,
    ) -> Result<Self, LimitError> {
        settings.check()?;
        StrainLimits::check_all(limits, triangles.len())?;
        sweeps::check_indices::<T, 3>("triangle", vertices, triangles.iter().map(|t| t.vertices))?;
        let limited = |(number, t): (usize, &RestTriangle)| {
            let [a, b, c, d] = t.inverse()?;
            let l = limits[number.min(limits.len() - 1)];
            let bands = [l.weft, l.warp, l.shear, Band::NONE].map(|band| (band, 0.0));
            Some((t.vertices, [a, b, c, d, 1.0, 1.0], bands))
        };
        let kept: Vec<Limited<3, 6, 4>> = triangles.iter().enumerate().filter_map(limited).collect();
        Ok(RowLimit::of(vertices, &kept, triangles.len(), settings))
    }
}
