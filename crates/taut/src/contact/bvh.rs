//! The broad phase, a bounding volume hierarchy: which boxes overlap.
//!
//! A [`BoxTree`] is a hierarchy of axis-aligned boxes without pointers: leaves of eight boxes, above them groups of
//! eight, component by component, so that one box is compared with eight at once. It is built once, by halving along
//! the longest side, and refitted in one sweep when things move. Boxes are `f32`, rounded outwards: half the
//! memory traffic, and never a pair missed.
//!
//! Things that move have two boxes, of where they are at the start and at the end. Two of them overlap unless one axis
//! separates them on one side both times: then it does so all the way, their motion being straight. Things that move
//! along together, however fast, are thus told apart as if they stood still.
//!
//! Pairs come in an order that depends on the boxes and on those the tree was built from, and on nothing else. Build it
//! from the rest shape, and the order is a function of model and state.

use crate::lanes::Level;
use crate::lanes::{Kernel, Lanes, Scalar, Width};
use core::cell::Cell;

/// A box with sides along the axes, m. Empty if `lo` exceeds `hi` anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Its lowest corner.
    pub lo: [f32; 3],
    /// Its highest corner.
    pub hi: [f32; 3],
}

impl Aabb {
    /// The box that overlaps nothing.
    pub const EMPTY: Aabb = Aabb { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    /// The least box in `f32` that holds all points and `pad` ≥ 0 (m) around them. Empty if a number is not finite:
    /// what is nowhere meets nothing.
    pub fn around(points: &[[f64; 3]], pad: f64) -> Self {
        let mut b = Aabb::EMPTY;
        for p in points {
            for k in 0..3 {
                if !p[k].is_finite() || !pad.is_finite() {
                    return Aabb::EMPTY;
                }
                b.lo[k] = b.lo[k].min(down(p[k] - pad));
                b.hi[k] = b.hi[k].max(-down(-p[k] - pad));
            }
        }
        b
    }

    /// The least box that holds both.
    #[inline(always)]
    pub fn and(self, other: Aabb) -> Self {
        let mut b = self;
        for k in 0..3 {
            b.lo[k] = if other.lo[k] < b.lo[k] { other.lo[k] } else { b.lo[k] };
            b.hi[k] = if b.hi[k] < other.hi[k] { other.hi[k] } else { b.hi[k] };
        }
        b
    }

    /// What is in this box at the start and in `to` at the end, and moves straight, is in here at part `t` (0 to 1) of
    /// its way. Rounded inwards: what is in here could have come from one and go to the other.
    pub(crate) fn towards(&self, to: &Aabb, t: f64) -> Self {
        let mix = |a: f32, b: f32| f64::from(a) + (f64::from(b) - f64::from(a)) * t;
        Aabb {
            lo: core::array::from_fn(|k| -down(-mix(self.lo[k], to.lo[k]))),
            hi: core::array::from_fn(|k| down(mix(self.hi[k], to.hi[k]))),
        }
    }

    /// Whether the boxes have a point in common.
    pub fn overlaps(&self, other: &Aabb) -> bool {
        (0..3).all(|k| self.lo[k] <= other.hi[k] && other.lo[k] <= self.hi[k])
    }

    /// Whether the point lies in the box.
    pub fn holds(&self, p: [f64; 3]) -> bool {
        (0..3).all(|k| f64::from(self.lo[k]) <= p[k] && p[k] <= f64::from(self.hi[k]))
    }
}

/// The greatest finite `f32` not above `v`, or the least there is: what is beyond all `f32` stays together there.
fn down(v: f64) -> f32 {
    let f = v as f32;
    let f = if f64::from(f) > v { f.next_down() } else { f };
    f.max(f32::MIN)
}

/// Boxes in a leaf, and children of a group: the lanes of one comparison on AVX2.
const WIDE: usize = 8;
/// Levels at most: 8^11 leaves of 8 exceed any u32.
const LEVELS: usize = 11;

/// Eight boxes, component by component.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Boxes {
    lo: [[f32; WIDE]; 3],
    hi: [[f32; WIDE]; 3],
}

