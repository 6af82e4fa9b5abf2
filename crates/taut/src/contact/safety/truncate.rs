//! Planar truncation: the last resort, which always ends.

use super::carry::{Carry, carries};
use super::filter::{Ask, RelativeMotion, doubtful};
use super::proof::{Pair, SeparationProof};
use super::{Role, SafetyReport};
use crate::lanes::V3;
use crate::sets::DisjointSets;

/// How an island's vertices are drawn back.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum DrawBack {
    /// Not at all: nothing fails here.
    Free,
    /// Towards the start, moved by the island's mean displacement: layers that travel together go on travelling.
    Mean,
    /// Towards the start, moved as the fastest of the colliders moves that the island meets: they take along what they
    /// push.
    Carried,
    /// All the way there.
    Taken,
    /// Towards the start, moved as all is.
    Still,
    /// All the way there.
    Frozen,
}

/// Rounds after which failing islands are taken along at once by what moves them, or frozen if nothing does; and those
/// after which all are frozen.
const PATIENCE: usize = 6;
const NO_PATIENCE: usize = 12;
/// Rounds at most.
const MAX_ROUNDS: usize = 40;

/// Draws vertices back until every pair but the impossible ones is proved.
pub(super) fn truncate(proof: &SeparationProof, failed: &[Pair], x: &mut [[f64; 3]], report: &mut SafetyReport) {
    let mut truncation = Truncation::new(proof, failed, x);
    report.truncated = truncation.mode.iter().filter(|&&m| m != DrawBack::Free).count();
    // Every round joins islands that fail with each other, or moves one on to its next mode, and what is frozen has
    // nothing left to fail with, so this ends. Long chains of islands that fail one after another are cut short by
    // freezing them.
    for round in 0.. {
        truncation.place(x);
        let failing = truncation.failing(x, &mut report.impossible);
        if failing.is_empty() {
            return;
        }
        report.exhausted = proof.exhausted();
        if report.exhausted {
            return;
        }
        if round == MAX_ROUNDS {
            // Only what was not finite at the start gets here.
            return report.impossible.extend(failing.iter().map(|p| p.nodes));
        }
        report.unfinished = truncation.advance(&failing, round);
        if !report.unfinished.is_empty() {
            return;
        }
    }
}

struct Truncation<'a> {
    proof: &'a SeparationProof<'a>,
    islands: DisjointSets,
    /// For each vertex, its island's mode.
    mode: Vec<DrawBack>,
    /// Where vertices want to go.
    wish: Vec<[f64; 3]>,
    /// Pairs with a vertex in a truncated island, and how far apart they are at the start at least, m.
    pairs: Vec<(Pair, f64)>,
    /// For each vertex (of use at islands' names), the sum of displacements, m, and of how many.
    sum: Vec<(V3<f64>, f64)>,
    /// Likewise, how colliders take the island along.
    carry: Vec<Carry>,
}

impl<'a> Truncation<'a> {
    fn new(proof: &'a SeparationProof<'a>, failed: &[Pair], x: &[[f64; 3]]) -> Self {
        let mut islands = DisjointSets::new(x.len());
        let near: Vec<Pair> = doubtful(proof, x, Ask::Mixed).into_iter().filter(|p| !proof.unreachable(p, x)).collect();
        for pair in &near {
            let mut movable = pair.nodes.into_iter().filter(|&i| !proof.kinematic(i));
            if let Some(first) = movable.next() {
                movable.for_each(|i| islands.join(first, i));
            }
        }
        let mut hit = vec![false; x.len()];
        for pair in failed {
            pair.nodes.iter().filter(|&&i| !proof.kinematic(i)).for_each(|&i| hit[islands.of(i) as usize] = true);
        }
        let mode: Vec<DrawBack> = (0..x.len() as u32)
            .map(|i| if hit[islands.of(i) as usize] && !proof.kinematic(i) { DrawBack::Mean } else { DrawBack::Free })
            .collect();
        let pairs = drawn(proof, &mode);
        let sum = sums(proof, &mut islands, x);
        let carry = carries(proof, &mut islands, &near, x);
        Truncation { proof, islands, mode, wish: x.to_vec(), pairs, sum, carry }
    }

