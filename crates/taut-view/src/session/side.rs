//! One simulation with its settings; there are two when settings are compared.

use super::document::Document;
use super::edits::Edits;
use super::history::History;
use std::sync::Arc;
use taut_scene::scene::Scene;
use taut_scene::simulation::{Change, Simulation};
use taut_scene::write::Checkpoint;

/// One simulation with its settings.
pub(super) struct Side {
    pub simulation: Simulation,
    pub scene: Arc<Scene>,
    /// Changes to the scene, each as a path and a value.
    pub sets: Vec<(String, String)>,
    pub history: History,
    /// A scene that was read but not yet built.
    next: Option<Scene>,
}

impl Side {
    /// Opens a scene at its beginning.
    pub fn open(document: &Document, threads: usize) -> Result<Self, String> {
        Side::begin(document, document.sets.clone(), threads)
    }

    fn begin(document: &Document, sets: Vec<(String, String)>, threads: usize) -> Result<Self, String> {
        let scene = document.scene(&Edits::default(), &sets).map_err(|error| error.to_string())?;
        let simulation = Simulation::new(&scene, scene.precision(), threads).map_err(|error| error.to_string())?;
        Ok(Side::of(simulation, scene, sets))
    }

    fn of(simulation: Simulation, scene: Scene, sets: Vec<(String, String)>) -> Self {
        let mut history = History::default();
        history.add(&simulation, &[]);
        Side { simulation, scene: Arc::new(scene), sets, history, next: None }
    }

    /// Back to the beginning with the same settings.
    pub fn restart(&mut self, document: &Document, threads: usize) -> Result<(), String> {
        *self = Side::begin(document, self.sets.clone(), threads)?;
        Ok(())
    }

    /// Another side that goes on from here with other settings or edits.
    pub fn fork(
        &self,
        document: &Document,
        edits: &Edits,
        sets: Vec<(String, String)>,
        threads: usize,
    ) -> Result<Self, String> {
        let scene = document.scene(edits, &sets).map_err(|error| error.to_string())?;
        let simulation = self.simulation.fork(&scene, threads).map_err(|error| error.to_string())?;
        Ok(Side { history: self.history.clone(), ..Side::of(simulation, scene, sets) })
    }

    /// Changes a value. The scene is read at once, and built by [`settle`](Self::settle): a slider asks more often than
    /// frames are shown.
    pub fn set(&mut self, document: &Document, edits: &Edits, path: String, value: String) -> Result<(), String> {
        let within = |known: &str| known == path || known.starts_with(&format!("{path}."));
        let mut sets: Vec<_> = self.sets.iter().filter(|set| !within(&set.0)).cloned().collect();
        sets.push((path, value));
        let scene = document.scene(edits, &sets).map_err(|error| error.to_string())?;
        (self.sets, self.next) = (sets, Some(scene));
        Ok(())
    }

    /// Builds what settings ask for; tells whether that was needed. If it cannot be, they are as before.
    pub fn settle(&mut self, document: &Document, edits: &Edits, threads: usize) -> Result<bool, String> {
        let Some(scene) = self.next.take() else { return Ok(false) };
        match self.simulation.change(&scene, threads) {
            Ok(change) => {
                if change == Change::Restarted {
                    self.history = History::default();
                    self.history.add(&self.simulation, &[]);
                }
                self.scene = Arc::new(scene);
                Ok(true)
            }
            Err(error) => {
                self.sets.pop();
                // Others of the same moment may have been fine.
                self.next = document.scene(edits, &self.sets).ok().filter(|scene| scene != &*self.scene);
                Err(error.to_string())
            }
        }
    }

    /// The scene as it was last changed, whether it is built or not.
    pub fn newest(&self) -> &Scene {
        self.next.as_ref().unwrap_or(&self.scene)
    }

    /// Goes back to where everything was.
    pub fn take_back(&mut self, before: Checkpoint) -> Result<(), String> {
        self.simulation.restore(before).map_err(|error| error.to_string())?;
        self.history.back_to(&self.simulation);
        Ok(())
    }

    /// Computes one frame.
    pub fn advance(&mut self) {
        let report = self.simulation.advance();
        self.history.add(&self.simulation, &report.stage_seconds);
    }
}
