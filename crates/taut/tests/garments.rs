//! Coarse levels over garments: cloth that does not lie flat in one piece. They help, or they step back.

use taut::measure::{state_hash, strains};
use taut::mesh::TriMesh;
use taut::{
    Cloth, ClothStiffness, Inextensibility, InextensibilityReport, Model, ModelBuilder, Params, Scratch, State, Width,
    step,
};

const DT: f64 = 1.0 / 60.0;

/// Cloth closed around, from (column, row) to its place; `turn` is the angle of the grain in each column.
fn tube(
    around: usize,
    rows: usize,
    place: impl Fn(usize, usize) -> [f64; 3],
    turn: impl Fn(usize) -> f64,
    edge: f64,
) -> TriMesh {
    let mut mesh = TriMesh::default();
    for j in 0..=rows {
        mesh.positions.extend((0..around).map(|i| place(i, j)));
    }
    let id = |i: usize, j: usize| (j * around + i % around) as u32;
    for (i, j) in (0..rows).flat_map(|j| (0..around).map(move |i| (i, j))) {
        let (sin, cos) = turn(i).sin_cos();
        let first = mesh.uvs.len() as u32;
        for (a, b) in [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)] {
            let (u, v) = (edge * a as f64, edge * b as f64);
            mesh.uvs.push([u * cos - v * sin, u * sin + v * cos]);
        }
        let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1)];
        let split = if (i + j) % 2 == 0 { [[0, 1, 2], [1, 3, 2]] } else { [[0, 1, 3], [0, 3, 2]] };
        for t in split {
            mesh.triangles.push(t.map(|k: usize| [a, b, c, d][k]));
            mesh.uv_triangles.push(t.map(|k: usize| first + k as u32));
        }
    }
    mesh
}

/// Wide, narrow at the waist, wide again: curved both ways everywhere.
fn dress(around: usize, rows: usize) -> TriMesh {
    let place = |i: usize, j: usize| {
        let (a, t) = (core::f64::consts::TAU * i as f64 / around as f64, j as f64 / rows as f64);
        let r = 0.11 + 0.04 * (3.0 * core::f64::consts::PI * t).cos() + 0.3 * t * t;
        // Beside the origin: no coordinate is zero, whose sign is not told.
        [r * a.cos() + 0.0137, 0.3 - 1.1 * t, 0.7 * r * a.sin() + 0.0071]
    };
    tube(around, rows, place, |_| 0.0, 0.015)
}

/// Four flat panels around a square, sewn together, each with its grain turned by another angle.
fn panels(side: usize, rows: usize) -> TriMesh {
    let (n, width) = (4 * side, 0.4);
    let edge = width / side as f64;
    let place = |i: usize, j: usize| {
        let t = edge * (i % side) as f64;
        let [x, z] = [[t, 0.0], [width, t], [width - t, width], [0.0, width - t]][i % n / side];
        [x, -edge * j as f64, z]
    };
    tube(n, rows, place, |i| (30.0 * (i / side) as f64).to_radians(), edge)
}

fn model(mesh: &TriMesh) -> Model<f32> {
    let stiffness = ClothStiffness { weft: 1.0, warp: 1.0, shear: 0.1, area: 0.0, bend: 0.0, edge: 0.0 };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("garment", mesh, &Cloth { stiffness, ..Cloth::default() }).unwrap();
    builder.build().unwrap()
}

/// Hung up by its first row, which turns back and forth: what holding did, the largest stretch along weft or warp after
/// any frame, and the state's hash.
fn hang(
    mesh: &TriMesh,
    held: usize,
    levels: u32,
    frames: u32,
    mut scratch: Scratch<f32>,
) -> (InextensibilityReport, f64, u64) {
    let model = model(mesh);
    let mut state = State::new(&model);
    (0..held as u32).for_each(|v| state.pin(&model, v));
    let hold = Inextensibility { levels, ..Inextensibility::within(0.01) };
    let params = Params { substeps: 0, inextensibility: hold, ..Params::default() };
    let (mut peak, mut did) = (0.0, InextensibilityReport::default());
    for frame in 1..=frames {
        let (sin, cos) = (0.3 * (0.2 * f64::from(frame)).sin()).sin_cos();
        for v in 0..held {
            let [x, y, z] = mesh.positions[v];
            state.move_pin(&model, v as u32, [x * cos - z * sin, y, x * sin + z * cos]);
        }
        did = did.then(step(&model, &mut state, &mut scratch, &params, DT).inextensibility);
        let strains = strains(&model, &state);
        peak = strains.triangles.iter().flat_map(|t| [t[0], t[1]]).fold(peak, f64::max);
    }
    (did, peak, state_hash(&model, &state))
}

#[test]
fn levels_hold_a_dress_of_many_charts() {
    let mesh = dress(48, 36);
    let [with, without] = [12, 0].map(|levels| hang(&mesh, 48, levels, 8, Scratch::new(1)));
    assert!(with.0.charts > 10 && with.0.levels >= 2, "{:?}", with.0);
    assert!(with.1 <= 0.0101 && with.0.unmet == 0, "{with:?}");
    assert!(with.0.rounds < without.0.rounds, "{with:?}, without levels {without:?}");
    let other = hang(&mesh, 48, 12, 8, Scratch::new(2).with_width(Width::W4).eager());
    assert_eq!(with.2, other.2, "threads and lanes");
}

#[test]
fn levels_leave_panels_with_turned_grain_as_they_hang() {
    let mesh = panels(16, 28);
    let [with, without] = [12, 0].map(|levels| hang(&mesh, 64, levels, 8, Scratch::new(1)));
    assert!(with.0.levels >= 2, "{:?}", with.0);
    assert!(with.1 <= 0.0101 && with.0.unmet == 0, "{with:?}");
    assert!(with.0.rounds <= without.0.rounds + 8, "{with:?}, without levels {without:?}");
}
