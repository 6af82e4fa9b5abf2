//! Contacts: rows for the solver, made of pairs that are near, in the order of the pairs.

use super::AHEAD;
use super::motion::IntervalMotion;
use super::search::ContactCandidates;
use super::surfaces::Surfaces;
use crate::constraint::TILE;
use crate::contact::candidates::{NearPair, PairKind, PairList, near_of};
use crate::contact::row::{ContactRow, KinematicPart, RECOVERY, RowAim};
use crate::contact::settings::Party;
use crate::contact::untangle::Pull;
use crate::contact::{FrictionBudget, Meeting};
use crate::lanes::{Real, Scalar, V3, Vertex};
use crate::sets::Grouped;

/// The part of the distance at rest that thickness may take.
const ROOM: f64 = 0.9;

/// How much farther apart than what is kept two features are of interest: by thickness, and by the rest shape, which
/// keeps them itself.
const NEAR: f64 = 1.5;
const NEAR_AT_REST: f64 = 1.1;

/// Pairs that are measured in one go.
const MEASURED: usize = 1 << 14;

/// The contacts of an interval.
#[derive(Debug, Default)]
pub(super) struct ContactRows<T> {
    rows: Vec<ContactRow<T>>,
    aims: Vec<RowAim<T>>,
    near: Vec<NearPair>,
    /// For each vertex the nearest triangle it is a contact with, as a number in `near`; `u32::MAX` for none.
    nearest: Vec<u32>,
    /// The pair behind each row with a collider, to follow it.
    kinematic: Vec<(u32, NearPair)>,
    /// Where colliders are at the start and the end of the substep, m.
    placed: [Vec<[f64; 3]>; 2],
    /// The rows of each tile of vertices, if asked for yet.
    by_tile: Option<Grouped>,
    trial: Trial<T>,
}

/// Where contacts would have vertices, and what they would do.
#[derive(Debug, Default)]
struct Trial<T> {
    /// Pushed apart, and with all slip undone besides, m.
    apart: Vec<Vertex<T>>,
    stuck: Vec<Vertex<T>>,
    /// The rows that push, and whether they press on a collider.
    pushing: Vec<(u32, bool)>,
    /// By vertex: whether it is pushed, and the friction of what presses on it.
    friction: Vec<Option<T>>,
    pushed: Vec<u32>,
}

impl<T: Scalar> ContactRows<T> {
    /// Contacts: pairs that are near, or will be. Returns how far the features of one go against each other at most, m.
    pub fn find(&mut self, candidates: &mut ContactCandidates, surfaces: &Surfaces, motion: &IntervalMotion) -> f64 {
        self.measure(candidates, surfaces, motion);
        self.rows.clear();
        self.aims.clear();
        self.kinematic.clear();
        self.by_tile = None;
        self.find_nearest(motion.from.len());
        let mut farthest: f64 = 0.0;
        for i in 0..self.near.len() {
            let pair = self.near[i];
            if !self.beside_edge(surfaces, &pair) && self.add_pair(surfaces, motion, &pair) {
                farthest = farthest.max(motion.relative_way(&pair.nodes, &pair.weights).norm2());
            }
        }
        farthest.sqrt()
    }

    /// Measures all pairs, and keeps those that are near.
    fn measure(&mut self, candidates: &mut ContactCandidates, surfaces: &Surfaces, motion: &IntervalMotion) {
        let thickest = surfaces.parties.iter().map(|p| p.material.thickness).fold(0.0, f64::max);
        let carried = surfaces.kinematics.farthest() * (motion.interval.end - motion.interval.start);
        let travel = motion.farthest(surfaces).min(2.0 * thickest).max(carried.min(AHEAD * surfaces.source.edge));
        let distance = 1.5 * thickest + travel;
        let ContactCandidates { pairs, round, .. } = candidates;
        let end = pairs.counts();
        let start = round.first().map_or(end, |r| r.0);
        self.near.clear();
        for (kind, start) in PairKind::ALL.into_iter().zip(start) {
            let PairList { nodes, bounds } = &mut pairs[kind];
            for some in nodes[..start].chunks(MEASURED) {
                let known = self.near.len();
                near_of(kind, &motion.from, some, distance, &mut self.near, bounds);
                self.forget_kept_by_rest(known, surfaces, motion);
            }
        }
        for (i, &(start, radius)) in round.iter().enumerate() {
            let end = round.get(i + 1).map_or(end, |r| r.0);
            for (which, kind) in PairKind::ALL.into_iter().enumerate() {
                let list = &pairs[kind].nodes[start[which]..end[which]];
                // Distances of these include what is solid, and are no bounds.
                near_of(kind, &motion.from, list, radius, &mut self.near, &mut Vec::new());
            }
        }
    }

