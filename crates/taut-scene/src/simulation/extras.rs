//! What acts on cloth beside its material and its pins: joins, folds, air. All are constraints of the user's own in the
//! engine, told before every step how to act.

use super::engine::Engine;
use super::{Object, crease, join, pressure};
use crate::scene::{Scene, SceneError};
use taut::ModelBuilder;

/// What makes weight of mass, m/s².
pub(super) const GRAVITY: f64 = 9.81;
/// A frame's time is a quotient: half a microsecond is no delay, s.
pub(super) const SOON: f64 = 5e-7;

/// What was made of a scene so far.
pub(super) struct Made<'a> {
    pub objects: &'a [Object],
    pub builder: &'a mut ModelBuilder,
    /// Where the vertices of each object begin, m.
    pub starts: &'a [Vec<[f64; 3]>],
    /// The mass of each vertex of each object, kg.
    pub masses: &'a [Vec<f64>],
}

/// Joins, folds and air of a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    joins: Vec<join::Switch>,
    folds: Vec<crease::Folds>,
    airs: Vec<pressure::Air>,
}

impl Extras {
    /// Adds the rows of all of them.
    pub fn add(scene: &Scene, made: &mut Made) -> Result<Self, SceneError> {
        let (settings, mut extras) = (&scene.settings, Extras::default());
        for (at, join) in settings.join.iter().enumerate() {
            extras.joins.extend(join::add(scene, at, join, made)?);
        }
        for (at, crease) in settings.crease.iter().enumerate() {
            extras.folds.extend(crease::add(scene, at, crease, made)?);
        }
        for (at, pressure) in settings.pressure.iter().enumerate() {
            extras.airs.extend(pressure::add(scene, at, pressure, made)?);
        }
        Ok(extras)
    }

    /// Tells all of them how to act in a step from one time to another, s.
    pub fn tell(&self, engine: &dyn Engine, [from, to]: [f64; 2]) {
        self.joins.iter().for_each(|join| join.at(from));
        self.folds.iter().for_each(|folds| folds.give(engine));
        self.airs.iter().for_each(|air| air.tell(engine, [from, to]));
    }

    /// What of them nothing else tells again.
    pub fn numbers(&self) -> Vec<f64> {
        self.folds.iter().flat_map(crease::Folds::numbers).collect()
    }

    /// Takes up what [`numbers`](Self::numbers) gave; false if it is of others.
    pub fn take(&self, numbers: &[f64]) -> bool {
        let left = self.folds.iter().try_fold(numbers, |numbers, folds| folds.take(numbers));
        left.is_some_and(<[f64]>::is_empty)
    }
}
