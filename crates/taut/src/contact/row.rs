//! Contacts in the solver's loop: near features are rows that may not fall below a distance, with friction.
//!
//! A row is C = n·Σ wᵢxᵢ − τ ≥ 0, with the direction n and the weights w of the closest points when the pair was found.
//! It is projected like any other, after the elements have been, so contact has the last word in an iteration. Friction
//! takes from the slip Δ = Σ wᵢ(xᵢ − xᵢ⁰) across n: all of it up to μ times the normal push of this substep, else μ
//! times that. On an incline at rest the push is g cos θ h² and the slip g sin θ h², so this is Coulomb's law.

use super::FrictionBudget;
use crate::lanes::{Real, Scalar, V3, Vertex};

/// A contact: what a sweep looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactRow<T> {
    /// Vertices of the model. Those of colliders are replaced by the spare vertex, with weight 0.
    pub nodes: [u32; 4],
    pub weights: [T; 4],
    /// A place nearby, m: numbers relative to it keep their digits.
    pub origin: V3<T>,
    /// From the second feature to the first.
    pub n: V3<T>,
    /// The collider's part.
    pub kinematic: KinematicPart<T>,
    /// The distance wanted in this substep, m.
    pub wanted: T,
    /// What would push it apart although it does not come nearer, m: thickness that is being recovered.
    pub recovery: T,
    /// How far it has been pushed apart in this substep, m.
    pub pushed: T,
    pub friction: T,
    /// Σ wᵢ² / mᵢ.
    pub give: T,
}

/// A collider's part of a row: of Σ wᵢxᵢ at the end of the substep, from the row's origin, and of Σ wᵢ(xᵢ − xᵢ⁰), m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KinematicPart<T> {
    pub place: V3<T>,
    pub moved: V3<T>,
}

/// What a contact aims at from substep to substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowAim<T> {
    /// The distance wanted in the end, m, and how much of it is made up for in a substep.
    pub thickness: T,
    pub gentle: T,
    /// By how much it opens in a substep whatever the distance, m: 0 but for what untangles.
    pub opening: T,
}

/// What rounding of single precision may add to a distance, over the distance from the origin.
pub(crate) const ROUNDING: f64 = 5e-7;

/// The part of its thickness that a contact recovers in a second: all of it in a sixtieth.
pub(crate) const RECOVERY: f64 = 60.0;

impl<T: Scalar> ContactRow<T> {
    /// Begins a substep: what vertices were at its start is in `x_start`.
    #[inline(always)]
    pub fn begin(&mut self, aim: &RowAim<T>, x_start: &[Vertex<T>]) {
        let start = self.sum(x_start) + self.kinematic.place - self.kinematic.moved;
        let gap = self.n.dot(start);
        self.pushed = T::of(0.0);
        if aim.opening > T::of(0.0) {
            (self.wanted, self.recovery) = (gap + aim.opening, T::of(0.0));
            return;
        }
        self.wanted = Real::min(Real::max(gap, T::of(0.0)) + aim.gentle, aim.thickness);
        self.recovery = Real::max(self.wanted - gap, T::of(0.0));
    }

    /// Pushes the features apart if they are too near, and takes friction from their slip. True if they touch.
    #[inline(always)]
    pub fn project(
        &mut self,
        x: &mut [Vertex<T>],
        x_start: &[Vertex<T>],
        touched: &mut [bool],
        budget: FrictionBudget,
    ) -> bool {
        let zero = T::of(0.0);
        let short = self.wanted - self.n.dot(self.sum(x) + self.kinematic.place);
        if short > zero {
            self.pushed = self.pushed + short;
            self.push(x, self.n * (short / self.give));
        } else if self.pushed <= zero {
            return false;
        }
        for &i in &self.nodes {
            touched[i as usize] = true;
        }
        let all = self.pushed - self.recovery;
        let now = Real::min(Real::max(short, zero), all);
        let most = self.friction * if budget == FrictionBudget::Push { now } else { all };
        if most > zero {
            let slip = self.moved(x, x_start) + self.kinematic.moved;
            let slip = slip - self.n * self.n.dot(slip);
            let size2 = slip.norm2();
            if size2 <= most * most {
                self.push(x, slip * (zero - T::of(1.0) / self.give));
            } else if short > zero {
                self.push(x, slip * (zero - now * self.friction / (Real::sqrt(size2) * self.give)));
            }
        }
        true
    }

