//! Contact: of vertices with simple shapes, and of surfaces with everything.
//!
//! A vertex inside a simple shape is put back on its surface, and friction takes from its motion along the surface, after
//! every sweep over the elements: contact has the last word in a substep.
//!
//! Surfaces meet each other, themselves, meshes, and the edges and corners of shapes in layers, each resting only on those before
//! it: [`distance`] and [`exact`] (what is near, what intersects), [`broad`] (which boxes overlap), [`ccd`] (when moving
//! features may first touch), [`detect`] (near pairs of whole surfaces), [`guard`] (motion that ends free of
//! intersections). All these are pure functions of plain arrays; what a step does with them is in `meeting`.

pub mod broad;
pub mod ccd;
pub mod detect;
pub mod distance;
mod driven;
pub mod exact;
pub mod guard;
pub(crate) mod meeting;
mod rows;
mod settings;
mod shape;
pub mod surface;
mod tangle;

pub use settings::{ColliderMesh, Contact, MeshCollider, Skin};
pub use shape::{Pose, Shape};

use crate::lanes::{Real, Scalar, V3, Vertex};

/// A shape that cloth and soft bodies cannot enter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// Its form.
    pub shape: Shape,
    /// Where it is at the start of a step.
    pub from: Pose,
    /// Where it is at the end of the step.
    pub to: Pose,
    /// Coulomb's coefficient of friction, static and kinetic.
    pub friction: f64,
    /// How far off its surface vertices stay, m.
    pub thickness: f64,
}

impl Collider {
    /// A shape that stays where it is, with friction 0.3 and 2 mm between it and the cloth.
    pub fn fixed(shape: Shape, pose: Pose) -> Self {
        Collider { shape, from: pose, to: pose, friction: 0.3, thickness: 0.002 }
    }

    /// Whether all its numbers can be computed with in precision `T`.
    pub fn sound<T: Scalar>(&self) -> bool {
        let finite = |c: &f64| T::of(*c).finite();
        let pose = |p: &Pose| p.position.iter().chain(&p.rotation).all(finite);
        let numbers = finite(&self.friction) && finite(&self.thickness) && self.friction >= 0.0;
        self.shape.sound::<T>() && pose(&self.from) && pose(&self.to) && numbers
    }
}

/// What friction may draw on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grip {
    /// All that has pressed in this substep, each time: for sweeps that bring one solve closer to its end.
    Substep,
    /// What this push presses. Who moves vertices after the solve meets contact more than once, and would be held each time by
    /// all that pressed before: by more than μ times the pressure in the end.
    Push,
}

/// A collider in one substep: where it is at the end, and how it moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<T> {
    shape: Shape,
    now: shape::Frame<T>,
    before: shape::Frame<T>,
    friction: T,
    thickness: T,
    /// Whether it does not move.
    still: bool,
    /// The radius of a ball that holds it, m; none for a plane.
    bound: Option<T>,
}

impl<T: Scalar> Placed<T> {
    /// The collider between the parts `a` and `b` (0 to 1) of its way.
    pub(crate) fn new(collider: &Collider, a: f64, b: f64) -> Self {
        Placed {
            shape: collider.shape,
            now: shape::Frame::new(&collider.from.towards(&collider.to, b)),
            before: shape::Frame::new(&collider.from.towards(&collider.to, a)),
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
    pub(crate) fn push_all(all: &[Self], x: &mut Vertex<T>, old: &Vertex<T>, pressed: &mut T, grip: Grip) -> u64 {
        let mut touched = 0;
        for collider in all {
            let at = V3::new(x[0], x[1], x[2]);
            let moved = Real::sqrt((at - V3::new(old[0], old[1], old[2])).norm2());
            if *pressed > T::of(0.0) || !collider.misses(at, moved) {
                touched += u64::from(collider.push(x, old, pressed, grip));
            }
        }
        touched
    }

    /// Moves a free vertex that started the substep at `old` out of the shape, and takes friction from its slip. True if it
    /// touches. How far it has been pressed in this substep is in `all_pressed`, m.
    pub(crate) fn push(&self, x: &mut Vertex<T>, old: &Vertex<T>, all_pressed: &mut T, grip: Grip) -> bool {
        let zero = T::of(0.0);
        let at = V3::new(x[0], x[1], x[2]);
        let local = self.now.inward(at);
        let start = V3::new(old[0], old[1], old[2]);
        let (distance, _) = self.shape.distance(local);
        let least = Real::max(distance, self.thickness);
        let pressed_before = *all_pressed > zero;
        if self.still && distance > self.thickness && !pressed_before && (at - start).norm2() <= least * least {
            return false;
        }
        let start_local = self.before.inward(start);
        let (depth, normal) = self.depth(start_local, local);
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
        let held = if grip == Grip::Push { most } else { self.friction * *all_pressed };
        // Held by all that pressed in this substep, or braked by what presses now.
        to = if size <= held { to - slip } else { to - slip * (most / size) };
        (x[0], x[1], x[2]) = (to.x, to.y, to.z);
        true
    }

    /// How deep a vertex is, and which way out, both in the shape's frame. One that went into the shape on one side and
    /// came deeper than its middle, or out on the other side, goes back to where it came from.
    fn depth(&self, start: V3<T>, end: V3<T>) -> (T, V3<T>) {
        let (distance, normal) = self.shape.distance(end);
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
