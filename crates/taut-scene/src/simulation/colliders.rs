//! Colliders: where they are over time, for the engine and for pictures.

use super::motion::{Courses, to_world};
use super::surface::{StartPose, Surface};
use crate::generate::{self, BoxParams, CapsuleParams, SheetParams, SphereDetail, SphereParams};
use crate::read::Part;
use crate::scene::settings::{Collider, Colour, Shape};
use crate::scene::{Scene, SceneError};
use std::sync::Arc;
use taut::Pose;
use taut::mesh::TriMesh;

/// A collider as pictures show it.
#[derive(Clone, Debug)]
pub struct ColliderObject {
    /// What the scene calls it, or `collider 0` and so on.
    pub name: String,
    /// Its surface at its own origin, m. Of a plane, which has no end, only a part; of a mesh that deforms, how it
    /// begins.
    pub mesh: Arc<TriMesh>,
    /// Whether it is a plane, which pictures may rather show as a floor.
    pub plane: bool,
    /// Colour, if the scene asks for one.
    pub colour: Option<Colour>,
    /// Whether the scene wants it shown.
    pub visible: bool,
    /// Its number, and the ways of all.
    number: usize,
    courses: Arc<Courses>,
    source: Collider,
    /// If it is a mesh to the engine, too.
    surface: Option<Surface>,
}

impl ColliderObject {
    /// One of the scene's colliders, after those `before` it. What is odd about its files is added to `warnings`.
    pub(super) fn new(
        scene: &Scene,
        at: usize,
        courses: &Arc<Courses>,
        before: &[ColliderObject],
        warnings: &mut Vec<String>,
    ) -> Result<Self, SceneError> {
        let collider = &scene.settings.collider[at];
        let surface = match &collider.shape {
            Shape::Mesh(mesh) => Some(Surface::new(scene, &scene.element_path("collider", at), mesh, warnings)?),
            _ => None,
        };
        Ok(ColliderObject {
            name: collider.name.clone().unwrap_or_else(|| format!("collider {at}")),
            mesh: match &surface {
                Some(surface) => Arc::new(surface.mesh(0.0)),
                None => shared(before, &collider.shape),
            },
            plane: matches!(collider.shape, Shape::Plane(_)),
            colour: collider.colour,
            visible: collider.visible,
            number: at,
            courses: courses.clone(),
            source: collider.clone(),
            surface,
        })
    }

    /// Where it is at a time, s.
    pub fn pose(&self, time: f64) -> Pose {
        self.courses.pose(self.number, time)
    }

    /// Where the vertices of its mesh are at a time (s), m.
    pub fn positions(&self, time: f64) -> Vec<[f64; 3]> {
        let pose = self.pose(time);
        let deformed = self.surface.as_ref().and_then(|surface| surface.deformed(time).or_else(|| surface.posed()));
        let own = deformed.as_ref().unwrap_or(&self.mesh.positions);
        own.iter().map(|&point| to_world(&pose, point)).collect()
    }

    /// The height of the floor that it is at a time (s), m: if it is a level plane with its free side up.
    pub fn floor(&self, time: f64) -> Option<f64> {
        let pose = self.pose(time);
        let ([_, bottom, _], [_, top, _]) = (to_world(&pose, [0.0; 3]), to_world(&pose, [0.0, 1.0, 0.0]));
        (self.plane && top - bottom > 0.9999).then_some(bottom)
    }

    /// Whether it ever moves or deforms.
    pub(super) fn moves(&self) -> bool {
        self.courses.moves(self.number) || self.deforms()
    }

    /// Whether its vertices move against each other.
    pub(super) fn deforms(&self) -> bool {
        self.surface.as_ref().is_some_and(Surface::deforms)
    }

    /// Parts of its mesh that have a name.
    pub(super) fn parts(&self) -> &[Part] {
        self.surface.as_ref().map_or(&[], Surface::parts)
    }

    /// Its shape, as the scene has it.
    pub(super) fn shape(&self) -> &Shape {
        &self.source.shape
    }

