//! What the methods in configuration space share: forces, and the function they go down.

use super::evaluate::Sample;
use super::{Solve, small};

/// How things stand at some positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Φ, J. Means nothing to damped rows.
    pub energy: f64,
    /// gᵀ Ŵ g, J: the square of what is left, as a change of kinetic energy would count it.
    pub square: f64,
    /// The largest velocity that a vertex lacks, m/s.
    pub residual: f64,
}

impl Solve<'_> {
    /// Evaluates rows, multipliers λ = −E (c + γ J v) and, into `arm[0]`, the gradient g = M (x − x̃)/s − Jᵀ λ of Φ.
    ///
    /// This is minus the residual of soft constraints Eq. 12 with the inertia that it drops (ERRATA), over h.
    pub(super) fn forces(&self) -> Standing {
        self.forces_of(|m| self.packed_forces(m))
    }

    /// The same with what `packed` finds, or knows, of the elements that are in lanes: their energy, J.
    pub(super) fn forces_of(&self, packed: impl Fn(&super::Multigrid) -> f64) -> Standing {
        let (g, s) = (self.global, self.settings.reach);
        let multigrid = g.multigrid.as_deref();
        let mut sample = Sample::ZERO;
        let stored = self.crew.sum(self.table.items.len(), |e| {
            let (item, lagged) = (&self.table.items[e], self.sample(e, &mut sample));
            let stress = self.table.blocks[e].stiffness.times(&lagged);
            let mut energy = 0.0;
            for (j, r) in item.own_rows().enumerate() {
                g.rows.lambda.set(item.row as usize + j, -stress[r]);
                energy += 0.5 * stress[r] * lagged[r];
            }
            energy
        });
        let stored = stored + multigrid.map_or(0.0, packed);
        let elements = multigrid.map_or(&[][..], |m| self.packed_gradients(m));
        let [moved, square, _, residual] = self.crew.reduce(g.vertices, |i| {
            let w = g.points.w.get(i);
            if w == 0.0 {
                g.arm[0].set3(i, [0.0; 3]);
                return [0.0; 4];
            }
            let off = small::plus(g.points.x.get3(i), -1.0, g.points.target.get3(i));
            let inertia = 1.0 / (w * s);
            let mut slope = small::plus(self.pull(i, &g.rows.lambda).map(|f| -f), inertia, off);
            let mut energy = 0.5 * inertia * small::dot(off, off);
            if let Some(&[x, y, z, _]) = elements.get(i) {
                slope = small::plus(slope, 1.0, [x, y, z]);
                if let Some((stored, push)) = self.plane_force(i, inertia) {
                    slope = small::plus(slope, 1.0, push);
                    energy += stored;
                }
            }
            g.arm[0].set3(i, slope);
            let size = small::dot(slope, slope);
            [energy, s * w * size, 0.0, s * w * self.settings.rate * size.sqrt()]
        });
        Standing { energy: stored + moved, square, residual }
    }

    /// Goes where Φ is lowest: here, where the multipliers of a warm start would have the vertices; or to one of
    /// `others`. Damped rows have no Φ: there, where the least is left of the equations.
    pub(super) fn lowest(&self, others: &[&super::SharedList]) -> Standing {
        let g = self.global;
        let (mut best, mut at) = (self.forces(), &g.kept.x);
        let mut last = at;
        for &other in others.iter().filter(|other| self.elsewhere(other)) {
            self.place(other);
            last = other;
            let there = self.forces();
            // Not the other way round: anything is better than what is no number.
            let lower = if self.table.viscous { there.square < best.square } else { there.energy < best.energy };
            if lower || !best.energy.is_finite() {
                (best, at) = (there, other);
            }
        }
        if core::ptr::eq(at, last) {
            return best;
        }
        self.place(at);
        self.forces()
    }

    /// Whether free vertices are elsewhere there than where the solve began.
    fn elsewhere(&self, there: &super::SharedList) -> bool {
        let g = self.global;
        let moved = |i| f64::from(g.points.w.get(i) > 0.0 && g.kept.x.get3(i) != there.get3(i));
        self.crew.sum(g.vertices, moved) > 0.0
    }

    /// Puts free vertices there.
    pub(super) fn place(&self, there: &super::SharedList) {
        let g = self.global;
        self.crew.each(g.vertices, |i| {
            if g.points.w.get(i) > 0.0 {
                g.points.x.set3(i, there.get3(i));
            }
        });
    }

    /// x ← x + length · direction, for what is free.
    pub(super) fn go(&self, length: f64, direction: &super::SharedList) {
        let g = self.global;
        self.crew.each(g.vertices, |i| {
            if g.points.w.get(i) > 0.0 {
                g.points.x.set3(i, small::plus(g.points.x.get3(i), length, direction.get3(i)));
            }
        });
    }

    /// a·b over all vertices.
    pub(super) fn product(&self, a: &super::SharedList, b: &super::SharedList) -> f64 {
        self.crew.sum(self.global.vertices, |i| small::dot(a.get3(i), b.get3(i)))
    }

    /// D^½ E D^½ of item e.
    #[inline(always)]
    pub(super) fn hardness(&self, e: usize) -> super::stiffness::Coupled {
        self.table.blocks[e].stiffness.scaled(&self.damping(&self.table.items[e]))
    }

    /// Factors the preconditioner's 3×3 block of vertex i, into `tile`.
    pub(super) fn keep_tile(&self, i: usize, mut a: [[f64; 3]; 3]) {
        if !small::factor(&mut a, 3) {
            // Rounding made it indefinite: masses and forces far beyond each other. Its largest entry bounds it.
            let most = a.iter().flatten().fold(1.0, |m: f64, &c| if c.is_finite() { m.max(c.abs()) } else { m });
            a = [[0.0; 3]; 3];
            (0..3).for_each(|d| a[d][d] = most);
        }
        for (c, value) in [a[0][0], a[1][0], a[1][1], a[2][0], a[2][1], a[2][2]].into_iter().enumerate() {
            self.global.curvature.tile.set(6 * i + c, value);
        }
    }

    /// Solves with it.
    #[inline(always)]
    pub(super) fn apply_tile(&self, i: usize, mut b: [f64; 3]) -> [f64; 3] {
        let t: [f64; 6] = core::array::from_fn(|c| self.global.curvature.tile.get(6 * i + c));
        small::solve(&[[t[0], 0.0, 0.0], [t[1], t[2], 0.0], [t[3], t[4], t[5]]], 3, &mut b);
        b
    }
}
