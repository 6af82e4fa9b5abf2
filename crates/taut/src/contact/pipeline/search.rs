//! Who may meet whom: pairs of features, found once for an interval and amended where vertices went elsewhere.

use super::motion::IntervalMotion;
use super::surfaces::Surfaces;
use crate::contact::bvh::Aabb;
use crate::contact::candidates::{PairKind, PairList, Pairs, SurfaceBvh, near_of};
use crate::contact::kinematic::KinematicBody;
use crate::contact::untangle::Exempt;
use crate::lanes::V3;

/// Mean edges of room around a vertex at most: everything would be near everything else.
const ROOMIEST: f64 = 2.0;

/// Parts of a material's thickness that vertices may be off from where they are expected to end.
const SPARE: f64 = 0.5;

/// Parts of its way that a vertex may be off likewise.
const STRAY: f64 = 0.05;

/// Amending pairs for more than one in so many vertices costs as much as finding all anew.
const MANY: usize = 4;

/// Pairs of each kind at most that are kept, for each vertex, edge and triangle of what meets. In dense folds there are
/// five; where a sheet of 15 × 15 vertices is to go along with a ball of 100 m/s, or to stay, up to 150.
const MOST_PAIRS: usize = 256;

/// A box that holds everything.
const EVERYWHERE: Aabb = Aabb { lo: [f32::MIN; 3], hi: [f32::MAX; 3] };

/// Pairs that may meet in an interval, and where their vertices may be.
#[derive(Debug, Default)]
pub(super) struct ContactCandidates {
    /// Where vertices are at the start of the interval, and where they may be at its end.
    pub starts: Vec<Aabb>,
    pub regions: Vec<Aabb>,
    /// The part of the step at which the hierarchies' boxes end: later than the interval, if that was cut short after
    /// the search.
    fitted_end: f64,
    /// Vertices whose boxes are others than those that the hierarchies have.
    pub amended: Vec<bool>,
    pub pairs: Pairs,
    /// Where pairs with each ball or rod begin in the lists, and how near they are contacts, m. Whole searches know.
    pub round: Vec<([usize; 2], f64)>,
    /// Whether there are more pairs than are kept: what is not listed may meet, too.
    pub crowded: bool,
    /// Whether they serve as long as no body moves.
    still: bool,
}

/// What a search is about.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub motion: &'a IntervalMotion,
    /// What intersects: nobody keeps it apart.
    pub exempt: &'a Exempt,
    pub allowed: &'a Allowed,
    /// Whether no body moves, so that they keep from each other and from colliders that do not move either.
    pub still: bool,
}

impl<'a> Search<'a> {
    /// About this motion.
    pub fn of(motion: &'a IntervalMotion, exempt: &'a Exempt, allowed: &'a Allowed) -> Self {
        Search { motion, exempt, allowed, still: false }
    }

    /// Whether two surfaces may come to meet.
    fn concerns(&self, surfaces: &Surfaces, i: usize, j: usize) -> bool {
        let moves = |i: usize| surfaces.collider(i).is_some_and(|b| b.vertices.clone().any(|v| self.motion.moves(v)));
        !self.still || moves(i) || moves(j)
    }

    /// Leaves out pairs, from some on in each list, that are exempt.
    fn forget_exempt(&self, surfaces: &Surfaces, from: [usize; 2], pairs: &mut Pairs) {
        let with = |nodes: &[u32]| surfaces.number(nodes[0]);
        if !self.exempt.is_empty() {
            pairs.retain_from(from, |a, b| !self.exempt.holds((a, with(a)), (b, with(b))));
        }
    }
}

/// For each of the first vertices the box around where the safety pass may have to put it: hold it at its start, or
/// have a collider take it along.
#[derive(Default)]
pub(super) struct Allowed(Vec<Option<[[f64; 3]; 2]>>);

