//! What is done to one-sided elements, lane-wide: links (two points no further apart than L) and cells (three points not stretched
//! along two directions). Coarse nodes and vertices are treated alike; the limit's kernels, on vertices, also move x̃.

use crate::lanes::{BLOCK, Kernel, Lanes, Place, Real, Scalar, Shared, V3, Vertex};
use crate::pack::Block;
use crate::solve::lanewise::{gather, load_rows, point, scatter};

/// Two points no further apart than L. Rest numbers: L², L (m², m).
pub(super) type Link<T> = Block<T, 2, 2, 0>;

/// Longer than anything whose square can be computed with.
pub(super) const LOOSE: f64 = 1e15;
/// Squared lengths from here are of points that are about to be lost; moving others after them would lose those too.
const LOST: f64 = 1e30;
/// Cells that are held every way may be stretched this much, between weft and warp, before they are. With no slack a load along the
/// grain, which weft and warp carry better, took a third more rounds of the limit; with a percent, a load across it three times as many.
const BETWEEN: f64 = 1.002;
/// Keeps divisors from zero where all points are held.
const LEAST: f64 = 1e-30;

/// How a limit acts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    /// Elements stretched beyond this are moved (1 plus the limit).
    pub top: f64,
    /// To this.
    pub goal: f64,
    /// How much of it x̃ does too, so that only the rest counts as velocity.
    pub still: f64,
}

impl Law {
    /// Coarse elements: no stretch at all.
    const RIGID: Law = Law { top: 1.0, goal: 1.0, still: 0.0 };
}

/// A step along an element's gradients, of each point by its inverse mass; and which lanes have something to move, a bit for each.
pub(super) struct Push<L, const V: usize> {
    by: [V3<L>; V],
    lanes: u32,
}

/// How far the ends of links must move. Nothing if none is too long.
#[inline(always)]
fn pull<L: Real>(v: &[[L; 4]; 2], rest: [L; 2], law: &Law) -> Option<Push<L, 2>> {
    let d = point(v[1]) - point(v[0]);
    let length2 = d.norm2();
    let long = (rest[0] * length2.lit(law.top * law.top)).lt(length2);
    if !L::any(long) {
        return None;
    }
    let length = length2.sqrt();
    let w = v[0][3] + v[1][3];
    let share = (length - rest[1] * w.lit(law.goal)) / L::max(length * w, w.lit(LEAST));
    let share = masked(long, length2, share);
    Some(Push { by: [d * (share * v[0][3]), -(d * (share * v[1][3]))], lanes: L::bits(long) })
}

/// `share` where an element is too long, and not lost; else 0.
#[inline(always)]
fn masked<L: Real>(long: L::Mask, length2: L, share: L) -> L {
    let zero = share.lit(0.0);
    L::select(long, L::select(length2.lt(zero.lit(LOST)), share, zero), zero)
}

/// How far the corners of cells must move: along one direction, then along the other. Nothing if neither is stretched.
#[inline(always)]
fn tighten<L: Real>(v: &[[L; 4]; 3], rest: [L; 6], law: &Law) -> Option<Push<L, 3>> {
    let start = [point(v[0]), point(v[1]), point(v[2])];
    let w = [v[0][3], v[1][3], v[2][3]];
    let mut p = start;
    let mut lanes = shorten(&mut p, w, [rest[0], rest[1]], rest[4], law);
    lanes |= shorten(&mut p, w, [rest[2], rest[3]], rest[5], law);
    (lanes != 0).then_some(Push { by: [p[0] - start[0], p[1] - start[1], p[2] - start[2]], lanes })
}

/// n = F u; where |n| is beyond s, corners move along the gradient by g = (|n| − s) / (|n| Σ w_k c_k²), c = (−a−b, a, b). Returns a
/// bit for each lane where it is.
#[inline(always)]
fn shorten<L: Real>(p: &mut [V3<L>; 3], w: [L; 3], [a, b]: [L; 2], most: L, law: &Law) -> u32 {
    let n = (p[1] - p[0]) * a + (p[2] - p[0]) * b;
    let length2 = n.norm2();
    let top = most * most.lit(law.top);
    let long = (top * top).lt(length2);
    if !L::any(long) {
        return 0;
    }
    let length = length2.sqrt();
    let c = a + b;
    let give = L::max(length * (w[0] * c * c + w[1] * a * a + w[2] * b * b), c.lit(LEAST));
    let g = masked(long, length2, (length - most * c.lit(law.goal)) / give);
    p[0] = p[0] + n * (g * w[0] * c);
    p[1] = p[1] - n * (g * w[1] * a);
    p[2] = p[2] - n * (g * w[2] * b);
    L::bits(long)
}

