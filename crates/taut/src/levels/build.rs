//! From a sheet and what is held of it to levels of coarse nodes.

use super::Inextensibility;
use super::blend::{Following, blend, keep_largest};
use super::chart::{Flat, NONE, flatten, sub};
use super::cluster::Clusters;
use super::hierarchy::{Hierarchy, Level};
use super::lattice::{Lattice, MOSTLY, SheetPoints, lattice};
use super::sheet::{RestSheet, area};
use super::transfer::Transfer;
use super::web::{Web, reached};
use crate::constraint::one_sided::LOOSE;
use crate::constraint::{Batch, Loose};
use crate::lanes::{Scalar, SharedVec};
use crate::limit::RestTriangle;
use crate::sets::Grouped;
use std::collections::BTreeMap;

/// Spacing of the finest lattice over the mean edge. The sweeps over elements do the rest; a lattice half as wide, with
/// no sweeps of its own, would hand on exactly the same. In charts of more than so many edges a side a finer one costs
/// less than it spares the limit.
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
/// Where the cloth is given in a shape in which a cell or a link is longer than where it lies flat, that much is its
/// due: the chart does not quite fit there. Less than this is rounding; a chart that is wrong by more than that is no
/// use.
const EXACT: f64 = 1.002;
const CROOKED: f64 = 1.25;

/// What was built.
pub(super) struct Built<T> {
    pub levels: Hierarchy<T, 3>,
    pub boundary: Hierarchy<T, 3>,
    pub charts: usize,
}

/// Builds all levels. `shape` is where vertices are in the shape that the cloth is given in, m; `pins` are the held
/// ones.
pub(super) fn build<T: Scalar>(
    sheet: &RestSheet,
    shape: &[[f64; 3]],
    pins: &[u32],
    settings: &Inextensibility,
) -> Built<T> {
    let plan = Plan::new(sheet, shape, pins);
    let levels = plan.levels(settings.levels, settings.sweeps);
    let mut boundary = Hierarchy::default();
    // Cloth that is soft one way hangs on its border alone.
    let one_way = sheet.held.iter().any(|h| h[0] != h[1]);
    if levels.list.len() >= BOUNDARY_LEVELS || (one_way && !levels.list.is_empty()) {
        boundary = super::border::boundary(&plan, sheet, settings, levels.list.len());
    }
    Built { levels, boundary, charts: plan.flat.area.len() }
}

/// What vertices follow on lattices over all cloth, each twice as wide as the one before and the first twice as wide as
/// the mesh; then what the nodes of each follow on the next. Nothing for vertices of no cloth, or of charts that are
/// too small.
pub(super) fn lattices(sheet: &RestSheet, shape: &[[f64; 3]]) -> Vec<Vec<Following>> {
    let plan = Plan::new(sheet, shape, &[]);
    let mut points = plan.points();
    let mut out = Vec::new();
    let mut web = &plan.web;
    let mut last;
    for number in 0..30 {
        let spacing: Vec<f64> = (0..plan.flat.area.len())
            .map(|c| {
                let s = NARROW * plan.flat.edge[c] * f64::from(1 << number);
                if plan.flat.area[c].sqrt() / s + 1.0 >= FEWEST_NARROW { s } else { 0.0 }
            })
            .collect();
        if spacing.iter().all(|&s| s == 0.0) {
            break;
        }
        let full: Vec<f64> = plan.density.iter().zip(&spacing).map(|(d, s)| d * s * s * 0.75f64.sqrt()).collect();
        let mut lattice = lattice(&points, web, &spacing, &full);
        lattice.follow = blend(&lattice.parents, web, |_| true);
        lattice.carry(&points);
        let hung = |p: &[(u32, f64); 3]| p.iter().copied().filter(|p| p.1 > 0.0).collect();
        let mut rows = lattice.follow.take().unwrap_or_else(|| lattice.parents.iter().map(hung).collect());
        rows.iter_mut().for_each(|row| keep_largest(row, FOLLOWED));
        out.push(rows);
        (points, last) = (lattice.nodes, lattice.web);
        web = &last;
    }
    out
}

