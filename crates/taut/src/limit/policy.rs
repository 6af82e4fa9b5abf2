//! Sweeping over elements until limits hold: what the limiters that go element by element share.

use super::apply::{Application, Tally};
use super::error::{LimitError, bad};
use super::{LimitReport, Skipped, Violation};
use crate::constraint::{Batch, Compiled, Loose, Lot, LotKernel, PerBlock};
use crate::lanes::{BLOCK, Lanes, Real, Scalar, Shared, V3, Vertex};

/// How often to sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepSettings {
    /// Most sweeps over all elements, 1 to 10,000.
    pub iterations: u32,
    /// A violation this small counts as none (strain, no unit).
    pub tolerance: f64,
    /// Seeds the order of traversal, which changes from sweep to sweep so that no direction is favoured (CSL §5). The
    /// same seed gives the same order.
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

/// How a limiter wants to move the elements of one lot, from their vertices and rest numbers alone.
///
/// Vertices come from A arrays: the first is what is moved, with inverse masses. If there are two, those are velocities
/// and the positions they are at, for limits on rates.
pub(super) trait Policy<T: Scalar, const V: usize, const P: usize, const A: usize>: Copy {
    /// In how many ways its sweeps are compiled.
    type Compiled: Compiled;
    /// Rows whose violations are told apart.
    const ROWS: usize;

    /// What is seen of a lot with its vertices at `at`, and how it is to move, if `moving` is set. Must be
    /// `#[inline(always)]`.
    fn displace<L: Lanes<T>>(&self, rest: &[L; P], at: &[[[L; 4]; V]; A], moving: bool) -> Wanted<L, V>;
}

/// What a [`Policy`] wants of a lot.
pub(super) struct Wanted<L, const V: usize> {
    /// How vertices are to move.
    pub by: [V3<L>; V],
    /// Whether any is to move.
    pub moves: bool,
    /// How far each row is beyond its limits, 0 or more.
    pub beyond: [L; 4],
    /// 1 where elements can be computed with, else 0.
    pub sound: L,
    /// 1 where any of their vertices can be moved, else 0.
    pub movable: L,
    /// 1 where they have collapsed, else 0.
    pub collapsed: L,
}

/// A sweep of a policy.
#[derive(Clone, Copy)]
struct Limit<K, T> {
    policy: K,
    moving: bool,
    /// By lane: the largest violation of each row, and elements not finite, held, collapsed.
    worst: [[T; BLOCK]; 4],
    counts: [[T; BLOCK]; 3],
}

impl<K, T: Scalar> Limit<K, T> {
    fn new(policy: K, moving: bool) -> Self {
        let zero = [T::of(0.0); BLOCK];
        Limit { policy, moving, worst: [zero; 4], counts: [zero; 3] }
    }

    /// What a lot with its vertices at `at` wants, after adding it to what is seen.
    #[inline(always)]
    fn see<L: Lanes<T>, const V: usize, const P: usize, const A: usize>(
        &mut self,
        lot: &Lot<'_, T, L, V, P, 0, A>,
        at: &[[[L; 4]; V]; A],
    ) -> Wanted<L, V>
    where
        K: Policy<T, V, P, A>,
    {
        let wanted = self.policy.displace(&lot.rest(), at, self.moving);
        let (zero, one) = (lot.zero(), lot.zero().lit(1.0));
        let (_, lane) = lot.place();
        for r in 0..K::ROWS {
            if L::any(zero.lt(wanted.beyond[r])) {
                let [worst] = lot.load(&[self.worst[r]]);
                L::max(worst, wanted.beyond[r]).store(&mut self.worst[r][lane..]);
            }
        }
        // Counted in the first look only.
        if !self.moving {
            let Wanted { sound, movable, collapsed, .. } = wanted;
            let counts = lot.load(&self.counts);
            (counts[0] + (one - sound)).store(&mut self.counts[0][lane..]);
            (counts[1] + sound * (one - movable)).store(&mut self.counts[1][lane..]);
            (counts[2] + collapsed).store(&mut self.counts[2][lane..]);
        }
        wanted
    }

