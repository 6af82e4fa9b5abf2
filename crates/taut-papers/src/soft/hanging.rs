//! The paper's test: a square of cloth, let go lying, held by two corners.

use crate::Error;
use taut::lanes::Scalar;
use taut::measure::{self, Totals};
use taut::{
    Cloth, ClothElasticity, ElasticDamping, Integrator, Membrane, Model, ModelBuilder, Params, Scratch, Solver, State,
    StepReport, step,
};
use taut_scene::generate::{SheetParams, sheet};

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

/// A cloth under way.
pub struct Hanging<T: Scalar> {
    pub model: Model<T>,
    pub state: State<T>,
    pub scratch: Scratch<T>,
    pub params: Params,
}

impl<T: Scalar> Hanging<T> {
    pub fn new(piece: &Piece, params: Params) -> Result<Self, Error> {
        let mesh = sheet(&SheetParams { nx: piece.nx, ny: piece.ny, ..SheetParams::default() })?;
        let damping = ElasticDamping { stretch: piece.gamma, shear: piece.gamma, bend: piece.gamma };
        let elasticity = ClothElasticity { membrane: piece.membrane, area: 0.0, bend: [piece.bend; 2], damping };
        let cloth = Cloth { density: piece.density, elasticity: Some(elasticity), ..Cloth::default() };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &mesh, &cloth)?;
        let model = builder.build()?;
        let mut state = State::new(&model);
        for group in mesh.groups.iter().filter(|g| g.name == "top_left" || g.name == "top_right") {
            group.vertices.iter().for_each(|&v| state.pin(&model, v));
        }
        Ok(Hanging { model, state, scratch: Scratch::new(1), params })
    }

    /// One frame of 1/60 s.
    pub fn frame(&mut self) -> StepReport {
        step(&self.model, &mut self.state, &mut self.scratch, &self.params, FRAME)
    }

    pub fn totals(&self) -> Totals {
        measure::totals(&self.model, &self.state, self.params.gravity)
    }
}

/// Parameters with as many iterations as the paper's, and one substep in a frame.
pub fn params(solver: Solver, integrator: Integrator, iterations: u32) -> Params {
    Params { solver, integrator, iterations, substeps: 1, ..Params::default() }
}

/// α = β.
pub fn alpha_beta(share: f64) -> Integrator {
    Integrator::AlphaBeta { alpha: share, beta: share }
}