/// Spacing of the finest of these lattices over the mean edge, and the fewest nodes a side.
const NARROW: f64 = 2.0;
const FEWEST_NARROW: f64 = 3.0;
/// Nodes of these lattices that a point follows at most. Beside cuts, which is everywhere on a garment that does not
/// lie flat, means of means would follow nine: with them coarse operators had more blocks than the finest, and a step
/// took two to three times as long, for 4 % fewer Newton steps.
const FOLLOWED: usize = 4;

/// What all levels are built from.
pub(super) struct Plan<'a> {
    pub flat: Flat,
    pub pins: &'a [u32],
    mass: Vec<f64>,
    /// Mass per area of each chart, kg/m².
    density: Vec<f64>,
    /// Held edges that did not lie flat, and their length (m).
    torn: Vec<([u32; 2], f64)>,
    /// Which vertices hang together, and neighbours that do.
    pub web: Web,
    neighbours: Grouped,
    /// Where vertices are in the shape that the cloth is given in, m, and how much the cloth is stretched there, 1 for
    /// not at all.
    shape: &'a [[f64; 3]],
    drawn: Vec<f64>,
}

impl<'a> Plan<'a> {
    fn new(sheet: &RestSheet, shape: &'a [[f64; 3]], pins: &'a [u32]) -> Self {
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
        let web = Web::of(sheet, &flat);
        let torn = torn(sheet, &web);
        let neighbours = web.neighbours(sheet.vertices(), false);
        Plan { flat, pins, mass, density, torn, web, neighbours, shape, drawn: drawn(sheet, shape) }
    }

    /// The vertices, to be carried by a lattice.
    pub fn points(&self) -> SheetPoints {
        let Flat { place, chart, weft, held, .. } = &self.flat;
        SheetPoints {
            place: place.clone(),
            chart: chart.clone(),
            mass: self.mass.clone(),
            carried: self.mass.clone(),
            free: vec![1.0; place.len()],
            weft: weft.clone(),
            held: held.clone(),
            shape: self.shape.to_vec(),
            drawn: self.drawn.clone(),
            home: (0..place.len() as u32).map(|v| (v, 0.0)).collect(),
        }
    }

