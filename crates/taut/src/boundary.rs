//! The surface of a tetrahedral mesh.

/// The faces of a tetrahedron with positive volume, counter-clockwise seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The faces that belong to one tetrahedron only, counter-clockwise seen from outside, in the order of their
/// tetrahedra. In a conforming mesh they are its surface.
pub fn boundary_triangles(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces = sorted_faces(tets);
    let alone = faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
    let mut places: Vec<usize> = alone.map(|same| same[0].1).collect();
    places.sort_unstable();
    places.into_iter().map(|place| face(tets, place)).collect()
}

fn face(tets: &[[u32; 4]], place: usize) -> [u32; 3] {
    FACES[place % 4].map(|corner| tets[place / 4][corner])
}

/// All faces, corners ascending, each with four times the number of its tetrahedron plus its own; the two sides of an
/// inner face one after the other.
pub(crate) fn sorted_faces(tets: &[[u32; 4]]) -> Vec<([u32; 3], usize)> {
    let sorted_face = |place: usize| {
        let mut key = face(tets, place);
        key.sort_unstable();
        (key, place)
    };
    // Sorting brings the two sides of an inner face together; unlike hashing, it does so in the same order every time.
    let mut faces: Vec<_> = (0..4 * tets.len()).map(sorted_face).collect();
    faces.sort_unstable();
    faces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_face_is_inside() {
        // Two tetrahedra on either side of triangle 1 2 3.
        let triangles = boundary_triangles(&[[0, 1, 2, 3], [4, 1, 3, 2]]);
        assert_eq!(triangles, [[0, 3, 2], [0, 1, 3], [0, 2, 1], [4, 2, 3], [4, 1, 2], [4, 3, 1]]);
    }

    #[test]
    fn faces_point_outward() {
        use crate::lanes::V3;
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(V3::from);
        for face in boundary_triangles(&[[0, 1, 2, 3]]) {
            let [a, b, c] = face.map(|i| corners[i as usize]);
            assert!((b - a).cross(c - a).dot(a - V3::new(0.25, 0.25, 0.25)) > 0.0, "{face:?} points inward");
        }
    }

    #[test]
    fn no_tetrahedra_no_surface() {
        assert!(boundary_triangles(&[]).is_empty());
    }
}
