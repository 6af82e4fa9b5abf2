//! Minimum Residual and Conjugate Residuals in constraint space (soft constraints §7).

use super::constraint::Caution;
use super::{Outcome, Solve};

/// Inner iterations before the rows are linearised anew, at most. On a hanging sheet of 15×15, 20 and 40 were as good
/// as each other; with 10, stiff cloth (20 kN/m) went round in circles.
const INNER: u32 = 30;
/// How much of the linear residual's square may be left before the rows are linearised anew.
const FORCING: f64 = 0.1;

impl Solve<'_> {
    /// Solves the linearised system for δλ by steepest descent of its residual, or with `conjugate` directions, then
    /// moves, until solved.
    ///
    /// Rows have different units, so the residual is measured with the matrix's diagonal: all this is the plain method
    /// on S A S with S = diag(A)^-½.
    pub(super) fn residuals(&self, conjugate: bool) -> Outcome {
        let (mut iterations, mut caution) = (0, Caution::default());
        loop {
            let residual = self.linearise(Some(caution.boldness));
            self.remember(&mut caution, residual);
            let left = self.settings.iterations.saturating_sub(iterations);
            if !self.unsolved(residual) || left == 0 {
                return self.settle(&caution, iterations, residual);
            }
            iterations += self.descend(conjugate, left.min(INNER));
            self.advance();
        }
    }

    /// Some iterations for δλ in `row[2]`. Returns how many, at least one.
    ///
    /// `row[0]` residual r, `row[1]` diagonal, `row[3]` A z with z = S² r, `row[4]` direction p, `row[5]` A p.
    fn descend(&self, conjugate: bool, most: u32) -> u32 {
        let (g, rows) = (self.global, self.table.rows());
        let [r, diagonal, y, az, p, ap, z] = &g.row;
        let start = self.crew.sum(rows, |i| {
            let first = r.get(i) / diagonal.get(i);
            y.set(i, 0.0);
            p.set(i, first);
            r.get(i) * first
        });
        let mut curve = self.times(p, ap);
        for k in 1..=most {
            // ‖S A p‖²: the direction's matrix row by row, whatever the direction.
            let size = self.crew.sum(rows, |i| ap.get(i) * ap.get(i) / diagonal.get(i));
            let length = curve / size;
            if !(length > 0.0 && length.is_finite()) {
                return k;
            }
            let left = self.crew.sum(rows, |i| {
                y.add(i, length * p.get(i));
                r.add(i, -length * ap.get(i));
                r.get(i) * r.get(i) / diagonal.get(i)
            });
            if left <= FORCING * start || k == most {
                return k;
            }
            if conjugate {
                self.crew.each(rows, |i| z.set(i, r.get(i) / diagonal.get(i)));
                let next = self.times(z, az);
                let beta = next / curve;
                self.crew.each(rows, |i| {
                    p.set(i, z.get(i) + beta * p.get(i));
                    ap.set(i, az.get(i) + beta * ap.get(i));
                });
                curve = next;
            } else {
                self.crew.each(rows, |i| p.set(i, r.get(i) / diagonal.get(i)));
                curve = self.times(p, ap);
            }
        }
        most
    }

    /// A y into `to`, and yᵀ A y.
    fn times(&self, y: &super::SharedList, to: &super::SharedList) -> f64 {
        let g = self.global;
        self.crew.each(g.vertices, |i| {
            let heft = g.curvature.heft.get(i);
            g.arm[2].set3(i, if heft > 0.0 { self.pull(i, y).map(|f| f * heft) } else { [0.0; 3] });
        });
        self.crew.sum(self.table.items.len(), |e| {
            let (y, ay) = self.matrix_rows(e, y, to);
            y.iter().zip(&ay).map(|(a, b)| a * b).sum()
        })
    }
}
