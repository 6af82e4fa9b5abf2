//! Cloth that hangs at its bounds, and carries something there.

use crate::common;
use crate::{DT, Strain, soft, stiff, within};
use taut::fabric::Fabric;
use taut::limit::{LimitSpec, StretchBounds};
use taut::mesh::TriMesh;
use taut::{Cloth, Inextensibility, Model, ModelBuilder, Orthotropic, Params, Scratch, Solver, State, step};

/// A sheet that hangs by two corners swings: no motion is given up where gravity alone pulls at it, and rounds come to
/// an end.
#[test]
fn what_hangs_by_two_corners_goes_on_swinging() {
    let n = 41;
    let mesh = common::sheet(n);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &mesh, &stiff()).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
    let model: Model<f32> = builder.build().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, n as u32 - 1);
    let params = Params {
        substeps: 0,
        inextensibility: Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) },
        ..Params::default()
    };
    let (mut scratch, mut lowest) = (Scratch::new(1), 0.0f64);
    for frame in 0..60 {
        let report = step(&model, &mut state, &mut scratch, &params, DT).inextensibility;
        assert!(report.given_up == 0 && report.unmet == 0 && report.rounds < 256, "frame {frame}: {report:?}");
        let x = state.positions(&model);
        let strain = Strain::worst(&mesh, &x);
        within("weft", frame, strain.weft, 0.01);
        within("warp", frame, strain.warp, 0.01);
        lowest = x.iter().fold(lowest, |low, p| low.min(p[1]));
    }
    assert!(lowest < -0.9, "it has fallen, to {lowest}");
}

/// A weight at the hem of soft cloth is stopped where the cloth is at its bound, and not in its place alone: its
/// velocity ends, too, and it is not thrown back.
#[test]
fn what_hangs_at_its_bounds_does_not_fall_on_in_its_velocity() {
    for (substeps, per_second) in [(3, 24), (1, 60)] {
        let mut weight = WeightedHem::new(substeps, f64::from(per_second));
        let (mut lowest, mut highest) = (0.0f64, f64::MIN);
        let (mut velocity, mut from) = (0.0, 0.0);
        for frame in 0..2 * per_second {
            let height = weight.frame(frame as usize);
            if height < -1.07 {
                lowest = lowest.min(height);
            }
            if lowest < 0.0 {
                highest = highest.max(height);
            }
            if frame < per_second {
                from = height;
            } else {
                velocity += weight.velocity() / f64::from(per_second);
            }
        }
        let found = weight.height() - from;
        assert!(
            (velocity - found).abs() < 0.1,
            "{per_second} a second: at {velocity} m/s it went {found} m in a second"
        );
        assert!(highest < -1.04, "{per_second} a second: it was thrown back from {lowest} to {highest} m");
        assert!(lowest < -1.09, "{per_second} a second: it hangs at its bound, at {lowest} m");
    }
}

/// Soft cloth that hangs by its upper edge, 1 m high and at most 1.1, with half a kilogram along its hem.
struct WeightedHem {
    mesh: TriMesh,
    model: Model<f32>,
    state: State<f32>,
    scratch: Scratch<f32>,
    params: Params,
    dt: f64,
    hem: std::ops::Range<u32>,
}

impl WeightedHem {
    fn new(substeps: u32, per_second: f64) -> Self {
        let n = 21;
        let mut mesh = common::sheet(n);
        mesh.positions.iter_mut().for_each(|p| *p = [p[0], -p[2], 0.0]);
        let mut builder = ModelBuilder::new();
        let cloth = soft(Orthotropic { weft: 20.0, warp: 20.0, poisson: 0.0, shear: 1.0 });
        builder.add_cloth("sheet", &mesh, &cloth).unwrap();
        let hem = (n * (n - 1)) as u32..(n * n) as u32;
        hem.clone().for_each(|v| builder.add_mass(v, 0.5 / n as f64).unwrap());
        builder.limit(LimitSpec::stretch(StretchBounds::threads(0.1)));
        let model: Model<f32> = builder.build().unwrap();
        let mut state = State::new(&model);
        state.set_pins(&model, &(0..n as u32).collect::<Vec<_>>());
        let params = Params {
            substeps,
            inextensibility: Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.1) },
            ..Params::fabric()
        };
        WeightedHem { mesh, model, state, scratch: Scratch::new(1), params, dt: 1.0 / per_second, hem }
    }

    /// How high the hem is after one more frame, by number, m.
    fn frame(&mut self, frame: usize) -> f64 {
        step(&self.model, &mut self.state, &mut self.scratch, &self.params, self.dt);
        within("warp", frame, Strain::worst(&self.mesh, &self.state.positions(&self.model)).warp, 0.1);
        self.height()
    }

    fn height(&self) -> f64 {
        let x = self.state.positions(&self.model);
        self.hem.clone().map(|v| x[v as usize][1]).sum::<f64>() / self.hem.len() as f64
    }

    /// How fast the hem says it goes up, m/s.
    fn velocity(&self) -> f64 {
        self.hem.clone().map(|v| self.state.velocity(&self.model, v)[1]).sum::<f64>() / self.hem.len() as f64
    }
}

