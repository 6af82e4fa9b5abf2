//! Polygons into triangles.

use glam::DVec3;

/// Splits polygons, convex or not, into triangles.
///
/// A quad is split along its shorter diagonal (the first one if they are equal), or along the one inside it if it is
/// concave. Larger polygons are fanned if convex and clipped ear by ear, in the plane of their average normal, if not.
/// A polygon that crosses itself or has no area still gives n − 2 triangles, which may then overlap.
pub(crate) struct Triangulator {
    /// Point-in-triangle tests left. Ear clipping takes up to n³ of them: a file made of huge spirals must not keep
    /// us for hours, so after this many polygons are just fanned.
    tests_left: u64,
    /// Polygons that were fanned although they are not convex.
    pub fanned: usize,
    flat: Vec<[f64; 2]>,
    ring: Vec<usize>,
}

impl Default for Triangulator {
    fn default() -> Self {
        Self { tests_left: 1 << 28, fanned: 0, flat: Vec::new(), ring: Vec::new() }
    }
}

impl Triangulator {
    /// Bytes that splitting a polygon of so many corners takes, with the corners and the triangles.
    pub fn held_by(corners: usize) -> usize {
        const EACH: usize = size_of::<([f64; 3], [usize; 3], [f64; 2], usize)>();
        corners.saturating_mul(EACH)
    }

    /// Appends the triangles of a polygon as indices of its corners.
    pub fn split(&mut self, corners: &[[f64; 3]], out: &mut Vec<[usize; 3]>) {
        out.reserve_exact(corners.len().saturating_sub(2));
        match corners.len() {
            0..=2 => {}
            3 => out.push([0, 1, 2]),
            4 => out.extend(split_quad(corners)),
            n => {
                self.flatten(corners);
                if self.is_convex() {
                    out.extend((1..n - 1).map(|i| [0, i, i + 1]));
                } else {
                    self.clip_ears(out);
                }
            }
        }
    }

    /// Projects the polygon along the axis closest to its normal, so that it runs counter-clockwise.
    fn flatten(&mut self, corners: &[[f64; 3]]) {
        let normal = newell_normal(corners);
        let size = normal.abs();
        let (u, v, n) = if size[2] >= size[0] && size[2] >= size[1] {
            (0, 1, 2)
        } else if size[0] >= size[1] {
            (1, 2, 0)
        } else {
            (2, 0, 1)
        };
        let (u, v) = if normal[n] < 0.0 { (v, u) } else { (u, v) };
        self.flat.clear();
        self.flat.reserve_exact(corners.len());
        self.flat.extend(corners.iter().map(|p| [p[u], p[v]]));
    }

    fn is_convex(&self) -> bool {
        let n = self.flat.len();
        (0..n).all(|i| turn(self.flat[(i + n - 1) % n], self.flat[i], self.flat[(i + 1) % n]) >= 0.0)
    }

    fn clip_ears(&mut self, out: &mut Vec<[usize; 3]>) {
        self.ring.clear();
        self.ring.reserve_exact(self.flat.len());
        self.ring.extend(0..self.flat.len());
        let mut start = 0;
        while self.ring.len() > 3 {
            let Some(ear) = self.find_ear(start) else {
                self.fanned += 1;
                break;
            };
            let n = self.ring.len();
            out.push([self.ring[(ear + n - 1) % n], self.ring[ear], self.ring[(ear + 1) % n]]);
            self.ring.remove(ear);
            // Going on one corner further keeps the triangles from all meeting at the first corner.
            start = ear + 1;
        }
        out.extend((1..self.ring.len() - 1).map(|i| [self.ring[0], self.ring[i], self.ring[i + 1]]));
    }

    /// A corner that can be cut off, at or after `start`: it turns left and no other corner lies in its triangle.
    fn find_ear(&mut self, start: usize) -> Option<usize> {
        let n = self.ring.len();
        for i in (0..n).map(|i| (start + i) % n) {
            let at = |k: usize| self.flat[self.ring[k % n]];
            let (a, b, c) = (at(i + n - 1), at(i), at(i + 1));
            if turn(a, b, c) <= 0.0 {
                continue;
            }
            let inside = |p: [f64; 2]| p != a && p != b && p != c && is_inside(p, a, b, c);
            let blocker = (2..n - 1).position(|k| inside(at(i + k)));
            let tests = blocker.unwrap_or(n) as u64 + 1;
            if self.tests_left < tests {
                return None;
            }
            self.tests_left -= tests;
            if blocker.is_none() {
                return Some(i);
            }
        }
        None
    }
}

