//! What looks like a mistake in how a scene's bodies and colliders are, though it can be computed: units, axes, sizes,
//! distances.

use super::colliders::ColliderObject;
use super::{Object, unsolved};
use crate::inspect::{Bounds, axes_hint, units_hint};
use crate::scene::Scene;
use crate::scene::settings::{Precision, Shape, Time};
use std::collections::HashSet;
use taut::ContactMaterial;

/// The share of an edge's length that neighbouring numbers may be apart where it lies, before cloth feels it.
const COARSE: f64 = 1e-3;
/// Sizes up to here are those of a large object in metres, m.
const LARGE: f64 = 20.0;

/// A sentence for each thing.
pub(super) fn doubts(
    scene: &Scene,
    precision: Precision,
    objects: &[Object],
    materials: &[ContactMaterial],
    colliders: &[ColliderObject],
) -> Vec<String> {
    let settings = &scene.settings;
    let cloth = settings.cloth.iter().map(|cloth| cloth.shape.mesh.is_some());
    let from_file = cloth.chain(settings.solid.iter().map(|solid| solid.shape.mesh.is_some()));
    let mut out = Vec::new();
    for (at, (object, from_file)) in objects.iter().zip(from_file).enumerate() {
        let name = format!("{:?}", object.info.name);
        if from_file {
            out.extend(unit(&name, &object.info.rest));
            out.extend(upright(&name, &object.info.rest));
            out.extend(open_seams(&name, object));
        } else {
            out.extend(hardly_metres(&name, span(&object.info.rest)));
        }
        let Some(edge) = mean_edge(object) else { continue };
        if precision == Precision::F32 {
            out.extend(far_out(&name, &object.info.rest, edge));
        }
        let thickness = materials.get(at).map_or(0.0, |material| material.thickness);
        if edge < thickness {
            out.push(format!(
                "{name}: its edges are {} long on average, shorter than the {} that surfaces keep apart: neighbours push \
                 each other away; a smaller `thickness` or a coarser mesh helps",
                length(edge),
                length(thickness)
            ));
        }
    }
    for collider in colliders {
        let read = matches!(collider.shape(), Shape::Mesh(mesh) if mesh.mesh.is_some());
        let name = format!("collider {:?}", collider.name);
        if objects.iter().any(|object| object.info.name == collider.name) {
            out.push(format!("{name} has the name of a body: what is said of one could be meant for the other"));
        }
        if read {
            out.extend(unit(&name, &collider.mesh.positions));
            out.extend(upright(&name, &collider.positions(0.0)));
            out.extend(jump(&name, collider, &settings.time));
        }
    }
    out
}

/// A length as people write it.
fn length(metres: f64) -> String {
    match metres {
        m if m >= 1.0 => format!("{m:.2} m"),
        m if m >= 1e-3 => format!("{:.2} mm", 1e3 * m),
        m => format!("{:.3} µm", 1e6 * m),
    }
}

fn bounds(points: &[[f64; 3]]) -> Option<Bounds> {
    let all = |k: usize| points.iter().map(move |p| p[k]);
    let min = std::array::from_fn(|k| all(k).fold(f64::INFINITY, f64::min));
    let max = std::array::from_fn(|k| all(k).fold(f64::NEG_INFINITY, f64::max));
    (!points.is_empty()).then_some(Bounds { min, max })
}

/// The mean length of the sides of a body's triangles or tetrahedra, m.
fn mean_edge(object: &Object) -> Option<f64> {
    let side = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|v| glam::DVec3::from(object.info.rest[v as usize]));
        a.distance(b)
    };
    let cloth = object.info.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let solid = object.info.tets.iter().flat_map(|&[a, b, c, d]| [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)]);
    let (sum, count) = cloth.chain(solid).fold((0.0, 0.0), |(sum, count), (a, b)| (sum + side(a, b), count + 1.0));
    (count > 0.0).then_some(sum / count)
}

/// The largest extent along an axis, m.
fn span(points: &[[f64; 3]]) -> f64 {
    bounds(points).map_or(0.0, |bounds| bounds.size().into_iter().fold(0.0, f64::max))
}

/// A size that is rarely one in metres.
fn unit(name: &str, points: &[[f64; 3]]) -> Option<String> {
    let hint = units_hint(&bounds(points)?).filter(|_| !(0.01..LARGE).contains(&span(points)))?;
    Some(format!("{name}: {hint}"))
}

/// Who writes a size of two centimetres means it; who writes 150 may mean centimetres. What is made from numbers has no
/// `unit`.
fn hardly_metres(name: &str, span: f64) -> Option<String> {
    (span >= LARGE).then(|| format!("{name} is {} across: sizes in a scene are metres", length(span)))
}

/// A file in which z seems to be up.
fn upright(name: &str, points: &[[f64; 3]]) -> Option<String> {
    Some(format!("{name} {}", axes_hint(&bounds(points)?)?))
}

