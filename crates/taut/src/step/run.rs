//! A step under way: its stages, as every worker of the team goes through them.

use super::Precision;
use super::arrays::{Arrays, Chunk};
use super::end_solve::EndMemory;
use super::limit::Limits;
use super::report::StepTally;
use super::roll_back::{Outcome, Snapshot};
use super::scratch::StepMemory;
use super::spans::Span;
use super::{MOST_ROUNDS, Params, Stage, StepPlan};
use crate::constraint::{LaneChoice, Sweep};
use crate::contact::pipeline::ContactPipeline;
use crate::contact::{Collider, FrictionBudget, PlacedCollider, PushedVertices};
use crate::lanes::{BLOCK, Scalar, Shared};
use crate::model::Model;
#[cfg(feature = "global")]
use crate::solve::global::Global;
use crate::solve::scheme::{Integrator, Scheme};
use crate::solve::user::UserSolver;
use crate::state::State;
use crate::team::Worker;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// One step under way, as every worker sees it.
pub(super) struct Run<'a, T: Scalar> {
    pub model: &'a Model<T>,
    pub params: &'a Params,
    pub time: Time,
    pub lanes: LaneChoice,
    pub arrays: Arrays<'a, T>,
    pub multipliers: Multipliers<'a, T>,
    /// Held vertices on their way, by number.
    pub targets: &'a [(u32, Option<[T; 3]>)],
    pub colliders: &'a [Collider],
    pub parts: StepParts<'a, T>,
    clock: Option<fn() -> f64>,
    /// The largest number of this, the next and the last round of [`reduce_max`](Self::reduce_max), in turn. Bits of
    /// numbers that are not negative, which are in the order of the numbers.
    most: [AtomicU64; 3],
}

/// How a span of a step is divided: all of it, if there is but one.
#[derive(Clone, Copy)]
pub(super) struct Time {
    /// Length of a substep, s.
    pub h: f64,
    /// How many the span has.
    pub substeps: u32,
    pub span: Span,
    pub integrator: Integrator,
    /// Whether no substep came before that the integrator could look at.
    pub first: bool,
}

impl Time {
    /// The part of the step that is over after so many substeps of the span, 0 to 1.
    pub fn part(&self, substeps: u32) -> f64 {
        let Span { from, to, .. } = self.span;
        if substeps == self.substeps {
            to
        } else {
            from + (to - from) * (f64::from(substeps) / f64::from(self.substeps))
        }
    }

    /// The substep's part of the step.
    pub fn each(&self) -> f64 {
        (self.span.to - self.span.from) / f64::from(self.substeps)
    }

    /// How many substeps the step would have from one of them on, by number, if all were as long.
    pub fn left(&self, number: u32) -> f64 {
        f64::from(self.substeps - number) + (1.0 - self.span.to) / self.each()
    }
}

/// Multipliers of rows with a physical stiffness, and what substeps take from each other.
pub(super) struct Multipliers<'a, T> {
    pub list: Shared<'a, [T; BLOCK]>,
    /// Those of the user's own rows. The first worker's.
    pub user: Mutex<UserSolver<T>>,
    /// Whether there are any of either.
    pub any: bool,
    /// Whether all are zero: at rest, or because no step has found them yet.
    pub unknown: bool,
    /// Whether a substep begins with those of the one before.
    pub warm_start: bool,
    /// Whether the accelerations of the last substep are known.
    pub accelerations_known: bool,
}

/// What takes part in the step besides sweeps over the elements, if it does.
pub(super) struct StepParts<'a, T: Scalar> {
    /// The solver, if it treats all elements together.
    #[cfg(feature = "global")]
    pub global: Option<&'a Global>,
    /// What keeps cloth from stretching.
    pub inextensibility: Option<&'a crate::levels::Inextensible<T>>,
    /// The strain limiters.
    pub limits: Option<Limits<'a, T>>,
    /// Contact between surfaces. The first worker's.
    pub contact: Option<&'a Mutex<ContactPipeline<T>>>,
    /// What the end of an interval keeps in mind. The first worker's.
    pub end: &'a Mutex<EndMemory<T>>,
    /// What an interval began with. The first worker's.
    pub snapshot: &'a Mutex<Snapshot<T>>,
}

