//! The phase before frame 0 in which cloth comes to rest on bodies that stand still, or come from the pose they were
//! bound in.

use super::Simulation;
use super::surface::StartPose;
use crate::scene::settings::StartFrom;
use taut::Params;

/// What the start phase came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StartReport {
    /// How long it lasted, s.
    pub seconds: f64,
    /// The speed of the fastest vertex at its end, m/s.
    pub fastest: f64,
    /// Where that is, m.
    pub at: [f64; 3],
    /// The highest speed at which any vertex of cloth went from the beginning of a step to its end, m/s.
    pub highest: f64,
    /// How much thinner mesh colliders were when it began, m.
    pub thinner: f64,
    /// Where cloth was too tight for a body to come all the way under it, m: from there on the body was where it
    /// belongs at once.
    pub tight: Option<[f64; 3]>,
    /// Pairs of triangles that intersect when it begins, before anything is made thinner.
    pub began: usize,
    /// Pairs of triangles that intersect at its end.
    pub intersections: usize,
    /// Whether it ended as slow as was asked for, and nothing intersects.
    pub settled: bool,
}

/// Whether it has been gone through.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartPhase {
    pub done: bool,
    pub report: Option<StartReport>,
}

impl StartPhase {
    /// What is to be known of it, if it did not come to an end of its own.
    pub fn warning(&self) -> Option<String> {
        let report = self.report.filter(|report| !report.settled)?;
        let (seconds, fastest, place) = (report.seconds, report.fastest, super::place(report.at));
        if report.intersections > 0 {
            let (pairs, began) = (report.intersections, report.began);
            let held = || "what is left is held inside a body, or tangled with other cloth".to_owned();
            let why = report.tight.map_or_else(held, too_tight);
            return Some(format!(
                "the start phase of {seconds:.2} s ended with {pairs} pairs of triangles that intersect, of {began} at its \
                 beginning: {why}"
            ));
        }
        if let Some(at) = report.tight {
            return Some(format!("the start phase of {seconds:.2} s ended early: {}", too_tight(at)));
        }
        Some(format!(
            "the start phase of {seconds:.2} s ended before everything was at rest: {fastest:.3} m/s at {place}; a \
             longer `start.duration` or more `start.damping` helps"
        ))
    }
}

/// What is said of cloth that a body does not fit into, with the place, m.
fn too_tight(at: [f64; 3]) -> String {
    let at = super::place(at);
    format!(
        "the cloth is too tight for its body at {at}, where it would have to be stretched beyond its limit: a larger one, \
         `rest_stretch` above 1 or a larger limit helps"
    )
}

/// How a start phase goes.
struct Plan {
    /// How much thinner bodies begin, m.
    thinner: f64,
    /// How long they take to what they are in the first frame, s.
    coming: f64,
    /// How long all of it lasts at most, s.
    longest: f64,
}

/// The shares of its bodies' size by which they are made thinner in turn, until nothing intersects any more.
const THINNER: [f64; 12] = [0.002, 0.004, 0.006, 0.009, 0.013, 0.02, 0.03, 0.04, 0.055, 0.075, 0.1, 0.13];
/// A start is looked at for intersections once in so many steps while it could be over.
const LOOK: u64 = 8;
/// A body that has pressed cloth beyond its limit for so many steps on end comes no further: it is where it belongs at
/// once, and if that goes on the phase is over.
const PATIENCE: u32 = 3;
/// Beyond its limit: so many times as far as that.
const BEYOND: f64 = 1.02;

impl Simulation {
    /// Goes through the start phase, if the scene has one; [`advance`](Self::advance) does so, too. Then it is at
    /// frame 0 still, and everything is where that begins.
    pub fn begin(&mut self) -> Option<StartReport> {
        if !self.start.done && self.clock.frame == 0 && self.scene.settings.start.duration > 0.0 {
            let report = self.go_through_start();
            self.start.report = Some(report);
        }
        self.start.done = true;
        self.start.report
    }

    fn go_through_start(&mut self) -> StartReport {
        let start = self.scene.settings.start.clone();
        let began = if self.scene.settings.contact.on { self.intersections_in(self.start_pose(0.0)) } else { 0 };
        let plan = self.plan_start(began);
        let dt = self.clock.step_seconds();
        let steps = (plan.longest / dt).ceil().max(1.0) as u64;
        let mut report = StartReport { thinner: plan.thinner, began, ..StartReport::default() };
        let mut pressed = 0;
        for step in 1..=steps {
            report.seconds = step as f64 * dt;
            let share = |whole: f64| if whole > 0.0 { (report.seconds / whole).min(1.0) } else { 1.0 };
            let come = if report.tight.is_some() { 1.0 } else { share(plan.coming) };
            let moved = if start.from == StartFrom::Bind { come } else { 1.0 };
            let pose = StartPose { moved, thinner: plan.thinner * (1.0 - come) };
            let (highest, missed) = self.start_step(share(start.ramp), pose, dt);
            report.highest = report.highest.max(highest);
            let missed = missed.filter(|missed| missed.used > BEYOND && plan.thinner > 0.0);
            pressed = if missed.is_some() { pressed + 1 } else { 0 };
            let too_tight = pressed == PATIENCE;
            let no_use = too_tight && come >= 1.0;
            if too_tight {
                report.tight = report.tight.or(missed.map(|missed| missed.at));
                self.drive.place();
                pressed = 0;
            }
            (report.fastest, report.at) = self.slow_down((-start.damping * dt).exp(), start.speed);
            let slow = share(start.ramp) >= 1.0 && come >= 1.0 && report.fastest <= start.settled;
            // While something intersects it is slow for long.
            let turn = report.intersections == 0 || step % LOOK == 0;
            if self.scene.settings.contact.on && ((slow && turn) || no_use || step == steps) {
                report.intersections = self.intersections().count;
            }
            report.settled = slow && report.intersections == 0 && !no_use;
            if report.settled || no_use {
                break;
            }
        }
        report
    }

