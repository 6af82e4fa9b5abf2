//! From a sheet and what is held of it to levels of coarse nodes.

use super::Inextensibility;
use super::chart::{Flat, NONE, flatten, sub};
use super::cluster::Clusters;
use super::hierarchy::{Hierarchy, Level};
use super::lattice::{Lattice, MOSTLY, SheetPoints, lattice};
use super::sheet::RestSheet;
use super::transfer::Transfer;
use crate::constraint::one_sided::LOOSE;
use crate::constraint::{Batch, Loose};
use crate::lanes::{Scalar, SharedVec};
use std::collections::BTreeMap;

/// Spacing of the finest lattice over the mean edge. The sweeps over elements do the rest; a lattice half as wide, with no
/// sweeps of its own, would hand on exactly the same. In charts of more than so many edges a side a finer one costs less than it
/// spares the limit.
const SPACING: f64 = 4.0;
const FINE_SPACING: f64 = 3.0;
const LARGE: f64 = 200.0;
/// No lattice has fewer nodes a side than about this.
pub(super) const FEWEST: f64 = 4.0;
/// From so many levels those along the border pay.
const BOUNDARY_LEVELS: usize = 3;
/// Held nodes are linked to nodes within this many spacings.
const REACH: f64 = 1.3;
/// Nodes are linked over a seam within this many spacings.
const SEAM_REACH: f64 = 1.6;

/// What was built.
pub(super) struct Built<T> {
    pub levels: Hierarchy<T, 3>,
    pub boundary: Hierarchy<T, 3>,
    pub charts: usize,
}

/// Builds all levels. `pins` are the held vertices.
pub(super) fn build<T: Scalar>(sheet: &RestSheet, pins: &[u32], settings: &Inextensibility) -> Built<T> {
    let plan = Plan::new(sheet, pins);
    let levels = plan.levels(settings.levels, settings.sweeps);
    let mut boundary = Hierarchy::default();
    // Cloth that is soft one way hangs on its border alone.
    let one_way = sheet.held.iter().any(|h| h[0] != h[1]);
    if levels.list.len() >= BOUNDARY_LEVELS || (one_way && !levels.list.is_empty()) {
        boundary = super::border::boundary(&plan, sheet, settings, levels.list.len());
    }
    Built { levels, boundary, charts: plan.flat.area.len() }
}

/// What all levels are built from.
pub(super) struct Plan<'a> {
    pub flat: Flat,
    pub pins: &'a [u32],
    mass: Vec<f64>,
    /// Mass per area of each chart, kg/m².
    density: Vec<f64>,
    /// Held edges that did not lie flat, and their length (m).
    torn: Vec<([u32; 2], f64)>,
}

impl<'a> Plan<'a> {
    fn new(sheet: &RestSheet, pins: &'a [u32]) -> Self {
        let flat = flatten(sheet);
        let mut density = vec![0.0; flat.area.len()];
        for (v, &chart) in flat.chart.iter().enumerate().filter(|c| *c.1 != NONE) {
            density[chart as usize] += sheet.mass[v];
        }
        for (d, area) in density.iter_mut().zip(&flat.area) {
            *d /= area.max(1e-300);
        }
        let mut mass = sheet.mass.clone();
        pins.iter().for_each(|&p| mass[p as usize] = 0.0);
        let torn = torn(sheet, &flat);
        Plan { flat, pins, mass, density, torn }
    }

    /// The vertices, to be carried by a lattice.
    pub fn points(&self) -> SheetPoints {
        let Flat { place, chart, weft, held, .. } = &self.flat;
        let (mass, free) = (self.mass.clone(), vec![1.0; place.len()]);
        SheetPoints { place: place.clone(), chart: chart.clone(), mass, free, weft: weft.clone(), held: held.clone() }
    }

