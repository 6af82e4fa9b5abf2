//! Rest shapes of elements, from whatever a simulator has.

use crate::constraint::Batch;
use crate::lanes::{BLOCK, Scalar, V3, Vertex};

/// A triangle at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestTriangle {
    /// Its vertices.
    pub vertices: [u32; 3],
    /// The edges x1−x0 and x2−x0 in the material frame: (along weft, along warp), m.
    pub edges: [[f64; 2]; 2],
}

impl RestTriangle {
    /// From the corners' places on a flat pattern, (along weft, along warp) in m.
    pub fn in_pattern(vertices: [u32; 3], corners: [[f64; 2]; 3]) -> Self {
        let [a, b, c] = corners;
        RestTriangle { vertices, edges: [[b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]] }
    }

    /// From rest positions (m) in space, with weft along the direction `weft` laid into the triangle. Where that is
    /// perpendicular to the triangle, weft runs along the first edge. Without area if a position is missing.
    pub fn in_space(vertices: [u32; 3], positions: &[[f64; 3]], weft: [f64; 3]) -> Self {
        let at = |v: u32| positions.get(v as usize).map_or(V3::from([0.0; 3]), |&p| V3::from(p));
        let [a, b, c] = vertices.map(at);
        let (e1, e2) = (b - a, c - a);
        let normal = e1.cross(e2);
        let n = normal * (1.0 / normal.norm2().sqrt().max(f64::MIN_POSITIVE));
        let laid = V3::from(weft) - n * n.dot(V3::from(weft));
        let along = if laid.norm2() > 1e-4 * V3::from(weft).norm2() { laid } else { e1 };
        let n1 = along * (1.0 / along.norm2().sqrt().max(f64::MIN_POSITIVE));
        let n2 = n.cross(n1);
        RestTriangle { vertices, edges: [[n1.dot(e1), n2.dot(e1)], [n1.dot(e2), n2.dot(e2)]] }
    }

    /// All triangles of a mesh, by [`in_space`](Self::in_space).
    pub fn all(triangles: &[[u32; 3]], positions: &[[f64; 3]], weft: [f64; 3]) -> Vec<Self> {
        triangles.iter().map(|&t| RestTriangle::in_space(t, positions, weft)).collect()
    }

    /// Twice the area, signed, m².
    pub fn det(&self) -> f64 {
        let [p, q] = self.edges;
        p[0] * q[1] - p[1] * q[0]
    }

    /// The inverse of the edges as the strain rows want it, B_ik = (Q⁻¹)_ki (1/m); nothing without area.
    pub(crate) fn inverse(&self) -> Option<[f64; 4]> {
        let [p, q] = self.edges;
        let size = p[0] * p[0] + p[1] * p[1] + q[0] * q[0] + q[1] * q[1];
        let d = 1.0 / self.det();
        let usable = distinct(&self.vertices) && self.det().abs() > size * THINNEST && d.is_finite();
        usable.then_some([q[1] * d, -p[1] * d, -q[0] * d, p[0] * d])
    }
}

/// An edge at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestEdge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// Its length, m.
    pub length: f64,
}

/// A tetrahedron at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestTet {
    /// Its vertices.
    pub vertices: [u32; 4],
    /// The edges x1−x0, x2−x0, x3−x0, m.
    pub edges: [[f64; 3]; 3],
}

impl RestTet {
    /// From rest positions, m. Without volume if a position is missing. Edges are swapped if it is inside out.
    pub fn in_space(vertices: [u32; 4], positions: &[[f64; 3]]) -> Self {
        let at = |v: u32| positions.get(v as usize).map_or(V3::from([0.0; 3]), |&p| V3::from(p));
        let [a, b, c, d] = vertices.map(at);
        let tet = RestTet { vertices, edges: [b - a, c - a, d - a].map(<[f64; 3]>::from) };
        let [e1, e2, e3] = tet.edges;
        let turned = RestTet { vertices: [vertices[0], vertices[2], vertices[1], vertices[3]], edges: [e2, e1, e3] };
        if tet.det() < 0.0 { turned } else { tet }
    }

    /// Six times the volume, signed, m³.
    pub fn det(&self) -> f64 {
        let [a, b, c] = self.edges.map(V3::from);
        a.dot(b.cross(c))
    }

    /// The inverse of the edges as the strain rows want it: B_ik = (Q⁻¹)_ki (1/m); nothing without volume.
    pub(super) fn inverse(&self) -> Option<[f64; 9]> {
        let [a, b, c] = self.edges.map(V3::from);
        let size = (a.norm2() + b.norm2() + c.norm2()).sqrt();
        let d = 1.0 / self.det();
        let usable = distinct(&self.vertices) && self.det().abs() > size * size * size * THINNEST && d.is_finite();
        // Column k of Q is edge k; row k of Q⁻¹ is the cross product of the other two over det.
        let rows = [b.cross(c) * d, c.cross(a) * d, a.cross(b) * d];
        let [r0, r1, r2] = rows;
        usable.then_some([r0.x, r1.x, r2.x, r0.y, r1.y, r2.y, r0.z, r1.z, r2.z])
    }
}

/// Twice the area of a triangle over its squared edges (and likewise for tetrahedra) below which it counts as flat.
const THINNEST: f64 = 1e-7;

pub(super) fn distinct(vertices: &[u32]) -> bool {
    vertices.iter().enumerate().all(|(i, v)| !vertices[..i].contains(v))
}

/// Every edge of the triangles once, with its length in `positions` (m), in ascending order.
pub fn edges_of(triangles: &[[u32; 3]], positions: &[[f64; 3]]) -> Vec<RestEdge> {
    between(triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]), positions)
}

