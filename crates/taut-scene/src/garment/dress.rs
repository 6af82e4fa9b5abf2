//! Dressing: seams drawn together around a body, slowly enough that contact holds.
//!
//! The panels are one mesh from the start, with their seams sewn: triangles along seams reach from one panel to the
//! other, far longer than they are cut. In each stage every triangle wants to be a little nearer to its shape on the
//! pattern, by the same part along its directions of most and least stretch; where nothing is in the way all of them
//! get there. What cannot get there stays stretched, and is told. There is no inertia from one stage to the next.

use super::crossings::{Crossings, Obstacle, crossings};
use super::height::Girths;
use super::sewn::SewnMesh;
use glam::DVec3;
use std::sync::Arc;
use taut::mesh::TriMesh;
use taut::{
    Bending, BuildError, Cloth, ClothElasticity, ColliderMesh, Contact, ContactMaterial, ElasticDamping, Membrane,
    MeshCollider, ModelBuilder, Orthotropic, Params, RestShape, Scratch, Solver, State, step,
};

/// What is to be dressed.
pub struct Figure {
    collider: MeshCollider,
    obstacle: Obstacle,
    /// Of the surface that it was made from.
    pub(super) girths: Girths,
}

impl Figure {
    /// From a closed surface, m.
    pub fn new(mesh: &TriMesh) -> Self {
        let shape = Arc::new(ColliderMesh::new(&mesh.positions, &mesh.triangles));
        let collider = MeshCollider { friction: 0.0, ..MeshCollider::fixed(shape) };
        let obstacle = Obstacle::new(mesh.positions.clone(), mesh.triangles.clone());
        Figure { collider, obstacle, girths: Girths::new(mesh) }
    }

    /// A coarser one around a closed surface: for cloth that is yet far from it.
    pub fn around(mesh: &TriMesh) -> Self {
        Figure { girths: Girths::new(mesh), ..Figure::new(&super::proxy::around(mesh)) }
    }

    /// Where a triangle of the figure faces.
    pub(super) fn normal(&self, triangle: u32) -> DVec3 {
        let of = self.obstacle.triangles[triangle as usize];
        let [a, b, c] = of.map(|v| DVec3::from(self.obstacle.positions[v as usize]));
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// What of a garment intersects itself or the figure.
    pub fn crossings(&self, mesh: &TriMesh) -> Crossings {
        crossings(&mesh.positions, &mesh.triangles, &self.obstacle)
    }
}

/// How far dressing is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stage {
    /// The number of the stage, from 1.
    pub number: usize,
    /// The largest length over that on the pattern, of all triangles and directions.
    pub stretch: f64,
    /// How many triangles are stretched by more than a tenth.
    pub stretched: usize,
    /// How far the fastest vertex went, m.
    pub moved: f64,
}

/// Stages at most.
const MOST_STAGES: usize = 120;
/// Stages without any gain after which no more are tried.
const PATIENCE: usize = 10;
/// What of its stretch a triangle wants to keep in a stage.
const KEPT: f64 = 0.8;
/// Steps in a stage, and their length, s.
const STEPS: usize = 2;
const STEP: f64 = 1.0 / 60.0;
/// Young's modulus of all cloth while it is sewn, N/m: enough to draw a panel along in a step.
const YOUNG: f64 = 100.0;

/// Draws a garment together around a figure until it is as it was cut, within `near` (0.02 is two percent), or gets no
/// further. Tells each stage to `watch`, which ends it by `false`.
pub fn draw_together(
    sewn: &mut SewnMesh,
    figure: &Figure,
    near: f64,
    thickness: f64,
    watch: &mut dyn FnMut(&Stage) -> bool,
) -> Result<Stage, BuildError> {
    let mut last = Stage::default();
    // The least that was stretched, and when.
    let mut best = (usize::MAX, f64::MAX, 0);
    for number in 1..=MOST_STAGES {
        let (uvs, worst) = wanted(&sewn.mesh);
        last = Stage { number, stretch: worst.0, stretched: worst.1, ..last };
        if worst.0 < 1.0 + near {
            break;
        }
        last.moved = stage(&mut sewn.mesh, uvs, figure, thickness)?;
        if worst.1 < best.0 || worst.0 < best.1 - 1e-3 {
            best = (worst.1.min(best.0), worst.0.min(best.1), number);
        }
        if !watch(&last) || last.moved < 1e-5 || number > best.2 + PATIENCE {
            break;
        }
    }
    Ok(last)
}