/// The same, and then along the direction of the largest stretch, whichever it is: for cloth that is held every way.
#[inline(always)]
fn tighten_all<L: Real>(v: &[[L; 4]; 3], rest: [L; 6], law: &Law) -> Option<Push<L, 3>> {
    let start = [point(v[0]), point(v[1]), point(v[2])];
    let w = [v[0][3], v[1][3], v[2][3]];
    let mut p = start;
    let mut lanes = shorten(&mut p, w, [rest[0], rest[1]], rest[4], law);
    lanes |= shorten(&mut p, w, [rest[2], rest[3]], rest[5], law);
    // C = Fᵀ F; its larger eigenvalue m + r belongs to the direction (r + d, c) or (c, r − d), d half the difference of the diagonal.
    let (r1, r2) = (p[1] - p[0], p[2] - p[0]);
    let (f, g) = (r1 * rest[0] + r2 * rest[1], r1 * rest[2] + r2 * rest[3]);
    let half = rest[0].lit(0.5);
    let (d, c) = ((f.norm2() - g.norm2()) * half, f.dot(g));
    let r = (d * d + c * c).sqrt();
    let zero = d.lit(0.0);
    let along = d.lt(zero);
    let (x, y) = (L::select(along, c, r + d), L::select(along, r - d, c));
    let over = d.lit(1.0) / L::max((x * x + y * y).sqrt(), d.lit(LEAST));
    let (x, y) = (x * over, y * over);
    let row = [rest[0] * x + rest[2] * y, rest[1] * x + rest[3] * y];
    let late = Law { top: law.top * BETWEEN, ..*law };
    lanes |= shorten(&mut p, w, row, rest[4], &late);
    (lanes != 0).then_some(Push { by: [p[0] - start[0], p[1] - start[1], p[2] - start[2]], lanes })
}

/// Moves vertices and stores them.
///
/// # Safety
/// As [`Lanes::scatter`].
#[inline(always)]
unsafe fn push_to<T: Scalar, L: Lanes<T>, const V: usize>(
    mut v: [[L; 4]; V],
    push: &Push<L, V>,
    x: Shared<'_, Vertex<T>>,
    places: &[[Place; BLOCK]; V],
    lane: usize,
) {
    for k in 0..V {
        let p = point(v[k]) + push.by[k];
        (v[k][0], v[k][1], v[k][2]) = (p.x, p.y, p.z);
    }
    // SAFETY: the caller's promise.
    unsafe { scatter::<T, L, V>(v, x, places, lane) };
}

/// An element that a sweep can treat.
pub(super) trait OneSided<const V: usize, const P: usize> {
    /// How far its points must move, if at all.
    fn push<L: Real>(v: &[[L; 4]; V], rest: [L; P], law: &Law) -> Option<Push<L, V>>;
    /// Its largest stretch.
    fn stretch<L: Real>(v: &[[L; 4]; V], rest: [L; P]) -> L;
}

/// The element of [`Link`].
pub(super) enum Links {}
/// Three points that must not be stretched along two directions u. Rest numbers: for both, the coefficients (a, b) of
/// F u = a (x1 − x0) + b (x2 − x0), 1/m; then how long F u may be, [`LOOSE`] for any length.
pub(super) enum Cells {}

impl OneSided<2, 2> for Links {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 2], rest: [L; 2], law: &Law) -> Option<Push<L, 2>> {
        pull(v, rest, law)
    }

    #[inline(always)]
    fn stretch<L: Real>(v: &[[L; 4]; 2], rest: [L; 2]) -> L {
        (point(v[1]) - point(v[0])).norm2().sqrt() / rest[1]
    }
}

impl OneSided<3, 6> for Cells {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], rest: [L; 6], law: &Law) -> Option<Push<L, 3>> {
        tighten(v, rest, law)
    }

    #[inline(always)]
    fn stretch<L: Real>(v: &[[L; 4]; 3], rest: [L; 6]) -> L {
        let (d, e) = (point(v[1]) - point(v[0]), point(v[2]) - point(v[0]));
        let weft = (d * rest[0] + e * rest[1]).norm2().sqrt() / rest[4];
        let warp = (d * rest[2] + e * rest[3]).norm2().sqrt() / rest[5];
        L::max(weft, warp)
    }
}