    /// Lattices over the cloth, each twice as wide as the one before.
    fn levels<T: Scalar>(&self, most: u32, sweeps: u32) -> Hierarchy<T, 3> {
        let mut points = self.points();
        let mut list = Vec::new();
        for number in 0..most {
            let spacing = self.spacing(f64::from(1 << number.min(30)));
            if spacing.iter().all(|&s| s == 0.0) {
                break;
            }
            let full: Vec<f64> = self.density.iter().zip(&spacing).map(|(d, s)| d * s * s * 0.75f64.sqrt()).collect();
            let near = NearPins::new(&self.flat, self.pins, &spacing);
            for i in 0..points.place.len() {
                points.free[i] = near.free(points.chart[i], points.place[i]);
            }
            let lattice = lattice(&points, &spacing, &full);
            let seams = seams(&self.flat, &lattice, &spacing, &self.torn);
            list.push(level(&points, &lattice, &near, |_, _, d| d, seams));
            points = lattice.nodes;
        }
        Hierarchy { list, sweeps }
    }

    /// The spacing in each chart, `times` that of its finest lattice, m; 0 in charts too small for it.
    fn spacing(&self, times: f64) -> Vec<f64> {
        let one = |c: usize| {
            let (side, edge) = (self.flat.area[c].sqrt(), self.flat.edge[c]);
            let s = edge * times * if side > LARGE * edge { FINE_SPACING } else { SPACING };
            if side / s + 1.0 >= FEWEST { s } else { 0.0 }
        };
        (0..self.flat.area.len()).map(one).collect()
    }
}

/// Edges of triangles held both ways whose ends lie in two charts, or further apart than they are long.
fn torn(sheet: &RestSheet, flat: &Flat) -> Vec<([u32; 2], f64)> {
    let mut torn = Vec::new();
    for (t, corners) in sheet.triangles.iter().enumerate().filter(|(t, _)| sheet.held[*t] == [true; 2]) {
        let at = [[0.0; 2], sheet.edges[t][0], sheet.edges[t][1]];
        for k in 0..3 {
            let ends = [corners[k], corners[(k + 1) % 3]];
            let d = sub(at[(k + 1) % 3], at[k]);
            let e = sub(flat.place[ends[1] as usize], flat.place[ends[0] as usize]);
            let length = d[0].hypot(d[1]);
            let together = flat.chart[ends[0] as usize] == flat.chart[ends[1] as usize];
            if !together || e[0].hypot(e[1]) > 1.5 * length {
                torn.push((ends, length));
            }
        }
    }
    torn
}

/// A chart, and a square of its lattice's spacing in it.
type Square = (u32, i64, i64);

/// Finds held vertices near a place.
pub(super) struct NearPins<'a> {
    flat: &'a Flat,
    spacing: &'a [f64],
    /// By chart and square of the spacing's size.
    squares: BTreeMap<Square, Vec<u32>>,
}

impl<'a> NearPins<'a> {
    pub fn new(flat: &'a Flat, pins: &[u32], spacing: &'a [f64]) -> Self {
        let mut near = NearPins { flat, spacing, squares: BTreeMap::new() };
        for &pin in pins {
            if let Some(key) = near.square(flat.chart[pin as usize], flat.place[pin as usize]) {
                near.squares.entry(key).or_default().push(pin);
            }
        }
        near
    }

    fn square(&self, chart: u32, place: [f64; 2]) -> Option<Square> {
        let s = self.spacing.get(chart as usize).copied().filter(|&s| s > 0.0)?;
        let [i, j] = place.map(|c| (c / s).floor() as i64);
        Some((chart, i, j))
    }

    /// The squares around a place, if they have held vertices.
    fn around(&self, chart: u32, place: [f64; 2], reach: i64) -> Vec<(Square, &Vec<u32>)> {
        let Some((_, i, j)) = self.square(chart, place).filter(|_| !self.squares.is_empty()) else { return Vec::new() };
        let offsets = (-reach..=reach).flat_map(|a| (-reach..=reach).map(move |b| (a, b)));
        offsets
            .filter_map(|(a, b)| self.squares.get(&(chart, i + a, j + b)).map(|pins| ((chart, i + a, j + b), pins)))
            .collect()
    }

