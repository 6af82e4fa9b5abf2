//! How a collider takes along what it meets.
//!
//! What moves by one and the same affine map, collider and cloth alike, keeps apart what was apart: straight ways from
//! p to A p are maps (1 − t) + t A in between, which are one-to-one as long as A is near 1. So carrying an island just
//! as a rigid collider moves, turns included, is a motion free of intersections, which there is always room for;
//! holding it at its start is not.

use super::proof::{Pair, SeparationProof};
use crate::lanes::V3;
use crate::sets::DisjointSets;

type V = V3<f64>;

/// p ↦ p + shift + turn (p − centre): the least squares fit of kinematic vertices' motion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carry {
    /// The way of the fastest of them, squared, m²; 0 if there is none.
    pub speed: f64,
    centre: V,
    shift: V,
    /// Columns.
    turn: [V; 3],
}

impl Carry {
    /// Where what is at `p` is taken to, m.
    pub fn place(&self, p: [f64; 3]) -> [f64; 3] {
        let r: [f64; 3] = (V::from(p) - self.centre).into();
        let moved = self.turn.iter().zip(r).fold(self.shift, |sum, (&column, r)| sum + column * r);
        (V::from(p) + moved).into()
    }
}

/// Sums over kinematic vertices, from the place `origin`.
#[derive(Clone, Copy, Debug, Default)]
struct Fit {
    /// The fastest one's way squared, m², and the body it belongs to.
    speed: f64,
    body: usize,
    origin: V,
    count: f64,
    r: V,
    u: V,
    /// Σ r rᵀ and Σ u rᵀ, by columns.
    rr: [V; 3],
    ur: [V; 3],
}

impl Fit {
    fn add(&mut self, r: V, u: V) {
        self.count += 1.0;
        (self.r, self.u) = (self.r + r, self.u + u);
        for (k, c) in <[f64; 3]>::from(r).into_iter().enumerate() {
            (self.rr[k], self.ur[k]) = (self.rr[k] + r * c, self.ur[k] + u * c);
        }
    }

    fn carry(&self) -> Carry {
        if self.count == 0.0 {
            return Carry::default();
        }
        let (centre, shift) = (self.r * (1.0 / self.count), self.u * (1.0 / self.count));
        let about = |sum: &[V; 3], mean: V| {
            let c: [f64; 3] = centre.into();
            core::array::from_fn(|k| sum[k] - mean * (self.count * c[k]))
        };
        let turn = quotient(about(&self.ur, shift), about(&self.rr, centre));
        Carry { speed: self.speed, centre: self.origin + centre, shift, turn }
    }
}

/// The most that a fit may stretch or turn: what deforms more than that is followed by its mean alone.
const MOST_TURN: f64 = 0.5;

/// What is added to all squares, as a part of their sum: flat colliders say nothing of what is beside them.
const FLAT: f64 = 1e-9;

/// U R⁻¹ by columns, R symmetric and semi-definite; 0 if that is no small turn.
fn quotient(u: [V; 3], mut r: [V; 3]) -> [V; 3] {
    let zero = V::new(0.0, 0.0, 0.0);
    let some = FLAT * (r[0].x + r[1].y + r[2].z);
    (r[0].x, r[1].y, r[2].z) = (r[0].x + some, r[1].y + some, r[2].z + some);
    let rows = [r[1].cross(r[2]), r[2].cross(r[0]), r[0].cross(r[1])];
    let part = 1.0 / r[0].dot(rows[0]);
    // R⁻¹ is symmetric: its rows are its columns.
    let turn = rows.map(|c| (u[0] * c.x + u[1] * c.y + u[2] * c.z) * part);
    let size = turn.iter().map(|c| c.norm2()).sum::<f64>();
    if size <= MOST_TURN * MOST_TURN { turn } else { [zero; 3] }
}

/// Where all that starts at `from` (m) is taken by the body with the vertices `of`, which go to `to`.
pub(crate) fn carried(from: &[[f64; 3]], to: &[[f64; 3]], of: core::ops::Range<usize>) -> Vec<[f64; 3]> {
    let mut fit = Fit { origin: V::from(from[of.start]), ..Fit::default() };
    for i in of {
        fit.add(V::from(from[i]) - fit.origin, V::from(to[i]) - V::from(from[i]));
    }
    let carry = fit.carry();
    from.iter().map(|&p| carry.place(p)).collect()
}

/// How each island is carried by the fastest collider it may meet, at its name: as those of its vertices move that it
/// may meet.
pub(super) fn carries(
    proof: &SeparationProof,
    islands: &mut DisjointSets,
    near: &[Pair],
    x: &[[f64; 3]],
) -> Vec<Carry> {
    let motion = proof.motion;
    let way = |d: u32| V::from(x[d as usize]) - V::from(motion.from[d as usize]);
    let body = |d: u32| motion.bodies.partition_point(|&first| first <= d);
    // Islands, and kinematic vertices they may meet.
    let mut met: Vec<(u32, u32)> = Vec::new();
    for pair in near {
        if let Some(&first) = pair.nodes.iter().find(|&&i| !proof.kinematic(i)) {
            let island = islands.of(first);
            met.extend(pair.nodes.iter().filter(|&&i| proof.kinematic(i)).map(|&d| (island, d)));
        }
    }
    let mut fits = vec![Fit::default(); x.len()];
    for &(island, d) in &met {
        let fit = &mut fits[island as usize];
        if way(d).norm2() > fit.speed {
            (fit.speed, fit.body, fit.origin) = (way(d).norm2(), body(d), V::from(motion.from[d as usize]));
        }
    }
    for &(island, d) in &met {
        let fit = &mut fits[island as usize];
        if fit.speed > 0.0 && body(d) == fit.body {
            fit.add(V::from(motion.from[d as usize]) - fit.origin, way(d));
        }
    }
    fits.iter().map(Fit::carry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_motion_is_followed_exactly_and_a_flat_one_within_its_plane() {
        let (s, c) = (0.2_f64.sin(), 0.2_f64.cos());
        let moved = |p: V| V::new(c * p.x - s * p.z + 0.3, p.y - 0.1, s * p.x + c * p.z + 0.05);
        for depth in [0.1, 0.0] {
            let mut fit = Fit { speed: 1.0, origin: V::new(5.0, 0.0, 0.0), ..Fit::default() };
            for i in 0..20 {
                let t = f64::from(i);
                let p = V::new(5.0 + 0.1 * (3.0 * t).sin(), depth * (5.0 * t).cos(), 0.1 * (7.0 * t).cos());
                fit.add(p - fit.origin, moved(p) - p);
            }
            let p = V::new(5.3, 3.0 * depth, -0.2);
            let off = V::from(fit.carry().place(p.into())) - moved(p);
            // The part FLAT of turns is lost, over an arm of four times the patch: 0.2 × 1e-9 × 20 × 0.4 m.
            assert!(off.norm2().sqrt() < 5e-9, "{depth}: {off:?}");
        }
    }
}
