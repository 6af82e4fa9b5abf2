//! Air that presses on cloth. The work of a pressure p over a volume V is p V; a row c = s (V − W) with a compliance W
//! and s² = p has nearly that force, s² (1 − V/W) ∇V, if W is far larger than any V.

use super::engine::Engine;
use super::extras::Made;
use crate::scene::settings::Pressure;
use crate::scene::{Scene, SceneError};
use glam::DVec3;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};
use taut::{Constraint, ConstraintRow, RowSide, RowStrength};

/// Far more than what a triangle and the middle of its cloth have between them, m³.
const WIDE: f64 = 1e3;

/// What acts in the step that comes.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    /// Pa.
    pressure: f64,
    /// The point that volumes are counted from, m.
    middle: DVec3,
}

/// Air on one cloth.
#[derive(Clone, Debug)]
pub(super) struct Air {
    now: Arc<RwLock<Now>>,
    source: Pressure,
    vertices: Range<u32>,
}

impl Air {
    /// Tells how it acts in a step from one time to another, s.
    pub fn tell(&self, engine: &dyn Engine, [from, to]: [f64; 2]) {
        let positions = engine.positions(self.vertices.clone());
        let middle = positions.iter().map(|&p| DVec3::from(p)).sum::<DVec3>() / positions.len().max(1) as f64;
        let pressure = self.source.pressure.at(0.5 * (from + to));
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Now { pressure, middle };
    }
}

/// Volumes between triangles and the middle.
#[derive(Debug)]
struct Volumes(Arc<RwLock<Now>>);

impl Constraint for Volumes {
    fn name(&self) -> &str {
        "pressure"
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let now = *self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (size, sign) = (now.pressure.abs().sqrt(), now.pressure.signum());
        for at in 0..rows.len() {
            let [a, b, c] = [0, 1, 2].map(|k| DVec3::from(x[3 * at + k]) - now.middle);
            values[at] = size * (a.dot(b.cross(c)) / 6.0 - sign * WIDE);
            let each = [b.cross(c), c.cross(a), a.cross(b)];
            (0..3).for_each(|k| gradients[3 * at + k] = (each[k] * (size / 6.0)).into());
        }
    }
}

/// Adds the rows of air on a cloth.
pub(super) fn add(scene: &Scene, at: usize, source: &Pressure, made: &mut Made) -> Result<Option<Air>, SceneError> {
    let Some(of) = made.objects.iter().position(|object| object.info.name == source.body) else { return Ok(None) };
    let (object, path) = (&made.objects[of], format!("pressure.{at}"));
    let (count, triangles) = (object.info.rest.len(), &object.info.triangles);
    let painted = match &source.map {
        Some(name) => object.marks.values(scene, &format!("{path}.map"), name, &object.groups, triangles, count)?,
        None => vec![1.0; count],
    };
    let mut rows = Vec::new();
    for triangle in triangles {
        let share = triangle.iter().map(|&v| f64::from(painted[v as usize]).clamp(0.0, 1.0)).sum::<f64>() / 3.0;
        if share > 0.0 {
            let strength = RowStrength::Compliance { compliance: WIDE / share, damping: 0.0 };
            let vertices = triangle.iter().map(|&v| object.vertices.start + v).collect();
            rows.push(ConstraintRow { vertices, strength, side: RowSide::Zero });
        }
    }
    let now = Arc::new(RwLock::new(Now::default()));
    let vertices = object.vertices.clone();
    made.builder.add_constraint(Volumes(now.clone()), &rows).map_err(super::build::builder(scene, &path))?;
    Ok(Some(Air { now, source: source.clone(), vertices }))
}
