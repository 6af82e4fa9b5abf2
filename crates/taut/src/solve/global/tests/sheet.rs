//! A hanging sheet of St. Venant–Kirchhoff triangles and hinges, and its energy written down a second time.

use crate::constraint::{Batch, Compliance, Elements, Loose, LooseElements, SLACK};
use crate::element::{Element, Hinge, Plain, TriStrain, evaluate};
use crate::lanes::{BLOCK, Scalar, V3};
use crate::solve::Solver;
use crate::solve::global::{Candidate, Global, Outcome, SolveSettings};
use crate::team::{Team, Worker};
use std::sync::Mutex;

/// Time step, s.
pub const H: f64 = 1.0 / 60.0;
/// Membrane modulus, N/m. Stiffer sheets in motion have several folds to choose from, and solvers choose differently.
pub const YOUNG: f64 = 500.0;
pub const POISSON: f64 = 0.3;
/// Stiffness of a hinge, J/rad².
pub const BEND: f64 = 1e-4;
/// kg/m².
pub const DENSITY: f64 = 0.2;
pub const G: f64 = 9.81;

#[derive(Clone)]
pub struct Sheet<T = f64> {
    pub elements: Elements<T>,
    pub loose: LooseElements,
    pub young: f64,
    pub x: Vec<[f64; 3]>,
    pub v: Vec<[f64; 3]>,
    pub w: Vec<f64>,
    pub lambda: Vec<f64>,
}

pub fn plus(a: [f64; 3], s: f64, b: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|d| a[d] + s * b[d])
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    plus(a, -1.0, b).iter().map(|d| d * d).sum::<f64>().sqrt()
}

/// The triangles of a grid of n×n, diagonals alternating.
fn triangles(n: usize) -> Vec<[u32; 3]> {
    let mut out = Vec::new();
    for (i, j) in (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j))) {
        let at = |a: usize, b: usize| ((i + a) * n + j + b) as u32;
        let (p, q, r, s) = (at(0, 0), at(0, 1), at(1, 1), at(1, 0));
        out.extend(if (i + j) % 2 == 0 { [[p, q, r], [p, r, s]] } else { [[p, q, s], [q, r, s]] });
    }
    out
}

/// Damping times differ within a triangle, even between the two rows that Poisson's ratio couples.
fn triangle(t: [u32; 3], rest: &[[f64; 2]], young: f64, gamma: f64) -> (Loose<3, 6, 4>, f64) {
    let [a, b, c] = t.map(|v| rest[v as usize]);
    let (q1, q2) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let det = q1[0] * q2[1] - q1[1] * q2[0];
    let area = 0.5 * det;
    let stretch = 4.0 / (young * area);
    let shear = 2.0 * (1.0 + POISSON) / (young * area);
    let elastic = Compliance {
        diagonal: [stretch, stretch, shear, SLACK],
        coupling: [-POISSON * stretch, 0.0, 0.0],
        gamma: [gamma, 0.6 * gamma, 0.5 * gamma, 0.0],
    };
    let rest = [q2[1] / det, -q1[1] / det, -q2[0] / det, q1[0] / det, 1.0, 1.0];
    (Loose { index: t, rest, stiffness: [0.0; 4], damping: [0.0; 4], elastic: Some(elastic) }, area)
}

fn hinges(triangles: &[[u32; 3]], gamma: f64) -> Vec<Loose<4, 1, 1>> {
    let mut out = Vec::new();
    for (k, t) in triangles.iter().enumerate() {
        for u in &triangles[k + 1..] {
            for e in 0..3 {
                let (a, b, c) = (t[e], t[(e + 1) % 3], t[(e + 2) % 3]);
                let Some(&d) = u.iter().find(|v| !t.contains(v)) else { continue };
                if u.contains(&a) && u.contains(&b) {
                    let elastic = Compliance { diagonal: [1.0 / BEND], coupling: [0.0; 3], gamma: [gamma] };
                    let index = [a, b, c, d];
                    out.push(Loose { index, rest: [0.0], stiffness: [0.0], damping: [0.0], elastic: Some(elastic) });
                }
            }
        }
    }
    out
}

