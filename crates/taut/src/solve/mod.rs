//! Solvers: what is done with the elements' rows.

pub mod aero;
#[cfg(feature = "global")]
pub(crate) mod global;
pub mod pbd;
pub(crate) mod scheme;
pub(crate) mod soft;
pub(crate) mod user;
pub(crate) mod warm;

#[cfg(test)]
mod tests;

/// Which method finds the new positions and multipliers of a step. All solve the same equations,
/// `x = x̃ + s M⁻¹ J(x)ᵀ λ` and `c(x) + γ ċ + E⁻¹ λ = 0`, and give the same result if they run long enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Element after element, coloured, in lanes (soft constraints §7). The fastest for what can be seen.
    GaussSeidel {
        /// 1 for plain Gauss–Seidel; up to 2 for successive over-relaxation.
        relaxation: f64,
        /// Solves an element's stretch and shear together, not only the stretches. Comes nearer with as many
        /// iterations; but where a step carries cloth many times its own size past a held vertex, the elements there
        /// are thrown about for some steps.
        block: bool,
    },
    /// All elements at once, each with its part of the vertices' masses (Jacobi with averaging). Slow and smooth.
    Jacobi {
        /// Up to 1.
        relaxation: f64,
    },
    /// Steepest descent of the residual in constraint space (soft constraints §7).
    MinimumResidual,
    /// Conjugate Residuals in constraint space (soft constraints §7).
    ConjugateResiduals,
    /// Nonlinear conjugate gradients in configuration space (soft constraints Algorithm 1, corrected).
    NonlinearCg,
    /// One Newton step by conjugate gradients: the classical semi-implicit cloth solver.
    NewtonCg,
    /// One Newton step by sparse Cholesky factorisation: "exact" in the paper.
    NewtonCholesky,
    /// Newton steps with a line search until the tolerance is met: the reference.
    Newton,
    /// A few Newton steps by conjugate gradients with a multigrid cycle in front: what a fabric in physical units
    /// needs. Its cost grows with the mesh and no faster, and hardly depends on how stiff the fabric is. Contacts take
    /// part in each Newton step.
    Multigrid,
}

impl Solver {
    /// One of each kind, element by element first, then those that solve for all elements together.
    pub const ALL: [Solver; 9] = [
        Solver::GaussSeidel { relaxation: 1.0, block: false },
        Solver::Jacobi { relaxation: 1.0 },
        Solver::MinimumResidual,
        Solver::ConjugateResiduals,
        Solver::NonlinearCg,
        Solver::NewtonCg,
        Solver::NewtonCholesky,
        Solver::Newton,
        Solver::Multigrid,
    ];

    /// Whether it works on positions alone, multipliers following from them.
    pub fn on_positions(self) -> bool {
        matches!(
            self,
            Solver::NonlinearCg | Solver::NewtonCg | Solver::NewtonCholesky | Solver::Newton | Solver::Multigrid
        )
    }
}

impl Default for Solver {
    fn default() -> Self {
        Solver::GaussSeidel { relaxation: 1.0, block: false }
    }
}