impl Allowed {
    /// Has the region of a vertex hold a place (m) from the next search on.
    pub fn add(&mut self, i: usize, place: [f64; 3]) {
        self.0.resize(self.0.len().max(i + 1), None);
        let [lo, hi] = self.0[i].unwrap_or([place; 2]);
        let with = |c: &[f64; 3], f: fn(f64, f64) -> f64| core::array::from_fn(|k| f(c[k], place[k]));
        self.0[i] = Some([with(&lo, f64::min), with(&hi, f64::max)]);
    }
}

/// What the room around vertices depends on.
struct Room {
    /// Where each collider that moves is on its way, and how far it goes, m: what it meets needs room to be pushed.
    pushers: Vec<(Aabb, f64)>,
    /// The mean way of all bodies' vertices, m.
    mean: V3<f64>,
}

impl Room {
    fn new(surfaces: &Surfaces, motion: &IntervalMotion) -> Self {
        let of = |body: &KinematicBody| {
            let (mut all, mut most) = (Aabb::EMPTY, 0.0);
            for v in body.vertices.clone() {
                let pad = body.party.radius + body.party.material.thickness;
                all = all.and(Aabb::around(&[motion.from[v], motion.to[v]], pad));
                most = f64::max(most, motion.way(v).norm2());
            }
            (all, most.sqrt())
        };
        let pushers = surfaces.kinematics.bodies.iter().map(of).filter(|d| d.1 > 0.0).collect();
        Room { pushers, mean: motion.mean_way(surfaces.own()) }
    }

    /// Where a vertex is at the start, with half of the distance that is of interest, and where it may end.
    fn boxes(&self, surfaces: &Surfaces, search: &Search, i: usize) -> [Aabb; 2] {
        let Some(party) = surfaces.party(i as u32) else { return [EVERYWHERE; 2] };
        let (from, to) = (search.motion.from[i], search.motion.to[i]);
        let thickness = 0.55 * party.material.thickness;
        let pad = if party.collider {
            party.radius + thickness
        } else {
            let swept = Aabb::around(&[from, to], party.material.thickness);
            let pushed = self.pushers.iter().filter(|d| d.0.overlaps(&swept)).map(|d| d.1).fold(0.0, f64::max);
            let own = STRAY * (search.motion.way(i) - self.mean).norm2().sqrt();
            let own = own.max(SPARE * party.material.thickness);
            // The lesser of a number and none is the number.
            thickness + (own + pushed).min(ROOMIEST * surfaces.source.edge)
        };
        let end = match search.allowed.0.get(i).copied().flatten() {
            Some([lo, hi]) => Aabb::around(&[lo, hi, to], pad),
            None => Aabb::around(&[to], pad),
        };
        [Aabb::around(&[from], party.radius + thickness), end]
    }
}

impl ContactCandidates {
    /// Finds what is near at the start of the interval, or may come near on the straight way to its end. Vertices may
    /// end anywhere in their regions, which are around where they are expected to, and hold what else is allowed.
    pub fn search(&mut self, surfaces: &mut Surfaces, search: Search) {
        let room = Room::new(surfaces, search.motion);
        let count = search.motion.from.len();
        self.amended.clear();
        self.amended.resize(count, false);
        self.starts.clear();
        self.regions.clear();
        for i in 0..count {
            let [start, end] = room.boxes(surfaces, &search, i);
            self.starts.push(start);
            self.regions.push(end);
        }
        self.refit(surfaces, search.motion);
        self.pairs.clear();
        self.round.clear();
        let (bvhs, pairs) = (surfaces.bvhs(), &mut self.pairs);
        let most = MOST_PAIRS * surfaces.all_features();
        let mut all = true;
        surfaces.for_each_two(|i, j| {
            if !(all && search.concerns(surfaces, i, j)) {
                return;
            }
            let start = pairs.counts();
            all = match i == j {
                true => bvhs[i].self_pairs_within(pairs, most),
                false => bvhs[i].pairs_within(bvhs[j], pairs, most),
            };
            search.forget_exempt(surfaces, start, pairs);
            let party = &surfaces.parties[j];
            if party.radius > 0.0 {
                self.round.push((start, party.radius + 0.5 * party.material.thickness));
            }
        });
        (self.crowded, self.still) = (!all, search.still);
    }