impl Boxes {
    const EMPTY: Self = Boxes { lo: [[f32::INFINITY; WIDE]; 3], hi: [[f32::NEG_INFINITY; WIDE]; 3] };

    /// Boxes are held to finite numbers, so that none, however great, overlaps an empty one.
    fn set(&mut self, i: usize, b: Aabb) {
        let real = b.lo[0] <= b.hi[0] && b.lo[1] <= b.hi[1] && b.lo[2] <= b.hi[2];
        let b = if real { b } else { Aabb::EMPTY };
        for k in 0..3 {
            self.lo[k][i] = if b.lo[k] < f32::MIN { f32::MIN } else { b.lo[k] };
            self.hi[k][i] = if b.hi[k] > f32::MAX { f32::MAX } else { b.hi[k] };
        }
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Aabb {
        Aabb { lo: [self.lo[0][i], self.lo[1][i], self.lo[2][i]], hi: [self.hi[0][i], self.hi[1][i], self.hi[2][i]] }
    }

    /// The box around all.
    fn all(&self) -> Aabb {
        (1..WIDE).fold(self.get(0), |b, i| b.and(self.get(i)))
    }
}

/// Eight moving boxes: where they are at the start, and at the end.
#[derive(Clone, Copy, Debug)]
struct Moving {
    ends: [Boxes; 2],
}

impl Moving {
    const EMPTY: Self = Moving { ends: [Boxes::EMPTY; 2] };

    fn set(&mut self, i: usize, boxes: [Aabb; 2]) {
        let real = boxes.iter().all(|b| (0..3).all(|k| b.lo[k] <= b.hi[k]));
        for (end, b) in self.ends.iter_mut().zip(boxes) {
            end.set(i, if real { b } else { Aabb::EMPTY });
        }
    }

    #[inline(always)]
    fn get(&self, i: usize) -> [Aabb; 2] {
        [self.ends[0].get(i), self.ends[1].get(i)]
    }

    fn all(&self) -> [Aabb; 2] {
        [self.ends[0].all(), self.ends[1].all()]
    }

    /// One bit for each box that may overlap `b` on the way.
    #[inline(always)]
    fn overlaps<L: Lanes<f32>>(&self, token: L::Token, b: &[Aabb; 2]) -> u32 {
        let mut apart = 0;
        for i in (0..WIDE).step_by(L::N) {
            let along = |k: usize| {
                let side = |end: usize| {
                    let (ours, b) = (&self.ends[end], &b[end]);
                    let (lo, hi) = (L::load(token, &ours.lo[k][i..]), L::load(token, &ours.hi[k][i..]));
                    (lo.lit(f64::from(b.hi[k])).lt(lo), hi.lt(hi.lit(f64::from(b.lo[k]))))
                };
                let (start, end) = (side(0), side(1));
                (start.0 & end.0) | (start.1 & end.1)
            };
            apart |= L::bits(along(0) | along(1) | along(2)) << i;
        }
        !apart & ((1 << WIDE) - 1)
    }
}

/// A hierarchy of boxes of the things 0 to n − 1.
#[derive(Clone, Debug)]
pub struct BoxTree {
    /// The thing in each slot of each leaf; the last leaf may have slots to spare, whose boxes are empty.
    items: Vec<u32>,
    leaves: Vec<Moving>,
    /// `groups[0]` has the boxes of eight leaves each, `groups[1]` those of eight groups each, up to a single group.
    groups: Vec<Vec<Moving>>,
}

impl BoxTree {
    /// A hierarchy of `count` things with the given boxes.
    pub fn new(count: usize, boxes: impl Fn(u32) -> Aabb) -> Self {
        let centre = |b: Aabb| core::array::from_fn(|k| middle(b.lo[k], b.hi[k]));
        let mut items: Vec<(u32, [f32; 3])> = (0..count as u32).map(|i| (i, centre(boxes(i)))).collect();
        arrange(&mut items);
        let leaves = vec![Moving::EMPTY; count.div_ceil(WIDE).max(1)];
        let mut groups = vec![vec![Moving::EMPTY; leaves.len().div_ceil(WIDE)]];
        while let Some(last) = groups.last().filter(|g| g.len() > 1) {
            groups.push(vec![Moving::EMPTY; last.len().div_ceil(WIDE)]);
        }
        let mut tree = BoxTree { items: items.into_iter().map(|(i, _)| i).collect(), leaves, groups };
        tree.refit(boxes);
        tree
    }

