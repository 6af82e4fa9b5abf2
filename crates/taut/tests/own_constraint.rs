//! Constraints of the user's own against the same made of built-in elements, and what is said about bad ones.

mod common;

use common::solvers;
use taut::measure::{elastic_energy, state_hash};
use taut::{
    BuildError, Constraint, ConstraintRow, Integrator, Model, ModelBuilder, Params, RowSide, RowStrength, Scratch,
    Solver, State, gradient_error, step,
};

const DT: f64 = 1.0 / 60.0;

/// Springs: |x1 − x0|/L − 1.
#[derive(Clone, Debug)]
struct Springs(Vec<f64>);

impl Constraint for Springs {
    fn name(&self) -> &str {
        "springs"
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        for (i, &row) in rows.iter().enumerate() {
            let (a, b, rest) = (x[2 * i], x[2 * i + 1], self.0[row as usize]);
            let d: [f64; 3] = core::array::from_fn(|k| b[k] - a[k]);
            let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
            values[i] = length / rest - 1.0;
            gradients[2 * i + 1] = d.map(|c| c / (length * rest));
            gradients[2 * i] = d.map(|c| -c / (length * rest));
        }
    }
}

const STIFFNESS: f64 = 200.0;
const LINK: f64 = 0.1;

/// A chain that hangs from its first vertex, of built-in springs or of the user's own.
fn chain(links: u32, own: bool, damping: f64, side: RowSide) -> Model<f64> {
    let mut builder = ModelBuilder::new();
    let at = |i: u32| [LINK * f64::from(i), 0.01 * f64::from(i % 2), 0.0];
    builder.add_vertices(&(0..=links).map(at).collect::<Vec<_>>()).unwrap();
    (0..=links).for_each(|v| builder.add_mass(v, 0.02).unwrap());
    let pairs: Vec<[u32; 2]> = (0..links).map(|i| [i, i + 1]).collect();
    let length = |&[a, b]: &[u32; 2]| {
        let (a, b) = (at(a), at(b));
        (0..3).map(|k| (b[k] - a[k]) * (b[k] - a[k])).sum::<f64>().sqrt()
    };
    if own {
        let lengths: Vec<f64> = pairs.iter().map(length).collect();
        let row = |(pair, l): (&[u32; 2], &f64)| ConstraintRow {
            vertices: pair.to_vec(),
            strength: RowStrength::Compliance { compliance: 1.0 / (STIFFNESS * l * l), damping },
            side,
        };
        let rows: Vec<_> = pairs.iter().zip(&lengths).map(row).collect();
        builder.add_constraint(Springs(lengths), &rows).unwrap();
    } else {
        builder.add_springs(&pairs, STIFFNESS, damping).unwrap();
    }
    builder.build().unwrap()
}

fn run(model: &Model<f64>, params: &Params, threads: usize, frames: u32) -> State<f64> {
    let mut state = State::new(model);
    state.pin(model, 0);
    let mut scratch = Scratch::new(threads).eager();
    for _ in 0..frames {
        let report = step(model, &mut state, &mut scratch, params, DT);
        assert_eq!((report.problem, report.contained), (None, 0));
    }
    state
}

fn apart(model: &Model<f64>, other: &Model<f64>, params: &Params, frames: u32) -> f64 {
    let (a, b) = (run(model, params, 1, frames).positions(model), run(other, params, 1, frames).positions(other));
    a.iter().zip(&b).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs())).fold(0.0, f64::max)
}

#[test]
fn one_spring_moves_as_the_built_in_one_to_the_last_digits() {
    for damping in [0.0, 0.01] {
        let (own, known) = (chain(1, true, damping, RowSide::Zero), chain(1, false, damping, RowSide::Zero));
        let schemes = [
            Integrator::ImplicitEuler,
            Integrator::AlphaBeta { alpha: 0.5, beta: 0.5 },
            Integrator::Bdf2,
            Integrator::Newmark { beta: 0.25, gamma: 0.5 },
            Integrator::AlphaBeta { alpha: 0.0, beta: 1.0 },
        ];
        for integrator in schemes {
            for warm_start in [false, true] {
                let params = Params { integrator, warm_start, substeps: 8, iterations: 2, ..Params::default() };
                let apart = apart(&own, &known, &params, 30);
                assert!(apart < 1e-11, "{integrator:?}, warm {warm_start}, damping {damping}: {apart:e} m");
            }
        }
    }
}

