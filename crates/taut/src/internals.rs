//! What the engine is made of, layer by layer: for its own tests and benchmarks, and for those who build something else
//! of its parts.
//!
//! **No promise**: anything here may change or go with any release. What a program needs to simulate is in the crate's
//! root.

/// Numbers and lanes.
pub mod lanes {
    pub use crate::lanes::*;
}

/// Threads that work side by side.
pub mod team {
    pub use crate::team::*;
}

/// Rows, written once for each kind of element.
pub mod element {
    pub use crate::element::*;
}

/// Batches of rows, and the one way to go over them.
pub mod constraint {
    pub use crate::constraint::*;
}

/// Solvers.
pub mod solve {
    pub use crate::solve::*;
}

/// What strain limits do to one element.
pub mod limit {
    pub use crate::limit::csl::{Polar, element_correction, polar};
}

/// Contact: distances, exact predicates, box trees, continuous detection, candidates, the safety pass.
pub mod contact {
    pub use crate::contact::*;
}
