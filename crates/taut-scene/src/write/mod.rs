//! Writing animations: one file per format, one list of formats, one trait for all of them.
//!
//! A [`Clip`] says what is written (objects, frame rate); [`FORMATS`] says how. Open a writer per format, hand every
//! [`Frame`] to each, and finish them:
//!
//! ```
//! use taut_scene::write::{Clip, Frame, ObjectFrame, ObjectInfo, Setup, format};
//!
//! # fn main() -> Result<(), taut_scene::write::WriteError> {
//! # let dir = std::env::temp_dir().join(format!("taut-doc-{}", std::process::id()));
//! let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
//! let object = ObjectInfo { name: "sheet".into(), rest, triangles: vec![[0, 2, 1]], ..Default::default() };
//! let clip = Clip::new(Setup { objects: vec![object], fps: 24.0, planned_frames: 2, ..Default::default() })?;
//! let mut writer = format("pc2").expect("a known format").open(&clip, &dir, 0)?;
//! for index in 0..2 {
//!     let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, index as f64, 1.0]];
//!     let objects = [ObjectFrame { positions: &positions, ..Default::default() }];
//!     writer.frame(&Frame { index, time: index as f64 / 24.0, objects: &objects })?;
//! }
//! assert!(writer.finish()?[0].ends_with("sheet.pc2"));
//! # let _ = std::fs::remove_dir_all(dir);
//! # Ok(())
//! # }
//! ```
//!
//! Two kinds of files. **Streaming** ones (PC2, MDD) grow frame by frame and stay readable up to the last full frame
//! whenever the process dies. All **others** appear whole or not at all, see [`atomic`]; Alembic, USD and GLB, which
//! must be written in one go, gather their frames in a spool file beside them (`scene.usda.spool`), so that a run can
//! be taken up again. [`FrameWriter::sync`] before every checkpoint makes sure that the frames before it are on disk.
//!
//! Nothing here depends on the clock or the machine: the same frames give the same bytes.

mod alembic;
pub mod atomic;
mod cache;
pub mod checkpoint;
mod clip;
mod error;
mod glb;
#[cfg(test)]
mod glb_tests;
pub(crate) mod hash;
pub mod mdd;
mod names;
mod obj;
mod pc2;
mod ply;
mod record;
mod sequence;
mod spool;
mod surface;
#[cfg(test)]
mod testing;
mod usd;
mod vtu;
mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use checkpoint::{Array, Checkpoint, CheckpointError};
pub use clip::{Clip, Details, FieldInfo, FieldOn, Frame, ObjectFrame, ObjectInfo, Setup, UpAxis};
pub use error::WriteError;
pub use names::{identifiers, stem_of};
pub use surface::vertex_normals;

/// Takes the frames of a clip, one after another.
pub trait FrameWriter: Send {
    /// Writes one frame. After an error the same frame may be tried again.
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError>;

    /// Puts all frames so far safely on the disk, so that a checkpoint may rely on them.
    fn sync(&mut self) -> Result<(), WriteError>;

    /// Completes the output with the frames there were and says which files it made.
    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, WriteError>;
}

/// What a format's module gives: a writer that begins at a frame.
type Open = fn(&Arc<Clip>, &Path, usize) -> Result<Box<dyn FrameWriter>, WriteError>;

/// What a format holds beside positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing.
    Positions,
    /// What [`Setup::details`] asks for.
    Asked,
    /// Velocities and all fields.
    All,
}

/// A file format for animations.
pub struct Format {
    /// What people call it by, in scene files and on the command line.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// What it holds beside positions.
    pub holds: Holds,
    /// The files it makes, as a person would write them.
    pub files: &'static str,
    /// The file that gathers frames for an output that is written in one go; it is gone when the output is complete.
    pub spool: Option<&'static str>,
    names: fn(&Clip) -> Vec<String>,
    check: fn(&Clip) -> Result<(), WriteError>,
    open: Open,
}

/// Every format there is.
pub static FORMATS: &[Format] = &[
    pc2::FORMAT,
    mdd::FORMAT,
    alembic::FORMAT,
    usd::FORMAT,
    usd::BINARY_FORMAT,
    glb::FORMAT,
    obj::FORMAT,
    ply::FORMAT,
    vtu::FORMAT,
];

/// The format with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

impl Format {
    /// What it takes beside positions from a clip that asks for some details.
    pub fn wants(&self, asked: Details) -> Details {
        match self.holds {
            Holds::Positions => Details::default(),
            Holds::Asked => asked,
            Holds::All => Details::ALL,
        }
    }

    /// Whether the format can hold the clip as planned. [`open`](Self::open) checks this too.
    pub fn check(&self, clip: &Clip) -> Result<(), WriteError> {
        (self.check)(clip)
    }

    /// The files that the format makes in the clip's folder itself, the most telling first. Sequences have folders of
    /// their own, in which they replace nothing but their own names.
    pub fn file_names(&self, clip: &Clip) -> Vec<String> {
        (self.names)(clip)
    }

    /// Opens the clip for writing in the folder `dir`, which is created if need be.
    ///
    /// With `start` 0 it begins anew and replaces what an earlier run left. With any other `start` it continues an
    /// earlier run: frames before `start` are kept, all others dropped, and `start` is the next frame expected.
    pub fn open(&'static self, clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
        self.check(clip)?;
        std::fs::create_dir_all(dir).map_err(WriteError::io("create", dir))?;
        let inner = (self.open)(clip, dir, start)?;
        Ok(Box::new(clip::Checked { clip: clip.clone(), format: self, inner, next: start, last_time: None }))
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}

/// For formats without limits.
fn anything(_: &Clip) -> Result<(), WriteError> {
    Ok(())
}