    /// Where vertex `i` is drawn back to.
    fn base(&mut self, i: u32) -> [f64; 3] {
        let k = i as usize;
        let from = self.proof.motion.from[k];
        match (self.mode[k], self.proof.motion.roles[k]) {
            (DrawBack::Free, _) | (DrawBack::Mean | DrawBack::Carried | DrawBack::Taken, Role::Pinned) => self.wish[k],
            (DrawBack::Mean, _) => {
                let (sum, count) = self.sum[self.islands.of(i) as usize];
                (V3::from(from) + sum * (1.0 / f64::max(count, 1.0))).into()
            }
            (DrawBack::Carried | DrawBack::Taken, _) => self.carry[self.islands.of(i) as usize].place(from),
            (DrawBack::Still | DrawBack::Frozen, _) => (V3::from(from) + V3::from(self.proof.motion.drift)).into(),
        }
    }

    /// Puts all vertices of truncated islands where their planes let them go.
    fn place(&mut self, x: &mut [[f64; 3]]) {
        let base: Vec<[f64; 3]> = (0..x.len() as u32).map(|i| self.base(i)).collect();
        let mut part = vec![1.0; x.len()];
        for (pair, apart) in &self.pairs {
            if !self.out_of_reach(pair, *apart, &base) {
                self.cut(pair, &base, &mut part);
            }
        }
        for i in 0..x.len() {
            let (from, to) = (V3::from(base[i]), V3::from(self.wish[i]));
            x[i] = match self.mode[i] {
                DrawBack::Free => self.wish[i],
                DrawBack::Taken | DrawBack::Frozen => base[i],
                _ if part[i] <= 0.0 => base[i],
                _ if part[i] >= 1.0 => self.wish[i],
                _ => (from + (to - from) * part[i]).into(),
            };
            if self.mode[i] != DrawBack::Free {
                x[i] = self.proof.within(i, x[i]);
            }
        }
    }

    /// Whether a pair that is `apart` (m) at the start is as far apart where it is drawn back to, and farther than its
    /// wishes go from there.
    fn out_of_reach(&self, pair: &Pair, apart: f64, base: &[[f64; 3]]) -> bool {
        let at = |i: u32| V3::from(base[i as usize]);
        let moved = |i: u32| at(i) - V3::from(self.proof.motion.from[i as usize]);
        let (shift, (a, b)) = (moved(pair.nodes[0]), pair.sides());
        let wish = |&i: &u32| (V3::from(self.wish[i as usize]) - at(i)).norm2();
        let most = |side: &[u32]| side.iter().map(wish).fold(0.0, f64::max).sqrt();
        // Small differences of shifts count as wishes, twice over.
        let differ = pair.nodes.iter().map(|&i| (moved(i) - shift).norm2()).fold(0.0, f64::max).sqrt();
        apart > 1.00001 * (most(a) + most(b) + 2.0 * differ + self.proof.settings.clearance)
    }

    /// Shortens the ways of a pair's vertices so that each side keeps to its part of the room between them.
    fn cut(&self, pair: &Pair, base: &[[f64; 3]], part: &mut [f64]) {
        let Some(plane) = self.proof.plane(pair) else {
            // They touch. Nothing of it may move.
            return pair.nodes.iter().for_each(|&i| part[i as usize] = 0.0);
        };
        let level = |x: &[[f64; 3]], i: u32| plane.n.dot(V3::from(x[i as usize]) - plane.origin);
        let (a, b) = pair.sides();
        let low = |x: &[[f64; 3]]| a.iter().map(|&i| level(x, i)).fold(f64::INFINITY, f64::min);
        let high = |x: &[[f64; 3]]| b.iter().map(|&i| level(x, i)).fold(f64::NEG_INFINITY, f64::max);
        let (low_base, high_base) = (low(base), high(base));
        let room = self.proof.settings.room * (low_base - high_base - plane.enough).max(0.0);
        let down = (low_base - low(&self.wish)).max(0.0);
        let up = (high(&self.wish) - high_base).max(0.0);
        if down + up <= room {
            return;
        }
        let lambda = match (self.fixed(a), self.fixed(b)) {
            (true, false) => 0.0,
            (false, true) => 1.0,
            _ => (down / (down + up)).clamp(0.05, 0.95),
        };
        for (side, to, sign) in [(a, low_base - lambda * room, 1.0), (b, high_base + (1.0 - lambda) * room, -1.0)] {
            for &i in side {
                let (start, end) = (level(base, i), level(&self.wish, i));
                if (to - end) * sign > 0.0 {
                    let t = ((start - to) / (start - end)).max(0.0);
                    part[i as usize] = part[i as usize].min(t);
                }
            }
        }
    }

