//! Nodal averaging: from what each element wants to where each vertex goes (CSL Eq. 12).

use super::super::apply::Application;
use super::kernel::REST;
use crate::constraint::Batch;
use crate::lanes::{BLOCK, Scalar, Vertex};
use crate::sets::Grouped;

/// The corners that meet at each vertex, in the order of the blocks, and the elements' weights.
///
/// Vertex i has the weight a_e of each of its elements e, S_i in all, and goes to the mean of what they want. If
/// element e is solved as if its vertices had the masses m_i a_e/S_i, its own momentum stays, Σ_i m_i (a_e/S_i) δ_ie =
/// 0, and the sum over elements of that is the momentum of the means: it stays too. The inverse of that mass is w_i S_i
/// up to a factor a_e that the element's solution does not depend on, so w_i S_i takes the place of w_i.
#[derive(Clone, Debug)]
pub(super) struct NodalAverage {
    vertices: usize,
    /// Corners are lane × 3 + corner.
    incidence: Grouped,
    /// By lane: the element's vertices and its rest area over the mean, 0 in spare lanes.
    lanes: Vec<([u32; 3], f64)>,
}

impl NodalAverage {
    pub fn new<T: Scalar>(vertices: usize, batch: &Batch<T, 3, REST, 0>) -> Self {
        let mut lanes = Vec::with_capacity(batch.blocks().len() * BLOCK);
        for (block, source) in batch.blocks().iter().zip(&batch.source) {
            for lane in 0..BLOCK {
                let index = [0, 1, 2].map(|k| block.places[k][lane].index::<Vertex<T>>() as u32);
                let area = 0.5 / block.rest[4][lane].f64().abs();
                lanes.push((index, if source[lane] == u32::MAX { 0.0 } else { area }));
            }
        }
        // Weights about 1 keep w_i S_i where `f32` has room.
        let mean = lanes.iter().map(|l| l.1).sum::<f64>() / batch.count.max(1) as f64;
        lanes.iter_mut().for_each(|l| l.1 /= mean);
        let real = lanes.iter().enumerate().filter(|(_, (_, area))| *area > 0.0);
        let corners = real.flat_map(|(lane, (index, _))| [0, 1, 2].map(|k| (index[k], (lane * 3 + k) as u32)));
        NodalAverage { vertices, incidence: Grouped::new(vertices, corners), lanes }
    }

    /// Finds the elements' weights, `held` times as much for those with a fixed vertex, and gives vertices their w_i
    /// S_i.
    pub fn weigh<T: Scalar>(&self, job: &mut Application<'_, T>, held: f64) {
        let zero = T::of(0.0);
        job.numbers.write(self.lanes.len(), 1, |mine, weights| {
            for (weight, (index, area)) in weights.iter_mut().zip(&self.lanes[mine]) {
                let fixed = index.iter().any(|&v| job.p.read()[v as usize][3] == zero);
                *weight = T::of(if fixed { area * held } else { *area });
            }
        });
        job.p.write(self.vertices, 1, |mine, p| {
            for (p, v) in p.iter_mut().zip(mine) {
                let weight = |sum, &corner: &u32| sum + job.numbers.read()[corner as usize / 3];
                p[3] = p[3] * self.incidence.row(v as u32).iter().fold(zero, weight);
            }
        });
    }

    /// Moves vertices by the weighted means of what is noted in the vectors, after [`weigh`](Self::weigh).
    pub fn average<T: Scalar>(&self, job: &mut Application<'_, T>) {
        let zero = T::of(0.0);
        let (weights, notes) = (job.numbers.read(), job.vectors.read());
        job.p.write(self.vertices, 1, |mine, p| {
            for (p, v) in p.iter_mut().zip(mine) {
                let (mut sum, mut all) = ([zero; 3], zero);
                for &corner in self.incidence.row(v as u32) {
                    let weight = weights[corner as usize / 3];
                    for k in 0..3 {
                        sum[k] = sum[k] + notes[corner as usize][k] * weight;
                    }
                    all = all + weight;
                }
                if p[3] > zero && all > zero {
                    for k in 0..3 {
                        p[k] = p[k] + sum[k] / all;
                    }
                }
            }
        });
    }
}
