//! The linear system of APSL: rows, the product with G, conjugate gradients.

use super::super::Band;
use super::super::apply::{Application, Tally};
use super::super::phased::Phased;
use super::{Apsl, Shapes};
use crate::element::{Element, Improved, Row, Rows, TetStrain, TriStrain};
use crate::lanes::{Real, Scalar, V3, Vertex};

/// Elements whose contributions to a sum are added one by one; then come the chunks, in order. So the sum does not
/// depend on how many workers there are.
pub(super) const CHUNK: usize = 256;

/// The numbers of an element: the diagonal of G, and the vectors of conjugate gradients.
const DIAGONAL: usize = 0;
const RESIDUAL: usize = 1;
const SOLUTION: usize = 2;
const PRODUCT: usize = 3;

/// The system, as one worker sees it.
pub(super) struct System<'a, T> {
    apsl: &'a Apsl<T>,
    elements: usize,
    corners: usize,
    p: Phased<'a, Vertex<T>>,
    /// M⁻¹ Jᵀ of the direction, by vertex.
    spread: Phased<'a, Vertex<T>>,
    /// Of all elements' sizes, by corner.
    gradients: Phased<'a, Vertex<T>>,
    entries: Phased<'a, [T; 4]>,
    direction: Phased<'a, T>,
    sums: Phased<'a, f64>,
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
    pub fn new(apsl: &'a Apsl<T>, job: &'a mut Application<'_, T>) -> Self {
        let elements = apsl.elements();
        let [spread, more] = job.vectors.again().split(apsl.vertices);
        let [gradients, more] = more.split(apsl.index.len());
        let ([entries, _], [direction, _]) = (more.split(elements), job.numbers.again().split(elements));
        let (p, sums) = (job.p.again(), job.sums.again());
        System { apsl, elements, corners: apsl.shapes.corners(), p, spread, gradients, entries, direction, sums }
    }

    /// Whole chunks are written by one worker.
    fn chunks(&self) -> usize {
        self.elements.div_ceil(CHUNK)
    }

    /// Evaluates all rows at the candidates; returns what this worker saw.
    pub fn build(&mut self, band: Band) -> Tally {
        match &self.apsl.shapes {
            Shapes::Triangles(rest) => self.build_from::<TriStrain<Improved>, 3, 2, 6, 4>(rest, band),
            Shapes::Tets(rest) => self.build_from::<TetStrain<Improved>, 4, 3, 12, 7>(rest, band),
        }
    }

    fn build_from<E, const V: usize, const D: usize, const P: usize, const R: usize>(
        &mut self,
        rest: &[[T; P]],
        band: Band,
    ) -> Tally
    where
        E: Element<V, D, P, R>,
    {
        let (mut seen, chunks) = (Tally::default(), self.chunks());
        let (p, index) = (self.p.read(), &self.apsl.index);
        self.entries.write(chunks, CHUNK, |mine, entries| {
            self.gradients.write(chunks, CHUNK * V, |_, gradients| {
                for (i, (entry, gradients)) in entries.iter_mut().zip(gradients.chunks_exact_mut(V)).enumerate() {
                    let e = mine.start * CHUNK + i;
                    let x: [Vertex<T>; V] = core::array::from_fn(|k| p[index[e * V + k] as usize]);
                    let row = size_row::<E, T, V, D, P, R>(&rest[e], x.map(|x| V3::new(x[0], x[1], x[2])));
                    note(&x, row, band, entry, gradients, &mut seen);
                }
            });
        });
        seen
    }

    /// Solves (G + (α − 1) diag G) y = b by conjugate gradients, with the diagonal as preconditioner. Returns the
    /// number of iterations and whether the residual fell to `tolerance` of its first size.
    pub fn solve(&mut self, alpha: f64, tolerance: f64, most: u32) -> (u32, bool) {
        let (extra, chunks) = (T::of(alpha - 1.0), self.chunks());
        self.entries.write(chunks, CHUNK, |_, entries| entries.iter_mut().for_each(|e| e[SOLUTION] = T::of(0.0)));
        self.turn(|eased, _| eased);
        let residual = |e: &[T; 4]| e[RESIDUAL].f64() * eased(e).f64();
        let first = self.sum(|e, _| residual(e));
        let mut rest = first;
        for iteration in 0..most {
            // Also ends on anything not finite.
            if !(rest > first * tolerance * tolerance && rest > 0.0) {
                return (iteration, rest <= first * tolerance * tolerance);
            }
            self.spread();
            self.multiply(extra);
            let curved = self.sum(|e, d| d.f64() * e[PRODUCT].f64());
            if curved.is_nan() || curved <= 0.0 {
                return (iteration, false);
            }
            let step = T::of(rest / curved);
            let direction = self.direction.read();
            self.entries.write(chunks, CHUNK, |mine, entries| {
                for (e, d) in entries.iter_mut().zip(&direction[mine.start * CHUNK..]) {
                    e[SOLUTION] = e[SOLUTION] + *d * step;
                    e[RESIDUAL] = e[RESIDUAL] - e[PRODUCT] * step;
                }
            });
            let next = self.sum(|e, _| residual(e));
            let keep = T::of(next / rest);
            rest = next;
            self.turn(|eased, d| eased + d * keep);
        }
        (most, rest <= first * tolerance * tolerance)
    }

    /// Moves vertices by what the pressures do: Δx = −M⁻¹ Jᵀ y (APSL §5).
    pub fn displace(&mut self) {
        let (chunks, entries) = (self.chunks(), self.entries.read());
        self.direction.write(chunks, CHUNK, |mine, direction| {
            for (d, e) in direction.iter_mut().zip(&entries[mine.start * CHUNK..]) {
                *d = e[SOLUTION];
            }
        });
        self.spread();
        let spread = self.spread.read();
        self.p.write(self.apsl.vertices, 1, |mine, p| {
            for (p, u) in p.iter_mut().zip(&spread[mine]) {
                if p[3] > T::of(0.0) && u[..3].iter().all(|c| c.finite()) {
                    for k in 0..3 {
                        p[k] = p[k] - u[k];
                    }
                }
            }
        });
    }

    /// A new direction, from the preconditioned residual and the old direction.
    fn turn(&mut self, to: impl Fn(T, T) -> T) {
        let (chunks, entries) = (self.chunks(), self.entries.read());
        self.direction.write(chunks, CHUNK, |mine, direction| {
            for (d, e) in direction.iter_mut().zip(&entries[mine.start * CHUNK..]) {
                *d = to(eased(e), *d);
            }
        });
    }

    /// M⁻¹ Jᵀ of the direction.
    fn spread(&mut self) {
        let (p, gradients, direction) = (self.p.read(), self.gradients.read(), self.direction.read());
        self.spread.write(self.apsl.vertices, 1, |mine, spread| {
            for (u, v) in spread.iter_mut().zip(mine) {
                let mut sum = [T::of(0.0); 3];
                for &corner in self.apsl.incidence.row(v as u32) {
                    let (g, y) = (gradients[corner as usize], direction[corner as usize / self.corners]);
                    for k in 0..3 {
                        sum[k] = sum[k] + g[k] * y;
                    }
                }
                let w = p[v][3];
                *u = [sum[0] * w, sum[1] * w, sum[2] * w, w];
            }
        });
    }

    /// G times the direction, from what is spread of it, and `extra` times the diagonal.
    fn multiply(&mut self, extra: T) {
        let (chunks, corners) = (self.chunks(), self.corners);
        let (spread, gradients, direction) = (self.spread.read(), self.gradients.read(), self.direction.read());
        self.entries.write(chunks, CHUNK, |mine, entries| {
            for (entry, e) in entries.iter_mut().zip(mine.start * CHUNK..) {
                let mut sum = T::of(0.0);
                for corner in e * corners..(e + 1) * corners {
                    let (g, u) = (gradients[corner], spread[self.apsl.index[corner] as usize]);
                    sum = sum + (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
                }
                entry[PRODUCT] = sum + entry[DIAGONAL] * direction[e] * extra;
            }
        });
    }

    /// A sum over all elements and their directions, in an order that does not depend on the workers.
    fn sum(&mut self, term: impl Fn(&[T; 4], T) -> f64) -> f64 {
        let chunks = self.chunks();
        let (entries, direction) = (self.entries.read(), self.direction.read());
        self.sums.write(chunks, 1, |mine, sums| {
            for (sum, c) in sums.iter_mut().zip(mine) {
                let chunk = c * CHUNK..((c + 1) * CHUNK).min(self.elements);
                let terms = entries[chunk.clone()].iter().zip(&direction[chunk]);
                *sum = terms.fold(0.0, |sum, (e, &d)| sum + term(e, d));
            }
        });
        self.sums.read()[..chunks].iter().fold(0.0, |sum, s| sum + s)
    }
}

/// The preconditioned residual of an element.
fn eased<T: Scalar>(entry: &[T; 4]) -> T {
    if entry[DIAGONAL] > T::of(0.0) { entry[RESIDUAL] / entry[DIAGONAL] } else { T::of(0.0) }
}

/// Stores an element's row; one that is not finite, cannot move or is within its band becomes empty.
fn note<T: Scalar, const V: usize>(
    x: &[Vertex<T>; V],
    (value, push, slopes): (T, T, [V3<T>; V]),
    band: Band,
    entry: &mut [T; 4],
    gradients: &mut [Vertex<T>],
    seen: &mut Tally,
) {
    let zero = T::of(0.0);
    let mut diagonal = zero;
    for k in 0..V {
        diagonal = diagonal + slopes[k].norm2() * x[k][3];
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
    entry[DIAGONAL] = if active { diagonal } else { zero };
    entry[RESIDUAL] = if active { push * T::of(excess / value.f64()) } else { zero };
    for k in 0..V {
        let g = slopes[k];
        gradients[k] = if active { [g.x, g.y, g.z, zero] } else { [zero; 4] };
    }
}

/// Sizes below this share of rest count as collapsed in the report.
const COLLAPSED: f64 = 1e-6;