    /// Lattices over the cloth, each twice as wide as the one before.
    fn levels<T: Scalar>(&self, most: u32, sweeps: u32) -> Hierarchy<T, 3> {
        let mut points = self.points();
        let mut list = Vec::new();
        let mut above = NodesAbove::new(&self.torn);
        let mut web = &self.web;
        let mut last;
        for number in 0..most {
            let spacing = self.spacing(f64::from(1 << number.min(30)));
            if spacing.iter().all(|&s| s == 0.0) {
                break;
            }
            let full: Vec<f64> = self.density.iter().zip(&spacing).map(|(d, s)| d * s * s * 0.75f64.sqrt()).collect();
            let near = NearPins::new(self, &spacing);
            for i in 0..points.place.len() {
                points.free[i] = near.free(points.chart[i], points.place[i]);
            }
            let mut lattice = lattice(&points, web, &spacing, &full);
            above.rise(&lattice.parents);
            lattice.follow = blend(&lattice.parents, web, |i| points.mass[i] > 0.0);
            lattice.carry(&points);
            let seams = seams(&self.flat, &lattice, &spacing, &self.torn, &above);
            list.push(level(&points, &lattice, &near, |_, _, d| d, seams));
            (points, last) = (lattice.nodes, lattice.web);
            web = &last;
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

/// The mean stretch of the cloth around each vertex in a shape, along weft or warp, whichever is more.
fn drawn(sheet: &RestSheet, shape: &[[f64; 3]]) -> Vec<f64> {
    let mut sum = vec![[0.0; 2]; sheet.vertices()];
    for (t, corners) in sheet.triangles.iter().enumerate() {
        let weight = area(&sheet.edges[t]);
        let Some([p, q, r, s]) = RestTriangle { vertices: *corners, edges: sheet.edges[t] }.inverse() else { continue };
        let at = corners.map(|v| shape[v as usize]);
        let most = f64::max(stretch(at, [p, q]), stretch(at, [r, s]));
        corners
            .iter()
            .for_each(|&v| sum[v as usize] = [sum[v as usize][0] + weight * most, sum[v as usize][1] + weight]);
    }
    sum.into_iter().map(|[sum, weight]| if weight > 0.0 { sum / weight } else { 1.0 }).collect()
}

/// |F u| of a triangle, F u = a (x1 − x0) + b (x2 − x0).
fn stretch(at: [[f64; 3]; 3], [a, b]: [f64; 2]) -> f64 {
    let along = [0, 1, 2].map(|k| a * (at[1][k] - at[0][k]) + b * (at[2][k] - at[0][k]));
    along.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// How long a piece of cloth may be, over what it is where it lies flat, given how long it is in a shape in which its
/// fibres are `drawn`; nothing if that is no use.
fn due(measured: f64, drawn: f64) -> Option<f64> {
    let due = measured / drawn.max(1.0);
    match due {
        d if d <= EXACT => Some(1.0),
        d if d <= CROOKED => Some(d),
        _ => None,
    }
}

/// The nodes above vertices at cuts, level by level.
struct NodesAbove(BTreeMap<u32, Vec<u32>>);

impl NodesAbove {
    fn new(torn: &[([u32; 2], f64)]) -> Self {
        NodesAbove(torn.iter().flat_map(|t| t.0).map(|v| (v, vec![v])).collect())
    }

    /// On to the nodes that points hang on.
    fn rise(&mut self, parents: &[[(u32, f64); 3]]) {
        for list in self.0.values_mut() {
            let up = list.iter().flat_map(|&i| parents[i as usize]).filter(|p| p.1 > 0.0);
            *list = up.map(|p| p.0).collect();
            list.sort_unstable();
            list.dedup();
        }
    }

    fn has(&self, vertex: u32, node: u32) -> bool {
        self.0.get(&vertex).is_some_and(|list| list.binary_search(&node).is_ok())
    }
}

/// Edges of triangles held both ways between whose ends the cloth had to be cut, and their lengths, m.
fn torn(sheet: &RestSheet, web: &Web) -> Vec<([u32; 2], f64)> {
    let mut torn = Vec::new();
    for (t, corners) in sheet.triangles.iter().enumerate().filter(|(t, _)| sheet.held[*t] == [true; 2]) {
        let at = [[0.0; 2], sheet.edges[t][0], sheet.edges[t][1]];
        for k in 0..3 {
            let ends = [corners[k], corners[(k + 1) % 3]];
            if !web.joins(ends[0], ends[1]) {
                let d = sub(at[(k + 1) % 3], at[k]);
                torn.push((ends, d[0].hypot(d[1])));
            }
        }
    }
    torn
}

/// A chart, and a square of its lattice's spacing in it.
type Square = (u32, i64, i64);

/// Finds held vertices near a place.
pub(super) struct NearPins<'a> {
    plan: &'a Plan<'a>,
    flat: &'a Flat,
    spacing: &'a [f64],
    /// By chart and square of the spacing's size.
    squares: BTreeMap<Square, Vec<u32>>,
}

impl<'a> NearPins<'a> {
    pub fn new(plan: &'a Plan<'_>, spacing: &'a [f64]) -> Self {
        let flat = &plan.flat;
        let mut near = NearPins { plan, flat, spacing, squares: BTreeMap::new() };
        for &pin in plan.pins {
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

    /// What of the cloth hangs together with held vertices within reach of them, ascending.
    fn reach(&self, pins: &[u32]) -> Vec<u32> {
        let Some(&first) = pins.first() else { return Vec::new() };
        let (chart, middle) = (self.flat.chart[first as usize], self.middle(pins));
        let far = (REACH + 1.0) * self.spacing[chart as usize];
        reached(&self.plan.neighbours, pins, |v| {
            let d = sub(self.flat.place[v as usize], middle);
            self.flat.chart[v as usize] == chart && d[0] * d[0] + d[1] * d[1] <= far * far
        })
    }

    /// The middle of held vertices in the shape that the cloth is given in.
    fn shape(&self, pins: &[u32]) -> [f64; 3] {
        let sum = |k: usize| pins.iter().map(|&p| self.plan.shape[p as usize][k]).sum::<f64>();
        [0, 1, 2].map(|k| sum(k) / pins.len().max(1) as f64)
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

/// Two nodes, and how far apart they may be, m.
pub(super) type Link = ([u32; 2], f64);

/// One level: what hangs on the lattice's nodes, what holds them, and `links` besides. `tie` says how far a node may be
/// from the middle of held vertices near it, given how far it is in the chart.
pub(super) fn level<T: Scalar>(
    points: &SheetPoints,
    lattice: &Lattice,
    near: &NearPins<'_>,
    tie: impl Fn(usize, &[u32], f64) -> f64,
    mut links: Vec<Link>,
) -> Level<T, 3> {
    let nodes = lattice.nodes.mass.len();
    // The held vertices of a square are one held node.
    let number: BTreeMap<_, usize> = near.squares.keys().enumerate().map(|(n, &key)| (key, n)).collect();
    let spare = (nodes + number.len()) as u32;
    let zero = T::of(0.0);
    let mut x = vec![[zero; 4]; spare as usize + 1];
    for n in 0..nodes {
        x[n][3] = T::of(1.0 / lattice.nodes.carried[n].max(1e-300));
    }
    links.extend(to_held(lattice, near, &number, tie));
    let held: Vec<[f64; 3]> = near.squares.values().map(|pins| near.shape(pins)).collect();
    let links: Vec<_> = links.into_iter().filter_map(|link| due_rod(&lattice.nodes, &held, link)).collect();
    let (cells, full) = cells(lattice, near);
    let mut transfer = Transfer::new(&points.mass, &lattice.nodes.mass, &lattice.parents);
    if let Some(rows) = &lattice.follow {
        transfer.follow(rows);
    }
    Level {
        transfer,
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

/// A link as long as is its due; `held` are where held nodes are in the shape that the cloth is given in.
fn due_rod(nodes: &SheetPoints, held: &[[f64; 3]], (ends, length): Link) -> Option<Loose<2, 2, 0>> {
    let count = nodes.mass.len();
    let [p, q] = ends.map(|n| *nodes.shape.get(n as usize).unwrap_or_else(|| &held[n as usize - count]));
    let drawn = ends.iter().filter_map(|&n| nodes.drawn.get(n as usize)).copied().fold(1.0, f64::max);
    let d = [0, 1, 2].map(|k| p[k] - q[k]).iter().map(|c| c * c).sum::<f64>().sqrt();
    due(d / length.max(1e-300), drawn).map(|due| rod(ends, length * due))
}

/// Links from held nodes to those near them, as long as at rest.
fn to_held(
    lattice: &Lattice,
    near: &NearPins<'_>,
    number: &BTreeMap<Square, usize>,
    tie: impl Fn(usize, &[u32], f64) -> f64,
) -> Vec<Link> {
    let nodes = &lattice.nodes;
    let reach: BTreeMap<Square, Vec<u32>> = near.squares.iter().map(|(&key, pins)| (key, near.reach(pins))).collect();
    let mut links = Vec::new();
    for n in 0..nodes.mass.len() {
        for (key, pins) in near.around(nodes.chart[n], nodes.place[n], 2) {
            let way = sub(near.middle(pins), nodes.place[n]);
            let d = tie(n, pins, way[0].hypot(way[1]));
            let near_by = d <= REACH * near.spacing[nodes.chart[n] as usize];
            if near_by && nodes.held_along(n, way) && reach[&key].binary_search(&nodes.home[n].0).is_ok() {
                links.push(([n as u32, (nodes.mass.len() + number[&key]) as u32], d));
            }
        }
    }
    links
}

/// Links between nodes on both sides of where the cloth had to be cut to lie flat, as long as the shortest way over a
/// cut edge.
fn seams(flat: &Flat, lattice: &Lattice, spacing: &[f64], torn: &[([u32; 2], f64)], above: &NodesAbove) -> Vec<Link> {
    let nodes = &lattice.nodes;
    let mut shortest: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for &(ends, length) in torn {
        let sides = ends.map(|v| {
            let (chart, place) = (flat.chart[v as usize], flat.place[v as usize]);
            let s = spacing.get(chart as usize).copied().unwrap_or(0.0);
            let near = if s > 0.0 { lattice.around(chart, place, s, |n| above.has(v, n)) } else { Vec::new() };
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
    shortest.into_iter().collect()
}

/// Triangles of nodes, held along the weft and the warp there. Those around a held vertex are left out: its links do
/// their work, and both together made it worse.
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
        let shape = t.map(|n| nodes.shape[n as usize]);
        let drawn = t.iter().map(|&n| nodes.drawn[n as usize]).fold(1.0, f64::max);
        let due = [due(stretch(shape, a), drawn)?, due(stretch(shape, b), drawn)?];
        let most = [0, 1].map(|k| if held(k) { due[k] } else { LOOSE });
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
