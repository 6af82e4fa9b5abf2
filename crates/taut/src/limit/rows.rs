//! Rows of elements as limits: projected only where they, or their rates, are beyond their band.
//!
//! The rows are the engine's own ([`element`](crate::element)); what is added here is a consumer that clips them.

use super::Band;
use super::job::Sight;
use super::lanewise::{LaneSight, sound};
use crate::constraint::{Batch, Block};
use crate::constraint::{edges, gather, load_rows, move_vertices, scatter};
use crate::element::{Element, Row, Rows};
use crate::lanes::{BLOCK, Kernel, Lanes, Real, Scalar, Shared, V3, Vertex};
use core::marker::PhantomData;

/// The bands of a block of elements: what each row (or its rate, in 1/s) may be, and its compliance.
#[derive(Clone, Debug)]
pub(super) struct Bands<T, const R: usize> {
    pub least: [[T; BLOCK]; R],
    pub most: [[T; BLOCK]; R],
    /// Over Δt²: 0 puts a row on its bound, more lets it give way like a spring.
    pub soft: [[T; BLOCK]; R],
}

impl<T: Scalar, const R: usize> Bands<T, R> {
    /// Bands parallel to the blocks of a batch, `of` being asked for each element by its number.
    pub fn pack<const V: usize, const P: usize>(
        batch: &Batch<T, V, P, R>,
        of: impl Fn(usize) -> [(Band, f64); R],
    ) -> Vec<Self> {
        let zero = [[T::of(0.0); BLOCK]; R];
        let one = |source: &[u32; BLOCK]| {
            let mut bands = Bands { least: zero, most: zero, soft: zero };
            for lane in 0..BLOCK {
                if source[lane] == u32::MAX {
                    continue;
                }
                let rows = of(source[lane] as usize);
                for r in 0..R {
                    bands.least[r][lane] = T::of(rows[r].0.least);
                    bands.most[r][lane] = T::of(rows[r].0.most);
                    bands.soft[r][lane] = T::of(rows[r].1);
                }
            }
            bands
        };
        batch.source.iter().map(one).collect()
    }
}

/// The part of a violation beyond the band, signed.
#[inline(always)]
fn beyond<L: Real>(value: L, least: L, most: L) -> L {
    value - L::max(L::min(value, most), least)
}

/// Clips rows, or with `RATE` their rates ∇C·v, and projects what is left, in column space.
struct Clip<L, const D: usize, const R: usize, const RATE: bool> {
    rows: u32,
    moving: bool,
    least: [L; R],
    most: [L; R],
    soft: [L; R],
    metric: [[L; D]; D],
    /// 1 where the element can be computed with and moved, else 0.
    usable: L,
    /// How the columns change, 1/s; with `RATE` only.
    rate: [V3<L>; D],
    total: [V3<L>; D],
    worst: [L; R],
}

impl<L: Real, const D: usize, const R: usize, const RATE: bool> Rows<L, D> for Clip<L, D, R, RATE> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.rows & (1 << index) != 0
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, columns: &mut [V3<L>; D], row: Row<L, N>) {
        let zero = row.value.lit(0.0);
        let mut value = row.value;
        if RATE {
            value = zero;
            for (i, direction) in row.along {
                value = value + direction.dot(self.rate[i]);
            }
            value = value / row.over;
        }
        let excess = beyond(value, self.least[index], self.most[index]);
        let active = zero.lt(excess.abs() * self.usable);
        self.worst[index] = L::max(self.worst[index], L::select(active, excess.abs(), zero));
        if !self.moving || !L::any(active) {
            return;
        }
        let give = give(&self.metric, &row);
        let least = zero.lit(LEAST);
        let lambda = if RATE {
            excess * row.over / L::max(give, least)
        } else {
            // The row's own step, with the bounds it has, shortened to end at the band.
            let give = give + self.soft[index] * row.over * row.over;
            row.push * excess / (L::max(give, least) * L::select(active, row.value, zero.lit(1.0)))
        };
        let moved = if RATE { &mut self.rate } else { columns };
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

/// One sweep over blocks of one colour, that limits rows or, with `RATE`, their rates.
pub struct RowSweep<'a, E, T, const V: usize, const D: usize, const P: usize, const R: usize, const RATE: bool> {
    pub(super) blocks: &'a [Block<T, V, P, R>],
    pub(super) bands: &'a [Bands<T, R>],
    pub(super) rows: u32,
    pub(super) moving: bool,
    /// 1/Δt², for rows that give way.
    pub(super) stiffen: f64,
    /// What is moved: candidates, or with `RATE` velocities; with the inverse mass as the fourth number.
    pub(super) p: Shared<'a, Vertex<T>>,
    /// Positions; with `RATE` only.
    pub(super) x: Shared<'a, Vertex<T>>,
    pub(super) sight: &'a mut Sight,
    pub(super) kind: PhantomData<E>,
}

