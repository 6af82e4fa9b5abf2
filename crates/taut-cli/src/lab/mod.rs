//! `taut lab`: the tests of a textile laboratory, made on virtual cloth.

mod flags;
mod write;

use crate::fail::Failure;
use crate::flags::Say;
use clap::Subcommand;
use flags::{Measures, Specimen, Workshop};
use std::path::{Path, PathBuf};
use taut_lab::certificate::{self, Grid};
use taut_lab::{Cut, LabError, Machine, Outcome, Solver, bend, drape, shear, swing, tensile};
use taut_studio::Progress;

/// Which test.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    test: Test,
}

#[derive(Subcommand)]
enum Test {
    /// Pull strips: moduli, Poisson's ratio, the bias, and the strain limit as the knee of the curve.
    Tensile(Tensile),
    /// Shear a square in a picture frame: the shear modulus, and force against angle.
    Shear(Shear),
    /// Bend strips: the cantilever of ASTM D1388 and pure bending.
    Bend(Bend),
    /// Cusick's drape test: drape coefficient, nodes and shadow, beside published ones.
    Drape(Drape),
    /// Let a strip swing: period, energy over time and decay, with and without damping.
    Swing(Swing),
    /// The same cloth everywhere: strain, droop and period over a grid of solvers' and meshes' settings.
    Certificate(Certificate),
}

/// What all tests have.
#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    specimen: Specimen,
    /// Folder for numbers, charts, pictures and scenes; out/lab/TEST-FABRIC if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    say: Say,
}

#[derive(clap::Args)]
struct Tensile {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    workshop: Workshop,
    /// Draw the curve along this direction, degrees from the weft; repeatable. Weft, bias and warp if not given.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    direction: Vec<f64>,
    /// Leave the cloth's strain limits out of the curves.
    #[arg(long)]
    no_limits: bool,
}

#[derive(clap::Args)]
struct Shear {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    workshop: Workshop,
    /// The largest angle, degrees.
    #[arg(long, default_value_t = 30.0)]
    angle: f64,
}

#[derive(clap::Args)]
struct Bend {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    workshop: Workshop,
    /// Bend strips along this direction, degrees from the weft; repeatable. Weft and warp if not given.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    direction: Vec<f64>,
}

#[derive(clap::Args)]
struct Drape {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    workshop: Workshop,
    /// How many specimens; each begins with its own small unevenness.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    specimens: u32,
}

#[derive(clap::Args)]
struct Swing {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    workshop: Workshop,
    /// The angle it is let go at, degrees.
    #[arg(long, default_value_t = 10.0)]
    angle: f64,
    /// How long it is watched, s.
    #[arg(long, default_value_t = 6.0)]
    seconds: f64,
}

#[derive(clap::Args)]
struct Certificate {
    #[command(flatten)]
    common: Common,
    /// The solver, as scenes call it.
    #[arg(long, default_value = "newton")]
    solver: String,
    /// Iterations in a substep.
    #[arg(long, value_delimiter = ',', default_value = "10,30")]
    iterations: Vec<u32>,
    /// Substeps in a step.
    #[arg(long, value_delimiter = ',', default_value = "1,4")]
    substeps: Vec<u32>,
    /// Cells across the strips; the last is the finest.
    #[arg(long, value_delimiter = ',', default_value = "2,4,8")]
    resolution: Vec<u32>,
    /// How strips are cut into triangles.
    #[arg(long, value_delimiter = ',', default_value = "irregular,regular")]
    mesh: Vec<flags::Mesh>,
    /// Lengths of steps, s.
    #[arg(long, value_delimiter = ',', default_value = "0.0166666666666667,0.00833333333333333")]
    time_step: Vec<f64>,
    /// What to measure.
    #[arg(long, value_delimiter = ',', default_value = "strain,droop,period")]
    measure: Vec<Measures>,
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Scene(error) => Failure::Scene(error),
            other => Failure::BadInput(other.to_string()),
        }
    }
}

