//! What keeps coarse nodes of a solid in shape: clusters (shape matching). The cluster of a node is that node with all
//! that are tied to it.
//!
//! All clusters of a level at once: each finds where its nodes would be if it were rigid, c + R (X − C), R the rotation
//! (never a reflection) that brings them closest to where they are; nodes go to the mean of what their clusters say. A
//! node shares its mass among its clusters, so each keeps linear and angular momentum, and so do all of them; and since
//! each goes no further than to the nearest rigid pose, and the mean of such steps is shorter still, nothing is pushed
//! past where it should be.

use super::body::NONE;
use super::bytes_of;
use super::rotation::{Mat3, NO_TURN, Quaternion, determinant, matrix, nearest};
use crate::lanes::{Scalar, Shared, SharedVec, Vertex, xyz};
use crate::team::Worker;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;

/// How much heavier what is held is than all else in a cluster.
const HEAVY: f64 = 1e5;
/// Mean squared distance from the rigid pose, over that from the middle, up to which a cluster acts fully, and from
/// which not at all. What is torn or crushed is left to the elements: coarse nodes know less than they how to get out.
const STRAIN: [f64; 2] = [0.0025, 0.01];
/// Volume over that at rest, likewise.
const VOLUME: [f64; 2] = [0.8, 0.6];
/// A cluster is flat if the determinant of its moments at rest is less than this part of what a round one of its size
/// has.
const FLAT: f64 = 1e-9;

#[derive(Clone, Copy, Debug)]
struct Member {
    node: u32,
    /// Its part of the cluster's mass.
    weight: f64,
    /// X − C, m.
    rest: [f64; 3],
}

#[derive(Clone, Copy, Debug)]
struct Cluster {
    /// Where its members begin.
    first: u32,
    /// Σ weight |X − C|² of nodes that move, m².
    spread: f64,
    /// det Σ weight (X − C)(X − C)ᵀ, m⁶; 0 if flat.
    volume: f64,
}

/// The clusters of a level, one for each node.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    list: Vec<Cluster>,
    members: Vec<Member>,
    /// Where each node's memberships begin, and which they are.
    begin: Vec<u32>,
    of: Vec<u32>,
    /// For each cluster, one of the level above that turns about as it does; [`NONE`] if there is none.
    pub seeds: Vec<u32>,
    /// The body of each cluster, and its first cluster.
    body: Vec<u32>,
    lead: Vec<u32>,
    /// X of the vertices of held nodes, from their middle, m.
    held: Vec<Vec<[f64; 3]>>,
    /// Σ (x − x̄)(X − X̄)ᵀ of each held node's vertices over their number, m².
    spin: SharedVec<Mat3>,
    turns: SharedVec<Quaternion>,
    /// How far each member should move.
    by: SharedVec<[f64; 3]>,
}

/// Nodes that move.
pub(super) struct Nodes<'a> {
    /// At rest, m.
    pub place: &'a [[f64; 3]],
    /// kg.
    pub mass: &'a [f64],
    /// The number of the body of each.
    pub body: &'a [u32],
}

/// A node that does not move.
pub(super) struct Anchor {
    /// X of its vertices, m.
    pub vertices: Vec<[f64; 3]>,
}

impl Anchor {
    pub fn middle(&self) -> [f64; 3] {
        let share = 1.0 / self.vertices.len().max(1) as f64;
        self.vertices.iter().fold([0.0; 3], |sum, p| [0, 1, 2].map(|k| sum[k] + p[k] * share))
    }

    /// Offsets of vertices from the middle, m.
    fn offsets(&self) -> Vec<[f64; 3]> {
        let middle = self.middle();
        self.vertices.iter().map(|&p| minus(p, middle)).collect()
    }
}

