//! What a builder says to bad input.

mod common;

use taut::mesh::{TetMesh, TriMesh};
use taut::{BuildError, Cloth, ClothStiffness, Grain, ModelBuilder, Oddity, Params, Scratch, Solid, State, step};

fn triangle() -> TriMesh {
    TriMesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.5, 1.0]],
        triangles: vec![[0, 1, 2], [1, 3, 2]],
        ..TriMesh::default()
    }
}

fn cloth_error(mesh: &TriMesh, cloth: &Cloth) -> String {
    ModelBuilder::new().add_cloth("shirt", mesh, cloth).unwrap_err().to_string()
}

#[test]
fn errors_name_body_element_and_what_was_found() {
    let mut mesh = triangle();
    mesh.triangles[1][2] = 99;
    assert_eq!(
        cloth_error(&mesh, &Cloth::default()),
        "'shirt': triangle 1 refers to vertex 99, but there are 5 vertices"
    );
    let mut mesh = triangle();
    mesh.positions[3][1] = f64::NAN;
    assert_eq!(
        cloth_error(&mesh, &Cloth::default()),
        "vertex 3 is at [1.0, NaN, 0.0]; expected finite coordinates within 10,000 km"
    );
    let mut cloth = Cloth { density: -0.2, ..Cloth::default() };
    assert_eq!(cloth_error(&triangle(), &cloth), "'shirt': density is -0.2; expected kg/m², above 0");
    cloth.density = f64::NAN;
    assert_eq!(cloth_error(&triangle(), &cloth), "'shirt': density is NaN; expected kg/m², above 0");
    let stiffness = ClothStiffness { warp: -1.0, ..ClothStiffness::default() };
    let cloth = Cloth { stiffness, ..Cloth::default() };
    assert_eq!(cloth_error(&triangle(), &cloth), "'shirt': stiffness.warp is -1; expected a number from 0 to 1");
    let cloth = Cloth { grain: Grain::Direction([0.0; 3]), ..Cloth::default() };
    assert_eq!(cloth_error(&triangle(), &cloth), "'shirt': length of the grain direction is 0; expected above 0");
    let mut mesh = triangle();
    mesh.uv_triangles.push([0, 1, 2]);
    assert_eq!(
        cloth_error(&mesh, &Cloth::default()),
        "'shirt': uv_triangles has 1 entries; expected 2, one for each element"
    );
    assert_eq!(ModelBuilder::new().build::<f32>().unwrap_err(), BuildError::Empty);
    let mesh = TetMesh { positions: triangle().positions, tets: vec![[0, 1, 2, 3]], ..TetMesh::default() };
    let error = ModelBuilder::new().add_solid("jelly", &mesh, &Solid::default()).unwrap_err();
    assert_eq!(error.to_string(), "'jelly': none of the 1 tetrahedron elements can be used");
    let mut builder = ModelBuilder::new();
    builder.add_cloth("shirt", &triangle(), &Cloth::default()).unwrap();
    builder.add_mass(0, 1e20).unwrap();
    let error = builder.build::<f32>().unwrap_err().to_string();
    assert!(error.starts_with("vertex 0 has a mass of 1") && error.ends_with("expected 1e-12 to 1e12 kg"), "{error}");
}

#[test]
fn oddities_are_counted_named_and_survived() {
    let mut mesh = triangle();
    // No area, twice; a duplicate under another rotation; a third triangle on edge 1–2; vertex 4 then has mass.
    mesh.triangles.extend([[0, 0, 1], [0, 1, 1], [2, 0, 1], [1, 2, 4]]);
    mesh.positions.push([9.0, 9.0, 9.0]);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("shirt", &mesh, &Cloth { grain: Grain::Direction([1.0, 0.0, 0.0]), ..Cloth::default() }).unwrap();
    let model = builder.build::<f64>().unwrap();
    let said: Vec<_> = model.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "'shirt': 2 triangles without area, left out (first: triangle 2)",
            "'shirt': 1 triangle repeating another, left out (first: triangle 4)",
            "'shirt': 1 edge with three or more triangles, left without bending (first: at vertex 1)",
            "1 vertex without mass, held in place (first: vertex 5)",
        ]
    );
    assert_eq!(model.elements().triangles.count, 3);
    assert_eq!(model.elements().hinges.count, 0);
}

