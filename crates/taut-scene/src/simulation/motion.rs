//! Poses, and motions over time.

use crate::generate::Rotation;
use crate::scene::leaders;
use crate::scene::settings::{Collider, Motion};
use glam::{DQuat, DVec3};
use taut::Pose;

/// Where a point of a pose's own is in the world.
pub(super) fn to_world(pose: &Pose, point: [f64; 3]) -> [f64; 3] {
    (rotate(turn_of(pose), point.into()) + DVec3::from(pose.position)).into()
}

/// The point of a pose's own that is at a place in the world.
pub(super) fn from_world(pose: &Pose, place: [f64; 3]) -> [f64; 3] {
    rotate(turn_of(pose).conjugate(), DVec3::from(place) - DVec3::from(pose.position)).into()
}

fn turn_of(pose: &Pose) -> DQuat {
    DQuat::from_array(pose.rotation)
}

/// A point turned around an axis through another.
fn turned(point: [f64; 3], about: [f64; 3], q: DQuat) -> DVec3 {
    let about = DVec3::from(about);
    about + rotate(q, DVec3::from(point) - about)
}

/// A collider's way through time, with those it moves along with.
#[derive(Clone, Debug)]
pub(super) struct Course {
    own: Collider,
    /// The nearest first.
    leaders: Vec<Collider>,
}

impl Course {
    /// That of one of all colliders of a scene.
    pub fn new(all: &[Collider], at: usize) -> Self {
        let leaders = leaders(all, at).unwrap_or_default().into_iter().map(|leader| all[leader].clone()).collect();
        Course { own: all[at].clone(), leaders }
    }

    /// Where it is at a time, s.
    pub fn pose(&self, time: f64) -> Pose {
        self.leaders.iter().fold(own_pose(&self.own, time), |pose, leader| {
            let (start, now) = (own_pose(leader, 0.0), own_pose(leader, time));
            let turn = turn_of(&now) * turn_of(&start).conjugate();
            let position = to_world(&now, from_world(&start, pose.position));
            Pose { position, rotation: (turn * turn_of(&pose)).to_array() }
        })
    }

    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        let mut all = std::iter::once(&self.own).chain(&self.leaders);
        all.any(|collider| collider.motion.as_ref().is_some_and(moves))
    }
}

/// The pose of a collider that moves along with none, at a time, s.
fn own_pose(collider: &Collider, time: f64) -> Pose {
    let (mut position, mut rotation) = (DVec3::from(collider.translate), quaternion(collider.rotate.0));
    if let Some(motion) = &collider.motion {
        if let Some(turn) = &motion.rotate {
            let q = axis_angle(turn.axis, turn.degrees.at(time));
            (position, rotation) = (turned(collider.translate, turn.about, q), q * rotation);
        }
        position += DVec3::from(motion.translate.at(time));
    }
    Pose { position: position.into(), rotation: rotation.to_array() }
}

/// Where a motion takes a point at a time, s.
pub(super) fn moved(motion: &Motion, point: [f64; 3], time: f64) -> [f64; 3] {
    let mut point = DVec3::from(point);
    if let Some(resize) = &motion.scale {
        let about = DVec3::from(resize.about);
        point = about + DVec3::from(resize.factor.at(time)) * (point - about);
    }
    if let Some(turn) = &motion.rotate {
        point = turned(point.into(), turn.about, axis_angle(turn.axis, turn.degrees.at(time)));
    }
    (point + DVec3::from(motion.translate.at(time))).into()
}

/// Whether a motion does anything but stay.
pub(super) fn moves(motion: &Motion) -> bool {
    !motion.translate.is_constant()
        || motion.scale.as_ref().is_some_and(|resize| !resize.factor.is_constant())
        || motion.rotate.as_ref().is_some_and(|turn| !turn.degrees.is_constant())
}

fn quaternion(rotation: Rotation) -> DQuat {
    match rotation {
        Rotation::AxisAngle { axis, degrees } => axis_angle(axis, degrees),
        Rotation::Euler { degrees: [x, y, z] } => {
            let turn = |axis, degrees| axis_angle(axis, degrees);
            turn([0.0, 0.0, 1.0], z) * (turn([0.0, 1.0, 0.0], y) * turn([1.0, 0.0, 0.0], x))
        }
    }
}

/// A rotation around an axis of any length; none if the axis has no direction.
fn axis_angle(axis: [f64; 3], degrees: f64) -> DQuat {
    let axis = DVec3::from(axis);
    let length = axis.length();
    if !(length > 0.0 && length.is_finite()) {
        return DQuat::IDENTITY;
    }
    // Not the platform's functions: their last digits differ.
    let (sin, cos) = libm::sincos((degrees % 720.0).to_radians() * 0.5);
    DQuat::from_vec4((axis / length * sin).extend(cos))
}

/// Not [`DQuat::mul_vec3`]: colliders and pins keep the places that they always had, to the bit.
fn rotate(q: DQuat, v: DVec3) -> DVec3 {
    let t = q.xyz().cross(v) * 2.0;
    v + q.w * t + q.xyz().cross(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Transform;
    use taut::mesh::TriMesh;

    #[test]
    fn quaternions_turn_as_meshes_do() {
        let rotations = [
            Rotation::Euler { degrees: [20.0, -130.0, 75.0] },
            Rotation::AxisAngle { axis: [1.0, 2.0, -0.5], degrees: 200.0 },
        ];
        for rotate in rotations {
            let point = [0.3, -1.2, 0.7];
            let mesh = TriMesh { positions: vec![point], ..TriMesh::default() };
            let transform = Transform { rotate, translate: [1.0, 2.0, 3.0], ..Transform::default() };
            let expected = transform.tri_mesh(mesh).unwrap().positions[0];
            let pose = Pose { position: [1.0, 2.0, 3.0], rotation: quaternion(rotate).to_array() };
            let found = to_world(&pose, point);
            assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?} {expected:?}");
            let back = from_world(&pose, found);
            assert!((0..3).all(|k| (back[k] - point[k]).abs() < 1e-12));
        }
    }
}
