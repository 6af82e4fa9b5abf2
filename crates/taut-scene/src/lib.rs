//! What surrounds the engine: meshes from files and generators, scene files, and the files a run leaves behind.

pub mod fabric;
pub mod garment;
pub mod generate;
pub mod inspect;
pub mod read;
pub mod scene;
pub mod simulation;
pub mod write;
