//! Triangular lattices over charts: nodes, who hangs on which node with what weight, and the triangles between nodes.

use super::blend::Following;
use super::web::Web;
use crate::sets::DisjointSets;
use std::collections::BTreeMap;

/// Points to be carried by a lattice: vertices, or the nodes of a finer lattice.
pub(super) struct SheetPoints {
    pub place: Vec<[f64; 2]>,
    pub chart: Vec<u32>,
    pub mass: Vec<f64>,
    /// The mass of what follows the point, kg: its own, but beside cuts, where points follow nodes that they are no
    /// part of.
    pub carried: Vec<f64>,
    /// The part of its motion that follows the lattice: 0 at a held point, 1 far from any.
    pub free: Vec<f64>,
    /// Cosine and sine of twice the weft's angle, of any length.
    pub weft: Vec<[f64; 2]>,
    /// How much is held along weft, along warp, and every way, 0 to 1.
    pub held: Vec<[f64; 3]>,
    /// Where the point is in the shape that the cloth is given in, m, and the mean stretch of the cloth there (1 is
    /// none).
    pub shape: Vec<[f64; 3]>,
    pub drawn: Vec<f64>,
    /// The vertex that has most of the point, and how much, kg.
    pub home: Vec<(u32, f64)>,
}

impl SheetPoints {
    /// Points of these charts, with nothing added yet.
    pub fn none(chart: Vec<u32>) -> Self {
        let n = chart.len();
        SheetPoints {
            place: vec![[0.0; 2]; n],
            chart,
            mass: vec![0.0; n],
            carried: vec![0.0; n],
            free: vec![1.0; n],
            weft: vec![[0.0; 2]; n],
            held: vec![[0.0; 3]; n],
            shape: vec![[0.0; 3]; n],
            drawn: vec![0.0; n],
            home: vec![(0, 0.0); n],
        }
    }

    /// Adds a share of another point to point `n`, weighted by mass.
    pub fn add(&mut self, n: usize, from: &SheetPoints, i: usize, share: f64) {
        let m = share * from.mass[i];
        self.mass[n] += m;
        for c in 0..2 {
            self.place[n][c] += m * from.place[i][c];
            self.weft[n][c] += m * from.weft[i][c];
        }
        for c in 0..3 {
            self.held[n][c] += m * from.held[i][c];
            self.shape[n][c] += m * from.shape[i][c];
        }
        self.drawn[n] += m * from.drawn[i];
        if m > self.home[n].1 {
            self.home[n] = (from.home[i].0, m);
        }
    }

    /// Adds up what follows each of these points, of points `from` that follow `rows` of them.
    pub fn carry<'a>(&mut self, from: &SheetPoints, rows: impl Iterator<Item = &'a [(u32, f64)]>) {
        for (i, row) in rows.enumerate() {
            row.iter().filter(|p| p.1 > 0.0).for_each(|&(n, w)| self.carried[n as usize] += w * from.carried[i]);
        }
    }

    /// Whether the cloth at point `n` is held along a direction of its chart: every way, or so near to weft or warp
    /// that stretch across it makes no difference.
    pub fn held_along(&self, n: usize, d: [f64; 2]) -> bool {
        let [weft, warp, all] = self.held[n].map(|h| h > MOSTLY);
        let half = 0.5 * self.weft[n][1].atan2(self.weft[n][0]);
        let along = (d[0] * half.cos() + d[1] * half.sin()).abs();
        let across = (d[1] * half.cos() - d[0] * half.sin()).abs();
        all || (weft && warp) || (weft && across <= NEAR_GRAIN * along) || (warp && along <= NEAR_GRAIN * across)
    }

    /// Makes means of what was added.
    pub fn divide(&mut self) {
        for n in 0..self.mass.len() {
            let m = self.mass[n].max(1e-300);
            self.place[n] = self.place[n].map(|c| c / m);
            self.weft[n] = self.weft[n].map(|c| c / m);
            self.held[n] = self.held[n].map(|c| c / m);
            self.shape[n] = self.shape[n].map(|c| c / m);
            self.drawn[n] /= m;
        }
    }
}

