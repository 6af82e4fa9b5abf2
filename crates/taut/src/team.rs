//! A small team of threads that works through the same program side by side.
//!
//! A step has thousands of short stretches of parallel work (one per colour), too short for a fork and join each: on
//! 3,528 triangles that was five times slower than one thread. So the whole step is handed to every worker once, and
//! workers meet at barriers in between. A barrier spins briefly, because the others are usually a microsecond away;
//! then yields, which costs little and lets others run on a busy machine; then parks, because they may be a time slice
//! away.
//!
//! **Lockstep.** Workers share arrays ([`Shared`]) without locks. That is sound for one reason, promised once, where a
//! team starts ([`Team::run`]): every worker makes the same calls (chunks, sweeps, meetings) in the same order with the
//! same arrays, so that between two meetings each touches its own part. Everything that a worker hands out is safe to
//! call under that promise. Parking after ten microseconds made two threads slower than one at any size: waking a
//! parked thread takes fifty.

use crate::lanes::Shared;
use core::any::Any;
use core::ops::Range;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

/// Threads that stay alive between steps.
#[derive(Debug)]
pub struct Team {
    pool: Option<rayon_core::ThreadPool>,
    threads: usize,
    cores: usize,
}

/// One of the threads at work, and its way to meet the others.
#[derive(Clone, Copy, Debug)]
pub struct Worker<'a> {
    id: usize,
    of: usize,
    barrier: &'a Barrier,
}

impl Team {
    /// A team of `threads` (at least 1, at most 256). One thread needs no system resources. If the system refuses
    /// threads, the team has one: the results are the same.
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, 256);
        let pool = (threads > 1)
            .then(|| {
                let name = |i| format!("taut-{i}");
                rayon_core::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build().ok()
            })
            .flatten();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Team { threads: if pool.is_some() { threads } else { 1 }, pool, cores }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `program` on `workers` threads at once (at most [`threads`](Self::threads)) and waits for all. If one of
    /// them panics the others end where they would wait for it next, and the panic goes on here.
    ///
    /// # Safety
    /// The program goes the same way on every worker: the same calls of [`Worker`]'s methods and of sweeps, in the same
    /// order, with the same arrays; no array that some write between two meetings is read by others before the second.
    /// What depends on [`Worker::id`] either touches no shared array or is done by [`Worker::alone`], with a meeting
    /// after it. No slice that a worker was handed is used after the next meeting, or beside another of the same array.
    /// Rows of [`Worker::chunk_of_rows`] begin one after another, the same on every worker.
    pub unsafe fn run(&self, workers: usize, program: impl Fn(Worker<'_>) + Sync) {
        let of = workers.clamp(1, self.threads);
        // Where workers outnumber cores, whoever spins keeps from running whoever is waited for.
        let barrier = Barrier::new(of, of <= self.cores);
        match &self.pool {
            Some(pool) if of > 1 => {
                pool.broadcast(|context| {
                    if context.index() < of {
                        // Nothing is looked at after a panic but what it says.
                        let work = || program(Worker { id: context.index(), of, barrier: &barrier });
                        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
                            barrier.break_down(panic);
                        }
                    }
                });
                if let Some(panic) = barrier.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    resume_unwind(panic);
                }
            }
            _ => program(Worker { id: 0, of: 1, barrier: &barrier }),
        }
    }
}

impl Worker<'_> {
    /// Its number, 0 to [`of`](Self::of) − 1.
    #[inline]
    pub fn id(&self) -> usize {
        self.id
    }

    /// How many work.
    #[inline]
    pub fn of(&self) -> usize {
        self.of
    }

    /// Waits until all workers are here. What they wrote before is visible after.
    #[inline]
    pub fn sync(&self) {
        if self.of > 1 {
            self.barrier.wait();
        }
    }

    /// This worker's chunk of `range`: contiguous, so that neighbours in memory stay with one worker.
    #[inline]
    pub fn chunk(&self, range: Range<usize>) -> Range<usize> {
        chunk(range, self.id, self.of)
    }

    /// This worker's chunk of an array, to change; nobody else touches it before the next meeting.
    #[inline]
    pub fn chunk_mut<'s, T: Copy>(self, array: Shared<'s, T>) -> &'s mut [T] {
        self.chunk_of(array, 0..array.len())
    }

    /// The same of a range of an array.
    #[inline]
    pub fn chunk_of<'s, T: Copy>(self, array: Shared<'s, T>, range: Range<usize>) -> &'s mut [T] {
        self.chunk_of_rows(array, range.len(), |i| range.start + i)
    }

    /// This worker's chunk of `count` rows of an array, one after another: row r begins at `start(r)`, the last ends at
    /// `start(count)`.
    #[inline]
    pub fn chunk_of_rows<'s, T: Copy>(
        self,
        array: Shared<'s, T>,
        count: usize,
        start: impl Fn(usize) -> usize,
    ) -> &'s mut [T] {
        let rows = self.chunk(0..count);
        // SAFETY: workers are in lockstep and rows ascend (the promise of `Team::run`): each asks for its own chunk, and
        // chunks follow each other. `slice` checks that it is within the array.
        unsafe { array.slice(start(rows.start)..start(rows.end)) }
    }

    /// All of an array, to read; nobody writes it before the next meeting.
    #[inline]
    pub fn read<'s, T: Copy>(self, array: Shared<'s, T>) -> &'s [T] {
        // SAFETY: as long as the array is. Workers are in lockstep (the promise of `Team::run`): all read, or one is
        // alone.
        unsafe { array.first(array.len()) }
    }

    /// The first worker, for what it does while the others wait: its chunks are everything, and it meets nobody. A
    /// meeting must follow.
    #[inline]
    pub fn alone(self) -> Option<Self> {
        (self.id == 0).then_some(Worker { of: 1, ..self })
    }
}

