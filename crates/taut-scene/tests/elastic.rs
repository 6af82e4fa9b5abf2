//! Virtual laboratory tests: what is put in as moduli comes out of pulling and bending.

use taut::mesh::TriMesh;
use taut::{
    Cloth, ClothElasticity, ElasticDamping, Grain, Membrane, Model, ModelBuilder, Orthotropic, Params, Scratch, Solver,
    State, step,
};
use taut_scene::generate::{Plane, SheetParams, Tessellation, sheet};

const G: f64 = 9.81;

/// Steps with long time steps until nothing moves: what is left of the motion is inertia over h².
fn settle(model: &Model<f64>, state: &mut State<f64>, h: f64) {
    let params = Params { substeps: 1, iterations: 100, tolerance: 1e-12, solver: Solver::Newton, ..Params::default() };
    let mut scratch = Scratch::new(1);
    for _ in 0..200 {
        let before = state.positions(model);
        step(model, state, &mut scratch, &params, h);
        let now = state.positions(model);
        let moved = before.iter().flatten().zip(now.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if moved < 1e-10 {
            return;
        }
    }
    panic!("the cloth does not come to rest");
}

fn group<'a>(mesh: &'a TriMesh, name: &str) -> &'a [u32] {
    &mesh.groups.iter().find(|g| g.name == name).unwrap().vertices
}

/// What a strip 0.1 m wide and 0.8 m long, hung up at the top with 2 g at the bottom, does in its middle: strain along
/// the pull over force per width (m/N), and contraction across over strain along. Its weft is turned from the pull by
/// `degrees`.
fn pull(material: Orthotropic, degrees: f64, cells: u32, tessellation: Tessellation) -> (f64, f64) {
    let (width, height, load) = (0.1, 0.8, 2e-3);
    let (nx, ny) = (cells + 1, 8 * cells + 1);
    let mesh = sheet(&SheetParams { width, height, nx, ny, plane: Plane::Xy, tessellation, ..SheetParams::default() })
        .unwrap();
    let (sin, cos) = degrees.to_radians().sin_cos();
    let elasticity = ClothElasticity {
        membrane: Membrane::Continuum(material),
        area: 0.0,
        bend: [1e-6; 2],
        damping: ElasticDamping::default(),
    };
    let grain = Grain::Direction([sin, cos, 0.0]);
    let cloth = Cloth { density: 1e-4, grain, elasticity: Some(elasticity), ..Cloth::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("strip", &mesh, &cloth).unwrap();
    // The load on each vertex of the lower edge is in proportion to its part of the edge.
    let mut edge = group(&mesh, "bottom").to_vec();
    let x = |v: u32| mesh.positions[v as usize][0];
    edge.sort_by(|&a, &b| x(a).total_cmp(&x(b)));
    for pair in edge.windows(2) {
        for &v in pair {
            builder.add_mass(v, load * (x(pair[1]) - x(pair[0])) / (2.0 * width)).unwrap();
        }
    }
    let model = builder.build::<f64>().unwrap();
    let mut state = State::new(&model);
    group(&mesh, "top").iter().for_each(|&v| state.pin(&model, v));
    settle(&model, &mut state, 1.0);
    let [along, across] = gauge(&mesh, &state.positions(&model), height / 6.0);
    let force = (load + 0.5 * cloth.density * width * height) * G;
    (along / (force / width), -across / along)
}

/// Strains along y and x within `reach` of the middle: the displacement's gradient by least squares.
fn gauge(mesh: &TriMesh, now: &[[f64; 3]], reach: f64) -> [f64; 2] {
    let inside: Vec<usize> = (0..now.len()).filter(|&v| mesh.positions[v][1].abs() <= reach).collect();
    let n = inside.len() as f64;
    let slope = |k: usize| {
        let mean = |f: &dyn Fn(usize) -> f64| inside.iter().map(|&v| f(v)).sum::<f64>() / n;
        let centre = [0, 1].map(|j| mean(&|v| mesh.positions[v][j]));
        let moved = mean(&|v| now[v][k] - mesh.positions[v][k]);
        let (mut xx, mut b) = ([[0.0; 2]; 2], [0.0; 2]);
        for &v in &inside {
            let d = [0, 1].map(|j| mesh.positions[v][j] - centre[j]);
            let u = now[v][k] - mesh.positions[v][k] - moved;
            for i in 0..2 {
                b[i] += d[i] * u;
                for j in 0..2 {
                    xx[i][j] += d[i] * d[j];
                }
            }
        }
        let det = xx[0][0] * xx[1][1] - xx[0][1] * xx[1][0];
        [(b[0] * xx[1][1] - b[1] * xx[0][1]) / det, (b[1] * xx[0][0] - b[0] * xx[1][0]) / det]
    };
    [slope(1)[1], slope(0)[0]]
}

/// Moduli along weft and warp, Poisson's ratio and the shear modulus come out of tensile tests with the fabric at 0°,
/// 30°, 45° and 90° to the pull, to 1 %, on regular and irregular meshes of three resolutions. As in a laboratory,
/// shear comes from the pull on the bias: 1/E(45°) = ¼ (1/E₁ + 1/E₂ + 1/G − 2 ν/E₁). The strain is 0.04 to 0.1 %, where
/// Green's and the engineer's differ by as much.
#[test]
fn tensile_tests_recover_the_moduli() {
    let m = Orthotropic { weft: 500.0, warp: 200.0, poisson: 0.35, shear: 90.0 };
    let near = |what: &str, found: f64, given: f64, case: &dyn std::fmt::Debug| {
        assert!((found / given - 1.0).abs() < 0.01, "{what} is {found}, given {given}: {case:?}");
    };
    for tessellation in [Tessellation::Regular, Tessellation::Alternating, Tessellation::Irregular { seed: 3 }] {
        for cells in [3, 5, 8] {
            let case = (tessellation, cells);
            let [at_0, at_30, at_45, at_90] = [0.0, 30.0, 45.0, 90.0].map(|d| pull(m, d, cells, tessellation));
            near("E weft", 1.0 / at_0.0, m.weft, &case);
            near("E warp", 1.0 / at_90.0, m.warp, &case);
            near("Poisson's ratio", at_0.1, m.poisson, &case);
            near("the other Poisson's ratio", at_90.1, m.poisson * m.warp / m.weft, &case);
            let shear = 1.0 / (4.0 * at_45.0 - 1.0 / m.weft - 1.0 / m.warp + 2.0 * m.poisson / m.weft);
            near("G", shear, m.shear, &case);
            let (c2, s2) = (0.75, 0.25);
            let bias = 1.0 / m.shear - 2.0 * m.poisson / m.weft;
            near("1/E at 30°", at_30.0, c2 * c2 / m.weft + s2 * s2 / m.warp + c2 * s2 * bias, &case);
        }
    }
}

/// The droop of the heavy elastica: B θ″ = −ρ g (L − s) cos θ with θ(0) = 0 and θ′(L) = 0, by shooting.
fn elastica(rigidity: f64, weight: f64, length: f64) -> f64 {
    let steps = 4000;
    let ds = length / f64::from(steps);
    let bend = |s: f64, theta: f64| -weight / rigidity * (length - s) * theta.cos();
    // Returns θ′(L) and the droop.
    let shoot = |curvature: f64| {
        let (mut theta, mut k, mut droop) = (0.0f64, curvature, 0.0);
        for i in 0..steps {
            let s = f64::from(i) * ds;
            let (mid, half) = (theta + 0.5 * ds * k, k + 0.5 * ds * bend(s, theta));
            droop += mid.sin() * ds;
            theta += ds * half;
            k += ds * bend(s + 0.5 * ds, mid);
        }
        (k, droop)
    };
    let (mut low, mut high) = (0.0, weight * length * length / rigidity);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if shoot(middle).0 < 0.0 { low = middle } else { high = middle }
    }
    shoot(low).1
}

