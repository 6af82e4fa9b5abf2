//! Jacobi with averaging: all elements at once, each with its part of the vertices' masses.

use super::constraint::Caution;
use super::evaluate::ROWS;
use super::{Outcome, Solve, small};

/// Iterations between two looks at the rows' curvature, which cost as much as several iterations, once multipliers have
/// come near what they will be.
const FRESH: u32 = 10;

impl Solve<'_> {
    /// Each element solves its own rows as if it alone had 1/n of the mass of each vertex that n elements share.
    /// The matrix of all these blocks lies above the whole matrix, (Σ_e a_e)² ≤ n Σ_e a_e² at each vertex, so the
    /// iteration converges for any relaxation above 0 up to 1.
    pub(super) fn jacobi(&self, relaxation: f64) -> Outcome {
        let relaxation = if relaxation > 0.0 { relaxation.min(1.0) } else { 1.0 };
        let (mut iterations, mut caution) = (0, Caution::default());
        loop {
            let look = iterations < FRESH || iterations % FRESH == 0;
            let residual = self.linearise(look.then_some(caution.boldness));
            self.remember(&mut caution, residual);
            if !self.unsolved(residual) || iterations >= self.settings.iterations {
                return self.settle(&caution, iterations, residual);
            }
            self.crew.each(self.table.items.len(), |e| self.solve_alone(e, relaxation));
            self.advance();
            iterations += 1;
        }
    }

    #[inline(always)]
    fn solve_alone(&self, e: usize, relaxation: f64) {
        let (g, item) = (self.global, &self.table.items[e]);
        let heft = self.hefts(item);
        let softness = self.softness(e);
        let (mut a, mut b) = ([[0.0; ROWS]; ROWS], [0.0; ROWS]);
        let own: [usize; ROWS] = {
            let mut own = [0; ROWS];
            item.own_rows().enumerate().for_each(|(j, r)| own[j] = r);
            own
        };
        for i in 0..item.rows() {
            b[i] = g.row[0].get(item.row as usize + i);
            for j in 0..=i {
                a[i][j] = softness.at(own[i], own[j]);
                for k in 0..item.arms() {
                    let among = self.table.valence(item.vertices[k] as usize) as f64;
                    let (u, v) = (g.rows.gradient.get3(item.gradient(i, k)), g.rows.gradient.get3(item.gradient(j, k)));
                    a[i][j] += among * heft[k] * small::dot(u, v);
                }
            }
        }
        if small::factor(&mut a, item.rows()) {
            small::solve(&a, item.rows(), &mut b);
        } else {
            b = [0.0; ROWS];
        }
        for i in 0..item.rows() {
            g.row[2].set(item.row as usize + i, b[i] * relaxation);
        }
    }
}
