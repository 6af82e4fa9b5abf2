//! Newton's method with conjugate gradients behind a multigrid cycle (Baraff and Witkin's step, with the preconditioner
//! that makes it cheap at any resolution).
//!
//! The Hessian is M/s + Σ Jᵀ E J + what tension adds, in single precision; positions, forces and energy are in double
//! precision, so that nothing of the solution is lost. Bending is what a sheet that hardly stretches feels of it: the
//! square of a fixed combination of positions (as in Bergou and others, "A quadratic bending model", 2006), the same in
//! every step, while forces are those of the angles themselves. Contacts are stiff planes (see [`Plane`]).

mod coarsen;
mod cycle;
mod operator;
mod packed;
mod stops;

pub(crate) use coarsen::Follows;

use super::configuration::Standing;
use super::evaluate::ROWS;
use super::table::Table;
use super::{Outcome, Solve, small};
use crate::constraint::{Elements, LaneChoice, Stops, Sweep};
use crate::lanes::{BLOCK, Scalar, Shared, SharedVec, Vertex};
use crate::team::Worker;
use cycle::Cycle;
use operator::{Block, Light, Numbering, Operator, Pattern, Vector};
use packed::{BendItem, PackedElements};
use std::sync::{PoisonError, RwLock};

/// Conjugate gradients: iterations at most, and the part of the error (in energy, squared) at which they stop.
const FEW: (u32, f64) = (4, 1e-2);
const MANY: (u32, f64) = (30, 1e-6);
/// Who asks for less than this, m/s, wants the solution and not the next frame.
const EXACT: f64 = 1e-3;
/// Halvings of a step, at most.
const HALVINGS: u32 = 12;
/// The part of Φ that is lost in its rounding errors.
const LEVEL: f64 = 1e-11;

/// A step begins where it began, and not where motion leads, if Φ is so many times as great there: beginning where
/// motion leads keeps more of it.
const FAR_UP: f64 = 30.0;

/// What is no further from a plane lies on it, m; on either side.
const ON: f64 = 1e-6;
const SUNK: f64 = 1e-5;

/// What a vertex touches: it may go along `normal` to any place, and back only as far as `at` without being pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plane {
    /// A unit vector, or zero for nothing.
    pub normal: [f64; 3],
    /// m.
    pub at: [f64; 3],
    /// Where, along the plane, it would be if it had not slipped, m.
    pub anchor: [f64; 3],
    /// What friction holds it by at most, over the stiffness of a plane, m: the coefficient times how deep it was.
    pub grip: f64,
    /// Whether friction held it when the plane was found.
    pub held: bool,
    /// Whether it has been there before, on a collider: it did not come from afar, and will not bounce.
    pub settled: bool,
}

impl Plane {
    /// How stiff it is over the inertia of its vertex, M/s.
    pub const STIFFNESS: f64 = 2000.0;

    /// How much less stiff friction is, while it holds: what it holds by is found to more digits than single precision
    /// has, otherwise.
    const YIELDING: f64 = 50.0;

    /// How many numbers it is.
    pub(super) const NUMBERS: usize = 12;

    /// How far a place is beyond the plane, m.
    pub(crate) fn beyond(&self, x: [f64; 3]) -> f64 {
        small::dot(self.normal, small::plus(self.at, -1.0, x))
    }

    /// Whether a place is on it, but for rounding.
    pub(super) fn touches(&self, x: [f64; 3]) -> bool {
        let beyond = self.beyond(x);
        beyond > -ON && beyond < SUNK
    }

    /// How far a place is from the anchor along the plane, m.
    fn slip(&self, x: [f64; 3]) -> [f64; 3] {
        let off = small::plus(x, -1.0, self.anchor);
        small::plus(off, -small::dot(self.normal, off), self.normal)
    }

    /// Whether friction does not hold what is at a place.
    pub(crate) fn slides(&self, x: [f64; 3]) -> bool {
        let (slip, most) = (self.slip(x), self.grip * Plane::YIELDING);
        small::dot(slip, slip) > most * most
    }

