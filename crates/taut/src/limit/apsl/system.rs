//! The linear system of APSL: rows, the product with G, conjugate gradients.

use super::super::Band;
use super::super::job::{Job, Sight};
use super::{Apsl, Shapes};
use crate::element::{Element, Improved, Row, Rows, TetStrain, TriStrain};
use crate::lanes::{Place, Real, Scalar, Shared, V3, Vertex};
use crate::team::Worker;
use core::ops::Range;

/// Elements whose contributions to a sum are added one by one; then come the chunks, in order. So the sum does not depend
/// on how many workers there are.
pub(super) const CHUNK: usize = 256;

/// Numbers for each element: the diagonal of G, and the vectors of conjugate gradients.
pub(super) const NUMBERS: usize = 5;

/// Which of an element's numbers.
#[derive(Clone, Copy)]
enum Of {
    Diagonal,
    Residual,
    Solution,
    Direction,
    Product,
}

/// One worker's view of the system.
pub(super) struct System<'a, T> {
    apsl: &'a Apsl<T>,
    worker: Worker<'a>,
    job: &'a Job<'a, T>,
    elements: usize,
    corners: usize,
    rounds: usize,
    sums: usize,
}

/// The row of an element's area or volume, and nothing else.
struct Size<T, const D: usize> {
    wanted: usize,
    value: T,
    push: T,
    gradient: [V3<T>; D],
}

impl<T: Real, const D: usize> Rows<T, D> for Size<T, D> {
    fn wants(&self, index: usize) -> bool {
        index == self.wanted
    }

    fn row<const N: usize>(&mut self, _: usize, _: &mut [V3<T>; D], row: Row<T, N>) {
        let per = row.over.lit(1.0) / row.over;
        self.value = row.value;
        // The row's own bounds on a step keep collapsed elements from throwing their vertices far.
        self.push = row.push * per;
        for (i, direction) in row.along {
            self.gradient[i] = direction * per;
        }
    }
}

/// The size row of one element at `x`: value, held-back value, gradients at all vertices.
fn size_row<E, T: Scalar, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: &[T; P],
    x: [V3<T>; V],
) -> (T, T, [V3<T>; V])
where
    E: Element<V, D, P, R>,
{
    let zero = T::of(0.0);
    let none = V3::new(zero, zero, zero);
    let edges: [V3<T>; D] = core::array::from_fn(|k| x[k + 1] - x[0]);
    let mut size = Size { wanted: R - 1, value: zero, push: zero, gradient: [none; D] };
    E::rows(rest, &mut E::columns(rest, &edges), &mut size);
    let spread = E::spread(rest, &size.gradient);
    let first = spread.iter().fold(none, |sum, &g| sum - g);
    (size.value, size.push, core::array::from_fn(|k| if k == 0 { first } else { spread[k - 1] }))
}

impl<'a, T: Scalar> System<'a, T> {
    pub fn new(apsl: &'a Apsl<T>, worker: Worker<'a>, job: &'a Job<'a, T>) -> Self {
        let (elements, corners) = (apsl.elements(), apsl.shapes.corners());
        System { apsl, worker, job, elements, corners, rounds: 0, sums: 0 }
    }

    /// This worker's elements: whole chunks.
    fn mine(&self) -> Range<usize> {
        let chunks = self.worker.chunk(0..self.elements.div_ceil(CHUNK));
        chunks.start * CHUNK..(chunks.end * CHUNK).min(self.elements)
    }

    /// Evaluates all rows at the candidates.
    ///
    /// # Safety
    /// As [`Limit::relax`](super::Limit::relax), like all that follows: places are in range because `needs` asked for them;
    /// workers write what is theirs and meet before they read what is others'.
    pub unsafe fn build(&mut self, band: Band) -> Sight {
        let mut seen = Sight::default();
        for e in self.mine() {
            // SAFETY: the caller's promise.
            unsafe {
                match &self.apsl.shapes {
                    Shapes::Triangles(rest) => {
                        let x = self.vertices(e);
                        self.note(
                            e,
                            x,
                            size_row::<TriStrain<Improved>, T, 3, 2, 6, 4>(&rest[e], x.map(point)),
                            band,
                            &mut seen,
                        );
                    }
                    Shapes::Tets(rest) => {
                        let x = self.vertices(e);
                        self.note(
                            e,
                            x,
                            size_row::<TetStrain<Improved>, T, 4, 3, 12, 7>(&rest[e], x.map(point)),
                            band,
                            &mut seen,
                        );
                    }
                }
            }
        }
        self.rounds += 1;
        self.job.meet(self.worker, self.rounds, &seen)
    }

