//! What the methods in constraint space share: one linearisation, and one move.
//!
//! About positions x with multipliers λ, Newton's step for both equations, with Ŵ⁻¹ = M/s + K in place of the Hessian
//! of the Lagrangian, is
//!
//! ```text
//! g = M (x − x̃)/s − Jᵀ λ,     h = c + γ J v + E⁻¹ λ,     D = 1 + γ·rate
//! (J Ŵ Jᵀ + D⁻¹ E⁻¹) δλ = −D⁻¹ h + J Ŵ g,
//! x ← x + Ŵ (Jᵀ δλ − g),      λ ← λ + δλ
//! ```
//! This is soft constraints Eq. 13 and 20 with two additions. The residual has E⁻¹λ (ERRATA). And g is there at all:
//! the paper, like PBD, moves by s M⁻¹ Jᵀ δλ and so adds up gradients of all the positions it passed, which is not s
//! M⁻¹ J(x)ᵀ λ at the end, however long one iterates.
//!
//! K is a bound for the curvature of the rows, Σ λ_r ∇²c_r, vertex by vertex (half of Gershgorin's, of the exact
//! matrix). Without it, with M/s alone, a step from solved rows overshoots by (tension / edge length) / (mass / s),
//! which exceeds 1 for any cloth fine enough, and diverges. With a bound, it minimises a function that lies above Φ and
//! touches it. (Tried: |λ_r| |∇_i c_r| Σ_j |∇_j c_r| as a bound, which needs no second derivatives. It is four times
//! too large for St. Venant–Kirchhoff rows, and slower.)

use super::evaluate::{ARMS, EDGES, ROWS, Sample};
use super::{Solve, small, table::Item};

/// Half of a bound for the rows' curvature is enough: a step with K̂ in place of K leaves 1 − K/K̂ of the error.
/// Multipliers that grow after the look at the curvature may need more.
const BOLD: f64 = 0.5;
/// Iterations before more caution is called for again.
const PATIENCE: u32 = 10;

/// How much of the bound for the curvature to use: more whenever things got worse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caution {
    pub boldness: f64,
    best: f64,
    since: u32,
}

impl Default for Caution {
    fn default() -> Self {
        Caution { boldness: BOLD, best: f64::INFINITY, since: 0 }
    }
}

/// A residual this many times the best one is not on its way to a solution any more.
const ASTRAY: f64 = 10.0;

impl Caution {
    /// Whether things have gone wrong for good.
    fn astray(&self, residual: f64) -> bool {
        residual > ASTRAY * self.best
    }

    /// Takes note of a residual. True if there was none as good.
    fn watch(&mut self, residual: f64) -> bool {
        self.since += 1;
        let better = residual < self.best;
        self.best = self.best.min(residual);
        if residual > 2.0 * self.best && self.since > PATIENCE {
            (self.boldness, self.since) = ((2.0 * self.boldness).min(64.0 * BOLD), 0);
        }
        better
    }
}

