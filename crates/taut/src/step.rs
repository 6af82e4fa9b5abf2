//! The step, top to bottom.

use crate::contact::{Collider, Placed};
use crate::element::Element;
use crate::lanes::{Place, Scalar, Shared, Vertex, Width};
use crate::model::{Model, Visit};
use crate::pack::Batch;
use crate::solve::aero::{Air, Blow};
use crate::solve::pbd::{Damp, Project};
use crate::state::State;
use crate::team::{Team, Worker};
use core::ops::Range;
use fearless_simd::Level;
use std::sync::Mutex;

/// How to step.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Acceleration of everything free, m/s².
    pub gravity: [f64; 3],
    /// Substeps in a step, 1 to 10,000. Many substeps of one iteration hold cloth far better than one step of many iterations,
    /// at the same cost.
    pub substeps: u32,
    /// Sweeps over all elements in a substep, 1 to 10,000.
    pub iterations: u32,
    /// Wind and drag.
    pub air: Air,
    /// Shapes that nothing can enter. Those with numbers that cannot be computed with are left out.
    pub colliders: Vec<Collider>,
}

impl Default for Params {
    fn default() -> Self {
        Params { gravity: [0.0, -9.81, 0.0], substeps: 20, iterations: 1, air: Air::default(), colliders: Vec::new() }
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
    /// Sweeps over the elements.
    Solve,
    /// Pushing vertices out of colliders.
    Contact,
    /// Velocities, damping, containment.
    Finish,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 4] = [Stage::Predict, Stage::Solve, Stage::Contact, Stage::Finish];

    /// In lower case, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Predict => "predict",
            Stage::Solve => "solve",
            Stage::Contact => "contact",
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
    let rate = f64::from(params.substeps.max(1)) / dt;
    if !(dt > 0.0 && T::of(dt).finite() && T::of(rate).finite()) || state.x.len() != model.vertices() + 1 {
        return StepReport::default();
    }
    let substeps = params.substeps.clamp(1, MOST_ROUNDS);
    scratch.old.resize(state.x.len(), [T::of(0.0); 4]);
    let colliders = params.colliders.iter().filter(|c| c.sound::<T>()).copied().collect();
    let run = Run {
        model,
        colliders,
        params,
        h: dt / f64::from(substeps),
        substeps,
        width: scratch.width,
        level: scratch.level,
        clock: scratch.clock,
        targets: &state.targets,
        x: Shared::new(&mut state.x),
        v: Shared::new(&mut state.v),
        old: Shared::new(&mut scratch.old),
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
            }
        }
    });
    state.targets.clear();
    state.time += dt;
    report.into_inner().unwrap_or_default()
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

/// One step under way, as every worker sees it.
struct Run<'a, T: Scalar> {
    model: &'a Model<T>,
    params: &'a Params,
    colliders: Vec<Collider>,
    h: f64,
    substeps: u32,
    width: Width,
    level: Level,
    clock: Option<fn() -> f64>,
    targets: &'a [(u32, [T; 3])],
    x: Shared<'a, Vertex<T>>,
    v: Shared<'a, Vertex<T>>,
    old: Shared<'a, Vertex<T>>,
}

