//! One application of a limiter: its memory, its threads, what it reads and writes.

use super::{Limit, LimitReport};
use crate::lanes::{Place, Scalar, Shared, Vertex, Width};
use crate::team::{Team, Worker};
use core::sync::atomic::{AtomicU64, Ordering};
use fearless_simd::Level;

/// The memory a limiter works in, and how many threads it can keep busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Vertices, the spare one not counted.
    pub vertices: usize,
    /// Vectors besides one for each vertex.
    pub vectors: usize,
    /// Plain numbers.
    pub numbers: usize,
    /// Partial sums of a reduction.
    pub sums: usize,
    /// Threads that pay.
    pub workers: usize,
}

impl Needs {
    /// Enough for either.
    pub fn or(self, other: Needs) -> Needs {
        Needs {
            vertices: self.vertices.max(other.vertices),
            vectors: self.vectors.max(other.vectors),
            numbers: self.numbers.max(other.numbers),
            sums: self.sums.max(other.sums),
            workers: self.workers.max(other.workers),
        }
    }
}

/// Memory that limiters share: as much as the greediest of them asked for.
#[derive(Debug)]
pub struct LimitMemory<T> {
    p: Vec<Vertex<T>>,
    vectors: Vec<Vertex<T>>,
    numbers: Vec<T>,
    sums: Vec<f64>,
    tally: Tally,
}

impl<T: Scalar> Default for LimitMemory<T> {
    fn default() -> Self {
        let (p, vectors, numbers, sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        LimitMemory { p, vectors, numbers, sums, tally: Tally::default() }
    }
}

impl<T: Scalar> LimitMemory<T> {
    /// Lays out what limiters with these `needs` work on.
    pub fn desk(&mut self, needs: &Needs, width: Width, level: Level) -> Desk<'_, T> {
        let n = needs.vertices;
        let zero = [T::of(0.0); 4];
        self.p.clear();
        self.p.resize(n + 1, zero);
        self.vectors.resize(self.vectors.len().max(needs.vectors), zero);
        self.numbers.resize(self.numbers.len().max(needs.numbers), T::of(0.0));
        self.sums.resize(self.sums.len().max(needs.sums), 0.0);
        self.tally = Tally::default();
        Desk {
            n,
            width,
            level,
            p: Shared::new(&mut self.p),
            vectors: Shared::new(&mut self.vectors),
            numbers: Shared::new(&mut self.numbers),
            sums: Shared::new(&mut self.sums),
            tally: &self.tally,
            spent: 0,
        }
    }
}

/// Memory laid out for limiters that work one after another, as every worker of a team sees it.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a, T> {
    n: usize,
    pub(super) width: Width,
    pub(super) level: Level,
    /// Candidates (for rates: velocities) with inverse masses, 0 where fixed; the spare vertex last.
    pub(super) p: Shared<'a, Vertex<T>>,
    pub(super) vectors: Shared<'a, Vertex<T>>,
    pub(super) numbers: Shared<'a, T>,
    pub(super) sums: Shared<'a, f64>,
    tally: &'a Tally,
    /// Of a limiter's most sweeps (or systems), those that are spent.
    pub(super) spent: u32,
}

impl<'a, T: Scalar> Desk<'a, T> {
    /// The same for limiters that have done `spent` of their sweeps (or systems) already, and have those left.
    pub fn after(self, spent: u32) -> Self {
        Desk { spent, ..self }
    }

    /// Prepares the application of a limiter to `target`, which does not move vertices whose flag is set in `fixed`; those beyond the last
    /// flag are free. Nothing if the target's arrays are too short.
    pub fn job(self, target: Target<'a, T>, fixed: &'a [bool]) -> Option<Job<'a, T>> {
        let n = self.n;
        let long_enough = match &target {
            Target::Velocities { x, v, .. } => x.len() >= n && v.len() >= n,
            // Positions are put where limiters of rates look for them.
            Target::Rates { x, v } => x.len() >= n && v.len() >= n && self.vectors.len() > n,
            Target::Candidates { p, follow } => p.len() >= n && follow.is_none_or(|(v, _)| v.len() >= n),
        };
        long_enough.then_some(Job { desk: self, target, fixed })
    }
}