    /// How much a point follows the lattice: its distance from what is held over the spacing, at most 1.
    pub fn free(&self, chart: u32, place: [f64; 2]) -> f64 {
        let mut least = f64::INFINITY;
        for (_, pins) in self.around(chart, place, 1) {
            for &pin in pins {
                let d = sub(place, self.flat.place[pin as usize]);
                least = least.min(d[0].hypot(d[1]));
            }
        }
        if least.is_finite() { (least / self.spacing[chart as usize]).min(1.0) } else { 1.0 }
    }

    /// The middle of held vertices.
    fn middle(&self, pins: &[u32]) -> [f64; 2] {
        let sum = pins.iter().fold([0.0; 2], |s, &p| {
            let at = self.flat.place[p as usize];
            [s[0] + at[0], s[1] + at[1]]
        });
        sum.map(|c| c / pins.len().max(1) as f64)
    }
}

/// One level: what hangs on the lattice's nodes, what holds them, and `links` besides. `tie` says how far a node may be from the middle of
/// held vertices near it, given how far it is in the chart.
pub(super) fn level<T: Scalar>(
    points: &SheetPoints,
    lattice: &Lattice,
    near: &NearPins<'_>,
    tie: impl Fn(usize, &[u32], f64) -> f64,
    mut links: Vec<Loose<2, 2, 0>>,
) -> Level<T, 3> {
    let nodes = lattice.nodes.mass.len();
    // The held vertices of a square are one held node.
    let number: BTreeMap<_, usize> = near.squares.keys().enumerate().map(|(n, &key)| (key, n)).collect();
    let spare = (nodes + number.len()) as u32;
    let zero = T::of(0.0);
    let mut x = vec![[zero; 4]; spare as usize + 1];
    for n in 0..nodes {
        x[n][3] = T::of(1.0 / lattice.nodes.mass[n].max(1e-300));
    }
    links.extend(to_held(lattice, near, &number, tie));
    let (cells, full) = cells(lattice, near);
    Level {
        transfer: Transfer::new(&points.mass, &lattice.nodes.mass, &lattice.parents),
        held: near.squares.values().cloned().collect(),
        links: Batch::pack(&links, spare),
        cells: Batch::pack(&cells, spare),
        full: Batch::pack(&full, spare),
        clusters: Clusters::default(),
        nodes,
        base: SharedVec::new(x.clone()),
        x: SharedVec::new(x),
    }
}

/// Two nodes no further apart than `length`, m.
pub(super) fn rod(index: [u32; 2], length: f64) -> Loose<2, 2, 0> {
    Loose::bare(index, [length * length, length])
}

/// Links from held nodes to those near them, as long as at rest.
fn to_held(
    lattice: &Lattice,
    near: &NearPins<'_>,
    number: &BTreeMap<Square, usize>,
    tie: impl Fn(usize, &[u32], f64) -> f64,
) -> Vec<Loose<2, 2, 0>> {
    let nodes = &lattice.nodes;
    let mut links = Vec::new();
    for n in 0..nodes.mass.len() {
        for (key, pins) in near.around(nodes.chart[n], nodes.place[n], 2) {
            let way = sub(near.middle(pins), nodes.place[n]);
            let d = tie(n, pins, way[0].hypot(way[1]));
            if d <= REACH * near.spacing[nodes.chart[n] as usize] && nodes.held_along(n, way) {
                let index = [n as u32, (nodes.mass.len() + number[&key]) as u32];
                links.push(rod(index, d));
            }
        }
    }
    links
}

