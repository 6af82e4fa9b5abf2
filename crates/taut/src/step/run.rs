//! A step under way, stage by stage, as every worker of the team goes through it.

use super::sweep::{Calm, Press, Soft, Sweep};
use super::{MOST_ROUNDS, Params, Stage, StepReport};
use crate::contact::{Collider, Placed};
use crate::lanes::{BLOCK, Place, Scalar, Shared, Vertex, Width};
use crate::model::Model;
use crate::solve::Solver;
use crate::solve::aero::Blow;
use crate::solve::scheme::Scheme;
use crate::solve::soft::{Law, Places};
use crate::team::Worker;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use fearless_simd::Level;

/// One step under way, as every worker sees it.
pub(super) struct Run<'a, T: Scalar> {
    pub model: &'a Model<T>,
    pub params: &'a Params,
    pub colliders: Vec<Collider>,
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
    /// Positions at the substep's start; the fourth number is 1 if the vertex has touched a collider since.
    pub old: Shared<'a, Vertex<T>>,
    /// x̃.
    pub free: Shared<'a, Vertex<T>>,
    /// M⁻¹ Jᵀ λ of the substep before.
    pub push: Shared<'a, Vertex<T>>,
    pub lambda: Shared<'a, [T; BLOCK]>,
    pub before: Shared<'a, [Vertex<T>; 2]>,
    /// The largest residual of this, the next and the last iteration, in turn. Bits of numbers that are not negative,
    /// which are in the order of the numbers.
    pub residual: [AtomicU64; 3],
}

