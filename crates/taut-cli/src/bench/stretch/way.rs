//! The ways to hold cloth, and what a run of each gave.

use super::Args;
use super::case::{Case, Stretch, What};
use crate::bench::{clock, median};
use taut::{Air, Inextensibility, Model, Params, Scratch, Solver, State, StepReport, step};

/// A way to hold cloth.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Way {
    /// Nothing but 20 substeps.
    Plain,
    /// 80 of them.
    Substeps80,
    /// Tethers.
    Tethers,
    /// Coarse levels.
    Levels,
    /// Both.
    Both,
    /// Both and a limit.
    All,
    /// 20,000 N/m, one Newton step by conjugate gradients a frame.
    Implicit,
    /// The same, four times a frame.
    Implicit4,
    /// Both and a limit in 160 substeps: how it should move.
    Reference,
}

impl Way {
    pub const USUAL: [Way; 6] = [Way::Plain, Way::Substeps80, Way::Tethers, Way::Levels, Way::Both, Way::All];

    pub fn name(self) -> &'static str {
        match self {
            Way::Plain => "20 substeps",
            Way::Substeps80 => "80 substeps",
            Way::Tethers => "tethers",
            Way::Levels => "levels",
            Way::Both => "levels, tethers",
            Way::All => "levels, tethers, limit",
            Way::Implicit => "implicit",
            Way::Implicit4 => "implicit, 4 substeps",
            Way::Reference => "the limit, 160 substeps",
        }
    }

    pub fn implicit(self) -> bool {
        matches!(self, Way::Implicit | Way::Implicit4)
    }

    fn params(self, scene: What, args: &Args) -> Params {
        let all = Inextensibility::within(args.max_stretch);
        // Soft directions have no limit: that of the others is the model's.
        let limited = if scene == What::Soft { Inextensibility { max_stretch: 0.0, ..all } } else { all };
        let (substeps, inextensibility) = match self {
            Way::Plain => (20, Inextensibility::NONE),
            Way::Substeps80 => (80, Inextensibility::NONE),
            Way::Tethers => (args.substeps, Inextensibility { levels: 0, max_stretch: 0.0, ..all }),
            Way::Levels => (args.substeps, Inextensibility { tethers: false, max_stretch: 0.0, ..all }),
            Way::Both => (args.substeps, Inextensibility { max_stretch: 0.0, ..all }),
            Way::All => (args.substeps, limited),
            Way::Implicit => (1, Inextensibility::NONE),
            Way::Implicit4 => (4, Inextensibility::NONE),
            Way::Reference => (160, limited),
        };
        let wind = if scene == What::Flag { [6.0, 0.0, 1.0] } else { [0.0; 3] };
        let density = if scene == What::Flag { 1.2 } else { 0.0 };
        let plain =
            Params { substeps, inextensibility, air: Air { wind, density, ..Air::default() }, ..Params::default() };
        if self.implicit() {
            return Params { solver: Solver::NewtonCg, iterations: 200, tolerance: 1e-3, ..plain };
        }
        plain
    }
}

/// One way's run through a case.
pub struct Run {
    pub way: Way,
    params: Params,
    state: State<f32>,
    scratch: Scratch<f32>,
    /// By frame, the best of all rounds.
    pub milliseconds: Vec<f64>,
    /// By frame.
    stretch: Vec<Stretch>,
    /// Kinetic and potential energy by frame, J, from that at the start.
    pub energy: Vec<f64>,
    /// How much of the potential energy was gone at most, J.
    pub fall: f64,
    /// The largest part of the kinetic energy that is in differences between neighbours.
    pub jitter: f64,
    pub report: StepReport,
    /// By frame.
    substeps: Vec<f64>,
    pub unmet: u64,
    /// How long it took to get ready for the first step, s.
    pub setup: f64,
}

impl Run {
    pub fn new(case: &Case, way: Way, args: &Args) -> Self {
        Run {
            way,
            params: way.params(case.scene, args),
            state: State::new(&case.model),
            scratch: Scratch::new(args.threads),
            milliseconds: vec![f64::INFINITY; args.frames],
            stretch: Vec::new(),
            energy: Vec::new(),
            fall: 0.0,
            jitter: 0.0,
            report: StepReport::default(),
            substeps: Vec::new(),
            unmet: 0,
            setup: 0.0,
        }
    }

