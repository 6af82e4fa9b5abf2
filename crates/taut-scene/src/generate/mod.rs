//! Meshes from a few numbers: sheets, discs, tubes, closed surfaces and soft bodies.
//!
//! Every generator is a pure function of a small parameter struct and returns a mesh or a [`GenerateError`] that
//! names the parameter at fault. Lengths are in metres, y points up.
//!
//! The same parameters give the same bits on every machine: randomness comes from [`rng::SplitMix64`] alone, and
//! trigonometry from the `libm` crate, never from the platform.
//!
//! Flat and unrolled meshes carry texture coordinates in metres, u along the weft and v along the warp, and u, v and
//! the triangles' normal are right-handed.

mod disc;
mod error;
mod lattice;
mod planar;
pub mod rng;
mod scatter;
mod sheet;
mod surface;
mod tube;
mod vec3;

pub use disc::{DiscParams, DiscTessellation, disc};
pub use error::{GenerateError, MAX_ELEMENTS, MAX_LENGTH, MIN_LENGTH};
pub use planar::Plane;
pub use sheet::{SheetParams, Tessellation, sheet};
pub use surface::{BoxParams, CapsuleParams, SphereDetail, SphereParams, box_surface, capsule, sphere};
pub use tube::{SkirtParams, SkirtPattern, TubeParams, skirt, tube};
