//! Colliders as surfaces whose vertices go where they are told: what the guard sees of them.
//!
//! | shape | seen as |
//! | --- | --- |
//! | plane | a triangle that reaches well beyond everything |
//! | ball | a vertex with a radius |
//! | rod with round ends | an edge with a radius |
//! | box | its twelve triangles |
//! | mesh | its triangles |

use super::broad::Aabb;
use super::detect::Field;
use super::surface::Surface;
use super::{Collider, ColliderMesh, MeshCollider, Shape, shape};
use crate::lanes::V3;
use std::sync::Arc;

/// Colliders of one step.
#[derive(Debug, Default)]
pub(crate) struct Drivers {
    simple: Vec<Collider>,
    meshes: Vec<MeshCollider>,
    /// For each collider its first vertex, simple ones first; then the number of all.
    starts: Vec<u32>,
    /// How far a plane's triangle reaches, m, and where its middle is.
    scope: Scope,
    /// Of whose fields the surfaces of meshes are, in the meeting's list.
    known: Vec<Known>,
}

/// A mesh whose field serves from step to step.
#[derive(Debug)]
struct Known {
    shape: Arc<ColliderMesh>,
    /// Its first vertex.
    start: u32,
    /// Where it stood when its boxes were fitted, with a thickness (m), if it stood still.
    fitted: Option<(Arc<[[f64; 3]]>, f64)>,
}

/// Where things happen.
#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    middle: [f64; 3],
    reach: f64,
}

impl Drivers {
    /// Takes over a step's colliders, those that can be computed with. `positions` are all that may meet them.
    pub fn set(&mut self, simple: &[Collider], meshes: &[MeshCollider], positions: &[[f64; 3]], first: u32) {
        self.simple.clear();
        self.simple.extend_from_slice(simple);
        self.meshes.clear();
        self.meshes.extend(meshes.iter().filter(|m| sound(m)).cloned());
        self.scope = Scope::of(positions.iter());
        self.starts.clear();
        let mut next = first;
        for count in self.simple.iter().map(|c| corners(&c.shape)).chain(self.meshes.iter().map(|m| m.from.len())) {
            self.starts.push(next);
            next += count as u32;
        }
        self.starts.push(next);
    }

