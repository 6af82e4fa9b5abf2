//! The end of a substep: velocities, damping, and the containment of what is no number.

use super::Precision;
use super::arrays::{Chunk, on_chunk};
use super::run::Run;
#[cfg(feature = "global")]
use crate::lanes::xyz;
use crate::lanes::{Scalar, Vertex};
#[cfg(feature = "global")]
use crate::solve::Solver;
use crate::solve::pbd::DampAll;
use crate::solve::scheme::Scheme;
use crate::team::Worker;

impl<T: Precision> Run<'_, T> {
    /// What touched a collider is stopped by it: integrators that keep energy would have it bounce. x̃ goes to where it
    /// means the velocity that implicit Euler gives, before anything is moved that counts as velocity only in part.
    /// What has come to slide is stopped across the surface alone: along it Euler's velocity, of a step that is not
    /// Euler's, would lack half of what drives it.
    pub(super) fn stop_touched(&self, worker: Worker<'_>, scheme: &Scheme) {
        if scheme.plain(self.time.h) {
            return;
        }
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                if at.touched {
                    let before = at.x_predicted;
                    stop(&at.x, &at.x_start, &at.v, &mut at.x_predicted, [self.time.h, scheme.rate]);
                    if let Some(normal) = self.slides_on(i, &at.x) {
                        at.x_predicted = across(normal, before, at.x_predicted);
                    }
                }
            });
        });
    }

    /// The normal of the collider that a vertex at `x` has come to slide on, if the solver knows.
    fn slides_on(&self, i: usize, x: &Vertex<T>) -> Option<[T; 3]> {
        #[cfg(feature = "global")]
        if let (Some(global), Solver::Multigrid) = (self.parts.global, self.params.solver) {
            return global.slides_on(i, xyz(*x)).map(|n| n.map(T::of));
        }
        let _ = (i, x);
        None
    }

    /// Velocities from positions, then damping. Returns how many vertices had to be contained.
    pub(super) fn finish(&self, worker: Worker<'_>, scheme: &Scheme) -> u64 {
        let mut contained = self.arrays.on_chunk(worker, |mut chunk| {
            if scheme.plain(self.time.h) && self.arrays.before.is_empty() {
                chunk.update_velocities_plainly(scheme)
            } else {
                chunk.update_velocities(scheme, self.time.h, |i, x| self.slides_on(i, x))
            }
        });
        if self.multipliers.any {
            on_chunk(worker, self.multipliers.list, contain_numbers);
            self.arrays.on_chunk(worker, |chunk| contain_numbers(chunk.last_accelerations));
            self.with_user(worker, |desk, _, _| contain_numbers(desk.multipliers.as_chunks_mut::<1>().0));
        }
        if !self.model.elements.damped {
            return contained;
        }
        let arrays = [self.arrays.x, self.arrays.v];
        self.model.elements.for_each(&mut DampAll { sweep: self.over(worker), arrays, h: self.time.h });
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|_, at| {
                if !at.v.iter().all(|c| c.finite()) {
                    contained += 1;
                    at.v = [T::of(0.0); 4];
                    at.before = [at.x, at.v];
                }
            });
        });
        contained
    }
}

/// Puts x̃ where v + (x − x̃) rate = (x − x_start)/h.
pub(super) fn stop<T: Scalar>(
    x: &Vertex<T>,
    x_start: &Vertex<T>,
    v: &Vertex<T>,
    x_predicted: &mut Vertex<T>,
    [h, rate]: [f64; 2],
) {
    let (euler, over) = (T::of(1.0 / h), T::of(1.0 / rate));
    for k in 0..3 {
        x_predicted[k] = x[k] - ((x[k] - x_start[k]) * euler - v[k]) * over;
    }
}

/// `from`, but as far along the normal as `to`.
fn across<T: Scalar>(normal: [T; 3], mut from: Vertex<T>, to: Vertex<T>) -> Vertex<T> {
    let along = (0..3).fold(T::of(0.0), |sum, k| sum + normal[k] * (to[k] - from[k]));
    (0..3).for_each(|k| from[k] = from[k] + normal[k] * along);
    from
}

