//! Poses, and motions over time.

use crate::generate::Rotation;
use crate::scene::settings::{Collider, Motion, Revolve};
use crate::scene::{Chains, Track};
use glam::{DQuat, DVec3};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
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

/// Leaders that are gone through one by one for every collider, as it always was, to the bit. Of longer chains the ways
/// are put
/// together once for all colliders of a scene.
const SHORT_CHAIN: usize = 16;

/// The ways of all colliders of a scene through time, with those they move along with.
#[derive(Debug)]
pub(super) struct Courses {
    colliders: Vec<Collider>,
    chains: Chains,
    /// Leaders before those they lead.
    order: Vec<usize>,
    /// Whether each ever moves.
    moving: Vec<bool>,
    /// Where the ways of all have led at the times asked for last, if a chain is long.
    known: Mutex<VecDeque<(f64, Arc<[Way]>)>>,
}

/// How far everything that moves along with a collider has been moved and turned.
#[derive(Clone, Copy, Debug)]
struct Way {
    turn: DQuat,
    shift: DVec3,
}

impl Way {
    const NONE: Way = Way { turn: DQuat::IDENTITY, shift: DVec3::ZERO };

    /// From one pose of a collider to another.
    fn between(start: &Pose, now: &Pose) -> Way {
        let turn = turn_of(now) * turn_of(start).conjugate();
        Way { turn, shift: DVec3::from(now.position) - rotate(turn, start.position.into()) }
    }

    /// This one, after another.
    fn after(&self, first: &Way) -> Way {
        Way { turn: (self.turn * first.turn).normalize(), shift: rotate(self.turn, first.shift) + self.shift }
    }

    fn take(&self, pose: &Pose) -> Pose {
        let position = rotate(self.turn, pose.position.into()) + self.shift;
        Pose { position: position.into(), rotation: (self.turn * turn_of(pose)).to_array() }
    }
}

impl Courses {
    /// Those of all colliders of a scene.
    pub fn new(all: &[Collider]) -> Self {
        let chains = Chains::new(all);
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| chains.depth(at));
        let mut moving = vec![false; all.len()];
        for &at in &order {
            let led = chains.leader(at).filter(|_| chains.depth(at).is_some()).is_some_and(|leader| moving[leader]);
            let own = all[at].motion.as_ref();
            moving[at] = led || own.is_some_and(|motion| goes(&motion.translate, motion.rotate.as_ref()));
        }
        Courses { colliders: all.to_vec(), chains, order, moving, known: Mutex::new(VecDeque::new()) }
    }

    /// Whether a collider ever moves.
    pub fn moves(&self, at: usize) -> bool {
        self.moving[at]
    }

    /// Where a collider is at a time, s.
    pub fn pose(&self, at: usize, time: f64) -> Pose {
        let own = own_pose(&self.colliders[at], time);
        match self.chains.depth(at) {
            Some(depth) if depth <= SHORT_CHAIN => self.carried(own, at, time),
            // A circle leads nowhere; scenes with one are refused.
            None => own,
            Some(_) => self.chains.leader(at).map_or(own, |leader| self.ways(time)[leader].take(&own)),
        }
    }

    /// A pose of a collider, carried by its leaders one after another.
    fn carried(&self, own: Pose, at: usize, time: f64) -> Pose {
        let leaders = std::iter::successors(self.chains.leader(at), |&leader| self.chains.leader(leader));
        leaders.map(|leader| &self.colliders[leader]).fold(own, |pose, leader| {
            let (start, now) = (own_pose(leader, 0.0), own_pose(leader, time));
            let turn = turn_of(&now) * turn_of(&start).conjugate();
            let position = to_world(&now, from_world(&start, pose.position));
            Pose { position, rotation: (turn * turn_of(&pose)).to_array() }
        })
    }

    /// The way of every collider at a time (s), each with those of its leaders.
    fn ways(&self, time: f64) -> Arc<[Way]> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ways)) = known.iter().find(|(when, _)| *when == time) {
            return ways.clone();
        }
        let mut ways = vec![Way::NONE; self.colliders.len()];
        for &at in &self.order {
            let collider = &self.colliders[at];
            let own = Way::between(&own_pose(collider, 0.0), &own_pose(collider, time));
            ways[at] = self.chains.leader(at).map_or(own, |leader| ways[leader].after(&own));
        }
        let ways: Arc<[Way]> = ways.into();
        // A step asks for where it begins and where it ends, of one collider after another.
        known.truncate(2);
        known.push_front((time, ways.clone()));
        ways
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
    let scales = motion.scale.as_ref().is_some_and(|resize| !resize.factor.is_constant());
    scales || goes(&motion.translate, motion.rotate.as_ref())
}

/// Whether a way or a turn ever changes.
fn goes(translate: &Track<[f64; 3]>, rotate: Option<&Revolve>) -> bool {
    !translate.is_constant() || rotate.is_some_and(|turn| !turn.degrees.is_constant())
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
    use crate::scene::Scene;

    /// Ways that are put together lead where the leaders, one after another, do.
    #[test]
    fn long_chains_lead_where_short_ones_do() {
        let link = |at: usize| {
            let follow = if at > 0 { format!("follow = \"{}\"\n", at - 1) } else { String::new() };
            let turn = format!(
                "rotate = {{ axis = [1, {at}, 2], about = [0, {at}, 0], degrees = {{ keys = [{{ time = 0, value = 5 }}, \
                                {{ time = 1, value = {} }}] }} }}",
                7 + at % 5
            );
            format!(
                "[[collider]]\nname = \"{at}\"\n{follow}shape = \"plane\"\ntranslate = [{at}, 0, 1]\nmotion = {{ {turn} }}\n"
            )
        };
        let text: String = (0..60).map(link).collect();
        let text = format!("[[cloth]]\ngenerate = \"sheet\"\n{text}");
        let scene = Scene::parse("a.toml", &text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
        let courses = Courses::new(&scene.settings.collider);
        for at in [0, 16, 17, 59] {
            for time in [0.0, 0.4, 1.0, 0.4] {
                let (found, own) = (courses.pose(at, time), own_pose(&scene.settings.collider[at], time));
                let expected = courses.carried(own, at, time);
                let off = |k: usize| (found.position[k] - expected.position[k]).abs();
                assert!((0..3).all(|k| off(k) < 1e-9), "{at} at {time} s: {found:?} {expected:?}");
                let turned = turn_of(&found).dot(turn_of(&expected)).abs();
                assert!((turned - 1.0).abs() < 1e-12, "{at} at {time} s: {turned}");
            }
            assert!(courses.moves(at));
        }
    }
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
