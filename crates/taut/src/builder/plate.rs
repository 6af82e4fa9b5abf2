//! Stiffness of angles between triangles that makes a triangulated sheet bend as a plate does.
//!
//! Let φ be the angles at all edges between two triangles. Σ_e l_e φ_e n_e n_eᵀ (length and unit normal of an edge in
//! the sheet) is the area times its mean curvature tensor, on any mesh. Half of what the edges of a triangle with area
//! A have, over A, is therefore an estimate of the curvature in it, κ = (κ_uu, κ_vv, κ_uv) = G φ, and the energy ½ A κᵀ
//! S κ with S = D = diag(B_weft, B_warp, B_weft + B_warp) that of a plate. (With this twist a cylinder whose curvature
//! is at the angle θ to the weft has the rigidity B_weft cos²θ + B_warp sin²θ.)
//!
//! The estimate is exact on meshes that are symmetric about the middle of each edge. On others triangles of a sheet
//! with constant curvature see different ones, forces arise where none should, and strips are 10 to 20 % too stiff.
//! (Estimates that are exact for quadratics are no cure: the forces of a constant moment then do not cancel at the
//! vertices, which move, and strips on grids with alternating diagonals are 30 % too soft. Measured with linear plates,
//! before any of this was written.) So D is replaced by a matrix S of each triangle's own, positive definite and as
//! near to D as may be, chosen such that a sheet with any constant curvature κ₀, whose angles Φ₀ κ₀ follow from the
//! vertices' places,
//! - carries the moment D κ₀ at every edge: r_e = l_e n_eᵀ(D κ₀)n_e − (H Φ₀ κ₀)_e is small, H = Σ A Gᵀ S G, and
//! - pulls at no vertex more than that moment does: Φᵀ r = 0, Φ being the angles' gradients. A moment that is the same
//!   everywhere pulls at no vertex inside.
//!
//! It is a least-squares problem with one bound for each triangle, and local: sweeps of an accelerated projected
//! gradient method solve it. Weft and warp, which somebody gave, count more than the twist, which nobody did.

use super::frames::Material;
use crate::constraint::SLACK;
use crate::eigen::eigen;

/// How much each component of the curvature counts: along weft, along warp, twist.
const CARE: [f64; 3] = [1.0, 1.0, 0.3];
/// The softest that a triangle may become, of what the plain estimate would have.
const SOFTEST: f64 = 0.1;
/// What keeps S near D where the conditions leave it free, of their own weight.
const TIE: f64 = 1e-3;
/// Sweeps. After 100 strips bend within 1 % of what they should on all meshes tried; the twist takes longer.
const SWEEPS: u32 = 200;
/// The cosine below which the grain of two neighbours does not count as the same: about 11°.
const STRAIGHT: f64 = 0.98;
/// A rigidity is at least this part of the other: with none at all along one direction, angles have no compliance.
const LEAST: f64 = 1e-3;

type Vector = [f64; 3];
/// Symmetric.
type Tensor = [[f64; 3]; 3];

const IDENTITY: Tensor = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add(a: &mut Vector, by: f64, b: Vector) {
    (0..3).for_each(|i| a[i] += by * b[i]);
}