    /// The order in which things lie in the tree; from now on they are numbered by it. What looks them up does so in
    /// order, too, if it keeps them so.
    pub(crate) fn renumber(&mut self) -> Vec<u32> {
        let numbers = 0..self.items.len() as u32;
        core::mem::replace(&mut self.items, numbers.collect())
    }

    /// Gives every thing a new box, which it does not leave.
    pub fn refit(&mut self, boxes: impl Fn(u32) -> Aabb) {
        self.refit_moving(|i| [boxes(i); 2]);
    }

    /// Gives every thing new boxes, which hold it at the start and at the end; on the way it moves straight.
    pub fn refit_moving(&mut self, boxes: impl Fn(u32) -> [Aabb; 2]) {
        for (slots, leaf) in self.items.chunks(WIDE).zip(&mut self.leaves) {
            for (i, &item) in slots.iter().enumerate() {
                leaf.set(i, boxes(item));
            }
        }
        for (i, leaf) in self.leaves.iter().enumerate() {
            self.groups[0][i / WIDE].set(i % WIDE, leaf.all());
        }
        for level in 1..self.groups.len() {
            let (below, above) = self.groups.split_at_mut(level);
            for (i, group) in below[level - 1].iter().enumerate() {
                above[0][i / WIDE].set(i % WIDE, group.all());
            }
        }
    }

    /// Calls `found(i, j)` once for every two things whose boxes overlap.
    pub fn self_pairs(&self, found: impl FnMut(u32, u32)) {
        self.search(None, found, &Cell::new(false));
    }

    /// Calls `found(i, j)` once for every thing `i` here and `j` there whose boxes overlap.
    pub fn pairs(&self, other: &BoxTree, found: impl FnMut(u32, u32)) {
        self.search(Some(other), found, &Cell::new(false));
    }

    /// The same with another tree or, without one, among its own things; ends soon after there is `enough`.
    pub(crate) fn search(&self, other: Option<&BoxTree>, found: impl FnMut(u32, u32), enough: &Cell<bool>) {
        f32::run_lean(Width::default(), Level::new(), PairSearch { mine: self, other, found, enough });
    }

    #[inline(always)]
    fn leaf_box(&self, leaf: usize) -> [Aabb; 2] {
        self.groups[0][leaf / WIDE].get(leaf % WIDE)
    }
}

/// Takes the lowest set bit out of a mask.
#[inline(always)]
fn next_bit(mask: &mut u32) -> usize {
    let i = mask.trailing_zeros() as usize;
    *mask &= *mask - 1;
    i
}

/// The search for pairs as a kernel; without another tree, among its own things.
struct PairSearch<'a, F> {
    mine: &'a BoxTree,
    other: Option<&'a BoxTree>,
    found: F,
    enough: &'a Cell<bool>,
}

impl<F: FnMut(u32, u32)> Kernel<f32> for PairSearch<'_, F> {
    #[inline(always)]
    fn run<L: Lanes<f32>>(mut self, token: L::Token) {
        for l in 0..self.mine.leaves.len() {
            if self.enough.get() {
                return;
            }
            match self.other {
                Some(other) => self.descend::<L>(token, l, other, 0),
                None => {
                    self.within_leaf::<L>(token, l);
                    self.descend::<L>(token, l, self.mine, l + 1);
                }
            }
        }
    }
}

