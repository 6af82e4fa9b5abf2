//! Vertices against simple shapes.
//!
//! A vertex inside a shape is put back on its surface, and friction takes from its motion along the surface, after
//! every sweep over the elements and every turn of the limiters. Between rounds of bounds on stretch, at the end of an
//! interval, there is no friction, and a small part of the distance may be missing.

use super::shape::{Frame, Shape};
use super::{Collider, FrictionBudget};
use crate::lanes::{Real, Scalar, V3, Vertex};

/// A collider in one substep: where it is at the end, and how it moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCollider<T> {
    shape: Shape,
    now: Frame<T>,
    before: Frame<T>,
    friction: T,
    thickness: T,
    /// Whether it does not move.
    still: bool,
    /// The radius of a ball that holds it, m; none for a plane.
    bound: Option<T>,
}

/// What a vertex runs into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting<T> {
    /// The way out, along the normal, m.
    pub by: V3<T>,
    /// Where the vertex would be if it had not slipped, m.
    pub anchor: V3<T>,
    pub friction: T,
}

impl<T: Scalar> PlacedCollider<T> {
    /// The collider between the parts `a` and `b` (0 to 1) of its way.
    pub(crate) fn new(collider: &Collider, a: f64, b: f64) -> Self {
        PlacedCollider {
            shape: collider.shape,
            now: Frame::new(&collider.from.towards(&collider.to, b)),
            before: Frame::new(&collider.from.towards(&collider.to, a)),
            friction: T::of(collider.friction),
            thickness: T::of(collider.thickness),
            still: collider.from == collider.to,
            bound: collider.shape.bound().map(T::of),
        }
    }

    /// Whether it is plain that [`push`](Self::push) has nothing to do for a vertex at `at` that moved by `moved` (m) in this
    /// substep: most are far away from most colliders.
    #[inline(always)]
    fn misses(&self, at: V3<T>, moved: T) -> bool {
        // What rounding may add to a distance.
        let far = Real::max(moved, self.thickness) * T::of(1.001);
        let from = at - self.now.origin();
        let apart = match self.bound {
            None => self.now.up().dot(from) > far,
            Some(bound) => from.norm2() > (bound + far) * (bound + far) * T::of(1.001),
        };
        self.still && apart
    }

    /// Pushes a free vertex out of each of some shapes, and adds by how far (m) to `pressed`. Returns how many it touches.
    #[inline(always)]
    pub(crate) fn push_all(
        all: &[Self],
        x: &mut Vertex<T>,
        x_start: &Vertex<T>,
        pressed: &mut T,
        budget: FrictionBudget,
    ) -> u64 {
        let mut touched = 0;
        for collider in all {
            let at = V3::new(x[0], x[1], x[2]);
            let moved = Real::sqrt((at - V3::new(x_start[0], x_start[1], x_start[2])).norm2());
            if *pressed > T::of(0.0) || !collider.misses(at, moved) {
                touched += u64::from(collider.push(x, x_start, pressed, budget));
            }
        }
        touched
    }

    /// Moves a free vertex that started the substep at `x_start` out of the shape, and takes friction from its slip. True if it
    /// touches. How far it has been pressed in this substep is in `all_pressed`, m.
    pub(crate) fn push(
        &self,
        x: &mut Vertex<T>,
        x_start: &Vertex<T>,
        all_pressed: &mut T,
        budget: FrictionBudget,
    ) -> bool {
        let zero = T::of(0.0);
        let at = V3::new(x[0], x[1], x[2]);
        let local = self.now.inward(at);
        let start = V3::new(x_start[0], x_start[1], x_start[2]);
        let (distance, normal) = self.shape.distance(local);
        let least = Real::max(distance, self.thickness);
        let pressed_before = *all_pressed > zero;
        if self.still && distance > self.thickness && !pressed_before && (at - start).norm2() <= least * least {
            return false;
        }
        let start_local = self.before.inward(start);
        let (depth, normal) = self.depth(start_local, local, distance, normal);
        if depth <= zero && !(pressed_before && depth > zero - self.thickness * T::of(0.01)) {
            return false;
        }
        let normal = self.now.outward_direction(normal);
        let depth = Real::max(depth, zero);
        // Making up for thickness that was missing before presses on nothing.
        let missing = if pressed_before { zero } else { self.thickness - self.shape.distance(start_local).0 };
        let pressed = Real::max(depth - Real::max(missing, zero), zero);
        *all_pressed = *all_pressed + pressed;
        let mut to = at + normal * depth;
        // What the shape's own motion would have done to the place where the vertex started.
        let carried = self.now.outward(start_local) - start;
        let slip = to - start - carried;
        let slip = slip - normal * slip.dot(normal);
        let (size, most) = (Real::sqrt(slip.norm2()), self.friction * pressed);
        let held = if budget == FrictionBudget::Push { most } else { self.friction * *all_pressed };
        // Held by all that pressed in this substep, or braked by what presses now.
        to = if size <= held { to - slip } else { to - slip * (most / size) };
        (x[0], x[1], x[2]) = (to.x, to.y, to.z);
        true
    }

