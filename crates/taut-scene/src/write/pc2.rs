//! PC2 point caches, little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 12 | `POINTCACHE2` and a zero |
//! | 4 | version, 1 |
//! | 4 | vertices |
//! | 4 | first frame, float |
//! | 4 | frames per sample, float |
//! | 4 | samples: the commit mark |
//! | 12 each | x, y, z as floats; vertex by vertex, sample by sample |

use std::path::{Path, PathBuf};

use super::cache::{self, PointCache};
use super::record::RecordFile;
use super::{Format, Holds, Setup, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "pc2",
    about: "point cache for Blender's Mesh Cache modifier; grows frame by frame",
    holds: Holds::Positions,
    files: "NAME.pc2 and the rest mesh NAME.obj",
    names: cache::names::<Pc2>,
    spool: None,
    check: super::anything,
    open: cache::open::<Pc2>,
};

const HEADER_LEN: usize = 32;
const COUNT_AT: u64 = 28;

struct Pc2 {
    records: RecordFile,
    buffer: Vec<u8>,
}

fn header(vertices: usize, plan: &Setup) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_LEN);
    header.extend(b"POINTCACHE2\0");
    header.extend(1_i32.to_le_bytes());
    header.extend((vertices as i32).to_le_bytes());
    header.extend((plan.first_frame as f32).to_le_bytes());
    header.extend(1_f32.to_le_bytes());
    header.extend(0_i32.to_le_bytes());
    header
}

impl PointCache for Pc2 {
    const EXTENSION: &'static str = "pc2";

    fn create(dir: &Path, name: &str, vertices: usize, plan: &Setup) -> Result<Self, WriteError> {
        Ok(Self { records: RecordFile::create(dir, name, &header(vertices, plan), vertices * 12)?, buffer: Vec::new() })
    }

    fn resume(dir: &Path, name: &str, vertices: usize, plan: &Setup, start: usize) -> Result<Self, WriteError> {
        let mut records = RecordFile::reopen(dir, name)?;
        let bad = |message: String| WriteError::resume(&dir.join(name), message);
        let mut found = [0; HEADER_LEN];
        if records.len()? < HEADER_LEN as u64 {
            return Err(bad("it ends within its header".into()));
        }
        records.read_at(0, &mut found)?;
        if found[..COUNT_AT as usize] != header(vertices, plan)[..COUNT_AT as usize] {
            return Err(bad(format!("it is not a PC2 cache of {vertices} vertices as taut writes it")));
        }
        records.data_start = HEADER_LEN as u64;
        records.record_len = vertices as u64 * 12;
        let committed = i32::from_le_bytes([found[28], found[29], found[30], found[31]]).max(0) as u64;
        let frames = committed.min(records.records_within()?);
        if frames < start as u64 {
            return Err(bad(format!("it has {frames} frames, {start} are needed")));
        }
        // First the count, then the length: at no moment does the count promise more than there is.
        records.count = start as u64;
        records.write_at(COUNT_AT, &(start as i32).to_le_bytes())?;
        records.cut()?;
        Ok(Self { records, buffer: Vec::new() })
    }

    fn append(&mut self, frame: usize, positions: &[[f64; 3]], _time: f64) -> Result<(), WriteError> {
        self.buffer.clear();
        self.buffer.extend(positions.as_flattened().iter().flat_map(|&v| (v as f32).to_le_bytes()));
        self.records.count = frame as u64;
        let count = i32::try_from(frame + 1)
            .map_err(|_| WriteError::Limit { format: "pc2", message: format!("more than {} frames", i32::MAX) })?;
        self.records.append(&self.buffer, COUNT_AT, &count.to_le_bytes())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.records.sync()
    }

    fn finish(mut self) -> Result<PathBuf, WriteError> {
        self.records.cut()?;
        self.records.sync()?;
        Ok(self.records.path)
    }
}

#[cfg(test)]
mod tests {
    use crate::write::WriteError;
    use crate::write::testing::{Fixture, TempDir};

    #[test]
    fn the_layout_is_exact() {
        let dir = TempDir::new("pc2_layout");
        let paths = Fixture::triangle().write("pc2", dir.path(), 0..2).unwrap();
        assert_eq!(paths, [dir.path().join("tri.pc2"), dir.path().join("tri.obj")]);
        let mut expected = Vec::new();
        expected.extend(b"POINTCACHE2\0");
        expected.extend([1, 0, 0, 0, 3, 0, 0, 0]);
        expected.extend([0, 0, 0, 0]);
        expected.extend([0, 0, 0x80, 0x3f]);
        expected.extend([2, 0, 0, 0]);
        for value in Fixture::triangle().floats(0, 0..2) {
            expected.extend(value.to_le_bytes());
        }
        assert_eq!(std::fs::read(&paths[0]).unwrap(), expected);
    }

    #[test]
    fn a_cache_continues_where_it_was_cut() {
        let fixture = Fixture::triangle();
        let (whole, parts) = (TempDir::new("pc2_whole"), TempDir::new("pc2_parts"));
        fixture.write("pc2", whole.path(), 0..6).unwrap();
        fixture.write_unfinished("pc2", parts.path(), 0..5).unwrap();
        fixture.write("pc2", parts.path(), 2..6).unwrap();
        let read = |dir: &TempDir| std::fs::read(dir.path().join("tri.pc2")).unwrap();
        assert_eq!(read(&whole), read(&parts));
    }

    #[test]
    fn what_cannot_be_continued_is_left_alone() {
        let fixture = Fixture::triangle();
        let dir = TempDir::new("pc2_refuse");
        fixture.write("pc2", dir.path(), 0..2).unwrap();
        let path = dir.path().join("tri.pc2");
        let good = std::fs::read(&path).unwrap();
        let message = fixture.write("pc2", dir.path(), 3..4).unwrap_err().to_string();
        assert!(message.contains("tri.pc2") && message.contains("2 frames, 3 are needed"), "{message}");
        for bad in [&good[..20], &good[..60], b"", &[7; 104]] {
            std::fs::write(&path, bad).unwrap();
            assert!(matches!(fixture.write("pc2", dir.path(), 2..4), Err(WriteError::Resume { .. })));
            assert_eq!(std::fs::read(&path).unwrap(), bad);
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(fixture.write("pc2", dir.path(), 2..4), Err(WriteError::Io { .. })));
    }
}
