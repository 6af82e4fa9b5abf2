//! Sparse Cholesky factorisation, multifrontal, in blocks of 3×3.
//!
//! Own code, because the engine promises the same bits on every machine, and the libraries there are (faer among them)
//! use fused multiply-add where the CPU has it; that, and two and a half minutes of compiling. Columns of like
//! structure are treated together as one dense front (Duff and Reid, "The multifrontal solution of indefinite sparse
//! symmetric linear equations", 1983), which is where all the time goes.

use super::lists::SharedList;
use super::matrix::Matrix;
use super::order::minimum_degree;
use core::ops::Range;

/// A factor L Lᵀ of a matrix with a known pattern.
#[derive(Debug, Default)]
pub(super) struct Cholesky {
    /// The vertices in the order of elimination, and back.
    order: Vec<u32>,
    place: Vec<u32>,
    fronts: Vec<Front>,
    /// The columns of L, front by front.
    panels: Vec<f64>,
    /// Memory to work in: the front, updates that wait for their parents, where a vertex is in the front, a vector.
    front: Vec<f64>,
    waiting: Vec<f64>,
    local: Vec<u32>,
    vector: Vec<f64>,
}

/// Columns that are eliminated together.
#[derive(Debug, Default)]
struct Front {
    /// In the order of elimination.
    columns: Range<u32>,
    /// Rows below, ascending.
    rows: Vec<u32>,
    /// How many fronts before this one leave their updates to it.
    children: usize,
    /// Blocks that are only there because fronts were merged.
    zeros: usize,
    /// Its first number in `panels`.
    panel: usize,
}

impl Front {
    fn width(&self) -> usize {
        3 * self.columns.len()
    }

    fn height(&self) -> usize {
        self.width() + 3 * self.rows.len()
    }
}

/// Columns of a front that are eliminated before the rest of it is brought up to date.
const PANEL: usize = 12;

impl Cholesky {
    /// Finds the order and the structure of the factor, if they are not known yet.
    pub fn analyse(&mut self, starts: &[u32], columns: &[u32]) {
        let n = starts.len().saturating_sub(1);
        if self.order.len() == n {
            return;
        }
        let order = minimum_degree(starts, columns);
        let tree = Tree::new(&order, starts, columns);
        (self.order, self.place) = (tree.order, tree.place);
        self.fronts = fronts(&self.order, &self.place, starts, columns);
        let mut panel = 0;
        for front in &mut self.fronts {
            front.panel = panel;
            panel += front.height() * front.width();
        }
        self.panels = vec![0.0; panel];
        self.local = vec![0; n];
        self.vector = vec![0.0; 3 * n];
    }

    /// Factorises. False if the matrix is not positive definite.
    pub fn factorise(&mut self, matrix: &Matrix) -> bool {
        self.waiting.clear();
        let mut sizes: Vec<(usize, usize)> = Vec::new();
        for f in 0..self.fronts.len() {
            self.begin(f, matrix);
            for _ in 0..self.fronts[f].children {
                let Some((child, start)) = sizes.pop() else { return false };
                self.take_update(child, start);
            }
            let (height, width) = (self.fronts[f].height(), self.fronts[f].width());
            if !eliminate(&mut self.front, height, width) {
                return false;
            }
            let panel = self.fronts[f].panel;
            self.panels[panel..panel + height * width].copy_from_slice(&self.front[..height * width]);
            sizes.push((f, self.waiting.len()));
            for column in width..height {
                self.waiting.extend_from_slice(&self.front[column * height + width..(column + 1) * height]);
            }
        }
        true
    }

    /// Clears the front and puts the matrix's own blocks in.
    fn begin(&mut self, f: usize, matrix: &Matrix) {
        let front = &self.fronts[f];
        let height = front.height();
        self.front.clear();
        self.front.resize(height * height, 0.0);
        for (at, k) in front.columns.clone().chain(front.rows.iter().copied()).enumerate() {
            self.local[k as usize] = at as u32;
        }
        for k in front.columns.clone() {
            let column = 3 * self.local[k as usize] as usize;
            for n in matrix.row(self.order[k as usize] as usize) {
                let below = self.place[matrix.columns[n] as usize];
                if below >= k {
                    let row = 3 * self.local[below as usize] as usize;
                    // The block of the row is the transpose of the column's.
                    for (c, numbers) in matrix.block(n).iter().enumerate() {
                        let at = (column + c) * height + row;
                        self.front[at..at + 3].copy_from_slice(numbers);
                    }
                }
            }
        }
    }

