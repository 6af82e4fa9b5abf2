//! Nodal averaging: from what each element wants to where each vertex goes (CSL Eq. 12).

use super::super::job::Job;
use super::kernel::REST;
use crate::constraint::Batch;
use crate::lanes::{BLOCK, Place, Scalar, Shared, Vertex};
use crate::team::Worker;

/// The corners that meet at each vertex, in the order of the blocks.
///
/// Vertex i has the weight a_e of each of its elements e, S_i in all, and goes to the mean of what they want. If element
/// e is solved as if its vertices had the masses m_i a_e/S_i, its own momentum stays, Σ_i m_i (a_e/S_i) δ_ie = 0, and
/// the sum over elements of that is the momentum of the means: it stays too. The inverse of that mass is w_i S_i up to a
/// factor a_e that the element's solution does not depend on, so w_i S_i takes the place of w_i.
#[derive(Clone, Debug)]
pub(super) struct Corners {
    /// Where each vertex's corners begin in `corners`; one more at the end.
    start: Vec<u32>,
    /// Lane × 3 + corner.
    corners: Vec<u32>,
    /// By lane: the element's vertices and its rest area over the mean, 0 in spare lanes.
    lanes: Vec<([u32; 3], f64)>,
}

impl Corners {
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
        let mut start = vec![0u32; vertices + 2];
        let real = || lanes.iter().enumerate().filter(|(_, (_, area))| *area > 0.0);
        for v in real().flat_map(|(_, (index, _))| index) {
            start[*v as usize + 2] += 1;
        }
        for v in 2..start.len() {
            start[v] += start[v - 1];
        }
        let mut corners = vec![0; *start.last().unwrap_or(&0) as usize];
        for (lane, (index, _)) in real() {
            for k in 0..3 {
                let next = &mut start[index[k] as usize + 1];
                corners[*next as usize] = (lane * 3 + k) as u32;
                *next += 1;
            }
        }
        start.pop();
        Corners { start, corners, lanes }
    }

    fn at(&self, vertex: usize) -> &[u32] {
        &self.corners[self.start[vertex] as usize..self.start[vertex + 1] as usize]
    }

    /// Finds the elements' weights and gives vertices their w_i S_i.
    ///
    /// # Safety
    /// As [`Limit::relax`](super::Limit::relax).
    pub unsafe fn weigh<T: Scalar>(&self, worker: Worker<'_>, job: &Job<'_, T>, held: f64) {
        let zero = T::of(0.0);
        for lane in worker.chunk(0..self.lanes.len()) {
            let (index, area) = self.lanes[lane];
            // SAFETY: vertices and lanes are in range by construction; nobody writes vertices here, and lanes are shared
            // out.
            unsafe {
                let fixed = index.iter().any(|&v| read(job.p, v)[3] == zero);
                job.numbers.write(Place::new::<T>(lane as u32), T::of(if fixed { area * held } else { area }));
            }
        }
        worker.sync();
        for v in worker.chunk(0..self.start.len() - 1) {
            let mut sum = zero;
            for &corner in self.at(v) {
                // SAFETY: in range; written before the meeting.
                sum = sum + unsafe { job.numbers.read(Place::new::<T>(corner / 3)) };
            }
            let place = Place::new::<Vertex<T>>(v as u32);
            // SAFETY: vertices are shared out.
            unsafe {
                let p = job.p.read(place);
                job.p.write(place, [p[0], p[1], p[2], p[3] * sum]);
            }
        }
        worker.sync();
    }

    /// Moves vertices by the weighted means of the notes.
    ///
    /// # Safety
    /// As [`weigh`](Self::weigh), after it, with all notes written.
    pub unsafe fn average<T: Scalar>(&self, worker: Worker<'_>, job: &Job<'_, T>) {
        let zero = T::of(0.0);
        for v in worker.chunk(0..self.start.len() - 1) {
            let (mut sum, mut weight) = ([zero; 3], zero);
            for &corner in self.at(v) {
                // SAFETY: in range; nobody writes notes or weights here.
                let (share, note) =
                    unsafe { (job.numbers.read(Place::new::<T>(corner / 3)), read(job.vectors, corner)) };
                for k in 0..3 {
                    sum[k] = sum[k] + note[k] * share;
                }
                weight = weight + share;
            }
            let place = Place::new::<Vertex<T>>(v as u32);
            // SAFETY: vertices are shared out.
            let mut p = unsafe { job.p.read(place) };
            if p[3] > zero && weight > zero {
                for k in 0..3 {
                    p[k] = p[k] + sum[k] / weight;
                }
                // SAFETY: as above.
                unsafe { job.p.write(place, p) };
            }
        }
        worker.sync();
    }
}

/// # Safety
/// As [`Shared::read`], for the value number `i`.
unsafe fn read<T: Copy>(from: Shared<'_, T>, i: u32) -> T {
    // SAFETY: the caller's promise.
    unsafe { from.read(Place::new::<T>(i)) }
}
