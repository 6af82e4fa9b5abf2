//! All solvers solve the same equations, and physics does not depend on them.

mod common;

use taut::measure::totals;
use taut::{
    Bending, Cloth, ClothElasticity, Collider, ElasticDamping, Integrator, Membrane, Model, ModelBuilder, Orthotropic,
    Params, Pose, Scratch, Shape, Solid, SolidElasticity, Solver, State, step,
};

fn continuum() -> Membrane {
    Membrane::Continuum(Orthotropic { weft: 200.0, warp: 100.0, poisson: 0.3, shear: 30.0 })
}

fn cloth(membrane: Membrane, gamma: f64) -> Cloth {
    let damping = ElasticDamping { stretch: gamma, shear: gamma, bend: gamma };
    let elasticity = ClothElasticity { membrane, area: 20.0, bend: [2e-4, 1e-4], damping };
    Cloth { elasticity: Some(elasticity), ..Cloth::default() }
}

/// A 1 m sheet of n × n vertices with the stiffness of a soft knit.
fn sheet(n: usize, membrane: Membrane, gamma: f64) -> (Model<f64>, State<f64>) {
    sheet_of(n, &cloth(membrane, gamma))
}

fn sheet_of(n: usize, cloth: &Cloth) -> (Model<f64>, State<f64>) {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(n), cloth).unwrap();
    let model = builder.build().unwrap();
    let state = State::new(&model);
    (model, state)
}

/// The same, held at two corners and 0.3 s into its swing.
fn swinging(n: usize, membrane: Membrane, gamma: f64) -> (Model<f64>, State<f64>) {
    swinging_as(n, &cloth(membrane, gamma))
}

fn swinging_as(n: usize, cloth: &Cloth) -> (Model<f64>, State<f64>) {
    let (model, mut state) = sheet_of(n, cloth);
    state.pin(&model, 0);
    state.pin(&model, n as u32 - 1);
    let mut scratch = Scratch::new(1);
    for _ in 0..20 {
        let report = step(&model, &mut state, &mut scratch, &params(Solver::Newton, 50, 1e-10), 1.0 / 60.0);
        assert!(report.residual < 1e-9, "{report:?}");
    }
    (model, state)
}

fn params(solver: Solver, iterations: u32, tolerance: f64) -> Params {
    Params { substeps: 1, solver, iterations, tolerance, ..Params::default() }
}

fn furthest(model: &Model<f64>, a: &State<f64>, b: &State<f64>) -> f64 {
    let (a, b) = (a.positions(model), b.positions(model));
    a.iter().zip(&b).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs())).fold(0.0, f64::max)
}

fn after(model: &Model<f64>, state: &State<f64>, params: &Params, h: f64) -> State<f64> {
    let mut state = state.clone();
    step(model, &mut state, &mut Scratch::new(1), params, h);
    state
}

/// Every solver that iterates finds the reference's step to a millionth of the cloth's size, for every kind of
/// membrane, with and without damping, and for other integrators.
#[test]
fn every_solver_finds_the_reference() {
    let links = Membrane::Links { stretch: 50.0, shear: 20.0, bend: 1.0 };
    let rows = Membrane::StretchShear { weft: 100.0, warp: 60.0, shear: 20.0 };
    let midpoint = Integrator::AlphaBeta { alpha: 0.6, beta: 0.6 };
    let newmark = Integrator::Newmark { beta: 0.25, gamma: 0.5 };
    let cases = [
        (15, continuum(), 0.0, Integrator::ImplicitEuler, Bending::Hinges),
        (15, continuum(), 0.01, Integrator::ImplicitEuler, Bending::Hinges),
        (9, rows, 0.0, midpoint, Bending::Patches),
        (9, links, 0.005, Integrator::Bdf2, Bending::Hinges),
        (9, continuum(), 0.005, newmark, Bending::Patches),
    ];
    for (n, membrane, gamma, integrator, bending) in cases {
        let (model, state) = swinging_as(n, &Cloth { bending, ..cloth(membrane, gamma) });
        let h = 1.0 / 240.0;
        let with = |solver, iterations, tolerance| Params { integrator, ..params(solver, iterations, tolerance) };
        let reference = after(&model, &state, &with(Solver::Newton, 50, 1e-11), h);
        for solver in common::solvers() {
            if matches!(solver, Solver::NewtonCg | Solver::NewtonCholesky) {
                continue;
            }
            let off = furthest(&model, &after(&model, &state, &with(solver, 10_000, 1e-8), h), &reference);
            assert!(off < 1e-6, "{solver:?} {integrator:?} γ {gamma}: {off:e} m from the reference");
        }
    }
}

