//! What meets: the surfaces of the model's bodies and of the colliders, with their materials.

use crate::contact::bvh::Aabb;
use crate::contact::candidates::{NearPair, SurfaceBvh};
use crate::contact::kinematic::{KinematicBody, Kinematics};
use crate::contact::safety::Role;
use crate::contact::settings::Party;
use crate::contact::surface::Surface;
use crate::contact::untangle::TangleSurface;
use crate::contact::{Blockers, Collider, Contact, ContactMaterial, MeshCollider};
use crate::lanes::V3;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Mean edges of its body that a material is thick at most: what is farther apart along the cloth than the thickness
/// would be near too, and pairs would grow with its square.
const THICKEST: f64 = 0.75;

/// The surfaces of a model's bodies, in the model's numbering, with hierarchies shaped by rest positions.
#[derive(Debug, Default)]
pub(crate) struct ModelSurfaces {
    bodies: Vec<SurfaceBvh>,
    /// Rest positions, m.
    pub(super) rest: Vec<[f64; 3]>,
    /// The mean length of edges at rest, m: of all, and of each body's.
    pub(super) edge: f64,
    edges: Vec<f64>,
    /// Factors on thickness and friction by vertex; empty if there are none.
    painted: Vec<[f64; 2]>,
}

impl ModelSurfaces {
    /// The same, with factors on thickness and friction by vertex.
    pub fn painted(self, painted: Vec<[f64; 2]>) -> Self {
        ModelSurfaces { painted, ..self }
    }

    /// The surfaces of bodies with these triangles and vertices at `rest` (m). A triangle that two bodies share belongs
    /// to the first.
    pub fn new(rest: Vec<[f64; 3]>, bodies: impl Iterator<Item = Vec<[u32; 3]>>) -> Self {
        let regions: Vec<Aabb> = rest.iter().map(|p| Aabb::around(&[*p], 0.0)).collect();
        let mut seen = BTreeSet::new();
        let mut new = |t: &[u32; 3]| {
            let mut key = *t;
            key.sort_unstable();
            seen.insert(key)
        };
        let surface = |mut triangles: Vec<[u32; 3]>| {
            triangles.retain(&mut new);
            SurfaceBvh::new(Surface::new(&triangles), &regions)
        };
        let bodies: Vec<SurfaceBvh> = bodies.map(surface).collect();
        let at = |i: u32| V3::from(rest[i as usize]);
        let length = |[a, b]: &[u32; 2]| (at(*a) - at(*b)).norm2().sqrt();
        let sums: Vec<(f64, usize)> = bodies
            .iter()
            .map(|b| &b.surface().edges)
            .map(|edges| (edges.iter().map(length).sum(), edges.len()))
            .collect();
        let mean = |(sum, count): (f64, usize)| sum / count.max(1) as f64;
        let all = sums.iter().fold((0.0, 0), |all, of| (all.0 + of.0, all.1 + of.1));
        let edges = sums.into_iter().map(mean).collect();
        ModelSurfaces { bodies, rest, edge: mean(all), edges, painted: Vec::new() }
    }

    /// The surface of each body.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        self.bodies.iter().map(SurfaceBvh::surface)
    }
}

/// What meets in a step: bodies, then colliders.
#[derive(Debug, Default)]
pub(super) struct Surfaces {
    pub source: Arc<ModelSurfaces>,
    bodies: Vec<SurfaceBvh>,
    pub kinematics: Kinematics,
    pub parties: Vec<Party>,
    /// The party of each vertex; `u32::MAX` for none.
    party_of: Vec<u32>,
    /// How far around itself each vertex is solid, m; empty if none is.
    pub radii: Vec<f64>,
}

impl Surfaces {
    /// Takes over what meets in a step that begins with vertices at `positions` (m). False if nothing does.
    pub fn set(
        &mut self,
        source: Option<&Arc<ModelSurfaces>>,
        contact: &Contact,
        (colliders, meshes): (&[Collider], &[MeshCollider]),
        positions: impl Iterator<Item = [f64; 3]>,
    ) -> bool {
        self.parties.clear();
        let (Some(source), Some(&last)) = (source, contact.materials.last()) else { return false };
        // The spare vertex keeps its place, so that rows can point at it.
        self.kinematics.set(colliders, meshes, positions, source.rest.len() + 1);
        if !Arc::ptr_eq(&self.source, source) {
            self.source = source.clone();
            self.bodies = source.bodies.clone();
        }
        let of_body = |i: usize| sound(contact.materials.get(i).copied().unwrap_or(last), source.edges[i]);
        let body = |i| Party { material: of_body(i), collider: false, simple: false, radius: 0.0 };
        self.parties.extend((0..self.bodies.len()).map(body));
        self.parties.extend(self.kinematics.bodies.iter().map(|b| b.party));
        self.mark();
        true
    }

    /// How many vertices, edges and triangles bodies have.
    pub fn features(&self) -> u64 {
        self.bodies.iter().map(|b| count(b.surface()) as u64).sum()
    }

    /// How many bodies and colliders have.
    pub fn all_features(&self) -> usize {
        self.bvhs().iter().map(|b| count(b.surface())).sum()
    }

    /// Who left pairs no room: the first two colliders among them, and the first pin.
    pub fn blockers(&self, pairs: &[[u32; 4]], roles: &[Role]) -> Blockers {
        let mut out = Blockers::default();
        for &v in pairs.iter().flatten() {
            if roles[v as usize] == Role::Pinned && (v as usize) < self.own() {
                out.pin = out.pin.or(Some(v));
            }
            let number = self.kinematics.bodies.iter().position(|b| b.vertices.contains(&(v as usize)));
            let Some(number) = number.map(|n| n as u32) else { continue };
            match out.colliders {
                [None, _] => out.colliders[0] = Some(number),
                [Some(first), None] if first != number => out.colliders[1] = Some(number),
                _ => {}
            }
        }
        out
    }

