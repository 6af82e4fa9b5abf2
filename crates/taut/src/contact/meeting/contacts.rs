//! Contacts: rows for the solver, made of pairs that are near.

use super::{CALM, Meeting, Side, cast};
use crate::contact::detect::{Kind, Near, near_of};
use crate::contact::guard::Role;
use crate::contact::rows::{RECOVERY, Row};
use crate::contact::tangle::Pull;
use crate::lanes::{Scalar, V3};

/// The share of the distance at rest that thickness may take.
const ROOM: f64 = 0.9;

impl<T: Scalar> Meeting<T> {
    /// Contacts: pairs that are near, or will be. Returns how far the features of one go against each other at most, m.
    pub(super) fn find_rows(&mut self) -> f64 {
        let thickest = self.sides.iter().map(|s| s.skin.thickness).fold(0.0, f64::max);
        let edge = self.source.as_ref().map_or(0.0, |s| s.edge);
        let driven = self.drivers.farthest() * (self.interval.end - self.interval.start);
        let travel = self.farthest().min(2.0 * thickest).max(driven.min(CALM * edge));
        let distance = 1.5 * thickest + travel;
        let (vt, ee) = (&self.pairs.vertex_triangle, &self.pairs.edge_edge);
        let end = [vt.len(), ee.len()];
        let start = self.round.first().map_or(end, |r| r.0);
        self.near.clear();
        let [vt_bounds, ee_bounds] = &mut self.bounds;
        near_of(Kind::VertexTriangle, &self.from, &vt[..start[0]], distance, &mut self.near, vt_bounds);
        near_of(Kind::EdgeEdge, &self.from, &ee[..start[1]], distance, &mut self.near, ee_bounds);
        for (i, &(start, radius)) in self.round.iter().enumerate() {
            let end = self.round.get(i + 1).map_or(end, |r| r.0);
            // Distances of these include what is solid.
            let mut none = Vec::new();
            near_of(Kind::VertexTriangle, &self.from, &vt[start[0]..end[0]], radius, &mut self.near, &mut none);
            near_of(Kind::EdgeEdge, &self.from, &ee[start[1]..end[1]], radius, &mut self.near, &mut none);
        }
        self.rows.clear();
        self.driven_rows.clear();
        let nearest = self.nearest_faces();
        let mut farthest: f64 = 0.0;
        for i in 0..self.near.len() {
            let pair = self.near[i];
            if !self.rim(&pair, &nearest)
                && let Some(row) = self.row(&pair)
            {
                if pair.nodes.iter().any(|&v| v as usize > self.own) {
                    self.driven_rows.push((self.rows.len() as u32, pair));
                }
                self.rows.push(row);
                farthest = farthest.max(self.way(&pair).norm2());
            }
        }
        farthest.sqrt()
    }

    /// How a pair's features go against each other, m.
    fn way(&self, pair: &Near) -> V3<f64> {
        let way = |i: u32| V3::from(self.to[i as usize]) - V3::from(self.from[i as usize]);
        let ways = pair.nodes.iter().zip(&pair.weights).map(|(&i, &w)| way(i) * w);
        ways.fold(V3::new(0.0, 0.0, 0.0), |sum, w| sum + w)
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
        let closing = -n.dot(self.way(pair));
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
    pub(super) fn untangle(&mut self, h: f64) {
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
}

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
