//! What touches what, pair by pair: measured on positions, with the rules that a step's contacts follow.

use super::ModelSurfaces;
use super::rows::{room, wanted};
use super::surfaces::Surfaces;
use crate::contact::bvh::Aabb;
use crate::contact::candidates::{NearPair, Pairs, near};
use crate::contact::shape::Frame;
use crate::contact::{Collider, Contact, MeshCollider};
use crate::lanes::V3;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Two features that touch: a vertex and a triangle, two edges, or a vertex and a simple shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// What the first and the second feature belong to.
    pub between: [Toucher; 2],
    /// Vertices of the first feature, then of the second; none in the places of colliders' and of those that there are
    /// not.
    pub vertices: [Option<u32>; 4],
    /// Weights of the closest points: those of the first feature add up to 1, those of the second to −1.
    pub weights: [f64; 4],
    /// The middle between the closest points, m.
    pub at: [f64; 3],
    /// From the second feature to the first, of length 1.
    pub normal: [f64; 3],
    /// How far apart they are, m: what is solid around a ball or a rod is taken off. Below 0 inside a shape.
    pub distance: f64,
    /// How far apart contact keeps them, m.
    pub kept: f64,
}

/// What can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toucher {
    /// A vertex that belongs to no surface.
    Vertex,
    /// A body of the model, by its number.
    Body(u32),
    /// One of [`Params::colliders`](crate::Params::colliders).
    Collider(u32),
    /// One of [`Params::meshes`](crate::Params::meshes).
    Mesh(u32),
}

/// What may touch.
#[derive(Clone, Copy)]
pub(crate) struct TouchInput<'a> {
    pub surfaces: &'a Arc<ModelSurfaces>,
    pub contact: &'a Contact,
    pub colliders: &'a [Collider],
    pub meshes: &'a [MeshCollider],
    /// Positions in the model's own numbers, m.
    pub x: &'a [[f64; 3]],
    /// Features touch up to so many times the distance that is kept between them.
    pub reach: f64,
}

/// All that touches, colliders at the end of their way.
pub(crate) fn touching(input: &TouchInput<'_>) -> Vec<Touch> {
    let simple: Vec<usize> = (0..input.colliders.len()).filter(|&i| input.colliders[i].sound::<f64>()).collect();
    let meshes: Vec<usize> = (0..input.meshes.len()).filter(|&i| input.meshes[i].sound()).collect();
    let mut out = touch_shapes(input, &simple);
    let colliders: Vec<Collider> = simple.iter().map(|&i| input.colliders[i]).collect();
    let mut surfaces = Surfaces::default();
    let given = (&colliders[..], input.meshes);
    if !surfaces.set(Some(input.surfaces), input.contact, given, input.x.iter().copied()) {
        return out;
    }
    let bodies = surfaces.parties.len() - surfaces.kinematics.bodies.len();
    let number = |party: usize| match party.checked_sub(bodies) {
        None => Toucher::Body(party as u32),
        Some(i) if i < simple.len() => Toucher::Collider(simple[i] as u32),
        Some(i) => Toucher::Mesh(meshes[i - simple.len()] as u32),
    };
    let mut x = input.x.to_vec();
    x.push([0.0; 3]);
    surfaces.kinematics.place(1.0, &mut x);
    let near = near_pairs(&mut surfaces, &x, input.reach);
    let touches = near.iter().filter_map(|pair| touch(&surfaces, &x, pair, input.reach, &number));
    // A place on an edge, or a corner, is one of all triangles there.
    let mut seen = BTreeSet::new();
    out.extend(touches.filter(|(_, place)| seen.insert(*place)).map(|(touch, _)| touch));
    out
}

