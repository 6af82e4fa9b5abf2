//! Rows that are far stiffer from some strain on: U += ½ k max(c − c₀, 0)².

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
            elements.for_each(&mut found);
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

impl<T: Scalar> StopRows<'_, T> {
    /// How far each row of a lot is beyond where it becomes stiff, and how stiff it is there.
    #[inline(always)]
    pub fn beyond<L: Lanes<T>, const V: usize, const P: usize, const R: usize, const A: usize>(
        self,
        lot: &Lot<'_, T, L, V, P, R, A>,
        values: &[L; R],
    ) -> Option<[[L; R]; 2]> {
        let rows = self.0.get(lot.place().0 * 2 * R..)?.as_chunks::<R>().0;
        let (from, stiff): ([L; R], [L; R]) = (lot.load(rows.first()?), lot.load(rows.get(1)?));
        let zero = values[0].lit(0.0);
        let beyond: [L; R] = core::array::from_fn(|r| L::max(values[r] - from[r], zero));
        Some([beyond, core::array::from_fn(|r| L::select(zero.lt(beyond[r]), stiff[r], zero))])
    }
}

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
    /// Rows of an element that become stiff: their number, c₀ and k.
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
                let Quantity::Stretch(axis @ 0..2) = E::ROWS[r].quantity else { return None };
                let at = |e: [f64; 2]| V3::new(e[0], e[1], 0.0) * (1.0 + stop.from[axis]);
                let stretched: [V3<f64>; D] = core::array::from_fn(|k| at(edges[k.min(1)]));
                let values = in_columns::<E, f64, V, D, P, R>(&rest, &E::columns(&rest, &stretched), u32::MAX).values;
                let stiff = stop.stiffness * area / (E::ROWS[r].scale * E::ROWS[r].scale);
                stop.from[axis].is_finite().then_some((r, [values[r], stiff]))
            })
        })
    }
}