    /// Where something at `x` is without its slip, if friction holds it.
    pub(crate) fn without_slip(&self, x: [f64; 3]) -> Option<[f64; 3]> {
        (self.grip > 0.0 && !self.slides(x)).then(|| small::plus(x, -1.0, self.slip(x)))
    }

    /// How stiff friction is over the plane at such a slip: the same until all of its grip holds, then less, so that it
    /// brakes with just that.
    fn hold(&self, slip: [f64; 3]) -> f64 {
        let size = small::dot(slip, slip).sqrt();
        match size <= self.grip * Plane::YIELDING {
            true => f64::from(u8::from(self.grip > 0.0)) / Plane::YIELDING,
            false => self.grip / size,
        }
    }

    /// Energy and its slope at a place, over the plane's stiffness: m², m.
    fn push(&self, x: [f64; 3]) -> (f64, [f64; 3]) {
        let (beyond, slip) = (self.beyond(x).max(0.0), self.slip(x));
        let (hold, size) = (self.hold(slip), small::dot(slip, slip).sqrt());
        let slides = if self.slides(x) { self.grip * (size - 0.5 * self.grip * Plane::YIELDING) } else { 0.0 };
        let held = if slides > 0.0 { slides } else { 0.5 * hold * size * size };
        (0.5 * beyond * beyond + held, small::plus(self.normal.map(|n| -n * beyond), hold, slip))
    }

    /// The curvature, likewise, column by column, for a vertex that Φ's slope `pull`, over the plane's stiffness, draws
    /// back (m). Along the way that it slides there is none, unless friction would stop it there: then it is stiff
    /// enough not to go beyond.
    fn curvature(&self, x: [f64; 3], presses: bool, pull: [f64; 3]) -> [[f64; 3]; 3] {
        let slip = self.slip(x);
        let (hold, size) = (self.hold(slip), small::dot(slip, slip).sqrt());
        let across = f64::from(u8::from(presses)) - hold;
        let goes_on = self.slides(x) && small::dot(slip, small::plus(slip, -Plane::STIFFNESS, pull)) > 0.0;
        let along = if goes_on { hold / (size * size) } else { 0.0 };
        core::array::from_fn(|c| {
            let mut column: [f64; 3] =
                core::array::from_fn(|r| across * self.normal[r] * self.normal[c] - along * slip[r] * slip[c]);
            column[c] += hold;
            column
        })
    }
}

/// Memory of the method. All but the numbers follows from the model.
#[derive(Debug)]
pub(super) struct Multigrid {
    packed: PackedElements,
    /// The finest level's number of each vertex, and back.
    to: Vec<u32>,
    from: Vec<u32>,
    finest: Operator,
    cycle: RwLock<Cycle>,
    bending: RwLock<Bending>,
    vectors: Vectors,
    places: Places,
}

/// By node of the finest level.
#[derive(Debug)]
struct Vectors {
    residual: SharedVec<Vector>,
    preconditioned: SharedVec<Vector>,
    /// A times it.
    image: SharedVec<Vector>,
    direction: SharedVec<Vector>,
    product: SharedVec<Vector>,
    step: SharedVec<Vector>,
}

/// By vertex, and one more that never moves.
#[derive(Debug)]
struct Places {
    x: SharedVec<Vertex<f64>>,
    v: SharedVec<Vertex<f64>>,
    force: SharedVec<Vertex<f64>>,
    /// Places as seen from the first vertex, and a Newton step, in single precision.
    near: SharedVec<Vertex<f32>>,
    step: SharedVec<Vertex<f32>>,
}

/// What resists bending, times the identity. Between vertices that have nothing else in common it is the finest
/// operator's [`Light`].
#[derive(Debug, Default)]
struct Bending {
    items: Vec<BendItem>,
    /// By block of the finest level, N/m, for the damping `rate` and vertices that were `held`.
    blocks: Vec<f32>,
    /// By node of the finest level: its own, and all that it has with others in `blocks`.
    own: Vec<f32>,
    rate: f64,
    held: Vec<bool>,
    /// Blocks between a vertex that is held and another.
    idle: Vec<u32>,
}

