//! Everything that grows frame by frame: the animation, the metrics, the frames kept for pictures, and checkpoints.

use super::folder::Folder;
use super::history::History;
use super::spool::Spool;
use crate::fail::Failure;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use taut_scene::scene::settings::{Coloured, Pictures};
use taut_scene::simulation::{FrameReport, Simulation};
use taut_scene::write::{Clip, Details, FORMATS, Format, Frame, FrameWriter, ObjectFrame, WriteError};
use taut_studio::Shot;

/// The checkpoint's file name.
pub const CHECKPOINT: &str = "checkpoint.bin";
const METRICS: &str = "metrics.jsonl";
/// Frames that are kept until pictures are drawn.
pub const SPOOL: &str = "pictures.spool";

/// Which frames become pictures.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// A still of every nth frame; 0 for none but the last.
    pub stills: u32,
    /// A frame of the animated picture for every nth frame; 0 for none.
    pub motion: u32,
}

/// More frames than this make an animated picture too large for a report.
const MOST_MOTION: u32 = 160;

impl Plan {
    /// As the scene wants it.
    pub fn new(pictures: &Pictures, fps: f64, frames: u32) -> Plan {
        let every = (fps / pictures.gif_fps).round().clamp(1.0, 1e6) as u32;
        let motion = if pictures.gif { every.max(frames.div_ceil(MOST_MOTION)) } else { 0 };
        Plan { stills: pictures.every, motion }
    }

    /// Whether a frame becomes a still.
    pub fn still(&self, frame: u32) -> bool {
        self.stills > 0 && frame.is_multiple_of(self.stills)
    }

    /// Whether a frame is part of the animated picture.
    pub fn moving(&self, frame: u32) -> bool {
        self.motion > 0 && frame.is_multiple_of(self.motion)
    }
}

