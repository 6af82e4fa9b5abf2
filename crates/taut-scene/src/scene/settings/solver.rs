//! `[solver]`: which method moves everything, and how time goes on.

use super::cap::{Cap, ShearCap};
use super::values::Precision;
use crate::scene::decode::Rule;

const ROUNDS: Rule = Rule::ANY.from(1.0).to(10_000.0);
const STRETCH: Rule = Rule::ANY.from(0.0).to(100.0);
const TANGENT: Rule = Rule::ANY.from(0.0).to(1000.0);
const TOLERANCE: Rule = Rule::ANY.from(0.0).to(1e6);

variants! {
    /// The method that moves everything.
    pub enum Solver default "auto" {
        /// What suits the scene: "multigrid" where all cloth has a material (`fabric` or `elastic`) and neither
        /// `iterations`, `levels` nor `tethers` is set; otherwise position-based dynamics with all that keeps cloth
        /// from stretching: coarse levels and tethers to what is held. Either way limits are met together with contact
        /// at the end of every step, and substeps are chosen. How far cloth was stretched is in the results.
        Auto(Auto) = "auto",
        /// Implicit steps for cloth with a material, at the cost of a few multigrid cycles whatever its stiffness;
        /// limits are met together with contact at the end of every step. What `auto` takes where all cloth has a
        /// material.
        Multigrid(Multigrid) = "multigrid",
        /// Position-based dynamics alone: every row of every element in turn (Gauss–Seidel), without limits but those
        /// of `[[limit]]`. Rows with a physical stiffness keep total multipliers, so that iterations do not change it.
        Pbd(Pbd) = "pbd",
        /// All elements at once, averaged (Jacobi). For bodies with a physical stiffness, like all that follow.
        Jacobi(Global) = "jacobi",
        /// Steepest descent of the residual of all rows together.
        MinimumResidual(Global) = "minimum-residual",
        /// Conjugate Residuals of all rows together.
        ConjugateResiduals(Global) = "conjugate-residuals",
        /// Nonlinear conjugate gradients on the positions.
        NonlinearCg(Global) = "nonlinear-cg",
        /// One Newton step by conjugate gradients: the classical semi-implicit cloth solver.
        NewtonCg(Global) = "newton-cg",
        /// One Newton step by a sparse Cholesky factorisation.
        NewtonCholesky(Global) = "newton-cholesky",
        /// Newton steps until the tolerance is met: the reference that others are judged by. Best with f64.
        Newton(Global) = "newton",
    }
}

section! {
    /// Position-based dynamics.
    pub struct Pbd + Default {
        /// Substeps in a step. More are stiffer and lose less motion; time grows with them.
        substeps: u32 = 20 => ROUNDS;
        /// Sweeps over all elements in a substep, at most. More substeps do more than more iterations.
        iterations: u32 = 1 => ROUNDS;
        /// Over-relaxation: 1 for none, below 2.
        relaxation: f64 = 1.0 => Rule::ANY.above(0.0).to(1.99);
        /// Whether stretch and shear of an element are solved together, where it has a physical stiffness.
        block: bool = false;
        /// From one moment to the next.
        integrator: Integrator = Integrator::ImplicitEuler(Plain::default());
        /// The largest strain that may be left unsolved before the last iteration; 0 for always all iterations.
        tolerance: f64 = 0.0 => TOLERANCE;
        /// Whether a substep begins with the forces of the one before, as far as that cannot feed the motion: stiffer
        /// cloth from few iterations, for the time of one more. For bodies with a physical stiffness.
        warm_start: bool = false;
        /// Size of numbers.
        precision: Precision = Precision::F32;
    }
}

section! {
    /// What suits the scene.
    pub struct Auto + Default {
        /// The largest stretch of all cloth along weft and warp at the end of a step, soft cloth too: a fraction or
        /// text such as "2 %"; "off" for none. If not given: that of its `fabric`, 1 % along directions of `stiffness`
        /// 1, none along others. Cloth without a direction is limited along any, cloth of edges by its edges. A
        /// `[[limit]]` has its own way.
        max_stretch: Option<Cap> = None => STRETCH;
        /// The largest angle between the yarns of all cloth and a right angle: text such as "20 deg", or its tangent,
        /// as fabrics have it; "off" for none. If not given: that of its `fabric`.
        max_shear: Option<ShearCap> = None => TANGENT;
        /// Substeps in a step; 0 for as many as are needed: with "multigrid" 60 in a second; otherwise 10 in 1/60 s, up
        /// to 25 while cloth turns fast. Fewer cost less and lose more motion.
        substeps: u32 = 0 => Rule::ANY.from(0.0).to(10_000.0);
        /// Sweeps over all elements in a substep, where cloth is projected.
        iterations: u32 = 1 => ROUNDS;
        /// Most levels of coarse nodes, each twice as wide as the one before; 0 for none. Where cloth is projected.
        levels: u32 = 12 => Rule::ANY.from(0.0).to(20.0);
        /// Whether no vertex gets further from a held one than the way along the cloth. Where cloth is projected.
        tethers: bool = true;
        /// Most rounds over what is beyond its limit, in a turn with the safety pass at the end of a step. If they run
        /// out, motion is given up.
        rounds: u32 = 1500 => ROUNDS;
        /// Size of numbers.
        precision: Precision = Precision::F32;
    }
}

