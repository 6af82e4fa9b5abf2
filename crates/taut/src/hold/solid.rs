//! Levels for stiff solids: lattices in space, whose nodes stay as far apart as they are at rest.
//!
//! A node is a piece of the solid: what of it lies around a place of the lattice, and hangs together there. Two prongs of a fork that
//! pass the same place are two nodes, and nothing ties them.

use super::Hold;
use super::build::{FEWEST, entries, parents, rod};
use super::lattice::shares;
use super::levels::{Level, Levels};
use super::sheet::{LEAST_SHARE, MARGIN, USUAL_LIMIT};
use crate::element::Element;
use crate::lanes::{BLOCK, Scalar, Vertex};
use crate::model::{Model, Visit};
use crate::pack::{Batch, SLACK};
use std::collections::BTreeMap;

/// Spacing of the finest lattice over the mean edge.
const SPACING: f64 = 3.0;
/// Bending takes more sweeps than stretch, and the lattices of a solid have few nodes for its many elements.
const MORE_SWEEPS: u32 = 4;
/// Nodes on which no more than so many points hang are left out: they would fly about.
const LEAST_POINTS: f64 = 0.5;
/// Corners of the tetrahedron of the lattice around a place.
const CORNERS: usize = 4;

/// Points of a solid: vertices, or nodes of a finer lattice.
struct Points {
    place: Vec<[f64; 3]>,
    mass: Vec<f64>,
    /// Pairs that hang together.
    ties: Vec<[u32; 2]>,
    /// Points that take part.
    part: Vec<bool>,
    /// Held ones, without mass, and the vertices they are.
    held: Vec<(u32, u32)>,
}

/// All levels over the stiff solids of a model. `pins` are the held vertices.
pub(super) fn levels<T: Scalar>(model: &Model<T>, hold: &Hold, gravity: [f64; 3], pins: &[u32]) -> Levels<T, 4> {
    let mut points = vertices(model, hold, gravity);
    points.held = pins.iter().filter(|&&p| points.part[p as usize]).map(|&p| (p, p)).collect();
    points.held.iter().for_each(|&(p, _)| points.mass[p as usize] = 0.0);
    let mut levels = Levels { list: Vec::new(), sweeps: hold.sweeps * MORE_SWEEPS };
    let Some(edge) = mean_length(&points) else { return levels };
    for number in 0..hold.levels {
        let spacing = SPACING * edge * f64::from(1 << number.min(30));
        if extent(&points) / spacing + 1.0 < FEWEST {
            break;
        }
        let (level, nodes) = level(&points, spacing);
        levels.list.push(level);
        points = nodes;
    }
    levels
}

/// The vertices of stiff tetrahedra, in the model's numbers.
fn vertices<T: Scalar>(model: &Model<T>, hold: &Hold, gravity: [f64; 3]) -> Points {
    let place: Vec<[f64; 3]> = model.user.iter().map(|&u| model.positions[u as usize]).collect();
    let mass: Vec<f64> = model.user.iter().map(|&u| model.masses[u as usize]).collect();
    let mut gather = Gather(Vec::new());
    model.elements.for_each(&mut gather);
    let pull = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    let limit = if hold.max_stretch > 0.0 { hold.max_stretch } else { USUAL_LIMIT };
    let volume: f64 = gather.0.iter().map(|t| t.volume).sum();
    let weight = mass.iter().sum::<f64>() * if pull > 0.0 { pull } else { 9.81 };
    // Pa: the whole weight on as much area as a cube of it has on a side.
    let load = weight / volume.max(1e-300).powf(2.0 / 3.0);
    let mut part = vec![false; place.len()];
    let (stiff, soft): (Vec<&Tet>, Vec<&Tet>) = gather.0.iter().partition(|t| t.modulus * limit >= MARGIN * load);
    stiff.iter().flat_map(|t| t.corners).for_each(|v| part[v as usize] = true);
    soft.iter().flat_map(|t| t.corners).for_each(|v| part[v as usize] = false);
    let pairs = |t: &&Tet| {
        let c = t.corners;
        [[c[0], c[1]], [c[0], c[2]], [c[0], c[3]], [c[1], c[2]], [c[1], c[3]], [c[2], c[3]]]
    };
    let mut ties: Vec<[u32; 2]> = stiff.iter().flat_map(pairs).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    ties.sort_unstable();
    ties.dedup();
    ties.retain(|t| t.iter().all(|&v| part[v as usize]));
    Points { place, mass, ties, part, held: Vec::new() }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

fn mean_length(points: &Points) -> Option<f64> {
    let sum: f64 = points.ties.iter().map(|t| distance(points.place[t[0] as usize], points.place[t[1] as usize])).sum();
    (sum > 0.0).then(|| sum / points.ties.len() as f64)
}

/// The longest side of the box around all points that take part, m.
fn extent(points: &Points) -> f64 {
    let along = |k: usize| {
        let all = points.place.iter().zip(&points.part).filter(|p| *p.1).map(|p| p.0[k]);
        all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min)
    };
    (0..3).map(along).fold(0.0, f64::max)
}

