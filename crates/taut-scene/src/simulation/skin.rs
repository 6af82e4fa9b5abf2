//! A surface as pins see it: which point of it each of them is on.
//!
//! The nearest point is not always the right one: of a waistband, a few pins may be nearer to a hand that hangs beside
//! the hip. Neighbours in the cloth belong to places that are near each other along the skin. Where some disagree, all
//! go where one flock of them leads that brings them nearest to the skin on the whole: unless that is far from it, as
//! where a hem goes from leg to leg.

use crate::generate::nearest::{Nearest, nearest_in_triangle};
use glam::DVec3;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

/// The point of a skin that something is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Foot {
    /// Vertices of the triangle.
    pub triangle: [u32; 3],
    /// Weights of its corners.
    pub weights: [f64; 3],
    /// How far away it is, m.
    pub distance: f64,
}

/// A surface at one time.
pub(super) struct Skin<'a> {
    positions: &'a [[f64; 3]],
    triangles: Vec<[u32; 3]>,
    tree: Nearest,
    /// For each vertex the triangles at it, where those begin in the list of all.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// Vertices at one place are one: each by the first there.
    same: Vec<u32>,
}

/// Flocks that are tried as leaders.
const MOST_LEADERS: usize = 8;

/// How much farther from the skin a piece may be for being in one.
const MOST_FARTHER: f64 = 2.0;

/// Vertices that a walk from foot to foot reaches at most.
const MOST_REACHED: usize = 256;

impl<'a> Skin<'a> {
    pub fn new(positions: &'a [[f64; 3]], triangles: Vec<[u32; 3]>) -> Self {
        let mut first: HashMap<[u64; 3], u32> = HashMap::new();
        let key = |p: &[f64; 3]| p.map(|x| (x + 0.0).to_bits());
        let same: Vec<u32> = (0..).zip(positions).map(|(v, p)| *first.entry(key(p)).or_insert(v)).collect();
        let mut starts = vec![0; positions.len() + 1];
        triangles.iter().flatten().for_each(|&v| starts[same[v as usize] as usize + 1] += 1);
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let (mut next, mut around) = (starts.clone(), vec![0; 3 * triangles.len()]);
        for (number, triangle) in (0..).zip(&triangles) {
            for &v in triangle {
                let place = &mut next[same[v as usize] as usize];
                around[*place as usize] = number;
                *place += 1;
            }
        }
        Skin { positions, tree: Nearest::new(positions, &triangles), triangles, starts, around, same }
    }

    /// The nearest point of all; nothing without triangles.
    fn nearest(&self, point: [f64; 3]) -> Option<Foot> {
        let hit = self.tree.find(point.into(), None)?;
        let (triangle, distance) = (self.triangles[hit.triangle], hit.distance_squared.sqrt());
        Some(Foot { triangle, weights: hit.weights, distance })
    }

    /// The nearest point on the triangles at some vertices.
    fn nearest_at(&self, point: [f64; 3], vertices: &[(u32, f64)]) -> Option<Foot> {
        let mut best: Option<Foot> = None;
        for &number in vertices.iter().flat_map(|&(vertex, _)| self.triangles_at(vertex)) {
            let triangle = self.triangles[number as usize];
            let corners = triangle.map(|v| at(self.positions, v));
            let (weights, distance_squared) = nearest_in_triangle(corners, point.into());
            let distance = distance_squared.sqrt();
            if best.is_none_or(|best| distance < best.distance) {
                best = Some(Foot { triangle, weights, distance });
            }
        }
        best
    }