/// A point is held along a direction if this much of it is.
pub(super) const MOSTLY: f64 = 0.99;
/// The tangent of the angle to weft or warp up to which a way counts as along it: a tenth of stretch across it
/// lengthens it by two thousandths.
const NEAR_GRAIN: f64 = 0.15;

/// A lattice and what hangs on it.
pub(super) struct Lattice {
    /// Up to three nodes of each point with weights; unused ones have weight 0.
    pub parents: Vec<[(u32, f64); 3]>,
    /// The nodes, as points for the next lattice (their `free` is yet to be set).
    pub nodes: SheetPoints,
    /// Triangles of nodes.
    pub triangles: Vec<[u32; 3]>,
    /// Which nodes hang together.
    pub web: Web,
    /// What points follow, if it is not just what they hang on.
    pub follow: Option<Vec<Following>>,
    /// The nodes at each place of the lattice, by chart, row and column: one for each piece of cloth there.
    number: BTreeMap<(u32, i64, i64), Vec<u32>>,
}

impl Lattice {
    /// What hangs on nodes of which the rest is yet to be found.
    pub fn new(parents: Vec<[(u32, f64); 3]>, nodes: SheetPoints) -> Self {
        Lattice { parents, nodes, triangles: Vec::new(), web: Web::default(), follow: None, number: BTreeMap::new() }
    }

    /// The nodes around a place of a chart; where there are several of a place, those that are `ours`.
    pub fn around(&self, chart: u32, place: [f64; 2], spacing: f64, ours: impl Fn(u32) -> bool) -> Vec<u32> {
        let places = around(place, spacing).map(|((row, column), _)| self.number.get(&(chart, row, column)));
        let several = places.into_iter().flatten();
        several.flat_map(|list| list.iter().copied().filter(|&n| list.len() == 1 || ours(n))).collect()
    }

    /// Adds up what nodes carry.
    pub fn carry(&mut self, points: &SheetPoints) {
        match &self.follow {
            Some(rows) => self.nodes.carry(points, rows.iter().map(|r| &r[..])),
            None => self.nodes.carry(points, self.parents.iter().map(|r| &r[..])),
        }
    }
}

/// Nodes with less than this part of a full node's mass are left out: they would fly about.
const LEAST_MASS: f64 = 0.1;

/// Three places of the lattice, by row and column, with weights.
type Around = [((i64, i64), f64); 3];

/// Cell and weights of a point: three lattice nodes around it.
fn around(p: [f64; 2], spacing: f64) -> Around {
    let b = p[1] / (spacing * 0.75f64.sqrt());
    let a = p[0] / spacing - 0.5 * b;
    let (i, j) = (a.floor(), b.floor());
    let (fa, fb) = (a - i, b - j);
    let (i, j) = (i as i64, j as i64);
    if fa + fb < 1.0 {
        [((j, i), 1.0 - fa - fb), ((j, i + 1), fa), ((j + 1, i), fb)]
    } else {
        [((j + 1, i + 1), fa + fb - 1.0), ((j, i + 1), 1.0 - fb), ((j + 1, i), 1.0 - fa)]
    }
}

/// A node: chart, row and column, and the first of the points' shares that hang together there.
type NodeKey = (u32, i64, i64, u32);

