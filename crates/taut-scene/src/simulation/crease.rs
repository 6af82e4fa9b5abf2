//! Folds that stay: the angle at an edge is at rest at what is said, and may go along with what it is bent to.
//!
//! Angles are kept as cosine and sine, and a row is 2 sin(δ/2) of the difference δ: square roots and nothing else in a
//! step, so that every machine finds the same bits.

use super::engine::Engine;
use super::extras::Made;
use super::pins::select;
use crate::scene::settings::Crease;
use crate::scene::{Scene, SceneError};
use glam::DVec3;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use taut::{Constraint, ConstraintRow, RowSide, RowStrength};

/// Folds of one cloth.
#[derive(Clone, Debug)]
pub(super) struct Folds {
    /// Angles at rest.
    rest: Arc<RwLock<Vec<Turn>>>,
    /// The ends of each edge, then the corners beside it, as the engine's vertices.
    corners: Vec<[u32; 4]>,
    /// Nothing if angles at rest stay.
    yields: Option<Turn>,
}

/// Cosine and sine of an angle.
type Turn = [f64; 2];

fn turn_of(radians: f64) -> Turn {
    [radians.cos(), radians.sin()]
}

/// One angle less another.
fn less([c, s]: Turn, [cos, sin]: Turn) -> Turn {
    [c * cos + s * sin, s * cos - c * sin]
}

impl Folds {
    /// Lets angles at rest go along with those that are bent too far.
    pub fn give(&self, engine: &dyn Engine) {
        let Some(most) = self.yields else { return };
        let mut rest = self.rest.write().unwrap_or_else(PoisonError::into_inner);
        for (rest, corners) in rest.iter_mut().zip(&self.corners) {
            let now = angle(&engine.places(corners)).0;
            let off = less(now, *rest);
            if off[0] < most[0] {
                // As far behind as it may be, on the side where it was.
                *rest = less(now, [most[0], most[1].copysign(off[1])]);
            }
        }
    }

    /// Cosines and sines of angles at rest that may have changed.
    pub fn numbers(&self) -> Vec<f64> {
        let rest = self.rest.read().unwrap_or_else(PoisonError::into_inner);
        if self.yields.is_some() { rest.as_flattened().to_vec() } else { Vec::new() }
    }

    /// Takes up the first of some numbers, and gives the others; nothing if there are too few.
    pub fn take<'a>(&self, numbers: &'a [f64]) -> Option<&'a [f64]> {
        let count = if self.yields.is_some() { 2 * self.corners.len() } else { 0 };
        let (mine, others) = numbers.split_at_checked(count)?;
        if count > 0 {
            *self.rest.write().unwrap_or_else(PoisonError::into_inner) = mine.as_chunks::<2>().0.to_vec();
        }
        Some(others)
    }
}

/// How far angles are from those at rest: 2 sin of half the difference.
#[derive(Debug)]
struct Angles(Arc<RwLock<Vec<Turn>>>);

impl Constraint for Angles {
    fn name(&self) -> &str {
        "crease"
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let rest = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (at, &row) in rows.iter().enumerate() {
            let (now, slopes) = angle(&x[4 * at..4 * at + 4]);
            let [cos, sin] = less(now, rest[row as usize]);
            values[at] = (2.0 * (1.0 - cos).max(0.0)).sqrt().copysign(sin);
            let slope = (0.5 * (1.0 + cos).max(0.0)).sqrt();
            (0..4).for_each(|k| gradients[4 * at + k] = (slopes[k] * slope).into());
        }
    }
}

