//! The Hessian M/s + Σ (JᵀEJ + σ ∇²c), assembled in 3×3 blocks.

use super::cholesky::Cholesky;
use super::evaluate::{ARMS, EDGES, ROWS, Small};
use super::lists::SharedList;
use super::table::{Item, Table};
use super::{Solve, psd, small};
use std::sync::Mutex;

/// A sparse symmetric matrix over the vertices, in blocks of 3×3, both triangles, and where its blocks come from.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// For each vertex its part of `columns`, ascending.
    pub starts: Vec<u32>,
    pub columns: Vec<u32>,
    /// For each block its part of `sources`.
    origins: Vec<u32>,
    /// Items that add to a block: item · 64 + row's vertex · 8 + column's vertex.
    sources: Vec<u32>,
    /// Where each item's Hessian is in `tiles`.
    offsets: Vec<u32>,
    /// Hessians of items: blocks (a, b) with a ≤ b.
    tiles: SharedList,
    /// The blocks.
    pub values: SharedList,
    /// The factor and whatever it needs; only ever one worker's.
    pub cholesky: Mutex<Cholesky>,
    /// What that worker found.
    pub verdict: SharedList,
}

impl Matrix {
    /// Finds the pattern, if it is not known yet.
    pub fn connect(&mut self, table: &Table, vertices: usize) {
        if self.starts.len() == vertices + 1 {
            return;
        }
        self.starts = vec![0];
        self.verdict.resize(1);
        for i in 0..vertices {
            let mut at: Vec<(u32, u32)> = vec![(i as u32, u32::MAX)];
            for (e, k) in table.touching_ids(i) {
                let item = &table.items[e];
                at.extend((0..item.arms()).map(|b| (item.vertices[b], (e * 64 + k * 8 + b) as u32)));
            }
            // Items of one block stay in their order.
            at.sort_by_key(|&(column, _)| column);
            for (n, &(column, source)) in at.iter().enumerate() {
                if n == 0 || at[n - 1].0 != column {
                    self.columns.push(column);
                    self.origins.push(self.sources.len() as u32);
                }
                if source != u32::MAX {
                    self.sources.push(source);
                }
            }
            self.starts.push(self.columns.len() as u32);
        }
        self.origins.push(self.sources.len() as u32);
        let mut tiles = 0;
        for item in &table.items {
            self.offsets.push(tiles as u32);
            tiles += item.arms() * (item.arms() + 1) / 2;
        }
        self.tiles.resize(9 * tiles);
        self.values.resize(9 * self.columns.len());
    }

    /// Orders the vertices for factorisation, if that has not been done yet.
    pub fn analyse(&mut self) {
        if let Ok(cholesky) = self.cholesky.get_mut() {
            cholesky.analyse(&self.starts, &self.columns);
        }
    }

    /// The blocks of a vertex's row.
    #[inline(always)]
    pub fn row(&self, vertex: usize) -> core::ops::Range<usize> {
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// Block `n`, row by row.
    #[inline(always)]
    pub fn block(&self, n: usize) -> [[f64; 3]; 3] {
        core::array::from_fn(|c| core::array::from_fn(|d| self.values.get(9 * n + 3 * c + d)))
    }

    /// One vector of the matrix times `y`.
    #[inline(always)]
    pub fn times(&self, vertex: usize, y: &SharedList) -> [f64; 3] {
        let mut out = [0.0; 3];
        for n in self.row(vertex) {
            let (a, y) = (self.block(n), y.get3(self.columns[n] as usize));
            for c in 0..3 {
                out[c] += small::dot(a[c], y);
            }
        }
        out
    }

    /// Where block (a, b) of item e is, a ≤ b.
    #[inline(always)]
    fn tile(&self, e: usize, arms: usize, a: usize, b: usize) -> usize {
        9 * (self.offsets[e] as usize + a * arms - a * (a + 1) / 2 + b)
    }
}

impl Solve<'_> {
    /// Computes and assembles the Hessian at the positions where [`forces`](Self::forces) were evaluated last. With
    /// `project`, each element's is made positive semi-definite first, so that the whole is positive definite.
    ///
    /// Held vertices get rows and columns of the identity. With damping this is the symmetric part that matters: see
    /// [`damping`](Self::damping); the change of ċ by a change of gradients is left out.
    pub(super) fn hessian(&self, project: bool) {
        let g = self.global;
        self.crew.each(self.table.items.len(), |e| self.item_hessian(e, project));
        self.crew.each(g.vertices, |i| self.assemble(i));
    }

    fn item_hessian(&self, e: usize, project: bool) {
        let item = &self.table.items[e];
        let mut h = [[0.0; EDGES]; EDGES];
        self.curvature(e, &mut h);
        self.add_rows(e, item, &mut h);
        if project && !self.held_by_inertia(item, &h) {
            psd::project(&mut h, 3 * (item.arms() - 1));
        }
        self.spread(e, item, &h);
    }

