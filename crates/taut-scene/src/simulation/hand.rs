//! A hand that takes hold of a vertex while a simulation is under way.
//!
//! What it does can be written as a `[[pin]]` with `from`, `until` and a linear track of `motion.translate`, and then
//! moves the vertex by the same bits.

use super::motion::add;
use super::{Simulation, pins};

/// A vertex that is held by hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    pub object: usize,
    pub vertex: u32,
    /// Where it was taken, m.
    place: [f64; 3],
    /// How far it is to be from there at the end of the next frame, m.
    offset: [f64; 3],
    /// How far it was at the end of the last one, m.
    before: [f64; 3],
}

impl Simulation {
    /// Takes hold of a vertex, by its object's numbers, and lets go of any other. Gives where it is, m; nothing if there is no
    /// such vertex.
    pub fn grab(&mut self, object: usize, vertex: u32) -> Option<[f64; 3]> {
        self.let_go();
        let number = self.vertex(object, vertex)?;
        let place = self.engine.position(number);
        self.engine.pin(number);
        self.hand = Some(Hand { object, vertex, place, offset: [0.0; 3], before: [0.0; 3] });
        Some(place)
    }

    /// How far the vertex in the hand is to be from where it was taken at the end of the next frame, m. What is not finite is
    /// ignored.
    pub fn pull(&mut self, offset: [f64; 3]) {
        if let Some(hand) = self.hand.as_mut().filter(|_| offset.iter().all(|x| x.is_finite())) {
            hand.offset = offset;
        }
    }

    /// Lets go of what the hand holds. Vertices that a pin of the scene holds too stay where they are.
    pub fn let_go(&mut self) {
        let Some(hand) = self.hand.take() else { return };
        if let Some(number) = self.vertex(hand.object, hand.vertex)
            && pins::held(&self.pins).binary_search(&number).is_err()
        {
            self.engine.unpin(number);
        }
    }

    /// The object and vertex that the hand holds.
    pub fn in_hand(&self) -> Option<(usize, u32)> {
        self.hand.map(|hand| (hand.object, hand.vertex))
    }

    /// The pins, by their number in the scene, that hold a vertex now.
    pub fn pins_of(&self, object: usize, vertex: u32) -> Vec<usize> {
        let number = self.vertex(object, vertex);
        number.map_or_else(Vec::new, |number| pins::holding(&self.pins, number))
    }

    /// Tells the vertex in the hand where to be at the end of a step at some time (s) of the next frame. After the scene's
    /// pins: the hand is stronger.
    pub(super) fn drive_hand(&mut self, time: f64) {
        let (from, to) = (self.time_of(self.frame), self.time_of(self.frame + 1));
        let Some(hand) = self.hand else { return };
        // As a linear track has it, to the bit.
        let part = (time - from) / (to - from);
        let offset = match time == to {
            true => hand.offset,
            false => std::array::from_fn(|k| hand.before[k] + (hand.offset[k] - hand.before[k]) * part),
        };
        if let Some(number) = self.vertex(hand.object, hand.vertex) {
            self.engine.move_pin(number, add(hand.place, offset));
        }
        if let Some(hand) = self.hand.as_mut().filter(|_| time == to) {
            hand.before = hand.offset;
        }
    }

    /// The engine's vertex in the hand.
    pub(super) fn hand_vertex(&self) -> Option<u32> {
        self.hand.and_then(|hand| self.vertex(hand.object, hand.vertex))
    }

    /// The engine's number of an object's vertex.
    fn vertex(&self, object: usize, vertex: u32) -> Option<u32> {
        let range = &self.objects.get(object)?.vertices;
        range.start.checked_add(vertex).filter(|number| range.contains(number))
    }
}