    /// Leaves out pairs, from some on, that cannot come nearer than they are at rest: in cloth finer than its thickness
    /// these are nearly all.
    fn forget_kept_by_rest(&mut self, from: usize, surfaces: &Surfaces, motion: &IntervalMotion) {
        let mut kept = from;
        for i in from..self.near.len() {
            let pair = self.near[i];
            let room = room(surfaces, &pair);
            let thickness = surfaces.party(pair.nodes[0]).map_or(0.0, |p| p.material.thickness);
            let still = room >= thickness || pair.distance - 2.0 * closing(motion, &pair) <= NEAR_AT_REST * room;
            self.near[kept] = pair;
            kept += usize::from(still);
        }
        self.near.truncate(kept);
    }

    fn find_nearest(&mut self, vertices: usize) {
        self.nearest.clear();
        self.nearest.resize(vertices, u32::MAX);
        for (i, pair) in self.near.iter().enumerate().filter(|(_, p)| p.kind == PairKind::VertexTriangle) {
            let known = &mut self.nearest[pair.nodes[0] as usize];
            if self.near.get(*known as usize).is_none_or(|k| pair.distance < k.distance) {
                *known = i as u32;
            }
        }
    }

    /// Whether a vertex is nearer to another triangle of the same surface, on the same side, and next to an edge of
    /// this one: what slides over a smooth surface would run into the edges of triangles ahead.
    fn beside_edge(&self, surfaces: &Surfaces, pair: &NearPair) -> bool {
        let Some(best) = self.near.get(self.nearest[pair.nodes[0] as usize] as usize) else { return false };
        let along = V3::from(pair.delta).dot(V3::from(best.delta));
        pair.kind == PairKind::VertexTriangle
            && pair.weights[1..].contains(&0.0)
            && pair.distance > 1.02 * best.distance
            && along > 0.5 * pair.distance * best.distance
            && surfaces.number(pair.nodes[1]) == surfaces.number(best.nodes[1])
    }

    /// Adds a contact of a near pair, if it is one.
    fn add_pair(&mut self, surfaces: &Surfaces, motion: &IntervalMotion, pair: &NearPair) -> bool {
        let Some([a, b]) = surfaces.sides(pair) else { return false };
        let Some((thickness, solid)) = wanted(&a, &b, pair.kind).filter(|_| pair.distance > 0.0) else { return false };
        let room = room(surfaces, pair);
        let near = (NEAR * thickness).min(NEAR_AT_REST * room);
        if pair.distance - solid - 2.0 * closing(motion, pair) > near {
            return false;
        }
        self.add_contact(surfaces, motion, pair, [&a, &b], [thickness.min(room), solid])
    }

    /// Adds contacts of pairs that have met in this interval when it was gone through before, as they were when they
    /// met.
    pub fn add_met(&mut self, met: &[NearPair], surfaces: &Surfaces, motion: &IntervalMotion) {
        for pair in met {
            let Some([a, b]) = surfaces.sides(pair) else { continue };
            if let Some((thickness, solid)) = wanted(&a, &b, pair.kind) {
                self.add_contact(surfaces, motion, pair, [&a, &b], [thickness.min(room(surfaces, pair)), solid]);
            }
        }
    }

    /// Adds a contact between two parties that keep so much distance, m, some of which is solid. False if nothing of it
    /// can move.
    fn add_contact(
        &mut self,
        surfaces: &Surfaces,
        motion: &IntervalMotion,
        pair: &NearPair,
        [a, b]: [&Party; 2],
        [thickness, solid]: [f64; 2],
    ) -> bool {
        let n = V3::from(pair.delta) * (1.0 / pair.distance);
        let give = motion.give(&pair.nodes, &pair.weights);
        if give <= 0.0 {
            return false;
        }
        let friction = match (a.simple, b.simple) {
            (true, _) => a.material.friction,
            (_, true) => b.material.friction,
            _ => (a.material.friction * b.material.friction).sqrt(),
        };
        let gentle = thickness * (RECOVERY * motion.interval.h).min(0.5);
        let own = surfaces.own();
        if pair.nodes.iter().any(|&v| v as usize > own) {
            self.kinematic.push((self.rows.len() as u32, *pair));
        }
        self.add(motion, own, (pair.nodes, pair.weights), n, [give, friction], [thickness + solid, gentle, 0.0]);
        true
    }

    /// Adds rows that draw tangled features apart.
    pub fn add_pulls(&mut self, pulls: &[Pull], motion: &IntervalMotion, own: usize) {
        for &Pull { nodes, weights, n, speed } in pulls {
            let give = motion.give(&nodes, &weights);
            if give > 0.0 {
                self.add(motion, own, (nodes, weights), n, [give, 0.0], [0.0, 0.0, speed * motion.interval.h]);
            }
        }
    }

