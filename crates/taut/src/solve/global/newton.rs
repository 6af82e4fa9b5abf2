//! Newton's method: one step (the classical semi-implicit solver), or as many as it takes.

use super::configuration::Standing;
use super::{Outcome, Solve, small};
use std::sync::PoisonError;

/// Halvings of a step, at most.
const HALVINGS: u32 = 40;
/// The part of Φ that is lost in its rounding errors.
const LEVEL: f64 = 1e-11;

impl Solve<'_> {
    /// One Newton step by conjugate gradients, preconditioned with the 3×3 diagonal blocks. Stops when the linear
    /// system lacks no more velocity than the tolerance.
    pub(super) fn newton_cg(&self) -> Outcome {
        let before = self.begin_low();
        self.hessian(true);
        let iterations = self.linear_cg();
        Outcome { iterations, residual: self.forward(before).residual }
    }

    /// One Newton step by factorisation: "exact" in the paper's Fig. 1.
    pub(super) fn newton_cholesky(&self) -> Outcome {
        let before = self.begin_low();
        self.hessian(true);
        let residual = if self.direct() { self.forward(before).residual } else { before.residual };
        Outcome { iterations: 1, residual }
    }

    /// Begins at x̃ (or where a warm start would have it), or where the step began if Φ is lower there: fast stiff
    /// cloth stores more energy at x̃ than it has, and one step from there would leave it much of that.
    fn begin_low(&self) -> Standing {
        self.lowest(&[&self.global.points.target, &self.global.points.start])
    }

    /// The whole of a single step along `arm[1]`, or as much of it as raises Φ nowhere: without that, cloth of 5 kN/m
    /// that falls 1 m gained a hundred times what the fall gave. Damped rows have no Φ, and take the whole.
    fn forward(&self, before: Standing) -> Standing {
        let direction = &self.global.arm[1];
        let worse = |now: &Standing| {
            // Near the solution Φ differs by its rounding errors only.
            let grown = !self.table.viscous && now.energy > before.energy * (1.0 + LEVEL);
            grown || !now.residual.is_finite()
        };
        let mut length = 1.0;
        self.go(length, direction);
        let mut now = self.forces();
        for _ in 0..HALVINGS {
            if !worse(&now) {
                break;
            }
            length *= 0.5;
            self.go(-length, direction);
            now = self.forces();
        }
        now
    }

    /// Newton steps with a line search until solved: the reference.
    ///
    /// Where Φ is lower at the step's start than at x̃, it begins there: cloth at rest is solved then, however few the
    /// iterations. From x̃, which is g h² further down, one iteration came back to another place each time, and a strip
    /// settled at twice its droop.
    ///
    /// The Hessian is the whole one where that is positive definite, which makes convergence quadratic, and made of
    /// projected elements elsewhere. Without damping Φ must decrease. With it there is no such function: what is left
    /// of the equations must decrease, or at least half of what is left of them along the step's direction. The part of
    /// the derivative that is not symmetric, γ Jᵀ E ∇²c v, is left out then, and convergence is linear, about a digit a
    /// step; none at all where stiff damped cloth moves by more than an edge in a step.
    pub(super) fn newton(&self) -> Outcome {
        let mut now = self.begin_low();
        let mut iterations = 0;
        while self.unsolved(now.residual) && iterations < self.settings.iterations {
            let Some(slope) = self.downhill() else { break };
            iterations += 1;
            match self.search(now, slope) {
                Some(next) => now = next,
                None => break,
            }
        }
        Outcome { iterations, residual: now.residual }
    }

    /// A Newton direction in `arm[1]`, and Φ's slope along it. Nothing if there is none.
    fn downhill(&self) -> Option<f64> {
        let [slope, direction, ..] = &self.global.arm;
        for project in [false, true] {
            self.hessian(project);
            if self.direct() {
                let down = self.product(slope, direction);
                if down < 0.0 {
                    return Some(down);
                }
            }
        }
        None
    }

    /// Goes along `arm[1]` until it is good enough. Nothing if it never is; positions are then where they were.
    fn search(&self, before: Standing, slope: f64) -> Option<Standing> {
        let direction = &self.global.arm[1];
        let mut length = 1.0;
        self.go(length, direction);
        for _ in 0..HALVINGS {
            let now = self.forces();
            // Differences of Φ drown in its rounding errors near the solution; what is left of the gradient does not.
            let level = now.energy <= before.energy * (1.0 + LEVEL);
            let lower = now.energy <= before.energy + 1e-4 * length * slope;
            let nearer = now.square < before.square * (1.0 - 1e-4 * length);
            let calmer = || self.product(&self.global.arm[0], direction).abs() <= 0.5 * slope.abs();
            let good = match self.table.viscous {
                true => nearer || calmer(),
                false => lower && slope < -1e-13 * before.energy || level && nearer,
            };
            if good {
                return Some(now);
            }
            self.go(-0.5 * length, direction);
            length *= 0.5;
        }
        self.go(-length, direction);
        self.forces();
        None
    }

    /// Solves for the direction −H⁻¹ g in `arm[1]` by Cholesky factorisation, on one worker. False if H is not positive
    /// definite.
    fn direct(&self) -> bool {
        let (g, matrix) = (self.global, &self.global.matrix);
        if self.crew.worker.id() == 0 {
            let mut cholesky = matrix.cholesky.lock().unwrap_or_else(PoisonError::into_inner);
            let fine = cholesky.factorise(matrix);
            if fine {
                cholesky.solve(&g.arm[0], &g.arm[1]);
            }
            matrix.verdict.set(0, f64::from(fine));
        }
        self.crew.worker.sync();
        let fine = matrix.verdict.get(0) == 1.0;
        if fine {
            self.crew.each(g.vertices, |i| g.arm[1].set3(i, g.arm[1].get3(i).map(|c| -c)));
        } else {
            // All have read the verdict before it can change.
            self.crew.worker.sync();
        }
        fine
    }

    /// The same by conjugate gradients. Returns the iterations.
    fn linear_cg(&self) -> u32 {
        let g = self.global;
        let [r, x, z, p, ap, _] = &g.arm;
        let limit = self.settings.tolerance;
        self.diagonal_blocks();
        self.crew.each(g.vertices, |i| (r.set3(i, r.get3(i).map(|c| -c)), x.set3(i, [0.0; 3]), p.set3(i, [0.0; 3])).0);
        let mut last = 0.0;
        for k in 0..self.settings.iterations {
            let [size, _, _, lacking] = self.crew.reduce(g.vertices, |i| {
                let z_i = self.apply_tile(i, r.get3(i));
                z.set3(i, z_i);
                let carry = g.points.w.get(i) * self.settings.reach * self.settings.rate;
                [small::dot(r.get3(i), z_i), 0.0, 0.0, carry * small::norm(r.get3(i))]
            });
            if !(lacking > limit && size > 0.0 && size.is_finite()) {
                return k;
            }
            let beta = if last > 0.0 { size / last } else { 0.0 };
            last = size;
            self.crew.each(g.vertices, |i| p.set3(i, small::plus(z.get3(i), beta, p.get3(i))));
            let curve = self.crew.sum(g.vertices, |i| {
                ap.set3(i, g.matrix.times(i, p));
                small::dot(p.get3(i), ap.get3(i))
            });
            let length = size / curve;
            if !(length > 0.0 && length.is_finite()) {
                return k;
            }
            self.crew.each(g.vertices, |i| {
                x.set3(i, small::plus(x.get3(i), length, p.get3(i)));
                r.set3(i, small::plus(r.get3(i), -length, ap.get3(i)));
            });
        }
        self.settings.iterations
    }

    /// Factors the matrix's diagonal blocks into `tile`.
    fn diagonal_blocks(&self) {
        let g = self.global;
        self.crew.each(g.vertices, |i| {
            if let Some(n) = g.matrix.row(i).find(|&n| g.matrix.columns[n] as usize == i) {
                self.keep_tile(i, g.matrix.block(n));
            }
        });
    }
}
