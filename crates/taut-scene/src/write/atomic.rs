//! Files that appear whole or not at all, and only inside the folder they were meant for.
//!
//! A file is written under a temporary name in its own folder, flushed to the disk, and then renamed: a rename
//! within one folder replaces the old file in a single step. Whoever looks sees the old file or the new one, never a
//! part. A temporary file that is not committed is removed when it is dropped; one that a kill left behind is
//! removed by the next attempt, since the temporary name depends only on the final one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use super::WriteError;

/// A file in the making. Write to it, then [`commit`](Self::commit); dropping it instead leaves no trace.
pub struct AtomicFile {
    /// Always present until `commit` takes it.
    file: Option<BufWriter<File>>,
    temporary: PathBuf,
    target: PathBuf,
}

impl AtomicFile {
    /// Begins the file `name` in the folder `dir`. `name` must be a plain file name.
    pub fn create(dir: &Path, name: &str) -> Result<Self, WriteError> {
        let target = inside(dir, name)?;
        let temporary = temporary(dir, name)?;
        // Removed rather than truncated: what stands there may be a link to somewhere else.
        remove_if_there(&temporary)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(WriteError::io("create", &temporary))?;
        Ok(Self { file: Some(BufWriter::with_capacity(1 << 16, file)), temporary, target })
    }

    /// Where the file will stand once committed.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes over bytes that were put before, and goes on at the end.
    pub(crate) fn put_at(&mut self, at: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let file = self.file.as_mut().expect("only commit takes the file");
        let done = file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes));
        done.and_then(|()| file.seek(SeekFrom::End(0))).map_err(WriteError::io("write", &self.target)).map(drop)
    }

    /// Flushes everything to the disk and gives the file its name.
    pub fn commit(self) -> Result<PathBuf, WriteError> {
        let target = self.target.clone();
        self.commit_open().map(|_| target)
    }

    /// Like [`commit`](Self::commit), and hands back the file, still open for reading and writing.
    pub fn commit_open(mut self) -> Result<File, WriteError> {
        let writer = self.file.take().expect("only commit takes the file");
        let file = writer.into_inner().map_err(|e| WriteError::io("write", &self.temporary)(e.into_error()))?;
        file.sync_all().map_err(WriteError::io("write", &self.temporary))?;
        fs::rename(&self.temporary, &self.target).map_err(WriteError::io("create", &self.target))?;
        // The name now belongs to the target: nothing is left for `drop` to remove.
        self.temporary = PathBuf::new();
        Ok(file)
    }

    /// Writes the bytes, with errors that name the file.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.write_all(bytes).map_err(WriteError::io("write", &self.target))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().expect("only commit takes the file").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().expect("only commit takes the file").flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.temporary.as_os_str().is_empty() {
            drop(self.file.take());
            // Nobody is left to tell; the next attempt removes it again.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes the whole file `name` in the folder `dir` in one go, and says where it stands.
pub fn write_atomic(dir: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    let mut file = AtomicFile::create(dir, name)?;
    file.put(bytes)?;
    file.commit()
}

/// The path of `name` in `dir`, refused unless `name` is one plain name: no separators, no `..`, not empty.
pub fn inside(dir: &Path, name: &str) -> Result<PathBuf, WriteError> {
    let mut parts = Path::new(name).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    if plain && !name.contains(['/', '\\', ':', '\0']) {
        return Ok(dir.join(name));
    }
    Err(WriteError::setup(None, format!("{name:?} is not a plain file name inside {}", dir.display())))
}

/// The folder `name` inside `dir`, created if need be. A link is refused: it may lead out of the folder.
pub fn subfolder(dir: &Path, name: &str) -> Result<PathBuf, WriteError> {
    let path = inside(dir, name)?;
    fs::create_dir_all(dir).map_err(WriteError::io("create", dir))?;
    match fs::symlink_metadata(&path) {
        Ok(meta) if meta.is_dir() => return Ok(path),
        Ok(_) => {
            let taken = io::Error::new(io::ErrorKind::AlreadyExists, "something else than a folder has this name");
            return Err(WriteError::io("create", &path)(taken));
        }
        Err(_) => fs::create_dir(&path).map_err(WriteError::io("create", &path))?,
    }
    Ok(path)
}

/// Removes the temporary file that a kill may have left while `name` was being written.
pub fn remove_leftover(dir: &Path, name: &str) -> Result<(), WriteError> {
    remove_if_there(&temporary(dir, name)?)
}

fn temporary(dir: &Path, name: &str) -> Result<PathBuf, WriteError> {
    inside(dir, &format!("{name}.tmp"))
}

/// Removes a file; that there is none is no error.
pub fn remove_if_there(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(WriteError::io("remove", path)(e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::testing::TempDir;

    #[test]
    fn the_file_appears_only_with_the_commit() {
        let dir = TempDir::new("atomic");
        let mut file = AtomicFile::create(dir.path(), "a.txt").unwrap();
        file.put(b"half").unwrap();
        assert!(!dir.path().join("a.txt").exists());
        file.put(b" and half").unwrap();
        let path = file.commit().unwrap();
        assert_eq!(fs::read(path).unwrap(), b"half and half");
        assert_eq!(dir.names(), ["a.txt"]);
    }

    #[test]
    fn dropping_leaves_the_old_file_and_no_temporary() {
        let dir = TempDir::new("atomic_drop");
        write_atomic(dir.path(), "a.txt", b"old").unwrap();
        let mut file = AtomicFile::create(dir.path(), "a.txt").unwrap();
        file.put(b"new").unwrap();
        drop(file);
        assert_eq!(dir.names(), ["a.txt"]);
        assert_eq!(fs::read(dir.path().join("a.txt")).unwrap(), b"old");
    }

    #[test]
    fn a_failed_rename_leaves_no_temporary() {
        let dir = TempDir::new("atomic_rename");
        fs::create_dir(dir.path().join("taken")).unwrap();
        assert!(matches!(write_atomic(dir.path(), "taken", b"x"), Err(WriteError::Io { .. })));
        assert_eq!(dir.names(), ["taken"]);
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let dir = TempDir::new("atomic_names");
        for name in ["", ".", "..", "../a", "/etc/a", "a/b", "a\\b", "c:a", "a/", "./a", "a\0"] {
            assert!(matches!(write_atomic(dir.path(), name, b""), Err(WriteError::Setup { .. })), "{name:?}");
        }
        assert!(dir.names().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_link_is_replaced_not_followed() {
        let dir = TempDir::new("atomic_link");
        fs::create_dir(dir.path().join("out")).unwrap();
        let victim = dir.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, dir.path().join("out/a.tmp")).unwrap();
        std::os::unix::fs::symlink(&victim, dir.path().join("out/a")).unwrap();
        write_atomic(&dir.path().join("out"), "a", b"new").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        std::os::unix::fs::symlink(dir.path(), dir.path().join("out/sub")).unwrap();
        assert!(subfolder(&dir.path().join("out"), "sub").is_err());
    }
}