/// [`Cells`] that are held every way.
pub(super) enum FullCells {}

impl OneSided<3, 6> for FullCells {
    #[inline(always)]
    fn push<L: Real>(v: &[[L; 4]; 3], rest: [L; 6], law: &Law) -> Option<Push<L, 3>> {
        tighten_all(v, rest, law)
    }

    #[inline(always)]
    fn stretch<L: Real>(v: &[[L; 4]; 3], rest: [L; 6]) -> L {
        Cells::stretch(v, rest)
    }
}

/// Tetrahedra, of which only matters whether they are inverted: nothing moves them. Rest number: one over six times the volume, 1/m³.
pub(super) enum Tets {}

impl OneSided<4, 1> for Tets {
    #[inline(always)]
    fn push<L: Real>(_: &[[L; 4]; 4], _: [L; 1], _: &Law) -> Option<Push<L, 4>> {
        None
    }

    /// Its volume, counted negative, over that at rest: positive if it is inverted, and 0 in spare lanes.
    #[inline(always)]
    fn stretch<L: Real>(v: &[[L; 4]; 4], rest: [L; 1]) -> L {
        let [a, b, c] = [1, 2, 3].map(|k| point(v[k]) - point(v[0]));
        -(a.dot(b.cross(c)) * rest[0])
    }
}

/// One sweep over coarse elements of one colour.
pub(super) struct Relax<'a, E, T, const V: usize, const P: usize> {
    blocks: &'a [Block<T, V, P, 0>],
    x: Shared<'a, Vertex<T>>,
    kind: core::marker::PhantomData<E>,
}

impl<'a, E, T, const V: usize, const P: usize> Relax<'a, E, T, V, P> {
    /// # Safety
    /// As [`Project::new`](crate::solve::pbd::Project::new).
    pub unsafe fn new(blocks: &'a [Block<T, V, P, 0>], x: Shared<'a, Vertex<T>>) -> Self {
        Relax { blocks, x, kind: core::marker::PhantomData }
    }
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> Kernel<T> for Relax<'_, E, T, V, P> {
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        for block in self.blocks {
            let mut lane = 0;
            while lane < BLOCK {
                let rest = load_rows::<T, L, P>(token, &block.rest, lane);
                // SAFETY: `new`'s promise.
                unsafe {
                    let v = gather::<T, L, V>(token, self.x, &block.places, lane);
                    if let Some(push) = E::push(&v, rest, &Law::RIGID) {
                        push_to::<T, L, V>(v, &push, self.x, &block.places, lane);
                    }
                }
                lane += L::N;
            }
        }
    }
}

/// Which blocks of one colour to treat.
#[derive(Clone)]
pub(super) enum Which<'a> {
    All(core::ops::Range<usize>),
    These(&'a [u32]),
}

/// One sweep of the limit over elements of one colour.
pub(super) struct Limit<'a, E, T, const V: usize, const P: usize> {
    blocks: &'a [Block<T, V, P, 0>],
    which: Which<'a>,
    /// The number of block 0 in `moved` and in `which`.
    first: usize,
    law: Law,
    x: Shared<'a, Vertex<T>>,
    free: Shared<'a, Vertex<T>>,
    /// A bit for each element of a block: whether it had something to move.
    moved: Shared<'a, u16>,
    kind: core::marker::PhantomData<E>,
}

/// Where a limit acts: positions, x̃, and for each block which of its elements had something to move.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a, T> {
    pub x: Shared<'a, Vertex<T>>,
    pub free: Shared<'a, Vertex<T>>,
    pub moved: Shared<'a, u16>,
}

