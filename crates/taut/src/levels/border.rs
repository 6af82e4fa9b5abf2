//! Levels along the border of the cloth.
//!
//! A hem that hangs from a pin is taut in a strip of a few edges, narrower than any lattice over the cloth can see. So
//! the border has levels of its own: nodes along it, each the mean of a piece of one strip, kept from drifting apart
//! further than they are along the cloth.

use super::Inextensibility;
use super::blend::blend;
use super::build::{FEWEST, Link, NearPins, Plan, level};
use super::chart::{NONE, sides, sub};
use super::geodesic::Paths;
use super::hierarchy::Hierarchy;
use super::lattice::{Lattice, SheetPoints, shares};
use super::sheet::RestSheet;
use crate::lanes::Scalar;
use std::collections::BTreeMap;

/// Spacing of the first level, in mean edges.
const SPACING: f64 = 4.0;
/// Most strips beside each other, the first two of one row of vertices, each other twice as wide as the one before.
const STRIPS: u32 = 4;
/// Up to so many held vertices, near each other, hold nodes.
const FEW: usize = 2;
/// Nodes with less than this part of the mass of the heaviest in their strip are left out.
const LEAST_MASS: f64 = 0.1;

/// A piece of border, closed or not.
struct Hem {
    /// m.
    length: f64,
    edges: usize,
    closed: bool,
}

impl Hem {
    /// The way between two points as if the border were straight, m; infinite if they are not at the same one.
    fn way(&self, a: Along, b: Along) -> f64 {
        let d = (a.way - b.way).abs();
        match a.hem == b.hem {
            true if self.closed => d.min(self.length - d).hypot(a.depth - b.depth),
            true => d.hypot(a.depth - b.depth),
            false => f64::INFINITY,
        }
    }
}

/// Where a point is in a strip along the border.
#[derive(Clone, Copy)]
struct Along {
    hem: u32,
    /// 0 is the border itself.
    strip: u32,
    /// Way along the border, and distance from it, m.
    way: f64,
    depth: f64,
}

/// The place of a node: chart, hem, strip, and number along the hem. Places in different charts have no mean.
type NodePlace = (u32, u32, u32, usize);

/// All levels along all borders, in as many strips as there are `levels` over the cloth.
pub(super) fn boundary<T: Scalar>(
    plan: &Plan<'_>,
    sheet: &RestSheet,
    settings: &Inextensibility,
    levels: usize,
) -> Hierarchy<T, 3> {
    let (hems, vertices) = strips(plan, sheet, STRIPS.min(levels as u32));
    let mut along = vertices.clone();
    let mut points = plan.points();
    let mut list = Vec::new();
    let mut web = plan.web.within(|v| vertices[v as usize].map(|a| (a.hem, a.strip)));
    for number in 0..settings.levels {
        let scale = SPACING * f64::from(1 << number.min(30));
        let counts: Vec<usize> = hems.iter().map(|h| (h.edges as f64 / scale) as usize).collect();
        if counts.iter().all(|&n| n < FEWEST as usize) {
            break;
        }
        let spacing: Vec<f64> = plan.flat.edge.iter().map(|e| e * scale).collect();
        let near = NearPins::new(plan, &spacing);
        for i in (0..along.len()).filter(|&i| along[i].is_some()) {
            points.free[i] = near.free(points.chart[i], points.place[i]);
        }
        let (mut lattice, nodes, links) = string(&points, &along, &hems, &counts);
        lattice.follow = blend(&lattice.parents, &web, |i| points.mass[i] > 0.0);
        lattice.carry(&points);
        web = web.above(&lattice.parents);
        // A pin or two. Where much is held, there is no hem that hangs from it.
        let tie = |n: usize, pins: &[u32], d: f64| {
            let way = |pin: u32| Some(hems[nodes[n]?.hem as usize].way(nodes[n]?, vertices[pin as usize]?));
            let furthest = pins.iter().map(|&pin| way(pin).unwrap_or(f64::INFINITY)).fold(d, f64::max);
            if pins.len() <= FEW { furthest } else { f64::INFINITY }
        };
        list.push(level(&points, &lattice, &near, tie, links));
        (points, along) = (lattice.nodes, nodes);
    }
    Hierarchy { list, sweeps: settings.sweeps }
}

