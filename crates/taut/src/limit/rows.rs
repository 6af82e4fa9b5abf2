//! Rows of elements as limits: projected only where they, or their rates, are beyond their band. What limiters of edges
//! and of Strain Based Dynamics have in common.
//!
//! The rows are the engine's own ([`element`](crate::element)); what is added here is a consumer that clips them.

use super::apply::Application;
use super::policy::{Policy, Swept, Wanted, check_indices, sound};
use super::{Band, LimitError, LimitReport, RestEdge, RestTriangle, StrainLimits, SweepSettings, Violation};
use crate::constraint::{Compiled, edges, floored, weights};
use crate::element::{Edge, Element, Improved, Row, Rows, TriStrain};
use crate::lanes::{Lanes, Real, Scalar, V3};
use core::marker::PhantomData;

/// A limiter of the R rows of elements of kind `E`, whose P rest numbers are followed by the bands: Q numbers in all.
#[derive(Clone, Debug)]
pub(super) struct RowLimit<E, T, const V: usize, const D: usize, const P: usize, const R: usize, const Q: usize> {
    pub swept: Swept<T, V, Q>,
    /// Bit r is set if row r has a limit anywhere.
    rows: u32,
    /// 1/Δt² (1/s²), for rows that give way.
    pub stiffen: f64,
    kind: PhantomData<E>,
}

/// Keeps the strain of every edge, |e|/L − 1, within a band, by moving its ends along it (Provot 1995), or its rate
/// (Bridson et al. 2002).
pub(super) type EdgeLimit<T> = RowLimit<Edge, T, 2, 1, 2, 1, 5>;

/// Keeps stretch along weft and warp, √S_ii − 1 (SBD Eq. 14), and shear, the cosine of the angle between the axes (SBD
/// Eq. 15), within bands: the same rows that the engine projects, active beyond their limits only.
pub(super) type SbdLimit<T> = RowLimit<TriStrain<Improved>, T, 3, 2, 6, 4, 18>;

impl<T: Scalar> EdgeLimit<T> {
    /// Edges give way like springs of `stiffness` k (N/m), rows with a compliance 1/(k L²) (1/J), instead of ending at
    /// their band, if that is above 0.
    pub fn new(
        vertices: usize,
        edges: &[RestEdge],
        band: Band,
        stiffness: f64,
        settings: SweepSettings,
    ) -> Result<Self, LimitError> {
        settings.check()?;
        band.check("edge limit")?;
        check_indices::<T, 2>("edge", vertices, edges.iter().map(|e| e.vertices))?;
        let limited = |e: &RestEdge| {
            let per = 1.0 / e.length;
            let usable = e.vertices[0] != e.vertices[1] && e.length > 0.0 && e.length.is_finite() && per.is_finite();
            let softness = if stiffness > 0.0 { 1.0 / (stiffness * e.length.powi(2)) } else { 0.0 };
            usable.then_some((e.vertices, [per, 1.0, band.least, band.most, softness]))
        };
        Ok(RowLimit::of(Swept::pack(vertices, edges.iter().map(limited), settings), u32::from(band.limits())))
    }
}

impl<T: Scalar> SbdLimit<T> {
    pub fn new(
        vertices: usize,
        triangles: &[RestTriangle],
        limits: &[StrainLimits],
        settings: SweepSettings,
    ) -> Result<Self, LimitError> {
        settings.check()?;
        StrainLimits::check_all(limits, triangles.len())?;
        check_indices::<T, 3>("triangle", vertices, triangles.iter().map(|t| t.vertices))?;
        let mut rows = 0;
        let limited = |(number, t): (usize, &RestTriangle)| {
            let [a, b, c, d] = t.inverse()?;
            let l = limits[number.min(limits.len() - 1)];
            let mut rest = [0.0; 18];
            rest[..6].copy_from_slice(&[a, b, c, d, 1.0, 1.0]);
            for (r, band) in [l.weft, l.warp, l.shear, Band::NONE].into_iter().enumerate() {
                rows |= u32::from(band.limits()) << r;
                (rest[6 + r], rest[10 + r]) = (band.least, band.most);
            }
            Some((t.vertices, rest))
        };
        let swept = Swept::pack(vertices, triangles.iter().enumerate().map(limited), settings);
        Ok(RowLimit::of(swept, rows))
    }
}

impl<E, T: Scalar, const V: usize, const D: usize, const P: usize, const R: usize, const Q: usize>
    RowLimit<E, T, V, D, P, R, Q>
where
    E: Element<V, D, P, R>,
{
    fn of(swept: Swept<T, V, Q>, rows: u32) -> Self {
        RowLimit { swept, rows, stiffen: 0.0, kind: PhantomData }
    }

    /// Limits rows or, with two arrays, their rates.
    pub fn relax<C: Compiled, const A: usize>(
        &self,
        job: &mut Application<'_, T>,
        violation: fn(&[f64; 4]) -> Violation,
    ) -> LimitReport {
        let clip = Clip::<E, C, D, P, R> { rows: self.rows, stiffen: self.stiffen, kind: PhantomData };
        self.swept.converge::<_, A>(job, clip, |job, _, order| self.swept.relax::<_, A>(job, clip, order), violation)
    }
}

/// Clips rows of elements or, with two arrays, their rates ∇C·v.
struct Clip<E, C, const D: usize, const P: usize, const R: usize> {
    rows: u32,
    stiffen: f64,
    kind: PhantomData<(E, C)>,
}

impl<E, C, const D: usize, const P: usize, const R: usize> Clone for Clip<E, C, D, P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, C, const D: usize, const P: usize, const R: usize> Copy for Clip<E, C, D, P, R> {}