/// What is filtered.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a, T> {
    /// Velocities `v` (m/s) that lead from positions `x` (m, with inverse masses) in a time `dt` (s).
    Velocities {
        /// Where vertices are.
        x: &'a [Vertex<T>],
        /// How they want to move.
        v: Shared<'a, Vertex<T>>,
        /// For how long.
        dt: T,
    },
    /// Velocities `v` (m/s) at positions `x` (m, with inverse masses), for limits on rates.
    Rates {
        /// Where vertices are. Not written.
        x: Shared<'a, Vertex<T>>,
        /// How they move.
        v: Shared<'a, Vertex<T>>,
    },
    /// Candidate positions with inverse masses, in place.
    Candidates {
        /// Where vertices want to be.
        p: Shared<'a, Vertex<T>>,
        /// Velocities (m/s) that gain so much (1/s) times what their vertices are moved by.
        follow: Option<(Shared<'a, Vertex<T>>, T)>,
    },
}

/// One application of a limiter, as every worker sees it.
#[derive(Debug)]
pub struct Job<'a, T> {
    desk: Desk<'a, T>,
    target: Target<'a, T>,
    fixed: &'a [bool],
}

impl<'a, T> core::ops::Deref for Job<'a, T> {
    type Target = Desk<'a, T>;

    fn deref(&self) -> &Desk<'a, T> {
        &self.desk
    }
}

