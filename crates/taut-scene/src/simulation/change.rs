//! A scene that changes while it is under way: other settings, the same bodies where they are.

use super::Simulation;
use crate::scene::{Scene, SceneError};

/// What became of a simulation when its scene changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It goes on with the same model: only limits, the solver's settings, gravity or air are others.
    Kept,
    /// It was built anew, and goes on with the positions and velocities that it had.
    Rebuilt,
    /// Its meshes are others, so it is at its beginning.
    Restarted,
}

impl Simulation {
    /// Goes on with another scene. If that cannot be built, everything stays as it was.
    ///
    /// From then on it is a simulation of that scene: checkpoints are, too.
    pub fn change(&mut self, scene: &Scene, threads: usize) -> Result<Change, SceneError> {
        if self.same_model(scene) {
            // The solver has a say in how far cloth may be stretched. What was reached under other limits says nothing
            // about these.
            let limits = scene.settings.limits();
            if limits != self.limits() {
                self.set_limits(&limits).map_err(super::build::builder(scene, "limit"))?;
                self.tally.tension = super::TensionLog::default();
            }
            self.identity = Self::identity_of(scene, scene.precision(), &*self.world, &self.drive.colliders);
            self.scene = scene.clone();
            return Ok(Change::Kept);
        }
        let built = self.fork(scene, threads)?;
        let fits = built.same_meshes(self);
        *self = built;
        Ok(if fits { Change::Rebuilt } else { Change::Restarted })
    }

    /// A simulation of another scene that begins where this one is, if its meshes are the same, or else at its
    /// beginning.
    pub fn fork(&self, scene: &Scene, threads: usize) -> Result<Simulation, SceneError> {
        let mut built = Simulation::new(scene, scene.precision(), threads)?;
        if built.same_meshes(self) {
            built.take_over(self);
        }
        built.watch.on = self.watch.on;
        Ok(built)
    }

    /// Whether nothing differs but what every step is told anew.
    fn same_model(&self, scene: &Scene) -> bool {
        let (old, new) = (&self.scene.settings, &scene.settings);
        let mut as_if = old.clone();
        as_if.solver = new.solver.clone();
        as_if.limit = new.limit.clone();
        as_if.world = new.world.clone();
        as_if.air = new.air.clone();
        as_if.output = new.output.clone();
        as_if.camera = new.camera.clone();
        as_if.scene = new.scene.clone();
        as_if == *new && self.scene.precision() == scene.precision()
    }

    fn same_meshes(&self, other: &Simulation) -> bool {
        let same = |(a, b): (&super::Object, &super::Object)| {
            a.vertices == b.vertices && a.info.triangles == b.info.triangles && a.info.tets == b.info.tets
        };
        self.objects.len() == other.objects.len() && self.objects.iter().zip(&other.objects).all(same)
    }

    /// Begins where another simulation of the same meshes is. A pin that was not there before holds from now on.
    fn take_over(&mut self, other: &Simulation) {
        self.clock.frame = self.clock.frame_at(other.time());
        self.drive.take_over(&other.drive, &mut *self.world, &*other.world, &self.clock);
    }
}
