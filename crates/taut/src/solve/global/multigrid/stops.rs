//! Rows that are far stiffer from some strain on: U += ½ k max(c − c₀, 0)². In the place of shear it is the direction
//! that is stretched most.

use crate::constraint::{Batch, Elements, Lot, Stop, Stops, Visit};
use crate::element::{Element, Quantity, RestShape, in_columns};
use crate::lanes::{BLOCK, Lanes, Scalar, V3, Vertex};

/// Stops by block and row: for each block c₀ of each row, then k of each.
#[derive(Debug, Default)]
pub(super) struct PackedStops {
    of: Stops,
    wide: Vec<[f64; BLOCK]>,
    narrow: Vec<[f32; BLOCK]>,
    /// Where batches begin, in the order of a visit.
    bases: Vec<usize>,
}

impl PackedStops {
    pub fn new(elements: &Elements<f64>, of: Stops) -> Self {
        let mut found = Find { stops: &of, list: Vec::new(), bases: Vec::new() };
        if !of.is_empty() {
            elements.for_each_elastic(&mut found);
        }
        let Find { list, bases, .. } = found;
        let narrow = list.iter().map(|row| row.map(|c| c as f32)).collect();
        PackedStops { of, wide: list, narrow, bases }
    }

    /// Whether these are those.
    pub fn are(&self, stops: &Stops) -> bool {
        Stops::ptr_eq(&self.of, stops) || self.of.is_empty() && stops.is_empty()
    }

    /// Those of a batch, by its number in a visit.
    pub fn wide(&self, batch: usize) -> StopRows<'_, f64> {
        StopRows(self.bases.get(batch).map_or(&[], |&from| &self.wide[from..]))
    }

    /// In single precision.
    pub fn narrow(&self, batch: usize) -> StopRows<'_, f32> {
        StopRows(self.bases.get(batch).map_or(&[], |&from| &self.narrow[from..]))
    }
}

/// The stops of a batch; empty if nothing in the model has any.
#[derive(Clone, Copy)]
pub(super) struct StopRows<'a, T>(&'a [[T; BLOCK]]);

/// What stops give to the elements of a lot.
pub(super) struct Stopped<L, const R: usize> {
    /// J.
    pub energy: L,
    /// ∂U/∂c.
    pub stress: [L; R],
    /// What E has in addition: on its diagonal, and between rows (0, 1), (0, 2) and (1, 2).
    pub diagonal: [L; R],
    pub coupling: [L; 3],
}

impl<T: Scalar> StopRows<'_, T> {
    /// Of rows with these values; nothing if the model has no stops.
    #[inline(always)]
    pub fn of<E, L: Lanes<T>, const V: usize, const D: usize, const P: usize, const R: usize, const A: usize>(
        self,
        lot: &Lot<'_, T, L, V, P, R, A>,
        values: &[L; R],
    ) -> Option<Stopped<L, R>>
    where
        E: Element<V, D, P, R>,
    {
        let rows = self.0.get(lot.place().0 * 2 * R..)?.as_chunks::<R>().0;
        let (from, stiff): ([L; R], [L; R]) = (lot.load(rows.first()?), lot.load(rows.get(1)?));
        let (zero, half) = (values[0].lit(0.0), values[0].lit(0.5));
        let mut out = Stopped { energy: zero, stress: [zero; R], diagonal: [zero; R], coupling: [zero; 3] };
        for r in 0..R {
            match E::ROWS[r].quantity {
                Quantity::Stretch(_) => {
                    let beyond = L::max(values[r] - from[r], zero);
                    let k = L::select(zero.lt(beyond), stiff[r], zero);
                    out.energy = out.energy + half * k * beyond * beyond;
                    out.stress[r] = out.stress[r] + k * beyond;
                    out.diagonal[r] = out.diagonal[r] + k;
                }
                Quantity::Shear(0, 1) if r == 2 => {
                    // c of the direction that is stretched most: (a + b)/2 + √((a − b)²/4 + s²) of Green's strains.
                    let (mean, apart) = ((values[0] + values[1]) * half, (values[0] - values[1]) * half);
                    let radius = (apart * apart + values[2] * values[2]).sqrt();
                    let beyond = L::max(mean + radius - from[2], zero);
                    let k = L::select(zero.lt(beyond), stiff[2], zero);
                    let over = values[0].lit(1.0) / L::max(radius, zero.lit(ROUND));
                    let (c, n2) = (apart * over * half, values[2] * over);
                    let n = [half + c, half - c, n2];
                    out.energy = out.energy + half * k * beyond * beyond;
                    for i in 0..3 {
                        out.stress[i] = out.stress[i] + k * beyond * n[i];
                        out.diagonal[i] = out.diagonal[i] + k * n[i] * n[i];
                    }
                    out.coupling = [k * n[0] * n[1], k * n[0] * n[2], k * n[1] * n[2]];
                }
                _ => {}
            }
        }
        Some(out)
    }
}

