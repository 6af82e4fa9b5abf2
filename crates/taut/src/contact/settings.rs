//! What a step is told about contact between surfaces.

use super::bvh::Aabb;
use super::candidates::SurfaceBvh;
use super::surface::Surface;
use std::sync::Arc;

/// Contact of surfaces with each other, themselves, and colliders.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// One for each body of the model, in their order; the last holds for all that follow. Without any, surfaces pass
    /// through each other and through meshes, and only vertices meet the simple [colliders](super::Collider).
    pub materials: Vec<ContactMaterial>,
    /// For how many substeps near pairs are found at most, after which the safety pass looks over the motion: 1 or
    /// more. It is fewer where things move so fast that they would not stay near.
    pub every: u32,
}

impl Default for Contact {
    fn default() -> Self {
        Contact { materials: Vec::new(), every: 20 }
    }
}

/// How the surface of a body meets others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// The distance kept between two surfaces of this material, m: each brings one half. Not more than ¾ of the body's
    /// mean edge counts. 0 and less: the body meets nothing.
    pub thickness: f64,
    /// Coulomb's coefficient of friction against surfaces of the same kind. Two kinds meet with the geometric mean;
    /// simple shapes with their own.
    pub friction: f64,
    /// Whether the body meets itself.
    pub self_contact: bool,
}

impl Default for ContactMaterial {
    /// 2 mm, friction 0.3, meets itself.
    fn default() -> Self {
        ContactMaterial { thickness: 0.002, friction: 0.3, self_contact: true }
    }
}

/// How a surface takes part in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Party {
    pub material: ContactMaterial,
    /// Whether it is a collider, and one of a simple shape: vertices of cloth meet those on their own.
    pub collider: bool,
    pub simple: bool,
    /// How far around its vertices it is solid, m.
    pub radius: f64,
}

/// A mesh that cloth and soft bodies cannot enter: still, moved, or deforming.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshCollider {
    /// Its triangles.
    pub shape: Arc<ColliderMesh>,
    /// Where its vertices are at the start of a step, m.
    pub from: Arc<[[f64; 3]]>,
    /// Where they are at the end, m. They go there in a straight line.
    pub to: Arc<[[f64; 3]]>,
    /// Coulomb's coefficient of friction, static and kinetic.
    pub friction: f64,
    /// How far off its surface others stay, m.
    pub thickness: f64,
}

impl MeshCollider {
    /// A mesh that stays where it is, with friction 0.3 and 2 mm between it and the cloth.
    pub fn fixed(shape: Arc<ColliderMesh>) -> Self {
        let at: Arc<[[f64; 3]]> = shape.rest.as_slice().into();
        MeshCollider { shape, from: at.clone(), to: at, friction: 0.3, thickness: 0.002 }
    }

    /// Whether all its numbers can be computed with, and both its lists of places are as long as there are vertices.
    pub fn sound(&self) -> bool {
        let count = self.shape.vertices();
        let finite = |p: &[f64; 3]| p.iter().all(|c| c.is_finite() && c.abs() < 1e9);
        let numbers = self.friction.is_finite() && self.friction >= 0.0 && self.thickness.abs() < 1e9;
        let lengths = self.from.len() == count && self.to.len() == count;
        numbers && lengths && self.from.iter().chain(self.to.iter()).all(finite)
    }
}

/// The triangles of a mesh collider, with what is found out about them once.
#[derive(Clone, Debug)]
pub struct ColliderMesh {
    pub(crate) rest: Vec<[f64; 3]>,
    pub(crate) bvh: SurfaceBvh,
    /// Whether every edge belongs to two triangles, so that there is an inside.
    pub(crate) closed: bool,
}

impl ColliderMesh {
    /// A mesh with vertices at `rest` (m). Triangles that name a vertex twice, or one that there is not, are left out.
    pub fn new(rest: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let count = rest.len();
        let kept: Vec<_> = triangles.iter().copied().filter(|t| t.iter().all(|&v| (v as usize) < count)).collect();
        let regions: Vec<Aabb> = rest.iter().map(|p| Aabb::around(&[*p], 0.0)).collect();
        let surface = Surface::new(&kept);
        let closed = closed(&surface);
        ColliderMesh { closed, bvh: SurfaceBvh::new(surface, &regions), rest: rest.to_vec() }
    }

    /// Its triangles, neighbours near each other.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.bvh.surface().triangles
    }

    /// The number of its vertices.
    pub fn vertices(&self) -> usize {
        self.rest.len()
    }
}

/// Whether every edge belongs to two triangles. Edges in lexicographic order.
fn closed(surface: &Surface) -> bool {
    let mut count = vec![0u32; surface.edges.len()];
    for &[a, b, c] in &surface.triangles {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            if let Ok(edge) = surface.edges.binary_search(&[a.min(b), a.max(b)]) {
                count[edge] += 1;
            }
        }
    }
    !count.is_empty() && count.iter().all(|&n| n == 2)
}

impl PartialEq for ColliderMesh {
    fn eq(&self, other: &Self) -> bool {
        self.rest == other.rest && self.bvh.surface() == other.bvh.surface()
    }
}
