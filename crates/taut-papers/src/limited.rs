//! The scenes of both papers on strain limiting, as far as their texts tell.
//!
//! The simulator in front of the limiters is the one both papers start from: finite elements, implicit Euler, one
//! Newton step by conjugate gradients. What the texts leave open is the same in all scenes: cloth of 0.2 kg/m² without
//! resistance to bending or contraction across a pull, and a damping time of 2 ms.

use crate::Error;
use glam::DVec3;
use std::ops::{Deref, DerefMut};
use taut::internals::lanes::V3;
use taut::internals::limit::polar;
use taut::limit::{
    ApslCloth, ApslClothParams, Band, LimitReport, LimitScratch, LimitSpec, RestTriangle, StrainLimits, SweepSettings,
};
use taut::mesh::TriMesh;
use taut::{
    Cloth, ClothElasticity, Collider, ElasticDamping, Membrane, ModelBuilder, Orthotropic, Params, Pose, Shape, Solver,
    StepReport,
};
use taut_scene::generate::{DiscParams, DiscTessellation, GenerateError, SheetParams, Tessellation, disc, sheet};
use taut_studio::Running;

/// The papers' time step, s.
pub const STEP: f64 = 1e-3;

/// Cloth under way.
pub struct Limited {
    pub mesh: TriMesh,
    running: Running<f64>,
    rest: Vec<RestTriangle>,
}

impl Deref for Limited {
    type Target = Running<f64>;

    fn deref(&self) -> &Running<f64> {
        &self.running
    }
}

impl DerefMut for Limited {
    fn deref_mut(&mut self) -> &mut Running<f64> {
        &mut self.running
    }
}

impl Limited {
    /// A mesh with moduli (weft, warp, shear) in N/m behind the implicit solver, at rest.
    pub fn new(mesh: TriMesh, [weft, warp, shear]: [f64; 3], limits: &[LimitSpec]) -> Result<Self, Error> {
        let membrane = Membrane::Continuum(Orthotropic { weft, warp, poisson: 0.0, shear });
        let damping = ElasticDamping { stretch: 2e-3, shear: 2e-3, bend: 0.0 };
        let elasticity = ClothElasticity { membrane, area: 0.0, bend: [0.0; 2], damping };
        let cloth = Cloth { density: 0.2, elasticity: Some(elasticity), ..Cloth::default() };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("cloth", &mesh, &cloth)?;
        limits.iter().for_each(|l| builder.limit(l.clone()));
        let running = Running::new(builder.build()?, implicit());
        let rest = RestTriangle::all(&mesh.triangles, &mesh.positions, [1.0, 0.0, 0.0]);
        Ok(Limited { mesh, running, rest })
    }

    /// Holds the vertices of these groups.
    pub fn pinned(mut self, groups: &[&str]) -> Self {
        let held = groups.iter().flat_map(|name| self.mesh.group(name).unwrap_or_default());
        self.running = self.running.pinned(held.copied());
        self
    }

    /// The corotated strain U − 1 of each triangle of the mesh, which is what CSL limits: weft, warp, shear.
    pub fn strain(&self) -> Vec<[f64; 3]> {
        let x = self.positions();
        self.rest.iter().map(|t| corotated(t, &x)).collect()
    }

    /// Area over rest area − 1 of each triangle of the mesh.
    pub fn area(&self) -> Vec<f64> {
        area_change(&self.rest, &self.positions())
    }

    /// The largest strain along weft, along warp, and in shear either way.
    pub fn most(&self) -> [f64; 3] {
        let all = self.strain();
        [0, 1, 2].map(|k| all.iter().map(|s| if k < 2 { s[k] } else { s[k].abs() }).fold(f64::MIN, f64::max))
    }
}

/// One Newton step by conjugate gradients in a time step, to a hundredth of what gravity adds in 1 ms: semi-implicit
/// Euler.
pub fn implicit() -> Params {
    Params { solver: Solver::NewtonCg, substeps: 1, iterations: 200, tolerance: 1e-4, ..Params::default() }
}

fn corotated(t: &RestTriangle, x: &[[f64; 3]]) -> [f64; 3] {
    let [p, q] = t.edges;
    let [a, b, c] = t.vertices.map(|v| V3::from(x[v as usize]));
    let (e, f, d) = (b - a, c - a, 1.0 / t.det());
    let u = polar(&[e * (q[1] * d) - f * (p[1] * d), f * (p[0] * d) - e * (q[0] * d)]).u;
    [u[0] - 1.0, u[1] - 1.0, u[2]]
}

