//! What happened: in a frame, and in all of a run.

use super::tension::{Tension, TensionLog};
use super::unsolved::Unsolved;
use super::{Intersections, contact_log, limits};
use crate::write::{Checkpoint, CheckpointError};
use taut::limit::LimitReport;
use taut::{ContactReport, InextensibilityReport, LeftOut, Problem, Stage, StepReport};

/// What happened in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// The frame that was computed.
    pub frame: u32,
    /// Its time, s.
    pub time: f64,
    /// Steps it took.
    pub steps: u32,
    /// Seconds of work in each stage of the step, in the order of [`stage_names`].
    pub stage_seconds: Vec<f64>,
    /// How often a vertex was no longer finite and was put back.
    pub contained: u64,
    /// Vertices that touch a collider at its end.
    pub contacts: u64,
    /// What contact between surfaces did, see [`ContactLog::frame`](super::ContactLog::frame).
    pub contact: ContactReport,
    /// The most that intersected at the end of a step, if it was [checked](super::Simulation::verify).
    pub intersections: Option<Intersections>,
    /// Threads that worked.
    pub threads: usize,
    /// Iterations of the solver, in all steps.
    pub iterations: u64,
    /// What the last solve left unsolved of the rows with a physical stiffness: see [`taut::StepReport::residual`].
    pub residual: f64,
    /// What the strain limiters did, in all steps together.
    pub limit: LimitReport,
    /// What kept cloth from stretching: as of the last step; rounds, unmet intervals and motion given up of all steps;
    /// the largest stretch and the worst miss at any step's end.
    pub inextensibility: InextensibilityReport,
    /// Why a step did nothing, if one did.
    pub problem: Option<Problem>,
    /// Colliders that the last step could not compute with.
    pub left_out: LeftOut,
}

impl FrameReport {
    /// A frame before its first step.
    pub(super) fn begin() -> Self {
        FrameReport { stage_seconds: vec![0.0; Stage::ALL.len()], limit: LimitReport::none(), ..FrameReport::default() }
    }

    /// Adds a step, and what intersected at its end, if that was checked.
    pub(super) fn add(&mut self, done: &StepReport, found: Option<Intersections>) {
        add(&mut self.stage_seconds, &done.seconds);
        self.contained += done.contained;
        self.contacts = done.contacts;
        contact_log::add_step(&mut self.contact, &done.contact, self.steps);
        if let Some(found) = found {
            let most = self.intersections.filter(|most| most.count >= found.count);
            self.intersections = Some(most.unwrap_or(found));
        }
        self.threads = self.threads.max(done.threads);
        self.iterations += done.iterations;
        self.residual = done.residual;
        self.limit = self.limit.join(&done.limit);
        self.inextensibility = self.inextensibility.then(done.inextensibility);
        self.problem = self.problem.or(done.problem);
        self.left_out = done.left_out;
        self.steps += 1;
    }
}

/// The names of a step's stages.
pub fn stage_names() -> Vec<&'static str> {
    Stage::ALL.iter().map(|stage| stage.name()).collect()
}

fn add(sums: &mut [f64], seconds: &[f64]) {
    sums.iter_mut().zip(seconds).for_each(|(sum, seconds)| *sum += seconds);
}

/// What happened in all frames so far.
pub(super) struct Tally {
    pub inextensibility: InextensibilityReport,
    /// The most in a step of the last frame, if they are chosen.
    pub substeps: u32,
    pub contained: u64,
    /// Vertices that touch a collider now.
    pub contacts: u64,
    /// Of the last frame.
    pub limit: LimitReport,
    pub stage_seconds: Vec<f64>,
    pub unsolved: Unsolved,
    pub tension: TensionLog,
    pub problem: Option<Problem>,
    /// Of the last frame.
    pub left_out: LeftOut,
}

impl Tally {
    pub fn new() -> Self {
        Tally {
            inextensibility: InextensibilityReport::default(),
            substeps: 1,
            contained: 0,
            contacts: 0,
            limit: LimitReport::none(),
            stage_seconds: vec![0.0; Stage::ALL.len()],
            unsolved: Unsolved::default(),
            tension: TensionLog::default(),
            problem: None,
            left_out: LeftOut::default(),
        }
    }

    /// Adds a frame.
    pub fn add(&mut self, report: &FrameReport) {
        self.inextensibility = self.inextensibility.then(report.inextensibility);
        self.substeps = report.inextensibility.substeps;
        self.problem = self.problem.or(report.problem);
        self.left_out = report.left_out;
        self.contained += report.contained;
        self.contacts = report.contacts;
        // Whatever the number of threads, metrics are the same.
        self.limit = LimitReport { threads: 0, ..report.limit };
        add(&mut self.stage_seconds, &report.stage_seconds);
    }

    /// Puts it into a checkpoint.
    pub fn save(&self, checkpoint: &mut Checkpoint) {
        let counters = [self.contained, self.contacts].into_iter().chain(self.unsolved.to_numbers());
        checkpoint.put("counters", counters.collect::<Vec<u64>>());
        checkpoint.put("limit", limits::numbers(&self.limit));
        checkpoint.put("tension", self.tension.numbers());
        checkpoint.put("stage_seconds", self.stage_seconds.clone());
    }

    /// What [`save`](Self::save) put there, with nothing held so far but what `self` knows of it. Cloth is as it is
    /// `now`.
    pub fn restored(&self, checkpoint: &mut Checkpoint, now: &Tension) -> Result<Self, CheckpointError> {
        let counters = checkpoint.take::<u64>("counters")?;
        let mut stage_seconds = checkpoint.take::<f64>("stage_seconds")?;
        stage_seconds.resize(Stage::ALL.len(), 0.0);
        let limit = limits::from_numbers(&checkpoint.take::<u64>("limit")?);
        let limit = limit.ok_or_else(|| checkpoint.unusable("what it says about limits is cut off".into()))?;
        let tension = TensionLog::from_numbers(&checkpoint.take::<f64>("tension")?, now);
        let tension = tension.ok_or_else(|| checkpoint.unusable("what it says about tension is cut off".into()))?;
        let count = |at: usize| counters.get(at).copied().unwrap_or(0);
        let unsolved = Unsolved::from_numbers(counters.get(2..).unwrap_or_default());
        let (contained, contacts) = (count(0), count(1));
        Ok(Tally {
            inextensibility: self.inextensibility,
            substeps: self.substeps,
            contained,
            contacts,
            limit,
            stage_seconds,
            unsolved,
            tension,
            problem: None,
            left_out: LeftOut::default(),
        })
    }
}
