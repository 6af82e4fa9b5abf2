//! Kinematic surfaces: colliders, whose vertices go where they are told, as the safety pass sees them.
//!
//! | shape | seen as |
//! | --- | --- |
//! | plane | a triangle that reaches well beyond everything |
//! | ball | a vertex with a radius |
//! | rod with round ends | an edge with a radius |
//! | box | its twelve triangles |
//! | mesh | its triangles |

use super::bvh::Aabb;
use super::candidates::SurfaceBvh;
use super::settings::Party;
use super::shape::Frame;
use super::surface::Surface;
use super::{Collider, ContactMaterial, MeshCollider, Shape};
use crate::lanes::V3;
use core::ops::Range;
use std::sync::Arc;

/// Colliders of one step.
#[derive(Debug, Default)]
pub(crate) struct Kinematics {
    /// Simple ones first, then meshes.
    pub bodies: Vec<KinematicBody>,
    /// The number of their first vertex: those of the model and the spare one come before.
    pub first: usize,
    scope: Scope,
}

/// A collider.
#[derive(Debug)]
pub(crate) struct KinematicBody {
    pub form: ColliderForm,
    pub party: Party,
    pub vertices: Range<usize>,
    pub bvh: SurfaceBvh,
    /// Where a mesh stood when its boxes were fitted, with a thickness (m), if it stood still.
    fitted: Option<(Arc<[[f64; 3]]>, f64)>,
}

/// What a collider is.
#[derive(Clone, Debug)]
pub(crate) enum ColliderForm {
    Simple(Collider),
    Mesh(MeshCollider),
}

/// Where things happen: a plane's triangle is around their middle (m), and reaches this far (m).
#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    middle: [f64; 3],
    reach: f64,
}

impl Kinematics {
    /// Takes over a step's colliders, those that can be computed with; their vertices begin with the number `first`.
    /// `positions` are all that may meet them. Surfaces that the last step had are used again.
    pub fn set(
        &mut self,
        simple: &[Collider],
        meshes: &[MeshCollider],
        positions: impl Iterator<Item = [f64; 3]>,
        first: usize,
    ) {
        (self.first, self.scope) = (first, Scope::of(positions));
        let mut old = core::mem::take(&mut self.bodies);
        let meshes = meshes.iter().filter(|m| m.sound()).map(|m| ColliderForm::Mesh(m.clone()));
        let mut first = first;
        for form in simple.iter().map(|c| ColliderForm::Simple(*c)).chain(meshes) {
            let same = |b: &KinematicBody| b.form.has_shape_of(&form) && b.vertices.start == first;
            let (vertices, bvh, fitted) = match old.iter().position(same).map(|at| old.swap_remove(at)) {
                Some(body) => (body.vertices, body.bvh, body.fitted),
                None => (first..first + form.vertices(), form.bvh(first as u32), None),
            };
            first = vertices.end;
            self.bodies.push(KinematicBody { party: form.party(), form, vertices, bvh, fitted });
        }
    }

    /// Gives features the boxes of their vertices at the start and at the end. Those of meshes that stand still have
    /// them.
    pub fn refit_moving(&mut self, starts: &[Aabb], ends: &[Aabb]) {
        for body in &mut self.bodies {
            if !body.fits() {
                body.bvh.refit_moving(starts, ends);
            }
        }
    }

    /// Gives features the boxes of their vertices.
    pub fn refit(&mut self, regions: &[Aabb]) {
        for body in &mut self.bodies {
            body.bvh.refit(regions);
            body.fitted = None;
        }
    }

    /// Planes reach far beyond all these. As long as they do they stay: pairs with them need not be found again.
    pub fn look_at(&mut self, positions: impl Iterator<Item = [f64; 3]> + Clone) {
        let Scope { middle, reach } = self.scope;
        let near = |p: [f64; 3]| (0..3).all(|k| (p[k] - middle[k]).abs() <= 0.25 * reach);
        if !positions.clone().all(near) {
            self.scope = Scope::of(positions);
        }
    }

    /// The first vertex of each.
    pub fn firsts(&self) -> Vec<u32> {
        self.bodies.iter().map(|b| b.vertices.start as u32).collect()
    }

    /// The collider that a vertex belongs to, if it belongs to one.
    pub fn body_of(&self, vertex: u32) -> Option<&KinematicBody> {
        let at = self.bodies.partition_point(|b| b.vertices.end <= vertex as usize);
        self.bodies.get(at).filter(|b| b.vertices.contains(&(vertex as usize)))
    }

