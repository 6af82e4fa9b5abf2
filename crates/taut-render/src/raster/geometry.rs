//! All meshes of a scene in the axes of the view, with normals.

use crate::camera::Camera;
use crate::scene::{Item, Markers, Material, Scene3};
use glam::Vec3;

/// A triangle of the gathered meshes.
#[derive(Clone, Copy)]
pub(crate) struct Triangle {
    /// Indices of its vertices.
    pub vertices: [u32; 3],
    /// Indices of its corners' normals.
    pub normals: [u32; 3],
    /// Which item it belongs to.
    pub item: u32,
    /// Its number within the item.
    pub face: u32,
}

/// Everything there is to draw, in the axes of the view.
pub(crate) struct Geometry<'a> {
    pub vertices: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub triangles: Vec<Triangle>,
    pub items: Vec<Item<'a>>,
    /// For each item the index of its first vertex.
    pub bases: Vec<u32>,
}

/// A mesh of its own for each set of markers.
pub(crate) struct MarkerMesh {
    positions: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    material: Material,
}

pub(crate) fn marker_meshes(scene: &Scene3) -> Vec<MarkerMesh> {
    scene.markers.iter().map(marker_mesh).collect()
}

/// Balls of rings and segments around each point.
fn marker_mesh(markers: &Markers) -> MarkerMesh {
    const RINGS: u32 = 8;
    const SEGMENTS: u32 = 12;
    let mut mesh = MarkerMesh {
        positions: Vec::new(),
        triangles: Vec::new(),
        material: Material { crease_degrees: None, ..Material::solid(markers.colour) },
    };
    for point in &markers.points {
        let base = mesh.positions.len() as u32;
        for ring in 0..=RINGS {
            let (sin, cos) = (ring as f64 / RINGS as f64 * std::f64::consts::PI).sin_cos();
            for segment in 0..SEGMENTS {
                let turn = segment as f64 / SEGMENTS as f64 * std::f64::consts::TAU;
                let direction = [sin * turn.cos(), cos, -sin * turn.sin()];
                mesh.positions.push(std::array::from_fn(|i| point[i] + markers.radius * direction[i]));
            }
        }
        for ring in 0..RINGS {
            for segment in 0..SEGMENTS {
                let at = |r: u32, s: u32| base + r * SEGMENTS + s % SEGMENTS;
                let [a, b] = [at(ring, segment), at(ring, segment + 1)];
                let [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
                mesh.triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    mesh
}

impl<'a> Geometry<'a> {
    pub fn gather(scene: &Scene3<'a>, markers: &'a [MarkerMesh], camera: &Camera) -> Geometry<'a> {
        let mut items = scene.items.clone();
        items.extend(markers.iter().map(|m| Item::new(&m.positions, &m.triangles, m.material)));
        let mut geometry =
            Geometry { vertices: Vec::new(), normals: Vec::new(), triangles: Vec::new(), items, bases: Vec::new() };
        for index in 0..geometry.items.len() {
            geometry.add_item(index, camera);
        }
        geometry
    }

    fn add_item(&mut self, index: usize, camera: &Camera) {
        let item = self.items[index];
        let base = self.vertices.len() as u32;
        let first = self.triangles.len();
        self.bases.push(base);
        self.vertices.extend(camera.all_in_view(item.positions));
        for (face, triangle) in item.triangles.iter().enumerate() {
            let drawable = |v: u32| item.positions.get(v as usize).is_some() && self.vertex(base, v).is_finite();
            if triangle.iter().all(|v| drawable(*v)) {
                let vertices = triangle.map(|v| base + v);
                self.triangles.push(Triangle { vertices, normals: [0; 3], item: index as u32, face: face as u32 });
            }
        }
        match item.material.crease_degrees {
            None => self.smooth_normals(first, base),
            Some(angle) => self.creased_normals(first, base, angle),
        }
    }

    fn vertex(&self, base: u32, v: u32) -> Vec3 {
        self.vertices[(base + v) as usize]
    }

    /// The positions of a triangle's corners.
    pub fn corners(&self, triangle: &Triangle) -> [Vec3; 3] {
        triangle.vertices.map(|v| self.vertices[v as usize])
    }

    /// Twice the triangle's area, along its normal.
    fn area(&self, triangle: &Triangle) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a)
    }

    /// One normal per vertex: the mean over its triangles by area.
    fn smooth_normals(&mut self, first: usize, base: u32) {
        let start = self.normals.len() as u32;
        let count = self.vertices.len() - base as usize;
        let mut sums = vec![Vec3::ZERO; count];
        for i in first..self.triangles.len() {
            let area = self.area(&self.triangles[i]);
            let triangle = &mut self.triangles[i];
            triangle.normals = triangle.vertices.map(|v| start + (v - base));
            triangle.vertices.iter().for_each(|v| sums[(v - base) as usize] += area);
        }
        self.normals.extend(sums.into_iter().map(|n| n.normalize_or(Vec3::Z)));
    }

    /// One normal per corner: the mean over those triangles around the vertex that lie within the crease angle
    /// of the corner's own triangle.
    fn creased_normals(&mut self, first: usize, base: u32, angle_degrees: f32) {
        let limit = angle_degrees.to_radians().cos();
        let areas: Vec<Vec3> = self.triangles[first..].iter().map(|t| self.area(t)).collect();
        let units: Vec<Vec3> = areas.iter().map(|a| a.normalize_or(Vec3::ZERO)).collect();
        let around = self.triangles_around(first, base);
        for i in first..self.triangles.len() {
            let own = units[i - first];
            let vertices = self.triangles[i].vertices;
            for corner in 0..3 {
                let mut sum = areas[i - first];
                for &other in around.of((vertices[corner] - base) as usize) {
                    if other as usize != i - first && units[other as usize].dot(own) > limit {
                        sum += areas[other as usize];
                    }
                }
                self.triangles[i].normals[corner] = self.normals.len() as u32;
                self.normals.push(sum.normalize_or(Vec3::Z));
            }
        }
    }

    fn triangles_around(&self, first: usize, base: u32) -> Lists {
        let pairs = || {
            let corners = |(i, t): (usize, &Triangle)| t.vertices.map(|v| ((v - base) as usize, i as u32));
            self.triangles[first..].iter().enumerate().flat_map(corners)
        };
        Lists::gather(self.vertices.len() - base as usize, pairs)
    }
}

/// Lists of numbers, packed one after the other.
pub(crate) struct Lists {
    starts: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    /// Sorts `(list, entry)` pairs into lists, keeping their order. Walks over the pairs twice.
    pub fn gather<I: Iterator<Item = (usize, u32)>>(lists: usize, pairs: impl Fn() -> I) -> Lists {
        let mut starts = vec![0; lists + 1];
        pairs().for_each(|(list, _)| starts[list + 1] += 1);
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[lists]];
        for (list, entry) in pairs() {
            entries[next[list]] = entry;
            next[list] += 1;
        }
        Lists { starts, entries }
    }

    pub fn of(&self, list: usize) -> &[u32] {
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }
}
