//! One application of a limiter: what is filtered, and the memory and threads that takes.

use super::phased::Phased;
use super::{LimitKernels, LimitReport, Limiter};
use crate::constraint::{LaneChoice, Sweep};
use crate::lanes::Level;
use crate::lanes::{Scalar, Shared, Vertex, Width};
use crate::team::{Team, Worker};
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

/// How much memory a limiter works in, besides a vector for each vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemorySize {
    pub vectors: usize,
    pub numbers: usize,
    pub sums: usize,
}

/// Memory that limiters share: as much as the greediest of them asks for.
#[derive(Debug, Default)]
pub(crate) struct LimitMemory<T> {
    p: Vec<Vertex<T>>,
    vectors: Vec<Vertex<T>>,
    numbers: Vec<T>,
    sums: Vec<f64>,
    totals: TeamTally,
}

impl<T: Scalar> LimitMemory<T> {
    /// Lays out what `limiters` of one number of vertices need.
    pub fn lay_out<'l>(
        &mut self,
        limiters: impl IntoIterator<Item = &'l Limiter<T>>,
        lanes: LaneChoice,
    ) -> Workspace<'_, T> {
        let mut n = 0;
        let zero = [T::of(0.0); 4];
        for limiter in limiters {
            n = limiter.vertices();
            let size = limiter.memory();
            self.vectors.resize(self.vectors.len().max(size.vectors), zero);
            self.numbers.resize(self.numbers.len().max(size.numbers), T::of(0.0));
            self.sums.resize(self.sums.len().max(size.sums), 0.0);
        }
        self.p.clear();
        self.p.resize(n + 1, zero);
        Workspace {
            lanes,
            p: Shared::new(&mut self.p),
            vectors: Shared::new(&mut self.vectors),
            numbers: Shared::new(&mut self.numbers),
            sums: Shared::new(&mut self.sums),
            totals: &self.totals,
        }
    }
}

/// Memory laid out for limiters that work one after another, as every worker of a team sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workspace<'a, T> {
    lanes: LaneChoice,
    p: Shared<'a, Vertex<T>>,
    vectors: Shared<'a, Vertex<T>>,
    numbers: Shared<'a, T>,
    sums: Shared<'a, f64>,
    totals: &'a TeamTally,
}

/// What is filtered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a, T> {
    /// Velocities `v` (m/s) that lead from positions `x` (m, with inverse masses) in a time `dt` (s).
    Velocities { x: &'a [Vertex<T>], v: Shared<'a, Vertex<T>>, dt: T },
    /// Velocities `v` (m/s) at positions `x` (m, with inverse masses), for limits on rates. Positions are not written.
    Rates { x: Shared<'a, Vertex<T>>, v: Shared<'a, Vertex<T>> },
    /// Candidate positions with inverse masses, in place; and velocities (m/s) that gain so much (1/s) times what their
    /// vertices are moved by.
    Candidates { p: Shared<'a, Vertex<T>>, follow: Option<(Shared<'a, Vertex<T>>, T)> },
}

/// One worker's chunk of a [`Target`].
enum FilterChunk<'a, T> {
    Velocities { x: &'a [Vertex<T>], v: &'a mut [Vertex<T>], dt: T },
    Rates { x: &'a [Vertex<T>], v: &'a mut [Vertex<T>] },
    Candidates { p: &'a mut [Vertex<T>], follow: Option<(&'a mut [Vertex<T>], T)> },
}

impl<'a, T: Scalar> Target<'a, T> {
    /// Whether there are `n` vertices.
    fn reaches(&self, n: usize) -> bool {
        match self {
            Target::Velocities { x, v, .. } => x.len() >= n && v.len() >= n,
            Target::Rates { x, v } => x.len() >= n && v.len() >= n,
            Target::Candidates { p, follow } => p.len() >= n && follow.is_none_or(|(v, _)| v.len() >= n),
        }
    }

