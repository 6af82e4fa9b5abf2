//! Proofs that a pair stays apart.

use super::{CLOSER, Motion, Role, SafetySettings};
use crate::contact::candidates::{PairKind, PairList};
use crate::contact::ccd::{self, along};
use crate::contact::exact::P;
use crate::lanes::{Real, V3};
use core::cell::Cell;

/// A pair that must stay apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub kind: PairKind,
    pub nodes: [u32; 4],
}

impl Pair {
    /// The vertices of the first feature and of the second.
    pub fn sides(&self) -> (&[u32], &[u32]) {
        self.nodes.split_at(self.kind.split())
    }
}

/// A direction that separates a pair at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingPlane {
    /// Unit vector, from the second feature to the first.
    pub n: V3<f64>,
    /// A point near both, m: levels are measured from here, so that they keep their digits far from the world's origin.
    pub origin: V3<f64>,
    /// The gap that is enough at the end, m.
    pub enough: f64,
    /// What rounding may do to a gap, m.
    pub slack: f64,
}

/// Decides about pairs of one motion.
pub(super) struct SeparationProof<'a> {
    pub motion: &'a Motion<'a>,
    pub settings: &'a SafetySettings,
    /// The first vertex that has a radius: few have one.
    first_round: u32,
    /// Pairs looked at so far, and those looked at closer.
    looked: Cell<u64>,
    closer: Cell<u64>,
}

impl<'a> SeparationProof<'a> {
    pub fn new(motion: &'a Motion<'a>, settings: &'a SafetySettings) -> Self {
        let first_round = motion.radii.iter().position(|&r| r > 0.0).map_or(u32::MAX, |i| i as u32);
        SeparationProof { motion, settings, first_round, looked: Cell::new(0), closer: Cell::new(0) }
    }

    /// Counts pairs that are looked at.
    pub fn look_at(&self, pairs: usize) {
        self.looked.set(self.looked.get() + pairs as u64);
    }

    /// The work so far.
    pub fn work(&self) -> u64 {
        self.looked.get() + CLOSER * self.closer.get()
    }

    /// Whether that is more than there should be.
    pub fn exhausted(&self) -> bool {
        self.work() > self.settings.budget.min(self.settings.most)
    }

    /// Whether that is more than there may be in any case.
    pub fn spent(&self) -> bool {
        self.work() > self.settings.most
    }

    /// The nearest place to `p` in a vertex's region, as it can be stored; its start, if it may stay there, stays as it
    /// is, to the bit, and so does a vertex without a region. Regions are `f32`, so rounding to `f32` leads into them.
    pub fn within(&self, i: usize, p: P) -> P {
        let (from, region) = (self.motion.from[i], &self.motion.regions[i]);
        if region.lo[0] > region.hi[0] || (p == from && region.holds(from)) {
            return from;
        }
        core::array::from_fn(|k| {
            let (c, lo, hi) = (self.settings.rounding.round(p[k]), f64::from(region.lo[k]), f64::from(region.hi[k]));
            if c < lo {
                lo
            } else if c > hi {
                hi
            } else {
                c
            }
        })
    }

    /// Whether a vertex's start is in its region; what has no region stays there anyway.
    pub fn may_stay(&self, i: usize) -> bool {
        let region = &self.motion.regions[i];
        region.lo[0] > region.hi[0] || region.holds(self.motion.from[i])
    }

    /// All pairs, in a fixed order, and how much room is between them at the start at least, m.
    pub fn bounded_pairs(&self) -> impl Iterator<Item = (Pair, f64)> {
        PairKind::ALL.into_iter().flat_map(move |kind| {
            let PairList { nodes, bounds } = &self.motion.pairs[kind];
            let bounds = bounds.iter().copied().chain(core::iter::repeat(0.0));
            let bounded = move |(&nodes, bound)| (Pair { kind, nodes }, f64::from(bound) - self.solid(&nodes));
            nodes.iter().zip(bounds).map(bounded)
        })
    }

    /// How much of the distance between a pair's features is solid, m.
    #[inline(always)]
    pub fn solid(&self, nodes: &[u32; 4]) -> f64 {
        if nodes.iter().all(|&i| i < self.first_round) {
            return 0.0;
        }
        nodes.iter().fold(0.0, |most, &i| f64::max(most, self.motion.radii[i as usize]))
    }

    /// Whether any of its vertices can be moved.
    pub fn alterable(&self, pair: &Pair) -> bool {
        pair.nodes.iter().any(|&i| !self.kinematic(i))
    }

    pub fn kinematic(&self, i: u32) -> bool {
        self.motion.roles[i as usize] == Role::Kinematic
    }

    /// Whether a vertex of the pair is kinematic.
    pub fn with_kinematic(&self, pair: &Pair) -> bool {
        pair.nodes.iter().any(|&i| self.kinematic(i))
    }

    /// How readily a feature gives way: the greatest inverse mass of its free vertices.
    pub fn mobility(&self, side: &[u32]) -> f64 {
        let free = side.iter().map(|&i| match self.motion.roles[i as usize] {
            Role::Free(w) if w > 0.0 => w,
            _ => 0.0,
        });
        free.fold(0.0, f64::max)
    }

