//! Normals of surfaces.

use glam::DVec3;

/// Area-weighted unit normals per vertex; (0, 1, 0) where no triangle with an area meets the vertex.
pub fn vertex_normals(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| DVec3::from(positions[i as usize]));
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|&corner| normals[corner as usize] += normal);
    }
    let unit = |normal: DVec3| {
        // Scaled first: the squares of very small or large numbers would leave the range of a double.
        let scaled = normal / normal.abs().max_element();
        let unit = scaled / scaled.length();
        if unit.is_finite() { unit } else { DVec3::Y }.to_array()
    };
    normals.into_iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 5] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 1., 1.]];

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
