//! Where stretch ends, for solvers of all elements together.

use std::sync::Arc;

/// A triangle that is stiff along weft and warp from some strain on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    /// Ascending.
    pub corners: [u32; 3],
    /// The strains; infinite where nothing stops it.
    pub from: [f64; 2],
    /// How stiff, N/m.
    pub stiffness: f64,
}

/// Stops, ascending by corners. The same list has the same address.
pub(crate) type Stops = Arc<[Stop]>;
