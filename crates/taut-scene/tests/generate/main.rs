//! The generators' promises: shape, topology, orientation, pattern, groups, and an error for every bad parameter.

mod check;
mod disc;
mod frames;
mod golden;
mod sheet;
mod skin;
mod solid;
mod surface;
mod transform;
mod tube;