    fn triangles_at(&self, vertex: u32) -> &[u32] {
        let v = self.same[vertex as usize] as usize;
        &self.around[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Vertices within a distance of a foot along the sides of triangles, nearest first, each with how far it is, m;
    /// not more than `most`.
    pub fn reach(&self, foot: &Foot, radius: f64, most: usize) -> Vec<(u32, f64)> {
        let start = foot.place(self.positions);
        let mut waiting = BinaryHeap::new();
        let (mut known, mut out) = (HashMap::new(), Vec::new());
        for v in foot.triangle.map(|v| self.same[v as usize]) {
            let far = start.distance(at(self.positions, v));
            if known.get(&v).is_none_or(|&known| far < known) {
                known.insert(v, far);
                waiting.push(Reached(far, v));
            }
        }
        while let Some(Reached(far, vertex)) = waiting.pop() {
            if far > radius || out.len() >= most {
                break;
            }
            // A shorter way was found meanwhile.
            if known.get(&vertex).is_some_and(|&known| known < far) {
                continue;
            }
            out.push((vertex, far));
            for &number in self.triangles_at(vertex) {
                for next in self.triangles[number as usize].map(|v| self.same[v as usize]) {
                    let there = far + at(self.positions, vertex).distance(at(self.positions, next));
                    if there <= radius && known.get(&next).is_none_or(|&known| there < known) {
                        known.insert(next, there);
                        waiting.push(Reached(there, next));
                    }
                }
            }
        }
        out
    }

    /// Where each of some points is on the skin; those that `links` join are on one part of it, if that is not far.
    /// Nothing if there is no skin.
    pub fn feet(&self, points: &[[f64; 3]], links: &[[u32; 2]]) -> Option<Vec<Foot>> {
        let mut feet = points.iter().map(|&point| self.nearest(point)).collect::<Option<Vec<Foot>>>()?;
        let mut near = vec![Vec::new(); points.len()];
        for &[a, b] in links {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        let alike = |a: u32, b: u32| {
            let (from, to) = (&feet[a as usize], &feet[b as usize]);
            let step = at(points, a).distance(at(points, b));
            self.apart(from, to, stride(step, from, to)) <= stride(step, from, to)
        };
        let agreed: Vec<[u32; 2]> = links.iter().copied().filter(|&[a, b]| alike(a, b)).collect();
        let (pieces, flocks) = (components(points.len(), links), components(points.len(), &agreed));
        for (piece, flocks) in divided(&pieces, &flocks) {
            let far = |feet: &[Foot]| piece.iter().map(|&p| feet[p as usize].distance).sum::<f64>();
            let led = flocks.iter().map(|flock| self.led_by(flock, &piece, points, &near, &feet));
            let best = led.map(|led| (far(&led), led)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, best)) = best.filter(|(led, _)| *led <= MOST_FARTHER * far(&feet)) {
                feet = best;
            }
        }
        Some(feet)
    }

    /// How far two feet are from each other along the skin, about, m; ∞ if farther than `most`.
    fn apart(&self, a: &Foot, b: &Foot, most: f64) -> f64 {
        let [from, to] = [a, b].map(|foot| foot.place(self.positions));
        let own = |foot: &Foot| foot.triangle.map(|v| self.same[v as usize]);
        // Within a triangle, and from one to the next, a way along sides would be too long by far where triangles are
        // large.
        if own(a).iter().any(|v| own(b).contains(v)) {
            return from.distance(to);
        }
        let reached = self.reach(a, most, MOST_REACHED).into_iter().filter(|(v, _)| own(b).contains(v));
        reached.map(|(v, far)| far + at(self.positions, v).distance(to)).fold(f64::INFINITY, f64::min)
    }

    /// The feet when all of a piece go where a flock of them leads: from those of the flock outwards, each to the
    /// nearest point that is near the one before it along the skin.
    fn led_by(&self, flock: &[u32], piece: &[u32], points: &[[f64; 3]], near: &[Vec<u32>], feet: &[Foot]) -> Vec<Foot> {
        let mut feet = feet.to_vec();
        let mut settled = vec![true; points.len()];
        piece.iter().for_each(|&p| settled[p as usize] = false);
        flock.iter().for_each(|&p| settled[p as usize] = true);
        let mut waiting: VecDeque<u32> = flock.iter().copied().collect();
        while let Some(from) = waiting.pop_front() {
            for &next in &near[from as usize] {
                if std::mem::replace(&mut settled[next as usize], true) {
                    continue;
                }
                let lead = feet[from as usize];
                let step = at(points, next).distance(at(points, from));
                let mut reached = self.reach(&lead, stride(step, &lead, &lead), MOST_REACHED);
                reached.extend(lead.triangle.map(|vertex| (vertex, 0.0)));
                if let Some(foot) = self.nearest_at(points[next as usize], &reached) {
                    feet[next as usize] = foot;
                }
                waiting.push_back(next);
            }
        }
        feet
    }
}

/// How far along the skin two feet may be whose points are a step apart: ways along sides are longer than straight
/// ones.
fn stride(step: f64, a: &Foot, b: &Foot) -> f64 {
    1.5 * (2.0 * step + a.distance + b.distance)
}

impl Foot {
    /// Where it is, m.
    pub fn place(&self, positions: &[[f64; 3]]) -> DVec3 {
        (0..3).map(|k| self.weights[k] * at(positions, self.triangle[k])).sum()
    }
}

/// A vertex that can be reached, and how far it is, m. The nearest is the greatest; of equal ones the first.
#[derive(PartialEq)]
struct Reached(f64, u32);

impl Eq for Reached {}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

fn at(positions: &[[f64; 3]], vertex: u32) -> DVec3 {
    positions[vertex as usize].into()
}

/// For each of `count` things the first of those that links join it with.
pub(super) fn components(count: usize, links: &[[u32; 2]]) -> Vec<u32> {
    let mut first: Vec<u32> = (0..count as u32).collect();
    fn root(first: &mut [u32], mut of: u32) -> u32 {
        while first[of as usize] != of {
            first[of as usize] = first[first[of as usize] as usize];
            of = first[of as usize];
        }
        of
    }
    for &[a, b] in links {
        let (a, b) = (root(&mut first, a), root(&mut first, b));
        first[a.max(b) as usize] = a.min(b);
    }
    (0..count as u32).map(|of| root(&mut first, of)).collect()
}

/// The pieces that several flocks make: all of each, and its largest flocks.
fn divided(pieces: &[u32], flocks: &[u32]) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
    let mut of: BTreeMap<u32, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    for (at, (&piece, &flock)) in (0..).zip(pieces.iter().zip(flocks)) {
        of.entry(piece).or_default().entry(flock).or_default().push(at);
    }
    let several = of.into_values().filter(|flocks| flocks.len() > 1);
    several
        .map(|flocks| {
            let mut flocks: Vec<Vec<u32>> = flocks.into_values().collect();
            flocks.sort_by_key(|flock| std::cmp::Reverse(flock.len()));
            let piece = flocks.concat();
            flocks.truncate(MOST_LEADERS);
            (piece, flocks)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of ground along x, and above a part of it a plate that is not joined to it.
    fn ground_and_plate() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut positions: Vec<[f64; 3]> =
            (0..22).map(|k| [0.1 * f64::from(k / 2), 0.0, 0.2 * f64::from(k % 2)]).collect();
        let mut triangles: Vec<[u32; 3]> =
            (0..10).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 1, 2 * k + 3, 2 * k + 2]]).collect();
        positions.extend([[0.38, 0.1, 0.0], [0.52, 0.1, 0.0], [0.38, 0.1, 0.2], [0.52, 0.1, 0.2]]);
        triangles.extend([[22, 23, 24], [23, 25, 24]]);
        (positions, triangles)
    }

    #[test]
    fn a_few_that_are_nearest_to_something_else_go_where_the_many_do() {
        let (positions, triangles) = ground_and_plate();
        let points: Vec<[f64; 3]> = (0..21).map(|k| [0.05 * f64::from(k), 0.08, 0.1]).collect();
        let links: Vec<[u32; 2]> = (0..20).map(|k| [k, k + 1]).collect();
        let skin = Skin::new(&positions, triangles);
        assert!(skin.nearest(points[9]).unwrap().triangle.contains(&23), "the plate is nearest");
        for (foot, point) in skin.feet(&points, &links).unwrap().iter().zip(&points) {
            assert!(foot.triangle.iter().all(|&v| v < 22), "{foot:?} of {point:?}");
            assert!((foot.distance - 0.08).abs() < 1e-12, "{foot:?} of {point:?}");
        }
        // Without a word about who is whose neighbour, each is on its own.
        let alone = skin.feet(&points, &[]).unwrap();
        assert!(alone.iter().any(|foot| foot.triangle.contains(&23)));
        // What is truly above both stays with both: the plate is too far from the rest.
        let low: Vec<[f64; 3]> = points.iter().map(|&[x, _, z]| [x, if x < 0.45 { 0.01 } else { 0.099 }, z]).collect();
        let both = skin.feet(&low[..11], &links[..10]).unwrap();
        assert!(both[10].triangle.contains(&23) && both[0].distance < 0.011, "{both:?}");
        assert_eq!(Skin::new(&positions, Vec::new()).feet(&points, &links), None);
    }

    #[test]
    fn distances_are_along_the_skin() {
        let (positions, triangles) = ground_and_plate();
        let skin = Skin::new(&positions, triangles);
        let foot = skin.nearest([0.45, -0.1, 0.0]).unwrap();
        let reached = skin.reach(&foot, 0.16, 99);
        let far = |v: u32| reached.iter().find(|r| r.0 == v).map(|r| r.1);
        assert!((far(8).unwrap() - 0.05).abs() < 1e-12 && (far(6).unwrap() - 0.15).abs() < 1e-12, "{reached:?}");
        assert_eq!(far(4), None, "0.25 m away");
        assert!((22..26).all(|v| far(v).is_none()), "the plate is near, and not along the skin");
        assert!(reached.is_sorted_by(|a, b| a.1 <= b.1));
        assert_eq!(skin.reach(&foot, 0.16, 3), reached[..3]);
    }
}
