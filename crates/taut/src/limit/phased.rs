//! Arrays that a team of workers writes by chunks and reads as a whole, in turns.

use crate::lanes::Shared;
use crate::team::Worker;
use core::ops::Range;

/// One worker's handle on an array that all workers read, and that each writes its own chunk of.
///
/// Workers meet after they have written. What they read of it they read while they write another array, or before they
/// meet for another reason: so nobody reads what is being written. (Meeting before writing as well would need no such
/// care, and doubles the meetings.)
#[derive(Debug)]
pub(super) struct Phased<'a, T> {
    pub worker: Worker<'a>,
    pub all: Shared<'a, T>,
}

impl<T: Copy> Phased<'_, T> {
    /// All of it.
    pub fn read(&self) -> &[T] {
        self.worker.read(self.all)
    }

    /// Gives `write` this worker's chunk of the first `count` runs of `size` values, and the numbers of its runs.
    /// Returns when all workers have written theirs.
    pub fn write(&mut self, count: usize, size: usize, write: impl FnOnce(Range<usize>, &mut [T])) {
        let end = self.all.len();
        write(self.worker.chunk(0..count), self.worker.chunk_of_rows(self.all, count, |run| end.min(run * size)));
        self.worker.sync();
    }

    /// What comes before the value number `at`, and the rest, as arrays of their own.
    pub fn split(self, at: usize) -> [Self; 2] {
        [0..at, at..self.all.len()].map(|range| Phased { all: self.all.part(range), ..self })
    }

    /// The same array, as long as this handle is borrowed.
    pub fn again(&mut self) -> Phased<'_, T> {
        Phased { ..*self }
    }
}
