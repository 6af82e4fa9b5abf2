//! Limiters that clip rows of elements: what those of edges and of Strain Based Dynamics have in common.

use super::job::Job;
use super::kernels::{LimitKernels, Triangle};
use super::rates::RateLimit;
use super::rows::{Bands, RowSweep};
use super::sweeps::{self, Mode, Sweeper};
use super::{Band, Limit, LimitReport, Needs, SweepSettings, Violation};
use crate::constraint::Batch;
use crate::element::{Edge, Element};
use crate::lanes::{Scalar, Width};
use crate::team::Worker;
use core::marker::PhantomData;
use fearless_simd::Level;

/// Elements whose rows can be limited, and the kernels compiled for them.
pub trait LimitedRows<const V: usize, const D: usize, const P: usize, const R: usize>:
    Element<V, D, P, R> + Send + Sync
{
    #[doc(hidden)]
    const NAMES: [&'static str; 2];
    #[doc(hidden)]
    fn violation(worst: &[f64; 4]) -> Violation;
    #[doc(hidden)]
    fn sweep<T: LimitKernels>(width: Width, level: Level, kernel: RowSweep<'_, Self, T, V, D, P, R, false>)
    where
        Self: Sized;
    #[doc(hidden)]
    fn sweep_rates<T: LimitKernels>(width: Width, level: Level, kernel: RowSweep<'_, Self, T, V, D, P, R, true>)
    where
        Self: Sized;
}

impl LimitedRows<2, 1, 2, 1> for Edge {
    const NAMES: [&'static str; 2] = ["esl", "esl-rate"];

    fn violation(worst: &[f64; 4]) -> Violation {
        Violation { edge: worst[0], ..Violation::default() }
    }

    fn sweep<T: LimitKernels>(width: Width, level: Level, kernel: RowSweep<'_, Self, T, 2, 1, 2, 1, false>) {
        T::edges(width, level, kernel);
    }

    fn sweep_rates<T: LimitKernels>(width: Width, level: Level, kernel: RowSweep<'_, Self, T, 2, 1, 2, 1, true>) {
        T::edge_rates(width, level, kernel);
    }
}

impl LimitedRows<3, 2, 6, 4> for Triangle {
    const NAMES: [&'static str; 2] = ["sbd", "sbd-rate"];

    fn violation(worst: &[f64; 4]) -> Violation {
        Violation { weft: worst[0], warp: worst[1], shear: worst[2], ..Violation::default() }
    }

    fn sweep<T: LimitKernels>(width: Width, level: Level, kernel: RowSweep<'_, Self, T, 3, 2, 6, 4, false>) {
        T::triangles(width, level, kernel);
    }

    fn sweep_rates<T: LimitKernels>(width: Width, level: Level, kernel: RowSweep<'_, Self, T, 3, 2, 6, 4, true>) {
        T::triangle_rates(width, level, kernel);
    }
}

/// A limiter of the rows of elements of kind `E`: [`Esl`](super::Esl) and [`SbdLimit`](super::SbdLimit).
#[derive(Clone, Debug)]
pub struct RowLimit<E, T, const V: usize, const D: usize, const P: usize, const R: usize> {
    settings: SweepSettings,
    vertices: usize,
    batch: Batch<T, V, P, R>,
    bands: Vec<Bands<T, R>>,
    /// Bit r is set if row r has a limit anywhere.
    rows: u32,
    degenerate: u64,
    /// 1/Δt² (1/s²), for rows that give way.
    pub(super) stiffen: f64,
    kind: PhantomData<E>,
}

/// An element to be limited: its vertices, rest numbers, and the band and compliance of each row.
pub(super) type Limited<const V: usize, const P: usize, const R: usize> = ([u32; V], [f64; P], [(Band, f64); R]);

impl<E, T: Scalar, const V: usize, const D: usize, const P: usize, const R: usize> RowLimit<E, T, V, D, P, R> {
    /// From the usable ones of `given` elements.
    pub(super) fn of(
        vertices: usize,
        elements: &[Limited<V, P, R>],
        given: usize,
        settings: SweepSettings,
    ) -> RowLimit<E, T, V, D, P, R> {
        let loose: Vec<_> = elements.iter().map(|(index, rest, _)| sweeps::loose(*index, *rest)).collect();
        let batch = Batch::pack(&loose, vertices as u32);
        let bands = Bands::pack(&batch, |n| elements[n].2);
        let limited = |r: usize| elements.iter().any(|(_, _, bands)| bands[r].0.limits());
        let rows = (0..R).filter(|&r| limited(r)).fold(0, |rows, r| rows | 1 << r);
        let degenerate = (given - elements.len()) as u64;
        RowLimit { settings, vertices, batch, bands, rows, degenerate, stiffen: 0.0, kind: PhantomData }
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> RowLimit<E, T, V, D, P, R>
where
    E: LimitedRows<V, D, P, R>,
    T: LimitKernels,
{
    fn kernel<'a, const RATE: bool>(
        &'a self,
        blocks: core::ops::Range<usize>,
        mode: Mode,
        job: &'a Job<'_, T>,
        sight: &'a mut super::job::Sight,
    ) -> RowSweep<'a, E, T, V, D, P, R, RATE> {
        RowSweep {
            blocks: &self.batch.blocks()[blocks.clone()],
            bands: &self.bands[blocks],
            rows: self.rows,
            moving: mode == Mode::Move,
            stiffen: self.stiffen,
            p: job.p,
            x: job.vectors,
            sight,
            kind: PhantomData,
        }
    }

    fn sweeper(&self) -> Sweeper<'_> {
        Sweeper {
            colours: self.batch.colours(),
            settings: &self.settings,
            degenerate: self.degenerate,
            spare: sweeps::spare(&self.batch),
            violation: E::violation,
        }
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> Limit<T> for RowLimit<E, T, V, D, P, R>
where
    E: LimitedRows<V, D, P, R>,
    T: LimitKernels,
{
    fn name(&self) -> &'static str {
        E::NAMES[0]
    }

    fn vertices(&self) -> usize {
        self.vertices
    }

    fn needs(&self) -> Needs {
        sweeps::needs(self.vertices, &self.batch)
    }

    unsafe fn relax(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep =
            |blocks, mode, _, sight: &mut _| E::sweep(job.width, job.level, self.kernel(blocks, mode, job, sight));
        self.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize> RateLimit<T> for RowLimit<E, T, V, D, P, R>
where
    E: LimitedRows<V, D, P, R>,
    T: LimitKernels,
{
    fn rate_name(&self) -> &'static str {
        E::NAMES[1]
    }

    unsafe fn relax_rates(&self, worker: Worker<'_>, job: &Job<'_, T>) -> LimitReport {
        let sweep = |blocks, mode, _, sight: &mut _| {
            E::sweep_rates(job.width, job.level, self.kernel(blocks, mode, job, sight))
        };
        self.sweeper().run(worker, job, Mode::Move, sweep, || {})
    }
}
