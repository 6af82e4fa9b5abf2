//! What a user of the crate meets first: bulk access to a state, and what is said about input that cannot be used.

mod common;

use common::sheet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use taut::fabric::Fabric;
use taut::measure::{Field, FieldPlace, strains};
use taut::mesh::{TetMesh, TriMesh};
use taut::{
    Cloth, Collider, ColliderMesh, MeshCollider, Model, ModelBuilder, Oddity, Params, Pose, Problem, Scratch, Shape,
    Solid, State, step,
};

const DT: f64 = 1.0 / 60.0;

fn model(n: usize) -> Model<f32> {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &sheet(n), &Cloth::default()).unwrap();
    builder.build().unwrap()
}

#[test]
fn slices_go_in_and_out_in_the_users_order_and_either_precision() {
    let model = model(9);
    let mut state = State::new(&model);
    let there: Vec<[f32; 3]> = (0..81).map(|i| [i as f32, 0.5, -(i as f32)]).collect();
    assert_eq!(state.set_positions(&model, &there), 0);
    assert_eq!(state.set_velocities(&model, &there), 0);
    let (mut x, mut v) = (vec![[0.0f32; 3]; 81], vec![[0.0f64; 3]; 81]);
    state.positions_into(&model, &mut x);
    state.velocities_into(&model, &mut v);
    assert_eq!(x, there);
    assert_eq!(v, there.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>());
    assert_eq!(state.position(&model, 7), [7.0, 0.5, -7.0]);
    // Fewer are the first ones; what is no number stays where it was, and is counted.
    assert_eq!(state.set_positions(&model, &[[1.0f64; 3], [f64::NAN; 3]]), 1);
    assert_eq!(state.position(&model, 0), [1.0; 3]);
    assert_eq!(state.position(&model, 1), [1.0, 0.5, -1.0]);
    let mut few = [[0.0f64; 3]; 2];
    state.positions_into(&model, &mut few);
    assert_eq!(few, [[1.0; 3], [1.0, 0.5, -1.0]]);
}

#[test]
fn normals_of_a_flat_sheet_are_one() {
    let model = model(5);
    let mut normals = vec![[0.0f32; 3]; 25];
    State::new(&model).normals_into(&model, &mut normals);
    let first = normals[0];
    assert!(first[1].abs() == 1.0 && normals.iter().all(|n| *n == first), "{normals:?}");
}

#[test]
fn pins_arrive_whoever_told_them_and_however_often() {
    let model = model(9);
    let pins: Vec<u32> = (0..9).collect();
    let run = |tell: &dyn Fn(&mut State<f32>)| {
        let mut state = State::new(&model);
        state.set_pins(&model, &pins);
        tell(&mut state);
        step(&model, &mut state, &mut Scratch::new(1), &Params::default(), DT);
        state
    };
    let place = |v: u32| [f64::from(v) / 8.0, 0.1, 0.0];
    let targets: Vec<(u32, [f64; 3])> = pins.iter().map(|&v| (v, place(v))).collect();
    let at_once = run(&|state| assert_eq!(state.set_pin_targets(&model, &targets), 0));
    let each = run(&|state| {
        // In another order, and some twice, of which the last counts.
        for &v in pins.iter().rev() {
            state.move_pin(&model, v, [9.0; 3]);
        }
        pins.iter().rev().for_each(|&v| state.move_pin(&model, v, place(v)));
    });
    for v in 0..9 {
        assert_eq!(at_once.position(&model, v), place(v).map(|c| f64::from(c as f32)));
    }
    assert_eq!(at_once.positions(&model), each.positions(&model));
    // One that was let go in between stays where it is.
    let freed = run(&|state| {
        state.set_pin_targets(&model, &targets);
        state.unpin(&model, 4);
        state.pin(&model, 4);
    });
    assert_eq!(freed.position(&model, 4), [0.5, 0.0, 0.0]);
    let mut state = State::new(&model);
    assert_eq!(state.set_pin_targets(&model, &[(3, [0.0f32; 3])]), 1, "nothing is pinned");
}

#[test]
fn a_state_of_another_model_is_reported_and_left_alone() {
    let (model, other) = (model(5), model(5));
    let mut state = State::new(&other);
    let before = state.positions(&other);
    let report = step(&model, &mut state, &mut Scratch::new(1), &Params::default(), DT);
    assert_eq!(report.problem, Some(Problem::OtherModel));
    assert_eq!(state.positions(&other), before);
    // A copy of the model is the model.
    let report = step(&other.clone(), &mut state, &mut Scratch::new(1), &Params::default(), DT);
    assert_eq!(report.problem, None);
    let report = step(&other, &mut state, &mut Scratch::new(1), &Params::default(), f64::NAN);
    assert_eq!(report.problem, Some(Problem::TimeStep));
}