    /// Adds a child's update, the last that waits.
    fn take_update(&mut self, child: usize, start: usize) {
        let rows = &self.fronts[child].rows;
        let (size, height) = (3 * rows.len(), self.front_height());
        for (i, &a) in rows.iter().enumerate() {
            let column = 3 * self.local[a as usize] as usize;
            for c in 0..3 {
                let from = &self.waiting[start + (3 * i + c) * size..start + (3 * i + c + 1) * size];
                let to = &mut self.front[(column + c) * height..(column + c + 1) * height];
                for (j, &b) in rows.iter().enumerate().skip(i) {
                    let row = 3 * self.local[b as usize] as usize;
                    for d in 0..3 {
                        to[row + d] += from[3 * j + d];
                    }
                }
            }
        }
        self.waiting.truncate(start);
    }

    fn front_height(&self) -> usize {
        // The front is square.
        self.front.len().isqrt()
    }

    /// Solves for `to`, given the right-hand side `from`.
    pub fn solve(&mut self, from: &SharedList, to: &SharedList) {
        let y = &mut self.vector;
        for (k, &v) in self.order.iter().enumerate() {
            y[3 * k..3 * k + 3].copy_from_slice(&from.get3(v as usize));
        }
        for front in &self.fronts {
            let (height, width, first) = (front.height(), front.width(), 3 * front.columns.start as usize);
            for j in 0..width {
                let column = &self.panels[front.panel + j * height..front.panel + (j + 1) * height];
                let value = y[first + j] / column[j];
                y[first + j] = value;
                for i in j + 1..width {
                    y[first + i] -= column[i] * value;
                }
                for (r, numbers) in front.rows.iter().zip(column[width..].chunks_exact(3)) {
                    for d in 0..3 {
                        y[3 * *r as usize + d] -= numbers[d] * value;
                    }
                }
            }
        }
        for front in self.fronts.iter().rev() {
            let (height, width, first) = (front.height(), front.width(), 3 * front.columns.start as usize);
            for j in (0..width).rev() {
                let column = &self.panels[front.panel + j * height..front.panel + (j + 1) * height];
                let mut value = y[first + j];
                for i in j + 1..width {
                    value -= column[i] * y[first + i];
                }
                for (r, numbers) in front.rows.iter().zip(column[width..].chunks_exact(3)) {
                    for d in 0..3 {
                        value -= numbers[d] * y[3 * *r as usize + d];
                    }
                }
                y[first + j] = value / column[j];
            }
        }
        for (k, &v) in self.order.iter().enumerate() {
            to.set3(v as usize, [y[3 * k], y[3 * k + 1], y[3 * k + 2]]);
        }
    }
}

/// Eliminates the first `width` columns of a dense symmetric matrix, lower triangle, column by column in memory; the
/// rest becomes the Schur complement. False if a pivot is not positive.
fn eliminate(a: &mut [f64], height: usize, width: usize) -> bool {
    for start in (0..width).step_by(PANEL) {
        let end = width.min(start + PANEL);
        for j in start..end {
            update(a, height, start..j, j);
            let column = &mut a[j * height + j..(j + 1) * height];
            if !(column[0] > 0.0 && column[0].is_finite()) {
                return false;
            }
            let root = column[0].sqrt();
            column.iter_mut().for_each(|c| *c /= root);
        }
        for j in end..height {
            update(a, height, start..end, j);
        }
    }
    true
}

/// Takes the eliminated columns `pivots` out of column `j`, four at a time: a front's columns do not fit in the nearest
/// cache, so each should come by as seldom as possible.
#[inline(always)]
fn update(a: &mut [f64], height: usize, pivots: Range<usize>, j: usize) {
    let (done, rest) = a.split_at_mut(j * height);
    let to = &mut rest[j..height];
    let pivot = |p: usize| &done[p * height + j..(p + 1) * height];
    let mut p = pivots.start;
    while p + 4 <= pivots.end {
        let (u, v, w, x) = (pivot(p), pivot(p + 1), pivot(p + 2), pivot(p + 3));
        let (a, b, c, d) = (u[0], v[0], w[0], x[0]);
        for ((((to, u), v), w), x) in to.iter_mut().zip(u).zip(v).zip(w).zip(x) {
            *to -= (u * a + v * b) + (w * c + x * d);
        }
        p += 4;
    }
    for p in p..pivots.end {
        let u = pivot(p);
        let a = u[0];
        for (to, u) in to.iter_mut().zip(u) {
            *to -= u * a;
        }
    }
}

/// The elimination tree, with vertices numbered so that children come right before their parents.
struct Tree {
    order: Vec<u32>,
    place: Vec<u32>,
}

