//! Contact between surfaces during a step: who is near whom, contacts for the solver, and the guard.
//!
//! Positions live in one list: the model's vertices in its own order, then those of colliders. It is `f64` whatever the
//! state is: results for an `f32` state are rounded before they are proved.

use super::broad::Aabb;
use super::detect::{Field, Kind, Near, Pairs, near_of};
use super::driven::Drivers;
use super::guard::{self, Motion, Precision, Role, Settings};
use super::rows::{RECOVERY, Row};
use super::surface::Surface;
use super::tangle::{self, Part, Pull, Tangle, bit};
use super::{Collider, Contact, MeshCollider, Skin};
use crate::lanes::{Scalar, V3, Vertex};
use crate::model::{BodyKind, Model};
use crate::state::xyz;
use crate::step::Touch;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The surfaces of a model's bodies, in the model's numbering.
#[derive(Debug)]
pub(crate) struct Surfaces {
    /// With hierarchies shaped by rest positions.
    fields: Vec<Field>,
    /// Rest positions, m.
    rest: Vec<[f64; 3]>,
    /// The mean length of edges at rest, m.
    edge: f64,
}

/// The surfaces of a model. A triangle that two bodies share belongs to the first.
pub(crate) fn surfaces_of<T: Scalar>(model: &Model<T>) -> Surfaces {
    let rest: Vec<[f64; 3]> = model.user.iter().map(|&u| model.positions[u as usize]).collect();
    let regions: Vec<Aabb> = rest.iter().map(|p| Aabb::around(&[*p], 0.0)).collect();
    let mut seen = BTreeSet::new();
    let mut fields = Vec::new();
    for body in &model.bodies {
        let sorted = |t: &[u32; 3]| {
            let mut key = *t;
            key.sort_unstable();
            key
        };
        // Of cloth only what the engine took for a triangle: not those without area, nor those given twice.
        let all: Vec<[u32; 3]> = match body.kind {
            BodyKind::Cloth => body.strained.iter().filter_map(|&t| body.triangles.get(t as usize).copied()).collect(),
            BodyKind::Solid => body.triangles.clone(),
        };
        let new = all.iter().filter(|t| seen.insert(sorted(t)));
        let triangles: Vec<[u32; 3]> = new.map(|t| t.map(|v| model.own[v as usize])).collect();
        fields.push(Field::new(Surface::new(&triangles), &regions));
    }
    let at = |i: u32| V3::from(rest[i as usize]);
    let (mut sum, mut count) = (0.0, 0);
    for [a, b] in fields.iter().flat_map(|f| &f.surface().edges) {
        sum += (at(*a) - at(*b)).norm2().sqrt();
        count += 1;
    }
    Surfaces { fields, rest, edge: sum / f64::from(count.max(1)) }
}

/// One surface of a step.
#[derive(Clone, Copy, Debug)]
struct Side {
    skin: Skin,
    /// Whether it is a collider, and one of a simple shape: vertices of cloth meet those on their own.
    collider: bool,
    simple: bool,
    radius: f64,
}

/// What contact needs in a step, and keeps from one to the next to use its memory again.
#[derive(Debug, Default)]
pub(crate) struct Meeting<T> {
    source: Option<Arc<Surfaces>>,
    fields: Vec<Field>,
    sides: Vec<Side>,
    drivers: Drivers,
    /// The surface of each vertex; `u32::MAX` for none.
    side_of: Vec<u32>,
    roles: Vec<Role>,
    radii: Vec<f64>,
    /// Vertices of the model.
    own: usize,
    /// Where the interval began, and where it would end with nothing in the way, m.
    from: Vec<[f64; 3]>,
    to: Vec<[f64; 3]>,
    /// Where vertices are at the start of the interval, and where they may be at its end.
    starts: Vec<Aabb>,
    regions: Vec<Aabb>,
    pairs: Pairs,
    /// Where pairs with each ball or rod begin in the lists, and how near they are contacts, m.
    round: Vec<([usize; 2], f64)>,
    near: Vec<Near>,
    rows: Vec<Row<T>>,
    /// The pair behind each row with a collider, to follow it.
    driven_rows: Vec<(u32, Near)>,
    /// Where colliders are at the start and the end of the substep, m.
    driven: [Vec<[f64; 3]>; 2],
    result: Vec<[f64; 3]>,
    /// What intersected at the start of the step.
    tangle: Tangle,
    /// A fingerprint of positions that are known to be free of intersections.
    free: Option<u64>,
    /// Σ|motion| and Σ|motion taken back| of all guards in the step, m.
    motion: [f64; 2],
    touch: Touch,
    interval: Interval,
}

