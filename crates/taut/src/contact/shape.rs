//! Simple shapes, where they are, and how far a point is from them.

use crate::lanes::{Real, Scalar, V3};

/// The form of a collider, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Everything below y = 0.
    Plane,
    /// A ball.
    Sphere {
        /// Its radius, m.
        radius: f64,
    },
    /// A cylinder along y with round ends.
    Capsule {
        /// Its radius, m.
        radius: f64,
        /// Half the distance between the centres of the ends, m.
        half_length: f64,
    },
    /// A box.
    Box {
        /// Half its edges, m.
        half: [f64; 3],
    },
}

impl Shape {
    pub(super) fn sound<T: Scalar>(&self) -> bool {
        let size = |s: f64| T::of(s).finite() && s > 0.0;
        match *self {
            Shape::Plane => true,
            Shape::Sphere { radius } => size(radius),
            Shape::Capsule { radius, half_length } => size(radius) && half_length.is_finite() && half_length >= 0.0,
            Shape::Box { half } => half.into_iter().all(size),
        }
    }

    /// Signed distance of a point from the surface (negative inside) and the unit normal at the nearest place.
    pub(super) fn distance<T: Scalar>(&self, p: V3<T>) -> (T, V3<T>) {
        let zero = T::of(0.0);
        match *self {
            Shape::Plane => (p.y, V3::new(zero, T::of(1.0), zero)),
            Shape::Sphere { radius } => round(p, T::of(radius)),
            Shape::Capsule { radius, half_length } => {
                let l = T::of(half_length);
                let along = Real::max(Real::min(p.y, l), -l);
                round(V3::new(p.x, p.y - along, p.z), T::of(radius))
            }
            Shape::Box { half } => box_distance(p, half.map(T::of)),
        }
    }
}

/// Distance from a ball about the origin.
fn round<T: Scalar>(p: V3<T>, radius: T) -> (T, V3<T>) {
    let length = Real::sqrt(p.norm2());
    let tiny = T::of(1e-12);
    let up = V3::new(T::of(0.0), T::of(1.0), T::of(0.0));
    (length - radius, if tiny < length { p * (T::of(1.0) / length) } else { up })
}

fn box_distance<T: Scalar>(p: V3<T>, half: [T; 3]) -> (T, V3<T>) {
    let zero = T::of(0.0);
    let p = [p.x, p.y, p.z];
    let mut over = [zero; 3];
    let mut nearest = 0;
    for k in 0..3 {
        over[k] = Real::abs(p[k]) - half[k];
        if over[nearest] < over[k] {
            nearest = k;
        }
    }
    let sign = |k: usize| if p[k] < zero { T::of(-1.0) } else { T::of(1.0) };
    // On the surface itself there is no direction to the nearest place on it: as inside.
    if over[nearest] <= T::of(1e-12) {
        let mut normal = [zero; 3];
        normal[nearest] = sign(nearest);
        return (over[nearest], V3::from(normal));
    }
    let outside: [T; 3] = core::array::from_fn(|k| Real::max(over[k], zero) * sign(k));
    let (distance, normal) = round(V3::from(outside), zero);
    (distance, normal)
}

/// A place and a direction in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the shape's origin is, m.
    pub position: [f64; 3],
    /// How it is turned: a unit quaternion (x, y, z, w).
    pub rotation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }
    }
}

impl Pose {
    /// Not turned, at `position` (m).
    pub fn at(position: [f64; 3]) -> Self {
        Pose { position, ..Pose::default() }
    }

    /// The pose at part `t` of the way to another: straight, turning the short way round.
    pub(super) fn towards(&self, to: &Pose, t: f64) -> Pose {
        let dot: f64 = (0..4).map(|k| self.rotation[k] * to.rotation[k]).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let mix = |a: f64, b: f64| if t >= 1.0 { b } else { a + (b - a) * t };
        let rotation: [f64; 4] = core::array::from_fn(|k| mix(self.rotation[k], sign * to.rotation[k]));
        Pose { position: core::array::from_fn(|k| mix(self.position[k], to.position[k])), rotation }
    }
}