    /// This worker's chunk of the first `n` vertices.
    fn chunk(self, worker: Worker<'_>, n: usize) -> FilterChunk<'a, T> {
        let own = |all: Shared<'a, Vertex<T>>| worker.chunk_of(all, 0..n);
        match self {
            Target::Velocities { x, v, dt } => FilterChunk::Velocities { x: &x[worker.chunk(0..n)], v: own(v), dt },
            Target::Rates { x, v } => FilterChunk::Rates { x: &worker.read(x)[worker.chunk(0..n)], v: own(v) },
            Target::Candidates { p, follow } => {
                FilterChunk::Candidates { p: own(p), follow: follow.map(|(v, rate)| (own(v), rate)) }
            }
        }
    }
}

impl<T: Scalar> FilterChunk<'_, T> {
    /// Where vertex i of the chunk wants to be (for rates: its velocity), with its inverse mass, 0 if it may not be
    /// moved.
    fn candidate(&self, i: usize, fixed: bool) -> Vertex<T> {
        let mut p = match self {
            FilterChunk::Velocities { x, v, dt } => {
                let (x, v) = (x[i], v[i]);
                [x[0] + v[0] * *dt, x[1] + v[1] * *dt, x[2] + v[2] * *dt, x[3]]
            }
            FilterChunk::Rates { x, v } => [v[i][0], v[i][1], v[i][2], x[i][3]],
            FilterChunk::Candidates { p, .. } => p[i],
        };
        let free = p[3] > T::of(0.0) && p[3].finite() && !fixed;
        p[3] = if free { p[3] } else { T::of(0.0) };
        p
    }

    /// Writes back what became `p` of vertex i's candidate; returns whether it had to be contained.
    fn store(&mut self, i: usize, p: Vertex<T>, fixed: bool) -> bool {
        let (from, zero) = (self.candidate(i, fixed), T::of(0.0));
        let moved = p[3] > zero && (0..3).all(|k| p[k].finite() && from[k].finite());
        match self {
            FilterChunk::Velocities { v, dt, .. } => {
                for k in 0..3 {
                    if moved && p[k] != from[k] {
                        // Only what the limiter changed: (p − x)/dt would round away slow motion.
                        v[i][k] = v[i][k] + (p[k] - from[k]) / *dt;
                    }
                }
                let sound = v[i][..3].iter().all(|c| c.finite());
                if !sound {
                    v[i] = [zero; 4];
                }
                !sound
            }
            FilterChunk::Rates { v, .. } => {
                let sound = from[..3].iter().all(|c| c.finite());
                let kept = if moved { p } else { from };
                v[i] = if sound { [kept[0], kept[1], kept[2], zero] } else { [zero; 4] };
                !sound
            }
            FilterChunk::Candidates { p: candidates, follow } => {
                if moved {
                    candidates[i][..3].copy_from_slice(&p[..3]);
                    if let Some((v, rate)) = follow {
                        for k in 0..3 {
                            v[i][k] = v[i][k] + (p[k] - from[k]) * *rate;
                        }
                    }
                }
                false
            }
        }
    }
}

/// One application of a limiter, as one worker sees it.
pub(super) struct Application<'a, T> {
    pub sweep: Sweep<'a>,
    /// Candidates (for rates: velocities) with inverse masses, 0 where fixed; the spare vertex last.
    pub p: Phased<'a, Vertex<T>>,
    /// For rates positions, with the spare vertex; else the limiter's own.
    pub vectors: Phased<'a, Vertex<T>>,
    pub numbers: Phased<'a, T>,
    pub sums: Phased<'a, f64>,
    /// Of a limiter's most sweeps (or systems), those that are spent.
    pub spent: u32,
    totals: &'a TeamTally,
    round: usize,
}

