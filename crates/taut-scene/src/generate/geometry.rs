//! Checks and measures of meshes that generators take in, and the parts that several of them build with.

use taut::mesh::{TetMesh, TriMesh};

use super::error::{GenerateError, check_point};
use super::vec3::volume6;
use glam::DVec3;

/// Fails unless every element names vertices that exist and every position is a point.
pub(super) fn check_mesh<const N: usize>(
    parameter: &'static str,
    positions: &[[f64; 3]],
    elements: &[[u32; N]],
) -> Result<(), GenerateError> {
    positions.iter().try_for_each(|&position| check_point(parameter, position))?;
    match elements.iter().flatten().find(|&&vertex| vertex as usize >= positions.len()) {
        Some(vertex) => {
            let expected = format!("vertices below {}", positions.len());
            Err(GenerateError::new(parameter, format!("an element with vertex {vertex}"), expected))
        }
        None => Ok(()),
    }
}

/// Fails unless every tetrahedron has positive volume.
pub(super) fn check_positive(
    parameter: &'static str,
    positions: &[[f64; 3]],
    tets: &[[u32; 4]],
    advice: &str,
) -> Result<(), GenerateError> {
    let inverted = tets.iter().position(|tet| {
        let volume = volume6(positions, *tet);
        // Written so that NaN counts as inverted.
        !matches!(volume.partial_cmp(&0.0), Some(core::cmp::Ordering::Greater))
    });
    match inverted {
        Some(tet) => Err(GenerateError::new(parameter, format!("tetrahedron {tet} flat or inverted"), advice)),
        None => Ok(()),
    }
}

/// Fails unless the surface is closed and its triangles are oriented alike: each edge once in either direction.
pub(super) fn check_closed(parameter: &'static str, mesh: &TriMesh) -> Result<(), GenerateError> {
    let mut edges: Vec<(u32, u32)> = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
    edges.sort_unstable();
    let expected = "a closed surface, each edge in two triangles of the same orientation";
    if edges.is_empty() {
        return Err(GenerateError::new(parameter, "no triangles", expected));
    }
    for (place, &(from, to)) in edges.iter().enumerate() {
        let twice = place > 0 && edges[place - 1] == (from, to);
        if from == to || twice || edges.binary_search(&(to, from)).is_err() {
            return Err(GenerateError::new(parameter, format!("edge {from}–{to} with one side or several"), expected));
        }
    }
    Ok(())
}

/// A triangle's unit normal, if it has an area.
pub(super) fn triangle_normal(positions: &[[f64; 3]], triangle: [u32; 3]) -> Option<DVec3> {
    let [a, b, c] = triangle.map(|vertex| DVec3::from(positions[vertex as usize]));
    (b - a).cross(c - a).try_normalize()
}

/// Unit normals at the vertices, weighted by the triangles' angles there, so that they do not depend on how flat parts
/// are cut into triangles. Zero where there is none.
pub(super) fn vertex_normals(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for &triangle in triangles {
        let Some(normal) = triangle_normal(positions, triangle) else { continue };
        for corner in 0..3 {
            let [at, next, last] = [0, 1, 2].map(|side| triangle[(corner + side) % 3] as usize);
            let side = |to: usize| DVec3::from(positions[to]) - DVec3::from(positions[at]);
            normals[at] += normal * angle_between(side(next), side(last));
        }
    }
    normals.into_iter().map(DVec3::normalize_or_zero).collect()
}

fn angle_between(a: DVec3, b: DVec3) -> f64 {
    libm::atan2(a.cross(b).length(), a.dot(b))
}

/// The mean of a tetrahedron's corners.
pub(super) fn centroid(mesh: &TetMesh, tet: [u32; 4]) -> DVec3 {
    let [a, b, c, d] = tet.map(|vertex| DVec3::from(mesh.positions[vertex as usize]));
    ((a + b) + (c + d)) * 0.25
}

/// The tetrahedron, with two corners swapped if its volume is negative.
pub(super) fn oriented(positions: &[[f64; 3]], tet: [u32; 4]) -> [u32; 4] {
    if volume6(positions, tet) < 0.0 { [tet[0], tet[1], tet[3], tet[2]] } else { tet }
}

/// The three tetrahedra of a prism whose triangle `bottom` is counter-clockwise seen from the triangle `top` above.
///
/// Each of the three quads is cut from its lowest-numbered vertex. As that depends on the quad alone, the prism on the
/// other side cuts it alike, and any arrangement of prisms is conforming.
pub(super) fn split_prism(bottom: [u32; 3], top: [u32; 3]) -> [[u32; 4]; 3] {
    // Turns the prism so that its lowest vertex comes first at the bottom. Seen upside down, the order reverses.
    let lowest = |triangle: [u32; 3]| triangle[0].min(triangle[1]).min(triangle[2]);
    let flip = |[a, b, c]: [u32; 3]| [a, c, b];
    let (bottom, top) = if lowest(bottom) < lowest(top) { (bottom, top) } else { (flip(top), flip(bottom)) };
    let first = (0..3).min_by_key(|&corner| bottom[corner]).unwrap_or(0);
    let turn = |triangle: [u32; 3]| [0, 1, 2].map(|corner| triangle[(first + corner) % 3]);
    let ([a, b, c], [d, e, f]) = (turn(bottom), turn(top));
    // All faces without the lowest vertex a, cut into triangles and joined to it.
    let [one, two] = if b.min(f) < c.min(e) { [[b, c, f], [b, f, e]] } else { [[b, c, e], [c, f, e]] };
    [[a, d, e, f], [a, one[0], one[1], one[2]], [a, two[0], two[1], two[2]]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of the numbers 0 to 5.
    fn permutations(count: u32) -> Vec<Vec<u32>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let longer = permutations(count - 1).into_iter().flat_map(|shorter| {
            (0..=shorter.len()).map(move |place| {
                let mut longer = shorter.clone();
                longer.insert(place, count - 1);
                longer
            })
        });
        longer.collect()
    }

    #[test]
    fn prisms_are_cut_from_the_lowest_vertex_of_every_side_whatever_their_numbers() {
        let prism =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
        for numbers in permutations(6) {
            let mut positions = [[0.0; 3]; 6];
            (0..6).for_each(|corner| positions[numbers[corner] as usize] = prism[corner]);
            let at = |corner: usize| numbers[corner];
            let tets = split_prism([at(0), at(1), at(2)], [at(3), at(4), at(5)]);
            for tet in tets {
                // Three of a sixth each fill the prism of a half.
                assert!((volume6(&positions, tet) - 1.0).abs() < 1e-12, "{numbers:?}: {tets:?}");
            }
            for (a, b, c, d) in [(0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)] {
                let (one, two) = ([at(a), at(c)], [at(b), at(d)]);
                let cut = if one.iter().min() < two.iter().min() { one } else { two };
                let has_edge = tets.iter().any(|tet| cut.iter().all(|vertex| tet.contains(vertex)));
                assert!(has_edge, "{numbers:?}: no edge {cut:?} in {tets:?}");
            }
        }
    }
}
