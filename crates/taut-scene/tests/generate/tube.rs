use std::f64::consts::PI;

use taut::mesh::TriMesh;
use taut_scene::generate::{SkirtParams, SkirtPattern, TubeParams, skirt, tube};

use crate::check::{
    area, assert_isometric, assert_near, border_edges, corners, dot, euler, fault, length, normal, sub,
};

const CENTRE: [f64; 3] = [0.5, 1.0, -2.0];

fn flared(top_radius: f64, bottom_radius: f64, pattern: SkirtPattern) -> SkirtParams {
    SkirtParams { top_radius, bottom_radius, height: 0.6, around: 31, along: 9, centre: CENTRE, pattern }
}

/// The direction in space in which u or v grows, for one triangle.
fn thread(mesh: &TriMesh, triangle: usize, axis: usize) -> [f64; 3] {
    let [a, b, c] = corners(mesh, triangle);
    let [p, q, r] = mesh.uv_triangles[triangle].map(|corner| mesh.uvs[corner as usize]);
    // Solves for the direction d with (d along the pattern) = the axis, as a combination of two sides.
    let (s, t) = ([q[0] - p[0], q[1] - p[1]], [r[0] - p[0], r[1] - p[1]]);
    let determinant = s[0] * t[1] - s[1] * t[0];
    let (x, y) =
        if axis == 0 { (t[1] / determinant, -s[1] / determinant) } else { (-t[0] / determinant, s[0] / determinant) };
    let (ab, ac) = (sub(b, a), sub(c, a));
    [0, 1, 2].map(|i| x * ab[i] + y * ac[i])
}

fn middle(mesh: &TriMesh, triangle: usize) -> [f64; 3] {
    let [a, b, c] = corners(mesh, triangle);
    sub([0, 1, 2].map(|i| (a[i] + b[i] + c[i]) / 3.0), CENTRE)
}

#[test]
fn unrolls_without_stretch_whatever_the_flare() {
    for bottom in [0.05, 0.199, 0.2 - 1e-9, 0.2 - 1e-15, 0.2, 0.2 + 1e-12, 0.2 + 1e-7, 0.5, 3.0] {
        for pattern in [SkirtPattern::OnePiece, SkirtPattern::Gores] {
            let mesh = skirt(&flared(0.2, bottom, pattern)).unwrap();
            assert_isometric(&mesh, 1e-11);
            assert_eq!(euler(mesh.positions.len(), &mesh.triangles), 0);
            assert_eq!(border_edges(&mesh), 62);
        }
    }
}

#[test]
fn area_approaches_the_cone() {
    let fine = SkirtParams { around: 400, ..flared(0.2, 0.5, SkirtPattern::OnePiece) };
    let slant = 0.3_f64.hypot(0.6);
    assert_near(area(&skirt(&fine).unwrap()), PI * 0.7 * slant, 1e-4);
    let mesh = tube(&TubeParams { radius: 0.2, height: 0.6, around: 30, along: 5, centre: CENTRE }).unwrap();
    assert_near(area(&mesh), 30.0 * 2.0 * 0.2 * (PI / 30.0).sin() * 0.6, 1e-12);
}

#[test]
fn faces_outwards() {
    let mesh = skirt(&flared(0.2, 0.5, SkirtPattern::OnePiece)).unwrap();
    for triangle in 0..mesh.triangles.len() {
        let [x, _, z] = middle(&mesh, triangle);
        assert!(dot(normal(&mesh, triangle), [x, 0.0, z]) > 0.0);
    }
}

#[test]
fn one_piece_has_one_seam_at_the_back() {
    let mesh = skirt(&flared(0.2, 0.5, SkirtPattern::OnePiece)).unwrap();
    let mut places = vec![Vec::new(); mesh.positions.len()];
    for (triangle, pattern) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        for (&vertex, &corner) in triangle.iter().zip(pattern) {
            if !places[vertex as usize].contains(&corner) {
                places[vertex as usize].push(corner);
            }
        }
    }
    for (place, position) in places.iter().zip(&mesh.positions) {
        let [x, _, z] = sub(*position, CENTRE);
        let at_back = x.abs() < 1e-12 && z < 0.0;
        assert_eq!(place.len(), if at_back { 2 } else { 1 });
    }
    assert_eq!(places.iter().filter(|place| place.len() == 2).count(), 10);
}

#[test]
fn threads_run_around_and_down() {
    let straight = TubeParams { radius: 0.2, height: 0.6, around: 24, along: 5, centre: CENTRE };
    let gored = skirt(&flared(0.2, 0.5, SkirtPattern::Gores)).unwrap();
    for mesh in [tube(&straight).unwrap(), gored] {
        for triangle in 0..mesh.triangles.len() {
            let (weft, warp) = (thread(&mesh, triangle, 0), thread(&mesh, triangle, 1));
            assert_near(weft[1], 0.0, 1e-12);
            assert!(warp[1] < -0.8, "warp {warp:?}");
        }
    }
    // In one piece only the front is on the straight grain.
    let mesh = skirt(&flared(0.2, 0.5, SkirtPattern::OnePiece)).unwrap();
    for triangle in 0..mesh.triangles.len() {
        let [x, _, z] = middle(&mesh, triangle);
        if z > 0.0 && x.abs() < 0.02 {
            let weft = thread(&mesh, triangle, 0);
            assert!(weft[0] < -0.99, "weft {weft:?}");
            assert_near(length(weft), 1.0, 1e-9);
        }
    }
}

#[test]
fn waist_is_at_the_top_and_hem_at_the_bottom() {
    let mesh = skirt(&flared(0.2, 0.5, SkirtPattern::OnePiece)).unwrap();
    for (name, height, radius) in [("waist", 1.3, 0.2), ("hem", 0.7, 0.5)] {
        let group = mesh.group(name).unwrap();
        assert_eq!(group.len(), 31);
        for &vertex in group {
            let position = mesh.positions[vertex as usize];
            assert_near(position[1], height, 1e-12);
            assert_near((position[0] - 0.5).hypot(position[2] + 2.0), radius, 1e-12);
        }
    }
}

#[test]
fn bad_parameters_are_named() {
    let good = SkirtParams::default();
    let cases = [
        ("top_radius", SkirtParams { top_radius: 0.0, ..good.clone() }),
        ("bottom_radius", SkirtParams { bottom_radius: -1.0, ..good.clone() }),
        ("height", SkirtParams { height: f64::NAN, ..good.clone() }),
        ("around", SkirtParams { around: 2, ..good.clone() }),
        ("along", SkirtParams { along: 0, ..good.clone() }),
        ("around, along", SkirtParams { around: u32::MAX, along: u32::MAX, ..good.clone() }),
        ("centre", SkirtParams { centre: [f64::NAN; 3], ..good.clone() }),
    ];
    for (parameter, params) in cases {
        assert_eq!(fault(skirt(&params)), parameter);
    }
    let error = tube(&TubeParams { radius: f64::NAN, ..TubeParams::default() }).unwrap_err();
    assert_eq!(error.parameter, "radius");
}