/// The distance across every edge with two triangles: the linear bending springs of APSL §6.
pub(super) fn bend_edges(triangles: &[[u32; 3]], positions: &[[f64; 3]]) -> Vec<RestEdge> {
    let mut sides: Vec<([u32; 2], u32)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [([a, b], c), ([b, c], a), ([c, a], b)])
        .map(|([a, b], apex)| ([a.min(b), a.max(b)], apex))
        .collect();
    sides.sort_unstable();
    let across = |pair: &[([u32; 2], u32)]| match *pair {
        [(e, a), (f, b)] if e == f && a != b => Some([a, b]),
        _ => None,
    };
    between(sides.windows(2).filter_map(across), positions)
}

/// Each of the pairs once, with its distance, in ascending order.
fn between(pairs: impl Iterator<Item = [u32; 2]>, positions: &[[f64; 3]]) -> Vec<RestEdge> {
    let mut pairs: Vec<[u32; 2]> = pairs.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let at = |v: u32| positions.get(v as usize).map_or(V3::from([0.0; 3]), |&p| V3::from(p));
    let length = |[a, b]: [u32; 2]| (at(b) - at(a)).norm2().sqrt();
    pairs.into_iter().map(|ends| RestEdge { vertices: ends, length: length(ends) }).collect()
}

/// The triangles of a batch of strain elements (six rest numbers: Q⁻¹ and two rest stretches), in its own vertex
/// numbers and in the order they were added: how a limiter is laid over a [`Model`](crate::Model)'s cloth. The rest
/// shape is the stretched one if there are rest stretches.
pub fn triangles_of_batch<T: Scalar, const R: usize>(batch: &Batch<T, 3, 6, R>) -> Vec<RestTriangle> {
    let mut out = vec![RestTriangle { vertices: [0; 3], edges: [[0.0; 2]; 2] }; batch.count];
    for (block, source) in batch.blocks().iter().zip(&batch.source) {
        for lane in 0..BLOCK {
            let Some(slot) = out.get_mut(source[lane] as usize) else { continue };
            let [a, b, c, d, s, t] = block.rest.map(|r| r[lane].f64());
            let det = 1.0 / (a * d - b * c);
            // B = [[a, b], [c, d]] = (Q⁻¹)ᵀ, so Q's columns, the edges, are the rows of the inverse of B.
            let edges = [[d * det * s, -b * det * t], [-c * det * s, a * det * t]];
            let vertices = [0, 1, 2].map(|k| block.places[k][lane].index::<Vertex<T>>() as u32);
            *slot = RestTriangle { vertices, edges };
        }
    }
    out
}

/// The tetrahedra of a batch of strain elements (twelve rest numbers: Q⁻¹ and three rest stretches), likewise.
pub fn tets_of_batch<T: Scalar, const R: usize>(batch: &Batch<T, 4, 12, R>) -> Vec<RestTet> {
    let mut out = vec![RestTet { vertices: [0; 4], edges: [[0.0; 3]; 3] }; batch.count];
    for (block, source) in batch.blocks().iter().zip(&batch.source) {
        for lane in 0..BLOCK {
            let Some(slot) = out.get_mut(source[lane] as usize) else { continue };
            let b = block.rest.map(|r| r[lane].f64());
            // Row k of Q⁻¹ is (B_0k, B_1k, B_2k); column k of Q, edge k, is the cross product of the other two over
            // det.
            let [r0, r1, r2] = [0, 1, 2].map(|k| V3::new(b[k], b[3 + k], b[6 + k]));
            let det = 1.0 / r0.dot(r1.cross(r2));
            let scaled = |e: V3<f64>| [e.x * det * b[9], e.y * det * b[10], e.z * det * b[11]];
            let edges = [scaled(r1.cross(r2)), scaled(r2.cross(r0)), scaled(r0.cross(r1))];
            let vertices = [0, 1, 2, 3].map(|k| block.places[k][lane].index::<Vertex<T>>() as u32);
            *slot = RestTet { vertices, edges };
        }
    }
    out
}

/// Every edge of elements once, in ascending order, with its length at rest: the mean of what its elements say, who
/// may disagree where patterns are sewn together.
pub(super) fn rest_edges(sides: impl Iterator<Item = RestEdge>) -> Vec<RestEdge> {
    let mut all: Vec<RestEdge> = sides
        .map(|e| {
            let [a, b] = e.vertices;
            RestEdge { vertices: [a.min(b), a.max(b)], length: e.length }
        })
        .collect();
    all.sort_by(|a, b| a.vertices.cmp(&b.vertices).then(a.length.total_cmp(&b.length)));
    all.chunk_by(|a, b| a.vertices == b.vertices)
        .map(|same| {
            let length = same.iter().map(|e| e.length).sum::<f64>() / same.len() as f64;
            RestEdge { vertices: same[0].vertices, length }
        })
        .collect()
}

impl RestTriangle {
    /// Its three sides.
    pub(super) fn sides(&self) -> [RestEdge; 3] {
        let ([a, b, c], [p, q]) = (self.vertices, self.edges);
        let side = |vertices, x: [f64; 2]| RestEdge { vertices, length: (x[0] * x[0] + x[1] * x[1]).sqrt() };
        [side([a, b], p), side([a, c], q), side([b, c], [q[0] - p[0], q[1] - p[1]])]
    }
}

impl RestTet {
    /// Its six sides.
    pub(super) fn sides(&self) -> [RestEdge; 6] {
        let ([a, b, c, d], [p, q, r]) = (self.vertices, self.edges.map(V3::from));
        let side = |vertices, x: V3<f64>| RestEdge { vertices, length: x.norm2().sqrt() };
        [
            side([a, b], p),
            side([a, c], q),
            side([a, d], r),
            side([b, c], q - p),
            side([c, d], r - q),
            side([d, b], p - r),
        ]
    }
}
