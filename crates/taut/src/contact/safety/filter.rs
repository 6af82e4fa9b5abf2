//! Cheap proofs for all pairs at once, lane-wide: what is left needs a closer look.

use super::Role;
use super::proof::{Pair, SeparationProof, centres};
use crate::contact::candidates::{MOST, PairKind, PairList, gather};
use crate::contact::ccd::{along, at_least};
use crate::lanes::Level;
use crate::lanes::{Kernel, Lanes, Scalar, V3, Width};

/// Which pairs to filter, and for what.
#[derive(Clone, Copy)]
pub(super) enum Ask<'a> {
    /// All: are they apart at the start and at the end?
    Ends(&'a RelativeMotion),
    /// The same, for those that have a vertex marked with the number.
    EndsOf(&'a [u16], u16, &'a RelativeMotion),
    /// All: are they apart with each vertex at either end of its way?
    Mixed,
}

/// How vertices go, but for a motion that all share. Cloth mostly moves along with what is near it, so most pairs need
/// no other proof.
#[derive(Default)]
pub(super) struct RelativeMotion {
    /// m; the fourth number is idle.
    ways: Vec<[f32; 4]>,
    /// How much farther apart than two features go against each other they must be at the start, m: what pairs must
    /// keep between them, and more than all roundings.
    keep: f64,
}

impl RelativeMotion {
    /// The motion to `x` (m), in the memory of another.
    pub fn to(self, proof: &SeparationProof, x: &[[f64; 3]]) -> Self {
        let from = proof.motion.from;
        let way = |i: usize| V3::from(x[i]) - V3::from(from[i]);
        let free = |i: &usize| matches!(proof.motion.roles[*i], Role::Free(_));
        let (mut sum, mut count, mut size) = (V3::new(0.0, 0.0, 0.0), 0.0, 0.0_f64);
        for i in 0..x.len() {
            if free(&i) {
                (sum, count) = (sum + way(i), count + 1.0);
            }
            size = x[i].iter().chain(&from[i]).fold(size, |m, c| m.max(c.abs()));
        }
        let shared = sum * (1.0 / f64::max(count, 1.0));
        let mut most = 0.0_f64;
        let mut relative = |i: usize| {
            let w = way(i) - shared;
            most = most.max(w.x.abs()).max(w.y.abs()).max(w.z.abs());
            [w.x as f32, w.y as f32, w.z as f32, 0.0]
        };
        let mut ways = self.ways;
        ways.clear();
        ways.extend((0..x.len()).map(&mut relative));
        // Ways are off by 2⁻²⁴ of the greatest at most, bounds and shared motion by far less.
        RelativeMotion { ways, keep: proof.settings.clearance + 1e-8 * size + 1e-6 * most }
    }

    /// How far vertices of the two features go against each other at most, squared, m²; not a number if one of them is
    /// none.
    #[inline(always)]
    fn against(&self, nodes: &[u32; 4], split: usize) -> f32 {
        let w = nodes.map(|i| self.ways[i as usize]);
        let apart = |i: usize, j: usize| {
            let d: [f32; 3] = core::array::from_fn(|k| w[i][k] - w[j][k]);
            d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        };
        let more = |most: f32, d: f32| if d <= most { most } else { d };
        let (own, other) = if split == 1 { (apart(0, 1), 0.0) } else { (apart(1, 2), apart(1, 3)) };
        let all = [apart(0, 2), apart(0, 3), own, other];
        let sum: f32 = all.iter().sum();
        // Comparisons lose what is no number, products keep it.
        all.into_iter().fold(0.0, more) + 0.0 * sum
    }
}

/// The pairs, in order, that neither the line between their centres nor the one between their closest points at the
/// start proves apart, by the clearance in the end.
pub(super) fn doubtful(proof: &SeparationProof, x: &[[f64; 3]], ask: Ask) -> Vec<Pair> {
    let mut left = Vec::new();
    for kind in PairKind::ALL {
        let (split, pairs) = (kind.split(), &proof.motion.pairs[kind]);
        proof.look_at(pairs.nodes.len());
        f64::run(
            Width::default(),
            Level::new(),
            ConservativeFilter { proof, x, ask, kind, split, pairs, left: &mut left },
        );
    }
    left
}

struct ConservativeFilter<'a> {
    proof: &'a SeparationProof<'a>,
    x: &'a [[f64; 3]],
    ask: Ask<'a>,
    kind: PairKind,
    split: usize,
    pairs: &'a PairList,
    left: &'a mut Vec<Pair>,
}