type Cube = [i64; 3];

fn cube(p: [f64; 3], spacing: f64) -> Cube {
    p.map(|c| (c / spacing).floor() as i64)
}

/// The corners of the lattice's tetrahedron around a place, with weights: from the cube's first corner along the axes, the one furthest
/// along first.
fn around(p: [f64; 3], spacing: f64) -> [(Cube, f64); CORNERS] {
    let mut at = cube(p, spacing);
    let f = [0, 1, 2].map(|k| p[k] / spacing - at[k] as f64);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| f[b].total_cmp(&f[a]));
    let f = order.map(|k| f[k]);
    let weights = [1.0 - f[0], f[0] - f[1], f[1] - f[2], f[2]];
    let mut corners = [(at, weights[0]); CORNERS];
    for k in 0..3 {
        at[order[k]] += 1;
        corners[k + 1] = (at, weights[k + 1]);
    }
    corners
}

/// The root of a number in a forest, with shorter ways for next time.
fn root(forest: &mut [u32], mut n: u32) -> u32 {
    while forest[n as usize] != n {
        forest[n as usize] = forest[forest[n as usize] as usize];
        n = forest[n as usize];
    }
    n
}

/// For each point and corner the piece that it belongs to, as the number of a corner of one of its points: corners at the same
/// place of the lattice, of points that hang together.
fn pieces(points: &Points, corners: &[[(Cube, f64); CORNERS]]) -> Vec<u32> {
    let mut forest: Vec<u32> = (0..(points.place.len() * CORNERS) as u32).collect();
    for &[p, q] in &points.ties {
        for (a, b) in (0..CORNERS).flat_map(|a| (0..CORNERS).map(move |b| (a, b))) {
            if corners[p as usize][a].0 == corners[q as usize][b].0 {
                let id = |point: u32, corner: usize| point * CORNERS as u32 + corner as u32;
                let (a, b) = (root(&mut forest, id(p, a)), root(&mut forest, id(q, b)));
                forest[a.max(b) as usize] = a.min(b);
            }
        }
    }
    (0..forest.len() as u32).map(|n| root(&mut forest, n)).collect()
}

/// Held points by cube.
type Held = BTreeMap<Cube, Vec<u32>>;

/// How far a point is from what is held, over the spacing, at most 1.
fn free(points: &Points, i: usize, held: &Held, spacing: f64) -> f64 {
    if held.is_empty() {
        return 1.0;
    }
    let p = points.place[i];
    let at = cube(p, spacing);
    let near = (0..27).filter_map(|n| held.get(&[at[0] + n / 9 - 1, at[1] + n / 3 % 3 - 1, at[2] + n % 3 - 1]));
    let least = near.flatten().map(|&h| distance(p, points.place[h as usize])).fold(f64::INFINITY, f64::min);
    (least / spacing).min(1.0)
}