    /// How far the fastest collider goes in the step, m.
    pub fn farthest(&self) -> f64 {
        // Of a plane what is near counts, not the corners of its triangle.
        let scope = Scope { reach: 0.125 * self.scope.reach, ..self.scope };
        let way = |(a, b): (&[f64; 3], &[f64; 3])| (V3::from(*b) - V3::from(*a)).norm2();
        let [mut from, mut to] = [Vec::new(), Vec::new()];
        let mut most: f64 = 0.0;
        for body in &self.bodies {
            if let ColliderForm::Mesh(m) = &body.form {
                most = m.from.iter().zip(m.to.iter()).map(way).fold(most, f64::max);
            } else {
                body.form.place(0.0, scope, &mut from);
                body.form.place(1.0, scope, &mut to);
            }
        }
        from.iter().zip(&to).map(way).fold(most, f64::max).sqrt()
    }

    /// Adds where all vertices are at part `t` (0 to 1) of the step, m.
    pub fn place(&self, t: f64, out: &mut Vec<[f64; 3]>) {
        self.bodies.iter().for_each(|b| b.form.place(t, self.scope, out));
    }
}

impl KinematicBody {
    /// Whether the boxes of its surface are those of where it stands all through the step. If not, they will be if it
    /// does: they are to be fitted now.
    fn fits(&mut self) -> bool {
        let ColliderForm::Mesh(mesh) = &self.form else { return false };
        let same = |(at, thickness): &(Arc<[[f64; 3]]>, f64)| {
            Arc::ptr_eq(at, &mesh.from) && Arc::ptr_eq(at, &mesh.to) && *thickness == mesh.thickness
        };
        let fits = self.fitted.as_ref().is_some_and(same);
        if !fits {
            let stands = Arc::ptr_eq(&mesh.from, &mesh.to);
            self.fitted = stands.then(|| (mesh.from.clone(), mesh.thickness));
        }
        fits
    }
}

impl ColliderForm {
    fn has_shape_of(&self, other: &ColliderForm) -> bool {
        match (self, other) {
            (ColliderForm::Simple(a), ColliderForm::Simple(b)) => a.shape == b.shape,
            (ColliderForm::Mesh(a), ColliderForm::Mesh(b)) => Arc::ptr_eq(&a.shape, &b.shape),
            _ => false,
        }
    }

    /// Whether this is the same collider, which begins where it was `left` in another step.
    pub fn goes_on_from(&self, left: &ColliderForm) -> bool {
        let there = match (self, left) {
            (ColliderForm::Simple(a), ColliderForm::Simple(b)) => a.from == b.to,
            (ColliderForm::Mesh(a), ColliderForm::Mesh(b)) => Arc::ptr_eq(&a.from, &b.to) || a.from == b.to,
            _ => false,
        };
        there && self.has_shape_of(left)
    }

    fn party(&self) -> Party {
        let (thickness, friction, simple, radius) = match self {
            ColliderForm::Simple(Collider { shape, friction, thickness, .. }) => match *shape {
                Shape::Sphere { radius } | Shape::Capsule { radius, .. } => (*thickness, *friction, true, radius),
                _ => (*thickness, *friction, true, 0.0),
            },
            ColliderForm::Mesh(m) => (m.thickness, m.friction, false, 0.0),
        };
        let material = ContactMaterial { thickness: thickness.max(0.0), friction, self_contact: false };
        Party { material, collider: true, simple, radius }
    }

    /// How many vertices it is seen as.
    fn vertices(&self) -> usize {
        match self {
            ColliderForm::Simple(c) => points(&c.shape, [0.0; 3], 1.0).len(),
            ColliderForm::Mesh(m) => m.from.len(),
        }
    }

    /// The features it is seen as, with vertices from the number `first` on.
    fn bvh(&self, first: u32) -> SurfaceBvh {
        let shape = match self {
            ColliderForm::Simple(c) => &c.shape,
            ColliderForm::Mesh(m) => return m.shape.bvh.shifted(first),
        };
        let surface = match shape {
            // No edges and corners: nothing gets there.
            Shape::Plane => Surface { triangles: vec![[0, 1, 2]], ..Surface::default() },
            Shape::Sphere { .. } => Surface { vertices: vec![0], ..Surface::default() },
            Shape::Capsule { .. } => Surface { vertices: vec![0, 1], edges: vec![[0, 1]], ..Surface::default() },
            Shape::Box { .. } => Surface::new(&box_triangles()),
        };
        let regions: Vec<Aabb> = points(shape, [0.0; 3], 1.0).iter().map(|p| Aabb::around(&[*p], 0.0)).collect();
        SurfaceBvh::new(surface, &regions).shifted(first)
    }

