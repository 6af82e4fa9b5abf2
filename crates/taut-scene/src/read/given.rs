//! A surface as its file has it, where that is not what is computed with: polygons, vertices that were split or
//! welded, the object's name. What is written can then be the same mesh again.

use super::parts::{Part, PartKind};

/// Faces that have a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceSet {
    /// Its name.
    pub name: String,
    /// Its faces, by number, ascending.
    pub faces: Vec<u32>,
}

/// A surface as its file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// What the file calls its object, if it has only one.
    pub object: Option<String>,
    /// For each vertex of the file the vertex of the surface; empty if they are the same.
    pub vertices: Vec<u32>,
    /// Where each face ends in `corners`; it starts where the one before ends. Empty if faces are the triangles.
    pub ends: Vec<u32>,
    /// The corners of all faces, one after another, as vertices of the file.
    pub corners: Vec<u32>,
    /// For each corner its texture coordinate; empty if there are none.
    pub uvs: Vec<u32>,
    /// For each triangle of the surface the face that it is a part of.
    pub of_triangle: Vec<u32>,
    /// Sets of faces by name.
    pub groups: Vec<FaceSet>,
    /// What faces are made of; no two share a face.
    pub materials: Vec<FaceSet>,
}

impl Given {
    /// Bytes that so many corners in so many faces, of so many triangles, take.
    pub(crate) fn held_by(corners: usize, faces: usize, triangles: usize) -> usize {
        size_of::<u32>().saturating_mul(2 * corners + faces + triangles)
    }

    /// With room for so many.
    pub(crate) fn with_room(corners: usize, faces: usize, triangles: usize, uvs: bool) -> Self {
        let mut given = Given::default();
        given.corners.reserve_exact(corners);
        given.ends.reserve_exact(faces);
        given.of_triangle.reserve_exact(triangles);
        given.uvs.reserve_exact(if uvs { corners } else { 0 });
        given
    }

    /// Adds a face that was split into so many triangles.
    pub(crate) fn push(&mut self, corners: impl IntoIterator<Item = u32>, triangles: usize) {
        let number = self.ends.len() as u32;
        self.corners.extend(corners);
        self.ends.push(self.corners.len() as u32);
        self.of_triangle.extend(std::iter::repeat_n(number, triangles));
    }

    /// Forgets faces that are all triangles, in their order: they are there already.
    pub(crate) fn tidy(&mut self) {
        if self.ends.len() == self.of_triangle.len() && self.vertices.is_empty() {
            *self = Given { object: self.object.take(), ..Given::default() };
        }
    }

    /// Goes on from vertices of which several became one: `to` has for each the one that it is now.
    pub fn weld(&mut self, to: &[u32], triangles: &[[u32; 3]], uv_triangles: &[[u32; 3]]) {
        if self.ends.is_empty() {
            let count = triangles.len() as u32;
            self.corners = triangles.as_flattened().to_vec();
            self.uvs = uv_triangles.as_flattened().to_vec();
            self.ends = (1..=count).map(|face| 3 * face).collect();
            self.of_triangle = (0..count).collect();
        }
        match self.vertices.is_empty() {
            true => self.vertices = to.to_vec(),
            false => self.vertices.iter_mut().for_each(|v| *v = to[*v as usize]),
        }
    }

    /// Takes up groups and materials from the triangles that they are of.
    pub fn name_faces(&mut self, parts: &[Part]) {
        let of = |part: &Part| {
            let face = |t: &u32| match self.of_triangle.is_empty() {
                true => *t,
                false => self.of_triangle.get(*t as usize).copied().unwrap_or(0),
            };
            let mut faces: Vec<u32> = part.triangles.iter().map(face).collect();
            faces.dedup();
            FaceSet { name: part.name.clone(), faces }
        };
        let some = |kinds: &[PartKind]| parts.iter().filter(|part| kinds.contains(&part.kind)).map(of).collect();
        let (groups, materials) = (some(&[PartKind::Group]), some(&[PartKind::Material]));
        (self.groups, self.materials) = (groups, materials);
        // The object's own name is told elsewhere.
        self.groups.retain(|set| self.object.as_ref() != Some(&set.name));
    }
}

