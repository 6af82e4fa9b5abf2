//! Physical stiffness against closed forms.

mod common;

use taut::{Integrator, Model, ModelBuilder, Params, Scratch, State, step};

/// A mass of 0.3 kg on a vertical spring of 0.5 m and 40 N/m, hung at the origin.
const M: f64 = 0.3;
const K: f64 = 40.0;
const L: f64 = 0.5;
const G: f64 = 9.81;

fn chain(links: u32, mass: f64, k: f64, damping: f64) -> Model<f64> {
    let mut builder = ModelBuilder::new();
    let at: Vec<_> = (0..=links).map(|i| [0.0, -L * f64::from(i), 0.0]).collect();
    builder.add_vertices(&at).unwrap();
    (0..=links).for_each(|i| builder.add_mass(i, mass).unwrap());
    let pairs: Vec<_> = (0..links).map(|i| [i, i + 1]).collect();
    builder.add_springs(&pairs, k, damping).unwrap();
    builder.build().unwrap()
}

fn hung(model: &Model<f64>) -> State<f64> {
    let mut state = State::new(model);
    state.pin(model, 0);
    state
}

fn params(integrator: Integrator, substeps: u32, iterations: u32) -> Params {
    Params { integrator, substeps, iterations, gravity: [0.0, -G, 0.0], ..Params::default() }
}

/// Integrates the spring's linear equation as each scheme defines it, without any constraint.
struct Reference {
    y: f64,
    v: f64,
    before: Option<[f64; 2]>,
}

impl Reference {
    /// Acceleration at depth `y` and velocity `v`, with damping time `gamma`.
    fn a(y: f64, v: f64, gamma: f64) -> f64 {
        -G - K / M * (y + L + gamma * v)
    }

    fn step(&mut self, integrator: Integrator, h: f64, gamma: f64) {
        let (y, v, w) = (self.y, self.v, K / M);
        (self.y, self.v) = match (integrator, self.before) {
            (Integrator::AlphaBeta { alpha, beta: 0.0 }, _) => {
                // Positions first; the force there takes the velocity as it is until then.
                let (y1, free) = (y + h * v, v - h * G + h * (1.0 - alpha) * (Self::a(y, v, gamma) + G));
                (y1, free + h * alpha * (Self::a(y1, free, gamma) + G))
            }
            (Integrator::AlphaBeta { alpha, beta }, _) => {
                // Two linear equations in y' and v'.
                let fixed = (1.0 - alpha) * (Self::a(y, v, gamma) + G) - G - alpha * w * L;
                let rhs = v + h * (fixed - alpha * w * (y + h * (1.0 - beta) * v));
                let v1 = rhs / (1.0 + h * alpha * w * (h * beta + gamma));
                (y + h * ((1.0 - beta) * v + beta * v1), v1)
            }
            (Integrator::Bdf2, Some([y0, v0])) => {
                let (ys, vs, t) = ((4.0 * y - y0) / 3.0, (4.0 * v - v0) / 3.0, 2.0 * h / 3.0);
                let v1 = (vs + t * (-G - w * (ys + L))) / (1.0 + t * w * (t + gamma));
                (ys + t * v1, v1)
            }
            (Integrator::Newmark { beta, gamma: g }, _) => {
                let a = Self::a(y, v, gamma);
                let (yp, vp) = (y + h * v + h * h * (0.5 - beta) * a, v + h * (1.0 - g) * a);
                let a1 = Self::a(yp, vp, gamma) / (1.0 + w * h * (h * beta + gamma * g));
                (yp + h * h * beta * a1, vp + h * g * a1)
            }
            _ => {
                let v1 = (v + h * (-G - w * (y + L))) / (1.0 + h * w * (h + gamma));
                (y + h * v1, v1)
            }
        };
        self.before = Some([y, v]);
    }
}

/// Every integrator does to a spring what its definition says, step by step, whatever the number of iterations: one
/// row alone is solved in one. The bound is rounding over 200 steps.
#[test]
fn a_spring_follows_every_integrator() {
    let family = [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.5, 0.5), (0.6, 0.6), (0.55, 0.9), (1.0, 1.0)];
    let mut integrators: Vec<_> = family.map(|(alpha, beta)| Integrator::AlphaBeta { alpha, beta }).to_vec();
    integrators.extend([Integrator::ImplicitEuler, Integrator::Bdf2]);
    integrators.extend([(0.25, 0.5), (0.3, 0.6)].map(|(beta, gamma)| Integrator::Newmark { beta, gamma }));
    for integrator in integrators {
        for damping in [0.0, 0.02] {
            for iterations in [1, 7] {
                let model = chain(1, M, K, damping);
                let mut state = hung(&model);
                let (mut scratch, params) = (Scratch::new(1), params(integrator, 1, iterations));
                let mut reference = Reference { y: -L, v: 0.0, before: None };
                let h = 0.01;
                for n in 0..200 {
                    step(&model, &mut state, &mut scratch, &params, h);
                    reference.step(integrator, h, damping);
                    let (y, v) = (state.position(&model, 1)[1], state.velocity(&model, 1)[1]);
                    let off = (y - reference.y).abs().max((v - reference.v).abs() * h);
                    assert!(
                        off < 1e-11,
                        "{integrator:?} γ {damping} step {n}: {y} {v}, {} {}",
                        reference.y,
                        reference.v
                    );
                }
            }
        }
    }
}

