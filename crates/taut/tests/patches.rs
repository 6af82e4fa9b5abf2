//! Bending by patches: energies of bent sheets, rest shapes, folds, and meshes that hardly have any.

mod common;

use taut::internals::lanes::V3;
use taut::measure::elastic_energy;
use taut::mesh::TriMesh;
use taut::{
    Bending, Cloth, ClothElasticity, ElasticDamping, Grain, Membrane, Model, ModelBuilder, Orthotropic, Params,
    Scratch, Solver, State, step,
};

const BEND: [f64; 2] = [2e-3, 5e-3];

/// Cloth that resists nothing but bending.
fn limp(bend: [f64; 2]) -> Cloth {
    let membrane = Membrane::Continuum(Orthotropic { weft: 0.0, warp: 0.0, poisson: 0.0, shear: 0.0 });
    let elasticity = ClothElasticity { membrane, area: 0.0, bend, damping: ElasticDamping::default() };
    Cloth {
        elasticity: Some(elasticity),
        bending: Bending::Patches,
        grain: Grain::Direction([1.0, 0.0, 0.0]),
        ..Cloth::default()
    }
}

fn model(mesh: &TriMesh, cloth: &Cloth) -> Model<f64> {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", mesh, cloth).unwrap();
    builder.build().unwrap()
}

/// The energy with every vertex moved, J.
fn energy(model: &Model<f64>, mut to: impl FnMut([f64; 3]) -> [f64; 3]) -> f64 {
    let mut state = State::new(model);
    for (v, &p) in model.rest_positions().iter().enumerate() {
        state.set_position(model, v as u32, to(p));
    }
    elastic_energy(model, &state)
}

/// Rolled up to a cylinder, with curvature `k` (1/m) along the direction (cos, sin) in the xz-plane, without stretch.
fn rolled(k: f64, degrees: f64) -> impl Fn([f64; 3]) -> [f64; 3] {
    let (s, c) = degrees.to_radians().sin_cos();
    move |p| {
        let (along, across) = (c * p[0] + s * p[2], c * p[2] - s * p[0]);
        let (x, y) = ((k * along).sin() / k, (1.0 - (k * along).cos()) / k);
        [c * x - s * across, y, s * x + c * across]
    }
}

/// The same sheet with its vertices shifted about, but for the border's.
fn shaken(n: usize, by: f64) -> TriMesh {
    let mut mesh = common::sheet(n);
    let mut rng = common::Rng(11);
    for p in &mut mesh.positions {
        let d = rng.vector(by / (n - 1) as f64);
        if [p[0], p[2]].iter().all(|&x| x > 1e-9 && x < 1.0 - 1e-9) {
            *p = [p[0] + d.x, p[1], p[2] + d.z];
        }
    }
    mesh
}

/// A cylinder has ½ B κ² for each m², with B cos² + B' sin² of the angle to the weft. On the bias half of that is
/// twist, which is fitted with less care. On alternating diagonals the angles alone see it twice, by hand: (∓κ, ∓κ, κ)
/// for a twist κ, half too much in all on the bias. The fit has to take a third of that excess away at least.
#[test]
fn a_rolled_sheet_has_a_plates_energy() {
    for mesh in [common::sheet(17), shaken(17, 0.25)] {
        let model = model(&mesh, &limp(BEND));
        assert_eq!(model.elements().patches.count + model.elements().hinges.count, mesh.triangles.len());
        for (degrees, tolerance) in [(0.0, 0.03), (90.0, 0.03), (45.0, 1.0 / 3.0), (-45.0, 1.0 / 3.0)] {
            let (k, (s, c)) = (0.3, f64::to_radians(degrees).sin_cos());
            // The border has no angles: half a cell at either end of the bend stays flat.
            let plate = 0.5 * k * k * (BEND[0] * c * c + BEND[1] * s * s) * 15.0 / 16.0;
            let found = energy(&model, rolled(k, degrees));
            assert!((found / plate - 1.0).abs() < tolerance, "{degrees}°: {found} J, a plate has {plate} J");
        }
    }
}