    /// Whether none of a feature's vertices is being truncated.
    fn fixed(&self, side: &[u32]) -> bool {
        side.iter().all(|&i| self.mode[i as usize] == DrawBack::Free)
    }

    /// Pairs that fail although something can still be done; those that cannot be helped go to `impossible`.
    fn failing(&self, x: &[[f64; 3]], impossible: &mut Vec<[u32; 4]>) -> Vec<Pair> {
        impossible.clear();
        let mut failing = Vec::new();
        let drawn: Vec<u16> = self.mode.iter().map(|&m| u16::from(m != DrawBack::Free)).collect();
        let doubtful = doubtful(self.proof, x, Ask::EndsOf(&drawn, 1, &RelativeMotion::default().to(self.proof, x)));
        for pair in doubtful.iter().filter(|p| !self.proof.proves(p, x)) {
            let last = pair.nodes.iter().all(|&i| self.proof.kinematic(i) || self.mode[i as usize] == DrawBack::Frozen);
            // A collider may come nearer than the clearance, as long as it does not touch.
            let kinematic = self.proof.with_kinematic(pair);
            if kinematic && self.proof.never_within(pair, |i| x[i as usize], self.proof.solid(&pair.nodes)) {
                continue;
            }
            if kinematic && (last || self.hopeless(pair)) {
                impossible.push(pair.nodes);
            } else {
                failing.push(*pair);
            }
        }
        failing
    }

    /// Whether the kinematic vertices of a pair run into the others even where those stay at their starts, and the
    /// island has no other base left to try.
    fn hopeless(&self, pair: &Pair) -> bool {
        let waiting = pair.nodes.iter().all(|&i| self.proof.kinematic(i) || self.mode[i as usize] >= DrawBack::Still);
        let still = |i: u32| if self.proof.kinematic(i) { &self.wish } else { self.proof.motion.from }[i as usize];
        waiting && !self.proof.never_within(pair, still, self.proof.solid(&pair.nodes))
    }

    /// Joins islands that fail with each other, which have to be drawn back alike, and moves those that fail in
    /// themselves on to their next mode. Returns the vertices that cannot be drawn back to where that is, because it is
    /// not in their regions.
    fn advance(&mut self, failing: &[Pair], round: usize) -> Vec<(u32, [f64; 3])> {
        let (all, moves) = (self.mode.len() as u32, self.carry.iter().any(|c| c.speed > 0.0));
        let freeze = round >= if moves { NO_PATIENCE } else { PATIENCE };
        let before: Vec<u32> = (0..all).map(|i| self.islands.of(i)).collect();
        let mut hit = vec![false; self.mode.len()];
        for pair in failing {
            let mut movable = pair.nodes.into_iter().filter(|&i| !self.proof.kinematic(i));
            let Some(first) = movable.next() else { continue };
            movable.for_each(|i| self.join(first, i));
            hit[first as usize] = true;
        }
        // For each island that fails, at its name, its parts' modes, the least and the most, and whether it has grown.
        let mut parts: Vec<Option<(DrawBack, DrawBack, bool)>> = vec![None; self.mode.len()];
        (0..all).filter(|&i| hit[i as usize]).for_each(|i| {
            parts[self.islands.of(i) as usize].get_or_insert((DrawBack::Frozen, DrawBack::Free, false));
        });
        for i in 0..all {
            let name = self.islands.of(i);
            if let Some((least, most, grown)) = &mut parts[name as usize] {
                let mode = self.mode[i as usize];
                (*least, *most) = (if mode < *least { mode } else { *least }, if mode > *most { mode } else { *most });
                *grown |= before[i as usize] != name;
            }
        }
        for i in (0..all).filter(|&i| !self.proof.kinematic(i)) {
            let name = self.islands.of(i) as usize;
            let mode = &mut self.mode[i as usize];
            *mode = match parts[name] {
                _ if freeze && (parts[name].is_some() || *mode != DrawBack::Free) => DrawBack::Frozen,
                Some((least, most, grown)) => following(least, most, grown, self.carry[name].speed > 0.0, round),
                None => *mode,
            };
        }
        self.pairs = drawn(self.proof, &self.mode);
        (0..all).filter_map(|i| self.misplaced(i)).collect()
    }

