//! Edge-based strain limiting: lengths of edges (Provot 1995) and their rate (Bridson et al. 2002).

use super::job::{Job, LimitScratch};
use super::rows::{Bands, RowRate, RowSweep};
use super::sweeps::{self, Mode, Sweeper};
use super::{Band, Limit, LimitReport, Needs, RestEdge, SweepSettings, Violation};
use crate::BuildError;
use crate::element::Edge;
use crate::lanes::{Scalar, Vertex};
use crate::pack::Batch;
use crate::team::Worker;
use core::marker::PhantomData;

/// Keeps the strain of every edge, |e|/L − 1, within a band, by moving its ends along it.
///
/// One limit for everything: an edge resists along itself only, so what a limit means for weft, warp and shear depends on
/// the mesh. This is what CSL is compared with.
#[derive(Clone, Debug)]
pub struct Esl<T> {
    settings: SweepSettings,
    vertices: usize,
    batch: Batch<T, 2, 2, 1>,
    bands: Vec<Bands<T, 1>>,
    degenerate: u64,
    /// 1/Δt² (1/s²) for springs.
    stiffen: f64,
}

impl<T: Scalar> Esl<T> {
    /// A limiter for `edges` on `vertices` vertices, all with the same band of strain.
    pub fn new(vertices: usize, edges: &[RestEdge], band: Band, settings: SweepSettings) -> Result<Self, BuildError> {
        Esl::soft(vertices, edges, band, 0.0, settings)
    }

    /// The same, with edges that give way like springs of `softness` = 1/(k L²) instead of ending at their band: rows with
    /// a compliance, 1/J.
    pub(super) fn soft(
        vertices: usize,
        edges: &[RestEdge],
        band: Band,
        stiffness: f64,
        settings: SweepSettings,
    ) -> Result<Self, BuildError> {
        settings.check()?;
        band.check("edge limit")?;
        sweeps::check_indices::<T, 2>("edge", vertices, edges.iter().map(|e| e.vertices))?;
        let usable = |e: &&RestEdge| {
            e.vertices[0] != e.vertices[1] && e.length > 0.0 && (1.0 / e.length).is_finite() && e.length.is_finite()
        };
        let kept: Vec<RestEdge> = edges.iter().filter(usable).copied().collect();
        let elements: Vec<_> = kept.iter().map(|e| sweeps::loose(e.vertices, [1.0 / e.length, 1.0])).collect();
        let batch = Batch::pack(&elements, vertices as u32);
        let softness = |n: usize| if stiffness > 0.0 { 1.0 / (stiffness * kept[n].length.powi(2)) } else { 0.0 };
        let bands = Bands::pack(&batch, |n| [(band, softness(n))]);
        let degenerate = (edges.len() - kept.len()) as u64;
        Ok(Esl { settings, vertices, batch, bands, degenerate, stiffen: 0.0 })
    }

    /// For springs: the time step, s.
    pub(super) fn set_step(&mut self, dt: f64) {
        self.stiffen = 1.0 / (dt * dt);
    }

    fn sweeper(&self) -> Sweeper<'_> {
        Sweeper {
            colours: &self.batch.colours,
            settings: &self.settings,
            degenerate: self.degenerate,
            spare: sweeps::spare(&self.batch),
            violation: |w| Violation { edge: w[0], ..Violation::default() },
        }
    }
}

impl<T: Scalar> Esl<T> {
    /// The same edges, with a limit on the rate of strain in 1/s. Bridson's "no more than 10 % in a step" is
    /// `Band::both(0.1 / dt)`.
    pub fn rates(&self, band: Band) -> EslRates<'_, T> {
        EslRates { esl: self, band: Band { least: band.least.min(0.0), most: band.most.max(0.0) } }
    }

    /// Filters the velocities `v` (m/s) of vertices at `x`, so that no edge's strain changes faster than `band` (1/s).
    pub fn limit_rate(
        &self,
        band: Band,
        x: &[Vertex<T>],
        v: &mut [Vertex<T>],
        fixed: &[bool],
        scratch: &mut LimitScratch<T>,
    ) -> LimitReport {
        scratch.filter_rates(&self.rates(band), x, v, fixed)
    }
}

impl<T: Scalar> Limit<T> for Esl<T> {
    fn name(&self) -> &'static str {
        "esl"
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
                rows: 1,
                moving: mode == Mode::Move,
                stiffen: self.stiffen,
                p: job.p,
                sight,
                kind: PhantomData::<Edge>,
            };
            T::edges(job.width, job.level, kernel);
        };
        self.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}

/// [`Esl`] on rates.
#[derive(Clone, Copy, Debug)]
pub struct EslRates<'a, T> {
    esl: &'a Esl<T>,
    band: Band,
}

impl<T: Scalar> Limit<T> for EslRates<'_, T> {
    fn name(&self) -> &'static str {
        "esl-rate"
    }

    fn vertices(&self) -> usize {
        self.esl.vertices
    }

    fn needs(&self) -> Needs {
        Needs { vectors: self.esl.vertices + 1, ..self.esl.needs() }
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep = |blocks, mode, sight: &mut _| {
            let kernel = RowRate {
                blocks: &self.esl.batch.blocks[blocks],
                rows: 1,
                moving: mode == Mode::Move,
                bands: [self.band],
                x: job.vectors,
                v: job.p,
                sight,
                kind: PhantomData::<Edge>,
            };
            T::edge_rates(job.width, job.level, kernel);
        };
        self.esl.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}
