//! Where things are in USD: lists of translations, turns, factors and matrices, each over time.

use super::stage::{Attribute, Prim, Value};
use crate::read::sampled::Samples;
use glam::{DMat4, DQuat, DVec3};
use std::sync::Arc;

/// Where a prim is in what it is in, by seconds, and whether that is the file itself.
pub(super) struct Place {
    pub samples: Arc<Samples<DMat4>>,
    pub reset: bool,
}

/// Where a prim is, if it says so.
pub(super) fn place(prim: &Prim, per_second: f64) -> Option<Place> {
    let Some(Value::Texts(order)) = prim.attributes.get("xformOpOrder").map(Attribute::first) else { return None };
    let reset = order.iter().any(|name| name == "!resetXformStack!");
    Some(Place { samples: Arc::new(local(prim, order, per_second)), reset })
}

/// One prim's own, at every time at which something of it is sampled, by seconds.
fn local(prim: &Prim, order: &[String], per_second: f64) -> Samples<DMat4> {
    let ops: Vec<(&str, bool, &Attribute)> = order
        .iter()
        .filter_map(|name| {
            let plain = name.strip_prefix("!invert!").unwrap_or(name);
            let kind = plain.strip_prefix("xformOp:")?.split(':').next()?;
            Some((kind, plain.len() != name.len(), prim.attributes.get(plain)?))
        })
        .collect();
    let mut codes: Vec<f64> = ops.iter().flat_map(|op| op.2.samples.iter().map(|sample| sample.0)).collect();
    codes.sort_by(f64::total_cmp);
    codes.dedup();
    if codes.is_empty() {
        codes.push(0.0);
    }
    let matrix = |code: f64| {
        ops.iter().fold(DMat4::IDENTITY, |product, (kind, inverted, attribute)| {
            let own = op(kind, &value(attribute, code));
            product * if *inverted && own.determinant().abs() > 1e-300 { own.inverse() } else { own }
        })
    };
    codes.into_iter().map(|code| (code / per_second, matrix(code))).collect()
}

/// The numbers of an attribute at a time code, straight between samples.
fn value(attribute: &Attribute, code: f64) -> Vec<f64> {
    let samples = &attribute.samples;
    let next = samples.partition_point(|sample| sample.0 <= code);
    let Some((before, a)) = samples.get(next.saturating_sub(1)).map(|sample| (sample.0, sample.1.numbers())) else {
        return attribute.default.numbers();
    };
    match samples.get(next).filter(|_| next > 0).map(|sample| (sample.0, sample.1.numbers())) {
        Some((after, b)) if b.len() == a.len() => {
            let share = (code - before) / (after - before);
            a.iter().zip(b).map(|(a, b)| a + (b - a) * share).collect()
        }
        _ => a,
    }
}

/// The matrix of one operation; none if it is of a kind that is not known or has too few numbers.
fn op(kind: &str, numbers: &[f64]) -> DMat4 {
    let three = || numbers.first_chunk::<3>().map(|v| DVec3::from(*v));
    let turn = |axis: char, degrees: f64| match axis {
        'X' => DMat4::from_rotation_x(degrees.to_radians()),
        'Y' => DMat4::from_rotation_y(degrees.to_radians()),
        _ => DMat4::from_rotation_z(degrees.to_radians()),
    };
    let found = match kind {
        "translate" => three().map(DMat4::from_translation),
        "scale" => three().map(DMat4::from_scale),
        // Rows of one that points stand before are columns of one that they stand behind.
        "transform" => numbers.first_chunk::<16>().map(DMat4::from_cols_array),
        "orient" => {
            numbers.first_chunk::<4>().map(|&[w, x, y, z]| DMat4::from_quat(DQuat::from_xyzw(x, y, z, w).normalize()))
        }
        "rotateX" | "rotateY" | "rotateZ" => numbers.first().map(|&d| turn(kind.chars().next_back().unwrap_or('Z'), d)),
        _ => kind.strip_prefix("rotate").filter(|axes| axes.len() == 3).zip(three()).map(|(axes, degrees)| {
            // The first axis acts first. Angles are by axis, whatever the order.
            axes.chars().fold(DMat4::IDENTITY, |product, axis| {
                let by = match axis {
                    'X' => degrees.x,
                    'Y' => degrees.y,
                    _ => degrees.z,
                };
                turn(axis, by) * product
            })
        }),
    };
    found.filter(|matrix| matrix.is_finite()).unwrap_or(DMat4::IDENTITY)
}
