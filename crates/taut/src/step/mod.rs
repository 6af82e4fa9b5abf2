//! The step, top to bottom.

mod arrays;
mod arrest;
mod contact;
mod end_solve;
mod finish;
mod inextensible;
mod limit;
mod params;
mod precision;
mod predict;
mod report;
mod retreat;
mod roll_back;
mod run;
mod scratch;
mod solve;
mod spans;
#[cfg(feature = "global")]
mod together;
mod user;

pub use params::Params;
pub use precision::Precision;
pub use report::{LeftOut, Problem, Stage, StepReport};
pub use scratch::Scratch;

use crate::constraint::LaneChoice;
use crate::contact::Collider;
use crate::contact::pipeline::{ContactInput, Pins};
use crate::lanes::Scalar;
use crate::levels::Inextensibility;
use crate::model::Model;
use crate::solve::Solver;
use crate::solve::scheme::Integrator;
use crate::state::State;
use crate::team::Worker;
use report::StepTally;
use run::{Run, Time};
use scratch::StepMemory;
use spans::{Span, Spans};
use std::sync::{Mutex, PoisonError};

/// Advances the state by `dt` seconds. Never fails and never panics; what had to be contained is in the report, and so
/// is why nothing was done, if nothing could be: a time step that is not positive and finite, a state of another model.
pub fn step<T: Precision>(
    model: &Model<T>,
    state: &mut State<T>,
    scratch: &mut Scratch<T>,
    params: &Params,
    dt: f64,
) -> StepReport {
    T::step(model, state, scratch, params, dt)
}

/// The step itself.
fn step_in<T: Precision>(
    model: &Model<T>,
    state: &mut State<T>,
    scratch: &mut Scratch<T>,
    params: &Params,
    dt: f64,
) -> StepReport {
    let plan = match StepPlan::new(model, state, &mut scratch.memory, params, dt, scratch.lanes) {
        Ok(plan) => plan,
        Err(problem) => return StepReport::nothing(problem),
    };
    // Now already, too: should something unwind, nothing is known any more of where vertices are.
    state.changed();
    let mut spans = Spans::new(state.effort, dt, if plan.global { plan.asked } else { 1 }, plan.tries);
    let (mut tally, mut substeps) = (StepTally::default(), 0);
    while let Some(span) = spans.next() {
        if span.trial {
            scratch.memory.keep_start(state);
        }
        let time = plan.time(span, state, dt);
        let done = run_span(model, state, scratch, params, &plan, time);
        tally.add(&done);
        if done.failed > 0 {
            scratch.memory.go_back(state);
            let at_once = u64::from(params.inextensibility.rounds.max(1));
            spans.failed(done.failed, time.substeps, tally.rounds / at_once);
        } else {
            substeps += time.substeps;
            spans.done();
        }
    }
    state.targets.clear();
    state.changed();
    state.time += dt;
    state.effort = spans.effort();
    let mut report = StepReport::of(&tally, &mut scratch.memory, state, params, substeps);
    let pin = &mut report.contact.impossible_between.pin;
    *pin = pin.map(|v| model.user[v as usize]);
    report
}

/// Goes through a span of a step, with all workers.
fn run_span<T: Precision>(
    model: &Model<T>,
    state: &mut State<T>,
    scratch: &mut Scratch<T>,
    params: &Params,
    plan: &StepPlan,
    time: Time,
) -> StepTally {
    let threads = scratch.team.threads();
    let workers = if scratch.eager { threads } else { useful_workers(model, threads) };
    let tally = Mutex::new(StepTally::default());
    if plan.meets {
        scratch.memory.contact.get_mut().unwrap_or_else(PoisonError::into_inner).begin_span();
    }
    let run = Run::new(model, params, state, &mut scratch.memory, (plan, time), scratch.lanes, scratch.clock);
    let program = |worker: Worker<'_>| {
        let mine = run.steps(worker);
        if let Ok(mut all) = tally.lock() {
            all.join(mine, worker.id() == 0);
        }
    };
    // SAFETY: the stages go the same way on every worker: they branch on the model, the parameters and what all have
    // agreed on.
    unsafe { scratch.team.run(workers, program) };
    state.user_multipliers = run.into_user_multipliers();
    tally.into_inner().unwrap_or_default()
}

