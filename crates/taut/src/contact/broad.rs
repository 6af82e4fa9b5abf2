//! The broad phase: which boxes overlap.
//!
//! A [`Tree`] is a hierarchy of axis-aligned boxes without pointers: leaves of eight boxes, above them groups of four,
//! component by component, so that one box is compared with four or eight at once. It is built once, by halving along
//! the longest side, and refitted in one sweep when things move. Boxes are `f32`, rounded outwards: half the
//! memory traffic, and never a pair missed.
//!
//! Pairs come in an order that depends on the boxes and on those the tree was built from, and on nothing else. Build it
//! from the rest shape, and the order is a function of model and state.

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

    /// Whether the boxes have a point in common.
    pub fn overlaps(&self, other: &Aabb) -> bool {
        (0..3).all(|k| self.lo[k] <= other.hi[k] && other.lo[k] <= self.hi[k])
    }

    /// Whether the point lies in the box.
    pub fn holds(&self, p: [f64; 3]) -> bool {
        (0..3).all(|k| f64::from(self.lo[k]) <= p[k] && p[k] <= f64::from(self.hi[k]))
    }
}

/// The greatest `f32` not above `v`.
fn down(v: f64) -> f32 {
    let f = v as f32;
    if f64::from(f) > v { f.next_down() } else { f }
}

/// Boxes in a leaf. Eight beat four and sixteen (see docs/contact.md).
const LEAF: usize = 8;
/// Children of a group.
const WIDE: usize = 4;

/// `N` boxes, component by component.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Boxes<const N: usize> {
    lo: [[f32; N]; 3],
    hi: [[f32; N]; 3],
}

impl<const N: usize> Boxes<N> {
    const EMPTY: Self = Boxes { lo: [[f32::INFINITY; N]; 3], hi: [[f32::NEG_INFINITY; N]; 3] };

    fn set(&mut self, i: usize, b: Aabb) {
        for k in 0..3 {
            self.lo[k][i] = b.lo[k];
            self.hi[k][i] = b.hi[k];
        }
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Aabb {
        Aabb { lo: core::array::from_fn(|k| self.lo[k][i]), hi: core::array::from_fn(|k| self.hi[k][i]) }
    }

    /// The box around all.
    fn all(&self) -> Aabb {
        (1..N).fold(self.get(0), |b, i| b.and(self.get(i)))
    }

    /// One bit for each box that overlaps `b`. Straight lines that the compiler turns into vector comparisons.
    #[inline(always)]
    fn overlaps(&self, b: &Aabb) -> u32 {
        let mut hit = [0u32; N];
        for i in 0..N {
            let x = (self.lo[0][i] <= b.hi[0]) & (b.lo[0] <= self.hi[0][i]);
            let y = (self.lo[1][i] <= b.hi[1]) & (b.lo[1] <= self.hi[1][i]);
            let z = (self.lo[2][i] <= b.hi[2]) & (b.lo[2] <= self.hi[2][i]);
            hit[i] = ((x & y & z) as u32) << i;
        }
        hit.iter().fold(0, |a, b| a | b)
    }
}

/// The bits that are set, lowest first.
#[inline(always)]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let i = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (i < 32).then_some(i as usize)
    })
}

/// A hierarchy of boxes of the things 0 to n − 1.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The thing in each slot of each leaf; the last leaf may have slots to spare, whose boxes are empty.
    items: Vec<u32>,
    leaves: Vec<Boxes<LEAF>>,
    /// `groups[0]` has the boxes of four leaves each, `groups[1]` those of four groups each, up to a single group.
    groups: Vec<Vec<Boxes<WIDE>>>,
}

impl Tree {
    /// A hierarchy of `count` things with the given boxes.
    pub fn new(count: usize, boxes: impl Fn(u32) -> Aabb) -> Self {
        let centre = |b: Aabb| core::array::from_fn(|k| middle(b.lo[k], b.hi[k]));
        let mut items: Vec<(u32, [f32; 3])> = (0..count as u32).map(|i| (i, centre(boxes(i)))).collect();
        arrange(&mut items);
        let leaves = vec![Boxes::EMPTY; count.div_ceil(LEAF).max(1)];
        let mut groups = vec![vec![Boxes::EMPTY; leaves.len().div_ceil(WIDE)]];
        while let Some(last) = groups.last().filter(|g| g.len() > 1) {
            groups.push(vec![Boxes::EMPTY; last.len().div_ceil(WIDE)]);
        }
        let mut tree = Tree { items: items.into_iter().map(|(i, _)| i).collect(), leaves, groups };
        tree.refit(boxes);
        tree
    }