impl Clusters {
    /// `ties` are of two nodes, or of a node and a held one, numbered after the nodes.
    pub fn new(nodes: &Nodes<'_>, anchors: &[Anchor], ties: &[[u32; 2]]) -> Self {
        let &Nodes { place, mass, body } = nodes;
        let nodes = place.len();
        let mut near: Vec<Vec<u32>> = (0..nodes as u32).map(|n| vec![n]).collect();
        for &[a, b] in ties {
            for (a, b) in [(a, b), (b, a)] {
                if let Some(list) = near.get_mut(a as usize) {
                    list.push(b);
                }
            }
        }
        near.iter_mut().for_each(|list| list.sort_unstable());
        let held: Vec<Vec<[f64; 3]>> = anchors.iter().map(Anchor::offsets).collect();
        let middles: Vec<[f64; 3]> = anchors.iter().map(Anchor::middle).collect();
        let spin: Vec<Mat3> = held.iter().map(|list| moment(list.iter().map(|&p| (p, p)))).collect();
        let mut first = BTreeMap::new();
        let lead = body.iter().zip(0..).map(|(b, n)| *first.entry(b).or_insert(n)).collect();
        let (seeds, turns) = (vec![NONE; nodes], SharedVec::new(vec![NO_TURN; nodes]));
        let mut clusters = Clusters { held, body: body.to_vec(), lead, seeds, turns, ..Clusters::default() };
        let at = |n: u32| place.get(n as usize).copied().unwrap_or_else(|| middles[n as usize - nodes]);
        let clusters_of: Vec<f64> =
            near.iter().map(|list| list.iter().filter(|&&n| (n as usize) < nodes).count() as f64).collect();
        let free = |n: u32| mass.get(n as usize).map_or(0.0, |m| m / clusters_of[n as usize]);
        let count = |n: u32| anchors.get((n as usize).wrapping_sub(nodes)).map_or(0, |a| a.vertices.len()) as f64;
        for list in &near {
            let (kg, pins) = (list.iter().map(|&n| free(n)).sum::<f64>(), list.iter().map(|&n| count(n)).sum::<f64>());
            let heavy = if pins > 0.0 { HEAVY } else { 0.0 };
            let weight = |n: u32| (free(n) / kg.max(1e-300) + heavy * count(n) / pins.max(1.0)) / (1.0 + heavy);
            let middle = list.iter().fold([0.0; 3], |sum, &n| plus(sum, at(n), weight(n)));
            clusters.push(
                nodes,
                &spin,
                list.iter().map(|&n| Member { node: n, weight: weight(n), rest: minus(at(n), middle) }),
            );
        }
        clusters.gather(nodes);
        clusters.spin = SharedVec::new(spin);
        clusters
    }

    fn push(&mut self, nodes: usize, spin: &[Mat3], members: impl Iterator<Item = Member>) {
        let first = self.members.len();
        self.members.extend(members);
        let (mut q, mut spread, mut size) = ([[0.0; 3]; 3], 0.0, 0.0);
        for m in &self.members[first..] {
            add(&mut q, m.rest, m.rest, m.weight);
            if let Some(spin) = spin.get((m.node as usize).wrapping_sub(nodes)) {
                blend(&mut q, spin, m.weight);
            } else {
                spread += m.weight * dot(m.rest, m.rest);
            }
        }
        (0..3).for_each(|k| size += q[k][k] / 3.0);
        let volume = determinant(&q);
        let volume = if volume > FLAT * size * size * size { volume } else { 0.0 };
        self.list.push(Cluster { first: first as u32, spread, volume });
    }

    /// Which members each node is.
    fn gather(&mut self, nodes: usize) {
        self.by = SharedVec::new(vec![[0.0; 3]; self.members.len()]);
        self.begin = vec![0; nodes + 1];
        let moving = |m: &&Member| (m.node as usize) < nodes;
        self.members.iter().filter(moving).for_each(|m| self.begin[m.node as usize + 1] += 1);
        (0..nodes).for_each(|n| self.begin[n + 1] += self.begin[n]);
        let mut next = self.begin.clone();
        self.of = vec![0; self.begin[nodes] as usize];
        for (i, m) in self.members.iter().enumerate().filter(|(_, m)| (m.node as usize) < nodes) {
            self.of[next[m.node as usize] as usize] = i as u32;
            next[m.node as usize] += 1;
        }
    }