/// What the next substep starts from is finite.
fn contain_numbers<T: Scalar, const N: usize>(list: &mut [[T; N]]) {
    for number in list.iter_mut().flatten().filter(|n| !n.finite()) {
        *number = T::of(0.0);
    }
}

impl<T: Scalar> Chunk<'_, T> {
    /// v += (x − x̃)/h, what is held (x − x_start)/h: [`update_velocities`](Self::update_velocities) for implicit
    /// Euler. Returns how many vertices had to be contained.
    ///
    /// What the solve changed goes into the velocity, and no more: (x − x_start)/h would round away whatever is slower
    /// than a digit of x in a substep, gravity first.
    fn update_velocities_plainly(&mut self, scheme: &Scheme) -> u64 {
        let (rate, zero) = (T::of(scheme.rate), T::of(0.0));
        // 0 · c is zero for all that is finite.
        let mut check = [zero; 4];
        let lists = self.x.iter().zip(&mut *self.v).zip(&*self.x_start).zip(&*self.x_predicted);
        for (((x, v), x_start), x_predicted) in lists {
            let mut next = *v;
            for k in 0..4 {
                next[k] = next[k] + (x[k] - x_predicted[k]) * rate;
            }
            if x[3] <= zero {
                for k in 0..3 {
                    next[k] = (x[k] - x_start[k]) * rate;
                }
            }
            *v = next;
            for k in 0..4 {
                check[k] = check[k] + (x[k] * zero + next[k] * zero);
            }
        }
        if check.iter().all(|c| *c == zero) {
            return 0;
        }
        let mut contained = 0;
        let lists = self.x.iter_mut().zip(&mut *self.v).zip(&*self.x_start);
        for ((x, v), x_start) in lists.filter(|((x, v), _)| !all_finite(x, v)) {
            contained += 1;
            (*x, *v) = (contain(*x, *x_start), [zero; 4]);
        }
        contained
    }

    /// The same for any integrator, over a substep of `h` (s). `slides_on` knows the normals of what vertices slide on.
    fn update_velocities(
        &mut self,
        scheme: &Scheme,
        h: f64,
        slides_on: impl Fn(usize, &Vertex<T>) -> Option<[T; 3]>,
    ) -> u64 {
        let (rate, euler) = (T::of(scheme.rate), T::of(1.0 / h));
        let bounces = !scheme.plain(h);
        let mut contained = 0;
        self.each(|i, at| {
            let mut next = [T::of(0.0); 4];
            for k in 0..3 {
                let free = at.v[k] + (at.x[k] - at.x_predicted[k]) * rate;
                next[k] = if at.x[3] <= T::of(0.0) { (at.x[k] - at.x_start[k]) * euler } else { free };
            }
            if all_finite(&at.x, &next) {
                at.v = next;
                // The velocity it came with is no part of its history any more: it would bounce by a third of it.
                if bounces && at.touched {
                    let normal = slides_on(i, &at.x);
                    at.before[1] = normal.map_or(next, |normal| across(normal, at.before[1], next));
                }
                return;
            }
            contained += 1;
            at.x = contain(at.x, at.x_start);
            at.v = [T::of(0.0); 4];
            at.before = [at.x, at.v];
        });
        contained
    }
}

/// Where a vertex whose place or velocity is no number is put. A place that is one has been proved free of
/// intersections, and the start of the substep has not.
fn contain<T: Scalar>(x: Vertex<T>, x_start: Vertex<T>) -> Vertex<T> {
    if x.iter().all(|c| c.finite()) { x } else { [x_start[0], x_start[1], x_start[2], x[3]] }
}

/// Whether all numbers of two vertices are finite: 0 · c is zero only then. Without branches, a third of the time.
fn all_finite<T: Scalar>(a: &Vertex<T>, b: &Vertex<T>) -> bool {
    let zero = T::of(0.0);
    let mut sum = [zero; 4];
    for k in 0..4 {
        sum[k] = a[k] * zero + b[k] * zero;
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) == zero
}
