//! What moves by the scene's will: colliders, pins and a hand.

use super::colliders::ColliderObject;
use super::engine::Engine;
use super::extras::Extras;
use super::follow;
use super::hand::Hand;
use super::motion::Courses;
use super::pins::{self, PinnedVertices};
use super::soft::Pull;
use super::surface::StartPose;
use super::{Clock, Object};
use crate::scene::settings::{Settings, StartFrom};
use crate::scene::{Scene, SceneError};
use std::sync::Arc;
use taut::Params;

/// Colliders, pins and a hand.
pub(super) struct Drive {
    pub colliders: Vec<ColliderObject>,
    pub pins: Vec<PinnedVertices>,
    pub hand: Option<Hand>,
    /// Joins, folds and air.
    pub extras: Extras,
}

impl Drive {
    /// Those of a scene, with what is held from the beginning where it has to be. What is odd about files is added to
    /// `warnings`.
    pub fn new(
        scene: &Scene,
        objects: &[Object],
        engine: &mut dyn Engine,
        (pulls, extras): (Vec<Option<Pull>>, Extras),
        warnings: &mut Vec<String>,
    ) -> Result<Self, SceneError> {
        let courses = Arc::new(Courses::new(&scene.settings.collider));
        let mut colliders = Vec::new();
        for at in 0..scene.settings.collider.len() {
            let collider = ColliderObject::new(scene, at, &courses, &colliders, warnings)?;
            colliders.push(collider);
        }
        // Pins are put on in the pose that cloth is modelled on.
        let bound = scene.settings.start.duration > 0.0 && scene.settings.start.from != StartFrom::First;
        let first = StartPose { moved: if bound { 0.0 } else { 1.0 }, ..StartPose::NONE };
        colliders.iter_mut().for_each(|collider| collider.take_pose(first));
        let pins = pins::pin_all(scene, objects, &colliders, engine, pulls)?;
        let worn = if bound && scene.settings.start.from == StartFrom::Skin {
            follow::wear(scene, objects, &colliders, engine)
        } else {
            Vec::new()
        };
        colliders.iter_mut().for_each(|collider| collider.take_pose(StartPose::NONE));
        for (first, mut places, leader) in worn {
            leader.carry(&mut places, &colliders, 0.0);
            engine.set_positions(first, &places);
        }
        let drive = Drive { colliders, pins, hand: None, extras };
        if bound && scene.settings.start.from == StartFrom::Skin {
            pins::put_on(&drive.pins, &drive.colliders, engine);
        }
        Ok(drive)
    }

    /// Tells what is held where to be at the end of a step of the next frame. The hand comes last: it is stronger than
    /// the scene.
    pub fn step(&mut self, engine: &mut dyn Engine, clock: &Clock, step: u32) {
        let span = clock.step_span(step);
        let hand = self.hand.as_ref().map(|hand| hand.number);
        let mut targets = pins::drive(&mut self.pins, &self.colliders, engine, hand, span);
        self.extras.tell(engine, span);
        targets.extend(self.hand.as_mut().map(|hand| (hand.number, hand.target(clock.span(), span[1]))));
        engine.move_pins(&targets);
    }

    /// Mesh colliders take a pose of a start phase.
    pub fn pose(&mut self, pose: StartPose) {
        self.colliders.iter_mut().for_each(|collider| collider.take_pose(pose));
    }

    /// How far a point of a mesh collider comes at most from a pose of a start phase to where it is in the first
    /// frame, m.
    pub fn way_from(&mut self, pose: StartPose) -> f64 {
        let now: Vec<_> = self.colliders.iter().map(|collider| collider.positions(0.0)).collect();
        self.pose(pose);
        let far = |(a, b): (&[f64; 3], &[f64; 3])| glam::DVec3::from(*a).distance((*b).into());
        let way = |(now, collider): (&Vec<[f64; 3]>, &ColliderObject)| {
            now.iter().zip(&collider.positions(0.0)).map(far).fold(0.0, f64::max)
        };
        let longest = now.iter().zip(&self.colliders).map(way).fold(0.0, f64::max);
        self.pose(StartPose::NONE);
        longest
    }

    /// Tells what is held to be where it has to be at a time, s.
    pub fn hold(&mut self, engine: &mut dyn Engine, time: f64) {
        let targets = pins::drive(&mut self.pins, &self.colliders, engine, None, [time; 2]);
        self.extras.tell(engine, [time; 2]);
        engine.move_pins(&targets);
    }

    /// How to step from one time to another (s), as far as settings and colliders have a say.
    pub fn params(&mut self, settings: &Settings, [from, to]: [f64; 2]) -> Params {
        let meshes = self.colliders.iter_mut().filter_map(|collider| collider.mesh_during(from, to)).collect();
        let air = &settings.air;
        Params {
            gravity: settings.world.gravity,
            air: taut::Air {
                wind: air.wind.at(0.5 * (from + to)),
                density: air.density,
                across: air.drag.across,
                along: air.drag.along,
            },
            colliders: self.colliders.iter().filter_map(|collider| collider.during(from, to)).collect(),
            meshes,
            ..settings.step_params()
        }
    }

    /// The vertices that pins hold now, by the engine's numbers, ascending.
    pub fn pinned(&self) -> Vec<u32> {
        pins::pinned(&self.pins)
    }

    /// Makes all what it is after the last step before now; the state is taken care of elsewhere. False if `late`,
    /// which [`late_places`](pins::late_places) gave, is of other pins.
    pub fn rewind(&mut self, clock: &Clock, late: &[f64]) -> bool {
        self.hand = None;
        pins::rewind(&mut self.pins, clock.last_step());
        pins::set_late_places(&mut self.pins, &self.colliders, late)
    }

    /// Goes on from where another drive of the same bodies is, with the state in `engine`. A pin that was not there
    /// before holds from now on.
    pub fn take_over(&mut self, other: &Drive, engine: &mut dyn Engine, from: &dyn Engine, clock: &Clock) {
        let old = self.pinned();
        pins::rewind(&mut self.pins, clock.last_step());
        let held = self.pinned();
        engine.unpin(&old.into_iter().filter(|vertex| held.binary_search(vertex).is_err()).collect::<Vec<_>>());
        engine.pin(&held);
        let all = 0..engine.rest_positions().len() as u32;
        engine.set_positions(0, &from.positions(all.clone()));
        engine.set_velocities(0, &from.velocities(all));
        pins::place_late(&mut self.pins, &other.pins, &self.colliders, engine);
        self.hand = other.hand;
        engine.pin(self.hand.as_ref().map(|hand| hand.number).as_slice());
    }
}
