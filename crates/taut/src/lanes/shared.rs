//! One array, several threads, each writing its own places.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::Range;

/// Where a value lies in a slice: its index times its size, so that a kernel's addresses need no arithmetic (a fifth
/// of an edge kernel's instructions otherwise).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Place {
    /// The place of a `T` by index. Slices of 4 GiB and more cannot be addressed; the builder refuses them.
    pub fn new<T>(index: u32) -> Self {
        Place(index.wrapping_mul(size_of::<T>() as u32))
    }

    /// The index again.
    pub fn index<T>(self) -> usize {
        self.0 as usize / size_of::<T>()
    }
}

/// A mutable slice that several threads may read and write at once, at places that do not overlap.
///
/// Coloured elements need this: the elements of one colour touch disjoint vertices, but which ones is known from
/// the data, not from the slice's structure, so the borrow checker cannot split it.
#[derive(Debug)]
pub struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: values and references go from one thread to others, which `T: Send + Sync` allows; that no two reach the same
// place while one writes it is the promise of every `unsafe` method here.
unsafe impl<T: Copy + Send + Sync> Send for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Copy + Send + Sync> Sync for Shared<'_, T> {}

impl<'a, T: Copy> Shared<'a, T> {
    /// Borrows the slice for as long as any copy of the result lives.
    pub fn new(slice: &'a mut [T]) -> Self {
        Shared { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// The number of places.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no places.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The value at `place`.
    ///
    /// # Safety
    /// `place` is `Place::new::<T>(i)` with i below `self.len()`, and no other thread writes there at the same time.
    #[inline(always)]
    pub unsafe fn read(self, place: Place) -> T {
        debug_assert!(place.index::<T>() < self.len);
        // SAFETY: in bounds, and free of races, by the caller's promise; aligned and initialised since it comes
        // from a slice.
        unsafe { *self.start.byte_add(place.0 as usize) }
    }

    /// Sets the value at `place`.
    ///
    /// # Safety
    /// `place` is `Place::new::<T>(i)` with i below `self.len()`, and no other thread reads or writes there at the same
    /// time.
    #[inline(always)]
    pub unsafe fn write(self, place: Place, value: T) {
        debug_assert!(place.index::<T>() < self.len);
        // SAFETY: as in `read`; `T: Copy` has no destructor to run on the old value.
        unsafe { *self.start.byte_add(place.0 as usize) = value }
    }

    /// The values at `range`.
    ///
    /// # Safety
    /// `range` lies within `0..self.len()`, and nobody else reads or writes there while the slice lives.
    pub unsafe fn slice(self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a range beyond the slice");
        // SAFETY: in bounds; aligned and initialised since it comes from a slice; not aliased by the caller's promise.
        unsafe { core::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }

    /// The places of `range`, as a slice of their own.
    pub fn part(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len, "a range beyond the slice");
        Shared { start: self.start.wrapping_add(range.start), len: range.len(), borrow: PhantomData }
    }

    /// The first `count` values, to read.
    ///
    /// # Safety
    /// There are as many, and nobody writes them while the slice lives.
    pub unsafe fn first(self, count: usize) -> &'a [T] {
        assert!(count <= self.len, "a range beyond the slice");
        // SAFETY: in bounds; aligned and initialised since it comes from a slice; only read by the caller's promise.
        unsafe { core::slice::from_raw_parts(self.start, count) }
    }
}

/// An array that several threads change together, owned: what [`Shared`] borrows.
#[derive(Debug)]
pub struct SharedVec<T>(Box<[UnsafeCell<T>]>);

// SAFETY: what is in it is only reached as a `Shared`, whose users promise that there are no data races.
unsafe impl<T: Copy + Send + Sync> Sync for SharedVec<T> {}

impl<T: Copy> SharedVec<T> {
    /// Of these values.
    pub fn new(values: Vec<T>) -> Self {
        SharedVec(values.into_iter().map(UnsafeCell::new).collect())
    }

    /// The values, to be shared.
    pub fn shared(&self) -> Shared<'_, T> {
        Shared { start: self.0.as_ptr().cast::<T>().cast_mut(), len: self.0.len(), borrow: PhantomData }
    }

    /// Its memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

impl<T: Copy> Default for SharedVec<T> {
    fn default() -> Self {
        SharedVec::new(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_write_interleaved_places() {
        let mut data = vec![0u64; 1000];
        let shared = Shared::new(&mut data);
        std::thread::scope(|s| {
            for t in 0..4u32 {
                s.spawn(move || {
                    for i in (t..1000).step_by(4) {
                        let place = Place::new::<u64>(i);
                        // SAFETY: in bounds; each thread has its own residue class.
                        unsafe { shared.write(place, shared.read(place) + u64::from(i) * 3) };
                    }
                });
            }
        });
        assert!(data.iter().enumerate().all(|(i, &v)| v == 3 * i as u64));
    }
}