/// Builds the lattice of one level. `spacing` (m) and `full` (kg, the mass of a node in the middle) are given by chart;
/// charts with spacing 0 have no lattice at this level. Points around a place of the lattice that do not hang together
/// there (on two sides of a slit, say) have a node each.
pub(super) fn lattice(points: &SheetPoints, web: &Web, spacing: &[f64], full: &[f64]) -> Lattice {
    let count = points.place.len();
    let cell = |i: usize| {
        let s = spacing.get(points.chart[i] as usize).copied().filter(|&s| s > 0.0)?;
        Some(around(points.place[i], s))
    };
    let cells: Vec<_> = (0..count).map(cell).collect();
    let mut pieces = pieces(points, web, &cells);
    let mut key = |i: usize, k: usize, (row, column): (i64, i64)| -> NodeKey {
        (points.chart[i], row, column, pieces.of((3 * i + k) as u32))
    };
    let mut mass: BTreeMap<NodeKey, f64> = BTreeMap::new();
    for (i, cell) in cells.iter().enumerate() {
        for (k, &(at, w)) in cell.iter().flatten().enumerate() {
            *mass.entry(key(i, k, at)).or_default() += w * points.free[i] * points.mass[i];
        }
    }
    mass.retain(|key, m| *m > LEAST_MASS * full[key.0 as usize]);
    let number: BTreeMap<_, u32> = mass.keys().enumerate().map(|(n, &key)| (key, n as u32)).collect();
    let nodes = SheetPoints::none(number.keys().map(|key| key.0).collect());
    let mut out = Lattice::new(vec![[(0, 0.0); 3]; count], nodes);
    for (i, cell) in cells.iter().enumerate() {
        let Some(cell) = cell else { continue };
        let mut k = 0;
        let found = cell.map(|(at, w)| {
            k += 1;
            (number.get(&key(i, k - 1, at)).copied(), w)
        });
        out.parents[i] = shares(found, points.free[i]);
        for (n, w) in out.parents[i].into_iter().filter(|p| p.1 > 0.0) {
            out.nodes.add(n as usize, points, i, w);
        }
    }
    out.nodes.divide();
    out.web = web.above(&out.parents);
    for (&(chart, row, column, _), &n) in &number {
        out.number.entry((chart, row, column)).or_default().push(n);
    }
    out.triangles = triangles(&out);
    out
}

/// Which shares of points (three each) hang together at their place of the lattice.
fn pieces(points: &SheetPoints, web: &Web, cells: &[Option<Around>]) -> DisjointSets {
    let mut pieces = DisjointSets::new(3 * cells.len());
    for [i, j] in web.whole() {
        let (Some(p), Some(q)) = (cells[i as usize], cells[j as usize]) else { continue };
        if points.chart[i as usize] != points.chart[j as usize] {
            continue;
        }
        for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
            if p[a].0 == q[b].0 && p[a].1 > 0.0 && q[b].1 > 0.0 {
                pieces.join(3 * i + a as u32, 3 * j + b as u32);
            }
        }
    }
    pieces
}

/// Triangles of nodes that have points in common, each two of them: there is cloth between them.
fn triangles(lattice: &Lattice) -> Vec<[u32; 3]> {
    let mut out = Vec::new();
    let none = Vec::new();
    for &(chart, row, column) in lattice.number.keys() {
        let at = |(r, c): (i64, i64)| lattice.number.get(&(chart, row + r, column + c)).unwrap_or(&none);
        for corners in [[(0, 0), (0, 1), (1, 0)], [(1, 1), (1, 0), (0, 1)]] {
            let [first, second, third] = corners.map(at);
            for &a in first {
                for &b in second.iter().filter(|&&b| lattice.web.joins(a, b)) {
                    let both = |c: u32| lattice.web.joins(a, c) && lattice.web.joins(b, c);
                    out.extend(third.iter().filter(|&&c| both(c)).map(|&c| [a, b, c]));
                }
            }
        }
    }
    out
}

/// Of nodes around a point those that there are, with weights that add up to `free`; the others have none.
pub(super) fn shares<const N: usize>(found: [(Option<u32>, f64); N], free: f64) -> [(u32, f64); N] {
    let total: f64 = found.iter().filter(|f| f.0.is_some()).map(|f| f.1).sum();
    found.map(|(n, w)| match n {
        Some(n) if total > 1e-3 => (n, w / total * free),
        _ => (0, 0.0),
    })
}
