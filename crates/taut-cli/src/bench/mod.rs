//! `taut bench`: how fast, as ratios measured in one run.

mod fabric;
mod kernels;
mod solvers;
mod stretch;

use crate::fail::Failure;
use clap::Subcommand;
use taut_scene::simulation::seconds as clock;

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Nanoseconds per element and iteration: scalar against lanes, one thread against two.
    Kernels(kernels::Args),
    /// How near a named fabric comes to its converged motion, and at what cost, solver by solver.
    Fabric(fabric::Args),
    /// How soon each solver comes how near to the solution of a frame.
    Solvers(solvers::Args),
    /// What it costs to keep cloth from stretching.
    Stretch(stretch::Args),
}

/// Runs a benchmark and prints its table or its JSON.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        What::Fabric(args) => fabric::run(args),
        What::Kernels(args) => kernels::run(args),
        What::Solvers(args) => solvers::run(args),
        What::Stretch(args) => stretch::run(args),
    }
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
