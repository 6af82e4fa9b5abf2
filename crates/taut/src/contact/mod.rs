//! Contact: of vertices with simple shapes, and of surfaces with everything.
//!
//! Vertices against simple shapes are in `simple`. Surfaces meet each other, themselves, meshes, and the edges and
//! corners of shapes in layers, each resting only on those before it:
//!
//! | layer | what it answers |
//! | --- | --- |
//! | [`distance`] | what is near |
//! | [`ccd`] | when moving features may first touch |
//! | [`bvh`], [`exact`] | which boxes overlap, what intersects |
//! | [`candidates`] | which pairs of features of whole surfaces may meet, and which are near |
//! | `row` | how a near pair is pushed apart, with friction |
//! | [`safety`] | which motion ends free of intersections |
//! | `untangle` | how what intersects comes apart |
//! | `pipeline` | what a step does with all these |
//!
//! All but the last are pure functions of plain arrays.

pub mod bvh;
pub mod candidates;
pub mod ccd;
pub mod distance;
pub mod exact;
mod kinematic;
pub(crate) mod pipeline;
mod report;
mod row;
pub mod safety;
mod settings;
mod shape;
mod simple;
pub mod surface;
mod untangle;

pub use pipeline::{Touch, Toucher};
pub use report::{Blockers, ContactReport};
pub use settings::{ColliderMesh, Contact, ContactMaterial, MeshCollider};
pub use shape::{Pose, Shape};
pub(crate) use simple::{Meeting, PlacedCollider, PushedVertices};

use crate::lanes::Scalar;

/// A shape that cloth and soft bodies cannot enter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// Its form.
    pub shape: Shape,
    /// Where it is at the start of a step.
    pub from: Pose,
    /// Where it is at the end of the step.
    pub to: Pose,
    /// Coulomb's coefficient of friction, static and kinetic.
    pub friction: f64,
    /// How far off its surface vertices stay, m.
    pub thickness: f64,
}

impl Collider {
    /// A shape that stays where it is, with friction 0.3 and 2 mm between it and the cloth.
    pub fn fixed(shape: Shape, pose: Pose) -> Self {
        Collider { shape, from: pose, to: pose, friction: 0.3, thickness: 0.002 }
    }

    /// Whether all its numbers can be computed with in precision `T`.
    pub fn sound<T: Scalar>(&self) -> bool {
        let finite = |c: &f64| T::of(*c).finite();
        let pose = |p: &Pose| p.position.iter().chain(&p.rotation).all(finite);
        let numbers = finite(&self.friction) && finite(&self.thickness) && self.friction >= 0.0;
        self.shape.sound::<T>() && pose(&self.from) && pose(&self.to) && numbers
    }
}

/// What friction may draw on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrictionBudget {
    /// All that has pressed in this substep, each time: for sweeps that bring one solve closer to its end.
    Substep,
    /// What this push presses. Who moves vertices after the solve meets contact more than once, and would be held each
    /// time by all that pressed before: by more than μ times the pressure in the end.
    Push,
}