/// The borders, and where each vertex is along them.
fn strips(plan: &Plan<'_>, sheet: &RestSheet, most: u32) -> (Vec<Hem>, Vec<Option<Along>>) {
    let (hems, ways) = walk(sheet);
    let border: Vec<u32> = ways.keys().copied().collect();
    let paths = Paths::new(&sheet.triangles, &sheet.edges, |_| true, sheet.vertices());
    let (distance, source) = paths.from(&border, sheet.vertices());
    let one = |v: usize| {
        let edge = *plan.flat.edge.get(plan.flat.chart[v] as usize)?;
        // Rows 0; 1; 2 and 3; 4 to 7; and so on.
        let row = (distance[v] / edge + 0.5).floor().min(1e6) as u32;
        let strip = u32::BITS - row.leading_zeros();
        let (hem, way) = *ways.get(&source[v])?;
        (strip < most).then_some(Along { hem, strip, way, depth: distance[v] })
    };
    (hems, (0..sheet.vertices()).map(one).collect())
}

/// Walks along all borders. Of each vertex there: the hem, and the way along it.
fn walk(sheet: &RestSheet) -> (Vec<Hem>, BTreeMap<u32, (u32, f64)>) {
    let mut next: BTreeMap<u32, Vec<(u32, f64)>> = BTreeMap::new();
    for (t, across) in sides(sheet).iter().enumerate() {
        let at = [[0.0; 2], sheet.edges[t][0], sheet.edges[t][1]];
        for k in (0..3).filter(|&k| across[k] == NONE) {
            let d = sub(at[(k + 1) % 3], at[k]);
            let (a, b) = (sheet.triangles[t][k], sheet.triangles[t][(k + 1) % 3]);
            next.entry(a).or_default().push((b, d[0].hypot(d[1])));
            next.entry(b).or_default().push((a, d[0].hypot(d[1])));
        }
    }
    let (mut hems, mut ways) = (Vec::new(), BTreeMap::new());
    let starts: Vec<u32> = next.keys().copied().collect();
    for start in starts {
        let (mut at, mut hem) = (start, Hem { length: 0.0, edges: 0, closed: false });
        while let Some((to, length)) = next.get_mut(&at).and_then(Vec::pop) {
            if let Some(back) = next.get_mut(&to).and_then(|n| n.iter().position(|b| b.0 == at).map(|i| (n, i))) {
                back.0.remove(back.1);
            }
            ways.entry(at).or_insert((hems.len() as u32, hem.length));
            hem.length += length;
            hem.edges += 1;
            at = to;
        }
        if hem.edges > 0 {
            hem.closed = at == start;
            ways.entry(at).or_insert((hems.len() as u32, hem.length));
            hems.push(hem);
        }
    }
    (hems, ways)
}