/// Area over rest area − 1 of triangles at `x`.
pub fn area_change(rest: &[RestTriangle], x: &[[f64; 3]]) -> Vec<f64> {
    let area = |t: &RestTriangle| {
        let [a, b, c] = t.vertices.map(|v| DVec3::from(x[v as usize]));
        (b - a).cross(c - a).length() / t.det().abs() - 1.0
    };
    rest.iter().map(area).collect()
}

/// The largest of all, either way.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, v| f64::max(most, v.abs()))
}

/// A square metre of irregular mesh, lying, with about as many faces.
pub fn square(faces: usize) -> Result<TriMesh, Error> {
    let n = (faces as f64 / 2.0).sqrt() as u32;
    let mesh = |n, seed| {
        let tessellation = Tessellation::Irregular { seed };
        sheet(&SheetParams { nx: n, ny: n, tessellation, ..SheetParams::default() })
    };
    nearest((n..n + 4).flat_map(|n| (0..12).map(move |seed| (n, seed))).map(|(n, seed)| mesh(n, seed)), faces)
}

/// A lying disc of 0.5 m radius with about as many faces.
pub fn round(faces: usize) -> Result<TriMesh, Error> {
    let n = (faces as f64 / 6.0).sqrt() as u32;
    let mesh = |rings, seed| {
        let tessellation = DiscTessellation::Irregular { seed };
        disc(&DiscParams { rings, tessellation, ..DiscParams::default() })
    };
    nearest((n - 1..n + 3).flat_map(|n| (0..12).map(move |seed| (n, seed))).map(|(n, seed)| mesh(n, seed)), faces)
}

fn nearest(meshes: impl Iterator<Item = Result<TriMesh, GenerateError>>, faces: usize) -> Result<TriMesh, Error> {
    let all = meshes.collect::<Result<Vec<_>, _>>()?;
    all.into_iter().min_by_key(|m| m.triangles.len().abs_diff(faces)).ok_or_else(|| "there is no such mesh".into())
}

/// The square held by two corners: CSL's examples 1 and 3.
pub fn hanging(faces: usize, moduli: [f64; 3], limits: &[LimitSpec]) -> Result<Limited, Error> {
    Ok(Limited::new(square(faces)?, moduli, limits)?.pinned(&["top_left", "top_right"]))
}

/// Sweeps until limits hold to 0.1 % of strain.
pub const SWEEPS: SweepSettings = SweepSettings { iterations: 200, tolerance: 1e-3, seed: 0 };

/// CSL's triple (weft, warp, shear) by Gauss–Seidel.
pub fn csl([weft, warp, shear]: [f64; 3]) -> LimitSpec {
    LimitSpec::csl(StrainLimits::new(weft, warp, shear)).with_sweeps(SWEEPS)
}

/// The same by Jacobi.
pub fn csl_jacobi([weft, warp, shear]: [f64; 3]) -> LimitSpec {
    LimitSpec::csl_jacobi(StrainLimits::new(weft, warp, shear), 1.0).with_sweeps(SWEEPS)
}

/// Edges no longer than by this share.
pub fn esl(most: f64) -> LimitSpec {
    LimitSpec::edges(Band::upto(most)).with_sweeps(SWEEPS)
}

/// CSL Fig. 8: a disc let down on a small ball.
pub fn on_a_ball(faces: usize, moduli: [f64; 3], limits: &[LimitSpec]) -> Result<Limited, Error> {
    let mut cloth = Limited::new(round(faces)?, moduli, limits)?;
    let ball = Collider::fixed(Shape::Sphere { radius: BALL }, Pose::at([0.0, -BALL - 0.002, 0.0]));
    cloth.params.colliders = vec![Collider { friction: 0.6, ..ball }];
    Ok(cloth)
}

/// Radius of the small ball, m.
pub const BALL: f64 = 0.1;

/// Length of a picture's frame, s.
pub const FRAME: f64 = 1.0 / 60.0;

/// How corners that hold a cloth move.
pub type Motion = fn(seconds: f64) -> [f64; 3];

/// They do not.
pub fn still(_: f64) -> [f64; 3] {
    [0.0; 3]
}

/// To and fro, once a second, 0.3 m to each side, and up and down by half of it.
pub fn shaken(seconds: f64) -> [f64; 3] {
    let turn = core::f64::consts::TAU * seconds;
    [0.0, 0.15 * (1.0 - (2.0 * turn).cos()), 0.3 * turn.sin()]
}

/// Soft cloth hung by two corners that move, with the implicit solver.
pub struct Held {
    pub cloth: Limited,
    corners: Vec<u32>,
    motion: Motion,
    frames: u32,
}

