//! Contact between surfaces during a step: who is near whom, contacts for the solver, and the guard.
//!
//! Positions live in one list: the model's vertices in its own order, then those of colliders. It is `f64` whatever the
//! state is: results for an `f32` state are rounded before they are proved.

mod contacts;
mod search;
#[cfg(test)]
mod tests;

use super::broad::Aabb;
use super::detect::{Field, Kind, Near, Pairs, near_of};
use super::driven::Drivers;
use super::guard::{self, Motion, Precision, Role, Settings};
use super::rows::Row;
use super::surface::Surface;
use super::tangle::{self, Part, Tangle};
use super::{Collider, Contact, Grip, MeshCollider, Skin};
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
    /// The box around where the guard may have to put a vertex: hold it at its start, or have a collider take it along.
    also: Vec<Option<[[f64; 3]; 2]>>,
    /// Vertices whose boxes are not those that the fields have; and whether all have others, the interval having been cut short.
    loose: Vec<bool>,
    stale: bool,
    pairs: Pairs,
    /// How far apart the first pairs of each list are at the start of the interval at least, m.
    bounds: [Vec<f32>; 2],
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
        let known = self.fields.split_off(self.fields.len() - self.drivers.known());
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
        self.fields.extend(self.drivers.fields(known));
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
        self.drivers.forget_fits();
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
    /// substep: searches for what is near, or will be, and makes contacts of it. The interval has `most` of the step's `substeps` at most,
    /// of length `h` (s): until the features of a contact have gone two edges against each other, a collider or a pin two, or a vertex four against all.
    pub fn detect(&mut self, old: &[Vertex<T>], x: &[Vertex<T>], first: u32, most: u32, substeps: u32, h: f64) {
        let part = |substep: u32| f64::from(substep) / f64::from(substeps);
        self.interval = Interval { first, count: most, start: part(first), end: part(first + most), h };
        self.look_ahead(old, x);
        self.also.clear();
        self.also.resize(self.from.len(), None);
        let edge = self.source.as_ref().map_or(0.0, |s| s.edge);
        // As a float conversion, what is not a number or too great ends at the ends.
        let within = |edges: f64, way: f64, most: u32| ((edges * edge / way * f64::from(most)) as u32).clamp(1, most);
        // What a collider will meet has no contact yet, and cloth has room to be pushed by about two edges.
        let driven = self.drivers.farthest() * f64::from(most) / f64::from(substeps);
        let led = driven.max(self.farthest_pinned());
        let most = within(FAST, self.farthest(), most).min(within(CALM, led, most));
        self.cut_short(most, part(first + most));
        self.search();
        let way = self.find_rows();
        let count = within(CALM, way, most);
        self.shorten(f64::from(count) / f64::from(most));
        self.cut_short(count, part(first + count));
        self.untangle(h);
    }

    /// Ends the interval after `count` substeps, at part `end` of the step.
    fn cut_short(&mut self, count: u32, end: f64) {
        let part = f64::from(count) / f64::from(self.interval.count);
        if part < 1.0 {
            for (from, to) in self.from.iter().zip(&mut self.to).take(self.own) {
                *to = core::array::from_fn(|k| from[k] + (to[k] - from[k]) * part);
            }
            self.interval = Interval { count, end, ..self.interval };
            self.place_driven();
        }
    }

    /// How far a pinned vertex goes at most, m.
    fn farthest_pinned(&self) -> f64 {
        let pinned = (0..self.own).filter(|&i| self.roles[i] == Role::Pinned);
        let way = |i: usize| (V3::from(self.to[i]) - V3::from(self.from[i])).norm2();
        pinned.map(way).fold(0.0, f64::max).sqrt()
    }

    /// How far a vertex goes at most, but for the motion that all share, m.
    fn farthest(&self) -> f64 {
        let mean = self.mean_way();
        let meet = (0..self.own).filter(|&i| self.side_of[i] != u32::MAX);
        let way = |i: usize| (V3::from(self.to[i]) - V3::from(self.from[i]) - mean).norm2();
        meet.map(way).fold(0.0, f64::max).sqrt()
    }

    /// Takes over where vertices are, and where the interval would bring them.
    fn look_ahead(&mut self, old: &[Vertex<T>], x: &[Vertex<T>]) {
        let own = self.own;
        let reach = f64::from(self.interval.count);
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
        self.place_driven();
        self.roles.resize(self.from.len(), Role::Driven);
    }

    /// Puts colliders where they are at the start and at the end of the interval.
    fn place_driven(&mut self) {
        for (part, list) in [(self.interval.start, &mut self.from), (self.interval.end, &mut self.to)] {
            self.drivers.place(part, &mut self.driven[0]);
            list.truncate(self.own + 1);
            list.extend_from_slice(&self.driven[0]);
        }
    }

    /// The interval under way.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// The substep after it.
    pub fn next(&self) -> u32 {
        self.interval.first + self.interval.count
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
    pub fn sweep(&mut self, x: &mut [Vertex<T>], old: &[Vertex<T>], touched: &mut [bool], grip: Grip) {
        let mut touching = 0;
        for row in &mut self.rows {
            touching += u64::from(row.project(x, old, touched, grip));
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
        self.place_driven();
        let precision = if size_of::<T>() == size_of::<f32>() { Precision::Single } else { Precision::Double };
        let thinnest = self.sides.iter().map(|s| s.skin.thickness).filter(|t| *t > 0.0).fold(0.01, f64::min);
        let settings = Settings { clearance: 0.05 * thinnest, precision, ..Settings::default() };
        let report = self.guard_way(&settings);
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

    /// Guards the motion from `from` to `to`. Pairs found when the interval began serve if all went about where they were expected to.
    fn guard_way(&mut self, settings: &Settings) -> guard::Report {
        self.amend(&[]);
        let mut searches = 0;
        loop {
            self.bound_all();
            let motion = Motion {
                from: &self.from,
                to: &self.to,
                roles: &self.roles,
                regions: &self.regions,
                pairs: &self.pairs,
                bounds: [&self.bounds[0], &self.bounds[1]],
                radii: &self.radii,
                bodies: self.drivers.firsts(),
            };
            let mut report = guard::guard(&motion, settings, &mut self.result);
            if report.unfinished.is_empty() {
                return report;
            }
            searches += 1;
            if searches > 2 * FEW {
                // All may stay and go along, so this is beyond what boxes can hold.
                report.strayed += report.unfinished.len();
                return report;
            }
            report.unfinished.iter().for_each(|&(i, place)| self.allow(i as usize, place));
            if searches > FEW {
                (0..self.own).for_each(|i| self.allow(i, self.from[i]));
                self.search();
            } else {
                let more: Vec<u32> = report.unfinished.iter().map(|u| u.0).collect();
                self.amend(&more);
            }
        }
    }

    /// Completes what is known of how far apart pairs are at the start: those found after contacts were made have no bounds yet.
    fn bound_all(&mut self) {
        let Pairs { vertex_triangle, edge_edge } = &self.pairs;
        let lists = [(Kind::VertexTriangle, vertex_triangle), (Kind::EdgeEdge, edge_edge)];
        for ((kind, list), bounds) in lists.into_iter().zip(&mut self.bounds) {
            near_of(kind, &self.from, &list[bounds.len()..], 0.0, &mut Vec::new(), bounds);
        }
    }

    /// Has the region of a vertex hold a place (m) from the next search on.
    fn allow(&mut self, i: usize, place: [f64; 3]) {
        let [lo, hi] = self.also[i].unwrap_or([place; 2]);
        let with = |c: &[f64; 3], f: fn(f64, f64) -> f64| core::array::from_fn(|k| f(c[k], place[k]));
        self.also[i] = Some([with(&lo, f64::min), with(&hi, f64::max)]);
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

/// Mean edges that a vertex may go against all others likewise: what flies apart has to be caught early.
const FAST: f64 = 4.0;

/// Searches for the sake of some vertices that must be put elsewhere, before there is one for all; and as many more at most.
const FEW: usize = 5;

/// Mean edges that the features of a contact may go against each other until contacts are found anew.
const CALM: f64 = 2.0;

/// Mean edges that a skin is thick at most: everything would be near everything else.
const THICKEST: f64 = 5.0;

/// Substeps at most for the sake of fast colliders.
const MOST_SUBSTEPS: f64 = 200.0;

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