impl Tree {
    fn new(order: &[u32], starts: &[u32], columns: &[u32]) -> Self {
        let n = order.len();
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
        let parents = parents(order, &place, starts, columns);
        // Depth first from the roots, last child first, then turned round: a post-order.
        let mut children = vec![Vec::new(); n];
        let mut stack = Vec::new();
        for k in 0..n {
            if parents[k] == NONE { stack.push(k as u32) } else { children[parents[k] as usize].push(k as u32) }
        }
        let mut reversed = Vec::with_capacity(n);
        while let Some(k) = stack.pop() {
            reversed.push(order[k as usize]);
            stack.extend(&children[k as usize]);
        }
        reversed.reverse();
        reversed.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
        Tree { order: reversed, place }
    }
}

const NONE: u32 = u32::MAX;

/// The parent of each column in the elimination tree (Liu 1986, with path compression).
fn parents(order: &[u32], place: &[u32], starts: &[u32], columns: &[u32]) -> Vec<u32> {
    let n = order.len();
    let (mut parents, mut ancestors) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n as u32 {
        let v = order[k as usize] as usize;
        for &c in &columns[starts[v] as usize..starts[v + 1] as usize] {
            let mut i = place[c as usize];
            while i < k {
                let next = core::mem::replace(&mut ancestors[i as usize], k);
                if next == NONE {
                    parents[i as usize] = k;
                }
                i = next;
            }
        }
    }
    parents
}

/// The factor's structure, in fronts: columns whose structure is the same, or nearly.
fn fronts(order: &[u32], place: &[u32], starts: &[u32], columns: &[u32]) -> Vec<Front> {
    let n = order.len();
    let mut fronts: Vec<Front> = Vec::new();
    // Fronts whose rows begin with the column at hand.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); n];
    for k in 0..n as u32 {
        let v = order[k as usize] as usize;
        let own = columns[starts[v] as usize..starts[v + 1] as usize].iter().map(|&c| place[c as usize]);
        let mut rows: Vec<u32> = own.filter(|&r| r > k).collect();
        for child in core::mem::take(&mut waiting[k as usize]) {
            rows.extend(&fronts[child].rows[1..]);
        }
        rows.sort_unstable();
        rows.dedup();
        let same = fronts
            .last()
            .is_some_and(|f| f.columns.end == k && f.rows.first() == Some(&k) && f.rows.len() == rows.len() + 1);
        match fronts.last_mut() {
            Some(front) if same => {
                front.columns.end = k + 1;
                front.rows = rows;
            }
            _ => fronts.push(Front { columns: k..k + 1, rows, ..Front::default() }),
        }
        let last = fronts.len() - 1;
        if let Some(&parent) = fronts[last].rows.first() {
            waiting[parent as usize].push(last);
        }
    }
    count_children(merge(fronts))
}

/// Joins fronts with their parents where the zeros that this brings in cost less than a front of its own.
fn merge(fronts: Vec<Front>) -> Vec<Front> {
    let mut out: Vec<Front> = Vec::new();
    for mut front in fronts {
        while let Some(zeros) = out.last().and_then(|child| zeros_if_merged(child, &front)) {
            front.columns.start = out.pop().map_or(front.columns.start, |child| child.columns.start);
            front.zeros = zeros;
        }
        out.push(front);
    }
    out
}

/// How many blocks of zeros a front and its parent would store as one, all merges before included. Nothing if they
/// cannot be one or had better not.
fn zeros_if_merged(child: &Front, parent: &Front) -> Option<usize> {
    let adjacent = child.columns.end == parent.columns.start;
    if !adjacent || !child.rows.first().is_some_and(|r| parent.columns.contains(r)) {
        return None;
    }
    let (own, all) = (child.columns.len(), child.columns.len() + parent.columns.len());
    let new = own * (parent.columns.len() + parent.rows.len() - child.rows.len());
    let zeros = child.zeros + parent.zeros + new;
    let total = all * (all + parent.rows.len());
    (zeros * 8 <= total || (all <= 8 && zeros * 3 <= total)).then_some(zeros)
}

/// Counts for each front those that leave their updates to it.
fn count_children(mut fronts: Vec<Front>) -> Vec<Front> {
    let n = fronts.last().map_or(0, |f| f.columns.end as usize);
    let mut owner = vec![0; n];
    for (f, front) in fronts.iter().enumerate() {
        front.columns.clone().for_each(|k| owner[k as usize] = f);
    }
    for f in 0..fronts.len() {
        if let Some(&row) = fronts[f].rows.first() {
            fronts[owner[row as usize]].children += 1;
        }
    }
    fronts
}