/// What a worker keeps of a step.
#[derive(Clone, Copy, Default)]
pub(super) struct Log {
    pub tally: StepTally,
    /// When the stage began, s.
    last: f64,
    /// How often workers have agreed on a number.
    rounds: u32,
    /// How far positions had strayed in the last iteration, m.
    pub strayed: f64,
}

impl Log {
    /// What was counted then; but time has gone by, and workers have agreed since.
    fn back_to(&self, then: &Log) -> Log {
        let tally = StepTally { seconds: self.tally.seconds, ..then.tally };
        Log { tally, last: self.last, rounds: self.rounds, strayed: then.strayed }
    }
}

/// One substep.
pub(super) struct Substep<T> {
    pub number: u32,
    /// Whether it is the span's last.
    pub last: bool,
    /// Whether the step is over with it.
    pub arrives: bool,
    pub scheme: Scheme,
    /// The simple colliders, where they are in it.
    pub colliders: Vec<PlacedCollider<T>>,
}

impl<'a, T: Precision> Run<'a, T> {
    /// A span of a step as planned, on the lists of `state` and `memory`.
    pub fn new(
        model: &'a Model<T>,
        params: &'a Params,
        state: &'a mut State<T>,
        memory: &'a mut StepMemory<T>,
        (plan, time): (&'a StepPlan, Time),
        lanes: LaneChoice,
        clock: Option<fn() -> f64>,
    ) -> Self {
        let zero = [T::of(0.0); BLOCK];
        let unknown =
            state.multipliers.iter().all(|m| *m == zero) && state.user_multipliers.iter().all(|m| *m == zero[0]);
        let any = state.elastic();
        let scheme = time.integrator.scheme(time.h, false);
        let recalls = params.solver.on_positions() && scheme.looks_back() && scheme.reach > 0.0;
        let accelerations_known = state.recall(recalls);
        memory.lay_out(state.x.len());
        memory.end.get_mut().unwrap_or_else(PoisonError::into_inner).begin(&state.x);
        Run {
            model,
            params,
            time,
            lanes,
            arrays: Arrays {
                x: Shared::new(&mut state.x),
                v: Shared::new(&mut state.v),
                x_start: Shared::new(&mut memory.x_start),
                x_predicted: Shared::new(&mut memory.x_predicted),
                elastic: Shared::new(&mut memory.elastic),
                before: Shared::new(&mut state.before),
                last_accelerations: Shared::new(&mut state.last_accelerations),
                pressed: Shared::new(&mut memory.pressed),
                touched: Shared::new(&mut memory.touched),
            },
            multipliers: Multipliers {
                list: Shared::new(&mut state.multipliers),
                user: Mutex::new(UserSolver::new(core::mem::take(&mut state.user_multipliers))),
                any,
                unknown,
                warm_start: params.warm_start || memory.inextensibility.warm(),
                accelerations_known,
            },
            targets: &state.targets,
            colliders: &plan.colliders,
            parts: StepParts {
                #[cfg(feature = "global")]
                global: plan.global.then_some(&memory.global),
                inextensibility: memory.inextensibility.acting(),
                limits: memory.limit.begin(&model.limits, lanes),
                contact: plan.meets.then_some(&memory.contact),
                end: &memory.end,
                snapshot: &memory.snapshot,
            },
            clock,
            most: Default::default(),
        }
    }

    /// Solves a substep's equations, in the way that integrator and solver ask for.
    fn find_positions(&self, worker: Worker<'_>, substep: &Substep<T>, log: &mut Log) {
        if substep.scheme.reach <= 0.0 {
            return self.explicit_step(worker, substep, log);
        }
        #[cfg(feature = "global")]
        if let Some(global) = self.parts.global {
            return self.solve_together(worker, global, substep, log);
        }
        self.solve(worker, substep, log);
    }

    /// All substeps of the span, as one worker's part: the stages of a step, top to bottom.
    pub fn steps(&self, worker: Worker<'_>) -> StepTally {
        let mut log = Log { last: self.now(), ..Log::default() };
        let (mut number, mut begins, mut at_first) = (0, true, log);
        while number < self.time.substeps {
            if begins {
                at_first = log;
                self.take_snapshot(worker);
            }
            let substep = self.substep(number);
            self.predict(worker, &substep);
            self.lap(&mut log, Stage::Predict);
            self.detect(worker, number);
            self.lap(&mut log, Stage::Detect);
            self.find_positions(worker, &substep, &mut log);
            if substep.scheme.reach > 0.0 {
                self.limit(worker, &substep.scheme, &substep.colliders, &mut log);
            }
            self.attach(worker, &substep, &mut log);
            self.stop_touched(worker, &substep.scheme);
            self.end_interval(worker, &substep, &mut log);
            if log.tally.failed > 0 {
                break;
            }
            let outcome = self.outcome(worker, number, &mut log);
            begins = !matches!(outcome, Outcome::Within);
            if let Outcome::Again(first) = outcome {
                log = log.back_to(&at_first);
                number = first;
                continue;
            }
            log.tally.contained += self.finish(worker, &substep.scheme);
            self.lap(&mut log, Stage::Finish);
            self.limit_rates(worker, &mut log);
            number += 1;
        }
        self.measure(worker, &mut log);
        log.tally.workers = worker.of();
        log.tally
    }

    /// A way over elements.
    pub fn over<'w>(&self, worker: Worker<'w>) -> Sweep<'w> {
        Sweep { worker, lanes: self.lanes }
    }

    /// Gives back the multipliers of the user's own rows.
    pub fn into_user_multipliers(self) -> Vec<T> {
        self.multipliers.user.into_inner().unwrap_or_else(PoisonError::into_inner).multipliers
    }

    fn substep(&self, number: u32) -> Substep<T> {
        let (from, to) = (self.time.part(number), self.time.part(number + 1));
        Substep {
            number,
            last: number + 1 == self.time.substeps,
            arrives: to >= 1.0,
            scheme: self.time.integrator.scheme(self.time.h, self.time.first && number == 0),
            colliders: self.colliders.iter().map(|c| PlacedCollider::new(c, from, to)).collect(),
        }
    }

    /// Most iterations of a solver in a substep.
    pub fn iterations(&self) -> u32 {
        self.params.iterations.clamp(1, MOST_ROUNDS)
    }

    fn now(&self) -> f64 {
        self.clock.map_or(0.0, |clock| clock())
    }

    pub fn lap(&self, log: &mut Log, stage: Stage) {
        let now = self.now();
        log.tally.seconds[stage as usize] += now - log.last;
        log.last = now;
    }

    /// The largest of all workers' numbers.
    pub fn reduce_max(&self, worker: Worker<'_>, log: &mut Log, mine: f64) -> f64 {
        let slot = |i: u32| &self.most[(i % 3) as usize];
        let round = log.rounds;
        log.rounds = round.wrapping_add(1) % 3;
        slot(round).fetch_max(mine.abs().to_bits(), Ordering::Relaxed);
        // Nobody writes the next slot until all have come here, and nobody reads it any more.
        if worker.id() == 0 {
            slot(round + 1).store(0, Ordering::Relaxed);
        }
        worker.sync();
        f64::from_bits(slot(round).load(Ordering::Relaxed))
    }

    /// Pushes free vertices out of colliders. Returns how many touched one.
    pub fn collide(&self, worker: Worker<'_>, colliders: &[PlacedCollider<T>], budget: FrictionBudget) -> u64 {
        self.push_apart(worker, budget);
        if colliders.is_empty() {
            return 0;
        }
        self.arrays.on_chunk(worker, |Chunk { x, x_start, pressed, touched, .. }| {
            let vertices = PushedVertices { x, x_start, pressed, touched };
            PlacedCollider::push_out(colliders, vertices, budget, self.lanes)
        })
    }

    /// What the report says of the state that is returned.
    fn measure(&self, worker: Worker<'_>, log: &mut Log) {
        self.measure_stretch(worker, log);
        self.lap(log, Stage::Finish);
    }
}