/// A square of side 1 m, n×n vertices, level but for a millimetre of unevenness, held at two corners.
pub fn sheet<T: Scalar>(n: usize, young: f64, gamma: f64) -> Sheet<T> {
    let spacing = 1.0 / (n - 1) as f64;
    let rest: Vec<[f64; 2]> = (0..n * n).map(|i| [(i % n) as f64 * spacing, (i / n) as f64 * spacing]).collect();
    let triangles = triangles(n);
    let mut loose = LooseElements::default();
    let mut mass = vec![0.0; n * n];
    for &t in &triangles {
        let (element, area) = triangle(t, &rest, young, gamma);
        t.iter().for_each(|&v| mass[v as usize] += DENSITY * area / 3.0);
        loose.plain_triangles.push(element);
    }
    loose.hinges = hinges(&triangles, gamma);
    let own: Vec<u32> = (0..(n * n) as u32).collect();
    let elements = loose.clone().pack(&own);
    let mut w: Vec<f64> = mass.iter().map(|m| 1.0 / m).collect();
    (w[0], w[n - 1]) = (0.0, 0.0);
    let uneven = |i: usize| 1e-3 * ((i * 7919 % 101) as f64 / 101.0 - 0.5);
    let x = rest.iter().enumerate().map(|(i, p)| [p[0], uneven(i), p[1]]).collect();
    let lambda = vec![0.0; elements.multipliers * BLOCK];
    Sheet { elements, loose, young, x, v: vec![[0.0; 3]; n * n], w, lambda }
}

/// A sheet after 20 steps of falling: stretched, bent and in motion.
pub fn moving(n: usize, gamma: f64) -> Sheet {
    let mut sheet = sheet(n, YOUNG, gamma);
    let (team, mut global) = (Team::new(1), Global::default());
    for _ in 0..20 {
        sheet = sheet.solve(&mut global, &team, &settings(Solver::Newton), &sheet.candidates()).0;
    }
    sheet
}

/// Implicit Euler, and enough iterations for everyone.
pub fn settings(solver: Solver) -> SolveSettings {
    SolveSettings {
        solver,
        reach: H * H,
        rate: 1.0 / H,
        iterations: 20_000,
        tolerance: 1e-10,
        coarse: true,
        goes_on: false,
        stays: false,
    }
}

impl<T: Scalar> Sheet<T> {
    /// Where it would go in one step of implicit Euler.
    pub fn candidates(&self) -> Vec<Candidate> {
        let one = |i: usize| {
            let (x, w) = (self.x[i], self.w[i]);
            let drift = if w > 0.0 { plus(self.v[i], -G * H, [0.0, 1.0, 0.0]) } else { [0.0; 3] };
            let target = plus(x, H, drift);
            Candidate { x: target, start: target, w, target, drift }
        };
        (0..self.x.len()).map(one).collect()
    }

