//! taut: cloth and soft bodies whose stretch you control.

pub mod boundary;
mod builder;
pub mod constraint;
pub mod contact;
mod eigen;
pub mod element;
pub mod fabric;
pub mod lanes;
mod levels;
pub mod limit;
pub mod measure;
pub mod mesh;
mod model;
pub mod solve;
mod state;
mod step;
pub mod team;

pub use builder::{
    Bending, BuildError, Cloth, ClothDamping, ClothElasticity, ClothStiffness, ElasticDamping, Grain, Membrane,
    ModelBuilder, Oddity, Orthotropic, Solid, SolidElasticity, SolidStiffness, StrainForm, Warning,
};
pub use constraint::{Elements, Visit};
pub use contact::{Collider, ColliderMesh, Contact, ContactMaterial, ContactReport, MeshCollider, Pose, Shape};
pub use levels::{Inextensibility, InextensibilityReport};
pub use model::{Body, BodyKind, Model};
pub use solve::Solver;
pub use solve::aero::Air;
pub use solve::scheme::Integrator;
pub use state::State;
pub use step::{Params, Precision, Scratch, Stage, StepReport, step};
