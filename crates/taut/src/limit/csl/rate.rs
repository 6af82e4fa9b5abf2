//! [`Csl`] on rates of strain, ε̇ = sym(RᵀḞ) (CSL §4.1).

use super::super::job::Job;
use super::super::rates::RateLimit;
use super::super::sweeps::Mode;
use super::super::{Limit, LimitKernels, LimitReport};
use super::Csl;
use super::kernel::CslRate;
use crate::team::Worker;

impl<T: LimitKernels> RateLimit<T> for Csl<T>
where
    Csl<T>: Limit<T>,
{
    fn rate_name(&self) -> &'static str {
        "csl-rate"
    }

    unsafe fn relax_rates(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep = |blocks, mode, _, sight: &mut _| {
            let kernel = CslRate {
                blocks: &self.batch.blocks()[blocks],
                looking: mode == Mode::Look,
                idle: self.settings.motion.idle,
                x: job.vectors,
                v: job.p,
                sight,
            };
            T::csl_rate(job.width, job.level, kernel);
        };
        self.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}