/// The angle at an edge, from its ends and the corners beside it (m): 0 if it is flat; and its derivatives, 1/m.
fn angle(x: &[[f64; 3]]) -> (Turn, [DVec3; 4]) {
    let [p, q, a, b] = [0, 1, 2, 3].map(|k| DVec3::from(x[k]));
    let edge = q - p;
    // The first triangle is p, q, a; the second q, p, b.
    let (m, n) = (edge.cross(a - p), (-edge).cross(b - q));
    let (length, m2, n2) = (edge.length(), m.length_squared(), n.length_squared());
    if !(length > 0.0 && m2 > 0.0 && n2 > 0.0) {
        return ([1.0, 0.0], [DVec3::ZERO; 4]);
    }
    let both = (m2 * n2).sqrt();
    let turn = [m.dot(n) / both, m.cross(n).dot(edge / length) / both];
    let (at_a, at_b) = (-length / m2 * m, -length / n2 * n);
    // Where the corners' feet are on the edge.
    let (s, t) = ((a - p).dot(edge) / (length * length), (b - p).dot(edge) / (length * length));
    let (at_p, at_q) = (-(1.0 - s) * at_a - (1.0 - t) * at_b, -s * at_a - t * at_b);
    (turn, [at_p, at_q, at_a, at_b])
}

/// Adds the rows of folds.
pub(super) fn add(scene: &Scene, at: usize, crease: &Crease, made: &mut Made) -> Result<Option<Folds>, SceneError> {
    let Some(of) = made.objects.iter().position(|object| object.info.name == crease.body) else { return Ok(None) };
    let (object, path) = (&made.objects[of], format!("crease.{at}"));
    let chosen = select(scene, &format!("{path}.select"), &crease.select, object, &made.starts[of])?;
    let chosen: HashSet<u32> = chosen.into_iter().collect();
    let (mut rows, mut rest, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    for hinge in hinges(&object.info.triangles) {
        if !(chosen.contains(&hinge[0]) && chosen.contains(&hinge[1])) {
            continue;
        }
        let places = hinge.map(|v| object.info.rest[v as usize]);
        let length = DVec3::from(places[0]).distance(places[1].into());
        let compliance = 1.0 / (crease.stiffness * length.max(1e-9));
        let vertices = hinge.map(|v| object.vertices.start + v);
        let strength = RowStrength::Compliance { compliance, damping: 0.0 };
        rows.push(ConstraintRow { vertices: vertices.to_vec(), strength, side: RowSide::Zero });
        rest.push(crease.degrees.map_or_else(|| angle(&places).0, |degrees| turn_of(degrees.to_radians())));
        corners.push(vertices);
    }
    if rows.is_empty() {
        let message =
            format!("`{path}` picks no edges: no two of the vertices it picks are ends of one inside the cloth");
        return Err(scene.error(&path, message, Vec::new()));
    }
    let rest = Arc::new(RwLock::new(rest));
    made.builder.add_constraint(Angles(rest.clone()), &rows).map_err(super::build::builder(scene, &path))?;
    Ok(Some(Folds { rest, corners, yields: crease.yields.map(|most| turn_of(most.to_radians())) }))
}

/// The edges between two triangles: their ends as the first triangle has them, then the corners beside them.
fn hinges(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut half: HashMap<[u32; 2], u32> = HashMap::new();
    let mut out = Vec::new();
    for t in triangles {
        for k in 0..3 {
            let [p, q, a] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
            if let Some(&b) = half.get(&[q, p]) {
                out.push([q, p, b, a]);
            }
            half.insert([p, q], a);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::gradient_error;

    #[test]
    fn angles_have_the_sign_and_the_slopes_they_should() {
        let bent = |up: f64| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 1.0, up], [0.6, -1.0, up]];
        assert_eq!(angle(&bent(0.0)).0, [1.0, 0.0]);
        // Seen from +z the first triangle runs counter-clockwise; corners that rise towards it make a valley.
        assert!((angle(&bent(1.0)).0[1] + 1.0).abs() < 1e-12);
        for up in [-0.7, 0.2, 1.5] {
            let rows = Angles(Arc::new(RwLock::new(vec![turn_of(0.1)])));
            assert!(gradient_error(&rows, 0, &bent(up)) < 1e-6, "{up}");
        }
    }

    #[test]
    fn every_inner_edge_is_a_hinge() {
        assert_eq!(hinges(&[[0, 1, 2], [2, 1, 3]]), [[1, 2, 0, 3]]);
    }
}
