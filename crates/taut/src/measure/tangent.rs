//! How elastic forces change.

use crate::lanes::Scalar;
use crate::model::Model;
use crate::solve::global::{self, Tangent};

/// Elastic forces at positions (m) and velocities (m/s), in the user's numbers, and how they change with both: what a
/// converged implicit step of a model without anything that is projected can be differentiated with. Nothing if the
/// lists are not as long as there are vertices.
pub fn tangent<T: Scalar>(model: &Model<T>, positions: &[[f64; 3]], velocities: &[[f64; 3]]) -> Option<Tangent> {
    if [positions.len(), velocities.len()] != [model.vertices(); 2] {
        return None;
    }
    let own = |list: &[[f64; 3]]| model.user.iter().map(|&u| list[u as usize]).collect::<Vec<_>>();
    let (x, v) = (own(positions), own(velocities));
    let mut found = global::tangent(&model.elements, &model.user_rows, [&x, &v]);
    found.forces = model.own.iter().map(|&i| found.forces[i as usize]).collect();
    for pair in &mut found.pairs {
        *pair = pair.map(|i| model.user[i as usize]);
    }
    Some(found)
}