/// A sheet that is curved at rest has no energy there nor anywhere that it is turned or carried to, stays where it is,
/// and has a plate's energy when it is laid flat.
#[test]
fn a_rest_shape_is_kept() {
    let mut mesh = common::sheet(17);
    let bend = rolled(2.0, 0.0);
    mesh.positions.iter_mut().for_each(|p| *p = bend(*p));
    let cloth = Cloth { grain: Grain::default(), ..limp(BEND) };
    let model = model(&mesh, &cloth);
    let turned = |p: [f64; 3]| {
        let p = V3::from(p);
        let axis = V3::new(1.0, 2.0, -1.0) * (1.0 / 6.0f64.sqrt());
        let (s, c) = 2.1f64.sin_cos();
        (p * c + axis.cross(p) * s + axis * (axis.dot(p) * (1.0 - c)) + V3::new(3.0, -2.0, 5.0)).into()
    };
    let flat = |p: [f64; 3]| [(2.0 * p[0]).asin() / 2.0, 0.0, p[2]];
    let plate = 0.5 * BEND[0] * 4.0;
    assert!(energy(&model, |p| p) < 1e-20 && energy(&model, turned) < 1e-12 * plate);
    // The arc is 2 rad long: past a quarter turn the sine runs back, so only the first part is laid flat.
    let half = |p: [f64; 3]| if p[1] <= 0.5 { flat(p) } else { p };
    assert!(energy(&model, half) > 0.3 * plate);
    let mut state = State::new(&model);
    let params = Params { gravity: [0.0; 3], solver: Solver::Newton, substeps: 1, iterations: 20, ..Params::default() };
    let mut scratch = Scratch::new(1);
    for _ in 0..20 {
        step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
    }
    let now = state.positions(&model);
    let moved = now.iter().zip(&mesh.positions).map(|(a, b)| (V3::from(*a) - V3::from(*b)).norm2());
    assert!(moved.fold(0.0, f64::max).sqrt() < 1e-9);
}

/// Folded about its middle line, a sheet has the more energy the sharper the fold, up to nearly flat upon itself; and
/// let go, it opens, with every solver, and nothing breaks.
#[test]
fn a_sharp_fold_opens() {
    let mesh = common::sheet(9);
    let membrane = Membrane::Continuum(Orthotropic::isotropic(500.0, 0.3));
    let damping = ElasticDamping { stretch: 0.01, shear: 0.01, bend: 0.01 };
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: BEND, damping };
    let cloth = Cloth { elasticity: Some(elasticity), ..limp(BEND) };
    let model = model(&mesh, &cloth);
    let folded = |degrees: f64| {
        move |p: [f64; 3]| {
            let (s, c) = degrees.to_radians().sin_cos();
            let x = p[0] - 0.5;
            if x > 0.0 { [0.5 + c * x, s * x, p[2]] } else { p }
        }
    };
    let energies: Vec<f64> = (0..=17).map(|i| energy(&model, folded(10.0 * f64::from(i)))).collect();
    assert!(energies.is_sorted_by(|a, b| a < b), "{energies:?}");
    for solver in common::solvers() {
        let mut state = State::new(&model);
        for (v, &p) in mesh.positions.iter().enumerate() {
            state.set_position(&model, v as u32, folded(170.0)(p));
        }
        let params = Params { gravity: [0.0; 3], solver, substeps: 4, iterations: 20, ..Params::default() };
        let mut scratch = Scratch::new(1);
        for _ in 0..30 {
            step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
        }
        let now = elastic_energy(&model, &state);
        assert!(now < 0.9 * energies[17], "{solver:?}: {now} J of {} J", energies[17]);
        let reach = state.positions(&model).iter().flatten().fold(0.0f64, |m, c| m.max(c.abs()));
        assert!(reach < 3.0, "{solver:?}: thrown {reach} m");
    }
}

/// Where six different vertices cannot be had, and where triangles have hardly any area or a grain of their own, cloth
/// is built, resists, and stays finite.
#[test]
fn odd_meshes_bend_too() {
    let mesh = |positions: &[[f64; 3]], triangles: &[[u32; 3]]| TriMesh {
        positions: positions.to_vec(),
        triangles: triangles.to_vec(),
        ..TriMesh::default()
    };
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
    let corner = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    let sliver =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 1e-6], [0.5, 0.0, -1.0], [0.2, 0.0, 1.0], [0.8, 0.0, 1.0]];
    let cases = [
        ("one triangle", mesh(&square[..3], &[[0, 2, 1]]), false),
        ("two triangles", mesh(&square, &[[0, 2, 1], [1, 2, 3]]), true),
        ("a closed tetrahedron", mesh(&corner, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), true),
        ("a sliver", mesh(&sliver, &[[0, 2, 1], [0, 1, 3], [0, 4, 2], [2, 5, 1], [2, 4, 5]]), true),
    ];
    for (name, mesh, bends) in cases {
        for bend in [BEND, [1e-3, 0.0]] {
            let model = model(&mesh, &limp(bend));
            let mut rng = common::Rng(3);
            let shaken = energy(&model, |p| (V3::from(p) + rng.vector(0.1)).into());
            assert!(shaken.is_finite() && (shaken > 0.0) == bends, "{name}: {shaken} J");
            let mut state = State::new(&model);
            let mut scratch = Scratch::new(1);
            for _ in 0..20 {
                step(&model, &mut state, &mut scratch, &Params::default(), 1.0 / 60.0);
            }
            assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite()), "{name}");
        }
    }
}
