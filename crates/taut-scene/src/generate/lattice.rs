//! Vertices on the lattices of subdivided simplices: each is known by the corners it lies between, so that neighbours
//! share it.

use std::collections::HashMap;

use glam::DVec3;

/// The vertices made so far.
#[derive(Default)]
pub(super) struct Lattice {
    /// Which vertex a key belongs to. Only ever looked up, so its random order has no effect.
    index: HashMap<u64, u32>,
    pub positions: Vec<[f64; 3]>,
}

impl Lattice {
    /// The vertex with the given weights of corners, which `place` positions if it is new. There may be 16 corners.
    pub fn vertex<const N: usize>(&mut self, weights: [(u32, u32); N], place: impl FnOnce() -> DVec3) -> u32 {
        let positions = &mut self.positions;
        *self.index.entry(key(weights)).or_insert_with(|| {
            positions.push(place().into());
            positions.len() as u32 - 1
        })
    }
}

/// One number for a place: sixteen bits for each corner that has a weight, in the corners' order. Twelve bits hold any
/// weight, for even a sphere of the most triangles allowed has only 1000 steps along an edge.
fn key<const N: usize>(mut weights: [(u32, u32); N]) -> u64 {
    weights.sort_unstable();
    let used = weights.iter().filter(|&&(_, weight)| weight > 0);
    used.fold(0, |key, &(corner, weight)| (key << 16) | u64::from((corner << 12) | weight))
}

/// The angle of an icosahedron's edge seen from its centre: atan 2, radians.
pub(super) const ICOSAHEDRON_EDGE: f64 = 1.107_148_717_794_090_4;

/// An icosahedron's corners on the unit sphere and its faces, oriented outwards.
pub(super) fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut corners: Vec<DVec3> = Vec::new();
    for axis in 0..3 {
        for (short, long) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
            let mut corner = DVec3::ZERO;
            corner[(axis + 1) % 3] = short;
            corner[(axis + 2) % 3] = long;
            corners.push(corner);
        }
    }
    // Edges are 2 long, and the next shortest distance is 2 golden; so faces need no table that could be wrong.
    let adjacent = |a: usize, b: usize| corners[a].distance(corners[b]) < 2.5;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in (a + 1..12).filter(|&b| adjacent(a, b)) {
            for c in (b + 1..12).filter(|&c| adjacent(a, c) && adjacent(b, c)) {
                let outwards = corners[a].dot(corners[b].cross(corners[c])) > 0.0;
                faces.push(if outwards { [a, b, c] } else { [a, c, b] }.map(|corner| corner as u32));
            }
        }
    }
    (corners.into_iter().map(|corner| corner.normalize_or(corner)).collect(), faces)
}

/// The point of the unit sphere in the direction of the corners' weighted mean.
pub(super) fn on_sphere(corners: &[DVec3], weights: [(u32, u32); 3]) -> DVec3 {
    let sum: DVec3 = weights.map(|(corner, weight)| corners[corner as usize] * f64::from(weight)).into_iter().sum();
    sum.normalize_or(sum)
}
