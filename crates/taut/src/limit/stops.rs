//! Bounds on stretch as a solver of all elements feels them: cloth that becomes stiff shortly before.
//!
//! Rounds at the end of a step tell each other of a load triangle by triangle; what hangs by few points, and heavily,
//! takes thousands of them. A solver with coarse levels carries a load over all of the cloth at once, if only it knows
//! that the cloth will not give. Rounds are then left with what is between there and the bound.

use super::{BoundedTriangle, StretchBounds};
use crate::constraint::{Stop, Stops};

/// Cloth that is stopped has the stiffness ρ V² over its bound, V (m/s) being this: the weight of a metre of it uses a
/// thousandth of the bound, whatever it is and weighs. Twice as stiff, what contact displaces is thrown back with
/// more energy than it came with.
const SPEED: f64 = 100.0;
/// Bounds below this (strain) make it no stiffer.
const TIGHTEST: f64 = 1e-2;
/// The part of a bound at which cloth becomes stiff, and how much strain before it at most.
const FROM: (f64, f64) = (0.5, 2e-3);

/// The stops of triangles with bounds along their threads, or along any direction. `masses` are those of the vertices,
/// kg.
pub(crate) fn stops(triangles: &[BoundedTriangle], masses: &[f64]) -> Stops {
    let area = |t: &BoundedTriangle| 0.5 * t.rest.det().abs();
    let mut around = vec![0.0; masses.len()];
    for t in triangles {
        t.rest.vertices.iter().for_each(|&v| around[v as usize] += area(t) / 3.0);
    }
    let from = |bound: f64| f64::max(FROM.0 * bound, bound - FROM.1);
    let stop = |t: &BoundedTriangle| {
        let mut corners = t.rest.vertices;
        corners.sort_unstable();
        // The least of three: beads on the cloth do not make it stiffer.
        let density =
            corners.map(|v| masses[v as usize] / around[v as usize]).into_iter().fold(f64::INFINITY, f64::min);
        let StretchBounds { weft, warp, any, .. } = t.bounds;
        // What bounds every direction bounds the threads.
        let along = |bound: f64| if bound < any { bound } else { f64::INFINITY };
        let bounds = [along(weft), along(warp), any];
        let stiffness = bounds.map(|bound| density * SPEED * SPEED / bound.max(TIGHTEST));
        Stop { corners, from: bounds.map(from), stiffness }
    };
    let sound = |s: &Stop| s.stiffness.iter().all(|k| k.is_finite()) && s.from.iter().any(|&f| f < f64::INFINITY);
    let mut stops: Vec<Stop> = triangles.iter().map(stop).filter(sound).collect();
    stops.sort_by_key(|s| s.corners);
    stops.into()
}
