use std::f64::consts::PI;

use taut::mesh::TriMesh;
use taut_scene::generate::{
    BoxParams, CapsuleParams, SheetParams, SkinDirection, SkinParams, SphereDetail, SphereParams, boundary_mesh,
    box_surface, capsule, sheet, skin, sphere,
};

use crate::check::{
    assert_conforming, assert_frames, assert_near, border_edges, centroid, dot, enclosed_volume, euler, fault, length,
    sub, volume,
};

const CENTRE: [f64; 3] = [0.0, 1.0, 0.0];

fn ball(divisions: u32) -> TriMesh {
    sphere(&SphereParams { radius: 0.5, detail: SphereDetail::Divisions(divisions), centre: CENTRE }).unwrap()
}

#[test]
fn layers_conform_on_any_closed_surface() {
    let surfaces = [ball(4), box_surface(&BoxParams::default()).unwrap(), capsule(&CapsuleParams::default()).unwrap()];
    for surface in surfaces {
        for direction in [SkinDirection::Inward, SkinDirection::Outward] {
            for layers in [1, 3] {
                let params = SkinParams { thickness: 0.01, layers, direction, ..Default::default() };
                let mesh = skin(&surface, &params).unwrap();
                assert_eq!(mesh.tets.len(), 3 * layers as usize * surface.triangles.len());
                assert_conforming(&mesh);
                assert_frames(&mesh);
                // Two closed surfaces, one in the other.
                let boundary = boundary_mesh(&mesh).unwrap();
                assert_eq!(border_edges(&boundary), 0);
                assert_eq!(euler(boundary.positions.len(), &boundary.triangles), 4);
                assert_eq!(boundary.triangles.len(), 2 * surface.triangles.len());
                assert_near(enclosed_volume(&boundary), volume(&mesh), 1e-12);
            }
        }
    }
}

#[test]
fn the_surface_is_one_side_of_the_layer() {
    let surface = ball(5);
    for (direction, kept, moved, radius) in
        [(SkinDirection::Inward, "outer", "inner", 0.4), (SkinDirection::Outward, "inner", "outer", 0.6)]
    {
        let mesh = skin(&surface, &SkinParams { thickness: 0.1, layers: 2, direction, ..Default::default() }).unwrap();
        let places = |name: &str| -> Vec<[f64; 3]> {
            mesh.group(name).unwrap().iter().map(|&vertex| mesh.positions[vertex as usize]).collect()
        };
        assert_eq!(places(kept), surface.positions);
        for position in places(moved) {
            // Vertex normals of a faceted sphere are not quite radial.
            assert_near(length(sub(position, CENTRE)), radius, 1e-3);
        }
    }
}

#[test]
fn volume_approaches_the_shell() {
    let mesh = skin(&ball(20), &SkinParams { thickness: 0.1, layers: 2, ..Default::default() }).unwrap();
    assert_near(volume(&mesh), 4.0 / 3.0 * PI * (0.125 - 0.064), 1e-3);
}

#[test]
fn frames_follow_the_surface() {
    let mesh = skin(&ball(8), &SkinParams { thickness: 0.02, layers: 1, ..Default::default() }).unwrap();
    for (tet, [across, upwards, normal]) in mesh.frames.iter().enumerate() {
        let outwards = sub(centroid(&mesh, tet), CENTRE);
        assert!(dot(*normal, outwards) > 0.99 * length(outwards));
        assert_near(across[1], 0.0, 1e-12);
        assert!(upwards[1] > 0.0);
    }
}

#[test]
fn corners_move_along_their_bisector_however_faces_are_cut() {
    for divisions in [[1, 1, 1], [1, 2, 3]] {
        let surface = box_surface(&BoxParams { size: [1.0; 3], divisions, centre: [0.0; 3] }).unwrap();
        let mesh = skin(&surface, &SkinParams { thickness: 0.1, ..Default::default() }).unwrap();
        let inner = mesh.group("inner").unwrap().iter().map(|&vertex| mesh.positions[vertex as usize]);
        let at_corner = |position: &[f64; 3]| position.iter().all(|x| x.abs() == 0.5);
        let corners: Vec<_> =
            surface.positions.iter().zip(inner).filter(|(from, _)| at_corner(from)).map(|(_, to)| to).collect();
        assert_eq!(corners.len(), 8);
        for x in corners.into_iter().flatten() {
            assert_near(x.abs(), 0.5 - 0.1 / 3.0_f64.sqrt(), 1e-12);
        }
    }
}

#[test]
fn unused_vertices_are_left_out() {
    let mut surface = ball(2);
    let expected = skin(&surface, &SkinParams::default()).unwrap();
    surface.positions.insert(0, [9.0; 3]);
    surface.triangles.iter_mut().flatten().for_each(|vertex| *vertex += 1);
    assert_eq!(skin(&surface, &SkinParams::default()).unwrap(), expected);
}

#[test]
fn bad_input_is_named() {
    let good = SkinParams::default();
    let surface = ball(3);
    let fails = |surface: &TriMesh, params: &SkinParams| fault(skin(surface, params));
    assert_eq!(fails(&surface, &SkinParams { thickness: 0.0, ..good.clone() }), "thickness");
    // Inwards by more than the radius turns the layer inside out.
    assert_eq!(fails(&surface, &SkinParams { thickness: 0.6, ..good.clone() }), "thickness");
    assert_eq!(fails(&surface, &SkinParams { layers: 0, ..good.clone() }), "layers");
    assert_eq!(fails(&surface, &SkinParams { layers: u32::MAX, ..good.clone() }), "surface, layers");
    assert_eq!(fails(&surface, &SkinParams { up: [0.0; 3], ..good.clone() }), "up");
    assert_eq!(fails(&TriMesh::default(), &good), "surface");
    assert_eq!(fails(&sheet(&SheetParams::default()).unwrap(), &good), "surface");
    let mut turned = surface.clone();
    turned.triangles[7].swap(0, 1);
    assert_eq!(fails(&turned, &good), "surface");
    let mut missing = surface.clone();
    missing.triangles[7][0] = u32::MAX;
    assert_eq!(fails(&missing, &good), "surface");
    let mut broken = surface;
    broken.positions[3][1] = f64::NAN;
    assert_eq!(fails(&broken, &good), "surface");
}
