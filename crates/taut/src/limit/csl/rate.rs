//! Limits on the rate of strain, after collisions (CSL §4.1).

use super::super::job::{Job, LimitScratch};
use super::super::sweeps::Mode;
use super::super::{Limit, LimitReport, Needs, StrainLimits, sweeps};
use super::Csl;
use super::kernel::CslRate;
use crate::lanes::{Scalar, Vertex};
use crate::team::Worker;

/// [`Csl`] on rates: a [`Limit`] to be used with [`LimitScratch::filter_rates`] or [`Target::Rates`](super::super::Target).
#[derive(Clone, Copy, Debug)]
pub struct CslRates<'a, T> {
    csl: &'a Csl<T>,
    bounds: [[f64; 2]; 3],
}

impl<T: Scalar> Csl<T> {
    /// The same elements, with limits on the rate of strain ε̇ = sym(RᵀḞ), in 1/s, for all of them.
    pub fn rates(&self, limits: StrainLimits) -> CslRates<'_, T> {
        let band = |b: super::super::Band| [b.least.min(0.0), b.most.max(0.0)];
        CslRates { csl: self, bounds: [band(limits.weft), band(limits.warp), band(limits.shear)] }
    }

    /// Filters the velocities `v` (m/s) of vertices at `x`, so that no element deforms faster than `limits` (1/s).
    ///
    /// Positions that collisions have settled must not be touched any more, but velocities may: nodes that a collision has
    /// stopped are `fixed`, and their neighbours follow them, which puts "significant stress off" the next collisions.
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

impl<T: Scalar> Limit<T> for CslRates<'_, T> {
    fn name(&self) -> &'static str {
        "csl-rate"
    }

    fn vertices(&self) -> usize {
        self.csl.vertices
    }

    fn needs(&self) -> Needs {
        Needs { vectors: self.csl.vertices + 1, ..sweeps::needs(self.csl.vertices, &self.csl.batch) }
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep = |blocks, mode, sight: &mut _| {
            let kernel = CslRate {
                blocks: &self.csl.batch.blocks[blocks],
                looking: mode == Mode::Look,
                idle: self.csl.settings.motion.idle,
                bounds: self.bounds,
                x: job.vectors,
                v: job.p,
                sight,
            };
            T::csl_rate(job.width, job.level, kernel);
        };
        self.csl.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}
