//! `taut bench fabric`: how near a named fabric comes to its converged motion, and at what cost, solver by solver.
//!
//! A square metre is let go, held by two corner patches or along one side. The reference is the same mesh by Newton's
//! method, converged in every one of eight steps a frame. What is compared are things that a person sees or measures:
//! kinetic energy, the lowest point, and the mean strain along weft and warp, over all frames.

use super::{clock, median};
use crate::fail::Failure;
use serde_json::json;
use taut::fabric::Fabric;
use taut::measure::{strains, totals};
use taut::mesh::TriMesh;
use taut::{Cloth, Integrator, Model, ModelBuilder, Params, Precision, Scratch, Solver, State, step};
use taut_scene::generate::{Plane, SheetParams, Tessellation, sheet};

/// Flags.
#[derive(clap::Args)]
pub struct Args {
    /// Fabrics of the library; repeatable.
    #[arg(long = "fabric", value_name = "NAME", default_value = "cotton")]
    fabrics: Vec<String>,
    /// Vertices a side; repeatable.
    #[arg(long = "size", value_name = "N", default_values_t = [21, 41], value_parser = clap::value_parser!(u32).range(3..=400))]
    sizes: Vec<u32>,
    /// Frames, sixty a second.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,
    /// What happens; both if not given.
    #[arg(long, value_enum)]
    scene: Option<Motion>,
    /// Scattered vertices instead of rows.
    #[arg(long)]
    irregular: bool,
    /// No reference: only times.
    #[arg(long)]
    times: bool,
    /// One JSON object a line instead of tables.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Motion {
    /// Upright, hung by a patch at two corners, and swaying: the lower end has 1 m/s at first.
    Hang,
    /// Lying, held along one side: it swings down.
    Swing,
}

/// The name of what the others are compared with.
const REFERENCE: &str = "newton, 8 substeps";

/// How to step.
struct Way {
    name: &'static str,
    solver: Solver,
    substeps: u32,
    iterations: u32,
    tolerance: f64,
    integrator: Integrator,
}

impl Way {
    /// What a scene gets that names no solver.
    fn default() -> Self {
        let taut::Params { solver, substeps, iterations, tolerance, integrator, .. } = taut::Params::fabric();
        Way { name: "default", solver, substeps, iterations, tolerance, integrator }
    }

    /// What competes.
    fn all() -> [Self; 5] {
        let implicit = Integrator::ImplicitEuler;
        [
            Way::default(),
            Way { name: "default, 4 substeps", substeps: 4, ..Way::default() },
            Way::newton(),
            Way {
                name: "conjugate-residuals",
                solver: Solver::ConjugateResiduals,
                substeps: 4,
                iterations: 100,
                tolerance: 1e-4,
                integrator: implicit,
            },
            Way {
                name: "pbd, 20 substeps",
                solver: Solver::GaussSeidel { relaxation: 1.0, block: false },
                substeps: 20,
                iterations: 1,
                tolerance: 0.0,
                integrator: implicit,
            },
        ]
    }

    fn newton() -> Self {
        let integrator = Way::default().integrator;
        Way { name: "newton", solver: Solver::Newton, substeps: 1, iterations: 60, tolerance: 1e-4, integrator }
    }

    /// What the others are compared with.
    fn reference() -> Self {
        Way { name: REFERENCE, substeps: 8, ..Way::newton() }
    }
}

const DT: f64 = 1.0 / 60.0;
/// What is held at a corner, m.
const PATCH: f64 = 0.0501;
/// How fast the lower end of what hangs goes at first, m/s.
const SWAY: f64 = 1.0;

/// What is seen of a frame: kinetic energy (J), the lowest point (m), the mean |strain| along weft and warp.
type Seen = [f64; 4];

/// A run, frame by frame.
struct Course {
    seen: Vec<Seen>,
    milliseconds: Vec<f64>,
    iterations: u64,
}

/// A course beside the reference's.
struct Error {
    /// Root mean square of the difference over the largest, 1.
    kinetic: f64,
    /// Root mean square of the difference, m.
    lowest: f64,
    /// Relative difference of the mean over the second half of the frames, 1.
    strain: [f64; 2],
}

/// Measures and prints.
pub fn run(args: &Args) -> Result<(), Failure> {
    for name in &args.fabrics {
        let fabric = Fabric::named(name).ok_or_else(|| {
            Failure::BadInput(format!("{name:?} is no fabric of the library; `taut fabrics` lists them"))
        })?;
        for motion in [Motion::Hang, Motion::Swing].into_iter().filter(|m| args.scene.is_none_or(|s| s == *m)) {
            for &size in &args.sizes {
                case(args, fabric, motion, size)?;
            }
        }
    }
    Ok(())
}

fn case(args: &Args, fabric: &Fabric, motion: Motion, size: u32) -> Result<(), Failure> {
    let scene = World::new(args, fabric, motion, size)?;
    let reference = (!args.times).then(|| scene.go(&Way::reference(), args.frames));
    let words = format!("{}, {}, {size} vertices a side", fabric.name, ["hang", "swing"][motion as usize]);
    if !args.json {
        println!("{words}, {} frames", args.frames);
        println!("  {:22} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8}", "", "ms", "its", "KE %", "low mm", "weft %", "warp %");
    }
    let ways = Way::all().into_iter().filter(|w| !args.times || w.name.starts_with("default"));
    for (name, course) in ways.map(|w| (w.name, scene.go(&w, args.frames))).collect::<Vec<_>>() {
        print(args.json, &words, (name, &course), reference.as_ref());
    }
    if let Some(reference) = &reference {
        print(args.json, &words, (REFERENCE, reference), Some(reference));
    }
    Ok(())
}