impl<T: Scalar> Run<'_, T> {
    /// All substeps, as one worker's part.
    pub fn steps(&self, worker: Worker<'_>) -> StepReport {
        let mut report = StepReport::default();
        let mut last = self.now();
        for substep in 0..self.substeps {
            let scheme = self.params.integrator.scheme(self.h, self.first && substep == 0);
            self.predict(worker, substep, &scheme);
            self.lap(&mut report, Stage::Predict, &mut last);
            let colliders = self.placed(substep);
            if scheme.reach > 0.0 {
                self.solve(worker, &scheme, &colliders, &mut report, &mut last);
            } else {
                self.follow(worker, scheme.rate);
                if scheme.late > 0.0 {
                    self.press(worker, self.v, scheme.late);
                }
                self.model.elements.for_each(&mut Sweep { run: self, worker });
                self.lap(&mut report, Stage::Solve, &mut last);
                report.contacts = self.collide(worker, &colliders);
                self.lap(&mut report, Stage::Contact, &mut last);
            }
            report.contained += self.finish(worker, &scheme);
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
    fn predict(&self, worker: Worker<'_>, substep: u32, scheme: &Scheme) {
        let mine = worker.share(0..self.model.vertices());
        if scheme.force != 0.0 || scheme.impulse != 0.0 {
            if self.unknown && substep == 0 {
                self.each(mine.clone(), |at| at.free = at.x);
                worker.sync();
                self.follow(worker, scheme.rate);
            }
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
    fn drift(&self, range: Range<usize>, kick: [T; 3]) {
        let h = T::of(self.h);
        self.each(range, |at| {
            at.old = [at.x[0], at.x[1], at.x[2], T::of(0.0)];
            if at.x[3] > T::of(0.0) {
                for k in 0..3 {
                    at.v[k] = at.v[k] + kick[k];
                    at.x[k] = at.x[k] + at.v[k] * h;
                }
            } else {
                at.v = [T::of(0.0); 4];
            }
            at.free = at.x;
        });
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
            at.old = [at.x[0], at.x[1], at.x[2], of(0.0)];
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

    /// Iterations over elements and contacts.
    fn solve(
        &self,
        worker: Worker<'_>,
        scheme: &Scheme,
        colliders: &[Placed<T>],
        report: &mut StepReport,
        last: &mut f64,
    ) {
        let elastic = !self.lambda.is_empty();
        if elastic {
            self.begin(worker, scheme);
        }
        let most = self.params.iterations.clamp(1, MOST_ROUNDS);
        let wanted = self.params.tolerance;
        for iteration in 0..most {
            let measure = elastic && (wanted > 0.0 || iteration + 1 == most);
            let mut worst = 0.0;
            if elastic {
                let law = self.law(scheme, measure);
                self.model.elements.for_each(&mut Soft { run: self, worker, law, worst: &mut worst });
            }
            self.model.elements.for_each(&mut Sweep { run: self, worker });
            self.lap(report, Stage::Solve, last);
            report.contacts = self.collide(worker, colliders);
            self.lap(report, Stage::Contact, last);
            report.iterations += 1;
            if measure {
                report.residual = self.agree(worker, iteration, worst);
                if report.residual < wanted {
                    break;
                }
            }
        }
    }

    /// Multipliers at the start of a substep: zero, or those of the substep before with what they do to the positions.
    fn begin(&self, worker: Worker<'_>, scheme: &Scheme) {
        if self.params.warm_start {
            self.press(worker, self.x, scheme.reach);
        } else {
            // SAFETY: workers' shares are disjoint, and they meet before anyone reads another's.
            unsafe { self.lambda.slice(worker.share(0..self.lambda.len())) }.fill([T::of(0.0); BLOCK]);
            worker.sync();
        }
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
    fn agree(&self, worker: Worker<'_>, iteration: u32, mine: f64) -> f64 {
        let slot = |i: u32| &self.residual[(i % 3) as usize];
        slot(iteration).fetch_max(mine.abs().to_bits(), Ordering::Relaxed);
        // Nobody reads or writes the next slot until all have come here, and nobody reads the one before it later.
        if worker.id == 0 {
            slot(iteration + 1).store(0, Ordering::Relaxed);
        }
        worker.sync();
        f64::from_bits(slot(iteration).load(Ordering::Relaxed))
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
        self.model.elements.for_each(&mut Press { run: self, worker, to, scale });
    }

    /// What kernels of elastic rows look at.
    pub fn places(&self) -> Places<'_, T> {
        Places { x: self.x, free: self.free, v: self.v }
    }

    /// Pushes free vertices out of colliders. Returns how many touched one.
    fn collide(&self, worker: Worker<'_>, colliders: &[Placed<T>]) -> u64 {
        if colliders.is_empty() {
            return 0;
        }
        let mut contacts = 0;
        self.each(worker.share(0..self.model.vertices()), |at| {
            if at.x[3] > T::of(0.0) {
                for collider in colliders {
                    if collider.push(&mut at.x, at.old) {
                        contacts += 1;
                        at.old[3] = T::of(1.0);
                    }
                }
            }
        });
        worker.sync();
        contacts
    }

    /// Velocities from positions, then damping. Returns how many vertices had to be contained.
    fn finish(&self, worker: Worker<'_>, scheme: &Scheme) -> u64 {
        let (rate, euler) = (T::of(scheme.rate), T::of(1.0 / self.h));
        let bounces = !scheme.plain(self.h);
        let mut contained = 0;
        let mine = worker.share(0..self.model.vertices());
        self.each(mine.clone(), |at| {
            let mut next = [T::of(0.0); 4];
            // What touched a collider is stopped by it: integrators that keep energy would have it bounce.
            let stopped = bounces && at.old[3] > T::of(0.0);
            for k in 0..3 {
                // What the solve changed goes into the velocity, and no more: (x − old)/h would round away whatever
                // is slower than a digit of x in a substep, gravity first.
                let free = at.v[k] + (at.x[k] - at.free[k]) * rate;
                let held = stopped || at.x[3] <= T::of(0.0);
                next[k] = if held { (at.x[k] - at.old[k]) * euler } else { free };
            }
            if at.x.iter().chain(&next).all(|c| c.finite()) {
                at.v = next;
                return;
            }
            contained += 1;
            at.x = [at.old[0], at.old[1], at.old[2], at.x[3]];
            at.v = [T::of(0.0); 4];
        });
        worker.sync();
        if self.params.warm_start || scheme.impulse != 0.0 {
            self.contain_multipliers(worker);
        }
        self.model.elements.for_each(&mut Calm { run: self, worker });
        self.each(mine, |at| {
            if !at.v.iter().all(|c| c.finite()) {
                contained += 1;
                at.v = [T::of(0.0); 4];
            }
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

/// One vertex in all the lists of a step.
struct At<T> {
    x: Vertex<T>,
    v: Vertex<T>,
    old: Vertex<T>,
    free: Vertex<T>,
    push: Vertex<T>,
    before: [Vertex<T>; 2],
}