    /// −Σ_r λ_r ∇²c_r over the edges of item e.
    pub(super) fn curvature(&self, e: usize, h: &mut Small) {
        let (g, item) = (self.global, &self.table.items[e]);
        let sigma: [f64; ROWS] = self.rows_of(item, &g.rows.lambda).map(|l| -l);
        let x = self.corners(item, &g.points.x);
        if let Some(kind) = self.table.kind(e) {
            kind.curvature(&self.table.rest[item.rest as usize..], &x, &sigma, h);
        }
    }

    /// Whether what is negative in an item's Hessian is outweighed by its part of the masses, split evenly among the
    /// items at a vertex. Such an item needs no projection, which saves most of the work and keeps the Hessian exact.
    ///
    /// Masses μ_k moving freely resist a change of the edges with μ_k δ_kl − μ_k μ_l / Σμ, which is at least half as
    /// much in sum over all items as what M/s has.
    fn held_by_inertia(&self, item: &Item, h: &Small) -> bool {
        let (g, arms) = (self.global, item.arms());
        let mut mu = [0.0; ARMS];
        for k in 0..arms {
            let v = item.vertices[k] as usize;
            let w = g.points.w.get(v);
            let own = 0.5 / (self.settings.reach * w * self.table.valence(v) as f64);
            mu[k] = if w > 0.0 { own } else { 0.0 };
        }
        let most = mu.iter().fold(0.0, |m: f64, &s| m.max(s));
        (0..arms).for_each(|k| {
            if g.points.w.get(item.vertices[k] as usize) == 0.0 {
                mu[k] = most
            }
        });
        let all: f64 = mu.iter().sum();
        let mut test = *h;
        for k in 1..arms {
            for l in 1..arms {
                let inertia = if k == l { mu[k] } else { 0.0 } - mu[k] * mu[l] / all;
                (0..3).for_each(|d| test[3 * k - 3 + d][3 * l - 3 + d] += inertia);
            }
        }
        small::factor(&mut test, 3 * (arms - 1))
    }

    /// Adds Jᵀ D^½ E D^½ J over the edges.
    fn add_rows(&self, e: usize, item: &Item, h: &mut Small) {
        let (hardness, n) = (self.hardness(e), 3 * (item.arms() - 1));
        let flat = |j: usize| {
            let mut out = [0.0; EDGES];
            for k in 1..item.arms() {
                out[3 * k - 3..3 * k].copy_from_slice(&self.global.rows.gradient.get3(item.gradient(j, k)));
            }
            out
        };
        for (i, r) in item.own_rows().enumerate() {
            let u = flat(i);
            for (j, q) in item.own_rows().enumerate() {
                let stiff = hardness.at(r, q);
                if stiff != 0.0 {
                    let v = flat(j);
                    for c in 0..n {
                        for d in 0..n {
                            h[c][d] += stiff * u[c] * v[d];
                        }
                    }
                }
            }
        }
    }

    /// From edges to vertices: vertex 0 has minus the sum of the others.
    fn spread(&self, e: usize, item: &Item, h: &Small) {
        let (matrix, arms) = (&self.global.matrix, item.arms());
        for a in 0..arms {
            for b in a..arms {
                let at = matrix.tile(e, arms, a, b);
                for c in 0..3 {
                    for d in 0..3 {
                        let column = |i: usize| match b {
                            0 => -(1..arms).map(|l| h[i][3 * l - 3 + d]).sum::<f64>(),
                            _ => h[i][3 * b - 3 + d],
                        };
                        let value = match a {
                            0 => -(1..arms).map(|k| column(3 * k - 3 + c)).sum::<f64>(),
                            _ => column(3 * a - 3 + c),
                        };
                        matrix.tiles.set(at + 3 * c + d, value);
                    }
                }
            }
        }
    }

    /// Adds up vertex i's row of blocks.
    fn assemble(&self, i: usize) {
        let (g, matrix) = (self.global, &self.global.matrix);
        let w = g.points.w.get(i);
        for n in matrix.row(i) {
            let j = matrix.columns[n] as usize;
            let mut block = [0.0; 9];
            if i == j {
                let own = if w > 0.0 { 1.0 / (w * self.settings.reach) } else { 1.0 };
                [block[0], block[4], block[8]] = [own; 3];
            }
            if w > 0.0 && g.points.w.get(j) > 0.0 {
                for &source in &matrix.sources[matrix.origins[n] as usize..matrix.origins[n + 1] as usize] {
                    let (e, a, b) = (source as usize / 64, source as usize / 8 % 8, source as usize % 8);
                    let arms = self.table.items[e].arms();
                    let at = matrix.tile(e, arms, a.min(b), a.max(b));
                    for c in 0..9 {
                        let from = if a <= b { c } else { c % 3 * 3 + c / 3 };
                        block[c] += matrix.tiles.get(at + from);
                    }
                }
            }
            for c in 0..9 {
                matrix.values.set(9 * n + c, block[c]);
            }
        }
    }
}