    /// Adds a row: its features, direction, give and friction; its thickness, how much of it is recovered in a substep,
    /// and opening in m.
    fn add(
        &mut self,
        motion: &IntervalMotion,
        own: usize,
        (nodes, weights): ([u32; 4], [f64; 4]),
        n: V3<f64>,
        [give, friction]: [f64; 2],
        [thickness, gentle, opening]: [f64; 3],
    ) {
        let none = V3::new(T::of(0.0), T::of(0.0), T::of(0.0));
        let kinematic = |k: usize| nodes[k] as usize > own;
        self.by_tile = None;
        self.aims.push(RowAim { thickness: T::of(thickness), gentle: T::of(gentle), opening: T::of(opening) });
        self.rows.push(ContactRow {
            nodes: nodes.map(|i| i.min(own as u32)),
            weights: core::array::from_fn(|k| T::of(if kinematic(k) { 0.0 } else { weights[k] })),
            origin: cast(V3::from(motion.from[nodes[0] as usize])),
            n: cast(n),
            kinematic: KinematicPart { place: none, moved: none },
            wanted: T::of(thickness),
            recovery: T::of(0.0),
            pushed: T::of(0.0),
            friction: T::of(friction),
            give: T::of(give),
        });
    }

    /// Begins a substep between two parts of the step: contacts follow their colliders.
    pub fn begin(&mut self, surfaces: &Surfaces, x_start: &[Vertex<T>], [start, end]: [f64; 2]) {
        let first = surfaces.own() + 1;
        if !self.kinematic.is_empty() {
            for (placed, part) in self.placed.iter_mut().zip([start, end]) {
                placed.clear();
                surfaces.kinematics.place(part, placed);
            }
        }
        for (row, pair) in &self.kinematic {
            let row = &mut self.rows[*row as usize];
            let origin = V3::new(row.origin.x.f64(), row.origin.y.f64(), row.origin.z.f64());
            let (mut place, mut moved) = (V3::new(0.0, 0.0, 0.0), V3::new(0.0, 0.0, 0.0));
            for (&i, &w) in pair.nodes.iter().zip(&pair.weights).filter(|(i, _)| **i as usize >= first) {
                let at = |list: &[[f64; 3]]| V3::from(list[i as usize - first]);
                place = place + (at(&self.placed[1]) - origin) * w;
                moved = moved + (at(&self.placed[1]) - at(&self.placed[0])) * w;
            }
            row.kinematic = KinematicPart { place: cast(place), moved: cast(moved) };
        }
        for (row, aim) in self.rows.iter_mut().zip(&self.aims) {
            row.begin(aim, x_start);
        }
    }

    /// One sweep over all contacts; returns how many touch.
    ///
    /// One after another in the order of the pairs, not through the driver of coloured batches: neighbours in this
    /// order share vertices, so that a batch which kept it would have hundreds of colours. The figures are in
    /// docs/design/contact.md.
    pub fn sweep(
        &mut self,
        x: &mut [Vertex<T>],
        x_start: &[Vertex<T>],
        touched: &mut [bool],
        budget: FrictionBudget,
    ) -> u64 {
        let mut touching = 0;
        for row in &mut self.rows {
            touching += u64::from(row.project(x, x_start, touched, budget));
        }
        touching
    }

    /// Finds where contacts would push vertices that are at `x`, and moves none. Calls `f` for each that is pushed,
    /// with what it runs into. Friction is told of colliders only: what two cloths do to each other is not to be split
    /// into what each vertex feels. If `weight` is given, `x` is where outer forces alone would have vertices: what
    /// runs into each other then, as far as a weight makes it in a substep (m), presses, and sweeps hold its slip by
    /// that afterwards.
    pub fn meet(&mut self, [x, x_start]: [&[Vertex<T>]; 2], weight: Option<T>, mut f: impl FnMut(u32, Meeting<T>)) {
        let Trial { apart, stuck, pushing, friction, pushed } = &mut self.trial;
        apart.clear();
        apart.extend_from_slice(x);
        pushing.clear();
        for (row, number) in self.rows.iter_mut().zip(0..) {
            if let Some(short) = row.push_out(apart) {
                pushing.push((number, short > row.recovery && row.with_collider()));
                row.pushed = weight.map_or(row.pushed, |weight| Real::min(short, weight));
            }
        }
        stuck.clone_from(apart);
        friction.resize(x.len(), None);
        for &(number, presses) in &*pushing {
            let row = &self.rows[number as usize];
            let most = if presses { row.friction } else { T::of(0.0) };
            if presses {
                row.undo_slip(stuck, x_start);
            }
            for (&i, _) in row.nodes.iter().zip(&row.weights).filter(|(_, w)| **w != T::of(0.0)) {
                let known = &mut friction[i as usize];
                if known.is_none() {
                    pushed.push(i);
                }
                *known = Some(known.map_or(most, |k| Real::max(k, most)));
            }
        }
        let at = |list: &[Vertex<T>], i: u32| {
            let [x, y, z, _] = list[i as usize];
            V3::new(x, y, z)
        };
        for i in pushed.drain(..) {
            let friction = friction[i as usize].take().unwrap_or(T::of(0.0));
            f(i, Meeting { by: at(apart, i) - at(x, i), anchor: at(stuck, i), friction });
        }
    }

