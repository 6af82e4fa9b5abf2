//! The exact check: which triangles of a mesh intersect, decided without rounding.
//!
//! # What counts
//! Features are closed sets, and touching counts. Two triangles intersect if a feature (vertex, edge, inside) of one
//! meets a feature of the other *with which it shares no vertex*:
//!
//! | vertices shared | they intersect if |
//! | --- | --- |
//! | none | the closed triangles have a point in common |
//! | one | the edge opposite the shared vertex of one meets the other |
//! | two (an edge) | a far vertex lies on the other triangle, or two edges from different ends of the shared one meet: folded flat onto each other |
//! | three | always: the same triangle twice |
//!
//! This is exactly what the [safety pass](super::safety) keeps apart, so a step that it has seen can be checked with it
//! to the last bit. Triangles without area are segments or points, and obey the same rules. Two vertices at one place
//! touch: weld seams before asking. Triangles that name a vertex twice or are not finite are passed over.
//!
//! # How
//! Signs of determinants by Shewchuk's adaptive predicates (the `robust` crate); exact as long as products of three
//! coordinate differences neither overflow nor underflow, i.e. for coordinates between about 1e-95 and 1e95.

use super::bvh::{Aabb, BoxTree};
use robust::{Coord, Coord3D, orient2d, orient3d};

pub(super) type P = [f64; 3];

/// A point where two triangles could meet, seen from the three of a triangle: > 0, 0 or < 0 like the volume of
/// the tetrahedron `abcd` (positive if `abc` turn clockwise seen from `d`).
fn side(a: P, b: P, c: P, d: P) -> f64 {
    let p = |[x, y, z]: P| Coord3D { x, y, z };
    orient3d(p(a), p(b), p(c), p(d))
}

/// Which way `abc` turn when the coordinate `axis` is dropped.
fn turn(axis: usize, a: P, b: P, c: P) -> f64 {
    let p = |v: P| Coord { x: v[(axis + 1) % 3], y: v[(axis + 2) % 3] };
    orient2d(p(a), p(b), p(c))
}

/// An axis along which the plane of `abc` can be looked at, unless they lie on a line.
fn view(a: P, b: P, c: P) -> Option<usize> {
    (0..3).find(|&axis| turn(axis, a, b, c) != 0.0)
}

/// Whether `p`, known to lie on the line through `a` and `b`, lies between them.
fn between(a: P, b: P, p: P) -> bool {
    (0..3).all(|k| a[k].min(b[k]) <= p[k] && p[k] <= a[k].max(b[k]))
}

/// Whether two segments in one plane meet, seen along `axis`.
fn segments_in_view(axis: usize, [p, q]: [P; 2], [a, b]: [P; 2]) -> bool {
    let (tp, tq) = (turn(axis, a, b, p), turn(axis, a, b, q));
    let (ta, tb) = (turn(axis, p, q, a), turn(axis, p, q, b));
    if apart(tp, tq) && apart(ta, tb) {
        return true;
    }
    let on = |t: f64, a, b, p| t == 0.0 && between(a, b, p);
    on(tp, a, b, p) || on(tq, a, b, q) || on(ta, p, q, a) || on(tb, p, q, b)
}

/// Whether two numbers have opposite signs, neither being zero.
fn apart(a: f64, b: f64) -> bool {
    (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)
}

/// Whether two closed segments in space meet.
pub fn segments_meet(s: [P; 2], t: [P; 2]) -> bool {
    let ([p, q], [a, b]) = (s, t);
    if side(p, q, a, b) != 0.0 {
        return false;
    }
    match view(p, q, a).or_else(|| view(p, q, b)).or_else(|| view(a, b, p)).or_else(|| view(a, b, q)) {
        Some(axis) => segments_in_view(axis, s, t),
        // All on one line.
        None => (0..3).all(|k| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k])),
    }
}

/// Whether a closed segment meets a closed triangle.
pub fn segment_meets_triangle([p, q]: [P; 2], [a, b, c]: [P; 3]) -> bool {
    let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
    if (sp > 0.0 && sq > 0.0) || (sp < 0.0 && sq < 0.0) {
        return false;
    }
    if sp != 0.0 || sq != 0.0 {
        let s = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
        return s.iter().all(|&s| s >= 0.0) || s.iter().all(|&s| s <= 0.0);
    }
    let sides = [[a, b], [b, c], [c, a]];
    match view(a, b, c) {
        Some(axis) => inside(axis, [a, b, c], p) || sides.iter().any(|&s| segments_in_view(axis, [p, q], s)),
        None => sides.iter().any(|&s| segments_meet([p, q], s)),
    }
}

/// Whether `p`, in the plane of the triangle, lies in it, seen along `axis`.
fn inside(axis: usize, [a, b, c]: [P; 3], p: P) -> bool {
    let s = [turn(axis, a, b, p), turn(axis, b, c, p), turn(axis, c, a, p)];
    s.iter().all(|&s| s >= 0.0) || s.iter().all(|&s| s <= 0.0)
}

/// Whether a point lies on a closed triangle.
fn vertex_on_triangle(p: P, t: [P; 3]) -> bool {
    segment_meets_triangle([p, p], t)
}