    unsafe fn vertices<const V: usize>(&self, e: usize) -> [Vertex<T>; V] {
        // SAFETY: indices were checked.
        core::array::from_fn(|k| unsafe { read(self.job.p, self.apsl.index[e * V + k] as usize) })
    }

    /// Stores an element's row; one that is not finite, cannot move or is within its band becomes empty.
    unsafe fn note<const V: usize>(
        &self,
        e: usize,
        x: [Vertex<T>; V],
        (value, push, gradients): (T, T, [V3<T>; V]),
        band: Band,
        seen: &mut Sight,
    ) {
        let zero = T::of(0.0);
        let mut diagonal = zero;
        for k in 0..V {
            diagonal = diagonal + gradients[k].norm2() * x[k][3];
        }
        let finite = value.finite() && push.finite() && diagonal.finite();
        let movable = x.iter().any(|x| x[3] > zero);
        seen.counts[0] += u64::from(!finite);
        seen.counts[1] += u64::from(finite && !movable);
        seen.counts[2] += u64::from(finite && movable && value < T::of(COLLAPSED - 1.0));
        let excess = value.f64() - value.f64().min(band.most).max(band.least);
        let active = finite && movable && diagonal > zero && excess != 0.0;
        if finite && movable {
            seen.worst[0] = seen.worst[0].max(excess.abs());
        }
        let right = if active { push * T::of(excess / value.f64()) } else { zero };
        // SAFETY: the element is this worker's own.
        unsafe {
            self.set(Of::Diagonal, e, if active { diagonal } else { zero });
            self.set(Of::Residual, e, right);
            for k in 0..V {
                let g = if active { gradients[k] } else { V3::new(zero, zero, zero) };
                write(self.job.vectors, self.apsl.vertices + e * V + k, [g.x, g.y, g.z, zero]);
            }
        }
    }

    /// Solves (G + (α − 1) diag G) y = b by conjugate gradients, with the diagonal as preconditioner. Returns the number
    /// of iterations and whether the residual fell to `tolerance` of its first size.
    pub unsafe fn solve(&mut self, alpha: f64, tolerance: f64, most: u32) -> (u32, bool) {
        let extra = T::of(alpha - 1.0);
        // SAFETY: elements are this worker's own; meetings lie between writing and reading others'.
        unsafe {
            for e in self.mine() {
                self.set(Of::Solution, e, T::of(0.0));
                self.set(Of::Direction, e, self.eased(e));
            }
            let first = self.sum(|s, e| s.get(Of::Residual, e).f64() * s.eased(e).f64());
            let mut rest = first;
            for iteration in 0..most {
                // Also ends on anything not finite.
                if !(rest > first * tolerance * tolerance && rest > 0.0) {
                    return (iteration, rest <= first * tolerance * tolerance);
                }
                self.spread(Of::Direction);
                for e in self.mine() {
                    let own = self.get(Of::Diagonal, e) * self.get(Of::Direction, e) * extra;
                    self.set(Of::Product, e, self.collect(e) + own);
                }
                let curved = self.sum(|s, e| s.get(Of::Direction, e).f64() * s.get(Of::Product, e).f64());
                if curved.is_nan() || curved <= 0.0 {
                    return (iteration, false);
                }
                let step = T::of(rest / curved);
                for e in self.mine() {
                    let (d, q) = (self.get(Of::Direction, e), self.get(Of::Product, e));
                    self.set(Of::Solution, e, self.get(Of::Solution, e) + d * step);
                    self.set(Of::Residual, e, self.get(Of::Residual, e) - q * step);
                }
                let next = self.sum(|s, e| s.get(Of::Residual, e).f64() * s.eased(e).f64());
                let keep = T::of(next / rest);
                rest = next;
                for e in self.mine() {
                    self.set(Of::Direction, e, self.eased(e) + self.get(Of::Direction, e) * keep);
                }
                // Directions are read by all when they are spread.
                self.worker.sync();
            }
            (most, rest <= first * tolerance * tolerance)
        }
    }