/// One level over `points`, and its nodes as points for the next.
fn level<T: Scalar>(points: &Points, spacing: f64) -> (Level<T, 4>, Points) {
    let count = points.place.len();
    let mut held = Held::new();
    for &(h, _) in &points.held {
        held.entry(cube(points.place[h as usize], spacing)).or_default().push(h);
    }
    let corners: Vec<_> = points.place.iter().map(|&p| around(p, spacing)).collect();
    let pieces = pieces(points, &corners);
    let part = |i: usize| if points.part[i] { free(points, i, &held, spacing) } else { 0.0 };
    let follows: Vec<f64> = (0..count).map(part).collect();
    let mut weight: BTreeMap<u32, f64> = BTreeMap::new();
    for (i, c) in (0..count).flat_map(|i| (0..CORNERS).map(move |c| (i, c))) {
        *weight.entry(pieces[i * CORNERS + c]).or_default() += corners[i][c].1 * follows[i];
    }
    weight.retain(|_, w| *w > LEAST_POINTS);
    let number: BTreeMap<u32, u32> = weight.keys().enumerate().map(|(n, &piece)| (piece, n as u32)).collect();
    let node = |i: usize, c: usize| number.get(&pieces[i * CORNERS + c]).copied().filter(|_| corners[i][c].1 > 0.0);
    let (mut parents, mut nodes) = (vec![[(0, 0.0); CORNERS]; count], Points::none(number.len()));
    for i in 0..count {
        parents[i] = shares(core::array::from_fn(|c| (node(i, c), corners[i][c].1)), follows[i]);
        for (n, w) in parents[i].into_iter().filter(|p| p.1 > 0.0) {
            nodes.add(n as usize, points, i, w);
        }
    }
    nodes.divide();
    nodes.tie(&parents);
    let mut level = assemble(points, &parents, &nodes, &held);
    // The nodes that held points would hang on are tied to all that is held in their cube.
    let mut rods: Vec<[u32; 2]> = Vec::new();
    for (number, (_, list)) in held.iter().enumerate() {
        let near = list.iter().flat_map(|&h| (0..CORNERS).filter_map(move |c| node(h as usize, c)));
        rods.extend(near.map(|n| [n, (nodes.place.len() + number) as u32]));
    }
    rods.sort_unstable();
    rods.dedup();
    level.rods = pack(&nodes, &rods, &held, points);
    nodes.keep(points, |h| (0..CORNERS).filter_map(|c| node(h as usize, c)).collect());
    (level, nodes)
}

/// Rods between nodes that are tied, and from nodes to `held` ones.
fn pack<T: Scalar>(nodes: &Points, to_held: &[[u32; 2]], held: &Held, points: &Points) -> Batch<T, 2, 2, 0> {
    let middles: Vec<[f64; 3]> =
        held.values().map(|list| middle(list.iter().map(|&h| points.place[h as usize]))).collect();
    let count = nodes.place.len();
    let place = |n: u32| nodes.place.get(n as usize).copied().unwrap_or_else(|| middles[n as usize - count]);
    let all = nodes.ties.iter().chain(to_held).map(|&ends| rod(ends, distance(place(ends[0]), place(ends[1]))));
    let rods: Vec<_> = all.filter(|rod| rod.rest[1] > 0.0).collect();
    Batch::pack(&rods, (count + middles.len()) as u32)
}

fn middle(places: impl ExactSizeIterator<Item = [f64; 3]>) -> [f64; 3] {
    let share = 1.0 / places.len().max(1) as f64;
    places.fold([0.0; 3], |sum, p| [0, 1, 2].map(|k| sum[k] + p[k] * share))
}

/// A level without rods.
fn assemble<T: Scalar>(points: &Points, hanging: &[[(u32, f64); CORNERS]], nodes: &Points, held: &Held) -> Level<T, 4> {
    let (start, entries) = entries(&points.mass, &nodes.mass, hanging);
    let vertex: BTreeMap<u32, u32> = points.held.iter().copied().collect();
    let count = nodes.place.len();
    let mut x = vec![[T::of(0.0); 4]; count + held.len() + 1];
    for (x, m) in x.iter_mut().zip(&nodes.mass) {
        x[3] = T::of(1.0 / m.max(1e-300));
    }
    Level {
        start,
        entries,
        parents: parents(hanging),
        held: held.values().map(|list| list.iter().map(|h| vertex[h]).collect()).collect(),
        links: Batch::default(),
        cells: Batch::default(),
        full: Batch::default(),
        rods: Batch::default(),
        nodes: count,
        base: x.clone(),
        x,
    }
}

