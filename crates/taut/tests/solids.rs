//! Soft bodies with a physical stiffness against closed forms.

mod common;

use taut::measure::elastic_energy;
use taut::{Model, ModelBuilder, Params, Scratch, Solid, SolidElasticity, Solver, State, step};

/// Young's modulus, Pa.
const YOUNG: f64 = 1e5;
/// A bar of 4 × 2 × 1 cubes of this size, m, along x.
const CELL: f64 = 0.1;
const CUBES: [usize; 3] = [4, 2, 1];
const G: f64 = 9.81;

/// A bar pulled along x to `stretch` times its length, free across. With St Venant–Kirchhoff's law and nothing across,
/// S₂₂ = S₃₃ = 0: Green's strain e = (stretch² − 1)/2 goes with −ν e across, so the bar is √(1 − ν (stretch² − 1))
/// times as wide; S₁₁ = E e, so the force on each m² of the end at rest is stretch · E e, and the energy of each m³ is
/// ½ E e².
struct Pull {
    poisson: f64,
    stretch: f64,
}

impl Pull {
    fn strain(&self) -> f64 {
        0.5 * (self.stretch * self.stretch - 1.0)
    }

    /// Width over width at rest.
    fn across(&self) -> f64 {
        (1.0 - 2.0 * self.poisson * self.strain()).sqrt()
    }

    /// Pa, on the end at rest.
    fn traction(&self) -> f64 {
        self.stretch * YOUNG * self.strain()
    }

    fn goes_to(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [self.stretch * x, self.across() * y, self.across() * z]
    }

    /// The bar, next to massless, with weights at its far end that pull along x as the traction does: each triangle of
    /// the end gives a third of its share to each corner.
    fn model(&self) -> Model<f64> {
        let mesh = common::bar(CUBES[0], CUBES[1], CUBES[2], CELL);
        let elasticity = SolidElasticity { young: YOUNG, poisson: self.poisson, volume: 0.0, damping: 0.0 };
        let solid = Solid { density: 1e-3, elasticity: Some(elasticity), ..Solid::default() };
        let mut builder = ModelBuilder::new();
        builder.add_solid("bar", &mesh, &solid).unwrap();
        let end = |v: u32| (mesh.positions[v as usize][0] - CUBES[0] as f64 * CELL).abs() < 1e-9;
        let weight = self.traction() / G * 0.5 * CELL * CELL / 3.0;
        let mut faces = 0;
        for tet in &mesh.tets {
            let corners: Vec<u32> = tet.iter().copied().filter(|&v| end(v)).collect();
            if corners.len() == 3 {
                faces += 1;
                corners.iter().for_each(|&v| builder.add_mass(v, weight).unwrap());
            }
        }
        assert_eq!(faces, 2 * CUBES[1] * CUBES[2], "every square of the end is two triangles");
        builder.build().unwrap()
    }
}

/// The bar becomes as long and as thin as the closed form says, at every vertex. What may differ is the bar's own
/// weight, 4e-6 kg among kilograms, and what is left of the motion and of the solve: 1e-6 of its length is ten times
/// that.
#[test]
fn a_pulled_bar_has_its_modulus_and_poissons_ratio() {
    for (poisson, stretch) in [(0.0, 1.2), (0.3, 1.25), (0.45, 1.1), (-0.3, 1.2)] {
        let pull = Pull { poisson, stretch };
        let model = pull.model();
        let mut state = State::new(&model);
        for (v, &rest) in model.rest_positions().iter().enumerate() {
            if rest[0] < 1e-9 {
                state.set_position(&model, v as u32, pull.goes_to(rest));
                state.pin(&model, v as u32);
            }
        }
        let (solver, gravity) = (Solver::Newton, [G, 0.0, 0.0]);
        let p = Params { substeps: 1, iterations: 50, tolerance: 1e-10, solver, gravity, ..Params::default() };
        let mut scratch = Scratch::new(1);
        // Steps far longer than the swing of weights on the bar: implicit Euler ends at rest at once.
        for _ in 0..60 {
            step(&model, &mut state, &mut scratch, &p, 2.0);
        }
        for (v, &rest) in model.rest_positions().iter().enumerate() {
            let (found, wanted) = (state.position(&model, v as u32), pull.goes_to(rest));
            let off = (0..3).map(|k| (found[k] - wanted[k]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "ν {poisson}, {stretch}: vertex {v} at {found:?}, expected {wanted:?}");
        }
        let volume = CUBES.iter().product::<usize>() as f64 * CELL.powi(3);
        let expected = 0.5 * YOUNG * pull.strain() * pull.strain() * volume;
        let energy = elastic_energy(&model, &state);
        assert!((energy / expected - 1.0).abs() < 2e-5, "ν {poisson}: {energy} J, expected {expected} J");
    }
}