#[test]
fn a_chain_moves_as_the_built_in_one_with_every_solver() {
    for damping in [0.0, 0.002] {
        let (own, known) = (chain(6, true, damping, RowSide::Zero), chain(6, false, damping, RowSide::Zero));
        for solver in solvers() {
            let params = Params { solver, substeps: 4, iterations: 2000, tolerance: 1e-12, ..Params::default() };
            let apart = apart(&own, &known, &params, 10);
            assert!(apart < 1e-7, "{solver:?}, damping {damping}: {apart:e} m");
        }
    }
    let (own, known) = (chain(3, true, 0.0, RowSide::Zero), chain(3, false, 0.0, RowSide::Zero));
    let params = Params::default();
    let energy = |model: &Model<f64>| elastic_energy(model, &run(model, &params, 1, 20));
    assert!((energy(&own) / energy(&known) - 1.0).abs() < 0.2, "{} and {} J", energy(&own), energy(&known));
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let model = chain(40, true, 0.001, RowSide::Zero);
    for solver in [Solver::default(), Solver::ConjugateResiduals] {
        let params = Params { solver, iterations: 5, ..Params::default() };
        let hash = |threads| state_hash(&model, &run(&model, &params, threads, 5));
        assert_eq!(hash(1), hash(3), "{solver:?}");
    }
}

#[test]
fn a_rope_pulls_and_does_not_push() {
    let model = chain(1, true, 0.0, RowSide::AtMost);
    for solver in solvers() {
        let params = Params { solver, gravity: [0.0; 3], iterations: 200, ..Params::default() };
        let length = |velocity: f64, frames: u32| {
            let mut state = State::new(&model);
            state.pin(&model, 0);
            state.set_velocity(&model, 1, [velocity, 0.0, 0.0]);
            let mut scratch = Scratch::new(1);
            (0..frames).for_each(|_| _ = step(&model, &mut state, &mut scratch, &params, DT));
            state.position(&model, 1)[0]
        };
        // Towards its end freely: 0.5 m/s for a tenth of a second. Outwards no further than ½ m v² stretches it.
        assert!((length(-0.5, 6) - 0.05).abs() < 1e-6, "{solver:?}: {}", length(-0.5, 6));
        assert!(length(0.5, 2) < LINK + 0.5 * (0.02 / STIFFNESS).sqrt() + 1e-3, "{solver:?}: {}", length(0.5, 2));
    }
}

#[test]
fn stiff_rows_are_projected_and_checkpoints_keep_multipliers() {
    let mut builder = ModelBuilder::new();
    builder.add_vertices(&[[0.0; 3], [LINK, 0.0, 0.0]]).unwrap();
    (0..2).for_each(|v| builder.add_mass(v, 0.1).unwrap());
    let strength = RowStrength::Stiffness(1.0);
    let row = ConstraintRow { vertices: vec![0, 1], strength, side: RowSide::Zero };
    builder.add_constraint(Springs(vec![LINK]), &[row]).unwrap();
    let model = builder.build::<f64>().unwrap();
    let end = run(&model, &Params::default(), 1, 60).position(&model, 1);
    let length = end.iter().map(|c| c * c).sum::<f64>().sqrt();
    assert!((length / LINK - 1.0).abs() < 1e-3 && end[1] < -0.01, "{end:?}");

    let model = chain(4, true, 0.001, RowSide::Zero);
    let params = Params { warm_start: true, ..Params::default() };
    let whole = run(&model, &params, 1, 8);
    let half = run(&model, &params, 1, 4);
    let mut again = State::from_numbers(&model, &half.to_numbers(), half.time()).unwrap();
    let mut scratch = Scratch::new(1);
    (0..4).for_each(|_| _ = step(&model, &mut again, &mut scratch, &params, DT));
    assert_eq!(state_hash(&model, &again), state_hash(&model, &whole));
}

