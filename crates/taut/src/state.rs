//! What changes: positions and velocities.

use crate::lanes::{BLOCK, Scalar, V3, Vertex, xyz};
use crate::model::{Identity, Model};
use core::sync::atomic::{AtomicU64, Ordering};

/// The state of a simulation. All access is in the user's vertex numbers.
///
/// Methods that take a vertex number panic if the model has no such vertex, and all but [`fits`](Self::fits) if the
/// state is of another model.
#[derive(Clone, Debug)]
pub struct State<T: Scalar> {
    /// Which model it is of.
    identity: Identity,
    /// Positions with inverse masses, in the model's order, and one spare vertex at the end.
    pub(crate) x: Vec<Vertex<T>>,
    /// Velocities, likewise.
    pub(crate) v: Vec<Vertex<T>>,
    /// Held vertices on their way: (the model's number, where to be at the end of the next step), in the order they
    /// were told; nothing if they were let go since. The last one of a number counts.
    pub(crate) targets: Vec<(u32, Option<[T; 3]>)>,
    /// Simulated time, s.
    pub(crate) time: f64,
    /// Multipliers of the elastic rows in the last substep, as [`Batch::multipliers`](crate::constraint::Batch) lays
    /// them out.
    pub(crate) multipliers: Vec<[T; BLOCK]>,
    /// Multipliers of the user's own rows, likewise.
    pub(crate) user_multipliers: Vec<T>,
    /// Positions and velocities one substep ago, for integrators that look so far back; else empty.
    pub(crate) before: Vec<[Vertex<T>; 2]>,
    /// The length of that substep, s.
    pub(crate) before_h: f64,
    /// Accelerations (m/s²) by which the last substep's elastic forces moved vertices, for integrators that use them
    /// again after solvers whose multipliers say something else when stopped early; else empty.
    pub(crate) last_accelerations: Vec<Vertex<T>>,
    /// What it took to keep the last steps within their bounds.
    pub(crate) effort: Effort,
    /// Which positions and inverse masses these are: states of one version have the same, and every change of them
    /// makes another.
    pub(crate) version: u64,
}

/// What it took to keep the last steps within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Into how many spans the next step is cut.
    pub spans: u32,
    /// How many steps have been within their bounds with as many.
    pub calm: u32,
    /// For how many steps more nothing is tried, because it was in vain.
    pub pause: u32,
    /// How often in a row it was.
    pub vain: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { spans: 1, calm: 0, pause: 0, vain: 0 }
    }
}

impl Effort {
    /// Small whole numbers.
    fn to_numbers<T: Scalar>(self) -> [T; 4] {
        [self.spans, self.calm, self.pause, self.vain].map(|n| T::of(f64::from(n)))
    }

    fn from_numbers<T: Scalar>(numbers: &[T; 4]) -> Self {
        // In f32 whole numbers are themselves up to 2^24; none that counts is larger.
        let [spans, calm, pause, vain] = numbers.map(|n| n.f64().clamp(0.0, 65536.0) as u32);
        Effort { spans: spans.max(1), calm, pause, vain }
    }
}