impl<T: LimitKernels> Limiter<T> {
    /// Filters `target`, as one worker of a team: all call this, with memory that was laid out for this limiter. Does
    /// not move vertices whose flag is set in `fixed`; those beyond the last flag are free. So many of the most sweeps
    /// (or systems) are `spent` already. All workers get the same report, when all are done.
    pub(crate) fn filter(
        &self,
        worker: Worker<'_>,
        memory: Workspace<'_, T>,
        target: Target<'_, T>,
        fixed: &[bool],
        spent: u32,
    ) -> LimitReport {
        let n = self.vertices();
        if !target.reaches(n) {
            return LimitReport::default();
        }
        let is_fixed = |i: usize| fixed.get(i).is_some_and(|&f| f);
        let mut application = Application::new(worker, memory, spent);
        application.load(n, target, is_fixed);
        let mut report = T::relax(self, &mut application);
        worker.sync();
        let (mut chunk, mut contained) = (target.chunk(worker, n), 0);
        for (i, v) in worker.chunk(0..n).enumerate() {
            contained += u64::from(chunk.store(i, application.p.read()[v], is_fixed(v)));
        }
        report.contained = application.add_up(&Tally { counts: [contained, 0, 0], ..Tally::default() }).counts[0];
        report.threads = worker.of();
        worker.sync();
        report
    }
}

impl<'a, T: Scalar> Application<'a, T> {
    fn new(worker: Worker<'a>, memory: Workspace<'a, T>, spent: u32) -> Self {
        Application {
            sweep: Sweep { worker, lanes: memory.lanes },
            p: Phased { worker, all: memory.p },
            vectors: Phased { worker, all: memory.vectors },
            numbers: Phased { worker, all: memory.numbers },
            sums: Phased { worker, all: memory.sums },
            spent,
            totals: memory.totals,
            round: 0,
        }
    }

    /// Loads the candidates, and empties what an application before may have left where this one expects nothing.
    fn load(&mut self, n: usize, target: Target<'_, T>, fixed: impl Fn(usize) -> bool) {
        let worker = self.sweep.worker;
        let from = target.chunk(worker, n);
        self.p.write(n, 1, |mine, p| {
            for (i, v) in mine.enumerate() {
                p[i] = from.candidate(i, fixed(v));
            }
            if worker.id() == 0 {
                self.totals.rounds.iter().flatten().for_each(|number| number.store(0, Ordering::Relaxed));
            }
        });
        if let Target::Rates { x, .. } = target {
            let x = worker.read(x);
            self.vectors.write(n + 1, 1, |mine, at| {
                for (at, v) in at.iter_mut().zip(mine) {
                    *at = if v < n { x[v] } else { [T::of(0.0); 4] };
                }
            });
        }
    }

    /// Adds up what all workers saw.
    pub fn add_up(&mut self, mine: &Tally) -> Tally {
        self.round += 1;
        self.totals.add_up(self.sweep.worker, self.round, mine)
    }
}

/// What was seen in a sweep over elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// The largest violation of each row.
    pub worst: [f64; 4],
    /// Elements not finite, held, collapsed.
    pub counts: [u64; 3],
}

impl Tally {
    /// The largest violation of any row.
    pub fn most(&self) -> f64 {
        self.worst.iter().copied().fold(0.0, f64::max)
    }
}

/// Where workers add up. Maxima and counts do not depend on the order.
#[derive(Debug, Default)]
struct TeamTally {
    /// Rounds use these in turn, so that one can be emptied while another is read.
    rounds: [[AtomicU64; 7]; 3],
}

impl TeamTally {
    fn add_up(&self, worker: Worker<'_>, round: usize, mine: &Tally) -> Tally {
        let slot = &self.rounds[round % 3];
        for r in 0..4 {
            // Numbers that are not negative are ordered as their bits are.
            slot[r].fetch_max(mine.worst[r].max(0.0).to_bits(), Ordering::Relaxed);
        }
        for c in 0..3 {
            slot[4 + c].fetch_add(mine.counts[c], Ordering::Relaxed);
        }
        worker.sync();
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let all = Tally {
            worst: [0, 1, 2, 3].map(|r| f64::from_bits(load(&slot[r]))),
            counts: [4, 5, 6].map(|c| load(&slot[c])),
        };
        // The previous round's: everyone has read it before the meeting above, and nobody writes it before the next.
        if worker.id() == 0 {
            for number in &self.rounds[(round + 2) % 3] {
                number.store(0, Ordering::Relaxed);
            }
        }
        all
    }
}