/// Nodes along the hems, where they are, and the links between them.
fn string(
    points: &SheetPoints,
    along: &[Option<Along>],
    hems: &[Hem],
    counts: &[usize],
) -> (Lattice, Vec<Option<Along>>, Vec<Link>) {
    // The two nodes beside a point: place, weight, and how far on from the node the point is, in spacings.
    let beside = |i: usize| {
        let a = along[i].filter(|a| counts[a.hem as usize] >= FEWEST as usize)?;
        let (hem, n) = (&hems[a.hem as usize], counts[a.hem as usize]);
        let u = (a.way / hem.length * n as f64).clamp(0.0, n as f64);
        let k = (u as usize).min(n - 1);
        let f = u - k as f64;
        let last = if hem.closed { (k + 1) % n } else { k + 1 };
        let key = |k: usize| (points.chart[i], a.hem, a.strip, k);
        Some([(key(k), 1.0 - f, f), (key(last), f, f - 1.0)])
    };
    let number = heavy(points, along.len(), &beside);
    let count = number.len();
    let nodes = SheetPoints::none(number.keys().map(|key| key.0).collect());
    let mut lattice = Lattice::new(vec![[(0, 0.0); 3]; points.place.len()], nodes);
    let mut on = vec![[0.0; 2]; count];
    for i in 0..along.len() {
        let Some(beside) = beside(i) else { continue };
        lattice.parents[i] = {
            let [a, b] = beside.map(|(key, w, _)| (number.get(&key).copied(), w));
            shares([a, b, (None, 0.0)], points.free[i])
        };
        let depth = along[i].map_or(0.0, |a| a.depth);
        for ((n, w), (_, _, off)) in lattice.parents[i].into_iter().zip(beside).filter(|p| p.0.1 > 0.0) {
            lattice.nodes.add(n as usize, points, i, w);
            on[n as usize][0] += w * points.mass[i] * off;
            on[n as usize][1] += w * points.mass[i] * depth;
        }
    }
    lattice.nodes.divide();
    let place = |(n, key): (usize, &NodePlace)| {
        let (hem, pieces) = (&hems[key.1 as usize], counts[key.1 as usize] as f64);
        let [on, depth] = on[n].map(|sum| sum / lattice.nodes.mass[n].max(1e-300));
        let way = (key.3 as f64 + on) * hem.length / pieces;
        let way = if hem.closed { way.rem_euclid(hem.length) } else { way };
        Some(Along { hem: key.1, strip: key.2, way, depth })
    };
    let nodes: Vec<Option<Along>> = number.keys().enumerate().map(place).collect();
    let links = rods(&number, &lattice.nodes, &nodes, hems, counts);
    (lattice, nodes, links)
}

/// Numbers the nodes that have enough mass.
fn heavy(
    points: &SheetPoints,
    count: usize,
    beside: &impl Fn(usize) -> Option<[(NodePlace, f64, f64); 2]>,
) -> BTreeMap<NodePlace, u32> {
    let mut mass: BTreeMap<NodePlace, f64> = BTreeMap::new();
    let mut most: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for i in 0..count {
        for (key, w, _) in beside(i).into_iter().flatten() {
            let m = mass.entry(key).or_default();
            *m += w * points.free[i] * points.mass[i];
            let most = most.entry((key.1, key.2)).or_default();
            *most = most.max(*m);
        }
    }
    mass.retain(|key, m| *m > LEAST_MASS * most[&(key.1, key.2)]);
    mass.keys().enumerate().map(|(n, &key)| (key, n as u32)).collect()
}

/// Links between neighbours along a strip: as far apart as along the border, or as where the cloth lies flat, whichever
/// is further. A strip around a hole is longer than the border, and means of pieces of a skirt are further apart than
/// where it lies flat, for it is bent.
fn rods(
    number: &BTreeMap<NodePlace, u32>,
    nodes: &SheetPoints,
    along: &[Option<Along>],
    hems: &[Hem],
    counts: &[usize],
) -> Vec<Link> {
    let mut pieces: BTreeMap<(u32, u32, usize), Vec<u32>> = BTreeMap::new();
    for (&(_, hem, strip, k), &n) in number {
        pieces.entry((hem, strip, k)).or_default().push(n);
    }
    let mut links = Vec::new();
    for (&(hem, strip, k), list) in &pieces {
        let next = if hems[hem as usize].closed { (k + 1) % counts[hem as usize] } else { k + 1 };
        for (&a, &b) in
            list.iter().flat_map(|a| pieces.get(&(hem, strip, next)).into_iter().flatten().map(move |b| (a, b)))
        {
            let d = sub(nodes.place[a as usize], nodes.place[b as usize]);
            let held = [a, b].iter().all(|&n| nodes.held_along(n as usize, d));
            let flat = if nodes.chart[a as usize] == nodes.chart[b as usize] { d[0].hypot(d[1]) } else { 0.0 };
            let way = along[a as usize].zip(along[b as usize]).map_or(0.0, |(p, q)| hems[hem as usize].way(p, q));
            // Much nearer where it lies flat than along the border: around a corner, or torn apart by a cut.
            let odd = strip > 0 && flat < 0.95 * way;
            let length = if strip == 0 { way } else { way.max(flat) };
            if held && !odd && length > 0.0 && a != b {
                links.push(([a, b], length));
            }
        }
    }
    links
}