impl<T: Scalar> Run<'_, T> {
    /// All substeps, as one worker's part.
    fn steps(&self, worker: Worker<'_>) -> StepReport {
        let mut report = StepReport::default();
        let mut last = self.now();
        for substep in 0..self.substeps {
            self.predict(worker, substep);
            self.lap(&mut report, Stage::Predict, &mut last);
            let colliders = self.placed(substep);
            for _ in 0..self.params.iterations.clamp(1, MOST_ROUNDS) {
                self.model.elements.for_each(&mut Sweep { run: self, worker });
                self.lap(&mut report, Stage::Solve, &mut last);
                report.contacts = self.collide(worker, &colliders);
                self.lap(&mut report, Stage::Contact, &mut last);
            }
            report.contained += self.finish(worker);
            self.lap(&mut report, Stage::Finish, &mut last);
        }
        report
    }

    fn now(&self) -> f64 {
        self.clock.map_or(0.0, |clock| clock())
    }

    fn lap(&self, report: &mut StepReport, stage: Stage, last: &mut f64) {
        let now = self.now();
        report.seconds[stage as usize] += now - *last;
        *last = now;
    }

    /// Forces into velocities, velocities into candidate positions, pins to where they have to be.
    fn predict(&self, worker: Worker<'_>, substep: u32) {
        let mine = worker.share(0..self.model.vertices());
        let kick = self.params.gravity.map(|g| T::of(g * self.h));
        if self.params.air.acts() {
            self.each(mine.clone(), |mut v, x, _| {
                if x[3] > T::of(0.0) {
                    v = [v[0] + kick[0], v[1] + kick[1], v[2] + kick[2], v[3]];
                }
                (x, v, x)
            });
            worker.sync();
            for colour in &self.model.faces.colours {
                let blocks = &self.model.faces.blocks[worker.share(colour.clone())];
                // SAFETY: the builder packs indices in range and one vertex once in a colour; workers have disjoint
                // shares of it and meet before the next.
                T::run_cold(self.width, self.level, unsafe {
                    Blow::new(blocks, self.params.air, self.h, self.x, self.v)
                });
                worker.sync();
            }
            self.drift(mine, [T::of(0.0); 3]);
        } else {
            self.drift(mine, kick);
        }
        worker.sync();
        if !self.targets.is_empty() {
            if worker.id == 0 {
                self.move_pins(substep);
            }
            worker.sync();
        }
    }

    /// v += kick, x += h v, for what is free.
    fn drift(&self, range: Range<usize>, kick: [T; 3]) {
        let h = T::of(self.h);
        self.each(range, |mut v, x, _| {
            let mut next = x;
            if x[3] > T::of(0.0) {
                for k in 0..3 {
                    v[k] = v[k] + kick[k];
                    next[k] = x[k] + v[k] * h;
                }
            }
            (next, v, x)
        });
    }

    /// Held vertices go the same part of their way in each substep, and arrive in the last.
    fn move_pins(&self, substep: u32) {
        let part = T::of(1.0 / f64::from(self.substeps - substep));
        for &(i, target) in self.targets {
            let place = Place::new::<Vertex<T>>(i);
            // SAFETY: in range by `State::move_pin`; only worker 0 is here, between two meetings.
            let mut x = unsafe { self.x.read(place) };
            for k in 0..3 {
                x[k] = if substep + 1 == self.substeps { target[k] } else { x[k] + (target[k] - x[k]) * part };
            }
            // SAFETY: as above.
            unsafe { self.x.write(place, x) };
        }
    }

    /// The colliders in one substep.
    fn placed(&self, substep: u32) -> Vec<Placed<T>> {
        let part = |s: u32| f64::from(s) / f64::from(self.substeps);
        self.colliders.iter().map(|c| Placed::new(c, part(substep), part(substep + 1))).collect()
    }

    /// Pushes free vertices out of colliders. Returns how many touched one.
    fn collide(&self, worker: Worker<'_>, colliders: &[Placed<T>]) -> u64 {
        if colliders.is_empty() {
            return 0;
        }
        let mut contacts = 0;
        self.each(worker.share(0..self.model.vertices()), |v, mut x, old| {
            if x[3] > T::of(0.0) {
                for collider in colliders {
                    contacts += u64::from(collider.push(&mut x, old));
                }
            }
            (x, v, old)
        });
        worker.sync();
        contacts
    }

    /// Velocities from positions, then damping. Returns how many vertices had to be contained.
    fn finish(&self, worker: Worker<'_>) -> u64 {
        let (h, rate) = (T::of(self.h), T::of(1.0 / self.h));
        let mut contained = 0;
        let mine = worker.share(0..self.model.vertices());
        self.each(mine.clone(), |v, x, old| {
            let mut next = [T::of(0.0); 4];
            for k in 0..3 {
                // What the solve changed goes into the velocity, and no more: (x − old)/h would round away whatever
                // is slower than a digit of x in a substep, gravity first.
                let free = v[k] + (x[k] - (old[k] + v[k] * h)) * rate;
                next[k] = if x[3] > T::of(0.0) { free } else { (x[k] - old[k]) * rate };
            }
            if x.iter().chain(&next).all(|c| c.finite()) {
                return (x, next, old);
            }
            contained += 1;
            ([old[0], old[1], old[2], x[3]], [T::of(0.0); 4], old)
        });
        worker.sync();
        self.model.elements.for_each(&mut Calm { run: self, worker });
        self.each(mine, |mut v, x, old| {
            if !v.iter().all(|c| c.finite()) {
                contained += 1;
                v = [T::of(0.0); 4];
            }
            (x, v, old)
        });
        contained
    }

    /// Does `f` (v, x, old) → (x, v, old) to each vertex of a worker's own range.
    fn each(
        &self,
        range: Range<usize>,
        mut f: impl FnMut(Vertex<T>, Vertex<T>, Vertex<T>) -> (Vertex<T>, Vertex<T>, Vertex<T>),
    ) {
        for i in range {
            let place = Place::new::<Vertex<T>>(i as u32);
            // SAFETY: i is below the number of vertices, the length of all three; ranges of workers are disjoint,
            // and they meet before anyone touches another's.
            unsafe {
                let (x, v, old) = f(self.v.read(place), self.x.read(place), self.old.read(place));
                self.x.write(place, x);
                self.v.write(place, v);
                self.old.write(place, old);
            }
        }
    }
}

/// One sweep of projections.
struct Sweep<'a, T: Scalar> {
    run: &'a Run<'a, T>,
    worker: Worker<'a>,
}

impl<T: Scalar> Visit<T> for Sweep<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if batch.stiff_rows == 0 {
            return;
        }
        for colour in &batch.colours {
            let blocks = &batch.blocks[self.worker.share(colour.clone())];
            // SAFETY: the builder packs indices in range and one vertex once in a colour; workers have disjoint
            // shares of it and meet before the next.
            let kernel = unsafe { Project::<E, T, V, D, P, R>::new(blocks, batch.stiff_rows, self.run.x) };
            T::run(self.run.width, self.run.level, kernel);
            self.worker.sync();
        }
    }
}

/// One sweep of damping.
struct Calm<'a, T: Scalar> {
    run: &'a Run<'a, T>,
    worker: Worker<'a>,
}

impl<T: Scalar> Visit<T> for Calm<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if batch.damped_rows == 0 {
            return;
        }
        let (run, h) = (self.run, T::of(self.run.h));
        for colour in &batch.colours {
            let mine = self.worker.share(colour.clone());
            let (blocks, damping) = (&batch.blocks[mine.clone()], &batch.damping[mine]);
            // SAFETY: as in `Sweep`.
            let kernel = unsafe { Damp::<E, T, V, D, P, R>::new(blocks, damping, batch.damped_rows, h, run.x, run.v) };
            T::run_cold(run.width, run.level, kernel);
            self.worker.sync();
        }
    }
}