impl Solve<'_> {
    /// Evaluates rows, and with them g, Ŵ and the right-hand side, after a new `look` at the curvature if there is to
    /// be one. Returns the residual.
    ///
    /// Fills `row[0]` with the right-hand side, `row[1]` with the diagonal of the matrix, `heft` with Ŵ, `arm[0]` with
    /// Ŵ g.
    pub(super) fn linearise(&self, look: Option<f64>) -> f64 {
        let g = self.global;
        if let Some(part) = look {
            self.bound_curvature(part);
        }
        let mut sample = Sample::ZERO;
        self.crew.each(self.table.items.len(), |e| {
            let (item, lagged) = (&self.table.items[e], self.sample(e, &mut sample));
            let held = self.table.blocks[e].compliance.times(&self.rows_of(item, &g.rows.lambda));
            for (j, r) in item.own_rows().enumerate() {
                g.row[0].set(item.row as usize + j, lagged[r] + held[r]);
            }
        });
        self.crew.each(g.vertices, |i| self.stray(i));
        self.crew.reduce(self.table.items.len(), |e| [0.0, 0.0, 0.0, self.right_hand_side(e)])[3]
    }

    /// Takes note of a residual, and of where it is if it is the best until now.
    pub(super) fn remember(&self, caution: &mut Caution, residual: f64) {
        if caution.watch(residual) {
            let g = self.global;
            self.crew.each(g.vertices, |i| g.kept.x.set3(i, g.points.x.get3(i)));
            self.crew.each(self.table.rows(), |r| g.kept.lambda.set(r, g.rows.lambda.get(r)));
        }
    }

    /// Ends with a residual; where it was best, if things have gone astray since. Steps of a second and masses of all
    /// sizes had Jacobi throw vertices beyond the stars.
    pub(super) fn settle(&self, caution: &Caution, iterations: u32, residual: f64) -> super::Outcome {
        if !caution.astray(residual) {
            return super::Outcome { iterations, residual };
        }
        let g = self.global;
        self.crew.each(g.vertices, |i| g.points.x.set3(i, g.kept.x.get3(i)));
        self.crew.each(self.table.rows(), |r| g.rows.lambda.set(r, g.kept.lambda.get(r)));
        super::Outcome { iterations, residual: caution.best }
    }

    /// Vertex i: how far it is from where the multipliers would have it, `arm[1]` as it is and `arm[0]` as the step
    /// will take it back, and Ŵ.
    #[inline(always)]
    fn stray(&self, i: usize) {
        let (g, w) = (self.global, self.global.points.w.get(i));
        if w == 0.0 {
            g.arm[0].set3(i, [0.0; 3]);
            g.arm[1].set3(i, [0.0; 3]);
            g.curvature.heft.set(i, 0.0);
            return;
        }
        let carry = self.settings.reach * w;
        let eased = 1.0 / (1.0 + carry * self.bend(i));
        let (x, target) = (g.points.x.get3(i), g.points.target.get3(i));
        let off = small::plus(small::plus(x, -1.0, target), -carry, self.pull(i, &g.rows.lambda));
        g.arm[1].set3(i, off);
        g.arm[0].set3(i, off.map(|o| o * eased));
        g.curvature.heft.set(i, carry * eased);
    }

    /// Bounds the curvature of each item's rows under the present multipliers: for each of its vertices `part` times
    /// the largest sum of a row of |Σ_r λ_r ∇²c_r|, N/m.
    pub(super) fn bound_curvature(&self, part: f64) {
        let g = self.global;
        self.crew.each(self.table.items.len(), |e| {
            let item = &self.table.items[e];
            let n = 3 * (item.arms() - 1);
            let mut h = [[0.0; EDGES]; EDGES];
            self.curvature(e, &mut h);
            let mut sums = [[0.0; 3]; ARMS];
            for i in 0..n {
                let (mut row, mut base) = (0.0, [0.0; 3]);
                for j in 0..n {
                    row += h[i][j].abs();
                    base[j % 3] += h[i][j];
                    sums[0][j % 3] += h[i][j].abs();
                }
                let first = base.iter().map(|b| b.abs()).sum::<f64>();
                sums[i / 3 + 1][i % 3] = row + first;
            }
            for k in 0..item.arms() {
                g.curvature.bend.set(ARMS * e + k, part * sums[k].iter().fold(0.0, |m: f64, &s| m.max(s)));
            }
        });
    }

    /// K at vertex i, N/m.
    #[inline(always)]
    pub(super) fn bend(&self, i: usize) -> f64 {
        self.table.touching_ids(i).map(|(e, k)| self.global.curvature.bend.get(ARMS * e + k)).sum()
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
                let gradient = g.rows.gradient.get3(item.gradient(j, k));
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
    pub(super) fn hefts(&self, item: &Item) -> [f64; ARMS] {
        core::array::from_fn(|k| {
            if k < item.arms() { self.global.curvature.heft.get(item.vertices[k] as usize) } else { 0.0 }
        })
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
        self.crew.each(self.table.rows(), |r| g.rows.lambda.add(r, g.row[2].get(r)));
        self.crew.each(g.vertices, |i| {
            let heft = g.curvature.heft.get(i);
            if heft > 0.0 {
                let to =
                    small::plus(small::plus(g.points.x.get3(i), heft, self.pull(i, &g.row[2])), -1.0, g.arm[0].get3(i));
                g.points.x.set3(i, to);
            }
        });
    }

    /// A y, into `to`, for item e's rows, if `arm[2]` holds Ŵ Jᵀ y.
    #[inline(always)]
    pub(super) fn matrix_rows(
        &self,
        e: usize,
        y: &super::SharedList,
        to: &super::SharedList,
    ) -> ([f64; ROWS], [f64; ROWS]) {
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