    /// Pushes the features apart if they are too near, without friction. Returns by how much, m.
    pub fn push_out(&self, x: &mut [Vertex<T>]) -> Option<T> {
        let short = self.wanted - self.n.dot(self.sum(x) + self.kinematic.place);
        if short <= T::of(0.0) {
            return None;
        }
        self.push(x, self.n * (short / self.give));
        Some(short)
    }

    /// Whether one of the features is a collider's: weights of the model's vertices do not cancel.
    pub fn with_collider(&self) -> bool {
        let sum = self.weights.iter().fold(T::of(0.0), |sum, &w| sum + w);
        sum.abs() > T::of(0.5)
    }

    /// Undoes the features' slip.
    pub fn undo_slip(&self, x: &mut [Vertex<T>], x_start: &[Vertex<T>]) {
        let slip = self.moved(x, x_start) + self.kinematic.moved;
        let slip = slip - self.n * self.n.dot(slip);
        self.push(x, slip * (T::of(0.0) - T::of(1.0) / self.give));
    }

    /// Pushes the features apart, without friction and by the masses of the moment, if they are nearer than wanted by
    /// more than `slack` of that; `x_predicted` goes along by so `much` of it. True if it does.
    pub fn part(&self, x: &mut [Vertex<T>], x_predicted: &mut [Vertex<T>], slack: T, much: T) -> bool {
        let short = self.wanted - self.n.dot(self.sum(x) + self.kinematic.place);
        // What draws tangled features apart has done so in the sweeps; and rounding is no depth.
        let far = Real::max(Real::max(self.origin.x.abs(), self.origin.y.abs()), self.origin.z.abs());
        if self.wanted <= T::of(0.0) || short <= self.wanted * slack + far * T::of(ROUNDING) {
            return false;
        }
        let mut give = T::of(0.0);
        for (&i, &w) in self.nodes.iter().zip(&self.weights) {
            give = give + w * w * x[i as usize][3];
        }
        // Those that hardly take part would be thrown far.
        if give < self.give * T::of(1e-3) {
            return false;
        }
        let by = self.n * (short / give);
        for (&i, &w) in self.nodes.iter().zip(&self.weights) {
            let (p, q) = (&mut x[i as usize], &mut x_predicted[i as usize]);
            let by = by * (w * p[3]);
            *p = [p[0] + by.x, p[1] + by.y, p[2] + by.z, p[3]];
            *q = [q[0] + by.x * much, q[1] + by.y * much, q[2] + by.z * much, q[3]];
        }
        true
    }

    /// Σ wᵢxᵢ over the model's vertices, from the origin.
    #[inline(always)]
    fn sum(&self, x: &[Vertex<T>]) -> V3<T> {
        self.weighted(|i| xyz(x[i]) - self.origin)
    }

    /// Σ wᵢ(xᵢ − xᵢ⁰) over the model's vertices.
    #[inline(always)]
    fn moved(&self, x: &[Vertex<T>], x_start: &[Vertex<T>]) -> V3<T> {
        self.weighted(|i| xyz(x[i]) - xyz(x_start[i]))
    }

    #[inline(always)]
    fn weighted(&self, f: impl Fn(usize) -> V3<T>) -> V3<T> {
        let mut sum = V3::new(T::of(0.0), T::of(0.0), T::of(0.0));
        for (&i, &w) in self.nodes.iter().zip(&self.weights) {
            sum = sum + f(i as usize) * w;
        }
        sum
    }

    /// Moves vertices by wᵢ/mᵢ times `by`.
    #[inline(always)]
    fn push(&self, x: &mut [Vertex<T>], by: V3<T>) {
        for (&i, &w) in self.nodes.iter().zip(&self.weights) {
            let p = &mut x[i as usize];
            let part = w * p[3];
            *p = [p[0] + by.x * part, p[1] + by.y * part, p[2] + by.z * part, p[3]];
        }
    }
}

#[inline(always)]
fn xyz<T: Scalar>(v: Vertex<T>) -> V3<T> {
    V3::new(v[0], v[1], v[2])
}
