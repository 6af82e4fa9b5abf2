//! Vectors of three numbers.

use super::{Real, Scalar, Vertex};
use core::ops::{Add, Mul, Neg, Sub};

/// A vector in space, over any [`Real`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

impl<T: Real> V3<T> {
    /// From components.
    #[inline(always)]
    pub fn new(x: T, y: T, z: T) -> Self {
        V3 { x, y, z }
    }

    /// The constant vector in all lanes of `like`.
    #[inline(always)]
    pub fn lit(like: T, v: [f64; 3]) -> Self {
        V3::new(like.lit(v[0]), like.lit(v[1]), like.lit(v[2]))
    }

    /// a·b.
    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// a × b.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        V3::new(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)
    }

    /// |a|².
    #[inline(always)]
    pub fn norm2(self) -> T {
        self.dot(self)
    }

    /// Lane by lane: `yes` where the mask is set, else `no`.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        V3::new(T::select(mask, yes.x, no.x), T::select(mask, yes.y, no.y), T::select(mask, yes.z, no.z))
    }
}

impl<T: Scalar> V3<T> {
    /// The same vector in all lanes of `like`.
    #[inline(always)]
    pub(crate) fn spread<R: Real>(self, like: R) -> V3<R> {
        V3::lit(like, [self.x.f64(), self.y.f64(), self.z.f64()])
    }
}

impl<T> From<[T; 3]> for V3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        V3 { x, y, z }
    }
}

impl<T> From<V3<T>> for [T; 3] {
    #[inline(always)]
    fn from(v: V3<T>) -> Self {
        [v.x, v.y, v.z]
    }
}

impl<T: Real> Add for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        V3::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<T: Real> Sub for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        V3::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl<T: Real> Neg for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        V3::new(-self.x, -self.y, -self.z)
    }
}

impl<T: Real> Mul<T> for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        V3::new(self.x * s, self.y * s, self.z * s)
    }
}

/// Where a vertex is, m, or its velocity, m/s.
pub fn xyz<T: Scalar>(v: Vertex<T>) -> [f64; 3] {
    [v[0].f64(), v[1].f64(), v[2].f64()]
}
