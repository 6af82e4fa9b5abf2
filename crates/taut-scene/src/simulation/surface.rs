//! The meshes of mesh colliders: read or made once, and where their vertices are over time.

use super::build::generator;
use super::follow::no_such_part;
use super::thin;
use crate::read::animated::{AnimatedMesh, read_animated};
use crate::read::{Options, Part, Pick, ReadError, read_mesh};
use crate::scene::settings::{FileFrame, MeshShape};
use crate::scene::{Scene, SceneError};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use taut::ColliderMesh;
use taut::mesh::TriMesh;

/// A mesh that others cannot enter, in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    animated: Arc<AnimatedMesh>,
    scale: [f64; 3],
    frame: FileFrame,
    /// When its motion begins, s.
    start: f64,
    /// How many times as fast as in its file it plays.
    speed: f64,
    /// Whether it begins anew when it has ended.
    repeat: bool,
    shape: Arc<ColliderMesh>,
    /// How it differs from what it is at a time, in a start phase.
    pose: StartPose,
    /// How far its vertices can be drawn inwards, m; known once it has been made thinner.
    room: OnceLock<Arc<[f64]>>,
    /// Where it was placed before it took another pose.
    before: Option<Arc<[[f64; 3]]>>,
    /// Where it was last placed in the world: the time and the positions.
    last: Option<(f64, Arc<[[f64; 3]]>)>,
}

impl Surface {
    /// Reads or makes what a collider at a dotted path asks for. What is odd about files is added to `warnings`.
    pub fn new(scene: &Scene, path: &str, mesh: &MeshShape, warnings: &mut Vec<String>) -> Result<Self, SceneError> {
        let path = format!("{path}.shape");
        let mut animated = match &mesh.generate {
            Some(generate) => AnimatedMesh::still(generate.mesh().map_err(generator(scene, &path, "generate"))?),
            None => read(scene, &path, mesh, warnings)?,
        };
        if animated.mesh.triangles.is_empty() {
            let message = format!("`{path}.mesh` has no triangles; expected a surface");
            return Err(scene.error(&format!("{path}.mesh"), message, Vec::new()));
        }
        leave_out(scene, &path, mesh, &mut animated)?;
        let (scale, start, speed) = (mesh.scale.0, mesh.start, mesh.speed);
        let frame = FileFrame { up: mesh.up, unit: mesh.unit };
        let rest: Vec<_> = animated.mesh.positions.iter().map(|&p| scaled(frame.point(p), scale)).collect();
        let shape = Arc::new(ColliderMesh::new(&rest, &animated.mesh.triangles));
        let (animated, repeat) = (Arc::new(animated), mesh.repeat);
        let (pose, room) = (StartPose::NONE, OnceLock::new());
        Ok(Surface { animated, scale, frame, start, speed, repeat, shape, pose, room, before: None, last: None })
    }

    /// Parts of it that have a name.
    pub fn parts(&self) -> &[Part] {
        &self.animated.parts
    }

    /// The triangles, as the engine has them.
    pub fn shape(&self) -> Arc<ColliderMesh> {
        self.shape.clone()
    }

    /// Whether its vertices move against each other.
    pub fn deforms(&self) -> bool {
        self.animated.duration > 0.0
    }

    /// The mesh as it is at a time, s.
    pub fn mesh(&self, time: f64) -> TriMesh {
        TriMesh { positions: self.at(time), ..self.animated.mesh.clone() }
    }

    /// Where the vertices are at a time (s), m, if they move at all.
    pub fn deformed(&self, time: f64) -> Option<Vec<[f64; 3]>> {
        self.deforms().then(|| self.at(time))
    }

    /// Where the vertices are (m), if they do not move but are in a pose of their own.
    pub fn posed(&self) -> Option<Vec<[f64; 3]>> {
        (self.pose != StartPose::NONE).then(|| self.at(0.0))
    }

