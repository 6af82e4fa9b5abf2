use std::f64::consts::PI;

use taut::mesh::boundary_triangles;
use taut::mesh::{TetMesh, TriMesh};
use taut_scene::generate::{
    BallParams, BeamParams, CellSplit, SphereDetail, SphereParams, TorusParams, ball, beam, boundary_mesh, sphere,
    torus,
};

use crate::check::{
    area, assert_conforming, assert_frames, assert_near, border_edges, centroid, dot, enclosed_volume, euler, fault,
    length, sub, volume,
};

const CENTRE: [f64; 3] = [-0.5, 2.0, 0.25];

/// Fails unless the mesh is sound and its surface, closed and of the given Euler characteristic, encloses its volume.
#[track_caller]
fn assert_solid(mesh: &TetMesh, characteristic: i64) -> TriMesh {
    let mut expected = assert_conforming(mesh);
    let mut found = boundary_triangles(&mesh.tets);
    for face in expected.iter_mut().chain(&mut found) {
        let smallest = (0..3).min_by_key(|&corner| face[corner]).unwrap();
        face.rotate_left(smallest);
    }
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    let surface = boundary_mesh(mesh).unwrap();
    assert_eq!(border_edges(&surface), 0);
    assert_eq!(euler(surface.positions.len(), &surface.triangles), characteristic);
    // Were tetrahedra to overlap or leave gaps, the two volumes would differ.
    assert_near(enclosed_volume(&surface), volume(mesh), 1e-12);
    surface
}

/// The smallest ratio of a tetrahedron's volume to that of a regular one with its longest edge.
fn least_quality(mesh: &TetMesh) -> f64 {
    let quality = |tet: usize| {
        let corners = mesh.tets[tet].map(|vertex| mesh.positions[vertex as usize]);
        let edges = (0..4).flat_map(|i| (0..i).map(move |j| length(sub(corners[i], corners[j]))));
        let longest = edges.fold(0.0, f64::max);
        crate::check::tet_volume(mesh, tet) * 72.0_f64.sqrt() / (longest * longest * longest)
    };
    (0..mesh.tets.len()).map(quality).fold(1.0, f64::min)
}

#[test]
fn beams_fill_their_box() {
    for (split, each) in [(CellSplit::Five, 5), (CellSplit::Six, 6)] {
        for cells in [[1, 1, 1], [5, 2, 3], [2, 4, 1]] {
            let mesh = beam(&BeamParams { size: [2.0, 0.5, 0.4], cells, split, centre: CENTRE }).unwrap();
            assert_eq!(mesh.tets.len() as u32, each * cells.iter().product::<u32>());
            let surface = assert_solid(&mesh, 2);
            assert_near(volume(&mesh), 0.4, 1e-12);
            assert_near(area(&surface), 2.0 * (1.0 + 0.8 + 0.2), 1e-12);
            assert!(least_quality(&mesh) > 0.01);
        }
    }
}

#[test]
fn beams_have_two_ends() {
    let mesh = beam(&BeamParams { size: [2.0, 0.5, 0.4], cells: [5, 2, 3], ..Default::default() }).unwrap();
    for (name, side) in [("start", -1.0), ("end", 1.0)] {
        let at_end = (0..).zip(&mesh.positions).filter(|(_, position)| position[0] == side);
        let expected: Vec<u32> = at_end.map(|(vertex, _)| vertex).collect();
        assert_eq!(expected.len(), 12);
        assert_eq!(mesh.group(name).unwrap(), expected);
    }
}

#[test]
fn balls_are_solid_and_round() {
    for shells in [1, 2, 3, 6] {
        let mesh = ball(&BallParams { radius: 0.3, shells, centre: CENTRE }).unwrap();
        assert_eq!(mesh.tets.len() as u32, 20 * shells * shells * shells);
        let surface = assert_solid(&mesh, 2);
        let detail = SphereDetail::Divisions(shells);
        let outside = sphere(&SphereParams { radius: 0.3, detail, centre: CENTRE }).unwrap();
        assert_near(volume(&mesh), enclosed_volume(&outside), 1e-12);
        assert_eq!(surface.positions.len(), mesh.group("surface").unwrap().len());
        for &position in &surface.positions {
            assert_near(length(sub(position, CENTRE)), 0.3, 1e-12);
        }
        let &[centre] = mesh.group("centre").unwrap() else { panic!("one centre") };
        assert_eq!(mesh.positions[centre as usize], CENTRE);
        assert!(least_quality(&mesh) > 0.15, "{}", least_quality(&mesh));
    }
    let fine = ball(&BallParams { radius: 0.3, shells: 20, centre: CENTRE }).unwrap();
    assert_near(volume(&fine), 4.0 / 3.0 * PI * 0.027, 4e-4);
    assert!(least_quality(&fine) > 0.15, "{}", least_quality(&fine));
}

