//! Planar truncation: the last resort, which always ends.

use super::islands::Islands;
use super::proof::{Judge, Pair};
use super::sieve::{Ask, doubtful};
use super::{Report, Role};
use crate::lanes::V3;

/// How an island's vertices are drawn back.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Mode {
    /// Not at all: nothing fails here.
    Free,
    /// Towards the start, moved by the island's mean displacement: layers that travel together go on travelling.
    Mean,
    /// Towards the start, moved as the fastest of the colliders moves that the island meets: they take along what they push.
    Carried,
    /// Towards the start.
    Still,
    /// All the way to the start.
    Frozen,
}

/// Rounds after which failing islands are frozen at once.
const PATIENCE: usize = 6;
/// Rounds at most.
const MAX_ROUNDS: usize = 40;

/// Draws vertices back until every pair but the impossible ones is proved.
pub(super) fn truncate(judge: &Judge, failed: &[Pair], x: &mut [[f64; 3]], report: &mut Report) {
    let mut work = Work::new(judge, failed, x);
    report.truncated = work.mode.iter().filter(|&&m| m != Mode::Free).count();
    // Every round moves at least one failing island on to its next mode, and what is frozen has nothing left to fail
    // with, so this ends. Long chains of islands that fail one after another are cut short by freezing them.
    for round in 0.. {
        work.place(x);
        let failing = work.judge(x, &mut report.impossible);
        if failing.is_empty() {
            return;
        }
        if round == MAX_ROUNDS {
            // Only what was not finite at the start gets here.
            return report.impossible.extend(failing.iter().map(|p| p.nodes));
        }
        report.unfinished = work.advance(&failing, round >= PATIENCE);
        if !report.unfinished.is_empty() {
            return;
        }
    }
}

struct Work<'a> {
    judge: &'a Judge<'a>,
    islands: Islands,
    /// For each vertex, its island's mode.
    mode: Vec<Mode>,
    /// Where vertices want to go.
    wish: Vec<[f64; 3]>,
    /// Pairs with a vertex in a truncated island, and how far apart they are at the start at least, m.
    pairs: Vec<(Pair, f64)>,
    /// For each vertex (of use at islands' names), the mean displacement, m.
    mean: Vec<V3<f64>>,
    /// Likewise, how the fastest driven vertex moves that the island may meet, m.
    carry: Vec<V3<f64>>,
}

impl<'a> Work<'a> {
    fn new(judge: &'a Judge<'a>, failed: &[Pair], x: &[[f64; 3]]) -> Self {
        let mut islands = Islands::new(x.len());
        let meeting: Vec<Pair> =
            doubtful(judge, x, Ask::Mixed).into_iter().filter(|p| !judge.unreachable(p, x)).collect();
        for pair in &meeting {
            let mut movable = pair.nodes.into_iter().filter(|&i| !judge.driven(i));
            if let Some(first) = movable.next() {
                movable.for_each(|i| islands.join(first, i));
            }
        }
        let mut hit = vec![false; x.len()];
        for pair in failed {
            pair.nodes.iter().filter(|&&i| !judge.driven(i)).for_each(|&i| hit[islands.of(i) as usize] = true);
        }
        let mode: Vec<Mode> = (0..x.len() as u32)
            .map(|i| if hit[islands.of(i) as usize] && !judge.driven(i) { Mode::Mean } else { Mode::Free })
            .collect();
        let pairs = drawn(judge, &mode);
        let mean = means(judge, &mut islands, x);
        let carry = carries(judge, &mut islands, &meeting, x);
        Work { judge, islands, mode, wish: x.to_vec(), pairs, mean, carry }
    }

