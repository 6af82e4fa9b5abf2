//! What BDF-2 remembers of the substep before must not outlive what happened since.

use taut::Scalar;
use taut::{Collider, Integrator, Model, ModelBuilder, Params, Pose, Scratch, Shape, State, step};

fn particle<T: Scalar>() -> Model<T> {
    let mut builder = ModelBuilder::new();
    builder.add_vertices(&[[0.0, 1.0, 0.0]]).unwrap();
    builder.add_mass(0, 0.1).unwrap();
    builder.build().unwrap()
}

fn params() -> Params {
    Params { integrator: Integrator::Bdf2, substeps: 1, ..Params::default() }
}

/// Where a particle that falls freely under BDF-2 is after n steps from rest at height `y`, and its velocity: the
/// scheme's own recurrence with the history of a body that always moved so.
fn fall(mut y: f64, h: f64, n: u32) -> (f64, f64) {
    let (mut v, mut y0, mut v0) = (0.0, y, 0.0);
    for _ in 0..n {
        let (ys, vs) = ((4.0 * y - y0) / 3.0, (4.0 * v - v0) / 3.0);
        (y0, v0) = (y, v);
        v = vs - 2.0 / 3.0 * h * 9.81;
        y = ys + 2.0 / 3.0 * h * v;
    }
    (y, v)
}

/// A vertex that is put elsewhere falls from there, as one that was at rest there: it went on with a third of the way
/// it was carried.
#[test]
fn a_vertex_put_elsewhere_stays_there() {
    let model = particle::<f64>();
    let (mut state, mut scratch, h) = (State::new(&model), Scratch::new(1), 1.0 / 60.0);
    for _ in 0..30 {
        step(&model, &mut state, &mut scratch, &params(), h);
    }
    state.set_position(&model, 0, [0.0, 7.0, 0.0]);
    state.set_velocity(&model, 0, [0.0; 3]);
    for n in 1..10 {
        step(&model, &mut state, &mut scratch, &params(), h);
        let (y, v) = fall(7.0, h, n);
        let found = (state.position(&model, 0)[1], state.velocity(&model, 0)[1]);
        assert!((found.0 - y).abs() < 1e-12 && (found.1 - v).abs() < 1e-10, "step {n}: {found:?}, {:?}", (y, v));
    }
}

/// A vertex held for a moment and let go has forgotten how it came there.
#[test]
fn a_vertex_let_go_falls_from_rest() {
    let model = particle::<f64>();
    let (mut state, mut scratch, h) = (State::new(&model), Scratch::new(1), 1.0 / 60.0);
    for _ in 0..30 {
        step(&model, &mut state, &mut scratch, &params(), h);
    }
    state.pin(&model, 0);
    state.unpin(&model, 0);
    let start = state.position(&model, 0)[1];
    step(&model, &mut state, &mut scratch, &params(), h);
    assert!((state.position(&model, 0)[1] - fall(start, h, 1).0).abs() < 1e-12);
}

/// A vertex that was contained is at rest from then on: minus a third of a velocity beyond all numbers would contain it
/// for ever.
#[test]
fn a_contained_vertex_comes_to_rest() {
    let model = particle::<f32>();
    let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
    let still = Params { gravity: [0.0; 3], ..params() };
    step(&model, &mut state, &mut scratch, &still, 1.0);
    state.set_velocity(&model, 0, [3e38, 0.0, 0.0]);
    // The carry of 3e38 m/s for a step of 10 s overflows; the step's length must not change, or there is no history.
    let report = step(&model, &mut state, &mut scratch, &still, 10.0);
    assert_eq!(report.contained, 1);
    for _ in 0..3 {
        assert_eq!(step(&model, &mut state, &mut scratch, &still, 10.0).contained, 0);
        assert_eq!(state.position(&model, 0), [0.0, 1.0, 0.0]);
        assert_eq!(state.velocity(&model, 0), [0.0; 3]);
    }
}

/// A floor stops what falls on it: remembering the fall threw it back with a third of its speed.
#[test]
fn a_floor_does_not_throw_back() {
    let model = particle::<f64>();
    let (mut state, mut scratch, h) = (State::new(&model), Scratch::new(1), 1.0 / 60.0);
    let floor = Collider::fixed(Shape::Plane, Pose::at([0.0; 3]));
    let params = Params { colliders: vec![floor], ..params() };
    let mut touched = None;
    for _ in 0..120 {
        let report = step(&model, &mut state, &mut scratch, &params, h);
        let y = state.position(&model, 0)[1];
        let at = *touched.get_or_insert(if report.contacts > 0 { y } else { f64::INFINITY });
        if at.is_infinite() {
            touched = None;
        } else {
            assert!((y - at).abs() < 1e-9, "it left the floor: {y}");
        }
    }
    assert!(touched.is_some(), "it fell on the floor");
}