impl<T: Scalar> Job<'_, T> {
    /// Loads the candidates, has `limiter` move them, and writes back what changed: one worker's part.
    ///
    /// # Safety
    /// As [`Limit::relax`]; and nobody else touches the target's arrays until all workers have returned.
    pub unsafe fn filter(&self, worker: Worker<'_>, limiter: &dyn Limit<T>) -> LimitReport {
        let mine = worker.chunk(0..self.n);
        for i in mine.clone() {
            let place = Place::new::<Vertex<T>>(i as u32);
            // SAFETY: i is below n, the length of all arrays; workers' shares are disjoint.
            unsafe { self.p.write(place, self.candidate(i)) };
            if let Target::Rates { x, .. } = self.target {
                // SAFETY: as above; who limits rates asks for a vector for each vertex.
                unsafe { self.vectors.write(place, x.read(place)) };
            }
        }
        if worker.id == 0 {
            self.clear();
        }
        worker.sync();
        if worker.id == 0 {
            // Now that all have read what the job before contained.
            self.tally.contained.store(0, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        let mut report = unsafe { limiter.relax(worker, self) };
        worker.sync();
        let mut contained = 0;
        for i in mine {
            // SAFETY: as above.
            contained += u64::from(unsafe { self.store(i) });
        }
        report.contained = self.tally.contained(worker, contained);
        report.threads = worker.of;
        report
    }

    /// What a job before may have left where this one expects nothing: one worker's work, before the others go on.
    fn clear(&self) {
        let (zero, spare) = ([T::of(0.0); 4], Place::new::<Vertex<T>>(self.n as u32));
        // SAFETY: the spare vertex is the last of `p`, and of `vectors` where rates are limited; nobody else touches it
        // before all have met.
        unsafe {
            self.p.write(spare, zero);
            if self.vectors.len() > self.n {
                self.vectors.write(spare, zero);
            }
        }
        self.tally.rounds.iter().flatten().for_each(|number| number.store(0, Ordering::Relaxed));
    }

    /// Where vertex i wants to be, with its inverse mass, 0 if it may not be moved.
    ///
    /// # Safety
    /// No other thread writes vertex i of the target.
    unsafe fn candidate(&self, i: usize) -> Vertex<T> {
        let place = Place::new::<Vertex<T>>(i as u32);
        let mut p = match self.target {
            Target::Velocities { x, v, dt } => {
                // SAFETY: in range, by `job`'s check; no race, by the caller's promise.
                let (x, v) = (x[i], unsafe { v.read(place) });
                [x[0] + v[0] * dt, x[1] + v[1] * dt, x[2] + v[2] * dt, x[3]]
            }
            Target::Rates { x, v } => {
                // SAFETY: as above.
                let (x, v) = unsafe { (x.read(place), v.read(place)) };
                [v[0], v[1], v[2], x[3]]
            }
            // SAFETY: as above.
            Target::Candidates { p, .. } => unsafe { p.read(place) },
        };
        let fixed = self.fixed.get(i).is_some_and(|&f| f);
        let free = p[3] > T::of(0.0) && p[3].finite() && !fixed;
        p[3] = if free { p[3] } else { T::of(0.0) };
        p
    }

    /// Writes back vertex i; returns whether it had to be contained.
    ///
    /// # Safety
    /// No other thread touches vertex i.
    unsafe fn store(&self, i: usize) -> bool {
        let place = Place::new::<Vertex<T>>(i as u32);
        // SAFETY: in range and free of races, as in `candidate`.
        let (p, from) = unsafe { (self.p.read(place), self.candidate(i)) };
        let zero = T::of(0.0);
        let moved = p[3] > zero && (0..3).all(|k| p[k].finite() && from[k].finite());
        match self.target {
            Target::Velocities { v, dt, .. } => {
                // SAFETY: as above.
                let mut velocity = unsafe { v.read(place) };
                for k in 0..3 {
                    if moved && p[k] != from[k] {
                        // Only what the limiter changed: (p − x)/dt would round away slow motion.
                        velocity[k] = velocity[k] + (p[k] - from[k]) / dt;
                    }
                }
                let sound = velocity[..3].iter().all(|c| c.finite());
                // SAFETY: as above.
                unsafe { v.write(place, if sound { velocity } else { [zero; 4] }) };
                !sound
            }
            Target::Rates { v, .. } => {
                let sound = from[..3].iter().all(|c| c.finite());
                let kept = if moved { p } else { from };
                // SAFETY: as above.
                unsafe { v.write(place, if sound { [kept[0], kept[1], kept[2], zero] } else { [zero; 4] }) };
                !sound
            }
            Target::Candidates { p: candidates, follow } => {
                if moved {
                    // SAFETY: as above.
                    let weight = unsafe { candidates.read(place) }[3];
                    // SAFETY: as above.
                    unsafe { candidates.write(place, [p[0], p[1], p[2], weight]) };
                }
                if let Some((v, rate)) = follow.filter(|_| moved) {
                    // SAFETY: as above.
                    let mut velocity = unsafe { v.read(place) };
                    for k in 0..3 {
                        velocity[k] = velocity[k] + (p[k] - from[k]) * rate;
                    }
                    // SAFETY: as above.
                    unsafe { v.write(place, velocity) };
                }
                false
            }
        }
    }

    /// Adds up what all workers saw in a sweep. `round` counts the sweeps, on every worker alike.
    pub(super) fn meet(&self, worker: Worker<'_>, round: usize, mine: &Sight) -> Sight {
        self.tally.meet(worker, round, mine)
    }
}

/// What was seen in a sweep over elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sight {
    /// The largest violation of each row.
    pub worst: [f64; 4],
    /// Elements not finite, held, collapsed.
    pub counts: [u64; 3],
}

impl Sight {
    /// The largest violation of any row.
    pub(super) fn most(&self) -> f64 {
        self.worst.iter().copied().fold(0.0, f64::max)
    }
}

/// Where workers add up. Maxima and counts do not depend on the order.
#[derive(Debug, Default)]
struct Tally {
    /// Rounds use these in turn, so that one can be emptied while another is read.
    rounds: [[AtomicU64; 7]; 3],
    contained: AtomicU64,
}

impl Tally {
    fn meet(&self, worker: Worker<'_>, round: usize, mine: &Sight) -> Sight {
        let slot = &self.rounds[round % 3];
        for r in 0..4 {
            // Numbers that are not negative are ordered as their bits are.
            slot[r].fetch_max(mine.worst[r].max(0.0).to_bits(), Ordering::Relaxed);
        }
        for c in 0..3 {
            slot[4 + c].fetch_add(mine.counts[c], Ordering::Relaxed);
        }
        worker.sync();
        let mut all = Sight::default();
        for r in 0..4 {
            all.worst[r] = f64::from_bits(slot[r].load(Ordering::Relaxed));
        }
        for c in 0..3 {
            all.counts[c] = slot[4 + c].load(Ordering::Relaxed);
        }
        // The previous round's: everyone has read it before the meeting above, and nobody writes it before the next.
        if worker.id == 0 {
            for number in &self.rounds[(round + 2) % 3] {
                number.store(0, Ordering::Relaxed);
            }
        }
        all
    }

