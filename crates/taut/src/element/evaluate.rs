//! Rows as a textbook writes them: values, and gradients at the vertices.

use super::{Element, Row, Rows};
use crate::lanes::{Real, V3};

/// All rows of an element.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<T, const V: usize, const R: usize> {
    /// C of each row.
    pub values: [T; R],
    /// ∂C/∂x of each row, at each vertex.
    pub gradients: [[V3<T>; V]; R],
}

/// Evaluates all rows of an element at vertex positions `x`.
#[inline(always)]
pub fn evaluate<E, T, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: &[T; P],
    x: &[V3<T>; V],
) -> Evaluated<T, V, R>
where
    E: Element<V, D, P, R>,
    T: Real,
{
    let zero = x[0].x.lit(0.0);
    let mut edges = [x[0]; D];
    for k in 0..D {
        edges[k] = x[k + 1] - x[0];
    }
    let collected = in_columns::<E, T, V, D, P, R>(rest, &E::columns(rest, &edges), u32::MAX);
    let mut gradients = [[V3::new(zero, zero, zero); V]; R];
    for r in 0..R {
        let spread = E::spread(rest, &collected.columns[r]);
        for k in 0..D {
            gradients[r][k + 1] = spread[k];
            gradients[r][0] = gradients[r][0] - spread[k];
        }
    }
    Evaluated { values: collected.values, gradients }
}

/// Evaluates those rows of an element whose columns are `columns` of which bit r of `wanted` is set; others are zero.
#[inline(always)]
pub(crate) fn in_columns<E, T, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: &[T; P],
    columns: &[V3<T>; D],
    wanted: u32,
) -> Collect<T, D, R>
where
    E: Element<V, D, P, R>,
    T: Real,
{
    let zero = columns[0].x.lit(0.0);
    let mut collected = Collect { values: [zero; R], columns: [[V3::new(zero, zero, zero); D]; R], wanted };
    E::rows(rest, &mut { *columns }, &mut collected);
    collected
}

/// All rows of an element, and their gradients by its columns.
pub(crate) struct Collect<T, const D: usize, const R: usize> {
    pub values: [T; R],
    pub columns: [[V3<T>; D]; R],
    wanted: u32,
}

impl<T: Real, const D: usize, const R: usize> Rows<T, D> for Collect<T, D, R> {
    #[inline(always)]
    fn wants(&self, index: usize) -> bool {
        self.wanted >> index & 1 == 1
    }

    #[inline(always)]
    fn row<const N: usize>(&mut self, index: usize, _: &mut [V3<T>; D], row: Row<T, N>) {
        self.values[index] = row.value;
        for (i, direction) in row.along {
            self.columns[index][i] = direction * (row.over.lit(1.0) / row.over);
        }
    }
}

/// The values of an element's rows, and nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowValues<const R: usize>(pub [f64; R]);

impl<const R: usize> Default for RowValues<R> {
    fn default() -> Self {
        RowValues([0.0; R])
    }
}

impl<const D: usize, const R: usize> Rows<f64, D> for RowValues<R> {
    fn wants(&self, _: usize) -> bool {
        true
    }
    fn row<const N: usize>(&mut self, index: usize, _: &mut [V3<f64>; D], row: Row<f64, N>) {
        self.0[index] = row.value;
    }
}
