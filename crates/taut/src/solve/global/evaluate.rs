//! Values, gradients and curvatures of one element's rows, behind plain function pointers: compiled once per kind.

use crate::element::{Element, evaluate};
use crate::lanes::{Dual, V3};
use crate::solve::user::UserBatch;
use core::ops::Range;
use std::sync::Arc;

/// Most rows of an element.
pub(super) const ROWS: usize = 8;
/// Most vertices of an element.
pub(super) const ARMS: usize = 6;
/// Most numbers in the edge vectors of an element.
pub(super) const EDGES: usize = 3 * (ARMS - 1);

/// A small symmetric matrix over an element's edge vectors x_k − x_0.
pub(super) type Small = [[f64; EDGES]; EDGES];

/// A vector for each vertex of an element.
pub(super) type Corners = [[f64; 3]; ARMS];

/// All rows of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub values: [f64; ROWS],
    /// At each vertex.
    pub gradients: [[[f64; 3]; ARMS]; ROWS],
}

impl Sample {
    pub const ZERO: Self = Sample { values: [0.0; ROWS], gradients: [[[0.0; 3]; ARMS]; ROWS] };
}

/// Rest numbers, positions → rows.
type Sampler = fn(&[f64], &Corners, &mut Sample);
/// Rest numbers, positions, σ → Σ_r σ_r ∇²c_r.
type Curvature = fn(&[f64], &Corners, &[f64; ROWS], &mut Small);

/// Elements of one kind, or rows of one constraint of the user's own: a stretch of the table's items.
#[derive(Clone, Debug)]
pub(super) struct ItemKind {
    pub items: Range<usize>,
    rows: RowSource,
}

#[derive(Clone, Debug)]
enum RowSource {
    Element {
        sample: Sampler,
        curvature: Curvature,
    },
    /// The first vertex of an item is none of theirs: it is held, so that the edges from it are the vertices
    /// themselves. The rest number of an item is the number of its row.
    User(Arc<UserBatch>),
}

/// The kind `E`.
pub(super) fn kind<E, const V: usize, const D: usize, const P: usize, const R: usize>(items: Range<usize>) -> ItemKind
where
    E: Element<V, D, P, R>,
{
    let rows = RowSource::Element { sample: sample::<E, V, D, P, R>, curvature: curvature::<E, V, D, P, R> };
    ItemKind { items, rows }
}

/// The rows of a constraint.
pub(super) fn user_kind(items: Range<usize>, batch: &Arc<UserBatch>) -> ItemKind {
    ItemKind { items, rows: RowSource::User(batch.clone()) }
}

impl ItemKind {
    /// Values and gradients of an item, by its rest numbers and positions.
    #[inline(always)]
    pub fn sample(&self, rest: &[f64], x: &Corners, out: &mut Sample) {
        match &self.rows {
            RowSource::Element { sample, .. } => sample(rest, x, out),
            RowSource::User(batch) => {
                let n = batch.arity + 1;
                out.values[0] = batch.sample(rest[0] as u32, &x[1..n], &mut out.gradients[0][1..n]);
                out.gradients[0][0] = [0.0; 3];
            }
        }
    }

    /// Σ_r σ_r ∇²c_r of an item.
    pub fn curvature(&self, rest: &[f64], x: &Corners, sigma: &[f64; ROWS], out: &mut Small) {
        match &self.rows {
            RowSource::Element { curvature, .. } => curvature(rest, x, sigma, out),
            RowSource::User(batch) => user_curvature(batch, rest[0] as u32, x, sigma[0], out),
        }
    }
}

/// Second derivatives of a user's row by central differences of its gradients.
fn user_curvature(batch: &UserBatch, row: u32, x: &Corners, sigma: f64, out: &mut Small) {
    let n = 3 * batch.arity;
    out[..n].iter_mut().for_each(|row| row[..n].fill(0.0));
    if sigma == 0.0 {
        return;
    }
    for k in 0..n {
        let (v, d) = (k / 3 + 1, k % 3);
        let by = 1e-6 * (1.0 + x[v][d].abs());
        let gradients = |to: f64| {
            let (mut x, mut out) = (*x, [[0.0; 3]; ARMS]);
            x[v][d] = to;
            batch.sample(row, &x[1..=batch.arity], &mut out[1..=batch.arity]);
            out
        };
        let (ahead, behind) = (gradients(x[v][d] + by), gradients(x[v][d] - by));
        for j in 0..n {
            let slope = (ahead[j / 3 + 1][j % 3] - behind[j / 3 + 1][j % 3]) / (2.0 * by);
            out[j][k] = if slope.is_finite() { sigma * slope } else { 0.0 };
        }
    }
    symmetric(out, n);
}

/// Takes the mean of a matrix and its transpose.
fn symmetric(out: &mut Small, n: usize) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[i][j] + out[j][i]);
            (out[i][j], out[j][i]) = (mean, mean);
        }
    }
}

fn sample<E, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: &[f64],
    x: &Corners,
    out: &mut Sample,
) where
    E: Element<V, D, P, R>,
{
    let rest: [f64; P] = core::array::from_fn(|p| rest[p]);
    let at: [V3<f64>; V] = core::array::from_fn(|v| V3::from(x[v]));
    let found = evaluate::<E, f64, V, D, P, R>(&rest, &at);
    for r in 0..R {
        out.values[r] = found.values[r];
        for v in 0..V {
            out.gradients[r][v] = found.gradients[r][v].into();
        }
    }
}

/// Exact second derivatives: the derivatives of the gradients, by dual numbers, along each edge vector's components.
/// Moving all vertices together changes nothing, so the edges are all there is. Zero if anything is not finite. Only
/// the leading part that the element has edges for is written.
fn curvature<E, const V: usize, const D: usize, const P: usize, const R: usize>(
    rest: &[f64],
    x: &Corners,
    sigma: &[f64; ROWS],
    out: &mut Small,
) where
    E: Element<V, D, P, R>,
{
    let n = 3 * D;
    let clear = |out: &mut Small| out[..n].iter_mut().for_each(|row| row[..n].fill(0.0));
    clear(out);
    let rest: [Dual; P] = core::array::from_fn(|p| Dual::constant(rest[p]));
    let mut at: [V3<Dual>; V] = core::array::from_fn(|v| V3::from(x[v].map(Dual::constant)));
    let mut sound = true;
    for k in 0..n {
        let (v, d) = (k / 3 + 1, k % 3);
        *component(&mut at[v], d) = Dual::variable(x[v][d]);
        let found = evaluate::<E, Dual, V, D, P, R>(&rest, &at);
        *component(&mut at[v], d) = Dual::constant(x[v][d]);
        for r in (0..R).filter(|&r| sigma[r] != 0.0) {
            for j in 0..D {
                let g = found.gradients[r][j + 1];
                for (e, part) in [g.x, g.y, g.z].into_iter().enumerate() {
                    out[3 * j + e][k] += sigma[r] * part.derivative;
                }
            }
        }
        sound &= out[..n].iter().all(|row| row[k].is_finite());
    }
    if !sound {
        clear(out);
    }
    symmetric(out, n);
}

fn component(v: &mut V3<Dual>, d: usize) -> &mut Dual {
    match d {
        0 => &mut v.x,
        1 => &mut v.y,
        _ => &mut v.z,
    }
}