/// Vertices that touch simple shapes, those of these numbers.
fn touch_shapes(input: &TouchInput<'_>, numbers: &[usize]) -> Vec<Touch> {
    let mut out = Vec::new();
    let mut owners = vec![Toucher::Vertex; input.x.len()];
    for (body, surface) in (0..).zip(input.surfaces.surfaces()) {
        surface.vertices.iter().for_each(|&v| owners[v as usize] = Toucher::Body(body));
    }
    for &number in numbers {
        let collider = &input.colliders[number];
        let frame = Frame::<f64>::new(&collider.to);
        for (v, &p) in input.x.iter().enumerate() {
            let (distance, normal) = collider.shape.distance(frame.inward(V3::from(p)));
            if distance <= input.reach * collider.thickness {
                let normal = frame.outward_direction(normal);
                out.push(Touch {
                    between: [owners[v], Toucher::Collider(number as u32)],
                    vertices: [Some(v as u32), None, None, None],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    at: (V3::from(p) - normal * (0.5 * distance)).into(),
                    normal: normal.into(),
                    distance,
                    kept: collider.thickness,
                });
            }
        }
    }
    out
}

/// Pairs of features that are no farther apart than the greatest distance at which any touch.
fn near_pairs(surfaces: &mut Surfaces, x: &[[f64; 3]], reach: f64) -> Vec<NearPair> {
    let thickest = surfaces.parties.iter().map(|p| p.material.thickness).fold(0.0, f64::max);
    let farthest = reach * thickest;
    let solid = |v: usize| surfaces.radii.get(v).copied().unwrap_or(0.0);
    let most_solid = surfaces.radii.iter().copied().fold(0.0, f64::max);
    let regions: Vec<Aabb> =
        x.iter().enumerate().map(|(v, p)| Aabb::around(&[*p], 0.5 * farthest + solid(v))).collect();
    surfaces.refit(&regions);
    let (bvhs, mut found) = (surfaces.bvhs(), Vec::new());
    surfaces.for_each_two(|i, j| {
        let mut pairs = Pairs::default();
        match i == j {
            true => bvhs[i].self_pairs(&mut pairs),
            false => bvhs[i].pairs(bvhs[j], &mut pairs),
        }
        near(x, &pairs, farthest + most_solid, &mut found);
    });
    found
}

/// What a near pair is, if it touches, and the vertices that its place is between.
fn touch(
    surfaces: &Surfaces,
    x: &[[f64; 3]],
    pair: &NearPair,
    reach: f64,
    number: &impl Fn(usize) -> Toucher,
) -> Option<(Touch, [u32; 4])> {
    let split = pair.kind.split();
    let ends = [pair.nodes[0], pair.nodes[split]];
    let [a, b] = surfaces.sides(pair)?;
    let (kept, solid) = wanted(&a, &b, pair.kind).filter(|_| pair.distance > 0.0)?;
    let kept = kept.min(room(surfaces, pair));
    let distance = pair.distance - solid;
    if distance > reach * kept {
        return None;
    }
    let place = |range: core::ops::Range<usize>, sign: f64| {
        range.fold(V3::new(0.0, 0.0, 0.0), |p, k| p + V3::from(x[pair.nodes[k] as usize]) * (sign * pair.weights[k]))
    };
    let normal = V3::from(pair.delta) * (1.0 / pair.distance);
    // What is solid reaches from one of the two towards the other.
    let (first, second) = (place(0..split, 1.0), place(split..4, -1.0));
    let at = if a.collider { second + normal * (0.5 * distance) } else { first - normal * (0.5 * distance) };
    let own = surfaces.own() as u32;
    let place = core::array::from_fn(|k| if pair.weights[k] == 0.0 { u32::MAX } else { pair.nodes[k] });
    let touch = Touch {
        between: ends.map(|v| number(surfaces.number(v))),
        vertices: pair.nodes.map(|v| (v < own).then_some(v)),
        weights: pair.weights,
        at: at.into(),
        normal: normal.into(),
        distance,
        kept,
    };
    Some((touch, sorted(place, split)))
}

/// The vertices of each of two features in order.
fn sorted(mut nodes: [u32; 4], split: usize) -> [u32; 4] {
    nodes[..split].sort_unstable();
    nodes[split..].sort_unstable();
    nodes
}
