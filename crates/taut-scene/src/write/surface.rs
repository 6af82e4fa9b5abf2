//! Surfaces: the boundary of tetrahedra, and normals.

/// The outward faces of a tetrahedron of positive volume, each opposite the corner that it leaves out.
///
/// ```text
///        3
///       /|\
///      / | \      positive: (x1−x0)·((x2−x0)×(x3−x0)) > 0
///     0--|--2
///      \ | /
///        1
/// ```
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The triangles that belong to exactly one tetrahedron, outward, in the order of the tetrahedra.
pub fn boundary_triangles(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces: Vec<[u32; 3]> = tets.iter().flat_map(|tet| FACES.map(|face| face.map(|i| tet[i]))).collect();
    let key = |face: [u32; 3]| {
        let mut key = face;
        key.sort_unstable();
        key
    };
    // Sorted by key, copies of one face are neighbours; the place keeps the order of the result.
    let mut sorted: Vec<([u32; 3], usize)> = faces.iter().enumerate().map(|(at, &face)| (key(face), at)).collect();
    sorted.sort_unstable();
    let mut kept: Vec<usize> =
        sorted.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect();
    kept.sort_unstable();
    kept.into_iter().map(|at| faces[at]).collect()
}

/// Area-weighted unit normals per vertex; (0, 1, 0) where no triangle with an area meets the vertex.
pub fn vertex_normals(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut normals = vec![[0.0; 3]; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| positions[i as usize]);
        let normal = cross(sub(b, a), sub(c, a));
        for &corner in triangle {
            let sum = &mut normals[corner as usize];
            *sum = [sum[0] + normal[0], sum[1] + normal[1], sum[2] + normal[2]];
        }
    }
    for normal in &mut normals {
        // Scaled first: the squares of very small or large numbers would leave the range of a double.
        let scale = normal[0].abs().max(normal[1].abs()).max(normal[2].abs());
        let scaled = normal.map(|v| v / scale);
        let length = (scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2]).sqrt();
        let unit = scaled.map(|v| v / length);
        *normal = if unit.iter().all(|v| v.is_finite()) { unit } else { [0.0, 1.0, 0.0] };
    }
    normals
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 5] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 1., 1.]];

    #[test]
    fn one_tetrahedron_has_four_outward_faces() {
        let faces = boundary_triangles(&[[0, 1, 2, 3]]);
        assert_eq!(faces.len(), 4);
        for face in faces {
            let [a, b, c] = face.map(|i| CORNERS[i as usize]);
            let normal = cross(sub(b, a), sub(c, a));
            let out = sub(a, [0.25; 3]);
            assert!(normal[0] * out[0] + normal[1] * out[1] + normal[2] * out[2] > 0.0, "{face:?} points inward");
        }
    }

    #[test]
    fn a_shared_face_is_not_on_the_boundary() {
        let faces = boundary_triangles(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(faces.len(), 6);
        let mut sorted = faces.iter().map(|f| [f[0].min(f[1]).min(f[2]), f[0].max(f[1]).max(f[2])]);
        assert!(!sorted.any(|ends| ends == [1, 3]), "{faces:?}");
    }

    #[test]
    fn normals_are_unit_even_for_tiny_huge_and_flat_triangles() {
        for scale in [1.0, 1e-30, 1e30] {
            let positions: Vec<[f64; 3]> = CORNERS.iter().map(|p| p.map(|v| v * scale)).collect();
            let normals = vertex_normals(&positions, &[[0, 1, 2]]);
            assert_eq!(normals[0], [0.0, 0.0, 1.0]);
            assert_eq!(normals[4], [0.0, 1.0, 0.0], "a vertex without triangles");
        }
        assert_eq!(vertex_normals(&CORNERS, &[[0, 1, 1]])[1], [0.0, 1.0, 0.0]);
    }
}
