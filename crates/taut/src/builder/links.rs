//! Which vertices springs connect, on a mesh of quads cut in two (soft constraints §8).

use super::cloth::{MeshEdge, material_edge};
use super::frames::Material;
use std::collections::{HashMap, HashSet};

/// What links are found from.
pub(super) struct LinkFinder<'a> {
    pub triangles: &'a [[u32; 3]],
    pub sides: &'a [MeshEdge],
    pub qs: &'a [Material],
}

/// Two vertices, and the direction from one to the other in the material's axes.
pub(super) type Link = ([u32; 2], [f64; 2]);

/// cos² of the angle within which an edge follows the grain: 20°.
const FOLLOWS: f64 = 0.883;

impl LinkFinder<'_> {
    /// LinkFinder along the grain, across it, and past a vertex, each in a fixed order and once, with its direction in
    /// the material's axes.
    pub fn all(&self) -> [Vec<Link>; 3] {
        let (mut along, mut across) = (Vec::new(), Vec::new());
        let mut seen: HashSet<[u32; 2]> = self.sides.iter().map(|s| s.ends).collect();
        for side in self.sides {
            let link = (side.ends, self.material(side));
            if self.grain(side).is_some() {
                along.push(link);
                continue;
            }
            across.push(link);
            across.extend(self.other_diagonal(side).filter(|link| seen.insert(link.0)));
        }
        let past = self.past();
        [along, across, past]
    }

    /// An edge in the material's axes, m.
    fn material(&self, side: &MeshEdge) -> [f64; 2] {
        let t = side.triangles[0];
        material_edge(self.triangles[t], &self.qs[t], side.ends)
    }

    /// 0 if an edge follows the weft, 1 if the warp.
    fn grain(&self, side: &MeshEdge) -> Option<usize> {
        let [u, v] = self.material(side);
        let length2 = u * u + v * v;
        if u * u > FOLLOWS * length2 {
            Some(0)
        } else if v * v > FOLLOWS * length2 {
            Some(1)
        } else {
            None
        }
    }

    /// The other diagonal of the quad that an edge cuts in two.
    fn other_diagonal(&self, side: &MeshEdge) -> Option<Link> {
        if side.count != 2 {
            return None;
        }
        let apex = |t: usize| self.triangles[t].into_iter().find(|v| !side.ends.contains(v));
        let [s, t] = side.triangles;
        let (a, b) = (apex(s)?, apex(t)?);
        let from = |t: usize, apex: u32| material_edge(self.triangles[t], &self.qs[t], [side.ends[0], apex]);
        let (to_a, to_b) = (from(s, a), from(t, b));
        (a != b).then(|| ([a.min(b), a.max(b)], [to_b[0] - to_a[0], to_b[1] - to_a[1]]))
    }

    /// The far ends of two edges that follow the same grain on either side of a vertex.
    fn past(&self) -> Vec<Link> {
        // For each vertex, its neighbours towards larger and smaller coordinates along weft and along warp.
        let mut next: HashMap<(u32, usize), [Option<u32>; 2]> = HashMap::new();
        let mut order = Vec::new();
        for side in self.sides {
            let Some(axis) = self.grain(side) else { continue };
            let forward = self.material(side)[axis] > 0.0;
            for (end, other, up) in [(0, 1, forward), (1, 0, !forward)] {
                let key = (side.ends[end], axis);
                let entry = next.entry(key).or_insert_with(|| {
                    order.push(key);
                    [None; 2]
                });
                entry[usize::from(up)].get_or_insert(side.ends[other]);
            }
        }
        let axes = [[1.0, 0.0], [0.0, 1.0]];
        let pair = |key: &(u32, usize)| match next[key] {
            [Some(a), Some(b)] if a != b => Some(([a.min(b), a.max(b)], axes[key.1])),
            _ => None,
        };
        let mut seen = HashSet::new();
        order.iter().filter_map(pair).filter(|link| seen.insert(link.0)).collect()
    }
}
