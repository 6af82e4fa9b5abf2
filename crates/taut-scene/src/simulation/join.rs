//! Cloth that is joined to cloth: each vertex on a leash to the one nearest to it.

use super::extras::Made;
use super::pins::select;
use super::{Object, extras};
use crate::scene::settings::Join;
use crate::scene::{Scene, SceneError};
use glam::DVec3;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use taut::{Constraint, ConstraintRow, RowSide, RowStrength};

/// When a join holds.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    on: Arc<AtomicBool>,
    from: f64,
    until: f64,
}

impl Switch {
    /// Holds or not in a step that begins at a time, s.
    pub fn at(&self, time: f64) {
        self.on.store(self.from <= time + extras::SOON && time + extras::SOON < self.until, Ordering::Relaxed);
    }
}

/// How far two vertices are apart beyond what they may, m.
#[derive(Debug)]
struct Leashes {
    on: Arc<AtomicBool>,
    /// m.
    lengths: Vec<f64>,
}

impl Constraint for Leashes {
    fn name(&self) -> &str {
        "join"
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let on = self.on.load(Ordering::Relaxed);
        for (at, &row) in rows.iter().enumerate() {
            let way = DVec3::from(x[2 * at]) - DVec3::from(x[2 * at + 1]);
            let towards = if on { way.normalize_or_zero() } else { DVec3::ZERO };
            values[at] = if on { way.length() - self.lengths[row as usize] } else { 0.0 };
            (gradients[2 * at], gradients[2 * at + 1]) = (towards.into(), (-towards).into());
        }
    }
}

/// Pairs of vertices that are compared for the nearest.
const MOST_PAIRS: usize = 100_000_000;

/// Adds the rows of a join.
pub(super) fn add(scene: &Scene, at: usize, join: &Join, made: &mut Made) -> Result<Option<Switch>, SceneError> {
    let find = |name: &str| made.objects.iter().position(|object| object.info.name == name);
    let (Some(a), Some(b)) = (find(&join.body), find(&join.to)) else { return Ok(None) };
    let path = format!("join.{at}");
    let chosen = |key: &str, which, of: usize| {
        select(scene, &format!("{path}.{key}"), which, &made.objects[of], &made.starts[of])
    };
    let mine = chosen("select", &join.select, a)?;
    let theirs = match &join.onto {
        Some(onto) => chosen("onto", onto, b)?,
        None => (0..made.objects[b].info.rest.len() as u32).collect(),
    };
    let own: HashSet<u32> = if a == b { mine.iter().copied().collect() } else { HashSet::new() };
    let others: Vec<u32> = theirs.into_iter().filter(|vertex| !own.contains(vertex)).collect();
    if mine.len().saturating_mul(others.len()) > MOST_PAIRS {
        let message =
            format!("`{path}` is of {} vertices with {} others, too many to compare", mine.len(), others.len());
        return Err(scene.error(&path, message, vec!["`onto` says which are meant".into()]));
    }
    if others.is_empty() {
        let message = format!("`{path}` leaves no vertices to be tied to");
        return Err(scene.error(&path, message, Vec::new()));
    }
    let thick = |name: &str| {
        let cloth = scene.settings.cloth.iter().find(|cloth| cloth.shape.name == name);
        cloth.map_or(0.0, |cloth| scene.settings.contact.cloth(cloth).thickness)
    };
    let least = if scene.settings.contact.on { 0.5 * (thick(&join.body) + thick(&join.to)) } else { 0.0 };
    let weight: f64 = made.masses[a].iter().sum::<f64>() * extras::GRAVITY;
    let compliance = join.give * mine.len() as f64 / weight.max(f64::MIN_POSITIVE);
    let (mut rows, mut lengths) = (Vec::new(), Vec::new());
    for vertex in mine {
        let place = DVec3::from(made.starts[a][vertex as usize]);
        let far = |other: u32| place.distance(made.starts[b][other as usize].into());
        let nearest = others.iter().copied().min_by(|&p, &q| far(p).total_cmp(&far(q))).unwrap_or(others[0]);
        lengths.push(join.length.unwrap_or(far(nearest)).max(least));
        let vertices = vec![vertex_of(&made.objects[a], vertex), vertex_of(&made.objects[b], nearest)];
        let strength = RowStrength::Compliance { compliance, damping: 0.0 };
        rows.push(ConstraintRow { vertices, strength, side: RowSide::AtMost });
    }
    let on = Arc::new(AtomicBool::new(join.from <= extras::SOON));
    let leashes = Leashes { on: on.clone(), lengths };
    made.builder.add_constraint(leashes, &rows).map_err(super::build::builder(scene, &path))?;
    Ok(Some(Switch { on, from: join.from, until: join.until.unwrap_or(f64::INFINITY) }))
}

fn vertex_of(object: &Object, vertex: u32) -> u32 {
    object.vertices.start + vertex
}