/// Vertices of a cloth that are exactly where others are: seams that are not sewn, or faces that all stand alone.
fn open_seams(name: &str, object: &Object) -> Option<String> {
    let (rest, triangles) = (&object.info.rest, &object.info.triangles);
    let mut places = HashSet::new();
    // Zeros have two signs and are one.
    let double = rest.iter().filter(|p| !places.insert(p.map(|x| (x + 0.0).to_bits()))).count();
    if double == 0 || triangles.is_empty() {
        return None;
    }
    let of_triangle = &object.info.given.of_triangle;
    let faces = if of_triangle.is_empty() { triangles.len() } else { object.info.given.ends.len() };
    let corners = if of_triangle.is_empty() { 3 * faces } else { object.info.given.corners.len() };
    let weld = "`weld = 0` beside `mesh` makes one of them";
    if faces > 1 && rest.len() == corners {
        return Some(format!("{name}: no two of its {faces} faces share a vertex, so that it falls to pieces; {weld}"));
    }
    let all = rest.len();
    Some(format!("{name}: {double} of its {all} vertices are exactly where others are: seams are open there; {weld}"))
}

/// Numbers that are looked at in search of a jump.
const MOST_LOOKED_AT: usize = 4_000_000;
/// A jump is longer than this share of the collider's size, and than so many times what it moves in a frame as a rule.
const JUMP: (f64, f64) = (0.15, 12.0);

/// A frame in which a mesh is suddenly elsewhere: a cut, or an animation that begins anew.
fn jump(name: &str, collider: &ColliderObject, time: &Time) -> Option<String> {
    if !collider.moves() {
        return None;
    }
    let vertices = collider.mesh.positions.len();
    let frames = (time.frame_count() as usize).min(MOST_LOOKED_AT / vertices.max(1));
    let (mut before, mut moved) = (collider.positions(0.0), Vec::new());
    for frame in 1..=frames {
        let now = collider.positions(frame as f64 / time.fps);
        let far = |(a, b): (&[f64; 3], &[f64; 3])| glam::DVec3::from(*a).distance((*b).into());
        moved.push(before.iter().zip(&now).map(far).fold(0.0, f64::max));
        before = now;
    }
    let (at, &worst) = moved.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let mut sorted = moved.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let as_a_rule = sorted[sorted.len() / 2];
    let sudden = worst > JUMP.0 * unsolved::diagonal(&collider.mesh.positions) && worst > JUMP.1 * as_a_rule;
    sudden.then(|| {
        format!(
            "{name} jumps by {} from frame {at} to {}, where it moves by {} a frame as a rule: cloth is left \
             behind or torn along; begin after the jump (`start`), or give it frames of its own",
            length(worst),
            at + 1,
            length(as_a_rule)
        )
    })
}

/// Numbers of 32 bits that are too far apart for the mesh.
fn far_out(name: &str, points: &[[f64; 3]], edge: f64) -> Option<String> {
    let far = points.iter().flatten().fold(0.0, |far: f64, x| far.max(x.abs()));
    let apart = far * f64::from(f32::EPSILON);
    (apart > COARSE * edge && far > 4.0 * unsolved::diagonal(points)).then(|| {
        format!(
            "{name} is {} from the origin, where numbers of 32 bits are {} apart and its edges {} long: move the scene to \
             the origin, or compute in f64",
            length(far),
            length(apart),
            length(edge)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn box_of([x, y, z]: [f64; 3], at: [f64; 3]) -> Vec<[f64; 3]> {
        vec![at, [at[0] + x, at[1] + y, at[2] + z]]
    }

    #[test]
    fn only_what_stands_along_z_is_turned() {
        assert!(upright("a", &box_of([0.5, 0.3, 1.8], [-0.25, -0.15, 0.0])).is_some());
        assert_eq!(upright("a", &box_of([0.5, 1.8, 0.3], [-0.25, 0.0, -0.15])), None, "y is up");
        assert_eq!(upright("a", &box_of([0.5, 0.3, 1.8], [-0.25, -0.15, -0.9])), None, "a beam around the origin");
        assert_eq!(upright("a", &box_of([0.5, 0.3, 1.8], [-0.25, 1.0, 0.0])), None, "a beam in the air");
        assert_eq!(upright("a", &[]), None);
    }

    #[test]
    fn sizes_that_are_rarely_metres_are_named() {
        assert!(unit("a", &box_of([40.0, 170.0, 20.0], [0.0; 3])).is_some_and(|said| said.contains("centimetres")));
        assert!(unit("a", &box_of([400.0, 1700.0, 200.0], [0.0; 3])).is_some_and(|said| said.contains("millimetres")));
        assert_eq!(unit("a", &box_of([4.0, 17.0, 2.0], [0.0; 3])), None, "a large object");
    }
}
