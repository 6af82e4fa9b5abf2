//! How bodies differ from rest when the time begins.

use super::Object;
use super::engine::Engine;
use super::pins;
use crate::generate::rng::SplitMix64;
use crate::scene::Scene;
use crate::scene::settings::Initial;
use glam::DVec3;

/// Stretches, scrambles, shakes and sets in motion what the scene asks for, in its order.
pub(super) fn apply(scene: &Scene, objects: &[Object], engine: &mut dyn Engine) {
    for initial in &scene.settings.initial {
        if let Some(object) = objects.iter().find(|object| object.info.name == initial.body) {
            start(initial, object, &pins::held_at_the_start(scene, object, engine), engine);
        }
    }
}

/// `held` are the numbers of vertices that pins hold: noise would have them stretch for good what lies between them.
fn start(initial: &Initial, object: &Object, held: &[u32], engine: &mut dyn Engine) {
    let places: Vec<DVec3> = engine.positions(object.vertices.clone()).into_iter().map(DVec3::from).collect();
    let low = places.iter().copied().fold(DVec3::MAX, DVec3::min);
    let high = places.iter().copied().fold(DVec3::MIN, DVec3::max);
    let middle = 0.5 * (low + high);
    let mut rng = initial.scramble.as_ref().map(|scramble| SplitMix64::new(u64::from(scramble.seed)));
    let mut noise = initial.jitter.as_ref().map(|jitter| SplitMix64::new(u64::from(jitter.seed)));
    let spin = initial.spin.as_ref().map_or(DVec3::ZERO, |spin| {
        let axis = DVec3::from(spin.axis);
        axis / axis.length().max(1e-300) * spin.degrees_per_second.to_radians()
    });
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for (number, place) in places.into_iter().enumerate() {
        let mut to = middle + DVec3::from(initial.stretch.0) * (place - middle);
        if let (Some(rng), Some(scramble)) = (&mut rng, &initial.scramble) {
            let thrown = DVec3::from(std::array::from_fn(|k| rng.range(low[k], high[k])));
            to += scramble.amount * (thrown - to);
        }
        if let (Some(noise), Some(jitter)) = (&mut noise, &initial.jitter) {
            let by = DVec3::from(std::array::from_fn(|_| noise.range(-jitter.amount, jitter.amount)));
            to += if held.binary_search(&(number as u32)).is_ok() { DVec3::ZERO } else { by };
        }
        positions.push(to.into());
        velocities.push((DVec3::from(initial.velocity) + spin.cross(to - middle)).into());
    }
    engine.set_positions(object.vertices.start, &positions);
    engine.set_velocities(object.vertices.start, &velocities);
}
