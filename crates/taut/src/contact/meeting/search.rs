//! Who may meet whom: pairs of features, found once for an interval and amended where vertices went elsewhere.

use super::{Meeting, Side, mean_of};
use crate::contact::broad::Aabb;
use crate::contact::detect::{Field, Pairs};
use crate::contact::tangle::bit;
use crate::lanes::{Scalar, V3};

/// Mean edges of room around a vertex at most: everything would be near everything else.
const ROOMIEST: f64 = 2.0;

/// Shares of a skin's thickness that vertices may be off from where they are expected to end.
const SPARE: f64 = 0.5;

/// Shares of its way that a vertex may be off likewise.
const STRAY: f64 = 0.05;

/// Amending pairs for more than one in so many vertices costs as much as finding all anew.
const MANY: usize = 4;

/// A box that holds everything.
const EVERYWHERE: Aabb = Aabb { lo: [f32::MIN; 3], hi: [f32::MAX; 3] };

/// Where each collider that moves is on its way, and how far it goes, m; and the mean way of all bodies' vertices, m.
struct Ways {
    driven: Vec<(Aabb, f64)>,
    mean: V3<f64>,
}

impl<T: Scalar> Meeting<T> {
    /// The mean way of all bodies' vertices, m.
    pub(super) fn mean_way(&self) -> V3<f64> {
        mean_of(self.own, |i| V3::from(self.to[i]) - V3::from(self.from[i]))
    }

    /// Finds what is near at `from`, or may come near on the straight way to `to`. Vertices may end anywhere in their regions, which are
    /// around `to`, and hold what is `also` asked for.
    pub(super) fn search(&mut self) {
        let ways = self.ways();
        self.loose.clear();
        self.loose.resize(self.from.len(), false);
        self.starts.clear();
        self.regions.clear();
        for i in 0..self.from.len() {
            let [start, end] = self.boxes(i, &ways);
            self.starts.push(start);
            self.regions.push(end);
        }
        self.find_pairs();
    }

    /// Makes pairs and regions serve for ways to `to` again, of which some were not foreseen: those of `more`, or that leave
    /// their regions.
    pub(super) fn amend(&mut self, more: &[u32]) {
        more.iter().for_each(|&i| self.loose[i as usize] = true);
        let held = |i: usize| self.starts[i].holds(self.from[i]) && self.regions[i].holds(self.to[i]);
        let strays = |i: &usize| self.side_of[*i] != u32::MAX && !held(*i);
        let known = more.len();
        let strays: Vec<usize> = (0..self.to.len()).filter(strays).collect();
        strays.iter().for_each(|&i| self.loose[i] = true);
        let driven = strays.last().is_some_and(|&i| i > self.own);
        if driven || self.loose.iter().filter(|l| **l).count() * MANY > self.own {
            self.search();
        } else if strays.len() + known > 0 {
            self.search_loose();
        }
    }

    /// Finds the pairs with loose vertices anew. They follow all others.
    fn search_loose(&mut self) {
        let ways = self.ways();
        // Boxes at the ends of ways tell something if those are ends at the same time.
        if self.stale {
            self.refit();
        }
        for i in (0..self.own).filter(|&i| self.loose[i]) {
            [self.starts[i], self.regions[i]] = self.boxes(i, &ways);
        }
        // Contacts are made of what a whole search finds; who comes last is not known any more.
        self.round.clear();
        let loose = |nodes: &[u32]| nodes.iter().any(|&i| self.loose[i as usize]);
        let lists = [&mut self.pairs.vertex_triangle, &mut self.pairs.edge_edge];
        for (list, bounds) in lists.into_iter().zip(&mut self.bounds) {
            let (mut kept, mut known) = (0, 0);
            for i in 0..list.len() {
                if !loose(&list[i]) {
                    list[kept] = list[i];
                    if i < bounds.len() {
                        bounds[kept] = bounds[i];
                        known = kept + 1;
                    }
                    kept += 1;
                }
            }
            list.truncate(kept);
            bounds.truncate(known);
        }
        let part = |field: &Field| field.part(loose, &self.starts, &self.regions);
        let parts: Vec<Field> = self.fields.iter().map(part).collect();
        let mut found = Pairs::default();
        self.meetings(|i, j| {
            // Those of two loose features, then those of one: the other's box in the whole field is right.
            let start = [found.vertex_triangle.len(), found.edge_edge.len()];
            if i == j {
                parts[i].pairs(&self.fields[i], &mut found);
            } else {
                parts[i].pairs(&self.fields[j], &mut found);
                self.fields[i].pairs(&parts[j], &mut found);
            }
            found.retain_from(start, |a, b| loose(a) != loose(b));
            if i == j { parts[i].self_pairs(&mut found) } else { parts[i].pairs(&parts[j], &mut found) }
        });
        self.pairs.vertex_triangle.append(&mut found.vertex_triangle);
        self.pairs.edge_edge.append(&mut found.edge_edge);
        self.forget_exempt();
    }

