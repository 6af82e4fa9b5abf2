//! The limiters as one: made from bare elements, applied to bare arrays.

use super::apply::{Application, MemorySize};
use super::apsl::Apsl;
use super::csl::{self, Csl};
use super::rows::{EdgeLimit, SbdLimit};
use super::{
    ApslSettings, Band, CslSettings, LimitError, LimitReport, LimitScratch, RestEdge, RestTet, RestTriangle,
    StrainLimits, SweepSettings, Violation,
};
use crate::constraint::{Hot, Lean};
use crate::lanes::Scalar;

/// A velocity filter that limits deformation.
#[derive(Clone, Debug)]
pub struct Limiter<T> {
    vertices: usize,
    /// Whether it limits rates.
    rates: bool,
    kind: Kind<T>,
}

#[derive(Clone, Debug)]
enum Kind<T> {
    Csl(Csl<T>),
    Sbd(SbdLimit<T>),
    Edges(EdgeLimit<T>),
    Sizes(Apsl<T>),
}

impl<T: Scalar> Limiter<T> {
    fn new(vertices: usize, kind: Kind<T>) -> Self {
        Limiter { vertices, rates: false, kind }
    }

    /// Continuum-based strain limiting of `triangles` on `vertices` vertices. `limits` has one entry for all triangles
    /// or one for each.
    pub fn csl(
        vertices: usize,
        triangles: &[RestTriangle],
        limits: &[StrainLimits],
        settings: CslSettings,
    ) -> Result<Self, LimitError> {
        Ok(Limiter::new(vertices, Kind::Csl(Csl::new(vertices, triangles, limits, settings)?)))
    }

    /// The rows of Strain Based Dynamics, of `triangles` on `vertices` vertices. `limits` has one entry for all
    /// triangles or one for each.
    pub fn sbd(
        vertices: usize,
        triangles: &[RestTriangle],
        limits: &[StrainLimits],
        settings: SweepSettings,
    ) -> Result<Self, LimitError> {
        Ok(Limiter::new(vertices, Kind::Sbd(SbdLimit::new(vertices, triangles, limits, settings)?)))
    }

    /// The strain of `edges` on `vertices` vertices, |e|/L − 1, all with the same band.
    ///
    /// One limit for everything: an edge resists along itself only, so what a limit means for weft, warp and shear
    /// depends on the mesh. This is what CSL is compared with.
    pub fn edges(vertices: usize, edges: &[RestEdge], band: Band, settings: SweepSettings) -> Result<Self, LimitError> {
        Ok(Limiter::new(vertices, Kind::Edges(EdgeLimit::new(vertices, edges, band, 0.0, settings)?)))
    }

    /// Edges that give way like springs of `stiffness` (N/m) instead of ending at their band.
    pub(super) fn springs(
        vertices: usize,
        edges: &[RestEdge],
        stiffness: f64,
        settings: SweepSettings,
    ) -> Result<Self, LimitError> {
        let edges = EdgeLimit::new(vertices, edges, Band::both(0.0), stiffness, settings)?;
        Ok(Limiter::new(vertices, Kind::Edges(edges)))
    }

    /// For springs: the time step, s.
    pub(super) fn set_step(&mut self, dt: f64) {
        if let Kind::Edges(edges) = &mut self.kind {
            edges.stiffen = 1.0 / (dt * dt);
        }
    }

    /// The areas of `triangles` on `vertices` vertices, all at once.
    pub fn areas(vertices: usize, triangles: &[RestTriangle], settings: ApslSettings) -> Result<Self, LimitError> {
        Ok(Limiter::new(vertices, Kind::Sizes(Apsl::areas(vertices, triangles, settings)?)))
    }

    /// The volumes of `tets` on `vertices` vertices, all at once.
    pub fn volumes(vertices: usize, tets: &[RestTet], settings: ApslSettings) -> Result<Self, LimitError> {
        Ok(Limiter::new(vertices, Kind::Sizes(Apsl::volumes(vertices, tets, settings)?)))
    }

    /// The same elements with the same limits, now on how fast strain changes, in 1/s: for
    /// [`apply_to_rates`](Self::apply_to_rates). Bridson's "no more than 10 % in a step" is `Band::both(0.1 / dt)`.
    /// Areas and volumes have no limits on rates, and stay as they are.
    ///
    /// Positions that collisions have settled must not be touched any more, but velocities may: nodes that a collision
    /// has stopped are fixed, and their neighbours follow them, which puts "significant stress off" the next collisions
    /// (CSL §4.1).
    pub fn into_rates(self) -> Self {
        Limiter { rates: !matches!(self.kind, Kind::Sizes(_)), ..self }
    }