/// What is settled before the first substep.
struct StepPlan {
    integrator: Integrator,
    /// How many substeps are asked for, and how many there are if the step goes well.
    asked: u32,
    substeps: u32,
    /// Whether a solver treats all elements together.
    global: bool,
    colliders: Vec<Collider>,
    /// Whether surfaces are to meet.
    meets: bool,
    /// Whether something may contradict bounds, so that shorter spans may help.
    tries: bool,
}

impl StepPlan {
    /// Or why there is nothing to step, or no way to.
    fn new<T: Scalar>(
        model: &Model<T>,
        state: &mut State<T>,
        memory: &mut StepMemory<T>,
        params: &Params,
        dt: f64,
        lanes: LaneChoice,
    ) -> Result<Self, Problem> {
        if !state.fits(model) {
            return Err(Problem::OtherModel);
        }
        if !(dt > 0.0 && T::of(dt).finite()) {
            return Err(Problem::TimeStep);
        }
        let global = !matches!(params.solver, Solver::GaussSeidel { .. }) && state.elastic();
        if global && cfg!(not(feature = "global")) {
            return Err(Problem::Solver);
        }
        // Bounds are for every solver; what carries forces far, for those that go element by element.
        let own = params.inextensibility;
        let wanted = if global { Inextensibility { levels: 0, tethers: false, ..own } } else { own };
        let inextensibility = &mut memory.inextensibility;
        inextensibility.prepare(&model.at_rest(), &wanted, params.gravity, &state.x);
        let asked = match params.substeps {
            0 if params.solver == Solver::Multigrid => (dt * IMPLICIT_RATE - 1e-6).ceil().min(1e9) as u32,
            0 => inextensibility.substeps(dt, &state.v),
            asked => asked,
        };
        if !T::of(f64::from(asked) / dt).finite() {
            return Err(Problem::TimeStep);
        }
        let colliders: Vec<Collider> = params.colliders.iter().filter(|c| c.sound::<T>()).copied().collect();
        let contact = memory.contact.get_mut().unwrap_or_else(PoisonError::into_inner);
        let meets = contact.open(&ContactInput {
            surfaces: (!params.contact.materials.is_empty()).then(|| model.surfaces()),
            contact: &params.contact,
            colliders: &colliders,
            meshes: &params.meshes,
            x: &state.x,
            pins: Pins { targets: &state.targets, v: &state.v, dt },
            version: state.version,
        });
        let asked = asked.clamp(1, MOST_ROUNDS);
        let substeps = if meets { asked.max(contact.least_substeps(asked)) } else { asked };
        // A projection without multipliers moves vertices for good, once: integrators that make more velocity of a
        // displacement than it took would give energy to them.
        let integrator = if model.projects() { Integrator::ImplicitEuler } else { params.integrator };
        state.settle_targets();
        let bounded = memory.inextensibility.acting().is_some_and(|part| part.limit().count() > 0);
        let tries = bounded && (meets || !colliders.is_empty());
        memory.limit.forget();
        #[cfg(feature = "global")]
        if global {
            memory.prepare_global(model, (params.solver, integrator), lanes);
        }
        #[cfg(not(feature = "global"))]
        let _ = lanes;
        Ok(StepPlan { integrator, asked, substeps, global, colliders, meets, tries })
    }

    /// How a span of the step, of `dt` seconds, is divided.
    fn time<T: Scalar>(&self, span: Span, state: &mut State<T>, dt: f64) -> Time {
        let part = span.to - span.from;
        let substeps = ((f64::from(self.substeps) * part - 1e-9).ceil() as u32).max(1);
        let h = dt * part / f64::from(substeps);
        let first = state.remember(self.integrator.remembers(), h);
        Time { h, substeps, span, integrator: self.integrator, first }
    }
}

/// Substeps in a second of a solver that is stable in long ones, if nobody asks for a number: as many as show motion.
const IMPLICIT_RATE: f64 = 60.0;

/// Most substeps and most iterations. More would step for hours; a time step small enough to need them should be asked
/// for as such.
const MOST_ROUNDS: u32 = 10_000;

/// As many workers as have blocks enough in a colour to pay for meeting after it. A block takes 0.1 to 0.3 µs, a
/// meeting 0.3 µs if all are awake, but far more where other programs want the cores: with a third of this, a cloth of
/// 12,800 triangles took fifty times as long on two threads of a busy machine as on one.
fn useful_workers<T: Scalar>(model: &Model<T>, threads: usize) -> usize {
    let (blocks, colours) = model.extent();
    (blocks / (colours.max(1) * 128)).clamp(1, threads)
}