/// The chunk of `range` of number `id` of `of`.
#[inline]
pub(crate) fn chunk(range: Range<usize>, id: usize, of: usize) -> Range<usize> {
    let n = range.len();
    range.start + n * id / of..range.start + n * (id + 1) / of
}

/// Spins this often before yielding: some microseconds.
const SPINS: usize = 200;
/// Yields this often before parking: half a millisecond if nobody else wants to run.
const YIELDS: usize = 1000;

/// A bit of a barrier's round that says that one of those who meet there will not come any more.
const BROKEN: usize = 1 << (usize::BITS - 1);

/// What workers end with who wait for one that panicked.
struct Left;

#[derive(Debug)]
struct Barrier {
    of: usize,
    patient: bool,
    arrived: AtomicUsize,
    round: AtomicUsize,
    parked: AtomicUsize,
    bed: Mutex<()>,
    wake: Condvar,
    /// The first panic.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Barrier {
    fn new(of: usize, patient: bool) -> Self {
        Barrier {
            of,
            patient,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            parked: AtomicUsize::new(0),
            bed: Mutex::new(()),
            wake: Condvar::new(),
            panic: Mutex::new(None),
        }
    }

    /// Tells all who wait, and who will, that a worker ended with a panic.
    fn break_down(&self, panic: Box<dyn Any + Send>) {
        if !panic.is::<Left>() {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
        self.round.fetch_or(BROKEN, Ordering::SeqCst);
        drop(self.bed.lock());
        self.wake.notify_all();
    }

    /// Waits for all others; ends the worker, without a word, if one of them panicked.
    fn wait(&self) {
        if self.next_round() & BROKEN != 0 {
            resume_unwind(Box::new(Left));
        }
    }

    /// The number of the round after the one that goes on.
    fn next_round(&self) -> usize {
        let round = self.round.load(Ordering::Acquire);
        if round & BROKEN != 0 {
            return round;
        }
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.of {
            self.arrived.store(0, Ordering::Relaxed);
            // Either this sees who has gone to bed, or they see the new round: hence one order of all four. Waking is a
            // call to the system, and mostly nobody sleeps. Who breaks down meanwhile is heard, too. Nobody counts to
            // the bit that says so.
            let next = self.round.fetch_add(1, Ordering::SeqCst) + 1;
            if self.parked.load(Ordering::SeqCst) > 0 {
                drop(self.bed.lock());
                self.wake.notify_all();
            }
            return next;
        }
        for i in 0..if self.patient { SPINS + YIELDS } else { 0 } {
            let now = self.round.load(Ordering::Acquire);
            if now != round {
                return now;
            }
            if i < SPINS { core::hint::spin_loop() } else { std::thread::yield_now() }
        }
        let mut guard = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        self.parked.fetch_add(1, Ordering::SeqCst);
        while self.round.load(Ordering::SeqCst) == round {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.parked.fetch_sub(1, Ordering::SeqCst);
        self.round.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_passes_a_barrier_before_all_have_come() {
        // More workers than cores, so that some must park.
        let team = Team::new(5);
        let count = AtomicUsize::new(0);
        let bad = AtomicUsize::new(0);
        let program = |worker: Worker<'_>| {
            for round in 1..=300 {
                count.fetch_add(1, Ordering::SeqCst);
                worker.sync();
                if count.load(Ordering::SeqCst) != round * 5 {
                    bad.fetch_add(1, Ordering::SeqCst);
                }
                worker.sync();
            }
        };
        // SAFETY: no arrays.
        unsafe { team.run(5, program) };
        assert_eq!(bad.load(Ordering::SeqCst), 0);
    }

    /// It waited for ever.
    #[test]
    fn a_worker_that_panics_ends_the_others_and_is_heard() {
        // With as many workers as cores they spin first; with more some sleep.
        for workers in [2, 5] {
            let team = Team::new(workers);
            let ended = AtomicUsize::new(0);
            let program = |worker: Worker<'_>| {
                for round in 0..50 {
                    worker.sync();
                    assert!(round < 20 || worker.id() != 1, "the second worker in round {round}");
                }
                ended.fetch_add(1, Ordering::SeqCst);
            };
            // SAFETY: no arrays.
            let run = || unsafe { team.run(workers, program) };
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic is no success");
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("the second worker in round 20"));
            assert_eq!(ended.load(Ordering::SeqCst), 0, "the others cannot have met it");
            // The team is as good as before.
            let count = AtomicUsize::new(0);
            let again = |worker: Worker<'_>| {
                worker.sync();
                count.fetch_add(1, Ordering::SeqCst);
            };
            // SAFETY: no arrays.
            unsafe { team.run(workers, again) };
            assert_eq!(count.load(Ordering::SeqCst), workers);
        }
    }

    #[test]
    fn chunks_cover_a_range_once() {
        let barrier = Barrier::new(3, false);
        let mut next = 10;
        for id in 0..3 {
            let chunk = Worker { id, of: 3, barrier: &barrier }.chunk(10..27);
            assert_eq!(chunk.start, next);
            next = chunk.end;
        }
        assert_eq!(next, 27);
    }
}