    fn tally(&self) -> Tally {
        let worst = |row: [T; BLOCK]| row.iter().fold(0.0, |worst: f64, lane| worst.max(lane.f64()));
        let count = |row: [T; BLOCK]| row.iter().map(|lane| lane.f64() as u64).sum();
        Tally { worst: self.worst.map(worst), counts: self.counts.map(count) }
    }
}

/// The elements' vertices in all arrays.
#[inline(always)]
fn gather<T: Scalar, L: Lanes<T>, const V: usize, const P: usize, const A: usize>(
    lot: &Lot<'_, T, L, V, P, 0, A>,
) -> [[[L; 4]; V]; A] {
    let mut at = [lot.gather(0); A];
    for a in 1..A {
        at[a] = lot.gather(a);
    }
    at
}

impl<K, T, const V: usize, const P: usize, const A: usize> LotKernel<T, V, P, 0, A> for Limit<K, T>
where
    K: Policy<T, V, P, A>,
    T: Scalar,
{
    type Compiled = K::Compiled;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, V, P, 0, A>) {
        let mut at = gather(lot);
        let Wanted { by, moves, .. } = self.see(lot, &at);
        if self.moving && moves {
            for k in 0..V {
                at[0][k][0] = at[0][k][0] + by[k].x;
                at[0][k][1] = at[0][k][1] + by[k].y;
                at[0][k][2] = at[0][k][2] + by[k].z;
            }
            lot.scatter(0, at[0]);
        }
    }
}

/// What triangles would do, noted instead of done: three vectors for each lane.
#[derive(Clone, Copy)]
struct Note<'a, K, T> {
    limit: Limit<K, T>,
    notes: PerBlock<'a, Vertex<T>, NOTES>,
}

/// Notes of a block.
const NOTES: usize = 3 * BLOCK;

impl<K, T, const P: usize> LotKernel<T, 3, P, 0, 1> for Note<'_, K, T>
where
    K: Policy<T, 3, P, 1>,
    T: Scalar,
{
    type Compiled = K::Compiled;

    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, lot: &mut Lot<'_, T, L, 3, P, 0, 1>) {
        let at = gather(lot);
        let by = self.limit.see(lot, &at).by;
        let (_, first) = lot.place();
        let notes = lot.of_block(self.notes);
        let mut lanes = [[T::of(0.0); BLOCK]; 3];
        for k in 0..3 {
            by[k].x.store(&mut lanes[0]);
            by[k].y.store(&mut lanes[1]);
            by[k].z.store(&mut lanes[2]);
            for i in 0..L::N {
                notes[3 * (first + i) + k] = [lanes[0][i], lanes[1][i], lanes[2][i], T::of(0.0)];
            }
        }
    }
}

/// Above this squared length (rest is 1) columns are beyond what can be computed with.
const HUGE: f64 = 1e16;

/// 1 where columns can be computed with, else 0.
#[inline(always)]
pub(super) fn sound<L: Real, const D: usize>(columns: &[V3<L>; D]) -> L {
    let mut size = columns[0].norm2();
    for i in 1..D {
        size = size + columns[i].norm2();
    }
    L::select(size.lt(size.lit(HUGE)), size.lit(1.0), size.lit(0.0))
}

/// Elements to sweep over, and how often.
#[derive(Clone, Debug)]
pub(super) struct Swept<T, const V: usize, const P: usize> {
    pub batch: Batch<T, V, P, 0>,
    settings: SweepSettings,
    degenerate: u64,
}

impl<T: Scalar, const V: usize, const P: usize> Swept<T, V, P> {
    /// Packs `elements` on `vertices` vertices; those that cannot be limited are none.
    pub fn pack(
        vertices: usize,
        elements: impl Iterator<Item = Option<([u32; V], [f64; P])>>,
        settings: SweepSettings,
    ) -> Self {
        let (mut loose, mut degenerate) = (Vec::new(), 0);
        for element in elements {
            match element {
                Some((index, rest)) => {
                    loose.push(Loose { index, rest, stiffness: [], damping: [], elastic: None });
                }
                None => degenerate += 1,
            }
        }
        Swept { batch: Batch::pack(&loose, vertices as u32), settings, degenerate }
    }