    fn at(&self, time: f64) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        let (time, duration) = ((time - self.start) * self.speed, self.animated.duration);
        let time = if self.repeat && duration > 0.0 { time.rem_euclid(duration) } else { time };
        self.animated.positions_at(time, &mut positions);
        if self.pose.moved < 1.0 {
            let rest = self.animated.mesh.positions.iter();
            let between = |(p, r): (&mut [f64; 3], &[f64; 3])| {
                *p = std::array::from_fn(|k| r[k] + (p[k] - r[k]) * self.pose.moved);
            };
            positions.iter_mut().zip(rest).for_each(between);
        }
        positions.iter_mut().for_each(|p| *p = scaled(self.frame.point(*p), self.scale));
        if self.pose.thinner > 0.0 {
            let triangles = &self.animated.mesh.triangles;
            let room = self.room.get_or_init(|| thin::room(&positions, triangles).into());
            thin::thin(&mut positions, triangles, room, self.pose.thinner);
        }
        positions
    }

    /// Takes a pose. The step that comes begins in the one before.
    pub fn take_pose(&mut self, pose: StartPose) {
        if pose != self.pose {
            (self.pose, self.before) = (pose, self.last.take().map(|last| last.1));
        }
    }

    /// Where it was placed before it took another pose, once.
    pub fn before(&mut self) -> Option<Arc<[[f64; 3]]>> {
        self.before.take()
    }

    /// Where it was placed in the world at a time (s), if that was the last one asked for.
    pub fn known(&self, time: f64) -> Option<Arc<[[f64; 3]]>> {
        self.last.as_ref().filter(|last| last.0 == time).map(|last| last.1.clone())
    }

    /// Keeps where it was placed in the world at a time, s.
    pub fn remember(&mut self, time: f64, positions: Arc<[[f64; 3]]>) -> Arc<[[f64; 3]]> {
        self.last = Some((time, positions.clone()));
        positions
    }

    /// Numbers that tell it from others: its triangles and rest pose, and where it is at a few times.
    pub fn fingerprint(&self) -> Vec<f64> {
        let triangles = self.animated.mesh.triangles.iter().flatten().map(|&v| f64::from(v));
        let mut numbers: Vec<f64> = triangles.collect();
        numbers.extend(self.animated.mesh.positions.as_flattened());
        let mut positions = Vec::new();
        for part in 0..=8 {
            self.animated.positions_at(self.animated.duration * f64::from(part) / 8.0, &mut positions);
            numbers.extend(positions.as_flattened());
        }
        numbers
    }
}

/// How a mesh collider differs, in a start phase, from what it is at the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StartPose {
    /// How far it is on the way from the pose of its file to that of the time, 0 to 1.
    pub moved: f64,
    /// How much thinner it is all around, m.
    pub thinner: f64,
}

impl StartPose {
    /// Not at all.
    pub const NONE: StartPose = StartPose { moved: 1.0, thinner: 0.0 };
}

/// The volume within a surface (m³), negative if its triangles are seen clockwise from outside.
pub(super) fn volume(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let six_volumes = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| glam::DVec3::from(positions[v as usize]));
        a.dot(b.cross(c))
    };
    triangles.iter().map(six_volumes).sum::<f64>() / 6.0
}

fn scaled(p: [f64; 3], scale: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| p[k] * scale[k])
}

/// Leaves out the parts that a mesh collider is to be without.
fn leave_out(scene: &Scene, path: &str, shape: &MeshShape, mesh: &mut AnimatedMesh) -> Result<(), SceneError> {
    if shape.without.is_empty() {
        return Ok(());
    }
    let (at, what) = (format!("{path}.without"), shape.mesh.as_deref().unwrap_or("the mesh"));
    let out = no_such_part(scene, &at, &shape.without, what, &mesh.parts, mesh.mesh.triangles.len())?;
    if !out.contains(&false) {
        return Err(scene.error(&at, format!("`{at}` leaves nothing of {what}"), Vec::new()));
    }
    mesh.retain(|triangle| !out[triangle]);
    Ok(())
}

/// Reads the files of a mesh collider. Messages call them as the scene does.
fn read(scene: &Scene, path: &str, mesh: &MeshShape, warnings: &mut Vec<String>) -> Result<AnimatedMesh, SceneError> {
    let at = format!("{path}.mesh");
    let name = mesh.mesh.as_deref().unwrap_or_default();
    let pick = mesh.part.clone().map_or(Pick::All, Pick::Named);
    let (animation, memory) = (mesh.animation.clone(), scene.memory());
    let options = Options { pick, animation, memory, ..Options::default() };
    let unreadable = |at: &str, path: &Path, name: &str, error: ReadError| {
        let error = error.calling(path, name);
        scene.error(at, format!("`{at}` cannot be read: {error}"), Vec::new())
    };
    let found = if name.contains('#') { scene.asset_sequence(&at, name)? } else { scene.asset(&at, name)? };
    let Some(cache) = &mesh.cache else {
        let moving =
            read_animated(&found, None, mesh.fps, &options).map_err(|error| unreadable(&at, &found, name, error))?;
        warnings.extend(moving.warnings.iter().map(|warning| format!("{name}: {warning}")));
        return Ok(moving);
    };
    let file = read_mesh(&found, &options).map_err(|error| unreadable(&at, &found, name, error))?;
    warnings.extend(file.warnings.iter().map(|warning| format!("{name}: {warning}")));
    let topology = file.surface.unwrap_or_default();
    let at = format!("{path}.cache");
    let found = scene.asset(&at, cache)?;
    let moving = read_animated(&found, Some(&topology), mesh.fps, &options);
    let mut moving = moving.map_err(|error| unreadable(&at, &found, cache, error))?;
    moving.parts = file.parts;
    warnings.extend(moving.warnings.iter().map(|warning| format!("{cache}: {warning}")));
    Ok(moving)
}
