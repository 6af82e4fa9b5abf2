//! What contact sees of a mesh: its vertices, edges and triangles, each once.

/// The features of one surface: a cloth, the boundary of a soft body, or a collider.
///
/// Indices point into one array of positions that all surfaces of a scene share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices that triangles use. [`new`](Self::new) has them ascending.
    pub vertices: Vec<u32>,
    /// Edges of triangles, each once: lesser index first. [`new`](Self::new) has them in lexicographic order.
    pub edges: Vec<[u32; 2]>,
    /// The triangles. [`new`](Self::new) has them in the order given.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The features of a set of triangles. A triangle that names a vertex twice has no inside and is left out.
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let triangles: Vec<_> = triangles.iter().copied().filter(|&[a, b, c]| a != b && b != c && c != a).collect();
        let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
        let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        Surface { vertices, edges, triangles }
    }

    /// The same surface with all indices greater by `offset`.
    pub fn shifted(&self, offset: u32) -> Self {
        Surface {
            vertices: self.vertices.iter().map(|v| v + offset).collect(),
            edges: self.edges.iter().map(|e| e.map(|v| v + offset)).collect(),
            triangles: self.triangles.iter().map(|t| t.map(|v| v + offset)).collect(),
        }
    }
}
