//! What the methods in constraint space share: one linearisation, and one move.
//!
//! About positions x with multipliers λ, Newton's step for both equations, with Ŵ⁻¹ = M/s + K in place of the Hessian of
//! the Lagrangian, is
//!
//! ```text
//! g = M (x − x̃)/s − Jᵀ λ,     h = c + γ J v + E⁻¹ λ,     D = 1 + γ·rate
//! (J Ŵ Jᵀ + D⁻¹ E⁻¹) δλ = −D⁻¹ h + J Ŵ g,
//! x ← x + Ŵ (Jᵀ δλ − g),      λ ← λ + δλ
//! ```
//! This is soft constraints Eq. 13 and 20 with two additions. The residual has E⁻¹λ (ERRATA). And g is there at all: the
//! paper, like PBD, moves by s M⁻¹ Jᵀ δλ and so adds up gradients of all the positions it passed, which is not
//! s M⁻¹ J(x)ᵀ λ at the end; the difference stayed at 1e-4 of the cloth's size in our tests, however long one iterated.
//!
//! K is a bound for the curvature of the rows, Σ|λ_r| ‖∇²c_r‖, vertex by vertex. Without it, with M/s alone, a step from
//! solved rows overshoots by (tension / edge length) / (mass / s), which exceeds 1 for any cloth fine enough, and
//! diverges. With a bound, it minimises a function that lies above Φ and touches it. Rows are functions of columns of size
//! about 1 or of angles, for both of which ‖∂²c/∂x_i∂x_j‖ is about |∇_i c| |∇_j c| or less.

use super::evaluate::{ROWS, Sample};
use super::{Solve, small, table::Item};

impl Solve<'_> {
    /// Evaluates rows, and with them g, Ŵ and the right-hand side. Returns the residual.
    ///
    /// Fills `row[0]` with the right-hand side, `row[1]` with the diagonal of the matrix, `heft` with Ŵ, `arm[0]` with
    /// Ŵ g.
    pub(super) fn linearise(&self) -> f64 {
        let g = self.global;
        let mut sample = Sample::ZERO;
        self.crew.each(self.table.items.len(), |e| {
            let (item, lagged) = (&self.table.items[e], self.sample(e, &mut sample));
            let held = self.table.blocks[e].compliance.times(&self.rows_of(item, &g.lambda));
            for (j, r) in item.own_rows().enumerate() {
                g.row[0].set(item.row as usize + j, lagged[r] + held[r]);
            }
        });
        self.crew.each(g.vertices, |i| self.stray(i));
        self.crew.reduce(self.table.items.len(), |e| [0.0, 0.0, 0.0, self.right_hand_side(e)])[3]
    }

    /// Vertex i: how far it is from where the multipliers would have it, `arm[1]` as it is and `arm[0]` as the step will
    /// take it back, and Ŵ.
    #[inline(always)]
    fn stray(&self, i: usize) {
        let (g, w) = (self.global, self.global.w.get(i));
        if w == 0.0 {
            g.arm[0].set3(i, [0.0; 3]);
            g.arm[1].set3(i, [0.0; 3]);
            g.heft.set(i, 0.0);
            return;
        }
        let carry = self.settings.reach * w;
        let share = 1.0 / (1.0 + carry * self.bend(i));
        let (x, target) = (g.x.get3(i), g.target.get3(i));
        let off = small::plus(small::plus(x, -1.0, target), -carry, self.pull(i, &g.lambda));
        g.arm[1].set3(i, off);
        g.arm[0].set3(i, off.map(|o| o * share));
        g.heft.set(i, carry * share);
    }

    /// K at vertex i, N/m.
    #[inline(always)]
    fn bend(&self, i: usize) -> f64 {
        let g = self.global;
        let mut bend = 0.0;
        for (item, k) in self.table.touching(i) {
            for (j, row) in item.range().enumerate() {
                let lambda = g.lambda.get(row).abs();
                if lambda > 0.0 {
                    let steep = |k| small::norm(g.gradient.get3(item.gradient(j, k)));
                    bend += lambda * steep(k) * (0..item.arms()).map(steep).sum::<f64>();
                }
            }
        }
        bend
    }

    /// The right-hand side and diagonal of item e's rows. Returns their residual.
    #[inline(always)]
    fn right_hand_side(&self, e: usize) -> f64 {
        let (g, item) = (self.global, &self.table.items[e]);
        let (back, off) = (self.corners(item, &g.arm[0]), self.corners(item, &g.arm[1]));
        let (damping, heft) = (self.damping(item), self.hefts(item));
        let mut residual = 0.0;
        for (j, r) in item.own_rows().enumerate() {
            let row = item.row as usize + j;
            let (h, d) = (g.row[0].get(row), damping[r] * damping[r]);
            g.row[0].set(row, self.push(item, j, &back) - h / d);
            let (mut give, mut stray) = (self.table.blocks[e].compliance.diagonal[r] / d, 0.0);
            for k in 0..item.arms() {
                let gradient = g.gradient.get3(item.gradient(j, k));
                give += heft[k] * small::dot(gradient, gradient);
                stray += small::norm(gradient) * small::norm(off[k]);
            }
            g.row[1].set(row, give);
            residual = f64::max(residual, h.abs() + stray);
            if h.is_nan() || stray.is_nan() {
                residual = f64::INFINITY;
            }
        }
        residual
    }

    #[inline(always)]
    pub(super) fn hefts(&self, item: &Item) -> [f64; 4] {
        core::array::from_fn(|k| if k < item.arms() { self.global.heft.get(item.vertices[k] as usize) } else { 0.0 })
    }

    /// D^-½ E⁻¹ D^-½ of item e: its part of the matrix besides J Ŵ Jᵀ.
    #[inline(always)]
    pub(super) fn softness(&self, e: usize) -> super::stiffness::Coupled {
        let scale = self.damping(&self.table.items[e]).map(|d| 1.0 / d);
        self.table.blocks[e].compliance.scaled(&scale)
    }

    /// Moves positions and multipliers by the δλ in `row[2]`.
    pub(super) fn advance(&self) {
        let g = self.global;
        self.crew.each(self.table.rows(), |r| g.lambda.add(r, g.row[2].get(r)));
        self.crew.each(g.vertices, |i| {
            let heft = g.heft.get(i);
            if heft > 0.0 {
                let to = small::plus(small::plus(g.x.get3(i), heft, self.pull(i, &g.row[2])), -1.0, g.arm[0].get3(i));
                g.x.set3(i, to);
            }
        });
    }

    /// A y, into `to`, for item e's rows, if `arm[2]` holds Ŵ Jᵀ y.
    #[inline(always)]
    pub(super) fn matrix_rows(&self, e: usize, y: &super::Field, to: &super::Field) -> ([f64; ROWS], [f64; ROWS]) {
        let item = &self.table.items[e];
        let moved = self.corners(item, &self.global.arm[2]);
        let y = self.rows_of(item, y);
        let mut out = self.softness(e).times(&y);
        for (j, r) in item.own_rows().enumerate() {
            out[r] += self.push(item, j, &moved);
            to.set(item.row as usize + j, out[r]);
        }
        (y, out)
    }
}
