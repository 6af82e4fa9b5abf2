//! Continuum-based strain limiting (CSL): weft, warp and shear strain of every triangle kept within bands of their own.

mod element;
mod jacobi;
mod kernel;
mod rate;

pub use element::{CslForm, CslIdle, CslMotion, Polar, element_correction, polar};
pub use kernel::{CslRate, CslSweep};

use super::error::bad;
use super::job::Job;
use super::sweeps::{self, Mode, Sweeper};
use super::{
    Limit, LimitError, LimitKernels, LimitReport, Needs, RestTriangle, StrainLimits, SweepSettings, Violation,
};
use crate::constraint::Batch;
use crate::lanes::{BLOCK, Scalar};
use crate::team::Worker;
use jacobi::Corners;
use kernel::REST;

/// How elements are combined (CSL §5).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum CslScheme {
    /// Each correction is seen by the next element. Elements are coloured, so that those that share no vertex go side by side;
    /// the colours' order is drawn anew for every sweep.
    #[default]
    GaussSeidel,
    /// All elements are corrected on their own, then vertices go to the weighted mean of what their elements want
    /// (Eq. 12). Weights are rest areas, those of elements with a fixed vertex times `held`; elements are solved with their
    /// share of the vertices' masses, which makes the mean keep momentum exactly. Does not depend on the order of elements.
    Jacobi {
        /// The emphasis on elements with a fixed vertex, above 0.
        held: f64,
    },
}

/// How to run [`Csl`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CslSettings {
    /// How elements are combined.
    pub scheme: CslScheme,
    /// How an element moves towards its limits.
    pub motion: CslMotion,
    /// How often to sweep.
    pub sweeps: SweepSettings,
}

/// The limiter of Thomaszewski, Pabst and Straßer: "Continuum-based Strain Limiting".
///
/// The strain of a triangle is that of the corotated linear tensor, ε = U − 1 with F = R U the polar decomposition of its
/// deformation gradient (CSL Eq. 4). Each component beyond its band is put on its bound, by a motion in the triangle's plane
/// that keeps its linear and angular momentum; the others are left free or kept as they are ([`CslIdle`]).
#[derive(Clone, Debug)]
pub struct Csl<T> {
    settings: CslSettings,
    vertices: usize,
    batch: Batch<T, 3, REST, 0>,
    degenerate: u64,
    corners: Option<Corners>,
}

impl<T: Scalar> Csl<T> {
    /// A limiter for `triangles` on `vertices` vertices. `limits` has one entry for all triangles or one for each.
    pub fn new(
        vertices: usize,
        triangles: &[RestTriangle],
        limits: &[StrainLimits],
        settings: CslSettings,
    ) -> Result<Self, LimitError> {
        check(&settings, limits, triangles.len())?;
        sweeps::check_indices::<T, 3>("triangle", vertices, triangles.iter().map(|t| t.vertices))?;
        let mut elements = Vec::with_capacity(triangles.len());
        for (number, t) in triangles.iter().enumerate() {
            let limits = limits.get(number).or(limits.first()).copied().unwrap_or(StrainLimits::NONE);
            if t.inverse().is_some() {
                elements.push(sweeps::loose(t.vertices, rest_numbers(t, &limits)));
            }
        }
        let batch = Batch::pack(&elements, vertices as u32);
        let corners = match settings.scheme {
            CslScheme::GaussSeidel => None,
            CslScheme::Jacobi { .. } => {
                sweeps::addressable::<T>(batch.blocks().len().saturating_mul(BLOCK * 3))?;
                Some(Corners::new(vertices, &batch))
            }
        };
        let degenerate = (triangles.len() - elements.len()) as u64;
        Ok(Csl { settings, vertices, batch, degenerate, corners })
    }

    fn sweeper(&self) -> Sweeper<'_> {
        Sweeper {
            colours: self.batch.colours(),
            settings: &self.settings.sweeps,
            degenerate: self.degenerate,
            spare: sweeps::spare(&self.batch),
            violation: |w| Violation { weft: w[0], warp: w[1], shear: w[2], ..Violation::default() },
        }
    }
}

/// What [`kernel`] wants to know of a triangle.
fn rest_numbers(t: &RestTriangle, limits: &StrainLimits) -> [f64; REST] {
    let [p, q] = t.edges;
    let (a, b, s) = (limits.weft, limits.warp, limits.shear);
    let [a0, a1, b0, b1] = [a.least, a.most, b.least, b.most].map(|e| 1.0 + e);
    [p[0], p[1], q[0], q[1], 1.0 / t.det(), a0, a1, b0, b1, s.least, s.most]
}

fn check(settings: &CslSettings, limits: &[StrainLimits], triangles: usize) -> Result<(), LimitError> {
    settings.sweeps.check()?;
    StrainLimits::check_all(limits, triangles)?;
    if let CslScheme::Jacobi { held } = settings.scheme
        && !(held > 0.0 && held < 1e6)
    {
        let expected = "a weight above 0 and below 1e6";
        return bad("held", held, expected);
    }
    Ok(())
}

/// Where limits nearly hold and yet take long, Gauss–Seidel moves an element so many times as far as would bring it to its limits: what the next
/// elements undo of it is left of the surplus. Motions of least energy (in mass's metric, projections onto what is allowed) still end within
/// all limits with any factor below 2, and take energy out as without (Agmon; Motzkin and Schoenberg 1954). A hanging sheet of 800
/// triangles within 2 % took 62 sweeps a step for 164 with it from the third sweep on, whatever the violation; 1.5 took 103. That rule was rejected: where
/// sweeps end long before limits hold, it leaves more: 42 % for 25 % with five sweeps in each of five substeps.
const FURTHER: f64 = 1.8;

impl<T: LimitKernels> Limit<T> for Csl<T> {
    fn name(&self) -> &'static str {
        match self.settings.scheme {
            CslScheme::GaussSeidel => "csl-gs",
            CslScheme::Jacobi { .. } => "csl-jacobi",
        }
    }

    fn vertices(&self) -> usize {
        self.vertices
    }

    fn needs(&self) -> Needs {
        let lanes = self.corners.as_ref().map_or(0, |_| self.batch.blocks().len() * BLOCK);
        Needs { vectors: 3 * lanes, numbers: lanes, ..sweeps::needs(self.vertices, &self.batch) }
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let mode = if self.corners.is_some() { Mode::Note } else { Mode::Move };
        if let (Some(corners), CslScheme::Jacobi { held }) = (&self.corners, self.settings.scheme) {
            // SAFETY: `needs` asked for what it uses, and all workers come here.
            unsafe { corners.weigh(worker, job, held) };
        }
        let further = if self.settings.motion.idle == CslIdle::Free { FURTHER } else { 1.0 };
        let sweep = |blocks: core::ops::Range<usize>, mode, near, sight: &mut _| {
            let kernel = CslSweep {
                blocks: &self.batch.blocks()[blocks.clone()],
                first: blocks.start,
                mode,
                further: T::of(if near { further } else { 1.0 }),
                motion: self.settings.motion,
                p: job.p,
                notes: job.vectors,
                sight,
            };
            T::csl(job.width, job.level, kernel);
        };
        self.sweeper().run(worker, job, mode, sweep, || {
            if let Some(corners) = &self.corners {
                // SAFETY: as above.
                unsafe { corners.average(worker, job) };
            }
        })
    }
}
