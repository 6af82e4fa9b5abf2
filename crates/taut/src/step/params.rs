//! How to step.

use crate::contact::{Collider, Contact, MeshCollider};
use crate::levels::Inextensibility;
use crate::solve::Solver;
use crate::solve::aero::Air;
use crate::solve::scheme::Integrator;

/// How to step.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Acceleration of everything free, m/s².
    pub gravity: [f64; 3],
    /// Substeps in a step, 1 to 10,000; 0 for as many as [`inextensibility`](Self::inextensibility) needs to keep the
    /// cloth as stiff, and as soft, as it is, more in steps in which it turns fast, or 1 without. Many substeps of one
    /// iteration hold cloth far better than one step of many iterations, at the same cost.
    pub substeps: u32,
    /// Most iterations of the solver in a substep, 1 to 10,000: sweeps over all elements, or what the solver counts.
    pub iterations: u32,
    /// From one moment to the next. A model with anything that is projected knows implicit Euler only.
    pub integrator: Integrator,
    /// How the equations of a substep are solved. Only rows with a physical stiffness know other solvers than
    /// Gauss–Seidel; the others are projected.
    pub solver: Solver,
    /// The residual at which a solver stops before its last iteration, in the unit of [`StepReport::residual`]; 0 for
    /// never.
    pub tolerance: f64,
    /// Whether multipliers begin with those of the substep before instead of zero. Rows of which the iterations leave
    /// less than half unsolved (implicit Euler without damping) begin with all of it: cloth at rest then stays so. Of
    /// the others it is as much as cannot feed their motion, a third or so: they become up to half as stiff again, at
    /// the cost of a sweep. Nothing for rows that few iterations cannot solve under integrators that damp nothing.
    pub warm_start: bool,
    /// Wind and drag.
    pub air: Air,
    /// Shapes that nothing can enter. Those with numbers that cannot be computed with are left out.
    pub colliders: Vec<Collider>,
    /// Meshes that nothing can enter. Only bodies with a [`ContactMaterial`](crate::ContactMaterial) meet them.
    pub meshes: Vec<MeshCollider>,
    /// Contact between surfaces.
    pub contact: Contact,
    /// What keeps cloth from stretching, besides the solver. Levels and tethers act with Gauss–Seidel only, bounds at
    /// the end of a step with every solver; none of it with an explicit integrator.
    pub inextensibility: Inextensibility,
}

impl Params {
    /// For cloth with a fabric or moduli: implicit steps behind multigrid, 60 in a second, that lose little motion. What
    /// scenes take that name no solver.
    pub fn fabric() -> Self {
        Params {
            substeps: 0,
            iterations: 12,
            integrator: Integrator::Bdf2,
            solver: Solver::Multigrid,
            tolerance: 0.05,
            ..Params::default()
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Params {
            gravity: [0.0, -9.81, 0.0],
            substeps: 20,
            iterations: 1,
            integrator: Integrator::default(),
            solver: Solver::default(),
            tolerance: 0.0,
            warm_start: false,
            air: Air::default(),
            colliders: Vec::new(),
            meshes: Vec::new(),
            contact: Contact::default(),
            inextensibility: Inextensibility::NONE,
        }
    }
}