#[test]
fn inside_out_and_flat_tetrahedra() {
    let mut mesh = common::bar(1, 1, 1, 1.0);
    mesh.tets[2].swap(0, 1);
    mesh.tets.push([0, 1, 2, 3]);
    mesh.tets.push(mesh.tets[0]);
    mesh.frames = vec![[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]; mesh.tets.len()];
    mesh.frames[4] = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [f64::NAN; 3]];
    let mut builder = ModelBuilder::new();
    builder.add_solid("jelly", &mesh, &Solid::default()).unwrap();
    let model = builder.build::<f64>().unwrap();
    let found: Vec<_> = model.warnings.iter().map(|w| (w.what, w.count, w.first)).collect();
    assert_eq!(
        found,
        [(Oddity::InsideOut, 1, 2), (Oddity::NoVolume, 1, 6), (Oddity::DuplicateTet, 1, 7), (Oddity::BadFrame, 1, 4)]
    );
    let mass: f64 = model.masses().iter().sum();
    assert!((mass - 1000.0).abs() < 1e-9, "a cubic metre of water, each part once: {mass}");
}

#[test]
fn unusable_texture_coordinates_are_counted() {
    let warnings = |mesh: &TriMesh| {
        let mut builder = ModelBuilder::new();
        builder.add_cloth("shirt", mesh, &Cloth::default()).unwrap();
        let model = builder.build::<f64>().unwrap();
        model.warnings.iter().map(|w| (w.what, w.count, w.first)).collect::<Vec<_>>()
    };
    let good = common::sheet(9);
    assert_eq!(warnings(&good), []);
    let missing = TriMesh { uvs: vec![], uv_triangles: vec![], ..good.clone() };
    assert_eq!(warnings(&missing), [(Oddity::NoGrain, 128, 0)]);
    // One vertex's coordinates collapsed onto a neighbour's: its triangles are degenerate or torn.
    let mut torn = good.clone();
    torn.uv_triangles[5] = [3, 3, 4];
    torn.uv_triangles[7][1] = 4_000_000;
    assert_eq!(warnings(&torn), [(Oddity::NoGrain, 2, 5)]);
    let mut rng = common::Rng(1);
    let mut scrambled = good.clone();
    for uv in &mut scrambled.uvs {
        *uv = [rng.within(0.0, 1.0), rng.within(0.0, 1.0)];
    }
    let found = warnings(&scrambled);
    assert_eq!(found[0].0, Oddity::ScrambledGrain, "{found:?}");
}

/// With usable coordinates the grain follows them, wherever the mesh points.
#[test]
fn grain_follows_texture_coordinates() {
    let mut mesh = common::sheet(5);
    // Weft along the diagonal of the sheet, the pattern mirrored and scaled unevenly by 2.
    for (uv, p) in mesh.uvs.iter_mut().zip(&mesh.positions) {
        *uv = [-2.0 * (p[0] + p[2]), p[2] - p[0]];
    }
    let mut builder = ModelBuilder::new();
    builder.add_cloth("bias", &mesh, &Cloth::default()).unwrap();
    let model = builder.build::<f64>().unwrap();
    let mut state = taut::State::new(&model);
    // Stretched by 10 % along the diagonal (1, 0, 1) only.
    for v in 0..25 {
        let [x, y, z] = state.position(&model, v);
        let along = 0.1 * (x + z) / 2.0;
        state.set_position(&model, v, [x + along, y, z + along]);
    }
    for [weft, warp, shear, area] in taut::measure::strains(&model, &state).triangles {
        assert!((weft - 0.1).abs() < 1e-12 && warp.abs() < 1e-12 && shear.abs() < 1e-12, "{weft} {warp} {shear}");
        assert!((area - 0.1).abs() < 1e-12);
    }
}

/// The others waited for ever for the worker that had left.
#[test]
fn a_clock_that_panics_on_one_of_several_threads_ends_the_step() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    fn clock() -> f64 {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        assert!(call != 37, "no more time");
        f64::from(call)
    }
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &common::sheet(9), &Cloth::default()).unwrap();
    let model = builder.build::<f32>().unwrap();
    let mut state = State::new(&model);
    let mut scratch = Scratch::new(3).eager().with_clock(clock);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut run = || {
        (0..20).for_each(|_| {
            step(&model, &mut state, &mut scratch, &Params::default(), 0.01);
        })
    };
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut run));
    std::panic::set_hook(hook);
    assert_eq!(ended.expect_err("it is heard").downcast_ref(), Some(&"no more time"));
    // Memory is whole, and the clock goes again.
    run();
    assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite()));
}
