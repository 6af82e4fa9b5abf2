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
//!
//! ```
//! use taut_scene::generate::{Plane, Rotation, SheetParams, Transform, sheet};
//!
//! // A flag of 1.5 × 1 m, hung by its left side and turned out of the xy-plane.
//! let params = SheetParams { width: 1.5, height: 1.0, nx: 46, ny: 31, plane: Plane::Xy, ..Default::default() };
//! let turn = Transform { rotate: Rotation::Euler { degrees: [0.0, 30.0, 0.0] }, ..Default::default() };
//! let flag = turn.tri_mesh(sheet(&params)?)?;
//! assert_eq!(flag.group("left").map(<[u32]>::len), Some(31));
//! # Ok::<(), taut_scene::generate::GenerateError>(())
//! ```

mod disc;
mod dress;
mod error;
mod frames;
mod geometry;
mod knot;
mod lattice;
pub(crate) mod nearest;
mod planar;
pub mod rng;
mod scatter;
mod sheet;
mod skin;
mod solid;
mod surface;
mod transform;
mod tube;
mod vec3;

pub use disc::{DiscParams, DiscTessellation, disc};
pub use dress::{DressParams, dress};
pub use error::{GenerateError, MAX_ELEMENTS, MAX_LENGTH, MIN_LENGTH};
pub use frames::{frames_along, frames_around, frames_from_surface};
pub use knot::{KnotParams, knot};
pub use planar::Plane;
pub use sheet::{SheetParams, Tessellation, sheet};
pub use skin::{SkinDirection, SkinParams, skin};
pub use solid::{BallParams, BeamParams, CellSplit, TorusParams, ball, beam, boundary_mesh, torus};
pub use surface::{BoxParams, CapsuleParams, SphereDetail, SphereParams, box_surface, capsule, sphere};
pub use transform::{Rotation, Transform};
pub use tube::{SkirtParams, SkirtPattern, TubeParams, skirt, tube};
