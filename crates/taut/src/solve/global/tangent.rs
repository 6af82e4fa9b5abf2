//! Elastic forces and their derivatives, for those who differentiate a converged step.

use super::evaluate::{ARMS, EDGES, ROWS, Sample, Small};
use super::small;
use super::table::{Item, Table};
use crate::constraint::Elements;
use crate::lanes::Scalar;
use crate::solve::user::UserRows;

/// Forces f(x, v) = −Jᵀ E (c + γ J v) of all rows with a physical stiffness, and how they change: exactly, not made
/// positive definite. Rows of the user's own that allow what they are at count for nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tangent {
    /// By vertex, N.
    pub forces: Vec<[f64; 3]>,
    /// Pairs of vertices (i, j), for the two lists of blocks. A pair may be there more than once: blocks add up.
    pub pairs: Vec<[u32; 2]>,
    /// −∂fᵢ/∂xⱼ, N/m.
    pub stiffness: Vec<[[f64; 3]; 3]>,
    /// −∂fᵢ/∂vⱼ, N·s/m. Empty if nothing is damped.
    pub damping: Vec<[[f64; 3]; 3]>,
}

/// Numbers in the places of an element's vertices.
const PLACES: usize = 3 * ARMS;

/// A matrix over the places of an element's vertices.
type Square = [[f64; PLACES]; PLACES];

/// The tangent at positions `x` (m) and velocities `v` (m/s), in the model's own numbers.
pub(crate) fn tangent<T: Scalar>(elements: &Elements<T>, user: &UserRows, [x, v]: [&[[f64; 3]]; 2]) -> Tangent {
    let mut table = Table::default();
    // One held vertex more, for rows of the user's own.
    table.gather(Some(elements), user, x.len() + 1);
    let mut out = Tangent { forces: vec![[0.0; 3]; x.len() + 1], ..Tangent::default() };
    for (e, item) in table.items.iter().enumerate() {
        let at = |list: &[[f64; 3]]| {
            let mut corners = [[0.0; 3]; ARMS];
            for k in 0..item.arms() {
                corners[k] = list.get(item.vertices[k] as usize).copied().unwrap_or_default();
            }
            corners
        };
        ItemTangent::new(&table, e, [at(x), at(v)]).add_to(item, &mut out, table.viscous);
    }
    out.forces.truncate(x.len());
    out
}

/// The tangent of one element.
struct ItemTangent {
    force: [f64; PLACES],
    stiffness: Square,
    damping: Square,
}

impl ItemTangent {
    fn new(table: &Table, e: usize, [x, v]: [[[f64; 3]; ARMS]; 2]) -> Self {
        let item = &table.items[e];
        let mut out =
            ItemTangent { force: [0.0; PLACES], stiffness: [[0.0; PLACES]; PLACES], damping: [[0.0; PLACES]; PLACES] };
        let Some(kind) = table.kind(e) else { return out };
        let rest = &table.rest[item.rest as usize..];
        let mut sample = Sample::ZERO;
        kind.sample(rest, &x, &mut sample);
        let (mut lagged, mut gamma) = ([0.0; ROWS], [0.0; ROWS]);
        for (j, r) in item.own_rows().enumerate() {
            gamma[r] = table.gamma[item.row as usize + j];
            let speed: f64 = (0..item.arms()).map(|k| small::dot(sample.gradients[r][k], v[k])).sum();
            lagged[r] = sample.values[r] + gamma[r] * speed;
        }
        let stiffness = &table.blocks[e].stiffness;
        let pull = stiffness.times(&lagged);
        let mut small = [[0.0; EDGES]; EDGES];
        kind.curvature(rest, &x, &pull, &mut small);
        out.stiffness = spread(&small, item.arms());
        let slopes = sample.gradients.map(|row| flat(&row));
        for a in item.own_rows() {
            for p in 0..PLACES {
                out.force[p] -= pull[a] * slopes[a][p];
            }
        }
        for b in item.own_rows() {
            let mut change = slopes[b];
            if gamma[b] > 0.0 {
                let mut one = [0.0; ROWS];
                one[b] = gamma[b];
                kind.curvature(rest, &x, &one, &mut small);
                let turned = times(&spread(&small, item.arms()), &flat(&v));
                (0..PLACES).for_each(|q| change[q] += turned[q]);
            }
            for a in item.own_rows() {
                let firm = stiffness.at(a, b);
                add(&mut out.stiffness, firm, &slopes[a], &change);
                add(&mut out.damping, firm * gamma[b], &slopes[a], &slopes[b]);
            }
        }
        out
    }

    fn add_to(&self, item: &Item, out: &mut Tangent, viscous: bool) {
        let held = out.forces.len() as u32 - 1;
        let real = |k: &usize| item.vertices[*k] != held;
        let block = |of: &Square, i: usize, j: usize| {
            core::array::from_fn(|a| core::array::from_fn(|b| of[3 * i + a][3 * j + b]))
        };
        for i in (0..item.arms()).filter(real) {
            for d in 0..3 {
                out.forces[item.vertices[i] as usize][d] += self.force[3 * i + d];
            }
            for j in (0..item.arms()).filter(real) {
                out.pairs.push([item.vertices[i], item.vertices[j]]);
                out.stiffness.push(block(&self.stiffness, i, j));
                if viscous {
                    out.damping.push(block(&self.damping, i, j));
                }
            }
        }
    }
}

fn flat(corners: &[[f64; 3]; ARMS]) -> [f64; PLACES] {
    core::array::from_fn(|p| corners[p / 3][p % 3])
}

/// to += by · a bᵀ.
fn add(to: &mut Square, by: f64, a: &[f64; PLACES], b: &[f64; PLACES]) {
    for p in 0..PLACES {
        for q in 0..PLACES {
            to[p][q] += by * a[p] * b[q];
        }
    }
}

fn times(matrix: &Square, v: &[f64; PLACES]) -> [f64; PLACES] {
    core::array::from_fn(|p| (0..PLACES).map(|q| matrix[p][q] * v[q]).sum())
}

/// A matrix over edges x_k − x_0 as one over vertices.
fn spread(small: &Small, arms: usize) -> Square {
    let mut out = [[0.0; PLACES]; PLACES];
    for p in 3..3 * arms {
        for q in 3..3 * arms {
            let c = small[p - 3][q - 3];
            out[p][q] += c;
            out[p % 3][q] -= c;
            out[p][q % 3] -= c;
            out[p % 3][q % 3] += c;
        }
    }
    out
}