section! {
    /// Newton steps behind multigrid.
    pub struct Multigrid + Default {
        /// As for `auto`.
        max_stretch: Option<Cap> = None => STRETCH;
        /// As for `auto`.
        max_shear: Option<ShearCap> = None => TANGENT;
        /// Substeps in a step; 0 for 60 in a second.
        substeps: u32 = 0 => Rule::ANY.from(0.0).to(10_000.0);
        /// Newton steps in a substep, at most.
        iterations: u32 = taut::Params::fabric().iterations => ROUNDS;
        /// Where Newton steps stop: the largest velocity that the last one changed, m/s.
        tolerance: f64 = taut::Params::fabric().tolerance => TOLERANCE;
        /// From one moment to the next.
        integrator: Integrator = Integrator::of(taut::Params::fabric().integrator);
        /// Most rounds over what is beyond its limit, as for `auto`.
        rounds: u32 = 1500 => ROUNDS;
        /// Size of numbers of the state. Forces are in 64 bits in any case.
        precision: Precision = Precision::F32;
    }
}

section! {
    /// A method for all rows together.
    pub struct Global + Default {
        /// Substeps in a step.
        substeps: u32 = 1 => ROUNDS;
        /// Iterations in a substep, at most.
        iterations: u32 = 100 => ROUNDS;
        /// Where it stops: the largest strain that is left unsolved, or the largest error of a velocity in m/s for
        /// methods that work on positions.
        tolerance: f64 = 1e-6 => TOLERANCE;
        /// Whether a substep begins with the forces of the one before, as far as that cannot feed the motion.
        warm_start: bool = false;
        /// From one moment to the next.
        integrator: Integrator = Integrator::ImplicitEuler(Plain::default());
        /// Size of numbers of the state. These methods compute in 64 bits in any case.
        precision: Precision = Precision::F32;
    }
}

variants! {
    /// From one moment to the next.
    pub enum Integrator {
        /// The calmest: loses motion, more with longer substeps.
        ImplicitEuler(Plain) = "implicit-euler",
        /// Between explicit Euler (0, 0), implicit midpoint (0.5, 0.5) and implicit Euler (1, 1).
        AlphaBeta(AlphaBeta) = "alpha-beta",
        /// Second order: keeps more motion than implicit Euler, as stable.
        Bdf2(Plain) = "bdf2",
        /// Newmark's family.
        Newmark(Newmark) = "newmark",
    }
}

section! {
    /// Nothing to set.
    pub struct Plain + Default {}
}

section! {
    /// Weights of the new moment against the old.
    pub struct AlphaBeta + Default {
        /// Of the new positions' forces.
        alpha: f64 = 0.5 => Rule::SHARE;
        /// Of the new velocities.
        beta: f64 = 0.5 => Rule::SHARE;
    }
}

section! {
    /// Weights of the new acceleration.
    pub struct Newmark + Default {
        /// In positions: 0.25 is the average acceleration.
        beta: f64 = 0.25 => Rule::ANY.from(0.001).to(0.5);
        /// In velocities: above 0.5 it damps.
        gamma: f64 = 0.5 => Rule::SHARE;
    }
}

impl Integrator {
    fn of(engine: taut::Integrator) -> Self {
        match engine {
            taut::Integrator::ImplicitEuler => Integrator::ImplicitEuler(Plain::default()),
            taut::Integrator::AlphaBeta { alpha, beta } => Integrator::AlphaBeta(AlphaBeta { alpha, beta }),
            taut::Integrator::Bdf2 => Integrator::Bdf2(Plain::default()),
            taut::Integrator::Newmark { beta, gamma } => Integrator::Newmark(Newmark { beta, gamma }),
        }
    }

