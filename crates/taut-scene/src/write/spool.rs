//! Frames on their way into a file that must be written in one go.
//!
//! USD and GLB hold all frames of one object together, so they can only be written at the end. Until then frames are
//! kept as 32-bit floats in a file of equal records beside the output: memory stays small, and a run that was killed
//! can be taken up again. The spool is removed when the output is complete.

use std::ops::Range;
use std::path::Path;

use super::atomic::remove_if_there;
use super::hash::Hash64;
use super::record::RecordFile;
use super::{Clip, Details, FieldOn, Frame, WriteError};

const MAGIC: &[u8; 8] = b"TAUTSPL1";
const HEADER_LEN: usize = 24;
const COUNT_AT: u64 = 16;

/// Where the floats of one object are in a record. Ranges count floats.
pub(crate) struct Slots {
    pub(crate) positions: Range<usize>,
    pub(crate) velocities: Option<Range<usize>>,
    /// For each field that is kept its index in the object, and its values.
    pub(crate) fields: Vec<(usize, Range<usize>)>,
}

/// The frames so far.
pub(crate) struct Spool {
    records: RecordFile,
    pub(crate) objects: Vec<Slots>,
    buffer: Vec<u8>,
}

impl Spool {
    /// Begins the spool `name` in `dir`, or with `start` above 0 continues one, with velocities and the fields of
    /// vertices and triangles if they are asked for.
    pub(crate) fn open(clip: &Clip, dir: &Path, name: &str, asked: Details, start: usize) -> Result<Self, WriteError> {
        let (objects, floats) = lay_out(clip, asked);
        let record_len = 8 + floats * 4;
        let mut header = MAGIC.to_vec();
        header.extend(fingerprint(clip, asked).to_le_bytes());
        header.extend(0_u64.to_le_bytes());
        let records = match start {
            0 => RecordFile::create(dir, name, &header, record_len)?,
            _ => reopen(dir, name, &header, record_len, start)?,
        };
        Ok(Self { records, objects, buffer: Vec::with_capacity(record_len) })
    }

    /// How many frames there are.
    pub(crate) fn frames(&self) -> usize {
        self.records.count as usize
    }

    /// Appends a frame, or replaces the last one if it is tried again.
    pub(crate) fn append(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.buffer.clear();
        self.buffer.extend(frame.time.to_le_bytes());
        for (slots, object) in self.objects.iter().zip(frame.objects) {
            let mut put = |values: &[f64]| self.buffer.extend(values.iter().flat_map(|&v| (v as f32).to_le_bytes()));
            put(object.positions.as_flattened());
            if slots.velocities.is_some() {
                put(object.velocities.as_flattened());
            }
            slots.fields.iter().for_each(|&(field, _)| put(object.fields[field]));
        }
        self.records.count = frame.index as u64;
        self.records.append(&self.buffer, COUNT_AT, &(frame.index as u64 + 1).to_le_bytes())
    }

    /// Reads some floats of a frame.
    pub(crate) fn read(&mut self, frame: usize, floats: &Range<usize>) -> Result<Vec<f32>, WriteError> {
        let mut bytes = vec![0; floats.len() * 4];
        let at = self.record_at(frame) + 8 + floats.start as u64 * 4;
        self.records.read_at(at, &mut bytes)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    /// Reads the time of a frame, s.
    pub(crate) fn time(&mut self, frame: usize) -> Result<f64, WriteError> {
        let mut bytes = [0; 8];
        self.records.read_at(self.record_at(frame), &mut bytes)?;
        Ok(f64::from_le_bytes(bytes))
    }

    /// Waits until all frames are on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), WriteError> {
        self.records.sync()
    }

    /// Removes the file: its frames now live elsewhere.
    pub(crate) fn remove(self) -> Result<(), WriteError> {
        let path = self.records.path.clone();
        drop(self);
        remove_if_there(&path)
    }

    fn record_at(&self, frame: usize) -> u64 {
        self.records.data_start + frame as u64 * self.records.record_len
    }
}