/// A version that no state has had.
fn new_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl<T: Scalar> State<T> {
    /// The model at rest, nothing pinned but vertices without mass.
    pub fn new(model: &Model<T>) -> Self {
        let zero = T::of(0.0);
        let mut x: Vec<_> = model
            .user
            .iter()
            .map(|&u| {
                let [a, b, c] = model.positions[u as usize].map(T::of);
                [a, b, c, inverse(model.masses[u as usize])]
            })
            .collect();
        x.push([zero; 4]);
        State {
            identity: model.identity.clone(),
            v: vec![[zero; 4]; x.len()],
            x,
            targets: Vec::new(),
            time: 0.0,
            multipliers: vec![[zero; BLOCK]; model.elements.multipliers],
            user_multipliers: vec![zero; model.user_rows.multipliers],
            before: Vec::new(),
            before_h: 0.0,
            last_accelerations: Vec::new(),
            effort: Effort::default(),
            version: new_version(),
        }
    }

    /// Says that positions or inverse masses are others now.
    pub(crate) fn changed(&mut self) {
        self.version = new_version();
    }

    /// Takes over all of a state of the same model, its version too, into the memory that is there.
    pub(crate) fn copy_from(&mut self, other: &State<T>) {
        self.identity = other.identity.clone();
        self.x.clone_from(&other.x);
        self.v.clone_from(&other.v);
        self.targets.clone_from(&other.targets);
        self.time = other.time;
        self.multipliers.clone_from(&other.multipliers);
        self.user_multipliers.clone_from(&other.user_multipliers);
        self.before.clone_from(&other.before);
        self.before_h = other.before_h;
        self.last_accelerations.clone_from(&other.last_accelerations);
        self.effort = other.effort;
        self.version = other.version;
    }

    /// Whether this is a state of `model`, or of a copy of it. [`step`](crate::step()) does nothing to others, and
    /// reports it.
    pub fn fits(&self, model: &Model<T>) -> bool {
        self.identity == model.identity
    }

    /// Panics if this is the state of another model: its vertices are others.
    pub(crate) fn assert_of(&self, model: &Model<T>) {
        assert!(self.fits(model), "a state of another model");
    }

    /// The model's number of each vertex, by the user's.
    fn order<'m>(&self, model: &'m Model<T>) -> &'m [u32] {
        self.assert_of(model);
        &model.own
    }

    /// The model's number of one of its vertices.
    fn own(&self, model: &Model<T>, vertex: u32) -> usize {
        self.order(model)[vertex as usize] as usize
    }

    /// Whether there are any multipliers.
    pub(crate) fn elastic(&self) -> bool {
        !(self.multipliers.is_empty() && self.user_multipliers.is_empty())
    }

    /// Prepares for substeps of length `h` (s) that look one substep back, or do not. True if there is none to look at.
    pub(crate) fn remember(&mut self, remember: bool, h: f64) -> bool {
        let first = self.before_h != h;
        self.before_h = if remember { h } else { 0.0 };
        self.before.resize(if remember { self.x.len() } else { 0 }, [[T::of(0.0); 4]; 2]);
        first
    }

    /// Prepares for substeps that use the accelerations of the one before, or do not. True if they are known.
    pub(crate) fn recall(&mut self, recall: bool) -> bool {
        let known = recall && !self.last_accelerations.is_empty();
        self.last_accelerations.resize(if recall { self.x.len() } else { 0 }, [T::of(0.0); 4]);
        known
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Everything but the time as plain numbers, for checkpoints: positions with inverse masses, velocities,
    /// multipliers, what the integrator remembers, and what it took to keep within bounds. To be taken between steps:
    /// where pins were told to go is not in it.
    pub fn to_numbers(&self) -> Vec<T> {
        let vertices = self.x.iter().chain(&self.v).flatten();
        let multipliers = self.multipliers.iter().flatten().chain(&self.user_multipliers);
        let multipliers = multipliers.chain(self.last_accelerations.iter().flatten());
        let before = self.before.iter().flatten().flatten();
        let length = self.before_length();
        let effort = self.effort.to_numbers();
        vertices.chain(multipliers).chain(before).chain(length.as_slice()).chain(&effort).copied().collect()
    }

    /// The length of the substep before, if it counts: in three parts, so that even f32 gives back every bit of it.
    fn before_length(&self) -> Vec<T> {
        let mut rest = self.before_h;
        let mut part = || {
            let part = T::of(rest);
            rest -= part.f64();
            part
        };
        if self.before.is_empty() { Vec::new() } else { vec![part(), part(), part()] }
    }

    /// The state that [`to_numbers`](Self::to_numbers) gave for the same model, at `time` (s). Stepping on from it
    /// gives the same bits. Nothing if there are more or fewer numbers, one that is not finite, or masses that are not
    /// the model's.
    pub fn from_numbers(model: &Model<T>, numbers: &[T], time: f64) -> Option<Self> {
        let mut state = State::new(model);
        let count = state.x.len();
        let (vertices, rest) = numbers.split_at_checked(8 * count)?;
        let (multipliers, rest) = rest.split_at_checked(BLOCK * state.multipliers.len())?;
        let (user_multipliers, rest) = rest.split_at_checked(state.user_multipliers.len())?;
        let (rest, effort) = rest.split_last_chunk()?;
        // What two kinds of integrators remember: never both, and of different lengths.
        let (last_accelerations, before) = rest.split_at(if rest.len() == 4 * count { 4 * count } else { 0 });
        if !(before.is_empty() || before.len() == 8 * count + 3) || !numbers.iter().all(|n| n.finite()) {
            return None;
        }
        let weight = |i: usize| model.user.get(i).map_or(T::of(0.0), |&u| inverse(model.masses[u as usize]));
        let (x, v) = vertices.as_chunks::<4>().0.split_at(count);
        if !(0..count).all(|i| x[i][3] == T::of(0.0) || x[i][3] == weight(i)) {
            return None;
        }
        state.x.copy_from_slice(x);
        state.v.copy_from_slice(v);
        state.multipliers.copy_from_slice(multipliers.as_chunks().0);
        state.user_multipliers.copy_from_slice(user_multipliers);
        state.last_accelerations = last_accelerations.as_chunks().0.to_vec();
        if let [before @ .., high, middle, low] = before {
            state.before = before.as_chunks::<4>().0.as_chunks::<2>().0.to_vec();
            state.before_h = high.f64() + middle.f64() + low.f64();
        }
        state.effort = Effort::from_numbers(effort);
        state.time = time;
        Some(state)
    }

    /// The position of a vertex, m.
    pub fn position(&self, model: &Model<T>, vertex: u32) -> [f64; 3] {
        xyz(self.x[self.own(model, vertex)])
    }

    /// The velocity of a vertex, m/s.
    pub fn velocity(&self, model: &Model<T>, vertex: u32) -> [f64; 3] {
        xyz(self.v[self.own(model, vertex)])
    }

    /// All positions, m.
    pub fn positions(&self, model: &Model<T>) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; model.vertices()];
        self.positions_into(model, &mut out);
        out
    }

    /// All velocities, m/s.
    pub fn velocities(&self, model: &Model<T>) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; model.vertices()];
        self.velocities_into(model, &mut out);
        out
    }

    /// Writes positions, m, as `f32` or `f64`, of as many vertices as `out` has room for.
    pub fn positions_into<S: Scalar>(&self, model: &Model<T>, out: &mut [[S; 3]]) {
        copy_out(&self.x, self.order(model), out);
    }

    /// Writes velocities, m/s, likewise.
    pub fn velocities_into<S: Scalar>(&self, model: &Model<T>, out: &mut [[S; 3]]) {
        copy_out(&self.v, self.order(model), out);
    }

    /// Writes unit normals at vertices, the mean of those of the surface triangles around each by their area, likewise;
    /// zero where there are no triangles.
    pub fn normals_into<S: Scalar>(&self, model: &Model<T>, out: &mut [[S; 3]]) {
        let mut sums = vec![V3::<f64>::default(); model.vertices()];
        for triangle in model.bodies.iter().flat_map(|body| &body.triangles) {
            let [a, b, c] = triangle.map(|v| V3::from(self.position(model, v)));
            let normal = (b - a).cross(c - a);
            triangle.iter().for_each(|&v| sums[v as usize] = sums[v as usize] + normal);
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            let length = sum.norm2().sqrt();
            let unit: [f64; 3] = if length > 0.0 { (sum * (1.0 / length)).into() } else { [0.0; 3] };
            *out = unit.map(S::of);
        }
    }

    /// Puts vertices somewhere, m: the first of the model, as many as are given. Positions that are not finite are left
    /// out; returns how many those are.
    pub fn set_positions<S: Scalar>(&mut self, model: &Model<T>, positions: &[[S; 3]]) -> usize {
        self.changed();
        let each = self.order(model).iter().zip(positions);
        each.filter(|&(&i, position)| !self.place(i as usize, position.map(S::f64))).count()
    }

    /// Gives vertices velocities, m/s, likewise.
    pub fn set_velocities<S: Scalar>(&mut self, model: &Model<T>, velocities: &[[S; 3]]) -> usize {
        let each = self.order(model).iter().zip(velocities);
        each.filter(|&(&i, velocity)| !self.speed(i as usize, velocity.map(S::f64))).count()
    }

    /// Puts a vertex somewhere, m. A position that is not finite is ignored.
    pub fn set_position(&mut self, model: &Model<T>, vertex: u32, position: [f64; 3]) {
        self.place(self.own(model, vertex), position);
        self.changed();
    }

    fn place(&mut self, i: usize, position: [f64; 3]) -> bool {
        let finite = set(&mut self.x[i], position);
        if finite {
            self.forget(i);
            if let Some(last) = self.last_accelerations.get_mut(i) {
                *last = [T::of(0.0); 4];
            }
        }
        finite
    }

    /// Gives a vertex a velocity, m/s. One that is not finite is ignored.
    pub fn set_velocity(&mut self, model: &Model<T>, vertex: u32, velocity: [f64; 3]) {
        self.speed(self.own(model, vertex), velocity);
    }

    fn speed(&mut self, i: usize, velocity: [f64; 3]) -> bool {
        let finite = set(&mut self.v[i], velocity);
        if finite {
            self.forget(i);
        }
        finite
    }

    /// What integrators remember of a vertex that was put elsewhere, or given another velocity: that it always moved
    /// so.
    fn forget(&mut self, i: usize) {
        if let Some(before) = self.before.get_mut(i) {
            let (x, v, h) = (self.x[i], self.v[i], T::of(self.before_h));
            *before = [[x[0] - v[0] * h, x[1] - v[1] * h, x[2] - v[2] * h, x[3]], v];
        }
    }

    /// Holds vertices where they are, beside those that are held already.
    pub fn set_pins(&mut self, model: &Model<T>, vertices: &[u32]) {
        vertices.iter().for_each(|&vertex| self.pin(model, vertex));
    }

    /// Not a change if it is that already: pins are often set again.
    fn set_inverse_mass(&mut self, i: usize, to: T) {
        if self.x[i][3] != to {
            self.x[i][3] = to;
            self.changed();
        }
    }

    /// Holds a vertex where it is.
    pub fn pin(&mut self, model: &Model<T>, vertex: u32) {
        let i = self.own(model, vertex);
        self.set_inverse_mass(i, T::of(0.0));
        self.v[i] = [T::of(0.0); 4];
        self.forget(i);
    }

    /// Lets a vertex go, with the velocity it was moved at.
    pub fn unpin(&mut self, model: &Model<T>, vertex: u32) {
        let i = self.own(model, vertex);
        self.set_inverse_mass(i, inverse(model.masses[vertex as usize]));
        if !self.targets.is_empty() {
            self.targets.push((i as u32, None));
        }
        self.forget(i);
    }

    /// Whether a vertex is held.
    pub fn pinned(&self, model: &Model<T>, vertex: u32) -> bool {
        self.x[self.own(model, vertex)][3] == T::of(0.0)
    }

    /// Moves a pinned vertex: at the end of the next step it will be at `position` (m), in a straight line.
    /// A position that is not finite is ignored.
    pub fn move_pin(&mut self, model: &Model<T>, vertex: u32, position: [f64; 3]) {
        self.set_pin_targets(model, &[(vertex, position)]);
    }

    /// Moves pinned vertices, each with where it will be at the end of the next step (m), in a straight line. Vertices
    /// that are not pinned and places that are not finite are left out; returns how many those are. Of several places
    /// for a vertex the last counts.
    pub fn set_pin_targets<S: Scalar>(&mut self, model: &Model<T>, targets: &[(u32, [S; 3])]) -> usize {
        let mut left_out = 0;
        for &(vertex, position) in targets {
            let target = position.map(|c| T::of(c.f64()));
            if self.pinned(model, vertex) && target.iter().all(|c| c.finite()) {
                self.targets.push((self.own(model, vertex) as u32, Some(target)));
            } else {
                left_out += 1;
            }
        }
        // However often someone moves a pin before the next step.
        if self.targets.len() > 4 * self.x.len() {
            self.settle_targets();
        }
        left_out
    }

    /// Brings the targets of pins in the order of the vertices, each once.
    pub(crate) fn settle_targets(&mut self) {
        let targets = &mut self.targets;
        if !targets.is_sorted_by(|a, b| a.0 < b.0) {
            targets.reverse();
            targets.sort_by_key(|t| t.0);
            targets.dedup_by_key(|t| t.0);
        }
    }
}

/// Writes vectors in the user's order.
fn copy_out<T: Scalar, S: Scalar>(from: &[Vertex<T>], order: &[u32], out: &mut [[S; 3]]) {
    for (&i, out) in order.iter().zip(out) {
        *out = xyz(from[i as usize]).map(S::of);
    }
}

/// 1/m, and 0 for no mass.
pub(crate) fn inverse<T: Scalar>(mass: f64) -> T {
    T::of(if mass > 0.0 { 1.0 / mass } else { 0.0 })
}

/// Numbers that are not finite are ignored: one of them would spread through the whole mesh.
/// False if that is not finite, and nothing is changed.
fn set<T: Scalar>(v: &mut Vertex<T>, to: [f64; 3]) -> bool {
    let to = to.map(T::of);
    let finite = to.iter().all(|c| c.finite());
    if finite {
        v[..3].copy_from_slice(&to);
    }
    finite
}