/// Ten masses of 50 g on springs of 200 N/m.
const LINKS: u32 = 10;
const BEAD: f64 = 0.05;
const STIFF: f64 = 200.0;

/// The extension of link `i` at rest: what hangs below it over its stiffness.
fn extension(i: u32) -> f64 {
    f64::from(LINKS - i) * BEAD * G / STIFF
}

/// Depth of bead `i` at rest.
fn depth(i: u32) -> f64 {
    (0..i).map(|k| L + extension(k)).sum()
}

/// ω of the chain's first mode, rad/s: masses on springs, one end held, the other free.
fn first_mode() -> f64 {
    2.0 * (STIFF / BEAD).sqrt() * (std::f64::consts::PI / (2.0 * f64::from(2 * LINKS + 1))).sin()
}

/// How far bead `i` swings in the first mode, over the amplitude.
fn shape(i: u32) -> f64 {
    (f64::from(i) * std::f64::consts::PI / f64::from(2 * LINKS + 1)).sin()
}

const GRID: [(u32, u32); 6] = [(1, 5), (1, 20), (1, 200), (7, 5), (7, 30), (50, 5)];

/// The stretch of every link is what hangs on it over its stiffness, whatever the substeps (1 to 50) and iterations (5
/// to 200). A substep has to find all multipliers, and Gauss–Seidel finds all but a share of them, as if the springs
/// were softer by that share. A chain has two colours, each of which sees the other's error times ρ = 2 r/(1 + 2 r), r
/// = h (h + γ) k/m: ρ²ⁿ⁻¹ after n sweeps, because the first colour of the first sweep sees nothing yet. Besides, there
/// is the motion left after 5 s of damping (e⁻²² of 0.14 m) and rounding.
#[test]
fn a_chain_stretches_by_what_hangs_on_it() {
    for (substeps, iterations) in GRID {
        let gamma = 0.1;
        let model = chain(LINKS, BEAD, STIFF, gamma);
        let mut state = hung(&model);
        let p = params(Integrator::ImplicitEuler, substeps, iterations);
        let mut scratch = Scratch::new(1);
        for _ in 0..300 {
            step(&model, &mut state, &mut scratch, &p, 1.0 / 60.0);
        }
        let h = 1.0 / 60.0 / f64::from(substeps);
        let r = 2.0 * h * (h + gamma) * STIFF / BEAD;
        let unsolved = (r / (1.0 + r)).powi(2 * iterations as i32 - 1);
        let bound = 1e-9 + unsolved / (1.0 - unsolved) * (depth(LINKS) - f64::from(LINKS) * L);
        for i in 1..=LINKS {
            let off = (state.position(&model, i)[1] + depth(i)).abs();
            assert!(off < bound, "{substeps} substeps, {iterations} iterations: bead {i} is off by {off:e}, {bound:e}");
        }
    }
}

/// With a warm start, a chain at rest stays at rest to rounding, however few the iterations.
#[test]
fn a_chain_at_rest_stays_at_rest() {
    for (substeps, iterations) in GRID.into_iter().chain([(1, 1)]) {
        let model = chain(LINKS, BEAD, STIFF, 0.0);
        let mut state = hung(&model);
        (1..=LINKS).for_each(|i| state.set_position(&model, i, [0.0, -depth(i), 0.0]));
        let p = Params { warm_start: true, ..params(Integrator::ImplicitEuler, substeps, iterations) };
        let mut scratch = Scratch::new(1);
        for _ in 0..60 {
            step(&model, &mut state, &mut scratch, &p, 1.0 / 60.0);
        }
        for i in 1..=LINKS {
            let off = (state.position(&model, i)[1] + depth(i)).abs();
            assert!(off < 1e-11, "{substeps} substeps, {iterations} iterations: bead {i} is off by {off:e}");
        }
    }
}

/// The first mode keeps its period and its amplitude under implicit midpoint, whatever the substeps and iterations.
/// The integrator's own period is 2π/ω' with tan(ω' h/2) = ω h/2; crossings are found to a share (ω h)² of a frame by
/// linear interpolation, and five sweeps with a warm start leave ρ⁵ of what changes in a step.
#[test]
fn a_chain_swings_with_its_period() {
    let w = first_mode();
    for (substeps, iterations) in GRID {
        let model = chain(LINKS, BEAD, STIFF, 0.0);
        let mut state = hung(&model);
        for i in 1..=LINKS {
            state.set_position(&model, i, [0.0, -depth(i) - 0.02 * shape(i), 0.0]);
        }
        let midpoint = Integrator::AlphaBeta { alpha: 0.5, beta: 0.5 };
        let p = Params { warm_start: true, ..params(midpoint, substeps, iterations) };
        let mut scratch = Scratch::new(1);
        let (mut crossings, mut last, mut most) = (Vec::new(), -0.02f64, 0.0f64);
        for n in 0..240 {
            step(&model, &mut state, &mut scratch, &p, 1.0 / 60.0);
            let y = state.position(&model, LINKS)[1] + depth(LINKS);
            if last < 0.0 && y >= 0.0 {
                crossings.push((f64::from(n) + last / (last - y)) / 60.0);
            }
            most = if n > 180 { most.max(y.abs()) } else { 0.0 };
            last = y;
        }
        let h = 1.0 / 60.0 / f64::from(substeps);
        let expected = std::f64::consts::PI * h / (w * h / 2.0).atan();
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        let off = (period / expected - 1.0).abs();
        let amplitude = most / (0.02 * shape(LINKS));
        assert!(off < 5e-4, "{substeps} substeps, {iterations} iterations: period {period}, expected {expected}");
        // The largest of 60 frames in the last second misses the crest by at most (ω/120)²/2.
        assert!((0.995..1.005).contains(&amplitude), "{substeps} substeps, {iterations} iterations: {amplitude}");
    }
}

