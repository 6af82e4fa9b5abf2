//! Warm starts: safe for fast cloth, and of use to slow cloth.

mod common;

use taut::measure::totals;
use taut::{
    Cloth, ClothElasticity, ElasticDamping, Integrator, Membrane, Model, ModelBuilder, Orthotropic, Params, Scratch,
    Solver, State, step,
};

/// A stiff sheet of 9 × 9 vertices held at two corners, let go flat with a shove of 3 m/s aside.
fn thrown(gamma: f64) -> (Model<f64>, State<f64>) {
    let damping = ElasticDamping { stretch: gamma, shear: gamma, bend: gamma };
    let membrane = Membrane::Continuum(Orthotropic::isotropic(5000.0, 0.3));
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [1e-4, 1e-4], damping };
    let cloth = Cloth { elasticity: Some(elasticity), ..Cloth::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(9), &cloth).unwrap();
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    (0..81).for_each(|v| state.set_velocity(&model, v, [3.0, 0.0, 0.0]));
    state.pin(&model, 0);
    state.pin(&model, 8);
    (model, state)
}

/// The most that motion and height together are ever above what they were at first, J, in 4 s of 60 steps each.
fn gained(gamma: f64, params: &Params) -> f64 {
    let (model, mut state) = thrown(gamma);
    let energy = |state: &State<f64>| {
        let t = totals(&model, state, params.gravity);
        t.kinetic + t.potential
    };
    let first = energy(&state);
    let mut scratch = Scratch::new(1);
    let mut most = f64::MIN;
    for _ in 0..240 {
        let report = step(&model, &mut state, &mut scratch, params, 1.0 / 60.0);
        assert_eq!(report.contained, 0, "{params:?}");
        most = most.max(energy(&state) - first);
    }
    most
}

/// Cloth that begins unstretched has no energy to give but its motion and height: solvers may leave it as soft as they
/// like, never feed it. With all multipliers taken over, this grew without bound. Rounding is 1e-13 J.
#[test]
fn fast_cloth_gains_nothing_from_a_warm_start() {
    for solver in common::solvers() {
        for iterations in [1, 5] {
            for gamma in [0.0, 0.02] {
                let params = Params { substeps: 1, iterations, solver, warm_start: true, ..Params::default() };
                let gained = gained(gamma, &params);
                assert!(gained < 1e-9, "{solver:?}, {iterations} iterations, γ {gamma}: {gained} J");
            }
        }
    }
}

/// Integrators that damp less may gain something in one step of one iteration, with or without a warm start: with it no
/// more, but for 1 % of the 0.9 J of the shove.
#[test]
fn fast_cloth_gains_no_more_under_other_integrators() {
    let weighted = |w| Integrator::AlphaBeta { alpha: w, beta: w };
    let newmark = Integrator::Newmark { beta: 0.25, gamma: 0.5 };
    for integrator in [weighted(0.8), weighted(0.6), Integrator::Bdf2, newmark] {
        for iterations in [1, 5] {
            let with = |warm_start| Params { substeps: 1, iterations, integrator, warm_start, ..Params::default() };
            let (cold, warm) = (gained(0.02, &with(false)), gained(0.02, &with(true)));
            assert!(warm < cold.max(0.0) + 0.01, "{integrator:?}, {iterations} iterations: {cold} and {warm} J");
        }
    }
}

/// How far a stiff hanging chain of ten comes down in 10 s, m. At rest it would be 0.027 m longer than unloaded.
fn sag(warm_start: bool) -> f64 {
    let mut builder = ModelBuilder::new();
    let at: Vec<_> = (0..=10).map(|i| [0.0, -0.5 * f64::from(i), 0.0]).collect();
    builder.add_vertices(&at).unwrap();
    (0..=10).for_each(|i| builder.add_mass(i, 0.05).unwrap());
    let pairs: Vec<_> = (0..10).map(|i| [i, i + 1]).collect();
    builder.add_springs(&pairs, 1000.0, 0.05).unwrap();
    let model = builder.build::<f64>().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    let solver = Solver::GaussSeidel { relaxation: 1.0, block: false };
    let params = Params { substeps: 1, iterations: 5, solver, warm_start, ..Params::default() };
    let mut scratch = Scratch::new(1);
    for _ in 0..600 {
        step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
    }
    -5.0 - state.position(&model, 10)[1]
}

/// Few iterations leave a stiff chain too long; a warm start leaves it shorter, and not too short. Modes of which
/// nearly all is left unsolved have 1/(1 − ρη) times the stiffness: with γ = 3 h, lead = h and half of that lateness
/// used, ρη = 2/3: three times.
#[test]
fn a_warm_start_makes_few_iterations_stiffer() {
    let right = 0.05 * 9.81 / 1000.0 * 55.0;
    let (cold, warm) = (sag(false), sag(true));
    assert!(right < warm && warm - right < 0.5 * (cold - right), "{cold} {warm}, {right} would be right");
}