/// A flap of cotton falls from level with a weight at its hem, ten times its own, into a bound of 1 %: what catches it
/// gives it no energy, and takes none of the swing. Between the weight and the pins rounds alone cannot carry that.
#[test]
fn a_weight_that_swings_on_cloth_keeps_its_energy() {
    let (n, rows, mass) = (9, 17, 0.5);
    let mut mesh = TriMesh::default();
    for v in 0..n * rows {
        let at = [(v % n) as f64 / (n - 1) as f64 * 0.4, (v / n) as f64 / (rows - 1) as f64 * 0.8];
        mesh.positions.push([at[0], 0.0, at[1]]);
        mesh.uvs.push(at);
    }
    for (i, j) in (0..rows - 1).flat_map(|j| (0..n - 1).map(move |i| (i, j))) {
        let v = (j * n + i) as u32;
        let below = v + n as u32;
        mesh.triangles.extend([[v, below, v + 1], [v + 1, below, below + 1]]);
    }
    let mut builder = ModelBuilder::new();
    builder.add_cloth("flap", &mesh, &Cloth::from(Fabric::named("cotton").unwrap())).unwrap();
    let hem = (n * (rows - 1)) as u32..(n * rows) as u32;
    hem.clone().for_each(|v| builder.add_mass(v, mass / n as f64).unwrap());
    builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
    let model: Model<f32> = builder.build().unwrap();
    let mut state = State::new(&model);
    state.set_pins(&model, &(0..n as u32).collect::<Vec<_>>());
    let params = Params::fabric();
    let mut scratch = Scratch::new(1);
    let (mut fastest, mut lowest) = (0.0f64, 0.0f64);
    for frame in 0..60 {
        let report = step(&model, &mut state, &mut scratch, &params, DT).inextensibility;
        let x = state.positions(&model);
        let strain = Strain::worst(&mesh, &x);
        within("weft", frame, strain.weft, 0.01);
        within("warp", frame, strain.warp, 0.01);
        assert_eq!(report.given_up, 0, "frame {frame}: no motion is given up: {report:?}");
        for v in hem.clone() {
            // What fell so far has that much energy; a little more where the hem sways in itself.
            let speed = state.velocity(&model, v).iter().map(|c| c * c).sum::<f64>().sqrt();
            let most = (2.0 * 9.81 * -x[v as usize][1].min(0.0)).sqrt();
            assert!(speed < 1.3 * most + 0.5, "frame {frame}: {speed} m/s where {most} is what it fell");
            fastest = fastest.max(speed);
            lowest = lowest.min(x[v as usize][1]);
        }
    }
    assert!(fastest > 3.2 && lowest < -0.78, "it swings: {fastest} m/s, down to {lowest} m");
}

/// Short of its bound (0.2 % of strain before it) cloth is stiff: k = ρ (100 m/s)² over the bound. With Green's strain a strip under the
/// tension T per width has T = ½ f (E (f² − 1) + k (f² − f₀²)), f being its length over that at rest. Along its threads
/// where these have the bound; along whatever direction it is cut where that has one.
#[test]
fn cloth_is_stiff_short_of_its_bound() {
    let any = StretchBounds { any: 0.01, ..StretchBounds::NONE };
    for (bounds, turned) in [(StretchBounds::threads(0.01), 0.0f64), (any, 0.0), (any, 0.6)] {
        let (mass, width, young, density) = (2.0, 0.1, 20.0, 0.2);
        let found = stretch_of_a_strip(bounds, turned, [mass, width, young, density]);
        // The weight, and the half of the strip below.
        let tension = 9.81 * (mass + density * width * 0.45) / width;
        let pull = |f: f64| 0.5 * f * (young * (f * f - 1.0) + density * 1e6 * (f * f - 1.008 * 1.008)) - tension;
        let (mut low, mut high) = (1.008, 1.01);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *(if pull(middle) < 0.0 { &mut low } else { &mut high }) = middle;
        }
        assert!((found - low).abs() < 0.03 * (low - 1.008), "{turned} rad: {found} where {low} carries {tension} N/m");
    }
}

/// How much longer than at rest the middle of a hanging strip of soft cloth is, a metre long, its threads `turned` (rad).
fn stretch_of_a_strip(bounds: StretchBounds, turned: f64, [mass, width, young, density]: [f64; 4]) -> f64 {
    let rows = 11;
    let mut mesh = TriMesh::default();
    for v in 0..2 * rows {
        let [a, b] = [(v % 2) as f64 * width, (v / 2) as f64 * 0.1];
        mesh.positions.push([a, -b, 0.0]);
        mesh.uvs.push([a * turned.cos() - b * turned.sin(), a * turned.sin() + b * turned.cos()]);
    }
    for v in (0..2 * (rows - 1) as u32).step_by(2) {
        mesh.triangles.extend([[v, v + 2, v + 1], [v + 1, v + 2, v + 3]]);
    }
    let mut builder = ModelBuilder::new();
    let membrane = Orthotropic { weft: young, warp: young, poisson: 0.0, shear: 0.5 * young };
    builder.add_cloth("strip", &mesh, &Cloth { density, ..soft(membrane) }).unwrap();
    (2 * rows as u32 - 2..2 * rows as u32).for_each(|v| builder.add_mass(v, 0.5 * mass).unwrap());
    builder.limit(LimitSpec::stretch(bounds));
    let model: Model<f64> = builder.build().unwrap();
    let mut state = State::new(&model);
    state.set_pins(&model, &[0, 1]);
    let params =
        Params { substeps: 1, solver: Solver::Multigrid, iterations: 50, tolerance: 1e-9, ..Params::default() };
    let mut scratch = Scratch::new(1);
    let mut rounds = 0;
    for _ in 0..100 {
        rounds = step(&model, &mut state, &mut scratch, &params, 0.1).inextensibility.rounds;
    }
    assert!(rounds <= 1, "nothing is left for the end of the step: {rounds} rounds");
    let x = state.positions(&model);
    (x[10][1] - x[12][1] + x[11][1] - x[13][1]) / 0.2
}
