//! Strain Based Dynamics.

pub mod cloth;
pub mod rows;
pub mod skin;
pub mod skirt;
pub mod times;
pub mod torus;

use taut_render::{Material, Picture, palette};
use taut_studio::{Framed, Running, Surface};

/// Length of a frame, s.
const FRAME: f64 = 1.0 / 60.0;

/// What can be seen of a model's first body.
fn draw(running: &Running<f32>, view: &Framed, cloth: bool) -> Picture {
    let positions = running.positions();
    let colour = palette::cloth(if cloth { 0 } else { 2 });
    let material = if cloth { Material::cloth(colour) } else { Material::soft_body(colour) };
    let held = (0..positions.len()).filter(|&v| cloth && running.state.pinned(&running.model, v as u32));
    let pins: Vec<_> = held.map(|v| positions[v]).collect();
    view.draw(&[Surface::new(positions, &running.model.bodies()[0].triangles, material)], &pins)
}
