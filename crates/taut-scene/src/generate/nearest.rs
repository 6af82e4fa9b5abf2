//! The surface point nearest to a place.

use glam::DVec3;

/// Triangles in a leaf of the tree: below this, trying all is quicker than descending.
const LEAF: usize = 4;

/// A point on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Which triangle it is on.
    pub triangle: usize,
    /// The weights of the triangle's corners that give the point.
    pub weights: [f64; 3],
    /// Its distance, squared, m².
    pub distance_squared: f64,
}

/// A tree of bounding boxes over triangles: a node splits its range of `order` in half, the left half follows it in
/// `nodes`.
pub(crate) struct Nearest {
    corners: Vec<[DVec3; 3]>,
    order: Vec<usize>,
    nodes: Vec<Node>,
}

struct Node {
    low: DVec3,
    high: DVec3,
    range: core::ops::Range<usize>,
    /// Where the right half is; nothing in a leaf.
    right: Option<usize>,
}

impl Nearest {
    /// A tree over triangles whose vertices exist.
    pub fn new(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let corners =
            triangles.iter().map(|triangle| triangle.map(|vertex| positions[vertex as usize].into())).collect();
        let mut tree = Self { corners, order: (0..triangles.len()).collect(), nodes: Vec::new() };
        if !triangles.is_empty() {
            tree.build(0..triangles.len());
        }
        tree
    }

    fn build(&mut self, range: core::ops::Range<usize>) {
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for corner in self.order[range.clone()].iter().flat_map(|&triangle| self.corners[triangle]) {
            (low, high) = (low.min(corner), high.max(corner));
        }
        let node = self.nodes.len();
        self.nodes.push(Node { low, high, range: range.clone(), right: None });
        if range.len() <= LEAF {
            return;
        }
        let longest = (high - low).max_position();
        let middle = range.start + range.len() / 2;
        let corners = &self.corners;
        let along = |triangle: usize| corners[triangle].iter().map(|corner| corner[longest]).sum::<f64>();
        // Ties go by number, so that the tree is the same every time.
        self.order[range.clone()]
            .select_nth_unstable_by(range.len() / 2, |&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
        self.build(range.start..middle);
        self.nodes[node].right = Some(self.nodes.len());
        self.build(middle..range.end);
    }

    /// The surface point nearest to `place`; nothing if there are no triangles. Of several, the one on the triangle
    /// that comes first. A triangle guessed to be near changes the time this takes, not what is found.
    pub fn find(&self, place: DVec3, guess: Option<usize>) -> Option<Hit> {
        let mut best = guess.map(|triangle| self.on_triangle(triangle, place));
        if !self.nodes.is_empty() {
            self.search(0, place, &mut best);
        }
        best
    }

    fn search(&self, node: usize, place: DVec3, best: &mut Option<Hit>) {
        if best.is_some_and(|hit| self.box_distance(node, place) > hit.distance_squared) {
            return;
        }
        let Node { range, right, .. } = &self.nodes[node];
        if let Some(right) = *right {
            let left = node + 1;
            let left_first = self.box_distance(left, place) <= self.box_distance(right, place);
            let (near, far) = if left_first { (left, right) } else { (right, left) };
            self.search(near, place, best);
            self.search(far, place, best);
            return;
        }
        for &triangle in &self.order[range.clone()] {
            let found = self.on_triangle(triangle, place);
            if best.is_none_or(|hit| (found.distance_squared, triangle) < (hit.distance_squared, hit.triangle)) {
                *best = Some(found);
            }
        }
    }

    fn on_triangle(&self, triangle: usize, place: DVec3) -> Hit {
        let (weights, distance_squared) = nearest_in_triangle(self.corners[triangle], place);
        Hit { triangle, weights, distance_squared }
    }

    /// The squared distance from a place to a node's box.
    fn box_distance(&self, node: usize, place: DVec3) -> f64 {
        let Node { low, high, .. } = &self.nodes[node];
        (low - place).max(place - high).max(DVec3::ZERO).length_squared()
    }
}

/// The corner weights of the triangle's point nearest to a place, and its squared distance.
pub(crate) fn nearest_in_triangle([a, b, c]: [DVec3; 3], place: DVec3) -> ([f64; 3], f64) {
    let (ab, ac, to) = (b - a, c - a, place - a);
    let (bb, bc, cc) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
    let (b_to, c_to) = (ab.dot(to), ac.dot(to));
    let determinant = bb * cc - bc * bc;
    let second = (cc * b_to - bc * c_to) / determinant;
    let third = (bb * c_to - bc * b_to) / determinant;
    let first = 1.0 - second - third;
    let apart = |weights: [f64; 3]| (weights, place.distance_squared(a * weights[0] + b * weights[1] + c * weights[2]));
    // The foot of the perpendicular, if it is in the triangle; a comparison with NaN, from a triangle without area,
    // fails.
    if first >= 0.0 && second >= 0.0 && third >= 0.0 {
        return apart([first, second, third]);
    }
    let on_ab = along_segment(a, b, place);
    let on_bc = along_segment(b, c, place);
    let on_ca = along_segment(c, a, place);
    let sides = [[1.0 - on_ab, on_ab, 0.0], [0.0, 1.0 - on_bc, on_bc], [on_ca, 0.0, 1.0 - on_ca]].map(apart);
    sides.into_iter().fold(sides[0], |best, side| if side.1 < best.1 { side } else { best })
}

/// How far along the segment the point nearest to a place is: 0 at `from`, 1 at `to`.
fn along_segment(from: DVec3, to: DVec3, place: DVec3) -> f64 {
    let side = to - from;
    let fraction = (place - from).dot(side) / side.dot(side);
    if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::rng::SplitMix64;

    #[test]
    fn finds_what_a_fine_search_of_all_triangles_finds() {
        let mut rng = SplitMix64::new(11);
        let mut point = |size: f64| [0, 1, 2].map(|_| rng.range(-size, size));
        let positions: Vec<[f64; 3]> = (0..120).map(|_| point(1.0)).collect();
        let triangles: Vec<[u32; 3]> = (0..40).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
        let tree = Nearest::new(&positions, &triangles);
        for _ in 0..200 {
            let place = DVec3::from(point(2.0));
            let hit = tree.find(place, None).unwrap();
            assert_eq!(tree.find(place, Some(7)), Some(hit));
            let sampled = triangles.iter().map(|triangle| {
                let [a, b, c] = triangle.map(|vertex| DVec3::from(positions[vertex as usize]));
                sample_distance(a, b, c, place)
            });
            let expected = sampled.fold(f64::INFINITY, f64::min);
            let found = hit.distance_squared.sqrt();
            assert!(found <= expected + 1e-12 && found > expected - 0.03, "{found} instead of {expected}");
        }
    }

    fn sample_distance(a: DVec3, b: DVec3, c: DVec3, place: DVec3) -> f64 {
        let steps = 64;
        let mut least = f64::INFINITY;
        for i in 0..=steps {
            for j in 0..=steps - i {
                let (u, v) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                least = least.min(place.distance(a * (1.0 - u - v) + b * u + c * v));
            }
        }
        least
    }

    #[test]
    fn survives_triangles_without_area() {
        let positions = [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]];
        let tree = Nearest::new(&positions, &[[0, 1, 2], [0, 0, 0]]);
        let hit = tree.find(DVec3::new(0.5, 1.0, 0.0), None).unwrap();
        assert_eq!((hit.triangle, hit.distance_squared), (0, 1.0));
        assert_eq!(Nearest::new(&positions, &[]).find(DVec3::ZERO, None), None);
    }
}
