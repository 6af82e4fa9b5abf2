//! What touches what, one by one: places, directions and parties that a person would name.

mod common;

use common::sheet;
use std::sync::Arc;
use taut::measure::{Touch, Toucher, contacts};
use taut::mesh::TriMesh;
use taut::{
    Cloth, Collider, ColliderMesh, Contact, ContactMaterial, MeshCollider, Model, ModelBuilder, Params, Pose, Scratch,
    Shape, State, step,
};

fn thick(thickness: f64) -> Contact {
    Contact { materials: vec![ContactMaterial { thickness, ..ContactMaterial::default() }], ..Contact::default() }
}

fn triangle(at: [[f64; 3]; 3]) -> TriMesh {
    TriMesh { positions: at.to_vec(), triangles: vec![[0, 1, 2]], ..TriMesh::default() }
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    (0..3).all(|k| (a[k] - b[k]).abs() < 1e-9)
}

/// Cloths that are far from each other at rest, and where their meshes are in the state: what is near at rest may stay
/// as near.
fn cloths(meshes: &[TriMesh]) -> (Model<f64>, State<f64>) {
    let mut builder = ModelBuilder::new();
    for (number, mesh) in meshes.iter().enumerate() {
        let mut apart = mesh.clone();
        apart.positions.iter_mut().for_each(|p| p[1] += 10.0 * number as f64);
        builder.add_cloth("cloth", &apart, &Cloth::default()).unwrap();
    }
    let model = builder.build().unwrap();
    let mut state = State::new(&model);
    let places: Vec<[f64; 3]> = meshes.iter().flat_map(|mesh| mesh.positions.clone()).collect();
    state.set_positions(&model, &places);
    (model, state)
}

/// The middle of the closest points, from weights and positions: what arrays must agree with.
fn agrees(model: &Model<f64>, state: &State<f64>, touch: &Touch) -> bool {
    let mut delta = [0.0; 3];
    for (v, w) in touch.vertices.iter().zip(touch.weights) {
        let Some(v) = v else { return true };
        let p = state.position(model, *v);
        (0..3).for_each(|k| delta[k] += w * p[k]);
    }
    near(delta, touch.normal.map(|c| c * touch.distance))
}

#[test]
fn a_corner_over_a_triangle_and_two_edges_that_cross() {
    let ground = triangle([[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]]);
    let above = triangle([[0.1, 0.004, -0.2], [0.3, 1.0, -0.2], [-0.2, 1.0, 0.1]]);
    let (model, state) = cloths(&[ground, above]);
    let found = contacts(&model, &state, &thick(0.01), (&[], &[]), 1.0);
    assert_eq!(found.len(), 1, "{found:?}");
    let touch = found[0];
    let up = if touch.between[0] == Toucher::Body(1) { 1.0 } else { -1.0 };
    assert_eq!((touch.vertices[0], up), (Some(3), 1.0));
    assert!(near(touch.at, [0.1, 0.002, -0.2]) && near(touch.normal, [0.0, 1.0, 0.0]));
    assert!((touch.distance - 0.004).abs() < 1e-12 && (touch.kept - 0.01).abs() < 1e-12);
    assert!(agrees(&model, &state, &touch));
    // Not with a reach of less than the distance, nor without materials.
    assert!(contacts(&model, &state, &thick(0.01), (&[], &[]), 0.39).is_empty());
    assert!(contacts(&model, &state, &Contact::default(), (&[], &[]), 1.0).is_empty());
    let a = triangle([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]);
    let b = triangle([[0.0, 0.003, -1.0], [0.0, 0.003, 1.0], [0.0, 1.0, 0.0]]);
    let (model, state) = cloths(&[a, b]);
    let found = contacts(&model, &state, &thick(0.01), (&[], &[]), 1.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        near(found[0].at, [0.0, 0.0015, 0.0]) && found[0].normal[1].abs() == 1.0 && agrees(&model, &state, &found[0])
    );
}

