//! `taut bench solvers`: how soon each solver comes how near to the solution of a frame.
//!
//! The scene runs in f64 with Newton's method to some frame. From that one state every solver computes the next frame,
//! with more and more iterations, and what it finds is compared with the solution: Newton's method to a residual of
//! 1e-10 m/s. All runs are timed in turn, round after round; the best time of each counts, for
//! noise only ever adds.

use super::clock;
use crate::fail::Failure;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use taut::limit::{LimitKind, LimitSpec};
use taut::{Inextensibility, Params, Solver};
use taut_render::chart::Chart;
use taut_scene::scene::{Scene, settings};
use taut_scene::simulation::{FrameReport, Simulation};
use taut_scene::write::Checkpoint;
use taut_scene::write::atomic::write_atomic;

/// Flags.
#[derive(clap::Args)]
pub struct Args {
    /// A scene with a body that is `elastic` or has a `fabric`: a file, or the name of a built-in one.
    #[arg(default_value = "rubber")]
    scene: String,
    /// The frame to begin at; the one after it is computed.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    frame: u32,
    /// Rounds; more are steadier.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Change a value of the scene, such as solver.substeps=4; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder for solvers.csv and solvers.svg.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// What competes: a name, a solver, and the tolerance it is given.
const SOLVERS: [(&str, Solver, f64); 10] = [
    ("pbd", Solver::GaussSeidel { relaxation: 1.0, block: false }, 0.0),
    // A tolerance makes it bring positions and multipliers together, which costs time in every sweep.
    ("pbd to tolerance", Solver::GaussSeidel { relaxation: 1.0, block: false }, TIGHT),
    ("pbd relaxation 1.5", Solver::GaussSeidel { relaxation: 1.5, block: false }, 0.0),
    ("jacobi", Solver::Jacobi { relaxation: 1.0 }, TIGHT),
    ("minimum-residual", Solver::MinimumResidual, TIGHT),
    ("conjugate-residuals", Solver::ConjugateResiduals, TIGHT),
    ("nonlinear-cg", Solver::NonlinearCg, TIGHT),
    ("newton-cg", Solver::NewtonCg, TIGHT),
    ("newton-cholesky", Solver::NewtonCholesky, TIGHT),
    ("newton", Solver::Newton, TIGHT),
];
const ITERATIONS: [u32; 13] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
/// A residual that stops no run before its error has been seen: strain, or m/s.
const TIGHT: f64 = 1e-11;
/// Errors that the table asks for: 2 mm, 0.1 mm and 0.1 µm on a metre.
const GOALS: [f64; 3] = [2e-3, 1e-4, 1e-7];
/// Nearer than this, both are the solution.
const SOLVED: f64 = 1e-10;

/// One solver with one number of iterations.
struct Run {
    solver: usize,
    most: u32,
    iterations: u64,
    seconds: f64,
    error: f64,
    residual: f64,
}

/// A simulation at the frame to begin at.
struct Fork {
    simulation: Simulation,
    state: Checkpoint,
    reference: Vec<Vec<[f64; 3]>>,
    /// Of each body, m.
    sizes: Vec<f64>,
    reference_report: FrameReport,
    reference_seconds: f64,
}

/// Measures and prints.
pub fn run(args: &Args) -> Result<(), Failure> {
    let scene = Scene::open(&args.scene, &args.set)?;
    if !elastic(&scene) {
        return Err(Failure::BadInput(format!(
            "no body of {} has a physical stiffness, and only those know several solvers\n  \
             help: give a cloth a `fabric` or a body the key `elastic`, such as elastic = {{ weft = 500 }}; or try the scene `rubber`",
            scene.name()
        )));
    }
    let mut fork = Fork::new(&scene, args.frame)?;
    let mut runs = fork.explore();
    for _ in 0..args.rounds.max(1) {
        for run in &mut runs {
            run.seconds = run.seconds.min(fork.go(run.solver, run.most).1);
        }
    }
    if let Some(dir) = &args.out {
        write(dir, &scene, args.frame, &runs)?;
    }
    if args.json {
        println!("{}", report(&scene, args.frame, &fork, &runs));
    } else {
        print_table(&scene, args.frame, &fork, &runs);
    }
    Ok(())
}

fn elastic(scene: &Scene) -> bool {
    let settings = &scene.settings;
    let cloth = settings.cloth.iter().any(|c| c.material.params().elasticity.is_some());
    cloth || settings.solid.iter().any(|s| s.material.elastic.is_some())
}

/// Newton's method to a residual that is far below any error looked for, and above rounding, m/s.
fn exact(params: &mut Params) {
    alone(params);
    (params.solver, params.iterations, params.tolerance) = (Solver::Newton, 30, 1e-10);
}

/// Nothing but a solver, and the same substeps for all: what keeps cloth within limits is one solver's own.
fn alone(params: &mut Params) {
    params.inextensibility = Inextensibility::NONE;
    if params.substeps == 0 {
        params.substeps = Params::default().substeps;
    }
}

impl Fork {
    fn new(scene: &Scene, frame: u32) -> Result<Self, Failure> {
        let mut simulation = Simulation::new(scene, settings::Precision::F64, 1)?;
        let own = |spec: &&LimitSpec| !matches!(spec.kind, LimitKind::Stretch(_));
        let limits: Vec<LimitSpec> = simulation.limits().iter().filter(own).cloned().collect();
        // Never refused: these were there before.
        let _ = simulation.set_limits(&limits);
        while simulation.frame() < frame {
            simulation.advance_with(exact);
        }
        let state = simulation.save();
        let start = clock();
        let reference_report = simulation.advance_with(exact);
        let reference_seconds = clock() - start;
        let reference = positions(&simulation);
        let sizes = simulation.objects().iter().map(|o| diagonal(&o.info.rest)).collect();
        Ok(Fork { simulation, state, reference, sizes, reference_report, reference_seconds })
    }

