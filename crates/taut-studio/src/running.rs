//! A model under way without a scene.

use taut::measure::{self, Strains, Totals};
use taut::{Model, Params, Precision, Scratch, State, StepReport, step};

/// A model, where it is, and how it steps.
pub struct Running<T: Precision> {
    /// What moves.
    pub model: Model<T>,
    /// Where it is.
    pub state: State<T>,
    /// What steps need besides.
    pub scratch: Scratch<T>,
    /// How it steps.
    pub params: Params,
}

impl<T: Precision> Running<T> {
    /// A model at rest, on one thread.
    pub fn new(model: Model<T>, params: Params) -> Self {
        Running { state: State::new(&model), scratch: Scratch::new(1), model, params }
    }

    /// The same, with some vertices held.
    pub fn pinned(mut self, vertices: impl IntoIterator<Item = u32>) -> Self {
        self.state.set_pins(&self.model, &vertices.into_iter().collect::<Vec<_>>());
        self
    }

    /// One step of `dt` seconds.
    pub fn step(&mut self, dt: f64) -> StepReport {
        step(&self.model, &mut self.state, &mut self.scratch, &self.params, dt)
    }

    /// Some steps of `dt` seconds.
    pub fn run(&mut self, steps: u32, dt: f64) {
        for _ in 0..steps {
            self.step(dt);
        }
    }

    /// Where its vertices are, m.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.state.positions(&self.model)
    }

    /// Strains of its elements.
    pub fn strains(&self) -> Strains {
        measure::strains(&self.model, &self.state)
    }

    /// Energies, momenta and changes of size of all of it.
    pub fn totals(&self) -> Totals {
        measure::totals(&self.model, &self.state, self.params.gravity)
    }
}
