//! The same bits whatever the number of threads and the lane width, as many workers as were asked for, and a state that
//! is all there is to know. Short runs: `golden.rs` has longer ones of every kind of scene, in fewer ways.

mod common;

use taut::{Precision, Width};

use taut::limit::{ApslSettings, Band, LimitSpec, StrainLimits};
use taut::measure::state_hash;
use taut::{
    Air, Bending, Cloth, ClothDamping, ClothElasticity, ClothStiffness, Collider, ElasticDamping, Integrator, Membrane,
    Model, ModelBuilder, Orthotropic, Params, Pose, Scratch, Shape, Solid, SolidElasticity, Solver, State, StrainForm,
    step,
};

/// Cloth of both forms with every row, edges, hinges and damping, solids of both forms, wind, moving pins, colliders.
fn run<T: Precision>(threads: usize, width: Width) -> (u64, usize) {
    let all = ClothStiffness { weft: 0.9, warp: 0.8, shear: 0.5, area: 0.3, bend: 0.1, edge: 0.4 };
    let damping = ClothDamping { weft: 1.0, warp: 2.0, shear: 3.0, area: 0.5, bend: 4.0, edge: 1.0 };
    let cloth = Cloth { stiffness: all, damping, ..Cloth::default() };
    let solid = Solid { damping: 2.0, ..Solid::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("a", &common::sheet(17), &cloth).unwrap();
    let plain = builder.add_cloth("b", &common::sheet(13), &Cloth { form: StrainForm::Plain, ..cloth }).unwrap();
    builder.add_solid("c", &common::bar(6, 2, 2, 0.1), &solid).unwrap();
    builder.add_solid("d", &common::bar(3, 2, 2, 0.1), &Solid { form: StrainForm::Plain, ..solid }).unwrap();
    let model = builder.build::<T>().unwrap();
    let mut state = State::new(&model);
    let mut scratch = Scratch::new(threads).with_width(width).eager();
    state.pin(&model, 0);
    state.pin(&model, 16);
    state.pin(&model, plain);
    let params = Params {
        substeps: 1,
        iterations: 2,
        air: Air { wind: [3.0, 0.5, 1.0], density: 1.2, ..Air::default() },
        colliders: vec![
            Collider::fixed(Shape::Plane, Pose::at([0.0, -0.8, 0.0])),
            Collider::fixed(Shape::Sphere { radius: 0.3 }, Pose::at([0.5, -0.4, 0.5])),
        ],
        ..Params::default()
    };
    let mut workers = 0;
    for frame in 0..60 {
        let t = f64::from(frame) / 60.0;
        state.move_pin(&model, 16, [1.0 - 0.2 * (t * 3.0).min(1.0), 0.1 * t, 0.0]);
        workers = step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0).threads;
    }
    let positions = state.positions(&model);
    assert!(positions.iter().flatten().all(|c| c.is_finite() && c.abs() < 30.0));
    (state_hash(&model, &state), workers)
}

#[test]
fn threads_and_lane_widths_give_the_same_bits() {
    let (single, _) = run::<f32>(1, Width::W16);
    let (double, _) = run::<f64>(1, Width::W16);
    assert_ne!(single, double);
    for threads in [2, 3, 8] {
        assert_eq!(run::<f32>(threads, Width::W16), (single, threads), "{threads} threads, f32");
        assert_eq!(run::<f64>(threads, Width::W4), (double, threads), "{threads} threads, f64");
    }
    for width in Width::ALL {
        assert_eq!(run::<f32>(1, width).0, single, "{width:?}, f32");
        assert_eq!(run::<f64>(1, width).0, double, "{width:?}, f64");
    }
}