    /// Computes the frame; what happened, and in which time (s).
    fn go(&mut self, solver: usize, most: u32) -> (FrameReport, f64) {
        let (_, method, tolerance) = SOLVERS[solver];
        // Never refused: it was saved here.
        let _ = self.simulation.restore(self.state.clone());
        let start = clock();
        let report = self.simulation.advance_with(|params| {
            alone(params);
            (params.solver, params.iterations, params.tolerance) = (method, most, tolerance);
        });
        (report, clock() - start)
    }

    /// The largest distance of a vertex to where it should be, over the size of its body.
    fn error(&self) -> f64 {
        let mut worst = 0.0;
        for ((found, wanted), size) in positions(&self.simulation).iter().zip(&self.reference).zip(&self.sizes) {
            for (a, b) in found.iter().zip(wanted) {
                worst = f64::max(worst, distance(*a, *b) / size);
            }
        }
        worst
    }

    /// Runs every solver with more and more iterations, until it has the solution, ends by itself, or takes far longer
    /// than the reference.
    fn explore(&mut self) -> Vec<Run> {
        let patience = (3.0 * self.reference_seconds).max(0.1);
        let mut runs = Vec::new();
        for solver in 0..SOLVERS.len() {
            let mut before = u64::MAX;
            for most in ITERATIONS {
                let (report, seconds) = self.go(solver, most);
                // More were allowed, and no more were made.
                if report.iterations == before {
                    break;
                }
                before = report.iterations;
                let error = self.error();
                runs.push(Run {
                    solver,
                    most,
                    iterations: report.iterations,
                    seconds,
                    error,
                    residual: report.residual,
                });
                if error < SOLVED || seconds > patience {
                    break;
                }
            }
        }
        runs
    }
}

fn positions(simulation: &Simulation) -> Vec<Vec<[f64; 3]>> {
    (0..simulation.objects().len()).map(|object| simulation.positions(object)).collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    glam::DVec3::from(a).distance(b.into())
}

/// Of the box around points.
fn diagonal(points: &[[f64; 3]]) -> f64 {
    let end = |pick: fn(f64, f64) -> f64, from: f64| {
        points.iter().fold([from; 3], |end, p| [pick(end[0], p[0]), pick(end[1], p[1]), pick(end[2], p[2])])
    };
    distance(end(f64::min, f64::INFINITY), end(f64::max, f64::NEG_INFINITY)).max(f64::MIN_POSITIVE)
}

/// The quickest run of a solver that comes as near as `goal`.
fn quickest(runs: &[Run], solver: usize, goal: f64) -> Option<&Run> {
    let near = runs.iter().filter(|run| run.solver == solver && run.error <= goal);
    near.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn write(dir: &Path, scene: &Scene, frame: u32, runs: &[Run]) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
    let mut csv = String::from("solver,most_iterations,iterations,milliseconds,error_over_size,residual\n");
    for run in runs {
        let name = SOLVERS[run.solver].0;
        csv += &format!(
            "{name},{},{},{:.6},{:e},{:e}\n",
            run.most,
            run.iterations,
            run.seconds * 1e3,
            run.error,
            run.residual
        );
    }
    write_atomic(dir, "solvers.csv", csv.as_bytes())?;
    let title = format!("{}: frame {} by each solver", scene.title(), frame + 1);
    let mut chart = Chart::lines(&title).x("time for the frame", "ms").y("largest error over size", "").log_x().log_y();
    (chart.width, chart.height) = (760.0, 460.0);
    for (solver, (name, ..)) in SOLVERS.iter().enumerate() {
        // What is exact has no place on a logarithmic axis.
        let of = runs.iter().filter(|run| run.solver == solver);
        let mut points: Vec<_> = of.map(|run| [run.seconds * 1e3, run.error.max(SOLVED * 1e-2)]).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        chart = chart.series(name, points);
    }
    write_atomic(dir, "solvers.svg", chart.svg().as_bytes())?;
    Ok(())
}

fn report(scene: &Scene, frame: u32, fork: &Fork, runs: &[Run]) -> Value {
    let of = |solver: usize| {
        let each = runs.iter().filter(move |run| run.solver == solver).map(|run| {
            json!({
                "most_iterations": run.most,
                "iterations": run.iterations,
                "milliseconds": run.seconds * 1e3,
                "error": run.error,
                "residual": run.residual,
            })
        });
        json!({ "solver": SOLVERS[solver].0, "runs": each.collect::<Vec<_>>() })
    };
    json!({
        "scene": scene.name(),
        "frame": frame,
        "reference": {
            "iterations": fork.reference_report.iterations,
            "residual": fork.reference_report.residual,
            "milliseconds": fork.reference_seconds * 1e3,
        },
        "solvers": (0..SOLVERS.len()).map(of).collect::<Vec<_>>(),
    })
}

fn print_table(scene: &Scene, frame: u32, fork: &Fork, runs: &[Run]) {
    let reference = &fork.reference_report;
    println!(
        "{}, frame {} from one state, f64, one thread. Reference: {} Newton steps, residual {:.1e} m/s, {:.1} ms",
        scene.name(),
        frame + 1,
        reference.iterations,
        reference.residual,
        fork.reference_seconds * 1e3
    );
    println!("ms (iterations) until the largest error of a vertex, over the body's size, is");
    let head: String = GOALS.iter().map(|goal| format!("{:>21}", format!("≤ {goal:e}"))).collect();
    println!("{:<20}{head}{:>12}", "", "best error");
    for (solver, (name, ..)) in SOLVERS.iter().enumerate() {
        let cell = |goal: &f64| match quickest(runs, solver, *goal) {
            Some(run) => format!("{:>21}", format!("{:.3} ({})", run.seconds * 1e3, run.iterations)),
            None => format!("{:>21}", "–"),
        };
        let cells: String = GOALS.iter().map(cell).collect();
        let best = runs.iter().filter(|run| run.solver == solver).fold(f64::INFINITY, |best, run| best.min(run.error));
        println!("{name:<20}{cells}{best:>12.1e}");
    }
}
