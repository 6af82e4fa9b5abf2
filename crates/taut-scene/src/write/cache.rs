//! Point caches: one streaming file per object, and beside it the rest mesh the points belong to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::obj::{rest_name, write_rest};
use super::{Clip, Frame, FrameWriter, Setup, WriteError};

/// One object's cache in the making.
pub(crate) trait PointCache: Send + Sized {
    /// Extension of its files, without the dot.
    const EXTENSION: &'static str;

    /// Begins the file `name`, with reserve for the frames that are planned.
    fn create(dir: &Path, name: &str, vertices: usize, plan: &Setup) -> Result<Self, WriteError>;

    /// Opens an earlier file and drops all frames from `start` on.
    fn resume(dir: &Path, name: &str, vertices: usize, plan: &Setup, start: usize) -> Result<Self, WriteError>;

    /// Appends a frame, or replaces the last one if it is tried again.
    fn append(&mut self, frame: usize, positions: &[[f64; 3]], time: f64) -> Result<(), WriteError>;

    /// Waits until all frames are on the disk.
    fn sync(&mut self) -> Result<(), WriteError>;

    /// Completes the file.
    fn finish(self) -> Result<PathBuf, WriteError>;
}

/// The caches of all objects of a clip.
struct Caches<C> {
    caches: Vec<C>,
    rest_meshes: Vec<PathBuf>,
}

fn name<C: PointCache>(clip: &Clip, object: usize) -> String {
    format!("{}.{}", clip.stem(object), C::EXTENSION)
}

/// The caches and rest meshes of all objects.
pub(crate) fn names<C: PointCache>(clip: &Clip) -> Vec<String> {
    (0..clip.objects().len()).flat_map(|object| [name::<C>(clip, object), rest_name(clip, object)]).collect()
}

/// Opens one cache per object, and writes the rest meshes.
pub(crate) fn open<C: PointCache + 'static>(
    clip: &Arc<Clip>,
    dir: &Path,
    start: usize,
) -> Result<Box<dyn FrameWriter>, WriteError> {
    let mut all = Caches::<C> { caches: Vec::new(), rest_meshes: Vec::new() };
    for (at, object) in clip.objects().iter().enumerate() {
        let name = name::<C>(clip, at);
        let (vertices, plan) = (object.rest.len(), clip.setup());
        all.caches.push(match start {
            0 => C::create(dir, &name, vertices, plan)?,
            _ => C::resume(dir, &name, vertices, plan, start)?,
        });
        all.rest_meshes.push(write_rest(dir, clip, at)?);
    }
    Ok(Box::new(all))
}

impl<C: PointCache> FrameWriter for Caches<C> {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        for (cache, object) in self.caches.iter_mut().zip(frame.objects) {
            cache.append(frame.index, object.positions, frame.time)?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.caches.iter_mut().try_for_each(C::sync)
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        let mut paths = self.caches.into_iter().map(C::finish).collect::<Result<Vec<_>, _>>()?;
        paths.extend(self.rest_meshes);
        Ok(paths)
    }
}