impl Given {
    /// A surface of a format in which a vertex has one texture coordinate: each coordinate is a vertex of the file.
    /// Nothing if there are none, or as many as vertices.
    pub(crate) fn of_split(mesh: &taut::mesh::TriMesh) -> Option<Self> {
        let mut vertices = vec![u32::MAX; mesh.uvs.len()];
        for (&uv, &vertex) in mesh.uv_triangles.as_flattened().iter().zip(mesh.triangles.as_flattened()) {
            let known = &mut vertices[uv as usize];
            if *known != u32::MAX && *known != vertex {
                return None;
            }
            *known = vertex;
        }
        if vertices.contains(&u32::MAX) || mesh.uvs.is_empty() || (0..).eq(vertices.iter().copied()) {
            return None;
        }
        let count = mesh.triangles.len() as u32;
        Some(Given {
            vertices,
            ends: (1..=count).map(|face| 3 * face).collect(),
            corners: mesh.uv_triangles.as_flattened().to_vec(),
            uvs: mesh.uv_triangles.as_flattened().to_vec(),
            of_triangle: (0..count).collect(),
            ..Given::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::mesh::TriMesh;

    fn part(kind: PartKind, name: &str, triangles: &[u32]) -> Part {
        Part { kind, name: name.into(), triangles: triangles.into() }
    }

    #[test]
    fn groups_of_triangles_become_groups_of_faces() {
        let mut given = Given { object: Some("Skirt".into()), ..Given::default() };
        given.push([0, 1, 2, 3], 2);
        given.push([3, 2, 4], 1);
        given.tidy();
        given.name_faces(&[
            part(PartKind::Group, "Skirt", &[0, 1, 2]),
            part(PartKind::Group, "hem", &[0, 1]),
            part(PartKind::Material, "red", &[2]),
            part(PartKind::Bone, "hip", &[2]),
        ]);
        assert_eq!(given.groups, [FaceSet { name: "hem".into(), faces: vec![0] }]);
        assert_eq!(given.materials, [FaceSet { name: "red".into(), faces: vec![1] }]);
        given.weld(&[0, 1, 2, 3, 0], &[], &[]);
        assert_eq!((&given.vertices[..], &given.corners[..]), (&[0, 1, 2, 3, 0][..], &[0, 1, 2, 3, 3, 2, 4][..]));
        given.weld(&[0, 0, 1, 2], &[], &[]);
        assert_eq!(given.vertices, [0, 0, 1, 2, 0], "a vertex that was welded twice");
    }

    #[test]
    fn faces_that_are_triangles_need_no_second_list() {
        let mut given = Given::with_room(6, 2, 2, false);
        given.push([0, 1, 2], 1);
        given.push([2, 1, 3], 1);
        given.tidy();
        assert_eq!(given, Given::default());
    }

    #[test]
    fn a_vertex_for_each_texture_coordinate_is_a_split_one() {
        let positions = vec![[0.0; 3]; 3];
        let seam = TriMesh {
            positions: positions.clone(),
            triangles: vec![[0, 1, 2], [2, 1, 0]],
            uvs: vec![[0.0; 2]; 5],
            uv_triangles: vec![[0, 1, 2], [3, 1, 4]],
            ..TriMesh::default()
        };
        let given = Given::of_split(&seam).unwrap();
        assert_eq!((given.vertices, given.corners), (vec![0, 1, 2, 2, 0], vec![0, 1, 2, 3, 1, 4]));
        let shared = TriMesh { uv_triangles: vec![[0, 1, 2], [0, 3, 4]], ..seam };
        assert_eq!(Given::of_split(&shared), None, "one coordinate of two vertices is no vertex");
    }
}
