//! `taut bench stretch`: what it costs to keep cloth from stretching.
//!
//! A sheet (or a flag, or a skirt) of edges without bending runs for two seconds, once for each way to hold it. All ways compute
//! frame 1 in turn, then frame 2, and so on, so that a machine that slows down slows them all; the whole is repeated, and of
//! each frame the best time counts, for noise only ever adds. Stretch is that of every edge at the end of every frame.

use super::{clock, median};
use crate::fail::Failure;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use taut::mesh::TriMesh;
use taut::{Air, Cloth, ClothStiffness, Hold, Model, ModelBuilder, Params, Scratch, State, StepReport, step};
use taut_render::chart::Chart;
use taut_scene::generate::{SheetParams, SkirtParams, Tessellation, sheet, skirt};
use taut_scene::write::atomic::write_atomic;

/// Flags.
#[derive(clap::Args)]
pub struct Args {
    /// Vertices a side; repeatable.
    #[arg(long = "size", value_name = "N", default_values_t = [43, 101], value_parser = clap::value_parser!(u32).range(5..=2001))]
    sizes: Vec<u32>,
    /// What to run; repeatable.
    #[arg(long = "scene", value_enum, default_values_t = [What::Hang])]
    scenes: Vec<What>,
    /// Which meshes; repeatable.
    #[arg(long = "mesh", value_enum, default_values_t = [Mesh::Regular, Mesh::Irregular])]
    meshes: Vec<Mesh>,
    /// Which ways; repeatable. All but the reference without.
    #[arg(long = "way", value_enum)]
    ways: Vec<Way>,
    /// Frames of 1/60 s.
    #[arg(long, default_value_t = 120)]
    frames: usize,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Rounds; more are steadier.
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// Substeps of the ways with levels, tethers or a limit.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    substeps: u32,
    /// The largest stretch to keep to.
    #[arg(long, default_value_t = 0.01)]
    max_stretch: f64,
    /// Folder for stretch.svg: quality against cost of the last case.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// A square metre, released flat, held at two corners.
    Hang,
    /// Held along one side, in the wind.
    Flag,
    /// Held at the waist.
    Skirt,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mesh {
    /// Squares cut in two, in alternating directions.
    Regular,
    /// Scattered vertices, Delaunay.
    Irregular,
}

/// A way to hold cloth.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Way {
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
    /// The same in 160 substeps: how it should move.
    Reference,
}

impl Way {
    const USUAL: [Way; 6] = [Way::Plain, Way::Substeps80, Way::Tethers, Way::Levels, Way::Both, Way::All];

    fn name(self) -> &'static str {
        match self {
            Way::Plain => "20 substeps",
            Way::Substeps80 => "80 substeps",
            Way::Tethers => "tethers",
            Way::Levels => "levels",
            Way::Both => "levels, tethers",
            Way::All => "levels, tethers, limit",
            Way::Reference => "the same, 160 substeps",
        }
    }

    fn params(self, scene: What, args: &Args) -> Params {
        let all = Hold::within(args.max_stretch);
        let (substeps, hold) = match self {
            Way::Plain => (20, Hold::NONE),
            Way::Substeps80 => (80, Hold::NONE),
            Way::Tethers => (args.substeps, Hold { levels: 0, max_stretch: 0.0, ..all }),
            Way::Levels => (args.substeps, Hold { tethers: false, max_stretch: 0.0, ..all }),
            Way::Both => (args.substeps, Hold { max_stretch: 0.0, ..all }),
            Way::All => (args.substeps, all),
            Way::Reference => (160, all),
        };
        let wind = if scene == What::Flag { [6.0, 0.0, 1.0] } else { [0.0; 3] };
        let density = if scene == What::Flag { 1.2 } else { 0.0 };
        Params { substeps, hold, air: Air { wind, density, ..Air::default() }, ..Params::default() }
    }
}

/// Cloth, and what is held of it.
struct Case {
    scene: What,
    mesh: Mesh,
    size: u32,
    model: Model<f32>,
    pins: Vec<u32>,
    triangles: usize,
    /// Ends, and length at rest.
    edges: Vec<([usize; 2], f64)>,
}

/// One way's run through a case.
struct Run {
    way: Way,
    params: Params,
    state: State<f32>,
    scratch: Scratch<f32>,
    /// By frame, the best of all rounds.
    milliseconds: Vec<f64>,
    /// Largest and mean stretch by frame.
    stretch: Vec<[f64; 2]>,
    /// Kinetic and potential energy by frame, J, from that at the start.
    energy: Vec<f64>,
    /// The largest part of the kinetic energy that is in differences between neighbours.
    jitter: f64,
    report: StepReport,
    unmet: u64,
}

