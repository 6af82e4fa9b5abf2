//! Levels for stiff solids: lattices in space, of cubes cut into tetrahedra, over each body on its own.
//!
//! A node is a piece of a body: what of it lies around a place of the lattice, and hangs together there. Two prongs of
//! a fork that pass the same place are two nodes, and nothing ties them. Held vertices that lie in one cube and hang
//! together are one held node.

use super::body::{NONE, StiffBodies, StiffBody};
use super::build::FEWEST;
use super::cluster::{Anchor, Clusters, Nodes, minus};
use super::hierarchy::{Hierarchy, Level};
use super::lattice::shares;
use super::transfer::Transfer;
use super::{Inextensibility, RestModel, bytes_of};
use crate::constraint::one_sided::{Inversion, Largest};
use crate::constraint::{Batch, Hot, Loose, Sweep};
use crate::lanes::{Scalar, Shared, SharedVec, Vertex};
use crate::sets::{DisjointSets, Grouped};
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;

/// Spacing of the finest lattice over the mean edge.
const SPACING: f64 = 3.0;
/// Nodes that have less of all points than this are left out.
const LEAST_POINTS: f64 = 1e-6;
/// Corners of the tetrahedron of the lattice around a place.
const CORNERS: usize = 4;

/// Points of solids: vertices, or nodes of a finer lattice.
struct SolidPoints {
    /// From the corner of the body's box, m.
    place: Vec<[f64; 3]>,
    /// kg; 0 for held ones.
    mass: Vec<f64>,
    /// The body of each, or [`NONE`].
    body: Vec<u32>,
    /// The way to the nearest held vertex, m.
    far: Vec<f64>,
    /// Pairs that hang together.
    ties: Vec<[u32; 2]>,
    /// Held ones, and the vertices that they are.
    held: Vec<(u32, Vec<u32>)>,
}

/// What keeps stiff solids in shape.
#[derive(Debug)]
pub(crate) struct Solids<T> {
    pub(super) levels: Hierarchy<f64, CORNERS>,
    /// The tetrahedra of each body that has levels.
    tets: Vec<Batch<T, 4, 1, 0>>,
    /// Whether some of a body's are inverted, during a step. Levels know nothing of them: a body that is mirrored,
    /// folded or tangled may be in as good a shape as any for its elements, and who pulls the other way feeds it
    /// without end.
    tangled: Vec<AtomicBool>,
}

impl<T> Default for Solids<T> {
    fn default() -> Self {
        Solids { levels: Hierarchy::default(), tets: Vec::new(), tangled: Vec::new() }
    }
}

