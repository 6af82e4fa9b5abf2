use taut::mesh::TetMesh;
use taut_scene::generate::{BallParams, BeamParams, ball, beam, frames_along, frames_around, frames_from_surface};

use crate::check::{assert_frames, assert_near, centroid, cross, dot, fault, length, sub};

#[test]
fn along_a_direction_of_any_length() {
    for direction in [[0.0, 0.0, 3.0], [1.0, 2.0, -2.0], [0.0, -1e-200, 0.0], [1e200, 0.0, 0.0]] {
        let mut mesh = beam(&BeamParams::default()).unwrap();
        frames_along(&mut mesh, direction).unwrap();
        assert_frames(&mesh);
        let largest = direction.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let scaled = direction.map(|x| x / largest);
        assert_near(dot(mesh.frames[0][0], scaled), length(scaled), 1e-12);
    }
}

#[test]
fn around_a_slanted_axis() {
    let (point, axis) = ([0.1, 0.2, 0.3], [1.0, 2.0, 2.0]);
    let mut mesh = ball(&BallParams::default()).unwrap();
    frames_around(&mut mesh, point, axis).unwrap();
    assert_frames(&mesh);
    for (tet, [tangent, radial, along]) in mesh.frames.iter().enumerate() {
        let offset = sub(centroid(&mesh, tet), point);
        assert_near(dot(*along, axis), 3.0, 1e-12);
        assert_near(dot(*tangent, offset), 0.0, 1e-12);
        assert_near(dot(*radial, offset), length(cross(offset, *along)), 1e-12);
    }
}

#[test]
fn on_the_axis_itself_frames_are_still_orthonormal() {
    let positions = vec![[0.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-0.5, 1.0, 0.0], [-0.5, -1.0, 0.0]];
    let mut mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3]], ..Default::default() };
    frames_around(&mut mesh, [0.0; 3], [0.0, 0.0, 1.0]).unwrap();
    assert_frames(&mesh);
}

#[test]
fn from_the_nearest_surface() {
    // A slab much wider than thick: below its middle the floor is nearest, above it the ceiling.
    let mut slab = beam(&BeamParams { size: [4.0, 0.2, 4.0], cells: [8, 4, 8], ..Default::default() }).unwrap();
    frames_from_surface(&mut slab, [1.0, 0.0, 0.0]).unwrap();
    assert_frames(&slab);
    for (tet, [_, upwards, normal]) in slab.frames.iter().enumerate() {
        let [x, y, z] = centroid(&slab, tet);
        // Away from the rim, where normals are blended.
        if x.abs().max(z.abs()) < 1.4 {
            assert_near(normal[1], y.signum(), 1e-12);
            assert_near(upwards[0], 1.0, 1e-12);
        }
    }
    let mut round = ball(&BallParams::default()).unwrap();
    frames_from_surface(&mut round, [0.0, 1.0, 0.0]).unwrap();
    assert_frames(&round);
    for (tet, [across, _, normal]) in round.frames.iter().enumerate() {
        let middle = centroid(&round, tet);
        if length(middle) > 0.1 {
            assert!(dot(*normal, middle) > 0.98 * length(middle));
            assert_near(across[1], 0.0, 1e-12);
        }
    }
}

#[test]
fn bad_input_is_named() {
    let mut mesh = beam(&BeamParams::default()).unwrap();
    assert_eq!(fault(frames_along(&mut mesh, [0.0; 3])), "direction");
    assert_eq!(fault(frames_along(&mut mesh, [f64::NAN, 0.0, 1.0])), "direction");
    assert_eq!(fault(frames_around(&mut mesh, [f64::NAN; 3], [1.0; 3])), "point");
    assert_eq!(fault(frames_around(&mut mesh, [0.0; 3], [0.0; 3])), "axis");
    assert_eq!(fault(frames_from_surface(&mut mesh, [f64::INFINITY; 3])), "up");
    mesh.tets[0][0] = u32::MAX;
    assert_eq!(fault(frames_around(&mut mesh, [0.0; 3], [1.0; 3])), "mesh");
    assert_eq!(fault(frames_from_surface(&mut mesh, [1.0; 3])), "mesh");
    let mut empty = TetMesh::default();
    frames_from_surface(&mut empty, [1.0; 3]).unwrap();
    assert!(empty.frames.is_empty());
}