/// One Newton step is the same step by conjugate gradients and by factorisation, and its error is of higher order in
/// the time step: a quarter of it leaves less than a sixteenth. Explicit steps solve nothing, so which solver does not
/// matter: forces are those of where the cloth is.
#[test]
fn explicit_steps_are_the_same_with_every_solver() {
    let (model, state) = swinging(8, continuum(), 0.0);
    for (alpha, beta) in [(0.0, 1.0), (0.5, 0.0)] {
        let integrator = Integrator::AlphaBeta { alpha, beta };
        let run = |solver| {
            let params = Params { substeps: 60, integrator, ..params(solver, 5, 0.0) };
            let once = after(&model, &state, &params, 1.0 / 60.0);
            after(&model, &once, &params, 1.0 / 60.0)
        };
        let plain = run(Solver::default());
        let mut free = state.clone();
        let none = Params { gravity: [0.0; 3], ..Params::default() };
        assert!(furthest(&model, &plain, &after(&model, &state, &none, 0.0)) > 1e-3, "it moves");
        (0..2).for_each(|_| free = after(&model, &free, &params(Solver::default(), 5, 0.0), 1.0 / 60.0));
        assert!(furthest(&model, &plain, &free) < 0.02, "explicit and implicit steps are of one cloth");
        for solver in Solver::ALL {
            let apart = furthest(&model, &plain, &run(solver));
            assert!(apart < 1e-12, "{solver:?} α {alpha} β {beta}: {apart}");
        }
    }
}

#[test]
fn one_newton_step_comes_close() {
    let (model, state) = swinging(15, continuum(), 0.0);
    let errors = [1.0 / 60.0, 1.0 / 240.0].map(|h| {
        let reference = after(&model, &state, &params(Solver::Newton, 50, 1e-11), h);
        let exact = after(&model, &state, &params(Solver::NewtonCholesky, 1, 0.0), h);
        let cg = after(&model, &state, &params(Solver::NewtonCg, 2000, 1e-12), h);
        assert!(furthest(&model, &exact, &cg) < 1e-8, "{:e}", furthest(&model, &exact, &cg));
        furthest(&model, &exact, &reference)
    });
    assert!(errors[0] < 2e-3 && errors[1] < errors[0] / 16.0, "{errors:?}");
}

/// Σ m x × v about the centre of mass.
fn spin(model: &Model<f64>, x: &[[f64; 3]], v: &[[f64; 3]]) -> [f64; 3] {
    let mass: f64 = model.masses().iter().sum();
    let mean = |list: &[[f64; 3]], k: usize| list.iter().zip(model.masses()).map(|(x, m)| x[k] * m).sum::<f64>() / mass;
    let (cx, cv) = ([0, 1, 2].map(|k| mean(x, k)), [0, 1, 2].map(|k| mean(v, k)));
    let mut l = [0.0; 3];
    for ((x, v), m) in x.iter().zip(v).zip(model.masses()) {
        let (x, v) = ([0, 1, 2].map(|k| x[k] - cx[k]), [0, 1, 2].map(|k| v[k] - cv[k]));
        l[0] += m * (x[1] * v[2] - x[2] * v[1]);
        l[1] += m * (x[2] * v[0] - x[0] * v[2]);
        l[2] += m * (x[0] * v[1] - x[1] * v[0]);
    }
    l
}

/// A damped sheet of 7 × 7 vertices thrown up, spinning and shaking.
fn thrown() -> (Model<f64>, State<f64>) {
    let (model, mut state) = sheet(7, continuum(), 0.05);
    let mut rng = common::Rng(7);
    for v in 0..49 {
        let [x, _, z] = state.position(&model, v);
        let wild = rng.vector(0.2);
        state.set_velocity(&model, v, [2.0 * (z - 0.5) + wild.x, 1.0 + wild.y, -2.0 * (x - 0.5) + wild.z]);
    }
    (model, state)
}

fn close(a: [f64; 3], b: [f64; 3]) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < 1e-10)
}