impl<T: Scalar> Solids<T> {
    /// All levels over the stiff solids of a model. `pins` are the held vertices.
    pub(super) fn new(model: &RestModel<'_, T>, settings: &Inextensibility, gravity: [f64; 3], pins: &[u32]) -> Self {
        let mut place = model.in_order(model.positions);
        let mass = model.in_order(model.masses);
        let StiffBodies { list: bodies, of: body, ties, tets } =
            StiffBodies::of(model.elements, &place, &mass, settings, gravity);
        for (p, &b) in place.iter_mut().zip(&body).filter(|p| *p.1 != NONE) {
            *p = minus(*p, bodies[b as usize].corner);
        }
        let mut loose = vec![Vec::new(); bodies.len()];
        for (index, volume) in tets {
            let body = index.iter().map(|&v| body[v as usize]).min().filter(|&b| b != NONE);
            if let Some(b) = body.filter(|&b| spacing(&bodies[b as usize], 0) > 0.0) {
                loose[b as usize].push(Loose::bare(index, [1.0 / (6.0 * volume)]));
            }
        }
        let held = pins.iter().filter(|&&p| body[p as usize] != NONE).map(|&p| (p, vec![p])).collect();
        let mut points = SolidPoints { far: vec![f64::INFINITY; place.len()], place, mass, body, ties, held };
        points.held.iter().for_each(|h| points.mass[h.0 as usize] = 0.0);
        points.measure(&bodies);
        Solids {
            levels: levels(points, &bodies, settings),
            tets: loose.iter().map(|list| Batch::pack(list, model.user.len() as u32)).collect(),
            tangled: loose.iter().map(|_| AtomicBool::new(false)).collect(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.levels.bytes() + self.tets.iter().map(|batch| bytes_of(batch.blocks())).sum::<usize>()
    }

    /// Moves the vertices `x` by what the levels find.
    pub fn correct(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<T>>) {
        if self.tets.is_empty() {
            return;
        }
        for (tets, tangled) in self.tets.iter().zip(&self.tangled) {
            let mut inverted = Largest::<Inversion, T, Hot>::new();
            sweep.look(tets, [x], &mut inverted);
            if inverted.most() > 0.0 {
                tangled.store(true, Ordering::Relaxed);
            }
        }
        sweep.worker.sync();
        self.levels.correct(sweep, x, &self.tangled);
        if sweep.worker.id() == 0 {
            self.tangled.iter().for_each(|tangled| tangled.store(false, Ordering::Relaxed));
        }
        sweep.worker.sync();
    }
}

fn levels(mut points: SolidPoints, bodies: &[StiffBody], settings: &Inextensibility) -> Hierarchy<f64, CORNERS> {
    let rest = points.place.clone();
    let mut levels = Hierarchy { list: Vec::new(), sweeps: settings.sweeps };
    for number in 0..settings.levels {
        let spacing: Vec<f64> = bodies.iter().map(|b| spacing(b, number)).collect();
        if spacing.iter().all(|&s| s == 0.0) {
            break;
        }
        let (level, nodes, hanging) = level(&points, &spacing, &rest);
        if let Some(below) = levels.list.last_mut() {
            below.clusters.seeds = hanging[..below.nodes].iter().map(heaviest).collect();
        }
        levels.list.push(level);
        points = nodes;
    }
    levels
}

/// In a body on one level, m; 0 if the body is too small for it.
fn spacing(body: &StiffBody, number: u32) -> f64 {
    let s = SPACING * body.edge * f64::from(1 << number.min(30));
    if s > 0.0 && body.extent / s + 1.0 >= FEWEST { s } else { 0.0 }
}

/// The node that a point mostly hangs on; the number of none if on none.
fn heaviest(parents: &[(u32, f64); CORNERS]) -> u32 {
    parents.iter().fold((NONE, 0.0), |most, &p| if p.1 > most.1 { p } else { most }).0
}

type Cube = [i64; 3];

/// The corners of the lattice's tetrahedron around a place, with weights: from the cube's first corner along the axes,
/// the one furthest along first.
fn around(p: [f64; 3], spacing: f64) -> [(Cube, f64); CORNERS] {
    let mut at = p.map(|c| (c / spacing).floor() as i64);
    let f = [0, 1, 2].map(|k| p[k] / spacing - at[k] as f64);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| f[b].total_cmp(&f[a]));
    let f = order.map(|k| f[k]);
    let weights = [1.0 - f[0], f[0] - f[1], f[1] - f[2], f[2]];
    let mut corners = [(at, weights[0]); CORNERS];
    for k in 0..3 {
        at[order[k]] = at[order[k]].saturating_add(1);
        corners[k + 1] = (at, weights[k + 1]);
    }
    corners
}

/// For each point and corner the piece that it belongs to, as the number of a corner of one of its points: corners at
/// the same place of the lattice, of points that hang together.
fn pieces(points: &SolidPoints, corners: &[[(Cube, f64); CORNERS]]) -> Vec<u32> {
    let mut sets = DisjointSets::new(points.place.len() * CORNERS);
    for &[p, q] in &points.ties {
        for (a, b) in (0..CORNERS).flat_map(|a| (0..CORNERS).map(move |b| (a, b))) {
            if corners[p as usize][a].0 == corners[q as usize][b].0 {
                sets.join(p * CORNERS as u32 + a as u32, q * CORNERS as u32 + b as u32);
            }
        }
    }
    sets.names()
}

/// What points hang on.
type Hanging = Vec<[(u32, f64); CORNERS]>;

/// One level over `points`, its nodes as points for the next, and what points hang on. `rest` are the places of all
/// vertices.
fn level(points: &SolidPoints, spacing: &[f64], rest: &[[f64; 3]]) -> (Level<f64, CORNERS>, SolidPoints, Hanging) {
    let count = points.place.len();
    let of = |i: usize| spacing.get(points.body[i] as usize).copied().unwrap_or(0.0);
    let corners: Vec<_> = (0..count).map(|i| around(points.place[i], if of(i) > 0.0 { of(i) } else { 1.0 })).collect();
    let pieces = pieces(points, &corners);
    // Near what is held points follow less.
    let follows: Vec<f64> =
        (0..count).map(|i| if of(i) > 0.0 { (points.far[i] / of(i)).min(1.0) } else { 0.0 }).collect();
    let mut weight = vec![0.0; count * CORNERS];
    for (i, c) in (0..count).flat_map(|i| (0..CORNERS).map(move |c| (i, c))).filter(|&(i, _)| points.mass[i] > 0.0) {
        weight[pieces[i * CORNERS + c] as usize] += corners[i][c].1 * follows[i];
    }
    let mut number = vec![NONE; count * CORNERS];
    let full = (0..number.len()).filter(|&n| weight[n] > LEAST_POINTS);
    let nodes = full.zip(0..).map(|(piece, n)| number[piece] = n).count();
    let node = |i: usize, c: usize| Some(number[pieces[i * CORNERS + c] as usize]).filter(|&n| n != NONE);
    let mut next = SolidPoints::none(nodes);
    let mut hanging = vec![[(0, 0.0); CORNERS]; count];
    for i in (0..count).filter(|&i| points.mass[i] > 0.0) {
        hanging[i] = shares(core::array::from_fn(|c| (node(i, c), corners[i][c].1)), follows[i]);
        for (n, w) in hanging[i].into_iter().filter(|p| p.1 > 0.0) {
            next.add(n as usize, points, i, w);
        }
    }
    next.divide();
    next.tie(&hanging);
    let mut groups: BTreeMap<(Cube, u32), Vec<usize>> = BTreeMap::new();
    for (h, (point, _)) in points.held.iter().enumerate().filter(|(_, h)| of(h.0 as usize) > 0.0) {
        let i = *point as usize;
        groups.entry((corners[i][0].0, pieces[i * CORNERS])).or_default().push(h);
    }
    for group in groups.values() {
        let near = group.iter().flat_map(|&h| (0..CORNERS).map(move |c| (points.held[h].0 as usize, c)));
        next.keep(points, group, near.filter_map(|(i, c)| node(i, c)).collect());
    }
    (assemble(points, &hanging, &next, nodes, rest), next, hanging)
}

fn assemble(
    points: &SolidPoints,
    hanging: &Hanging,
    next: &SolidPoints,
    nodes: usize,
    rest: &[[f64; 3]],
) -> Level<f64, CORNERS> {
    let mass = &next.mass[..nodes];
    let movable = Nodes { place: &next.place[..nodes], mass, body: &next.body[..nodes] };
    let anchor = |h: &(u32, Vec<u32>)| Anchor { vertices: h.1.iter().map(|&v| rest[v as usize]).collect() };
    let anchors: Vec<Anchor> = next.held.iter().map(anchor).collect();
    let mut x = vec![[0.0; 4]; next.place.len() + 1];
    for (x, m) in x.iter_mut().zip(mass) {
        x[3] = 1.0 / m.max(1e-300);
    }
    Level {
        transfer: Transfer::new(&points.mass, mass, hanging),
        held: next.held.iter().map(|h| h.1.clone()).collect(),
        links: Batch::default(),
        cells: Batch::default(),
        full: Batch::default(),
        clusters: Clusters::new(&movable, &anchors, &next.ties),
        nodes,
        base: SharedVec::new(x.clone()),
        x: SharedVec::new(x),
    }
}

impl SolidPoints {
    fn none(count: usize) -> Self {
        let (place, mass, far) = (vec![[0.0; 3]; count], vec![0.0; count], vec![0.0; count]);
        SolidPoints { place, mass, body: vec![NONE; count], far, ties: Vec::new(), held: Vec::new() }
    }