/// Pairs in one go: few enough to stay in the fastest cache.
const PART: usize = 512;

impl Kernel<f64> for ConservativeFilter<'_> {
    #[inline(always)]
    fn run<L: Lanes<f64>>(self, token: L::Token) {
        let (mut asked, mut kept) = ([[0; 4]; PART], [[0; 4]; PART]);
        for (lot, part) in self.pairs.nodes.chunks(PART).enumerate() {
            let count = self.choose(lot * PART, part, &mut asked);
            let count = self.sift::<L>(token, &asked[..count], false, &mut kept);
            let count = self.sift::<L>(token, &kept[..count], true, &mut asked);
            for &nodes in &asked[..count] {
                self.left.push(Pair { kind: self.kind, nodes });
            }
        }
    }
}

impl ConservativeFilter<'_> {
    /// The pairs that are asked for, of those that follow the `first`; returns how many.
    #[inline(always)]
    fn choose(&self, first: usize, part: &[[u32; 4]], asked: &mut [[u32; 4]; PART]) -> usize {
        let bounds = &self.pairs.bounds;
        let mut count = 0;
        for (i, nodes) in part.iter().enumerate() {
            asked[count] = *nodes;
            count += usize::from(match self.ask {
                Ask::EndsOf(marks, mark, ways) => {
                    nodes.iter().any(|&i| marks[i as usize] == mark)
                        && self.may_meet(ways, bounds.get(first + i), nodes)
                }
                Ask::Ends(ways) => self.may_meet(ways, bounds.get(first + i), nodes),
                Ask::Mixed => true,
            });
        }
        count
    }

    /// Whether two features, `apart` (m) or more at the start, may go that far against each other.
    #[inline(always)]
    fn may_meet(&self, ways: &RelativeMotion, apart: Option<&f32>, nodes: &[u32; 4]) -> bool {
        // What is a thousandth of a thousandth less holds in spite of rounding to `f32`.
        let room = apart.map_or(0.0, |&a| 0.999999 * f64::from(a) - ways.keep - self.proof.solid(nodes));
        // Not the other way round: what is no number is asked.
        !(room > 0.0 && f64::from(ways.against(nodes, self.split)) < 0.9999 * room * room)
    }

    /// Passes on the pairs that one direction does not prove apart; returns how many.
    #[inline(always)]
    fn sift<L: Lanes<f64>>(
        &self,
        token: L::Token,
        pairs: &[[u32; 4]],
        closest: bool,
        kept: &mut [[u32; 4]; PART],
    ) -> usize {
        let mut count = 0;
        for lot in pairs.chunks(L::N) {
            let from = gather::<L>(token, self.proof.motion.from, lot);
            let to = gather::<L>(token, self.x, lot);
            let n = if closest { self.kind.closest(from).delta } else { centres(from, self.split) };
            let mut solid = [0.0; MOST];
            if !self.proof.motion.radii.is_empty() {
                for (lane, nodes) in lot.iter().enumerate() {
                    solid[lane] = self.proof.solid(nodes);
                }
            }
            let proved = self.proved(n, &from, &to, L::load(token, &solid));
            for (lane, nodes) in lot.iter().enumerate() {
                kept[count] = *nodes;
                count += (proved >> lane & 1 ^ 1) as usize;
            }
        }
        count
    }

    /// One bit for each lane in which `n` proves what is asked.
    #[inline(always)]
    fn proved<L: Lanes<f64>>(&self, n: V3<L>, from: &[V3<L>; 4], to: &[V3<L>; 4], solid: L) -> u32 {
        let need = along(n, solid + n.x.lit(self.proof.settings.clearance));
        let ends = apart(n, to, to, self.split, need);
        match self.ask {
            Ask::Mixed => {
                let start = apart(n, from, from, self.split, need);
                ends & start & apart(n, from, to, self.split, need) & apart(n, to, from, self.split, need)
            }
            _ => ends & apart(n, from, from, self.split, along(n, solid)),
        }
    }
}

/// One bit for each lane in which `n` separates `p`'s first feature from `q`'s second.
#[inline(always)]
fn apart<L: Lanes<f64>>(n: V3<L>, p: &[V3<L>; 4], q: &[V3<L>; 4], split: usize, need: L) -> u32 {
    let mut proved = u32::MAX;
    for i in 0..split {
        for j in split..4 {
            proved &= L::bits(n.x.lit(0.0).lt(at_least(n, p[i] - q[j], need)));
        }
    }
    proved
}
