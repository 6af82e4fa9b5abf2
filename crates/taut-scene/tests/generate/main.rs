//! The generators' promises: shape, topology, orientation, pattern, groups, and an error for every bad parameter.

mod check;
mod disc;
mod sheet;
mod surface;
mod tube;
