//! What of a garment intersects itself or the body, by exact arithmetic.

use taut::internals::contact::bvh::{Aabb, BoxTree};
use taut::internals::contact::exact::mesh_triangles_meet;

/// Triangles of a garment that intersect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossings {
    /// Pairs of the garment's own.
    pub own: Vec<[u32; 2]>,
    /// One of the garment's and one of the body's.
    pub body: Vec<[u32; 2]>,
}

impl Crossings {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.own.len() + self.body.len()
    }
}

/// A surface that others are compared with again and again.
pub(super) struct Obstacle {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    tree: BoxTree,
}

impl Obstacle {
    pub fn new(positions: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        let tree = tree(&positions, &triangles);
        Obstacle { positions, triangles, tree }
    }
}

fn tree(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> BoxTree {
    let bounds = |t: u32| Aabb::around(&triangles[t as usize].map(|v| positions[v as usize]), 0.0);
    BoxTree::new(triangles.len(), bounds)
}

/// Finds what intersects.
pub(super) fn crossings(positions: &[[f64; 3]], triangles: &[[u32; 3]], body: &Obstacle) -> Crossings {
    let cloth = tree(positions, triangles);
    let mut found = Crossings::default();
    cloth.pairs(&cloth, |a, b| {
        if a < b && mesh_triangles_meet(positions, triangles[a as usize], triangles[b as usize]) {
            found.own.push([a, b]);
        }
    });
    cloth.pairs(&body.tree, |a, b| {
        let [x, y, z] = triangles[a as usize].map(|v| positions[v as usize]);
        let [u, v, w] = body.triangles[b as usize].map(|v| body.positions[v as usize]);
        if mesh_triangles_meet(&[x, y, z, u, v, w], [0, 1, 2], [3, 4, 5]) {
            found.body.push([a, b]);
        }
    });
    found.own.sort_unstable();
    found.body.sort_unstable();
    found
}
