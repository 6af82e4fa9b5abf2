//! A step under way, stage by stage, as every worker of the team goes through it.

use super::limit::Limits;
use super::sweep::{Calm, Press, Soft, Sweep};
use super::{MOST_ROUNDS, Params, Stage, StepReport};
use crate::contact::meeting::Meeting;
use crate::contact::{Collider, Grip, Placed};
use crate::lanes::{BLOCK, Place, Scalar, Shared, Vertex, Width};
use crate::model::Model;
use crate::solve::Solver;
use crate::solve::aero::Blow;
use crate::solve::global::{Candidate, Global, Outcome, Settings};
use crate::solve::scheme::{Integrator, Scheme};
use crate::solve::soft::{Law, Places};
use crate::solve::warm::Memory;
use crate::state::xyz;
use crate::team::Worker;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use fearless_simd::Level;
use std::sync::Mutex;

/// One step under way, as every worker sees it.
pub(super) struct Run<'a, T: Scalar> {
    /// What keeps cloth from stretching.
    pub hold: Option<crate::hold::Desk<'a, T>>,
    /// Whether a substep begins with the multipliers of the one before.
    pub warm_start: bool,
    pub model: &'a Model<T>,
    pub params: &'a Params,
    pub colliders: Vec<Collider>,
    pub integrator: Integrator,
    /// Length of a substep, s.
    pub h: f64,
    pub substeps: u32,
    /// Whether no substep came before that the integrator could look at.
    pub first: bool,
    /// Whether all multipliers are zero: at rest, or because no step has found them yet.
    pub unknown: bool,
    pub width: Width,
    pub level: Level,
    pub clock: Option<fn() -> f64>,
    pub targets: &'a [(u32, [T; 3])],
    pub x: Shared<'a, Vertex<T>>,
    pub v: Shared<'a, Vertex<T>>,
    /// Positions at the substep's start.
    pub old: Shared<'a, Vertex<T>>,
    /// x̃.
    pub free: Shared<'a, Vertex<T>>,
    /// M⁻¹ Jᵀ λ of the substep before.
    pub push: Shared<'a, Vertex<T>>,
    /// How far simple colliders have pressed each vertex since the substep began, m.
    pub pressed: Shared<'a, T>,
    /// Whether anything has touched it since, or the guard has stopped it.
    pub touched: Shared<'a, bool>,
    pub lambda: Shared<'a, [T; BLOCK]>,
    pub before: Shared<'a, [Vertex<T>; 2]>,
    /// Accelerations by which the last substep's elastic forces moved vertices, if they are kept, and whether they are known.
    pub acted: Shared<'a, Vertex<T>>,
    pub acted_known: bool,
    /// The largest residual of this, the next and the last iteration, in turn. Bits of numbers that are not negative,
    /// which are in the order of the numbers.
    pub residual: [AtomicU64; 3],
    /// The solver, if it treats all elements together.
    pub global: Option<&'a Global>,
    /// Contact between surfaces, if any are to meet. The first worker's.
    pub meeting: Option<&'a Mutex<Meeting<T>>>,
    /// The strain limiters, if there are any.
    pub limits: Option<Limits<'a, T>>,
}

/// What a worker keeps of a step.
#[derive(Default)]
pub(super) struct Log {
    pub report: StepReport,
    /// When the stage began, s.
    last: f64,
    /// How often workers have agreed on a number.
    rounds: u32,
    /// How far positions had strayed in the last iteration, m.
    strayed: f64,
}

