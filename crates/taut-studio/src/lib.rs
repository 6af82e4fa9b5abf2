//! What taut's program, laboratory, papers and viewer share, once.
//!
//! - [`Shot`] is a simulation at a moment, ready to draw; [`Heat`] says what colours show of it.
//! - [`Look`] draws shots of a simulation from one camera, [`Surface`] and [`Framed`] draw anything else.
//! - [`Outcome`] is what came of a run: [`Claim`]s and [`Finding`]s, [`Table`]s, [`Figure`]s, notes.
//! - [`SweepRun`] is one run of a sweep, with a name that says all it depends on.
//! - [`warnings`] are what a person should know before trusting a simulation.
//! - [`Running`] is a model under way without a scene; [`Progress`] says how far a long job is.

mod heat;
mod look;
mod outcome;
mod progress;
mod running;
mod shot;
mod surface;
mod sweep;
mod table;
mod warnings;

pub use heat::{Heat, painted, vertex_means};
pub use look::{HeatMap, Look, Viewpoint};
pub use outcome::{Claim, Figure, Finding, Outcome, Tolerance, Verdict};
pub use progress::{Progress, advance_to, duration};
pub use running::Running;
pub use shot::Shot;
pub use surface::{Framed, Surface, rgb, surfaces};
pub use sweep::SweepRun;
pub use table::{Table, markdown_row};
pub use warnings::{contained, warnings};

use std::path::{Path, PathBuf};
use taut_render::{Picture, export};
use taut_scene::write::WriteError;
use taut_scene::write::atomic::write_atomic;

/// The bytes of a picture as a PNG file.
pub fn png(picture: &Picture) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and a picture has at least a pixel.
    let _ = export::png(&mut bytes, picture);
    bytes
}

/// Writes a picture as the PNG file `name` in `dir`, whole or not at all.
pub fn save(dir: &Path, name: &str, picture: &Picture) -> Result<PathBuf, WriteError> {
    write_atomic(dir, name, &png(picture))
}