/// A falling, spinning, damped sheet keeps its momentum but for gravity's part, and no solver puts a torque on it:
/// about the new positions, the change of velocities has none. (That implicit integrators lose spin all the same,
/// because velocities carry along straight lines, is their own doing.)
#[test]
fn a_falling_damped_sheet_keeps_its_momenta() {
    for solver in common::solvers() {
        let (model, mut state) = thrown();
        let mass: f64 = model.masses().iter().sum();
        let mut scratch = Scratch::new(1);
        // Gauss–Seidel keeps momentum in every sweep, the others at their goal.
        let p = params(solver, 5000, 1e-13);
        for n in 0..3 {
            let (before, v) = (totals(&model, &state, [0.0; 3]), state.velocities(&model));
            step(&model, &mut state, &mut scratch, &p, 0.005);
            let now = totals(&model, &state, [0.0; 3]);
            let [x, y, z] = before.momentum;
            assert!(close(now.momentum, [x, y - mass * 9.81 * 0.005, z]), "{solver:?} {n}: {before:?} {now:?}");
            if !matches!(solver, Solver::NewtonCg | Solver::NewtonCholesky) {
                let x = state.positions(&model);
                let (kept, now) = (spin(&model, &x, &v), spin(&model, &x, &state.velocities(&model)));
                assert!(close(kept, now), "{solver:?} {n}: {kept:?} {now:?}");
            }
        }
    }
}

/// Symplectic Euler keeps the spin itself, with damping on: 0.5 s of it.
#[test]
fn damping_leaves_the_spin_alone() {
    for (alpha, beta) in [(0.0, 1.0), (1.0, 0.0)] {
        let (model, mut state) = thrown();
        let start = spin(&model, &state.positions(&model), &state.velocities(&model));
        let elastic = totals(&model, &state, [0.0; 3]).kinetic;
        let p = Params { integrator: Integrator::AlphaBeta { alpha, beta }, substeps: 100, ..Params::default() };
        let mut scratch = Scratch::new(1);
        for _ in 0..100 {
            step(&model, &mut state, &mut scratch, &p, 0.005);
        }
        let end = spin(&model, &state.positions(&model), &state.velocities(&model));
        assert!(close(start, end), "{start:?} {end:?}");
        let fall = totals(&model, &state, [0.0; 3]).momentum[1].powi(2) / (2.0 * model.masses().iter().sum::<f64>());
        let left = totals(&model, &state, [0.0; 3]).kinetic - fall;
        assert!(left < elastic, "damping takes energy: {left} of {elastic}");
    }
}

/// Colliders hold cloth with every solver: a sheet dropped on a sphere ends outside it, and near it.
#[test]
fn contacts_work_with_every_solver() {
    for solver in common::solvers() {
        let (model, mut state) = sheet(9, continuum(), 0.01);
        let pose = Pose { position: [0.5, -0.35, 0.5], ..Pose::default() };
        let ball = Collider::fixed(Shape::Sphere { radius: 0.3 }, pose);
        let p = Params { colliders: vec![ball], ..params(solver, 100, 1e-6) };
        let mut scratch = Scratch::new(1);
        for _ in 0..60 {
            let report = step(&model, &mut state, &mut scratch, &p, 1.0 / 120.0);
            assert_eq!(report.contained, 0, "{solver:?}");
        }
        let far = |x: [f64; 3]| ((x[0] - 0.5).powi(2) + (x[1] + 0.35).powi(2) + (x[2] - 0.5).powi(2)).sqrt();
        let nearest = state.positions(&model).into_iter().map(far).fold(f64::INFINITY, f64::min);
        assert!((0.302 - 1e-9..0.32).contains(&nearest), "{solver:?}: {nearest}");
        let top = state.positions(&model)[40][1];
        assert!(top > -0.1, "{solver:?}: the middle has passed to {top}");
    }
}