/// Measures and prints.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut results = Vec::new();
    let mut chart = None;
    for &scene in &args.scenes {
        for &mesh in &args.meshes {
            for &size in args.sizes.iter().filter(|_| scene != What::Skirt || mesh == Mesh::Regular) {
                let case = Case::new(scene, mesh, size)?;
                let runs = measure(&case, args);
                if !args.json {
                    print_table(&case, &runs, args.frames);
                }
                chart = Some(chart_of(&case, &runs));
                results.push(report(&case, &runs));
            }
        }
    }
    if args.json {
        println!("{}", json!({ "stretch": results, "frames": args.frames, "threads": args.threads }));
    }
    if let (Some(dir), Some(chart)) = (&args.out, chart) {
        std::fs::create_dir_all(dir).map_err(Failure::io("create", dir))?;
        write_atomic(Path::new(dir), "stretch.svg", chart.svg().as_bytes())?;
    }
    Ok(())
}

impl Case {
    fn new(scene: What, kind: Mesh, size: u32) -> Result<Self, Failure> {
        let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
        let tessellation = match kind {
            Mesh::Regular => Tessellation::Alternating,
            Mesh::Irregular => Tessellation::Irregular { seed: 1 },
        };
        let mesh = match scene {
            What::Skirt => skirt(&SkirtParams { around: size, along: size / 3, ..SkirtParams::default() }),
            _ => sheet(&SheetParams { nx: size, ny: size, tessellation, ..SheetParams::default() }),
        };
        let mesh = mesh.map_err(|e| failed(&e))?;
        let groups: &[&str] = match scene {
            What::Hang => &["top_left", "top_right"],
            What::Flag => &["left"],
            What::Skirt => &["waist"],
        };
        let mut pins: Vec<u32> = groups.iter().flat_map(|g| mesh.group(g).unwrap_or_default()).copied().collect();
        pins.sort_unstable();
        let stiffness = ClothStiffness { weft: 0.0, warp: 0.0, shear: 0.0, area: 0.0, bend: 0.0, edge: 1.0 };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("cloth", &mesh, &Cloth { stiffness, ..Cloth::default() }).map_err(|e| failed(&e))?;
        let model = builder.build().map_err(|e| failed(&e))?;
        Ok(Case { scene, mesh: kind, size, model, pins, triangles: mesh.triangles.len(), edges: edges(&mesh) })
    }

    fn name(&self) -> String {
        let scene = ["hang", "flag", "skirt"][self.scene as usize];
        let mesh = ["regular", "irregular"][self.mesh as usize];
        format!("{scene}, {mesh}, {} vertices a side, {} triangles", self.size, self.triangles)
    }
}

