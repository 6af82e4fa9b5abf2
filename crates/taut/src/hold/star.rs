//! What keeps coarse nodes of a solid in shape: stars. The star of a node is that node with all that are tied to it.
//!
//! All stars of a level at once: each finds where its nodes would be if it were rigid, c + R (X − C), R the rotation (never a reflection)
//! that brings them closest to where they are; nodes go to the mean of what their stars say. A node shares its mass among its
//! stars, so each keeps linear and angular momentum, and so do all of them; and since each goes no further than to the nearest rigid
//! pose, and the mean of such steps is shorter still, nothing is pushed past where it should be.

use super::body::NONE;
use super::bytes_of;
use super::rotation::{Matrix, NO_TURN, Turn, determinant, matrix, nearest};
use crate::lanes::{Place, Scalar, Shared, Vertex};
use crate::state::xyz;
use crate::team::Worker;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;

/// How much heavier what is held is than all else in a star.
const HEAVY: f64 = 1e5;
/// Mean squared distance from the rigid pose, over that from the middle, up to which a star acts fully, and from which not at all. What is
/// torn or crushed is left to the elements: coarse nodes know less than they how to get out.
const STRAIN: [f64; 2] = [0.0025, 0.01];
/// Volume over that at rest, likewise.
const VOLUME: [f64; 2] = [0.8, 0.6];
/// A star is flat if the determinant of its moments at rest is less than this part of what a round one of its size has.
const FLAT: f64 = 1e-9;

#[derive(Clone, Copy, Debug)]
struct Member {
    node: u32,
    /// Its part of the star's mass.
    weight: f64,
    /// X − C, m.
    rest: [f64; 3],
}

#[derive(Clone, Copy, Debug)]
struct Star {
    /// Where its members begin.
    first: u32,
    /// Σ weight |X − C|² of nodes that move, m².
    spread: f64,
    /// det Σ weight (X − C)(X − C)ᵀ, m⁶; 0 if flat.
    volume: f64,
}

/// The stars of a level, one for each node.
#[derive(Debug, Default)]
pub(super) struct Stars {
    list: Vec<Star>,
    members: Vec<Member>,
    /// Where each node's memberships begin, and which they are.
    begin: Vec<u32>,
    of: Vec<u32>,
    /// For each star, one of the level above that turns about as it does; [`NONE`] if there is none.
    pub seeds: Vec<u32>,
    /// The body of each star, and its first star.
    body: Vec<u32>,
    lead: Vec<u32>,
    /// X of the vertices of held nodes, from their middle, m.
    held: Vec<Vec<[f64; 3]>>,
    /// Σ (x − x̄)(X − X̄)ᵀ of each held node's vertices over their number, m².
    spin: Vec<Matrix>,
    turns: Vec<Turn>,
    /// How far each member should move.
    by: Vec<[f64; 3]>,
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

impl Stars {
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
        let spin: Vec<Matrix> = held.iter().map(|list| moment(list.iter().map(|&p| (p, p)))).collect();
        let mut first = BTreeMap::new();
        let lead = body.iter().zip(0..).map(|(b, n)| *first.entry(b).or_insert(n)).collect();
        let (seeds, turns) = (vec![NONE; nodes], vec![NO_TURN; nodes]);
        let mut stars = Stars { held, spin, body: body.to_vec(), lead, seeds, turns, ..Stars::default() };
        let at = |n: u32| place.get(n as usize).copied().unwrap_or_else(|| middles[n as usize - nodes]);
        let stars_of: Vec<f64> =
            near.iter().map(|list| list.iter().filter(|&&n| (n as usize) < nodes).count() as f64).collect();
        let free = |n: u32| mass.get(n as usize).map_or(0.0, |m| m / stars_of[n as usize]);
        let count = |n: u32| anchors.get((n as usize).wrapping_sub(nodes)).map_or(0, |a| a.vertices.len()) as f64;
        for list in &near {
            let (kg, pins) = (list.iter().map(|&n| free(n)).sum::<f64>(), list.iter().map(|&n| count(n)).sum::<f64>());
            let heavy = if pins > 0.0 { HEAVY } else { 0.0 };
            let weight = |n: u32| (free(n) / kg.max(1e-300) + heavy * count(n) / pins.max(1.0)) / (1.0 + heavy);
            let middle = list.iter().fold([0.0; 3], |sum, &n| plus(sum, at(n), weight(n)));
            stars.push(nodes, list.iter().map(|&n| Member { node: n, weight: weight(n), rest: minus(at(n), middle) }));
        }
        stars.gather(nodes);
        stars
    }

