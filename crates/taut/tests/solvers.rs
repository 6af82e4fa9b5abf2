//! All solvers solve the same equations.

mod common;

use taut::{
    Cloth, ClothElasticity, ElasticDamping, Integrator, Membrane, Model, ModelBuilder, Orthotropic, Params, Scratch,
    Solver, State, step,
};

fn elasticity(membrane: Membrane, gamma: f64) -> ClothElasticity {
    let damping = ElasticDamping { stretch: gamma, shear: gamma, bend: gamma };
    ClothElasticity { membrane, area: 0.0, bend: [2e-4, 1e-4], damping }
}

/// A 1 m sheet of 15 × 15 vertices with stiffnesses of a soft knit, held at two corners.
fn hanging(membrane: Membrane, gamma: f64) -> (Model<f64>, State<f64>) {
    let mut builder = ModelBuilder::new();
    let cloth = Cloth { elasticity: Some(elasticity(membrane, gamma)), ..Cloth::default() };
    builder.add_cloth("sheet", &common::sheet(15), &cloth).unwrap();
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, 14);
    (model, state)
}

fn continuum() -> Membrane {
    Membrane::Continuum(Orthotropic { weft: 200.0, warp: 100.0, poisson: 0.3, shear: 30.0 })
}

fn params(solver: Solver, integrator: Integrator, iterations: u32, tolerance: f64) -> Params {
    Params { substeps: 1, solver, integrator, iterations, tolerance, ..Params::default() }
}

fn furthest(model: &Model<f64>, a: &State<f64>, b: &State<f64>) -> f64 {
    let (a, b) = (a.positions(model), b.positions(model));
    a.iter().zip(&b).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs())).fold(0.0, f64::max)
}

#[test]
fn probe() {
    for gamma in [0.0, 0.01] {
        let (model, mut state) = hanging(continuum(), gamma);
        let mut scratch = Scratch::new(1);
        let h = 1.0 / 60.0;
        // Into the swing, where all rows are at work.
        for _ in 0..20 {
            let r = step(
                &model,
                &mut state,
                &mut scratch,
                &params(Solver::Newton, Integrator::ImplicitEuler, 50, 1e-10),
                h,
            );
            assert!(r.residual < 1e-9, "{r:?}");
        }
        let mut reference = state.clone();
        let r = step(
            &model,
            &mut reference,
            &mut scratch,
            &params(Solver::Newton, Integrator::ImplicitEuler, 50, 1e-11),
            h,
        );
        println!("reference {} {:e}", r.iterations, r.residual);
        for solver in [
            Solver::GaussSeidel { relaxation: 1.0, block: false },
            Solver::GaussSeidel { relaxation: 1.0, block: true },
            Solver::GaussSeidel { relaxation: 1.6, block: false },
        ] {
            for iterations in [10, 100, 1000, 10000] {
                let mut mine = state.clone();
                let start = std::time::Instant::now();
                let r = step(
                    &model,
                    &mut mine,
                    &mut scratch,
                    &params(solver, Integrator::ImplicitEuler, iterations, 1e-10),
                    h,
                );
                let t = start.elapsed().as_secs_f64() * 1e3;
                println!(
                    "γ {gamma} {solver:?} {}: residual {:.1e} off {:.2e} {t:.1} ms",
                    r.iterations,
                    r.residual,
                    furthest(&model, &mine, &reference)
                );
            }
        }
    }
}