fn print(as_json: bool, case: &str, (name, course): (&str, &Course), reference: Option<&Course>) {
    let time = median(course.milliseconds.clone());
    let iterations = course.iterations as f64 / course.seen.len() as f64;
    let error = reference.map(|r| course.error(r));
    if as_json {
        let error = error.map(
            |e| json!({ "kinetic_rms": e.kinetic, "lowest_rms": e.lowest, "weft": e.strain[0], "warp": e.strain[1] }),
        );
        println!("{}", json!({ "case": case, "solver": name, "ms": time, "iterations": iterations, "error": error }));
        return;
    }
    print!("  {name:22} {time:8.2} {iterations:9.1}");
    if let Some(e) = error {
        let [weft, warp] = e.strain.map(|s| 100.0 * s);
        print!(" {:8.2} {:8.2} {weft:+8.1} {warp:+8.1}", 100.0 * e.kinetic, 1e3 * e.lowest);
    }
    println!();
}

/// A sheet to be let go.
struct World {
    single: Model<f32>,
    double: Model<f64>,
    mesh: TriMesh,
    pins: Vec<u32>,
    velocities: Vec<[f64; 3]>,
}

impl World {
    fn new(args: &Args, fabric: &Fabric, motion: Motion, size: u32) -> Result<Self, Failure> {
        let tessellation = if args.irregular { Tessellation::Irregular { seed: 1 } } else { Tessellation::Alternating };
        let plane = if motion == Motion::Hang { Plane::Xy } else { Plane::Xz };
        let of =
            SheetParams { width: 1.0, height: 1.0, nx: size, ny: size, plane, tessellation, ..SheetParams::default() };
        let mesh = sheet(&of).map_err(|e| Failure::Failed(e.to_string()))?;
        let held = |p: &[f64; 3]| match motion {
            // Patches of a fixed size: what hangs by points is stretched the more, the finer the mesh.
            Motion::Hang => 0.5 - p[1] < PATCH && 0.5 - p[0].abs() < PATCH,
            Motion::Swing => p[0] + 0.5 < 1e-6,
        };
        let pins = (0..).zip(&mesh.positions).filter(|(_, p)| held(p)).map(|(v, _)| v).collect();
        let sway = |p: &[f64; 3]| if motion == Motion::Hang { [0.0, 0.0, SWAY * (0.5 - p[1])] } else { [0.0; 3] };
        let velocities = mesh.positions.iter().map(sway).collect();
        let model = |e: taut::BuildError| Failure::Failed(e.to_string());
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &mesh, &Cloth::from(fabric)).map_err(model)?;
        let mut double = ModelBuilder::new();
        double.add_cloth("sheet", &mesh, &Cloth::from(fabric)).map_err(model)?;
        Ok(World {
            single: builder.build().map_err(model)?,
            double: double.build().map_err(model)?,
            mesh,
            pins,
            velocities,
        })
    }

    /// The reference in double precision, all else as it would be run.
    fn go(&self, way: &Way, frames: u32) -> Course {
        match way.name == REFERENCE {
            true => self.course(&self.double, way, frames),
            false => self.course(&self.single, way, frames),
        }
    }

    fn course<T: Precision>(&self, model: &Model<T>, way: &Way, frames: u32) -> Course {
        let Way { solver, substeps, iterations, tolerance, integrator, .. } = *way;
        let params = Params { solver, substeps, iterations, tolerance, integrator, ..Params::default() };
        let (mut state, mut scratch) = (State::new(model), Scratch::new(1));
        state.set_velocities(model, &self.velocities);
        state.set_pins(model, &self.pins);
        let mut course = Course { seen: Vec::new(), milliseconds: Vec::new(), iterations: 0 };
        for _ in 0..frames {
            let start = clock();
            let report = step(model, &mut state, &mut scratch, &params, DT);
            course.milliseconds.push(1e3 * (clock() - start));
            course.iterations += report.iterations;
            course.seen.push(self.seen(model, &state));
        }
        course
    }

    fn seen<T: Precision>(&self, model: &Model<T>, state: &State<T>) -> Seen {
        let x = state.positions(model);
        let lowest = x.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let strains = strains(model, state).triangles;
        let mean = |k: usize| strains.iter().map(|s| s[k].abs()).sum::<f64>() / self.mesh.triangles.len() as f64;
        [totals(model, state, [0.0; 3]).kinetic, lowest, mean(0), mean(1)]
    }
}

impl Course {
    fn error(&self, of: &Course) -> Error {
        let pairs = || self.seen.iter().zip(&of.seen);
        let rms = |k: usize| (pairs().map(|(a, b)| (a[k] - b[k]).powi(2)).sum::<f64>() / self.seen.len() as f64).sqrt();
        let largest = of.seen.iter().map(|s| s[0]).fold(0.0, f64::max);
        let later = |course: &Course, k: usize| course.seen[course.seen.len() / 2..].iter().map(|s| s[k]).sum::<f64>();
        Error {
            kinetic: rms(0) / largest.max(f64::MIN_POSITIVE),
            lowest: rms(1),
            strain: [2, 3].map(|k| later(self, k) / later(of, k).max(f64::MIN_POSITIVE) - 1.0),
        }
    }
}