fn reopen(dir: &Path, name: &str, header: &[u8], record_len: usize, start: usize) -> Result<RecordFile, WriteError> {
    let bad = |message: String| WriteError::resume(&dir.join(name), message);
    if !dir.join(name).exists() {
        return Err(bad("it does not exist; an output that is already complete cannot be continued".into()));
    }
    let mut records = RecordFile::reopen(dir, name)?;
    let mut found = [0; HEADER_LEN];
    if records.len()? < HEADER_LEN as u64 {
        return Err(bad("it ends within its header".into()));
    }
    records.read_at(0, &mut found)?;
    if found[..COUNT_AT as usize] != header[..COUNT_AT as usize] {
        return Err(bad("it belongs to another clip".into()));
    }
    records.data_start = HEADER_LEN as u64;
    records.record_len = record_len as u64;
    let (_, count) = found.split_at(COUNT_AT as usize);
    let committed = count.try_into().map(u64::from_le_bytes).unwrap_or(0);
    let frames = committed.min(records.records_within()?);
    if frames < start as u64 {
        return Err(bad(format!("it has {frames} frames, {start} are needed")));
    }
    records.count = start as u64;
    records.write_at(COUNT_AT, &(start as u64).to_le_bytes())?;
    Ok(records)
}

/// Gives every kept quantity its place in a record, and says how many floats there are.
fn lay_out(clip: &Clip, asked: Details) -> (Vec<Slots>, usize) {
    let mut floats = 0;
    let mut next = |len: usize| {
        floats += len;
        floats - len..floats
    };
    let mut objects = Vec::new();
    for object in clip.objects() {
        let positions = next(object.rest.len() * 3);
        let velocities = (asked.velocities && object.velocities).then(|| next(object.rest.len() * 3));
        let kept = object.fields.iter().enumerate().filter(|(_, field)| asked.fields && field.on != FieldOn::Tets);
        let fields = kept.map(|(at, field)| (at, next(object.count_on(field.on)))).collect();
        objects.push(Slots { positions, velocities, fields });
    }
    (objects, floats)
}

/// Tells clips apart, so that one is not continued with the frames of another.
fn fingerprint(clip: &Clip, asked: Details) -> u64 {
    let mut hash = Hash64::default();
    hash.word(u64::from(asked.velocities) | u64::from(asked.fields) << 1);
    hash.word(clip.setup().fps.to_bits());
    for object in clip.objects() {
        hash.update(object.name.as_bytes());
        hash.word(object.velocities.into());
        object.rest.as_flattened().iter().for_each(|v| hash.word(v.to_bits()));
        object.triangles.as_flattened().iter().for_each(|&i| hash.word(i.into()));
        hash.word(object.tets.len() as u64);
        object.tets.as_flattened().iter().for_each(|&i| hash.word(i.into()));
        for field in &object.fields {
            hash.update(field.name.as_bytes());
            hash.word(field.on as u64);
        }
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use crate::write::testing::{Fixture, TempDir};
    use crate::write::{Details, FieldOn, WriteError};

    fn refused(change: impl FnOnce(&mut Fixture), expected: &str) {
        let dir = TempDir::new("spool_refuse");
        let mut fixture = Fixture::both();
        fixture.write_unfinished("usd", dir.path(), 0..3).unwrap();
        change(&mut fixture);
        let error = fixture.write("usd", dir.path(), 3..4).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, WriteError::Resume { .. }) && message.contains("scene.usda.spool"), "{message}");
        assert!(message.contains(expected), "{message}");
        assert_eq!(dir.names(), ["scene.usda.spool"]);
    }

    #[test]
    fn frames_of_another_clip_are_not_continued() {
        refused(|f| f.setup.details = Details::ALL, "another clip");
        refused(|f| f.setup.fps = 25.0, "another clip");
        refused(|f| f.setup.objects[0].name = "other".into(), "another clip");
        refused(|f| f.setup.objects[0].rest[0][0] = 1e-9, "another clip");
        refused(|f| f.setup.objects[0].triangles.swap(0, 1), "another clip");
        refused(|f| f.setup.objects[1].tets[0].swap(0, 1), "another clip");
        refused(|f| f.setup.objects[1].fields[1].on = FieldOn::Tets, "another clip");
    }

    #[test]
    fn a_spool_that_is_damaged_or_gone_is_not_continued() {
        let dir = TempDir::new("spool_gone");
        let fixture = Fixture::triangle();
        let path = dir.path().join("scene.glb.spool");
        fixture.write_unfinished("glb", dir.path(), 0..2).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let message = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            fixture.write("glb", dir.path(), 2..3).unwrap_err().to_string()
        };
        assert!(message(&whole[..10]).contains("ends within its header"));
        assert!(message(&whole[..whole.len() - 1]).contains("1 frames, 2 are needed"));
        assert!(message(&[0; 200]).contains("another clip"));
        std::fs::write(&path, &whole).unwrap();
        fixture.write("glb", dir.path(), 2..3).unwrap();
        let gone = fixture.write("glb", dir.path(), 2..3).unwrap_err().to_string();
        assert!(gone.contains("already complete cannot be continued"), "{gone}");
    }
}