    /// A thread for every 128 blocks of a colour, below which meeting costs more than it brings (as in the step).
    pub fn workers(&self) -> usize {
        (self.batch.blocks().len() / (self.batch.colours().len().max(1) * 128)).max(1)
    }

    /// Looks for violations.
    fn look<K, const A: usize>(&self, job: &mut Application<'_, T>, policy: K) -> Tally
    where
        K: Policy<T, V, P, A>,
    {
        let mut kernel = Limit::new(policy, false);
        job.sweep.look(&self.batch, arrays(job), &mut kernel);
        job.add_up(&kernel.tally())
    }

    /// Moves elements one after another, colour by colour.
    pub fn relax<K, const A: usize>(&self, job: &mut Application<'_, T>, policy: K, order: &[usize]) -> Tally
    where
        K: Policy<T, V, P, A>,
    {
        let mut kernel = Limit::new(policy, true);
        job.sweep.run_in(order.iter().copied(), &self.batch, arrays(job), &mut kernel);
        job.add_up(&kernel.tally())
    }

    /// Looks, then has `sweep` go over all elements until all limits hold or the sweeps run out, then looks again.
    /// `sweep` gets the order of colours, and hears whether limits nearly hold and yet take long. `violation` names the
    /// rows.
    ///
    /// Every sweep visits all elements: no active set as for the limit at the end of a step. A step's limiters take
    /// three or so sweeps in a substep besides looking at everything before and after, which no active set can spare
    /// them.
    pub fn converge<K, const A: usize>(
        &self,
        job: &mut Application<'_, T>,
        look: K,
        mut sweep: impl FnMut(&mut Application<'_, T>, bool, &[usize]) -> Tally,
        violation: fn(&[f64; 4]) -> Violation,
    ) -> LimitReport
    where
        K: Policy<T, V, P, A>,
    {
        let settings = &self.settings;
        let mut order: Vec<usize> = (0..self.batch.colours().len()).collect();
        let before = self.look(job, look);
        let (mut after, mut iterations) = (before, 0);
        let most = settings.iterations.saturating_sub(job.spent);
        while iterations < most && after.most() > settings.tolerance {
            iterations += 1;
            shuffle(&mut order, settings.seed, iterations);
            let seen = sweep(job, iterations > PLAIN_SWEEPS && after.most() < NEAR, &order);
            // What a sweep sees on its way is close enough to tell when to stop, and costs nothing.
            let ends = iterations == most || seen.most() <= settings.tolerance;
            after = if ends { self.look(job, look) } else { seen };
        }
        let [not_finite, held, collapsed] = before.counts;
        // Lanes without an element look like held ones.
        let spare = (self.batch.blocks().len() * BLOCK - self.batch.count) as u64;
        LimitReport {
            iterations,
            converged: after.most() <= settings.tolerance,
            before: violation(&before.worst),
            after: violation(&after.worst),
            skipped: Skipped { degenerate: self.degenerate, not_finite, held: held.saturating_sub(spare) },
            collapsed,
            ..LimitReport::default()
        }
    }
}

impl<T: Scalar, const P: usize> Swept<T, 3, P> {
    /// Notes how triangles would move, three vectors for each lane, in `job`'s vectors.
    pub fn note<K: Policy<T, 3, P, 1>>(&self, job: &mut Application<'_, T>, policy: K) -> Tally {
        let notes = PerBlock::new(&self.batch, job.vectors.all, 0);
        let mut kernel = Note { limit: Limit::new(policy, true), notes };
        job.sweep.look(&self.batch, arrays(job), &mut kernel);
        job.add_up(&kernel.limit.tally())
    }
}

/// What is moved and, if there are to be two arrays, positions.
fn arrays<'a, T, const A: usize>(job: &Application<'a, T>) -> [Shared<'a, Vertex<T>>; A] {
    let mut arrays = [job.p.all; A];
    if let Some(positions) = arrays.get_mut(1) {
        *positions = job.vectors.all;
    }
    arrays
}

/// Sweeps after which limits that nearly hold take long: corrections that a few sweeps do need no help.
const PLAIN_SWEEPS: u32 = 8;

/// The violation below which limits nearly hold.
const NEAR: f64 = 0.05;

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
fn shuffle(order: &mut [usize], seed: u64, sweep: u32) {
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
