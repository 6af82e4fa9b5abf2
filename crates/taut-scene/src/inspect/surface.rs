//! Triangle meshes.

use taut::mesh::TriMesh;

use super::adjacency::{Sets, Side, sorted_sides};
use super::crossings::crossings;
use super::geometry::{angle_degrees, corners, describe, usable_cells};
use super::{CommonInfo, Findings, SurfaceInfo, uv};

/// A triangle whose height is less than this share of its longest side has no area to speak of.
pub(super) const FLAT: f64 = 1e-7;

pub(super) fn inspect(mesh: &TriMesh) -> SurfaceInfo {
    let mut common = CommonInfo::default();
    let triangles = usable_cells(&mesh.triangles, mesh.positions.len(), &mut common.bad_indices);
    // A triangle that uses a vertex twice connects nothing: it would only confuse edges and fans.
    let distinct = |(_, t): &&(usize, [u32; 3])| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    let sheet: Vec<_> = triangles.iter().filter(distinct).copied().collect();
    let sides = sorted_sides(&sheet);
    let edges: Vec<[u32; 2]> = sides.chunk_by(|a, b| a.edge == b.edge).map(|group| group[0].edge).collect();
    describe(&mut common, &mesh.positions, &edges, &triangles, &mesh.groups);
    let mut info = SurfaceInfo {
        common,
        triangles: mesh.triangles.len(),
        area: 0.0,
        volume: None,
        closed: false,
        boundary_loops: 0,
        boundary_edges: 0,
        non_manifold_edges: Findings::default(),
        non_manifold_vertices: Findings::default(),
        inconsistent_edges: Findings::default(),
        duplicate_triangles: duplicates(&triangles),
        degenerate_triangles: Findings::default(),
        intersections: crossings(&mesh.positions, &sheet),
        min_angle_degrees: None,
        uv: uv::inspect(mesh),
    };
    measure(&mut info, &mesh.positions, &triangles);
    look_at_edges(&mut info, &sides, &sheet);
    let is_solid = info.closed && info.inconsistent_edges.count == 0 && info.non_manifold_edges.count == 0;
    if is_solid {
        info.volume = Some(enclosed_volume(&mesh.positions, &triangles)).filter(|v| v.is_finite());
    }
    info
}

/// Cells with the same vertices as one with a lower number.
pub(super) fn duplicates<const N: usize>(cells: &[(usize, [u32; N])]) -> Findings<usize> {
    let mut sorted: Vec<([u32; N], usize)> = cells
        .iter()
        .map(|&(i, mut cell)| {
            cell.sort_unstable();
            (cell, i)
        })
        .collect();
    sorted.sort_unstable();
    let mut repeated: Vec<usize> = sorted.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1].1).collect();
    repeated.sort_unstable();
    let mut findings = Findings::default();
    repeated.into_iter().for_each(|i| findings.add(i));
    findings
}

/// Area, angles and degenerate triangles.
fn measure(info: &mut SurfaceInfo, positions: &[[f64; 3]], triangles: &[(usize, [u32; 3])]) {
    let mut min_angle = f64::INFINITY;
    for &(i, triangle) in triangles {
        let [a, b, c] = corners(positions, triangle);
        if ![a, b, c].iter().all(|p| p.is_finite()) {
            continue;
        }
        let sides = [b - a, c - b, a - c];
        let longest = sides.iter().map(|s| s.length()).fold(0.0, f64::max);
        let double_area = sides[0].cross(sides[1]).length();
        info.area += double_area / 2.0;
        // Written so that what is not a number counts as degenerate.
        let is_sound = double_area > FLAT * longest * longest;
        if !is_sound {
            info.degenerate_triangles.add(i);
            continue;
        }
        for k in 0..3 {
            min_angle = min_angle.min(angle_degrees(sides[k], -sides[(k + 2) % 3]));
        }
    }
    info.min_angle_degrees = Some(min_angle).filter(|angle| angle.is_finite());
}

/// Boundary, manifoldness and orientation.
fn look_at_edges(info: &mut SurfaceInfo, sides: &[Side], triangles: &[(usize, [u32; 3])]) {
    // Corners of triangles that share an edge belong to one fan; a vertex with several fans is a pinch.
    let mut fans = Sets::new(3 * triangles.len());
    for meeting in sides.chunk_by(|a, b| a.edge == b.edge) {
        for side in &meeting[1..] {
            fans.join(meeting[0].corner(0), side.corner(0));
            fans.join(meeting[0].corner(1), side.corner(1));
        }
        match meeting {
            [_] => info.boundary_edges += 1,
            [a, b] if a.is_forward() == b.is_forward() => info.inconsistent_edges.add(a.edge),
            [] | [_, _] => {}
            [a, ..] => info.non_manifold_edges.add(a.edge),
        }
    }
    info.closed = info.boundary_edges == 0 && !sides.is_empty();
    info.boundary_loops = boundary_loops(sides, &mut fans, 3 * triangles.len());
    let mut fan_of_vertex: Vec<(u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (i, (_, triangle)) in triangles.iter().enumerate() {
        for (k, &vertex) in triangle.iter().enumerate() {
            fan_of_vertex.push((vertex, fans.find((3 * i + k) as u32)));
        }
    }
    fan_of_vertex.sort_unstable();
    fan_of_vertex.dedup();
    for fans in fan_of_vertex.chunk_by(|a, b| a.0 == b.0).filter(|fans| fans.len() > 1) {
        info.non_manifold_vertices.add(fans[0].0);
    }
}

/// Boundary edges that follow each other through fans form a loop; at a pinch, loops stay apart.
fn boundary_loops(sides: &[Side], fans: &mut Sets, corners: usize) -> usize {
    let mut loops = Sets::new(corners);
    let mut on_boundary = Vec::new();
    for side in sides.chunk_by(|a, b| a.edge == b.edge).filter(|meeting| meeting.len() == 1).map(|meeting| meeting[0]) {
        let [a, b] = [0, 1].map(|end| fans.find(side.corner(end)));
        loops.join(a, b);
        on_boundary.push(a);
    }
    let mut roots: Vec<u32> = on_boundary.into_iter().map(|corner| loops.find(corner)).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.len()
}

fn enclosed_volume(positions: &[[f64; 3]], triangles: &[(usize, [u32; 3])]) -> f64 {
    let Some(&(_, first)) = triangles.first() else { return 0.0 };
    // Seen from a vertex rather than from the origin: a mesh far away keeps its digits.
    let [origin, ..] = corners(positions, first);
    let six_volumes = |&(_, t): &(usize, [u32; 3])| {
        let [a, b, c] = corners(positions, t).map(|p| p - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(six_volumes).sum::<f64>() / 6.0
}
