//! What touches what.

use crate::Contact;
use crate::contact::pipeline::{TouchInput, touching};
use crate::contact::{Collider, MeshCollider, Touch};
use crate::lanes::{Scalar, xyz};
use crate::model::Model;
use crate::state::State;

/// What touches what in a state, one by one, measured on its positions: features that are no farther apart than `reach`
/// times the distance that contact keeps between them. 1.1 finds what rests on something.
///
/// Contact between surfaces has the rules of a step: nothing without [`Contact::materials`], and of neighbours in one
/// cloth only those that are farther apart at rest. Colliders are at the end of their way; those that cannot be
/// computed with touch nothing. Of simple shapes that is vertices, and edges and corners where they dent large
/// triangles.
pub fn contacts<T: Scalar>(
    model: &Model<T>,
    state: &State<T>,
    contact: &Contact,
    (colliders, meshes): (&[Collider], &[MeshCollider]),
    reach: f64,
) -> Vec<Touch> {
    state.assert_of(model);
    let x: Vec<[f64; 3]> = state.x[..model.vertices()].iter().map(|&x| xyz(x)).collect();
    let reach = if reach.is_finite() { reach.clamp(0.0, 100.0) } else { 1.0 };
    let mut found = touching(&TouchInput { surfaces: model.surfaces(), contact, colliders, meshes, x: &x, reach });
    for touch in &mut found {
        touch.vertices = touch.vertices.map(|v| v.map(|v| model.user[v as usize]));
    }
    found
}