    pub fn bytes(&self) -> usize {
        let lists = bytes_of(&self.list) + bytes_of(&self.members) + bytes_of(&self.begin) + bytes_of(&self.of);
        let held: usize = self.held.iter().map(|list| bytes_of(list)).sum();
        let clusters = bytes_of(&self.seeds) + bytes_of(&self.body) + bytes_of(&self.lead);
        lists + held + clusters + self.spin.bytes() + self.turns.bytes() + self.by.bytes()
    }

    /// How much there is to do.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Looks which way held nodes are turned.
    pub fn place_held<S: Scalar>(&self, alone: Worker<'_>, held: &[Vec<u32>], x: &[Vertex<S>]) {
        for ((spin, rest), vertices) in alone.chunk_mut(self.spin.shared()).iter_mut().zip(&self.held).zip(held) {
            let at = |v: u32| xyz(x[v as usize]);
            let Some(&first) = vertices.first() else { continue };
            let from = at(first);
            *spin = moment(vertices.iter().zip(rest).map(|(&v, &rest)| (minus(at(v), from), rest)));
        }
    }

    /// Finds how clusters are turned: about as those of the level `above`, or else as the first of the body, for which
    /// any turn will do.
    pub fn turn<T: Scalar>(
        &self,
        worker: Worker<'_>,
        x: Shared<'_, Vertex<T>>,
        above: Option<&Self>,
        tangled: &[AtomicBool],
    ) {
        if self.list.is_empty() {
            return;
        }
        if let Some(alone) = worker.alone() {
            let (turns, by) = (alone.chunk_mut(self.turns.shared()), alone.chunk_mut(self.by.shared()));
            let above = above.map(|above| alone.read(above.turns.shared()));
            let leads = |s: usize| self.seeds[s] == NONE && self.lead[s] as usize == s;
            let at = ClusterInput { x: alone.read(x), spin: alone.read(self.spin.shared()) };
            for s in (0..self.list.len()).filter(|&s| leads(s) && !self.is_among(s, tangled)) {
                turns[s] = self.fit(s, at, None, &mut by[self.start(s)..self.start(s + 1)]);
            }
            for s in (0..self.list.len()).filter(|&s| !leads(s)) {
                turns[s] = match self.seeds[s] {
                    NONE => turns[self.lead[s] as usize],
                    seed => above.map_or(NO_TURN, |above| above[seed as usize]),
                };
            }
        }
        worker.sync();
    }

    /// One sweep: where rigid clusters would have their nodes, then the means of that.
    pub fn relax<T: Scalar>(&self, worker: Worker<'_>, x: Shared<'_, Vertex<T>>, tangled: &[AtomicBool]) {
        if self.list.is_empty() {
            return;
        }
        let mine = worker.chunk(0..self.list.len());
        let turns = worker.chunk_mut(self.turns.shared());
        let by = worker.chunk_of_rows(self.by.shared(), self.list.len(), |s| self.start(s));
        let at = ClusterInput { x: worker.read(x), spin: worker.read(self.spin.shared()) };
        for (s, turn) in mine.clone().zip(turns).filter(|(s, _)| !self.is_among(*s, tangled)) {
            let rows = self.start(s) - self.start(mine.start)..self.start(s + 1) - self.start(mine.start);
            *turn = self.fit(s, at, Some(*turn), &mut by[rows]);
        }
        worker.sync();
        let by = worker.read(self.by.shared());
        for (n, x) in mine.zip(worker.chunk_of(x, 0..self.list.len())).filter(|(n, _)| !self.is_among(*n, tangled)) {
            self.follow(n, by, x);
        }
        worker.sync();
    }

    /// Whether the cluster's body is one of those that are to be left alone.
    fn is_among(&self, s: usize, tangled: &[AtomicBool]) -> bool {
        tangled[self.body[s] as usize].load(Ordering::Relaxed)
    }