    /// Where a vertex is at the start, with half of the distance that is of interest, and where it may end.
    fn boxes(&self, i: usize, ways: &Ways) -> [Aabb; 2] {
        let Some(side) = self.sides.get(self.side_of[i] as usize) else { return [EVERYWHERE; 2] };
        let edge = self.source.as_ref().map_or(0.0, |s| s.edge);
        let (from, to) = (self.from[i], self.to[i]);
        let thickness = 0.55 * side.skin.thickness;
        let pad = if side.collider {
            side.radius + thickness
        } else {
            let swept = Aabb::around(&[from, to], side.skin.thickness);
            let pushed = ways.driven.iter().filter(|d| d.0.overlaps(&swept)).map(|d| d.1).fold(0.0, f64::max);
            let own = STRAY * (V3::from(to) - V3::from(from) - ways.mean).norm2().sqrt();
            let own = own.max(SPARE * side.skin.thickness);
            // The lesser of a number and none is the number.
            thickness + (own + pushed).min(ROOMIEST * edge)
        };
        let end = match self.also[i] {
            Some([lo, hi]) => Aabb::around(&[lo, hi, to], pad),
            None => Aabb::around(&[to], pad),
        };
        [Aabb::around(&[from], side.radius + thickness), end]
    }

    fn ways(&self) -> Ways {
        Ways { driven: self.driven_boxes(), mean: self.mean_way() }
    }

    /// Takes regions at a part (0 to 1) of the way. Pairs stay: what one axis separates at both ends it separates between them.
    pub(super) fn shorten(&mut self, part: f64) {
        self.stale = part < 1.0;
        for i in (0..self.from.len()).filter(|&i| part < 1.0 && self.side_of[i] != u32::MAX) {
            self.regions[i] = self.starts[i].towards(&self.regions[i], part);
        }
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
        self.bounds.iter_mut().for_each(Vec::clear);
        self.round.clear();
        self.refit();
        let mut pairs = core::mem::take(&mut self.pairs);
        let mut round = core::mem::take(&mut self.round);
        self.meetings(|i, j| {
            let start = [pairs.vertex_triangle.len(), pairs.edge_edge.len()];
            if i == j {
                self.fields[i].self_pairs(&mut pairs)
            } else {
                self.fields[i].pairs(&self.fields[j], &mut pairs)
            }
            let Side { radius, skin, .. } = self.sides[j];
            if radius > 0.0 {
                round.push((start, radius + 0.5 * skin.thickness));
            }
        });
        (self.pairs, self.round) = (pairs, round);
        self.forget_exempt();
    }

    /// Gives features the boxes of their vertices. Those of meshes that stand still have them.
    fn refit(&mut self) {
        let bodies = self.sides.len() - self.drivers.len();
        for (i, field) in self.fields.iter_mut().enumerate() {
            let wanted = match i.checked_sub(bodies) {
                None => self.sides[i].skin.thickness > 0.0,
                Some(collider) => !self.drivers.fitted(collider),
            };
            if wanted {
                field.refit_moving(&self.starts, &self.regions);
            }
        }
        self.stale = false;
    }

    /// Calls `meet` for every two surfaces that meet, once; for one that meets itself, with the same twice. Colliders with radii come last.
    fn meetings(&self, mut meet: impl FnMut(usize, usize)) {
        let bodies = self.sides.len() - self.drivers.len();
        let meets = |i: &usize| self.sides[*i].skin.thickness > 0.0;
        for i in (0..bodies).filter(meets) {
            if self.sides[i].skin.own {
                meet(i, i);
            }
            (i + 1..bodies).filter(meets).for_each(|j| meet(i, j));
        }
        for round in [false, true] {
            for j in (bodies..self.sides.len()).filter(|&j| (self.sides[j].radius > 0.0) == round) {
                (0..bodies).filter(meets).for_each(|i| meet(i, j));
            }
        }
    }

    /// Leaves out pairs of features that belong to triangles which intersect the other one's surface.
    fn forget_exempt(&mut self) {
        let exempt = &self.tangle.exempt;
        if exempt.is_empty() {
            return;
        }
        self.bounds.iter_mut().for_each(Vec::clear);
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
}
