//! Edge-based strain limiting: lengths of edges (Provot 1995) and their rate (Bridson et al. 2002).

use super::row_limit::{Limited, RowLimit};
use super::{Band, LimitError, RestEdge, SweepSettings, sweeps};
use crate::element::Edge;
use crate::lanes::Scalar;

/// Keeps the strain of every edge, |e|/L − 1, within a band, by moving its ends along it.
///
/// One limit for everything: an edge resists along itself only, so what a limit means for weft, warp and shear depends on
/// the mesh. This is what CSL is compared with.
pub type Esl<T> = RowLimit<Edge, T, 2, 1, 2, 1>;

impl<T: Scalar> Esl<T> {
    /// A limiter for `edges` on `vertices` vertices, all with the same band of strain.
    pub fn new(vertices: usize, edges: &[RestEdge], band: Band, settings: SweepSettings) -> Result<Self, LimitError> {
        Esl::soft(vertices, edges, band, 0.0, settings)
    }

    /// The same, with edges that give way like springs of `stiffness` k (N/m) instead of ending at their band: rows with
    /// a compliance 1/(k L²), 1/J.
    pub(super) fn soft(
        vertices: usize,
        edges: &[RestEdge],
        band: Band,
        stiffness: f64,
        settings: SweepSettings,
    ) -> Result<Self, LimitError> {
        settings.check()?;
        band.check("edge limit")?;
        sweeps::check_indices::<T, 2>("edge", vertices, edges.iter().map(|e| e.vertices))?;
        let limited = |e: &RestEdge| {
            let usable = e.vertices[0] != e.vertices[1] && e.length > 0.0 && e.length.is_finite();
            let softness = if stiffness > 0.0 { 1.0 / (stiffness * e.length.powi(2)) } else { 0.0 };
            let per = 1.0 / e.length;
            (usable && per.is_finite()).then_some((e.vertices, [per, 1.0], [(band, softness)]))
        };
        let kept: Vec<Limited<2, 2, 1>> = edges.iter().filter_map(limited).collect();
        Ok(RowLimit::of(vertices, &kept, edges.len(), settings))
    }

    /// For springs: the time step, s.
    pub(super) fn set_step(&mut self, dt: f64) {
        self.stiffen = 1.0 / (dt * dt);
    }
}
