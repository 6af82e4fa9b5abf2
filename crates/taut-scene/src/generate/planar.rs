//! What flat meshes share: the plane they lie in, and how quads are split.

use taut::mesh::{Group, TriMesh};

use glam::DVec3;

/// The plane of a flat mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plane {
    /// Lying: u along +x, v along −z, normal up (+y). The top of the pattern is the far side, at −z.
    #[default]
    Xz,
    /// Upright: u along +x, v up along +y, normal towards the viewer (+z).
    Xy,
}

impl Plane {
    /// The world position of pattern point (u, v), with the pattern's origin at `centre`.
    pub(super) fn place(self, centre: [f64; 3], [u, v]: [f64; 2]) -> [f64; 3] {
        let offset = match self {
            Plane::Xz => DVec3::new(u, 0.0, -v),
            Plane::Xy => DVec3::new(u, v, 0.0),
        };
        (DVec3::from(centre) + offset).into()
    }
}

/// A triangulated pattern, in metres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    pub points: Vec<[f64; 2]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Pattern {
    /// The pattern laid out in a plane, with pattern point `origin` at `centre`. The points become the texture
    /// coordinates.
    pub fn into_mesh(self, plane: Plane, origin: [f64; 2], centre: [f64; 3], groups: Vec<Group>) -> TriMesh {
        let place = |&[u, v]: &[f64; 2]| plane.place(centre, [u - origin[0], v - origin[1]]);
        TriMesh {
            positions: self.points.iter().map(place).collect(),
            uv_triangles: self.triangles.clone(),
            triangles: self.triangles,
            uvs: self.points,
            groups,
        }
    }

    /// The points that satisfy `pick`, as a group.
    pub fn group(&self, name: &str, pick: impl Fn([f64; 2]) -> bool) -> Group {
        let vertices = (0..).zip(&self.points).filter(|(_, point)| pick(**point)).map(|(index, _)| index).collect();
        Group { name: name.to_owned(), vertices }
    }
}

/// The two triangles of a quad given counter-clockwise, cut from its first corner to its third, or from its second to
/// its fourth.
pub(super) fn split_quad([a, b, c, d]: [u32; 4], second_to_fourth: bool) -> [[u32; 3]; 2] {
    if second_to_fourth { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] }
}