    /// Where the members of cluster `s` begin.
    fn start(&self, s: usize) -> usize {
        self.list.get(s).map_or(self.members.len(), |cluster| cluster.first as usize)
    }

    /// How far the members of cluster `s` should move, into `out`. Returns how it is turned, looking near `near`.
    fn fit<T: Scalar>(
        &self,
        s: usize,
        at: ClusterInput<'_, T>,
        near: Option<Quaternion>,
        out: &mut [[f64; 3]],
    ) -> Quaternion {
        let cluster = self.list[s];
        let members = &self.members[self.start(s)..self.start(s + 1)];
        let place = |m: &Member| xyz(at.x[m.node as usize]);
        let nodes = self.list.len();
        let origin = place(&members[0]);
        let (mut middle, mut a) = ([0.0; 3], [[0.0; 3]; 3]);
        for m in members {
            let d = minus(place(m), origin);
            middle = plus(middle, d, m.weight);
            add(&mut a, d, m.rest, m.weight);
            if m.node as usize >= nodes {
                blend(&mut a, &at.spin[m.node as usize - nodes], m.weight);
            }
        }
        let turn = nearest(&a, near);
        let r = matrix(turn);
        let mut off = 0.0;
        for (out, m) in out.iter_mut().zip(members).filter(|(_, m)| (m.node as usize) < nodes) {
            let goal = core::array::from_fn(|k| middle[k] + dot(r[k], m.rest));
            *out = minus(goal, minus(place(m), origin));
            off += m.weight * dot(*out, *out);
        }
        let volume = if cluster.volume > 0.0 { determinant(&a) / cluster.volume } else { 1.0 };
        let trust = fade(off / cluster.spread.max(1e-300), STRAIN) * fade(volume, VOLUME);
        for out in out.iter_mut().filter(|_| trust < 1.0) {
            *out = if trust > 0.0 { out.map(|c| c * trust) } else { [0.0; 3] };
        }
        turn
    }

    /// Moves node `n`, at `x`, by the mean of what its clusters want.
    fn follow<T: Scalar>(&self, n: usize, by: &[[f64; 3]], x: &mut Vertex<T>) {
        let of = &self.of[self.begin[n] as usize..self.begin[n + 1] as usize];
        let (mut sum, share) = ([0.0; 3], 1.0 / of.len().max(1) as f64);
        for &i in of {
            sum = plus(sum, by[i as usize], share);
        }
        (0..3).for_each(|k| x[k] = x[k] + T::of(sum[k]));
    }
}

/// What clusters look at.
#[derive(Clone, Copy)]
struct ClusterInput<'a, T> {
    x: &'a [Vertex<T>],
    spin: &'a [Mat3],
}

/// 1 up to (or from) the first bound, 0 from (or up to) the second and for what is not a number.
fn fade(value: f64, [full, none]: [f64; 2]) -> f64 {
    let part = (value - none) / (full - none);
    if part > 0.0 { part.min(1.0) } else { 0.0 }
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn plus(a: [f64; 3], b: [f64; 3], by: f64) -> [f64; 3] {
    [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]]
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// m += by a bᵀ.
fn add(m: &mut Mat3, a: [f64; 3], b: [f64; 3], by: f64) {
    for i in 0..3 {
        m[i] = plus(m[i], b, by * a[i]);
    }
}

/// m += by n.
fn blend(m: &mut Mat3, n: &Mat3, by: f64) {
    for i in 0..3 {
        m[i] = plus(m[i], n[i], by);
    }
}

/// The mean of a bᵀ.
fn moment(pairs: impl ExactSizeIterator<Item = ([f64; 3], [f64; 3])>) -> Mat3 {
    let (mut m, share) = ([[0.0; 3]; 3], 1.0 / pairs.len().max(1) as f64);
    pairs.for_each(|(a, b)| add(&mut m, a, b, share));
    m
}
