//! The `taut` program: flags and glue. One word per job, the same flags everywhere.

mod bench;
mod check;
mod compare;
mod fabrics;
mod fail;
mod flags;
mod info;
mod lab;
mod new;
mod paper;
mod render;
mod run;
mod scenes;
mod sew;
mod sweep;
mod view;

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
    /// Simulate a scene: animation, pictures, numbers and a report.
    Run(run::Args),
    /// Read and build a scene, and say what is in it.
    Check(check::Args),
    /// List the scenes that come with the program.
    Scenes(scenes::Args),
    /// List the fabrics known by name; with a name, its figures and where they were published.
    Fabrics(fabrics::Args),
    /// Begin a project: a folder with a commented scene.
    New(new::Args),
    /// Say what is in a mesh file, and what is wrong with it.
    Info(info::Args),
    /// Draw a mesh file, or a scene at a moment, as a PNG.
    Render(render::Args),
    /// Open a scene in a window: pull the cloth, turn its knobs.
    View(view::Args),
    /// Print the JSON schema of scene files, for editors.
    Schema,
    /// Simulate scenes or settings side by side: pictures, curves and numbers.
    Compare(compare::Args),
    /// Sew a pattern onto a body and drape it: mesh, pictures, report and a scene.
    Sew(sew::Args),
    /// Run a scene with every combination of values; what is there already is not run again.
    Sweep(sweep::Args),
    /// Run figures and tables of the four papers, and check what they claim.
    Paper(paper::Args),
    /// Test a fabric as a textile laboratory would: tensile, shear, bending, drape, swing, certificate.
    Lab(lab::Args),
    /// Measure how fast the engine is on this machine.
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let job = Cli::parse().job;
    fail::exit(fail::contain(|| match job {
        Job::Run(args) => run::run(&args),
        Job::Check(args) => check::run(&args),
        Job::Scenes(args) => scenes::run(&args),
        Job::Fabrics(args) => fabrics::run(&args),
        Job::New(args) => new::run(&args),
        Job::Info(args) => info::run(&args),
        Job::Render(args) => render::run(&args),
        Job::View(args) => view::run(&args),
        Job::Schema => {
            println!("{:#}", taut_scene::scene::schema());
            Ok(())
        }
        Job::Compare(args) => compare::run(&args),
        Job::Sew(args) => sew::run(&args),
        Job::Sweep(args) => sweep::run(&args),
        Job::Paper(args) => paper::run(&args),
        Job::Lab(args) => lab::run(&args),
        Job::Bench(args) => bench::run(&args),
    }))
}