    /// What a vertex at `x` that started the substep at `x_start` is deepest in.
    pub(crate) fn meet_all(all: &[Self], x: &Vertex<T>, x_start: &Vertex<T>) -> Option<Meeting<T>> {
        let start = V3::new(x_start[0], x_start[1], x_start[2]);
        let mut deepest: Option<Meeting<T>> = None;
        for collider in all {
            let Some(by) = collider.way_out(x, x_start, T::of(0.0)) else { continue };
            if deepest.is_none_or(|d| d.by.norm2() < by.norm2()) {
                let anchor = collider.now.outward(collider.before.inward(start));
                deepest = Some(Meeting { by, anchor, friction: collider.friction });
            }
        }
        deepest
    }

    /// Puts a vertex at `x` that started the substep at `x_start` out of one shape after another, without friction. Calls `f` with what it
    /// is moved by, each time. Slack is as for [`way_out`](Self::way_out).
    pub(crate) fn leave_all(
        colliders: &[Self],
        x: &mut Vertex<T>,
        x_start: &Vertex<T>,
        slack: T,
        mut f: impl FnMut(V3<T>),
    ) {
        for collider in colliders {
            if let Some(by) = collider.way_out(x, x_start, slack) {
                (x[0], x[1], x[2]) = (x[0] + by.x, x[1] + by.y, x[2] + by.z);
                f(by);
            }
        }
    }

    /// By how much to move a vertex at `x` that started the substep at `x_start` so that it is out of the shape, without friction. Nothing
    /// if it is deeper in it than the thickness by less than `slack` of that.
    fn way_out(&self, x: &Vertex<T>, x_start: &Vertex<T>, slack: T) -> Option<V3<T>> {
        let (at, start) = (V3::new(x[0], x[1], x[2]), V3::new(x_start[0], x_start[1], x_start[2]));
        // Most are far from most, and have not gone far: no root is needed to tell.
        let (way2, little) = ((at - start).norm2(), self.thickness * T::of(4.0));
        let short = way2 <= little * little;
        if self.misses(at, if short { little } else { Real::sqrt(way2) }) {
            return None;
        }
        let local = self.now.inward(at);
        let (distance, normal) = self.shape.distance(local);
        // As in `depth`: what went less far than it is away was never inside.
        let least = Real::max(distance, self.thickness);
        // Rounding is no depth.
        let far = Real::max(Real::max(at.x.abs(), at.y.abs()), at.z.abs());
        let slack = self.thickness * slack + far * T::of(super::row::ROUNDING);
        if self.still && way2 <= least * least && self.thickness - distance <= slack {
            return None;
        }
        let (depth, normal) = self.depth(self.before.inward(start), local, distance, normal);
        (depth > slack).then(|| self.now.outward_direction(normal) * depth)
    }

    /// How deep a vertex is, and which way out, both in the shape's frame, in which it ends at a signed distance and with a normal. One that
    /// went into the shape on one side and came deeper than its middle, or out on the other side, goes back to where it came from.
    fn depth(&self, start: V3<T>, end: V3<T>, distance: T, normal: V3<T>) -> (T, V3<T>) {
        let depth = self.thickness - distance;
        let way = end - start;
        let length2 = way.norm2();
        let least = Real::max(distance, self.thickness);
        // Distances change no faster than their point moves: what went less far than it is away now was never inside.
        if length2 <= least * least {
            return (depth, normal);
        }
        match self.entry(start, way * (T::of(1.0) / Real::sqrt(length2)), Real::sqrt(length2)) {
            Some((place, out)) if out.dot(normal) < T::of(0.0) || depth <= T::of(0.0) => {
                (self.thickness - out.dot(end - place), out)
            }
            _ => (depth, normal),
        }
    }

    /// Where a straight way first meets the surface, and the normal there.
    fn entry(&self, start: V3<T>, direction: V3<T>, length: T) -> Option<(V3<T>, V3<T>)> {
        let near = self.thickness * T::of(0.01);
        let mut gone = T::of(0.0);
        for round in 0..64 {
            let place = start + direction * gone;
            let (distance, normal) = self.shape.distance(place);
            if distance <= near {
                // What starts inside has no side that it came from.
                return (round > 0 || distance > T::of(0.0)).then(|| (place - normal * distance, normal));
            }
            gone = gone + distance;
            if length <= gone {
                return None;
            }
        }
        None
    }
}
