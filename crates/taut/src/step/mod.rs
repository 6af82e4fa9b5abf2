//! The step, top to bottom.

mod hold;
mod limit;
mod run;
mod sweep;
mod touch;

use crate::contact::meeting::Meeting;
use crate::contact::{Collider, Contact, MeshCollider};
use crate::hold::{Hold, HoldReport, Holder};
use crate::lanes::{BLOCK, Scalar, Shared, Vertex, Width};
use crate::limit::LimitReport;
use crate::model::Model;
use crate::solve::Solver;
use crate::solve::aero::Air;
use crate::solve::global::Global;
use crate::solve::scheme::Integrator;
use crate::state::State;
use crate::team::Team;
use fearless_simd::Level;
use run::Run;
use std::sync::{Mutex, PoisonError};

/// How to step.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Acceleration of everything free, m/s².
    pub gravity: [f64; 3],
    /// Substeps in a step, 1 to 10,000; 0 for as many as [`hold`](Self::hold) needs to keep the cloth as stiff, and as soft, as it
    /// is, more in steps in which it turns fast, or 1 without. Many substeps of one iteration hold cloth far better than one step of many iterations,
    /// at the same cost.
    pub substeps: u32,
    /// Most iterations of the solver in a substep, 1 to 10,000: sweeps over all elements, or what the solver counts.
    pub iterations: u32,
    /// From one moment to the next. A model with shares of stiffness anywhere knows implicit Euler only.
    pub integrator: Integrator,
    /// How the equations of a substep are solved. Only rows with a physical stiffness know other solvers than
    /// Gauss–Seidel; the others are projected.
    pub solver: Solver,
    /// The residual at which a solver stops before its last iteration, in the unit of [`StepReport::residual`]; 0 for
    /// never.
    pub tolerance: f64,
    /// Whether multipliers begin with those of the substep before instead of zero. Rows of which the iterations leave less than
    /// half unsolved (implicit Euler without damping) begin with all of it: cloth at rest then stays so. Of the others
    /// it is as much as cannot feed their motion, a third or so: they become up to half as stiff again, at the cost of a sweep.
    /// Nothing for rows that few iterations cannot solve under integrators that damp nothing.
    pub warm_start: bool,
    /// Wind and drag.
    pub air: Air,
    /// Shapes that nothing can enter. Those with numbers that cannot be computed with are left out.
    pub colliders: Vec<Collider>,
    /// Meshes that nothing can enter. Only bodies with a [`Skin`](crate::Skin) meet them.
    pub meshes: Vec<MeshCollider>,
    /// Contact between surfaces.
    pub contact: Contact,
    /// What keeps cloth from stretching, besides the solver. Only with Gauss–Seidel.
    pub hold: Hold,
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
            hold: Hold::NONE,
        }
    }
}

/// What a step needs besides model and state: threads, memory to work in, and how to tell the time.
#[derive(Debug)]
pub struct Scratch<T: Scalar> {
    team: Team,
    width: Width,
    level: Level,
    clock: Option<fn() -> f64>,
    eager: bool,
    old: Vec<Vertex<T>>,
    free: Vec<Vertex<T>>,
    push: Vec<Vertex<T>>,
    pressed: Vec<T>,
    touched: Vec<bool>,
    global: Global,
    meeting: Mutex<Meeting<T>>,
    limit: limit::LimitScratch<T>,
    holder: Holder<T>,
}

impl<T: Scalar> Scratch<T> {
    /// Works on up to `threads` threads. The results do not depend on it.
    pub fn new(threads: usize) -> Self {
        Scratch {
            team: Team::new(threads),
            width: Width::default(),
            level: Level::new(),
            clock: None,
            eager: false,
            old: Vec::new(),
            free: Vec::new(),
            push: Vec::new(),
            pressed: Vec::new(),
            touched: Vec::new(),
            global: Global::default(),
            meeting: Mutex::default(),
            limit: limit::LimitScratch::default(),
            holder: Holder::default(),
        }
    }

    /// Uses all threads even where the model is too small for them to pay.
    pub fn eager(self) -> Self {
        Scratch { eager: true, ..self }
    }

    /// Uses this lane width. The results do not depend on it.
    pub fn with_width(self, width: Width) -> Self {
        Scratch { width, ..self }
    }

    /// What each of the model's limiters did in the last step, all substeps together.
    pub fn limit_reports(&mut self) -> &[LimitReport] {
        self.limit.reports()
    }

