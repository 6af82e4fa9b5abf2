//! The exact check: what of the bodies intersects what, colliders included.

use super::ContactLog;
use super::colliders::ColliderObject;
use super::engine::Engine;
use super::motion::from_world;
use crate::scene::settings::Shape;
use glam::DVec3;
use taut::internals::contact::distance::{edge_edge, vertex_triangle};
use taut::internals::contact::exact::{IntersectionFinder, segment_meets_triangle};
use taut::internals::lanes::V3;
use taut::{Body, ContactMaterial, Pose};

/// What intersects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intersections {
    /// Pairs of triangles of bodies, or of a body and a mesh or box, that intersect; triangles of bodies that reach
    /// into a sphere or capsule; and vertices of bodies beneath a plane.
    pub count: usize,
    /// The first of them.
    pub first: Option<Crossing>,
}

/// Two things that intersect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Which: bodies count from 0, and colliders on from the last body. The lesser first.
    pub between: [u32; 2],
    /// Where, m.
    pub at: [f64; 3],
}

impl Intersections {
    fn add(&mut self, between: [u32; 2], at: impl FnOnce() -> [f64; 3]) {
        self.count += 1;
        let [a, b] = between;
        self.first.get_or_insert_with(|| Crossing { between: [a.min(b), a.max(b)], at: at() });
    }
}

/// How surfaces meet, whether they do, and what was seen of it.
pub(super) struct ContactWatch {
    /// The bodies' surfaces, cloth first; none if they do not meet.
    pub materials: Vec<ContactMaterial>,
    /// Whether what intersects is counted after every step.
    pub on: bool,
    pub log: ContactLog,
    /// What was found when somebody last asked, and in which frame.
    pub last: Option<(u32, Intersections)>,
    verifier: Verifier,
}

impl ContactWatch {
    pub fn new(engine: &dyn Engine, materials: Vec<ContactMaterial>, colliders: &[ColliderObject]) -> Self {
        let verifier = Verifier::new(engine.bodies(), &materials, colliders, engine.rest_positions().len() as u32);
        ContactWatch { materials, on: false, log: ContactLog::default(), last: None, verifier }
    }

    /// What intersects when colliders are where they are at a time, s.
    pub fn check(&mut self, engine: &dyn Engine, colliders: &[ColliderObject], time: f64) -> Intersections {
        let all = 0..engine.rest_positions().len() as u32;
        self.verifier.check(engine.positions(all), colliders, time)
    }
}

/// Counts intersections of one model again and again.
struct Verifier {
    triangles: Vec<[u32; 3]>,
    /// Whose each triangle is: bodies count from 0, and colliders on from the last body.
    owners: Vec<u32>,
    bodies: u32,
    /// For each body whether it may intersect itself.
    self_crossing: Vec<bool>,
    /// Vertices of bodies that have a say, and their body.
    vertices: Vec<(u32, u32)>,
    finder: Option<IntersectionFinder>,
}

impl Verifier {
    /// For these bodies and colliders. Bodies whose contact material meets nothing are left out, and pairs within a
    /// body whose own does not meet itself; without any, everything counts.
    fn new(bodies: &[Body], materials: &[ContactMaterial], colliders: &[ColliderObject], vertices: u32) -> Self {
        let material = |i: usize| materials.get(i).or(materials.last());
        let (mut triangles, mut owners, mut taking_part) = (Vec::new(), Vec::new(), Vec::new());
        for (i, body) in
            bodies.iter().enumerate().filter(|(i, _)| material(*i).is_none_or(|material| material.thickness > 0.0))
        {
            triangles.extend_from_slice(&body.triangles);
            owners.resize(triangles.len(), i as u32);
            let mut own: Vec<u32> = body.triangles.iter().flatten().copied().collect();
            own.sort_unstable();
            own.dedup();
            taking_part.extend(own.into_iter().map(|vertex| (vertex, i as u32)));
        }
        let mut base = vertices;
        for (i, collider) in colliders.iter().enumerate().filter(|(_, collider)| flat(collider.shape())) {
            triangles.extend(collider.mesh.triangles.iter().map(|t| t.map(|v| v + base)));
            owners.resize(triangles.len(), (bodies.len() + i) as u32);
            base += collider.mesh.positions.len() as u32;
        }
        let self_crossing =
            (0..bodies.len()).map(|i| material(i).is_some_and(|material| !material.self_contact)).collect();
        Verifier { triangles, owners, bodies: bodies.len() as u32, self_crossing, vertices: taking_part, finder: None }
    }

