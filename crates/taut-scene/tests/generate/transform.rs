use taut::mesh::TriMesh;
use taut_scene::generate::{
    BeamParams, BoxParams, Rotation, SheetParams, TorusParams, Transform, beam, box_surface, sheet, torus,
};

use crate::check::{
    assert_conforming, assert_frames, assert_near, border_edges, dot, enclosed_volume, fault, length, pattern_area,
    sub, volume,
};

fn moved(transform: Transform, point: [f64; 3]) -> [f64; 3] {
    let mesh = TriMesh { positions: vec![point], ..Default::default() };
    transform.tri_mesh(mesh).unwrap().positions[0]
}

#[test]
fn nothing_changes_by_default() {
    let mesh = sheet(&SheetParams::default()).unwrap();
    assert_eq!(Transform::default().tri_mesh(mesh.clone()).unwrap(), mesh);
    let ring = torus(&TorusParams::default()).unwrap();
    let same = Transform::default().tet_mesh(ring.clone()).unwrap();
    assert_eq!((&same.positions, &same.tets, &same.groups), (&ring.positions, &ring.tets, &ring.groups));
}

#[test]
fn scales_then_rotates_then_translates() {
    let rotate = Rotation::AxisAngle { axis: [0.0, 0.0, 7.0], degrees: 90.0 };
    let transform = Transform { scale: [2.0, 3.0, 1.0], rotate, translate: [10.0, 0.0, 0.0] };
    assert_eq!(moved(transform, [1.0, 0.0, 0.0]), [10.0, 2.0, 0.0]);
    assert_eq!(moved(transform, [0.0, 1.0, 0.0]), [7.0, 0.0, 0.0]);
}

#[test]
fn euler_angles_turn_around_x_then_y_then_z() {
    let around = |degrees| Transform { rotate: Rotation::Euler { degrees }, ..Default::default() };
    assert_eq!(moved(around([90.0, 0.0, 0.0]), [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    assert_eq!(moved(around([90.0, 90.0, 0.0]), [0.0, 1.0, 0.0]), [1.0, 0.0, 0.0]);
    assert_eq!(moved(around([90.0, 90.0, -270.0]), [0.0, 1.0, 0.0]), [0.0, 1.0, 0.0]);
    // Any other angle: the same as three turns one after the other.
    let steps = [[33.0, 0.0, 0.0], [0.0, -71.0, 0.0], [0.0, 0.0, 250.0]];
    let one_by_one = steps.into_iter().fold([1.0, 2.0, 3.0], |point, degrees| moved(around(degrees), point));
    let at_once = moved(around([33.0, -71.0, 250.0]), [1.0, 2.0, 3.0]);
    assert_near(length(sub(at_once, one_by_one)), 0.0, 1e-12);
    assert_near(length(at_once), 14.0_f64.sqrt(), 1e-12);
}

#[test]
fn mirrored_meshes_are_not_inside_out() {
    let mirror = Transform { scale: [-2.0, 1.0, 1.0], ..Default::default() };
    let mesh = mirror.tri_mesh(box_surface(&BoxParams::default()).unwrap()).unwrap();
    assert_eq!(border_edges(&mesh), 0);
    assert_near(enclosed_volume(&mesh), 0.25, 1e-12);
    let solid = mirror.tet_mesh(torus(&TorusParams::default()).unwrap()).unwrap();
    assert_conforming(&solid);
    assert_frames(&solid);
    assert_near(volume(&solid), 2.0 * volume(&torus(&TorusParams::default()).unwrap()), 1e-12);
    // Corners keep their places on the pattern.
    let cloth = mirror.tri_mesh(sheet(&SheetParams::default()).unwrap()).unwrap();
    assert_eq!(cloth.uv_triangles, cloth.triangles);
    assert!(pattern_area(cloth.uv_triangles[0].map(|corner| cloth.uvs[corner as usize])) < 0.0);
}

#[test]
fn frames_turn_with_the_mesh() {
    let rotate = Rotation::AxisAngle { axis: [0.0, 0.0, 1.0], degrees: 60.0 };
    let tipped = Transform { rotate, ..Default::default() }.tet_mesh(beam(&BeamParams::default()).unwrap()).unwrap();
    assert_frames(&tipped);
    let start = tipped.positions[tipped.group("start").unwrap()[0] as usize];
    let end = tipped.positions[tipped.group("end").unwrap()[0] as usize];
    assert!(tipped.frames.iter().all(|axes| (dot(axes[0], sub(end, start)) - 1.0).abs() < 1e-12));
    // Squeezed, a ring's tangents follow the ellipse.
    let squeeze = Transform { scale: [1.0, 1.0, 0.25], ..Default::default() };
    let ring = torus(&TorusParams::default()).unwrap();
    let ellipse = squeeze.tet_mesh(ring.clone()).unwrap();
    assert_frames(&ellipse);
    for (before, after) in ring.frames.iter().zip(&ellipse.frames) {
        let [x, y, z] = before[0];
        let tangent = [x, y, z / 4.0];
        assert_near(dot(after[0], tangent), length(tangent), 1e-12);
    }
}

#[test]
fn bad_parameters_are_named() {
    let good = Transform::default();
    let spin = |axis, degrees| Transform { rotate: Rotation::AxisAngle { axis, degrees }, ..good };
    let cases = [
        ("scale", Transform { scale: [1.0, 0.0, 1.0], ..good }),
        ("scale", Transform { scale: [1.0, f64::NAN, 1.0], ..good }),
        ("rotate", spin([0.0; 3], 10.0)),
        ("rotate", spin([1.0; 3], f64::NAN)),
        ("rotate", Transform { rotate: Rotation::Euler { degrees: [0.0, f64::INFINITY, 0.0] }, ..good }),
        ("translate", Transform { translate: [f64::NAN; 3], ..good }),
    ];
    for (parameter, transform) in cases {
        assert_eq!(fault(transform.tri_mesh(TriMesh::default())), parameter);
    }
    let far = TriMesh { positions: vec![[f64::MAX; 3]], ..Default::default() };
    let error = Transform { scale: [10.0; 3], ..good }.tri_mesh(far).unwrap_err();
    assert_eq!(error.parameter, "mesh");
}