fn split_quad(corners: &[[f64; 3]]) -> [[usize; 3]; 2] {
    let normal = newell_normal(corners);
    let side = |a: usize, b: usize| DVec3::from(corners[b]) - DVec3::from(corners[a]);
    let faces_up = |[a, b, c]: [usize; 3]| normal.dot(side(a, b).cross(side(a, c))) > 0.0;
    let first = [[0, 1, 2], [0, 2, 3]];
    let second = [[1, 2, 3], [1, 3, 0]];
    let length2 = |a: usize, b: usize| side(a, b).length_squared();
    match (first.iter().all(|t| faces_up(*t)), second.iter().all(|t| faces_up(*t))) {
        (false, true) => second,
        // Equal but for rounding counts as equal, or a regular grid would get a random pattern.
        (true, true) if length2(1, 3) < length2(0, 2) * (1.0 - 1e-6) => second,
        _ => first,
    }
}

/// The sum of the cross products of successive corners: along the normal, twice the area long.
fn newell_normal(corners: &[[f64; 3]]) -> DVec3 {
    let side = |i: usize| DVec3::from(corners[i]) - DVec3::from(corners[0]);
    (1..corners.len().saturating_sub(1)).map(|i| side(i).cross(side(i + 1))).sum()
}

/// Positive if the path a, b, c turns left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn is_inside(p: [f64; 2], a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(corners: &[[f64; 2]]) -> Vec<[usize; 3]> {
        let corners: Vec<_> = corners.iter().map(|p| [p[0], 0.0, -p[1]]).collect();
        let mut out = Vec::new();
        Triangulator::default().split(&corners, &mut out);
        out
    }

    /// The triangles' areas are positive and add up to the polygon's: together they cover it exactly.
    fn check(corners: &[[f64; 2]], area: f64) {
        let triangles = split(corners);
        assert_eq!(triangles.len(), corners.len() - 2);
        let areas: Vec<f64> =
            triangles.iter().map(|t| turn(corners[t[0]], corners[t[1]], corners[t[2]]) / 2.0).collect();
        assert!(areas.iter().all(|a| *a > 0.0), "{triangles:?} {areas:?}");
        assert!((areas.iter().sum::<f64>() - area).abs() < 1e-12);
    }

    #[test]
    fn concave_polygons_are_covered_once() {
        check(&[[0., 0.], [2., 0.], [2., 2.], [1., 0.5]], 1.5);
        check(&[[1., 0.5], [0., 0.], [2., 0.], [2., 2.]], 1.5);
        // An L, an arrow and a comb.
        check(&[[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]], 3.0);
        check(&[[0., 0.], [4., 0.], [4., 1.], [2., 0.25], [0., 1.]], 2.5);
        check(
            &[[0., 0.], [5., 0.], [5., 3.], [4., 3.], [4., 1.], [3., 1.], [3., 3.], [2., 3.], [2., 1.], [0., 1.]],
            9.0,
        );
    }

    #[test]
    fn quads_take_the_shorter_diagonal() {
        assert_eq!(split(&[[0., 0.], [1., 0.], [1., 1.], [0., 1.]]), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(split(&[[0., 0.], [1., 0.], [2., 1.], [1., 1.]]), [[1, 2, 3], [1, 3, 0]]);
    }

    #[test]
    fn polygons_without_area_give_triangles_all_the_same() {
        assert_eq!(split(&[[0., 0.]; 7]).len(), 5);
        assert_eq!(split(&[[0., 0.], [1., 0.], [2., 0.], [3., 0.], [1., 0.]]).len(), 3);
        assert_eq!(split(&[[0., 0.], [2., 2.], [2., 0.], [0., 2.], [1., 3.]]).len(), 3);
    }

    #[test]
    fn a_large_spiral_ends() {
        let n = 4000;
        let arm = |i: usize, r: f64| {
            let angle = i as f64 * 0.05;
            [(r + angle) * angle.cos(), (r + angle) * angle.sin()]
        };
        let spiral: Vec<_> = (0..n).map(|i| arm(i, 3.0)).chain((0..n).rev().map(|i| arm(i, 1.0))).collect();
        assert_eq!(split(&spiral).len(), 2 * n - 2);
    }
}
