//! Triangles of a surface that intersect others.

use glam::DVec3;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;
use taut::internals::contact::bvh::{Aabb, BoxTree};
use taut::internals::contact::exact::mesh_triangles_meet;

use super::Findings;
use super::geometry::corners;
use super::show::number;

/// Two triangles that intersect.
#[derive(Clone, Copy, Default, PartialEq, Serialize)]
pub struct Crossing {
    /// Their numbers, from 0, the lesser first.
    pub triangles: [usize; 2],
    /// The middle of the first of them, in the units of the file.
    pub at: [f64; 3],
}

impl fmt::Debug for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], at) = (self.triangles, self.at.map(number).join(", "));
        write!(f, "{a} and {b} at ({at})")
    }
}

/// Pairs beyond this are no longer counted: a file of nothing but one triangle a million times over has 10¹².
pub const MOST_CROSSINGS: usize = 1_000_000;

/// Triangles looked at together: after each lot the count is compared with the most.
const LOT: usize = 256;

/// All pairs of triangles that intersect, by exact arithmetic; of triangles with the same three vertices, the first.
/// Vertices at
/// exactly the same place count as one: parts that only touch along a seam do not intersect.
pub(super) fn crossings(positions: &[[f64; 3]], triangles: &[(usize, [u32; 3])]) -> Findings<Crossing> {
    let place = welded(positions);
    let usable = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    let finite = |t: &[u32; 3]| corners(positions, *t).iter().all(|p| p.is_finite());
    let all = triangles.iter().map(|&(number, t)| (number, t, t.map(|v| place[v as usize])));
    // Repetitions are named on their own; a hundred thousand of one triangle would be compared with one another.
    let mut seen = HashSet::new();
    let sound = all.filter(|(_, t, _)| finite(t)).filter(|(_, _, t)| usable(t));
    let sound: Vec<_> = sound.filter(|(_, t, _)| seen.insert(sorted(*t))).collect();
    drop(seen);
    let corners = |at: u32| sound[at as usize].2.map(|v| positions[v as usize]);
    let bounds = |at: u32| Aabb::around(&corners(at), 0.0);
    let tree = BoxTree::new(sound.len(), bounds);
    let mut findings = Findings::default();
    for first in (0..sound.len()).step_by(LOT) {
        let lot = BoxTree::new(LOT.min(sound.len() - first), |at| bounds(first as u32 + at));
        let mut found = Vec::new();
        lot.pairs(&tree, |at, other| {
            let at = first as u32 + at;
            let [a, b] = [at, other].map(|at| &sound[at as usize]);
            let new = at < other && findings.count + found.len() < MOST_CROSSINGS;
            if new && mesh_triangles_meet(positions, a.2, b.2) {
                found.push([at, other]);
            }
        });
        found.sort_unstable();
        for [at, other] in found {
            let corners = corners(at);
            let middle = corners.map(DVec3::from).into_iter().sum::<DVec3>() / 3.0;
            findings.add(Crossing { triangles: [at, other].map(|at| sound[at as usize].0), at: middle.into() });
        }
        if findings.count >= MOST_CROSSINGS {
            break;
        }
    }
    findings
}

/// For each vertex the first one at its place.
fn welded(positions: &[[f64; 3]]) -> Vec<u32> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(positions.len());
    // 0 and −0 are one place.
    let key = |p: &[f64; 3]| p.map(|x| (x + 0.0).to_bits());
    (0..).zip(positions).map(|(vertex, position)| *first.entry(key(position)).or_insert(vertex)).collect()
}

/// A triangle's vertices, ascending.
fn sorted(mut triangle: [u32; 3]) -> [u32; 3] {
    triangle.sort_unstable();
    triangle
}
