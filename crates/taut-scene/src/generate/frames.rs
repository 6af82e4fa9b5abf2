//! Material frames: the three directions along which each tetrahedron's stretch and shear are measured.
//!
//! All frames made here are right-handed and orthonormal.

use taut::mesh::TetMesh;
use taut::mesh::boundary_triangles;

use super::error::{GenerateError, check_point};
use super::geometry::{centroid, check_mesh, vertex_normals};
use super::nearest::Nearest;
use super::vec3::{frame, perpendicular};
use glam::DVec3;

/// Gives every tetrahedron the same frame: axis 0 along `direction` (any length), the others perpendicular, axis 1 as
/// near to straight up (+y) as can be.
pub fn frames_along(mesh: &mut TetMesh, direction: [f64; 3]) -> Result<(), GenerateError> {
    let axes = frame(check_direction("direction", direction)?, DVec3::Y);
    mesh.frames = vec![axes.map(|axis| axis.to_array()); mesh.tets.len()];
    Ok(())
}

/// Aligns the frames to rings around the line through `point` (m) along `axis` (any length): axis 0 along the ring's
/// tangent, axis 1 radial, away from the line, axis 2 along `axis`.
pub fn frames_around(mesh: &mut TetMesh, point: [f64; 3], axis: [f64; 3]) -> Result<(), GenerateError> {
    check_point("point", point)?;
    let axis = check_direction("axis", axis)?;
    check_mesh("mesh", &mesh.positions, &mesh.tets)?;
    let aligned = |&tet: &[u32; 4]| {
        let offset = centroid(mesh, tet) - DVec3::from(point);
        // On the line itself any direction is as radial as any other.
        let radial = (offset - axis * offset.dot(axis)).try_normalize().unwrap_or_else(|| perpendicular(axis));
        // Rounding leaves a short offset slightly aslant, which would show in the frame.
        let [axis, radial, tangent] = frame(axis, radial);
        [-tangent, radial, axis].map(|axis| axis.to_array())
    };
    mesh.frames = mesh.tets.iter().map(aligned).collect();
    Ok(())
}

/// Aligns the frames to the mesh's own surface: axis 2 along the normal at the surface point nearest to the
/// tetrahedron's middle, outwards; axis 1 tangent and as near `up` (any length) as can be; axis 0 tangent across.
pub fn frames_from_surface(mesh: &mut TetMesh, up: [f64; 3]) -> Result<(), GenerateError> {
    let up = check_direction("up", up)?;
    check_mesh("mesh", &mesh.positions, &mesh.tets)?;
    let triangles = boundary_triangles(&mesh.tets);
    // Blended from the vertices, so that frames turn smoothly where the triangles do not.
    let normals = vertex_normals(&mesh.positions, &triangles);
    let nearest = Nearest::new(&mesh.positions, &triangles);
    // Neighbours in the list are mostly neighbours in space, with the same triangle nearest.
    let mut last = None;
    let aligned = |&tet: &[u32; 4]| {
        let hit = nearest.find(centroid(mesh, tet), last);
        last = hit.map(|hit| hit.triangle);
        let normal = hit.and_then(|hit| {
            let corners = triangles[hit.triangle].map(|vertex| normals[vertex as usize]);
            let [a, b, c] = [0, 1, 2].map(|corner| corners[corner] * hit.weights[corner]);
            (a + b + c).try_normalize()
        });
        surface_frame(normal.unwrap_or(DVec3::Z), up)
    };
    mesh.frames = mesh.tets.iter().map(aligned).collect();
    Ok(())
}

/// Axis 2 along the unit normal, axis 1 tangent and as near `up` as can be, axis 0 tangent across.
pub(super) fn surface_frame(normal: DVec3, up: DVec3) -> [[f64; 3]; 3] {
    let [normal, upwards, _] = frame(normal, up);
    [upwards.cross(normal), upwards, normal].map(|axis| axis.to_array())
}

/// The unit vector along a parameter, which must have a direction.
pub(super) fn check_direction(parameter: &'static str, direction: [f64; 3]) -> Result<DVec3, GenerateError> {
    let expected = "a direction: three finite numbers, not all zero";
    // Divided first, for the square of a long or short vector may leave the range of numbers.
    let along = DVec3::from(direction);
    (along / along.abs().max_element())
        .try_normalize()
        .ok_or_else(|| GenerateError::new(parameter, format!("{direction:?}"), expected))
}