impl Points {
    fn none(count: usize) -> Self {
        let (place, mass, part) = (vec![[0.0; 3]; count], vec![0.0; count], vec![true; count]);
        Points { place, mass, ties: Vec::new(), part, held: Vec::new() }
    }

    /// Adds a share of another point to point `n`, weighted by mass.
    fn add(&mut self, n: usize, from: &Points, i: usize, share: f64) {
        let m = share * from.mass[i];
        self.mass[n] += m;
        (0..3).for_each(|k| self.place[n][k] += m * from.place[i][k]);
    }

    /// Makes means of what was added.
    fn divide(&mut self) {
        for (place, m) in self.place.iter_mut().zip(&self.mass) {
            *place = place.map(|c| c / m.max(1e-300));
        }
    }

    /// Ties nodes on which one point hangs.
    fn tie(&mut self, parents: &[[(u32, f64); CORNERS]]) {
        for list in parents {
            for (a, b) in (0..CORNERS).flat_map(|a| (0..a).map(move |b| (list[a], list[b]))) {
                if a.1 > 0.0 && b.1 > 0.0 && a.0 != b.0 {
                    self.ties.push([a.0.min(b.0), a.0.max(b.0)]);
                }
            }
        }
        self.ties.sort_unstable();
        self.ties.dedup();
    }

    /// Keeps the held points of `from`, after the nodes, tied to the nodes that `hangs` gives.
    fn keep(&mut self, from: &Points, hangs: impl Fn(u32) -> Vec<u32>) {
        for &(h, vertex) in &from.held {
            let number = self.place.len() as u32;
            self.ties.extend(hangs(h).into_iter().map(|n| [n, number]));
            self.held.push((number, vertex));
            self.place.push(from.place[h as usize]);
            self.mass.push(0.0);
            self.part.push(true);
        }
    }
}

struct Tet {
    corners: [u32; 4],
    /// The least along the axes and between them, Pa; infinite where projected.
    modulus: f64,
    /// m³.
    volume: f64,
}

struct Gather(Vec<Tet>);

impl<T: Scalar> Visit<T> for Gather {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if (V, P) != (4, 12) {
            return;
        }
        for (b, block) in batch.blocks.iter().enumerate() {
            for lane in (0..BLOCK).filter(|&l| batch.source[b][l] != u32::MAX) {
                let at = |k: usize| block.places[k][lane].index::<Vertex<T>>() as u32;
                let rest: [f64; 12] = core::array::from_fn(|k| block.rest[k][lane].f64());
                let volume = 1.0 / (6.0 * determinant(&rest)).abs();
                let modulus = |r: usize| {
                    let compliance = batch.elastic.get(b).map_or(SLACK, |e| e.compliance[r][lane].f64());
                    let elastic = if compliance < SLACK { 1.0 / (compliance * volume) } else { 0.0 };
                    let share = if E::SHARES { block.stiffness[r][lane].f64() } else { 0.0 };
                    if share >= LEAST_SHARE { f64::INFINITY } else { elastic }
                };
                // What is at rest at another size than that of the mesh has other distances.
                let as_built = rest[9..].iter().all(|s| (s - 1.0).abs() < 1e-6);
                let least = if as_built { (0..6).map(modulus).fold(f64::INFINITY, f64::min) } else { 0.0 };
                self.0.push(Tet { corners: [at(0), at(1), at(2), at(3)], modulus: least, volume });
            }
        }
    }
}

/// Of the first nine rest numbers of a tetrahedron, B = Q⁻¹.
fn determinant(b: &[f64; 12]) -> f64 {
    b[0] * (b[4] * b[8] - b[5] * b[7]) - b[1] * (b[3] * b[8] - b[5] * b[6]) + b[2] * (b[3] * b[7] - b[4] * b[6])
}