    /// Planes reach far beyond all these. As long as they do they stay: pairs with them need not be found again.
    pub fn look_at<'a>(&mut self, positions: impl Iterator<Item = &'a [f64; 3]> + Clone) {
        let Scope { middle, reach } = self.scope;
        let near = |p: &[f64; 3]| (0..3).all(|k| (p[k] - middle[k]).abs() <= 0.25 * reach);
        if !positions.clone().all(near) {
            self.scope = Scope::of(positions);
        }
    }

    /// How many vertices they have.
    pub fn vertices(&self) -> usize {
        self.starts.last().map_or(0, |end| (end - self.starts[0]) as usize)
    }

    /// The first vertex of each.
    pub fn firsts(&self) -> &[u32] {
        &self.starts[..self.len()]
    }

    /// How many colliders there are.
    pub fn len(&self) -> usize {
        self.simple.len() + self.meshes.len()
    }

    /// Whether a collider is of a simple shape.
    pub fn simple(&self, i: usize) -> bool {
        i < self.simple.len()
    }

    /// Friction and thickness (m) of a collider.
    pub fn skin(&self, i: usize) -> (f64, f64) {
        match self.simple.get(i) {
            Some(c) => (c.friction, c.thickness.max(0.0)),
            None => {
                let mesh = &self.meshes[i - self.simple.len()];
                (mesh.friction, mesh.thickness.max(0.0))
            }
        }
    }

    /// How far around its vertices a collider is solid, m.
    pub fn radius(&self, i: usize) -> f64 {
        match self.simple.get(i).map(|c| c.shape) {
            Some(Shape::Sphere { radius } | Shape::Capsule { radius, .. }) => radius,
            _ => 0.0,
        }
    }

    /// Whether a collider is a mesh with an inside that is solid. One that faces inward is a container.
    pub fn closed(&self, i: usize) -> bool {
        let inside = |m: &MeshCollider| m.shape.closed && volume(&m.from, m.shape.triangles()) > 0.0;
        i.checked_sub(self.simple.len()).is_some_and(|i| inside(&self.meshes[i]))
    }

    /// 1 if a collider's triangles turn counter-clockwise seen from where things may be, 0 if they may be on both sides.
    pub fn outward(&self, i: usize) -> f64 {
        match self.simple.get(i).map(|c| c.shape) {
            Some(Shape::Plane | Shape::Box { .. }) => 1.0,
            Some(_) => 0.0,
            None => {
                let mesh = &self.meshes[i - self.simple.len()];
                if mesh.shape.closed { 1.0 } else { 0.0 }
            }
        }
    }

    /// Whether a point is inside a plane or box at the start of the step; nothing for other shapes.
    pub fn holds(&self, i: usize) -> Option<Box<dyn Fn([f64; 3]) -> bool>> {
        let c = *self.simple.get(i).filter(|c| matches!(c.shape, Shape::Plane | Shape::Box { .. }))?;
        let frame = shape::Frame::<f64>::new(&c.from);
        Some(Box::new(move |p| c.shape.distance(frame.inward(V3::from(p))).0 <= 0.0))
    }

    /// The vertices of a collider.
    pub fn range(&self, i: usize) -> core::ops::Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    /// How far the fastest collider goes in the step, m.
    pub fn farthest(&self) -> f64 {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        // Of a plane what is near counts, not the corners of its triangle.
        self.place_within(0.0, 0.125 * self.scope.reach, &mut from);
        self.place_within(1.0, 0.125 * self.scope.reach, &mut to);
        let way = |(a, b): (&[f64; 3], &[f64; 3])| (V3::from(*b) - V3::from(*a)).norm2();
        from.iter().zip(&to).map(way).fold(0.0, f64::max).sqrt()
    }

    /// Where all vertices are at part `t` (0 to 1) of the step, m.
    pub fn place(&self, t: f64, out: &mut Vec<[f64; 3]>) {
        self.place_within(t, self.scope.reach, out);
    }

    fn place_within(&self, t: f64, reach: f64, out: &mut Vec<[f64; 3]>) {
        out.clear();
        for c in &self.simple {
            let frame = shape::Frame::<f64>::new(&c.from.towards(&c.to, t));
            let local = self.scope.centre(c, &frame);
            out.extend(points(&c.shape, local, reach).into_iter().map(|p| to_world(&frame, p)));
        }
        for m in &self.meshes {
            let mix = |(a, b): (&[f64; 3], &[f64; 3])| core::array::from_fn(|k| between(a[k], b[k], t));
            out.extend(m.from.iter().zip(m.to.iter()).map(mix));
        }
    }

    /// What tells where all colliders are at the start or end of the step.
    pub fn poses(&self, end: bool) -> impl Iterator<Item = [f64; 3]> {
        let pose = move |c: &Collider| if end { c.to } else { c.from };
        // Not the vertices: a plane's triangle moves with what is above it.
        let marks = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let simple = self.simple.iter().flat_map(move |c| {
            let frame = shape::Frame::<f64>::new(&pose(c));
            let size = match c.shape {
                Shape::Plane => [0.0; 3],
                Shape::Sphere { radius } => [radius, 0.0, -1.0],
                Shape::Capsule { radius, half_length } => [radius, half_length, -2.0],
                Shape::Box { half } => half,
            };
            marks.map(|p| to_world(&frame, p)).into_iter().chain([size])
        });
        let shapes = self.meshes.iter().map(|m| [Arc::as_ptr(&m.shape) as usize as f64, 0.0, 0.0]);
        simple
            .chain(shapes)
            .chain(self.meshes.iter().flat_map(move |m| if end { &m.to } else { &m.from }.iter().copied()))
    }

    /// How many meshes the last step had.
    pub fn known(&self) -> usize {
        self.known.len()
    }

    /// The colliders' surfaces. Those of meshes that the last step knew, in `old`, are used again.
    pub fn fields(&mut self, old: Vec<Field>) -> Vec<Field> {
        let mut all: Vec<Field> =
            self.simple.iter().zip(&self.starts).map(|(c, &start)| field(&c.shape, start)).collect();
        let mut old: Vec<(Known, Field)> = core::mem::take(&mut self.known).into_iter().zip(old).collect();
        for (mesh, &start) in self.meshes.iter().zip(&self.starts[self.simple.len()..]) {
            let same = |(k, _): &(Known, Field)| Arc::ptr_eq(&k.shape, &mesh.shape) && k.start == start;
            let (known, field) = match old.iter().position(same) {
                Some(at) => old.swap_remove(at),
                None => (Known { shape: mesh.shape.clone(), start, fitted: None }, mesh.shape.field.shifted(start)),
            };
            self.known.push(known);
            all.push(field);
        }
        all
    }

    /// Whether the boxes of a collider's surface are those of where it stands all through the step. If not, they will be if it does: they
    /// are to be fitted now.
    pub fn fitted(&mut self, i: usize) -> bool {
        let Some(i) = i.checked_sub(self.simple.len()) else { return false };
        let (mesh, known) = (&self.meshes[i], &mut self.known[i]);
        let same = |(at, thickness): &(Arc<[[f64; 3]]>, f64)| {
            Arc::ptr_eq(at, &mesh.from) && Arc::ptr_eq(at, &mesh.to) && *thickness == mesh.thickness
        };
        let fitted = known.fitted.as_ref().is_some_and(same);
        if !fitted {
            let stands = Arc::ptr_eq(&mesh.from, &mesh.to);
            known.fitted = stands.then(|| (mesh.from.clone(), mesh.thickness));
        }
        fitted
    }

    /// Boxes of all are others now.
    pub fn forget_fits(&mut self) {
        self.known.iter_mut().for_each(|known| known.fitted = None);
    }
}