    /// Everything that intersects when the bodies' vertices are at `positions` (m), at a time, s.
    fn check(&mut self, mut positions: Vec<[f64; 3]>, colliders: &[ColliderObject], time: f64) -> Intersections {
        for collider in colliders.iter().filter(|collider| flat(collider.shape())) {
            positions.extend(collider.positions(time));
        }
        let triangles = &self.triangles;
        let finder = self.finder.get_or_insert_with(|| IntersectionFinder::new(&positions, triangles));
        let pairs = finder.find(&positions);
        let mut found = Intersections::default();
        for (s, t) in pairs {
            let [a, b] = [s, t].map(|t| self.owners[t as usize]);
            let colliders = a >= self.bodies && b >= self.bodies;
            let allowed = a == b && self.self_crossing.get(a as usize).is_some_and(|self_crossing| *self_crossing);
            if !(colliders || allowed) {
                found.add([a, b], || middle(&positions, &self.triangles[s as usize]));
            }
        }
        for (i, collider) in colliders.iter().enumerate() {
            self.simple(self.bodies + i as u32, collider.shape(), &collider.pose(time), &positions, &mut found);
        }
        found
    }

    /// What reaches into a plane, sphere or capsule.
    fn simple(&self, number: u32, shape: &Shape, pose: &Pose, positions: &[[f64; 3]], found: &mut Intersections) {
        let (radius, half) = match shape {
            Shape::Plane(_) => {
                let below = |v: u32| from_world(pose, positions[v as usize])[1] < -slack(positions[v as usize]);
                let below = self.vertices.iter().filter(|(vertex, _)| below(*vertex));
                below.for_each(|&(vertex, body)| found.add([body, number], || positions[vertex as usize]));
                return;
            }
            Shape::Sphere(ball) => (ball.radius, 0.0),
            Shape::Capsule(rod) => (rod.radius, 0.5 * rod.length),
            Shape::Box(_) | Shape::Mesh(_) => return,
        };
        let axis = [[0.0, -half, 0.0], [0.0, half, 0.0]];
        for (triangle, &owner) in self.triangles.iter().zip(&self.owners).filter(|(_, owner)| **owner < self.bodies) {
            let corners = triangle.map(|v| from_world(pose, positions[v as usize]));
            let limit = radius - slack(positions[triangle[0] as usize]);
            if within(corners, axis, limit) {
                found.add([owner, number], || middle(positions, triangle));
            }
        }
    }
}

/// Whether a shape is checked as triangles.
fn flat(shape: &Shape) -> bool {
    matches!(shape, Shape::Box(_) | Shape::Mesh(_))
}

/// What the rounding of a pose can do to a point, m: some forty operations on its coordinates.
fn slack(p: [f64; 3]) -> f64 {
    64.0 * f64::EPSILON * (1.0 + p[0].abs().max(p[1].abs()).max(p[2].abs()))
}

fn middle(positions: &[[f64; 3]], triangle: &[u32; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map(|v| DVec3::from(positions[v as usize]));
    ((a + b + c) / 3.0).into()
}

/// Whether a triangle comes nearer to a segment than a limit, m.
fn within(triangle: [[f64; 3]; 3], axis: [[f64; 3]; 2], limit: f64) -> bool {
    let beside = |k: usize| {
        let (low, high) = (axis[0][k].min(axis[1][k]) - limit, axis[0][k].max(axis[1][k]) + limit);
        triangle.iter().all(|p| p[k] <= low) || triangle.iter().all(|p| p[k] >= high)
    };
    if (0..3).any(beside) {
        return false;
    }
    let corners = triangle.map(V3::from);
    let ends = axis.map(V3::from);
    let near = |distance2: f64| distance2 < limit * limit;
    ends.iter().any(|&end| near(vertex_triangle(end, corners).distance2))
        || (0..3).any(|k| near(edge_edge([corners[k], corners[(k + 1) % 3]], ends).distance2))
        || segment_meets_triangle(axis, triangle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_and_segments() {
        let axis = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
        let near = |corners: [[f64; 3]; 3]| within(corners, axis, 0.5);
        // The corner, a side, the face, and the face around the axis come near; their copies further out do not.
        assert!(near([[0.4, 0.0, 0.0], [3.0, 1.0, 0.0], [3.0, -1.0, 0.0]]));
        assert!(!near([[0.6, 0.0, 0.0], [3.0, 1.0, 0.0], [3.0, -1.0, 0.0]]));
        assert!(near([[0.4, 0.0, -3.0], [0.4, 0.0, 3.0], [9.0, 0.0, 0.0]]));
        assert!(near([[-9.0, 1.4, -9.0], [9.0, 1.4, -9.0], [0.0, 1.4, 9.0]]));
        assert!(!near([[-9.0, 1.6, -9.0], [9.0, 1.6, -9.0], [0.0, 1.6, 9.0]]));
        assert!(near([[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0]]));
    }
}