    fn contained(&self, worker: Worker<'_>, mine: u64) -> u64 {
        self.contained.fetch_add(mine, Ordering::Relaxed);
        worker.sync();
        self.contained.load(Ordering::Relaxed)
    }
}

/// What a limiter needs when it stands alone: threads and memory.
#[derive(Debug)]
pub struct LimitScratch<T> {
    pub(super) team: Team,
    pub(super) width: Width,
    pub(super) level: Level,
    eager: bool,
    pub(super) memory: LimitMemory<T>,
}

impl<T: Scalar> LimitScratch<T> {
    /// Works on up to `threads` threads. The results do not depend on it.
    pub fn new(threads: usize) -> Self {
        LimitScratch {
            team: Team::new(threads),
            width: Width::default(),
            level: Level::new(),
            eager: false,
            memory: LimitMemory::default(),
        }
    }

    /// Uses all threads even where the mesh is too small for them to pay.
    pub fn eager(self) -> Self {
        LimitScratch { eager: true, ..self }
    }

    /// Uses this lane width. The results do not depend on it.
    pub fn with_width(self, width: Width) -> Self {
        LimitScratch { width, ..self }
    }

    /// [`Limit::apply`], for limiters behind a pointer too.
    pub fn filter(
        &mut self,
        limiter: &dyn Limit<T>,
        x: &[Vertex<T>],
        v: &mut [Vertex<T>],
        fixed: &[bool],
        dt: f64,
    ) -> LimitReport {
        let (step, rate) = (T::of(dt), T::of(1.0 / dt));
        if !(dt > 0.0 && step > T::of(0.0) && step.finite() && rate.finite()) {
            return LimitReport::default();
        }
        self.run(limiter, Target::Velocities { x, v: Shared::new(v), dt: step }, fixed)
    }

    /// [`Limit::apply_to_candidates`], for limiters behind a pointer too.
    pub fn filter_candidates(&mut self, limiter: &dyn Limit<T>, p: &mut [Vertex<T>], fixed: &[bool]) -> LimitReport {
        self.run(limiter, Target::Candidates { p: Shared::new(p), follow: None }, fixed)
    }

    /// Filters velocities `v` (m/s) at positions `x` with a limiter of rates. With any other limiter nothing happens, and so with
    /// one of rates where others are expected; the report says that nothing converged.
    pub fn filter_rates(
        &mut self,
        limiter: &dyn Limit<T>,
        x: &[Vertex<T>],
        v: &mut [Vertex<T>],
        fixed: &[bool],
    ) -> LimitReport {
        self.run(limiter, Target::Rates { x: Shared::frozen(x), v: Shared::new(v) }, fixed)
    }

    fn run(&mut self, limiter: &dyn Limit<T>, target: Target<'_, T>, fixed: &[bool]) -> LimitReport {
        if limiter.limits_rate() != matches!(target, Target::Rates { .. }) {
            return LimitReport::default();
        }
        let needs = limiter.needs();
        let workers = if self.eager { self.team.threads() } else { needs.workers };
        let desk = self.memory.desk(&needs, self.width, self.level);
        let Some(job) = desk.job(target, fixed) else {
            return LimitReport::default();
        };
        let report = std::sync::Mutex::new(LimitReport::default());
        let program = |worker: Worker<'_>| {
            // SAFETY: the job was made for this limiter, the arrays are borrowed until the team is done.
            let mine = unsafe { job.filter(worker, limiter) };
            if worker.id == 0
                && let Ok(mut all) = report.lock()
            {
                *all = mine;
            }
        };
        // SAFETY: limiters go the same way on every worker: they decide by what all have measured together.
        unsafe { self.team.run(workers, program) };
        report.into_inner().unwrap_or_default()
    }
}