    /// Where vertex `i` is drawn back to.
    fn base(&mut self, i: u32) -> [f64; 3] {
        let k = i as usize;
        let from = self.judge.motion.from[k];
        match (self.mode[k], self.judge.motion.roles[k]) {
            (Mode::Free, _) | (Mode::Mean | Mode::Carried, Role::Pinned) => self.wish[k],
            (Mode::Mean, _) => (V3::from(from) + self.mean[self.islands.of(i) as usize]).into(),
            (Mode::Carried, _) => {
                // Those in the collider's way have room for it.
                let to = (V3::from(from) + self.carry[self.islands.of(i) as usize]).into();
                if self.judge.motion.regions[k].holds(to) { to } else { from }
            }
            (Mode::Still | Mode::Frozen, _) => from,
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
                Mode::Free => self.wish[i],
                Mode::Frozen => base[i],
                _ if part[i] <= 0.0 => base[i],
                _ if part[i] >= 1.0 => self.wish[i],
                _ => (from + (to - from) * part[i]).into(),
            };
            if self.mode[i] != Mode::Free {
                x[i] = self.judge.within(i, x[i]);
            }
        }
    }

    /// Whether a pair that is `apart` (m) at the start is as far apart where it is drawn back to, and farther than its wishes go from there.
    fn out_of_reach(&self, pair: &Pair, apart: f64, base: &[[f64; 3]]) -> bool {
        let at = |i: u32| V3::from(base[i as usize]);
        let moved = |i: u32| at(i) - V3::from(self.judge.motion.from[i as usize]);
        let (shift, (a, b)) = (moved(pair.nodes[0]), pair.sides());
        let wish = |&i: &u32| (V3::from(self.wish[i as usize]) - at(i)).norm2();
        let most = |side: &[u32]| side.iter().map(wish).fold(0.0, f64::max).sqrt();
        // Small differences of shifts count as wishes, twice over.
        let differ = pair.nodes.iter().map(|&i| (moved(i) - shift).norm2()).fold(0.0, f64::max).sqrt();
        apart > 1.00001 * (most(a) + most(b) + 2.0 * differ + self.judge.settings.clearance)
    }

    /// Shortens the ways of a pair's vertices so that each side keeps to its part of the room between them.
    fn cut(&self, pair: &Pair, base: &[[f64; 3]], part: &mut [f64]) {
        let Some(plane) = self.judge.plane(pair) else {
            // They touch. Nothing of it may move.
            return pair.nodes.iter().for_each(|&i| part[i as usize] = 0.0);
        };
        let level = |x: &[[f64; 3]], i: u32| plane.n.dot(V3::from(x[i as usize]) - plane.origin);
        let (a, b) = pair.sides();
        let low = |x: &[[f64; 3]]| a.iter().map(|&i| level(x, i)).fold(f64::INFINITY, f64::min);
        let high = |x: &[[f64; 3]]| b.iter().map(|&i| level(x, i)).fold(f64::NEG_INFINITY, f64::max);
        let (low_base, high_base) = (low(base), high(base));
        let room = self.judge.settings.share * (low_base - high_base - plane.enough).max(0.0);
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
        side.iter().all(|&i| self.mode[i as usize] == Mode::Free)
    }

    /// Pairs that fail although something can still be done; those that cannot be helped go to `impossible`.
    fn judge(&self, x: &[[f64; 3]], impossible: &mut Vec<[u32; 4]>) -> Vec<Pair> {
        impossible.clear();
        let mut failing = Vec::new();
        let drawn: Vec<usize> = self.mode.iter().map(|&m| usize::from(m != Mode::Free)).collect();
        let doubtful = doubtful(self.judge, x, Ask::EndsOf(&drawn, 1));
        for pair in doubtful.iter().filter(|p| !self.judge.proves(p, x)) {
            let last = pair.nodes.iter().all(|&i| self.judge.driven(i) || self.mode[i as usize] == Mode::Frozen);
            // A collider may come nearer than the clearance, as long as it does not touch.
            let driven = self.judge.with_driven(pair);
            if driven && self.judge.never_within(pair, |i| x[i as usize], self.judge.solid(&pair.nodes)) {
                continue;
            }
            if driven && (last || self.hopeless(pair)) {
                impossible.push(pair.nodes);
            } else {
                failing.push(*pair);
            }
        }
        failing
    }

    /// Whether the driven vertices of a pair run into the others even where those stay at their starts, and the
    /// island has no other base left to try.
    fn hopeless(&self, pair: &Pair) -> bool {
        let waiting = pair.nodes.iter().all(|&i| self.judge.driven(i) || self.mode[i as usize] >= Mode::Still);
        let still = |i: u32| if self.judge.driven(i) { &self.wish } else { self.judge.motion.from }[i as usize];
        waiting && !self.judge.never_within(pair, still, self.judge.solid(&pair.nodes))
    }

    /// Moves the islands of failing pairs on to their next mode. Returns the vertices that cannot go there, because their starts are
    /// not in their regions.
    fn advance(&mut self, failing: &[Pair], freeze: bool) -> Vec<u32> {
        let mut stuck = Vec::new();
        let mut hit = vec![false; self.mode.len()];
        for pair in failing {
            for &i in pair.nodes.iter().filter(|&&i| !self.judge.driven(i)) {
                hit[self.islands.of(i) as usize] = true;
            }
        }
        let still = V3::new(0.0, 0.0, 0.0);
        for i in 0..self.mode.len() {
            let again = freeze && self.mode[i] != Mode::Free;
            if self.judge.driven(i as u32) || !(hit[self.islands.of(i as u32) as usize] || again) {
                continue;
            }
            self.mode[i] = match self.mode[i] {
                _ if freeze => Mode::Frozen,
                Mode::Free => Mode::Mean,
                Mode::Mean if self.carry[self.islands.of(i as u32) as usize] != still => Mode::Carried,
                Mode::Mean | Mode::Carried => Mode::Still,
                _ => Mode::Frozen,
            };
            if self.mode[i] > Mode::Mean && !self.judge.may_stay(i) {
                stuck.push(i as u32);
            }
        }
        self.pairs = drawn(self.judge, &self.mode);
        stuck
    }
}