/// Substeps that share one detection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Interval {
    pub first: u32,
    pub count: u32,
    /// Its start and end as parts (0 to 1) of the step.
    pub start: f64,
    pub end: f64,
    /// The length of a substep, s.
    pub h: f64,
}

/// What to search for.
#[derive(Clone, Copy, PartialEq)]
enum Search {
    /// What is near at the start, or will be on the way to `to`, where vertices are expected to go.
    Near,
    /// What may meet on the straight way from `from` to `to`, and what is near there.
    Way,
    /// The same, with room for all to stay at their starts.
    WayOrStay,
}

impl<T: Scalar> Meeting<T> {
    /// Takes over what a step is about. False if no surfaces are to meet.
    pub fn open(
        &mut self,
        model: &Model<T>,
        contact: &Contact,
        colliders: &[Collider],
        meshes: &[MeshCollider],
        x: &[Vertex<T>],
    ) -> bool {
        (self.touch, self.motion) = (Touch::default(), [0.0; 2]);
        let Some(&last) = contact.skins.last() else {
            self.sides.clear();
            return false;
        };
        self.own = model.vertices();
        let positions: Vec<[f64; 3]> = x[..self.own].iter().map(|&v| xyz(v)).collect();
        // The spare vertex keeps its place, so that rows can point at it.
        self.drivers.set(colliders, meshes, &positions, self.own as u32 + 1);
        let source = model.surfaces();
        let bodies = source.fields.len();
        if !self.source.as_ref().is_some_and(|s| Arc::ptr_eq(s, source)) {
            self.source = Some(source.clone());
            self.fields = source.fields.clone();
        }
        self.fields.truncate(bodies);
        self.fields.extend(self.drivers.fields());
        let skin = |i: usize| contact.skins.get(i).copied().unwrap_or(last);
        let edge = source.edge;
        let body = |i| Side { skin: sound(skin(i), edge), collider: false, simple: false, radius: 0.0 };
        self.sides = (0..bodies).map(body).collect();
        for i in 0..self.drivers.len() {
            let (friction, thickness) = self.drivers.skin(i);
            let skin = Skin { thickness, friction, own: false };
            let (simple, radius) = (self.drivers.simple(i), self.drivers.radius(i));
            self.sides.push(Side { skin, collider: true, simple, radius });
        }
        self.mark();
        self.look_for_tangles(x);
        true
    }

    /// Finds what intersects at the start of a step, unless the last one ended here and free.
    fn look_for_tangles(&mut self, x: &[Vertex<T>]) {
        self.tangle = Tangle::default();
        if self.free == Some(self.fingerprint(x, false)) {
            return;
        }
        self.from.clear();
        self.from.extend(x[..self.own + 1].iter().map(|&v| xyz(v)));
        self.drivers.place(0.0, &mut self.driven[0]);
        self.from.extend_from_slice(&self.driven[0]);
        self.regions.clear();
        let pad = |i: usize| self.radii.get(i).copied().unwrap_or(0.0);
        self.regions.extend(self.from.iter().enumerate().map(|(i, p)| Aabb::around(&[*p], pad(i))));
        self.fields.iter_mut().for_each(|field| field.refit(&self.regions));
        let bodies = self.sides.len() - self.drivers.len();
        let part = |(i, side): (usize, &Side)| Part {
            field: &self.fields[i],
            collider: side.collider,
            closed: i.checked_sub(bodies).is_some_and(|i| self.drivers.closed(i)),
            holds: i.checked_sub(bodies).and_then(|i| self.drivers.holds(i)),
            outward: i.checked_sub(bodies).map_or(0.0, |i| self.drivers.outward(i)),
            own: side.skin.own,
            thickness: side.skin.thickness,
            radius: side.radius,
        };
        let parts: Vec<Part> = self.sides.iter().enumerate().map(part).collect();
        let movable = |i: u32| (i as usize) < self.own && x[i as usize][3] > T::of(0.0);
        self.tangle = tangle::find(&parts, &self.from, movable);
        self.touch.tangled = self.tangle.pairs as u64;
        self.touch.tangled_at = self.tangle.at;
    }