/// Green's strains that differ by less have no direction that is stretched most.
const ROUND: f64 = 1e-12;

struct Find<'a> {
    stops: &'a [Stop],
    list: Vec<[f64; BLOCK]>,
    bases: Vec<usize>,
}

impl Visit<f64> for Find<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        self.bases.push(self.list.len());
        for (block, source) in batch.blocks().iter().zip(&batch.source) {
            let (mut from, mut stiff) = ([[f64::MAX; BLOCK]; R], [[0.0; BLOCK]; R]);
            for lane in (0..BLOCK).filter(|&lane| source[lane] != u32::MAX) {
                let corners = block.places.map(|places| places[lane].index::<Vertex<f64>>() as u32);
                let rest = block.rest.map(|numbers| numbers[lane]);
                for (r, [c, k]) in self.rows::<E, V, D, P, R>(&corners, &rest) {
                    (from[r][lane], stiff[r][lane]) = (c, k);
                }
            }
            self.list.extend(from.into_iter().chain(stiff));
        }
    }
}

impl Find<'_> {
    /// Rows of an element that become stiff: their numbers, c₀ and k.
    fn rows<E, const V: usize, const D: usize, const P: usize, const R: usize>(
        &self,
        corners: &[u32; V],
        rest: &[f64; P],
    ) -> impl Iterator<Item = (usize, [f64; 2])>
    where
        E: Element<V, D, P, R>,
    {
        let mut corners = *corners;
        corners.sort_unstable();
        let found = self.stops.binary_search_by(|s| s.corners[..].cmp(&corners[..]));
        let shape = if let RestShape::Triangle(edges) = E::shape(rest) { Some(edges) } else { None };
        let known = found.ok().map(|at| self.stops[at]).zip(shape);
        let rest = *rest;
        known.into_iter().flat_map(move |(stop, edges)| {
            let [p, q] = edges;
            let area = 0.5 * (p[0] * q[1] - p[1] * q[0]).abs();
            (0..R).filter_map(move |r| {
                // Only Green's strains say how far a direction between the axes is stretched.
                let (along, scale) = match E::ROWS[r].quantity {
                    Quantity::Stretch(axis @ 0..2) => (axis, E::ROWS[r].scale),
                    Quantity::Shear(0, 1) if r == 2 && E::ROWS[0].scale == 2.0 => (2, 2.0),
                    _ => return None,
                };
                let at = |e: [f64; 2]| V3::new(e[0], e[1], 0.0) * (1.0 + stop.from[along]);
                let stretched: [V3<f64>; D] = core::array::from_fn(|k| at(edges[k.min(1)]));
                let values = in_columns::<E, f64, V, D, P, R>(&rest, &E::columns(&rest, &stretched), u32::MAX).values;
                let from = if along == 2 { values[0].max(values[1]) } else { values[r] };
                stop.from[along].is_finite().then_some((r, [from, stop.stiffness[along] * area / (scale * scale)]))
            })
        })
    }
}
