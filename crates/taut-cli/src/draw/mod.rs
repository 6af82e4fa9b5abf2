//! Pictures of a simulation: who is in them, seen from where, in which colours.

mod look;
mod shot;

pub use look::{Heat, Look, View};
pub use shot::Shot;

use crate::fail::Failure;
use std::path::{Path, PathBuf};
use taut_render::{Picture, export};
use taut_scene::write::atomic::AtomicFile;

/// Writes a picture as the PNG file `name` in `dir`, whole or not at all.
pub fn save(dir: &Path, name: &str, picture: &Picture) -> Result<PathBuf, Failure> {
    let mut file = AtomicFile::create(dir, name)?;
    export::png(&mut file, picture).map_err(Failure::io("write", &dir.join(name)))?;
    Ok(file.commit()?)
}
