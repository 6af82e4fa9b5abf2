//! Rest lengths that change over time: the model is built anew for every frame in which they do, and goes on from where
//! the one before was.

use super::Simulation;
use crate::scene::Track;

/// How a simulation builds its model anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Retuned {
    /// Lengths that count as unstretched along weft and warp of each cloth, over those of its shape at rest, as the
    /// model has them; empty if none ever changes.
    rest: Vec<[f64; 2]>,
    threads: usize,
    /// Why it could not be built.
    problem: Option<String>,
}

impl Retuned {
    /// For a model that was built as at time 0, by so many workers.
    pub fn new(scene: &crate::scene::Scene, threads: usize) -> Self {
        let cloth = &scene.settings.cloth;
        let changes = cloth.iter().any(|cloth| !cloth.material.rest_stretch.is_constant());
        let rest = cloth.iter().filter(|_| changes).map(|cloth| cloth.material.rest_stretch.at(0.0)).collect();
        Retuned { rest, threads, problem: None }
    }

    /// What is to be known of it.
    pub fn warning(&self) -> Option<String> {
        let problem = self.problem.as_ref()?;
        Some(format!("rest lengths stay as they were: {problem}"))
    }
}

impl Simulation {
    /// Makes rest lengths what they are at a time, s.
    pub(super) fn retune(&mut self, time: f64) {
        if self.retuned.rest.is_empty() || self.retuned.problem.is_some() {
            return;
        }
        let cloth = self.scene.settings.cloth.iter();
        let rest: Vec<[f64; 2]> = cloth.map(|cloth| cloth.material.rest_stretch.at(time)).collect();
        if rest == self.retuned.rest {
            return;
        }
        let mut scene = self.scene.clone();
        for (cloth, rest) in scene.settings.cloth.iter_mut().zip(&rest) {
            cloth.material.rest_stretch = Track::constant(*rest);
        }
        match self.fork(&scene, self.retuned.threads) {
            Ok(built) => {
                // Wrinkles that have come to stay.
                built.drive.extras.take(&self.drive.extras.numbers());
                (self.world, self.drive, self.retuned.rest) = (built.world, built.drive, rest);
            }
            Err(error) => self.retuned.problem = Some(error.to_string()),
        }
    }
}
