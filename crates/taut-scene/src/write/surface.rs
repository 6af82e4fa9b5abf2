//! Normals of surfaces.

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