    /// A vertex that has no room where its island is drawn back to, and where that is.
    fn misplaced(&mut self, i: u32) -> Option<(u32, [f64; 3])> {
        let k = i as usize;
        let region = &self.proof.motion.regions[k];
        if self.mode[k] <= DrawBack::Mean || region.lo[0] > region.hi[0] {
            return None;
        }
        let base = self.base(i).map(|c| self.proof.settings.rounding.round(c));
        let led = self.mode[k] < DrawBack::Still && self.proof.motion.roles[k] == Role::Pinned;
        (!led && base.iter().all(|c| c.is_finite()) && !region.holds(base)).then_some((i, base))
    }

    /// Makes one island of two: it goes with the faster collider.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.islands.of(a) as usize, self.islands.of(b) as usize);
        if a != b {
            let sum = (self.sum[a].0 + self.sum[b].0, self.sum[a].1 + self.sum[b].1);
            let carry = if self.carry[b].speed > self.carry[a].speed { self.carry[b] } else { self.carry[a] };
            self.islands.join(a as u32, b as u32);
            (self.sum[a.min(b)], self.carry[a.min(b)]) = (sum, carry);
        }
    }
}

/// The next mode of an island that fails, of whose parts the least and the most drawn back are in these. What has
/// `grown` tries the same again, and may be `carried` together though its parts could not be.
fn following(least: DrawBack, most: DrawBack, grown: bool, carried: bool, round: usize) -> DrawBack {
    match most {
        DrawBack::Free => DrawBack::Mean,
        DrawBack::Mean | DrawBack::Carried if carried && round >= PATIENCE => DrawBack::Taken,
        DrawBack::Still | DrawBack::Frozen if grown && carried && least < DrawBack::Still => DrawBack::Taken,
        same if grown && (carried || same == DrawBack::Mean) => same,
        DrawBack::Mean if carried => DrawBack::Carried,
        DrawBack::Carried => DrawBack::Taken,
        DrawBack::Mean | DrawBack::Taken => DrawBack::Still,
        DrawBack::Still | DrawBack::Frozen => DrawBack::Frozen,
    }
}

/// The pairs with a vertex that is drawn back, and how far apart they are at the start at least, m.
fn drawn(proof: &SeparationProof, mode: &[DrawBack]) -> Vec<(Pair, f64)> {
    let back = |(p, _): &(Pair, f64)| p.nodes.iter().any(|&i| mode[i as usize] != DrawBack::Free);
    proof.bounded_pairs().filter(back).collect()
}

/// The sum of displacements of each island's free vertices, and how many, at its name.
fn sums(proof: &SeparationProof, islands: &mut DisjointSets, x: &[[f64; 3]]) -> Vec<(V3<f64>, f64)> {
    let mut sum = vec![(V3::new(0.0, 0.0, 0.0), 0.0); x.len()];
    for i in 0..x.len() {
        if matches!(proof.motion.roles[i], Role::Free(_)) {
            let s = &mut sum[islands.of(i as u32) as usize];
            *s = (s.0 + (V3::from(x[i]) - V3::from(proof.motion.from[i])), s.1 + 1.0);
        }
    }
    sum
}
