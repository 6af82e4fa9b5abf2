//! Vertices against simple shapes.
//!
//! A vertex inside a shape is put back on its surface, and friction takes from its motion along the surface, after
//! every sweep over the elements and every turn of the limiters. Between rounds of bounds on stretch, at the end of an
//! interval, there is no friction, and a small part of the distance may be missing.

use super::shape::{Frame, Shape};
use super::{Collider, FrictionBudget};
use crate::constraint::LaneChoice;
use crate::lanes::{BLOCK, Kernel, Lanes, Real, Scalar, V3, Vertex};

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
    /// How far its origin goes in the substep, m, and how much its axes turn: no place at a distance r (m) from the
    /// origin goes farther than the one and r times the other.
    shift: T,
    turn: T,
}

/// How much farther than the thickness a vertex may be from a shape that carries it.
const TOUCHES: f64 = 1.25;

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
        let (now, before) = (collider.from.towards(&collider.to, b), collider.from.towards(&collider.to, a));
        let still = collider.from == collider.to;
        // In double precision, with room for what rounding does to the frames.
        let [shift, turn] = if still { [0.0; 2] } else { Frame::<f64>::new(&now).moved_since(&Frame::new(&before)) };
        let rounding = if still { 0.0 } else { 16.0 * T::EPSILON };
        PlacedCollider {
            shape: collider.shape,
            now: Frame::new(&now),
            before: Frame::new(&before),
            friction: T::of(collider.friction),
            thickness: T::of(collider.thickness),
            still,
            shift: T::of(shift * (1.0 + rounding)),
            turn: T::of(turn + rounding),
        }
    }

    /// Where a vertex that touches it at the start of its way would be at the end if it went along, m; one that is at
    /// `start` then.
    pub(crate) fn carried(&self, start: &Vertex<T>) -> Option<V3<T>> {
        let local = self.before.inward(V3::new(start[0], start[1], start[2]));
        let (distance, _) = self.shape.distance(local);
        (distance <= self.thickness * T::of(TOUCHES)).then(|| self.now.outward(local))
    }

    /// Whether it is plain that [`push`](Self::push) has nothing to do for vertices at `at` that moved by `moved` (m)
    /// in this substep: most are far away from most colliders.
    #[inline(always)]
    fn misses<R: Real>(&self, at: V3<R>, moved: R) -> R::Mask {
        let from = at - self.now.origin().spread(moved);
        let mut way = moved;
        if !self.still {
            // What the shape's motion adds to the way in its own frame.
            way = moved + (Real::sqrt(from.norm2()) + moved) * moved.lit(self.turn.f64()) + moved.lit(self.shift.f64());
        }
        // What rounding may add to a distance.
        let far = Real::max(way, moved.lit(self.thickness.f64())) * moved.lit(1.001);
        let up = self.now.up().spread(moved);
        let (off, radius) = match self.shape {
            Shape::Plane => return far.lt(up.dot(from)),
            Shape::Box { half } => {
                let [x, y, z] = self.now.axes();
                let x = x.spread(moved).dot(from).abs() - moved.lit(half[0]);
                let y = y.spread(moved).dot(from).abs() - moved.lit(half[1]);
                let z = z.spread(moved).dot(from).abs() - moved.lit(half[2]);
                return far.lt(Real::max(Real::max(x, y), z));
            }
            Shape::Sphere { radius } => (from, radius),
            Shape::Capsule { radius, half_length } => {
                let (end, along) = (moved.lit(half_length), up.dot(from));
                (from - up * Real::max(Real::min(along, end), -end), radius)
            }
        };
        let reach = moved.lit(radius) + far;
        (reach * reach * moved.lit(1.001)).lt(off.norm2())
    }

    /// Pushes a free vertex out of each of some shapes, and adds by how far (m) to `pressed`. Returns how many it
    /// touches.
    fn push_all(all: &[Self], x: &mut Vertex<T>, x_start: &Vertex<T>, pressed: &mut T, budget: FrictionBudget) -> u64 {
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

    /// Pushes free vertices out of shapes, lane-wide past those that are far. Returns how often one touches another.
    pub(crate) fn push_out(
        all: &[Self],
        vertices: PushedVertices<'_, T>,
        budget: FrictionBudget,
        lanes: LaneChoice,
    ) -> u64 {
        let mut contacts = 0;
        T::run_lean(lanes.width, lanes.level, PushOut { all, vertices, budget, contacts: &mut contacts });
        contacts
    }

    /// Moves a free vertex that started the substep at `x_start` out of the shape, and takes friction from its slip.
    /// True if it touches. How far it has been pressed in this substep is in `all_pressed`, m.
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

    /// Puts a vertex at `x` that started the substep at `x_start` out of one shape after another, without friction.
    /// Calls `f` with what it is moved by, each time. Slack is as for [`way_out`](Self::way_out).
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

    /// By how much to move a vertex at `x` that started the substep at `x_start` so that it is out of the shape,
    /// without friction. Nothing if it is deeper in it than the thickness by less than `slack` of that.
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

    /// How deep a vertex is, and which way out, both in the shape's frame, in which it ends at a signed distance and
    /// with a normal. One that went into the shape on one side and came deeper than its middle, or out on the other
    /// side, goes back to where it came from.
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

/// Vertices to be pushed out of shapes, side by side.
pub(crate) struct PushedVertices<'a, T> {
    /// Where they are, with inverse masses, and where they started the substep, m.
    pub x: &'a mut [Vertex<T>],
    pub x_start: &'a [Vertex<T>],
    /// How far each has been pressed in this substep, m, and whether anything has touched it.
    pub pressed: &'a mut [T],
    pub touched: &'a mut [bool],
}