    /// Moves vertices by what the pressures do: Δx = −M⁻¹ Jᵀ y (APSL §5).
    pub unsafe fn displace(&mut self) {
        // SAFETY: as in `solve`.
        unsafe {
            self.worker.sync();
            self.spread(Of::Solution);
            for v in self.worker.chunk(0..self.apsl.vertices) {
                let (mut p, u) = (read(self.job.p, v), read(self.job.vectors, v));
                if p[3] > T::of(0.0) && u[..3].iter().all(|c| c.finite()) {
                    for k in 0..3 {
                        p[k] = p[k] - u[k];
                    }
                    write(self.job.p, v, p);
                }
            }
            self.worker.sync();
        }
    }

    /// M⁻¹ Jᵀ of a vector: into the first vectors, one for each vertex. Meets at its end.
    unsafe fn spread(&self, what: Of) {
        for v in self.worker.chunk(0..self.apsl.vertices) {
            let mut sum = [T::of(0.0); 3];
            for &corner in &self.apsl.corners[self.apsl.start[v] as usize..self.apsl.start[v + 1] as usize] {
                let corner = corner as usize;
                // SAFETY: the caller's promise.
                let (g, y) = unsafe {
                    (read(self.job.vectors, self.apsl.vertices + corner), self.get(what, corner / self.corners))
                };
                for k in 0..3 {
                    sum[k] = sum[k] + g[k] * y;
                }
            }
            // SAFETY: vertices are shared out.
            unsafe {
                let w = read(self.job.p, v)[3];
                write(self.job.vectors, v, [sum[0] * w, sum[1] * w, sum[2] * w, w]);
            }
        }
        self.worker.sync();
    }

    /// One entry of J times the vertices' vectors.
    unsafe fn collect(&self, e: usize) -> T {
        let mut sum = T::of(0.0);
        for corner in e * self.corners..(e + 1) * self.corners {
            // SAFETY: the caller's promise.
            let (g, u) = unsafe {
                (
                    read(self.job.vectors, self.apsl.vertices + corner),
                    read(self.job.vectors, self.apsl.index[corner] as usize),
                )
            };
            sum = sum + (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
        }
        sum
    }

    /// The preconditioned residual.
    unsafe fn eased(&self, e: usize) -> T {
        // SAFETY: the caller's promise.
        let (diagonal, residual) = unsafe { (self.get(Of::Diagonal, e), self.get(Of::Residual, e)) };
        if diagonal > T::of(0.0) { residual / diagonal } else { T::of(0.0) }
    }

    /// A sum over all elements, in an order that does not depend on the workers.
    unsafe fn sum(&mut self, term: impl Fn(&Self, usize) -> f64) -> f64 {
        self.sums += 1;
        // Two places in turn: while one sum is read by some, others may write the next.
        let side = self.sums % 2;
        let chunks = self.elements.div_ceil(CHUNK);
        for c in self.worker.chunk(0..chunks) {
            let mut sum = 0.0;
            for e in c * CHUNK..((c + 1) * CHUNK).min(self.elements) {
                sum += term(self, e);
            }
            // SAFETY: chunks are shared out.
            unsafe { write(self.job.sums, side * chunks + c, sum) };
        }
        self.worker.sync();
        // SAFETY: all are written.
        (0..chunks).fold(0.0, |sum, c| sum + unsafe { read(self.job.sums, side * chunks + c) })
    }

    unsafe fn get(&self, what: Of, e: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { read(self.job.numbers, what as usize * self.elements + e) }
    }

    unsafe fn set(&self, what: Of, e: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { write(self.job.numbers, what as usize * self.elements + e, value) };
    }
}

/// Sizes below this share of rest count as collapsed in the report.
const COLLAPSED: f64 = 1e-6;

fn point<T: Copy>(v: Vertex<T>) -> V3<T> {
    V3 { x: v[0], y: v[1], z: v[2] }
}

/// # Safety
/// As [`Shared::read`], for the value number `i`.
unsafe fn read<T: Copy>(from: Shared<'_, T>, i: usize) -> T {
    // SAFETY: the caller's promise.
    unsafe { from.read(Place::new::<T>(i as u32)) }
}

/// # Safety
/// As [`Shared::write`], for the value number `i`.
unsafe fn write<T: Copy>(to: Shared<'_, T>, i: usize, value: T) {
    // SAFETY: the caller's promise.
    unsafe { to.write(Place::new::<T>(i as u32), value) };
}