/// Makes a test, writes what it found and says it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (test, common, outcome) = match &args.test {
        Test::Tensile(t) => ("tensile", &t.common, pull(t)?),
        Test::Shear(t) => {
            let machine = t.workshop.machine(12, Solver::still())?;
            finite("angle", t.angle, 0.1..=80.0)?;
            ("shear", &t.common, shear::report(&t.common.specimen.cloth()?, &machine, t.angle)?)
        }
        Test::Bend(t) => {
            let machine = t.workshop.machine(40, Solver::still())?;
            let directions = directions(&t.direction, &[0.0, 90.0])?;
            ("bend", &t.common, bend::report(&t.common.specimen.cloth()?, &machine, &directions)?)
        }
        Test::Drape(t) => {
            let machine = t.workshop.machine(30, drape::Drape::solver())?;
            ("drape", &t.common, drape::report(&t.common.specimen.cloth()?, &machine, t.specimens)?)
        }
        Test::Swing(t) => {
            finite("angle", t.angle, 0.1..=80.0)?;
            finite("seconds", t.seconds, 0.1..=1e4)?;
            let machine = t.workshop.machine(4, flags::moving())?;
            ("swing", &t.common, swing::report(&t.common.specimen.cloth()?, &machine, t.angle, t.seconds)?)
        }
        Test::Certificate(t) => ("certificate", &t.common, certify(t)?),
    };
    let cloth = common.specimen.cloth()?.name;
    let usual = || Path::new("out").join("lab").join(format!("{test}-{cloth}"));
    let dir = common.out.clone().unwrap_or_else(usual);
    write::write(&dir, test, &cloth, &outcome)?;
    if common.say.json {
        println!("{}", write::json(test, &cloth, &outcome));
    } else if !common.say.quiet {
        println!("{}\nwritten to {}", outcome.text(), dir.display());
    }
    Ok(())
}

fn pull(t: &Tensile) -> Result<Outcome, Failure> {
    let machine = t.workshop.machine(4, Solver::still())?;
    let directions = directions(&t.direction, &[0.0, 45.0, 90.0])?;
    Ok(tensile::report(&t.common.specimen.cloth()?, &machine, &directions, !t.no_limits)?)
}

fn certify(t: &Certificate) -> Result<Outcome, Failure> {
    t.time_step.iter().try_for_each(|&step| finite("time-step", step, 1e-5..=1.0))?;
    let lists = [&t.iterations, &t.substeps, &t.resolution];
    if lists.iter().any(|list| list.iter().any(|&n| n == 0 || n > 10_000)) {
        return Err(Failure::BadInput("--iterations, --substeps and --resolution are numbers from 1 to 10000".into()));
    }
    let grid = Grid {
        iterations: t.iterations.clone(),
        substeps: t.substeps.clone(),
        cells: t.resolution.clone(),
        cuts: t.mesh.iter().map(|&mesh| Cut::from(mesh)).collect(),
        steps: t.time_step.clone(),
    };
    let quantities: Vec<_> = t.measure.iter().map(|&measure| measure.into()).collect();
    let machines = lists.iter().map(|list| list.len()).product::<usize>() * t.mesh.len() * t.time_step.len();
    let mut progress = Progress::new("machines", 0, machines as u64, t.common.say.quiet || t.common.say.json);
    let done = |n: usize, _: usize| progress.at(n as u64, String::new);
    let outcome = certificate::report(&t.common.specimen.cloth()?, &t.solver, &grid, &quantities, done)?;
    progress.finish();
    Ok(outcome)
}

fn directions(given: &[f64], usual: &[f64]) -> Result<Vec<f64>, Failure> {
    given.iter().try_for_each(|&degrees| finite("direction", degrees, -360.0..=360.0))?;
    Ok(if given.is_empty() { usual.to_vec() } else { given.to_vec() })
}

/// A flag's number is within a range.
fn finite(flag: &str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<(), Failure> {
    match range.contains(&value) {
        true => Ok(()),
        false => {
            let (low, high) = (range.start(), range.end());
            Err(Failure::BadInput(format!("--{flag} is {value}; expected a number from {low} to {high}")))
        }
    }
}

/// So that tests of other jobs need not know what machines are.
impl Workshop {
    fn machine(&self, cells: u32, usual: Solver) -> Result<Machine, Failure> {
        let mut solver = match &self.solver {
            Some(kind) if *kind != usual.kind => Solver::named(kind),
            _ => usual,
        };
        if let Some(step) = self.time_step {
            finite("time-step", step, 1e-5..=1.0)?;
            solver.step = step;
        }
        solver.iterations = self.iterations.or(solver.iterations);
        solver.substeps = self.substeps.or(solver.substeps);
        let cells = self.resolution.unwrap_or(cells);
        Ok(Machine { cut: self.mesh.into(), cells, seed: self.seed, solver, bending: self.bending.into() })
    }
}