/// Six times the volume inside triangles, m³; negative if they turn clockwise seen from outside.
fn volume(x: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let origin = x.first().map_or(V3::new(0.0, 0.0, 0.0), |p| V3::from(*p));
    let at = |i: u32| V3::from(x[i as usize]) - origin;
    triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c)))).sum()
}

/// Whether a mesh collider can be computed with.
fn sound(m: &MeshCollider) -> bool {
    let count = m.shape.vertices();
    let finite = |p: &[f64; 3]| p.iter().all(|c| c.is_finite() && c.abs() < 1e9);
    let numbers = m.friction.is_finite() && m.friction >= 0.0 && m.thickness.abs() < 1e9;
    numbers && m.from.len() == count && m.to.len() == count && m.from.iter().chain(m.to.iter()).all(finite)
}

/// a + (b − a) t, and exactly a and b at the ends.
fn between(a: f64, b: f64, t: f64) -> f64 {
    if t >= 1.0 { b } else { a + (b - a) * t }
}

impl Scope {
    fn of<'a>(positions: impl Iterator<Item = &'a [f64; 3]>) -> Self {
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

    /// The place of a plane that is nearest to where things happen, in its own frame.
    fn centre(&self, c: &Collider, frame: &shape::Frame<f64>) -> [f64; 3] {
        if c.shape != Shape::Plane {
            return [0.0; 3];
        }
        let at = frame.inward(V3::from(self.middle));
        [at.x, 0.0, at.z]
    }
}

fn to_world(frame: &shape::Frame<f64>, p: [f64; 3]) -> [f64; 3] {
    frame.outward(V3::from(p)).into()
}

/// How many vertices a shape is seen as.
fn corners(shape: &Shape) -> usize {
    match *shape {
        Shape::Plane => 3,
        Shape::Sphere { .. } => 1,
        Shape::Capsule { .. } => 2,
        Shape::Box { .. } => 8,
    }
}

/// The vertices a shape is seen as, in its own frame, m.
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

/// The features a simple shape is seen as.
fn field(shape: &Shape, start: u32) -> Field {
    let surface = match shape {
        // No edges and corners: nothing gets there.
        Shape::Plane => Surface { triangles: vec![[0, 1, 2]], ..Surface::default() },
        Shape::Sphere { .. } => Surface { vertices: vec![0], ..Surface::default() },
        Shape::Capsule { .. } => Surface { vertices: vec![0, 1], edges: vec![[0, 1]], ..Surface::default() },
        Shape::Box { .. } => Surface::new(&box_triangles()),
    };
    let regions: Vec<Aabb> = points(shape, [0.0; 3], 1.0).iter().map(|p| Aabb::around(&[*p], 0.0)).collect();
    Field::new(surface, &regions).shifted(start)
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
