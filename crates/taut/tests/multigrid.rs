//! What a fabric in physical units gets by default: a few Newton steps behind multigrid.

mod common;

use taut::fabric::Fabric;
use taut::limit::LimitSpec;
use taut::{
    Bending, Cloth, ClothElasticity, Collider, Contact, ContactMaterial, ElasticDamping, Membrane, Model, ModelBuilder,
    Orthotropic, Params, Pose, Scratch, Shape, Solver, State, measure, step,
};

const FRAME: f64 = 1.0 / 60.0;

/// A metre of plain weave: stiff along its threads, a hundredth of that on the bias.
fn weave(n: usize, along: f64, bending: Bending) -> Model<f32> {
    let moduli = Orthotropic { weft: along, warp: along, poisson: 0.1, shear: along / 80.0 };
    let elasticity = ClothElasticity {
        membrane: Membrane::Continuum(moduli),
        area: 0.0,
        bend: [1e-5; 2],
        damping: ElasticDamping::default(),
    };
    let cloth = Cloth { elasticity: Some(elasticity), density: 0.15, bending, ..Cloth::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(n), &cloth).unwrap();
    builder.build().unwrap()
}

fn exact() -> Params {
    Params { substeps: 1, solver: Solver::Newton, iterations: 60, tolerance: 1e-7, ..Params::fabric() }
}

/// Held along one side, let go lying.
fn held(model: &Model<f32>, n: usize) -> State<f32> {
    let mut state = State::new(model);
    state.set_pins(model, &(0..n as u32).collect::<Vec<_>>());
    state
}

fn run(model: &Model<f32>, state: &mut State<f32>, params: &Params, frames: usize) {
    let mut scratch = Scratch::new(1);
    for _ in 0..frames {
        step(model, state, &mut scratch, params, FRAME);
    }
}

/// Throws a sheet: it ripples, and folds over while it turns. Returns the velocities, m/s.
fn throw(model: &Model<f32>, state: &mut State<f32>) -> Vec<[f64; 3]> {
    let thrown = |p: &[f64; 3]| {
        let [x, z] = [p[0] - 0.5, p[2] - 0.5];
        let ripple = 2.0 * (5.0 * x + 1.0).sin() * (4.0 * z).cos();
        [2.0 * z - 1.5 * x, ripple - 6.0 * z + x, 2.0 * x * z - 1.5 * z]
    };
    let velocities: Vec<[f64; 3]> = state.positions(model).iter().map(thrown).collect();
    state.set_velocities(model, &velocities);
    velocities
}

/// Mean |stretch| along the warp, which runs along z, between neighbours in a column.
fn mean_stretch(model: &Model<f32>, state: &State<f32>, n: usize) -> f64 {
    let x = state.positions(model);
    let rest = 1.0 / (n - 1) as f64;
    let off = |k: usize| ((0..3).map(|d| (x[k + n][d] - x[k][d]).powi(2)).sum::<f64>().sqrt() / rest - 1.0).abs();
    (0..n * (n - 1)).map(off).sum::<f64>() / (n * (n - 1)) as f64
}

fn kinetic(model: &Model<f32>, state: &State<f32>) -> f64 {
    let square = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>();
    state.velocities(model).iter().zip(model.masses()).map(|(v, m)| 0.5 * m * square(v)).sum()
}

/// The first swing, where sweeps of few iterations stretch stiff cloth like rubber.
#[test]
fn a_swing_is_that_of_the_converged_solution() {
    // The last is so coarse that there is nothing coarser.
    for (n, along, bending) in
        [(13, 2800.0, Bending::Hinges), (13, 1e5, Bending::Patches), (5, 2800.0, Bending::Hinges)]
    {
        let model = weave(n, along, bending);
        let (mut quick, mut exactly) = (held(&model, n), held(&model, n));
        run(&model, &mut quick, &Params::fabric(), 24);
        run(&model, &mut exactly, &exact(), 24);
        let [e, f] = [&quick, &exactly].map(|s| kinetic(&model, s));
        assert!((e - f).abs() < 0.02 * f, "{along} N/m: {e} J of {f} J");
        let low = |s: &State<f32>| s.positions(&model).iter().map(|p| p[1]).fold(0.0, f64::min);
        let [a, b] = [&quick, &exactly].map(low);
        assert!((a - b).abs() < 0.02 && b < -0.5, "{along} N/m: {a} m and {b} m");
        let [a, b] = [&quick, &exactly].map(|s| mean_stretch(&model, s, n));
        // Two ten-thousandths of a stretch are nothing that a few Newton steps have to tell apart.
        assert!((a - b).abs() < 0.15 * b.max(2e-4), "{along} N/m: stretched by {a} and {b}");
    }
}

