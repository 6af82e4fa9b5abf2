//! `taut bench kernels`: the time of one projection of one element.
//!
//! Each case is a model of one kind of element, stepped with many iterations; only the solve stage is timed. All
//! cases are measured in turn, round after round, so that a machine that slows down slows them all, and the ratios
//! hold. The best round counts for a figure in nanoseconds: noise only ever adds.

use super::{clock, median};
use crate::fail::Failure;
use serde_json::json;
use taut::Width;
use taut::mesh::TriMesh;
use taut::{Cloth, ClothStiffness, Model, ModelBuilder, Params, Scratch, Solid, Stage, State, step};
use taut_scene::generate::{BeamParams, SheetParams, Tessellation, beam, sheet};

/// Flags.
#[derive(clap::Args)]
pub struct Args {
    /// One JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Rounds; more are steadier.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
}

/// Elements of one kind, and the ways to run them.
struct Case {
    kind: &'static str,
    elements: usize,
    model: Model<f32>,
    ways: Vec<Way>,
}

struct Way {
    name: &'static str,
    state: State<f32>,
    scratch: Scratch<f32>,
    nanoseconds: Vec<f64>,
}

const ROWS: [&str; 4] = ["edge", "triangle", "tetrahedron", "hinge"];
const SIZES: [usize; 4] = [3_528, 20_000, 200_000, 1_000_000];

/// Measures and prints.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut cases = Vec::new();
    for size in SIZES {
        for kind in ROWS {
            cases.push(case(kind, size)?);
        }
    }
    for _ in 0..args.rounds.max(1) {
        for case in &mut cases {
            round(case);
        }
    }
    if args.json {
        println!("{}", json!({ "kernels": cases.iter().map(report).collect::<Vec<_>>() }));
    } else {
        print_table(&cases);
    }
    Ok(())
}

fn case(kind: &'static str, size: usize) -> Result<Case, Failure> {
    let none = ClothStiffness { weft: 0.0, warp: 0.0, shear: 0.0, area: 0.0, bend: 0.0, edge: 0.0 };
    let strain = ClothStiffness { weft: 1.0, warp: 1.0, shear: 1.0, ..none };
    let mut builder = ModelBuilder::new();
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
    let elements = match kind {
        "tetrahedron" => {
            // Cells of six tetrahedra.
            let n = ((size as f64 / 6.0).cbrt()).round() as u32;
            let size = [f64::from(n) * 0.1; 3];
            let mesh = beam(&BeamParams { size, cells: [n; 3], ..BeamParams::default() }).map_err(|e| failed(&e))?;
            builder.add_solid(kind, &mesh, &Solid::default()).map_err(|e| failed(&e))?;
            mesh.tets.len()
        }
        _ => {
            let (stiffness, per_vertex) = match kind {
                "edge" => (ClothStiffness { edge: 1.0, ..none }, 3.0),
                "hinge" => (ClothStiffness { bend: 0.1, ..none }, 3.0),
                _ => (strain, 2.0),
            };
            let mesh = square((size as f64 / per_vertex).sqrt().round() as u32 + 1)?;
            builder.add_cloth(kind, &mesh, &Cloth { stiffness, ..Cloth::default() }).map_err(|e| failed(&e))?;
            mesh.triangles.len()
        }
    };
    let model = builder.build::<f32>().map_err(|e| failed(&e))?;
    let elements = match kind {
        "edge" => model.elements().edges.count,
        "hinge" => model.elements().hinges.count,
        _ => elements,
    };
    let ways = [("scalar", 1, Width::W1), ("lanes", 1, Width::W16), ("two", 2, Width::W16)];
    let ways = ways.map(|(name, threads, width)| Way {
        name,
        state: disturbed(&model),
        scratch: Scratch::new(threads).with_width(width).with_clock(clock),
        nanoseconds: Vec::new(),
    });
    Ok(Case { kind, elements, model, ways: ways.into() })
}

fn square(n: u32) -> Result<TriMesh, Failure> {
    let params = SheetParams { nx: n, ny: n, tessellation: Tessellation::Alternating, ..SheetParams::default() };
    sheet(&params).map_err(|e| Failure::Failed(e.to_string()))
}

/// A few percent of strain everywhere, so that every row has something to do.
fn disturbed(model: &Model<f32>) -> State<f32> {
    let mut state = State::new(model);
    for v in 0..model.vertices() as u32 {
        let [x, y, z] = state.position(model, v);
        let wave = |a: f64| 1.02 * a + 0.002 * (13.0 * a).sin();
        state.set_position(model, v, [wave(x), wave(y) + 0.01 * (5.0 * x + 3.0 * z).sin(), wave(z)]);
    }
    state
}

/// One round: every way in turn, for long enough to be timed.
fn round(case: &mut Case) {
    let iterations = (2_000_000 / case.elements).clamp(2, 400) as u32;
    let params = Params { gravity: [0.0; 3], substeps: 1, iterations, ..Params::default() };
    for way in &mut case.ways {
        let report = step(&case.model, &mut way.state, &mut way.scratch, &params, 1e-3);
        let seconds = report.seconds[Stage::Solve as usize];
        way.nanoseconds.push(seconds * 1e9 / f64::from(iterations) / case.elements as f64);
    }
}

impl Case {
    fn best(&self, way: usize) -> f64 {
        self.ways[way].nanoseconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// How many times faster way `b` is than way `a`: the median over rounds of their ratio within a round.
    fn ratio(&self, a: usize, b: usize) -> f64 {
        let pairs = self.ways[a].nanoseconds.iter().zip(&self.ways[b].nanoseconds);
        median(pairs.map(|(a, b)| a / b).collect())
    }
}

fn report(case: &Case) -> serde_json::Value {
    let mut out = json!({
        "kind": case.kind,
        "elements": case.elements,
        "lanes_over_scalar": case.ratio(0, 1),
        "two_threads_over_one": case.ratio(1, 2),
    });
    for (i, way) in case.ways.iter().enumerate() {
        out[format!("{}_ns", way.name)] = json!(case.best(i));
    }
    out
}

fn print_table(cases: &[Case]) {
    println!("ns per element and iteration, f32; ratios are medians of ratios within a round");
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8}",
        "kind", "elements", "scalar", "lanes", "2 threads", "lanes", "threads"
    );
    for case in cases {
        println!(
            "{:<12} {:>9} {:>9.2} {:>9.2} {:>10.2} {:>7.1}× {:>7.2}×",
            case.kind,
            case.elements,
            case.best(0),
            case.best(1),
            case.best(2),
            case.ratio(0, 1),
            case.ratio(1, 2),
        );
    }
}