    /// Which surface each vertex belongs to, and how far it is solid.
    fn mark(&mut self) {
        let all = self.kinematics.bodies.last().map_or(self.own() + 1, |b| b.vertices.end);
        self.party_of.clear();
        self.party_of.resize(all, u32::MAX);
        self.radii.clear();
        if self.parties.iter().any(|p| p.radius > 0.0) {
            self.radii.resize(all, 0.0);
        }
        for (i, body) in self.bodies.iter().enumerate().filter(|(i, _)| self.parties[*i].material.thickness > 0.0) {
            body.surface().vertices.iter().for_each(|&v| self.party_of[v as usize] = i as u32);
        }
        for (i, body) in self.kinematics.bodies.iter().enumerate() {
            self.party_of[body.vertices.clone()].fill((self.bodies.len() + i) as u32);
            if !self.radii.is_empty() {
                self.radii[body.vertices.clone()].fill(body.party.radius);
            }
        }
    }

    /// The collider that a party is, if it is one.
    pub fn collider(&self, party: usize) -> Option<&KinematicBody> {
        self.kinematics.bodies.get(party.checked_sub(self.bodies.len())?)
    }

    /// How many vertices the model has.
    pub fn own(&self) -> usize {
        self.source.rest.len()
    }

    /// The number of a vertex's party; none has `u32::MAX`.
    pub fn number(&self, vertex: u32) -> usize {
        self.party_of[vertex as usize] as usize
    }

    /// Whether a vertex belongs to a surface.
    pub fn meets(&self, vertex: usize) -> bool {
        self.party_of[vertex] != u32::MAX
    }

    /// The party that a vertex belongs to.
    pub fn party(&self, vertex: u32) -> Option<&Party> {
        self.parties.get(self.number(vertex))
    }

    /// The parties of the two features of a pair, as they are where it is.
    pub fn sides(&self, pair: &NearPair) -> Option<[Party; 2]> {
        let split = pair.kind.split();
        let side = |nodes: core::ops::Range<usize>| {
            let mut party = *self.party(pair.nodes[nodes.start])?;
            if !self.source.painted.is_empty() && !party.collider {
                let (mut factors, mut all) = ([0.0; 2], 0.0);
                for k in nodes {
                    let (weight, painted) = (pair.weights[k].abs(), self.source.painted[pair.nodes[k] as usize]);
                    all += weight;
                    (0..2).for_each(|f| factors[f] += weight * painted[f]);
                }
                party.material.thickness *= factors[0] / all.max(f64::MIN_POSITIVE);
                party.material.friction *= factors[1] / all.max(f64::MIN_POSITIVE);
            }
            Some(party)
        };
        Some([side(0..split)?, side(split..4)?])
    }

    /// The parties' surfaces.
    pub fn bvhs(&self) -> Vec<&SurfaceBvh> {
        self.bodies.iter().chain(self.kinematics.bodies.iter().map(|b| &b.bvh)).collect()
    }

    /// Gives features the boxes of their vertices at the start and at the end.
    pub fn refit_moving(&mut self, starts: &[Aabb], ends: &[Aabb]) {
        for (body, party) in self.bodies.iter_mut().zip(&self.parties) {
            if party.material.thickness > 0.0 {
                body.refit_moving(starts, ends);
            }
        }
        self.kinematics.refit_moving(starts, ends);
    }

    /// The surfaces as untangling sees them.
    pub fn parts(&self) -> Vec<TangleSurface<'_>> {
        let forms = self.bodies.iter().map(|_| None).chain(self.kinematics.bodies.iter().map(|b| Some(&b.form)));
        let all = self.bvhs().into_iter().zip(&self.parties).zip(forms);
        all.map(|((bvh, &party), form)| TangleSurface { bvh, party, form }).collect()
    }

    /// Gives features the boxes of their vertices.
    pub fn refit(&mut self, regions: &[Aabb]) {
        self.bodies.iter_mut().for_each(|body| body.refit(regions));
        self.kinematics.refit(regions);
    }

    /// Calls `meet` for every two surfaces that meet, once; for one that meets itself, with the same twice. Colliders
    /// with radii come last.
    pub fn for_each_two(&self, mut meet: impl FnMut(usize, usize)) {
        let (bodies, all) = (self.bodies.len(), self.parties.len());
        let meets = |i: &usize| self.parties[*i].material.thickness > 0.0;
        for i in (0..bodies).filter(meets) {
            if self.parties[i].material.self_contact {
                meet(i, i);
            }
            (i + 1..bodies).filter(meets).for_each(|j| meet(i, j));
        }
        for round in [false, true] {
            for j in (bodies..all).filter(|&j| (self.parties[j].radius > 0.0) == round) {
                (0..bodies).filter(meets).for_each(|i| meet(i, j));
            }
        }
    }
}

/// How many vertices, edges and triangles there are.
fn count(surface: &Surface) -> usize {
    surface.vertices.len() + surface.edges.len() + surface.triangles.len()
}

/// A material without numbers that cannot be computed with.
fn sound(material: ContactMaterial, edge: f64) -> ContactMaterial {
    let number = |v: f64| if v.is_finite() { v.max(0.0) } else { 0.0 };
    let thickness = number(material.thickness).min(THICKEST * edge);
    ContactMaterial { thickness, friction: number(material.friction).min(1e6), ..material }
}
