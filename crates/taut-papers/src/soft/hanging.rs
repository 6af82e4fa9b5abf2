//! The paper's test: a square of cloth, let go lying, held by two corners.

use crate::Error;
use taut::{Cloth, ClothElasticity, ElasticDamping, Integrator, Membrane, ModelBuilder, Params, Precision, Solver};
use taut_scene::generate::{SheetParams, sheet};
use taut_studio::Running;

/// Length of a frame, s.
pub const FRAME: f64 = 1.0 / 60.0;
/// One element after another.
pub const PROJECTION: Solver = Solver::GaussSeidel { relaxation: 1.0, block: false };

/// What the cloth is made of, and how large it is.
pub struct Piece {
    pub nx: u32,
    pub ny: u32,
    /// kg/m².
    pub density: f64,
    pub membrane: Membrane,
    /// N·m.
    pub bend: f64,
    /// γ, s.
    pub gamma: f64,
}

/// A cloth held by two corners.
pub fn hanging<T: Precision>(piece: &Piece, params: Params) -> Result<Running<T>, Error> {
    let mesh = sheet(&SheetParams { nx: piece.nx, ny: piece.ny, ..SheetParams::default() })?;
    let damping = ElasticDamping { stretch: piece.gamma, shear: piece.gamma, bend: piece.gamma };
    let elasticity = ClothElasticity { membrane: piece.membrane, area: 0.0, bend: [piece.bend; 2], damping };
    let cloth = Cloth { density: piece.density, elasticity: Some(elasticity), ..Cloth::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &mesh, &cloth)?;
    let held = mesh.groups.iter().filter(|g| g.name == "top_left" || g.name == "top_right");
    Ok(Running::new(builder.build()?, params).pinned(held.flat_map(|group| group.vertices.iter().copied())))
}

/// Parameters with as many iterations as the paper's, and one substep in a frame.
pub fn params(solver: Solver, integrator: Integrator, iterations: u32) -> Params {
    Params { solver, integrator, iterations, substeps: 1, ..Params::default() }
}

/// α = β.
pub fn alpha_beta(share: f64) -> Integrator {
    Integrator::AlphaBeta { alpha: share, beta: share }
}
