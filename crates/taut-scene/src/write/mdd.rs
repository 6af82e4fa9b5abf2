//! MDD point caches, big-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | frames F |
//! | 4 | vertices |
//! | 4 F | the time of each frame, s, as floats |
//! | 12 each | x, y, z as floats; vertex by vertex, frame by frame |
//!
//! Where the points begin depends on F, so F cannot grow with the frames: every point would have to move. A file in
//! the making therefore has the planned number as F, and the **times are the commit marks**: until a frame has landed,
//! its time is [`UNWRITTEN`]. A reader that knows this sees exactly the full frames. Blender, which does not, reads
//! every full frame just the same; after them, in its "Seconds" mode it holds the last one, since all others lie at
//! the end of time, and in its "Frame" mode it finds all points at the origin. (The file has its full length from the
//! start, mostly as a hole that takes no space; were it shorter, Blender would show uninitialised memory.)
//! Finishing, also after a Ctrl-C, rewrites the file with the true F, and [`trim`] does so for a file that a kill left.
//!
//! Rejected: rewriting the file with each frame, or filling the missing frames with copies of the last one: the bytes
//! written grow with the square of the length.

use std::path::{Path, PathBuf};

use super::atomic::AtomicFile;
use super::cache::{self, PointCache};
use super::record::RecordFile;
use super::{Format, Holds, Setup, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "mdd",
    about: "point cache for Blender's Mesh Cache modifier and others; grows frame by frame",
    holds: Holds::Positions,
    files: "NAME.mdd and the rest mesh NAME.obj",
    names: cache::names::<Mdd>,
    spool: None,
    check: super::anything,
    open: cache::open::<Mdd>,
};

/// The time of a frame that has not been written yet.
pub const UNWRITTEN: f32 = f32::MAX;

/// Gives a file that a kill left behind the number of frames it really has, and returns that number.
///
/// The file is replaced in one step. A file that is complete stays as it is.
pub fn trim(path: &Path) -> Result<usize, WriteError> {
    let dir = path.parent().unwrap_or(Path::new(""));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(WriteError::resume(path, "its name is not valid Unicode"));
    };
    let mut cache = Mdd::reopen(dir, name)?;
    if cache.records.count == 0 {
        return Err(WriteError::resume(path, "it has no full frame"));
    }
    cache.set_slots(cache.records.count)?;
    Ok(cache.records.count as usize)
}

const TIMES_AT: u64 = 8;

struct Mdd {
    dir: PathBuf,
    name: String,
    records: RecordFile,
    /// F: how many frames the table of times has room for.
    slots: u64,
    buffer: Vec<u8>,
}

fn header(slots: u64, vertices: u64, times: &[u8]) -> Result<Vec<u8>, WriteError> {
    let too_many = |_| WriteError::Limit { format: "mdd", message: format!("more than {} frames", i32::MAX) };
    let mut header = Vec::with_capacity((TIMES_AT + slots * 4) as usize);
    header.extend(i32::try_from(slots).map_err(too_many)?.to_be_bytes());
    header.extend((vertices as i32).to_be_bytes());
    header.extend(times);
    while header.len() < (TIMES_AT + slots * 4) as usize {
        header.extend(UNWRITTEN.to_be_bytes());
    }
    Ok(header)
}

