//! A constraint of the user's own: beads that slide on a wire, a helix, with a cloth between them.
//!
//! The crate knows nothing of wires. A bead's row is its distance from the helix, as a value and a gradient; added to
//! the model it takes part in the step whatever the solver. Run with `cargo run --example own_constraint`; it checks
//! where the beads end.

use taut::mesh::TriMesh;
use taut::{
    Cloth, Constraint, ConstraintRow, ModelBuilder, Params, RowSide, RowStrength, Scratch, State, gradient_error, step,
};

/// A helix about the y axis, (r cos t, p t, r sin t), and vertices that stay on it: c is what is left of the way to its
/// nearest point in one of two directions across it, m.
#[derive(Debug)]
struct Helix {
    radius: f64,
    /// Rise for each radian, m.
    pitch: f64,
}

impl Constraint for Helix {
    fn name(&self) -> &str {
        "helix"
    }

    /// Two rows for each bead. The even one is the distance from the axis less the radius; the odd one is how far the
    /// bead is ahead of the thread in angle, times the radius.
    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        for (i, (&row, &[px, py, pz])) in rows.iter().zip(x).enumerate() {
            let away = px.hypot(pz);
            if row % 2 == 0 {
                values[i] = away - self.radius;
                gradients[i] = [px / away, 0.0, pz / away];
            } else {
                // The angle against the thread's at this height, within half a turn.
                let (sin, cos) = (py / self.pitch).sin_cos();
                values[i] = self.radius * (pz * cos - px * sin).atan2(px * cos + pz * sin);
                let turn = self.radius / (away * away);
                gradients[i] = [-pz * turn, -self.radius / self.pitch, px * turn];
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let helix = || Helix { radius: 0.2, pitch: 0.05 };
    // Always worth a check: gradients against differences.
    for row in 0..2 {
        let error = gradient_error(&helix(), row, &[[0.15, 0.31, 0.2]]);
        assert!(error < 1e-6, "row {row}: {error}");
    }

    // A strip of cloth that hangs between two beads on the wire.
    let on_wire = |t: f64| [0.2 * t.cos(), 0.05 * t, 0.2 * t.sin()];
    let mut mesh = TriMesh::default();
    for i in 0..9 {
        let t = f64::from(i) / 8.0;
        let [a, b] = [on_wire(6.0), on_wire(9.0)].map(|p| [p[0], p[1], p[2]]);
        let at = |down: f64| {
            let p: [f64; 3] = core::array::from_fn(|k| a[k] + (b[k] - a[k]) * t);
            [p[0], p[1] - down, p[2]]
        };
        mesh.positions.extend([at(0.0), at(0.04)]);
    }
    for i in 0..8 {
        let a = 2 * i;
        mesh.triangles.extend([[a, a + 1, a + 2], [a + 1, a + 3, a + 2]]);
    }
    let mut builder = ModelBuilder::new();
    builder.add_cloth("strip", &mesh, &Cloth::default())?;
    let beads = [0, 16];
    // As good as rigid: a force of 1 N gives by a hundredth of a millimetre, since ½ c²/compliance is its energy.
    let strength = RowStrength::Compliance { compliance: 1e-5, damping: 0.0 };
    let row = |bead: u32| ConstraintRow { vertices: vec![bead], strength, side: RowSide::Zero };
    let rows: Vec<_> = beads.iter().flat_map(|&bead| [row(bead), row(bead)]).collect();
    builder.add_constraint(helix(), &rows)?;
    let model = builder.build::<f64>()?;
    let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
    let before = beads.map(|bead| state.position(&model, bead)[1]);
    let params = Params { iterations: 4, ..Params::default() };
    for _ in 0..30 {
        let report = step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
        assert_eq!((report.problem, report.contained), (None, 0));
    }
    // The cloth, which is projected after the rows in each sweep, pulls the beads off by a fraction of a millimetre.
    for (bead, before) in beads.into_iter().zip(before) {
        let x = state.position(&model, bead);
        let (mut off, mut gradient) = ([0.0; 2], [[0.0; 3]; 2]);
        helix().evaluate(&[0, 1], &[x, x], &mut off, &mut gradient);
        println!(
            "bead {bead} slid {:.3} m down, and is {:.1e} and {:.1e} m off the wire",
            before - x[1],
            off[0],
            off[1]
        );
        assert!(off.iter().all(|c| c.abs() < 1e-3), "bead {bead} left the wire: {off:?}");
        assert!(before - x[1] > 0.05, "bead {bead} did not slide");
    }
    Ok(())
}
