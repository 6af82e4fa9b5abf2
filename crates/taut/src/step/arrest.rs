//! How much of what bounds moved counts as velocity.
//!
//! A part of it does in any case ([`EndPositions`](crate::limit::EndPositions)), and all of it at most. Between the
//! two, a piece of cloth takes what leaves it with the least kinetic energy: a taut thread stops what pulls at it, and
//! does not throw it back. With v the velocities relative to the piece's own and d those that all of the displacements
//! mean, E(s) = ½ Σ m |v + s d|² is least at s = −Σ m v·d / Σ m d².

use super::arrays::Chunk;
use crate::lanes::{Scalar, Vertex, xyz};

/// The least that sums are divided by.
const LEAST: f64 = 1e-30;

/// Sums over one piece.
#[derive(Clone, Copy, Default)]
struct Piece {
    /// Of what is free: mass (kg) and momentum (N s).
    mass: f64,
    momentum: [f64; 3],
    /// Of what is held: vertices, and the sum of their velocities, m/s.
    held: f64,
    led: [f64; 3],
    /// −Σ m v·d and Σ m d², twice a J.
    taken: f64,
    whole: f64,
}

impl Piece {
    /// The velocity of the piece as a whole, m/s: that of its pins, if there are any.
    fn velocity(&self) -> [f64; 3] {
        let (sum, over) = if self.held > 0.0 { (self.led, self.held) } else { (self.momentum, self.mass) };
        sum.map(|c| c / over.max(LEAST))
    }

    /// How much more of the displacements counts, up to `most`.
    fn share(&self, most: f64) -> f64 {
        (self.taken / self.whole.max(LEAST)).clamp(0.0, most)
    }
}

/// What bounds have moved, and from where.
pub(super) struct Arrest<'a, T> {
    /// Positions and x̃ before, m.
    pub before: [&'a [Vertex<T>]; 2],
    /// The piece of each vertex, and how many there are.
    pub pieces: (&'a [u32], usize),
    /// How much velocity a displacement means, 1/s.
    pub rate: f64,
    /// The substep, s.
    pub h: f64,
    /// How much of the displacements may count in addition.
    pub most: f64,
}

impl<T: Scalar> Arrest<'_, T> {
    /// Has x̃ stay behind what was moved, by as much as counts in addition. What was moved is struck, and has gone as
    /// fast before as far as the integrator is concerned: a scheme that looks back would have a third of what was
    /// stopped bounce.
    pub fn apply(&self, chunk: &mut Chunk<'_, T>) {
        let shares = self.shares(chunk);
        let [x_before, predicted_before] = self.before;
        for v in 0..chunk.x.len() - 1 {
            if chunk.x[v] == x_before[v] {
                continue;
            }
            let share = shares[self.pieces.0[v] as usize];
            for k in 0..3 {
                let moved = chunk.x[v][k] - x_before[v][k];
                let predicted = chunk.x_predicted[v][k] - moved * share;
                chunk.x_predicted[v][k] = predicted;
                if let Some([_, velocity]) = chunk.before.get_mut(v) {
                    velocity[k] = velocity[k] + (moved - (predicted - predicted_before[v][k])) * T::of(self.rate);
                }
            }
        }
    }

    /// How much more counts of what was moved, by piece.
    fn shares(&self, chunk: &Chunk<'_, T>) -> Vec<T> {
        let (pieces, count) = self.pieces;
        let vertices = 0..chunk.x.len() - 1;
        let mut sums = vec![Piece::default(); count];
        for v in vertices.clone() {
            let (sum, at, w) = (&mut sums[pieces[v] as usize], self.velocity(chunk, v), chunk.x[v][3].f64());
            if w > 0.0 {
                sum.mass += 1.0 / w;
                (0..3).for_each(|k| sum.momentum[k] += at[k] / w);
            } else {
                sum.held += 1.0;
                (0..3).for_each(|k| sum.led[k] += at[k]);
            }
        }
        let whole: Vec<_> = sums.iter().map(Piece::velocity).collect();
        for v in vertices.filter(|&v| chunk.x[v] != self.before[0][v] && chunk.x[v][3] > T::of(0.0)) {
            let piece = pieces[v] as usize;
            let (at, w) = (self.velocity(chunk, v), chunk.x[v][3].f64());
            for k in 0..3 {
                let d = (chunk.x[v][k] - self.before[0][v][k]).f64() * self.rate;
                sums[piece].taken -= (at[k] - whole[piece][k]) * d / w;
                sums[piece].whole += d * d / w;
            }
        }
        sums.iter().map(|sum| T::of(sum.share(self.most))).collect()
    }

    /// The velocity that a vertex would end the substep with, m/s.
    fn velocity(&self, chunk: &Chunk<'_, T>, v: usize) -> [f64; 3] {
        let (x, start, predicted) = (xyz(chunk.x[v]), chunk.x_start[v], chunk.x_predicted[v]);
        let free = chunk.x[v][3] > T::of(0.0);
        [0, 1, 2].map(|k| {
            if free {
                chunk.v[v][k].f64() + (x[k] - predicted[k].f64()) * self.rate
            } else {
                (x[k] - start[k].f64()) / self.h
            }
        })
    }
}