/// A cantilevered strip droops like the elastica, to 3 %, bent about its warp and its weft, for two resolutions. Two
/// columns are held; a hinge spreads its bend over half a cell on either side, so the overhang begins midway between
/// them.
#[test]
fn a_cantilever_droops_like_the_elastica() {
    let (weft, warp, density, width) = (2e-5, 1e-5, 0.2, 0.02);
    for (along_weft, cells) in [(true, 20), (true, 40), (false, 20), (false, 40)] {
        let length = 0.06;
        let d = length / (f64::from(cells) + 0.5);
        let span = d * f64::from(cells + 1);
        let mesh = sheet(&SheetParams {
            width: span,
            height: width,
            nx: cells + 2,
            ny: (width / d).round() as u32 + 1,
            plane: Plane::Xz,
            ..SheetParams::default()
        })
        .unwrap();
        let elasticity = ClothElasticity {
            membrane: Membrane::Continuum(Orthotropic::isotropic(2000.0, 0.3)),
            area: 0.0,
            bend: [weft, warp],
            damping: ElasticDamping::default(),
        };
        let grain = Grain::Direction(if along_weft { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
        let cloth = Cloth { density, grain, elasticity: Some(elasticity), ..Cloth::default() };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("strip", &mesh, &cloth).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        let left = -0.5 * span;
        for (v, p) in mesh.positions.iter().enumerate() {
            if p[0] < left + 1.5 * d {
                state.pin(&model, v as u32);
            }
        }
        settle(&model, &mut state, 1.0);
        let tip = group(&mesh, "right").iter().map(|&v| -state.position(&model, v)[1]).sum::<f64>()
            / group(&mesh, "right").len() as f64;
        let expected = elastica(if along_weft { weft } else { warp }, density * G, length);
        let off = (tip / expected - 1.0).abs();
        assert!(off < 0.03, "weft {along_weft}, {cells} cells: the tip hangs {tip} m down, expected {expected}");
    }
}