/// As many vertices, in another order perhaps: what is read or written would be others' places.
#[test]
fn a_state_of_another_model_is_not_read_or_written() {
    let (model, other) = (&model(5), &model(5));
    type Way<'a> = &'a dyn Fn(&mut State<f32>);
    let ways: [(&str, Way); 12] = [
        ("position", &|state| _ = state.position(model, 3)),
        ("velocities", &|state| _ = state.velocities(model)),
        ("positions_into", &|state| state.positions_into(model, &mut [[0.0f32; 3]; 3])),
        ("normals_into", &|state| state.normals_into(model, &mut [[0.0f32; 3]; 3])),
        ("set_positions", &|state| _ = state.set_positions(model, &[[0.0; 3]])),
        ("set_velocity", &|state| state.set_velocity(model, 3, [0.0; 3])),
        ("set_pins", &|state| state.set_pins(model, &[3])),
        ("unpin", &|state| state.unpin(model, 3)),
        ("move_pin", &|state| state.move_pin(model, 3, [0.0; 3])),
        ("strains", &|state| _ = strains(model, state)),
        ("totals", &|state| _ = taut::measure::totals(model, state, [0.0; 3])),
        ("state_hash", &|state| _ = taut::measure::state_hash(model, state)),
    ];
    for (name, way) in ways {
        let mut state = State::new(other);
        let panic = catch_unwind(AssertUnwindSafe(|| way(&mut state))).expect_err(name);
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a state of another model"), "{name}");
        // Of its own model, and of a copy of it, all is well.
        state = State::new(model);
        way(&mut state);
    }
}

#[test]
fn colliders_that_are_left_out_are_counted_and_the_first_is_named() {
    let model = model(5);
    let mut state = State::new(&model);
    let good = Collider::fixed(Shape::Sphere { radius: 0.1 }, Pose::default());
    let bad = Collider { friction: f64::NAN, ..good };
    let mesh = MeshCollider::fixed(Arc::new(ColliderMesh::new(&[[0.0; 3]; 3], &[[0, 1, 2]])));
    let short = MeshCollider { to: [[0.0; 3]; 2].as_slice().into(), ..mesh.clone() };
    let params = Params { colliders: vec![good, bad, bad], meshes: vec![mesh, short], ..Params::default() };
    let left_out = step(&model, &mut state, &mut Scratch::new(1), &params, DT).left_out;
    assert_eq!((left_out.colliders, left_out.first_collider), (2, Some(1)));
    assert_eq!((left_out.meshes, left_out.first_mesh), (1, Some(1)));
}

#[test]
fn a_spring_without_length_is_a_warning() {
    let mut builder = ModelBuilder::new();
    builder.add_vertices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]]).unwrap();
    (0..3).for_each(|v| builder.add_mass(v, 0.1).unwrap());
    builder.add_springs(&[[0, 1], [0, 2]], 100.0, 0.0).unwrap();
    let model: Model<f64> = builder.build().unwrap();
    let [warning] = &model.warnings[..] else { panic!("{:?}", model.warnings) };
    assert_eq!((warning.what, warning.count, warning.first), (Oddity::NoLength, 1, 1));
    assert_eq!(warning.to_string(), "1 spring without length, left out (first: spring 1)");
}

#[test]
fn a_call_that_fails_leaves_nothing_behind() {
    let good = sheet(4);
    let flat = TriMesh { triangles: vec![[0, 1, 2]], positions: vec![[0.0; 3]; 3], ..TriMesh::default() };
    let none = TetMesh { positions: vec![[0.0; 3]; 4], tets: vec![[0, 1, 2, 3]], ..TetMesh::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("flat", &flat, &Cloth::default()).unwrap_err();
    builder.add_solid("none", &none, &Solid::default()).unwrap_err();
    assert_eq!(builder.add_cloth("sheet", &good, &Cloth::default()).unwrap(), 0);
    builder.add_cloth_on("beyond", 1 << 20, &TriMesh::default(), &Cloth::default()).unwrap_err();
    builder.add_springs(&[[0, 1], [0, 99]], 1.0, 0.0).unwrap_err();
    let model: Model<f32> = builder.build().unwrap();
    assert_eq!((model.vertices(), model.bodies().len(), model.warnings.len()), (16, 1, 0));
}

#[test]
fn fields_say_what_they_are_and_where() {
    let model = model(4);
    let mut state = State::new(&model);
    let wide: Vec<[f64; 3]> = state.positions(&model).iter().map(|p| [1.1 * p[0], p[1], p[2]]).collect();
    state.set_positions(&model, &wide);
    state.set_velocity(&model, 5, [0.0, 3.0, 4.0]);
    let fields = strains(&model, &state).fields(&model.bodies()[0]);
    let told: Vec<_> = fields.iter().map(|field| (field.name, field.unit, field.place)).collect();
    assert_eq!(told, ["weft", "warp", "shear", "area"].map(|name| (name, "", FieldPlace::Face)));
    assert!(fields[0].values.len() == 18 && fields[0].values.iter().all(|c| (c - 0.1).abs() < 1e-5), "{fields:?}");
    let speed = Field::speed(&model, &state, &model.bodies()[0]);
    assert_eq!((speed.name, speed.unit, speed.place), ("speed", "m/s", FieldPlace::Vertex));
    assert_eq!((speed.values.len(), speed.values[5], speed.values[6]), (16, 5.0, 0.0));
}

#[test]
fn fabrics_have_names() {
    let cotton = Fabric::named("cotton").unwrap();
    let mut builder = ModelBuilder::new();
    builder.add_cloth("shirt", &sheet(9), &Cloth::from(cotton)).unwrap();
    let model: Model<f32> = builder.build().unwrap();
    let mass: f64 = model.masses().iter().sum();
    assert!((mass - cotton.density).abs() < 1e-12, "{mass} kg on a square metre");
    let names: Vec<_> = Fabric::all().iter().flat_map(Fabric::names).collect();
    assert!(names.len() >= 20 && names.iter().all(|name| Fabric::named(name).is_some()));
}
