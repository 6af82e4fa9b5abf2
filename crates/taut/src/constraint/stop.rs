//! Where stretch ends, for solvers of all elements together.

use std::sync::Arc;

/// A triangle that is stiff from some strain on, along weft, along warp, and along the direction that is stretched most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    /// Ascending.
    pub corners: [u32; 3],
    /// The strains; infinite where nothing stops it.
    pub from: [f64; 3],
    /// How stiff, N/m.
    pub stiffness: [f64; 3],
}

/// Stops, ascending by corners. The same list has the same address.
pub(crate) type Stops = Arc<[Stop]>;