    /// Tells positions, surfaces and colliders at the start or end of the step from others.
    fn fingerprint(&self, x: &[Vertex<T>], end: bool) -> u64 {
        let driven = self.drivers.poses(end);
        let skins = self.sides.iter().map(|s| [s.skin.thickness, s.radius, f64::from(u8::from(s.skin.own))]);
        let own = x[..self.own].iter().flat_map(|&v| [xyz(v), [v[3].f64(), 0.0, 0.0]]);
        let model = self.source.as_ref().map_or(0, |s| Arc::as_ptr(s) as usize);
        let own = own.chain([[model as f64, 0.0, 0.0]]);
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for number in own.chain(driven).chain(skins).flatten() {
            hash = (hash ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
        hash
    }

    /// How tangled vertices are moved in this step: the model's number and m.
    pub fn pushes(&self) -> &[(u32, [f64; 3])] {
        &self.tangle.pushes
    }

    /// How many substeps colliders need at least, so that none goes farther than half an edge in one: contact sees where things
    /// are at the ends of substeps, and what would have to be pushed over several edges at once is thrown about.
    pub fn least_substeps(&self) -> u32 {
        let edge = self.source.as_ref().map_or(0.0, |s| s.edge);
        if edge > 0.0 { (2.0 * self.drivers.farthest() / edge).ceil().min(MOST_SUBSTEPS) as u32 } else { 0 }
    }

    /// Which surface each vertex belongs to, and how it may be moved.
    fn mark(&mut self) {
        let all = self.own + 1 + self.drivers.vertices();
        self.side_of.clear();
        self.side_of.resize(all, u32::MAX);
        self.radii.clear();
        if self.sides.iter().any(|s| s.radius > 0.0) {
            self.radii.resize(all, 0.0);
        }
        let bodies = self.sides.len() - self.drivers.len();
        for (i, field) in self.fields[..bodies].iter().enumerate().filter(|(i, _)| self.sides[*i].skin.thickness > 0.0)
        {
            field.surface().vertices.iter().for_each(|&v| self.side_of[v as usize] = i as u32);
        }
        for i in 0..self.drivers.len() {
            let range = self.drivers.range(i);
            self.side_of[range.clone()].fill((bodies + i) as u32);
            if !self.radii.is_empty() {
                self.radii[range].fill(self.sides[bodies + i].radius);
            }
        }
    }

    /// Begins an interval that starts with vertices at `old` and, with nothing in the way, would bring them to `x` after its first
    /// substep: makes contacts of what is near, or will be. At the beginning of a step what is near is searched for; afterwards the
    /// last guard has found it.
    pub fn detect(&mut self, old: &[Vertex<T>], x: &[Vertex<T>], interval: Interval) {
        let own = self.own;
        let reach = f64::from(interval.count);
        self.interval = interval;
        self.from.clear();
        self.from.extend(old[..own + 1].iter().map(|&v| xyz(v)));
        self.to.clear();
        let ahead = |(from, &x): (&[f64; 3], &Vertex<T>)| {
            let x = xyz(x);
            let to = core::array::from_fn(|k| from[k] + (x[k] - from[k]) * reach);
            if to.iter().all(|c: &f64| c.is_finite()) { to } else { *from }
        };
        self.to.extend(self.from.iter().zip(x).map(ahead));
        self.roles.clear();
        self.roles.extend(x[..own + 1].iter().map(|v| match v[3].f64() {
            w if w > 0.0 => Role::Free(w),
            _ => Role::Pinned,
        }));
        self.drivers.place(interval.start, &mut self.driven[0]);
        self.from.extend_from_slice(&self.driven[0]);
        self.drivers.place(interval.end, &mut self.driven[0]);
        self.to.extend_from_slice(&self.driven[0]);
        self.roles.resize(self.from.len(), Role::Driven);
        if interval.first == 0 {
            self.search(Search::Near);
        }
        self.find_rows();
        self.untangle(interval.h);
    }

    /// The interval under way.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// The substep after it.
    pub fn next(&self) -> u32 {
        self.interval.first + self.interval.count
    }

    /// For how many of a step's substeps contacts may stay as they are found: until a vertex, going on from `old` as to `x` in one
    /// substep, or a collider has gone two edges.
    pub fn calm_substeps(&self, old: &[Vertex<T>], x: &[Vertex<T>], substeps: u32) -> u32 {
        let way = |i: usize| V3::from(xyz(x[i])) - V3::from(xyz(old[i]));
        let meets = |i: &usize| self.side_of[*i] != u32::MAX;
        // Colliders do not move along.
        let mean = if self.drivers.len() > 0 { V3::new(0.0, 0.0, 0.0) } else { mean_of(self.own, way) };
        let most = (0..self.own).filter(meets).map(|i| (way(i) - mean).norm2()).fold(0.0, f64::max).sqrt();
        let most = most.max(self.drivers.farthest() / f64::from(substeps));
        let edge = self.source.as_ref().map_or(0.0, |s| s.edge);
        // As a float conversion, what is not a number or too great ends at the ends.
        (CALM * edge / most) as u32
    }

    /// The mean way of all bodies' vertices, m.
    fn mean_way(&self, to: &[[f64; 3]]) -> V3<f64> {
        mean_of(self.own, |i| V3::from(to[i]) - V3::from(self.from[i]))
    }

    /// Finds pairs.
    fn search(&mut self, what: Search) {
        let mean = self.mean_way(&self.to);
        let driven = self.driven_boxes();
        let edge = self.source.as_ref().map_or(0.0, |s| s.edge);
        self.starts.clear();
        self.regions.clear();
        for i in 0..self.from.len() {
            let Some(side) = self.sides.get(self.side_of[i] as usize) else {
                self.starts.push(EVERYWHERE);
                self.regions.push(EVERYWHERE);
                continue;
            };
            let (from, to) = (self.from[i], self.to[i]);
            let thickness = 0.55 * side.skin.thickness;
            let pad = if side.collider {
                side.radius + thickness
            } else {
                let swept = Aabb::around(&[from, to], side.skin.thickness);
                let pushed = driven.iter().filter(|d| d.0.overlaps(&swept)).map(|d| d.1).fold(0.0, f64::max);
                let own = 0.15 * (V3::from(to) - V3::from(from) - mean).norm2().sqrt();
                // The lesser of a number and none is the number.
                thickness + (own + pushed).min(ROOMIEST * edge)
            };
            let near = if what == Search::Near { thickness } else { 0.0 };
            let start = Aabb::around(&[from], side.radius + near);
            self.regions.push(match what {
                Search::Near | Search::Way => Aabb::around(&[to], pad),
                Search::WayOrStay => Aabb::around(&[from, to], pad),
            });
            self.starts.push(start);
        }
        self.find_pairs();
    }

    /// Where each collider that moves is on its way, and how far it goes, m: what it meets needs room to be pushed.
    fn driven_boxes(&self) -> Vec<(Aabb, f64)> {
        let of = |i: usize| {
            let (mut all, mut most) = (Aabb::EMPTY, 0.0);
            for v in self.drivers.range(i) {
                let (from, to) = (self.from[v], self.to[v]);
                all = all.and(Aabb::around(&[from, to], self.drivers.radius(i) + self.drivers.skin(i).1));
                most = f64::max(most, (V3::from(to) - V3::from(from)).norm2());
            }
            (all, most.sqrt())
        };
        (0..self.drivers.len()).map(of).filter(|d| d.1 > 0.0).collect()
    }

    fn find_pairs(&mut self) {
        self.pairs.clear();
        self.round.clear();
        for (field, side) in self.fields.iter_mut().zip(&self.sides) {
            if side.skin.thickness > 0.0 || side.collider {
                field.refit_moving(&self.starts, &self.regions);
            }
        }
        let bodies = self.sides.len() - self.drivers.len();
        let meets = |i: &usize| self.sides[*i].skin.thickness > 0.0;
        for i in (0..bodies).filter(meets) {
            if self.sides[i].skin.own {
                self.fields[i].self_pairs(&mut self.pairs);
            }
            for j in (i + 1..bodies).filter(meets) {
                self.fields[i].pairs(&self.fields[j], &mut self.pairs);
            }
        }
        // Those with radii last, so that they can be told from others.
        for fat in [false, true] {
            for j in (bodies..self.sides.len()).filter(|&j| (self.sides[j].radius > 0.0) == fat) {
                let start = [self.pairs.vertex_triangle.len(), self.pairs.edge_edge.len()];
                for i in (0..bodies).filter(meets) {
                    self.fields[i].pairs(&self.fields[j], &mut self.pairs);
                }
                if fat {
                    self.round.push((start, self.sides[j].radius + 0.5 * self.sides[j].skin.thickness));
                }
            }
        }
        self.forget_exempt();
    }

    /// Leaves out pairs of features that belong to triangles which intersect the other one's surface.
    fn forget_exempt(&mut self) {
        let exempt = &self.tangle.exempt;
        if exempt.is_empty() {
            return;
        }
        let side = |nodes: &[u32]| self.side_of[nodes[0] as usize] as usize;
        let with = |nodes: &[u32], other: &[u32]| nodes.iter().any(|&i| exempt[i as usize] & bit(side(other)) != 0);
        let mut shift = |list: &mut Vec<[u32; 4]>, split: usize, which: usize| {
            let mut kept = 0;
            let mut starts = self.round.iter_mut().peekable();
            for i in 0..list.len() {
                while let Some((start, _)) = starts.next_if(|(start, _)| start[which] <= i) {
                    start[which] = kept;
                }
                let pair = list[i];
                let (a, b) = pair.split_at(split);
                if !(with(a, b) && with(b, a)) {
                    list[kept] = pair;
                    kept += 1;
                }
            }
            starts.for_each(|(start, _)| start[which] = kept);
            list.truncate(kept);
        };
        shift(&mut self.pairs.vertex_triangle, 1, 0);
        shift(&mut self.pairs.edge_edge, 2, 1);
    }

    /// Contacts: pairs that are near, or will be.
    fn find_rows(&mut self) {
        let thickest = self.sides.iter().map(|s| s.skin.thickness).fold(0.0, f64::max);
        let mean = self.mean_way(&self.to);
        let mut travel: f64 = 0.0;
        for i in (0..self.own).filter(|&i| self.side_of[i] != u32::MAX) {
            travel = travel.max((V3::from(self.to[i]) - V3::from(self.from[i]) - mean).norm2());
        }
        let distance = 1.5 * thickest + travel.sqrt().min(2.0 * thickest);
        let (vt, ee) = (&self.pairs.vertex_triangle, &self.pairs.edge_edge);
        let end = [vt.len(), ee.len()];
        let start = self.round.first().map_or(end, |r| r.0);
        self.near.clear();
        near_of(Kind::VertexTriangle, &self.from, &vt[..start[0]], distance, &mut self.near);
        near_of(Kind::EdgeEdge, &self.from, &ee[..start[1]], distance, &mut self.near);
        for (i, &(start, radius)) in self.round.iter().enumerate() {
            let end = self.round.get(i + 1).map_or(end, |r| r.0);
            near_of(Kind::VertexTriangle, &self.from, &vt[start[0]..end[0]], radius, &mut self.near);
            near_of(Kind::EdgeEdge, &self.from, &ee[start[1]..end[1]], radius, &mut self.near);
        }
        self.rows.clear();
        self.driven_rows.clear();
        let nearest = self.nearest_faces();
        for i in 0..self.near.len() {
            let pair = self.near[i];
            if !self.rim(&pair, &nearest)
                && let Some(row) = self.row(&pair)
            {
                if pair.nodes.iter().any(|&v| v as usize > self.own) {
                    self.driven_rows.push((self.rows.len() as u32, pair));
                }
                self.rows.push(row);
            }
        }
    }

    /// For each vertex the nearest triangle it is a contact with, as a number in `near`; `u32::MAX` for none.
    fn nearest_faces(&self) -> Vec<u32> {
        let mut nearest = vec![u32::MAX; self.from.len()];
        for (i, pair) in self.near.iter().enumerate().filter(|(_, p)| p.kind == Kind::VertexTriangle) {
            let known = &mut nearest[pair.nodes[0] as usize];
            if self.near.get(*known as usize).is_none_or(|k| pair.distance < k.distance) {
                *known = i as u32;
            }
        }
        nearest
    }

    /// Whether a vertex is nearer to another triangle of the same surface, on the same side, and next to the rim of this one: what slides
    /// over a smooth surface would run into the rims of triangles ahead.
    fn rim(&self, pair: &Near, nearest: &[u32]) -> bool {
        let Some(best) = self.near.get(nearest[pair.nodes[0] as usize] as usize) else { return false };
        let along = V3::from(pair.delta).dot(V3::from(best.delta));
        let surface = |p: &Near| self.side_of[p.nodes[1] as usize];
        pair.kind == Kind::VertexTriangle
            && pair.weights[1..].contains(&0.0)
            && pair.distance > 1.02 * best.distance
            && along > 0.5 * pair.distance * best.distance
            && surface(pair) == surface(best)
    }

    fn row(&self, pair: &Near) -> Option<Row<T>> {
        let side = |i: usize| &self.sides[self.side_of[pair.nodes[i] as usize] as usize];
        let (a, b) = (side(0), side(pair.kind.split()));
        let (thickness, solid) = wanted(a, b, pair.kind)?;
        if pair.distance <= 0.0 {
            return None;
        }
        let n = V3::from(pair.delta) * (1.0 / pair.distance);
        let give = self.give(&pair.nodes, &pair.weights);
        let mut closing = 0.0;
        for (&i, &w) in pair.nodes.iter().zip(&pair.weights) {
            closing -= w * n.dot(V3::from(self.to[i as usize]) - V3::from(self.from[i as usize]));
        }
        if pair.distance - solid - 2.0 * f64::max(closing, 0.0) > 1.5 * thickness || give <= 0.0 {
            return None;
        }
        let thickness = thickness.min(self.room(pair));
        let friction = match (a.simple, b.simple) {
            (true, _) => a.skin.friction,
            (_, true) => b.skin.friction,
            _ => (a.skin.friction * b.skin.friction).sqrt(),
        };
        let gentle = thickness * (RECOVERY * self.interval.h).min(0.5);
        Some(self.make_row(pair.nodes, pair.weights, n, give, [thickness + solid, gentle, 0.0, friction]))
    }

    /// A row with these features; thickness, how much of it is recovered in a substep, and opening in m, and friction.
    fn make_row(
        &self,
        nodes: [u32; 4],
        weights: [f64; 4],
        n: V3<f64>,
        give: f64,
        [thickness, gentle, opening, friction]: [f64; 4],
    ) -> Row<T> {
        let zero = V3::new(T::of(0.0), T::of(0.0), T::of(0.0));
        let driven = |k: usize| nodes[k] as usize > self.own;
        Row {
            nodes: nodes.map(|i| i.min(self.own as u32)),
            weights: core::array::from_fn(|k| T::of(if driven(k) { 0.0 } else { weights[k] })),
            origin: cast(V3::from(self.from[nodes[0] as usize])),
            n: cast(n),
            thickness: T::of(thickness),
            wanted: T::of(thickness),
            gentle: T::of(gentle),
            opening: T::of(opening),
            friction: T::of(friction),
            give: T::of(give),
            base: zero,
            drive: zero,
            recovery: T::of(0.0),
            pushed: T::of(0.0),
        }
    }

    /// Σ wᵢ² / mᵢ. Held vertices count as a little movable, so that one that hardly takes part is not thrown far for the sake of
    /// others that cannot move.
    fn give(&self, nodes: &[u32; 4], weights: &[f64; 4]) -> f64 {
        let mobility = |&i: &u32| match self.roles[i as usize] {
            Role::Free(mobility) => mobility,
            _ => 0.0,
        };
        let most = nodes.iter().map(mobility).fold(0.0, f64::max);
        let of = |(i, &w): (&u32, &f64)| match self.roles[*i as usize] {
            Role::Free(mobility) => w * w * mobility,
            Role::Pinned => w * w * most / 64.0,
            Role::Driven => 0.0,
        };
        nodes.iter().zip(weights).map(of).sum()
    }

    /// Rows that draw tangled features apart in substeps of `h` (s).
    fn untangle(&mut self, h: f64) {
        for i in 0..self.tangle.pulls.len() {
            let Pull { nodes, weights, n, speed } = self.tangle.pulls[i];
            let give = self.give(&nodes, &weights);
            if give > 0.0 {
                self.rows.push(self.make_row(nodes, weights, n, give, [0.0, 0.0, speed * h, 0.0]));
            }
        }
    }

    /// How far apart the same places are at rest, m: cloth finer than its thickness must not push itself apart.
    fn room(&self, pair: &Near) -> f64 {
        let Some(source) = self.source.as_ref().filter(|_| pair.nodes.iter().all(|&i| (i as usize) < self.own)) else {
            return f64::INFINITY;
        };
        let mut apart = V3::new(0.0, 0.0, 0.0);
        for (&i, &w) in pair.nodes.iter().zip(&pair.weights) {
            apart = apart + V3::from(source.rest[i as usize]) * w;
        }
        ROOM * apart.norm2().sqrt()
    }

    /// Begins a substep between two parts of the step: contacts follow their colliders.
    pub fn begin(&mut self, old: &[Vertex<T>], start: f64, end: f64) {
        if !self.driven_rows.is_empty() {
            self.drivers.place(start, &mut self.driven[0]);
            self.drivers.place(end, &mut self.driven[1]);
        }
        for (row, pair) in &self.driven_rows {
            let row = &mut self.rows[*row as usize];
            let origin = V3::new(row.origin.x.f64(), row.origin.y.f64(), row.origin.z.f64());
            let (mut base, mut drive) = (V3::new(0.0, 0.0, 0.0), V3::new(0.0, 0.0, 0.0));
            for (&i, &w) in pair.nodes.iter().zip(&pair.weights).filter(|(i, _)| **i as usize > self.own) {
                let at = |list: &[[f64; 3]]| V3::from(list[i as usize - self.own - 1]);
                base = base + (at(&self.driven[1]) - origin) * w;
                drive = drive + (at(&self.driven[1]) - at(&self.driven[0])) * w;
            }
            (row.base, row.drive) = (cast(base), cast(drive));
        }
        for row in &mut self.rows {
            row.begin(old);
        }
    }

    /// One sweep over all contacts.
    pub fn sweep(&mut self, x: &mut [Vertex<T>], old: &mut [Vertex<T>]) {
        let mut touching = 0;
        for row in &mut self.rows {
            touching += u64::from(row.project(x, old));
        }
        self.touch.pairs = touching;
    }

    /// How many contacts touched in the last sweep.
    pub fn touching(&self) -> u64 {
        self.touch.pairs
    }

    /// Forgets what contacts have pushed in this substep.
    pub fn forget_pushes(&mut self) {
        self.rows.iter_mut().for_each(|row| row.pushed = T::of(0.0));
    }

    /// Guards the motion since the interval began; calls `changed(i, x, by)` for every vertex that may not be where it is: where
    /// it goes, and by how much it is moved, m.
    pub fn guard(&mut self, x: &[Vertex<T>], mut changed: impl FnMut(usize, [T; 3], [f64; 3])) {
        let own = self.own;
        for i in 0..own {
            let to = xyz(x[i]);
            self.to[i] = if to.iter().all(|c| c.is_finite()) { to } else { self.from[i] };
        }
        self.to[own] = self.from[own];
        // Planes have to be seen from the ends of the way too.
        self.drivers.look_at(self.from[..own].iter().chain(&self.to[..own]));
        for (part, list) in [(self.interval.start, &mut self.from), (self.interval.end, &mut self.to)] {
            self.drivers.place(part, &mut self.driven[0]);
            list.truncate(own + 1);
            list.extend_from_slice(&self.driven[0]);
        }
        let precision = if size_of::<T>() == size_of::<f32>() { Precision::Single } else { Precision::Double };
        let thinnest = self.sides.iter().map(|s| s.skin.thickness).filter(|t| *t > 0.0).fold(0.01, f64::min);
        let settings = Settings { clearance: 0.05 * thinnest, precision, ..Settings::default() };
        let mut report = self.guard_for(Search::Way, &settings);
        if report.unfinished {
            report = self.guard_for(Search::WayOrStay, &settings);
        }
        self.motion = [self.motion[0] + report.motion, self.motion[1] + report.removed];
        self.touch.stopped += report.stopped.len() as u64;
        self.touch.impossible += (report.impossible.len() + report.strayed) as u64;
        if let Some(first) = report.impossible.first() {
            self.touch.impossible_at.get_or_insert(self.result[first[0] as usize]);
        }
        // Candidates that are not numbers have not been counted as stopped, and are not where they are proved to be either.
        for i in (0..own).filter(|&i| !x[i].iter().all(|c| c.finite())) {
            changed(i, self.result[i].map(T::of), [0.0; 3]);
        }
        for i in report.stopped.into_iter().map(|i| i as usize).filter(|i| *i < own) {
            let (to, was) = (self.result[i], self.to[i]);
            changed(i, to.map(T::of), core::array::from_fn(|k| to[k] - was[k]));
        }
    }

    /// Guards the motion from `from` to `to`.
    fn guard_for(&mut self, what: Search, settings: &Settings) -> guard::Report {
        self.search(what);
        let motion = Motion {
            from: &self.from,
            to: &self.to,
            roles: &self.roles,
            regions: &self.regions,
            pairs: &self.pairs,
            moving: what == Search::Way,
            radii: &self.radii,
        };
        guard::guard(&motion, settings, &mut self.result)
    }

    /// What happened in the step, which ends with vertices at `x`.
    /// Something may have been put elsewhere (`contained`) after it was proved free.
    pub fn close(&mut self, x: &[Vertex<T>], contained: bool) -> Touch {
        let proved = !contained && !self.sides.is_empty() && self.tangle.pairs == 0 && self.touch.impossible == 0;
        self.free = if proved { Some(self.fingerprint(x, true)) } else { None };
        let [all, removed] = self.motion;
        Touch { removed: if all > 0.0 { removed / all } else { 0.0 }, ..self.touch }
    }
}

/// Mean edges that things may go against each other until contacts are found anew.
const CALM: f64 = 2.0;

/// Mean edges that a skin is thick at most: everything would be near everything else.
const THICKEST: f64 = 5.0;

/// Mean edges of room around a vertex at most, for the same reason.
const ROOMIEST: f64 = 2.0;

/// Substeps at most for the sake of fast colliders.
const MOST_SUBSTEPS: f64 = 200.0;

/// The share of the distance at rest that thickness may take.
const ROOM: f64 = 0.9;

/// A box that holds everything.
const EVERYWHERE: Aabb = Aabb { lo: [f32::MIN; 3], hi: [f32::MAX; 3] };

/// The distance that two surfaces keep, m, and how much of it is solid. None if their contact is not for rows: vertices of cloth meet
/// simple shapes on their own, so that of those only edges and corners are left, and round ones where they
/// dent large triangles.
fn wanted(a: &Side, b: &Side, kind: Kind) -> Option<(f64, f64)> {
    match (a.collider, b.collider) {
        (false, false) => Some((0.5 * (a.skin.thickness + b.skin.thickness), 0.0)),
        (true, true) => None,
        _ => {
            let (collider, cloth) = if a.collider { (a, b) } else { (b, a) };
            let thickness = collider.skin.thickness.max(0.5 * cloth.skin.thickness);
            if collider.radius > 0.0 {
                return Some((0.5 * thickness, collider.radius));
            }
            let face = kind == Kind::VertexTriangle && b.collider;
            (!(collider.simple && face)).then_some((thickness, 0.0))
        }
    }
}

/// A skin without numbers that cannot be computed with.
fn sound(skin: Skin, edge: f64) -> Skin {
    let number = |v: f64| if v.is_finite() { v.max(0.0) } else { 0.0 };
    let thickness = number(skin.thickness).min(THICKEST * edge);
    Skin { thickness, friction: number(skin.friction).min(1e6), ..skin }
}

/// The mean of the first `count` vectors.
fn mean_of(count: usize, of: impl Fn(usize) -> V3<f64>) -> V3<f64> {
    (0..count).fold(V3::new(0.0, 0.0, 0.0), |sum, i| sum + of(i)) * (1.0 / count.max(1) as f64)
}

fn cast<T: Scalar>(v: V3<f64>) -> V3<T> {
    V3::new(T::of(v.x), T::of(v.y), T::of(v.z))
}