impl Multigrid {
    /// For these elements, and the user's own rows in `table`, over so many vertices, at `rest` (m). `lattices` are the
    /// coarse nodes that vertices, and coarse nodes of the level below, follow.
    pub fn new<T: Scalar>(
        elements: &Elements<T>,
        table: &Table,
        vertices: usize,
        rest: &[[f64; 3]],
        lattices: &[Vec<Follows>],
        lanes: LaneChoice,
    ) -> Self {
        let mut packed = PackedElements::new(elements, lanes);
        let [all, live] = [true, false].map(|bending| graph(&packed, table, vertices, bending));
        let numbering = Numbering::new(&all);
        let pattern = Pattern::new(&live, &numbering);
        let bends = |i: usize| all[i].iter().copied().filter(|j| live[i].binary_search(j).is_err()).collect();
        let light = Pattern::new(&(0..vertices).map(bends).collect::<Vec<Vec<u32>>>(), &numbering);
        let mut from = vec![0; vertices];
        numbering.to.iter().enumerate().for_each(|(old, &new)| from[new as usize] = old as u32);
        packed.settle_targets(&pattern, &numbering.to);
        let cycle = Cycle::new(&pattern, &numbering.to, lattices);
        let vector = || SharedVec::new(vec![[0.0; 4]; vertices]);
        let places = || SharedVec::new(vec![[0.0; 4]; vertices + 1]);
        let near = || SharedVec::new(vec![[0.0; 4]; vertices + 1]);
        Multigrid {
            bending: RwLock::new(Bending { items: packed.bending(rest), ..Bending::default() }),
            packed,
            from,
            to: numbering.to,
            finest: Operator::new(pattern, Some(Light::new(light))),
            cycle: RwLock::new(cycle),
            vectors: Vectors {
                residual: vector(),
                preconditioned: vector(),
                image: vector(),
                direction: vector(),
                product: vector(),
                step: vector(),
            },
            places: Places { x: places(), v: places(), force: places(), near: near(), step: near() },
        }
    }

    /// Has stretch become stiff where `stops` say.
    pub fn settle_stops(&mut self, stops: &Stops) {
        self.packed.settle_stops(stops);
    }

    /// The multipliers to begin with, in the model's order.
    pub fn put_multipliers<T: Scalar>(&self, worker: Worker<'_>, from: Shared<'_, [T; BLOCK]>) {
        let to = worker.chunk_mut(self.packed.tension.shared());
        to.iter_mut().zip(worker.chunk_mut(from)).for_each(|(to, from)| *to = from.map(|m| m.f64() as f32));
        worker.sync();
    }

    /// Gives them back.
    pub fn take_multipliers<T: Scalar>(&self, worker: Worker<'_>, to: Shared<'_, [T; BLOCK]>) {
        let from = worker.chunk_mut(self.packed.tension.shared());
        worker.chunk_mut(to).iter_mut().zip(from).for_each(|(to, from)| *to = from.map(|m| T::of(f64::from(m))));
        worker.sync();
    }
}

/// Which vertices are in an element together, or in a row of the user's own; with those that do nothing but bend or
/// without.
fn graph(packed: &PackedElements, table: &Table, vertices: usize, bending: bool) -> Vec<Vec<u32>> {
    let mut graph = vec![Vec::new(); vertices];
    let mut connect = |corners: &[u32]| {
        for &a in corners {
            graph[a as usize].extend(corners.iter().copied().filter(|&b| b != a));
        }
    };
    packed.connections(|corners, bends| {
        if bending || !bends {
            connect(corners);
        }
    });
    table.items.iter().for_each(|item| connect(&item.vertices[..item.arms()]));
    graph.iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    graph
}

