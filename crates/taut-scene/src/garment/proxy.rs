//! A coarser figure around a figure. Long triangles of a garment that is not yet drawn together are near thousands of a
//! detailed body's triangles at once, more than contact can prove apart in its budget; of a coarse one they are near a
//! few.

use glam::DVec3;
use std::collections::{HashMap, HashSet};
use taut::mesh::TriMesh;

/// Vertices in one cell of a grid become one, m.
const CELL: f64 = 0.025;
/// How far it is moved off the body, m: more than it cuts off where the body is round.
const MARGIN: f64 = 0.006;

/// A coarse surface around a surface, m.
pub(super) fn around(mesh: &TriMesh) -> TriMesh {
    let mut cells: HashMap<[i64; 3], u32> = HashMap::new();
    let mut sums: Vec<(DVec3, f64)> = Vec::new();
    let mut cell_of = Vec::with_capacity(mesh.positions.len());
    for p in &mesh.positions {
        let key = p.map(|x| (x / CELL).floor() as i64);
        let at = *cells.entry(key).or_insert(sums.len() as u32);
        if at as usize == sums.len() {
            sums.push((DVec3::ZERO, 0.0));
        }
        let (sum, count) = &mut sums[at as usize];
        (*sum, *count) = (*sum + DVec3::from(*p), *count + 1.0);
        cell_of.push(at);
    }
    let first_smallest = |[a, b, c]: [u32; 3]| {
        if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        }
    };
    let mut seen = HashSet::new();
    let sound = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    let all = mesh.triangles.iter().map(|t| t.map(|v| cell_of[v as usize])).filter(sound).map(first_smallest);
    let once: Vec<[u32; 3]> = all.filter(|t| seen.insert(*t)).collect();
    // Two that lie on each other back to back hold nothing.
    let triangles: Vec<[u32; 3]> = once.into_iter().filter(|&[a, b, c]| !seen.contains(&[a, c, b])).collect();
    let points: Vec<DVec3> = sums.into_iter().map(|(sum, count)| sum / count).collect();
    let mut normals = vec![DVec3::ZERO; points.len()];
    for t in &triangles {
        let [a, b, c] = t.map(|v| points[v as usize]);
        let normal = (b - a).cross(c - a);
        t.iter().for_each(|&v| normals[v as usize] += normal);
    }
    let positions = points.iter().zip(&normals).map(|(p, n)| (*p + MARGIN * n.normalize_or_zero()).into()).collect();
    TriMesh { positions, triangles, ..TriMesh::default() }
}
