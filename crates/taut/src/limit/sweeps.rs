//! Sweeping until limits hold: what the limiters that go element by element share.

use super::error::bad;
use super::job::{Job, Sight};
use super::{LimitError, LimitReport, Needs, Skipped, Violation};
use crate::constraint::{Batch, Loose};
use crate::lanes::{BLOCK, Scalar, Vertex};
use crate::team::Worker;
use core::ops::Range;

/// How often to sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepSettings {
    /// Most sweeps over all elements, 1 to 10,000.
    pub iterations: u32,
    /// A violation this small counts as none (strain, no unit).
    pub tolerance: f64,
    /// Seeds the order of traversal, which changes from sweep to sweep so that no direction is favoured (CSL §5). The same
    /// seed gives the same order.
    pub seed: u64,
}

impl Default for SweepSettings {
    fn default() -> Self {
        SweepSettings { iterations: 100, tolerance: 1e-4, seed: 0 }
    }
}

impl SweepSettings {
    pub(super) fn check(&self) -> Result<(), LimitError> {
        match self {
            s if !(s.tolerance >= 0.0 && s.tolerance.is_finite()) => bad("tolerance", s.tolerance, "0 or more"),
            s if !(1..=10_000).contains(&s.iterations) => bad("iterations", f64::from(s.iterations), "1 to 10,000"),
            _ => Ok(()),
        }
    }
}

/// What to do with elements whose violation was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing.
    Look,
    /// Move their vertices at once (Gauss–Seidel).
    Move,
    /// Note what each would do (Jacobi).
    Note,
}

/// The parts of a sweeping limiter that do not depend on its elements.
pub(super) struct Sweeper<'a> {
    pub colours: &'a [Range<usize>],
    pub settings: &'a SweepSettings,
    pub degenerate: u64,
    /// Lanes that hold no element: they look like held ones.
    pub spare: u64,
    /// Names the rows.
    pub violation: fn(&[f64; 4]) -> Violation,
}

impl Sweeper<'_> {
    /// Looks, then sweeps until all limits hold or the sweeps run out, then looks again. `sweep` does one worker's blocks
    /// of one colour, and hears whether limits nearly hold and yet take long; `between` is done after every sweep, when all workers have finished it.
    pub fn run<T: Scalar>(
        &self,
        worker: Worker<'_>,
        job: &Job<'_, T>,
        mode: Mode,
        mut sweep: impl FnMut(Range<usize>, Mode, bool, &mut Sight),
        mut between: impl FnMut(),
    ) -> LimitReport {
        let mut round = 0;
        let mut once = |mode, near, order: &[u32]| {
            let mut mine = Sight::default();
            for &c in order {
                sweep(worker.chunk(self.colours[c as usize].clone()), mode, near, &mut mine);
                if mode == Mode::Move {
                    worker.sync();
                }
            }
            round += 1;
            job.meet(worker, round, &mine)
        };
        let mut order: Vec<u32> = (0..self.colours.len() as u32).collect();
        let before = once(Mode::Look, false, &order);
        let (mut after, mut iterations) = (before, 0);
        let most = self.settings.iterations.saturating_sub(job.spent);
        while iterations < most && after.most() > self.settings.tolerance {
            iterations += 1;
            shuffle(&mut order, self.settings.seed, iterations);
            let seen = once(mode, iterations > PLAIN_SWEEPS && after.most() < NEAR, &order);
            between();
            // What a sweep sees on its way is close enough to tell when to stop, and costs nothing.
            let last = iterations == most;
            let held = seen.most() <= self.settings.tolerance;
            after = if last || held { once(Mode::Look, false, &order) } else { seen };
        }
        let [not_finite, held, collapsed] = before.counts;
        LimitReport {
            iterations,
            converged: after.most() <= self.settings.tolerance,
            before: (self.violation)(&before.worst),
            after: (self.violation)(&after.worst),
            skipped: Skipped { degenerate: self.degenerate, not_finite, held: held.saturating_sub(self.spare) },
            collapsed,
            ..LimitReport::default()
        }
    }
}

/// Sweeps after which limits that nearly hold take long: corrections that a few sweeps do need no help.
const PLAIN_SWEEPS: u32 = 8;

/// The violation below which limits nearly hold.
const NEAR: f64 = 0.05;

/// What elements in colours need: all vertices, and a thread for every 128 blocks of a colour, below which meeting costs
/// more than it brings (as in the step).
pub(super) fn needs<T, const V: usize, const P: usize, const R: usize>(
    vertices: usize,
    batch: &Batch<T, V, P, R>,
) -> Needs {
    let workers = (batch.blocks().len() / (batch.colours().len().max(1) * 128)).max(1);
    Needs { vertices, workers, ..Needs::default() }
}

/// Lanes without an element.
pub(super) fn spare<T, const V: usize, const P: usize, const R: usize>(batch: &Batch<T, V, P, R>) -> u64 {
    (batch.blocks().len() * BLOCK - batch.count) as u64
}

/// An element to be packed.
pub(super) fn loose<const V: usize, const P: usize, const R: usize>(index: [u32; V], rest: [f64; P]) -> Loose<V, P, R> {
    Loose { index, rest, stiffness: [1.0; R], damping: [0.0; R], elastic: None }
}

/// Indices of elements are below `vertices`, and those can be addressed.
pub(super) fn check_indices<T, const V: usize>(
    element: &'static str,
    vertices: usize,
    mut indices: impl Iterator<Item = [u32; V]>,
) -> Result<(), LimitError> {
    addressable::<T>(vertices.saturating_add(1))?;
    let bad = indices.by_ref().enumerate().find_map(|(number, index)| {
        let vertex = index.into_iter().find(|&v| v as usize >= vertices)?;
        Some(LimitError::Index { element, number, vertex, vertices })
    });
    bad.map_or(Ok(()), Err)
}

/// A [`Place`](crate::lanes::Place) can point at each of `count` vectors.
pub(super) fn addressable<T>(count: usize) -> Result<(), LimitError> {
    let fits = count.saturating_mul(size_of::<Vertex<T>>()) <= u32::MAX as usize;
    if fits { Ok(()) } else { Err(LimitError::TooManyVertices { count }) }
}

/// A new order for every sweep (Fisher and Yates), from a seed.
fn shuffle(order: &mut [u32], seed: u64, sweep: u32) {
    let mut state = seed ^ (u64::from(sweep) << 32);
    for i in (1..order.len()).rev() {
        let pick = (u128::from(next(&mut state)) * (i as u128 + 1)) >> 64;
        order.swap(i, pick as usize);
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
