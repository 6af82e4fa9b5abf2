//! Triangular lattices over charts: nodes, who hangs on which node with what weight, and the triangles between nodes.

use std::collections::BTreeMap;

/// Points to be carried by a lattice: vertices, or the nodes of a finer lattice.
pub(super) struct SheetPoints {
    pub place: Vec<[f64; 2]>,
    pub chart: Vec<u32>,
    pub mass: Vec<f64>,
    /// The part of its motion that follows the lattice: 0 at a held point, 1 far from any.
    pub free: Vec<f64>,
    /// Cosine and sine of twice the weft's angle, of any length.
    pub weft: Vec<[f64; 2]>,
    /// How much is held along weft, along warp, and every way, 0 to 1.
    pub held: Vec<[f64; 3]>,
}

impl SheetPoints {
    /// Points of these charts, with nothing added yet.
    pub fn none(chart: Vec<u32>) -> Self {
        let n = chart.len();
        let (weft, held) = (vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        SheetPoints { place: vec![[0.0; 2]; n], chart, mass: vec![0.0; n], free: vec![1.0; n], weft, held }
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
        }
    }

    /// Whether the cloth at point `n` is held along a direction of its chart: every way, or so near to weft or warp that stretch across it
    /// makes no difference.
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
        }
    }
}

/// A point is held along a direction if this much of it is.
pub(super) const MOSTLY: f64 = 0.99;
/// The tangent of the angle to weft or warp up to which a way counts as along it: a tenth of stretch across it lengthens it by two thousandths.
const NEAR_GRAIN: f64 = 0.15;

/// A lattice and what hangs on it.
pub(super) struct Lattice {
    /// Up to three nodes of each point with weights; unused ones have weight 0.
    pub parents: Vec<[(u32, f64); 3]>,
    /// The nodes, as points for the next lattice (their `free` is yet to be set).
    pub nodes: SheetPoints,
    /// Triangles of nodes.
    pub triangles: Vec<[u32; 3]>,
    /// The number of the node at each place of the lattice, by chart, row and column.
    pub number: BTreeMap<(u32, i64, i64), u32>,
}

impl Lattice {
    /// The nodes around a place of a chart.
    pub fn around(&self, chart: u32, place: [f64; 2], spacing: f64) -> impl Iterator<Item = u32> {
        let places = around(place, spacing).map(|((row, column), _)| (chart, row, column));
        places.into_iter().filter_map(|key| self.number.get(&key).copied())
    }
}

/// Nodes with less than this part of a full node's mass are left out: they would fly about.
const LEAST_MASS: f64 = 0.1;

/// Cell and weights of a point: three lattice nodes around it.
fn around(p: [f64; 2], spacing: f64) -> [((i64, i64), f64); 3] {
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

/// Builds the lattice of one level. `spacing` (m) and `full` (kg, the mass of a node in the middle) are given by chart; charts
/// with spacing 0 have no lattice at this level.
pub(super) fn lattice(points: &SheetPoints, spacing: &[f64], full: &[f64]) -> Lattice {
    let mut mass: BTreeMap<(u32, i64, i64), f64> = BTreeMap::new();
    let of = |i: usize| spacing.get(points.chart[i] as usize).copied().unwrap_or(0.0);
    for i in 0..points.place.len() {
        let s = of(i);
        if s > 0.0 {
            for ((row, column), w) in around(points.place[i], s) {
                *mass.entry((points.chart[i], row, column)).or_default() += w * points.free[i] * points.mass[i];
            }
        }
    }
    mass.retain(|key, m| *m > LEAST_MASS * full[key.0 as usize]);
    let number: BTreeMap<_, u32> = mass.keys().enumerate().map(|(n, &key)| (key, n as u32)).collect();
    let mut out = Lattice {
        parents: vec![[(0, 0.0); 3]; points.place.len()],
        nodes: SheetPoints::none(number.keys().map(|key| key.0).collect()),
        triangles: Vec::new(),
        number: BTreeMap::new(),
    };
    for i in 0..points.place.len() {
        let s = of(i);
        if s > 0.0 {
            hang(points, i, &number, around(points.place[i], s), &mut out);
        }
    }
    out.nodes.divide();
    for &(chart, row, column) in number.keys() {
        let at = |r: i64, c: i64| number.get(&(chart, row + r, column + c)).copied();
        let corners = [[(0, 0), (0, 1), (1, 0)], [(1, 1), (1, 0), (0, 1)]];
        for c in corners {
            if let [Some(a), Some(b), Some(c)] = c.map(|(r, c)| at(r, c)) {
                out.triangles.push([a, b, c]);
            }
        }
    }
    out.number = number;
    out
}

/// Hangs a point on the nodes there are around it.
fn hang(
    points: &SheetPoints,
    i: usize,
    number: &BTreeMap<(u32, i64, i64), u32>,
    around: [((i64, i64), f64); 3],
    out: &mut Lattice,
) {
    let found = around.map(|((row, column), w)| (number.get(&(points.chart[i], row, column)).copied(), w));
    out.parents[i] = shares(found, points.free[i]);
    for (n, w) in out.parents[i].into_iter().filter(|p| p.1 > 0.0) {
        out.nodes.add(n as usize, points, i, w);
    }
}

/// Of nodes around a point those that there are, with weights that add up to `free`; the others have none.
pub(super) fn shares<const N: usize>(found: [(Option<u32>, f64); N], free: f64) -> [(u32, f64); N] {
    let total: f64 = found.iter().filter(|f| f.0.is_some()).map(|f| f.1).sum();
    found.map(|(n, w)| match n {
        Some(n) if total > 1e-3 => (n, w / total * free),
        _ => (0, 0.0),
    })
}