/// The fastest mode of a free chain of n masses on springs is 2 √(k/m) sin(π (n−1)/2n); the meter finds it from below.
/// Symplectic Euler follows it in substeps of just below 2/ω, and not just above.
#[test]
fn explicit_steps_hold_up_to_the_fastest_mode() {
    let model = chain(LINKS, BEAD, STIFF, 0.0);
    let n = f64::from(LINKS + 1);
    let w = 2.0 * (STIFF / BEAD).sqrt() * (std::f64::consts::PI * (n - 1.0) / (2.0 * n)).sin();
    let found = taut::measure::fastest_mode(&model);
    assert!((0.97 * w..w * (1.0 + 1e-9)).contains(&found), "{found}, {w}");
    let swing = |h: f64| {
        let mut state = State::new(&model);
        state.set_position(&model, 3, [0.0, -3.0 * L - 1e-3, 0.0]);
        let symplectic = Integrator::AlphaBeta { alpha: 0.0, beta: 1.0 };
        let p = Params { gravity: [0.0; 3], ..params(symplectic, 1, 1) };
        let mut scratch = Scratch::new(1);
        for _ in 0..2000 {
            step(&model, &mut state, &mut scratch, &p, h);
        }
        (0..=LINKS).map(|i| (state.position(&model, i)[1] + L * f64::from(i)).abs()).fold(0.0, f64::max)
    };
    // Below the bound an amplitude of 1e-3 m grows by no more than 1/√(1 − (ωh/2)²), seven times at 0.99.
    assert!(swing(1.98 / w) < 1e-2, "{}", swing(1.98 / w));
    assert!(swing(2.02 / w) > 1.0, "{}", swing(2.02 / w));
}

/// One spring alone is solved in one iteration and acts with all its stiffness. Of two alike in a row, the one solved
/// first is not as long any more when the other is done: a chain of many acts with less, and with all of it after many
/// iterations.
#[test]
fn firmness_tells_how_much_of_the_stiffness_acted() {
    let firm = |links: u32, iterations: u32| {
        let model = chain(links, BEAD, STIFF, 0.0);
        let mut state = hung(&model);
        assert_eq!(taut::measure::firmness(&model, &state), 1.0, "nothing is strained");
        let mut scratch = Scratch::new(1);
        for _ in 0..10 {
            step(&model, &mut state, &mut scratch, &params(Integrator::ImplicitEuler, 1, iterations), 1.0 / 60.0);
        }
        taut::measure::firmness(&model, &state)
    };
    assert!((firm(1, 1) - 1.0).abs() < 1e-12);
    let (few, many) = (firm(LINKS, 1), firm(LINKS, 200));
    assert!(few < 0.8 && few > 0.1 && (many - 1.0).abs() < 1e-9, "{few} {many}");
}

/// Springs, and edges with a share of stiffness, are at rest at the cloth's rest stretches: along weft, warp and both
/// diagonals. They ignored them.
#[test]
fn springs_rest_at_the_rest_stretches() {
    use taut::measure::{elastic_energy, strains};
    use taut::{Cloth, ClothElasticity, ClothStiffness, ElasticDamping, Membrane};
    let membrane = Membrane::Links { stretch: 50.0, shear: 20.0, bend: 1.0 };
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [0.0; 2], damping: ElasticDamping::default() };
    let links = Cloth { rest_stretch: [1.2, 0.9], elasticity: Some(elasticity), ..Cloth::default() };
    let stiffness = ClothStiffness { edge: 1.0, ..ClothStiffness::default() };
    let edges = Cloth { stiffness, elasticity: None, ..links.clone() };
    for cloth in [links, edges] {
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &common::sheet(5), &cloth).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        let worst = |state: &State<f64>| strains(&model, state).edges.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
        assert!(worst(&state) > 0.1, "the mesh is not at rest: {}", worst(&state));
        for v in 0..25 {
            let [x, y, z] = state.position(&model, v);
            state.set_position(&model, v, [1.2 * x, y, 0.9 * z]);
        }
        assert!(worst(&state) < 1e-12 && elastic_energy(&model, &state) < 1e-20, "{}", worst(&state));
    }
}
