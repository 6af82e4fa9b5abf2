//! A hanging sheet, solved by every method.

use super::*;
use crate::element::{Element, Hinge, evaluate};
use crate::lanes::V3;
use crate::model::LooseElements;
use crate::pack::{Compliance, Loose, SLACK};
use crate::team::Team;
use std::sync::Mutex;

const N: usize = 15;
const H: f64 = 1.0 / 60.0;
/// Membrane modulus (N/m), Poisson's ratio, bending stiffness of a hinge (J/rad²), area density (kg/m²).
const YOUNG: f64 = 500.0;
const POISSON: f64 = 0.3;
const BEND: f64 = 1e-4;
const DENSITY: f64 = 0.2;

/// A square sheet of side 1 m in motion, as one vertex list.
#[derive(Clone)]
struct Sheet {
    elements: Elements<f64>,
    x: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    w: Vec<f64>,
    lambda: Vec<f64>,
}

/// St. Venant–Kirchhoff triangles and hinges on a grid of n×n, held at two corners, flat and level.
fn sheet(n: usize, young: f64, gamma: f64) -> Sheet {
    let spacing = 1.0 / (n - 1) as f64;
    let rest: Vec<[f64; 2]> = (0..n * n).map(|i| [(i % n) as f64 * spacing, (i / n) as f64 * spacing]).collect();
    let mut triangles = Vec::new();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let at = |a: usize, b: usize| ((i + a) * n + j + b) as u32;
            let (p, q, r, s) = (at(0, 0), at(0, 1), at(1, 1), at(1, 0));
            // Diagonals alternate.
            let pair = if (i + j) % 2 == 0 { [[p, q, r], [p, r, s]] } else { [[p, q, s], [q, r, s]] };
            triangles.extend(pair);
        }
    }
    let mut loose = LooseElements::default();
    let mut mass = vec![0.0; n * n];
    for t in &triangles {
        let [a, b, c] = t.map(|v| rest[v as usize]);
        let (q1, q2) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let det = q1[0] * q2[1] - q1[1] * q2[0];
        let area = 0.5 * det;
        t.iter().for_each(|&v| mass[v as usize] += DENSITY * area / 3.0);
        let shear = young / (2.0 * (1.0 + POISSON));
        let stretch = 4.0 / (young * area);
        loose.plain_triangles.push(Loose {
            index: *t,
            rest: [q2[1] / det, -q1[1] / det, -q2[0] / det, q1[0] / det, 1.0, 1.0],
            stiffness: [0.0; 4],
            damping: [0.0; 4],
            elastic: Some(Compliance {
                diagonal: [stretch, stretch, 1.0 / (shear * area), SLACK],
                coupling: [-POISSON * stretch, 0.0, 0.0],
                gamma: [gamma, gamma, 0.5 * gamma, 0.0],
            }),
        });
    }
    for (k, t) in triangles.iter().enumerate() {
        for u in &triangles[k + 1..] {
            for e in 0..3 {
                let (a, b, c) = (t[e], t[(e + 1) % 3], t[(e + 2) % 3]);
                if let Some(&d) = u.iter().find(|v| !t.contains(v))
                    && u.contains(&a)
                    && u.contains(&b)
                {
                    loose.hinges.push(Loose {
                        index: [a, b, c, d],
                        rest: [0.0],
                        stiffness: [0.0],
                        damping: [0.0],
                        elastic: Some(Compliance { diagonal: [1.0 / BEND], coupling: [0.0; 3], gamma: [gamma] }),
                    });
                }
            }
        }
    }
    let own: Vec<u32> = (0..(n * n) as u32).collect();
    let elements = loose.pack(&own);
    let mut w: Vec<f64> = mass.iter().map(|m| 1.0 / m).collect();
    (w[0], w[n - 1]) = (0.0, 0.0);
    let lambda = vec![0.0; elements.multipliers * crate::lanes::BLOCK];
    let x = rest.iter().map(|p| [p[0], 0.0, p[1]]).collect();
    Sheet { elements, x, v: vec![[0.0; 3]; n * n], w, lambda }
}

