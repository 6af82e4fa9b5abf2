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
                let a = Self::a(y, v, 0.0);
                let yp = y + h * v + h * h * (0.5 - beta) * a;
                let a1 = (-G - w * (yp + L)) / (1.0 + h * h * beta * w);
                (yp + h * h * beta * a1, v + h * ((1.0 - g) * a + g * a1))
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
            if damping > 0.0 && matches!(integrator, Integrator::Newmark { .. }) {
                continue;
            }
            let explicit = matches!(integrator, Integrator::AlphaBeta { alpha, beta } if alpha * beta == 0.0);
            if damping > 0.0 && explicit {
                continue;
            }
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
