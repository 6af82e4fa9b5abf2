//! The generators' promises: shape, topology, orientation, pattern, groups, and an error for every bad parameter.

mod check;
mod disc;
mod dress;
mod frames;
mod golden;
mod knot;
mod sheet;
mod skin;
mod solid;
mod surface;
mod transform;
mod tube;