/// A pose, ready to turn points with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<T> {
    origin: V3<T>,
    axes: [V3<T>; 3],
}

impl<T: Scalar> Frame<T> {
    pub(super) fn new(pose: &Pose) -> Self {
        let length = pose.rotation.iter().map(|c| c * c).sum::<f64>().sqrt();
        let [x, y, z, w] = if length > 1e-9 { pose.rotation.map(|c| c / length) } else { [0.0, 0.0, 0.0, 1.0] };
        let axes = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
            [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
            [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Frame { origin: V3::from(pose.position.map(T::of)), axes: axes.map(|a| V3::from(a.map(T::of))) }
    }

    /// Where the shape's origin is, m.
    #[inline(always)]
    pub(super) fn origin(&self) -> V3<T> {
        self.origin
    }

    /// The shape's y axis in the world.
    #[inline(always)]
    pub(super) fn up(&self) -> V3<T> {
        self.axes[1]
    }

    /// The shape's axes in the world.
    #[inline(always)]
    pub(super) fn axes(&self) -> [V3<T>; 3] {
        self.axes
    }

    /// How far the origin is from where it was in another frame, m, and how far the axes' ends are, all together.
    pub(super) fn moved_since(&self, before: &Self) -> [T; 2] {
        let [x, y, z]: [T; 3] = core::array::from_fn(|k| (self.axes[k] - before.axes[k]).norm2());
        [Real::sqrt((self.origin - before.origin).norm2()), Real::sqrt(x + y + z)]
    }

    /// A point of the world in the shape's frame.
    pub(super) fn inward(&self, p: V3<T>) -> V3<T> {
        let d = p - self.origin;
        V3::new(self.axes[0].dot(d), self.axes[1].dot(d), self.axes[2].dot(d))
    }

    /// A point of the shape's frame in the world.
    pub(super) fn outward(&self, p: V3<T>) -> V3<T> {
        self.outward_direction(p) + self.origin
    }

    /// A direction of the shape's frame in the world.
    pub(super) fn outward_direction(&self, d: V3<T>) -> V3<T> {
        self.axes[0] * d.x + self.axes[1] * d.y + self.axes[2] * d.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_the_textbooks() {
        let check = |shape: Shape, p: [f64; 3], d: f64, n: [f64; 3]| {
            let (distance, normal) = shape.distance(V3::from(p));
            assert!((distance - d).abs() < 1e-12, "{shape:?} at {p:?}: {distance}");
            assert!((normal - V3::from(n)).norm2() < 1e-20, "{shape:?} at {p:?}: {normal:?}");
        };
        check(Shape::Plane, [3.0, -2.0, 1.0], -2.0, [0.0, 1.0, 0.0]);
        check(Shape::Sphere { radius: 2.0 }, [0.0, 0.0, 5.0], 3.0, [0.0, 0.0, 1.0]);
        check(Shape::Sphere { radius: 2.0 }, [0.0, 0.0, 0.0], -2.0, [0.0, 1.0, 0.0]);
        let capsule = Shape::Capsule { radius: 0.5, half_length: 1.0 };
        check(capsule, [2.0, 0.3, 0.0], 1.5, [1.0, 0.0, 0.0]);
        check(capsule, [0.0, 4.0, 0.0], 2.5, [0.0, 1.0, 0.0]);
        let b = Shape::Box { half: [1.0, 2.0, 3.0] };
        check(b, [0.9, 0.0, 0.0], -0.1, [1.0, 0.0, 0.0]);
        check(b, [-4.0, 6.0, 0.0], 5.0, [-0.6, 0.8, 0.0]);
        check(b, [1.0, 0.1, 0.1], 0.0, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_frame_turns_there_and_back() {
        let s = 0.5f64.sqrt();
        let frame = Frame::<f64>::new(&Pose { position: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, s, s] });
        let out = frame.outward(V3::new(1.0, 0.0, 0.0));
        assert!((out - V3::new(1.0, 3.0, 3.0)).norm2() < 1e-24, "a quarter turn about z: {out:?}");
        assert!((frame.inward(out) - V3::new(1.0, 0.0, 0.0)).norm2() < 1e-24);
    }
}