impl<E, C, T, const V: usize, const D: usize, const P: usize, const R: usize, const Q: usize, const A: usize>
    Policy<T, V, Q, A> for Clip<E, C, D, P, R>
where
    E: Element<V, D, P, R>,
    C: Compiled,
    T: Scalar,
{
    type Compiled = C;
    const ROWS: usize = R;

    #[inline(always)]
    fn displace<L: Lanes<T>>(&self, rest: &[L; Q], at: &[[[L; 4]; V]; A], moving: bool) -> Wanted<L, V> {
        let (zero, p) = (rest[0].lit(0.0), &at[0]);
        let none = V3::new(zero, zero, zero);
        let numbers = part::<L, Q, P>(rest, 0);
        let mut soft = part::<L, Q, R>(rest, P + 2 * R);
        for s in &mut soft {
            *s = *s * zero.lit(self.stiffen);
        }
        let (w, movable) = movable(p);
        let rate = if A == 2 { E::columns(&numbers, &edges::<L, V, D>(p)) } else { [none; D] };
        let mut columns = E::columns(&numbers, &edges::<L, V, D>(&at[A - 1]));
        let sound = sound(&columns) * sound(&rate);
        let mut clip = ClipRows::<L, D, R, A> {
            rows: self.rows,
            moving,
            least: part(rest, P),
            most: part(rest, P + R),
            soft,
            metric: E::metric(&numbers, &w),
            usable: sound * movable,
            rate,
            total: [none; D],
            beyond: [zero; 4],
        };
        E::rows(&numbers, &mut columns, &mut clip);
        // Elements that are not usable have a total of 0. Vertex 0 has minus the sum of the others' gradients.
        let gradients = E::spread(&numbers, &clip.total);
        let (mut sum, mut by) = (gradients[0], [none; V]);
        for k in 1..D {
            sum = sum + gradients[k];
        }
        by[0] = sum * p[0][3];
        for k in 0..D {
            by[k + 1] = -(gradients[k] * p[k + 1][3]);
        }
        Wanted { by, moves: true, beyond: clip.beyond, sound, movable, collapsed: zero }
    }
}

/// N numbers of a list, from number `from`.
#[inline(always)]
fn part<L: Copy, const Q: usize, const N: usize>(all: &[L; Q], from: usize) -> [L; N] {
    let mut out = [all[from]; N];
    for (out, &number) in out.iter_mut().zip(&all[from..]) {
        *out = number;
    }
    out
}

/// Inverse masses to find multipliers with, and 1 where any vertex can move, else 0. Elements of three and more
/// vertices may have rows that their free vertices hardly touch; held ones count as a little movable there, as in
/// projection. An edge's row always moves its free end, and is met exactly.
#[inline(always)]
fn movable<L: Real, const V: usize>(p: &[[L; 4]; V]) -> ([L; V], L) {
    let w = weights(p);
    let mut most = w[0];
    for k in 1..V {
        most = L::max(most, w[k]);
    }
    let zero = most.lit(0.0);
    (if V > 2 { floored(&w) } else { w }, L::select(zero.lt(most), zero.lit(1.0), zero))
}

/// Clips the rows of a lot of elements, and projects what is left, in column space.
struct ClipRows<L, const D: usize, const R: usize, const A: usize> {
    rows: u32,
    moving: bool,
    least: [L; R],
    most: [L; R],
    /// Compliances over Δt²: 0 puts a row on its bound, more lets it give way like a spring.
    soft: [L; R],
    metric: [[L; D]; D],
    /// 1 where the element can be computed with and moved, else 0.
    usable: L,
    /// How the columns change, 1/s; for rates only.
    rate: [V3<L>; D],
    total: [V3<L>; D],
    beyond: [L; 4],
}

impl<L: Real, const D: usize, const R: usize, const A: usize> Rows<L, D> for ClipRows<L, D, R, A> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.rows & (1 << index) != 0
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, columns: &mut [V3<L>; D], row: Row<L, N>) {
        let zero = row.value.lit(0.0);
        let (mut value, rates) = (row.value, A == 2);
        if rates {
            value = zero;
            for (i, direction) in row.along {
                value = value + direction.dot(self.rate[i]);
            }
            value = value / row.over;
        }
        // The part beyond the band, signed.
        let excess = value - L::max(L::min(value, self.most[index]), self.least[index]);
        let active = zero.lt(excess.abs() * self.usable);
        self.beyond[index] = L::select(active, excess.abs(), zero);
        if !self.moving || !L::any(active) {
            return;
        }
        let give = give(&self.metric, &row);
        let least = zero.lit(LEAST);
        let lambda = if rates {
            excess * row.over / L::max(give, least)
        } else {
            // The row's own step, with the bounds it has, shortened to end at the band.
            let give = give + self.soft[index] * row.over * row.over;
            row.push * excess / (L::max(give, least) * L::select(active, row.value, zero.lit(1.0)))
        };
        let moved = if rates { &mut self.rate } else { columns };
        for (i, direction) in row.along {
            let pull = V3::select(active, direction * lambda, V3::new(zero, zero, zero));
            for l in 0..D {
                moved[l] = moved[l] - pull * self.metric[l][i];
            }
            self.total[i] = self.total[i] + pull;
        }
    }
}

/// How far a unit multiplier moves a row along its own directions: Σ A_ij gram_ij.
#[inline(always)]
fn give<L: Real, const D: usize, const N: usize>(metric: &[[L; D]; D], row: &Row<L, N>) -> L {
    let mut sum = row.value.lit(0.0);
    for n in 0..N {
        for m in 0..N {
            sum = sum + metric[row.along[n].0][row.along[m].0] * row.gram[n][m];
        }
    }
    sum
}

/// A row that gives less has no gradient: its multiplier stays finite.
const LEAST: f64 = 1e-20;