fn times(m: &Tensor, v: Vector) -> Vector {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

/// The length of the symmetric part of the dyad u v.
fn dyad(u: Vector, v: Vector) -> f64 {
    (0.5 * (dot(u, u) * dot(v, v) + dot(u, v).powi(2))).sqrt()
}

/// One side of an edge between two triangles: what a triangle contributes.
#[derive(Clone, Copy, Debug, Default)]
struct Flap {
    /// The edge's ends, and the triangle's own corner across.
    corners: [u32; 3],
    /// How the angle changes as these are lifted, 1/m.
    lever: Vector,
    /// l/2 · n nᵀ D^½, in units of the mean rigidity: what a moment does to the angle.
    left: Vector,
    /// This side's part of the angle in a sheet with unit curvatures, over D^½.
    bend: Vector,
    /// Length, m.
    length: f64,
    /// The edge's direction in the triangle's material frame, from the end with the smaller number.
    along: [f64; 2],
}

/// A triangle.
#[derive(Clone, Debug)]
struct Plate {
    flaps: [Flap; 3],
    /// Which edge each flap is at.
    edge: [Option<usize>; 3],
    area: f64,
    /// D^½ G Φ₀ D^-½: what it sees of unit curvatures.
    seen: Tensor,
    /// D^-½ S D^-½.
    stiff: Tensor,
    /// One over the length of a safe step.
    slow: f64,
}

/// The plates of a sheet, and what is left of the conditions.
pub(super) struct Plates {
    plates: Vec<Plate>,
    /// The two plates and flaps at each edge.
    edges: Vec<[(usize, usize); 2]>,
    /// How much each edge counts: 0 where the grain breaks.
    weight: Vec<f64>,
    /// The same for vertices.
    care: Vec<f64>,
    /// Mean rigidity, N·m.
    rigidity: f64,
}

impl Plates {
    /// Of triangles with edges `qs` in their material frames, and `edges` as (triangle, side) twice; side i is from
    /// corner i to the next. `vertices` are as many as the triangles refer to.
    pub fn new(
        triangles: &[[u32; 3]],
        qs: &[Material],
        edges: Vec<[(usize, usize); 2]>,
        vertices: usize,
        bend: [f64; 2],
    ) -> Self {
        let most = bend[0].max(bend[1]);
        let [weft, warp] = bend.map(|b| b.max(LEAST * most));
        let rigidity = 2.0 * (weft + warp) / 3.0;
        let root = [weft, warp, weft + warp].map(|d| (d / rigidity).sqrt());
        let plate = |(t, q): (&[u32; 3], &Material)| {
            let flaps = flaps(*t, q, root);
            let area = 0.5 * (q[0][0] * q[1][1] - q[0][1] * q[1][0]).abs();
            Plate { flaps, edge: [None; 3], area, seen: IDENTITY, stiff: IDENTITY, slow: 1.0 }
        };
        let plates = triangles.iter().zip(qs).map(plate).collect();
        let (weight, care) = (vec![1.0; edges.len()], vec![1.0; vertices]);
        let mut out = Plates { plates, edges, weight, care, rigidity };
        out.connect();
        out.bound_steps();
        out
    }

    /// Finds what each plate sees of constant curvatures, and where the grain breaks.
    fn connect(&mut self) {
        let mut bends = vec![[[0.0; 3]; 3]; self.plates.len()];
        for (e, &sides) in self.edges.iter().enumerate() {
            let [a, b] = sides.map(|(t, i)| self.plates[t].flaps[i]);
            let straight = a.along[0] * b.along[0] + a.along[1] * b.along[1] > STRAIGHT;
            if !straight {
                self.weight[e] = 0.0;
                a.corners.iter().chain(&b.corners).for_each(|&v| self.care[v as usize] = 0.0);
            }
            for (n, (t, i)) in sides.into_iter().enumerate() {
                self.plates[t].edge[i] = Some(e);
                // Across a break of the grain the other side is taken to be as this one.
                let other = if straight { [b, a][n] } else { [a, b][n] };
                bends[t][i] = [a, b][n].bend;
                add(&mut bends[t][i], 1.0, other.bend);
            }
        }
        for (plate, bends) in self.plates.iter_mut().zip(bends) {
            plate.seen = [[0.0; 3]; 3];
            for i in (0..3).filter(|&i| plate.edge[i].is_some()) {
                for (r, row) in plate.seen.iter_mut().enumerate() {
                    add(row, plate.flaps[i].left[r] / plate.area, bends[i]);
                }
            }
        }
    }

    /// Steps that no other plate's can make too long: the conditions' matrix has blocks a_rt, and Σ_r |a_rt| Σ_s |a_rs|
    /// bounds how steep they are along plate t.
    fn bound_steps(&mut self) {
        let mut edges = vec![[0.0; 3]; self.edges.len()];
        let mut vertices = vec![[0.0; 3]; self.care.len()];
        for round in 0..2 {
            for t in 0..self.plates.len() {
                let plate = &self.plates[t];
                let (mut slow, mut pulls) = (TIE, Vec::with_capacity(6));
                // Conditions for one column of `seen` are as those for the others, with its length.
                let column = |c: usize| [plate.seen[0][c], plate.seen[1][c], plate.seen[2][c]].map(|x| x * CARE[c]);
                for (i, e) in sides(plate) {
                    let flap = &plate.flaps[i];
                    for c in 0..3 {
                        let size = dyad(flap.left, column(c)) * self.weight[e] / flap.length;
                        if round == 0 { edges[e][c] += size } else { slow += size * edges[e][c] }
                    }
                    for &(u, j) in &self.edges[e] {
                        let side = &self.plates[u].flaps[j];
                        (0..3).for_each(|k| gather(&mut pulls, side.corners[k], side.lever[k], flap.left));
                    }
                }
                for (v, pull) in pulls {
                    for c in 0..3 {
                        let size = dyad(pull, column(c)) * self.care[v as usize];
                        let sum = &mut vertices[v as usize][c];
                        if round == 0 { *sum += size } else { slow += size * *sum }
                    }
                }
                self.plates[t].slow = slow;
            }
        }
    }

    /// Sweeps until plates bend as they should. Accelerated, and begun anew whenever it goes uphill (O'Donoghue and
    /// Candès 2015).
    pub fn settle(&mut self) {
        let start = |p: &Plate| p.stiff;
        let mut before: Vec<Tensor> = self.plates.iter().map(start).collect();
        let mut pace = 1.0f64;
        for _ in 0..SWEEPS {
            let slopes = self.slopes();
            let mut uphill = 0.0;
            let mut next = Vec::with_capacity(self.plates.len());
            for ((plate, slope), old) in self.plates.iter().zip(&slopes).zip(&before) {
                let to = bounded(&moved(&plate.stiff, -1.0 / plate.slow, slope));
                for (i, j) in entries() {
                    uphill += plate.slow * (plate.stiff[i][j] - to[i][j]) * (to[i][j] - old[i][j]);
                }
                next.push(to);
            }
            let faster = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * pace * pace).sqrt()) };
            let onward = (pace - 1.0) / faster;
            pace = faster;
            for ((plate, to), old) in self.plates.iter_mut().zip(&next).zip(&before) {
                plate.stiff = moved(to, onward, &moved(to, -1.0, old));
            }
            before = next;
        }
        self.plates.iter_mut().zip(before).for_each(|(plate, stiff)| plate.stiff = stiff);
    }

    /// r of every edge, for unit curvatures one after another.
    fn errors(&self) -> Vec<Vector> {
        let mut out = vec![[0.0; 3]; self.edges.len()];
        for plate in &self.plates {
            for (i, e) in sides(plate) {
                let left = plate.flaps[i].left;
                add(&mut out[e], 1.0, left);
                let moment = times(&plate.stiff, left);
                (0..3).for_each(|k| add(&mut out[e], -moment[k], plate.seen[k]));
            }
        }
        out
    }

    /// The derivative of the conditions' squares along every plate's stiffness.
    fn slopes(&self) -> Vec<Tensor> {
        let errors = self.errors();
        let mut pulls = vec![[0.0; 3]; self.care.len()];
        let corners = |flap: &Flap| [0, 1, 2].map(|k| (flap.corners[k] as usize, flap.lever[k]));
        for (e, sides) in self.edges.iter().enumerate() {
            for &(t, i) in sides {
                for (v, lever) in corners(&self.plates[t].flaps[i]) {
                    add(&mut pulls[v], lever, errors[e]);
                }
            }
        }
        for (pull, care) in pulls.iter_mut().zip(&self.care) {
            *pull = pull.map(|p| p * care * care);
        }
        let answer = |e: usize| {
            let [a, b] = self.edges[e].map(|(t, i)| &self.plates[t].flaps[i]);
            let mut out = errors[e].map(|r| r * (self.weight[e] / a.length).powi(2));
            for (v, lever) in corners(a).into_iter().chain(corners(b)) {
                add(&mut out, lever, pulls[v]);
            }
            core::array::from_fn(|c| out[c] * CARE[c] * CARE[c])
        };
        let answers: Vec<Vector> = (0..self.edges.len()).map(answer).collect();
        let slope = |plate: &Plate| {
            let mut out = moved(&plate.stiff, -1.0, &IDENTITY);
            (0..3).for_each(|i| out[i] = out[i].map(|x| x * TIE));
            for (i, e) in sides(plate) {
                let (u, v) = (plate.flaps[i].left, times(&plate.seen, answers[e]));
                for (a, b) in entries() {
                    out[a][b] -= 0.5 * (u[a] * v[b] + u[b] * v[a]);
                }
            }
            out
        };
        self.plates.iter().map(slope).collect()
    }

    /// How stiff the angles at the sides of triangle `t` are, N·m; 0 where a side has no neighbour.
    pub fn stiffness(&self, t: usize) -> Tensor {
        let plate = &self.plates[t];
        let mut out = [[0.0; 3]; 3];
        for (i, _) in sides(plate) {
            for (j, _) in sides(plate) {
                let (u, v) = (plate.flaps[i].left, plate.flaps[j].left);
                out[i][j] = self.rigidity / plate.area * dot(u, times(&plate.stiff, v));
            }
        }
        out
    }
}