    /// Times stages with this clock, which returns seconds. The engine has none of its own.
    pub fn with_clock(self, clock: fn() -> f64) -> Self {
        Scratch { clock: Some(clock), ..self }
    }
}

/// The stages of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Forces, pins, candidate positions.
    Predict,
    /// Which surfaces are near each other.
    Detect,
    /// Sweeps over the elements.
    Solve,
    /// Strain limiters.
    Limit,
    /// Pushing surfaces apart, and out of colliders.
    Contact,
    /// Taking back motion that would make surfaces intersect.
    Guard,
    /// Velocities, damping, containment.
    Finish,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 7] =
        [Stage::Predict, Stage::Detect, Stage::Solve, Stage::Limit, Stage::Contact, Stage::Guard, Stage::Finish];

    /// In lower case, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Predict => "predict",
            Stage::Detect => "detect",
            Stage::Solve => "solve",
            Stage::Limit => "limit",
            Stage::Contact => "contact",
            Stage::Guard => "guard",
            Stage::Finish => "finish",
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Seconds in each [`Stage`]; zeros without a clock.
    pub seconds: [f64; Stage::ALL.len()],
    /// How often a vertex was no longer finite and was put back where it was, at rest.
    pub contained: u64,
    /// Touches of a vertex and a collider in the last sweep.
    pub contacts: u64,
    /// The threads that worked: small models stay on one.
    pub threads: usize,
    /// Iterations of the solver, in all substeps together.
    pub iterations: u64,
    /// What the last substep's solve left, of rows with a physical stiffness; 0 without any.
    ///
    /// | solver | what | unit |
    /// | --- | --- | --- |
    /// | Gauss–Seidel | the largest \|c + γ ċ + E⁻¹ λ\| that the last sweep met, each row just before it was mended | strain, or rad |
    /// | the same with a tolerance | that, or the largest distance of a vertex from x̃ + s M⁻¹ Jᵀ λ if its number is greater | strain or rad, or m |
    /// | Jacobi, Minimum Residual, Conjugate Residuals | the largest \|c + γ ċ + E⁻¹ λ\| and what such distances could add to it | strain, or rad |
    /// | nonlinear CG, Newton's | the largest velocity that a vertex lacks | m/s |
    pub residual: f64,
    /// Substeps made: as many as asked for, or more, so that no collider outruns contact between surfaces.
    pub substeps: u32,
    /// What contact between surfaces did.
    pub touch: Touch,
    /// What the model's strain limiters did, all of them in all substeps together. What they left is before contact's
    /// last word, which may stretch cloth again.
    pub limit: LimitReport,
    /// What kept cloth from stretching.
    pub hold: HoldReport,
}

/// What contact between surfaces did in a step; all zero without [`Contact::skins`](crate::Contact::skins).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Near pairs of features that the solver kept apart, in the last substep.
    pub pairs: u64,
    /// How often the guard stopped a vertex.
    pub stopped: u64,
    /// What the guard took back of all motion, 0 to 1.
    pub removed: f64,
    /// Pairs that could not be kept apart, because colliders or pins left no room.
    pub impossible: u64,
    /// Where the first of those was, m.
    pub impossible_at: Option<[f64; 3]>,
    /// Pairs of triangles that intersected at the start of the step, and are being pulled apart.
    pub tangled: u64,
    /// Where the first of those was, m.
    pub tangled_at: Option<[f64; 3]>,
}

/// Advances the state by `dt` seconds. Never fails and never panics; what had to be contained is in the report.
/// A time step that is not positive and finite does nothing.
pub fn step<T: Scalar>(
    model: &Model<T>,
    state: &mut State<T>,
    scratch: &mut Scratch<T>,
    params: &Params,
    dt: f64,
) -> StepReport {
    T::step(model, state, scratch, params, dt)
}