    fn model<'a>(&self, case: &'a Case) -> &'a Model<f32> {
        let bounded = case.bounded.as_ref().filter(|_| matches!(self.way, Way::All | Way::Reference));
        case.elastic.as_ref().filter(|_| self.way.implicit()).or(bounded).unwrap_or(&case.model)
    }

    pub fn start(&mut self, case: &Case) {
        let model = self.model(case);
        self.state = State::new(model);
        for &pin in &case.pins {
            self.state.pin(model, pin);
        }
        // What is built when a step first needs it is no frame's doing.
        let mut copy = self.state.clone();
        let start = clock();
        step(model, &mut copy, &mut self.scratch, &Params { substeps: 1, ..self.params.clone() }, 1e-6);
        self.setup = self.setup.max(clock() - start);
    }

    pub fn frame(&mut self, case: &Case, frame: usize, first: bool) {
        let model = self.model(case);
        let start = clock();
        let report = step(model, &mut self.state, &mut self.scratch, &self.params, 1.0 / 60.0);
        let took = (clock() - start) * 1e3;
        self.milliseconds[frame] = self.milliseconds[frame].min(took);
        if !first {
            return;
        }
        self.stretch.push(case.stretch(model, &self.state));
        let totals = taut::measure::totals(model, &self.state, self.params.gravity);
        self.energy.push(totals.kinetic + totals.potential);
        self.fall = self.fall.max(-totals.potential);
        self.jitter = self.jitter.max(jitter(case, model, &self.state.velocities(model), totals.kinetic));
        self.unmet += report.inextensibility.unmet;
        self.substeps.push(f64::from(report.substeps));
        self.report = report;
    }

    pub fn peak(&self) -> f64 {
        self.stretch.iter().map(|s| s.peak).fold(0.0, f64::max)
    }

    pub fn mean(&self) -> f64 {
        self.stretch.iter().map(|s| s.mean).sum::<f64>() / self.stretch.len().max(1) as f64
    }

    /// The mean over the second half of the run, along what is soft.
    pub fn soft(&self) -> Option<f64> {
        let late = &self.stretch[self.stretch.len() / 2..];
        late.iter().map(|s| s.soft).sum::<Option<f64>>().map(|sum| sum / late.len().max(1) as f64)
    }

    pub fn median_ms(&self) -> f64 {
        median(self.milliseconds.clone())
    }

    pub fn mean_ms(&self) -> f64 {
        self.milliseconds.iter().sum::<f64>() / self.milliseconds.len().max(1) as f64
    }

    pub fn max_ms(&self) -> f64 {
        self.milliseconds.iter().copied().fold(0.0, f64::max)
    }

    /// Time over elements and substeps, ns.
    pub fn per_element(&self, case: &Case) -> f64 {
        self.median_ms() * 1e6 / (case.elements() as f64 * self.substeps())
    }

    /// The median over frames.
    pub fn substeps(&self) -> f64 {
        median(self.substeps.clone())
    }

    pub fn most_substeps(&self) -> f64 {
        self.substeps.iter().copied().fold(0.0, f64::max)
    }

    /// How many times as long as `other` a frame takes: the median over frames.
    pub fn ratio(&self, other: &Run) -> f64 {
        median(self.milliseconds.iter().zip(&other.milliseconds).map(|(a, b)| a / b).collect())
    }

    /// How far its energy is from that of `other` at most, over the fall of `other`.
    pub fn energy_off(&self, other: &Run) -> f64 {
        let off = self.energy.iter().zip(&other.energy).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        off / other.fall.max(1e-9)
    }
}

/// ½ Σ m |v − mean of the neighbours' v|² over the kinetic energy.
fn jitter(case: &Case, model: &Model<f32>, v: &[[f64; 3]], kinetic: f64) -> f64 {
    let mut around = vec![[0.0; 4]; v.len()];
    for &([a, b], _) in &case.edges {
        for (to, from) in [(a, b), (b, a)] {
            (0..3).for_each(|k| around[to][k] += v[from][k]);
            around[to][3] += 1.0;
        }
    }
    let part = |i: usize| {
        let off = (0..3).map(|k| (v[i][k] - around[i][k] / f64::max(around[i][3], 1.0)).powi(2)).sum::<f64>();
        0.5 * model.masses()[i] * off
    };
    let rough: f64 = (0..v.len()).filter(|i| !case.pins.contains(&(*i as u32))).map(part).sum();
    rough / kinetic.max(1e-9)
}
