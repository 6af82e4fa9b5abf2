//! One frame, as far as pictures need it.

use taut_scene::simulation::Simulation;

/// One frame, as far as pictures need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// The frame.
    pub frame: u32,
    /// Its time, s.
    pub time: f64,
    /// Positions of each object's vertices, m.
    pub positions: Vec<Vec<[f64; 3]>>,
    /// Where held vertices are marked, m.
    pub held: Vec<[f64; 3]>,
    /// For each object the values of each of its fields; empty if nobody will ask.
    pub fields: Vec<Vec<Vec<f64>>>,
}

impl Shot {
    /// The frame that a simulation is at.
    pub fn of(simulation: &Simulation) -> Shot {
        Shot { fields: simulation.fields(), ..Shot::plain(simulation) }
    }

    /// The same without fields.
    pub fn plain(simulation: &Simulation) -> Shot {
        Shot {
            frame: simulation.frame(),
            time: simulation.time(),
            positions: (0..simulation.objects().len()).map(|object| simulation.positions(object)).collect(),
            held: simulation.marked_positions(),
            fields: Vec::new(),
        }
    }
}
