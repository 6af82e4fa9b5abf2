//! Values, gradients and curvatures of one element's rows, behind plain function pointers: compiled once per kind.

use crate::element::{Element, evaluate};
use crate::lanes::{Dual, V3};
use core::ops::Range;

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
pub(super) type Sampler = fn(&[f64], &Corners, &mut Sample);
/// Rest numbers, positions, σ → Σ_r σ_r ∇²c_r.
pub(super) type Curvature = fn(&[f64], &Corners, &[f64; ROWS], &mut Small);

/// Elements of one kind: a stretch of the table's items.
#[derive(Clone, Debug)]
pub(super) struct ItemKind {
    pub items: Range<usize>,
    pub sample: Sampler,
    pub curvature: Curvature,
}

/// The kind `E`.
pub(super) fn kind<E, const V: usize, const D: usize, const P: usize, const R: usize>(items: Range<usize>) -> ItemKind
where
    E: Element<V, D, P, R>,
{
    ItemKind { items, sample: sample::<E, V, D, P, R>, curvature: curvature::<E, V, D, P, R> }
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
/// Moving all vertices together changes nothing, so the edges are all there is. Zero if anything is not finite. Only the leading part that
/// the element has edges for is written.
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
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[i][j] + out[j][i]);
            (out[i][j], out[j][i]) = (mean, mean);
        }
    }
}

fn component(v: &mut V3<Dual>, d: usize) -> &mut Dual {
    match d {
        0 => &mut v.x,
        1 => &mut v.y,
        _ => &mut v.z,
    }
}
