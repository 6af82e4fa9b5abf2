//! Strain limiters: velocity filters that keep deformation within bounds, behind any simulator.
//!
//! A simulator with soft forces hands over positions and the velocities it wants to move with; a limiter changes the
//! velocities so that the candidate positions x + Δt v respect limits on strain. Nothing here needs any other part of
//! the engine: arrays of vertices go in, velocities and a [`LimitReport`] come out.
//!
//! | limiter | limits | paper |
//! | --- | --- | --- |
//! | [`Csl`] | weft, warp and shear strain of triangles, each on its own | Continuum-based Strain Limiting |
//! | [`Esl`] | lengths of edges, and their rate | Provot; Bridson et al. |
//! | [`SbdLimit`] | weft, warp and shear, by the rows of Strain Based Dynamics | SBD §4 |
//! | [`Apsl`] | areas of triangles, volumes of tetrahedra, all at once | Area Preserving Strain Limiting |
//!
//! All are [`Limit`]s, so that they can be exchanged and stacked. All give the same bits for any number of threads and any
//! lane width, skip what cannot be computed with, and say so.
//!
//! ```
//! use taut::limit::{Band, Csl, CslSettings, Limit, LimitScratch, RestTriangle, StrainLimits};
//!
//! // One triangle, twice as long along x as it should be after this step.
//! let rest = RestTriangle::in_pattern([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! let limits = StrainLimits { weft: Band::upto(0.1), ..StrainLimits::NONE };
//! let csl = Csl::<f64>::new(3, &[rest], &[limits], CslSettings::default())?;
//! let x = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]; // x, y, z in m, 1/mass in 1/kg
//! let mut v = [[0.0; 4], [10.0, 0.0, 0.0, 0.0], [0.0; 4]]; // m/s
//! let report = csl.apply(&x, &mut v, &[], 0.1, &mut LimitScratch::new(1));
//! // Its strain was beyond the limit by 0.9, and is no more.
//! assert!(report.converged && (report.before.weft - 0.9).abs() < 1e-12 && report.after.weft < 1e-4);
//! // It has lost no momentum.
//! assert!((v[0][0] + v[1][0] + v[2][0] - 10.0).abs() < 1e-12);
//! # Ok::<(), taut::limit::LimitError>(())
//! ```

mod apsl;
mod band;
mod csl;
mod error;
mod esl;
mod job;
mod kernels;
mod lanewise;
mod rates;
mod report;
mod rest;
mod row_limit;
mod rows;
mod sbd;
mod stack;
mod sweeps;

pub use apsl::{Apsl, ApslCloth, ApslClothParams, ApslSettings};
pub use band::{Band, StrainLimits};
pub use csl::{Csl, CslForm, CslIdle, CslMotion, CslScheme, CslSettings, Polar, element_correction, polar};
pub use error::LimitError;
pub use esl::Esl;
pub use job::{Desk, Job, LimitMemory, LimitScratch, Needs, Target};
pub use kernels::LimitKernels;
pub use rates::{RateLimit, Rates};
pub use report::{LimitReport, Skipped, Violation};
pub use rest::{RestEdge, RestTet, RestTriangle, bend_edges, edges_of, tets_of_batch, triangles_of_batch};
pub use row_limit::{LimitedRows, RowLimit};
pub use sbd::SbdLimit;
pub use stack::{LimitKind, LimitSpec};
pub(crate) use stack::{LimitParts, Limiter, Stack};
pub use sweeps::SweepSettings;

use crate::lanes::{Scalar, Vertex};
use crate::team::Worker;

/// A velocity filter that limits deformation.
pub trait Limit<T: Scalar>: Send + Sync {
    /// What a person calls it.
    fn name(&self) -> &'static str;

    /// How many vertices it was made for. Arrays may be longer (the engine's have a spare vertex at their end).
    fn vertices(&self) -> usize;

    /// The memory it works in, and how many threads it can keep busy.
    fn needs(&self) -> Needs;

    /// Whether it limits rates, for [`LimitScratch::filter_rates`], and not what velocities lead to.
    fn limits_rate(&self) -> bool {
        false
    }

    /// Moves the candidates in `job`, as one worker of a team. All workers get the same report.
    ///
    /// # Safety
    /// `job` was made by [`Desk::job`] for a limiter with these [`needs`](Self::needs) and
    /// [`vertices`](Self::vertices), and all workers of the team call this, each once.
    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport;

    /// Filters velocities `v` (m/s) so that x + `dt` v respects the limits.
    ///
    /// `x` has positions (m) with inverse masses (1/kg); a vertex with inverse mass 0, or with its flag in `fixed` set, keeps
    /// its velocity (`fixed` may be shorter, or empty: the others are free). `dt` is the time step, s. Never fails: with
    /// arrays shorter than [`vertices`](Self::vertices), or a time step that is not positive and finite, nothing happens
    /// and the report says that nothing converged. Velocities that were not finite come back as zero.
    fn apply(
        &self,
        x: &[Vertex<T>],
        v: &mut [Vertex<T>],
        fixed: &[bool],
        dt: f64,
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport
    where
        Self: Sized,
    {
        scratch.filter(self, x, v, fixed, dt)
    }

    /// The same on candidate positions `p` (m, with inverse masses) in place.
    fn apply_to_candidates(&self, p: &mut [Vertex<T>], fixed: &[bool], scratch: &mut LimitScratch<T>) -> LimitReport
    where
        Self: Sized,
    {
        scratch.filter_candidates(self, p, fixed)
    }
}
