//! Constraints as batches of rows, and the one way to go over them.
//!
//! Elements of a kind are [packed](Batch::pack) into blocks, coloured so that no vertex that one moves is touched by
//! another of the same colour. That is proved here, once, by the only way to make a [`Batch`]. [`Sweep`] then hands
//! every worker its chunk of each colour, runs a [`LotKernel`] over it as many lanes wide as the CPU allows, and has
//! workers meet before the next colour. A kernel sees one [`Lot`] of elements at a time, takes their vertices from
//! arrays and puts them back; it knows nothing of blocks, colours, threads and places.

mod active;
mod batch;
pub(crate) mod bounded;
mod colour;
mod elements;
mod lot;
pub(crate) mod one_sided;
mod stop;
mod sweep;

pub use active::Active;
pub(crate) use active::{ActiveSet, BatchTiles, Marks, MoveBeside, Round, TILE, vertices_of};
pub use batch::{Batch, Block, Compliance, Elastic, Loose, Packed, SLACK};
pub(crate) use elements::LooseElements;
pub use elements::{Elements, Visit};
pub use lot::{Lot, PerBlock};
pub(crate) use lot::{edges, floored, move_vertices, point, weights};
pub(crate) use stop::{Stop, Stops};
pub use sweep::{Compiled, Hot, LaneChoice, Lean, LotKernel, Sweep};