impl Solve<'_> {
    /// Newton steps until the velocity that a step changes is within the tolerance.
    pub(super) fn multigrid(&self, memory: &Multigrid) -> Outcome {
        let worker = self.crew.worker;
        self.settle_multigrid(memory);
        let mut now = if self.settings.stays { self.forces_of(|m| self.packed_energy(m)) } else { self.forces() };
        // Stiff cloth that goes on as it went is stretched, and steps do not lead out of that soon enough: it would
        // gain energy.
        let low = || now.energy <= FAR_UP * self.inertia_of_start();
        if !self.settings.goes_on && !low() {
            now = self.back_to_start(now, FAR_UP);
        }
        let mut outcome = Outcome { iterations: 0, residual: f64::INFINITY };
        let mut from_start = false;
        while outcome.iterations < self.settings.iterations {
            self.assemble_finest(memory);
            let cycle = memory.cycle.read().unwrap_or_else(PoisonError::into_inner);
            if cycle.flat() || self.settings.coarse && outcome.iterations == 0 {
                cycle.project(self.sweep(memory), &memory.finest);
            }
            drop(cycle);
            outcome.iterations += 1;
            let furthest = self.newton_direction(memory);
            memory.packed.tensions(worker, memory.places.near.shared(), memory.places.step.shared());
            let part = self.go_down(&mut now, memory.packed.viscous);
            outcome.residual = furthest * if part > 0.0 { part } else { 1.0 } * self.settings.rate;
            if part == 0.0 && !from_start {
                // Going on as before has led far up; where the step began is never far from where it ends.
                from_start = true;
                now = self.back_to_start(now, 1.0);
                continue;
            }
            if part == 0.0 || !self.unsolved(outcome.residual) {
                break;
            }
        }
        outcome
    }

    /// What inertia alone makes of Φ where the step began, J: no more than all of it.
    fn inertia_of_start(&self) -> f64 {
        let points = &self.global.points;
        self.crew.sum(self.global.vertices, |i| {
            let (w, off) = (points.w.get(i), small::plus(points.start.get3(i), -1.0, points.target.get3(i)));
            if w > 0.0 { 0.5 * small::dot(off, off) / (w * self.settings.reach) } else { 0.0 }
        })
    }

    /// Back to where the step began, if so many times Φ there is less than it is here.
    fn back_to_start(&self, now: Standing, times: f64) -> Standing {
        let g = self.global;
        self.crew.each(g.vertices, |i| g.arm[2].set3(i, g.points.x.get3(i)));
        self.place(&g.points.start);
        let there = self.forces();
        if times * there.energy < now.energy || !now.energy.is_finite() {
            return there;
        }
        self.place(&g.arm[2]);
        self.forces()
    }

    /// Bending and damping for the vertices that are held now, and this time step.
    fn settle_multigrid(&self, memory: &Multigrid) {
        let (g, rate) = (self.global, self.settings.rate);
        if let Some(alone) = self.crew.worker.alone() {
            let mut bending = memory.bending.write().unwrap_or_else(PoisonError::into_inner);
            let held = |i: usize| g.points.w.get(i) == 0.0;
            let damped = memory.packed.viscous && bending.rate != rate;
            let fits = bending.held.len() == g.vertices && (0..g.vertices).all(|i| bending.held[i] == held(i));
            if damped {
                memory.packed.settle_damping(alone, rate);
            }
            if !fits || damped {
                bending.held = (0..g.vertices).map(held).collect();
                bending.rate = rate;
                bending.settle_idle(&memory.finest.pattern, &memory.from);
                if let Some(light) = &memory.finest.light {
                    let values = alone.chunk_mut(light.values.shared());
                    bending.settle_blocks(&memory.finest.pattern, &memory.to, (&light.pattern, values));
                    let mut cycle = memory.cycle.write().unwrap_or_else(PoisonError::into_inner);
                    cycle.set_constant(&light.pattern, values);
                }
            }
        }
        self.crew.worker.sync();
    }

    /// What elements add to Φ and, by vertex, to its gradient.
    pub(super) fn packed_forces(&self, memory: &Multigrid) -> f64 {
        let (g, worker) = (self.global, self.crew.worker);
        let Places { x, v, force, .. } = &memory.places;
        let [x, v, force] = [x, v, force].map(SharedVec::shared);
        let viscous = memory.packed.viscous;
        each(worker, x, |i, to| {
            if i < g.vertices {
                let [a, b, c] = g.points.x.get3(i);
                *to = [a, b, c, 0.0];
            }
        });
        each(worker, force, |_, to| *to = [0.0; 4]);
        if viscous {
            each(worker, v, |i, to| {
                if i < g.vertices {
                    let (x, target, drift) = (g.points.x.get3(i), g.points.target.get3(i), g.points.drift.get3(i));
                    (0..3).for_each(|d| to[d] = drift[d] + (x[d] - target[d]) * self.settings.rate);
                }
            });
        }
        worker.sync();
        memory.packed.forces(worker, x, v, force);
        self.packed_energy(memory)
    }

    /// The energy that [`packed_forces`](Self::packed_forces) found, J.
    fn packed_energy(&self, memory: &Multigrid) -> f64 {
        let energy = self.crew.worker.read(memory.packed.energy.shared());
        self.crew.sum(energy.len(), |b| energy[b].iter().sum())
    }

    /// The gradient that [`packed_forces`](Self::packed_forces) found.
    pub(super) fn packed_gradients<'m>(&self, memory: &'m Multigrid) -> &'m [Vertex<f64>] {
        self.crew.worker.read(memory.places.force.shared())
    }

    /// All nodes of a level, by all workers.
    fn sweep(&self, memory: &Multigrid) -> Sweep<'_> {
        Sweep { worker: self.crew.worker, lanes: memory.packed.lanes }
    }

    /// The finest level's operator: inertia, bending, planes, elements, the user's own rows.
    fn assemble_finest(&self, memory: &Multigrid) {
        let (g, worker) = (self.global, self.crew.worker);
        let Multigrid { finest, from, bending, places, .. } = memory;
        let (pattern, values) = (&finest.pattern, finest.values.shared());
        let bending = bending.read().unwrap_or_else(PoisonError::into_inner);
        let origin = g.points.x.get3(0);
        each(worker, places.near.shared(), |i, to| {
            if i < g.vertices {
                let [x, y, z] = small::plus(g.points.x.get3(i), -1.0, origin).map(|c| c as f32);
                *to = [x, y, z, 0.0];
            }
        });
        let rows = worker.chunk(0..pattern.nodes());
        let own = worker.chunk_of_rows(values, pattern.nodes(), |i| pattern.starts[i] as usize);
        let start = pattern.starts[rows.start] as usize;
        for i in rows {
            for n in pattern.after(i) {
                let b = bending.blocks[n];
                own[n - start] = [b, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, b];
            }
        }
        worker.sync();
        memory.packed.hessians(worker, places.near.shared(), values);
        finest.mirror(worker, |i, others| {
            let (vertex, bend) = (from[i] as usize, bending.own[i]);
            if bending.held[vertex] {
                return Some([0.0; 9]);
            }
            let mut own = others.map(|c| -c);
            (0..3).for_each(|d| own[4 * d] += bend);
            self.add_inertia(vertex, &mut own);
            Some(own)
        });
        if let Some(alone) = worker.alone() {
            let values = alone.chunk_mut(values);
            bending.idle.iter().for_each(|&n| values[n as usize] = [0.0; 9]);
            self.add_user_rows(memory, &bending.held, values);
        }
        worker.sync();
        finest.invert(worker);
    }

    /// Jᵀ E J of the user's own rows. There are few.
    fn add_user_rows(&self, memory: &Multigrid, held: &[bool], values: &mut [Block]) {
        let (g, pattern) = (self.global, &memory.finest.pattern);
        for (e, item) in self.table.items.iter().enumerate() {
            let hardness = self.hardness(e);
            let free = |k: &usize| !held[item.vertices[*k] as usize];
            for (a, b) in (0..item.arms()).flat_map(|a| (0..item.arms()).map(move |b| (a, b))) {
                let [i, j] = [a, b].map(|k| memory.to[item.vertices[k] as usize]);
                let Some(n) = pattern.place(i as usize, j).filter(|_| free(&a) && free(&b)) else { continue };
                for (row, r) in item.own_rows().enumerate() {
                    let [u, v] = [a, b].map(|k| g.rows.gradient.get3(item.gradient(row, k)));
                    for (k, to) in values[n].iter_mut().enumerate() {
                        *to += (hardness.at(r, r) * u[k % 3] * v[k / 3]) as f32;
                    }
                }
            }
        }
    }

    /// M/s, and the plane that a vertex is pushed by.
    fn add_inertia(&self, vertex: usize, block: &mut Block) {
        let inertia = 1.0 / (self.global.points.w.get(vertex) * self.settings.reach);
        (0..3).for_each(|d| block[4 * d] += inertia as f32);
        if let Some(plane) = self.global.plane(vertex) {
            let (x, presses) = (self.global.points.x.get3(vertex), self.presses(vertex, &plane));
            let stiffness = Plane::STIFFNESS * inertia;
            let pull = self.global.arm[0].get3(vertex).map(|c| c / stiffness);
            for (c, column) in plane.curvature(x, presses, pull).iter().enumerate() {
                (0..3).for_each(|r| block[3 * c + r] += (stiffness * column[r]) as f32);
            }
        }
    }

    /// Whether a vertex is beyond a plane, or lies on it and would go beyond if nothing pushed it.
    fn presses(&self, vertex: usize, plane: &Plane) -> bool {
        let (g, beyond) = (self.global, plane.beyond(self.global.points.x.get3(vertex)));
        beyond > 0.0 || (beyond > -ON && small::dot(g.arm[0].get3(vertex), plane.normal) > 0.0)
    }

    /// The energy of a vertex's plane, J, and how much it changes with the vertex's place, N. `inertia` is M/s.
    #[inline(always)]
    pub(super) fn plane_force(&self, vertex: usize, inertia: f64) -> Option<(f64, [f64; 3])> {
        let plane = self.global.plane(vertex)?;
        let (energy, slope) = plane.push(self.global.points.x.get3(vertex));
        let k = Plane::STIFFNESS * inertia;
        Some((k * energy, slope.map(|p| k * p)))
    }

    /// Solves for −H⁻¹ g, in the finest level's order. Returns the longest displacement, m.
    fn newton_direction(&self, memory: &Multigrid) -> f64 {
        let (g, worker, crew) = (self.global, self.crew.worker, &self.crew);
        let (sweep, Multigrid { finest, cycle, from, to, vectors, places, .. }) = (self.sweep(memory), memory);
        let cycle = cycle.read().unwrap_or_else(PoisonError::into_inner);
        let Vectors { residual, preconditioned, image, direction, product, step } = vectors;
        let [r, z, az, p, ap, d] = [residual, preconditioned, image, direction, product, step].map(|v| v.shared());
        let (most, enough) = if self.settings.tolerance < EXACT { MANY } else { FEW };
        each(worker, r, |i, to| {
            let [x, y, z] = g.arm[0].get3(from[i] as usize).map(|c| -c as f32);
            *to = [x, y, z, 0.0];
        });
        each(worker, d, |_, to| *to = [0.0; 4]);
        worker.sync();
        let (mut first, mut last) = (0.0, 1.0);
        for k in 0..most {
            cycle.apply_and_multiply(sweep, finest, r, z, az);
            let (rs, zs) = (worker.read(r), worker.read(z));
            let size = crew.sum(r.len(), |i| product_of(&rs[i], &zs[i]));
            if k == 0 {
                first = size;
            }
            if !(size > 0.0 && size.is_finite()) || (k > 0 && size <= enough * first) {
                break;
            }
            let beta = (size / last) as f32;
            last = size;
            // The first direction forgets what an earlier solve left, which may be no number.
            let azs = worker.read(az);
            each(worker, p, |i, to| {
                *to = if k == 0 { zs[i] } else { core::array::from_fn(|c| zs[i][c] + beta * to[c]) };
            });
            each(worker, ap, |i, to| {
                *to = if k == 0 { azs[i] } else { core::array::from_fn(|c| azs[i][c] + beta * to[c]) };
            });
            worker.sync();
            let (ps, aps) = (worker.read(p), worker.read(ap));
            let curve = crew.sum(p.len(), |i| product_of(&ps[i], &aps[i]));
            let length = (size / curve) as f32;
            if !(length > 0.0 && length.is_finite()) {
                break;
            }
            each(worker, d, |i, to| (0..3).for_each(|c| to[c] += length * ps[i][c]));
            each(worker, r, |i, to| (0..3).for_each(|c| to[c] -= length * aps[i][c]));
            worker.sync();
        }
        worker.sync();
        let ds = worker.read(d);
        crew.each(d.len(), |i| {
            let step = [ds[i][0], ds[i][1], ds[i][2]].map(f64::from);
            g.arm[1].set3(from[i] as usize, step);
        });
        each(worker, places.step.shared(), |v, step| {
            if let Some(&i) = to.get(v) {
                *step = ds[i as usize];
            }
        });
        crew.reduce(d.len(), |i| [0.0, 0.0, 0.0, product_of(&ds[i], &ds[i])])[3].sqrt()
    }

    /// Goes as much of the step as raises Φ nowhere. Returns the part.
    fn go_down(&self, now: &mut Standing, viscous: bool) -> f64 {
        let direction = &self.global.arm[1];
        let mut part = 1.0;
        self.go(part, direction);
        for _ in 0..HALVINGS {
            let next = self.forces();
            let grown = !viscous && !self.table.viscous && next.energy > now.energy * (1.0 + LEVEL);
            if !grown && next.residual.is_finite() {
                *now = next;
                return part;
            }
            part *= 0.5;
            self.go(-part, direction);
        }
        self.go(-part, direction);
        *now = self.forces();
        0.0
    }
}

