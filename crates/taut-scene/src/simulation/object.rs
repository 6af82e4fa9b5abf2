//! The bodies of a scene, as far as they do not change.

use super::engine::Engine;
use super::maps::Marks;
use crate::scene::settings::Colour;
use crate::write::ObjectInfo;
use std::collections::HashMap;
use std::ops::Range;
use taut::mesh::Group;

/// What an object is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Triangles.
    Cloth,
    /// Tetrahedra.
    Solid,
}

/// A cloth or solid: all of it that does not change.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is made of.
    pub kind: ObjectKind,
    /// Its name, mesh at rest, and the fields that [`Simulation::fields`](super::Simulation::fields) gives, as writers
    /// want it.
    pub info: ObjectInfo,
    /// Its vertex groups.
    pub groups: Vec<Group>,
    /// Its painted maps, and its parts by name.
    pub(super) marks: Marks,
    /// Its colour in pictures.
    pub colour: Colour,
    /// The triangles of its surface, by its own vertex numbers.
    pub surface: Vec<[u32; 3]>,
    /// For solids the tetrahedron behind each triangle of the surface, so that its fields can be shown; else empty.
    pub surface_tets: Vec<u32>,
    /// The engine's numbers of its vertices.
    pub(super) vertices: Range<u32>,
}

impl Object {
    /// Its painted maps.
    pub fn maps(&self) -> &[crate::read::Map] {
        &self.marks.maps
    }

    /// The engine's number of one of its vertices.
    pub(super) fn number(&self, vertex: u32) -> Option<u32> {
        self.vertices.start.checked_add(vertex).filter(|number| self.vertices.contains(number))
    }

    /// Those of all held vertices, ascending, that belong to it.
    pub(super) fn pinned<'a>(&self, held: &'a [u32]) -> &'a [u32] {
        let at = |vertex: u32| held.partition_point(|&h| h < vertex);
        &held[at(self.vertices.start)..at(self.vertices.end)]
    }
}

/// Fills in the surfaces, which the engine has found.
pub(super) fn add_surfaces(objects: &mut [Object], engine: &dyn Engine) {
    for (object, body) in objects.iter_mut().zip(engine.bodies()) {
        let base = object.vertices.start;
        object.surface = body.triangles.iter().map(|t| t.map(|v| v - base)).collect();
        if object.kind == ObjectKind::Cloth {
            continue;
        }
        let sorted = |mut face: [u32; 3]| {
            face.sort_unstable();
            face
        };
        let mut behind: HashMap<[u32; 3], u32> = HashMap::new();
        for (number, tet) in (0..).zip(&body.tets) {
            let [a, b, c, d] = tet.map(|v| v - base);
            behind.extend([[b, c, d], [a, c, d], [a, b, d], [a, b, c]].map(|face| (sorted(face), number)));
        }
        let tet = |t: &[u32; 3]| behind.get(&sorted(*t)).copied().unwrap_or(0);
        object.surface_tets = object.surface.iter().map(tet).collect();
    }
}