#[test]
fn tori_are_solid_rings() {
    for (segments, rings) in [(3, 1), (4, 2), (17, 3)] {
        let params = TorusParams { major_radius: 0.4, minor_radius: 0.15, segments, rings, centre: CENTRE };
        let mesh = torus(&params).unwrap();
        let surface = assert_solid(&mesh, 0);
        assert_eq!(surface.positions.len(), mesh.group("surface").unwrap().len());
        for &position in &surface.positions {
            let [x, y, z] = sub(position, CENTRE);
            assert_near((x.hypot(z) - 0.4).hypot(y), 0.15, 1e-12);
        }
    }
    let fine = TorusParams { major_radius: 0.4, minor_radius: 0.15, segments: 120, rings: 12, centre: CENTRE };
    assert_near(volume(&torus(&fine).unwrap()), 2.0 * PI * PI * 0.4 * 0.15 * 0.15, 5e-4);
    let default = torus(&TorusParams::default()).unwrap();
    assert!(default.tets.len() >= 2000);
    assert!(least_quality(&default) > 0.1, "{}", least_quality(&default));
}

#[test]
fn tori_have_frames_along_the_ring() {
    let mesh = torus(&TorusParams { centre: CENTRE, ..Default::default() }).unwrap();
    assert_frames(&mesh);
    for (tet, [tangent, radial, up]) in mesh.frames.iter().enumerate() {
        let [x, _, z] = sub(centroid(&mesh, tet), CENTRE);
        let outwards = [x / x.hypot(z), 0.0, z / x.hypot(z)];
        assert_near(dot(*radial, outwards), 1.0, 1e-12);
        assert_near(dot(*tangent, outwards), 0.0, 1e-12);
        assert_near(tangent[1], 0.0, 1e-12);
        assert_near(up[1], 1.0, 1e-12);
    }
}

#[test]
fn boundaries_keep_their_groups() {
    let mesh = beam(&BeamParams { cells: [3, 3, 3], ..Default::default() }).unwrap();
    let surface = boundary_mesh(&mesh).unwrap();
    assert_eq!(surface.positions.len(), 64 - 8);
    for name in ["start", "end"] {
        let places = |group: &[u32], positions: &[[f64; 3]]| -> Vec<[f64; 3]> {
            group.iter().map(|&vertex| positions[vertex as usize]).collect()
        };
        let expected = places(mesh.group(name).unwrap(), &mesh.positions);
        assert_eq!(places(surface.group(name).unwrap(), &surface.positions), expected);
    }
}

#[test]
fn bad_parameters_are_named() {
    let of_beam = |size, cells| fault(beam(&BeamParams { size, cells, ..Default::default() }));
    assert_eq!(of_beam([1.0, 0.0, 1.0], [1; 3]), "size");
    assert_eq!(of_beam([1.0; 3], [0, 1, 1]), "cells");
    assert_eq!(of_beam([1.0; 3], [u32::MAX; 3]), "cells");
    let of_ball = |radius, shells| fault(ball(&BallParams { radius, shells, centre: CENTRE }));
    assert_eq!(of_ball(f64::NAN, 1), "radius");
    assert_eq!(of_ball(1.0, 0), "shells");
    assert_eq!(of_ball(1.0, u32::MAX), "shells");
    let of_torus = |major_radius, minor_radius, segments, rings| {
        fault(torus(&TorusParams { major_radius, minor_radius, segments, rings, centre: CENTRE }))
    };
    assert_eq!(of_torus(0.0, 0.1, 9, 1), "major_radius");
    assert_eq!(of_torus(0.2, -0.1, 9, 1), "minor_radius");
    assert_eq!(of_torus(0.2, 0.2, 9, 1), "minor_radius");
    assert_eq!(of_torus(0.2, 0.1, 2, 1), "segments");
    assert_eq!(of_torus(0.2, 0.1, 9, 0), "rings");
    assert_eq!(of_torus(0.2, 0.1, u32::MAX, u32::MAX), "segments, rings");
    // Cells smaller than the rounding of their positions.
    let collapsed = BeamParams { size: [1e-6; 3], cells: [100_000, 1, 1], centre: [1e6; 3], ..Default::default() };
    assert_eq!(fault(beam(&collapsed)), "size");
    let missing = TetMesh { tets: vec![[0, 1, 2, u32::MAX]], ..Default::default() };
    assert_eq!(fault(boundary_mesh(&missing)), "mesh");
}
