//! Contacts in the solver's loop: near features are rows that may not fall below a distance, with friction.
//!
//! A row is C = n·Σ wᵢxᵢ − τ ≥ 0, with the direction n and the weights w of the closest points when the pair was found. It is
//! projected like any other, after the elements have been, so contact has the last word in an iteration. Friction
//! takes from the slip Δ = Σ wᵢ(xᵢ − xᵢ⁰) across n: all of it up to μ times the normal push of this substep, else μ
//! times that. On an incline at rest the push is g cos θ h² and the slip g sin θ h², so this is Coulomb's law.

use super::Grip;
use crate::lanes::{Real, Scalar, V3, Vertex};

/// A contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<T> {
    /// Vertices of the model. Those of colliders are replaced by the spare vertex, with weight 0.
    pub nodes: [u32; 4],
    pub weights: [T; 4],
    /// A place nearby, m: numbers relative to it keep their digits.
    pub origin: V3<T>,
    /// From the second feature to the first.
    pub n: V3<T>,
    /// The distance wanted in the end, m, and in this substep; and how much of it is made up for in one.
    pub thickness: T,
    pub wanted: T,
    pub gentle: T,
    /// By how much it opens in a substep whatever the distance, m: 0 but for what untangles.
    pub opening: T,
    pub friction: T,
    /// Σ wᵢ² / mᵢ.
    pub give: T,
    /// The collider's part of Σ wᵢxᵢ at the end of the substep, from the origin, and of Σ wᵢ(xᵢ − xᵢ⁰), m.
    pub base: V3<T>,
    pub drive: V3<T>,
    /// What would push it apart although it does not come nearer, m: thickness that is being recovered.
    pub recovery: T,
    /// How far it has been pushed apart in this substep, m.
    pub pushed: T,
}

/// The share of its thickness that a contact recovers in a second: all of it in a sixtieth.
pub(crate) const RECOVERY: f64 = 60.0;

impl<T: Scalar> Row<T> {
    /// Begins a substep: what vertices were at its start is in `old`.
    #[inline(always)]
    pub fn begin(&mut self, old: &[Vertex<T>]) {
        let start = self.sum(old) + self.base - self.drive;
        let gap = self.n.dot(start);
        self.pushed = T::of(0.0);
        if self.opening > T::of(0.0) {
            (self.wanted, self.recovery) = (gap + self.opening, T::of(0.0));
            return;
        }
        self.wanted = Real::min(Real::max(gap, T::of(0.0)) + self.gentle, self.thickness);
        self.recovery = Real::max(self.wanted - gap, T::of(0.0));
    }

    /// Pushes the features apart if they are too near, and takes friction from their slip. True if they touch.
    #[inline(always)]
    pub fn project(&mut self, x: &mut [Vertex<T>], old: &[Vertex<T>], touched: &mut [bool], grip: Grip) -> bool {
        let zero = T::of(0.0);
        let short = self.wanted - self.n.dot(self.sum(x) + self.base);
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
        let most = self.friction * if grip == Grip::Push { now } else { all };
        if most > zero {
            let slip = self.moved(x, old) + self.drive;
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

    /// Σ wᵢxᵢ over the model's vertices, from the origin.
    #[inline(always)]
    fn sum(&self, x: &[Vertex<T>]) -> V3<T> {
        self.weighted(|i| xyz(x[i]) - self.origin)
    }

    /// Σ wᵢ(xᵢ − xᵢ⁰) over the model's vertices.
    #[inline(always)]
    fn moved(&self, x: &[Vertex<T>], old: &[Vertex<T>]) -> V3<T> {
        self.weighted(|i| xyz(x[i]) - xyz(old[i]))
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
            let share = w * p[3];
            *p = [p[0] + by.x * share, p[1] + by.y * share, p[2] + by.z * share, p[3]];
        }
    }
}

#[inline(always)]
fn xyz<T: Scalar>(v: Vertex<T>) -> V3<T> {
    V3::new(v[0], v[1], v[2])
}