    /// Adds where its vertices are at part `t` (0 to 1) of the step, m.
    fn place(&self, t: f64, scope: Scope, out: &mut Vec<[f64; 3]>) {
        match self {
            ColliderForm::Simple(c) => {
                let frame = Frame::<f64>::new(&c.from.towards(&c.to, t));
                let near = frame.inward(V3::from(scope.middle));
                let points = points(&c.shape, [near.x, 0.0, near.z], scope.reach);
                out.extend(points.into_iter().map(|p| <[f64; 3]>::from(frame.outward(V3::from(p)))));
            }
            ColliderForm::Mesh(m) => {
                // Exactly there at the end.
                let between = |a: f64, b: f64| if t >= 1.0 { b } else { a + (b - a) * t };
                let mix = |(a, b): (&[f64; 3], &[f64; 3])| core::array::from_fn(|k| between(a[k], b[k]));
                out.extend(m.from.iter().zip(m.to.iter()).map(mix));
            }
        }
    }

    /// Whether it is a mesh with an inside that is solid. One that faces inward is a container.
    pub fn closed(&self) -> bool {
        matches!(self, ColliderForm::Mesh(m) if m.shape.closed && volume(&m.from, m.shape.triangles()) > 0.0)
    }

    /// Whether its triangles turn counter-clockwise seen from where things may be; if not, they may be on both sides.
    pub fn outward(&self) -> bool {
        match self {
            ColliderForm::Simple(c) => matches!(c.shape, Shape::Plane | Shape::Box { .. }),
            ColliderForm::Mesh(m) => m.shape.closed,
        }
    }
}

/// Six times the volume inside triangles, m³; negative if they turn clockwise seen from outside.
fn volume(x: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let origin = x.first().map_or(V3::new(0.0, 0.0, 0.0), |p| V3::from(*p));
    let at = |i: u32| V3::from(x[i as usize]) - origin;
    triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c)))).sum()
}

impl Scope {
    fn of(positions: impl Iterator<Item = [f64; 3]>) -> Self {
        let (mut lo, mut hi) = ([f64::MAX; 3], [f64::MIN; 3]);
        for p in positions {
            for k in 0..3 {
                lo[k] = lo[k].min(p[k]);
                hi[k] = hi[k].max(p[k]);
            }
        }
        if lo[0] > hi[0] {
            return Scope::default();
        }
        let size = (0..3).map(|k| hi[k] - lo[k]).fold(0.0, f64::max);
        Scope { middle: core::array::from_fn(|k| 0.5 * (lo[k] + hi[k])), reach: 8.0 * size + 1.0 }
    }
}

/// The vertices a shape is seen as, in its own frame, m: a plane those of a triangle around a centre.
fn points(shape: &Shape, centre: [f64; 3], reach: f64) -> Vec<[f64; 3]> {
    match *shape {
        Shape::Plane => {
            // An equilateral triangle around the centre.
            let [x, y, z] = centre;
            [(0.0, 2.0), (1.75, -1.0), (-1.75, -1.0)].map(|(a, b)| [x + a * reach, y, z + b * reach]).to_vec()
        }
        Shape::Sphere { .. } => vec![[0.0; 3]],
        Shape::Capsule { half_length, .. } => vec![[0.0, -half_length, 0.0], [0.0, half_length, 0.0]],
        Shape::Box { half } => {
            let corner = |i: usize| core::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
            (0..8).map(corner).collect()
        }
    }
}

/// The faces of a box with corners numbered by the signs of x, y and z, two triangles each, counter-clockwise seen from
/// outside.
fn box_triangles() -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for axis in 0..3u32 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let far = 1 << axis;
        all.extend([[far, far + u, far + u + v], [far, far + u + v, far + v]]);
        all.extend([[0, u + v, u], [0, v, u + v]]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_planes_face_outward() {
        let half = [1.0, 2.0, 3.0];
        let x = points(&Shape::Box { half }, [0.0; 3], 0.0);
        assert!((volume(&x, &box_triangles()) - 6.0 * 48.0).abs() < 1e-12);
        let [a, b, c] = [0, 1, 2].map(|i| V3::from(points(&Shape::Plane, [0.0; 3], 1.0)[i]));
        assert!((b - a).cross(c - a).y > 0.0);
    }
}