/// What a limiter needs when it stands alone: threads and memory.
#[derive(Debug)]
pub struct LimitScratch<T> {
    team: Team,
    lanes: LaneChoice,
    eager: bool,
    memory: LimitMemory<T>,
    /// Positions with inverse masses, and velocities, as kernels read them.
    x: Vec<Vertex<T>>,
    v: Vec<Vertex<T>>,
}

impl<T: LimitKernels> LimitScratch<T> {
    /// Works on up to `threads` threads. The results do not depend on it.
    pub fn new(threads: usize) -> Self {
        let lanes = LaneChoice { width: Width::default(), level: Level::new() };
        let memory = LimitMemory::default();
        LimitScratch { team: Team::new(threads), lanes, eager: false, memory, x: Vec::new(), v: Vec::new() }
    }

    /// Uses all threads even where the mesh is too small for them to pay.
    pub fn eager(self) -> Self {
        LimitScratch { eager: true, ..self }
    }

    /// Uses this lane width. The results do not depend on it.
    pub fn with_width(self, width: Width) -> Self {
        LimitScratch { lanes: LaneChoice { width, ..self.lanes }, ..self }
    }

    /// Filters velocities (m/s) at positions (m) with inverse masses (1/kg): what they lead to in a time `dt` (s), or
    /// without one the rates of strain.
    pub(super) fn velocities(
        &mut self,
        limiter: &Limiter<T>,
        (positions, inverse_masses): (&[[T; 3]], &[T]),
        velocities: &mut [[T; 3]],
        fixed: &[bool],
        dt: Option<T>,
    ) -> LimitReport {
        let (mut x, mut v) = (core::mem::take(&mut self.x), core::mem::take(&mut self.v));
        let (n, zero) = (limiter.vertices(), T::of(0.0));
        pack(&mut x, n, positions, inverse_masses.iter().copied());
        pack(&mut v, n, velocities, core::iter::repeat(zero));
        let target = match dt {
            Some(dt) => Target::Velocities { x: &x, v: Shared::new(&mut v), dt },
            None => Target::Rates { x: Shared::new(&mut x), v: Shared::new(&mut v) },
        };
        let report = self.run(limiter, target, fixed);
        unpack(&v, velocities);
        (self.x, self.v) = (x, v);
        report
    }

    /// The same for candidate positions, in place.
    pub(super) fn candidates(
        &mut self,
        limiter: &Limiter<T>,
        (positions, inverse_masses): (&mut [[T; 3]], &[T]),
        fixed: &[bool],
    ) -> LimitReport {
        let mut p = core::mem::take(&mut self.x);
        pack(&mut p, limiter.vertices(), positions, inverse_masses.iter().copied());
        let report = self.run(limiter, Target::Candidates { p: Shared::new(&mut p), follow: None }, fixed);
        unpack(&p, positions);
        self.x = p;
        report
    }

    /// Filters `target`, if it is of the sort that `limiter` is for.
    fn run(&mut self, limiter: &Limiter<T>, target: Target<'_, T>, fixed: &[bool]) -> LimitReport {
        if limiter.limits_rate() != matches!(target, Target::Rates { .. }) {
            return LimitReport::default();
        }
        let workers = if self.eager { self.team.threads() } else { limiter.workers() };
        let memory = self.memory.lay_out([limiter], self.lanes);
        let report = OnceLock::new();
        // SAFETY: limiters go the same way on every worker: they decide by what all have measured together.
        unsafe {
            self.team.run(workers, |worker| {
                // All say the same.
                let mine = limiter.filter(worker, memory, target, fixed, 0);
                report.get_or_init(|| mine);
            });
        }
        report.into_inner().unwrap_or_default()
    }
}

/// The first `n` vectors, or as many as there are, each with a fourth number.
fn pack<T: Scalar>(to: &mut Vec<Vertex<T>>, n: usize, from: &[[T; 3]], fourth: impl Iterator<Item = T>) {
    to.clear();
    to.extend(from.iter().zip(fourth).take(n).map(|(&[x, y, z], w)| [x, y, z, w]));
}

/// The other way round.
fn unpack<T: Scalar>(from: &[Vertex<T>], to: &mut [[T; 3]]) {
    for (&[x, y, z, _], to) in from.iter().zip(to) {
        *to = [x, y, z];
    }
}