    fn engine(&self) -> taut::Integrator {
        match self {
            Integrator::ImplicitEuler(_) => taut::Integrator::ImplicitEuler,
            Integrator::AlphaBeta(s) => taut::Integrator::AlphaBeta { alpha: s.alpha, beta: s.beta },
            Integrator::Bdf2(_) => taut::Integrator::Bdf2,
            Integrator::Newmark(s) => taut::Integrator::Newmark { beta: s.beta, gamma: s.gamma },
        }
    }
}

impl Auto {
    /// The same for a scene in which all cloth has a material; nothing if keys are set that only projection knows.
    pub(crate) fn for_materials(&self) -> Option<Solver> {
        let Auto { max_stretch, max_shear, substeps, iterations, levels, tethers, rounds, precision } = *self;
        let usual = Auto::default();
        if (iterations, levels, tethers) != (usual.iterations, usual.levels, usual.tethers) {
            return None;
        }
        let rest = Multigrid::default();
        Some(Solver::Multigrid(Multigrid { max_stretch, max_shear, substeps, rounds, precision, ..rest }))
    }
}

impl Solver {
    /// The size of numbers it asks for.
    pub fn precision(&self) -> Precision {
        match self {
            Solver::Pbd(pbd) => pbd.precision,
            Solver::Auto(auto) => auto.precision,
            Solver::Multigrid(m) => m.precision,
            other => other.global().map_or(Precision::F32, |(_, global)| global.precision),
        }
    }

    /// What it says about stretch and shear of all cloth, if it keeps cloth within limits at all.
    pub(crate) fn caps(&self) -> Option<(Option<Cap>, Option<ShearCap>)> {
        match self {
            Solver::Auto(auto) => Some((auto.max_stretch, auto.max_shear)),
            Solver::Multigrid(m) => Some((m.max_stretch, m.max_shear)),
            _ => None,
        }
    }

    /// From one moment to the next.
    pub fn integrator(&self) -> &Integrator {
        match self {
            Solver::Pbd(pbd) => &pbd.integrator,
            Solver::Multigrid(m) => &m.integrator,
            other => other.global().map_or(&Integrator::ImplicitEuler(Plain {}), |(_, global)| &global.integrator),
        }
    }

    /// The engine's name and settings of a method for all rows together.
    fn global(&self) -> Option<(taut::Solver, &Global)> {
        Some(match self {
            Solver::Pbd(_) | Solver::Auto(_) | Solver::Multigrid(_) => return None,
            Solver::Jacobi(g) => (taut::Solver::Jacobi { relaxation: 1.0 }, g),
            Solver::MinimumResidual(g) => (taut::Solver::MinimumResidual, g),
            Solver::ConjugateResiduals(g) => (taut::Solver::ConjugateResiduals, g),
            Solver::NonlinearCg(g) => (taut::Solver::NonlinearCg, g),
            Solver::NewtonCg(g) => (taut::Solver::NewtonCg, g),
            Solver::NewtonCholesky(g) => (taut::Solver::NewtonCholesky, g),
            Solver::Newton(g) => (taut::Solver::Newton, g),
        })
    }

    /// The engine's parameters, as far as they are the solver's.
    pub fn params(&self) -> taut::Params {
        match self {
            Solver::Pbd(p) => taut::Params {
                substeps: p.substeps,
                iterations: p.iterations,
                solver: taut::Solver::GaussSeidel { relaxation: p.relaxation, block: p.block },
                integrator: p.integrator.engine(),
                tolerance: p.tolerance,
                warm_start: p.warm_start,
                ..taut::Params::default()
            },
            Solver::Auto(a) => taut::Params {
                substeps: a.substeps,
                iterations: a.iterations,
                inextensibility: taut::Inextensibility {
                    levels: a.levels,
                    tethers: a.tethers,
                    rounds: a.rounds,
                    ..taut::Inextensibility::NONE
                },
                ..taut::Params::default()
            },
            Solver::Multigrid(m) => taut::Params {
                substeps: m.substeps,
                iterations: m.iterations,
                solver: taut::Solver::Multigrid,
                integrator: m.integrator.engine(),
                tolerance: m.tolerance,
                inextensibility: taut::Inextensibility { rounds: m.rounds, ..taut::Inextensibility::NONE },
                ..taut::Params::default()
            },
            other => other.global().map_or_else(taut::Params::default, |(solver, g)| taut::Params {
                substeps: g.substeps,
                iterations: g.iterations,
                solver,
                integrator: g.integrator.engine(),
                tolerance: g.tolerance,
                warm_start: g.warm_start,
                ..taut::Params::default()
            }),
        }
    }
}
