//! Poses, and motions over time.

use crate::generate::Rotation;
use crate::scene::leaders;
use crate::scene::settings::{Collider, Motion};
use taut::Pose;

/// Where a point of a pose's own is in the world.
pub(super) fn to_world(pose: &Pose, point: [f64; 3]) -> [f64; 3] {
    add(rotate(pose.rotation, point), pose.position)
}

/// The point of a pose's own that is at a place in the world.
pub(super) fn from_world(pose: &Pose, place: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = pose.rotation;
    rotate([-x, -y, -z, w], sub(place, pose.position))
}

/// A pose turned around an axis through a point.
fn turned(pose: Pose, about: [f64; 3], q: [f64; 4]) -> Pose {
    let position = add(about, rotate(q, sub(pose.position, about)));
    Pose { position, rotation: multiply(q, pose.rotation) }
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
            let [x, y, z, w] = start.rotation;
            let turn = multiply(now.rotation, [-x, -y, -z, w]);
            let position = to_world(&now, from_world(&start, pose.position));
            Pose { position, rotation: multiply(turn, pose.rotation) }
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
    let mut pose = Pose { position: collider.translate, rotation: quaternion(collider.rotate.0) };
    if let Some(motion) = &collider.motion {
        if let Some(turn) = &motion.rotate {
            pose = turned(pose, turn.about, axis_angle(turn.axis, turn.degrees.at(time)));
        }
        pose.position = add(pose.position, motion.translate.at(time));
    }
    pose
}

/// Where a motion takes a point at a time, s.
pub(super) fn moved(motion: &Motion, point: [f64; 3], time: f64) -> [f64; 3] {
    let mut point = point;
    if let Some(resize) = &motion.scale {
        let factor = resize.factor.at(time);
        point = std::array::from_fn(|k| resize.about[k] + factor[k] * (point[k] - resize.about[k]));
    }
    if let Some(turn) = &motion.rotate {
        let q = axis_angle(turn.axis, turn.degrees.at(time));
        point = add(turn.about, rotate(q, sub(point, turn.about)));
    }
    add(point, motion.translate.at(time))
}

/// Whether a motion does anything but stay.
pub(super) fn moves(motion: &Motion) -> bool {
    !motion.translate.is_constant()
        || motion.scale.as_ref().is_some_and(|resize| !resize.factor.is_constant())
        || motion.rotate.as_ref().is_some_and(|turn| !turn.degrees.is_constant())
}

fn quaternion(rotation: Rotation) -> [f64; 4] {
    match rotation {
        Rotation::AxisAngle { axis, degrees } => axis_angle(axis, degrees),
        Rotation::Euler { degrees: [x, y, z] } => {
            let turn = |axis, degrees| axis_angle(axis, degrees);
            let yx = multiply(turn([0.0, 1.0, 0.0], y), turn([1.0, 0.0, 0.0], x));
            multiply(turn([0.0, 0.0, 1.0], z), yx)
        }
    }
}

/// A rotation around an axis of any length; none if the axis has no direction.
pub(super) fn axis_angle(axis: [f64; 3], degrees: f64) -> [f64; 4] {
    let length = dot(axis, axis).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let (sin, cos) = libm::sincos((degrees % 720.0).to_radians() * 0.5);
    let [x, y, z] = axis.map(|c| c / length * sin);
    [x, y, z, cos]
}

fn multiply([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn rotate([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let q = [x, y, z];
    let t = cross(q, v).map(|c| 2.0 * c);
    let u = cross(q, t);
    std::array::from_fn(|k| v[k] + w * t[k] + u[k])
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn scale(a: [f64; 3], factor: f64) -> [f64; 3] {
    a.map(|x| x * factor)
}

pub(super) fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + b[k])
}

pub(super) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
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
            let pose = Pose { position: [1.0, 2.0, 3.0], rotation: quaternion(rotate) };
            let found = to_world(&pose, point);
            assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?} {expected:?}");
            let back = from_world(&pose, found);
            assert!((0..3).all(|k| (back[k] - point[k]).abs() < 1e-12));
        }
    }
}
