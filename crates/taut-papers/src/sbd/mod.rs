//! Strain Based Dynamics.

pub mod cloth;
pub mod rows;
pub mod skin;
pub mod skirt;
pub mod times;
pub mod torus;

use crate::draw::{Part, View};
use taut::{Model, Params, Scratch, State, step};
use taut_render::{Material, Picture, palette};

/// Length of a frame, s.
const FRAME: f64 = 1.0 / 60.0;

/// A model and where it is.
pub struct Running {
    pub model: Model<f32>,
    pub state: State<f32>,
    pub params: Params,
    scratch: Scratch<f32>,
}

impl Running {
    pub fn new(model: Model<f32>, params: Params) -> Self {
        Running { state: State::new(&model), model, params, scratch: Scratch::new(1) }
    }

    pub fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            step(&self.model, &mut self.state, &mut self.scratch, &self.params, FRAME);
        }
    }

    /// How many tetrahedra are inside out.
    fn inverted(&self) -> usize {
        taut::measure::strains(&self.model, &self.state).inverted()
    }

    /// What can be seen of its first body.
    fn draw(&self, view: &View, cloth: bool) -> Picture {
        let positions = self.state.positions(&self.model);
        let colour = palette::cloth(if cloth { 0 } else { 2 });
        let material = if cloth { Material::cloth(colour) } else { Material::soft_body(colour) };
        let held = (0..positions.len()).filter(|&v| cloth && self.state.pinned(&self.model, v as u32));
        let pins: Vec<_> = held.map(|v| positions[v]).collect();
        view.draw(&[Part::new(positions, &self.model.bodies[0].triangles, material)], &pins)
    }
}