/// The flaps of a triangle with edges `q` in its material frame, and the square `root` of D.
fn flaps(t: [u32; 3], q: &Material, root: Vector) -> [Flap; 3] {
    let p = [[0.0, 0.0], q[0], q[1]];
    let twice = (q[0][0] * q[1][1] - q[0][1] * q[1][0]).abs();
    core::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let from = |a: usize, b: usize| [p[b][0] - p[a][0], p[b][1] - p[a][1]];
        let (e, apex) = (from(i, j), from(i, k));
        let length = e[0].hypot(e[1]);
        let height = twice / length;
        let foot = (apex[0] * e[0] + apex[1] * e[1]) / (length * length);
        // n nᵀ as weights of the moments along weft, along warp and of the twist.
        let across = [e[1] * e[1], e[0] * e[0], -e[0] * e[1]].map(|x| x / (length * length));
        // Of w = ½ xᵀκx, the slope across the edge's middle minus that of the triangle is −u·κ·v / (2 height), u and v
        // its other sides.
        let (u, v) = (from(k, i), from(k, j));
        let bend = [u[0] * v[0], u[1] * v[1], u[0] * v[1] + u[1] * v[0]].map(|x| x / (2.0 * height));
        let sign = if t[i] < t[j] { 1.0 } else { -1.0 };
        Flap {
            corners: [t[i], t[j], t[k]],
            lever: [(foot - 1.0) / height, -foot / height, 1.0 / height],
            left: core::array::from_fn(|c| 0.5 * length * across[c] * root[c]),
            bend: core::array::from_fn(|c| bend[c] / root[c]),
            length,
            along: e.map(|x| sign * x / length),
        }
    })
}

