//! Frames kept for pictures, in a file: the camera must know the whole motion before the first picture is drawn.
//!
//! Little-endian records: frame (u32), bytes that follow (u32), time (f64), number of held vertices (u32), whether
//! there are fields (u32), then positions of all objects, held positions and fields, all f32. A record that was cut off
//! ends the file.

use crate::fail::Failure;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use taut_scene::simulation::Simulation;
use taut_studio::Shot;

/// Frames kept for pictures.
pub struct Spool {
    file: File,
    path: PathBuf,
    layout: Layout,
}

/// How many numbers there are.
#[derive(Clone)]
struct Layout {
    /// Vertices of each object.
    vertices: Vec<usize>,
    /// For each object, how many values each of its fields has.
    fields: Vec<Vec<usize>>,
}

impl Spool {
    /// Begins the file, or continues it after a frame.
    pub fn open(path: PathBuf, simulation: &Simulation, after: Option<u32>) -> Result<Spool, Failure> {
        let layout = Layout {
            vertices: simulation.objects().iter().map(|object| object.info.rest.len()).collect(),
            fields: simulation.fields().iter().map(|all| all.iter().map(Vec::len).collect()).collect(),
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(after.is_none());
        let file = options.open(&path).map_err(Failure::io("write", &path))?;
        let mut spool = Spool { file, path, layout };
        if let Some(last) = after {
            let mut length = 0;
            spool.each(|shot, end| {
                let keep = shot.frame <= last;
                length = if keep { end } else { length };
                Ok(keep)
            })?;
            spool.file.set_len(length).map_err(Failure::io("write", &spool.path))?;
        }
        spool.file.seek(SeekFrom::End(0)).map_err(Failure::io("write", &spool.path))?;
        Ok(spool)
    }

    /// Adds a frame.
    pub fn push(&mut self, shot: &Shot) -> Result<(), Failure> {
        let mut record = Vec::new();
        record.extend(shot.time.to_le_bytes());
        record.extend((shot.held.len() as u32).to_le_bytes());
        record.extend(u32::from(!shot.fields.is_empty()).to_le_bytes());
        let points = shot.positions.iter().flatten().chain(&shot.held).flatten();
        let numbers = points.chain(shot.fields.iter().flatten().flatten());
        record.extend(numbers.flat_map(|&number| (number as f32).to_le_bytes()));
        let Ok(length) = u32::try_from(record.len()) else { return Ok(()) };
        let head = [shot.frame.to_le_bytes(), length.to_le_bytes()].concat();
        self.file.write_all(&[head, record].concat()).map_err(Failure::io("write", &self.path))
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<(), Failure> {
        self.file.sync_data().map_err(Failure::io("write", &self.path))
    }

    /// Hands over every frame, in order, with where its record ends, until told to stop.
    pub fn each(&mut self, mut take: impl FnMut(Shot, u64) -> Result<bool, Failure>) -> Result<(), Failure> {
        let path = self.path.clone();
        let size = self.file.metadata().map_err(Failure::io("read", &path))?.len();
        self.file.rewind().map_err(Failure::io("read", &path))?;
        let mut reader = BufReader::new(&self.file);
        let mut end = 0;
        loop {
            let mut head = [0; 8];
            if reader.read_exact(&mut head).is_err() {
                return Ok(());
            }
            let [frame, length] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|k| head[at + k])));
            end += 8 + u64::from(length);
            if end > size {
                return Ok(());
            }
            let mut record = vec![0; length as usize];
            reader.read_exact(&mut record).map_err(Failure::io("read", &path))?;
            let Some(shot) = self.layout.decode(frame, &record) else { return Ok(()) };
            if !take(shot, end)? {
                return Ok(());
            }
        }
    }

    /// Removes the file, unless the run is to go on.
    pub fn close(self, complete: bool) -> Result<(), Failure> {
        let Spool { file, path, .. } = self;
        drop(file);
        if complete { fs::remove_file(&path).map_err(Failure::io("remove", &path)) } else { Ok(()) }
    }
}

impl Layout {
    fn decode(&self, frame: u32, record: &[u8]) -> Option<Shot> {
        let (head, rest) = record.split_at_checked(16)?;
        let time = f64::from_le_bytes(head[..8].try_into().ok()?);
        let held = u32::from_le_bytes(head[8..12].try_into().ok()?) as usize;
        let mut numbers = rest.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b)));
        let mut next = |count: usize| -> Option<Vec<f64>> {
            let values: Vec<f64> = numbers.by_ref().take(count).collect();
            (values.len() == count).then_some(values)
        };
        let mut points = |count: usize| Some(next(count.checked_mul(3)?)?.as_chunks::<3>().0.to_vec());
        let positions = self.vertices.iter().map(|&count| points(count)).collect::<Option<_>>()?;
        let held = points(held)?;
        let fields = if head[12] == 0 {
            Vec::new()
        } else {
            let of = |all: &Vec<usize>| all.iter().map(|&count| next(count)).collect::<Option<Vec<_>>>();
            self.fields.iter().map(of).collect::<Option<_>>()?
        };
        Some(Shot { frame, time, positions, held, fields })
    }
}