/// The same cloth as the mesh becomes finer: what element by element needs more and more iterations for.
#[test]
fn the_mean_stretch_of_hung_cloth_does_not_depend_on_the_mesh() {
    // ρ g L / 2 E, hung by a side.
    let expected = 0.15 * 9.81 * 0.5 / 2800.0;
    for n in [9, 17, 33] {
        let model = weave(n, 2800.0, Bending::Hinges);
        let mut state = held(&model, n);
        // Hanging already.
        let hung: Vec<[f64; 3]> = state.positions(&model).iter().map(|p| [p[0], -p[2], 0.0]).collect();
        state.set_positions(&model, &hung);
        run(&model, &mut state, &Params::fabric(), 60);
        let mean = mean_stretch(&model, &state, n);
        assert!((mean / expected - 1.0).abs() < 0.03, "{n}: {mean} of {expected}");
    }
}

/// Contacts take part in the solve: cloth on a ball is not stretched by being pushed out of it.
#[test]
fn cloth_that_falls_on_a_ball_stays_out_of_it_and_is_hardly_stretched() {
    let n = 21;
    let (radius, gap, centre) = (0.3, 0.002, [0.5, -0.35, 0.5]);
    for friction in [0.0, 0.5] {
        let model = weave(n, 2800.0, Bending::Hinges);
        let mut state = State::new(&model);
        let ball = Collider { friction, ..Collider::fixed(Shape::Sphere { radius }, Pose::at(centre)) };
        run(&model, &mut state, &Params { colliders: vec![ball], ..Params::fabric() }, 30);
        let off = |p: &[f64; 3]| (0..3).map(|d| (p[d] - centre[d]).powi(2)).sum::<f64>().sqrt() - radius - gap;
        let x = state.positions(&model);
        let nearest = x.iter().map(off).fold(f64::INFINITY, f64::min);
        assert!(nearest > -1e-5, "friction {friction}: {nearest} m from the ball");
        let touching = x.iter().filter(|p| off(p) < 1e-3).count();
        assert!(touching > 20, "friction {friction}: {touching} vertices rest on the ball");
        let mean = mean_stretch(&model, &state, n);
        assert!(mean < 2e-3, "friction {friction}: stretched by {mean}");
    }
}

/// All that the next step depends on is in the state: a run that is taken up again gives the same bits.
#[test]
fn a_new_scratch_goes_on_with_the_same_bits() {
    let n = 12;
    let model = weave(n, 2800.0, Bending::Hinges);
    let ball = Collider::fixed(Shape::Sphere { radius: 0.3 }, Pose::at([0.5, -0.4, 0.7]));
    let params = Params { colliders: vec![ball], ..Params::fabric() };
    let (mut whole, mut parts) = (held(&model, n), held(&model, n));
    run(&model, &mut whole, &params, 20);
    for _ in 0..20 {
        run(&model, &mut parts, &params, 1);
    }
    assert_eq!(whole.to_numbers(), parts.to_numbers());
}

/// Vertices that are let go, and others that are held, change the equations under way.
#[test]
fn pins_may_change() {
    let n = 12;
    let model = weave(n, 2800.0, Bending::Hinges);
    let mut state = held(&model, n);
    let mut scratch = Scratch::new(1);
    let mut frames = |state: &mut State<f32>, count: usize| {
        for _ in 0..count {
            step(&model, state, &mut scratch, &Params::fabric(), FRAME);
        }
    };
    frames(&mut state, 10);
    (1..n as u32).for_each(|v| state.unpin(&model, v));
    frames(&mut state, 20);
    let x = state.positions(&model);
    assert!(x[n - 1][1] < -0.3, "a corner that was let go fell to {} m", x[n - 1][1]);
    assert_eq!(x[0], [0.0; 3]);
    state.unpin(&model, 0);
    let before = state.positions(&model)[0][1];
    frames(&mut state, 12);
    let fallen = before - state.positions(&model)[0][1];
    assert!(fallen > 0.1, "what nothing holds fell by {fallen} m");
    assert!(mean_stretch(&model, &state, n) < 5e-3);
}

