//! The engine without its number type: what a simulation asks of either precision.

use crate::write::checkpoint::{Checkpoint, CheckpointError, Element};
use std::ops::Range;
use taut::Precision;
use taut::limit::LimitSpec;
use taut::measure::{self, Strains, Totals, TriangleStretch};
use taut::{Body, BuildError, Model, ModelBuilder, Params, Scratch, State, StepReport};

/// A model and its state, in some precision.
pub(super) trait Engine: Send {
    fn step(&mut self, params: &Params, dt: f64) -> StepReport;
    fn limits(&self) -> &[LimitSpec];
    fn set_limits(&mut self, limits: &[LimitSpec]) -> Result<(), BuildError>;
    fn bodies(&self) -> &[Body];
    fn warnings(&self) -> &[taut::Warning];
    fn rest_positions(&self) -> &[[f64; 3]];
    fn fastest_mode(&self) -> f64;
    fn firmness(&self) -> f64;
    /// Where some vertices are, m.
    fn places(&self, vertices: &[u32]) -> Vec<[f64; 3]>;
    fn positions(&self, vertices: Range<u32>) -> Vec<[f64; 3]>;
    fn velocities(&self, vertices: Range<u32>) -> Vec<[f64; 3]>;
    /// Puts vertices from `first` on somewhere, m.
    fn set_positions(&mut self, first: u32, positions: &[[f64; 3]]);
    /// Gives vertices from `first` on velocities, m/s.
    fn set_velocities(&mut self, first: u32, velocities: &[[f64; 3]]);
    fn pin(&mut self, vertices: &[u32]);
    fn unpin(&mut self, vertices: &[u32]);
    /// Where pinned vertices are to be at the end of the next step, m.
    fn move_pins(&mut self, targets: &[(u32, [f64; 3])]);
    fn strains(&self) -> Strains;
    fn stretches(&self) -> Vec<TriangleStretch>;
    fn totals(&self, gravity: [f64; 3]) -> Totals;
    fn hash(&self) -> u64;
    fn save(&self, checkpoint: &mut Checkpoint);
    fn restore(&mut self, checkpoint: &mut Checkpoint) -> Result<(), CheckpointError>;
}

struct Typed<T: Precision> {
    model: Model<T>,
    state: State<T>,
    scratch: Scratch<T>,
}

/// Builds the model in the precision of `T`.
pub(super) fn build<T: Precision + Element>(
    builder: ModelBuilder,
    threads: usize,
) -> Result<Box<dyn Engine>, BuildError> {
    let model = builder.build::<T>()?;
    let scratch = Scratch::new(threads).with_clock(seconds);
    Ok(Box::new(Typed { state: State::new(&model), scratch, model }))
}

/// Seconds since the first call, by the clock on the wall; in browsers, too.
pub fn seconds() -> f64 {
    #[cfg(not(target_family = "wasm"))]
    use std::time::Instant;
    // The standard library has none in browsers.
    #[cfg(target_family = "wasm")]
    use web_time::Instant;
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

impl<T: Precision + Element> Engine for Typed<T> {
    fn step(&mut self, params: &Params, dt: f64) -> StepReport {
        taut::step(&self.model, &mut self.state, &mut self.scratch, params, dt)
    }

    fn limits(&self) -> &[LimitSpec] {
        self.model.limits()
    }

    fn set_limits(&mut self, limits: &[LimitSpec]) -> Result<(), BuildError> {
        self.model.set_limits(limits)
    }

    fn bodies(&self) -> &[Body] {
        self.model.bodies()
    }

    fn warnings(&self) -> &[taut::Warning] {
        &self.model.warnings
    }

    fn rest_positions(&self) -> &[[f64; 3]] {
        self.model.rest_positions()
    }

    fn fastest_mode(&self) -> f64 {
        measure::fastest_mode(&self.model)
    }

    fn firmness(&self) -> f64 {
        measure::firmness(&self.model, &self.state)
    }

    fn places(&self, vertices: &[u32]) -> Vec<[f64; 3]> {
        vertices.iter().map(|&vertex| self.state.position(&self.model, vertex)).collect()
    }

    fn positions(&self, vertices: Range<u32>) -> Vec<[f64; 3]> {
        vertices.map(|v| self.state.position(&self.model, v)).collect()
    }

    fn velocities(&self, vertices: Range<u32>) -> Vec<[f64; 3]> {
        vertices.map(|v| self.state.velocity(&self.model, v)).collect()
    }

    fn set_positions(&mut self, first: u32, positions: &[[f64; 3]]) {
        (first..).zip(positions).for_each(|(vertex, &place)| self.state.set_position(&self.model, vertex, place));
    }

    fn set_velocities(&mut self, first: u32, velocities: &[[f64; 3]]) {
        (first..).zip(velocities).for_each(|(vertex, &v)| self.state.set_velocity(&self.model, vertex, v));
    }

    fn pin(&mut self, vertices: &[u32]) {
        self.state.set_pins(&self.model, vertices);
    }

    fn unpin(&mut self, vertices: &[u32]) {
        vertices.iter().for_each(|&vertex| self.state.unpin(&self.model, vertex));
    }

    fn move_pins(&mut self, targets: &[(u32, [f64; 3])]) {
        self.state.set_pin_targets(&self.model, targets);
    }

    fn strains(&self) -> Strains {
        measure::strains(&self.model, &self.state)
    }

    fn stretches(&self) -> Vec<TriangleStretch> {
        measure::stretches(&self.model, &self.state)
    }

    fn totals(&self, gravity: [f64; 3]) -> Totals {
        measure::totals(&self.model, &self.state, gravity)
    }

    fn hash(&self) -> u64 {
        measure::state_hash(&self.model, &self.state)
    }

    fn save(&self, checkpoint: &mut Checkpoint) {
        checkpoint.put("state", self.state.to_numbers());
    }

    fn restore(&mut self, checkpoint: &mut Checkpoint) -> Result<(), CheckpointError> {
        let numbers = checkpoint.take::<T>("state")?;
        let state = State::from_numbers(&self.model, &numbers, checkpoint.time);
        self.state = state.ok_or_else(|| {
            let expected = self.state.to_numbers().len();
            checkpoint.unusable(format!("its state has {} numbers; expected {expected} finite ones", numbers.len()))
        })?;
        Ok(())
    }
}
