//! A stiff piece on a skin: where points of the skin were when it was taken, and the one turn and shift that bring them
//! nearest to where they are now, in the sense of least squares.
//!
//! The turn is the eigenvector of the largest eigenvalue of Horn's symmetric 4 × 4 matrix, found by Jacobi's rotations:
//! square roots and nothing else, so that every machine finds the same bits, and no set of points is too thin for it.

use glam::{DQuat, DVec3};

/// A stiff piece that is held by points of a skin.
#[derive(Clone, Debug)]
pub(super) struct Grip {
    /// The skin's vertices, with weights that add up to 1, and where each was, from the middle, m.
    points: Vec<(u32, f64, DVec3)>,
    /// The middle of where they were, m.
    middle: DVec3,
}

/// Of points on a line any turn about it is as good: the smallest is taken, with this weight beside that of the points.
const STAY: f64 = 1e-9;

impl Grip {
    /// Takes hold of vertices with weights, which need not add up to 1, at some positions (m); nothing without any
    /// weight.
    pub fn new(weights: &[(u32, f64)], positions: &[[f64; 3]]) -> Option<Self> {
        let all: f64 = weights.iter().map(|w| w.1).sum();
        if !(all > 0.0 && all.is_finite()) {
            return None;
        }
        let at = |vertex: u32| DVec3::from(positions[vertex as usize]);
        let middle = weights.iter().map(|&(vertex, weight)| weight / all * at(vertex)).sum();
        let points = weights.iter().map(|&(vertex, weight)| (vertex, weight / all, at(vertex) - middle)).collect();
        Some(Grip { points, middle })
    }

    /// How the piece has turned, where its middle was and where it is, when the skin's vertices are at `positions`, m.
    pub fn motion(&self, positions: &[[f64; 3]]) -> Motion {
        let at = |vertex: u32| DVec3::from(positions[vertex as usize]);
        let to: DVec3 = self.points.iter().map(|&(vertex, weight, _)| weight * at(vertex)).sum();
        let mut sums = [[0.0; 3]; 3];
        let mut scale = 0.0;
        for &(vertex, weight, from) in &self.points {
            let now = at(vertex) - to;
            scale += weight * from.length() * now.length();
            for (i, row) in sums.iter_mut().enumerate() {
                (0..3).for_each(|j| row[j] += weight * from[i] * now[j]);
            }
        }
        Motion { turn: turn(sums, STAY * scale), from: self.middle, to }
    }
}

impl Grip {
    /// How far the skin is from where the piece would have it, m: the root of the mean square.
    pub fn strayed(&self, positions: &[[f64; 3]]) -> f64 {
        let motion = self.motion(positions);
        let off = |&(vertex, weight, from): &(u32, f64, DVec3)| {
            let expected = DVec3::from(motion.carry((self.middle + from).into()));
            weight * expected.distance_squared(positions[vertex as usize].into())
        };
        self.points.iter().map(off).sum::<f64>().sqrt()
    }
}

/// How a stiff piece has moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    turn: DQuat,
    from: DVec3,
    to: DVec3,
}

impl Motion {
    /// Where a point of the piece is that was at a place, m.
    pub fn carry(&self, place: [f64; 3]) -> [f64; 3] {
        let (v, q) = (DVec3::from(place) - self.from, DVec3::new(self.turn.x, self.turn.y, self.turn.z));
        // v + 2 q × (q × v + w v), written out: no instruction of the machine's own.
        let twice = 2.0 * q.cross(q.cross(v) + self.turn.w * v);
        (self.to + v + twice).into()
    }
}