impl<'a, E, T, const V: usize, const P: usize> Limit<'a, E, T, V, P> {
    /// `first` is the number of block 0 in `which` and in the marks.
    ///
    /// # Safety
    /// All indices of the blocks are below the length of `x` and of `free`, numbers of blocks below that of `moved`; no vertex but
    /// the spare one appears twice in the blocks that are treated; no other thread touches these until the kernel has run.
    pub unsafe fn new(
        blocks: &'a [Block<T, V, P, 0>],
        first: usize,
        which: Which<'a>,
        law: Law,
        ground: Ground<'a, T>,
    ) -> Self {
        let Ground { x, free, moved } = ground;
        Limit { blocks, which, first, law, x, free, moved, kind: core::marker::PhantomData }
    }
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> Kernel<T> for Limit<'_, E, T, V, P> {
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        let count = match &self.which {
            Which::All(range) => range.len(),
            Which::These(list) => list.len(),
        };
        for i in 0..count {
            let number = match &self.which {
                Which::All(range) => range.start + i,
                Which::These(list) => list[i] as usize,
            };
            let block = &self.blocks[number - self.first];
            let (mut lane, mut lanes) = (0, 0u16);
            while lane < BLOCK {
                let rest = load_rows::<T, L, P>(token, &block.rest, lane);
                // SAFETY: `new`'s promise.
                unsafe {
                    let v = gather::<T, L, V>(token, self.x, &block.places, lane);
                    if let Some(mut push) = E::push(&v, rest, &self.law) {
                        lanes |= (push.lanes as u16) << lane;
                        push_to::<T, L, V>(v, &push, self.x, &block.places, lane);
                        let free = gather::<T, L, V>(token, self.free, &block.places, lane);
                        for k in 0..V {
                            push.by[k] = push.by[k] * rest[0].lit(self.law.still);
                        }
                        push_to::<T, L, V>(free, &push, self.free, &block.places, lane);
                    }
                }
                lane += L::N;
            }
            // SAFETY: `new`'s promise.
            unsafe { self.moved.write(Place::new::<u16>(number as u32), lanes) };
        }
    }
}

/// Finds the largest stretch.
pub(super) struct Measure<'a, E, T, const V: usize, const P: usize> {
    blocks: &'a [Block<T, V, P, 0>],
    x: Shared<'a, Vertex<T>>,
    most: &'a mut f64,
    kind: core::marker::PhantomData<E>,
}

impl<'a, E, T, const V: usize, const P: usize> Measure<'a, E, T, V, P> {
    /// # Safety
    /// All indices of the blocks are below the length of `x`, and no other thread writes these vertices until the kernel has run.
    pub unsafe fn new(blocks: &'a [Block<T, V, P, 0>], x: Shared<'a, Vertex<T>>, most: &'a mut f64) -> Self {
        Measure { blocks, x, most, kind: core::marker::PhantomData }
    }
}

impl<E: OneSided<V, P>, T: Scalar, const V: usize, const P: usize> Kernel<T> for Measure<'_, E, T, V, P> {
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        let mut most = [T::of(0.0); BLOCK];
        for block in self.blocks {
            let mut lane = 0;
            while lane < BLOCK {
                let rest = load_rows::<T, L, P>(token, &block.rest, lane);
                // SAFETY: `new`'s promise.
                let v = unsafe { gather::<T, L, V>(token, self.x, &block.places, lane) };
                let so_far = L::load(token, &most[lane..]);
                L::max(E::stretch(&v, rest), so_far).store(&mut most[lane..]);
                lane += L::N;
            }
        }
        for lane in most {
            *self.most = f64::max(*self.most, lane.f64());
        }
    }
}

/// One pass over tethers: vertex 1 of each link comes back to within L of vertex 0, which stays.
pub(super) struct Leash<'a, T> {
    blocks: &'a [Link<T>],
    x: Shared<'a, Vertex<T>>,
}

impl<'a, T> Leash<'a, T> {
    /// # Safety
    /// All indices are below `x.len()`; no vertex 1 (but the spare one) appears twice, or as a vertex 0; and no other thread writes
    /// any of them until the kernel has run.
    pub unsafe fn new(blocks: &'a [Link<T>], x: Shared<'a, Vertex<T>>) -> Self {
        Leash { blocks, x }
    }
}

impl<T: Scalar> Kernel<T> for Leash<'_, T> {
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        for block in self.blocks {
            let mut lane = 0;
            while lane < BLOCK {
                let rest = load_rows::<T, L, 2>(token, &block.rest, lane);
                // SAFETY: `new`'s promise.
                let v = unsafe { gather::<T, L, 2>(token, self.x, &block.places, lane) };
                let d = point(v[1]) - point(v[0]);
                let length2 = d.norm2();
                let long = rest[0].lt(length2);
                if L::any(long) {
                    let length = length2.sqrt();
                    let back = masked(long, length2, (length - rest[1]) / length);
                    let p = point(v[1]) - d * back;
                    // SAFETY: `new`'s promise.
                    unsafe { L::scatter([p.x, p.y, p.z, v[1][3]], self.x, &block.places[1][lane..]) };
                }
                lane += L::N;
            }
        }
    }
}