/// Cloth with every kind of membrane and of bending, damped, and a soft body, all in physical units.
fn physical<T: Precision>() -> Model<T> {
    let damping = ElasticDamping { stretch: 0.01, shear: 0.02, bend: 0.01 };
    let cloth = |membrane| {
        let elasticity = ClothElasticity { membrane, area: 10.0, bend: [1e-4, 2e-4], damping };
        Cloth { elasticity: Some(elasticity), ..Cloth::default() }
    };
    let continuum = Orthotropic { weft: 200.0, warp: 100.0, poisson: 0.3, shear: 30.0 };
    let mut builder = ModelBuilder::new();
    let patches = Cloth { bending: Bending::Patches, ..cloth(Membrane::Continuum(continuum)) };
    builder.add_cloth("a", &common::sheet(9), &patches).unwrap();
    let rows = Membrane::StretchShear { weft: 100.0, warp: 50.0, shear: 20.0 };
    builder.add_cloth("b", &common::sheet(7), &cloth(rows)).unwrap();
    let links = Membrane::Links { stretch: 50.0, shear: 20.0, bend: 1.0 };
    builder.add_cloth("c", &common::sheet(8), &cloth(links)).unwrap();
    let solid = SolidElasticity { young: 2e4, poisson: 0.3, volume: 1e4, damping: 0.01 };
    builder.add_solid("d", &common::bar(3, 2, 2, 0.1), &Solid { elasticity: Some(solid), ..Solid::default() }).unwrap();
    builder.build().unwrap()
}

fn swing<T: Precision>(model: &Model<T>, state: &mut State<T>, scratch: &mut Scratch<T>, params: &Params, frames: u32) {
    for _ in 0..frames {
        step(model, state, scratch, params, 1.0 / 120.0);
    }
}

fn held<T: Precision>(model: &Model<T>) -> State<T> {
    let mut state = State::new(model);
    [0, 8, 81, 130].into_iter().for_each(|v| state.pin(model, v));
    state
}

/// A way to step: integrator, solver, substeps and tolerance.
struct Way(Integrator, Solver, u32, f64);

const WAYS: [Way; 12] = [
    Way(Integrator::ImplicitEuler, Solver::GaussSeidel { relaxation: 1.2, block: false }, 2, 0.0),
    Way(Integrator::ImplicitEuler, Solver::GaussSeidel { relaxation: 1.0, block: false }, 1, 1e-3),
    Way(Integrator::AlphaBeta { alpha: 0.6, beta: 0.6 }, Solver::GaussSeidel { relaxation: 1.0, block: true }, 2, 0.0),
    // Explicit: short steps.
    Way(Integrator::AlphaBeta { alpha: 0.0, beta: 1.0 }, Solver::GaussSeidel { relaxation: 1.0, block: true }, 30, 0.0),
    Way(Integrator::ImplicitEuler, Solver::Jacobi { relaxation: 1.0 }, 2, 0.0),
    Way(Integrator::ImplicitEuler, Solver::MinimumResidual, 2, 1e-3),
    Way(Integrator::Bdf2, Solver::ConjugateResiduals, 2, 0.0),
    Way(Integrator::Newmark { beta: 0.25, gamma: 0.5 }, Solver::NonlinearCg, 2, 0.0),
    Way(Integrator::AlphaBeta { alpha: 0.6, beta: 0.6 }, Solver::NewtonCg, 2, 1e-6),
    Way(Integrator::ImplicitEuler, Solver::NewtonCholesky, 2, 0.0),
    Way(Integrator::Bdf2, Solver::Newton, 1, 1e-6),
    Way(Integrator::Bdf2, Solver::Multigrid, 1, 0.05),
];

impl Way {
    fn params(&self, warm_start: bool) -> Params {
        let Way(integrator, solver, substeps, tolerance) = *self;
        let air = Air { wind: [2.0, 0.5, 1.0], density: 1.2, ..Air::default() };
        Params { substeps, iterations: 5, integrator, solver, tolerance, warm_start, air, ..Params::default() }
    }
}