/// The turn that brings points nearest to others, out of the sums of products of their coordinates; `stay` is the
/// weight of not turning at all.
fn turn([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]: [[f64; 3]; 3], stay: f64) -> DQuat {
    let matrix = [
        [xx + yy + zz + stay, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    let [w, x, y, z] = largest(matrix);
    let length = (w * w + x * x + y * y + z * z).sqrt();
    if !(length > 0.5 && length.is_finite()) {
        return DQuat::IDENTITY;
    }
    // The same turn has two signs.
    let sign = if w < 0.0 { -1.0 / length } else { 1.0 / length };
    DQuat::from_xyzw(sign * x, sign * y, sign * z, sign * w)
}

/// Sweeps of rotations; each squares what is off the diagonal, so that six are enough for any matrix.
const SWEEPS: usize = 12;

/// The eigenvector of a symmetric matrix's largest eigenvalue, of length 1; of equal ones the first.
fn largest(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    let mut vectors = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        for p in 0..3 {
            for q in p + 1..4 {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let best = (1..4).fold(0, |best, k| if a[k][k] > a[best][best] { k } else { best });
    vectors.map(|row| row[best])
}

/// Jacobi's rotation that makes one element off the diagonal vanish.
fn rotate(a: &mut [[f64; 4]; 4], vectors: &mut [[f64; 4]; 4], p: usize, q: usize) {
    let off = a[p][q];
    if off.abs() <= f64::MIN_POSITIVE {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let t = if theta < 0.0 { -1.0 } else { 1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..4 {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
    }
    for row in vectors.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::rng::SplitMix64;

    fn spun(points: &[[f64; 3]], q: DQuat, shift: DVec3) -> Vec<[f64; 3]> {
        points.iter().map(|&p| (q * DVec3::from(p) + shift).into()).collect()
    }

    fn off(found: [f64; 3], expected: [f64; 3]) -> f64 {
        DVec3::from(found).distance(expected.into())
    }

    /// Any turn, of thick sets and of strips a millionth as wide as long.
    #[test]
    fn a_turn_is_found_whatever_its_angle_and_however_thin_the_points_lie() {
        let mut rng = SplitMix64::new(5);
        let shift = DVec3::new(3.0, -1.0, 0.5);
        for width in [1.0, 1e-2, 1e-4] {
            for number in 0..60 {
                let points: Vec<[f64; 3]> =
                    (0..12).map(|_| [rng.range(-1.0, 1.0), width * rng.range(-1.0, 1.0), 0.0]).collect();
                let axis = DVec3::from([0; 3].map(|_| rng.range(-1.0, 1.0))).normalize();
                let angle = f64::from(number) / 59.0 * std::f64::consts::PI;
                let q = DQuat::from_axis_angle(axis, angle);
                let weights: Vec<(u32, f64)> = (0..12).map(|v| (v, rng.range(0.1, 2.0))).collect();
                let motion = Grip::new(&weights, &points).unwrap().motion(&spun(&points, q, shift));
                let point = [0.3, 0.4, -0.7];
                let expected = spun(&[point], q, shift)[0];
                let error = off(motion.carry(point), expected);
                // What turns about the strip's own length is known as well as its width is.
                assert!(error < 1e-8 / (width * width), "{error} at width {width}, angle {angle}");
            }
        }
    }

    /// Best in the least-squares sense: no nearby turn leaves less.
    #[test]
    fn what_is_left_over_is_least() {
        let mut rng = SplitMix64::new(9);
        let points: Vec<[f64; 3]> = (0..9).map(|_| [0; 3].map(|_| rng.range(-1.0, 1.0))).collect();
        let q = DQuat::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), 2.0);
        let mut now = spun(&points, q, DVec3::X);
        now.iter_mut().flatten().for_each(|x| *x += rng.range(-0.3, 0.3));
        let weights: Vec<(u32, f64)> = (0..9).map(|v| (v, rng.range(0.5, 1.5))).collect();
        let motion = Grip::new(&weights, &points).unwrap().motion(&now);
        let left = |motion: &Motion| -> f64 {
            weights.iter().map(|&(v, w)| w * off(motion.carry(points[v as usize]), now[v as usize]).powi(2)).sum()
        };
        let least = left(&motion);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
            let turn = DQuat::from_axis_angle(axis, 0.01) * motion.turn;
            assert!(
                left(&Motion { turn, ..motion }) > least
                    && left(&Motion { to: motion.to + 0.01 * axis, ..motion }) > least
            );
        }
    }

    #[test]
    fn points_that_tell_no_turn_leave_the_smallest() {
        let line = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let all = [(0, 1.0), (1, 1.0), (2, 1.0)];
        // A line that rises turns by a right angle, and not about itself.
        let up = [[5.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 2.0, 0.0]];
        let found = Grip::new(&all, &line).unwrap().motion(&up).carry([1.0, 0.0, 0.5]);
        assert!(off(found, [5.0, 1.0, 0.5]) < 1e-6, "{found:?}");
        // One point, and points at one place, only move.
        let found = Grip::new(&all[..1], &line).unwrap().motion(&up).carry([0.0, 0.5, 0.0]);
        assert!(off(found, [5.0, 0.5, 0.0]) < 1e-12, "{found:?}");
        let found = Grip::new(&all, &[[1.0; 3]; 3]).unwrap().motion(&up).carry([1.0; 3]);
        assert!(off(found, [5.0, 1.0, 0.0]) < 1e-12, "{found:?}");
        // Nothing to hold, and what cannot be computed with.
        assert!(Grip::new(&[], &line).is_none() && Grip::new(&[(0, 0.0)], &line).is_none());
        assert!(Grip::new(&[(0, f64::NAN)], &line).is_none());
        let huge = [[1e200; 3], [-1e200, 0.0, 0.0], [0.0; 3]];
        assert!(Grip::new(&all, &line).unwrap().motion(&huge).turn.is_finite());
    }
}
