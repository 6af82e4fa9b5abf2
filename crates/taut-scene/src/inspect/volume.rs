//! Tetrahedral meshes.

use taut::mesh::TetMesh;

use super::crossings::crossings;
use super::geometry::{angle_degrees, corners, describe, usable_cells};
use super::surface::{FLAT, duplicates};
use super::{CommonInfo, Findings, VolumeInfo};

/// The faces of a tetrahedron, seen from outside counter-clockwise.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// The edges of a tetrahedron, and the two other corners.
const EDGES: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

pub(super) fn inspect(mesh: &TetMesh) -> VolumeInfo {
    let mut common = CommonInfo::default();
    let tets = usable_cells(&mesh.tets, mesh.positions.len(), &mut common.bad_indices);
    let mut edges: Vec<[u32; 2]> =
        tets.iter().flat_map(|(_, tet)| EDGES.map(|e| ordered(tet[e[0]], tet[e[1]]))).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.retain(|edge| edge[0] != edge[1]);
    describe(&mut common, &mesh.positions, &edges, &tets, &mesh.groups);
    let mut info = VolumeInfo {
        common,
        tets: mesh.tets.len(),
        boundary_triangles: 0,
        volume: 0.0,
        area: 0.0,
        inverted: Findings::default(),
        degenerate_tets: Findings::default(),
        duplicate_tets: duplicates(&tets),
        non_manifold_faces: Findings::default(),
        intersections: Findings::default(),
        min_dihedral_degrees: None,
    };
    measure(&mut info, &mesh.positions, &tets);
    look_at_faces(&mut info, &mesh.positions, &tets);
    info
}

fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Volumes, angles, inverted and degenerate tetrahedra.
fn measure(info: &mut VolumeInfo, positions: &[[f64; 3]], tets: &[(usize, [u32; 4])]) {
    let mut min_angle = f64::INFINITY;
    for &(i, tet) in tets {
        let corners = corners(positions, tet);
        if !corners.iter().all(|p| p.is_finite()) {
            continue;
        }
        let [u, v, w] = [1, 2, 3].map(|k| corners[k] - corners[0]);
        let six_volumes = u.dot(v.cross(w));
        info.volume += six_volumes / 6.0;
        let longest = EDGES.map(|e| corners[e[1]].distance(corners[e[0]])).into_iter().fold(0.0, f64::max);
        // Written so that what is not a number counts as degenerate.
        let is_sound = six_volumes.abs() > FLAT * longest * longest * longest;
        if !is_sound {
            info.degenerate_tets.add(i);
            continue;
        }
        if six_volumes < 0.0 {
            info.inverted.add(i);
        }
        for [a, b, c, d] in EDGES {
            let edge = corners[b] - corners[a];
            let [c, d] = [c, d].map(|k| edge.cross(corners[k] - corners[a]));
            min_angle = min_angle.min(angle_degrees(c, d));
        }
    }
    info.min_dihedral_degrees = Some(min_angle).filter(|angle| angle.is_finite());
}

/// The outside, and faces with too many neighbours.
fn look_at_faces(info: &mut VolumeInfo, positions: &[[f64; 3]], tets: &[(usize, [u32; 4])]) {
    let sorted = |face: [u32; 3]| {
        let mut face = face;
        face.sort_unstable();
        face
    };
    let mut faces: Vec<[u32; 3]> = tets.iter().flat_map(|(_, tet)| FACES.map(|f| sorted(f.map(|k| tet[k])))).collect();
    faces.sort_unstable();
    let mut outside = Vec::new();
    for meeting in faces.chunk_by(|a, b| a == b) {
        match meeting.len() {
            1 => {
                outside.push((outside.len(), meeting[0]));
                info.boundary_triangles += 1;
                let [a, b, c] = corners(positions, meeting[0]);
                let area = (b - a).cross(c - a).length() / 2.0;
                info.area += if area.is_finite() { area } else { 0.0 };
            }
            2 => {}
            _ => info.non_manifold_faces.add(meeting[0]),
        }
    }
    info.intersections = crossings(positions, &outside);
}