/// The pairs with a vertex that is drawn back, and how far apart they are at the start at least, m.
fn drawn(judge: &Judge, mode: &[Mode]) -> Vec<(Pair, f64)> {
    let back = |(p, _): &(Pair, f64)| p.nodes.iter().any(|&i| mode[i as usize] != Mode::Free);
    judge.bounded_pairs().filter(back).collect()
}

/// How the fastest driven vertex moves that each island may meet, at its name.
fn carries(judge: &Judge, islands: &mut Islands, meeting: &[Pair], x: &[[f64; 3]]) -> Vec<V3<f64>> {
    let mut carry = vec![V3::new(0.0, 0.0, 0.0); x.len()];
    for pair in meeting {
        for &d in pair.nodes.iter().filter(|&&i| judge.driven(i)) {
            let way = V3::from(x[d as usize]) - V3::from(judge.motion.from[d as usize]);
            for &i in pair.nodes.iter().filter(|&&i| !judge.driven(i)) {
                let island = &mut carry[islands.of(i) as usize];
                if island.norm2() < way.norm2() {
                    *island = way;
                }
            }
        }
    }
    carry
}

/// The mean displacement of each island's free vertices, at its name.
fn means(judge: &Judge, islands: &mut Islands, x: &[[f64; 3]]) -> Vec<V3<f64>> {
    let mut sum = vec![(V3::new(0.0, 0.0, 0.0), 0.0); x.len()];
    for i in 0..x.len() {
        if matches!(judge.motion.roles[i], Role::Free(_)) {
            let s = &mut sum[islands.of(i as u32) as usize];
            *s = (s.0 + (V3::from(x[i]) - V3::from(judge.motion.from[i])), s.1 + 1.0);
        }
    }
    sum.into_iter().map(|(s, n)| if n > 0.0 { s * (1.0 / n) } else { s }).collect()
}
