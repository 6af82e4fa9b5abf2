//! Strain limiters: velocity filters that keep deformation within bounds, behind any simulator.
//!
//! A simulator with soft forces hands over positions and the velocities it wants to move with; a [`Limiter`] changes
//! the velocities so that the candidate positions x + Δt v respect limits on strain. Nothing here needs any other part
//! of the engine: arrays of vertices go in, velocities and a [`LimitReport`] come out.
//!
//! | limiter | limits | paper |
//! | --- | --- | --- |
//! | [`Limiter::csl`] | weft, warp and shear strain of triangles, each on its own | Continuum-based Strain Limiting |
//! | [`Limiter::edges`] | lengths of edges | Provot; Bridson et al. |
//! | [`Limiter::sbd`] | weft, warp and shear, by the rows of Strain Based Dynamics | SBD §4 |
//! | [`Limiter::areas`], [`Limiter::volumes`] | areas, volumes, all at once | Area Preserving Strain Limiting |
//!
//! As part of a model ([`LimitSpec`]) they act in every substep, and what they allow in tension and shear of cloth is
//! also a bound that the end of every step keeps, together with contact ([`StretchBounds`]).
//!
//! The first three can limit rates of strain instead ([`Limiter::into_rates`]). All give the same bits for any number
//! of threads and any lane width, skip what cannot be computed with, and say so.
//!
//! ```
//! use taut::limit::{Band, CslSettings, LimitScratch, Limiter, RestTriangle, StrainLimits};
//!
//! // One triangle, twice as long along x as it should be after this step.
//! let rest = RestTriangle::in_pattern([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! let limits = StrainLimits { weft: Band::upto(0.1), ..StrainLimits::NONE };
//! let csl = Limiter::<f64>::csl(3, &[rest], &[limits], CslSettings::default())?;
//! let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; // m
//! let inverse_masses = [1.0; 3]; // 1/kg
//! let mut v = [[0.0; 3], [10.0, 0.0, 0.0], [0.0; 3]]; // m/s
//! let report = csl.apply(&x, &inverse_masses, &mut v, &[], 0.1, &mut LimitScratch::new(1));
//! // Its strain was beyond the limit by 0.9, and is no more.
//! assert!(report.converged && (report.before.weft - 0.9).abs() < 1e-12 && report.after.weft < 1e-4);
//! // It has lost no momentum.
//! assert!((v[0][0] + v[1][0] + v[2][0] - 10.0).abs() < 1e-12);
//! # Ok::<(), taut::limit::LimitError>(())
//! ```

mod apply;
mod apsl;
mod band;
pub(crate) mod csl;
mod end_limit;
mod error;
mod limiter;
mod phased;
mod policy;
mod report;
mod rest;
mod rows;
mod spec;
mod stops;

pub use apply::LimitScratch;
pub(crate) use apply::{LimitMemory, Target, Workspace};
pub use apsl::{ApslCloth, ApslClothParams, ApslSettings};
pub use band::{Band, StrainLimits, StretchBounds};
pub use csl::{CslForm, CslIdle, CslMotion, CslScheme, CslSettings};
pub(crate) use end_limit::{
    BoundedEdge, BoundedElements, BoundedLine, BoundedTriangle, EndLimit, EndPositions, Passed, Patience,
};
pub use error::LimitError;
pub use limiter::{LimitKernels, Limiter};
pub use policy::SweepSettings;
pub use report::{LimitReport, Skipped, Violation};
pub use rest::{RestEdge, RestTet, RestTriangle, edges_of};
pub(crate) use rest::{tets_of_batch, triangles_of_batch};
pub use spec::{LimitKind, LimitSpec};
pub(crate) use spec::{LimitParts, Stack};
pub(crate) use stops::stops;