/// What no fabric is gives a finite state and a report, with every solver and in both precisions, and nothing flies
/// away: vertices stay within the size of the bodies and the way that a free fall takes them, twice that because a
/// short end may whip.
#[test]
fn absurd_stiffness_stays_where_it_is() {
    fn run<T: taut::Precision>(solver: Solver, k: f64, dt: f64, masses: bool) {
        let membrane = Membrane::Continuum(Orthotropic { weft: k, warp: k, poisson: 0.3, shear: 0.4 * k });
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &common::sheet(6), &cloth(membrane, 0.0)).unwrap();
        let solid = SolidElasticity { young: k, poisson: 0.45, volume: k, damping: 0.0 };
        let solid = Solid { elasticity: Some(solid), ..Solid::default() };
        builder.add_solid("bar", &common::bar(2, 1, 1, 0.2), &solid).unwrap();
        if masses {
            builder.add_mass(7, 1e9).unwrap();
        }
        let model = builder.build::<T>().unwrap();
        let mut state = State::new(&model);
        state.pin(&model, 0);
        let mut scratch = Scratch::new(1);
        for n in 0..5 {
            let report = step(&model, &mut state, &mut scratch, &params(solver, 20, 1e-9), dt);
            let t = f64::from(n + 1) * dt;
            // Implicit Euler falls ½ g t (t + h); the sheet and the bar together are 1.4 m across.
            let reach = 2.0 * (1.5 + 0.5 * 9.81 * t * (t + dt));
            for x in state.positions(&model) {
                let far = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
                // Blocks at held vertices are thrown about in steps of a second, and come back (see
                // `Solver::GaussSeidel`).
                let wild = dt == 1.0 && matches!(solver, Solver::GaussSeidel { block: true, .. });
                let held = if wild { far.is_finite() } else { far < reach };
                assert!(held, "{solver:?} k {k:e} dt {dt} step {n}: {far} m, {report:?}");
            }
        }
    }
    for solver in common::solvers() {
        for (k, dt, masses) in [(1e12, 0.016, false), (0.0, 0.016, false), (100.0, 1.0, false), (1e12, 1.0, true)] {
            run::<f32>(solver, k, dt, masses);
            run::<f64>(solver, k, dt, masses);
        }
    }
}

/// What cannot be computed with is refused when the model is built, by name.
#[test]
fn impossible_materials_are_refused() {
    let refused = |membrane| {
        let error = ModelBuilder::new().add_cloth("shirt", &common::sheet(3), &cloth(membrane, 0.0)).unwrap_err();
        error.to_string()
    };
    let with = |poisson, warp| Membrane::Continuum(Orthotropic { weft: 100.0, warp, poisson, shear: 30.0 });
    for poisson in [1.0, -1.5, f64::NAN] {
        assert!(refused(with(poisson, 100.0)).contains("elasticity.poisson"), "{}", refused(with(poisson, 100.0)));
    }
    // ν 0.5 with ten times the modulus across would give energy away.
    assert!(refused(with(0.5, 1000.0)).contains("elasticity.poisson"));
    assert!(refused(with(0.3, -1.0)).contains("elasticity.warp is -1"));
    assert!(refused(with(0.3, f64::INFINITY)).contains("N/m"));
    for poisson in [0.5, 0.7, -1.0] {
        let elasticity = SolidElasticity { young: 1e4, poisson, volume: 0.0, damping: 0.0 };
        let solid = Solid { elasticity: Some(elasticity), ..Solid::default() };
        let error = ModelBuilder::new().add_solid("jelly", &common::bar(1, 1, 1, 0.1), &solid).unwrap_err();
        assert!(error.to_string().contains("below 0.5"), "{error}");
    }
}

/// Rows of one block may have different damping times: the steps of a damped one were too long beside an undamped one,
/// and the cloth exploded.
#[test]
fn a_block_with_damped_shear_stays_calm() {
    let mut material = cloth(continuum(), 0.0);
    let Some(elasticity) = &mut material.elasticity else { panic!("the cloth is elastic") };
    elasticity.damping.shear = 0.01;
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(9), &material).unwrap();
    let model = builder.build::<f64>().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, 8);
    let solver = Solver::GaussSeidel { relaxation: 1.0, block: true };
    let p = Params { substeps: 20, ..params(solver, 1, 0.0) };
    let mut scratch = Scratch::new(1);
    for _ in 0..60 {
        assert_eq!(step(&model, &mut state, &mut scratch, &p, 1.0 / 60.0).contained, 0);
    }
    let [weft, warp, ..] = taut::measure::strains(&model, &state).cloth();
    assert!(weft.max < 1.0 && warp.max < 1.0, "{weft:?} {warp:?}");
}

/// Projection without multipliers knows implicit Euler only: others made more velocity of a displacement than it took.
#[test]
fn shares_of_stiffness_keep_to_implicit_euler() {
    let run = |integrator| {
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &common::sheet(9), &Cloth::default()).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        state.pin(&model, 0);
        let p = Params { integrator, ..Params::default() };
        let mut scratch = Scratch::new(1);
        for _ in 0..20 {
            step(&model, &mut state, &mut scratch, &p, 1.0 / 60.0);
        }
        taut::measure::state_hash(&model, &state)
    };
    let euler = run(Integrator::ImplicitEuler);
    assert_eq!(run(Integrator::AlphaBeta { alpha: 0.5, beta: 0.5 }), euler);
    assert_eq!(run(Integrator::Newmark { beta: 0.001, gamma: 1.0 }), euler);
}