    /// The pose that it begins in with bodies so much thinner, m.
    fn start_pose(&self, thinner: f64) -> StartPose {
        let bound = self.scene.settings.start.from == StartFrom::Bind;
        StartPose { moved: if bound { 0.0 } else { 1.0 }, thinner }
    }

    /// How many pairs of triangles intersect while bodies are in a pose.
    fn intersections_in(&mut self, pose: StartPose) -> usize {
        self.drive.pose(pose);
        let found = self.watch.check(&*self.world, &self.drive.colliders, 0.0).count;
        self.drive.pose(StartPose::NONE);
        found
    }

    /// How it goes: bodies as thin as it takes to have nothing inside, and as slow as was asked for.
    fn plan_start(&mut self, began: usize) -> Plan {
        let start = self.scene.settings.start.clone();
        let thinner = match start.grow {
            Some(grow) => grow,
            None if began > 0 => self.thin_enough(began),
            None => 0.0,
        };
        let first = self.start_pose(thinner);
        let comes = first != StartPose::NONE;
        let way = if comes { self.drive.way_from(first) } else { 0.0 };
        let coming = if comes { (0.5 * start.duration).max(way / start.speed) } else { 0.0 };
        Plan { thinner, coming, longest: (coming + 0.5 * start.duration).max(start.duration) }
    }

    /// How much thinner bodies have to be for nothing to be inside of them (m), or as little as can be; 0 if that does
    /// not help.
    fn thin_enough(&mut self, began: usize) -> f64 {
        let size = |collider: &super::ColliderObject| super::unsolved::diagonal(&collider.mesh.positions);
        let size = self.drive.colliders.iter().filter(|c| !c.simple()).map(size).fold(0.0, f64::max);
        let mut best = (began, 0.0);
        for thinner in THINNER.map(|share| share * size) {
            let found = self.intersections_in(self.start_pose(thinner));
            if found < best.0 {
                best = (found, thinner);
            }
            if found == 0 {
                break;
            }
        }
        best.1
    }

    /// One step with a share of gravity, and bodies in a pose of their own. Gives the highest speed at which a vertex
    /// went through it (m/s), and what is beyond its limits.
    fn start_step(&mut self, gravity: f64, pose: StartPose, dt: f64) -> (f64, Option<taut::MissedBound>) {
        self.drive.pose(pose);
        self.drive.hold(&mut *self.world, 0.0);
        let settings = &self.scene.settings;
        let contact = taut::Contact { materials: self.watch.materials.clone(), every: settings.contact.every };
        let params = self.drive.params(settings, [0.0, 0.0]);
        let params = Params { contact, gravity: params.gravity.map(|g| gravity * g), ..params };
        let all = 0..self.world.rest_positions().len() as u32;
        let before = self.world.positions(all.clone());
        let done = self.world.step(&params, dt);
        let far = |(a, b): (&[f64; 3], &[f64; 3])| glam::DVec3::from(*a).distance((*b).into());
        let highest = before.iter().zip(&self.world.positions(all)).map(far).fold(0.0, f64::max) / dt;
        (highest, done.inextensibility.missed)
    }

    /// Leaves a share of all velocities, and none above a speed, m/s. Gives the largest speed there was before (m/s),
    /// and where, m.
    pub fn slow_down(&mut self, share: f64, most: f64) -> (f64, [f64; 3]) {
        let (mut fastest, mut at) = (0.0, [0.0; 3]);
        for object in &self.objects {
            let (first, all) = (object.vertices.start, object.vertices.clone());
            let velocities = self.world.velocities(all.clone());
            let speed = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if let Some((vertex, v)) = velocities.iter().enumerate().max_by(|a, b| speed(a.1).total_cmp(&speed(b.1)))
                && speed(v) >= fastest
            {
                (fastest, at) = (speed(v), self.world.positions(all)[vertex]);
            }
            let slower = |v: &[f64; 3]| v.map(|x| x * share.min(most / speed(v).max(f64::MIN_POSITIVE)));
            self.world.set_velocities(first, &velocities.iter().map(slower).collect::<Vec<_>>());
        }
        (fastest, at)
    }
}