impl Bending {
    /// Finds the blocks of vertices that are held now.
    fn settle_idle(&mut self, pattern: &Pattern, from: &[u32]) {
        let held = |node: u32| self.held[from[node as usize] as usize];
        let others = |i: usize| pattern.row(i).filter(move |&n| pattern.columns[n] as usize != i);
        let idle = |i: usize| others(i).filter(move |&n| held(i as u32) || held(pattern.columns[n]));
        self.idle = (0..pattern.nodes()).flat_map(idle).map(|n| n as u32).collect();
    }

    /// Σ_rq E_rq w_r w_qᵀ of all items that bend, for a pattern in which vertices have the numbers `to`; and for pairs
    /// with nothing else between them, in a pattern and a list of their own.
    fn settle_blocks(&mut self, pattern: &Pattern, to: &[u32], (light, values): (&Pattern, &mut [f32])) {
        let (mut blocks, mut single) = (vec![0.0; pattern.blocks()], vec![0.0; light.blocks()]);
        for item in &self.items {
            let mut roots = [1.0; ROWS];
            (0..3).for_each(|r| roots[r] = (1.0 + item.gamma[r] * self.rate).sqrt());
            let hardness = item.stiffness.scaled(&roots);
            let free = |k: &usize| !self.held[item.vertices[*k] as usize];
            let count = item.vertices.len();
            for a in (0..count).filter(free) {
                // Σ_q E_rq w_q of each row r, by vertex.
                let of = |r: usize, b: usize| {
                    let weight = |q: usize| item.weights[q].get(b).copied().unwrap_or(0.0);
                    (0..3).map(|q| hardness.at(r, q) * weight(q)).sum::<f64>()
                };
                for b in (0..count).filter(free) {
                    let [i, j] = [a, b].map(|k| to[item.vertices[k] as usize]);
                    let weight = |r: usize| item.weights[r].get(a).copied().unwrap_or(0.0);
                    let value = (0..3).map(|r| weight(r) * of(r, b)).sum::<f64>();
                    match (pattern.place(i as usize, j), light.place(i as usize, j)) {
                        (Some(n), _) => blocks[n] += value,
                        (None, Some(n)) => single[n] += value,
                        (None, None) => {}
                    }
                }
            }
        }
        self.own = (0..pattern.nodes()).map(|i| pattern.row(i).map(|n| blocks[n]).sum::<f64>() as f32).collect();
        self.blocks = blocks.into_iter().map(|b| b as f32).collect();
        values.iter_mut().zip(single).for_each(|(to, b)| *to = b as f32);
    }
}

/// Does `f` to this worker's part of a list.
#[inline(always)]
fn each<N: Copy>(worker: Worker<'_>, list: Shared<'_, N>, mut f: impl FnMut(usize, &mut N)) {
    let rows = worker.chunk(0..list.len());
    rows.zip(worker.chunk_mut(list)).for_each(|(i, to)| f(i, to));
}

#[inline(always)]
fn product_of(a: &Vector, b: &Vector) -> f64 {
    (0..3).map(|d| f64::from(a[d]) * f64::from(b[d])).sum()
}
