//! The `taut` program: flags and glue. One word per job, the same flags everywhere.

mod bench;
mod fail;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Cloth and soft bodies whose stretch you control.
#[derive(Parser)]
#[command(name = "taut", version)]
struct Cli {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    /// Measure how fast the engine is on this machine.
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().job {
        Job::Bench(args) => bench::run(&args),
    };
    fail::exit(done)
}
