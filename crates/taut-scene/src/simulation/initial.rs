//! How bodies differ from rest when the time begins.

use super::Object;
use super::engine::Engine;
use super::motion::{add, cross, sub};
use crate::generate::rng::SplitMix64;
use crate::scene::Scene;
use crate::scene::settings::Initial;

/// Stretches, scrambles, shakes and sets in motion what the scene asks for, in its order.
pub(super) fn apply(scene: &Scene, objects: &[Object], engine: &mut dyn Engine) {
    for initial in &scene.settings.initial {
        if let Some(object) = objects.iter().find(|object| object.info.name == initial.body) {
            start(initial, object, engine);
        }
    }
}

fn start(initial: &Initial, object: &Object, engine: &mut dyn Engine) {
    let places = engine.positions(object.vertices.clone());
    let (low, high) = bounds(&places);
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let mut rng = initial.scramble.as_ref().map(|scramble| SplitMix64::new(u64::from(scramble.seed)));
    let mut noise = initial.jitter.as_ref().map(|jitter| SplitMix64::new(u64::from(jitter.seed)));
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for place in places {
        let mut to: [f64; 3] = std::array::from_fn(|k| middle[k] + initial.stretch.0[k] * (place[k] - middle[k]));
        if let (Some(rng), Some(scramble)) = (&mut rng, &initial.scramble) {
            let thrown: [f64; 3] = std::array::from_fn(|k| rng.range(low[k], high[k]));
            to = std::array::from_fn(|k| to[k] + scramble.amount * (thrown[k] - to[k]));
        }
        if let (Some(noise), Some(jitter)) = (&mut noise, &initial.jitter) {
            to = to.map(|x| x + noise.range(-jitter.amount, jitter.amount));
        }
        let mut velocity = initial.velocity;
        if let Some(spin) = &initial.spin {
            let length = spin.axis.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-300);
            let rate = spin.axis.map(|c| c / length * spin.degrees_per_second.to_radians());
            velocity = add(velocity, cross(rate, sub(to, middle)));
        }
        positions.push(to);
        velocities.push(velocity);
    }
    engine.set_positions(object.vertices.start, &positions);
    engine.set_velocities(object.vertices.start, &velocities);
}

fn bounds(places: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
    for place in places {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(place[k]), high[k].max(place[k]));
        }
    }
    (low, high)
}