    /// Pushes apart, without friction, what is too near in a tile of vertices; see [`ContactRow::part`]. Adds the
    /// vertices that it moves.
    pub fn part(
        &mut self,
        tile: u32,
        [x, x_predicted]: [&mut [Vertex<T>]; 2],
        [slack, much]: [T; 2],
        mut moved: impl FnMut(u32),
    ) {
        let by_tile = self.by_tile.take().unwrap_or_else(|| self.sort_into_tiles(x.len()));
        for &row in by_tile.row(tile) {
            let row = &self.rows[row as usize];
            if row.part(x, x_predicted, slack, much) {
                row.nodes.iter().zip(&row.weights).filter(|(_, w)| **w != T::of(0.0)).for_each(|(&i, _)| moved(i));
            }
        }
        self.by_tile = Some(by_tile);
    }

    /// Calls `f` for vertices, of which there are `own`, that are in contact with a collider, with how that moves
    /// there, m.
    pub fn for_each_carried(&self, motion: &IntervalMotion, own: usize, mut f: impl FnMut(u32, V3<f64>)) {
        for (_, pair) in &self.kinematic {
            let (mut way, mut all) = (V3::new(0.0, 0.0, 0.0), 0.0);
            for (&i, w) in pair.nodes.iter().zip(pair.weights).filter(|(i, _)| **i as usize > own) {
                (way, all) = (way + motion.way(i as usize) * w.abs(), all + w.abs());
            }
            if all > 0.0 {
                pair.nodes.iter().filter(|i| (**i as usize) < own).for_each(|&i| f(i, way * (1.0 / all)));
            }
        }
    }

    /// Lists the rows of each tile.
    fn sort_into_tiles(&self, vertices: usize) -> Grouped {
        let tiles = |row: &ContactRow<T>| {
            let mut of = row.nodes.map(|i| i / TILE as u32);
            of.sort_unstable();
            (0..4).filter(move |&k| k == 0 || of[k] != of[k - 1]).map(move |k| of[k])
        };
        let numbered = self.rows.iter().zip(0..);
        Grouped::new(vertices / TILE + 1, numbered.flat_map(|(row, number)| tiles(row).map(move |t| (t, number))))
    }

    /// Forgets what contacts have pushed in this substep.
    pub fn forget_pushes(&mut self) {
        self.rows.iter_mut().for_each(|row| row.pushed = T::of(0.0));
    }
}

/// How far two features come towards each other in the interval, m; 0 if they do not.
fn closing(motion: &IntervalMotion, pair: &NearPair) -> f64 {
    let along = V3::from(pair.delta).dot(motion.relative_way(&pair.nodes, &pair.weights));
    f64::max(-along / pair.distance, 0.0)
}

/// How far apart the same places are at rest, m: cloth finer than its thickness must not push itself apart.
pub(super) fn room(surfaces: &Surfaces, pair: &NearPair) -> f64 {
    let rest = &surfaces.source.rest;
    if !pair.nodes.iter().all(|&i| (i as usize) < rest.len()) {
        return f64::INFINITY;
    }
    let mut apart = V3::new(0.0, 0.0, 0.0);
    for (&i, &w) in pair.nodes.iter().zip(&pair.weights) {
        apart = apart + V3::from(rest[i as usize]) * w;
    }
    ROOM * apart.norm2().sqrt()
}

/// The distance that two surfaces keep, m, and how much of it is solid. None if their contact is not for rows: vertices
/// of cloth meet simple shapes on their own, so that of those only edges and corners are left, and round ones where
/// they dent large triangles.
pub(super) fn wanted(a: &Party, b: &Party, kind: PairKind) -> Option<(f64, f64)> {
    match (a.collider, b.collider) {
        (false, false) => Some((0.5 * (a.material.thickness + b.material.thickness), 0.0)),
        (true, true) => None,
        _ => {
            let (collider, cloth) = if a.collider { (a, b) } else { (b, a) };
            let thickness = collider.material.thickness.max(0.5 * cloth.material.thickness);
            if collider.radius > 0.0 {
                return Some((0.5 * thickness, collider.radius));
            }
            let face = kind == PairKind::VertexTriangle && b.collider;
            (!(collider.simple && face)).then_some((thickness, 0.0))
        }
    }
}

fn cast<T: Scalar>(v: V3<f64>) -> V3<T> {
    V3::new(T::of(v.x), T::of(v.y), T::of(v.z))
}
