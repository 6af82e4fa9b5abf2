//! Cloth whose triangles differ in material and in how far they may be stretched.

use taut::limit::StretchBounds;
use taut::measure::{elastic_energy, state_hash};
use taut::mesh::TriMesh;
use taut::{
    BuildError, Cloth, ClothElasticity, ElasticDamping, Membrane, Model, ModelBuilder, Orthotropic, Params, Scratch,
    State, step,
};

/// A grid in the xy-plane of n quads a side, 1 m wide.
fn grid(n: u32) -> TriMesh {
    let at = |k: u32| [f64::from(k % (n + 1)) / f64::from(n), f64::from(k / (n + 1)) / f64::from(n), 0.0];
    let cells = (0..n * n).map(|k| k / n * (n + 1) + k % n);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]).collect();
    TriMesh { positions: (0..(n + 1) * (n + 1)).map(at).collect(), triangles, ..TriMesh::default() }
}

fn elastic(young: f64, bend: f64) -> Cloth {
    let membrane = Membrane::Continuum(Orthotropic::isotropic(young, 0.2));
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [bend; 2], damping: ElasticDamping::default() };
    Cloth { elasticity: Some(elasticity), ..Cloth::default() }
}

fn varied(mesh: &TriMesh, cloth: &Cloth, each: &[Cloth], limits: Vec<StretchBounds>) -> Result<Model<f64>, BuildError> {
    let mut builder = ModelBuilder::new();
    builder.add_cloth_of("sheet", mesh, cloth, each, limits)?;
    builder.build()
}

#[test]
fn triangles_that_do_not_differ_make_the_same_cloth_to_the_bit() {
    let mesh = grid(6);
    for cloth in [elastic(300.0, 1e-4), Cloth::default()] {
        let hash = |each: &[Cloth]| {
            let model = varied(&mesh, &cloth, each, Vec::new()).unwrap();
            let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
            state.set_pins(&model, &[42, 48]);
            for _ in 0..3 {
                step(&model, &mut state, &mut scratch, &Params::default(), 1.0 / 60.0);
            }
            state_hash(&model, &state)
        };
        assert_eq!(hash(&[]), hash(&vec![cloth.clone(); mesh.triangles.len()]));
    }
}

/// Mass and energy are sums over triangles, each with its own numbers.
#[test]
fn mass_and_energy_are_those_of_each_triangle() {
    let mesh = grid(4);
    let (soft, stiff) = (elastic(100.0, 0.0), Cloth { density: 0.5, ..elastic(700.0, 0.0) });
    let right = |t: &[u32; 3]| t.iter().map(|&v| mesh.positions[v as usize][0]).sum::<f64>() > 1.5;
    let each: Vec<Cloth> = mesh.triangles.iter().map(|t| if right(t) { stiff.clone() } else { soft.clone() }).collect();
    let models = [vec![soft.clone(); 32], vec![stiff.clone(); 32], each]
        .map(|each| varied(&mesh, &soft, &each, Vec::new()).unwrap());
    let mass = |model: &Model<f64>| model.masses().iter().sum::<f64>();
    assert!((mass(&models[2]) - 0.5 * (mass(&models[0]) + mass(&models[1]))).abs() < 1e-12);
    let energy = |model: &Model<f64>| {
        let mut state = State::new(model);
        for (v, &[x, y, z]) in (0..).zip(model.rest_positions()) {
            state.set_position(model, v, [1.1 * x, y, z]);
        }
        elastic_energy(model, &state)
    };
    let [soft, stiff, both] = [0, 1, 2].map(|k| energy(&models[k]));
    assert!(stiff > 6.9 * soft && (both - 0.5 * (soft + stiff)).abs() < 1e-9 * stiff, "{soft} {stiff} {both}");
}

#[test]
fn lists_of_another_length_and_other_kinds_of_material_are_refused() {
    let mesh = grid(2);
    let cloth = elastic(100.0, 0.0);
    let said =
        |each: &[Cloth], limits: Vec<StretchBounds>| varied(&mesh, &cloth, each, limits).err().map(|e| e.to_string());
    assert!(said(std::slice::from_ref(&cloth), Vec::new()).unwrap().contains("materials"));
    assert!(said(&[], vec![StretchBounds::NONE; 3]).unwrap().contains("limits"));
    assert!(said(&vec![Cloth::default(); 8], Vec::new()).unwrap().contains("material of triangle"));
    assert!(said(&[], vec![StretchBounds { weft: f64::NAN, ..StretchBounds::NONE }; 8]).is_some());
    let odd = Cloth { density: -1.0, ..cloth.clone() };
    assert!(said(&vec![odd; 8], Vec::new()).unwrap().contains("density"));
}