    /// Gives every thing a new box.
    pub fn refit(&mut self, boxes: impl Fn(u32) -> Aabb) {
        for (slots, leaf) in self.items.chunks(LEAF).zip(&mut self.leaves) {
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
    pub fn self_pairs(&self, mut found: impl FnMut(u32, u32)) {
        for l in 0..self.leaves.len() {
            self.pairs_in_leaf(l, &mut found);
            let b = self.leaf_box(l);
            self.visit(&b, l + 1, |m| self.pairs_of_leaves(l, self, m, &b, &mut found));
        }
    }

    /// Calls `found(i, j)` once for every thing `i` here and `j` there whose boxes overlap.
    pub fn pairs(&self, other: &Tree, mut found: impl FnMut(u32, u32)) {
        for l in 0..self.leaves.len() {
            let b = self.leaf_box(l);
            other.visit(&b, 0, |m| self.pairs_of_leaves(l, other, m, &b, &mut found));
        }
    }

    /// Calls `found(i)` for everything whose box overlaps `b`.
    pub fn overlapping(&self, b: &Aabb, mut found: impl FnMut(u32)) {
        self.visit(b, 0, |m| {
            for i in bits(self.leaves[m].overlaps(b)) {
                found(self.items[m * LEAF + i]);
            }
        });
    }

    fn leaf_box(&self, leaf: usize) -> Aabb {
        self.groups[0][leaf / WIDE].get(leaf % WIDE)
    }

    #[inline(always)]
    fn pairs_in_leaf(&self, l: usize, found: &mut impl FnMut(u32, u32)) {
        let leaf = &self.leaves[l];
        for i in 0..LEAF - 1 {
            for j in bits(leaf.overlaps(&leaf.get(i)) & (u32::MAX << (i + 1))) {
                found(self.items[l * LEAF + i], self.items[l * LEAF + j]);
            }
        }
    }

    /// Pairs of things in leaf `l` here (box `b`) and `m` of the other tree.
    #[inline(always)]
    fn pairs_of_leaves(&self, l: usize, other: &Tree, m: usize, b: &Aabb, found: &mut impl FnMut(u32, u32)) {
        let (mine, theirs) = (&self.leaves[l], &other.leaves[m]);
        // Only what reaches into the other leaf's box, on both sides: mostly little, as leaves overlap at their rims.
        let reached = theirs.overlaps(b);
        if reached == 0 {
            return;
        }
        for i in bits(mine.overlaps(&other.leaf_box(m))) {
            for j in bits(theirs.overlaps(&mine.get(i)) & reached) {
                found(self.items[l * LEAF + i], other.items[m * LEAF + j]);
            }
        }
    }

    /// Calls `at` for every leaf from `first` on whose box overlaps `b`, in ascending order.
    #[inline(always)]
    fn visit(&self, b: &Aabb, first: usize, mut at: impl FnMut(usize)) {
        // Four of each level can wait at most, and 4^16 leaves of 8 exceed any u32.
        let mut stack = [(0u32, 0u32); 4 * 17];
        let top = self.groups.len() - 1;
        stack[0] = (top as u32, 0);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (level, group) = (stack[height].0 as usize, stack[height].1 as usize);
            let mut mask = self.groups[level][group].overlaps(b);
            if level == 0 {
                for c in bits(mask) {
                    let leaf = group * WIDE + c;
                    if leaf >= first {
                        at(leaf);
                    }
                }
                continue;
            }
            // The highest first, so that the lowest is taken up next.
            while mask != 0 {
                let c = 31 - mask.leading_zeros() as usize;
                mask ^= 1 << c;
                let child = group * WIDE + c;
                // A group `level − 1` covers 4^level leaves.
                if (child + 1) << (2 * level) > first {
                    stack[height] = (level as u32 - 1, child as u32);
                    height += 1;
                }
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
    let leaves = items.len().div_ceil(LEAF);
    if leaves <= 1 {
        items.sort_unstable_by_key(|i| i.0);
        return;
    }
    let mut whole = 1;
    while whole * WIDE < leaves {
        whole *= WIDE;
    }
    let left = (leaves / 2).div_ceil(whole) * whole * LEAF;
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
