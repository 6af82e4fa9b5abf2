//! Nonlinear conjugate gradients in configuration space (soft constraints Algorithm 1, corrected).

use super::constraint::Caution;
use super::{Outcome, Solve, small};

/// Further evaluations to mend a step whose length was wrong, at most.
const MENDS: u32 = 4;
/// A step is as good as right if this much of the slope along it is left.
const SLOPE_LEFT: f64 = 0.3;
/// Steps between two looks at the rows' curvature.
const FRESH: u32 = 10;

impl Solve<'_> {
    /// Algorithm 1 with what it lacks: the residual has its inertia, and δ ← δ' (ERRATA).
    ///
    /// Changed on purpose:
    /// - The step length −gᵀd / dᵀSd, S = M/s + Jᵀ E J, knows nothing of second derivatives and is too long for cloth
    ///   under tension, which threw it into other folds. S has a bound for them besides. Where the slope along d after
    ///   the step says that the length was wrong, secant steps mend it.
    /// - β is Fletcher–Reeves', but Polak–Ribière's where that is smaller, and not below 0: stiff cloth takes half as
    ///   many iterations, other cloth as many. Directions that do not go down begin anew.
    /// - Residuals are preconditioned with the masses, which makes them accelerations. (Tried: the 3×3 diagonal blocks
    ///   of S. Three times as many iterations, about eight with damping, and with plain Fletcher–Reeves no end of
    ///   them.)
    pub(super) fn nonlinear_cg(&self) -> Outcome {
        let [slope, direction, steep, ..] = &self.global.arm;
        // Fast stiff cloth stores more energy at x̃ than it has, and few iterations from there would leave it that
        // energy. Going down from where the step began cannot.
        let mut now = self.lowest(&[&self.global.points.target, &self.global.points.start]);
        let (mut iterations, mut steps) = (0, 0);
        let mut size = self.precondition(0.0).0;
        self.crew.each(self.global.vertices, |i| direction.set3(i, steep.get3(i).map(|c| -c)));
        loop {
            if !self.unsolved(now.residual) || iterations >= self.settings.iterations {
                return Outcome { iterations, residual: now.residual };
            }
            let mut down = self.product(slope, direction);
            if down >= 0.0 || down.is_nan() {
                self.crew.each(self.global.vertices, |i| direction.set3(i, steep.get3(i).map(|c| -c)));
                down = -size;
            }
            if steps % FRESH == 0 || steps < FRESH {
                self.bound_curvature(Caution::default().boldness);
            }
            steps += 1;
            let mut length = -down / self.curve(direction);
            if !(length > 0.0 && length.is_finite()) {
                return Outcome { iterations, residual: now.residual };
            }
            for mend in 0..=MENDS {
                self.go(length, direction);
                now = self.forces();
                iterations += 1;
                let left = self.product(slope, direction);
                if left.abs() <= SLOPE_LEFT * down.abs() || mend == MENDS || iterations >= self.settings.iterations {
                    break;
                }
                // Where the slope would vanish if it went on as it did, counted from here.
                let onward = length.abs() * left / (down - left);
                let turned = if left.is_finite() {
                    onward.clamp(-0.9 * length.abs(), 3.0 * length.abs())
                } else {
                    -0.9 * length.abs()
                };
                (length, down) = (turned, left);
            }
            let (next, across) = self.precondition(1.0);
            let beta = ((next - across) / size).clamp(0.0, next / size);
            let beta = if beta.is_finite() { beta } else { 0.0 };
            size = next;
            self.crew.each(self.global.vertices, |i| {
                direction.set3(i, small::plus(steep.get3(i).map(|c| -c), beta, direction.get3(i)));
            });
        }
    }

    /// dᵀ S d, with the bound for the curvature.
    fn curve(&self, d: &super::SharedList) -> f64 {
        let (g, s) = (self.global, self.settings.reach);
        let inertia = self.crew.sum(g.vertices, |i| {
            let w = g.points.w.get(i);
            if w > 0.0 { small::dot(d.get3(i), d.get3(i)) * (1.0 / (w * s) + self.bend(i)) } else { 0.0 }
        });
        inertia
            + self.crew.sum(self.table.items.len(), |e| {
                let item = &self.table.items[e];
                let d = self.corners(item, d);
                let mut strain = [0.0; super::evaluate::ROWS];
                for (j, r) in item.own_rows().enumerate() {
                    strain[r] = self.push(item, j, &d);
                }
                strain.iter().zip(self.hardness(e).times(&strain)).map(|(a, b)| a * b).sum()
            })
    }

    /// z = s M⁻¹ g into `arm[2]`. Returns g·z and, times `last`, g·z of the z before.
    fn precondition(&self, last: f64) -> (f64, f64) {
        let g = self.global;
        let [slope, _, steep, ..] = &g.arm;
        let [size, across, ..] = self.crew.reduce(g.vertices, |i| {
            if g.points.w.get(i) == 0.0 {
                steep.set3(i, [0.0; 3]);
                return [0.0; 4];
            }
            let old = steep.get3(i);
            let carry = self.settings.reach * g.points.w.get(i);
            let z = slope.get3(i).map(|c| c * carry);
            steep.set3(i, z);
            [small::dot(slope.get3(i), z), last * small::dot(slope.get3(i), old), 0.0, 0.0]
        });
        (size, across)
    }
}
