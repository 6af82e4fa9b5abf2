//! What strain limiters in a step leave and cost, by substeps and sweeps: the table in docs/measured/limiters.md.
//!
//! `cargo run --release -p taut --example limit_in_step`

use std::sync::OnceLock;
use std::time::Instant;
use taut::limit::{LimitSpec, StrainLimits, SweepSettings};
use taut::mesh::TriMesh;
use taut::{
    BuildError, Cloth, ClothElasticity, ElasticDamping, Membrane, ModelBuilder, Orthotropic, Params, Scratch, Stage,
    State, measure, step,
};

fn main() -> Result<(), BuildError> {
    println!("substeps  sweeps at most  sweeps a step  limiting, ms a step  strain");
    for (substeps, sweeps) in [(20, 0), (1, 20), (1, 100), (5, 5), (5, 20), (20, 1), (20, 5), (20, 20)] {
        run(substeps, sweeps)?;
    }
    Ok(())
}

/// A sheet of soft cloth swings by two corners for 4 s.
fn run(substeps: u32, iterations: u32) -> Result<(), BuildError> {
    let membrane = Membrane::Continuum(Orthotropic { weft: 5.0, warp: 5.0, poisson: 0.0, shear: 1.5 });
    let damping = ElasticDamping { stretch: 0.01, shear: 0.01, bend: 0.0 };
    let elasticity = Some(ClothElasticity { membrane, area: 0.0, bend: [1e-6; 2], damping });
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &sheet(21), &Cloth { density: 0.15, elasticity, ..Cloth::default() })?;
    if iterations > 0 {
        let sweeps = SweepSettings { iterations, tolerance: 1e-3, seed: 0 };
        builder.limit(LimitSpec::csl(StrainLimits::new(0.05, 0.05, 0.1)).with_sweeps(sweeps));
    }
    let model = builder.build::<f32>()?;
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, 20);
    let params = Params { substeps, ..Params::default() };
    let mut scratch = Scratch::new(1).with_clock(seconds);
    let (mut sweeps, mut time, mut strain): (u64, f64, f64) = (0, 0.0, 0.0);
    const FRAMES: u32 = 240;
    for frame in 0..FRAMES {
        let report = step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
        sweeps += u64::from(report.limit.iterations);
        time += report.seconds[Stage::Limit as usize];
        if frame >= FRAMES / 2 {
            let threads = measure::strains(&model, &state).triangles;
            strain = threads.iter().fold(strain, |most, t| most.max(t[0]).max(t[1]));
        }
    }
    let (each, ms) = (sweeps as f64 / f64::from(FRAMES), 1e3 * time / f64::from(FRAMES));
    println!("{substeps:8}  {iterations:14}  {each:13.1}  {ms:19.2}  {:5.1} %", 100.0 * strain);
    Ok(())
}

/// A 1 m sheet of n × n vertices, lying, with alternating diagonals.
fn sheet(n: usize) -> TriMesh {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let mut mesh = TriMesh::default();
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        mesh.positions.push([at(i), 0.0, at(j)]);
        mesh.uvs.push([at(i), at(j)]);
        if i + 1 < n && j + 1 < n {
            let a = (j * n + i) as u32;
            let (b, c, d) = (a + 1, a + n as u32, a + n as u32 + 1);
            let even = (i + j) % 2 == 0;
            mesh.triangles.extend(if even { [[a, c, b], [b, c, d]] } else { [[a, d, b], [a, c, d]] });
        }
    }
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
