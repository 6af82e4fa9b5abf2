//! Files of equal records that may be cut off at any moment.
//!
//! A header, then records of one length. A record counts only once its *commit mark*, a few bytes in the header, has
//! been written, and that happens after the record itself. A process killed in between leaves bytes behind the last
//! record that nobody looks at; the next record overwrites them.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::WriteError;
use super::atomic::{AtomicFile, inside, remove_leftover};

/// A file of equal records behind a header.
pub(crate) struct RecordFile {
    file: File,
    pub(crate) path: PathBuf,
    /// Where the first record begins: the length of the header, bytes.
    pub(crate) data_start: u64,
    /// Length of a record, bytes.
    pub(crate) record_len: u64,
    /// How many records are committed.
    pub(crate) count: u64,
}

impl RecordFile {
    /// Creates the file, replacing any other of that name. It is never seen without its header.
    pub(crate) fn create(dir: &Path, name: &str, header: &[u8], record_len: usize) -> Result<Self, WriteError> {
        let mut file = AtomicFile::create(dir, name)?;
        file.put(header)?;
        Self::adopt(file, header.len() as u64, record_len as u64, 0)
    }

    /// Commits a file that already holds a header and `count` records.
    pub(crate) fn adopt(file: AtomicFile, data_start: u64, record_len: u64, count: u64) -> Result<Self, WriteError> {
        let path = file.target().to_path_buf();
        Ok(Self { file: file.commit_open()?, path, data_start, record_len, count })
    }

    /// Opens an earlier file to continue it. Its header is the caller's to read; a link is refused.
    pub(crate) fn reopen(dir: &Path, name: &str) -> Result<Self, WriteError> {
        let path = inside(dir, name)?;
        remove_leftover(dir, name)?;
        let kind = fs::symlink_metadata(&path).map_err(WriteError::io("open", &path))?;
        if !kind.is_file() {
            return Err(WriteError::resume(&path, "it is not a plain file"));
        }
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(WriteError::io("open", &path))?;
        Ok(Self { file, path, data_start: 0, record_len: 0, count: 0 })
    }

    /// Appends a record, and only then writes the commit mark at its place in the header.
    pub(crate) fn append(&mut self, record: &[u8], mark_at: u64, mark: &[u8]) -> Result<(), WriteError> {
        debug_assert_eq!(record.len() as u64, self.record_len);
        self.write_at(self.end(), record)?;
        self.write_at(mark_at, mark)?;
        self.count += 1;
        Ok(())
    }

    /// Drops whatever stands behind the committed records.
    pub(crate) fn cut(&mut self) -> Result<(), WriteError> {
        self.set_len(self.end())
    }

    /// Cuts the file, or extends it with zeros.
    pub(crate) fn set_len(&mut self, len: u64) -> Result<(), WriteError> {
        self.file.set_len(len).map_err(WriteError::io("write", &self.path))
    }

    /// Waits until everything is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), WriteError> {
        self.file.sync_data().map_err(WriteError::io("write", &self.path))
    }

    /// How many whole records the file has room for, whether committed or not.
    pub(crate) fn records_within(&self) -> Result<u64, WriteError> {
        let behind = self.len()?.saturating_sub(self.data_start);
        Ok(behind / self.record_len.max(1))
    }

    /// Length of the file, bytes.
    pub(crate) fn len(&self) -> Result<u64, WriteError> {
        Ok(self.file.metadata().map_err(WriteError::io("read", &self.path))?.len())
    }

    /// Where the next record goes.
    pub(crate) fn end(&self) -> u64 {
        self.data_start + self.count * self.record_len
    }

    pub(crate) fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let seek = self.file.seek(SeekFrom::Start(at));
        seek.and_then(|_| self.file.write_all(bytes)).map_err(WriteError::io("write", &self.path))
    }

    pub(crate) fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), WriteError> {
        let seek = self.file.seek(SeekFrom::Start(at));
        seek.and_then(|_| self.file.read_exact(bytes)).map_err(WriteError::io("read", &self.path))
    }

    /// Copies the committed records to another file.
    pub(crate) fn copy_records(&mut self, to: &mut AtomicFile) -> Result<(), WriteError> {
        let seek = self.file.seek(SeekFrom::Start(self.data_start));
        seek.map_err(WriteError::io("read", &self.path))?;
        let mut records = Read::take(&self.file, self.count * self.record_len);
        std::io::copy(&mut records, to).map_err(WriteError::io("write", &self.path))?;
        Ok(())
    }
}