    /// Makes pairs and regions serve for ways to other ends than expected: those of `more`, or that leave their
    /// regions.
    pub fn amend(&mut self, surfaces: &mut Surfaces, search: Search, more: &[u32]) {
        more.iter().for_each(|&i| self.amended[i as usize] = true);
        let IntervalMotion { from, to, .. } = search.motion;
        let held = |i: usize| self.starts[i].holds(from[i]) && self.regions[i].holds(to[i]);
        let strays: Vec<usize> = (0..to.len()).filter(|&i| surfaces.meets(i) && !held(i)).collect();
        strays.iter().for_each(|&i| self.amended[i] = true);
        let own = surfaces.own();
        let kinematic = strays.last().is_some_and(|&i| i > own);
        if self.crowded || self.still || kinematic || self.amended.iter().filter(|l| **l).count() * MANY > own {
            self.search(surfaces, search);
        } else if strays.len() + more.len() > 0 {
            self.search_amended(surfaces, search);
        }
    }

    /// Finds the pairs with amended vertices anew. They follow all others.
    fn search_amended(&mut self, surfaces: &mut Surfaces, search: Search) {
        let room = Room::new(surfaces, search.motion);
        // Boxes at the ends of ways tell something if those are ends at the same time.
        if self.fitted_end != search.motion.interval.end {
            self.refit(surfaces, search.motion);
        }
        for i in (0..surfaces.own()).filter(|&i| self.amended[i]) {
            [self.starts[i], self.regions[i]] = room.boxes(surfaces, &search, i);
        }
        // Contacts are made of what a whole search finds; who comes last is not known any more.
        self.round.clear();
        let amended = |nodes: &[u32]| nodes.iter().any(|&i| self.amended[i as usize]);
        self.pairs.retain_from([0, 0], |a, b| !amended(a) && !amended(b));
        let bvhs = surfaces.bvhs();
        let parts: Vec<SurfaceBvh> = bvhs.iter().map(|b| b.part(amended, &self.starts, &self.regions)).collect();
        let (mut found, mut all) = (Pairs::default(), true);
        let most = MOST_PAIRS * surfaces.all_features();
        surfaces.for_each_two(|i, j| {
            // Those of two amended features, then those of one: the other's box in the whole surface is right.
            let start = found.counts();
            if i == j {
                all &= parts[i].pairs_within(bvhs[i], &mut found, most);
            } else {
                all &= parts[i].pairs_within(bvhs[j], &mut found, most);
                all &= bvhs[i].pairs_within(&parts[j], &mut found, most);
            }
            found.retain_from(start, |a, b| amended(a) != amended(b));
            all &= match i == j {
                true => parts[i].self_pairs_within(&mut found, most),
                false => parts[i].pairs_within(&parts[j], &mut found, most),
            };
        });
        self.crowded = !all;
        search.forget_exempt(surfaces, [0, 0], &mut found);
        PairKind::ALL.into_iter().for_each(|kind| self.pairs[kind].nodes.append(&mut found[kind].nodes));
    }

    /// Takes regions at a part (0 to 1) of the way. Pairs stay: what one axis separates at both ends it separates
    /// between them.
    pub fn cut_short(&mut self, surfaces: &Surfaces, part: f64) {
        for i in (0..self.regions.len()).filter(|&i| part < 1.0 && surfaces.meets(i)) {
            self.regions[i] = self.starts[i].towards(&self.regions[i], part);
        }
    }

    /// Completes what is known of how far apart pairs are at the start: those found after contacts were made have no
    /// bounds yet.
    pub fn bound_all(&mut self, from: &[[f64; 3]]) {
        for kind in PairKind::ALL {
            let PairList { nodes, bounds } = &mut self.pairs[kind];
            near_of(kind, from, &nodes[bounds.len()..], 0.0, &mut Vec::new(), bounds);
        }
    }

    /// Gives features the boxes of their vertices.
    fn refit(&mut self, surfaces: &mut Surfaces, motion: &IntervalMotion) {
        surfaces.refit_moving(&self.starts, &self.regions);
        self.fitted_end = motion.interval.end;
    }
}
