//! Colliders: their poses over time, for the engine and for pictures.

use super::motion::collider_pose;
use crate::generate::{self, BoxParams, CapsuleParams, SheetParams, SphereDetail, SphereParams};
use crate::scene::settings::{Collider, Colour, Shape};
use taut::Pose;
use taut::mesh::TriMesh;

/// A collider as pictures show it.
#[derive(Clone, Debug)]
pub struct ColliderObject {
    /// What the scene calls it, or `collider 0` and so on.
    pub name: String,
    /// Its surface at its own origin, m. Of a plane, which has no end, only a part.
    pub mesh: TriMesh,
    /// Whether it is a plane, which pictures may rather show as a floor.
    pub plane: bool,
    /// Colour, if the scene asks for one.
    pub colour: Option<Colour>,
    /// Whether the scene wants it shown.
    pub visible: bool,
    pub(super) source: Collider,
}

impl ColliderObject {
    pub(super) fn new(at: usize, collider: &Collider) -> Self {
        ColliderObject {
            name: collider.name.clone().unwrap_or_else(|| format!("collider {at}")),
            mesh: surface(&collider.shape),
            plane: matches!(collider.shape, Shape::Plane(_)),
            colour: collider.colour,
            visible: collider.visible,
            source: collider.clone(),
        }
    }

    /// Where it is at a time, s.
    pub fn pose(&self, time: f64) -> Pose {
        collider_pose(&self.source, time)
    }

    /// As the engine has it, in a step from one time to another, s.
    pub(super) fn during(&self, from: f64, to: f64) -> taut::Collider {
        let shape = match &self.source.shape {
            Shape::Plane(_) => taut::Shape::Plane,
            Shape::Sphere(ball) => taut::Shape::Sphere { radius: ball.radius },
            Shape::Capsule(rod) => taut::Shape::Capsule { radius: rod.radius, half_length: 0.5 * rod.length },
            Shape::Box(b) => taut::Shape::Box { half: b.size.map(|edge| 0.5 * edge) },
        };
        let (friction, thickness) = (self.source.friction, self.source.thickness);
        taut::Collider { shape, from: self.pose(from), to: self.pose(to), friction, thickness }
    }
}

/// A surface fine enough to look round.
fn surface(shape: &Shape) -> TriMesh {
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
    };
    // Lengths have been checked; what the generators still refuse is too small or large to see.
    mesh.unwrap_or_default()
}
