//! Limits on the rate of strain, after collisions (CSL §4.1).

use super::job::Job;
use super::{Limit, LimitReport, Needs};
use crate::lanes::Scalar;
use crate::team::Worker;

/// A limiter whose limits can be taken as limits on rates.
pub trait RateLimit<T: Scalar>: Limit<T> + Sized {
    /// The same elements with the same limits, now on how fast strain changes, in 1/s. Bridson's "no more than 10 % in a
    /// step" is `Band::both(0.1 / dt)`.
    fn into_rates(self) -> Rates<Self> {
        Rates(self)
    }

    #[doc(hidden)]
    fn rate_name(&self) -> &'static str;

    #[doc(hidden)]
    /// # Safety
    /// As [`Limit::relax`], for [`Target::Rates`](super::Target::Rates).
    unsafe fn relax_rates(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport;
}

/// A limiter of rates, to be used with [`LimitScratch::filter_rates`](super::LimitScratch::filter_rates) or
/// [`Target::Rates`](super::Target::Rates).
///
/// Positions that collisions have settled must not be touched any more, but velocities may: nodes that a collision has
/// stopped are fixed, and their neighbours follow them, which puts "significant stress off" the next collisions.
#[derive(Clone, Debug)]
pub struct Rates<L>(pub(super) L);

impl<T: Scalar, L: RateLimit<T>> Limit<T> for Rates<L> {
    fn name(&self) -> &'static str {
        self.0.rate_name()
    }

    fn vertices(&self) -> usize {
        self.0.vertices()
    }

    fn needs(&self) -> Needs {
        // Positions lie beside velocities; a scheme with averaging is not used for rates.
        Needs { vectors: self.vertices() + 1, numbers: 0, ..self.0.needs() }
    }

    fn limits_rate(&self) -> bool {
        true
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        // SAFETY: the caller's promise.
        unsafe { self.0.relax_rates(worker, job) }
    }
}