/// Links between nodes on both sides of where the cloth had to be cut to lie flat, as long as the shortest way over a cut edge.
fn seams(flat: &Flat, lattice: &Lattice, spacing: &[f64], torn: &[([u32; 2], f64)]) -> Vec<Loose<2, 2, 0>> {
    let nodes = &lattice.nodes;
    let mut shortest: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for &(ends, length) in torn {
        let sides = ends.map(|v| {
            let (chart, place) = (flat.chart[v as usize], flat.place[v as usize]);
            let s = spacing.get(chart as usize).copied().unwrap_or(0.0);
            let near = if s > 0.0 { lattice.around(chart, place, s).collect() } else { Vec::new() };
            let way = |n: u32| {
                let d = sub(place, nodes.place[n as usize]);
                (n, d[0].hypot(d[1]), s)
            };
            near.into_iter().map(way).collect::<Vec<_>>()
        });
        for &(a, to_a, s) in &sides[0] {
            for &(b, to_b, _) in sides[1].iter().filter(|b| b.0 != a) {
                let way = to_a + length + to_b;
                if way <= SEAM_REACH * s {
                    let least = shortest.entry([a.min(b), a.max(b)]).or_insert(f64::INFINITY);
                    *least = least.min(way);
                }
            }
        }
    }
    shortest.into_iter().map(|(index, d)| rod(index, d)).collect()
}

/// Triangles of nodes, held along the weft and the warp there. Those around a held vertex are left out: its links do their
/// work, and both together made it worse.
fn cells(lattice: &Lattice, near: &NearPins<'_>) -> (Vec<Loose<3, 6, 0>>, Vec<Loose<3, 6, 0>>) {
    let nodes = &lattice.nodes;
    let cell = |t: &[u32; 3]| {
        let at = t.map(|n| nodes.place[n as usize]);
        let middle = [0, 1].map(|k| (at[0][k] + at[1][k] + at[2][k]) / 3.0);
        let mut around = near.around(nodes.chart[t[0] as usize], middle, 1).into_iter().flat_map(|(_, pins)| pins);
        if around.any(|&p| inside(near.flat.place[p as usize], at)) {
            return None;
        }
        let weft = |k: usize| t.iter().map(|&n| nodes.weft[n as usize][k]).sum::<f64>();
        let held = |k: usize| t.iter().all(|&n| nodes.held[n as usize][k] > MOSTLY);
        let half = 0.5 * weft(1).atan2(weft(0));
        let (r, s) = (sub(at[1], at[0]), sub(at[2], at[0]));
        let det = r[0] * s[1] - r[1] * s[0];
        if det.abs() < 1e-3 * (r[0] * r[0] + r[1] * r[1] + s[0] * s[0] + s[1] * s[1]) {
            return None;
        }
        // (a, b) with a r + b s = u.
        let solve = |u: [f64; 2]| [(u[0] * s[1] - u[1] * s[0]) / det, (r[0] * u[1] - r[1] * u[0]) / det];
        let (a, b) = (solve([half.cos(), half.sin()]), solve([-half.sin(), half.cos()]));
        let most = [0, 1].map(|k| if held(k) { 1.0 } else { LOOSE });
        let rest = [a[0], a[1], b[0], b[1], most[0], most[1]];
        let cell = Loose::bare(*t, rest);
        (most != [LOOSE; 2]).then_some((cell, held(2)))
    };
    let (full, plain): (Vec<_>, Vec<_>) = lattice.triangles.iter().filter_map(cell).partition(|(_, full)| *full);
    let strip = |list: Vec<(Loose<3, 6, 0>, bool)>| list.into_iter().map(|(cell, _)| cell).collect();
    (strip(plain), strip(full))
}

fn inside(p: [f64; 2], t: [[f64; 2]; 3]) -> bool {
    let side = |a: [f64; 2], b: [f64; 2]| {
        let (d, e) = (sub(b, a), sub(p, a));
        d[0] * e[1] - d[1] * e[0]
    };
    let s = [side(t[0], t[1]), side(t[1], t[2]), side(t[2], t[0])];
    s.iter().all(|&c| c >= 0.0) || s.iter().all(|&c| c <= 0.0)
}