/// Pairs that meet within a step are contacts, not vertices stopped in full flight, which stretched what was around
/// them: that gave a sheet in the air many times its energy. Nothing holds it, so that what has to be drawn back keeps
/// falling.
#[test]
fn a_sheet_that_crumples_in_the_air_gains_no_energy() {
    for name in ["cotton", "silk-charmeuse", "denim"] {
        let fabric = Fabric::named(name).unwrap();
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &common::sheet(11), &Cloth::from(fabric)).unwrap();
        builder.limit(LimitSpec::stretch(fabric.stretch_bounds()));
        let model = builder.build::<f32>().unwrap();
        let mut state = State::new(&model);
        let thrown = throw(&model, &mut state);
        let material = ContactMaterial { thickness: fabric.thickness, friction: fabric.friction, self_contact: true };
        let contact = Contact { materials: vec![material], ..Contact::default() };
        let params = Params { contact, ..Params::fabric() };
        let mut scratch = Scratch::new(1);
        let energy = |state: &State<f32>| {
            let totals = measure::totals(&model, state, params.gravity);
            (totals.kinetic + totals.elastic + totals.potential, totals.kinetic)
        };
        let (start, kinetic) = energy(&state);
        let mut met = 0;
        for frame in 0..120 {
            met += step(&model, &mut state, &mut scratch, &params, FRAME).contact.pairs;
            let rise = energy(&state).0 - start;
            assert!(rise < 0.01 * kinetic, "{name}, frame {frame}: {rise} J more than at the start, of {kinetic} J");
        }
        assert!(met > 50, "{name}: {met} contacts");
        // It goes on falling: only what touches something takes the mean velocity of its step, without the half of a
        // step's gravity.
        let mean = |list: &[[f64; 3]]| {
            let weighed = list.iter().zip(model.masses()).map(|(p, m)| p[1] * m).sum::<f64>();
            weighed / model.masses().iter().sum::<f64>()
        };
        let (t, fallen) = (120.0 * FRAME, mean(&state.positions(&model)));
        let free = mean(&thrown) * t - 0.5 * 9.81 * t * t;
        assert!(fallen < 0.75 * free, "{name}: it fell {fallen} m of {free} m");
    }
}

/// Stiff, light cloth that goes on as it went is stretched by its own turning, and few steps do not lead out of that.
#[test]
fn stiff_cloth_that_tumbles_gains_no_energy() {
    let fabric = Fabric::named("nylon-ripstop").unwrap();
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(11), &Cloth::from(fabric)).unwrap();
    let model = builder.build::<f32>().unwrap();
    let mut state = State::new(&model);
    throw(&model, &mut state);
    let (params, mut scratch) = (Params { gravity: [0.0; 3], ..Params::fabric() }, Scratch::new(1));
    let energy = |state: &State<f32>| {
        let totals = measure::totals(&model, state, params.gravity);
        totals.kinetic + totals.elastic
    };
    let start = energy(&state);
    for frame in 0..120 {
        step(&model, &mut state, &mut scratch, &params, FRAME);
        let now = energy(&state);
        assert!(now < 1.01 * start, "frame {frame}: {now} J, {start} J at the start");
    }
}

/// Coulomb's law: on a slope of 1 in 2 cloth stays if the coefficient is greater than that, and slides by what is left
/// if it is less.
#[test]
fn friction_on_a_slope_is_coulombs() {
    let model = weave(9, 2800.0, Bending::Hinges);
    let (down, across) = (9.81 / 5f64.sqrt(), 2.0 * 9.81 / 5f64.sqrt());
    for friction in [0.0, 0.2, 0.4, 0.6] {
        let mut floor = Collider::fixed(Shape::Plane, Pose::at([0.0, -0.001, 0.0]));
        (floor.friction, floor.thickness) = (friction, 0.001);
        let params = Params { gravity: [down, -across, 0.0], colliders: vec![floor], ..Params::fabric() };
        let mut state = State::new(&model);
        run(&model, &mut state, &params, 60);
        let x = state.positions(&model);
        let slid = x.iter().map(|p| p[0] - 0.5).sum::<f64>() / x.len() as f64;
        let free = 0.5 * (down - friction * across).max(0.0);
        assert!((slid - free).abs() < 0.08 * free + 0.001, "coefficient {friction}: {slid} m instead of {free}");
    }
}
