//! The phase before frame 0 in which cloth comes to rest on bodies that stand still, or come from the pose they were
//! bound in.

use super::Simulation;
use super::surface::StartPose;
use crate::scene::settings::StartFrom;
use taut::Params;

/// What the start phase came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartReport {
    /// How long it lasted, s.
    pub seconds: f64,
    /// The speed of the fastest vertex at its end, m/s.
    pub fastest: f64,
    /// Where that is, m.
    pub at: [f64; 3],
    /// Pairs of triangles that intersect at its end.
    pub intersections: usize,
    /// Whether that is as slow as was asked for, and nothing intersects.
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
            let pairs = report.intersections;
            return Some(format!(
                "the start phase of {seconds:.2} s ended with {pairs} pairs of triangles that intersect: a garment that \
                 begins inside its body comes out by `start.grow`, unless pins hold it there or it is too small"
            ));
        }
        Some(format!(
            "the start phase of {seconds:.2} s ended before everything was at rest: {fastest:.3} m/s at {place}; a \
             longer `start.duration` or more `start.damping` helps"
        ))
    }
}

impl Simulation {
    /// Goes through the start phase, if the scene has one; [`advance`](Self::advance) does so, too. Then it is at
    /// frame 0 still, and everything is where that begins.
    pub fn begin(&mut self) -> Option<StartReport> {
        let start = self.scene.settings.start.clone();
        if !self.start.done && self.clock.frame == 0 && start.duration > 0.0 {
            let dt = self.clock.step_seconds();
            let steps = (start.duration / dt).ceil().max(1.0) as u64;
            let comes = start.from == StartFrom::Bind || start.grow > 0.0;
            let coming = if comes { 0.5 * start.duration } else { 0.0 };
            for step in 1..=steps {
                let seconds = step as f64 * dt;
                let share = |whole: f64| if whole > 0.0 { (seconds / whole).min(1.0) } else { 1.0 };
                let moved = if start.from == StartFrom::Bind { share(coming) } else { 1.0 };
                let pose = StartPose { moved, thinner: start.grow * (1.0 - share(coming)) };
                self.start_step(share(start.ramp), pose, dt);
                let (fastest, at) = self.slow_down((-start.damping * dt).exp());
                let slow = share(start.ramp) >= 1.0 && share(coming) >= 1.0 && fastest <= start.settled;
                let look = self.scene.settings.contact.on && (slow || step == steps);
                let intersections = if look { self.intersections().count } else { 0 };
                let settled = slow && intersections == 0;
                self.start.report = Some(StartReport { seconds, fastest, at, intersections, settled });
                if settled {
                    break;
                }
            }
        }
        self.start.done = true;
        self.start.report
    }

    /// One step with a share of gravity, and bodies in a pose of their own.
    fn start_step(&mut self, gravity: f64, pose: StartPose, dt: f64) {
        self.drive.pose(pose);
        self.drive.hold(&mut *self.world, 0.0);
        let settings = &self.scene.settings;
        let contact = taut::Contact { materials: self.watch.materials.clone(), every: settings.contact.every };
        let params = self.drive.params(settings, [0.0, 0.0]);
        let params = Params { contact, gravity: params.gravity.map(|g| gravity * g), ..params };
        self.world.step(&params, dt);
    }

    /// Leaves a share of all velocities. Gives the largest speed there was before (m/s), and where, m.
    pub fn slow_down(&mut self, share: f64) -> (f64, [f64; 3]) {
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
            let slower: Vec<[f64; 3]> = velocities.iter().map(|v| v.map(|x| share * x)).collect();
            self.world.set_velocities(first, &slower);
        }
        (fastest, at)
    }
}