/// One stage: a model whose rest shape is what triangles want, and a few steps. Tells how far the fastest vertex went,
/// m.
fn stage(mesh: &mut TriMesh, uvs: Vec<[f64; 2]>, figure: &Figure, thickness: f64) -> Result<f64, BuildError> {
    let uv_triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let rest = TriMesh { uvs, uv_triangles, groups: Vec::new(), ..mesh.clone() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("garment", &rest, &soft())?;
    let model = builder.build::<f32>()?;
    let mut state = State::new(&model);
    let mut scratch = Scratch::new(1);
    let params = Params {
        gravity: [0.0; 3],
        substeps: 1,
        iterations: 6,
        tolerance: 0.05,
        solver: Solver::Multigrid,
        meshes: vec![figure.collider.clone()],
        contact: Contact {
            materials: vec![ContactMaterial { thickness, friction: 0.0, self_contact: true }],
            ..Contact::default()
        },
        ..Params::default()
    };
    for _ in 0..STEPS {
        step(&model, &mut state, &mut scratch, &params, STEP);
    }
    let now = state.positions(&model);
    let way = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>();
    let moved = mesh.positions.iter().zip(&now).map(way).fold(0.0, f64::max).sqrt();
    mesh.positions = now;
    Ok(moved)
}

/// Cloth that is easily drawn along, the same in all directions.
fn soft() -> Cloth {
    let elasticity = ClothElasticity {
        membrane: Membrane::Continuum(Orthotropic::isotropic(YOUNG, 0.2)),
        area: 0.0,
        bend: [1e-5; 2],
        damping: ElasticDamping::default(),
    };
    Cloth { elasticity: Some(elasticity), rest: RestShape::Uv, bending: Bending::Hinges, ..Cloth::default() }
}

/// The flat shape that each triangle wants next, three corners each, and how far the worst is from that of the pattern:
/// its stretch, and how many are stretched by more than a tenth.
fn wanted(mesh: &TriMesh) -> (Vec<[f64; 2]>, (f64, usize)) {
    let mut out = Vec::with_capacity(3 * mesh.triangles.len());
    let (mut worst, mut many) = (1.0f64, 0);
    for (corners, flat) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        let q = flat.map(|v| mesh.uvs[v as usize]);
        let q = [1, 2].map(|i| [q[i][0] - q[0][0], q[i][1] - q[0][1]]);
        let (stretches, axis) = stretch(mesh, *corners, q);
        worst = worst.max(stretches[0]);
        many += usize::from(stretches[0] > 1.1);
        let want = stretches.map(|s| if s > 1.0 { (s * KEPT).max(1.0) } else { (s / KEPT).min(1.0) });
        let (c, s) = (axis[0], axis[1]);
        let [a, b, d] =
            [want[0] * c * c + want[1] * s * s, (want[0] - want[1]) * c * s, want[0] * s * s + want[1] * c * c];
        out.push([0.0; 2]);
        out.extend(q.map(|q| [a * q[0] + b * q[1], b * q[0] + d * q[1]]));
    }
    (out, (worst, many))
}

/// The largest and the least length over that on the pattern, of a triangle with flat edges `q` (m), and the direction
/// of the largest there.
pub(super) fn stretch(mesh: &TriMesh, corners: [u32; 3], q: [[f64; 2]; 2]) -> ([f64; 2], [f64; 2]) {
    let x = corners.map(|v| mesh.positions[v as usize]);
    let e = [1, 2].map(|i| -> [f64; 3] { std::array::from_fn(|k| x[i][k] - x[0][k]) });
    let det = q[0][0] * q[1][1] - q[0][1] * q[1][0];
    if det.abs() < 1e-300 {
        return ([1.0; 2], [1.0, 0.0]);
    }
    // Columns of F = E Q⁻¹.
    let f = [[q[1][1] / det, -q[0][1] / det], [-q[1][0] / det, q[0][0] / det]]
        .map(|[a, b]| -> [f64; 3] { std::array::from_fn(|k| a * e[0][k] + b * e[1][k]) });
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (a, b, d) = (dot(f[0], f[0]), dot(f[0], f[1]), dot(f[1], f[1]));
    let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
    let spread = (half * half + b * b).sqrt();
    // The direction that belongs to the larger eigenvalue, from whichever row is longer.
    let (x, y) = if half >= 0.0 { (half + spread, b) } else { (b, spread - half) };
    let length = (x * x + y * y).sqrt();
    let axis = if length > 0.0 { [x / length, y / length] } else { [1.0, 0.0] };
    ([(mean + spread).max(0.0).sqrt(), (mean - spread).max(0.0).sqrt()], axis)
}