impl<T: Scalar> Run<'_, T> {
    /// All substeps, as one worker's part.
    pub fn steps(&self, worker: Worker<'_>) -> StepReport {
        let mut log = Log { last: self.now(), ..Log::default() };
        for substep in 0..self.substeps {
            let scheme = self.integrator.scheme(self.h, self.first && substep == 0);
            self.predict(worker, substep, &scheme);
            self.lap(&mut log, Stage::Predict);
            self.detect(worker, substep);
            self.lap(&mut log, Stage::Detect);
            let colliders = self.placed(substep);
            match self.global {
                _ if scheme.reach <= 0.0 => self.go(worker, &scheme, &colliders, &mut log),
                Some(global) => self.solve_together(worker, global, &scheme, &colliders, &mut log),
                None => self.solve(worker, &scheme, &colliders, &mut log),
            }
            if scheme.reach > 0.0 {
                self.limit(worker, &scheme, &colliders, &mut log);
            }
            self.hold(worker, substep, &scheme, &colliders, &mut log);
            self.guard(worker, substep, &scheme);
            self.lap(&mut log, Stage::Guard);
            log.report.contained += self.finish(worker, &scheme);
            self.lap(&mut log, Stage::Finish);
            self.limit_rates(worker, &mut log);
        }
        log.report
    }

    fn now(&self) -> f64 {
        self.clock.map_or(0.0, |clock| clock())
    }

    pub(super) fn lap(&self, log: &mut Log, stage: Stage) {
        let now = self.now();
        log.report.seconds[stage as usize] += now - log.last;
        log.last = now;
    }

    /// Forces into velocities, velocities into candidate positions, pins to where they have to be.
    fn predict(&self, worker: Worker<'_>, substep: u32, scheme: &Scheme) {
        let mine = worker.share(0..self.model.vertices());
        if self.meeting.is_some() || !self.colliders.is_empty() {
            // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
            unsafe { self.pressed.slice(mine.clone()) }.fill(T::of(0.0));
            // SAFETY: as above.
            unsafe { self.touched.slice(mine.clone()) }.fill(false);
        }
        let forces = scheme.looks_back();
        if self.unknown && substep == 0 && (forces || self.warm_start) {
            self.each(mine.clone(), |at| at.free = at.x);
            worker.sync();
            self.follow(worker, scheme.rate);
        }
        if forces && !self.acted.is_empty() && (self.acted_known || substep > 0) {
            // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
            unsafe { self.push.slice(mine.clone()).copy_from_slice(self.acted.slice(mine.clone())) };
        } else if forces {
            self.press_on(worker, self.push, 1.0);
        }
        let kick = self.params.gravity.map(|g| T::of(g * self.h));
        let windy = self.params.air.acts();
        if windy {
            self.blow(worker, kick);
        }
        if scheme.plain(self.h) && self.before.is_empty() {
            self.drift(mine, if windy { [T::of(0.0); 3] } else { kick });
        } else {
            self.carry(mine, scheme, (!windy).then_some(kick));
        }
        worker.sync();
        if !self.targets.is_empty() {
            if worker.id == 0 {
                self.move_pins(substep);
            }
            worker.sync();
        }
    }

    /// Gravity's and the air's part of the velocities. What they were goes to `free`.
    fn blow(&self, worker: Worker<'_>, kick: [T; 3]) {
        self.each(worker.share(0..self.model.vertices()), |at| {
            at.free = at.v;
            if at.x[3] > T::of(0.0) {
                at.v = [at.v[0] + kick[0], at.v[1] + kick[1], at.v[2] + kick[2], at.v[3]];
            }
        });
        worker.sync();
        for colour in &self.model.faces.colours {
            let blocks = &self.model.faces.blocks[worker.share(colour.clone())];
            // SAFETY: the builder packs indices in range and one vertex once in a colour; workers have disjoint
            // shares of it and meet before the next.
            T::run_cold(self.width, self.level, unsafe { Blow::new(blocks, self.params.air, self.h, self.x, self.v) });
            worker.sync();
        }
    }

    /// v += kick, x += h v, for what is free: [`carry`](Self::carry) for implicit Euler.
    ///
    /// On whole vertices (the fourth number of a velocity is zero), and on no more lists than it needs: in a sheet of edges half of all time
    /// was spent here and in [`come_to_speed`](Self::come_to_speed).
    fn drift(&self, range: Range<usize>, kick: [T; 3]) {
        let (h, zero) = (T::of(self.h), T::of(0.0));
        let kick = [kick[0], kick[1], kick[2], zero];
        // SAFETY: workers' ranges are disjoint, and they meet before anyone touches another's.
        let (x, v) = unsafe { (self.x.slice(range.clone()), self.v.slice(range.clone())) };
        // SAFETY: as above.
        let (old, free) = unsafe { (self.old.slice(range.clone()), self.free.slice(range)) };
        for (((x, v), old), free) in x.iter_mut().zip(v).zip(old).zip(free) {
            let start = *x;
            let (mut to, mut speed) = (start, [zero; 4]);
            for k in 0..4 {
                speed[k] = v[k] + kick[k];
                to[k] = start[k] + speed[k] * h;
            }
            if start[3] <= zero {
                (to, speed) = (start, [zero; 4]);
            }
            (*x, *v, *free, *old) = (to, speed, to, start);
        }
    }

    /// x̃ and ṽ of any integrator. The external change of velocity is `kick`, or what [`blow`](Self::blow) did.
    fn carry(&self, range: Range<usize>, scheme: &Scheme, kick: Option<[T; 3]>) {
        let of = |v: f64| T::of(v);
        let (again, carry, keep) = (of(scheme.again), scheme.carry.map(of), scheme.keep.map(of));
        let (by_kick, by_force, gain, impulse) =
            (of(scheme.kick), of(scheme.force), of(scheme.gain), of(scheme.impulse));
        let remembers = !self.before.is_empty();
        self.each(range, |at| {
            let v = if kick.is_some() { at.v } else { at.free };
            let [x1, v1] = if remembers { core::mem::replace(&mut at.before, [at.x, v]) } else { [at.x, v] };
            at.old = at.x;
            if at.x[3] > of(0.0) {
                for k in 0..3 {
                    let kick = kick.map_or(at.v[k] - v[k], |kick| kick[k]);
                    let moved = v[k] * carry[0] + v1[k] * carry[1] + kick * by_kick + at.push[k] * by_force;
                    at.x[k] = at.x[k] + ((at.x[k] - x1[k]) * again + moved);
                    at.v[k] = v[k] * keep[0] + v1[k] * keep[1] + kick * gain + at.push[k] * impulse;
                }
            } else {
                at.v = [of(0.0); 4];
            }
            at.free = at.x;
        });
    }

    /// Held vertices go the same part of their way in each substep, and arrive in the last.
    fn move_pins(&self, substep: u32) {
        let (part, rate) = (T::of(1.0 / f64::from(self.substeps - substep)), T::of(1.0 / self.h));
        for &(i, target) in self.targets {
            self.each(i as usize..i as usize + 1, |at| {
                for k in 0..3 {
                    let way = (target[k] - at.x[k]) * part;
                    at.x[k] = if substep + 1 == self.substeps { target[k] } else { at.x[k] + way };
                    at.v[k] = (at.x[k] - at.old[k]) * rate;
                }
                at.free = at.x;
            });
        }
    }

    /// The colliders in one substep.
    fn placed(&self, substep: u32) -> Vec<Placed<T>> {
        let part = |s: u32| f64::from(s) / f64::from(self.substeps);
        self.colliders.iter().map(|c| Placed::new(c, part(substep), part(substep + 1))).collect()
    }

    /// An explicit scheme: positions are where they will be, once limiters have seen them, and forces follow from them.
    fn go(&self, worker: Worker<'_>, scheme: &Scheme, colliders: &[Placed<T>], log: &mut Log) {
        self.limit(worker, scheme, colliders, log);
        self.follow(worker, scheme.rate);
        if scheme.late > 0.0 {
            self.press(worker, self.v, scheme.late);
        }
        self.sweep(worker, colliders, log);
    }

    /// Projects what has a share of stiffness, then contacts.
    fn sweep(&self, worker: Worker<'_>, colliders: &[Placed<T>], log: &mut Log) {
        self.model.elements.for_each(&mut Sweep { run: self, worker });
        self.lap(log, Stage::Solve);
        log.report.contacts = self.collide(worker, colliders, Grip::Substep);
        self.lap(log, Stage::Contact);
    }

    /// Iterations over elements and contacts, one after another.
    fn solve(&self, worker: Worker<'_>, scheme: &Scheme, colliders: &[Placed<T>], log: &mut Log) {
        let elastic = !self.lambda.is_empty();
        if elastic {
            self.begin(worker, scheme);
        }
        self.hold_coarsely(worker);
        let most = self.params.iterations.clamp(1, MOST_ROUNDS);
        let wanted = self.params.tolerance;
        let mut share = 1.0;
        for iteration in 0..most {
            let measure = elastic && (wanted > 0.0 || iteration + 1 == most);
            let mut worst = 0.0;
            if elastic {
                let law = self.law(scheme, measure);
                self.model.elements.for_each(&mut Soft { run: self, worker, law, worst: &mut worst });
            }
            self.sweep(worker, colliders, log);
            log.report.iterations += 1;
            if measure {
                log.report.residual = self.agree(worker, log, worst);
            }
            if measure && wanted > 0.0 {
                // Projections without multipliers have their say in where vertices are.
                if !self.model.elements.shares {
                    let strayed = self.gather_in(worker, scheme, &mut share, log);
                    log.report.residual = log.report.residual.max(strayed);
                }
                if log.report.residual < wanted {
                    break;
                }
            }
        }
    }

    /// Brings positions closer to x̃ + s M⁻¹ Jᵀ λ; returns the largest distance from there, m.
    ///
    /// Sweeps move vertices along the gradients of the moment, which turn while they do: in the end positions are not quite
    /// where gradients and multipliers of the end say. That is of second order in a step's turn, and pictures
    /// cannot tell; but who asks for a tolerance means it. Going all the way at once may overshoot where tension is high
    /// (it is a step without the geometric stiffness), so the share shrinks while the distance grows.
    fn gather_in(&self, worker: Worker<'_>, scheme: &Scheme, share: &mut f64, log: &mut Log) -> f64 {
        self.press_on(worker, self.push, scheme.reach);
        let mut furthest = 0.0;
        let part = T::of(*share);
        self.each(worker.share(0..self.model.vertices()), |at| {
            // What a collider holds is where the collider says.
            if at.x[3] > T::of(0.0) && !at.touched {
                for k in 0..3 {
                    let off = at.free[k] + at.push[k] - at.x[k];
                    at.x[k] = at.x[k] + off * part;
                    furthest = f64::max(furthest, off.f64().abs());
                }
            }
        });
        let furthest = self.agree(worker, log, furthest);
        let grows = furthest > log.strayed;
        log.strayed = furthest;
        *share = if grows { (*share * 0.5).max(1e-4) } else { (*share * 1.1).min(1.0) };
        furthest
    }

    /// All elements with a physical stiffness together; then the others, and contacts. Where something touched, once more
    /// with those vertices held where the contact put them, so that their neighbours feel it.
    fn solve_together(
        &self,
        worker: Worker<'_>,
        global: &Global,
        scheme: &Scheme,
        colliders: &[Placed<T>],
        log: &mut Log,
    ) {
        let settings = Settings {
            solver: self.params.solver,
            reach: scheme.reach,
            rate: scheme.rate,
            iterations: self.params.iterations.clamp(1, MOST_ROUNDS),
            tolerance: self.params.tolerance,
        };
        self.begin(worker, scheme);
        for round in 0..2 {
            if round > 0 {
                self.press_anew(worker);
            }
            let outcome = self.solve_once(worker, global, &settings);
            log.report.iterations += u64::from(outcome.iterations);
            log.report.residual = outcome.residual;
            for _ in 0..if self.model.elements.shares { settings.iterations } else { 1 } {
                self.sweep(worker, colliders, log);
            }
            let touched = (log.report.contacts + self.touching(worker)) as f64;
            if self.agree(worker, log, touched) == 0.0 {
                break;
            }
        }
    }

    /// Hands over positions and multipliers, solves, and takes them back. Vertices that have touched something are held.
    fn solve_once(&self, worker: Worker<'_>, global: &Global, settings: &Settings) -> Outcome {
        let mine = worker.share(0..self.model.vertices());
        let mut number = mine.start;
        self.each(mine.clone(), |at| {
            let w = if at.touched { 0.0 } else { at.x[3].f64() };
            let (target, drift) = (xyz(at.free), xyz(at.v));
            // What has been touched is held where it is.
            let start = if w > 0.0 { xyz(at.old) } else { xyz(at.x) };
            global.put(number, Candidate { x: xyz(at.x), start, w, target, drift });
            number += 1;
        });
        let lambda = self.lambda.flat();
        let place = |k: usize| Place::new::<T>(k as u32);
        // SAFETY: numbers of the model's own list, each asked for by one worker; nobody writes before the solve.
        global.put_multipliers(worker, |k| unsafe { lambda.read(place(k)) }.f64());
        let outcome = global.solve(worker, settings);
        // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
        let acted = unsafe { self.acted.slice(if self.acted.is_empty() { 0..0 } else { mine.clone() }) };
        number = mine.start;
        self.each(mine.clone(), |at| {
            let mut by = [0.0; 3];
            if at.x[3] > T::of(0.0) && !at.touched {
                let [x, y, z] = global.position(number);
                let free = xyz(at.free);
                by = [x - free[0], y - free[1], z - free[2]].map(|moved| moved / settings.reach);
                at.x = [T::of(x), T::of(y), T::of(z), at.x[3]];
            }
            if let Some(acted) = acted.get_mut(number - mine.start) {
                *acted = [T::of(by[0]), T::of(by[1]), T::of(by[2]), T::of(0.0)];
            }
            number += 1;
        });
        // SAFETY: as above; the solve has met all workers at its end.
        global.take_multipliers(worker, |k, value| unsafe { lambda.write(place(k), T::of(value)) });
        worker.sync();
        outcome
    }

    /// Multipliers at the start of a substep: zero, or those of the substep before with what they do to the positions.
    fn begin(&self, worker: Worker<'_>, scheme: &Scheme) {
        if self.warm_start {
            let (to, scale, memory) = (self.x, scheme.reach, Some(self.memory(scheme)));
            self.model.elements.for_each(&mut Press { run: self, worker, to, scale, memory });
        } else {
            // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
            unsafe { self.lambda.slice(worker.share(0..self.lambda.len())) }.fill([T::of(0.0); BLOCK]);
            worker.sync();
        }
    }

    /// What a warm start keeps. Sweeps of a known number, without relaxation, pass a row's neighbours twice, there and back again; of the other
    /// solvers on rows it is not known how much they leave, and those on positions choose where to begin.
    fn memory(&self, scheme: &Scheme) -> Memory {
        let (solver, relaxation) = (self.params.solver, self.law(scheme, false).relaxation);
        // With a tolerance there may be fewer sweeps.
        let plain = matches!(solver, Solver::GaussSeidel { .. }) && relaxation == 1.0 && self.params.tolerance <= 0.0;
        let passes = if plain { 2 * self.params.iterations.clamp(1, MOST_ROUNDS) } else { 0 };
        let relaxation = relaxation.max(1.0);
        let Scheme { reach, rate, lead, .. } = *scheme;
        Memory { reach, rate, lead, h: self.h, passes, relaxation, all: solver.on_positions() }
    }

    fn law(&self, scheme: &Scheme, measure: bool) -> Law {
        let (relaxation, whole) = match self.params.solver {
            Solver::GaussSeidel { relaxation, block } => (relaxation, block),
            _ => (1.0, false),
        };
        let relaxation = if relaxation > 0.0 { relaxation.min(2.0) } else { 1.0 };
        Law { reach: scheme.reach, rate: scheme.rate, relaxation, whole, measure }
    }

    /// The largest of all workers' numbers.
    pub(super) fn agree(&self, worker: Worker<'_>, log: &mut Log, mine: f64) -> f64 {
        let slot = |i: u32| &self.residual[(i % 3) as usize];
        let round = log.rounds;
        log.rounds = round.wrapping_add(1) % 3;
        slot(round).fetch_max(mine.abs().to_bits(), Ordering::Relaxed);
        // Nobody writes the next slot until all have come here, and nobody reads it any more.
        if worker.id == 0 {
            slot(round + 1).store(0, Ordering::Relaxed);
        }
        worker.sync();
        f64::from_bits(slot(round).load(Ordering::Relaxed))
    }

    /// Multipliers follow from positions as they are: λ = −E (c + γ ċ).
    fn follow(&self, worker: Worker<'_>, rate: f64) {
        let law = Law { reach: 0.0, rate, relaxation: 1.0, whole: true, measure: false };
        self.model.elements.for_each(&mut Soft { run: self, worker, law, worst: &mut 0.0 });
    }

    /// Sets `to` to `scale` · M⁻¹ Jᵀ λ.
    fn press_on(&self, worker: Worker<'_>, to: Shared<'_, Vertex<T>>, scale: f64) {
        // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
        unsafe { to.slice(worker.share(0..to.len())) }.fill([T::of(0.0); 4]);
        worker.sync();
        self.press(worker, to, scale);
    }

    /// Adds `scale` · M⁻¹ Jᵀ λ to `to`.
    fn press(&self, worker: Worker<'_>, to: Shared<'_, Vertex<T>>, scale: f64) {
        self.model.elements.for_each(&mut Press { run: self, worker, to, scale, memory: None });
    }

    /// What kernels of elastic rows look at.
    pub fn places(&self) -> Places<'_, T> {
        Places { x: self.x, free: self.free, v: self.v }
    }

    /// Pushes free vertices out of colliders. Returns how many touched one.
    pub(super) fn collide(&self, worker: Worker<'_>, colliders: &[Placed<T>], grip: Grip) -> u64 {
        self.push_apart(worker, grip);
        if colliders.is_empty() {
            return 0;
        }
        let mut contacts = 0;
        let mine = worker.share(0..self.model.vertices());
        // SAFETY: workers' shares are disjoint, and they meet before anyone touches another's.
        let (x, old) = unsafe { (self.x.slice(mine.clone()), self.old.slice(mine.clone())) };
        // SAFETY: as above.
        let (pressed, touched) = unsafe { (self.pressed.slice(mine.clone()), self.touched.slice(mine)) };
        let vertices = x.iter_mut().zip(old).zip(pressed.iter_mut().zip(touched));
        for ((x, old), (pressed, touched)) in vertices.filter(|((x, _), _)| x[3] > T::of(0.0)) {
            let met = Placed::push_all(colliders, x, old, pressed, grip);
            *touched |= met > 0;
            contacts += met;
        }
        worker.sync();
        contacts
    }

    /// Velocities from positions, then damping. Returns how many vertices had to be contained.
    fn finish(&self, worker: Worker<'_>, scheme: &Scheme) -> u64 {
        let mut contained = 0;
        let mine = worker.share(0..self.model.vertices());
        if scheme.plain(self.h) && self.before.is_empty() {
            contained += self.come_to_speed(mine.clone(), scheme);
        } else {
            contained += self.come_to_any_speed(mine.clone(), scheme);
        }
        worker.sync();
        if !self.lambda.is_empty() {
            self.contain_multipliers(worker);
        }
        if !self.model.elements.damped {
            return contained;
        }
        self.model.elements.for_each(&mut Calm { run: self, worker });
        self.each(mine, |at| {
            if !at.v.iter().all(|c| c.finite()) {
                contained += 1;
                at.v = [T::of(0.0); 4];
                at.before = [at.x, at.v];
            }
        });
        worker.sync();
        contained
    }

    /// v += (x − x̃)/h, what is held (x − old)/h: [`come_to_any_speed`](Self::come_to_any_speed) for implicit Euler.
    ///
    /// What the solve changed goes into the velocity, and no more: (x − old)/h would round away whatever is slower than a digit
    /// of x in a substep, gravity first.
    fn come_to_speed(&self, range: Range<usize>, scheme: &Scheme) -> u64 {
        let (rate, zero) = (T::of(scheme.rate), T::of(0.0));
        // SAFETY: workers' ranges are disjoint, and they meet before anyone touches another's.
        let (x, v) = unsafe { (self.x.slice(range.clone()), self.v.slice(range.clone())) };
        // SAFETY: as above.
        let (old, free) = unsafe { (self.old.slice(range.clone()), self.free.slice(range)) };
        // 0 · c is zero for all that is finite.
        let mut check = [zero; 4];
        for (((x, v), old), free) in x.iter().zip(&mut *v).zip(&*old).zip(free) {
            let mut next = *v;
            for k in 0..4 {
                next[k] = next[k] + (x[k] - free[k]) * rate;
            }
            if x[3] <= zero {
                for k in 0..3 {
                    next[k] = (x[k] - old[k]) * rate;
                }
            }
            *v = next;
            for k in 0..4 {
                check[k] = check[k] + (x[k] * zero + next[k] * zero);
            }
        }
        if check.iter().all(|c| *c == zero) {
            return 0;
        }
        let mut contained = 0;
        for ((x, v), old) in x.iter_mut().zip(v).zip(old).filter(|((x, v), _)| !all_finite(x, v)) {
            contained += 1;
            (*x, *v) = (contain(*x, *old), [zero; 4]);
        }
        contained
    }

    /// The same for any integrator.
    fn come_to_any_speed(&self, range: Range<usize>, scheme: &Scheme) -> u64 {
        let (rate, euler) = (T::of(scheme.rate), T::of(1.0 / self.h));
        let bounces = !scheme.plain(self.h);
        let mut contained = 0;
        self.each(range, |at| {
            let mut next = [T::of(0.0); 4];
            // What touched a collider is stopped by it: integrators that keep energy would have it bounce.
            let stopped = bounces && at.touched;
            for k in 0..3 {
                let free = at.v[k] + (at.x[k] - at.free[k]) * rate;
                let held = stopped || at.x[3] <= T::of(0.0);
                next[k] = if held { (at.x[k] - at.old[k]) * euler } else { free };
            }
            if all_finite(&at.x, &next) {
                at.v = next;
                // The velocity it came with is no part of its history any more: it would bounce by a third of it.
                if stopped {
                    at.before[1] = next;
                }
                return;
            }
            contained += 1;
            at.x = contain(at.x, at.old);
            at.v = [T::of(0.0); 4];
            at.before = [at.x, at.v];
        });
        contained
    }

    /// Multipliers that the next substep starts from are finite.
    fn contain_multipliers(&self, worker: Worker<'_>) {
        // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
        let mine = unsafe { self.lambda.slice(worker.share(0..self.lambda.len())) };
        for m in mine.iter_mut().flatten().filter(|m| !m.finite()) {
            *m = T::of(0.0);
        }
        // SAFETY: as above.
        let mine = unsafe { self.acted.slice(worker.share(0..self.acted.len())) };
        for a in mine.iter_mut().flatten().filter(|a| !a.finite()) {
            *a = T::of(0.0);
        }
        worker.sync();
    }

    /// Does `f` to each vertex of a worker's own range.
    fn each(&self, range: Range<usize>, mut f: impl FnMut(&mut At<T>)) {
        let remembers = !self.before.is_empty();
        for i in range {
            let place = Place::new::<Vertex<T>>(i as u32);
            let pair = Place::new::<[Vertex<T>; 2]>(i as u32);
            // SAFETY: i is below the number of vertices, the length of all lists (but `before`, which may be empty); ranges
            // of workers are disjoint, and they meet before anyone touches another's.
            unsafe {
                let mut at = At {
                    x: self.x.read(place),
                    v: self.v.read(place),
                    old: self.old.read(place),
                    free: self.free.read(place),
                    push: self.push.read(place),
                    touched: self.touched.read(Place::new::<bool>(i as u32)),
                    before: if remembers { self.before.read(pair) } else { [[T::of(0.0); 4]; 2] },
                };
                f(&mut at);
                self.x.write(place, at.x);
                self.v.write(place, at.v);
                self.old.write(place, at.old);
                self.free.write(place, at.free);
                if remembers {
                    self.before.write(pair, at.before);
                }
            }
        }
    }
}

/// Where a vertex whose place or velocity is no number is put. A place that is one has been proved free of intersections, and the start of
/// the substep has not.
fn contain<T: Scalar>(x: Vertex<T>, old: Vertex<T>) -> Vertex<T> {
    if x.iter().all(|c| c.finite()) { x } else { [old[0], old[1], old[2], x[3]] }
}

/// Whether all numbers of two vertices are finite: 0 · c is zero only then. Without branches, a third of the time.
fn all_finite<T: Scalar>(a: &Vertex<T>, b: &Vertex<T>) -> bool {
    let zero = T::of(0.0);
    let mut sum = [zero; 4];
    for k in 0..4 {
        sum[k] = a[k] * zero + b[k] * zero;
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) == zero
}

/// One vertex in all the lists of a step.
struct At<T> {
    x: Vertex<T>,
    v: Vertex<T>,
    old: Vertex<T>,
    free: Vertex<T>,
    push: Vertex<T>,
    touched: bool,
    before: [Vertex<T>; 2],
}
