//! Elastic forces and their derivatives against central differences of energies and forces.

mod common;

use common::{Rng, bar, sheet};
use taut::measure::{Tangent, elastic_energy, tangent};
use taut::{
    Bending, Cloth, ClothElasticity, Constraint, ConstraintRow, ElasticDamping, Membrane, Model, ModelBuilder,
    Orthotropic, RowSide, RowStrength, Solid, SolidElasticity, State,
};

/// Heights above a floor that is curved: y + x².
#[derive(Debug)]
struct Floor;

impl Constraint for Floor {
    fn name(&self) -> &str {
        "floor"
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        for i in 0..rows.len() {
            values[i] = x[i][1] + x[i][0] * x[i][0];
            gradients[i] = [2.0 * x[i][0], 1.0, 0.0];
        }
    }
}

/// Cloth with hinges or patches, a bar, springs, and rows of the user's own.
fn model(gamma: f64, bending: Bending) -> Model<f64> {
    let mut builder = ModelBuilder::new();
    let membrane = Membrane::Continuum(Orthotropic { weft: 200.0, warp: 100.0, poisson: 0.3, shear: 30.0 });
    let damping = ElasticDamping { stretch: gamma, shear: gamma, bend: gamma };
    let elasticity = ClothElasticity { membrane, area: 20.0, bend: [2e-2, 1e-2], damping };
    let cloth = Cloth { elasticity: Some(elasticity), bending, ..Cloth::default() };
    builder.add_cloth("sheet", &sheet(4), &cloth).unwrap();
    let solid = SolidElasticity { young: 100.0, poisson: 0.3, volume: 50.0, damping: gamma };
    builder.add_solid("bar", &bar(1, 1, 1, 0.5), &Solid { elasticity: Some(solid), ..Solid::default() }).unwrap();
    builder.add_springs(&[[3, 17], [5, 20]], 30.0, gamma).unwrap();
    let row = |v: u32, side| ConstraintRow {
        vertices: vec![v],
        strength: RowStrength::Compliance { compliance: 0.02, damping: gamma },
        side,
    };
    let rows = [row(1, RowSide::Zero), row(6, RowSide::AtLeast), row(7, RowSide::AtMost)];
    builder.add_constraint(Floor, &rows).unwrap();
    builder.build().unwrap()
}

fn shaken(model: &Model<f64>, by: f64, seed: u64) -> Vec<[f64; 3]> {
    let mut rng = Rng(seed);
    let moved = |p: &[f64; 3]| core::array::from_fn(|k| p[k] + rng.within(-by, by));
    model.rest_positions().iter().map(moved).collect()
}

/// Columns of a matrix of blocks: what it makes of a step of vertex `j` along `d`, at all vertices.
fn column(tangent: &Tangent, blocks: &[[[f64; 3]; 3]], j: u32, d: usize) -> Vec<[f64; 3]> {
    let mut out = vec![[0.0; 3]; tangent.forces.len()];
    for (&[i, of], block) in tangent.pairs.iter().zip(blocks) {
        if of == j {
            (0..3).for_each(|k| out[i as usize][k] += block[k][d]);
        }
    }
    out
}

fn largest(list: &[[f64; 3]]) -> f64 {
    list.iter().flatten().fold(0.0, |most, c| most.max(c.abs()))
}

#[test]
fn forces_are_what_the_energy_falls_by() {
    for bending in [Bending::Hinges, Bending::Patches] {
        let model = model(0.0, bending);
        let x = shaken(&model, 0.05, 3);
        let still = vec![[0.0; 3]; x.len()];
        let found = tangent(&model, &x, &still).unwrap();
        assert!(found.damping.is_empty() && largest(&found.forces) > 1.0);
        let mut state = State::new(&model);
        let mut energy = |x: &[[f64; 3]]| {
            state.set_positions(&model, x);
            elastic_energy(&model, &state)
        };
        for v in 0..x.len() {
            for d in 0..3 {
                let mut moved = x.clone();
                let mut at = |by: f64| {
                    moved[v][d] = x[v][d] + by;
                    energy(&moved)
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                let error = (found.forces[v][d] + slope).abs();
                assert!(error < 1e-6 * (1.0 + slope.abs()), "{bending:?} vertex {v}, {d}: {slope} {error}");
            }
        }
    }
}

#[test]
fn stiffness_and_damping_are_how_forces_change() {
    for bending in [Bending::Hinges, Bending::Patches] {
        let model = model(0.1, bending);
        let (x, v) = (shaken(&model, 0.05, 4), shaken(&model, 1.0, 5));
        let found = tangent(&model, &x, &v).unwrap();
        let scale = found.stiffness.iter().map(|b| largest(b)).fold(0.0, f64::max);
        for j in 0..x.len() {
            for d in 0..3 {
                let forces = |dx: f64, dv: f64| {
                    let (mut x, mut v) = (x.clone(), v.clone());
                    (x[j][d], v[j][d]) = (x[j][d] + dx, v[j][d] + dv);
                    tangent(&model, &x, &v).unwrap().forces
                };
                let h = 1e-6;
                let by_place = (column(&found, &found.stiffness, j as u32, d), forces(h, 0.0), forces(-h, 0.0));
                let by_speed = (column(&found, &found.damping, j as u32, d), forces(0.0, h), forces(0.0, -h));
                for (which, (column, ahead, behind)) in [("place", by_place), ("speed", by_speed)] {
                    for (i, column) in column.iter().enumerate() {
                        for k in 0..3 {
                            let slope = -(ahead[i][k] - behind[i][k]) / (2.0 * h);
                            let error = (column[k] - slope).abs();
                            assert!(error < 1e-6 * scale, "{bending:?} {which} {i} by {j}: {} {slope}", column[k]);
                        }
                    }
                }
            }
        }
    }
}

/// A row that allows what it is at pulls nothing; the others do.
#[test]
fn one_sided_rows_act_on_their_side_alone() {
    let model = model(0.0, Bending::Hinges);
    let mut x = model.rest_positions().to_vec();
    let still = vec![[0.0; 3]; x.len()];
    let force = |x: &[[f64; 3]], v: usize| {
        let at_rest = tangent(&model, model.rest_positions(), &still).unwrap().forces[v][1];
        let rigid: Vec<_> = x.to_vec();
        tangent(&model, &rigid, &still).unwrap().forces[v][1] - at_rest
    };
    // All of the sheet goes down by 1 m, so that nothing but the floor feels it.
    x[..16].iter_mut().for_each(|p| p[1] -= 1.0);
    assert!(force(&x, 6) > 10.0, "below the floor, and pushed up");
    assert!(force(&x, 7).abs() < 1e3 && tangent(&model, &x, &still).unwrap().forces[7][1] < 1e-9, "may be below");
    assert_eq!(tangent(&model, &x[1..], &still), None);
}