    /// Whether it is a simple shape and no mesh.
    pub(super) fn simple(&self) -> bool {
        !matches!(self.source.shape, Shape::Mesh(_))
    }

    /// The distance that it keeps from others, of which half is its own, m.
    pub(super) fn thickness(&self) -> f64 {
        self.source.thickness
    }

    /// As the engine has it, in a step from one time to another, s. Meshes are no such collider.
    pub(super) fn during(&self, from: f64, to: f64) -> Option<taut::Collider> {
        let shape = match &self.source.shape {
            Shape::Plane(_) => taut::Shape::Plane,
            Shape::Sphere(ball) => taut::Shape::Sphere { radius: ball.radius },
            Shape::Capsule(rod) => taut::Shape::Capsule { radius: rod.radius, half_length: 0.5 * rod.length },
            Shape::Box(b) => taut::Shape::Box { half: b.size.map(|edge| 0.5 * edge) },
            Shape::Mesh(_) => return None,
        };
        let (friction, thickness) = (self.source.friction, self.source.thickness);
        Some(taut::Collider { shape, from: self.pose(from), to: self.pose(to), friction, thickness })
    }

    /// As the engine has a mesh, in a step from one time to another, s.
    pub(super) fn mesh_during(&mut self, from: f64, to: f64) -> Option<taut::MeshCollider> {
        let (from, to) = if self.moves() { (from, to) } else { (0.0, 0.0) };
        let [from, to] = [from, to].map(|time| {
            // A step begins where the one before it ended.
            let known = self.surface.as_ref().and_then(|surface| surface.known(time));
            known.or_else(|| {
                let positions = self.positions(time).into();
                self.surface.as_mut().map(|surface| surface.remember(time, positions))
            })
        });
        let from = self.surface.as_mut().and_then(Surface::before).or(from);
        let shape = self.surface.as_ref()?.shape();
        let (friction, thickness) = (self.source.friction, self.source.thickness);
        Some(taut::MeshCollider { shape, from: from?, to: to?, friction, thickness })
    }

    /// Takes a pose of a start phase, if it is a mesh.
    pub(super) fn take_pose(&mut self, pose: StartPose) {
        if let Some(surface) = &mut self.surface {
            surface.take_pose(pose);
        }
    }

    /// Numbers that tell its file from others.
    pub(super) fn fingerprint(&self) -> Vec<f64> {
        self.surface.as_ref().map(Surface::fingerprint).unwrap_or_default()
    }
}

/// Colliders that are asked whether they have the same shape.
const MOST_ASKED: usize = 8;

/// The surface of a simple shape; that of a collider before if it has the same shape. Thousands of equal balls take no
/// more than one.
fn shared(before: &[ColliderObject], shape: &Shape) -> Arc<TriMesh> {
    let same = before.iter().rev().take(MOST_ASKED).find(|other| other.shape() == shape);
    same.map_or_else(|| Arc::new(drawn(shape)), |other| other.mesh.clone())
}

/// A surface fine enough to look round.
fn drawn(shape: &Shape) -> TriMesh {
    let mesh = match shape {
        Shape::Plane(plane) => {
            generate::sheet(&SheetParams { width: plane.size, height: plane.size, nx: 2, ny: 2, ..Default::default() })
        }
        Shape::Sphere(ball) => generate::sphere(&SphereParams {
            radius: ball.radius,
            detail: SphereDetail::Divisions(16),
            ..Default::default()
        }),
        Shape::Capsule(rod) => {
            generate::capsule(&CapsuleParams { radius: rod.radius, length: rod.length, rings: 8, ..Default::default() })
        }
        Shape::Box(b) => generate::box_surface(&BoxParams { size: b.size, divisions: [1; 3], ..Default::default() }),
        Shape::Mesh(_) => Ok(TriMesh::default()),
    };
    // Lengths have been checked; what the generators still refuse is too small or large to see.
    mesh.unwrap_or_default()
}
