//! A hand that takes hold of a vertex while a simulation is under way.
//!
//! What it does can be written as a `[[pin]]` with `from`, `until` and a linear track of `motion.translate`, and then
//! moves the vertex by the same bits.

use super::{Simulation, pins};
use glam::DVec3;

/// A vertex that is held by hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    /// The object and its vertex.
    of: (usize, u32),
    /// The engine's number of the vertex.
    pub number: u32,
    /// Where it was taken, m.
    place: DVec3,
    /// How far it is to be from there at the end of the next frame, m.
    offset: DVec3,
    /// How far it was at the end of the last one, m.
    before: DVec3,
}

impl Hand {
    /// Where it has to be (m) at the end of a step at some time (s) of the next frame, which lasts from one time to
    /// another.
    pub fn target(&mut self, [from, to]: [f64; 2], time: f64) -> [f64; 3] {
        // As a linear track has it, to the bit.
        let part = (time - from) / (to - from);
        if time == to {
            self.before = self.offset;
        }
        let offset = if time == to { self.offset } else { self.before + (self.offset - self.before) * part };
        (self.place + offset).into()
    }
}

impl Simulation {
    /// Takes hold of a vertex, by its object's numbers, and lets go of any other. Gives where it is, m; nothing if
    /// there is no such vertex.
    pub fn grab(&mut self, object: usize, vertex: u32) -> Option<[f64; 3]> {
        self.let_go();
        let number = self.objects.get(object)?.number(vertex)?;
        let place = *self.world.places(&[number]).first()?;
        self.world.pin(&[number]);
        self.drive.hand =
            Some(Hand { of: (object, vertex), number, place: place.into(), offset: DVec3::ZERO, before: DVec3::ZERO });
        Some(place)
    }

    /// How far the vertex in the hand is to be from where it was taken at the end of the next frame, m. What is not
    /// finite is ignored.
    pub fn pull(&mut self, offset: [f64; 3]) {
        if let Some(hand) = self.drive.hand.as_mut().filter(|_| offset.iter().all(|x| x.is_finite())) {
            hand.offset = offset.into();
        }
    }

    /// Lets go of what the hand holds. Vertices that a pin of the scene holds too stay where they are.
    pub fn let_go(&mut self) {
        if let Some(hand) = self.drive.hand.take()
            && self.drive.pinned().binary_search(&hand.number).is_err()
        {
            self.world.unpin(&[hand.number]);
        }
    }

    /// The object and vertex that the hand holds.
    pub fn in_hand(&self) -> Option<(usize, u32)> {
        self.drive.hand.map(|hand| hand.of)
    }

    /// The pins, by their number in the scene, that hold a vertex now.
    pub fn pins_of(&self, object: usize, vertex: u32) -> Vec<usize> {
        let number = self.objects.get(object).and_then(|object| object.number(vertex));
        number.map_or_else(Vec::new, |number| pins::holding(&self.drive.pins, number))
    }
}