#[test]
fn physical_stiffness_gives_the_same_bits() {
    fn check<T: Precision>() {
        let model = physical::<T>();
        let ball = Collider::fixed(Shape::Sphere { radius: 0.3 }, Pose::at([0.5, -0.4, 0.5]));
        for (i, way) in WAYS.iter().enumerate() {
            // Every other one in one precision, the others in the other.
            let warm_start = (i % 2 == 0) == (T::NAME == "f32");
            let params = Params { colliders: vec![ball], ..way.params(warm_start) };
            let run = |threads, width| {
                let mut state = held(&model);
                swing(&model, &mut state, &mut Scratch::new(threads).with_width(width).eager(), &params, 12);
                assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite() && c.abs() < 30.0));
                state_hash(&model, &state)
            };
            let one = run(1, Width::W16);
            for (threads, width) in [(1, Width::W1), (1, Width::W4), (2, Width::W16), (3, Width::W4)] {
                assert_eq!(run(threads, width), one, "{params:?} {threads} threads {width:?}");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Every limiter, one after another, behind a solver in lanes and one for all elements together.
#[test]
fn limiters_give_the_same_bits() {
    fn check<T: Precision>() {
        let limits = StrainLimits::both(0.01, 0.01, 0.1);
        let mut model = physical::<T>();
        let stack = [
            LimitSpec::csl(limits),
            LimitSpec::csl_jacobi(StrainLimits::both(0.006, 0.006, 0.02), 4.0).on(&[0, 2]),
            LimitSpec::sbd(StrainLimits::both(0.015, 0.015, 0.03)),
            LimitSpec::edges(Band::both(0.01)),
            LimitSpec::areas(ApslSettings { threshold: 1e-3, ..ApslSettings::default() }),
            LimitSpec::volumes(ApslSettings { threshold: 1e-4, ..ApslSettings::default() }),
            LimitSpec::rate(StrainLimits::both(1.0, 1.0, 1.0)),
            LimitSpec::edge_rate(Band::both(1.0)),
        ];
        model.set_limits(&stack).unwrap();
        let ball = Collider::fixed(Shape::Sphere { radius: 0.3 }, Pose::at([0.5, -0.4, 0.5]));
        for &Way(integrator, solver, ..) in [&WAYS[2], &WAYS[7]] {
            let params =
                Params { substeps: 2, iterations: 5, integrator, solver, colliders: vec![ball], ..Params::default() };
            let run = |threads, width| {
                let mut state = held(&model);
                // A corner of the soft body.
                state.pin(&model, 194);
                let mut scratch = Scratch::new(threads).with_width(width).eager();
                let mut left = Vec::new();
                let mut sweeps = [0; 8];
                for _ in 0..30 {
                    swing(&model, &mut state, &mut scratch, &params, 1);
                    left.extend(scratch.limit_reports().iter().map(|r| r.after));
                    sweeps.iter_mut().zip(scratch.limit_reports()).for_each(|(all, r)| *all += r.iterations);
                }
                (state_hash(&model, &state), left, sweeps)
            };
            let one = run(1, Width::W16);
            assert!(one.2.iter().all(|&s| s > 0), "a limiter had nothing to do: {:?}", one.2);
            for (threads, width) in [(1, Width::W1), (1, Width::W4), (2, Width::W16), (3, Width::W4)] {
                assert_eq!(run(threads, width), one, "{integrator:?} {solver:?} {threads} threads {width:?}");
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// A state taken apart into numbers and put together goes on with the same bits, whatever the integrator remembers.
#[test]
fn numbers_hold_the_whole_state() {
    let model = physical::<f32>();
    for way in &WAYS {
        let params = way.params(true);
        let mut state = held(&model);
        let mut scratch = Scratch::new(1);
        swing(&model, &mut state, &mut scratch, &params, 10);
        let mut again = State::from_numbers(&model, &state.to_numbers(), state.time()).unwrap();
        swing(&model, &mut state, &mut scratch, &params, 10);
        swing(&model, &mut again, &mut Scratch::new(1), &params, 10);
        assert_eq!(state_hash(&model, &state), state_hash(&model, &again), "{params:?}");
        let mut short = state.to_numbers();
        short.pop();
        assert!(State::from_numbers(&model, &short, 0.0).is_none());
    }
}