impl Sheet {
    /// Where it would go in one step of implicit Euler.
    fn candidates(&self) -> Vec<Candidate> {
        (0..self.x.len())
            .map(|i| {
                let (x, w) = (self.x[i], self.w[i]);
                let drift = if w > 0.0 { [self.v[i][0], self.v[i][1] - 9.81 * H, self.v[i][2]] } else { [0.0; 3] };
                let target = small::plus(x, H, drift);
                Candidate { x: target, w, target, drift }
            })
            .collect()
    }

    /// One step by `solver`. The candidate can be changed before.
    fn solve(
        &self,
        global: &mut Global,
        team: &Team,
        settings: &Settings,
        candidates: &[Candidate],
    ) -> (Sheet, Outcome) {
        global.prepare(&self.elements, self.x.len(), settings.solver);
        let global = &*global;
        let out = Mutex::new((self.clone(), Outcome::default()));
        team.run(team.threads(), |worker| {
            for i in worker.share(0..candidates.len()) {
                global.put(i, candidates[i]);
            }
            global.put_multipliers(worker, |k| self.lambda[k]);
            let outcome = global.solve(worker, settings);
            let mut out = out.lock().unwrap();
            out.1 = outcome;
            for i in worker.share(0..candidates.len()) {
                let c = candidates[i];
                out.0.x[i] = global.position(i);
                out.0.v[i] = small::plus(c.drift, 1.0 / H, small::plus(out.0.x[i], -1.0, c.target));
            }
            global.take_multipliers(worker, |k, value| out.0.lambda[k] = value);
        });
        out.into_inner().unwrap()
    }

    fn step(&self, solver: Solver, iterations: u32, tolerance: f64) -> (Sheet, Outcome) {
        let settings = Settings { solver, iterations, tolerance, ..settings() };
        self.solve(&mut Global::default(), &Team::new(1), &settings, &self.candidates())
    }
}

fn settings() -> Settings {
    Settings { solver: Solver::Newton, reach: H * H, rate: 1.0 / H, iterations: 100, tolerance: 1e-10 }
}

/// The sheet after some steps of falling: stretched, bent and in motion.
fn moving(young: f64, gamma: f64) -> Sheet {
    let mut sheet = sheet(N, young, gamma);
    // Not quite level, or it would fall as if in a plane.
    for (i, x) in sheet.x.iter_mut().enumerate() {
        x[1] += 1e-3 * ((i * 7919 % 101) as f64 / 101.0 - 0.5);
    }
    let (team, mut global) = (Team::new(1), Global::default());
    for _ in 0..20 {
        sheet = sheet.solve(&mut global, &team, &settings(), &sheet.candidates()).0;
    }
    sheet
}

/// The largest distance of corresponding vertices, m. The sheet's side is 1 m.
fn apart(a: &Sheet, b: &Sheet) -> f64 {
    a.x.iter().zip(&b.x).map(|(a, b)| small::norm(small::plus(*a, -1.0, *b))).fold(0.0, f64::max)
}

#[test]
#[ignore = "prints a table"]
fn table_of_convergence() {
    for (young, gamma) in [(YOUNG, 0.0), (YOUNG, 0.01), (20000.0, 0.0)] {
        let start = std::time::Instant::now();
        let sheet = moving(young, gamma);
        println!("E {young} gamma {gamma}, 20 Newton steps in {:?}", start.elapsed());
        let (reference, outcome) = sheet.step(Solver::Newton, 100, 1e-11);
        println!("moved {:e}, reference {outcome:?}", apart(&sheet, &reference));
        let all = [
            Solver::Jacobi { relaxation: 1.0 },
            Solver::MinimumResidual,
            Solver::ConjugateResiduals,
            Solver::NonlinearCg,
            Solver::NewtonCg,
            Solver::NewtonCholesky,
            Solver::Newton,
        ];
        for solver in all {
            for iterations in [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000] {
                let start = std::time::Instant::now();
                let (found, outcome) = sheet.step(solver, iterations, 1e-9);
                let error = apart(&found, &reference);
                println!("{solver:?} {iterations}: {outcome:?} apart {error:.2e} in {:?}", start.elapsed());
                if error < 1e-7 || outcome.iterations < iterations {
                    break;
                }
            }
        }
    }
}