fn edges(mesh: &TriMesh) -> Vec<([usize; 2], f64)> {
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut ends: Vec<[usize; 2]> = sides.map(|[a, b]| [a.min(b) as usize, a.max(b) as usize]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter().map(|e| (e, distance(&mesh.positions, e))).collect()
}

fn distance(at: &[[f64; 3]], [a, b]: [usize; 2]) -> f64 {
    (0..3).map(|k| (at[a][k] - at[b][k]).powi(2)).sum::<f64>().sqrt()
}

fn measure(case: &Case, args: &Args) -> Vec<Run> {
    let ways = if args.ways.is_empty() { Way::USUAL.to_vec() } else { args.ways.clone() };
    let mut runs: Vec<Run> = ways.into_iter().map(|way| Run::new(case, way, args)).collect();
    for round in 0..args.rounds.max(1) {
        for run in &mut runs {
            run.start(case);
        }
        for frame in 0..args.frames {
            for run in &mut runs {
                run.frame(case, frame, round == 0);
            }
        }
    }
    runs
}

impl Run {
    fn new(case: &Case, way: Way, args: &Args) -> Self {
        Run {
            way,
            params: way.params(case.scene, args),
            state: State::new(&case.model),
            scratch: Scratch::new(args.threads),
            milliseconds: vec![f64::INFINITY; args.frames],
            stretch: Vec::new(),
            energy: Vec::new(),
            jitter: 0.0,
            report: StepReport::default(),
            unmet: 0,
        }
    }

    fn start(&mut self, case: &Case) {
        self.state = State::new(&case.model);
        for &pin in &case.pins {
            self.state.pin(&case.model, pin);
        }
        // What is built when a step first needs it is no frame's doing.
        let mut copy = self.state.clone();
        step(&case.model, &mut copy, &mut self.scratch, &Params { substeps: 1, ..self.params.clone() }, 1e-6);
    }

    fn frame(&mut self, case: &Case, frame: usize, first: bool) {
        let start = clock();
        let report = step(&case.model, &mut self.state, &mut self.scratch, &self.params, 1.0 / 60.0);
        let took = (clock() - start) * 1e3;
        self.milliseconds[frame] = self.milliseconds[frame].min(took);
        if !first {
            return;
        }
        let (x, v) = (self.state.positions(&case.model), self.state.velocities(&case.model));
        let (mut most, mut sum) = (0.0f64, 0.0);
        for &(ends, rest) in &case.edges {
            let stretch = distance(&x, ends) / rest - 1.0;
            most = most.max(stretch);
            sum += stretch.abs();
        }
        self.stretch.push([most, sum / case.edges.len() as f64]);
        let totals = taut::measure::totals(&case.model, &self.state, self.params.gravity);
        self.energy.push(totals.kinetic + totals.potential);
        self.jitter = self.jitter.max(jitter(case, &v, totals.kinetic));
        self.unmet += report.hold.unmet;
        self.report = report;
    }

    fn peak(&self) -> f64 {
        self.stretch.iter().map(|s| s[0]).fold(0.0, f64::max)
    }

    fn mean(&self) -> f64 {
        self.stretch.iter().map(|s| s[1]).sum::<f64>() / self.stretch.len().max(1) as f64
    }

    fn mean_ms(&self) -> f64 {
        self.milliseconds.iter().sum::<f64>() / self.milliseconds.len().max(1) as f64
    }

    fn max_ms(&self) -> f64 {
        self.milliseconds.iter().copied().fold(0.0, f64::max)
    }

    /// How many times as long as `other` a frame takes: the median over frames.
    fn ratio(&self, other: &Run) -> f64 {
        median(self.milliseconds.iter().zip(&other.milliseconds).map(|(a, b)| a / b).collect())
    }
}

/// ½ Σ m |v − mean of the neighbours' v|² over the kinetic energy.
fn jitter(case: &Case, v: &[[f64; 3]], kinetic: f64) -> f64 {
    let mut around = vec![[0.0; 4]; v.len()];
    for &([a, b], _) in &case.edges {
        for (to, from) in [(a, b), (b, a)] {
            (0..3).for_each(|k| around[to][k] += v[from][k]);
            around[to][3] += 1.0;
        }
    }
    let part = |i: usize| {
        let off = (0..3).map(|k| (v[i][k] - around[i][k] / f64::max(around[i][3], 1.0)).powi(2)).sum::<f64>();
        0.5 * case.model.masses()[i] * off
    };
    let rough: f64 = (0..v.len()).filter(|i| !case.pins.contains(&(*i as u32))).map(part).sum();
    rough / kinetic.max(1e-9)
}

fn report(case: &Case, runs: &[Run]) -> Value {
    let of = |run: &Run| {
        json!({
            "way": run.way.name(),
            "ms_median": median(run.milliseconds.clone()),
            "ms_mean": run.mean_ms(),
            "ms_max": run.max_ms(),
            "over_first": run.ratio(&runs[0]),
            "peak_stretch": run.peak(),
            "mean_stretch": run.mean(),
            "energy": run.energy,
            "jitter": run.jitter,
            "unmet": run.unmet,
            "levels": run.report.hold.levels,
            "nodes": run.report.hold.nodes,
            "tethers": run.report.hold.tethers,
            "bytes_per_triangle": run.report.hold.bytes as f64 / case.triangles as f64,
        })
    };
    json!({ "case": case.name(), "triangles": case.triangles, "ways": runs.iter().map(of).collect::<Vec<_>>() })
}

fn print_table(case: &Case, runs: &[Run], frames: usize) {
    println!("{}", case.name());
    println!(
        "  {:<24} {:>8} {:>8} {:>8} {:>7}  {:>9} {:>8}  {:>8} {:>8} {:>7} {:>6} {:>6}",
        "", "ms", "mean", "max", "ratio", "peak %", "mean %", "J, 1/2", "J, end", "jitter", "unmet", "B/tri"
    );
    for run in runs {
        let energy = |at: usize| run.energy.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN);
        println!(
            "  {:<24} {:>8.2} {:>8.2} {:>8.2} {:>6.2}×  {:>9.3} {:>8.3}  {:>8.3} {:>8.3} {:>7.3} {:>6} {:>6.0}",
            run.way.name(),
            median(run.milliseconds.clone()),
            run.mean_ms(),
            run.max_ms(),
            run.ratio(&runs[0]),
            100.0 * run.peak(),
            100.0 * run.mean(),
            energy(frames / 2),
            energy(frames),
            run.jitter,
            run.unmet,
            run.report.hold.bytes as f64 / case.triangles as f64,
        );
    }
}

/// Peak stretch against time per frame.
fn chart_of(case: &Case, runs: &[Run]) -> Chart {
    let title = format!("Stretch against cost: {}", case.name());
    let mut chart = Chart::points(&title).x("time per frame", "ms").y("peak stretch", "%").log_x().log_y();
    (chart.width, chart.height) = (760.0, 460.0);
    for run in runs {
        chart = chart.series(run.way.name(), vec![[median(run.milliseconds.clone()), 100.0 * run.peak()]]);
    }
    chart
}