    fn push(&mut self, nodes: usize, members: impl Iterator<Item = Member>) {
        let first = self.members.len();
        self.members.extend(members);
        let (mut q, mut spread, mut size) = ([[0.0; 3]; 3], 0.0, 0.0);
        for m in &self.members[first..] {
            add(&mut q, m.rest, m.rest, m.weight);
            if let Some(spin) = self.spin.get((m.node as usize).wrapping_sub(nodes)) {
                blend(&mut q, spin, m.weight);
            } else {
                spread += m.weight * dot(m.rest, m.rest);
            }
        }
        (0..3).for_each(|k| size += q[k][k] / 3.0);
        let volume = determinant(&q);
        let volume = if volume > FLAT * size * size * size { volume } else { 0.0 };
        self.list.push(Star { first: first as u32, spread, volume });
    }

    /// Which members each node is.
    fn gather(&mut self, nodes: usize) {
        self.by = vec![[0.0; 3]; self.members.len()];
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
        let stars = bytes_of(&self.seeds) + bytes_of(&self.body) + bytes_of(&self.lead);
        lists + held + stars + bytes_of(&self.spin) + bytes_of(&self.turns) + bytes_of(&self.by)
    }

    /// `tangled` says which bodies are to be left alone.
    pub fn desk<'a>(&'a mut self, tangled: &'a [AtomicBool]) -> Starry<'a> {
        let Stars { list, members, begin, of, seeds, body, lead, held, spin, turns, by } = self;
        let (spin, turns, by) = (Shared::new(spin), Shared::new(turns), Shared::new(by));
        Starry { list, members, begin, of, seeds, body, lead, tangled, held, spin, turns, by }
    }
}

/// Stars during a step.
pub(super) struct Starry<'a> {
    list: &'a [Star],
    members: &'a [Member],
    begin: &'a [u32],
    of: &'a [u32],
    seeds: &'a [u32],
    body: &'a [u32],
    lead: &'a [u32],
    tangled: &'a [AtomicBool],
    held: &'a [Vec<[f64; 3]>],
    spin: Shared<'a, Matrix>,
    turns: Shared<'a, Turn>,
    by: Shared<'a, [f64; 3]>,
}