    /// One solve, by all of the team.
    pub fn solve(
        &self,
        global: &mut Global,
        team: &Team,
        settings: &SolveSettings,
        candidates: &[Candidate],
    ) -> (Self, Outcome) {
        global.prepare(&self.elements, &Default::default(), self.x.len(), settings.solver);
        let global = &*global;
        let out = Mutex::new((self.clone(), Outcome::default()));
        let program = |worker: Worker<'_>| {
            for i in worker.chunk(0..candidates.len()) {
                global.put(i, candidates[i]);
            }
            for k in worker.chunk(0..self.lambda.len()) {
                global.put_multiplier(k, self.lambda[k]);
            }
            let outcome = global.solve(worker, settings);
            let mut out = out.lock().unwrap();
            out.1 = outcome;
            for i in worker.chunk(0..candidates.len()) {
                let c = candidates[i];
                out.0.x[i] = global.position(i);
                out.0.v[i] = plus(c.drift, settings.rate, plus(out.0.x[i], -1.0, c.target));
            }
            for k in worker.chunk(0..self.lambda.len()) {
                out.0.lambda[k] = global.multiplier(k).unwrap_or(out.0.lambda[k]);
            }
        };
        // SAFETY: the same way on every worker.
        unsafe { team.run(team.threads(), program) };
        out.into_inner().unwrap()
    }

    /// One solve from where the sheet is, on one thread.
    pub fn step(&self, settings: &SolveSettings) -> (Self, Outcome) {
        self.solve(&mut Global::default(), &Team::new(1), settings, &self.candidates())
    }

    /// The largest distance to another sheet's vertices, m. The side is 1 m.
    pub fn apart(&self, other: &Self) -> f64 {
        self.x.iter().zip(&other.x).map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max)
    }

    /// Φ at these positions, from the textbook: ½ m |x−x̃|²/s, plane stress, and ½ k φ².
    pub fn phi(&self, candidates: &[Candidate]) -> f64 {
        let at = |v: u32| V3::from(self.x[v as usize]);
        let mut phi = 0.0;
        for (i, c) in candidates.iter().enumerate().filter(|(_, c)| c.w > 0.0) {
            phi += 0.5 * distance(self.x[i], c.target).powi(2) / (c.w * H * H);
        }
        let factor = self.young / (1.0 - POISSON * POISSON);
        for t in &self.loose.plain_triangles {
            let [a, b, c] = t.index.map(at);
            let column = |i: usize| (b - a) * t.rest[2 * i] + (c - a) * t.rest[2 * i + 1];
            let (fu, fv) = (column(0), column(1));
            let (u, v, shear) = (0.5 * (fu.norm2() - 1.0), 0.5 * (fv.norm2() - 1.0), fu.dot(fv));
            let area = 0.5 / (t.rest[0] * t.rest[3] - t.rest[1] * t.rest[2]);
            let stiff = self.young / (2.0 * (1.0 + POISSON));
            phi += 0.5 * area * (factor * (u * u + v * v + 2.0 * POISSON * u * v) + stiff * shear * shear);
        }
        for h in &self.loose.hinges {
            let [angle] = evaluate::<Hinge, f64, 4, 3, 1, 1>(&h.rest, &h.index.map(at)).values;
            phi += 0.5 * BEND * angle * angle;
        }
        phi
    }

    /// Jᵀ λ at these positions, N, with the multipliers found by the model's own layout.
    pub fn pull(&self) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; self.x.len()];
        let e = &self.elements;
        self.pull_batch::<TriStrain<Plain>, 3, 2, 6, 4>(&e.plain_triangles, &self.loose.plain_triangles, &mut out);
        self.pull_batch::<Hinge, 4, 3, 1, 1>(&e.hinges, &self.loose.hinges, &mut out);
        out
    }

    fn pull_batch<E, const V: usize, const D: usize, const P: usize, const R: usize>(
        &self,
        batch: &Batch<T, V, P, R>,
        loose: &[Loose<V, P, R>],
        out: &mut [[f64; 3]],
    ) where
        E: Element<V, D, P, R>,
    {
        for (b, source) in batch.source.iter().enumerate() {
            for lane in (0..BLOCK).filter(|&lane| source[lane] != u32::MAX) {
                let element = &loose[source[lane] as usize];
                let x = element.index.map(|v| V3::from(self.x[v as usize]));
                let found = evaluate::<E, f64, V, D, P, R>(&element.rest, &x);
                for r in 0..R {
                    let lambda = self.lambda[(batch.multipliers + b * R + r) * BLOCK + lane];
                    for k in 0..V {
                        let to = &mut out[element.index[k] as usize];
                        *to = plus(*to, lambda, found.gradients[r][k].into());
                    }
                }
            }
        }
    }
}
