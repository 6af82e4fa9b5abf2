//! Elastic energy.

use crate::constraint::{Batch, Elastic, SLACK, Visit};
use crate::element::Element;
use crate::lanes::{BLOCK, Scalar, Vertex, xyz};
use crate::model::Model;
use crate::solve::user::{MOST_VERTICES, RowStrength};
use crate::state::State;

/// The elastic energy U = ½ cᵀ E c of all rows with a physical stiffness, J.
pub fn elastic_energy<T: Scalar>(model: &Model<T>, state: &State<T>) -> f64 {
    sums(model, state).joules + user_energy(model, state)
}

/// The same of the user's own rows.
fn user_energy<T: Scalar>(model: &Model<T>, state: &State<T>) -> f64 {
    let mut joules = 0.0;
    let mut gradients = [[0.0; 3]; MOST_VERTICES];
    for batch in &model.user_rows.batches {
        for (number, strength) in batch.strength.iter().enumerate() {
            let RowStrength::Compliance { compliance, .. } = *strength else { continue };
            let x: Vec<_> = batch.vertices_of(number as u32).iter().map(|&v| xyz(state.x[v as usize])).collect();
            let c = batch.sample(number as u32, &x, &mut gradients[..x.len()]);
            joules += if compliance > 0.0 { 0.5 * c * c / compliance } else { 0.0 };
        }
    }
    joules
}

/// The part of their stiffness that rows acted with in the last substep, by energy: −λᵀ c / cᵀ E c. 1 where the last
/// solve was done, and where nothing is strained; less where it was stopped early: with half of it cloth stretches
/// twice as far as it should. Rows with damping differ from 1 while they move. After solvers that work on positions it
/// is 1 whatever they leave.
pub fn firmness<T: Scalar>(model: &Model<T>, state: &State<T>) -> f64 {
    let Sum { joules, work, .. } = sums(model, state);
    if joules > 0.0 { 0.5 * work / joules } else { 1.0 }
}

fn sums<'a, T: Scalar>(model: &Model<T>, state: &'a State<T>) -> Sum<'a, T> {
    state.assert_of(model);
    let mut sum = Sum { x: &state.x, multipliers: &state.multipliers, joules: 0.0, work: 0.0 };
    model.elements.for_each_elastic(&mut sum);
    sum
}

struct Sum<'a, T> {
    x: &'a [Vertex<T>],
    multipliers: &'a [[T; BLOCK]],
    /// ½ cᵀ E c.
    joules: f64,
    /// −λᵀ c, J.
    work: f64,
}

impl<T: Scalar> Visit<T> for Sum<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        for (b, ((block, elastic), source)) in batch.blocks().iter().zip(&batch.elastic).zip(&batch.source).enumerate()
        {
            for lane in (0..BLOCK).filter(|&lane| source[lane] != u32::MAX) {
                let (c, _) = super::values_at::<E, T, V, D, P, R>(block, lane, self.x);
                self.joules += energy(elastic, lane, &c);
                let lambda = |r: usize| self.multipliers[batch.multipliers + b * R + r][lane].f64();
                self.work -= (0..R).map(|r| lambda(r) * c[r]).sum::<f64>();
            }
        }
    }
}

/// ½ cᵀ E c of one element: E is the inverse of the coupled rows' compliance, and 1/compliance of the others'.
fn energy<T: Scalar, const R: usize>(elastic: &Elastic<T, R>, lane: usize, c: &[f64; R]) -> f64 {
    let compliance = |r: usize| elastic.compliance[r][lane].f64();
    let coupling = |k: usize| elastic.coupling[k][lane].f64();
    let mut joules = 0.0;
    let coupled = (0..3).any(|k| coupling(k) != 0.0);
    let first = if coupled { R.min(3) } else { 0 };
    if coupled {
        // Cholesky's: the energy is half the squared length of L⁻¹ c.
        let mut l = [[0.0; 3]; 3];
        let mut y = [0.0; 3];
        for i in 0..first {
            let mut rest = c[i];
            for j in 0..=i {
                let mut a = if i == j { compliance(i) } else { coupling(i + j - 1) };
                for k in 0..j {
                    a -= l[i][k] * l[j][k];
                }
                l[i][j] = if i == j { a.max(0.0).sqrt() } else { a / l[j][j] };
                if j < i {
                    rest -= l[i][j] * y[j];
                }
            }
            y[i] = if l[i][i] > 0.0 { rest / l[i][i] } else { 0.0 };
            joules += 0.5 * y[i] * y[i];
        }
    }
    for r in first..R {
        if compliance(r) < 0.5 * SLACK {
            joules += 0.5 * c[r] * c[r] / compliance(r);
        }
    }
    joules
}
