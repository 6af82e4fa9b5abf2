//! Formats with one file per object and frame: `NAME_0000.obj`, `NAME_0001.obj`…

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::atomic::{inside, remove_if_there, remove_leftover, subfolder, write_atomic};
use super::{Clip, Frame, FrameWriter, ObjectFrame, WriteError};

/// One object in one frame, with all that a file of it needs.
pub(crate) struct Part<'a> {
    pub(crate) clip: &'a Clip,
    /// Which object.
    pub(crate) object: usize,
    /// The object in this frame.
    pub(crate) frame: &'a ObjectFrame<'a>,
}

/// Writes the files of a sequence into a folder of its own, named after the extension.
pub(crate) struct Sequence {
    clip: Arc<Clip>,
    folder: PathBuf,
    extension: &'static str,
    encode: fn(&Part) -> Vec<u8>,
    paths: Vec<PathBuf>,
}

/// Opens a sequence as a writer of its own.
pub(crate) fn open_sequence(
    clip: &Arc<Clip>,
    dir: &Path,
    start: usize,
    extension: &'static str,
    encode: fn(&Part) -> Vec<u8>,
) -> Result<Box<dyn FrameWriter>, WriteError> {
    Ok(Box::new(Sequence::open(clip, dir, start, extension, encode)?))
}

impl Sequence {
    /// Opens the folder `dir`/`extension`, keeps the files before `start` and removes those an earlier run left after.
    pub(crate) fn open(
        clip: &Arc<Clip>,
        dir: &Path,
        start: usize,
        extension: &'static str,
        encode: fn(&Part) -> Vec<u8>,
    ) -> Result<Self, WriteError> {
        let folder = subfolder(dir, extension)?;
        let mut sequence = Self { clip: clip.clone(), folder, extension, encode, paths: Vec::new() };
        for frame in 0..start {
            for object in 0..clip.objects().len() {
                let path = inside(&sequence.folder, &sequence.name(object, frame))?;
                if !path.is_file() {
                    return Err(WriteError::resume(&path, "the file is missing"));
                }
                sequence.paths.push(path);
            }
        }
        sequence.remove_from(start)?;
        Ok(sequence)
    }

    /// The name of a file. No two are alike, since stems are not and the number always comes last.
    pub(crate) fn name(&self, object: usize, frame: usize) -> String {
        let number = frame + self.clip.setup().first_frame as usize;
        format!("{}_{number:04}.{}", self.clip.stem(object), self.extension)
    }

    /// Without this, a shorter run would leave the tail of a longer one behind, and a player would show both.
    fn remove_from(&self, start: usize) -> Result<(), WriteError> {
        for object in 0..self.clip.objects().len() {
            for frame in start.. {
                let name = self.name(object, frame);
                remove_leftover(&self.folder, &name)?;
                let path = inside(&self.folder, &name)?;
                if path.symlink_metadata().is_err() {
                    break;
                }
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }
}

impl FrameWriter for Sequence {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        // Counted from the start of the frame, so that a frame tried again does not appear twice.
        self.paths.truncate(frame.index * self.clip.objects().len());
        for (object, given) in frame.objects.iter().enumerate() {
            let bytes = (self.encode)(&Part { clip: &self.clip, object, frame: given });
            self.paths.push(write_atomic(&self.folder, &self.name(object, frame.index), &bytes)?);
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        // Every file is on the disk before it gets its name.
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        Ok(self.paths)
    }
}

#[cfg(test)]
mod tests {
    use crate::write::WriteError;
    use crate::write::testing::{Fixture, TempDir};

    #[test]
    fn a_shorter_run_leaves_no_tail_of_a_longer_one() {
        let dir = TempDir::new("sequence_tail");
        Fixture::triangle().write("ply", dir.path(), 0..5).unwrap();
        std::fs::write(dir.path().join("ply/other.ply"), "not ours").unwrap();
        std::fs::write(dir.path().join("ply/tri_0005.ply.tmp"), "left by a kill").unwrap();
        let paths = Fixture::triangle().write("ply", dir.path(), 0..2).unwrap();
        assert_eq!(paths.len(), 2);
        let mut names: Vec<_> =
            std::fs::read_dir(dir.path().join("ply")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["other.ply", "tri_0000.ply", "tri_0001.ply"]);
    }

    #[test]
    fn a_sequence_continues_only_if_its_files_are_there() {
        let dir = TempDir::new("sequence_resume");
        let fixture = Fixture::triangle();
        fixture.write_unfinished("obj", dir.path(), 0..4).unwrap();
        assert_eq!(fixture.write("obj", dir.path(), 2..3).unwrap().len(), 3);
        assert!(!dir.path().join("obj/tri_0003.obj").exists());
        std::fs::remove_file(dir.path().join("obj/tri_0001.obj")).unwrap();
        let error = fixture.write("obj", dir.path(), 2..3).unwrap_err();
        assert!(matches!(error, WriteError::Resume { .. }) && error.to_string().contains("tri_0001.obj"), "{error}");
    }

    #[test]
    fn a_frame_that_failed_can_be_tried_again() {
        let dir = TempDir::new("sequence_retry");
        let fixture = Fixture::both();
        let mut writer = fixture.write_unfinished("obj", dir.path(), 0..1).unwrap();
        let obstacle = dir.path().join("obj/body_0001.obj");
        std::fs::create_dir(&obstacle).unwrap();
        assert!(matches!(fixture.write_frame(writer.as_mut(), 1), Err(WriteError::Io { .. })));
        assert!(!dir.path().join("obj/body_0001.obj.tmp").exists());
        std::fs::remove_dir(&obstacle).unwrap();
        fixture.write_frame(writer.as_mut(), 1).unwrap();
        let paths = writer.finish().unwrap();
        assert_eq!(paths.len(), 4);
        assert!(paths.iter().all(|path| path.is_file()));
    }
}
