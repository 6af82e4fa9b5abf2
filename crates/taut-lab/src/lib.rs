//! A textile laboratory: what a fabric does is measured by the tests that a laboratory for textiles would make, and set
//! beside what was put in.
//!
//! Every test writes a scene, as a person could, lets it come to rest or swing, and measures positions and energies. No
//! test looks into the engine: what it finds depends on the engine as a whole. `docs/measured/lab.md` tells what they
//! found.
//!
//! ```
//! use taut_lab::{Cloth, Machine, tensile};
//!
//! let denim = Cloth::named("denim")?;
//! let machine = Machine { cells: 3, ..Machine::default() };
//! let moduli = tensile::moduli(&denim, &machine)?;
//! assert!((moduli.weft / 410.5 - 1.0).abs() < 0.01);
//! # Ok::<(), taut_lab::LabError>(())
//! ```

pub mod bend;
pub mod certificate;
pub mod drape;
mod draw;
pub mod elastica;
mod error;
mod gauge;
mod machine;
mod rest;
pub mod shadow;
pub mod shear;
mod specimen;
pub mod swing;
pub mod tensile;

pub use error::LabError;
pub use machine::{Cut, Machine, Solver};
pub use rest::Rest;
pub use specimen::Cloth;
pub use taut_studio::{Finding, Outcome, Table, Tolerance};

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.81;