impl Mdd {
    /// Opens an existing file and finds out how many full frames it has.
    fn reopen(dir: &Path, name: &str) -> Result<Self, WriteError> {
        let mut records = RecordFile::reopen(dir, name)?;
        let bad = |message: &str| WriteError::resume(&dir.join(name), message);
        let len = records.len()?;
        let mut head = [0; TIMES_AT as usize];
        if len < TIMES_AT {
            return Err(bad("it ends within its header"));
        }
        records.read_at(0, &mut head)?;
        let [slots, vertices] =
            [0, 4].map(|at| i32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        if slots <= 0 || vertices <= 0 || len < TIMES_AT + slots as u64 * 4 {
            return Err(bad("it is not an MDD cache, or it ends within its header"));
        }
        let slots = slots as u64;
        records.data_start = TIMES_AT + slots * 4;
        records.record_len = vertices as u64 * 12;
        let mut cache = Self { dir: dir.into(), name: name.into(), records, slots, buffer: Vec::new() };
        let times = cache.times(slots)?;
        let marked = times.chunks_exact(4).take_while(|time| **time != UNWRITTEN.to_be_bytes()).count();
        cache.records.count = (marked as u64).min(cache.records.records_within()?);
        Ok(cache)
    }

    /// The raw table of the first `count` times.
    fn times(&mut self, count: u64) -> Result<Vec<u8>, WriteError> {
        let mut times = vec![0; count as usize * 4];
        self.records.read_at(TIMES_AT, &mut times)?;
        Ok(times)
    }

    /// Replaces the file with one that has room for another number of frames, and the same frames.
    fn set_slots(&mut self, slots: u64) -> Result<(), WriteError> {
        if slots == self.slots {
            return Ok(());
        }
        let header = header(slots, self.records.record_len / 12, &self.times(self.records.count)?)?;
        let mut file = AtomicFile::create(&self.dir, &self.name)?;
        file.put(&header)?;
        self.records.copy_records(&mut file)?;
        let (record_len, count) = (self.records.record_len, self.records.count);
        self.records = RecordFile::adopt(file, header.len() as u64, record_len, count)?;
        self.slots = slots;
        self.reserve()
    }

    /// Gives the file the length of all its frames, with zeros where they are still to come.
    fn reserve(&mut self) -> Result<(), WriteError> {
        self.records.cut()?;
        self.records.set_len(self.records.data_start + self.slots * self.records.record_len)
    }
}

impl PointCache for Mdd {
    const EXTENSION: &'static str = "mdd";

    fn create(dir: &Path, name: &str, vertices: usize, plan: &Setup) -> Result<Self, WriteError> {
        let planned = plan.planned_frames;
        let header = header(planned as u64, vertices as u64, &[])?;
        let records = RecordFile::create(dir, name, &header, vertices * 12)?;
        let slots = planned as u64;
        let mut cache = Self { dir: dir.into(), name: name.into(), records, slots, buffer: Vec::new() };
        cache.reserve()?;
        Ok(cache)
    }

    fn resume(dir: &Path, name: &str, vertices: usize, plan: &Setup, start: usize) -> Result<Self, WriteError> {
        let mut cache = Self::reopen(dir, name)?;
        let bad = |message: String| WriteError::resume(&dir.join(name), message);
        if cache.records.record_len != vertices as u64 * 12 {
            return Err(bad(format!("it has {} vertices, not {vertices}", cache.records.record_len / 12)));
        }
        if cache.records.count < start as u64 {
            return Err(bad(format!("it has {} frames, {start} are needed", cache.records.count)));
        }
        cache.records.count = start as u64;
        // First the marks, then the length: at no moment does a mark promise a frame that is gone.
        let dropped = (cache.slots as usize).saturating_sub(start);
        let marks = UNWRITTEN.to_be_bytes().repeat(dropped);
        cache.records.write_at(TIMES_AT + start as u64 * 4, &marks)?;
        cache.reserve()?;
        cache.set_slots(plan.planned_frames.max(start) as u64)?;
        Ok(cache)
    }

    fn append(&mut self, frame: usize, positions: &[[f64; 3]], time: f64) -> Result<(), WriteError> {
        self.records.count = frame as u64;
        if self.records.count == self.slots {
            self.set_slots((self.slots * 2).min(i32::MAX as u64).max(self.slots + 1))?;
        }
        self.buffer.clear();
        self.buffer.extend(positions.as_flattened().iter().flat_map(|&v| (v as f32).to_be_bytes()));
        let mark_at = TIMES_AT + self.records.count * 4;
        self.records.append(&self.buffer, mark_at, &(time as f32).to_be_bytes())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.records.sync()
    }