impl<F: FnMut(u32, u32)> PairSearch<'_, F> {
    /// Leaf `l` of this tree against all leaves of `other` from `first` on.
    #[inline(always)]
    fn descend<L: Lanes<f32>>(&mut self, token: L::Token, l: usize, other: &BoxTree, first: usize) {
        let b = self.mine.leaf_box(l);
        let mut stack = [(0u32, 0u32); WIDE * LEVELS];
        stack[0] = (other.groups.len() as u32 - 1, 0);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (level, group) = (stack[height].0 as usize, stack[height].1 as usize);
            let mut mask = other.groups[level][group].overlaps::<L>(token, &b);
            while mask != 0 {
                let child = group * WIDE + next_bit(&mut mask);
                // A group at `level − 1` covers 8^level leaves.
                if (child + 1) << (3 * level) <= first {
                    continue;
                }
                if level == 0 {
                    self.leaves::<L>(token, l, other, child, &b);
                } else {
                    stack[height] = (level as u32 - 1, child as u32);
                    height += 1;
                }
            }
        }
    }

    /// Things of leaf `l` here, with box `b`, and of leaf `m` there.
    #[inline(always)]
    fn leaves<L: Lanes<f32>>(&mut self, token: L::Token, l: usize, other: &BoxTree, m: usize, b: &[Aabb; 2]) {
        let (mine, theirs) = (&self.mine.leaves[l], &other.leaves[m]);
        // Only what reaches into the other leaf's box, on both sides: mostly little, as leaves overlap at their rims.
        let reached = theirs.overlaps::<L>(token, b);
        if reached == 0 {
            return;
        }
        let mut reaching = mine.overlaps::<L>(token, &other.leaf_box(m));
        while reaching != 0 {
            let i = next_bit(&mut reaching);
            let mut hits = theirs.overlaps::<L>(token, &mine.get(i)) & reached;
            while hits != 0 {
                let j = next_bit(&mut hits);
                (self.found)(self.mine.items[l * WIDE + i], other.items[m * WIDE + j]);
            }
        }
    }

    #[inline(always)]
    fn within_leaf<L: Lanes<f32>>(&mut self, token: L::Token, l: usize) {
        let leaf = &self.mine.leaves[l];
        for i in 0..WIDE - 1 {
            let mut hits = leaf.overlaps::<L>(token, &leaf.get(i)) & (u32::MAX << (i + 1));
            while hits != 0 {
                let j = next_bit(&mut hits);
                (self.found)(self.mine.items[l * WIDE + i], self.mine.items[l * WIDE + j]);
            }
        }
    }
}

fn middle(lo: f32, hi: f32) -> f32 {
    if lo <= hi { 0.5 * lo + 0.5 * hi } else { 0.0 }
}

/// Puts things near each other into one leaf, leaves near each other into one group, and so on: halves along the
/// longest side, at a multiple of whole subtrees.
fn arrange(items: &mut [(u32, [f32; 3])]) {
    let leaves = items.len().div_ceil(WIDE);
    if leaves <= 1 {
        items.sort_unstable_by_key(|i| i.0);
        return;
    }
    let mut whole = 1;
    while whole * WIDE < leaves {
        whole *= WIDE;
    }
    let left = (leaves / 2).div_ceil(whole) * whole * WIDE;
    let axis = longest_side(items);
    // Ties go by index, so that the halves are the same sets on every platform.
    items.select_nth_unstable_by(left, |a, b| a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0)));
    let (a, b) = items.split_at_mut(left);
    arrange(a);
    arrange(b);
}

fn longest_side(items: &[(u32, [f32; 3])]) -> usize {
    let size = |k: usize| {
        let (lo, hi) = items.iter().fold((f32::MAX, f32::MIN), |(lo, hi), i| (lo.min(i.1[k]), hi.max(i.1[k])));
        hi - lo
    };
    let size = [size(0), size(1), size(2)];
    (1..3).fold(0, |best, k| if size[best] < size[k] { k } else { best })
}