/// [`PlacedCollider::push_out`] as a kernel: finds lane-wide whom a shape misses, and treats the others one by one.
struct PushOut<'a, T> {
    all: &'a [PlacedCollider<T>],
    vertices: PushedVertices<'a, T>,
    budget: FrictionBudget,
    contacts: &'a mut u64,
}

impl<T: Scalar> Kernel<T> for PushOut<'_, T> {
    #[inline(always)]
    fn run<L: Lanes<T>>(mut self, token: L::Token) {
        for first in (0..self.vertices.x.len()).step_by(L::N) {
            self.lot::<L>(token, first);
        }
    }
}

impl<T: Scalar> PushOut<'_, T> {
    /// The vertices of one lot, from the `first` on.
    #[inline(always)]
    fn lot<L: Lanes<T>>(&mut self, token: L::Token, first: usize) {
        let zero = T::of(0.0);
        let count = L::N.min(self.vertices.x.len() - first);
        let mut places = [[zero; BLOCK]; 6];
        let (mut left, mut pressed) = (0u32, 0u32);
        for lane in 0..count {
            let (x, start) = (&self.vertices.x[first + lane], &self.vertices.x_start[first + lane]);
            for k in 0..3 {
                (places[k][lane], places[3 + k][lane]) = (x[k], start[k]);
            }
            left |= u32::from(zero < x[3]) << lane;
            pressed |= u32::from(zero < self.vertices.pressed[first + lane]) << lane;
        }
        self.push_some(first, left & pressed, 0);
        left &= !pressed;
        let [x, y, z, start_x, start_y, start_z] = &places;
        let at = V3::new(L::load(token, x), L::load(token, y), L::load(token, z));
        let start = V3::new(L::load(token, start_x), L::load(token, start_y), L::load(token, start_z));
        let moved = Real::sqrt((at - start).norm2());
        for number in 0..self.all.len() {
            if left == 0 {
                return;
            }
            let missed = L::bits(self.all[number].misses(at, moved));
            // Whom one shape pushes is elsewhere for those after it.
            self.push_some(first, left & !missed, number);
            left &= missed;
        }
    }

    /// Pushes some vertices, one bit each, out of the shapes from a number on.
    #[inline(always)]
    fn push_some(&mut self, first: usize, mut some: u32, number: usize) {
        while some != 0 {
            let i = first + some.trailing_zeros() as usize;
            some &= some - 1;
            let PushedVertices { x, x_start, pressed, touched } = &mut self.vertices;
            let met =
                PlacedCollider::push_all(&self.all[number..], &mut x[i], &x_start[i], &mut pressed[i], self.budget);
            touched[i] |= met > 0;
            *self.contacts += met;
        }
    }
}