    fn finish(mut self) -> Result<PathBuf, WriteError> {
        self.set_slots(self.records.count)?;
        self.records.sync()?;
        Ok(self.records.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::testing::{Fixture, TempDir};

    /// The bytes of a finished cache of the fixture's frames.
    fn expected(frames: std::ops::Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend((frames.len() as i32).to_be_bytes());
        bytes.extend([0, 0, 0, 3]);
        for frame in frames.clone() {
            bytes.extend((Fixture::time(frame) as f32).to_be_bytes());
        }
        for value in Fixture::triangle().floats(0, frames) {
            bytes.extend(value.to_be_bytes());
        }
        bytes
    }

    fn read(dir: &TempDir) -> Vec<u8> {
        std::fs::read(dir.path().join("tri.mdd")).unwrap()
    }

    #[test]
    fn the_layout_is_exact_whatever_was_planned() {
        for planned in [1, 2, 3, 4, 50] {
            let dir = TempDir::new("mdd_layout");
            let fixture = Fixture::triangle().planned(planned);
            let paths = fixture.write("mdd", dir.path(), 0..3).unwrap();
            assert_eq!(paths, [dir.path().join("tri.mdd"), dir.path().join("tri.obj")]);
            assert_eq!(read(&dir), expected(0..3), "{planned} planned");
            assert_eq!(dir.names(), ["tri.mdd", "tri.obj"]);
        }
    }

    #[test]
    fn an_unfinished_file_marks_what_is_missing_and_can_be_trimmed() {
        let dir = TempDir::new("mdd_trim");
        let fixture = Fixture::triangle().planned(5);
        fixture.write_unfinished("mdd", dir.path(), 0..3).unwrap();
        let bytes = read(&dir);
        assert_eq!(bytes[..4], [0, 0, 0, 5]);
        assert_eq!(bytes[8 + 3 * 4..8 + 5 * 4], UNWRITTEN.to_be_bytes().repeat(2));
        assert_eq!(bytes.len(), 8 + 5 * 4 + 5 * 36);
        assert!(bytes[8 + 5 * 4 + 3 * 36..].iter().all(|&b| b == 0));
        assert_eq!(trim(&dir.path().join("tri.mdd")).unwrap(), 3);
        assert_eq!(read(&dir), expected(0..3));
        assert_eq!(trim(&dir.path().join("tri.mdd")).unwrap(), 3, "nothing to trim");
    }

    #[test]
    fn a_cache_continues_where_it_was_cut() {
        for planned in [3, 6, 9] {
            let dir = TempDir::new("mdd_resume");
            Fixture::triangle().planned(6).write_unfinished("mdd", dir.path(), 0..5).unwrap();
            Fixture::triangle().planned(planned).write("mdd", dir.path(), 2..6).unwrap();
            assert_eq!(read(&dir), expected(0..6), "{planned} planned");
            // A finished one can be continued just as well.
            Fixture::triangle().planned(planned).write("mdd", dir.path(), 4..8).unwrap();
            assert_eq!(read(&dir), expected(0..8), "{planned} planned");
        }
    }

    #[test]
    fn what_cannot_be_continued_is_left_alone() {
        let fixture = Fixture::triangle();
        let dir = TempDir::new("mdd_refuse");
        fixture.write("mdd", dir.path(), 0..2).unwrap();
        let path = dir.path().join("tri.mdd");
        let good = read(&dir);
        let mut other_count = good.clone();
        other_count[7] = 4;
        let huge = [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 3, 0, 0, 0, 0];
        for bad in [&good[..5], &good[..15], &good[..40], b"", &other_count, &huge, &[0; 80]] {
            std::fs::write(&path, bad).unwrap();
            assert!(matches!(fixture.write("mdd", dir.path(), 2..4), Err(WriteError::Resume { .. })));
            assert_eq!(std::fs::read(&path).unwrap(), bad);
        }
        std::fs::write(&path, &good[..20]).unwrap();
        assert!(trim(&path).unwrap_err().to_string().contains("no full frame"));
    }
}