/// The sides of a plate that have a neighbour, and their edges.
fn sides(plate: &Plate) -> impl Iterator<Item = (usize, usize)> + use<> {
    let edge = plate.edge;
    (0..3).filter_map(move |i| edge[i].map(|e| (i, e)))
}

fn gather(sums: &mut Vec<(u32, Vector)>, vertex: u32, by: f64, what: Vector) {
    match sums.iter_mut().find(|(v, _)| *v == vertex) {
        Some((_, sum)) => add(sum, by, what),
        None => sums.push((vertex, what.map(|x| x * by))),
    }
}

fn entries() -> impl Iterator<Item = (usize, usize)> {
    (0..3).flat_map(|i| (0..3).map(move |j| (i, j)))
}

/// a + by · b.
fn moved(a: &Tensor, by: f64, b: &Tensor) -> Tensor {
    core::array::from_fn(|i| core::array::from_fn(|j| a[i][j] + by * b[i][j]))
}

/// The nearest tensor with no eigenvalue below [`SOFTEST`]; the identity for what is not a number.
fn bounded(m: &Tensor) -> Tensor {
    if !m.iter().flatten().all(|x| x.is_finite()) {
        return IDENTITY;
    }
    if compliance(&moved(m, -SOFTEST, &IDENTITY)).is_some() {
        return *m;
    }
    let (values, vectors) = eigen(m);
    let mut out = *m;
    for (value, v) in values.into_iter().zip(vectors).filter(|(value, _)| *value < SOFTEST) {
        entries().for_each(|(i, j)| out[i][j] += (SOFTEST - value) * v[i] * v[j]);
    }
    out
}

/// The inverse of a symmetric matrix; nothing if it is not positive definite. Rows of zeros stay zero, with [`SLACK`]
/// on the diagonal.
pub(super) fn compliance(m: &Tensor) -> Option<Tensor> {
    let on: Vec<usize> = (0..3).filter(|&i| m[i].iter().any(|&x| x != 0.0)).collect();
    let mut l = [[0.0; 3]; 3];
    for &i in &on {
        for &j in on.iter().filter(|&&j| j <= i) {
            let sum = m[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i == j && (sum.is_nan() || sum <= 1e-12 * m[i][i].abs()) {
                return None;
            }
            l[i][j] = if i == j { sum.sqrt() } else { sum / l[j][j] };
        }
    }
    let mut out = [[SLACK, 0.0, 0.0], [0.0, SLACK, 0.0], [0.0, 0.0, SLACK]];
    for &c in &on {
        // L Lᵀ x = unit vector c.
        let mut x = [0.0; 3];
        for &i in &on {
            let unit = if i == c { 1.0 } else { 0.0 };
            x[i] = (unit - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
        }
        for &i in on.iter().rev() {
            x[i] = (x[i] - (i + 1..3).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
        }
        on.iter().for_each(|&i| out[i][c] = x[i]);
    }
    Some(out)
}