    /// How far vertices are from held ones, along edges of the mean length.
    fn measure(&mut self, bodies: &[StiffBody]) {
        let near = Grouped::new(self.place.len(), self.ties.iter().flat_map(|&[a, b]| [(a, b), (b, a)]));
        let mut front: Vec<u32> = self.held.iter().map(|h| h.0).collect();
        front.iter().for_each(|&v| self.far[v as usize] = 0.0);
        while !front.is_empty() {
            let mut next = Vec::new();
            for v in front {
                let far = self.far[v as usize] + bodies[self.body[v as usize] as usize].edge;
                for &w in near.row(v) {
                    if self.far[w as usize] == f64::INFINITY {
                        self.far[w as usize] = far;
                        next.push(w);
                    }
                }
            }
            front = next;
        }
    }

    /// Adds a share of another point to point `n`, weighted by mass.
    fn add(&mut self, n: usize, from: &SolidPoints, i: usize, share: f64) {
        let m = share * from.mass[i];
        self.mass[n] += m;
        self.body[n] = from.body[i];
        self.far[n] += m * from.far[i];
        (0..3).for_each(|k| self.place[n][k] += m * from.place[i][k]);
    }

    /// Makes means of what was added.
    fn divide(&mut self) {
        for n in 0..self.mass.len() {
            let m = self.mass[n].max(1e-300);
            self.place[n] = self.place[n].map(|c| c / m);
            self.far[n] /= m;
        }
    }

    /// Ties nodes on which one point hangs.
    fn tie(&mut self, hanging: &Hanging) {
        for list in hanging {
            for (a, b) in (0..CORNERS).flat_map(|a| (0..a).map(move |b| (list[a], list[b]))) {
                if a.1 > 0.0 && b.1 > 0.0 && a.0 != b.0 {
                    self.ties.push([a.0.min(b.0), a.0.max(b.0)]);
                }
            }
        }
        self.ties.sort_unstable();
        self.ties.dedup();
    }

    /// Keeps a group of held points as one, after the nodes, tied to the nodes `near` it.
    fn keep(&mut self, from: &SolidPoints, group: &[usize], mut near: Vec<u32>) {
        near.sort_unstable();
        near.dedup();
        let number = self.place.len() as u32;
        let vertices: Vec<u32> = group.iter().flat_map(|&h| &from.held[h].1).copied().collect();
        let (mut middle, share) = ([0.0; 3], 1.0 / vertices.len().max(1) as f64);
        for &h in group {
            let (point, vertices) = &from.held[h];
            let part = vertices.len() as f64 * share;
            (0..3).for_each(|k| middle[k] += part * from.place[*point as usize][k]);
        }
        self.ties.extend(near.into_iter().map(|n| [n, number]));
        self.body.push(from.body[from.held[group[0]].0 as usize]);
        self.held.push((number, vertices));
        self.place.push(middle);
        self.mass.push(0.0);
        self.far.push(0.0);
    }
}
