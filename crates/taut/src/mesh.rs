//! Plain meshes: what goes into a model builder and what readers and generators make.
//!
//! Lengths are in metres, y points up. Nothing here is checked: the builder checks what it is given.

pub use crate::boundary::boundary_triangles;

/// A named set of vertices, for pins and painted parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The name as the file or generator gave it.
    pub name: String,
    /// Vertex indices, ascending, each once.
    pub vertices: Vec<u32>,
}

/// A triangle mesh with optional texture coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions at rest, m.
    pub positions: Vec<[f64; 3]>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates (u along weft, v along warp, any scale); empty if there are none.
    pub uvs: Vec<[f64; 2]>,
    /// For each triangle the indices of its corners' texture coordinates; empty if `uvs` is. Corners have
    /// their own coordinates because garments have seams: one vertex, several places on the pattern.
    pub uv_triangles: Vec<[u32; 3]>,
    /// Named vertex sets.
    pub groups: Vec<Group>,
}

/// A tetrahedral mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions at rest, m.
    pub positions: Vec<[f64; 3]>,
    /// Vertex indices of each tetrahedron, with (x1−x0)·((x2−x0)×(x3−x0)) > 0.
    pub tets: Vec<[u32; 4]>,
    /// One material frame for each tetrahedron: three orthonormal axes in world space, along which stretch
    /// and shear are measured. Empty means the world axes.
    pub frames: Vec<[[f64; 3]; 3]>,
    /// Named vertex sets.
    pub groups: Vec<Group>,
}

impl TriMesh {
    /// The vertices of the named group, if there is one.
    pub fn group(&self, name: &str) -> Option<&[u32]> {
        find_group(&self.groups, name)
    }
}

impl TetMesh {
    /// The vertices of the named group, if there is one.
    pub fn group(&self, name: &str) -> Option<&[u32]> {
        find_group(&self.groups, name)
    }
}

fn find_group<'a>(groups: &'a [Group], name: &str) -> Option<&'a [u32]> {
    groups.iter().find(|g| g.name == name).map(|g| g.vertices.as_slice())
}
