//! The solve of a substep by a solver that treats all elements together.

use super::Precision;
use super::run::{Log, Run, Substep};
use crate::contact::{Meeting, PlacedCollider};
use crate::lanes::{Vertex, xyz};
use crate::solve::Solver;
use crate::solve::global::{Candidate, Global, Outcome, Plane, SolveSettings};
use crate::solve::scheme::Scheme;
use crate::team::Worker;

/// Newton steps between two looks at what coarse levels feel of the contacts.
const COARSE_EVERY: u32 = 3;

/// Newton steps at most after contacts have put vertices where they want them.
const RELAXED: u32 = 3;

impl<T: Precision> Run<'_, T> {
    /// All elements with a physical stiffness together; then the others, and contacts. Where something touched, once
    /// more with those vertices held where the contact put them, so that their neighbours feel it.
    pub(super) fn solve_together(&self, worker: Worker<'_>, global: &Global, substep: &Substep<T>, log: &mut Log) {
        let Substep { scheme, colliders, .. } = substep;
        let settings = SolveSettings {
            solver: self.params.solver,
            reach: scheme.reach,
            rate: scheme.rate,
            iterations: self.iterations(),
            tolerance: self.params.tolerance,
            coarse: true,
            goes_on: false,
            stays: false,
        };
        if settings.solver == Solver::Multigrid {
            return self.solve_with_contacts(worker, global, substep, &settings, log);
        }
        self.warm_start(worker, scheme);
        for round in 0..2 {
            if round > 0 {
                self.press_anew(worker);
            }
            let outcome = self.solve_once(worker, global, &settings);
            log.tally.iterations += u64::from(outcome.iterations);
            log.tally.residual = outcome.residual;
            for _ in 0..if self.model.projects() { settings.iterations } else { 1 } {
                self.sweep(worker, colliders, log);
            }
            let touched = (log.tally.contacts + self.touching(worker)) as f64;
            if self.reduce_max(worker, log, touched) == 0.0 {
                break;
            }
        }
    }

    /// Newton steps, each with the contacts that the one before ran into: planes that push back what goes beyond them,
    /// with friction. Only at the end are vertices put where contacts want them.
    fn solve_with_contacts(
        &self,
        worker: Worker<'_>,
        global: &Global,
        substep: &Substep<T>,
        settings: &SolveSettings,
        log: &mut Log,
    ) {
        let Substep { scheme, colliders, .. } = substep;
        let (meets, projects) = (self.parts.contact.is_some() || !colliders.is_empty(), self.model.projects());
        let apart = meets || projects;
        self.arrays.on_chunk(worker, |mut chunk| chunk.each(|i, _| global.put_plane(i, Plane::default())));
        if meets {
            // What would be run into if only outer forces acted.
            self.find_planes(worker, global, colliders, true, log);
        }
        self.begin_where_motion_leads(worker, scheme);
        let mut one = SolveSettings { iterations: if apart { 1 } else { settings.iterations }, ..*settings };
        let mut done = 0;
        while done < settings.iterations {
            (one.coarse, one.goes_on) = (done % COARSE_EVERY == 0, done > 0);
            let outcome = self.solve_once(worker, global, &one);
            done += outcome.iterations.max(1);
            log.tally.iterations += u64::from(outcome.iterations);
            log.tally.residual = outcome.residual;
            one.stays = !projects && outcome.residual.is_finite();
            if projects {
                self.sweep(worker, colliders, log);
            }
            let slipped = meets && self.find_planes(worker, global, colliders, false, log);
            if !apart || (outcome.residual <= settings.tolerance && !slipped) {
                break;
            }
        }
        if meets && !projects {
            self.undo_held_slips(worker, global);
            self.sweep(worker, colliders, log);
            for _ in 0..RELAXED {
                if self.pushed(worker, global, log) * scheme.rate <= settings.tolerance {
                    break;
                }
                // What is put elsewhere stretches what is around it, which gives way, but not back.
                (one.goes_on, one.stays) = (true, false);
                let outcome = self.solve_once(worker, global, &one);
                log.tally.iterations += u64::from(outcome.iterations);
                self.sweep(worker, colliders, log);
            }
        }
    }

    /// The planes of what vertices run into where they are: how deep they are is what presses them, over the stiffness
    /// of a plane; or, at `first`, before there is a solution, over that of their inertia. Returns whether something
    /// that friction held has slipped: as stiff as that, a step is short, but not the last.
    fn find_planes(
        &self,
        worker: Worker<'_>,
        global: &Global,
        colliders: &[PlacedCollider<T>],
        first: bool,
        log: &mut Log,
    ) -> bool {
        let mut slipped = 0.0;
        let gravity = self.params.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        // What rests is hardly faster than gravity makes it in a step.
        let slow = 2.0 * self.time.h * gravity;
        let weight = first.then(|| T::of(gravity * self.time.h * self.time.h));
        let plane = |x: &Vertex<T>, meeting: &Meeting<T>| {
            let (by, x) = (meeting.by, xyz(*x));
            let by = [by.x.f64(), by.y.f64(), by.z.f64()];
            let depth = by.iter().map(|c| c * c).sum::<f64>().sqrt();
            let anchor = [meeting.anchor.x.f64(), meeting.anchor.y.f64(), meeting.anchor.z.f64()];
            let grip = meeting.friction.f64() * if first { depth / Plane::STIFFNESS } else { depth };
            let at = core::array::from_fn(|k| x[k] + by[k]);
            let plane = Plane { normal: by.map(|c| c / depth), at, anchor, grip, held: false, settled: false };
            (depth > 0.0).then(|| (depth, Plane { held: !plane.slides(x), ..plane }))
        };
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                let slips = global.plane(i).is_some_and(|p| p.held && p.slides(xyz(at.x)));
                slipped = f64::max(slipped, f64::from(u8::from(slips)));
                match PlacedCollider::meet_all(colliders, &at.x, &at.x_start) {
                    Some(meeting) if at.x[3] > T::of(0.0) => {
                        if let Some((_, plane)) = plane(&at.x, &meeting) {
                            let came = (0..3).map(|k| plane.normal[k] * at.before[1][k].f64()).sum::<f64>().abs();
                            global.put_plane(i, Plane { settled: came <= slow, ..plane });
                        }
                    }
                    _ => global.leave_plane(i, xyz(at.x)),
                }
            });
        });
        self.alone(worker, |contact, lists| {
            let (x, x_start) = (&*lists.x, lists.x_start);
            contact.meet([x, x_start], weight, |i, meeting| {
                let at = &x[i as usize];
                let known = global.plane(i as usize).map_or(0.0, |p| p.beyond(xyz(*at)));
                let found = plane(at, &meeting).filter(|(depth, _)| at[3] > T::of(0.0) && *depth > known);
                if let Some((_, plane)) = found {
                    global.put_plane(i as usize, plane);
                }
            });
        });
        self.reduce_max(worker, log, slipped) > 0.0
    }

    /// How far contacts have put a vertex from where the solve had it, at most, m.
    fn pushed(&self, worker: Worker<'_>, global: &Global, log: &mut Log) -> f64 {
        let mut longest = 0.0;
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                let (to, from) = (xyz(at.x), global.position(i));
                let by: f64 = (0..3).map(|k| (to[k] - from[k]).powi(2)).sum();
                if at.x[3] > T::of(0.0) {
                    longest = f64::max(longest, by.sqrt());
                }
            });
        });
        self.reduce_max(worker, log, longest)
    }

    /// What friction holds does not creep.
    fn undo_held_slips(&self, worker: Worker<'_>, global: &Global) {
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|i, at| {
                if let Some(to) = global.plane(i).and_then(|plane| plane.without_slip(xyz(at.x))) {
                    (0..3).for_each(|k| at.x[k] = T::of(to[k]));
                }
            });
        });
    }

    /// Free vertices go on as they went.
    fn begin_where_motion_leads(&self, worker: Worker<'_>, scheme: &Scheme) {
        let (h, g) = (self.time.h, self.params.gravity);
        let recalls = !self.arrays.before.is_empty();
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|_, at| {
                if at.x[3] > T::of(0.0) {
                    for k in 0..3 {
                        at.x[k] = match recalls {
                            true => at.x_start[k] + at.before[1][k] * T::of(h),
                            false => at.x_predicted[k] - T::of(g[k] * scheme.reach),
                        };
                    }
                }
            });
        });
    }

    /// Hands over positions and multipliers, solves, and takes them back. Vertices that have touched something are
    /// held, unless the solver knows planes.
    fn solve_once(&self, worker: Worker<'_>, global: &Global, settings: &SolveSettings) -> Outcome {
        let zero = T::of(0.0);
        let planes = settings.solver == Solver::Multigrid;
        if !settings.stays {
            self.arrays.on_chunk(worker, |mut chunk| {
                chunk.each(|i, at| {
                    let w = if at.touched && !planes { 0.0 } else { at.x[3].f64() };
                    let (target, drift) = (xyz(at.x_predicted), xyz(at.v));
                    // What has been touched is held where it is.
                    let start = if w > 0.0 { xyz(at.x_start) } else { xyz(at.x) };
                    global.put(i, Candidate { x: xyz(at.x), start, w, target, drift });
                });
            });
            global.put_multipliers(worker, self.multipliers.list);
            self.with_user(worker, |desk, _, _| {
                desk.multipliers.iter().enumerate().for_each(|(k, m)| global.put_user_multiplier(k, m.f64()));
            });
        }
        let outcome = global.solve(worker, settings);
        self.arrays.on_chunk(worker, |mut chunk| {
            let (first, last) = (chunk.first, core::mem::take(&mut chunk.last_accelerations));
            chunk.each(|i, at| {
                let mut by = [0.0; 3];
                if at.x[3] > zero && (planes || !at.touched) {
                    let [x, y, z] = global.position(i);
                    let from = xyz(at.x_predicted);
                    by = [x - from[0], y - from[1], z - from[2]].map(|moved| moved / settings.reach);
                    at.x = [T::of(x), T::of(y), T::of(z), at.x[3]];
                }
                if let Some(last) = last.get_mut(i - first) {
                    *last = [T::of(by[0]), T::of(by[1]), T::of(by[2]), zero];
                }
            });
        });
        global.take_multipliers(worker, self.multipliers.list);
        self.with_user(worker, |desk, _, _| {
            for (k, m) in desk.multipliers.iter_mut().enumerate() {
                *m = global.user_multiplier(k).map_or(*m, T::of);
            }
        });
        outcome
    }
}
