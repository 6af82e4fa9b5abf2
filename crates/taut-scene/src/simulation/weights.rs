//! Weights sewn on: masses beside those of the material.

use super::Object;
use super::build::{Bodies, builder};
use super::pins::select;
use crate::scene::{Scene, SceneError};
use glam::DVec3;

/// Adds the scene's weights to its bodies.
pub(super) fn add(scene: &Scene, bodies: &mut Bodies) -> Result<(), SceneError> {
    for (at, weight) in scene.settings.weight.iter().enumerate() {
        let Some(object) = bodies.objects.iter().find(|object| object.info.name == weight.body) else { continue };
        let path = format!("weight.{at}");
        let chosen = select(scene, &format!("{path}.select"), &weight.select, object, &object.info.rest)?;
        let shares = shares(object, &chosen);
        for (v, share) in chosen.into_iter().zip(shares) {
            let vertex = object.vertices.start + v;
            bodies.builder.add_mass(vertex, weight.mass * share).map_err(builder(scene, &path))?;
        }
    }
    Ok(())
}

/// The share of each chosen vertex: half the length of the edges that it has with other chosen ones, so that a hem is
/// loaded evenly however its vertices are spaced; where no two are neighbours, the same for all.
fn shares(object: &Object, chosen: &[u32]) -> Vec<f64> {
    let mut number = vec![usize::MAX; object.info.rest.len()];
    for (at, &v) in chosen.iter().enumerate() {
        number[v as usize] = at;
    }
    let mut lengths = vec![0.0; chosen.len()];
    for [a, b] in edges(object) {
        let [i, j] = [a, b].map(|v| number[v as usize]);
        if i != usize::MAX && j != usize::MAX {
            let [p, q] = [a, b].map(|v| DVec3::from(object.info.rest[v as usize]));
            let length = p.distance(q);
            lengths[i] += 0.5 * length;
            lengths[j] += 0.5 * length;
        }
    }
    let total: f64 = lengths.iter().sum();
    match total > 0.0 {
        true => lengths.into_iter().map(|length| length / total).collect(),
        false => vec![1.0 / chosen.len().max(1) as f64; chosen.len()],
    }
}

/// Every edge of an object once.
fn edges(object: &Object) -> Vec<[u32; 2]> {
    let triangles = object.info.triangles.iter().map(|t| &t[..]);
    let mut all = Vec::new();
    for corners in triangles.chain(object.info.tets.iter().map(|t| &t[..])) {
        for (i, &a) in corners.iter().enumerate() {
            all.extend(corners[i + 1..].iter().map(|&b| [a.min(b), a.max(b)]));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