/// Whether two closed triangles have a point in common.
pub fn triangles_meet(s: [P; 3], t: [P; 3]) -> bool {
    let sides = |[a, b, c]: [P; 3]| [[a, b], [b, c], [c, a]];
    !apart_along(&s, &t)
        && (sides(s).iter().any(|&e| segment_meets_triangle(e, t))
            || sides(t).iter().any(|&e| segment_meets_triangle(e, s)))
}

/// A cheap proof, safe against rounding, that a plane halfway between two sets of points separates them. Most near
/// pairs end here, above all in flat cloth, where the predicates are slowest.
fn apart_along(s: &[P], t: &[P]) -> bool {
    let mean = |s: &[P], k: usize| s.iter().map(|p| p[k]).sum::<f64>() / s.len() as f64;
    let n: P = core::array::from_fn(|k| mean(s, k) - mean(t, k));
    s.iter().all(|p| {
        t.iter().all(|q| {
            let d: P = core::array::from_fn(|k| n[k] * (p[k] - q[k]));
            // Each product is off by two roundings, the sum by two more: 4 · 2⁻⁵³ of the sizes, taken fourfold.
            let slack = (d[0].abs() + d[1].abs() + d[2].abs()) * (8.0 * f64::EPSILON) + f64::MIN_POSITIVE;
            d[0] + d[1] + d[2] > slack
        })
    })
}

/// Whether two triangles of a mesh intersect, by the rules of this module.
pub fn mesh_triangles_meet(x: &[P], s: [u32; 3], t: [u32; 3]) -> bool {
    let at = |i: u32| x[i as usize];
    let shared = |i: &u32| t.contains(i);
    match s.iter().filter(|i| shared(i)).count() {
        0 => triangles_meet(s.map(at), t.map(at)),
        1 => {
            let Some(v) = s.into_iter().find(shared) else { return false };
            let far = |t: [u32; 3]| opposite(t, v).map(at);
            let meets = |e: [P; 2], t: [P; 3]| !apart_along(&e, &t) && segment_meets_triangle(e, t);
            meets(far(s), t.map(at)) || meets(far(t), s.map(at))
        }
        2 => {
            let Some(a) = s.into_iter().find(|i| !shared(i)) else { return false };
            let Some(b) = t.into_iter().find(|i| !s.contains(i)) else { return false };
            let [u, v] = opposite(s, a).map(at);
            folded_flat(u, v, at(a), at(b))
        }
        _ => true,
    }
}

/// The vertices of `t` that are not `v`.
fn opposite(t: [u32; 3], v: u32) -> [u32; 2] {
    match t.iter().position(|&i| i == v) {
        Some(0) => [t[1], t[2]],
        Some(1) => [t[2], t[0]],
        _ => [t[0], t[1]],
    }
}

/// Whether the triangles `uva` and `uvb` lie on each other.
fn folded_flat(u: P, v: P, a: P, b: P) -> bool {
    let far = apart_along(&[a], &[u, v, b]) && apart_along(&[b], &[u, v, a]);
    if far && apart_along(&[u, a], &[v, b]) && apart_along(&[v, a], &[u, b]) {
        return false;
    }
    side(u, v, a, b) == 0.0
        && (vertex_on_triangle(a, [u, v, b])
            || vertex_on_triangle(b, [u, v, a])
            || segments_meet([u, a], [v, b])
            || segments_meet([v, a], [u, b]))
}

/// Finds intersections of one mesh again and again: the hierarchy is built once and refitted.
#[derive(Clone, Debug)]
pub struct IntersectionFinder {
    triangles: Vec<[u32; 3]>,
    tree: BoxTree,
}

impl IntersectionFinder {
    /// For these triangles; `positions` (m) only shape the hierarchy. Triangles that name a vertex twice, or one that
    /// does not exist, are passed over.
    pub fn new(positions: &[P], triangles: &[[u32; 3]]) -> Self {
        let tree = BoxTree::new(triangles.len(), |t| triangle_box(positions, triangles[t as usize]));
        IntersectionFinder { triangles: triangles.to_vec(), tree }
    }

    /// All pairs of triangles that intersect, the lesser index first, in ascending order.
    pub fn find(&mut self, positions: &[P]) -> Vec<(u32, u32)> {
        let triangles = &self.triangles;
        self.tree.refit(|t| triangle_box(positions, triangles[t as usize]));
        let mut found = Vec::new();
        self.tree.self_pairs(|s, t| {
            if mesh_triangles_meet(positions, triangles[s as usize], triangles[t as usize]) {
                found.push((s.min(t), s.max(t)));
            }
        });
        found.sort_unstable();
        found
    }
}

fn triangle_box(x: &[P], t: [u32; 3]) -> Aabb {
    let [a, b, c] = t;
    if a == b || b == c || c == a {
        return Aabb::EMPTY;
    }
    match t.map(|i| x.get(i as usize)) {
        [Some(a), Some(b), Some(c)] => Aabb::around(&[*a, *b, *c], 0.0),
        _ => Aabb::EMPTY,
    }
}

/// All pairs of triangles of a mesh that intersect, the lesser index first, in ascending order. Positions in m.
pub fn intersections(positions: &[P], triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    IntersectionFinder::new(positions, triangles).find(positions)
}