/// What some formats want beside positions of a clip that asks for some details.
pub fn wanted(formats: &[&'static Format], asked: Details) -> Details {
    let all = formats.iter().map(|format| format.wants(asked));
    all.fold(Details::default(), |a, b| Details {
        velocities: a.velocities || b.velocities,
        normals: a.normals || b.normals,
        fields: a.fields || b.fields,
    })
}

/// Everything that grows frame by frame.
pub struct Outputs {
    writers: Vec<Box<dyn FrameWriter>>,
    history: History,
    spool: Option<Spool>,
    plan: Plan,
    /// Whether stills show fields.
    fields: bool,
    /// What writers want beside positions.
    wanted: Details,
    dir: PathBuf,
}

/// What is left when all frames are written.
pub struct Made {
    /// The numbers of every frame.
    pub history: History,
    /// The frames kept for pictures, if there are to be any.
    pub spool: Option<Spool>,
}

impl Outputs {
    /// Opens all files, to begin or to go on after the frame the simulation is at.
    pub fn open(
        folder: &mut Folder,
        simulation: &Simulation,
        clip: &Arc<Clip>,
        formats: &[&'static Format],
        resumed: bool,
        pictures: bool,
    ) -> Result<Outputs, Failure> {
        let settings = &simulation.scene().settings;
        let after = resumed.then(|| simulation.frame());
        let mut names = vec![METRICS.to_owned(), CHECKPOINT.into(), SPOOL.into()];
        for format in formats {
            names.extend(format.file_names(clip));
            names.extend(format.spool.map(str::to_owned));
        }
        folder.claim(&names)?;
        let start = after.map_or(0, |frame| frame as usize + 1);
        let mut writers = Vec::new();
        for format in formats {
            match format.open(clip, folder.dir(), start) {
                Ok(writer) => writers.push(writer),
                // The run was cut off after its last frame, when this output was complete already.
                Err(WriteError::Resume { .. })
                    if start > simulation.frames() as usize
                        && format.file_names(clip).first().is_some_and(|name| folder.path(name).is_file()) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let spool = pictures.then(|| Spool::open(folder.path(SPOOL), simulation, after)).transpose()?;
        Ok(Outputs {
            writers,
            history: History::open(folder.dir(), METRICS, after)?,
            spool,
            plan: Plan::new(&settings.output.pictures, settings.time.fps, simulation.frames()),
            fields: settings.output.pictures.show.iter().any(|&show| show != Coloured::Cloth),
            wanted: wanted(formats, clip.setup().details),
            dir: folder.dir().into(),
        })
    }

    /// Writes the frame that the simulation is at. Gives its largest stretch.
    pub fn frame(&mut self, simulation: &Simulation, report: Option<&FrameReport>) -> Result<f64, Failure> {
        let metrics = simulation.metrics();
        self.history.push(&metrics, report)?;
        let still = self.plan.still(simulation.frame());
        let coloured = still && self.fields && self.spool.is_some();
        let mut shot = if coloured || self.wanted.fields { Shot::of(simulation) } else { Shot::plain(simulation) };
        if !self.writers.is_empty() {
            self.write(simulation, &shot)?;
        }
        if let Some(spool) = self.spool.as_mut().filter(|_| still || self.plan.moving(shot.frame)) {
            if !coloured {
                shot.fields.clear();
            }
            spool.push(&shot)?;
        }
        Ok(metrics.largest_stretch())
    }

    /// Hands a frame to all writers.
    fn write(&mut self, simulation: &Simulation, shot: &Shot) -> Result<(), Failure> {
        let fields: Vec<Vec<&[f64]>> = shot.fields.iter().map(|all| all.iter().map(Vec::as_slice).collect()).collect();
        let velocities: Vec<Vec<[f64; 3]>> = match self.wanted.velocities {
            true => (0..shot.positions.len()).map(|object| simulation.velocities(object)).collect(),
            false => Vec::new(),
        };
        let mut objects: Vec<ObjectFrame> =
            shot.positions.iter().map(|positions| ObjectFrame { positions, ..ObjectFrame::default() }).collect();
        for (at, object) in objects.iter_mut().enumerate() {
            object.velocities = velocities.get(at).map_or(&[], Vec::as_slice);
            object.fields = if self.wanted.fields { &fields[at] } else { &[] };
        }
        let colliders = simulation.collider_frames();
        objects.extend(colliders.iter().map(|[positions, velocities]| ObjectFrame {
            positions,
            velocities: if self.wanted.velocities { velocities } else { &[] },
            ..ObjectFrame::default()
        }));
        let frame = Frame { index: shot.frame as usize, time: shot.time, objects: &objects };
        Ok(self.writers.iter_mut().try_for_each(|writer| writer.frame(&frame))?)
    }

    /// Saves the state, after everything that it relies on is on the disk.
    pub fn checkpoint(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        self.writers.iter_mut().try_for_each(|writer| writer.sync())?;
        self.history.sync()?;
        if let Some(spool) = &mut self.spool {
            spool.sync()?;
        }
        simulation.save().write(&self.dir, CHECKPOINT)?;
        Ok(())
    }

    /// Completes the animation's files; those that are written in one go can still be continued unless the run is
    /// `complete`.
    pub fn finish(self, simulation: &Simulation, folder: &mut Folder, complete: bool) -> Result<Made, Failure> {
        // A run can only be cut off at frame 0 or later, so that every format has a frame.
        debug_assert!(simulation.frame() > 0 || !complete);
        let spools: Vec<_> = FORMATS.iter().filter_map(|format| Some(self.dir.join(format.spool?))).collect();
        let kept = |path: &PathBuf| path.with_extension("kept");
        for path in spools.iter().filter(|path| !complete && path.exists()) {
            fs::copy(path, kept(path)).map_err(Failure::io("copy", path))?;
        }
        for writer in self.writers {
            folder.made(&writer.finish()?);
        }
        for path in spools.iter().filter(|path| kept(path).exists()) {
            fs::rename(kept(path), path).map_err(Failure::io("write", path))?;
        }
        Ok(Made { history: self.history, spool: self.spool })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_do_not_make_huge_animations() {
        let pictures = Pictures::default();
        let plan = Plan::new(&pictures, 60.0, 240);
        assert_eq!((plan.motion, plan.stills), (3, 30));
        let plan = Plan::new(&pictures, 60.0, 1_000_000);
        assert!((0..=1_000_000).filter(|&frame| plan.moving(frame)).count() <= MOST_MOTION as usize + 1);
        assert!(!Plan::new(&Pictures { gif: false, ..pictures }, 60.0, 240).moving(0));
    }
}
