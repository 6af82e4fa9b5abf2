//! Properties of meshes, measured straight from their definitions.

use std::collections::HashMap;

use taut::mesh::{TetMesh, TriMesh};
use taut_scene::generate::GenerateError;

pub type Vec3 = [f64; 3];

pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// The parameter that an error names. Unlike `unwrap_err` it does not print the mesh made instead, however large.
#[track_caller]
pub fn fault<T>(result: Result<T, GenerateError>) -> &'static str {
    result.err().expect("an error").parameter
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} ± {tolerance}");
}

pub fn corners(mesh: &TriMesh, triangle: usize) -> [Vec3; 3] {
    mesh.triangles[triangle].map(|vertex| mesh.positions[vertex as usize])
}

/// The triangle's normal, as long as twice its area.
pub fn normal(mesh: &TriMesh, triangle: usize) -> Vec3 {
    let [a, b, c] = corners(mesh, triangle);
    cross(sub(b, a), sub(c, a))
}

pub fn area(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles.len()).map(|triangle| length(normal(mesh, triangle)) / 2.0).sum()
}

/// The volume enclosed by a closed surface; negative if it is turned inside out.
pub fn enclosed_volume(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles.len())
        .map(|triangle| {
            let [a, b, c] = corners(mesh, triangle);
            dot(a, cross(b, c)) / 6.0
        })
        .sum()
}

/// The smallest angle of all triangles, degrees.
pub fn least_angle(mesh: &TriMesh) -> f64 {
    let angle = |a, b| (dot(a, b) / (length(a) * length(b))).acos().to_degrees();
    (0..mesh.triangles.len())
        .map(|triangle| {
            let [a, b, c] = corners(mesh, triangle);
            angle(sub(b, a), sub(c, a)).min(angle(sub(c, b), sub(a, b))).min(angle(sub(a, c), sub(b, c)))
        })
        .fold(180.0, f64::min)
}

/// How often each edge is used in either direction: (along, against) the order of its vertices.
fn edge_uses(triangles: &[[u32; 3]]) -> HashMap<(u32, u32), (u32, u32)> {
    let mut uses = HashMap::new();
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let entry: &mut (u32, u32) = uses.entry((from.min(to), from.max(to))).or_default();
            if from < to { entry.0 += 1 } else { entry.1 += 1 }
        }
    }
    uses
}

/// The number of border edges of a manifold surface whose triangles are oriented alike; fails on any other surface,
/// on unused vertices and on vertices where the surface touches itself.
#[track_caller]
pub fn border_edges(mesh: &TriMesh) -> usize {
    let uses = edge_uses(&mesh.triangles);
    for (edge, &(along, against)) in &uses {
        assert!(along <= 1 && against <= 1, "edge {edge:?} is used {along} times along and {against} against");
    }
    assert_eq!(vertex_fans(mesh), mesh.positions.len(), "one fan of triangles around each vertex");
    uses.values().filter(|(along, against)| along + against == 1).count()
}

/// Counts the connected fans of triangles around vertices, by joining the triangles' corners across edges.
fn vertex_fans(mesh: &TriMesh) -> usize {
    let mut parent: Vec<usize> = (0..3 * mesh.triangles.len()).collect();
    fn root(parent: &mut [usize], mut corner: usize) -> usize {
        while parent[corner] != corner {
            parent[corner] = parent[parent[corner]];
            corner = parent[corner];
        }
        corner
    }
    let mut first: HashMap<(u32, u32, u32), usize> = HashMap::new();
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        for side in 0..3 {
            let (from, to) = (side, (side + 1) % 3);
            let (a, b) = (triangle[from], triangle[to]);
            for (corner, vertex) in [(from, a), (to, b)] {
                let corner = 3 * index + corner;
                let other = *first.entry((a.min(b), a.max(b), vertex)).or_insert(corner);
                let (one, two) = (root(&mut parent, corner), root(&mut parent, other));
                parent[one] = two;
            }
        }
    }
    (0..parent.len()).filter(|&corner| parent[corner] == corner).count()
}

pub fn euler(vertices: usize, triangles: &[[u32; 3]]) -> i64 {
    vertices as i64 - edge_uses(triangles).len() as i64 + triangles.len() as i64
}

/// Fails unless every triangle is, on the pattern, congruent to itself in space and turned the same way.
#[track_caller]
pub fn assert_isometric(mesh: &TriMesh, tolerance: f64) {
    assert_eq!(mesh.uv_triangles.len(), mesh.triangles.len());
    for triangle in 0..mesh.triangles.len() {
        let world = corners(mesh, triangle);
        let flat = mesh.uv_triangles[triangle].map(|corner| mesh.uvs[corner as usize]);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let on_pattern = (flat[i][0] - flat[j][0]).hypot(flat[i][1] - flat[j][1]);
            assert_near(on_pattern, length(sub(world[i], world[j])), tolerance);
        }
        assert!(pattern_area(flat) > 0.0, "triangle {triangle} is mirrored on the pattern");
    }
}

pub fn pattern_area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
}

pub fn tet_volume(mesh: &TetMesh, tet: usize) -> f64 {
    let [a, b, c, d] = mesh.tets[tet].map(|vertex| mesh.positions[vertex as usize]);
    dot(sub(b, a), cross(sub(c, a), sub(d, a))) / 6.0
}

pub fn centroid(mesh: &TetMesh, tet: usize) -> Vec3 {
    let corners = mesh.tets[tet].map(|vertex| mesh.positions[vertex as usize]);
    [0, 1, 2].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f64>() / 4.0)
}

pub fn volume(mesh: &TetMesh) -> f64 {
    (0..mesh.tets.len()).map(|tet| tet_volume(mesh, tet)).sum()
}

/// Fails unless all tetrahedra are positive, faces are shared by two at most, and every vertex is used. Returns the
/// faces used once, as triangles in the order in which they were found, oriented outwards.
#[track_caller]
pub fn assert_conforming(mesh: &TetMesh) -> Vec<[u32; 3]> {
    let mut uses: HashMap<[u32; 3], Vec<[u32; 3]>> = HashMap::new();
    for (index, &[a, b, c, d]) in mesh.tets.iter().enumerate() {
        assert!(tet_volume(mesh, index) > 0.0, "tetrahedron {index} has volume {}", tet_volume(mesh, index));
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            let mut key = face;
            key.sort_unstable();
            uses.entry(key).or_default().push(face);
        }
    }
    assert!(uses.values().all(|faces| faces.len() <= 2));
    let mut used = vec![false; mesh.positions.len()];
    mesh.tets.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    assert!(used.iter().all(|&used| used), "unused vertices");
    uses.into_values().filter(|faces| faces.len() == 1).map(|faces| faces[0]).collect()
}

/// Fails unless there is a right-handed orthonormal frame for each tetrahedron.
#[track_caller]
pub fn assert_frames(mesh: &TetMesh) {
    assert_eq!(mesh.frames.len(), mesh.tets.len());
    for &[x, y, z] in &mesh.frames {
        for (a, b, expected) in [(x, x, 1.0), (y, y, 1.0), (z, z, 1.0), (x, y, 0.0), (y, z, 0.0), (z, x, 0.0)] {
            assert_near(dot(a, b), expected, 1e-12);
        }
        assert_near(dot(cross(x, y), z), 1.0, 1e-12);
    }
}
