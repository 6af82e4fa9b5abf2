//! Elements with held vertices must not throw their free ones away.

use taut::mesh::TriMesh;
use taut::{Air, Cloth, ClothDamping, ModelBuilder, Params, Scratch, State, measure, step};

/// A grid of `n` × `n` vertices in the xy-plane, diagonals alternating.
fn grid(n: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for j in 0..n {
        for i in 0..n {
            mesh.positions.push([f64::from(i) * 0.02 + 0.003, f64::from(j) * 0.02 + 1.4, 0.0]);
        }
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let (a, b, c, d) = (j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i);
            let cut = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.triangles.extend(cut);
        }
    }
    mesh
}

/// A triangle with a held side cannot be stretched along it by its free corner, nor can a hinge be bent by a corner on
/// its own axis: both used to be tried, with corrections as large as their gradients were small.
#[test]
fn a_flag_held_along_its_side_stays_whole_in_the_wind() {
    let n = 21;
    let damping = ClothDamping { weft: 2.0, warp: 2.0, shear: 2.0, bend: 5.0, ..ClothDamping::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("flag", &grid(n), &Cloth { damping, density: 0.12, ..Cloth::default() }).unwrap();
    let model = builder.build::<f32>().unwrap();
    let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
    (0..n).for_each(|j| state.pin(&model, j * n));
    let air = Air { wind: [6.0, 0.0, 1.5], density: 1.2, ..Air::default() };
    let params = Params { air, ..Params::default() };
    for _ in 0..60 {
        let report = step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
        assert_eq!(report.contained, 0);
    }
    let [weft, warp, ..] = measure::strains(&model, &state).cloth();
    assert!(weft.max < 1.0 && warp.max < 1.0, "{weft:?} {warp:?}");
}