impl Held {
    /// With a modulus of 10 N/m, a third of it in shear, and as many time steps in a frame.
    pub fn new(faces: usize, steps: u32, limits: &[LimitSpec], motion: Motion) -> Result<Self, Error> {
        let mut cloth = hanging(faces, [10.0, 10.0, 3.0], limits)?;
        cloth.params.substeps = steps;
        let corners = ["top_left", "top_right"].iter().flat_map(|g| cloth.mesh.group(g).unwrap_or_default().to_vec());
        let corners = corners.collect();
        Ok(Held { cloth, corners, motion, frames: 0 })
    }

    pub fn frame(&mut self) -> StepReport {
        self.frames += 1;
        let by = DVec3::from((self.motion)(FRAME * f64::from(self.frames)));
        let target = |&v: &u32| (v, (DVec3::from(self.cloth.mesh.positions[v as usize]) + by).to_array());
        let targets: Vec<_> = self.corners.iter().map(target).collect();
        let Running { model, state, .. } = &mut *self.cloth;
        state.set_pin_targets(model, &targets);
        self.cloth.step(FRAME)
    }
}

/// The same cloth without a simulator: areas, springs across edges and least lengths of edges (APSL §6).
pub struct Alone {
    pub mesh: TriMesh,
    pub positions: Vec<[f64; 3]>,
    rest: Vec<RestTriangle>,
    solver: ApslCloth<f64>,
    inverse_masses: Vec<f64>,
    v: Vec<[f64; 3]>,
    scratch: LimitScratch<f64>,
    corners: Vec<u32>,
    motion: Motion,
    frames: u32,
}

impl Alone {
    pub fn new(faces: usize, params: ApslClothParams, motion: Motion) -> Result<Self, Error> {
        let held = Held::new(faces, 1, &[], motion)?;
        let (mesh, rest) = (held.cloth.mesh, held.cloth.rest);
        let mut inverse_masses: Vec<f64> = held.cloth.running.model.masses().iter().map(|m| 1.0 / m).collect();
        held.corners.iter().for_each(|&v| inverse_masses[v as usize] = 0.0);
        let solver = ApslCloth::new(&mesh.positions, &mesh.triangles, params)?;
        let (v, positions) = (vec![[0.0; 3]; mesh.positions.len()], mesh.positions.clone());
        let (scratch, corners) = (LimitScratch::new(1), held.corners);
        Ok(Alone { mesh, positions, rest, solver, inverse_masses, v, scratch, corners, motion, frames: 0 })
    }

    pub fn frame(&mut self) -> LimitReport {
        self.frames += 1;
        let by = (self.motion)(FRAME * f64::from(self.frames));
        for &c in &self.corners {
            let (rest, at) = (self.mesh.positions[c as usize], self.positions[c as usize]);
            for k in 0..3 {
                self.v[c as usize][k] = (rest[k] + by[k] - at[k]) / FRAME;
            }
        }
        self.solver.step(&mut self.positions, &self.inverse_masses, &mut self.v, FRAME, &mut self.scratch)
    }

    /// Area over rest area − 1 of each triangle.
    pub fn area(&self) -> Vec<f64> {
        area_change(&self.rest, &self.positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The simulator that both papers start from takes steps of 1 ms and up: what gravity gives is all the energy that
    /// there ever is, and the cloth comes down.
    #[test]
    fn the_base_simulator_takes_long_steps() -> Result<(), Error> {
        for dt in [STEP, 5e-3, FRAME] {
            let mut cloth = hanging(226, [500.0, 500.0, 250.0], &[])?;
            let energy = |c: &Limited| {
                let t = c.totals();
                (t.kinetic + t.potential + t.elastic, t.potential)
            };
            let (start, height) = energy(&cloth);
            let mut fallen: f64 = 0.0;
            for n in 0..(0.6 / dt) as u32 {
                let report = cloth.step(dt);
                let (all, now) = energy(&cloth);
                fallen = fallen.max(height - now);
                // Of what was given; one Newton step in place of many is wrong in second order of a step's turn, either
                // way.
                assert!(all < start + 0.01 * fallen + 1e-9, "{dt} s, step {n}: {all} J of {start} J");
                assert!(report.contained == 0, "{dt} s, step {n}: {report:?}");
            }
            // 0.2 kg, hung by one side: the middle comes down by nearly half a metre.
            assert!(fallen > 0.3 * 0.2 * 9.81, "{dt} s: {fallen} J");
        }
        Ok(())
    }
}
