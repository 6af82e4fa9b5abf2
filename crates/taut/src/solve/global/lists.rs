//! Numbers that several workers share, and sums whose bits do not depend on how many workers there are.

use crate::team::Worker;
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering};

/// A list of `f64` that workers read and write side by side, each its own places between two meetings.
///
/// Relaxed atomics compile to plain loads and stores, and need no promise that the compiler cannot check: the work here
/// is bound by memory, not by the vector instructions that this gives up.
#[derive(Debug, Default)]
pub(super) struct SharedList(Vec<AtomicU64>);

impl SharedList {
    /// Makes room for `len` numbers. What was in it stays where it was; what is new is zero.
    pub fn resize(&mut self, len: usize) {
        self.0.resize_with(len, AtomicU64::default);
    }

    #[inline(always)]
    pub fn get(&self, i: usize) -> f64 {
        f64::from_bits(self.0[i].load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub fn set(&self, i: usize, value: f64) {
        self.0[i].store(value.to_bits(), Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn add(&self, i: usize, value: f64) {
        self.set(i, self.get(i) + value);
    }

    /// Vector `i` of a list of vectors.
    #[inline(always)]
    pub fn get3(&self, i: usize) -> [f64; 3] {
        [self.get(3 * i), self.get(3 * i + 1), self.get(3 * i + 2)]
    }

    #[inline(always)]
    pub fn set3(&self, i: usize, value: [f64; 3]) {
        for d in 0..3 {
            self.set(3 * i + d, value[d]);
        }
    }
}

/// A worker with the means to add up.
#[derive(Debug)]
pub(super) struct Crew<'a> {
    pub worker: Worker<'a>,
    partials: &'a [SharedList; 2],
    /// Which of the two lists of partial sums is next. With two, nobody can overwrite what somebody still reads:
    /// between two uses of one list all meet for the other.
    turn: Cell<usize>,
}

/// Indices that one worker treats in one go. Partial sums are over these, so it must not depend on the workers.
const CHUNK: usize = 128;
/// Numbers in a partial result: three sums and a maximum.
const PARTS: usize = 4;

/// The room that the partial sums of `n` numbers take.
pub(super) fn partial_room(n: usize) -> usize {
    n.div_ceil(CHUNK) * PARTS
}

impl<'a> Crew<'a> {
    pub fn new(worker: Worker<'a>, partials: &'a [SharedList; 2]) -> Self {
        Crew { worker, partials, turn: Cell::new(0) }
    }

    /// Does `f` to each of `n` indices, then meets the others.
    #[inline(always)]
    pub fn each(&self, n: usize, mut f: impl FnMut(usize)) {
        for chunk in self.worker.chunk(0..n.div_ceil(CHUNK)) {
            for i in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
                f(i);
            }
        }
        self.worker.sync();
    }

    /// The same, where `f` gives three numbers to add up and one to take the maximum of. Every worker gets the same
    /// bits. A maximum over anything that is not a number is infinite.
    #[inline(always)]
    pub fn reduce(&self, n: usize, mut f: impl FnMut(usize) -> [f64; PARTS]) -> [f64; PARTS] {
        let partials = &self.partials[self.turn.get()];
        self.turn.set(1 - self.turn.get());
        let chunks = n.div_ceil(CHUNK);
        for chunk in self.worker.chunk(0..chunks) {
            let mut all = [0.0; PARTS];
            for i in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
                join(&mut all, f(i));
            }
            for k in 0..PARTS {
                partials.set(chunk * PARTS + k, all[k]);
            }
        }
        self.worker.sync();
        let mut all = [0.0; PARTS];
        for chunk in 0..chunks {
            join(&mut all, core::array::from_fn(|k| partials.get(chunk * PARTS + k)));
        }
        all
    }

    /// The sum of `f` over `n` indices.
    #[inline(always)]
    pub fn sum(&self, n: usize, mut f: impl FnMut(usize) -> f64) -> f64 {
        self.reduce(n, |i| [f(i), 0.0, 0.0, 0.0])[0]
    }
}

#[inline(always)]
fn join(all: &mut [f64; PARTS], one: [f64; PARTS]) {
    for k in 0..PARTS - 1 {
        all[k] += one[k];
    }
    let most = one[PARTS - 1];
    if most.is_nan() {
        all[PARTS - 1] = f64::INFINITY;
    } else if most > all[PARTS - 1] {
        all[PARTS - 1] = most;
    }
}