    fn at(x: &[P], pair: &Pair) -> [V3<f64>; 4] {
        pair.nodes.map(|i| V3::from(x[i as usize]))
    }

    /// Whether the pair is proved to stay apart, and to end far enough apart, on the straight way to `x`.
    pub fn proves(&self, pair: &Pair, x: &[P]) -> bool {
        let (from, to) = (Self::at(self.motion.from, pair), Self::at(x, pair));
        let split = pair.sides().0.len();
        let solid = self.solid(&pair.nodes);
        self.closer.set(self.closer.get() + 1);
        if from == to
            || (separates(centres(from, split), &from, split, solid)
                && separates(centres(from, split), &to, split, solid + self.settings.clearance))
        {
            return true;
        }
        let Some(plane) = self.plane(pair) else { return false };
        separates(plane.n, &from, split, solid) && separates(plane.n, &to, split, plane.enough)
            || self.never_within(pair, |i| x[i as usize], plane.enough)
    }

    /// Whether the pair stays farther apart than `clearance` (m) while its vertices go straight to `ends`.
    pub fn never_within(&self, pair: &Pair, ends: impl Fn(u32) -> P, clearance: f64) -> bool {
        let paths = pair.nodes.map(|i| [V3::from(self.motion.from[i as usize]), V3::from(ends(i))]);
        ccd::impact(pair.kind, paths, clearance).is_none()
    }

    /// Whether one direction separates the pair wherever on their ways from start to `x` its vertices are, one by one.
    pub fn unreachable(&self, pair: &Pair, x: &[P]) -> bool {
        let (from, to) = (Self::at(self.motion.from, pair), Self::at(x, pair));
        let split = pair.sides().0.len();
        let all = |n, need| {
            let clear = |p, q| separates_mixed(n, p, q, split, need);
            clear(&from, &from) && clear(&from, &to) && clear(&to, &from) && clear(&to, &to)
        };
        all(centres(from, split), self.solid(&pair.nodes) + self.settings.clearance)
            || self.plane(pair).is_some_and(|plane| all(plane.n, plane.enough))
    }

    /// A direction that separates the pair at the start; none if they touch, or nearly.
    pub fn plane(&self, pair: &Pair) -> Option<SeparatingPlane> {
        let p = Self::at(self.motion.from, pair);
        let split = pair.sides().0.len();
        let across = match pair.kind {
            PairKind::VertexTriangle => (p[2] - p[1]).cross(p[3] - p[1]),
            PairKind::EdgeEdge => (p[1] - p[0]).cross(p[3] - p[2]),
        };
        let solid = self.solid(&pair.nodes);
        let n = [pair.kind.closest(p).delta, across, -across]
            .into_iter()
            .map(unit)
            .find(|&n| separates(n, &p, split, solid))?;
        let level = |i: usize| n.dot(p[i] - p[3]);
        let low = (0..split).map(level).fold(f64::INFINITY, f64::min);
        let gap = low - (split..4).map(level).fold(f64::NEG_INFINITY, f64::max) - solid;
        let size = pair.nodes.iter().flat_map(|&i| self.motion.from[i as usize]).fold(0.0, |m: f64, c| m.max(c.abs()));
        // Sixteen roundings of the greatest coordinate: a few of a moved vertex, a few of levels.
        let slack = 16.0 * self.settings.rounding.unit() * size;
        // Below four slacks nothing can be given away: only what does not move stays as it is.
        let enough = if gap > 4.0 * slack { self.settings.clearance.min(gap - slack) } else { gap };
        Some(SeparatingPlane { n, origin: p[3], enough: solid + enough, slack })
    }
}

/// The line between the two features' centres: a direction that proves most pairs apart, and costs least.
#[inline(always)]
pub(super) fn centres<R: Real>(p: [V3<R>; 4], split: usize) -> V3<R> {
    let (a, b, c) = (p[0] - p[3], p[1] - p[3], p[2] - p[3]);
    if split == 1 { a * p[0].x.lit(3.0) - b - c } else { a + b - c }
}

fn unit(v: V3<f64>) -> V3<f64> {
    // By the greatest component first: squares of tiny ones vanish.
    let most = v.x.abs().max(v.y.abs()).max(v.z.abs());
    let v = v * (1.0 / most);
    v * (1.0 / v.norm2().sqrt())
}

/// Whether direction `n` separates the first `split` points from the others by more than `need` ≥ 0 (m), for certain.
fn separates(n: V3<f64>, p: &[V3<f64>; 4], split: usize, need: f64) -> bool {
    separates_mixed(n, p, p, split, need)
}

/// The same for the first feature where `p` has it and the second where `q` has it.
fn separates_mixed(n: V3<f64>, p: &[V3<f64>; 4], q: &[V3<f64>; 4], split: usize, need: f64) -> bool {
    let need = along(n, need);
    (0..split).all(|i| (split..4).all(|j| ccd::at_least(n, p[i] - q[j], need) > 0.0))
}