/// Inverse masses to find multipliers with. Elements of three and more vertices may have rows that their free vertices
/// hardly touch; held vertices count as a little movable there, or the free ones would be thrown far (as in projection). An
/// edge's row always moves its free end, and is met exactly.
#[inline(always)]
fn weights<L: Real, const V: usize>(x: &[[L; 4]; V]) -> ([L; V], L) {
    let zero = x[0][3].lit(0.0);
    let (mut w, mut most) = ([x[0][3]; V], x[0][3]);
    for k in 1..V {
        w[k] = x[k][3];
        most = L::max(most, w[k]);
    }
    if V > 2 {
        for k in 0..V {
            w[k] = L::select(zero.lt(w[k]), w[k], most * zero.lit(1.0 / 64.0));
        }
    }
    (w, L::select(zero.lt(most), zero.lit(1.0), zero))
}

impl<E, T, const V: usize, const D: usize, const P: usize, const R: usize, const RATE: bool> Kernel<T>
    for RowSweep<'_, E, T, V, D, P, R, RATE>
where
    E: Element<V, D, P, R>,
    T: Scalar,
{
    #[inline(always)]
    fn run<L: Lanes<T>>(self, token: L::Token) {
        let zero = L::load(token, &[T::of(0.0); BLOCK]);
        let one = zero.lit(1.0);
        let none = [V3::new(zero, zero, zero); D];
        let mut seen = LaneSight::<L, R>::new(zero);
        for (block, bands) in self.blocks.iter().zip(self.bands) {
            let mut lane = 0;
            while lane < BLOCK {
                let rest = load_rows::<T, L, P>(token, &block.rest, lane);
                // SAFETY: limiters pack places below the number of vertices; the vertices of one colour are this thread's
                // own until the workers meet.
                let mut p = unsafe { gather::<T, L, V>(token, self.p, &block.places, lane) };
                let (w, movable) = weights(&p);
                let (at, rate) = if RATE {
                    // SAFETY: as above; nobody writes positions.
                    let x = unsafe { gather::<T, L, V>(token, self.x, &block.places, lane) };
                    (x, E::columns(&rest, &edges::<L, V, D>(&p)))
                } else {
                    (p, none)
                };
                let mut columns = E::columns(&rest, &edges::<L, V, D>(&at));
                let sound = sound(&columns) * sound(&rate);
                let mut soft = load_rows::<T, L, R>(token, &bands.soft, lane);
                for s in &mut soft {
                    *s = *s * zero.lit(self.stiffen);
                }
                let mut clip = Clip::<L, D, R, RATE> {
                    rows: self.rows,
                    moving: self.moving,
                    least: load_rows::<T, L, R>(token, &bands.least, lane),
                    most: load_rows::<T, L, R>(token, &bands.most, lane),
                    soft,
                    metric: E::metric(&rest, &w),
                    usable: sound * movable,
                    rate,
                    total: none,
                    worst: seen.worst,
                };
                E::rows(&rest, &mut columns, &mut clip);
                seen.worst = clip.worst;
                seen.counts[0] = seen.counts[0] + (one - sound);
                seen.counts[1] = seen.counts[1] + sound * (one - movable);
                if self.moving {
                    // Elements that are not usable have a total of 0.
                    move_vertices(&mut p, &E::spread(&rest, &clip.total));
                    // SAFETY: as above.
                    unsafe { scatter::<T, L, V>(p, self.p, &block.places, lane) };
                }
                lane += L::N;
            }
        }
        seen.fold::<T>(self.sight);
    }
}