    /// What a person calls it.
    pub fn name(&self) -> &'static str {
        match (&self.kind, self.rates) {
            (Kind::Csl(csl), false) => {
                if csl.averages() {
                    "csl-jacobi"
                } else {
                    "csl-gs"
                }
            }
            (Kind::Csl(_), true) => "csl-rate",
            (Kind::Sbd(_), false) => "sbd",
            (Kind::Sbd(_), true) => "sbd-rate",
            (Kind::Edges(_), false) => "esl",
            (Kind::Edges(_), true) => "esl-rate",
            (Kind::Sizes(apsl), _) => apsl.name(),
        }
    }

    /// How many vertices it was made for. Arrays may be longer.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Whether it limits rates, and not what velocities lead to.
    pub fn limits_rate(&self) -> bool {
        self.rates
    }

    /// The memory it works in.
    pub(super) fn memory(&self) -> MemorySize {
        match &self.kind {
            // Positions beside velocities; a scheme with averaging is not used for rates.
            _ if self.rates => MemorySize { vectors: self.vertices + 1, ..MemorySize::default() },
            Kind::Csl(csl) => csl.memory(),
            Kind::Sizes(apsl) => apsl.memory(),
            Kind::Sbd(_) | Kind::Edges(_) => MemorySize::default(),
        }
    }

    /// How many threads it can keep busy.
    pub(super) fn workers(&self) -> usize {
        match &self.kind {
            Kind::Csl(csl) => csl.swept.workers(),
            Kind::Sbd(sbd) => sbd.swept.workers(),
            Kind::Edges(edges) => edges.swept.workers(),
            Kind::Sizes(apsl) => apsl.workers(),
        }
    }

    /// Moves the candidates, as one worker of a team.
    fn relax_in(&self, job: &mut Application<'_, T>) -> LimitReport {
        let edge = |worst: &[f64; 4]| Violation { edge: worst[0], ..Violation::default() };
        match (&self.kind, self.rates) {
            (Kind::Csl(csl), false) => csl.relax(job),
            (Kind::Csl(csl), true) => csl.relax_rates(job),
            (Kind::Sbd(sbd), false) => sbd.relax::<Hot, 1>(job, csl::violation),
            (Kind::Sbd(sbd), true) => sbd.relax::<Lean, 2>(job, csl::violation),
            (Kind::Edges(edges), false) => edges.relax::<Hot, 1>(job, edge),
            (Kind::Edges(edges), true) => edges.relax::<Lean, 2>(job, edge),
            (Kind::Sizes(apsl), _) => apsl.relax(job),
        }
    }
}

impl<T: LimitKernels> Limiter<T> {
    /// Filters velocities `v` (m/s) so that x + `dt` v respects the limits.
    ///
    /// `x` has positions, m, `inverse_masses` is in 1/kg; a vertex with inverse mass 0, or with its flag in `fixed` set,
    /// keeps its velocity (`fixed` may be shorter, or empty: the others are free). `dt` is the time step, s. Never
    /// fails: with arrays shorter than [`vertices`](Self::vertices), a time step that is not positive and finite, or a
    /// limiter of rates, nothing happens and the report says that nothing converged. Velocities that were not finite
    /// come back as zero.
    pub fn apply(
        &self,
        x: &[[T; 3]],
        inverse_masses: &[T],
        v: &mut [[T; 3]],
        fixed: &[bool],
        dt: f64,
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        let (step, rate) = (T::of(dt), T::of(1.0 / dt));
        if !(dt > 0.0 && step > T::of(0.0) && step.finite() && rate.finite()) {
            return LimitReport::default();
        }
        scratch.velocities(self, (x, inverse_masses), v, fixed, Some(step))
    }

    /// The same on candidate positions `p`, m, in place.
    pub fn apply_to_candidates(
        &self,
        p: &mut [[T; 3]],
        inverse_masses: &[T],
        fixed: &[bool],
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        scratch.candidates(self, (p, inverse_masses), fixed)
    }

    /// Filters velocities `v` (m/s) at positions `x` (m) with a limiter of rates. With any other nothing happens, and
    /// the report says that nothing converged.
    pub fn apply_to_rates(
        &self,
        x: &[[T; 3]],
        inverse_masses: &[T],
        v: &mut [[T; 3]],
        fixed: &[bool],
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        scratch.velocities(self, (x, inverse_masses), v, fixed, None)
    }
}

/// What limiters need of a number: `f32` and `f64`, and nothing else.
///
/// Kernels come in several lane widths and instruction sets, and are compiled here, once for each precision: no user's
/// crate should have to compile them again.
#[allow(private_interfaces)]
pub trait LimitKernels: Scalar {
    #[doc(hidden)]
    fn relax(limiter: &Limiter<Self>, application: &mut Application<'_, Self>) -> LimitReport;
}

#[allow(private_interfaces)]
impl LimitKernels for f32 {
    fn relax(limiter: &Limiter<Self>, application: &mut Application<'_, Self>) -> LimitReport {
        limiter.relax_in(application)
    }
}

#[allow(private_interfaces)]
#[cfg(feature = "f64")]
impl LimitKernels for f64 {
    fn relax(limiter: &Limiter<Self>, application: &mut Application<'_, Self>) -> LimitReport {
        limiter.relax_in(application)
    }
}
