//! taut: cloth and soft bodies whose stretch you control.
//!
//! A [`ModelBuilder`] takes meshes with materials ([`Cloth`], [`Solid`], or a named [`fabric`]) and makes a [`Model`],
//! frozen and shared; a [`State`] is what changes; [`step()`] advances it by a time, with [`Params`], and returns a
//! [`StepReport`]. Strain limiters are in [`limit`], as part of a model and as filters behind any simulator; meters in
//! [`measure`]. Lengths are in m, masses in kg, times in s.
//!
//! ```
//! use taut::{Cloth, ModelBuilder, Params, Scratch, State, fabric::Fabric, mesh::TriMesh, step};
//!
//! let mesh = TriMesh {
//!     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]],
//!     triangles: vec![[0, 2, 1], [1, 2, 3]],
//!     ..TriMesh::default()
//! };
//! let mut builder = ModelBuilder::new();
//! builder.add_cloth("flag", &mesh, &Cloth::from(Fabric::named("cotton").unwrap()))?;
//! let model = builder.build::<f32>()?;
//! let mut state = State::new(&model);
//! state.set_pins(&model, &[0, 1]);
//! let mut scratch = Scratch::new(1);
//! let report = step(&model, &mut state, &mut scratch, &Params::default(), 1.0 / 60.0);
//! assert_eq!(report.problem, None);
//! let mut positions = [[0.0f32; 3]; 4];
//! state.positions_into(&model, &mut positions);
//! # Ok::<(), taut::BuildError>(())
//! ```

#![cfg_attr(not(feature = "global"), allow(dead_code))]

mod boundary;
mod builder;
mod constraint;
mod contact;
mod eigen;
mod element;
pub mod fabric;
pub mod internals;
mod lanes;
mod levels;
pub mod limit;
pub mod measure;
pub mod mesh;
mod model;
mod sets;
mod solve;
mod state;
mod step;
mod team;

pub use builder::{
    Bending, BuildError, Cloth, ClothDamping, ClothElasticity, ClothStiffness, ElasticDamping, Grain, Membrane,
    ModelBuilder, Oddity, Orthotropic, RestShape, Solid, SolidElasticity, SolidStiffness, StrainForm, Warning,
};
pub use contact::{
    Blockers, Collider, ColliderMesh, Contact, ContactMaterial, ContactReport, MeshCollider, Pose, Shape,
};
pub use lanes::{Scalar, Width};
pub use levels::{Inextensibility, InextensibilityReport, MissedBound};
pub use model::{Body, BodyKind, Model};
pub use solve::Solver;
pub use solve::aero::Air;
pub use solve::scheme::Integrator;
pub use solve::user::{Constraint, ConstraintRow, RowSide, RowStrength, gradient_error};
pub use state::State;
pub use step::{LeftOut, Params, Precision, Problem, Scratch, Stage, StepReport, step};