impl Starry<'_> {
    /// How much there is to do.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Looks which way held nodes are turned.
    pub fn place_held<S: Scalar>(&self, held: &[Vec<u32>], x: Shared<'_, Vertex<S>>) {
        for (h, rest) in self.held.iter().enumerate() {
            // SAFETY: the builder's vertices are in range, and nobody writes them now.
            let at = |v: u32| unsafe { x.read(Place::new::<Vertex<S>>(v)) };
            let Some(&first) = held[h].first() else { continue };
            let from = xyz(at(first));
            let spin = moment(held[h].iter().zip(rest).map(|(&v, &rest)| (minus(xyz(at(v)), from), rest)));
            // SAFETY: held nodes in range; one worker places them.
            unsafe { self.spin.write(Place::new::<Matrix>(h as u32), spin) };
        }
    }

    /// Finds how stars are turned: about as those of the level `above`, or else as the first of the body, for which any turn will do.
    pub fn turn<T: Scalar>(&self, x: Shared<'_, Vertex<T>>, above: Option<&Self>, together: Option<Worker<'_>>) {
        if self.list.is_empty() {
            return;
        }
        let alone = |s: &usize| self.seeds[*s] == NONE;
        if together.is_none_or(|worker| worker.id == 0) {
            for s in (0..self.list.len()).filter(alone).filter(|&s| self.lead[s] as usize == s) {
                self.fit(s, x, None);
            }
        }
        together.iter().for_each(Worker::sync);
        for s in self.share(together).filter(|&s| self.lead[s] as usize != s || !alone(&s)) {
            let (from, number) = if alone(&s) { (Some(self), self.lead[s]) } else { (above, self.seeds[s]) };
            // SAFETY: the builder's stars are in range; nobody writes these now.
            let turn = from.map_or(NO_TURN, |from| unsafe { from.turns.read(Place::new::<Turn>(number)) });
            // SAFETY: this worker's.
            unsafe { self.turns.write(Place::new::<Turn>(s as u32), turn) };
        }
        together.iter().for_each(Worker::sync);
    }

    fn share(&self, together: Option<Worker<'_>>) -> Range<usize> {
        together.map_or(0..self.list.len(), |worker| worker.share(0..self.list.len()))
    }

    /// One sweep: where rigid stars would have their nodes, then the means of that.
    pub fn relax<T: Scalar>(&self, x: Shared<'_, Vertex<T>>, together: Option<Worker<'_>>) {
        if self.list.is_empty() {
            return;
        }
        for s in self.share(together) {
            // SAFETY: in range, and this worker's.
            self.fit(s, x, Some(unsafe { self.turns.read(Place::new::<Turn>(s as u32)) }));
        }
        together.iter().for_each(Worker::sync);
        for n in self.share(together).filter(|&n| !self.tangled(n)) {
            self.follow(n, x);
        }
        together.iter().for_each(Worker::sync);
    }

    /// Whether the star's body is to be left alone.
    fn tangled(&self, s: usize) -> bool {
        self.tangled[self.body[s] as usize].load(Ordering::Relaxed)
    }

    /// How far star `s` wants its nodes to move.
    fn fit<T: Scalar>(&self, s: usize, x: Shared<'_, Vertex<T>>, start: Option<Turn>) {
        if self.tangled(s) {
            return;
        }
        let star = self.list[s];
        let end = self.list.get(s + 1).map_or(self.members.len(), |next| next.first as usize);
        let members = &self.members[star.first as usize..end];
        // SAFETY: the builder's nodes are in range, and nobody writes them now.
        let at = |m: &Member| xyz(unsafe { x.read(Place::new::<Vertex<T>>(m.node)) });
        let nodes = self.list.len();
        let origin = at(&members[0]);
        let (mut middle, mut a) = ([0.0; 3], [[0.0; 3]; 3]);
        for m in members {
            let d = minus(at(m), origin);
            middle = plus(middle, d, m.weight);
            add(&mut a, d, m.rest, m.weight);
            if m.node as usize >= nodes {
                // SAFETY: in range, and nobody writes it now.
                let spin = unsafe { self.spin.read(Place::new::<Matrix>((m.node as usize - nodes) as u32)) };
                blend(&mut a, &spin, m.weight);
            }
        }
        let turn = nearest(&a, start);
        let r = matrix(turn);
        let mut off = 0.0;
        let place = |i: u32| Place::new::<[f64; 3]>(i);
        for (i, m) in (star.first..).zip(members).filter(|(_, m)| (m.node as usize) < nodes) {
            let goal = core::array::from_fn(|k| middle[k] + dot(r[k], m.rest));
            let by = minus(goal, minus(at(m), origin));
            off += m.weight * dot(by, by);
            // SAFETY: members in range, of a star of this worker.
            unsafe { self.by.write(place(i), by) };
        }
        let volume = if star.volume > 0.0 { determinant(&a) / star.volume } else { 1.0 };
        let trust = fade(off / star.spread.max(1e-300), STRAIN) * fade(volume, VOLUME);
        for i in (star.first..end as u32).filter(|_| trust < 1.0) {
            // SAFETY: likewise.
            unsafe {
                self.by.write(place(i), if trust > 0.0 { self.by.read(place(i)).map(|c| c * trust) } else { [0.0; 3] })
            };
        }
        // SAFETY: likewise.
        unsafe { self.turns.write(Place::new::<Turn>(s as u32), turn) };
    }

    /// Moves node `n` by the mean of what its stars want.
    fn follow<T: Scalar>(&self, n: usize, x: Shared<'_, Vertex<T>>) {
        let of = &self.of[self.begin[n] as usize..self.begin[n + 1] as usize];
        let (mut sum, share) = ([0.0; 3], 1.0 / of.len().max(1) as f64);
        for &i in of {
            // SAFETY: in range, and nobody writes it now.
            sum = plus(sum, unsafe { self.by.read(Place::new::<[f64; 3]>(i)) }, share);
        }
        let place = Place::new::<Vertex<T>>(n as u32);
        // SAFETY: in range, and this worker's.
        unsafe {
            let mut at = x.read(place);
            (0..3).for_each(|k| at[k] = at[k] + T::of(sum[k]));
            x.write(place, at);
        }
    }
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
fn add(m: &mut Matrix, a: [f64; 3], b: [f64; 3], by: f64) {
    for i in 0..3 {
        m[i] = plus(m[i], b, by * a[i]);
    }
}

/// m += by n.
fn blend(m: &mut Matrix, n: &Matrix, by: f64) {
    for i in 0..3 {
        m[i] = plus(m[i], n[i], by);
    }
}

/// The mean of a bᵀ.
fn moment(pairs: impl ExactSizeIterator<Item = ([f64; 3], [f64; 3])>) -> Matrix {
    let (mut m, share) = ([[0.0; 3]; 3], 1.0 / pairs.len().max(1) as f64);
    pairs.for_each(|(a, b)| add(&mut m, a, b, share));
    m
}
