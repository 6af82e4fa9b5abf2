use std::f64::consts::PI;

use taut::mesh::TriMesh;
use taut_scene::generate::{BoxParams, CapsuleParams, SphereDetail, SphereParams, box_surface, capsule, sphere};

use crate::check::{
    area, assert_near, border_edges, corners, dot, enclosed_volume, euler, fault, least_angle, length, normal, sub,
};

const CENTRE: [f64; 3] = [0.3, -1.0, 2.0];

#[track_caller]
fn assert_closed(mesh: &TriMesh) {
    assert_eq!(border_edges(mesh), 0);
    assert_eq!(euler(mesh.positions.len(), &mesh.triangles), 2);
    // All three shapes are convex, so every triangle must face away from the middle.
    for triangle in 0..mesh.triangles.len() {
        assert!(dot(normal(mesh, triangle), sub(corners(mesh, triangle)[0], CENTRE)) > 0.0, "triangle {triangle}");
    }
}

fn ball(divisions: u32) -> TriMesh {
    sphere(&SphereParams { radius: 0.7, detail: SphereDetail::Divisions(divisions), centre: CENTRE }).unwrap()
}

#[test]
fn spheres_are_closed_round_and_even() {
    for divisions in [1, 2, 3, 7, 20] {
        let mesh = ball(divisions);
        assert_eq!(mesh.triangles.len() as u32, 20 * divisions * divisions);
        assert_closed(&mesh);
        assert!(mesh.positions.iter().all(|&p| (length(sub(p, CENTRE)) - 0.7).abs() < 1e-14));
        assert!(least_angle(&mesh) > 48.0, "{}°", least_angle(&mesh));
    }
}

#[test]
fn spheres_converge_at_second_order() {
    let error = |divisions| 4.0 / 3.0 * PI * 0.343 - enclosed_volume(&ball(divisions));
    let (coarse, fine) = (error(8), error(16));
    assert!(fine > 0.0 && fine < 0.01);
    assert!((3.7..4.3).contains(&(coarse / fine)), "errors {coarse} and {fine}");
}

#[test]
fn spheres_can_be_asked_for_by_edge_length() {
    let detail = SphereDetail::EdgeLength(0.05);
    let mesh = sphere(&SphereParams { radius: 0.7, detail, centre: CENTRE }).unwrap();
    let edges = (0..mesh.triangles.len()).map(|triangle| {
        let [a, b, _] = corners(&mesh, triangle);
        length(sub(b, a))
    });
    let mean = edges.sum::<f64>() / mesh.triangles.len() as f64;
    assert!((0.04..0.06).contains(&mean), "mean edge {mean}");
}

#[test]
fn boxes_are_closed_and_exact() {
    for divisions in [[1, 1, 1], [2, 3, 5], [7, 1, 2]] {
        let mesh = box_surface(&BoxParams { size: [1.0, 2.0, 0.5], divisions, centre: CENTRE }).unwrap();
        assert_closed(&mesh);
        assert_near(area(&mesh), 2.0 * (2.0 + 1.0 + 0.5), 1e-12);
        assert_near(enclosed_volume(&mesh), 1.0, 1e-12);
        let [x, y, z] = divisions;
        assert_eq!(mesh.triangles.len() as u32, 4 * (x * y + y * z + z * x));
    }
}

#[test]
fn capsules_are_closed_and_round() {
    for (length_straight, rings) in [(0.0, 1), (0.0, 5), (0.4, 1), (0.4, 4), (1e-5, 3)] {
        let params = CapsuleParams { radius: 0.2, length: length_straight, rings, centre: CENTRE };
        let mesh = capsule(&params).unwrap();
        assert_closed(&mesh);
        for &position in &mesh.positions {
            let [x, y, z] = sub(position, CENTRE);
            let beyond = (y.abs() - length_straight / 2.0).max(0.0);
            assert_near(length([x, beyond, z]), 0.2, 1e-12);
        }
    }
    let fine = capsule(&CapsuleParams { radius: 0.2, length: 0.4, rings: 40, centre: CENTRE }).unwrap();
    assert_near(enclosed_volume(&fine), PI * 0.04 * 0.4 + 4.0 / 3.0 * PI * 0.008, 1e-4);
    assert!(least_angle(&fine) > 25.0, "{}°", least_angle(&fine));
}

#[test]
fn bad_parameters_are_named() {
    let of_sphere = |radius, detail| fault(sphere(&SphereParams { radius, detail, centre: CENTRE }));
    assert_eq!(of_sphere(0.0, SphereDetail::Divisions(1)), "radius");
    assert_eq!(of_sphere(1.0, SphereDetail::Divisions(0)), "detail");
    assert_eq!(of_sphere(1.0, SphereDetail::Divisions(u32::MAX)), "detail");
    assert_eq!(of_sphere(1.0, SphereDetail::EdgeLength(f64::NAN)), "detail");
    assert_eq!(of_sphere(1e6, SphereDetail::EdgeLength(1e-6)), "detail");
    let of_box = |size, divisions| fault(box_surface(&BoxParams { size, divisions, centre: CENTRE }));
    assert_eq!(of_box([1.0, -1.0, 1.0], [1; 3]), "size");
    assert_eq!(of_box([1.0; 3], [1, 0, 1]), "divisions");
    assert_eq!(of_box([1.0; 3], [1, u32::MAX, u32::MAX]), "divisions");
    let of_capsule = |radius, length, rings| fault(capsule(&CapsuleParams { radius, length, rings, centre: CENTRE }));
    assert_eq!(of_capsule(f64::NAN, 1.0, 1), "radius");
    assert_eq!(of_capsule(1.0, -1.0, 1), "length");
    assert_eq!(of_capsule(1.0, 1.0, 0), "rings");
    assert_eq!(of_capsule(1.0, 1.0, u32::MAX), "rings");
    assert_eq!(of_capsule(1e-6, 1e6, 10), "length, rings");
}