/// A vertex over an edge that two triangles share touches it once; neighbours in one cloth do not touch each other.
#[test]
fn a_place_on_an_edge_is_one_place_and_neighbours_are_no_contacts() {
    let (model, state) = cloths(&[sheet(3), triangle([[0.5, 0.003, 0.25], [0.4, 1.0, 0.2], [0.6, 1.0, 0.3]])]);
    let found = contacts(&model, &state, &thick(0.01), (&[], &[]), 1.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].vertices[0], Some(9));
}

#[test]
fn shapes_and_meshes_are_named_by_their_numbers() {
    let (model, state) = cloths(&[triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])]);
    let bad = Collider::fixed(Shape::Sphere { radius: f64::NAN }, Pose::default());
    let floor = Collider::fixed(Shape::Plane, Pose::at([0.0, -0.0015, 0.0]));
    let ball = Collider::fixed(Shape::Sphere { radius: 0.5 }, Pose::at([1.0, 0.501, 0.0]));
    let found = contacts(&model, &state, &Contact::default(), (&[bad, floor, ball], &[]), 1.0);
    let of = |number: u32| found.iter().filter(move |t| t.between[1] == Toucher::Collider(number)).collect::<Vec<_>>();
    assert_eq!([of(0).len(), of(1).len(), of(2).len(), found.len()], [0, 3, 1, 4]);
    let touch = of(2)[0];
    assert_eq!((touch.between[0], touch.vertices[0]), (Toucher::Body(0), Some(1)));
    assert!(near(touch.normal, [0.0, -1.0, 0.0]) && near(touch.at, [1.0, 0.0005, 0.0]));
    // A mesh under the middle of the triangle, pointing up.
    let peak = ColliderMesh::new(&[[0.2, -0.001, 0.2], [0.3, -1.0, 0.2], [0.2, -1.0, 0.3]], &[[0, 1, 2]]);
    let meshes = [MeshCollider::fixed(Arc::new(peak))];
    let found = contacts(&model, &state, &thick(0.002), (&[], &meshes), 1.0);
    assert_eq!(found.len(), 1, "{found:?}");
    let (touch, mesh) = (found[0], Toucher::Mesh(0));
    let side = touch.between.iter().position(|t| *t == mesh).unwrap();
    assert!(near(touch.normal, [0.0, if side == 0 { -1.0 } else { 1.0 }, 0.0]) && near(touch.at, [0.2, -0.0005, 0.2]));
}

/// Cloth that has come to rest on a table touches it with every vertex, and a cloth on a cloth the one below.
#[test]
fn what_lies_on_a_table_touches_it() {
    let mut upper = sheet(5);
    upper.positions.iter_mut().for_each(|p| *p = [0.25 + 0.5 * p[0], 0.012, 0.25 + 0.5 * p[2]]);
    let mut lower = sheet(5);
    lower.positions.iter_mut().for_each(|p| p[1] = 0.003);
    let (model, mut state) = cloths(&[lower, upper]);
    let params = Params {
        colliders: vec![Collider::fixed(Shape::Plane, Pose::default())],
        contact: thick(0.005),
        ..Params::default()
    };
    let mut scratch = Scratch::new(1);
    for _ in 0..30 {
        step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
    }
    let found = contacts(&model, &state, &params.contact, (&params.colliders, &[]), 1.1);
    let table = found.iter().filter(|t| t.between[1] == Toucher::Collider(0)).count();
    let layers: Vec<_> = found
        .iter()
        .filter(|t| t.between.contains(&Toucher::Body(1)) && t.between.contains(&Toucher::Body(0)))
        .collect();
    assert_eq!(table, 25, "the lower cloth, all of it, and nothing else");
    assert!(layers.len() >= 25, "{}", layers.len());
    assert!(layers.iter().all(|t| agrees(&model, &state, t) && t.distance > 0.9 * t.kept && t.normal[1].abs() > 0.99));
}
