//! The phase before frame 0 in which cloth comes to rest on bodies that stand still, or come from the pose they were
//! bound in.

use super::Simulation;
use super::surface::StartPose;
use crate::scene::settings::StartFrom;
use glam::DVec3;
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
    /// How far cloth was put at most to be outside of bodies and of the layers beneath it, before any time went by, m.
    pub put_out: f64,
    /// Where cloth could not be kept within its limits, because it is too small for what it is around, m.
    pub tight: Option<[f64; 3]>,
    /// How far it was stretched there, over what it may be.
    pub beyond: f64,
    /// Pairs of triangles that intersect when it begins, before anything is put outside.
    pub began: usize,
    /// Pairs of triangles that intersect at its end.
    pub intersections: usize,
    /// Where the first of those is, m.
    pub crossing: Option<[f64; 3]>,
    /// Whether it ended as slow as was asked for, with nothing that intersects or is too tight.
    pub settled: bool,
}

impl StartReport {
    /// Where something is wrong at its end (m), if something is but that it is not at rest yet.
    pub fn place(&self) -> Option<[f64; 3]> {
        self.crossing.or(self.tight)
    }
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
            let why = report.tight.map_or_else(held, |at| too_tight(at, report.beyond));
            return Some(format!(
                "the start phase of {seconds:.2} s ended with {pairs} pairs of triangles that intersect, of {began} at its \
                 beginning, the first at {}: {why}",
                super::place(report.crossing.unwrap_or(report.at))
            ));
        }
        if let Some(at) = report.tight {
            return Some(format!("the start phase of {seconds:.2} s: {}", too_tight(at, report.beyond)));
        }
        Some(format!(
            "the start phase of {seconds:.2} s ended before everything was at rest: {fastest:.3} m/s at {place}; a \
             longer `start.duration` or more `start.damping` helps"
        ))
    }
}

/// What is said of cloth that a body does not fit into, with the place (m) and how far it is stretched over what it may
/// be.
fn too_tight(at: [f64; 3], beyond: f64) -> String {
    let at = super::place(at);
    format!(
        "the cloth is too tight for its body at {at}, where it is stretched {beyond:.1} times as far as it may be: a \
         larger one, `rest_stretch` above 1 or a larger limit helps"
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

/// A start is looked at for intersections once in so many steps while something intersects.
const LOOK: u64 = 4;
/// What intersects, and does not become less in so many looks, will not come free.
const LOOKS: u32 = 2;
/// Cloth that has been beyond its limits for so many steps on end, and is no nearer to them, is too tight: no more time
/// is spent on it.
const PATIENCE: u32 = 6;
/// Nearer to its limits: by this factor.
const NEARER: f64 = 0.95;
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
        let plan = self.plan_start();
        self.drive.pose(self.start_pose(plan.thinner));
        let began = if self.scene.settings.contact.on { self.intersections().count } else { 0 };
        let put_out = self.put_outside();
        let dt = self.clock.step_seconds();
        let steps = (plan.longest / dt).ceil().max(1.0) as u64;
        let mut report = StartReport { began, put_out: put_out.furthest, ..StartReport::default() };
        // How far beyond its limits cloth was at best, and for how many steps it has not been nearer.
        let (mut best, mut pressed) = (f64::INFINITY, 0);
        // How many pairs intersected at least, and how many looks have found no fewer.
        report.intersections = if self.scene.settings.contact.on { self.intersections().count } else { 0 };
        let (mut fewest, mut looks) = (report.intersections, 0);
        for step in 1..=steps {
            report.seconds = step as f64 * dt;
            let share = |whole: f64| if whole > 0.0 { (report.seconds / whole).min(1.0) } else { 1.0 };
            let come = share(plan.coming);
            let moved = if start.from == StartFrom::Bind { come } else { 1.0 };
            let pose = StartPose { moved, thinner: plan.thinner * (1.0 - come) };
            let (highest, missed) = self.start_step(share(start.ramp), pose, dt);
            report.highest = report.highest.max(highest);
            let missed = missed.filter(|missed| missed.used > BEYOND);
            (report.tight, report.beyond) = missed.map_or((None, 0.0), |missed| (Some(missed.at), missed.used));
            pressed = if report.beyond > NEARER * best { pressed + 1 } else { 0 };
            best = if missed.is_some() { best.min(report.beyond) } else { f64::INFINITY };
            let no_use = come >= 1.0 && pressed >= PATIENCE;
            (report.fastest, report.at) = self.slow_down((-start.damping * dt).exp(), start.speed);
            let slow = share(start.ramp) >= 1.0 && come >= 1.0 && report.fastest <= start.settled;
            // While something intersects it is slow for long.
            let turn = if report.intersections == 0 { slow } else { step % LOOK == 0 };
            if self.scene.settings.contact.on && (turn || no_use || step == steps) {
                let found = self.intersections();
                let left = found.count;
                (fewest, looks) = if left < fewest { (left, 0) } else { (fewest, looks + 1) };
                (report.intersections, report.crossing) = (left, found.first.map(|first| first.at));
            }
            report.settled = slow && report.intersections == 0 && report.tight.is_none();
            // What does not come free is not waited for.
            if report.settled || no_use || (come >= 1.0 && report.intersections > 0 && looks >= LOOKS) {
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

    /// How it goes: as slow as was asked for.
    fn plan_start(&mut self) -> Plan {
        let start = self.scene.settings.start.clone();
        let thinner = start.grow;
        let first = self.start_pose(thinner);
        let comes = first != StartPose::NONE;
        let way = if comes { self.drive.way_from(first) } else { 0.0 };
        let coming = if comes { (0.5 * start.duration).max(way / start.speed) } else { 0.0 };
        Plan { thinner, coming, longest: (coming + 0.5 * start.duration).max(start.duration) }
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
        let after = self.world.positions(all);
        let far = |(a, b): (&[f64; 3], &[f64; 3])| DVec3::from(*a).distance((*b).into());
        let highest = before.iter().zip(&after).map(far).fold(0.0, f64::max) / dt;
        let most = self.scene.settings.start.speed;
        if highest > most && self.goes_part_of_the_way(&before, &after, most / highest) {
            return (most, done.inextensibility.missed);
        }
        (highest, done.inextensibility.missed)
    }

    /// Puts all vertices on a part of their way between two states (m), unless something would intersect there that
    /// does not at its end. Whether it did.
    fn goes_part_of_the_way(&mut self, before: &[[f64; 3]], after: &[[f64; 3]], part: f64) -> bool {
        let at_end = if self.scene.settings.contact.on { self.intersections().count } else { 0 };
        let between = |(a, b): (&[f64; 3], &[f64; 3])| DVec3::from(*a).lerp((*b).into(), part).into();
        self.world.set_positions(0, &before.iter().zip(after).map(between).collect::<Vec<_>>());
        let good = !self.scene.settings.contact.on || self.intersections().count <= at_end;
        if !good {
            self.world.set_positions(0, after);
        }
        good
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
