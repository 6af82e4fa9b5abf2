//! A point cache of what is seen, by the writers that runs use.

use std::path::{Path, PathBuf};
use taut_scene::simulation::Simulation;
use taut_scene::write::{Clip, Frame, FrameWriter, ObjectFrame, format};

/// A point cache that grows.
pub(super) struct Recorder {
    writer: Box<dyn FrameWriter>,
    next: usize,
    folder: PathBuf,
}

impl Recorder {
    /// Begins in a folder, which is made if need be.
    pub fn new(simulation: &Simulation, folder: &Path) -> Result<Self, String> {
        let clip = Clip::new(simulation.setup().plain()).map_err(|error| error.to_string())?;
        let format = format("pc2").ok_or("there is no format called pc2")?;
        let writer = format.open(&clip, folder, 0).map_err(|error| error.to_string())?;
        Ok(Recorder { writer, next: 0, folder: folder.to_owned() })
    }

    /// Adds the frame that the simulation is at.
    pub fn frame(&mut self, simulation: &Simulation) -> Result<(), String> {
        let count = simulation.objects().len();
        let positions: Vec<_> = (0..count).map(|object| simulation.positions(object)).collect();
        let objects: Vec<_> =
            positions.iter().map(|positions| ObjectFrame { positions, ..ObjectFrame::default() }).collect();
        let time = self.next as f64 / simulation.scene().settings.time.fps;
        let frame = Frame { index: self.next, time, objects: &objects };
        self.writer.frame(&frame).map_err(|error| error.to_string())?;
        self.next += 1;
        Ok(())
    }

    /// Completes the files and says where they are.
    pub fn finish(self) -> Result<String, String> {
        let (frames, folder) = (self.next, self.folder);
        self.writer.finish().map_err(|error| error.to_string())?;
        Ok(format!("{frames} frames are in {}", folder.display()))
    }
}
