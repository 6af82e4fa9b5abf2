//! The rows of Strain Based Dynamics as a limiter.

use super::job::{Job, LimitScratch};
use super::kernels::Triangle;
use super::rows::{Bands, RowRate, RowSweep};
use super::sweeps::{self, Mode, Sweeper};
use super::{Band, Limit, LimitReport, Needs, RestTriangle, StrainLimits, SweepSettings, Violation};
use crate::BuildError;
use crate::lanes::{Scalar, Vertex};
use crate::pack::Batch;
use crate::team::Worker;
use core::marker::PhantomData;

/// Keeps stretch along weft and warp, √S_ii − 1 (SBD Eq. 14), and shear, the cosine of the angle between the axes (SBD
/// Eq. 15), within bands: the same rows that the engine projects, active beyond their limits only.
#[derive(Clone, Debug)]
pub struct SbdLimit<T> {
    settings: SweepSettings,
    vertices: usize,
    batch: Batch<T, 3, 6, 4>,
    bands: Vec<Bands<T, 4>>,
    /// Bit r is set if row r has a limit anywhere.
    rows: u32,
    degenerate: u64,
}

impl<T: Scalar> SbdLimit<T> {
    /// A limiter for `triangles` on `vertices` vertices. `limits` has one entry for all triangles or one for each.
    pub fn new(
        vertices: usize,
        triangles: &[RestTriangle],
        limits: &[StrainLimits],
        settings: SweepSettings,
    ) -> Result<Self, BuildError> {
        settings.check()?;
        limits.iter().try_for_each(StrainLimits::check)?;
        if limits.len() != 1 && limits.len() != triangles.len() {
            let (body, found, expected) = (String::new(), limits.len(), triangles.len());
            return Err(BuildError::Length { body, list: "limits", found, expected });
        }
        sweeps::check_indices::<T, 3>("triangle", vertices, triangles.iter().map(|t| t.vertices))?;
        let (mut elements, mut kept, mut rows) = (Vec::new(), Vec::new(), 0);
        for (number, t) in triangles.iter().enumerate() {
            let Some([a, b, c, d]) = t.inverse() else { continue };
            let l = limits[number.min(limits.len() - 1)];
            rows |= u32::from(l.weft.limits()) | u32::from(l.warp.limits()) << 1 | u32::from(l.shear.limits()) << 2;
            elements.push(sweeps::loose(t.vertices, [a, b, c, d, 1.0, 1.0]));
            kept.push(l);
        }
        let batch = Batch::pack(&elements, vertices as u32);
        let bands = Bands::pack(&batch, |n| [kept[n].weft, kept[n].warp, kept[n].shear, Band::NONE].map(|b| (b, 0.0)));
        let degenerate = (triangles.len() - kept.len()) as u64;
        Ok(SbdLimit { settings, vertices, batch, bands, rows, degenerate })
    }

    fn sweeper(&self) -> Sweeper<'_> {
        Sweeper {
            colours: &self.batch.colours,
            settings: &self.settings,
            degenerate: self.degenerate,
            spare: sweeps::spare(&self.batch),
            violation: |w| Violation { weft: w[0], warp: w[1], shear: w[2], ..Violation::default() },
        }
    }
}

impl<T: Scalar> SbdLimit<T> {
    /// The same triangles, with limits on the rates of their rows in 1/s.
    pub fn rates(&self, limits: StrainLimits) -> SbdRates<'_, T> {
        let band = |b: Band| Band { least: b.least.min(0.0), most: b.most.max(0.0) };
        SbdRates { sbd: self, bands: [band(limits.weft), band(limits.warp), band(limits.shear), Band::NONE] }
    }

    /// Filters the velocities `v` (m/s) of vertices at `x`, so that no row changes faster than `limits` (1/s).
    pub fn limit_rate(
        &self,
        limits: StrainLimits,
        x: &[Vertex<T>],
        v: &mut [Vertex<T>],
        fixed: &[bool],
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        scratch.filter_rates(&self.rates(limits), x, v, fixed)
    }
}

impl<T: Scalar> Limit<T> for SbdLimit<T> {
    fn name(&self) -> &'static str {
        "sbd"
    }

    fn vertices(&self) -> usize {
        self.vertices
    }

    fn needs(&self) -> Needs {
        sweeps::needs(self.vertices, &self.batch)
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep = |blocks: core::ops::Range<usize>, mode, sight: &mut _| {
            let kernel = RowSweep {
                blocks: &self.batch.blocks[blocks.clone()],
                bands: &self.bands[blocks],
                rows: self.rows,
                moving: mode == Mode::Move,
                stiffen: 0.0,
                p: job.p,
                sight,
                kind: PhantomData::<Triangle>,
            };
            T::triangles(job.width, job.level, kernel);
        };
        self.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}

/// [`SbdLimit`] on rates.
#[derive(Clone, Copy, Debug)]
pub struct SbdRates<'a, T> {
    sbd: &'a SbdLimit<T>,
    bands: [Band; 4],
}

impl<T: Scalar> Limit<T> for SbdRates<'_, T> {
    fn name(&self) -> &'static str {
        "sbd-rate"
    }

    fn vertices(&self) -> usize {
        self.sbd.vertices
    }

    fn needs(&self) -> Needs {
        Needs { vectors: self.sbd.vertices + 1, ..self.sbd.needs() }
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep = |blocks, mode, sight: &mut _| {
            let kernel = RowRate {
                blocks: &self.sbd.batch.blocks[blocks],
                rows: 0b0111,
                moving: mode == Mode::Move,
                bands: self.bands,
                x: job.vectors,
                v: job.p,
                sight,
                kind: PhantomData::<Triangle>,
            };
            T::triangle_rates(job.width, job.level, kernel);
        };
        self.sbd.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}