#[test]
fn gradients_are_checked_and_bad_rows_are_refused() {
    let springs = Springs(vec![0.3]);
    assert!(gradient_error(&springs, 0, &[[0.1, 0.2, 0.0], [0.4, -0.1, 0.3]]) < 1e-8);
    let mut builder = ModelBuilder::new();
    builder.add_vertices(&[[0.0; 3], [LINK, 0.0, 0.0], [0.0, LINK, 0.0]]).unwrap();
    let mut error = |vertices: &[u32], strength| {
        let row = ConstraintRow { vertices: vertices.to_vec(), strength, side: RowSide::Zero };
        builder.add_constraint(springs.clone(), &[row]).unwrap_err()
    };
    let soft = RowStrength::Compliance { compliance: 1e-3, damping: 0.0 };
    let message = error(&[0, 0], soft).to_string();
    assert_eq!(message, "'springs': row 0: a vertex is named twice");
    assert!(matches!(error(&[0, 9], soft), BuildError::Index { vertex: 9, .. }));
    assert!(matches!(error(&[], soft), BuildError::Constraint { row: 0, .. }));
    assert!(matches!(error(&[0, 1], RowStrength::Stiffness(1.5)), BuildError::Constraint { .. }));
    let unsound = RowStrength::Compliance { compliance: f64::NAN, damping: 0.0 };
    assert!(matches!(error(&[0, 1], unsound), BuildError::Constraint { .. }));
}

/// Keeps a vertex at the origin, and panics or is no number when it is told to.
#[derive(Debug)]
struct Fickle {
    panics: bool,
}

impl Constraint for Fickle {
    fn name(&self) -> &str {
        "fickle"
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        assert!(!self.panics, "on purpose");
        for i in 0..rows.len() {
            values[i] = if rows[i] == 1 { f64::NAN } else { x[i][1] };
            gradients[i][1] = 1.0;
        }
    }
}

fn fickle(panics: bool) -> Model<f64> {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(7), &taut::Cloth::default()).unwrap();
    let strength = RowStrength::Compliance { compliance: 0.0, damping: 0.0 };
    let row = |v| ConstraintRow { vertices: vec![v], strength, side: RowSide::Zero };
    builder.add_constraint(Fickle { panics }, &[row(0), row(48)]).unwrap();
    builder.build().unwrap()
}

/// All threads come back, and what else there is goes on as if the rows were not there.
#[test]
fn rows_that_panic_are_passed_over_on_several_threads() {
    let model = fickle(true);
    let params = Params { substeps: 3, ..Params::default() };
    let mut state = State::new(&model);
    let mut scratch = Scratch::new(2).eager();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..3 {
        assert_eq!(step(&model, &mut state, &mut scratch, &params, DT).problem, None);
    }
    std::panic::set_hook(hook);
    assert!(state.positions(&model)[0][1] < -1e-3, "it falls");
}

/// The solvers for all rows together pass over a row that is no number too, and hold the others.
#[test]
fn a_row_that_is_no_number_stops_no_solver() {
    let model = fickle(false);
    for solver in solvers() {
        let params = Params { solver, iterations: 30, ..Params::default() };
        let state = run(&model, &params, 1, 10);
        let at = state.positions(&model);
        assert!(at.iter().flatten().all(|c| c.is_finite()), "{solver:?}");
        assert!(at[0][1].abs() < 1e-6 && at[48][1] < -1e-2, "{solver:?}: {:?} {:?}", at[0], at[48]);
    }
}

/// A rigid row between held vertices gathers no force that would be let loose with them.
#[test]
fn a_rigid_row_with_nothing_to_move_has_no_force() {
    let model = fickle(false);
    let params = Params { warm_start: true, gravity: [0.0; 3], ..Params::default() };
    let mut state = State::new(&model);
    let mut scratch = Scratch::new(1);
    state.pin(&model, 0);
    state.set_position(&model, 0, [0.0, 0.01, 0.0]);
    for _ in 0..5 {
        step(&model, &mut state, &mut scratch, &params, DT);
    }
    state.unpin(&model, 0);
    for _ in 0..5 {
        step(&model, &mut state, &mut scratch, &params, DT);
        assert!(state.positions(&model)[0][1].abs() < 0.011, "{:?}", state.positions(&model)[0]);
    }
}