/// The step itself.
pub(crate) fn step_in<T: Scalar>(
    model: &Model<T>,
    state: &mut State<T>,
    scratch: &mut Scratch<T>,
    params: &Params,
    dt: f64,
) -> StepReport {
    if !(dt > 0.0 && T::of(dt).finite() && state.fits(model)) {
        return StepReport::default();
    }
    let global = !(matches!(params.solver, Solver::GaussSeidel { .. }) || state.multipliers.is_empty());
    let hold = if global { Hold::NONE } else { params.hold };
    scratch.holder.prepare(model, &hold, params.gravity, &state.x);
    let asked = if params.substeps == 0 { scratch.holder.substeps(dt, &state.v) } else { params.substeps };
    if !T::of(f64::from(asked) / dt).finite() {
        return StepReport::default();
    }
    let colliders: Vec<Collider> = params.colliders.iter().filter(|c| c.sound::<T>()).copied().collect();
    let meeting = scratch.meeting.get_mut().unwrap_or_else(PoisonError::into_inner);
    let meets = meeting.open(model, &params.contact, &colliders, &params.meshes, &state.x);
    let least = if meets { meeting.least_substeps() } else { 1 };
    let substeps = asked.clamp(1, MOST_ROUNDS).max(least);
    for list in [&mut scratch.old, &mut scratch.free, &mut scratch.push] {
        list.resize(state.x.len(), [T::of(0.0); 4]);
    }
    scratch.pressed.clear();
    scratch.pressed.resize(state.x.len(), T::of(0.0));
    scratch.touched.clear();
    scratch.touched.resize(state.x.len(), false);
    let h = dt / f64::from(substeps);
    // A projection without multipliers moves vertices for good, once: integrators that make more velocity of a
    // displacement than it took would give energy to them.
    let integrator = if model.elements.shares { Integrator::ImplicitEuler } else { params.integrator };
    let first = state.remember(integrator.remembers(), h);
    let scheme = integrator.scheme(h, false);
    let acted_known = state.recall(params.solver.on_positions() && scheme.looks_back() && scheme.reach > 0.0);
    let zero = [T::of(0.0); BLOCK];
    let unknown = state.multipliers.iter().all(|m| *m == zero);
    if global {
        scratch.global.prepare(&model.elements, model.vertices(), params.solver);
    }
    let run = Run {
        warm_start: params.warm_start || scratch.holder.warm(),
        hold: scratch.holder.desk(),
        model,
        colliders,
        params,
        h,
        substeps,
        integrator,
        first,
        unknown,
        width: scratch.width,
        level: scratch.level,
        clock: scratch.clock,
        targets: &state.targets,
        x: Shared::new(&mut state.x),
        v: Shared::new(&mut state.v),
        old: Shared::new(&mut scratch.old),
        free: Shared::new(&mut scratch.free),
        push: Shared::new(&mut scratch.push),
        pressed: Shared::new(&mut scratch.pressed),
        touched: Shared::new(&mut scratch.touched),
        lambda: Shared::new(&mut state.multipliers),
        before: Shared::new(&mut state.before),
        acted: Shared::new(&mut state.acted),
        acted_known,
        residual: Default::default(),
        global: global.then_some(&scratch.global),
        meeting: meets.then_some(&scratch.meeting),
        limits: scratch.limit.begin(&model.limits, scratch.width, scratch.level),
    };
    let report = Mutex::new(StepReport::default());
    let threads = scratch.team.threads();
    let workers = if scratch.eager { threads } else { useful_workers(model, threads) };
    scratch.team.run(workers, |worker| {
        let mine = run.steps(worker);
        if let Ok(mut all) = report.lock() {
            all.contained += mine.contained;
            all.contacts += mine.contacts;
            if worker.id == 0 {
                (all.seconds, all.threads) = (mine.seconds, worker.of);
                (all.iterations, all.residual) = (mine.iterations, mine.residual);
                all.hold = mine.hold;
            }
        }
    });
    state.targets.clear();
    state.time += dt;
    let report = report.into_inner().unwrap_or_default();
    let meeting = scratch.meeting.get_mut().unwrap_or_else(PoisonError::into_inner);
    let touch = meeting.close(&state.x, report.contained > 0);
    let hold = report.hold.with(scratch.holder.report(), substeps);
    StepReport { touch, substeps, limit: scratch.limit.report(), hold, ..report }
}

/// Most substeps and most iterations. More would step for hours; a time step small enough to need them should be asked
/// for as such.
const MOST_ROUNDS: u32 = 10_000;

/// As many workers as have blocks enough in a colour to pay for meeting after it. A block takes 0.1 to 0.3 µs, a meeting
/// 0.3 µs if all are awake, but far more where other programs want the cores: with a third of this, a cloth of 12,800
/// triangles took fifty times as long on two threads of a busy machine as on one.
fn useful_workers<T: Scalar>(model: &Model<T>, threads: usize) -> usize {
    let (blocks, colours) = model.extent();
    (blocks / (colours.max(1) * 128)).clamp(1, threads)
}
